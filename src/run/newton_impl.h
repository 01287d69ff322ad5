// newton_impl.h: the linear equations of an implicit step in a large system with few entries. Never
// leaves the room.
#ifndef ZWANG_RUN_NEWTON_IMPL_H
#define ZWANG_RUN_NEWTON_IMPL_H

#include "run/numbers_impl.h"

// ---- newton.c: x − γ·J·x = right, J = ∂(q', u')/∂(q, u), as a larger matrix with few entries.
typedef struct {
    const Equations *eq;
    State *state;
    size_t n, m, k;
    size_t size;            // of the matrix: x (n + k), then what the rates are made by
    size_t made;            // which one this is: another pattern comes with other speeds
    size_t *begins;         // row after row; size + 1
    size_t *places;         // columns
    double *fixed, *slopes; // an entry is fixed + slope, or fixed − γ·slope in the first n + k rows
    Program *program;      // what is to vanish, and u', of parameters | t | q | v | a | multipliers
    ProgramSeries *series; // of order 1
    double *direction, *out;
    size_t *columns; // of each input: its column, or `size`
    size_t *colours; // of each column; columns of one colour share no row
    size_t colour_count;
} ImplicitSystem;
// For the speeds that numbers has in use; NULL where a dense Jacobian does as well.
ImplicitSystem *implicit_system_new(const Equations *eq, State *state, Motion *motion, size_t made);
void implicit_system_free(ImplicitSystem *newton);
// At a state; false where there are no rates. Brings numbers there.
bool implicit_system_linearize(ImplicitSystem *newton, double t, const double *y);
// The entries, in their order, for this γ.
void implicit_system_fill(const ImplicitSystem *newton, double gamma, double *entries);

#endif
