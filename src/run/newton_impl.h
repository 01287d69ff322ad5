// newton_impl.h: the linear equations of an implicit step in a large system with few entries. Never
// leaves the room.
#ifndef ZWANG_RUN_NEWTON_IMPL_H
#define ZWANG_RUN_NEWTON_IMPL_H

#include "ode/ode.h"
#include "run/numbers_impl.h"

// ---- newton.c: x − γ·J·x = right, J = ∂(q', u')/∂(q, u), as a larger matrix with few entries.
typedef struct {
    Numbers *numbers;
    size_t n, m, k;
    size_t size;            // of the matrix: x (n + k), then what the rates are made by
    size_t *begins;         // row after row; size + 1
    size_t *places;         // columns
    double *fixed, *slopes; // an entry is fixed + slope, or fixed − γ·slope in the first n + k rows
    Program *program;      // what is to vanish, and u', of parameters | t | q | v | a | multipliers
    ProgramSeries *series; // of order 1
    double *direction, *out;
    size_t *columns; // of each input: its column, or `size`
    size_t *colours; // of each column; columns of one colour share no row
    size_t colour_count;
    OdeSparseJacobian jacobian; // all of this, as an integrator sees it
} Newton;
// For the speeds that numbers has in use, with an id of its pattern; NULL where a dense Jacobian
// does as well.
Newton *newton_new(Numbers *numbers, Motion *motion, size_t id);
void newton_free(Newton *newton);
// As an OdeSparseJacobian wants them, the context being a Newton. The first brings numbers to the
// state.
bool newton_linearize(void *context, double t, const double *y);
void newton_fill(void *context, double gamma, double *entries);

#endif
