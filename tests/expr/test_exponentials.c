// Products of exponentials and sums of tanh, drawn at random: what is written without overflow has
// the same value, in balls. That it does not overflow is seen in doubles.
#include "expr/expr.h"

#include "ball_value.h"
#include "check.h"

#include <math.h>

enum { SEEDS = 400, POINTS = 8 };

static int64_t draw(Random *random, int64_t low, int64_t high)
{
    return low + (int64_t)random_below(random, (uint64_t)(high - low + 1));
}

// An exponential, or a sum of some.
static Expr draw_factor(ExprPool *pool, Random *random, Expr u)
{
    static const ExprOp ops[] = {EXPR_EXP, EXPR_COSH, EXPR_SINH};
    Expr a = expr_mul(pool, expr_ratio(pool, draw(random, 1, 3), draw(random, 1, 2)), u);
    Expr up = call(pool, EXPR_EXP, a), down = call(pool, EXPR_EXP, expr_neg(pool, a));
    switch (draw(random, 0, 4)) {
    case 0: return call(pool, ops[draw(random, 0, 2)], a);
    case 1: return expr_add(pool, expr_int(pool, draw(random, 1, 3)), up);
    case 2: return expr_add(pool, up, down);
    case 3: return expr_add(pool, expr_int(pool, 2), call(pool, EXPR_COSH, a));
    default: return expr_add(pool, expr_mul(pool, u, up), expr_mul(pool, down, down));
    }
}

static Expr draw_product(ExprPool *pool, Random *random, Expr u)
{
    Expr product = expr_int(pool, 1);
    for (int64_t i = draw(random, 1, 3); i >= 0; i--) {
        Expr power = expr_ratio(pool, draw(random, -3, 3), draw(random, 1, 4) == 4 ? 2 : 1);
        product = expr_mul(pool, product, expr_pow(pool, draw_factor(pool, random, u), power));
    }
    return product;
}

static Expr draw_step(ExprPool *pool, Random *random, Expr u)
{
    Expr step = call(pool, EXPR_TANH, u), one = expr_int(pool, 1);
    Expr other = call(pool, EXPR_TANH, expr_add(pool, u, one));
    switch (draw(random, 0, 3)) {
    case 0: return expr_add(pool, one, step);
    case 1: return expr_sub(pool, one, step);
    case 2: return expr_sub(pool, one, expr_mul(pool, step, step));
    default: return expr_sub(pool, other, step);
    }
}

static bool have_same_value(const ExprPool *pool, Expr a, Expr b, Expr u, const arb_t at)
{
    arb_t value, other;
    arb_init(value);
    arb_init(other);
    ball_value(pool, a, &u, at, 1, value);
    ball_value(pool, b, &u, at, 1, other);
    arb_div(other, other, value, BALL_BITS);
    arb_one(value);
    // A root of what is negative has no value either way.
    bool same = !arb_is_finite(other) || balls_are_near(value, other, -100);
    arb_clear(value);
    arb_clear(other);
    return same;
}

static void values_are_kept(void **state)
{
    (void)state;
    size_t changed = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Random random = random_seed(seed);
        ExprPool *pool = expr_pool_new();
        Expr u = expr_symbol(pool, "u"), bounded;
        Expr e = seed % 4 == 0 ? draw_step(pool, &random, u) : draw_product(pool, &random, u);
        expr_bounded(pool, &e, 1, &bounded);
        changed += !expr_same(e, bounded);
        for (int i = 0; i < POINTS; i++) {
            arb_t at;
            arb_init(at);
            arb_set_d(at, (double)draw(&random, -30000, 30000) / 1e3);
            if (!have_same_value(pool, e, bounded, u, at))
                fail_msg("seed %d", (int)seed);
            arb_clear(at);
        }
        expr_pool_free(pool);
    }
    assert_true(changed > SEEDS / 2);
}

// Doubles, node by node: far from the middle the product as written is no number.
static double value_of(const ExprPool *pool, Expr e, double u)
{
    size_t count = expr_arg_count(pool, e);
    if (expr_is_symbol(pool, e))
        return u;
    double sum = fmpq_get_d(expr_value(pool, e));
    switch (expr_op(pool, e)) {
    case EXPR_NUMBER: return sum;
    case EXPR_PI: return acos(-1);
    case EXPR_SUM:
        for (size_t i = 0; i < count; i++)
            sum +=
                fmpq_get_d(expr_arg_weight(pool, e, i)) * value_of(pool, expr_arg(pool, e, i), u);
        return sum;
    case EXPR_PRODUCT:
        for (size_t i = 0; i < count; i++)
            sum *= pow(value_of(pool, expr_arg(pool, e, i), u),
                       fmpq_get_d(expr_arg_weight(pool, e, i)));
        return sum;
    default: break;
    }
    double a = value_of(pool, expr_arg(pool, e, 0), u);
    switch (expr_op(pool, e)) {
    case EXPR_LOGISTIC: return exp(fmin(a, 0)) / (1 + exp(-fabs(a)));
    case EXPR_TANH: return tanh(a);
    case EXPR_SIN: return sin(a);
    case EXPR_COS: return cos(a);
    case EXPR_EXP: return exp(a);
    default: return NAN;
    }
}

