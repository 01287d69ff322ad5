// Canonical sums, products and powers: what is equal to the eye is one node, in whatever order it
// is put together, and every number stays exact.
#include "expr/expr.h"

#include "../random_expr.h"
#include "check.h"
#include "exact_value.h"

enum { SEEDS = 300, WIDE = 12, FEW = 7 };
enum { ALL_KINDS = RANDOM_DIVISION | RANDOM_TRIGONOMETRY | RANDOM_ROOTS | RANDOM_FUNCTIONS };
// What exact_value can evaluate.
enum { EXACT_KINDS = RANDOM_DIVISION | RANDOM_TRIGONOMETRY | RANDOM_FUNCTIONS };

typedef Expr (*Build)(ExprPool *pool, const Expr *parts, size_t count);

static Expr ratio_power(ExprPool *pool, Expr base, int64_t p, int64_t q)
{
    return expr_pow(pool, base, expr_ratio(pool, p, q));
}

// ---- Order.

static void check_order_is_forgotten(Build build)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr parts[WIDE];
        size_t count = 2 + (size_t)random_below(&random, WIDE - 1);
        for (size_t i = 0; i < count; i++)
            parts[i] = random_expr(pool, &random, ALL_KINDS, (size_t)random_below(&random, 10));
        Expr built = build(pool, parts, count);
        for (int turn = 0; turn < 5; turn++) {
            shuffle(&random, parts, count);
            CHECK(seed, expr_same(build(pool, parts, count), built));
        }
        expr_pool_free(pool);
    }
}

static void order_of_terms_does_not_matter(void **state)
{
    (void)state;
    check_order_is_forgotten(expr_sum);
}

static void order_of_factors_does_not_matter(void **state)
{
    (void)state;
    check_order_is_forgotten(expr_product);
}

// Joins the parts two by two, at random, until one is left.
static Expr bracketed(ExprPool *pool, Random *random, const Expr *parts, size_t count,
                      Expr (*join)(ExprPool *, Expr, Expr))
{
    Expr left[FEW];
    for (size_t i = 0; i < count; i++)
        left[i] = parts[i];
    for (; count > 1; count--) {
        shuffle(random, left, count);
        left[count - 2] = join(pool, left[count - 2], left[count - 1]);
    }
    return left[0];
}

// Below the merge limit it does not matter either how the parts are bracketed.
static void brackets_do_not_matter_for_few(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr symbols[FEW];
    for (size_t i = 0; i < FEW; i++)
        symbols[i] = expr_symbol(pool, (const char *[]){"a", "b", "c", "d", "e", "f", "g"}[i]);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Random random = random_seed(seed);
        Expr terms[FEW], factors[FEW];
        for (size_t i = 0; i < FEW; i++) {
            terms[i] = expr_mul(pool, random_small_number(pool, &random), symbols[i]);
            factors[i] = expr_pow(pool, symbols[i], random_small_number(pool, &random));
        }
        Expr sum = expr_sum(pool, terms, FEW), product = expr_product(pool, factors, FEW);
        CHECK(seed, expr_same(bracketed(pool, &random, terms, FEW, expr_add), sum));
        CHECK(seed, expr_same(bracketed(pool, &random, factors, FEW, expr_mul), product));
    }
    expr_pool_free(pool);
}

// ---- The same node again.

static void check_every_node_rebuilds(ExprPool *pool, uint64_t seed)
{
    size_t size = expr_pool_size(pool);
    for (uint32_t i = 1; i <= size; i++) {
        Expr e = {i};
        if (!expr_same(rebuilt(pool, e), e)) {
            Text text = {0};
            expr_print(pool, e, &text);
            text_add(&text, "  became  ");
            expr_print(pool, rebuilt(pool, e), &text);
            fail_msg("seed %" PRIu64 ": %s", seed, text.at);
        }
    }
}

