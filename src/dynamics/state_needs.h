// state_needs.h: what a state of a large system has only once it is needed.
#ifndef ZWANG_DYNAMICS_STATE_NEEDS_H
#define ZWANG_DYNAMICS_STATE_NEEDS_H

typedef struct Equations Equations; // dynamics.h
typedef struct State State;

// ---- equations.c: room for LAPACK.
void state_need_dense(const Equations *eq, State *state);
// ---- dense_forces.c: the programs of state_forces. Who asks first makes them, for all states of
// the equations, and takes their pool of expressions meanwhile.
void state_need_forces(const Equations *eq, State *state);

#endif
