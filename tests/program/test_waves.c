// Sines and cosines that are worked out four at a time are those of the C library in long doubles,
// to less than a last digit: for small angles, large ones, and those next to multiples of π/2.
#include "program/program.h"

#include "base/base.h"
#include "expr/expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { ANGLES = 20000 };

// Sine and cosine of x.
static Program *waves_of(ExprPool *pool)
{
    Expr x = expr_symbol(pool, "x");
    Expr outputs[] = {expr_call(pool, EXPR_SIN, x, (Expr){0}),
                      expr_call(pool, EXPR_COS, x, (Expr){0})};
    Program *program = program_new(pool, &x, 1, outputs, 2, NULL);
    assert_non_null(program);
    program_batch_waves(program);
    return program;
}

static double last_digits(double value, long double exact)
{
    double size = fabs((double)exact), digit = nextafter(size, INFINITY) - size;
    return (double)(fabsl((long double)value - exact) / (long double)digit);
}

static void compare(const Program *program, double x)
{
    double out[2], work[16];
    assert_true(program_registers(program) <= 16);
    program_run_real(program, &x, out, work);
    if (!(last_digits(out[0], sinl((long double)x)) < 0.8) ||
        !(last_digits(out[1], cosl((long double)x)) < 0.8))
        fail_msg("x = %.17g: %.17g, %.17g", x, out[0], out[1]);
}

static void sines_are_right(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Program *program = waves_of(pool);
    Random random = random_seed(1);
    for (size_t i = 0; i < ANGLES; i++) {
        double part = (double)random_below(&random, 2000001) / 1000000 - 1;
        double quarters = (double)random_below(&random, 1000000) - 500000;
        compare(program, part);
        compare(program, 30 * part);
        compare(program, 999999 * part);
        compare(program, 1e9 * part); // left to the library
        compare(program, quarters * acos(0));
        compare(program, ldexp(part, -(int)(i % 900)));
    }
    program_free(program);
    expr_pool_free(pool);
}

static void no_numbers_stay_none(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Program *program = waves_of(pool);
    const double inputs[] = {INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < 3; i++) {
        double out[2], work[16];
        program_run_real(program, inputs + i, out, work);
        assert_true(isnan(out[0]) && isnan(out[1]));
    }
    program_free(program);
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sines_are_right),
        cmocka_unit_test(no_numbers_stay_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
