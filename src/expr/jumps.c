// jumps.c: expressions that jump with sign.
#include "expr/arithmetic.h"
#include "expr/expr.h"

// With a function as it is on one side.
static Expr on_side(ExprPool *pool, Expr e, Expr call, int side)
{
    ExprSubst *subst = expr_subst_new(pool);
    expr_subst_set(subst, call, expr_int(pool, side));
    Expr value = expr_subst(subst, e);
    expr_subst_free(subst);
    return value;
}

// Whether e vanishes where the argument does, which is solved for one of the symbols.
static bool vanishes_with(ExprPool *pool, Expr e, Expr argument, const Expr *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        Expr factor, rest;
        if (!expr_holds(pool, argument, symbols[i]) ||
            !expr_linear(pool, argument, &symbols[i], 1, &factor, &rest))
            continue;
        Expr root = expr_neg(pool, expr_div(pool, rest, factor));
        return expr_is_zero(pool, expr_replace(pool, e, &symbols[i], &root, 1));
    }
    return false;
}

bool expr_jumps(ExprPool *pool, Expr e, const Expr *symbols, size_t count, Expr *call)
{
    ExprList nodes = expr_nodes(pool, &e, 1);
    bool found = false;
    for (size_t i = 0; i < nodes.count && !found; i++) {
        *call = (Expr){nodes.at[i]};
        Expr argument = expr_switch_argument(pool, *call);
        found =
            expr_op(pool, *call) == EXPR_SIGN && expr_holds_any(pool, argument, symbols, count) &&
            !vanishes_with(pool,
                           expr_sub(pool, on_side(pool, e, *call, 1), on_side(pool, e, *call, -1)),
                           argument, symbols, count);
    }
    expr_list_free(&nodes);
    return found;
}
