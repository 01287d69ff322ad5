// dense_forces.h: the inertia and the forces as programs of n² entries, made when they are needed.
#ifndef ZWANG_DYNAMICS_DENSE_FORCES_H
#define ZWANG_DYNAMICS_DENSE_FORCES_H

#include "dynamics/equations_types.h"

// ---- dense_forces.c
// For equations whose accelerations are found without them: nothing is made before
// state_need_forces asks for it.
void dense_forces_postpone(Equations *eq, Motion *motion);
// At once; an error where something in them has no value.
BASE_MUST_USE Status dense_forces_make(Equations *eq, Motion *motion, Diag *diag);
void dense_forces_clear(Equations *eq);
Motion *dense_forces_motion(const Equations *eq);
// The programs of state_forces. Who asks first makes them, for all states of the equations, and
// takes their pool of expressions meanwhile.
void state_need_forces(const Equations *eq, State *state);
// Whether one-sided conditions come and go, and there is no choice of speeds that would have to be
// revised.
bool equations_come_and_go(const Equations *eq);
// Whether these hold parameters at most.
bool equations_are_constant(const Equations *eq, const Expr *exprs, size_t count);
// Whether least constraint has few entries, as far as the symbols in the momenta tell.
bool dense_forces_are_sparse(const Equations *eq);

#endif
