// rates_circle.c: sin² + cos² = 1 where turning a vector forth and back leaves it in a sum.
//
// No more than that: terms k·x·sin(a)² and k·x·cos(a)² of one sum, to the eye.
#include "dynamics/rates_impl.h"

// The base of a factor f² of the term that is a sine, and the term without it; false for none.
static bool split_sine(RatesBuilder *builder, Expr term, Expr *sine, Expr *rest)
{
    ExprPool *pool = builder->pool;
    if (expr_op(pool, term) != EXPR_PRODUCT)
        return false;
    for (size_t i = 0; i < expr_arg_count(pool, term); i++) {
        Expr base = expr_arg(pool, term, i);
        if (expr_op(pool, base) != EXPR_SIN || fmpq_cmp_si(expr_arg_weight(pool, term, i), 2) != 0)
            continue;
        *sine = base;
        *rest = expr_div(pool, term, expr_pow_int(pool, base, 2));
        return true;
    }
    return false;
}

// Which term of the sum is this one, with this weight; the count of terms where none is.
static size_t find_term(const RatesBuilder *builder, Expr sum, Expr term, const fmpq *weight)
{
    size_t count = expr_arg_count(builder->pool, sum), i = 0;
    while (i < count && !(expr_same(expr_arg(builder->pool, sum, i), term) &&
                          fmpq_equal(expr_arg_weight(builder->pool, sum, i), weight)))
        i++;
    return i;
}

static Expr join_once(RatesBuilder *builder, Expr sum)
{
    ExprPool *pool = builder->pool;
    size_t count = expr_arg_count(pool, sum);
    for (size_t i = 0; i < count; i++) {
        Expr sine, rest, term = expr_arg(pool, sum, i);
        if (!split_sine(builder, term, &sine, &rest))
            continue;
        Expr cosine = expr_call(pool, EXPR_COS, expr_arg(pool, sine, 0), (Expr){0});
        Expr partner = expr_mul(pool, rest, expr_pow_int(pool, cosine, 2));
        const fmpq *weight = expr_arg_weight(pool, sum, i);
        if (find_term(builder, sum, partner, weight) == count)
            continue;
        Expr both = expr_add(pool, term, expr_sub(pool, partner, rest));
        return expr_sub(pool, sum, expr_mul(pool, expr_number(pool, weight), both));
    }
    return sum;
}

Expr builder_on_circle(RatesBuilder *builder, Expr e)
{
    while (expr_op(builder->pool, e) == EXPR_SUM) {
        Expr joined = join_once(builder, e);
        if (expr_same(joined, e))
            break;
        e = joined;
    }
    return e;
}