// A node is what its own parts make: alone, and in a sum, product or power of one.
static void check_every_node_stays(ExprPool *pool, uint64_t seed)
{
    Expr one = expr_int(pool, 1), zero = expr_int(pool, 0);
    size_t size = expr_pool_size(pool);
    for (uint32_t i = 1; i <= size; i++) {
        Expr e = {i};
        CHECK(seed, expr_same(expr_sum(pool, &e, 1), e));
        CHECK(seed, expr_same(expr_product(pool, &e, 1), e));
        CHECK(seed, expr_same(expr_pow(pool, e, one), e));
        CHECK(seed, expr_same(expr_sum(pool, (Expr[]){zero, e}, 2), e));
        CHECK(seed, expr_same(expr_product(pool, (Expr[]){e, one}, 2), e));
        CHECK(seed, expr_same(expr_neg(pool, expr_neg(pool, e)), e));
        CHECK(seed, expr_is_zero(pool, expr_sub(pool, e, e)));
    }
}

// Random graphs, wide sums and products of them, and derivatives.
static void nodes_are_what_their_parts_make(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr parts[WIDE];
        for (size_t i = 0; i < WIDE; i++)
            parts[i] = random_expr(pool, &random, ALL_KINDS, (size_t)random_below(&random, 12));
        Expr sum = expr_sum(pool, parts, WIDE), product = expr_product(pool, parts, WIDE);
        Expr root = expr_sqrt(pool, expr_mul(pool, sum, product));
        Expr joined = random_join(pool, &random, ALL_KINDS, expr_mul(pool, root, sum), product);
        expr_diff(pool, expr_mul(pool, joined, root), random_symbol(pool, &random));
        check_every_node_rebuilds(pool, seed);
        check_every_node_stays(pool, seed);
        expr_pool_free(pool);
    }
}

// A negative coefficient that a root kept inside comes out when the root is undone.
static void coefficients_come_out_of_undone_roots(void **state)
{
    (void)state;
    for (size_t count = 1; count <= WIDE; count++) {
        ExprPool *pool = expr_pool_new();
        Expr factors[WIDE], y = expr_symbol(pool, "y"), z = expr_symbol(pool, "z");
        for (size_t i = 0; i < count; i++)
            factors[i] = expr_symbol_new(pool, "f");
        Expr minus = expr_mul(pool, expr_int(pool, -4), expr_product(pool, factors, count));
        Expr root = expr_sqrt(pool, minus);
        assert_same(expr_mul(pool, root, root), minus);
        Expr once = expr_product(pool, (Expr[]){root, y, root}, 3);
        assert_same(once, expr_mul(pool, minus, y));
        Expr twice = expr_mul(pool, expr_mul(pool, root, y), expr_mul(pool, root, z));
        assert_same(twice, expr_product(pool, (Expr[]){minus, y, z}, 3));
        check_every_node_rebuilds(pool, count);
        check_every_node_stays(pool, count);
        expr_pool_free(pool);
    }
}

// A coefficient stands in one way before a long product.
static void long_products_have_one_form(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr factors[WIDE + 1];
    for (size_t i = 0; i < WIDE; i++)
        factors[i] = expr_symbol_new(pool, "f");
    factors[WIDE] = expr_int(pool, 2);
    Expr plain = expr_product(pool, factors, WIDE), flat = expr_product(pool, factors, WIDE + 1);
    assert_same(flat, expr_mul(pool, plain, factors[WIDE]));
    assert_same(flat, expr_add(pool, plain, plain));
    assert_same(flat, expr_div(pool, expr_mul(pool, flat, flat), flat));
    assert_true(expr_is_zero(
        pool, expr_sum(pool, (Expr[]){flat, expr_neg(pool, plain), expr_neg(pool, plain)}, 3)));
    expr_pool_free(pool);
}

// ---- Like terms and factors.

