// A program in power series, by two other roads: the derivatives that the rules of calculus give,
// evaluated in balls, and identities that hold between functions to every order.
#include "program/balls.h"
#include "program/program.h"
#include "test_size.h"

#include "../random_expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 120, INPUTS = RANDOM_SYMBOLS, MOST = 24 };

// Inputs as polynomials in s, by their coefficients.
typedef struct {
    ExprPool *pool;
    Expr s, inputs[INPUTS], motions[INPUTS];
    double at[INPUTS][MOST + 1];
} Case;

static Case case_new(uint64_t seed)
{
    static const char *names[INPUTS] = {"x", "y", "theta", "phi"};
    Case c = {.pool = expr_pool_new()};
    Random random = random_seed(seed);
    c.s = expr_symbol(c.pool, "s");
    for (size_t i = 0; i < INPUTS; i++) {
        c.inputs[i] = expr_symbol(c.pool, names[i]);
        c.motions[i] = expr_int(c.pool, 0);
        // One input is constant in time, one a straight line, as parameters and t are.
        for (size_t k = 0; k <= (i < 2 ? i : 5); k++) {
            int64_t count = 4 + (int64_t)random_below(&random, 20);
            if (k > 0 && random_below(&random, 2))
                count = -count;
            c.at[i][k] = (double)count / 32;
            Expr term = expr_mul(c.pool, expr_ratio(c.pool, count, 32),
                                 expr_pow_int(c.pool, c.s, (int64_t)k));
            c.motions[i] = expr_add(c.pool, c.motions[i], term);
        }
    }
    return c;
}

static void series_of(const Case *c, const Program *program, size_t order, double *coefficients)
{
    ProgramSeries *series = program_series_new(program, 0, order);
    size_t outputs = program_outputs(program);
    // A first run elsewhere must leave no trace.
    for (size_t k = 0; k <= order; k++)
        program_series_next(series, k, (double[INPUTS]){0.5, 0.25, -0.5, 0.125}, coefficients);
    for (size_t k = 0; k <= order; k++) {
        double now[INPUTS];
        for (size_t i = 0; i < INPUTS; i++)
            now[i] = c->at[i][k];
        program_series_next(series, k, now, coefficients + k * outputs);
    }
    program_series_free(series);
}

// The value of e(s) at s = 0; false where the ball is not narrow.
static bool value_at_zero(const Case *c, Expr e, double *value)
{
    Program *program = program_new(c->pool, &c->s, 1, &e, 1, NULL);
    assert_non_null(program);
    arb_t zero, ball;
    arb_init(zero);
    arb_init(ball);
    program_run_ball(program, 256, zero, ball);
    *value = arf_get_d(arb_midref(ball), ARF_RND_NEAR);
    bool narrow = arb_is_finite(ball) && (arb_is_exact(ball) || arb_rel_accuracy_bits(ball) > 60);
    arb_clear(zero);
    arb_clear(ball);
    program_free(program);
    return narrow;
}

// Compares the series of e with its repeated derivatives over factorials; how many were compared.
static size_t check_by_derivatives(const Case *c, Expr e, size_t order, const char *what,
                                   double allowed)
{
    double series[MOST + 1], factorial = 1;
    Program *program = program_new(c->pool, c->inputs, INPUTS, &e, 1, NULL);
    assert_non_null(program);
    series_of(c, program, order, series);
    program_free(program);
    Expr derivative = expr_replace(c->pool, e, c->inputs, c->motions, INPUTS);
    size_t compared = 0;
    double largest = 1;
    for (size_t k = 0; k <= order; k++) {
        double value;
        if (k > 0) {
            derivative = expr_diff(c->pool, derivative, c->s);
            factorial *= (double)k;
        }
        if (!value_at_zero(c, derivative, &value))
            continue;
        value /= factorial;
        largest = fmax(largest, fabs(value));
        compared++;
        if (!(fabs(series[k] - value) <= allowed * largest))
            fail_msg("%s: coefficient %zu is %.17g, by the rules %.17g", what, k, series[k], value);
    }
    return compared;
}

static void every_function_follows_the_rules(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4 * test_size(); seed++) {
        Case c = case_new(seed);
        for (int op = 0; op < EXPR_OPEN; op++) {
            int arity = expr_op_arity((ExprOp)op);
            if (arity < 1)
                continue;
            // Both arguments move; then one rests.
            for (size_t still = 0; still < 3; still++) {
                Expr a = c.inputs[still == 1 ? 0 : 2], b = c.inputs[still == 2 ? 0 : 3];
                Expr e = expr_call(c.pool, (ExprOp)op, a, arity == 2 ? b : (Expr){0});
                size_t compared = check_by_derivatives(&c, e, 7, expr_op_name((ExprOp)op), 1e-13);
                assert_true(compared == 8 || op == EXPR_SIGN);
            }
        }
        expr_pool_free(c.pool);
    }
}

