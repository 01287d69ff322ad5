// Programs of random expressions in intervals: what balls of high precision say of a point inside
// lies within, and an interval that is a point is nearly one.
#include "program/balls.h"
#include "program/intervals.h"
#include "random_expr.h"
#include "test_size.h"
#include "uniform.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SEEDS = 400, POINTS = 12, BITS = 200 };

// Whether the true value at a point, where there is one, lies in the interval.
static bool holds(const Program *program, const double *point, Interval interval)
{
    arb_ptr in = _arb_vec_init(RANDOM_SYMBOLS);
    arb_t out, range;
    arf_t low, high;
    arb_init(out), arb_init(range), arf_init(low), arf_init(high);
    for (size_t i = 0; i < RANDOM_SYMBOLS; i++)
        arb_set_d(in + i, point[i]);
    program_run_ball(program, BITS, in, out);
    arf_set_d(low, interval.low), arf_set_d(high, interval.high);
    arb_set_interval_arf(range, low, high, BITS);
    bool inside = !arb_is_finite(out) || arb_overlaps(range, out);
    _arb_vec_clear(in, RANDOM_SYMBOLS);
    arb_clear(out), arb_clear(range), arf_clear(low), arf_clear(high);
    return inside;
}

static void values_lie_within(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        ExprPool *pool = expr_pool_new();
        static const char *names[RANDOM_SYMBOLS] = {"x", "y", "theta", "phi"};
        Expr symbols[RANDOM_SYMBOLS];
        for (size_t i = 0; i < RANDOM_SYMBOLS; i++)
            symbols[i] = expr_symbol(pool, names[i]);
        unsigned kinds = (unsigned)random_below(&random, 16);
        Expr f = random_expr(pool, &random, kinds, 2 + random_below(&random, 10));
        Program *program = program_new(pool, symbols, RANDOM_SYMBOLS, &f, 1, NULL);
        Interval inputs[RANDOM_SYMBOLS], out;
        Interval *work = base_alloc((program_registers(program) + 1) * sizeof *work);
        double size = seed % 4 == 0 ? 0 : pow(10, -(double)(seed % 4));
        for (size_t i = 0; i < RANDOM_SYMBOLS; i++) {
            double at = random_below(&random, 6) ? uniform(&random, -2, 2) : 0;
            inputs[i] = (Interval){at - size, at + size * uniform(&random, 0, 1)};
        }
        program_run_intervals(program, inputs, &out, work);
        assert_true(out.low <= out.high);
        for (size_t k = 0; k < POINTS; k++) {
            double point[RANDOM_SYMBOLS];
            for (size_t i = 0; i < RANDOM_SYMBOLS; i++)
                point[i] = k == 0   ? inputs[i].low
                           : k == 1 ? inputs[i].high
                                    : uniform(&random, inputs[i].low, inputs[i].high);
            if (!holds(program, point, out))
                print_message("seed %llu\n", (unsigned long long)seed);
            assert_true(holds(program, point, out));
        }
        base_free(work);
        program_free(program);
        expr_pool_free(pool);
    }
}

// x² + y² in a plane of points: the interval of a point is some last digits wide.
static void points_stay_narrow(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr s[2] = {expr_symbol(pool, "x"), expr_symbol(pool, "y")};
    Expr f =
        expr_sqrt(pool, expr_add(pool, expr_pow_int(pool, s[0], 2), expr_pow_int(pool, s[1], 2)));
    Program *program = program_new(pool, s, 2, &f, 1, NULL);
    Interval work[16], out;
    assert_true(program_registers(program) <= 16);
    program_run_intervals(program, (Interval[]){{3, 3}, {4, 4}}, &out, work);
    assert_true(out.low <= 5 && out.high >= 5 && out.high - out.low < 32 * DBL_EPSILON);
    program_run_intervals(program, (Interval[]){{0, 0}, {0, 0}}, &out, work);
    assert_true(out.low == 0 && out.high < 1e-150);
    program_run_intervals(program, (Interval[]){{-1, 2}, {-INFINITY, 0}}, &out, work);
    assert_true(out.low == 0 && out.high == INFINITY);
    program_free(program);
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_lie_within),
                                       cmocka_unit_test(points_stay_narrow)};
    return cmocka_run_group_tests_name("program/interval_bounds", tests, NULL, NULL);
}
