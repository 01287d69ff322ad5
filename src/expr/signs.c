// signs.c: expressions that are never negative, to the eye: sums of squares, roots and
// exponentials.
#include "expr/expr_impl.h"

// How deep it is looked.
enum { DEPTH = 8 };

static bool is_even(const fmpq *power)
{
    return fmpz_is_one(fmpq_denref(power)) && fmpz_is_even(fmpq_numref(power));
}

static bool is_never_negative(ExprPool *pool, Expr e, int depth);

static bool is_product_never_negative(ExprPool *pool, Expr e, int depth)
{
    bool never = fmpq_sgn(expr_value(pool, e)) >= 0;
    for (size_t i = 0; i < expr_arg_count(pool, e) && never; i++)
        never = is_even(expr_arg_weight(pool, e, i)) || expr_arg_is_rooted(pool, e, i) ||
                is_never_negative(pool, expr_arg(pool, e, i), depth - 1);
    return never;
}

static bool is_sum_never_negative(ExprPool *pool, Expr e, int depth)
{
    bool never = fmpq_sgn(expr_value(pool, e)) >= 0;
    for (size_t i = 0; i < expr_arg_count(pool, e) && never; i++)
        never = fmpq_sgn(expr_arg_weight(pool, e, i)) > 0 &&
                is_never_negative(pool, expr_arg(pool, e, i), depth - 1);
    Expr square = never ? e : expr_square_of_two(pool, e);
    square = expr_same(square, e) ? expr_square_of_wave(pool, e) : square;
    return never || (!expr_same(square, e) && is_never_negative(pool, square, depth - 1));
}

static bool is_never_negative(ExprPool *pool, Expr e, int depth)
{
    if (depth == 0)
        return false;
    switch (expr_op(pool, e)) {
    case EXPR_NUMBER: return fmpq_sgn(expr_value(pool, e)) >= 0;
    case EXPR_PI:
    case EXPR_EXP:
    case EXPR_COSH:
    case EXPR_LOGISTIC:
    case EXPR_ABS: return true;
    case EXPR_PRODUCT: return is_product_never_negative(pool, e, depth);
    case EXPR_SUM: return is_sum_never_negative(pool, e, depth);
    default: return false;
    }
}

bool expr_is_never_negative(ExprPool *pool, Expr e)
{
    return is_never_negative(pool, e, DEPTH);
}
