// form_driver.h: accelerations from one of the classical forms.
#ifndef ZWANG_DYNAMICS_FORM_DRIVER_H
#define ZWANG_DYNAMICS_FORM_DRIVER_H

#include "dynamics/dynamics_outcome.h"
#include "dynamics/evaluator.h"
#include "expr/expr_types.h"
#include "forms/form_kinds.h"

typedef struct FormDriver FormDriver;
typedef struct Motion Motion; // motion.h

// ---- form_driver.c: accelerations from one of the classical forms. The equations have its
// programs, which all threads share; a state has programs and workspace.
struct FormDriver {
    Evaluator equations; // matrix, right, B, D
    size_t size;
    FormDriver *next; // one that was in use before
    // Of the equations: the motion that the form was derived in. Where they fail, no program.
    FormKind kind;
    Motion *motion;
    bool owned;
    double most; // so well its speeds have determined the velocities
    // Of a state.
    const FormDriver *of;
    double *matrix, *right;
    int *pivots;
};
// Before there is a state.
BASE_MUST_USE Status form_driver_prepare(Equations *eq, Motion *motion, FormKind kind, Diag *diag);
// Where the speeds or velocities that the form is written in have become poor at the present state,
// whose velocities were found, or its formulas have failed beside it: derives it in others; true
// where it did. v is kept.
bool form_driver_improve(Equations *eq, State *state, bool failed);

#endif
