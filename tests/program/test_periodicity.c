// Whole turns: what is said to forget them gives the same numbers after one; what does not is told.
#include "program/program.h"
#include "test_size.h"

#include "../random_expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SEEDS = 400 };

static Program *program_of(ExprPool *pool, Expr x, Expr y, Expr e)
{
    Program *program = program_new(pool, (Expr[]){x, y}, 2, &e, 1, NULL);
    assert_non_null(program);
    return program;
}

static Expr call(ExprPool *pool, ExprOp op, Expr a)
{
    return expr_call(pool, op, a, (Expr){0});
}

static bool forgets(ExprPool *pool, Expr x, Expr y, Expr e)
{
    Program *program = program_of(pool, x, y, e);
    bool answer = program_forgets_turns(program, 0);
    program_free(program);
    return answer;
}

static void known_cases(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y");
    Expr sine = call(pool, EXPR_SIN, x), sum = expr_sub(pool, x, y);
    Expr twice = expr_mul(pool, expr_int(pool, 2), x),
         half = expr_mul(pool, expr_ratio(pool, 1, 2), x);
    assert_true(forgets(pool, x, y, y));
    assert_true(forgets(pool, x, y, sine));
    assert_true(forgets(pool, x, y, expr_mul(pool, y, call(pool, EXPR_COS, sum))));
    assert_true(
        forgets(pool, x, y, expr_sqrt(pool, expr_add(pool, y, call(pool, EXPR_COS, twice)))));
    assert_false(forgets(pool, x, y, x));
    assert_false(forgets(pool, x, y, call(pool, EXPR_SIN, half)));
    assert_false(forgets(pool, x, y, call(pool, EXPR_EXP, x)));
    assert_false(forgets(pool, x, y, expr_mul(pool, x, sine)));
    assert_false(forgets(pool, x, y, call(pool, EXPR_SIN, expr_mul(pool, x, y))));
    expr_pool_free(pool);
}

// Of random programs those that are said to forget.
static void same_after_a_turn(void **state)
{
    (void)state;
    const double turn = 8 * atan(1);
    size_t forgetful = 0;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++) {
        static const char *names[RANDOM_SYMBOLS] = {"x", "y", "theta", "phi"};
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr inputs[RANDOM_SYMBOLS];
        for (size_t i = 0; i < RANDOM_SYMBOLS; i++)
            inputs[i] = expr_symbol(pool, names[i]);
        Expr e = random_expr(pool, &random, RANDOM_TRIGONOMETRY, 6);
        Program *program = program_new(pool, inputs, RANDOM_SYMBOLS, &e, 1, NULL);
        double *work = base_alloc((program_registers(program) + 1) * sizeof *work);
        for (size_t input = 0; input < RANDOM_SYMBOLS; input++) {
            double at[RANDOM_SYMBOLS] = {0.3, -0.7, 1.1, 0.4}, before, after;
            if (!program_forgets_turns(program, input))
                continue;
            program_run_real(program, at, &before, work);
            at[input] += turn;
            program_run_real(program, at, &after, work);
            forgetful += before != after;
            if (!(fabs(before - after) <= 1e-9 * fmax(1, fabs(before))) && isfinite(before))
                fail_msg("seed %lu, input %zu: %.17g, after a turn %.17g", (unsigned long)seed,
                         input, before, after);
        }
        base_free(work);
        program_free(program);
        expr_pool_free(pool);
    }
    assert_true(forgetful > 20); // in their last digits: there was something to forget
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_cases),
                                       cmocka_unit_test(same_after_a_turn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
