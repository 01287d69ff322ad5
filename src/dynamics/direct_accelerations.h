// direct_accelerations.h: accelerations and multipliers as one program, by elimination on the
// definitions.
#ifndef ZWANG_DYNAMICS_DIRECT_ACCELERATIONS_H
#define ZWANG_DYNAMICS_DIRECT_ACCELERATIONS_H

#include "dynamics/equations_types.h"

// The program, for systems with more than a few freedoms; false where it does not serve.
bool direct_init(Equations *eq, Motion *motion);
// q'' and λ at the state, to its places; false where a pivot nearly vanishes there.
bool direct_solve(const Equations *eq, State *state);
// After that: du/dt of the motion's own speeds for q'' = 0.
const double *direct_drift(const Equations *eq, const State *state);
// The diagonal of 𝓜 at the state, n; false where it is not found so.
bool direct_inertias(const Equations *eq, const State *state, double *inertias);

#endif
