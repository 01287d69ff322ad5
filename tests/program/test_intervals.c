// Programs in intervals: random expressions at random points of random boxes lie within what their
// intervals say, and simple ones have no wider intervals than they need.
#include "base/strings.h"
#include "expr/expr.h"
#include "program/intervals.h"
#include "program/program.h"
#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SEEDS = 400, POINTS = 20, INPUTS = 3, DEPTH = 6, MOST = 200 };

// One more expression from those before it.
static Expr grown(ExprPool *pool, Random *random, const Expr *known, size_t count)
{
    static const ExprOp functions[] = {EXPR_SIN,  EXPR_COS,  EXPR_EXP, EXPR_ATAN, EXPR_TANH,
                                       EXPR_SINH, EXPR_COSH, EXPR_ABS, EXPR_LOG,  EXPR_ASIN};
    Expr a = known[random_below(random, count)], b = known[random_below(random, count)];
    switch (random_below(random, 7)) {
    case 0: return expr_add(pool, a, b);
    case 1: return expr_sub(pool, a, b);
    case 2: return expr_mul(pool, a, b);
    case 3: return expr_div(pool, a, b);
    case 4: return expr_mul(pool, a, a);
    case 5: return expr_call(pool, EXPR_MIN, a, b);
    default: return expr_call(pool, functions[random_below(random, 10)], a, (Expr){0});
    }
}

static bool is_within(double value, Interval bounds)
{
    double slack = 1e-12 * (1 + fabs(value));
    return isnan(value) || (bounds.low - slack <= value && value <= bounds.high + slack);
}

static void check(const Program *program, Random *random, unsigned seed)
{
    Interval box[INPUTS], out, work[MOST];
    double in[INPUTS], value, registers[MOST];
    assert_true(program_registers(program) <= MOST);
    for (size_t i = 0; i < INPUTS; i++) {
        double low = uniform(random, -2, 2);
        box[i] = (Interval){low, low + uniform(random, 0, 1)};
    }
    program_run_intervals(program, box, &out, work);
    assert_true(out.low <= out.high);
    for (size_t point = 0; point < POINTS; point++) {
        for (size_t i = 0; i < INPUTS; i++)
            in[i] = uniform(random, box[i].low, box[i].high);
        program_run_real(program, in, &value, registers);
        if (!is_within(value, out))
            fail_msg("seed %u: %.17g is not in [%.17g, %.17g]", seed, value, out.low, out.high);
    }
}

static void test_enclose(void **state)
{
    (void)state;
    static const char *const names[] = {"x", "y", "z"};
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        Random random = random_seed(seed);
        ExprPool *pool = expr_pool_new();
        Expr known[INPUTS + DEPTH];
        size_t count = INPUTS;
        for (size_t i = 0; i < INPUTS; i++)
            known[i] = expr_symbol(pool, names[i]);
        for (; count < INPUTS + DEPTH; count++)
            known[count] = grown(pool, &random, known, count);
        Program *program = program_new(pool, known, INPUTS, &known[count - 1], 1, NULL);
        if (program)
            check(program, &random, seed);
        program_free(program);
        expr_pool_free(pool);
    }
}

// x² + y² on a box that holds x = 0 is not below y².
static void test_squares(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr in[2] = {expr_symbol(pool, "x"), expr_symbol(pool, "y")};
    Expr sum = expr_add(pool, expr_mul(pool, in[0], in[0]), expr_mul(pool, in[1], in[1]));
    Program *program = program_new(pool, in, 2, &sum, 1, NULL);
    Interval box[] = {{-1, 2}, {3, 4}}, out, work[MOST];
    program_run_intervals(program, box, &out, work);
    assert_true(out.low <= 9 && out.low > 9 - 1e-14 && out.high >= 20 && out.high < 20 + 1e-14);
    program_free(program);
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_enclose),
                                       cmocka_unit_test(test_squares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
