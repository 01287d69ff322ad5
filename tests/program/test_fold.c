// test_fold.c: a folded program is the same function in fewer operations, and definitions are
// worked out once, as they stand.
#include "program/program.h"
#include "test_size.h"

#include "../random_expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SEEDS = 300, OUTPUTS = 3 };

static double value_of(const Program *program, const double *in, size_t output)
{
    double out[8];
    double *work = base_alloc((program_registers(program) + 1) * sizeof *work);
    program_run_real(program, in, out, work);
    base_free(work);
    return out[output];
}

// Random expressions, of which some symbols have become random small numbers.
static void folding_keeps_the_function(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr symbols[] = {expr_symbol(pool, "x"), expr_symbol(pool, "y"),
                          expr_symbol(pool, "theta"), expr_symbol(pool, "phi")};
        Expr numbers[2], outputs[OUTPUTS], named[OUTPUTS];
        ProgramDefinition definitions[2];
        for (size_t i = 0; i < 2; i++) {
            numbers[i] = expr_int(pool, (int64_t)random_below(&random, 3) - 1);
            definitions[i] = (ProgramDefinition){symbols[i], numbers[i]};
        }
        for (size_t i = 0; i < OUTPUTS; i++)
            named[i] = outputs[i] = random_expr(
                pool, &random, RANDOM_DIVISION | RANDOM_TRIGONOMETRY | RANDOM_FUNCTIONS, 14);
        Program *plain = program_new(pool, symbols, 4, outputs, OUTPUTS, NULL);
        Program *defined =
            program_new_defined(pool, symbols + 2, 2, definitions, 2, named, OUTPUTS, NULL);
        Program *folded = program_folded(defined);
        assert_true(program_operations(folded) <= program_operations(defined));
        double in[] = {0, 0, 0.7, -1.3};
        for (size_t i = 0; i < 2; i++)
            in[i] = program_nearest_real(expr_value(pool, numbers[i]));
        // Or they get their numbers when the program is there.
        Program *bound = program_bound(plain, in, 2);
        assert_int_equal(program_inputs(bound), 2);
        assert_true(program_operations(bound) <= program_operations(plain));
        for (size_t i = 0; i < 2 * OUTPUTS; i++) {
            const Program *other = i < OUTPUTS ? folded : bound;
            double expected = value_of(plain, in, i % OUTPUTS),
                   value = value_of(other, in + 2, i % OUTPUTS);
            // Where the plain one fails, as 0·(1/0) does, folding may do better.
            if (!isfinite(expected) || fabs(expected) > 1e12)
                continue;
            if (!(fabs(value - expected) <= 1e-9 * (1 + fabs(expected))))
                print_message("seed %d: %.17g, not %.17g\n", (int)seed, value, expected);
            assert_true(fabs(value - expected) <= 1e-9 * (1 + fabs(expected)));
        }
        program_free(plain);
        program_free(defined);
        program_free(folded);
        program_free(bound);
        expr_pool_free(pool);
    }
}

static void constants_cost_nothing(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), c = expr_symbol(pool, "c"), d = expr_symbol(pool, "d");
    ProgramDefinition definitions[] = {{c, expr_ratio(pool, 1, 3)}, {d, expr_int(pool, 0)}};
    Expr angle = expr_call(pool, EXPR_SIN, c, (Expr){0});
    // sin(c)·c·x + d·x: one product.
    Expr e = expr_add(pool, expr_product(pool, (Expr[]){angle, c, x}, 3), expr_mul(pool, d, x));
    Program *program = program_new_defined(pool, &x, 1, definitions, 2, &e, 1, NULL);
    Program *folded = program_folded(program);
    assert_int_equal(program_operations(folded), 1);
    double in = 3;
    assert_true(fabs(value_of(folded, &in, 0) - sin(1.0 / 3)) < 1e-15);
    program_free(program);
    program_free(folded);
    // A symbol that is defined after it is used is missing.
    ProgramDefinition wrong[] = {{d, c}, {c, x}};
    Expr missing = {0};
    assert_null(program_new_defined(pool, &x, 1, wrong, 2, &e, 1, &missing));
    assert_true(expr_same(missing, c));
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folding_keeps_the_function),
        cmocka_unit_test(constants_cost_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