static void like_terms_are_collected(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y"), two = expr_int(pool, 2);
    Expr xy = expr_mul(pool, x, y);
    assert_same(expr_add(pool, x, x), expr_mul(pool, two, x));
    assert_same(expr_sum(pool, (Expr[]){xy, x, expr_mul(pool, y, x)}, 3),
                expr_add(pool, x, expr_mul(pool, xy, two)));
    assert_true(expr_is_zero(pool, expr_sum(pool, (Expr[]){xy, expr_neg(pool, xy)}, 2)));
    // x + (y − x) = y, and 2(x + y) − 2x − 2y = 0.
    assert_same(expr_add(pool, x, expr_sub(pool, y, x)), y);
    Expr doubled = expr_mul(pool, two, expr_add(pool, x, y));
    Expr rest =
        expr_sub(pool, expr_sub(pool, doubled, expr_add(pool, x, x)), expr_mul(pool, two, y));
    assert_true(expr_is_zero(pool, rest));
    assert_same(expr_mul(pool, x, x), expr_pow_int(pool, x, 2));
    assert_true(expr_is_one(pool, expr_div(pool, xy, expr_mul(pool, y, x))));
    assert_same(expr_div(pool, expr_pow_int(pool, xy, 3), expr_pow_int(pool, x, 2)),
                expr_mul(pool, x, expr_pow_int(pool, y, 3)));
    expr_pool_free(pool);
}

// k·x summed in random portions is (Σk)·x, and x^k multiplied likewise x^(Σk).
static void weights_add_exactly(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x");
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Random random = random_seed(seed);
        Expr numbers[WIDE], terms[WIDE], powers[WIDE];
        for (size_t i = 0; i < WIDE; i++) {
            numbers[i] = random_small_number(pool, &random);
            terms[i] = expr_mul(pool, numbers[i], x);
            powers[i] = expr_pow(pool, x, numbers[i]);
        }
        Expr total = expr_sum(pool, numbers, WIDE);
        CHECK(seed, expr_is_number(pool, total));
        CHECK(seed, expr_same(expr_sum(pool, terms, WIDE), expr_mul(pool, total, x)));
        CHECK(seed, expr_same(expr_product(pool, powers, WIDE), expr_pow(pool, x, total)));
    }
    expr_pool_free(pool);
}

static void doubles_are_exact(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    assert_true(expr_same(expr_double(pool, 0.375), expr_ratio(pool, 3, 8)));
    assert_true(
        expr_same(expr_double(pool, -0x1p70), expr_pow_int(pool, expr_int(pool, -1024), 7)));
    assert_true(expr_is_zero(pool, expr_double(pool, 0)));
    // A tenth is no double: the nearest one is this.
    assert_true(expr_same(expr_double(pool, 0.1), expr_ratio(pool, 3602879701896397, 1L << 55)));
    expr_pool_free(pool);
}

static void strip_gives_the_rational_factor(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    fmpq_t factor;
    fmpq_init(factor);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Random random = random_seed(seed);
        Expr e = random_expr(pool, &random, ALL_KINDS, 8),
             number = random_small_number(pool, &random);
        Expr rest = expr_strip(pool, e, factor), back = expr_number(pool, factor);
        CHECK(seed, expr_same(expr_mul(pool, back, rest), e));
        Expr scaled = expr_mul(pool, number, e), again = expr_strip(pool, scaled, factor);
        CHECK(seed, expr_is_zero(pool, e) || expr_same(again, rest));
        CHECK(seed, expr_same(expr_number(pool, factor), expr_mul(pool, number, back)));
    }
    fmpq_clear(factor);
    expr_pool_free(pool);
}

// ---- Values: the constructors against rational arithmetic.

// Evaluates a and b, joins their values with `op`, and compares with the node's value.
static bool joins_exactly(const ExprPool *pool, uint64_t seed, Expr a, Expr b, Expr joined,
                          void (*op)(fmpq_t, const fmpq_t, const fmpq_t))
{
    fmpq_t left, right, value;
    fmpq_init(left);
    fmpq_init(right);
    fmpq_init(value);
    bool same = true;
    if (exact_value(pool, seed, a, left) && exact_value(pool, seed, b, right) &&
        (op != fmpq_div || !fmpq_is_zero(right)) && exact_value(pool, seed, joined, value)) {
        op(left, left, right);
        same = fmpq_equal(left, value);
    }
    fmpq_clear(value);
    fmpq_clear(right);
    fmpq_clear(left);
    return same;
}

