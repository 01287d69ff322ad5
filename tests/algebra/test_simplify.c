// What is seen to be short has no shorter form: random sums of products, simplified all the same.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "algebra/algebra_impl.h"
#include "algebra/simplify.h"
#include "base/base.h"
#include "expr/expr.h"
#include "test_size.h"

enum { SYMBOLS = 7 };

// A symbol, or its sine or cosine, to some power.
static Expr draw_factor(ExprPool *pool, const Expr *symbols, Random *random)
{
    Expr e = symbols[random_below(random, SYMBOLS)];
    uint64_t kind = random_below(random, 4);
    if (kind < 2)
        e = expr_call(pool, kind == 0 ? EXPR_SIN : EXPR_COS, e, (Expr){0});
    static const int64_t powers[] = {1, 1, 1, 1, 2, 3, -1, -2};
    return expr_pow_int(pool, e, powers[random_below(random, 8)]);
}

static Expr draw_sum(ExprPool *pool, const Expr *symbols, Random *random)
{
    size_t terms = 1 + random_below(random, 4);
    Expr sum = expr_int(pool, random_below(random, 4) == 0 ? (int64_t)random_below(random, 3) : 0);
    for (size_t i = 0; i < terms; i++) {
        int64_t factor = (int64_t)random_below(random, 7) - 3;
        Expr product = expr_ratio(pool, factor ? factor : 1, 1 + (int64_t)random_below(random, 2));
        size_t factors = 1 + random_below(random, 3);
        for (size_t j = 0; j < factors; j++)
            product = expr_mul(pool, product, draw_factor(pool, symbols, random));
        sum = expr_add(pool, sum, product);
    }
    return sum;
}

static void test_short(void **state)
{
    (void)state;
    uint64_t seed = 19;
    Random random = random_seed(seed);
    ExprPool *pool = expr_pool_new();
    Algebra *algebra = algebra_new(pool);
    static const char *const names[SYMBOLS] = {"a", "b", "c", "x", "y", "z", "w"};
    Expr symbols[SYMBOLS];
    for (size_t i = 0; i < SYMBOLS; i++)
        symbols[i] = expr_symbol(pool, names[i]);
    size_t seen = 0, drawn = 3000 * test_size();
    for (size_t i = 0; i < drawn; i++) {
        Expr e = draw_sum(pool, symbols, &random);
        if (!algebra_is_short(pool, e))
            continue;
        seen++;
        Expr form = algebra_simplify(algebra, e);
        if (algebra_cost(pool, form) < algebra_cost(pool, e)) {
            Text one = {0}, other = {0};
            expr_print(pool, e, &one);
            expr_print(pool, form, &other);
            print_message("seed %llu, %zu: %s is %s\n", (unsigned long long)seed, i, one.at,
                          other.at);
            fail();
        }
    }
    // Of all that was drawn enough is short for the test to mean something.
    assert_true(10 * seen > drawn);
    algebra_free(algebra);
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_short)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
