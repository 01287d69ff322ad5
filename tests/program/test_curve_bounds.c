// Functions along polynomial curves, drawn at random: bumps of known height and width, parabolas
// that graze a level by a known distance, and what is 0 all along.
#include "base/strings.h"
#include "expr/expr.h"
#include "program/curve_bounds.h"
#include "program/program.h"
#include "test_size.h"
#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SEEDS = 200 };

// f(a, b; x, y), of two constants and two polynomials.
typedef struct {
    ExprPool *pool;
    Expr symbols[4];
} Inputs;

static Inputs inputs_new(void)
{
    Inputs in = {.pool = expr_pool_new()};
    static const char *const names[] = {"a", "b", "x", "y"};
    for (size_t i = 0; i < 4; i++)
        in.symbols[i] = expr_symbol(in.pool, names[i]);
    return in;
}

static CurveAnswer ask(const Inputs *in, Expr f, const double *constants,
                       const double *coefficients, size_t degree, double level, double *at)
{
    Program *program = program_new(in->pool, in->symbols, 4, &f, 1, NULL);
    ProgramCurve curve = {.constant_count = 2,
                          .count = 2,
                          .constants = constants,
                          .coefficients = coefficients,
                          .degree = degree,
                          .resolution = 1e-15};
    double highest = -INFINITY;
    CurveAnswer clearly = curve_stays_clearly_below(program, &curve, level, at);
    CurveAnswer answer = curve_stays_below(program, &curve, level, &highest, at);
    assert_true(clearly != CURVE_BELOW || answer == CURVE_BELOW);
    assert_true(highest <= level);
    program_free(program);
    return answer;
}

// exp(−((x − a)/b)²) along x = s², which reaches ½ first where s² = a − b·√(ln 2).
static void test_bumps(void **state)
{
    (void)state;
    Inputs in = inputs_new();
    ExprPool *pool = in.pool;
    Expr u = expr_div(pool, expr_sub(pool, in.symbols[2], in.symbols[0]), in.symbols[1]);
    Expr f = expr_call(pool, EXPR_EXP, expr_neg(pool, expr_mul(pool, u, u)), (Expr){0});
    const double curve[] = {0, 0, 1, 0, 0, 0};
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        double place = uniform(&random, 0.01, 0.99), width = pow(10, uniform(&random, -12, -3)), at;
        const double constants[] = {place, width};
        assert_int_equal(ask(&in, f, constants, curve, 2, 1 + 1e-9, &at), CURVE_BELOW);
        assert_int_equal(ask(&in, f, constants, curve, 2, 0.5, &at), CURVE_ABOVE);
        double first = sqrt(place - width * sqrt(log(2)));
        if (fabs(at - first) > 1e-14)
            fail_msg("seed %d: %.17g for %.17g", (int)seed, at, first);
    }
    expr_pool_free(pool);
}

// x·y + a along x = s − p, y = p − s: a − (s − p)², which comes as near to 0 as a.
static void test_grazing(void **state)
{
    (void)state;
    Inputs in = inputs_new();
    Expr f = expr_add(in.pool, in.symbols[0], expr_mul(in.pool, in.symbols[2], in.symbols[3]));
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        double place = uniform(&random, 0.01, 0.99), near = pow(10, uniform(&random, -14, -2)), at;
        const double below[] = {-near, 0}, above[] = {near, 0};
        const double curve[] = {-place, 1, place, -1};
        assert_int_equal(ask(&in, f, below, curve, 1, 0, &at), CURVE_BELOW);
        assert_int_equal(ask(&in, f, above, curve, 1, 0, &at), CURVE_ABOVE);
        double first = fmax(place - sqrt(near), 0);
        if (fabs(at - first) > 1e-14 / sqrt(near))
            fail_msg("seed %d: %.17g for %.17g", (int)seed, at, first);
    }
    expr_pool_free(in.pool);
}

