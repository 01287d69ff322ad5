// unilateral_pairs.h: unilateral conditions over all pairs of very many elements, of which only
// those that are near are known one by one.
#ifndef ZWANG_DYNAMICS_UNILATERAL_PAIRS_H
#define ZWANG_DYNAMICS_UNILATERAL_PAIRS_H

#include "base/memory.h"
#include "expr/expr_types.h"

typedef struct ModelConstraint ModelConstraint; // constraint.h
typedef struct Motion Motion;                   // motion.h
typedef struct Interval Interval;               // intervals.h
typedef struct UnilateralPairs UnilateralPairs;
typedef struct Unilaterals Unilaterals; // unilaterals.h
typedef struct UnilateralShape UnilateralShape;

// Of the motion's model, with the values of the parameters; NULL where there are none.
BASE_MUST_USE Status unilateral_pairs_new(Unilaterals *unilaterals, Motion *motion,
                                          const double *params, Diag *diag);
void unilateral_pairs_free(UnilateralPairs *pairs);
// The condition of a pair that is known, with its name; it lives as long as they do.
const ModelConstraint *unilateral_pairs_condition(UnilateralPairs *pairs, size_t side);

// Makes known all pairs that may be reached (f ≥ 0) while the time and the coordinates stay within
// these intervals, and takes them for the near ones; the numbers of those that are known stay.
void unilaterals_find_near(Unilaterals *unilaterals, Interval t, const Interval *q);
// Whether the near ones are those that were found for intervals that hold this place.
bool unilaterals_are_near(const Unilaterals *unilaterals, double t, const double *q);
// Near pairs, by their numbers, in the order of their elements.
const uint32_t *unilaterals_near(const Unilaterals *unilaterals, size_t *count);

// ---- unilaterals.c, for pairs: symbols for so many coordinates and constants, one more shape, the
// coordinate of each symbol by its index in the pool (n for others; the caller frees it), and an
// error.
void unilaterals_make_symbols(Unilaterals *unilaterals, const Motion *motion, size_t coordinates,
                              size_t constants);
BASE_MUST_USE Status unilaterals_add_shape(Unilaterals *unilaterals, const Motion *motion,
                                           const double *params, UnilateralShape *shape,
                                           Diag *diag);
uint32_t *unilaterals_index_symbols(const Motion *motion);
Status unilaterals_fail_missing(const Motion *motion, Expr missing, Diag *diag);

#endif
