// one_fraction.h: a sum of fractions over one denominator.
#ifndef ZWANG_ALGEBRA_ONE_FRACTION_H
#define ZWANG_ALGEBRA_ONE_FRACTION_H

#include "expr/expr_types.h"

#include <stddef.h>

typedef struct Algebra Algebra; // algebra.h

// e itself where it is no sum, or has no denominators that can be told.
Expr algebra_one_fraction(Algebra *algebra, Expr e);

// A common denominator of these as they stand, of the factors that hold any of the symbols; 1 where
// it cannot be told.
Expr algebra_common_denominator(Algebra *algebra, const Expr *parts, size_t count,
                                const Expr *symbols, size_t symbol_count);

#endif
