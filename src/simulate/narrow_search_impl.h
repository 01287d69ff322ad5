// narrow_search_impl.h: which functions of the state may change within a small part of a step.
#ifndef ZWANG_SIMULATE_NARROW_SEARCH_IMPL_H
#define ZWANG_SIMULATE_NARROW_SEARCH_IMPL_H

#include "base/memory.h"
#include "dynamics/equations_types.h"
#include "expr/expr.h"

// By how much a level may rise within a step (narrow_functions.c).
enum { MOST_RISE = 8 };

typedef struct {
    Expr whole;
    ExprOp op;    // EXPR_POW for powers and logarithms
    double power; // p in the level p·log|u| of these; else 0
    double most;  // by what factor |u| of these may grow in a step
} NarrowFunction;

typedef struct {
    ExprPool *pool;
    const Equations *eq;
    ARRAY(NarrowFunction) functions;
    ARRAY(Expr) arguments; // one of each function
} NarrowSearch;

// In the expressions, as a run writes them. The caller clears what is found.
NarrowSearch narrow_search(ExprPool *pool, const Expr *roots, size_t count, size_t speeds,
                           const Equations *eq);
void narrow_search_clear(NarrowSearch *search);

#endif
