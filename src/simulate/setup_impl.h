// setup_impl.h: parts of the making of a simulation.
#ifndef ZWANG_SIMULATE_SETUP_IMPL_H
#define ZWANG_SIMULATE_SETUP_IMPL_H

#include "base/memory.h"

typedef struct Motion Motion;         // motion_types.h
typedef struct Simulation Simulation; // simulation_impl.h

// ---- repetition.c: the equations, made now or for a simulation before. STATUS_NEGATIVE where
// those of before do not serve.
BASE_MUST_USE Status repetition_prepare(Simulation *sim, Diag *diag);

// ---- jumping_places.c: refuses masses whose place jumps.
BASE_MUST_USE Status places_check(const Motion *motion, Diag *diag);

// ---- setup.c: from another state of the same motion, with other numbers of its parameters; no run
// is in progress.
BASE_MUST_USE Status simulation_restart(Simulation *sim, double t, const double *q, const double *v,
                                        Diag *diag);

// ---- start_state.c
// From the completed q and v: speeds in use, accelerations, multipliers.
BASE_MUST_USE Status start_state_evaluate(Simulation *sim, double *u, Diag *diag);
// The start as it is told.
void start_state_keep(Simulation *sim, const double *u);

#endif
