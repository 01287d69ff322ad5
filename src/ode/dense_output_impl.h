// dense_output_impl.h: the states inside a step of a method that gives its ends alone, from rates.
// Never leaves the room.
#ifndef ZWANG_ODE_DENSE_OUTPUT_IMPL_H
#define ZWANG_ODE_DENSE_OUTPUT_IMPL_H

#include "ode/ode.h"
#include "ode/problem.h"

typedef struct {
    const OdeProblem *problem;
    double from, until;  // of the step
    size_t terms;        // of the polynomial; 0: not yet made
    double *begin, *end; // the states there
    double *change;      // from one to the other
    double *state;       // workspace: one inside
    double *slopes;      // at the nodes in hand
    double *parts;       // of the polynomial, a row a term
    double *inverses;    // from slopes to parts, a block a set of nodes
} DenseOutput;
// The arena and the problem outlive it.
void dense_output_init(DenseOutput *dense, const OdeProblem *problem, Arena *arena);
// The step that begins here, and its end.
void dense_output_begin(DenseOutput *dense, double t, const double *y);
void dense_output_end(DenseOutput *dense, double t, const double *y);
// The state at a time within it; makes the polynomial where this is the first one.
void dense_output_state(DenseOutput *dense, double t, double *y);
// The same in powers of (t − *about): rows of the orders 0 … the degree, which it returns.
size_t dense_output_expand(DenseOutput *dense, double *about, double *unit, double *rows);
// The polynomial's defect: by how much its slope, over the step, misses the rates on it at most, at
// so many points inside; in units of the error that is allowed. What a rate makes of the last
// digits of the time is no defect.
double dense_output_defect(DenseOutput *dense, size_t points, const double *error_scale);

#endif
