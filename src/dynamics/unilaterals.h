// unilaterals.h: unilateral conditions as programs.
#ifndef ZWANG_DYNAMICS_UNILATERALS_H
#define ZWANG_DYNAMICS_UNILATERALS_H

#include "dynamics/evaluator.h"

typedef struct Motion Motion; // motion.h

// ---- unilaterals.c: one-sided conditions that differ only in which coordinates they speak of
// share their programs.
typedef struct UnilateralShape {
    Expr position, restitution; // in the shape's own symbols for coordinates
    size_t size, constants;     // coordinates that it knows, and numbers
    size_t terms;               // that f is a sum of
    Evaluator f;                // f alone
    Evaluator row;              // ∂f/∂q (size), f, ∂f/∂t, γ, e, the terms of f
    double *inputs;             // parameters | t | coordinates | constants | velocities
    ARRAY(uint32_t) sides;      // of this shape, of pairs those that are near
    double *lanes, *work;       // for many conditions at once: inputs of f, and room
} UnilateralShape;
typedef struct {
    uint32_t shape, first, first_constant; // of its coordinates, of its constants
} UnilateralInstance;
typedef struct Unilaterals {
    Arena *arena;
    const Motion *motion;
    size_t count, single, params;  // with the pairs that are known, behind the single ones
    struct UnilateralPairs *pairs; // NULL where there are none
    ARRAY(UnilateralInstance) at;
    ARRAY(UnilateralShape) shapes;
    ARRAY(uint32_t) coordinates;
    ARRAY(double) constants;
    ARRAY(Expr) q, v, c; // the shapes' own symbols: coordinates, velocities and constants
} Unilaterals;
// For the motion's one-sided conditions, with the values of the parameters.
BASE_MUST_USE Status unilaterals_init(Unilaterals *unilaterals, Motion *motion,
                                      const double *params, Diag *diag);
void unilaterals_clear(Unilaterals *unilaterals);
const struct ModelConstraint *unilaterals_condition(const Unilaterals *unilaterals, size_t side);
// f of every condition, of pairs those that are near.
void unilaterals_gaps(Unilaterals *unilaterals, double t, const double *q, double *positions);
// Makes known the pairs that may be reached within so much of a place, and no others near.
void unilaterals_find_around(Unilaterals *unilaterals, double t, const double *q, double around);
UnilateralShape *unilaterals_shape(const Unilaterals *unilaterals, size_t side);
typedef struct UnilateralRow {
    double f, partial_t, gamma, restitution, rate; // the last is f'
    size_t size, term_count;                       // of its coordinates, and of the terms of f
    const uint32_t *coordinates;
    const double *gradient; // by these, until the next is asked for
    const double *terms;    // of f
} UnilateralRow;
UnilateralRow unilaterals_row(Unilaterals *unilaterals, size_t side, double t, const double *q,
                              const double *v);

#endif