static void nothing_overflows(void **state)
{
    (void)state;
    static const double places[] = {-5000, -800, -20, 0, 20, 800, 5000};
    ExprPool *pool = expr_pool_new();
    Expr u = expr_symbol(pool, "u"), up = call(pool, EXPR_EXP, u), one = expr_int(pool, 1);
    Expr sum = expr_add(pool, one, up), cosh_u = call(pool, EXPR_COSH, u);
    Expr pulse = expr_div(pool, up, expr_mul(pool, sum, sum));
    Expr all[] = {pulse, expr_diff(pool, pulse, u), expr_div(pool, up, sum),
                  expr_pow_int(pool, cosh_u, -2), expr_div(pool, call(pool, EXPR_SINH, u), cosh_u)};
    enum { COUNT = sizeof all / sizeof *all };
    expr_bounded(pool, all, COUNT, all);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < sizeof places / sizeof *places; k++)
            assert_true(fabs(value_of(pool, all[i], places[k])) <= 1);
    // The tail has all its digits.
    assert_true(fabs(value_of(pool, all[0], 40) / exp(-40) - 1) < 1e-14);
    expr_pool_free(pool);
}

// sqrt(c²u² ± 2cdu^(k+1) + d²u^2k) is |cu ± du^k|, with all digits beside its zeros; where the term
// in the middle is another one, it stays as it is.
static void squares_under_roots(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Random random = random_seed(seed);
        ExprPool *pool = expr_pool_new();
        Expr u = expr_symbol(pool, "u");
        int64_t c = draw(&random, 1, 9), d = draw(&random, 1, 9), power = 2 * draw(&random, 0, 1);
        int64_t sign = draw(&random, 0, 1) ? 1 : -1, off = seed % 4 == 0 ? 1 : 0;
        Expr a = expr_mul(pool, expr_ratio(pool, c, 7), u);
        Expr b = expr_mul(pool, expr_int(pool, d), expr_pow_int(pool, u, power));
        Expr middle = expr_mul(pool, expr_int(pool, sign * (2 + off)), expr_mul(pool, a, b));
        Expr terms[] = {expr_mul(pool, a, a), middle, expr_mul(pool, b, b)};
        Expr root = expr_sqrt(pool, expr_sum(pool, terms, 3)), bounded;
        expr_bounded(pool, &root, 1, &bounded);
        if (off) {
            assert_true(expr_same(root, bounded));
        } else {
            // Beside the zero c/7·u = ∓d·u^power.
            double zero = power == 0 ? -(double)(sign * 7 * d) / (double)c
                                     : -(double)(sign * c) / (double)(7 * d);
            double at = zero * (1 + 1e-9), exact;
            exact = fabs((double)c / 7 * at + (double)(sign * d) * pow(at, (double)power));
            assert_true(fabs(value_of(pool, bounded, at) / exact - 1) < 1e-6);
        }
        expr_pool_free(pool);
    }
}

// sqrt(c ± c·cos ku), with sin, and sqrt(c − c·cos²ku) have all digits beside their zeros.
static void waves_under_roots(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Random random = random_seed(seed);
        ExprPool *pool = expr_pool_new();
        Expr u = expr_symbol(pool, "u"), c = expr_ratio(pool, draw(&random, 1, 9), 7);
        int64_t k = draw(&random, 1, 5), kind = draw(&random, 0, 5);
        bool minus = kind % 2 == 0, sine = kind / 2 == 1, square = kind / 2 == 2;
        Expr wave = expr_call(pool, sine ? EXPR_SIN : EXPR_COS,
                              expr_mul(pool, expr_int(pool, k), u), (Expr){0});
        wave = square ? expr_mul(pool, wave, wave) : wave;
        Expr term = expr_mul(pool, c, wave);
        Expr sum = minus || square ? expr_sub(pool, c, term) : expr_add(pool, c, term);
        Expr root = expr_sqrt(pool, sum), bounded;
        expr_bounded(pool, &root, 1, &bounded);
        // The zero, from 2π on; a little beside it the root is a straight line.
        double pi = acos(-1), zero = 2 * pi + (sine ? minus ? pi / 2 : 3 * pi / 2 : 0);
        zero += !sine && !minus && !square ? pi : 0;
        double beside = 1e-5, slope = sqrt(value_of(pool, c, 0) * (square ? 1 : 0.5));
        double found = value_of(pool, bounded, (zero + beside) / (double)k);
        if (!(fabs(found / (slope * beside) - 1) < 1e-9))
            fail_msg("seed %d: %.17g for %.17g", (int)seed, found, slope * beside);
        expr_pool_free(pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_kept), cmocka_unit_test(waves_under_roots),
        cmocka_unit_test(nothing_overflows), cmocka_unit_test(squares_under_roots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
