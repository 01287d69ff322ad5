// step_error_impl.h: what steps of fixed length leave undone.
#ifndef ZWANG_SIMULATE_STEP_ERROR_IMPL_H
#define ZWANG_SIMULATE_STEP_ERROR_IMPL_H

#include "base/memory.h"

typedef struct RunListener RunListener; // run_report.h
typedef struct RunSummary RunSummary;
typedef struct Simulation Simulation; // simulation_impl.h

// ---- step_error.c
// Whether a run is one of fixed steps that are to be compared.
bool step_error_compares(const Simulation *sim);
// A run whose steps are compared with steps twice as long, or of half the length where there is
// only one from a row to the next; where none was given it chooses their length.
BASE_MUST_USE Status step_error_go(Simulation *sim, const RunListener *listener, Diag *diag,
                                   RunSummary *summary);

#endif
