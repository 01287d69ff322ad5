// Functions of time between samples: enclosures of series against series in doubles at points, and
// pulses drawn at random whose integral is known, from steps that are asked for without a hint.
#include "base/strings.h"
#include "expr/expr.h"
#include "program/ball_series.h"
#include "program/time_bounds.h"
#include "test_size.h"
#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SEEDS = 60, DEGREE = 20, LENGTH = 12, MOST_STEPS = 4000 };

static Expr number(ExprPool *pool, double value)
{
    int64_t digits = (int64_t)round(value * 1e9);
    return expr_div(pool, expr_int(pool, digits), expr_int(pool, 1000000000));
}

static Expr call(ExprPool *pool, ExprOp op, Expr a)
{
    return expr_call(pool, op, a, (Expr){0});
}

// ---- Enclosures against doubles.

// A function of t through every operation of the language, smooth where t is in (0.2, 0.9).
static Expr every_function(ExprPool *pool, Expr t, size_t which)
{
    Expr half = expr_ratio(pool, 1, 2), wave = expr_mul(pool, expr_int(pool, 3), t);
    static const ExprOp ops[] = {EXPR_SIN,  EXPR_COS,  EXPR_TAN,  EXPR_ASIN, EXPR_ACOS, EXPR_ATAN,
                                 EXPR_SINH, EXPR_COSH, EXPR_TANH, EXPR_EXP,  EXPR_LOG};
    size_t count = sizeof ops / sizeof *ops;
    if (which < count)
        return expr_mul(pool, call(pool, ops[which], expr_mul(pool, t, expr_ratio(pool, 9, 8))), t);
    switch (which - count) {
    case 0: return expr_pow(pool, expr_add(pool, t, half), expr_ratio(pool, 5, 3));
    case 1: return expr_pow(pool, t, call(pool, EXPR_SIN, wave));
    case 2: return expr_call(pool, EXPR_ATAN2, call(pool, EXPR_SIN, wave), expr_add(pool, t, t));
    case 3: return expr_div(pool, call(pool, EXPR_SIN, wave), expr_add(pool, half, t));
    case 4: return expr_sqrt(pool, expr_add(pool, t, call(pool, EXPR_EXP, t)));
    case 5: return call(pool, EXPR_ABS, expr_sub(pool, t, expr_int(pool, 2)));
    case 6: return expr_call(pool, EXPR_MAX, t, expr_mul(pool, half, t));
    case 7: return expr_call(pool, EXPR_MIN, t, expr_mul(pool, half, t));
    case 8: return expr_add(pool, t, call(pool, EXPR_SIGN, expr_sub(pool, t, expr_int(pool, 2))));
    default: return (Expr){0};
    }
}

static void check_enclosure(const Program *program, double from, double to, double at)
{
    arb_ptr time = _arb_vec_init(LENGTH);
    arb_one(time + 1);
    arb_ptr outputs = _arb_vec_init(LENGTH), difference = _arb_vec_init(LENGTH);
    int64_t signs[4] = {0};
    arf_t a, b;
    arf_init(a);
    arf_init(b);
    arf_set_d(a, from);
    arf_set_d(b, to);
    arb_set_interval_arf(time, a, b, 64);
    ProgramBallBranches branches = {.signs = signs, .difference = difference};
    program_run_ball_series(program, 64, LENGTH, time, 1, &branches, outputs);
    assert_int_equal(branches.unknown, -1);
    ProgramSeries *series = program_series_new(program, 0, LENGTH);
    for (size_t k = 0; k < LENGTH; k++) {
        double input = k == 0 ? at : k == 1, value;
        program_series_next(series, k, &input, &value);
        arb_t slack;
        arb_init(slack);
        arb_set_d(slack, 1e-10 * (1 + fabs(value)));
        arb_add_error(outputs + k, slack);
        arb_set_d(slack, value);
        if (!arb_contains(outputs + k, slack))
            fail_msg("coefficient %zu at %g is outside", k, at);
        // Over a point the enclosure is narrow.
        if (from == to)
            assert_true(mag_cmp_2exp_si(arb_radref(outputs + k), -18) < 0 || fabs(value) > 1e3);
        arb_clear(slack);
    }
    program_series_free(series);
    arf_clear(a);
    arf_clear(b);
    _arb_vec_clear(time, LENGTH);
    _arb_vec_clear(outputs, LENGTH);
    _arb_vec_clear(difference, LENGTH);
}

