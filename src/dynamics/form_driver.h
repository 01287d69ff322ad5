// form_driver.h: accelerations from one of the classical forms.
#ifndef ZWANG_DYNAMICS_FORM_DRIVER_H
#define ZWANG_DYNAMICS_FORM_DRIVER_H

#include "dynamics/dynamics_outcome.h"
#include "dynamics/evaluator.h"
#include "expr/expr_types.h"
#include "forms/form_kinds.h"

#include <lapacke.h>

typedef struct FormDriver FormDriver;
typedef struct Motion Motion; // motion.h

// ---- form_driver.c: accelerations from one of the classical forms. The equations have its
// programs, which all threads share; a state has programs and workspace.
struct FormDriver {
    Evaluator equations; // matrix, right, B, D
    Evaluator roots;     // q' by the speeds, where these are not linear and it is known
    size_t size;
    double *matrix, *right; // of a state
    lapack_int *pivots;
};
// Before there is a state.
BASE_MUST_USE Status form_driver_prepare(Equations *eq, Motion *motion, FormKind kind, Diag *diag);
// Whether the velocities that a form puts in have another root than those at hand, and which.
bool form_driver_has_other_root(const Equations *eq, State *state, size_t *which);

#endif
