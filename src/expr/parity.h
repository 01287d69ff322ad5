// parity.h: whether expressions change sign with some symbols.
#ifndef ZWANG_EXPR_PARITY_H
#define ZWANG_EXPR_PARITY_H

#include "expr/expr_types.h"

#include <stddef.h>

// The part of e that changes its sign where all these symbols do: the sum of its terms that are
// seen to. A sum that is a factor is multiplied out for it. 0 where there is none.
Expr expr_odd_part(ExprPool *pool, Expr e, const Expr *symbols, size_t count);

#endif
