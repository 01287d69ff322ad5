// equation_modules.h: rare conditions hang on the equations by hooks.
#ifndef ZWANG_DYNAMICS_EQUATION_MODULES_H
#define ZWANG_DYNAMICS_EQUATION_MODULES_H

#include "dynamics/dynamics_outcome.h"
#include "dynamics/equations_types.h"

typedef struct KktProblem KktProblem; // kkt_problem.h

// ---- A table of hooks each; all but `attach` may be NULL. equations.c knows no more of them.
struct EquationModule {
    Status (*prepare)(Equations *eq, Motion *motion, Diag *diag); // its part of the equations
    void (*release)(Equations *eq);                               // that part
    void (*attach)(const Equations *eq, State *state);            // to a new state
    // After the velocities' rows were evaluated.
    DynamicsOutcome (*velocities)(const Equations *eq, State *state);
    // The problem of least constraint was evaluated.
    void (*problem)(State *state, const KktProblem *problem);
    // Other accelerations than those of least constraint.
    DynamicsOutcome (*accelerations)(const Equations *eq, State *state);
};
void equations_add_module(Equations *eq, const EquationModule *module);

// Those that a motion has by itself; a classical form that drives is one more.
extern const EquationModule nonlinear_module;    // conditions that are not linear in the velocities
extern const EquationModule second_class_module; // conditions that are curved in accelerations
extern const EquationModule curved_reactions_module; // forces that hold reactions not linearly

#endif
