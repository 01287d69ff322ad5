// start.h: starts that satisfy the conditions.
#ifndef ZWANG_DYNAMICS_START_H
#define ZWANG_DYNAMICS_START_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"

// ---- inertia_check.c
// Warns of masses and moments of inertia below 0 at numbers' present state.
void inertia_check(const Equations *eq, const State *state, Diag *diag);

// ---- start_position.c: starts that satisfy the constraints.
// Completes numbers' q and v at t = 0.
BASE_MUST_USE Status start_complete(const Equations *eq, State *state, Diag *diag);

#endif