static void test_enclosures(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr t = expr_symbol(pool, "t");
    Random random = random_seed(7);
    for (size_t which = 0;; which++) {
        Expr f = every_function(pool, t, which);
        if (expr_is_none(f))
            break;
        Program *program = program_new(pool, &t, 1, &f, 1, NULL);
        for (int i = 0; i < 10; i++) {
            double from = uniform(&random, 0.25, 0.75), to = from + uniform(&random, 0, 0.1);
            check_enclosure(program, from, to, uniform(&random, from, to));
            check_enclosure(program, from, from, from);
        }
        program_free(program);
    }
    expr_pool_free(pool);
}

// ---- Pulses.

typedef struct {
    Expr f;
    double integral; // over all times
    double slack;    // what lies outside of the time looked at
} Pulse;

static Pulse pulse_of(ExprPool *pool, Expr t, uint64_t kind, double place, double width, double to)
{
    Expr x = expr_div(pool, expr_sub(pool, t, number(pool, place)), number(pool, width));
    Expr one = expr_int(pool, 1), square = expr_mul(pool, x, x);
    Expr side = expr_sub(pool, one, call(pool, EXPR_ABS, x));
    switch (kind) {
    case 0: return (Pulse){call(pool, EXPR_EXP, expr_neg(pool, square)), width * sqrt(acos(-1)), 0};
    case 1: {
        Expr tanh = call(pool, EXPR_TANH, x);
        return (Pulse){expr_sub(pool, one, expr_mul(pool, tanh, tanh)), 2 * width, 0};
    }
    case 2:
        return (Pulse){expr_div(pool, one, expr_add(pool, one, expr_mul(pool, square, square))),
                       width * acos(-1) / sqrt(2), pow(width, 4) / pow(fmin(place, to - place), 3)};
    case 3: return (Pulse){expr_call(pool, EXPR_MAX, expr_int(pool, 0), side), width, 0};
    case 4: {
        // In doubles exp(-x²) is 0 where its root still has a slope.
        Expr root =
            expr_pow(pool, call(pool, EXPR_EXP, expr_neg(pool, square)), expr_ratio(pool, 1, 3));
        return (Pulse){root, width * sqrt(3 * acos(-1)), 0};
    }
    default: {
        Expr both = expr_add(pool, one, call(pool, EXPR_SIGN, side));
        return (Pulse){expr_mul(pool, expr_ratio(pool, 1, 2), both), 2 * width, 0};
    }
    }
}

// From 0 to the end in the longest steps that are allowed, the function's Taylor polynomials summed
// up: its integral.
static double integrate(ExprPool *pool, Expr time, Expr f, double to, double tolerance,
                        size_t *steps)
{
    Expr bounded;
    expr_bounded(pool, &f, 1, &bounded);
    Program *program = program_new(pool, &time, 1, &bounded, 1, NULL);
    TimeBounds *bounds = time_bounds_new(pool, &f, 1, &time, NULL, 0, to, DEGREE);
    ProgramSeries *series = program_series_new(program, 0, DEGREE);
    double sum = 0;
    *steps = 0;
    for (double t = 0; t < to && *steps < MOST_STEPS; ++*steps) {
        double step = time_bounds_reach(bounds, t, to - t, DEGREE, tolerance), half = step / 2;
        if (step == 0) {
            sum = NAN;
            break;
        }
        for (size_t k = 0; k <= DEGREE; k++) {
            // From the middle, for the branch is that of the inside.
            double input = k == 0 ? t + half : k == 1, value;
            program_series_next(series, k, &input, &value);
            sum += k % 2 ? 0 : 2 * value * pow(half, (double)(k + 1)) / (double)(k + 1);
        }
        t = step >= to - t ? to : t + step;
        TimeSwitch next;
        if (time_bounds_next_switch(bounds, t, &next) && t >= next.before)
            t = next.after;
    }
    time_bounds_free(bounds);
    program_series_free(series);
    program_free(program);
    return sum;
}

