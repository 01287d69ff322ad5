// simplify.h: shorter expressions.
#ifndef ZWANG_ALGEBRA_SIMPLIFY_H
#define ZWANG_ALGEBRA_SIMPLIFY_H

#include "expr/expr_types.h"

#include <stdbool.h>

typedef struct Algebra Algebra; // algebra.h

// The shortest form found for a reader: sin² or cos² eliminated, whichever is shorter, angles
// joined, common factors drawn out. Returns e itself where nothing is shorter, or where it is
// too large to bother.
Expr algebra_simplify(Algebra *algebra, Expr e);
// The same, with an allowance: what is spent is taken off *effort, and where nothing is left the
// shortest form found until then is good enough. One is about the work of multiplying two terms.
// So it depends on the expressions alone when to stop, never on a clock.
Expr algebra_simplify_within(Algebra *algebra, Expr e, double *effort);
// The same for numbers: what a reader would multiply out stays where digits would cancel
// (shifts.c).
Expr algebra_simplify_numeric(Algebra *algebra, Expr e, double *effort);
// Whether e is seen to be as short as it can be, at a look: looking for other forms takes long.
bool algebra_is_short(const ExprPool *pool, Expr e);

#endif