// sin(x)² + cos(x)² − 1 is 0 for every x, and no bound shows it at once; |x| − x is 0 from a kink
// on. A sum of fast oscillations is decided by no number of pieces.
static void test_zero(void **state)
{
    (void)state;
    Inputs in = inputs_new();
    ExprPool *pool = in.pool;
    const double constants[] = {1e9, 0}, curve[] = {-0.3, 1, 0.2, 0, 0, 0};
    double at;
    Expr x = in.symbols[2], one = expr_int(pool, 1), fast = expr_mul(pool, in.symbols[0], x);
    Expr sine = expr_call(pool, EXPR_SIN, x, (Expr){0}),
         cosine = expr_call(pool, EXPR_COS, x, (Expr){0});
    Expr zero = expr_sub(
        pool, expr_add(pool, expr_mul(pool, sine, sine), expr_mul(pool, cosine, cosine)), one);
    assert_int_equal(ask(&in, zero, constants, curve, 2, 1e-12, &at), CURVE_BELOW);
    Expr kink = expr_sub(pool, x, expr_call(pool, EXPR_ABS, x, (Expr){0}));
    assert_int_equal(ask(&in, kink, constants, curve, 2, 1e-12, &at), CURVE_BELOW);
    assert_int_equal(ask(&in, kink, constants, curve, 2, -1e-3, &at), CURVE_ABOVE);
    assert_true(fabs(0.2 * at * at + at - 0.2995) < 1e-12);
    Expr comb = expr_add(pool, expr_call(pool, EXPR_SIN, fast, (Expr){0}),
                         expr_call(pool, EXPR_COS, fast, (Expr){0}));
    assert_int_equal(ask(&in, comb, constants, curve, 2, 1.5, &at), CURVE_UNDECIDED);
    expr_pool_free(pool);
}

// Polynomials of every instruction that makes them, along random curves, against samples.
static double value_at(const double *constants, const double *curve, size_t degree, double s)
{
    double at[2] = {0, 0};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = degree + 1; k-- > 0;)
            at[i] = at[i] * s + curve[i * (degree + 1) + k];
    double a = constants[0], b = constants[1], x = at[0], y = at[1];
    return (x * y - a) * (b - x * y) / sqrt(b) - (y * y - x) + a * x * x * y - y;
}

static void test_polynomials(void **state)
{
    (void)state;
    enum { DEGREE = 5, SAMPLES = 20000 };
    Inputs in = inputs_new();
    ExprPool *pool = in.pool;
    Expr a = in.symbols[0], b = in.symbols[1], x = in.symbols[2], y = in.symbols[3];
    Expr xy = expr_mul(pool, x, y), root = expr_pow(pool, b, expr_ratio(pool, 1, 2));
    Expr first = expr_mul(pool, expr_sub(pool, xy, a), expr_sub(pool, b, xy));
    Expr terms[] = {expr_div(pool, first, root), expr_neg(pool, expr_mul(pool, y, y)), x,
                    expr_mul(pool, expr_mul(pool, a, x), xy), expr_neg(pool, y)};
    Expr f = expr_sum(pool, terms, 5);
    for (uint64_t seed = 0; seed < SEEDS * test_size() / 4; seed++) {
        Random random = random_seed(seed);
        double constants[2], curve[2 * (DEGREE + 1)], most = -INFINITY, crossed = NAN, at;
        for (size_t i = 0; i < 2; i++)
            constants[i] = uniform(&random, 0.5, 2);
        for (size_t i = 0; i < 2 * (DEGREE + 1); i++)
            curve[i] = uniform(&random, -1, 1);
        for (size_t i = 0; i <= SAMPLES; i++)
            most = fmax(most, value_at(constants, curve, DEGREE, (double)i / SAMPLES));
        double level = most - 0.01;
        for (size_t i = SAMPLES + 1; i-- > 0;)
            if (value_at(constants, curve, DEGREE, (double)i / SAMPLES) > level)
                crossed = (double)i / SAMPLES;
        assert_int_equal(ask(&in, f, constants, curve, DEGREE, most + 1e-4, &at), CURVE_BELOW);
        assert_int_equal(ask(&in, f, constants, curve, DEGREE, level, &at), CURVE_ABOVE);
        if (!(fabs(at - crossed) < 1e-3))
            fail_msg("seed %d: %.17g for %.17g", (int)seed, at, crossed);
    }
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bumps), cmocka_unit_test(test_grazing),
                                       cmocka_unit_test(test_zero),
                                       cmocka_unit_test(test_polynomials)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
