// test_fold.c: a folded program is the same function in fewer operations, and definitions are
// worked out once, as they stand.
#include "base/strings.h"
#include "program/native.h"
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

// One program for all numbers of its parameters, 0 and 1 too: each time the function that it has
// with these numbers bound, and as compiled code the same text.
static void parameters_come_later(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr symbols[] = {expr_symbol(pool, "x"), expr_symbol(pool, "y"),
                          expr_symbol(pool, "theta"), expr_symbol(pool, "phi")};
        Expr outputs[OUTPUTS];
        for (size_t i = 0; i < OUTPUTS; i++)
            outputs[i] = random_expr(pool, &random,
                                     RANDOM_DIVISION | RANDOM_TRIGONOMETRY | RANDOM_FUNCTIONS, 14);
        Program *plain = program_new(pool, symbols, 4, outputs, OUTPUTS, NULL);
        Program *later = program_parametrized(plain, 2);
        assert_int_equal(program_inputs(later), 2);
        assert_true(program_operations(later) <= program_operations(plain));
        Text first = {0};
        program_print_c(later, "f", &first);
        for (size_t round = 0; round < 4; round++) {
            double in[] = {(double)random_below(&random, 3),
                           (double)random_below(&random, 1000) / 700, 0.7, -1.3};
            Text text = {0};
            program_set_parameters(later, in);
            program_print_c(later, "f", &text);
            assert_string_equal(first.at, text.at);
            text_clear(&text);
            for (size_t i = 0; i < OUTPUTS; i++) {
                double expected = value_of(plain, in, i), value = value_of(later, in + 2, i);
                if (isfinite(expected) && fabs(expected) < 1e6 &&
                    fabs(value - expected) > 1e-9 * (1 + fabs(expected)))
                    fail_msg("seed %llu: %.17g, not %.17g", (unsigned long long)seed, value,
                             expected);
            }
        }
        text_clear(&first);
        program_free(plain);
        program_free(later);
        expr_pool_free(pool);
    }
}

// m·(r·x) + m·(r·y) with parameters m and r is a sum and a product, and m·x + r·x one product.
static void what_parameters_determine_costs_nothing(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr m = expr_symbol(pool, "m"), r = expr_symbol(pool, "r"), x = expr_symbol(pool, "x");
    Expr inputs[] = {m, r, x};
    Expr product = expr_mul(pool, expr_mul(pool, m, expr_pow_int(pool, r, 2)), x);
    Expr sum = expr_add(pool, expr_mul(pool, m, x), expr_mul(pool, r, x));
    Expr outputs[] = {product, sum};
    Program *plain = program_new(pool, inputs, 3, outputs, 2, NULL);
    Program *later = program_parametrized(plain, 2);
    assert_int_equal(program_operations(later), 2);
    const double numbers[][3] = {{2, 3, 5}, {0, 1, 7}};
    for (size_t i = 0; i < 2; i++) {
        const double *at = numbers[i];
        program_set_parameters(later, at);
        assert_true(value_of(later, at + 2, 0) == at[0] * at[1] * at[1] * at[2]);
        assert_true(value_of(later, at + 2, 1) == (at[0] + at[1]) * at[2]);
    }
    program_free(plain);
    program_free(later);
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folding_keeps_the_function),
        cmocka_unit_test(constants_cost_nothing),
        cmocka_unit_test(parameters_come_later),
        cmocka_unit_test(what_parameters_determine_costs_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
