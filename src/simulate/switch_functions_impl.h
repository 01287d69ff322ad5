// switch_functions_impl.h: abs, sign, min and max in the equations.
#ifndef ZWANG_SIMULATE_SWITCH_FUNCTIONS_IMPL_H
#define ZWANG_SIMULATE_SWITCH_FUNCTIONS_IMPL_H

#include "dynamics/dynamics.h"
#include "dynamics/evaluator.h"
#include "expr/expr.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulate.h"

// ---- switch_functions.c: abs, sign, min and max in the equations.
typedef struct {
    size_t count;
    Expr *functions;     // as they are written
    Evaluator arguments; // what decides their branches
    int *signs;          // of these, when last looked at; 0 for not yet
} Switches;
void switches_init(Switches *switches, const Run *run);
void switches_clear(Switches *switches);
// At numbers' state: whether one of them has switched since the last look, and the first.
bool switches_look(Switches *switches, const State *state, size_t *which);
// Whether one of them switches within the last step of a leg, and just beyond the first switch.
bool switches_find(Switches *switches, ContactMode *mode, double *t);

#endif
