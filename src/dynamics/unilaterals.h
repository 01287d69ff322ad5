// unilaterals.h: unilateral conditions as programs.
#ifndef ZWANG_DYNAMICS_UNILATERALS_H
#define ZWANG_DYNAMICS_UNILATERALS_H

#include "dynamics/evaluator.h"

typedef struct Motion Motion; // motion.h

// ---- unilaterals.c: one-sided conditions that differ only in which coordinates they speak of
// share their programs.
typedef struct {
    Expr position, restitution; // in the shape's own symbols for coordinates
    size_t size;                // coordinates that it knows
    size_t terms;               // that f is a sum of
    Evaluator f;                // f alone
    Evaluator row;              // ∂f/∂q (size), f, ∂f/∂t, γ, e, the terms of f
    double *inputs;             // parameters | t | coordinates | velocities
    ARRAY(uint32_t) sides;      // of this shape
    double *lanes, *work;       // for many conditions at once: inputs of f, and room
} UnilateralShape;
typedef struct {
    uint32_t shape;
    uint32_t first; // of its coordinates
} UnilateralInstance;
typedef struct Unilaterals {
    Arena *arena;
    size_t count, params;
    UnilateralInstance *at;
    ARRAY(UnilateralShape) shapes;
    ARRAY(uint32_t) coordinates;
    ARRAY(Expr) q; // the shapes' own symbols: coordinates, and velocities
    ARRAY(Expr) v;
} Unilaterals;
// For the motion's one-sided conditions, with the values of the parameters.
BASE_MUST_USE Status unilaterals_init(Unilaterals *unilaterals, Motion *motion,
                                      const double *params, Diag *diag);
void unilaterals_clear(Unilaterals *unilaterals);
// f of every condition.
void unilaterals_gaps(Unilaterals *unilaterals, double t, const double *q, double *positions);
UnilateralShape *unilaterals_shape(const Unilaterals *unilaterals, size_t side);
typedef struct UnilateralRow {
    double f, partial_t, gamma, restitution;
    double rate; // f'
    size_t size; // of its coordinates
    const uint32_t *coordinates;
    const double *gradient; // by these, until the next is asked for
    const double *terms;    // of f
    size_t term_count;
} UnilateralRow;
UnilateralRow unilaterals_row(Unilaterals *unilaterals, size_t side, double t, const double *q,
                              const double *v);

#endif
