// expr_types.h: expressions, for those who hand them on without looking inside.
#ifndef ZWANG_EXPR_EXPR_TYPES_H
#define ZWANG_EXPR_EXPR_TYPES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ExprPool ExprPool; // opaque; one thread at a time
typedef struct {
    uint32_t at;
} Expr; // by value; at == 0 means "none"

typedef struct ExprRates ExprRates; // a directional derivative; expr.h
typedef struct ExprSubst ExprSubst; // a substitution; expr.h

static inline bool expr_is_none(Expr e)
{
    return e.at == 0;
}
static inline bool expr_same(Expr a, Expr b)
{
    return a.at == b.at;
}

#endif
