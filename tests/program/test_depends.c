// What outputs depend on: all symbols that an expression holds, and of random ones no input that
// changes a value is left out.
#include "program/program.h"
#include "test_size.h"

#include "../random_expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SEEDS = 300, OUTPUTS = 3 };

static void known_case(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y"), z = expr_symbol(pool, "z");
    Expr outputs[] = {expr_mul(pool, x, z), expr_int(pool, 3),
                      expr_sqrt(pool, expr_add(pool, y, expr_mul(pool, x, z))), y};
    Program *program = program_new(pool, (Expr[]){x, y, z}, 3, outputs, 4, NULL);
    size_t begins[5], *inputs = program_depends(program, begins);
    static const size_t expected_begins[] = {0, 2, 2, 5, 6}, expected[] = {0, 2, 0, 1, 2, 1};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(begins[i], expected_begins[i]);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(inputs[i], expected[i]);
    base_free(inputs);
    program_free(program);
    expr_pool_free(pool);
}

// More inputs than a word has bits, and registers that are used again.
static void long_sums(void **state)
{
    (void)state;
    enum { COUNT = 150 };
    ExprPool *pool = expr_pool_new();
    Expr inputs[COUNT], outputs[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        inputs[i] = expr_symbol_new(pool, "x");
    for (size_t i = 0; i < COUNT; i++)
        outputs[i] = expr_mul(pool, inputs[i],
                              expr_call(pool, EXPR_SIN, inputs[(i + 70) % COUNT], (Expr){0}));
    Program *program = program_new(pool, inputs, COUNT, outputs, COUNT, NULL);
    size_t begins[COUNT + 1], *found = program_depends(program, begins);
    for (size_t i = 0; i < COUNT; i++) {
        size_t other = (i + 70) % COUNT, first = i < other ? i : other;
        assert_int_equal(begins[i + 1] - begins[i], 2);
        assert_int_equal(found[begins[i]], first);
        assert_int_equal(found[begins[i] + 1], i + other - first);
    }
    base_free(found);
    program_free(program);
    expr_pool_free(pool);
}

static void nothing_is_left_out(void **state)
{
    (void)state;
    size_t moved = 0;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++) {
        static const char *names[RANDOM_SYMBOLS] = {"x", "y", "theta", "phi"};
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr symbols[RANDOM_SYMBOLS], outputs[OUTPUTS];
        for (size_t i = 0; i < RANDOM_SYMBOLS; i++)
            symbols[i] = expr_symbol(pool, names[i]);
        for (size_t i = 0; i < OUTPUTS; i++)
            outputs[i] = random_expr(pool, &random, RANDOM_TRIGONOMETRY | RANDOM_DIVISION, 4);
        Program *program = program_new(pool, symbols, RANDOM_SYMBOLS, outputs, OUTPUTS, NULL);
        double *work = base_alloc((program_registers(program) + 1) * sizeof *work);
        size_t begins[OUTPUTS + 1], *found = program_depends(program, begins);
        for (size_t input = 0; input < RANDOM_SYMBOLS; input++) {
            double at[RANDOM_SYMBOLS] = {0.3, -0.7, 1.1, 0.4}, before[OUTPUTS], after[OUTPUTS];
            program_run_real(program, at, before, work);
            at[input] += 0.37;
            program_run_real(program, at, after, work);
            for (size_t i = 0; i < OUTPUTS; i++) {
                bool listed = false;
                for (size_t l = begins[i]; l < begins[i + 1]; l++)
                    listed = listed || found[l] == input;
                assert_true(listed || before[i] == after[i] || isnan(before[i]));
                // And what is not held is not listed.
                assert_true(!listed || expr_holds_any(pool, outputs[i], &symbols[input], 1));
                moved += before[i] != after[i];
            }
        }
        base_free(found);
        base_free(work);
        program_free(program);
        expr_pool_free(pool);
    }
    assert_true(moved > SEEDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_case), cmocka_unit_test(long_sums),
                                       cmocka_unit_test(nothing_is_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
