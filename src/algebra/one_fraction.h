// one_fraction.h: a sum of fractions over one denominator.
#ifndef ZWANG_ALGEBRA_ONE_FRACTION_H
#define ZWANG_ALGEBRA_ONE_FRACTION_H

#include "expr/expr_types.h"

typedef struct Algebra Algebra; // algebra.h

// e itself where it is no sum, or has no denominators that can be told.
Expr algebra_one_fraction(Algebra *algebra, Expr e);

#endif
