// Equal expressions among many are found, and none that are not.
#include "algebra/algebra.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static ExprPool *pool;
static Algebra *algebra;

static int set_up(void **state)
{
    (void)state;
    pool = expr_pool_new();
    algebra = algebra_new(pool);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    algebra_free(algebra);
    expr_pool_free(pool);
    return 0;
}

static Expr square(Expr e)
{
    return expr_pow_int(pool, e, 2);
}

static void assert_same(const AlgebraSame *same, size_t as, int sign)
{
    assert_int_equal(same->as, as);
    assert_int_equal(same->sign, sign);
}

static void equal_ones_are_found(void **state)
{
    (void)state;
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y"), two = expr_int(pool, 2);
    Expr s = expr_call(pool, EXPR_SIN, x, (Expr){0}), c = expr_call(pool, EXPR_COS, x, (Expr){0});
    Expr circle = expr_add(pool, square(s), square(c));
    Expr double_sine = expr_call(pool, EXPR_SIN, expr_mul(pool, two, x), (Expr){0});
    Expr exprs[] = {
        expr_sub(pool, x, y),
        expr_int(pool, 1),
        square(expr_add(pool, x, y)),
        expr_sub(pool, y, x),                                          // −[0]
        circle,                                                        // [1]
        expr_add(pool, expr_add(pool, square(x), square(y)),           //
                 expr_mul(pool, two, expr_mul(pool, x, y))),           // [2]
        expr_sub(pool, circle, expr_int(pool, 1)),                     // 0
        double_sine,                                                   //
        expr_mul(pool, expr_int(pool, -2), expr_mul(pool, s, c)),      // −[7]
        expr_sqrt(pool, expr_add(pool, square(x), square(y))),         //
        expr_sqrt(pool, expr_add(pool, square(x), expr_int(pool, 1))), //
        expr_div(pool, expr_sub(pool, square(x), square(y)),           //
                 expr_add(pool, x, y)),                                // [0]
    };
    enum { COUNT = sizeof exprs / sizeof *exprs };
    AlgebraSame same[COUNT];
    algebra_find_same(algebra, exprs, COUNT, same);
    static const AlgebraSame expected[COUNT] = {{0, 1}, {1, 1}, {2, 1},  {0, -1}, {1, 1},  {2, 1},
                                                {6, 0}, {7, 1}, {7, -1}, {9, 1},  {10, 1}, {0, 1}};
    for (size_t i = 0; i < COUNT; i++)
        assert_same(&same[i], expected[i].as, expected[i].sign);
}

// Where something has no value in any field nothing is claimed of anything.
static void what_cannot_be_evaluated_is_left_alone(void **state)
{
    (void)state;
    Expr x = expr_symbol(pool, "x"), over_zero = expr_div(pool, x, expr_int(pool, 0));
    Expr exprs[] = {x, over_zero, x};
    AlgebraSame same[3];
    algebra_find_same(algebra, exprs, 3, same);
    for (size_t i = 0; i < 3; i++)
        assert_same(&same[i], i, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_ones_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_evaluated_is_left_alone, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("algebra/same", tests, NULL, NULL);
}