static void test_pulses(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        ExprPool *pool = expr_pool_new();
        Expr t = expr_symbol(pool, "t");
        double to = pow(10, uniform(&random, 0, 3)), width = to * pow(10, uniform(&random, -8, -2));
        width = fmax(round(width * 1e9), 1) / 1e9;
        double place = round(uniform(&random, 0.2, 0.8) * to * 1e9) / 1e9;
        uint64_t kind = seed % 6;
        // The same in another unit of time.
        int64_t digits = (int64_t)random_below(&random, 13) - 6;
        double unit = pow(10, (double)digits);
        Expr time = expr_div(pool, t, expr_pow(pool, expr_int(pool, 10), expr_int(pool, digits)));
        Pulse pulse = pulse_of(pool, time, kind, place, width, to);
        size_t steps;
        double sum = integrate(pool, t, pulse.f, unit * to, 1e-10, &steps) / unit;
        if (!(fabs(sum - pulse.integral) <= 1e-6 * pulse.integral + pulse.slack) ||
            steps >= MOST_STEPS)
            fail_msg(
                "seed %d, kind %d, width %g at %g of %g, unit %g: %.12g for %.12g in %zu steps",
                (int)seed, (int)kind, width, place, to, unit, sum, pulse.integral, steps);
        expr_pool_free(pool);
    }
}

// What never changes fast needs one interval, however long the time is.
static void test_slow_functions(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr t = expr_symbol(pool, "t"), f = call(pool, EXPR_SIN, t);
    TimeBounds *bounds = time_bounds_new(pool, &f, 1, &t, NULL, 0, 1e4 + 1, DEGREE);
    double shortest;
    for (double at = 0; at < 1e4; at += 0.37)
        assert_true(time_bounds_reach(bounds, at, 0.37, DEGREE, 1e-12) == 0.37);
    assert_int_equal(time_bounds_count(bounds, &shortest), 1);
    time_bounds_free(bounds);
    expr_pool_free(pool);
}

// By what cos(angle + x) differs from its Taylor polynomial about `angle`.
static double wave_remainder(double angle, double x, size_t degree)
{
    double sum = 0, power = 1;
    for (size_t k = 0; k <= degree; k++) {
        sum += power * cos(angle + (double)(k % 4) * acos(0));
        power *= x / (double)(k + 1);
    }
    return fabs(cos(angle + x) - sum);
}

// Waves of very many periods, asked about at every small step: what a step is allowed holds for
// them, and the intervals are far fewer than the questions.
static void test_waves(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12 * test_size(); seed++) {
        Random random = random_seed(seed);
        size_t degree = 2 + random_below(&random, DEGREE - 1), steps = 0;
        double w = round(pow(10, uniform(&random, 2, 6))), phase = uniform(&random, 0, 6);
        double tolerance = pow(10, uniform(&random, -10, -3)), to = 3000 / w, shortest;
        ExprPool *pool = expr_pool_new();
        Expr t = expr_symbol(pool, "t");
        Expr angle = expr_add(pool, expr_mul(pool, number(pool, w), t), number(pool, phase));
        Expr f = call(pool, EXPR_COS, angle);
        TimeBounds *bounds = time_bounds_new(pool, &f, 1, &t, NULL, 0, to, degree);
        for (double at = 0, part = uniform(&random, 0.05, 0.9); at < to; steps++) {
            double reach = time_bounds_reach(bounds, at, to - at, degree, tolerance);
            double x = w * reach, left = wave_remainder(w * at + phase, x, degree);
            if (!(x > 0) || left > 2 * tolerance * (1 + x))
                fail_msg("seed %d: from %.17g a step of %g leaves %g, for %g", (int)seed, at, reach,
                         left, tolerance);
            at += fmax(part * reach, 1e-4 / w);
        }
        if (time_bounds_count(bounds, &shortest) > 200 + steps / 2)
            fail_msg("seed %d: %zu intervals for %zu steps", (int)seed,
                     time_bounds_count(bounds, &shortest), steps);
        time_bounds_free(bounds);
        expr_pool_free(pool);
    }
}

