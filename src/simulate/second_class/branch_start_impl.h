// branch_start_impl.h: which stationary point of Gauss's function is the motion at the start, and
// why there is none.
#ifndef ZWANG_SIMULATE_SECOND_CLASS_BRANCH_START_IMPL_H
#define ZWANG_SIMULATE_SECOND_CLASS_BRANCH_START_IMPL_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"

typedef struct Simulation Simulation; // simulation_impl.h

// Finds all of them and takes one; nothing where the motion has no such conditions.
BASE_MUST_USE Status second_class_start(Simulation *sim, Diag *diag);
// Adds why a run along one of them cannot go on; false where that is not the reason.
bool second_class_add_reason(const Equations *eq, const State *state, DynamicsOutcome why,
                             Text *text);

#endif
