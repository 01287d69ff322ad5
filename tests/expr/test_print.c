// Numbers read from text, and expressions written to it.
#include "expr/expr.h"

#include "../random_expr.h"
#include "check.h"

#include <string.h>

static bool reads(ExprPool *pool, const char *digits, Expr *number)
{
    return expr_number_read(pool, str_of(digits), number);
}

static void numbers_are_read_exactly(void **state)
{
    (void)state;
    static const struct {
        const char *digits, *value;
    } cases[] = {
        {"0", "0"},
        {"7", "7"},
        {"007", "7"},
        {"0.1", "1/10"},
        {"1.50", "3/2"},
        {"1e3", "1000"},
        {"1e+3", "1000"},
        {"1e-3", "1/1000"},
        {"2.5e-1", "1/4"},
        {"0.125e3", "125"},
        {"0e99", "0"},
        {"0.000", "0"},
        {"12.34e1", "617/5"},
        {"1E2", "100"},
        {"1e0", "1"},
        {"9.80665", "196133/20000"},
        {"123456789012345678901234567890", "123456789012345678901234567890"},
    };
    ExprPool *pool = expr_pool_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Expr number;
        assert_true(reads(pool, cases[i].digits, &number));
        char *text = fmpq_get_str(NULL, 10, expr_value(pool, number));
        assert_string_equal(text, cases[i].value);
        flint_free(text);
    }
    expr_pool_free(pool);
}

static void malformed_numbers_are_refused(void **state)
{
    (void)state;
    static const char *cases[] = {"",    ".",    ".5",  "1.",    "1..2", "1.2.3", "e5",   "1e",
                                  "1e+", "1e-",  "1ee", "1e5.0", "1e5 ", " 1",    "-1",   "+1",
                                  "0x1", "1e+-", "1_0", "abc",   "1.e5", "1e٣",   "1e5e", "٣"};
    ExprPool *pool = expr_pool_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Expr number;
        if (reads(pool, cases[i], &number))
            fail_msg("read: '%s'", cases[i]);
    }
    expr_pool_free(pool);
}

// Exponents that would fill the memory are refused; those that can be held are exact.
static void exponents_have_a_limit(void **state)
{
    (void)state;
    static const char *refused[] = {"1e5001",
                                    "1e99999",
                                    "1e-99999",
                                    "1e9999999999999999999999999",
                                    "0.1e99999999999999999999",
                                    "1e-18446744073709551617"};
    ExprPool *pool = expr_pool_new();
    Expr large, small;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_false(reads(pool, refused[i], &large));
    assert_true(reads(pool, "1e5000", &large));
    assert_true(reads(pool, "1e-5000", &small));
    assert_true(expr_is_one(pool, expr_mul(pool, large, small)));
    char digits[7000];
    memset(digits, '9', sizeof digits - 1);
    digits[sizeof digits - 1] = '\0';
    assert_false(reads(pool, digits, &large));
    digits[3000] = '\0';
    assert_true(reads(pool, digits, &large));
    Expr power = expr_pow_int(pool, expr_int(pool, 10), 3000);
    assert_same(expr_add(pool, large, expr_int(pool, 1)), power);
    expr_pool_free(pool);
}

// p.qe±k against p.q·10^k put together from whole numbers.
static void decimals_are_sums_of_powers_of_ten(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    for (uint64_t seed = 1; seed <= 500; seed++) {
        Random random = random_seed(seed);
        int64_t whole = (int64_t)random_below(&random, 100000);
        int64_t decimals = (int64_t)random_below(&random, 1000);
        int64_t exponent = (int64_t)random_below(&random, 60) - 30;
        Text text = {0};
        text_addf(&text, "%" PRId64 ".%03" PRId64 "e%" PRId64, whole, decimals, exponent);
        Expr number, ten = expr_int(pool, 10);
        CHECK(seed, reads(pool, text.at, &number));
        Expr digits = expr_int(pool, whole * 1000 + decimals);
        Expr expected = expr_mul(pool, digits, expr_pow_int(pool, ten, exponent - 3));
        CHECK(seed, expr_same(number, expected));
        text_clear(&text);
    }
    expr_pool_free(pool);
}

// ---- Writing.

static void assert_prints(const ExprPool *pool, Expr e, const char *expected)
{
    Text text = {0};
    expr_print(pool, e, &text);
    assert_string_equal(text.at, expected);
    text_clear(&text);
}

static void sums_and_products_are_written_flat(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "theta'"), two = expr_int(pool, 2);
    assert_prints(pool, expr_ratio(pool, -3, 4), "-3/4");
    assert_prints(pool, expr_add(pool, x, expr_ratio(pool, 1, 2)), "x + 1/2");
    assert_prints(pool, expr_sub(pool, expr_int(pool, 1), x), "-x + 1");
    assert_prints(pool, expr_sub(pool, x, expr_mul(pool, two, y)), "x - 2*theta'");
    assert_prints(pool, expr_mul(pool, expr_ratio(pool, -2, 3), expr_mul(pool, x, y)),
                  "-2*x*theta'/3");
    assert_prints(pool, expr_div(pool, x, expr_pow_int(pool, y, 2)), "x/theta'^2");
    assert_prints(pool, expr_pow_int(pool, x, -1), "1/x");
    assert_prints(pool, expr_mul(pool, two, expr_add(pool, x, y)), "2*(x + theta')");
    assert_prints(pool, expr_pow_int(pool, expr_add(pool, x, y), 3), "(x + theta')^3");
    assert_prints(pool, expr_div(pool, x, expr_add(pool, x, y)), "x/(x + theta')");
    assert_prints(pool, expr_mul(pool, two, expr_pi(pool)), "2*pi");
    expr_pool_free(pool);
}

