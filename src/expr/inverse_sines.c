// inverse_sines.c: the angle of a sine or a cosine.
//
// asin(sin u) turns where cos u = 0, and there its slope is 0/0: a run comes to no end before it.
// atan2(sin u, |cos u|) is the same angle with a slope that switches. An angle between two vectors
// is such a one, the acos of cos a·cos b + sin a·sin b. So is a fraction n/s where s² − n² is the
// square of some r, as 2x/(1 + x²): r/s is the other side of its triangle.
#include "expr/expr_impl.h"

static ExprWave wave_of(const ExprPool *pool, Expr e)
{
    ExprOp op = expr_op(pool, e);
    if (op != EXPR_SIN && op != EXPR_COS)
        return (ExprWave){0};
    return (ExprWave){.found = true, .sine = op == EXPR_SIN, .of = expr_arg(pool, e, 0)};
}

static bool is_unit(const fmpq *weight)
{
    return fmpz_is_one(fmpq_denref(weight)) && fmpz_is_pm1(fmpq_numref(weight));
}

// A product of two waves.
static bool split(const ExprPool *pool, Expr e, ExprWave pair[2])
{
    if (expr_op(pool, e) != EXPR_PRODUCT || expr_arg_count(pool, e) != 2 ||
        !fmpq_is_one(expr_value(pool, e)))
        return false;
    for (size_t i = 0; i < 2; i++) {
        pair[i] = wave_of(pool, expr_arg(pool, e, i));
        if (!pair[i].found || !fmpq_is_one(expr_arg_weight(pool, e, i)))
            return false;
    }
    return true;
}

static void swap(ExprWave *a, ExprWave *b)
{
    ExprWave first = *a;
    *a = *b;
    *b = first;
}

// ±cos a·cos b ± sin a·sin b and ±sin a·cos b ± cos a·sin b.
static ExprWave wave_of_sum(ExprPool *pool, Expr sum)
{
    ExprWave first[2], second[2];
    if (expr_arg_count(pool, sum) != 2 || !fmpq_is_zero(expr_value(pool, sum)) ||
        !is_unit(expr_arg_weight(pool, sum, 0)) || !is_unit(expr_arg_weight(pool, sum, 1)) ||
        !split(pool, expr_arg(pool, sum, 0), first) || !split(pool, expr_arg(pool, sum, 1), second))
        return (ExprWave){0};
    if (!expr_same(first[0].of, second[0].of))
        swap(&second[0], &second[1]);
    bool alike = expr_same(first[0].of, second[0].of) && expr_same(first[1].of, second[1].of);
    if (!alike || first[0].sine == second[0].sine || first[1].sine == second[1].sine)
        return (ExprWave){0};
    bool sine = first[0].sine != first[1].sine;
    bool negative[2] = {fmpq_sgn(expr_arg_weight(pool, sum, 0)) < 0,
                        fmpq_sgn(expr_arg_weight(pool, sum, 1)) < 0};
    bool same = negative[0] == negative[1];
    // What begins with cos a·cos b, or sin a·cos b, has the sign of that.
    bool leads = sine ? first[0].sine : !first[0].sine;
    Expr a = first[0].of, b = first[1].of;
    Expr of = same == sine ? expr_add(pool, a, b) : expr_sub(pool, a, b);
    return (ExprWave){.found = true, .negative = negative[leads ? 0 : 1], .sine = sine, .of = of};
}

ExprWave expr_wave(ExprPool *pool, Expr e)
{
    fmpq_t factor;
    fmpq_init(factor);
    Expr rest = expr_strip(pool, e, factor);
    ExprWave wave = {0};
    if (is_unit(factor))
        wave = expr_op(pool, rest) == EXPR_SUM ? wave_of_sum(pool, rest) : wave_of(pool, rest);
    wave.negative = wave.negative != (fmpq_sgn(factor) < 0);
    fmpq_clear(factor);
    return wave;
}

// The square of a multiple of a sum of two terms is multiplied out.
static Expr square_of(ExprPool *pool, Expr e)
{
    fmpq_t factor;
    fmpq_init(factor);
    Expr sum = expr_strip(pool, e, factor);
    Expr times = expr_number(pool, factor);
    fmpq_clear(factor);
    size_t count = expr_op(pool, sum) == EXPR_SUM ? expr_arg_count(pool, sum) : 0;
    if (count == 0 || count + !fmpq_is_zero(expr_value(pool, sum)) != 2)
        return expr_mul(pool, e, e);
    Expr last = expr_mul(pool, expr_number(pool, expr_arg_weight(pool, sum, count - 1)),
                         expr_arg(pool, sum, count - 1));
    Expr first = expr_mul(pool, times, expr_sub(pool, sum, last));
    last = expr_mul(pool, times, last);
    Expr parts[] = {expr_mul(pool, first, first),
                    expr_mul(pool, expr_int(pool, 2), expr_mul(pool, first, last)),
                    expr_mul(pool, last, last)};
    return expr_sum(pool, parts, 3);
}

Expr expr_other_side(ExprPool *pool, Expr e)
{
    size_t count = expr_op(pool, e) == EXPR_PRODUCT ? expr_arg_count(pool, e) : 0;
    for (size_t i = 0; i < count; i++) {
        Expr s = expr_arg(pool, e, i);
        if (expr_op(pool, s) != EXPR_SUM || fmpq_cmp_si(expr_arg_weight(pool, e, i), -1) != 0)
            continue;
        Expr n = expr_mul(pool, e, s);
        Expr r = expr_root_of_square(pool, expr_sub(pool, square_of(pool, s), square_of(pool, n)));
        if (!expr_is_none(r))
            return expr_div(pool, r, s);
    }
    return (Expr){0};
}
