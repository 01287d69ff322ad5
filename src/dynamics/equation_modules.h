// equation_modules.h: rare conditions hang on the equations by hooks.
#ifndef ZWANG_DYNAMICS_EQUATION_MODULES_H
#define ZWANG_DYNAMICS_EQUATION_MODULES_H

#include "dynamics/dynamics.h"

// ---- equation_modules.c: a table of hooks each; all but `attach` may be NULL.
struct EquationModule {
    void (*release)(Equations *eq);                    // what the equations have of it
    void (*attach)(const Equations *eq, State *state); // to a new state
    // After the velocities' rows were evaluated.
    DynamicsOutcome (*velocities)(const Equations *eq, State *state);
    // More rows for the problem of least constraint.
    void (*problem)(State *state, KktProblem *problem);
    // Other accelerations than those of least constraint.
    DynamicsOutcome (*accelerations)(const Equations *eq, State *state, const KktProblem *problem);
};
// Those that a motion has by itself.
BASE_MUST_USE Status equation_modules_prepare(Equations *eq, Motion *motion, Diag *diag);
void equation_modules_add(Equations *eq, const EquationModule *module);

#endif
