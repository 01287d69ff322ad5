// timestepping_impl.h: the whole way by steps of fixed length.
#ifndef ZWANG_SIMULATE_TIMESTEPPING_IMPL_H
#define ZWANG_SIMULATE_TIMESTEPPING_IMPL_H

#include "base/base.h"
#include "simulate/simulate.h"

// ---- timestepping.c: the whole way by steps of fixed length.
BASE_MUST_USE Status timestepping_go(Run *run, const RunListener *listener, Diag *diag,
                                     RunSummary *summary);

#endif
