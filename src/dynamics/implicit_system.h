// implicit_system.h: the linear equations of an implicit step in a large sparse system.
#ifndef ZWANG_DYNAMICS_IMPLICIT_SYSTEM_H
#define ZWANG_DYNAMICS_IMPLICIT_SYSTEM_H

#include "dynamics/dynamics_outcome.h"
#include "dynamics/evaluator.h"
#include "dynamics/pattern.h"
#include "ode/ode.h"
#include "ode/problem.h"

typedef struct Motion Motion; // motion.h

// ---- implicit_system.c: x − γ·J·x = right, J = ∂(q', u')/∂(q, u), as a larger matrix with few
// entries.
typedef struct ImplicitSystem {
    Arena *arena;
    const Equations *eq;
    State *state;
    size_t n, m, k;
    size_t size;                // of the matrix: x (n + k), then what the rates are made by
    OdeSparseJacobian jacobian; // all of this, as an integrator sees it; brings the state to y
    Pattern filled;
    double *fixed, *slopes; // an entry is fixed + slope, or fixed − γ·slope in the first n + k rows
    Evaluator program; // what is to vanish, and u', of parameters | t | q | v | a | multipliers
    double *direction;
    size_t *columns; // of each input: its column, or `size`
    size_t *colours; // of each column; columns of one colour share no row
    size_t colour_count;
} ImplicitSystem;
// For the speeds that the state has in use, with an id of its pattern; NULL where a dense Jacobian
// does as well.
ImplicitSystem *implicit_system_new(const Equations *eq, State *state, Motion *motion, size_t id);
void implicit_system_free(ImplicitSystem *newton);

#endif
