// timestepping_impl.h: a run by steps of fixed length.
#ifndef ZWANG_SIMULATE_TIMESTEPPING_IMPL_H
#define ZWANG_SIMULATE_TIMESTEPPING_IMPL_H

#include "simulate/modules_impl.h"

// ---- timestepping.c: from the start to the end by steps of fixed length, in the base mode.
RunResult timestepping_run(SimulationRun *run);

#endif