// ---- Switches.

static void check_switches(ExprPool *pool, Expr t, Expr f, double to, const double *at,
                           size_t count)
{
    TimeBounds *bounds = time_bounds_new(pool, &f, 1, &t, NULL, 0, to, DEGREE);
    TimeSwitch found;
    double now = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(time_bounds_next_switch(bounds, now, &found));
        assert_true(found.before < found.after && found.after - found.before <= 4e-15 * found.at);
        assert_true(fabs(found.at - at[i]) <= 1e-14 * (1 + fabs(at[i])));
        now = found.after;
        time_bounds_reach(bounds, now, to, DEGREE, 1e-10);
    }
    assert_false(time_bounds_next_switch(bounds, now, &found));
    time_bounds_free(bounds);
}

static void test_switches(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr t = expr_symbol(pool, "t"), one = expr_int(pool, 1);
    double waves[31];
    for (int i = 0; i < 31; i++)
        waves[i] = acos(-1) * (i + 1);
    check_switches(pool, t, call(pool, EXPR_SIGN, call(pool, EXPR_SIN, t)), 100, waves, 31);
    Expr inside = call(pool, EXPR_ABS, expr_sub(pool, t, one));
    Expr tooth = call(pool, EXPR_ABS, expr_sub(pool, inside, expr_ratio(pool, 1, 4)));
    check_switches(pool, t, tooth, 10, (double[]){0.75, 1, 1.25}, 3);
    Expr narrow = expr_call(pool, EXPR_MAX, expr_int(pool, 0),
                            expr_sub(pool, expr_ratio(pool, 1, 1000000), inside));
    check_switches(pool, t, narrow, 1000, (double[]){1 - 1e-6, 1, 1 + 1e-6}, 3);
    check_switches(pool, t, call(pool, EXPR_ABS, expr_add(pool, t, one)), 10, NULL, 0);
    expr_pool_free(pool);
}

// Which of two pulses is larger cannot be told far from both, where they are beyond all digits: the
// search ends, and names the function.
static void test_unknown_switches(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    for (uint64_t seed = 0; seed < 3 * test_size(); seed++) {
        Random random = random_seed(seed);
        Expr t = expr_symbol(pool, "t");
        double width = pow(10, uniform(&random, -4, -3)),
               other = width * uniform(&random, 0.1, 0.9);
        Expr a = pulse_of(pool, t, 0, uniform(&random, 2, 4), width, 10).f;
        Expr b = pulse_of(pool, t, 0, uniform(&random, 6, 8), other, 10).f;
        Expr f =
            seed % 2 ? expr_call(pool, EXPR_MAX, a, b) : call(pool, EXPR_ABS, expr_sub(pool, a, b));
        TimeBounds *bounds = time_bounds_new(pool, &f, 1, &t, NULL, 0, 10, DEGREE);
        assert_true(time_bounds_reach(bounds, 0, 10, DEGREE, 1e-10) == 0);
        assert_true(expr_same(time_bounds_narrow(bounds), f));
        time_bounds_free(bounds);
    }
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enclosures),       cmocka_unit_test(test_pulses),
        cmocka_unit_test(test_slow_functions),   cmocka_unit_test(test_switches),
        cmocka_unit_test(test_unknown_switches), cmocka_unit_test(test_waves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
