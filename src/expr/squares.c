// squares.c: squares of two terms that were multiplied out, under a root.
//
// x² − 2bx + b² is 0 at x = b but for rounding, of which the root makes eight digits; written as
// (x − b)² it loses none.
#include "expr/expr_impl.h"

// r with r² = e; none where that is not seen.
static Expr root_of(ExprPool *pool, Expr e)
{
    fmpq_t factor;
    fmpq_init(factor);
    Expr rest = expr_strip(pool, e, factor);
    bool square = fmpz_is_square(fmpq_numref(factor)) && fmpz_is_square(fmpq_denref(factor));
    if (square) {
        fmpz_sqrt(fmpq_numref(factor), fmpq_numref(factor));
        fmpz_sqrt(fmpq_denref(factor), fmpq_denref(factor));
    }
    Expr root = square ? expr_number(pool, factor) : (Expr){0};
    bool product = expr_op(pool, rest) == EXPR_PRODUCT;
    square = square && (product || expr_is_one(pool, rest));
    for (size_t i = 0; square && product && i < expr_arg_count(pool, rest); i++) {
        const fmpq *power = expr_arg_weight(pool, rest, i);
        fmpq_div_2exp(factor, power, 1);
        square = fmpz_is_one(fmpq_denref(factor));
        if (square)
            root = expr_mul(pool, root,
                            expr_pow(pool, expr_arg(pool, rest, i), expr_number(pool, factor)));
    }
    fmpq_clear(factor);
    return square ? root : (Expr){0};
}

Expr expr_square_of_two(ExprPool *pool, Expr e)
{
    Expr parts[3] = {expr_number(pool, expr_value(pool, e))};
    size_t count = expr_arg_count(pool, e), used = expr_is_zero(pool, parts[0]) ? 0 : 1;
    if (count + used != 3)
        return e;
    for (size_t i = 0; i < count; i++)
        parts[used++] =
            expr_mul(pool, expr_number(pool, expr_arg_weight(pool, e, i)), expr_arg(pool, e, i));
    for (size_t mixed = 0; mixed < 3; mixed++) {
        Expr a = root_of(pool, parts[(mixed + 1) % 3]), b = root_of(pool, parts[(mixed + 2) % 3]);
        if (expr_is_none(a) || expr_is_none(b))
            continue;
        Expr twice = expr_mul(pool, expr_int(pool, 2), expr_mul(pool, a, b));
        if (expr_same(twice, parts[mixed]))
            return expr_pow_int(pool, expr_add(pool, a, b), 2);
        if (expr_same(expr_neg(pool, twice), parts[mixed]))
            return expr_pow_int(pool, expr_sub(pool, a, b), 2);
    }
    return e;
}

Expr expr_root_of_square(ExprPool *pool, Expr e)
{
    return root_of(pool, expr_op(pool, e) == EXPR_SUM ? expr_square_of_two(pool, e) : e);
}
