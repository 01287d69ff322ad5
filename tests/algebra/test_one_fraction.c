// Sums of fractions over one denominator are what they were, and have one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "algebra/algebra.h"
#include "algebra/one_fraction.h"
#include "base/base.h"
#include "expr/expr.h"
#include "test_size.h"

enum { SYMBOLS = 4 };

static Expr draw(ExprPool *pool, const Expr *symbols, Random *random, uint64_t kinds)
{
    Expr e = symbols[random_below(random, SYMBOLS)], other = symbols[random_below(random, SYMBOLS)];
    switch (random_below(random, kinds)) {
    case 0: return e;
    case 1: return expr_call(pool, EXPR_COS, e, (Expr){0});
    case 2: return expr_pow_int(pool, expr_call(pool, EXPR_SIN, e, (Expr){0}), 2);
    default: return expr_add(pool, expr_int(pool, 2), expr_mul(pool, e, other));
    }
}

static bool has_divisors(const ExprPool *pool, Expr term)
{
    for (size_t i = 0; expr_op(pool, term) == EXPR_PRODUCT && i < expr_arg_count(pool, term); i++)
        if (fmpq_sgn(expr_arg_weight(pool, term, i)) < 0)
            return true;
    return false;
}

static void test_one(void **state)
{
    (void)state;
    Random random = random_seed(7);
    ExprPool *pool = expr_pool_new();
    Algebra *algebra = algebra_new(pool);
    static const char *const names[SYMBOLS] = {"a", "b", "x", "y"};
    Expr symbols[SYMBOLS];
    for (size_t i = 0; i < SYMBOLS; i++)
        symbols[i] = expr_symbol(pool, names[i]);
    size_t changed = 0, drawn = 60 * test_size();
    for (size_t i = 0; i < drawn; i++) {
        Expr e = expr_int(pool, (int64_t)random_below(&random, 3));
        for (size_t j = 0; j < 3; j++) {
            Expr below = draw(pool, symbols, &random, 5);
            if (random_below(&random, 2))
                below = expr_mul(pool, below, draw(pool, symbols, &random, 5));
            e = expr_add(pool, e, expr_div(pool, draw(pool, symbols, &random, 5), below));
        }
        Expr one = algebra_one_fraction(algebra, e);
        if (!algebra_vanishes(algebra, expr_sub(pool, e, one))) {
            print_message("seed 7, %zu\n", i);
            fail();
        }
        for (size_t j = 0; expr_op(pool, one) == EXPR_SUM && j < expr_arg_count(pool, one); j++)
            assert_false(has_divisors(pool, expr_arg(pool, one, j)));
        changed += !expr_same(one, e);
    }
    assert_true(2 * changed > drawn);
    algebra_free(algebra);
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
