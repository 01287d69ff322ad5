// hidden_conditions.h: conditions that nobody has written, and that the equations of motion imply.
//
// Where inertia, forces and conditions do not determine q'' and the multipliers at once, the
// equations E·(q'', λ) = r(q, q', t) with E = [𝓜 −dᵀ; b 0] are dependent, and every z with z·E = 0
// gives a condition ψ = z·r = 0 on the state (index reduction by differentiation; Singh's
// inversion algorithm for servos). Differentiated once or twice it is a row that E lacks.
#ifndef ZWANG_DYNAMICS_HIDDEN_HIDDEN_CONDITIONS_H
#define ZWANG_DYNAMICS_HIDDEN_HIDDEN_CONDITIONS_H

#include "base/memory.h"

typedef struct Model Model;   // model.h
typedef struct Motion Motion; // motion_types.h

// The motion of a model, checked: its equations determine the accelerations. Hidden conditions are
// added to the model where they are needed for that. An error where they do not help. `to_run` as
// motion_new_to_run.
BASE_MUST_USE Status hidden_motion_new(Model *model, bool to_run, Diag *diag, Motion **motion);

#endif