static void arithmetic_follows_the_rules(void **state)
{
    (void)state;
    Case c = case_new(7);
    ExprPool *pool = c.pool;
    Expr p = c.inputs[0], t = c.inputs[1], x = c.inputs[2], y = c.inputs[3];
    Expr cases[] = {
        expr_mul(pool, p, x),
        expr_mul(pool, t, x),
        expr_mul(pool, x, x),
        expr_div(pool, x, y),
        expr_div(pool, p, y),
        expr_div(pool, x, p),
        expr_sqrt(pool, x),
        expr_pow(pool, x, expr_ratio(pool, -3, 2)),
        expr_pow(pool, x, expr_ratio(pool, 1, 3)),
        expr_sub(pool, p, expr_mul(pool, x, y)),
        expr_sub(pool, expr_mul(pool, x, y), t),
        expr_add(pool, expr_mul(pool, x, x), expr_mul(pool, y, y)),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(check_by_derivatives(&c, cases[i], 8, "arithmetic", 1e-13), 9);
    expr_pool_free(pool);
}

static void random_programs_follow_the_rules(void **state)
{
    (void)state;
    size_t compared = 0;
    unsigned kinds = RANDOM_DIVISION | RANDOM_TRIGONOMETRY | RANDOM_FUNCTIONS;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++) {
        Case c = case_new(seed);
        Random random = random_seed(seed + 500);
        Expr e = random_expr(c.pool, &random, seed % 2 ? kinds : kinds | RANDOM_ROOTS, 10);
        char what[32];
        snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
        compared += check_by_derivatives(&c, e, 4, what, 1e-9);
        expr_pool_free(c.pool);
    }
    assert_true(compared > 4 * SEEDS);
}

static Expr call(ExprPool *pool, ExprOp op, Expr a)
{
    return expr_call(pool, op, a, (Expr){0});
}

// Functions that undo each other, or that are the same by other operations.
static void identities_hold_to_every_order(void **state)
{
    (void)state;
    Case c = case_new(11);
    ExprPool *pool = c.pool;
    Expr x = c.inputs[2], y = c.inputs[3], one = expr_int(pool, 1);
    Expr sine = call(pool, EXPR_SIN, x), cosine = call(pool, EXPR_COS, x);
    Expr sinh_x = call(pool, EXPR_SINH, x), cosh_x = call(pool, EXPR_COSH, x);
    Expr pairs[][2] = {
        {expr_add(pool, expr_mul(pool, sine, sine), expr_mul(pool, cosine, cosine)), one},
        {expr_sub(pool, expr_mul(pool, cosh_x, cosh_x), expr_mul(pool, sinh_x, sinh_x)), one},
        {expr_sub(pool, cosh_x, sinh_x), call(pool, EXPR_EXP, expr_neg(pool, x))},
        {call(pool, EXPR_TAN, x), expr_div(pool, sine, cosine)},
        {call(pool, EXPR_TANH, x), expr_div(pool, sinh_x, cosh_x)},
        {call(pool, EXPR_ASIN, sine), x},
        {call(pool, EXPR_ACOS, cosine), x},
        {call(pool, EXPR_ATAN, call(pool, EXPR_TAN, x)), x},
        {expr_call(pool, EXPR_ATAN2, expr_mul(pool, y, sine), expr_mul(pool, y, cosine)), x},
        {call(pool, EXPR_LOG, call(pool, EXPR_EXP, x)), x},
        {call(pool, EXPR_EXP, expr_mul(pool, y, call(pool, EXPR_LOG, x))), expr_pow(pool, x, y)},
        {expr_pow(pool, expr_pow(pool, x, expr_ratio(pool, 1, 3)), expr_int(pool, 3)), x},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        double series[(MOST + 1) * 2], largest = 1;
        Program *program = program_new(pool, c.inputs, INPUTS, pairs[i], 2, NULL);
        series_of(&c, program, MOST, series);
        for (size_t k = 0; k <= MOST; k++) {
            largest = fmax(largest, fabs(series[2 * k + 1]));
            // The functions between may have larger coefficients than both sides.
            if (!(fabs(series[2 * k] - series[2 * k + 1]) <= 1e-9 * largest))
                fail_msg("identity %zu, coefficient %zu: %.17g, %.17g", i, k, series[2 * k],
                         series[2 * k + 1]);
        }
        program_free(program);
    }
    expr_pool_free(pool);
}

