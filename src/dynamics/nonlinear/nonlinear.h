// nonlinear.h: conditions and speeds that are not linear in the velocities.
#ifndef ZWANG_DYNAMICS_NONLINEAR_NONLINEAR_H
#define ZWANG_DYNAMICS_NONLINEAR_NONLINEAR_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"

// ---- vanishing_rows.c: places where ∂f/∂q' of a condition vanishes.
// Forgets the states that were kept so far.
void nonlinear_begin(const Equations *eq, State *state);
// Whether a row has turned too far since the last state for which it had not.
bool nonlinear_row_turned(const Equations *eq, State *state);
// Whether ∂f/∂q' of a condition is 0 at the velocities last evaluated, or below this part of what
// it has come to: TOL_ZERO, it vanishes; TOL_SMALL, it is on the point of vanishing, and where a
// motion goes no further, that is why.
bool nonlinear_find_below(const Equations *eq, State *state, double part);

#endif