static void constructors_keep_values(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr a = random_expr(pool, &random, EXACT_KINDS, 7);
        Expr b = random_expr(pool, &random, EXACT_KINDS, 7);
        CHECK(seed, joins_exactly(pool, seed, a, b, expr_add(pool, a, b), fmpq_add));
        CHECK(seed, joins_exactly(pool, seed, a, b, expr_sub(pool, a, b), fmpq_sub));
        CHECK(seed, joins_exactly(pool, seed, a, b, expr_mul(pool, a, b), fmpq_mul));
        CHECK(seed, joins_exactly(pool, seed, a, b, expr_div(pool, a, b), fmpq_div));
        expr_pool_free(pool);
    }
}

static void decimals_are_exact(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr tenth = expr_ratio(pool, 1, 10), sum = expr_int(pool, 0);
    for (int i = 0; i < 1000; i++)
        sum = expr_add(pool, sum, tenth);
    assert_same(sum, expr_int(pool, 100));
    // Σ 1/k(k+1) = 1 − 1/(n+1).
    Expr terms[200];
    for (int64_t k = 1; k <= 200; k++)
        terms[k - 1] = expr_ratio(pool, 1, k * (k + 1));
    assert_same(expr_sum(pool, terms, 200), expr_ratio(pool, 200, 201));
    expr_pool_free(pool);
}

// ---- Powers.

static void powers_of_numbers_are_rational_where_they_can_be(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    assert_same(expr_sqrt(pool, expr_ratio(pool, 4, 9)), expr_ratio(pool, 2, 3));
    assert_same(ratio_power(pool, expr_ratio(pool, 8, 27), -2, 3), expr_ratio(pool, 9, 4));
    Expr root = expr_sqrt(pool, expr_ratio(pool, 8, 9));
    assert_false(expr_is_number(pool, root));
    assert_same(expr_mul(pool, root, root), expr_ratio(pool, 8, 9));
    Expr two = expr_int(pool, 2);
    assert_same(ratio_power(pool, two, 5, 2),
                expr_mul(pool, expr_int(pool, 4), expr_sqrt(pool, two)));
    assert_same(ratio_power(pool, two, -1, 2), expr_div(pool, expr_sqrt(pool, two), two));
    assert_same(expr_div(pool, expr_int(pool, 1), expr_sqrt(pool, two)),
                ratio_power(pool, two, -1, 2));
    expr_pool_free(pool);
}

// For every small base and exponent: (b^(p/q))^q = b^p.
static void powers_undo_roots(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    for (int64_t p = -7; p <= 7; p++)
        for (int64_t q = 1; q <= 6; q++)
            for (int64_t numerator = -9; numerator <= 9; numerator++)
                for (int64_t denominator = 1; numerator && denominator <= 9; denominator++) {
                    Expr base = expr_ratio(pool, numerator, denominator);
                    Expr root = ratio_power(pool, base, p, q);
                    assert_same(expr_pow_int(pool, root, q), expr_pow_int(pool, base, p));
                }
    check_every_node_rebuilds(pool, 0);
    expr_pool_free(pool);
}

// A negative base has no real root of even order and two readings of odd order: it is left.
static void roots_of_negative_numbers_are_left(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr root = ratio_power(pool, expr_int(pool, -8), 1, 3);
    assert_int_equal(expr_op(pool, root), EXPR_PRODUCT);
    assert_same(expr_arg(pool, root, 0), expr_int(pool, -8));
    assert_same(expr_pow_int(pool, root, 3), expr_int(pool, -8));
    assert_same(expr_arg(pool, expr_sqrt(pool, expr_int(pool, -1)), 0), expr_int(pool, -1));
    expr_pool_free(pool);
}

static void powers_zero_and_one(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y");
    Expr zero = expr_int(pool, 0), one = expr_int(pool, 1);
    assert_same(expr_pow(pool, x, zero), one);
    assert_same(expr_pow(pool, x, one), x);
    assert_same(expr_pow(pool, zero, zero), one);
    assert_same(expr_pow(pool, one, y), one);
    assert_same(expr_pow_int(pool, zero, 5), zero);
    // 1 is 1 under every exponent, however large or fine.
    assert_same(ratio_power(pool, one, 1, 1000), one);
    assert_same(expr_pow(pool, one, expr_pow_int(pool, expr_int(pool, 10), 30)), one);
    assert_int_equal(expr_op(pool, expr_pow(pool, x, y)), EXPR_POW);
    assert_same(expr_replace(pool, expr_pow(pool, x, y), &y, &one, 1), x);
    expr_pool_free(pool);
}

