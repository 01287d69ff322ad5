// The first root of polynomials whose roots are known.
#include "base/strings.h"
#include "expr/expr.h"
#include "program/program.h"
#include "test_size.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 12 };

// Multiplies the polynomial by s − root.
static void times(double *c, size_t *degree, double root)
{
    c[*degree + 1] = c[*degree];
    for (size_t k = *degree; k > 0; k--)
        c[k] = c[k - 1] - root * c[k];
    c[0] *= -root;
    ++*degree;
}

static void first_of_many(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 500 * test_size(); seed++) {
        Random random = random_seed(seed);
        double c[MOST + 2] = {1}, first = INFINITY, most = 1 + (double)random_below(&random, 8) / 4;
        size_t degree = 0, count = 1 + random_below(&random, 6);
        for (size_t i = 0; i < count; i++) {
            // No two are the same: rounding may part them, or lift the curve off the axis.
            double place = (double)((int64_t)random_below(&random, 32) - 10) / 8;
            double root = place + (double)(i + 1) / 64;
            times(c, &degree, root);
            if (root > 0 && root <= most)
                first = fmin(first, root);
            // Two complex roots with every other real one.
            if (i % 2 == 0) {
                double d[MOST + 2] = {0};
                for (size_t k = 0; k <= degree; k++) {
                    d[k] += 2 * c[k];
                    d[k + 2] += c[k];
                }
                degree += 2;
                for (size_t k = 0; k <= degree; k++)
                    c[k] = d[k];
            }
        }
        double found = program_first_root(c, degree, most);
        bool right = isinf(first) ? isinf(found) : fabs(found - first) < 1e-9;
        if (!right)
            fail_msg("%.17g, not %.17g, seed %llu", found, first, (unsigned long long)seed);
    }
}

static void edges(void **state)
{
    (void)state;
    // s·(s − 1/2): the root at 0 is where it begins.
    assert_true(fabs(program_first_root((double[]){0, -0.5, 1}, 2, 1) - 0.5) < 1e-13);
    // The root found is not before the true one.
    double third = program_first_root((double[]){-1, 3}, 1, 1);
    assert_true(third >= 1.0 / 3 && third < 1.0 / 3 + 1e-13);
    // Just beyond; and none at all.
    assert_true(isinf(program_first_root((double[]){-1.001, 1}, 1, 1)));
    assert_true(isinf(program_first_root((double[]){1, 0, 1}, 2, 10)));
    assert_true(isinf(program_first_root((double[]){0, 0, 0}, 2, 10)));
    assert_true(isinf(program_first_root((double[]){5}, 0, 10)));
    // It touches.
    assert_true(fabs(program_first_root((double[]){0.25, -1, 1}, 2, 1) - 0.5) < 1e-6);
}

// What a program's branches make of it.
static void switches(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), quarter = expr_ratio(pool, 1, 4);
    Expr e = expr_call(pool, EXPR_MAX, x, quarter);
    Program *program = program_new(pool, &x, 1, &e, 1, NULL);
    assert_true(program_has_switches(program));
    ProgramSeries *series = program_series_new(program, 0, 4);
    // x = 1 − s², which passes 1/4 at s = √3/2.
    for (size_t k = 0; k < 5; k++) {
        double out, in[5] = {1, 0, -1};
        program_series_next(series, k, in + k, &out);
    }
    assert_true(fabs(program_series_clear(series, 4, 2) - sqrt(0.75)) < 1e-12);
    assert_true(isinf(program_series_clear(series, 4, 0.5)));
    program_series_free(series);
    program_free(program);
    e = expr_mul(pool, x, x);
    program = program_new(pool, &x, 1, &e, 1, NULL);
    assert_false(program_has_switches(program));
    program_free(program);
    expr_pool_free(pool);
}

// x is straight and √(x² + 1) is not: its series ends at s = 1, and tells nothing of its passing 3
// at s = √8.
static void series_end(void **state)
{
    (void)state;
    enum { ORDER = 20 };
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x");
    Expr far = expr_sqrt(pool, expr_add(pool, expr_mul(pool, x, x), expr_int(pool, 1)));
    Expr e = expr_call(pool, EXPR_MAX, far, expr_int(pool, 3));
    Program *program = program_new(pool, &x, 1, &e, 1, NULL);
    ProgramSeries *series = program_series_new(program, 0, ORDER);
    double at = 0;
    for (int steps = 0; steps < 30 && at < sqrt(8); steps++) {
        for (size_t k = 0; k <= ORDER; k++) {
            double out, in = k == 0 ? at : k == 1;
            program_series_next(series, k, &in, &out);
        }
        double clear = program_series_clear(series, ORDER, 100);
        // Never beyond the radius, √(at² + 1), and never beyond the switch.
        assert_true(clear > 0 && clear < sqrt(at * at + 1));
        at += clear;
    }
    assert_true(fabs(at - sqrt(8)) < 1e-9);
    program_series_free(series);
    program_free(program);
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_of_many),
        cmocka_unit_test(edges),
        cmocka_unit_test(switches),
        cmocka_unit_test(series_end),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
