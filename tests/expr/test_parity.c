// The part of an expression that changes its sign with some symbols, and homogeneity.
#include "expr/parity.h"

#include "../random_expr.h"
#include "check.h"
#include "exact_value.h"

enum { SEEDS = 300 };

// With other signs of x and y.
static Expr turned(ExprPool *pool, Expr e, const Expr *symbols)
{
    Expr others[] = {expr_neg(pool, symbols[0]), expr_neg(pool, symbols[1])};
    return expr_replace(pool, e, symbols, others, 2);
}

static void odd_parts_change_their_sign(void **state)
{
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        unsigned kinds = RANDOM_DIVISION | RANDOM_TRIGONOMETRY | RANDOM_FUNCTIONS;
        Expr e = random_expr(pool, &random, kinds, 8);
        Expr symbols[] = {expr_symbol(pool, "x"), expr_symbol(pool, "y")};
        Expr odd = expr_odd_part(pool, e, symbols, 2);
        size_t poles = 0;
        CHECK(seed,
              exact_agree(pool, seed, turned(pool, odd, symbols), expr_neg(pool, odd), &poles));
        found += !expr_is_zero(pool, odd);
        expr_pool_free(pool);
    }
    assert_true(found > SEEDS / 10);
}

// Of what is a sum of an odd and an even part by its making, also where a factor hides that.
static void odd_parts_are_found(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y"), c = expr_symbol(pool, "c");
    Expr symbols[] = {x, y};
    Expr root = expr_pow(pool, expr_add(pool, expr_mul(pool, x, x), expr_mul(pool, y, y)),
                         expr_ratio(pool, 1, 2));
    const Expr odd[] = {
        x,
        expr_mul(pool, c, call(pool, EXPR_SIGN, expr_sub(pool, x, y))),
        expr_mul(pool, x, call(pool, EXPR_ABS, x)),
        expr_div(pool, y, root),
        call(pool, EXPR_TANH, expr_mul(pool, c, x)),
        expr_mul(pool, x, call(pool, EXPR_COS, y)),
    };
    const Expr even[] = {
        call(pool, EXPR_COS, c),
        expr_mul(pool, x, y),
        call(pool, EXPR_ABS, y),
        root,
        call(pool, EXPR_EXP, expr_neg(pool, expr_mul(pool, x, x))),
        expr_int(pool, 7),
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        Expr sum = expr_add(pool, odd[i], even[i]);
        assert_same(expr_odd_part(pool, odd[i], symbols, 2), odd[i]);
        assert_true(expr_is_zero(pool, expr_odd_part(pool, even[i], symbols, 2)));
        assert_same(expr_odd_part(pool, sum, symbols, 2), odd[i]);
        assert_same(expr_odd_part(pool, expr_mul(pool, c, sum), symbols, 2),
                    expr_mul(pool, c, odd[i]));
    }
    expr_pool_free(pool);
}

// What is said to be homogeneous is: by Euler, x·∂e/∂x + y·∂e/∂y = degree·e.
static void homogeneous_functions_obey_euler(void **state)
{
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y"), symbols[] = {x, y};
        Expr e = random_expr(pool, &random, RANDOM_TRIGONOMETRY, 5);
        int degree = expr_homogeneity(pool, e, symbols, 2);
        size_t poles = 0;
        if (degree >= 0) {
            Expr along = expr_add(pool, expr_mul(pool, x, expr_diff(pool, e, x)),
                                  expr_mul(pool, y, expr_diff(pool, e, y)));
            Expr times = expr_mul(pool, expr_int(pool, degree), e);
            CHECK(seed, exact_agree(pool, seed, along, times, &poles));
        }
        found += degree > 0;
        expr_pool_free(pool);
    }
    assert_true(found > SEEDS / 20);
}

static void homogeneity_is_found(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y"), c = expr_symbol(pool, "c");
    Expr symbols[] = {x, y}, sine = call(pool, EXPR_SIN, c), one = expr_int(pool, 1);
    Expr linear = expr_add(pool, expr_mul(pool, sine, x), expr_mul(pool, c, y));
    Expr square = expr_mul(pool, linear, linear);
    assert_int_equal(expr_homogeneity(pool, linear, symbols, 2), 1);
    assert_int_equal(expr_homogeneity(pool, square, symbols, 2), 2);
    assert_int_equal(expr_homogeneity(pool, expr_mul(pool, square, x), symbols, 2), 3);
    assert_int_equal(expr_homogeneity(pool, sine, symbols, 2), 0);
    assert_int_equal(expr_homogeneity(pool, expr_add(pool, square, one), symbols, 2), -1);
    assert_int_equal(expr_homogeneity(pool, expr_add(pool, square, x), symbols, 2), -1);
    assert_int_equal(expr_homogeneity(pool, call(pool, EXPR_SIN, x), symbols, 2), -1);
    assert_int_equal(expr_homogeneity(pool, expr_div(pool, one, x), symbols, 2), -1);
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_parts_change_their_sign),
        cmocka_unit_test(odd_parts_are_found),
        cmocka_unit_test(homogeneous_functions_obey_euler),
        cmocka_unit_test(homogeneity_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
