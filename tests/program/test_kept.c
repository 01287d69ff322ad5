// test_kept.c: programs that are kept with their pool are the functions that were asked for, and
// live as long as somebody has them.
#include "base/strings.h"
#include "program/kept.h"
#include "test_size.h"

#include "../random_expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 200, OUTPUTS = 2, MANY = 5000 };

static void run(const Program *program, const double *in, double *out)
{
    double *work = base_alloc((program_registers(program) + 1) * sizeof *work);
    program_run_real(program, in, out, work);
    base_free(work);
}

static bool same(const double *a, const double *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

static void the_same_function_again(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        const Expr symbols[] = {expr_symbol(pool, "x"), expr_symbol(pool, "y"),
                                expr_symbol(pool, "theta"), expr_symbol(pool, "phi")};
        Expr outputs[2][OUTPUTS];
        for (size_t i = 0; i < 2 * OUTPUTS; i++)
            outputs[i / OUTPUTS][i % OUTPUTS] =
                random_expr(pool, &random, RANDOM_DIVISION | RANDOM_TRIGONOMETRY, 10);
        const double in[] = {0.3, 1.1, -0.7, 0.2};
        double fresh[OUTPUTS], kept[OUTPUTS];
        Program *last = NULL;
        for (size_t i = 0; i < 4; i++) {
            const Expr *wanted = outputs[i % 2];
            Program *plain = program_new(pool, symbols, 4, wanted, OUTPUTS, NULL);
            Program *one = program_new_kept(pool, symbols, 4, wanted, OUTPUTS, NULL);
            Program *two = program_new_kept(pool, symbols, 4, wanted, OUTPUTS, NULL);
            assert_ptr_equal(one, two);
            run(plain, in, fresh);
            run(two, in, kept);
            if (!same(fresh, kept, OUTPUTS) && !isnan(fresh[0]) && !isnan(fresh[1]))
                fail_msg("seed %llu", (unsigned long long)seed);
            program_free(plain);
            program_free(one);
            program_free(last);
            last = two;
        }
        // Other inputs, or another kind: another program.
        const ProgramKey fewer = {symbols, 3, outputs[0], OUTPUTS, false};
        const ProgramKey bounded = {symbols, 4, outputs[0], OUTPUTS, true};
        assert_null(program_kept(pool, &fewer));
        assert_null(program_kept(pool, &bounded));
        expr_pool_free(pool);
        run(last, in, kept);
        if (!same(fresh, kept, OUTPUTS) && !isnan(fresh[0]) && !isnan(fresh[1]))
            fail_msg("seed %llu, without the pool", (unsigned long long)seed);
        program_free(last);
    }
}

static void more_than_are_kept(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x");
    for (size_t round = 0; round < 2; round++)
        for (int64_t i = 0; i < MANY; i++) {
            Expr wanted = expr_mul(pool, expr_int(pool, i + 2), x);
            Program *program = program_new_kept(pool, &x, 1, &wanted, 1, NULL);
            double out;
            run(program, &(double){3}, &out);
            assert_true(out == 3 * (double)(i + 2));
            program_free(program);
        }
    expr_pool_free(pool);
}

static void numbers_are_those_of_programs(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Random random = random_seed(5);
    Expr x = expr_symbol(pool, "x");
    double number, out;
    for (size_t i = 0; i < 1000; i++) {
        int64_t top = (int64_t)random_below(&random, 2000000) - 1000000;
        Expr e = expr_ratio(pool, top, 1 + (int64_t)random_below(&random, 999983));
        Program *program = program_new(pool, &x, 1, &e, 1, NULL);
        run(program, &(double){0}, &out);
        assert_true(program_number(pool, e, &number) && number == out);
        program_free(program);
    }
    assert_false(program_number(pool, x, &number));
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_function_again),
        cmocka_unit_test(more_than_are_kept),
        cmocka_unit_test(numbers_are_those_of_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
