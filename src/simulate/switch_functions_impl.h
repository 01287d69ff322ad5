// switch_functions_impl.h: abs, sign, min and max in the equations.
#ifndef ZWANG_SIMULATE_SWITCH_FUNCTIONS_IMPL_H
#define ZWANG_SIMULATE_SWITCH_FUNCTIONS_IMPL_H

#include "simulate/contact_mode_impl.h"

// ---- switch_functions.c
typedef struct {
    size_t count;
    Expr *functions;     // as they are written
    Evaluator arguments; // what decides their branches
    int *signs;          // of these, when last looked at; 0 for not yet
} Switches;
void switches_init(Switches *switches, Arena *arena, const Simulation *sim);
void switches_clear(Switches *switches);
// Whether one of them has switched at this state since the last look, and the first.
bool switches_look(Switches *switches, const State *state, size_t *which);
// Whether one of them was 0 whenever it was looked at.
bool switches_are_unknown(const Switches *switches);
// What decides their branches at a time within the last step of a mode. False where there is no
// state.
bool switches_sample(Switches *switches, ContactMode *mode, double t, double *values);

#endif