static void powers_and_functions_are_written(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y"), two = expr_int(pool, 2);
    assert_prints(pool, expr_sqrt(pool, two), "2^(1/2)");
    assert_prints(pool, expr_sqrt(pool, expr_ratio(pool, 8, 9)), "(8/9)^(1/2)");
    assert_prints(pool, expr_pow(pool, expr_int(pool, -8), expr_ratio(pool, 1, 3)), "(-8)^(1/3)");
    assert_prints(pool, expr_sqrt(pool, expr_pow_int(pool, x, 2)), "(x^2)^(1/2)");
    assert_prints(pool, expr_div(pool, y, expr_sqrt(pool, x)), "y/x^(1/2)");
    assert_prints(pool, expr_pow(pool, x, y), "x^y");
    assert_prints(pool, expr_pow(pool, expr_pow(pool, x, y), y), "(x^y)^y");
    assert_prints(pool, expr_pow(pool, x, expr_pow(pool, x, y)), "x^(x^y)");
    assert_prints(pool, expr_pow(pool, two, expr_neg(pool, y)), "2^(-y)");
    assert_prints(pool, expr_div(pool, x, expr_pow(pool, x, y)), "x/(x^y)");
    assert_prints(pool, expr_pow_int(pool, expr_int(pool, 0), -1), "1/0");
    assert_prints(pool, expr_pow_int(pool, call(pool, EXPR_SIN, x), 2), "sin(x)^2");
    assert_prints(pool, expr_call(pool, EXPR_ATAN2, expr_neg(pool, x), y), "atan2(-x, y)");
    assert_prints(pool, call(pool, EXPR_COS, expr_sub(pool, y, x)), "cos(x - y)");
    expr_pool_free(pool);
}

// A sum or product that stayed a node of its own inside another keeps its parentheses.
static void nested_nodes_keep_their_parentheses(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x[10];
    for (size_t i = 0; i < 10; i++)
        x[i] = expr_symbol(pool,
                           (const char *[]){"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}[i]);
    Expr product = expr_product(pool, x, 9), sum = expr_sum(pool, x, 9);
    assert_prints(pool, product, "a*b*c*d*e*f*g*h*i");
    assert_prints(pool, expr_mul(pool, product, x[9]), "j*(a*b*c*d*e*f*g*h*i)");
    assert_prints(pool, expr_mul(pool, product, expr_int(pool, 2)), "2*(a*b*c*d*e*f*g*h*i)");
    assert_prints(pool, expr_add(pool, sum, x[9]), "j + (a + b + c + d + e + f + g + h + i)");
    assert_prints(pool, expr_sub(pool, x[9], sum), "j - (a + b + c + d + e + f + g + h + i)");
    expr_pool_free(pool);
}

// Different nodes over named symbols are written differently: else they could not be read back.
static void different_nodes_are_written_differently(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    unsigned kinds = RANDOM_DIVISION | RANDOM_TRIGONOMETRY | RANDOM_ROOTS | RANDOM_FUNCTIONS;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        Random random = random_seed(seed);
        Expr parts[12];
        for (size_t i = 0; i < 12; i++)
            parts[i] = random_expr(pool, &random, kinds, 4);
        expr_neg(pool, expr_mul(pool, expr_sum(pool, parts, 12), expr_product(pool, parts, 12)));
    }
    NameMap *seen = name_map_new();
    for (uint32_t i = 1; i <= expr_pool_size(pool); i++) {
        Text text = {0};
        expr_print(pool, (Expr){i}, &text);
        if (!name_map_put(seen, (Str){text.at, text.length}, i)) {
            uint32_t other = 0;
            name_map_get(seen, (Str){text.at, text.length}, &other);
            fail_msg("nodes %u and %u: %s", other, i, text.at);
        }
        text_clear(&text);
    }
    name_map_free(seen);
    expr_pool_free(pool);
}

// What is shared doubles with each level: level k has 4·2^k − 3 symbols and operations.
static void what_would_fill_any_memory_is_told(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr e = expr_symbol(pool, "x");
    for (size_t level = 0; level < 60; level++) {
        assert_int_equal(expr_is_printable(pool, e), level < 19);
        Expr parts[] = {call(pool, EXPR_SIN, e), call(pool, EXPR_COS, e)};
        e = expr_add(pool, parts[0], parts[1]);
    }
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_exactly),
        cmocka_unit_test(malformed_numbers_are_refused),
        cmocka_unit_test(exponents_have_a_limit),
        cmocka_unit_test(decimals_are_sums_of_powers_of_ten),
        cmocka_unit_test(sums_and_products_are_written_flat),
        cmocka_unit_test(powers_and_functions_are_written),
        cmocka_unit_test(nested_nodes_keep_their_parentheses),
        cmocka_unit_test(different_nodes_are_written_differently),
        cmocka_unit_test(what_would_fill_any_memory_is_told),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