// e as a series in x, y and theta that are given by their coefficients, phi being 0.
static void series_at(ExprPool *pool, Expr e, const double coefficients[3][4], double out[4])
{
    static const char *names[3] = {"x", "y", "theta"};
    Expr inputs[3];
    for (size_t i = 0; i < 3; i++)
        inputs[i] = expr_symbol(pool, names[i]);
    Program *program = program_new(pool, inputs, 3, &e, 1, NULL);
    ProgramSeries *series = program_series_new(program, 0, 3);
    for (size_t k = 0; k < 4; k++)
        program_series_next(series, k,
                            (double[]){coefficients[0][k], coefficients[1][k], coefficients[2][k]},
                            out + k);
    program_series_free(series);
    program_free(program);
}

// Ties go to what comes first after the instant; a root of what stays 0 stays 0, a root of what
// leaves 0 has no series.
static void edges(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y"), p = expr_symbol(pool, "theta");
    const double at[3][4] = {{0, 0, -2, 1}, {0, 0, 3, 5}, {0, 0, 0, 0}};
    double out[4];
    series_at(pool, call(pool, EXPR_ABS, x), at, out);
    assert_true(out[0] == 0 && out[1] == 0 && out[2] == 2 && out[3] == -1);
    series_at(pool, expr_call(pool, EXPR_MIN, x, y), at, out);
    assert_true(out[1] == 0 && out[2] == -2 && out[3] == 1);
    series_at(pool, expr_call(pool, EXPR_MAX, x, y), at, out);
    assert_true(out[1] == 0 && out[2] == 3 && out[3] == 5);
    series_at(pool, expr_sqrt(pool, p), at, out);
    assert_true(out[0] == 0 && out[3] == 0);
    series_at(pool, expr_pow(pool, p, expr_ratio(pool, 5, 3)), at, out);
    assert_true(out[0] == 0 && out[3] == 0);
    series_at(pool, expr_sqrt(pool, x), at, out);
    assert_true(!isfinite(out[2]));
    series_at(pool, expr_div(pool, p, x), at, out);
    assert_true(!isfinite(out[0]));
    expr_pool_free(pool);
}

// An exponent that rests for some orders and then moves.
static void late_exponents(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y");
    const double at[3][4] = {{2, 1, 0, 0}, {3, 0, 0, 1}, {0}};
    double out[4];
    series_at(pool, expr_pow(pool, x, y), at, out);
    // (2 + s)³·(1 + s³·log 2 + …)
    const double expected[4] = {8, 12, 6, 1 + 8 * log(2)};
    for (size_t k = 0; k < 4; k++)
        assert_true(fabs(out[k] - expected[k]) < 1e-13);
    expr_pool_free(pool);
}

// An order may be found again for other inputs: it has what a series has that never saw the first
// ones, at any argument. At an end of its range a function rests where its argument does.
static void orders_found_again(void **state)
{
    (void)state;
    for (int op = 0; op < EXPR_OPEN; op++) {
        int arity = expr_op_arity((ExprOp)op);
        if (arity < 1)
            continue;
        Case c = case_new(3);
        Expr e = expr_call(c.pool, (ExprOp)op, c.inputs[0], arity == 2 ? c.inputs[1] : (Expr){0});
        Program *program = program_new(c.pool, c.inputs, INPUTS, &e, 1, NULL);
        for (int at = -1; at <= 1; at++) {
            const double begin[INPUTS] = {at, 1}, moving[INPUTS] = {0.5, 0.25},
                         resting[INPUTS] = {0};
            ProgramSeries *series = program_series_new(program, 0, 1),
                          *fresh = program_series_new(program, 0, 1);
            double again, once;
            program_series_next(series, 0, begin, &again);
            program_series_next(series, 1, moving, &again);
            program_series_next(series, 1, resting, &again);
            program_series_next(fresh, 0, begin, &once);
            program_series_next(fresh, 1, resting, &once);
            if (memcmp(&again, &once, sizeof once) != 0 && !(isnan(again) && isnan(once)))
                fail_msg("%s at %d: %.17g, and at first %.17g", expr_op_name((ExprOp)op), at, again,
                         once);
            program_series_free(series);
            program_series_free(fresh);
        }
        program_free(program);
        expr_pool_free(c.pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_follows_the_rules),
        cmocka_unit_test(arithmetic_follows_the_rules),
        cmocka_unit_test(random_programs_follow_the_rules),
        cmocka_unit_test(identities_hold_to_every_order),
        cmocka_unit_test(edges),
        cmocka_unit_test(orders_found_again),
        cmocka_unit_test(late_exponents),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