// 1/0 stays, and swallows what it is multiplied by.
static void division_by_zero_stays(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), zero = expr_int(pool, 0), one = expr_int(pool, 1);
    Expr pole = expr_pow_int(pool, zero, -1);
    assert_false(expr_is_number(pool, pole));
    assert_same(expr_div(pool, one, zero), pole);
    assert_same(expr_div(pool, x, zero), pole);
    assert_same(expr_div(pool, zero, zero), pole);
    assert_same(expr_mul(pool, zero, pole), pole);
    assert_same(expr_div(pool, one, pole), pole);
    assert_same(expr_sqrt(pool, pole), pole);
    assert_same(expr_div(pool, x, expr_sub(pool, x, x)), pole);
    assert_same(expr_replace(pool, expr_div(pool, one, x), &x, &zero, 1), pole);
    assert_int_equal(expr_op(pool, expr_add(pool, x, pole)), EXPR_SUM);
    check_every_node_rebuilds(pool, 0);
    expr_pool_free(pool);
}

// Powers that would fill the memory stay unworked, and still cancel.
static void huge_powers_stay(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr three = expr_int(pool, 3), huge = expr_pow_int(pool, expr_int(pool, 10), 30);
    Expr tower = expr_pow(pool, three, huge);
    assert_false(expr_is_number(pool, tower));
    assert_true(expr_is_one(pool, expr_div(pool, tower, tower)));
    Expr more = expr_pow(pool, three, expr_add(pool, huge, expr_int(pool, 2)));
    assert_same(expr_div(pool, more, tower), expr_int(pool, 9));
    assert_same(rebuilt(pool, tower), tower);
    assert_same(expr_pow_int(pool, expr_int(pool, -1), 1000001), expr_int(pool, -1));
    expr_pool_free(pool);
}

// √(4x) = 2√x; but √(x²) is not x, √(−4x) keeps its sign inside, and √(xy) is not √x√y.
static void roots_keep_their_domain(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y"), two = expr_int(pool, 2);
    Expr root = expr_sqrt(pool, x);
    assert_same(expr_sqrt(pool, expr_mul(pool, expr_int(pool, 4), x)), expr_mul(pool, two, root));
    assert_true(expr_sqrt(pool, expr_pow_int(pool, x, 2)).at != x.at);
    assert_same(expr_pow_int(pool, root, 2), x);
    Expr product = expr_sqrt(pool, expr_mul(pool, x, y));
    assert_true(product.at != expr_mul(pool, root, expr_sqrt(pool, y)).at);
    Expr minus = expr_mul(pool, expr_int(pool, -4), x), turned = expr_sqrt(pool, minus);
    assert_int_equal(expr_arg_count(pool, turned), 1);
    assert_same(expr_arg(pool, turned, 0), minus);
    assert_same(expr_mul(pool, turned, turned), minus);
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_terms_does_not_matter),
        cmocka_unit_test(order_of_factors_does_not_matter),
        cmocka_unit_test(brackets_do_not_matter_for_few),
        cmocka_unit_test(nodes_are_what_their_parts_make),
        cmocka_unit_test(coefficients_come_out_of_undone_roots),
        cmocka_unit_test(long_products_have_one_form),
        cmocka_unit_test(like_terms_are_collected),
        cmocka_unit_test(weights_add_exactly),
        cmocka_unit_test(doubles_are_exact),
        cmocka_unit_test(strip_gives_the_rational_factor),
        cmocka_unit_test(constructors_keep_values),
        cmocka_unit_test(decimals_are_exact),
        cmocka_unit_test(powers_of_numbers_are_rational_where_they_can_be),
        cmocka_unit_test(powers_undo_roots),
        cmocka_unit_test(roots_of_negative_numbers_are_left),
        cmocka_unit_test(powers_zero_and_one),
        cmocka_unit_test(division_by_zero_stays),
        cmocka_unit_test(huge_powers_stay),
        cmocka_unit_test(roots_keep_their_domain),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
