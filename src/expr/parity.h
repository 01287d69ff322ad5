// parity.h: how expressions change where some symbols change their sign or their size.
#ifndef ZWANG_EXPR_PARITY_H
#define ZWANG_EXPR_PARITY_H

#include "expr/expr_types.h"

#include <stddef.h>

// The part of e that changes its sign where all these symbols do: the sum of its terms that are
// seen to. A sum that is a factor is multiplied out for it. 0 where there is none.
Expr expr_odd_part(ExprPool *pool, Expr e, const Expr *symbols, size_t count);

// The degree in which e is homogeneous in these symbols, as far as every node shows it: e of λ
// times them is λ^degree·e. −1 where that is not seen.
int expr_homogeneity(const ExprPool *pool, Expr e, const Expr *symbols, size_t count);

#endif
