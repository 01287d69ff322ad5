// test_quotients.c: programs that divide by each divisor once are the same functions, in fewer
// quotients.
#include "base/strings.h"
#include "program/program.h"
#include "test_size.h"

#include "../random_expr.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SEEDS = 200, OUTPUTS = 4, SYMBOLS = 4 };

static void run(const Program *program, const double *in, double *out)
{
    double *work = base_alloc((program_registers(program) + 1) * sizeof *work);
    program_run_real(program, in, out, work);
    base_free(work);
}

// Random sums over random divisors that several outputs share; the same from its own text.
static void test_same_functions(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr symbols[] = {expr_symbol(pool, "x"), expr_symbol(pool, "y"),
                          expr_symbol(pool, "theta"), expr_symbol(pool, "phi")};
        Expr divisor = random_expr(pool, &random, RANDOM_TRIGONOMETRY, 6), outputs[OUTPUTS];
        divisor = expr_add(pool, expr_mul(pool, divisor, divisor), expr_int(pool, 2));
        for (size_t i = 0; i < OUTPUTS; i++) {
            Expr above = random_expr(pool, &random, RANDOM_DIVISION | RANDOM_TRIGONOMETRY, 8);
            if (seed % 3 == 0)
                above = expr_mul(pool, expr_int(pool, 7),
                                 expr_call(pool, EXPR_SIN, symbols[i % SYMBOLS], (Expr){0}));
            outputs[i] = expr_div(pool, above, divisor);
        }
        Program *plain = program_new(pool, symbols, SYMBOLS, outputs, OUTPUTS, NULL);
        Program *shared = program_new(pool, symbols, SYMBOLS, outputs, OUTPUTS, NULL);
        assert_non_null(plain);
        shared = program_share_quotients(shared);
        assert_int_equal(program_outputs(shared), OUTPUTS);
        for (int draws = 0; draws < 5; draws++) {
            double in[SYMBOLS], a[OUTPUTS], b[OUTPUTS];
            for (size_t i = 0; i < SYMBOLS; i++)
                in[i] = (double)random_below(&random, 2001) / 500 - 2;
            run(plain, in, a);
            run(shared, in, b);
            // A divisor inside a numerator may be nearly 0: what is rounded there is lost in both.
            for (size_t i = 0; i < OUTPUTS; i++)
                if (isfinite(a[i]) && !(fabs(a[i] - b[i]) <= 1e3 * DBL_EPSILON * (fabs(a[i]) + 1)))
                    fail_msg("seed %d: %.17g and %.17g", (int)seed, a[i], b[i]);
        }
        program_free(plain);
        program_free(shared);
        expr_pool_free(pool);
    }
}

// Three components over one cube: a constant times each of them is one product and no quotient.
static void test_forces(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr symbols[] = {expr_symbol(pool, "x"), expr_symbol(pool, "y"), expr_symbol(pool, "z")};
    Expr square = expr_int(pool, 0), outputs[3];
    for (size_t i = 0; i < 3; i++)
        square = expr_add(pool, square, expr_mul(pool, symbols[i], symbols[i]));
    for (size_t i = 0; i < 3; i++)
        outputs[i] = expr_div(pool, expr_mul(pool, expr_int(pool, 3), symbols[i]), square);
    Program *plain = program_new(pool, symbols, 3, outputs, 3, NULL);
    Program *shared = program_new(pool, symbols, 3, outputs, 3, NULL);
    size_t before = program_operations(plain);
    shared = program_share_quotients(shared);
    // 3·x/s, three times; then 3/s once and three products.
    assert_int_equal(program_operations(shared), before - 2);
    double in[] = {0.3, -0.7, 1.9}, a[3], b[3];
    run(plain, in, a);
    run(shared, in, b);
    for (size_t i = 0; i < 3; i++)
        assert_true(fabs(a[i] - b[i]) <= 2 * DBL_EPSILON * fabs(a[i]));
    program_free(plain);
    program_free(shared);
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_functions),
        cmocka_unit_test(test_forces),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
