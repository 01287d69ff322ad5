// inertia.h: what accelerates how: inertia, and the forces given.
#ifndef ZWANG_MOTION_INERTIA_H
#define ZWANG_MOTION_INERTIA_H

#include "base/memory.h"
#include "expr/expr_types.h"

typedef struct Motion Motion; // motion_types.h

// Whether the masses determine how the free velocities change; an error that names the
// coordinates or speeds without inertia where they do not.
BASE_MUST_USE Status motion_check_inertia(Motion *motion, Diag *diag);

// W_ν = d/dt ∂T/∂q'_ν − ∂T/∂q_ν, affine in q''.
Expr motion_inertia_force(Motion *motion, size_t nu);
// The mass matrix ∂W_ν/∂q''_μ, n × n, symmetric; and W_ν − K_ν for q'' = 0.
void motion_mass_matrix(Motion *motion, Expr *matrix);
// The same: what is not 0 of it, row after row. The caller clears it.
typedef struct {
    size_t row, column;
    Expr value;
} MotionEntry;
typedef ARRAY(MotionEntry) MotionEntries;
MotionEntries motion_mass_entries(Motion *motion);
void motion_bias(Motion *motion, Expr *bias);
// Applied generalized forces without the weights of masses and bodies, n.
void motion_loads(Motion *motion, Expr *loads);

#endif
