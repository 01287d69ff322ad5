// switch_events_impl.h: what happens where abs, sign, min or max switches.
#ifndef ZWANG_SIMULATE_SWITCH_EVENTS_IMPL_H
#define ZWANG_SIMULATE_SWITCH_EVENTS_IMPL_H

#include "simulate/run_result_impl.h"

#include <stddef.h>

typedef struct SimulationRun SimulationRun; // simulation_run_impl.h

// ---- switch_events.c
// When the state just before the switch of a function was, at the end of the mode's step.
double switch_before(const SimulationRun *run, size_t which);
// From that state, which has been evaluated and recorded, to the row after the switch.
RunResult switch_process(SimulationRun *run, size_t which, double before);

#endif
