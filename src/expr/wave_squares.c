// wave_squares.c: sums of a constant and a sine or cosine that are squares, under a root.
//
// 1 − cos u loses all digits beside its zeros; 2·sin²(u/2) loses none.
#include "expr/expr_impl.h"

// p + q with q = ±wave·p; none where q is not that.
static Expr wave_square(ExprPool *pool, Expr p, Expr q)
{
    fmpq_t factor;
    fmpq_init(factor);
    Expr wave = expr_strip(pool, expr_div(pool, q, p), factor), two = expr_int(pool, 2);
    bool unit = fmpz_is_one(fmpq_denref(factor)) && fmpz_is_pm1(fmpq_numref(factor));
    bool minus = fmpq_sgn(factor) < 0;
    fmpq_clear(factor);
    ExprOp op = unit ? expr_op(pool, wave) : EXPR_NUMBER;
    if (op == EXPR_PRODUCT && minus && expr_arg_count(pool, wave) == 1 &&
        fmpq_cmp_si(expr_arg_weight(pool, wave, 0), 2) == 0) {
        Expr side = expr_arg(pool, wave, 0);
        ExprOp own = expr_op(pool, side);
        if (own != EXPR_SIN && own != EXPR_COS)
            return (Expr){0};
        Expr other = expr_call(pool, own == EXPR_SIN ? EXPR_COS : EXPR_SIN, expr_arg(pool, side, 0),
                               (Expr){0});
        return expr_mul(pool, p, expr_mul(pool, other, other));
    }
    if (op != EXPR_SIN && op != EXPR_COS)
        return (Expr){0};
    Expr half = expr_div(pool, expr_arg(pool, wave, 0), two);
    // sin u is cos(π/2 − u).
    if (op == EXPR_SIN)
        half = expr_sub(pool, expr_div(pool, expr_pi(pool), expr_int(pool, 4)), half);
    Expr root = expr_call(pool, minus ? EXPR_SIN : EXPR_COS, half, (Expr){0});
    return expr_mul(pool, expr_mul(pool, two, p), expr_mul(pool, root, root));
}

Expr expr_square_of_wave(ExprPool *pool, Expr e)
{
    Expr parts[2] = {expr_number(pool, expr_value(pool, e))};
    size_t count = expr_arg_count(pool, e), used = expr_is_zero(pool, parts[0]) ? 0 : 1;
    if (count + used != 2)
        return e;
    for (size_t i = 0; i < count; i++)
        parts[used++] =
            expr_mul(pool, expr_number(pool, expr_arg_weight(pool, e, i)), expr_arg(pool, e, i));
    for (size_t i = 0; i < 2; i++) {
        Expr square = wave_square(pool, parts[i], parts[1 - i]);
        if (!expr_is_none(square))
            return square;
    }
    return e;
}
