// The functions of the language: values that are plain to see against balls, symmetry, turns.
#include "expr/expr.h"

#include "../random_expr.h"
#include "ball_value.h"
#include "check.h"

enum { SEEDS = 300, LONG = 12 };

static Expr times_pi(ExprPool *pool, int64_t numerator, int64_t denominator)
{
    return expr_mul(pool, expr_ratio(pool, numerator, denominator), expr_pi(pool));
}

// Whether op(a), built, has the value that the ball function gives at the value of a.
static bool value_is_kept(ExprPool *pool, ExprOp op, Expr a, const Expr *symbols, arb_srcptr at,
                          size_t count)
{
    arb_t argument, expected, found;
    arb_init(argument);
    arb_init(expected);
    arb_init(found);
    ball_value(pool, a, symbols, at, count, argument);
    ball_call(expected, op, argument, argument);
    ball_value(pool, call(pool, op, a), symbols, at, count, found);
    bool kept = balls_are_near(expected, found, -250);
    arb_clear(found);
    arb_clear(expected);
    arb_clear(argument);
    return kept;
}

// ---- Multiples of π.

static void sines_at_parts_of_pi(void **state)
{
    (void)state;
    static const ExprOp ops[] = {EXPR_SIN, EXPR_COS, EXPR_TAN};
    ExprPool *pool = expr_pool_new();
    for (size_t i = 0; i < 3; i++)
        for (int64_t q = 1; q <= 24; q++)
            for (int64_t p = -3 * q; p <= 3 * q; p++) {
                // tan has poles, tested below.
                if (ops[i] == EXPR_TAN && 2 * p % q == 0 && (2 * p / q) % 2)
                    continue;
                if (!value_is_kept(pool, ops[i], times_pi(pool, p, q), NULL, NULL, 0))
                    fail_msg("%s(%" PRId64 "/%" PRId64 "*pi)", expr_op_name(ops[i]), p, q);
            }
    expr_pool_free(pool);
}

// At multiples of π/6 and π/4 no sine is left.
static void simple_parts_of_pi_are_worked_out(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    for (int64_t k = -50; k <= 50; k++)
        for (int64_t q = 4; q <= 6; q += 2) {
            Expr sine = call(pool, EXPR_SIN, times_pi(pool, k, q));
            Expr cosine = call(pool, EXPR_COS, times_pi(pool, k, q));
            Expr pi = expr_pi(pool);
            assert_false(expr_holds_any(pool, sine, &pi, 1));
            Expr squares =
                expr_add(pool, expr_pow_int(pool, sine, 2), expr_pow_int(pool, cosine, 2));
            assert_true(expr_is_one(pool, squares));
        }
    assert_same(call(pool, EXPR_TAN, times_pi(pool, 5, 4)), expr_int(pool, 1));
    Expr pole = expr_pow_int(pool, expr_int(pool, 0), -1);
    assert_same(call(pool, EXPR_TAN, times_pi(pool, 1, 2)), pole);
    assert_same(call(pool, EXPR_TAN, times_pi(pool, -7, 2)), pole);
    expr_pool_free(pool);
}

// sin(x + kπ/q) in all its turnings, x being a symbol, a difference, or a long sum.
static void turned_arguments_keep_their_values(void **state)
{
    (void)state;
    static const ExprOp ops[] = {EXPR_SIN, EXPR_COS, EXPR_TAN};
    ExprPool *pool = expr_pool_new();
    Expr symbols[LONG];
    arb_ptr at = _arb_vec_init(LONG);
    for (size_t i = 0; i < LONG; i++) {
        symbols[i] = expr_symbol_new(pool, "x");
        arb_set_si(at + i, 3 * (slong)i + 1);
        arb_div_si(at + i, at + i, 7, BALL_BITS);
    }
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Random random = random_seed(seed);
        size_t count = 1 + (size_t)random_below(&random, LONG);
        Expr terms[LONG + 1];
        for (size_t i = 0; i < count; i++)
            terms[i] = random_below(&random, 2) ? symbols[i] : expr_neg(pool, symbols[i]);
        int64_t k = (int64_t)random_below(&random, 40) - 20;
        terms[count] = times_pi(pool, k, (int64_t[]){1, 2, 4, 5}[random_below(&random, 4)]);
        ExprOp op = ops[random_below(&random, 3)];
        Expr angle = expr_sum(pool, terms, count + 1);
        CHECK(seed, value_is_kept(pool, op, angle, symbols, at, LONG));
        CHECK(seed, value_is_kept(pool, op, expr_neg(pool, angle), symbols, at, LONG));
        ExprList nodes = expr_nodes(pool, (Expr[]){call(pool, op, angle)}, 1);
        for (size_t i = 0; i < nodes.count; i++)
            CHECK(seed, expr_same(rebuilt(pool, (Expr){nodes.at[i]}), (Expr){nodes.at[i]}));
        expr_list_free(&nodes);
    }
    _arb_vec_clear(at, LONG);
    expr_pool_free(pool);
}

static Expr without_factor(ExprPool *pool, Expr e)
{
    fmpq_t factor;
    fmpq_init(factor);
    Expr rest = expr_strip(pool, e, factor);
    fmpq_clear(factor);
    return rest;
}

// asin and acos of ±sin a, ±cos a, and of the sums of products that are sin(a ± b) and cos(a ± b).
static void angles_of_waves_are_kept(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr symbols[2] = {expr_symbol_new(pool, "a"), expr_symbol_new(pool, "b")}, other = {0};
    arb_ptr at = _arb_vec_init(2);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Random random = random_seed(seed);
        Expr waves[2][2], argument;
        for (size_t i = 0; i < 2; i++) {
            arb_set_si(at + i, (slong)random_below(&random, 2000) - 1000);
            arb_div_si(at + i, at + i, 97, BALL_BITS);
            for (size_t k = 0; k < 2; k++)
                waves[i][k] = call(pool, k ? EXPR_COS : EXPR_SIN, symbols[i]);
        }
        size_t k = (size_t)random_below(&random, 2), l = (size_t)random_below(&random, 2);
        Expr first = expr_mul(pool, waves[0][k], waves[1][l]);
        Expr second = expr_mul(pool, waves[0][1 - k], waves[1][1 - l]);
        argument = random_below(&random, 2) ? expr_sub(pool, first, second)
                                            : expr_add(pool, first, second);
        argument = random_below(&random, 4) ? argument : waves[0][k];
        argument = random_below(&random, 2) ? argument : expr_neg(pool, argument);
        for (size_t i = 0; i < 2; i++) {
            ExprOp op = i ? EXPR_ACOS : EXPR_ASIN;
            Expr angle = expr_call(pool, op, argument, other);
            CHECK(seed, value_is_kept(pool, op, argument, symbols, at, 2));
            // Its sign may stand before it.
            CHECK(seed, expr_op(pool, without_factor(pool, angle)) == EXPR_ATAN2);
        }
    }
    _arb_vec_clear(at, 2);
    expr_pool_free(pool);
}

// asin and acos of ±2pq/(p² + q²) and ±(p² − q²)/(p² + q²).
static void angles_of_fractions_are_kept(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr symbols[2] = {expr_symbol_new(pool, "a"), expr_symbol_new(pool, "b")}, other = {0};
    arb_ptr at = _arb_vec_init(2);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Random random = random_seed(seed);
        Expr p[2], squares[2];
        for (size_t i = 0; i < 2; i++) {
            arb_set_si(at + i, (slong)random_below(&random, 2000) - 1000);
            arb_div_si(at + i, at + i, 97, BALL_BITS);
            Expr number = expr_int(pool, 1 + (long)random_below(&random, 9));
            p[i] = random_below(&random, 3) ? expr_mul(pool, number, symbols[i]) : number;
            squares[i] = expr_mul(pool, p[i], p[i]);
        }
        if (expr_is_number(pool, p[0]) && expr_is_number(pool, p[1]))
            continue;
        Expr twice = expr_mul(pool, expr_int(pool, 2), expr_mul(pool, p[0], p[1]));
        Expr above = random_below(&random, 2) ? twice : expr_sub(pool, squares[0], squares[1]);
        above = random_below(&random, 2) ? above : expr_neg(pool, above);
        Expr argument = expr_div(pool, above, expr_add(pool, squares[0], squares[1]));
        for (size_t i = 0; i < 2; i++) {
            ExprOp op = i ? EXPR_ACOS : EXPR_ASIN;
            Expr angle = expr_call(pool, op, argument, other);
            CHECK(seed, value_is_kept(pool, op, argument, symbols, at, 2));
            CHECK(seed, expr_op(pool, without_factor(pool, angle)) == EXPR_ATAN2);
        }
    }
    _arb_vec_clear(at, 2);
    expr_pool_free(pool);
}

// Whole turns fall away, also from sums that are too long to be merged.
static void whole_turns_fall_away(void **state)
{
    (void)state;
    for (size_t count = 1; count <= LONG; count++) {
        ExprPool *pool = expr_pool_new();
        Expr terms[LONG + 1];
        for (size_t i = 0; i < count; i++)
            terms[i] = expr_symbol_new(pool, "x");
        Expr plain = expr_sum(pool, terms, count);
        terms[count] = times_pi(pool, 2, 1);
        Expr turned = expr_sum(pool, terms, count + 1);
        assert_same(call(pool, EXPR_SIN, turned), call(pool, EXPR_SIN, plain));
        assert_same(call(pool, EXPR_COS, turned), call(pool, EXPR_COS, plain));
        assert_same(call(pool, EXPR_TAN, turned), call(pool, EXPR_TAN, plain));
        terms[count] = times_pi(pool, 1, 2);
        turned = expr_sum(pool, terms, count + 1);
        assert_same(call(pool, EXPR_SIN, turned), call(pool, EXPR_COS, plain));
        assert_same(call(pool, EXPR_COS, turned), expr_neg(pool, call(pool, EXPR_SIN, plain)));
        expr_pool_free(pool);
    }
}

// ---- Symmetry.

// f(−e) against ±f(e), for −e as a product and, for sums, term by term.
static void check_symmetry(ExprPool *pool, uint64_t seed, ExprOp op, Expr e, bool odd)
{
    Expr expected = call(pool, op, e);
    if (odd)
        expected = expr_neg(pool, expected);
    CHECK(seed, expr_same(call(pool, op, expr_neg(pool, e)), expected));
    if (expr_op(pool, e) != EXPR_SUM)
        return;
    size_t count = expr_arg_count(pool, e);
    Expr *terms = base_alloc((count + 1) * sizeof *terms);
    for (size_t i = 0; i < count; i++) {
        Expr weight = expr_number(pool, expr_arg_weight(pool, e, i));
        terms[i] = expr_neg(pool, expr_mul(pool, weight, expr_arg(pool, e, i)));
    }
    terms[count] = expr_neg(pool, expr_number(pool, expr_value(pool, e)));
    CHECK(seed, expr_same(call(pool, op, expr_sum(pool, terms, count + 1)), expected));
    base_free(terms);
}

static void symmetric_functions_have_one_form(void **state)
{
    (void)state;
    static const ExprOp odd[] = {EXPR_SIN,  EXPR_TAN,  EXPR_ASIN, EXPR_ATAN,
                                 EXPR_SINH, EXPR_TANH, EXPR_SIGN};
    static const ExprOp even[] = {EXPR_COS, EXPR_COSH, EXPR_ABS};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr a = random_expr(pool, &random, RANDOM_DIVISION | RANDOM_TRIGONOMETRY, 6);
        Expr b = random_expr(pool, &random, RANDOM_DIVISION | RANDOM_TRIGONOMETRY, 6);
        Expr cases[] = {a, expr_sub(pool, a, b), expr_sub(pool, b, a),
                        random_small_number(pool, &random)};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            for (size_t j = 0; j < sizeof odd / sizeof *odd; j++)
                check_symmetry(pool, seed, odd[j], cases[i], true);
            for (size_t j = 0; j < sizeof even / sizeof *even; j++)
                check_symmetry(pool, seed, even[j], cases[i], false);
        }
        expr_pool_free(pool);
    }
}

// ---- Values at simple numbers.

static bool is_in_domain(ExprOp op, int64_t p, int64_t q)
{
    if (op == EXPR_ASIN || op == EXPR_ACOS)
        return p >= -q && p <= q;
    // In balls sign has no value at its jump.
    return (op != EXPR_LOG || p > 0) && (op != EXPR_SIGN || p != 0);
}

static void values_at_numbers_are_kept(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    for (ExprOp op = EXPR_SIN; op < EXPR_OPEN; op++)
        for (int64_t p = -4; expr_op_arity(op) == 1 && p <= 4; p++)
            for (int64_t q = 1; q <= 3; q++)
                if (is_in_domain(op, p, q) &&
                    !value_is_kept(pool, op, expr_ratio(pool, p, q), NULL, NULL, 0))
                    fail_msg("%s(%" PRId64 "/%" PRId64 ")", expr_op_name(op), p, q);
    expr_pool_free(pool);
}

static void known_values_are_exact(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr zero = expr_int(pool, 0), one = expr_int(pool, 1), x = expr_symbol(pool, "x");
    static const ExprOp vanishing[] = {EXPR_SIN,  EXPR_TAN,  EXPR_ASIN, EXPR_ATAN,
                                       EXPR_SINH, EXPR_TANH, EXPR_ABS,  EXPR_SIGN};
    for (size_t i = 0; i < sizeof vanishing / sizeof *vanishing; i++)
        assert_same(call(pool, vanishing[i], zero), zero);
    assert_same(call(pool, EXPR_COS, zero), one);
    assert_same(call(pool, EXPR_COSH, zero), one);
    assert_same(call(pool, EXPR_EXP, zero), one);
    assert_same(call(pool, EXPR_LOG, one), zero);
    assert_same(call(pool, EXPR_ASIN, expr_int(pool, -1)), times_pi(pool, -1, 2));
    assert_same(call(pool, EXPR_ATAN, expr_int(pool, -1)), times_pi(pool, -1, 4));
    assert_same(call(pool, EXPR_ABS, expr_ratio(pool, -3, 4)), expr_ratio(pool, 3, 4));
    assert_same(call(pool, EXPR_SIGN, expr_ratio(pool, -3, 4)), expr_int(pool, -1));
    assert_same(call(pool, EXPR_LOG, call(pool, EXPR_EXP, x)), x);
    expr_pool_free(pool);
}

static void min_and_max_do_not_mind_the_order(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Random random = random_seed(seed);
        Expr a = random_expr(pool, &random, 0, 3), b = random_expr(pool, &random, 0, 3);
        Expr p = random_small_number(pool, &random), q = random_small_number(pool, &random);
        bool less = fmpq_cmp(expr_value(pool, p), expr_value(pool, q)) < 0;
        CHECK(seed, expr_same(expr_call(pool, EXPR_MIN, a, b), expr_call(pool, EXPR_MIN, b, a)));
        CHECK(seed, expr_same(expr_call(pool, EXPR_MAX, a, b), expr_call(pool, EXPR_MAX, b, a)));
        CHECK(seed, expr_same(expr_call(pool, EXPR_MAX, a, a), a));
        CHECK(seed, expr_same(expr_call(pool, EXPR_MIN, p, q), less ? p : q));
        CHECK(seed, expr_same(expr_call(pool, EXPR_MAX, p, q), less ? q : p));
    }
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sines_at_parts_of_pi),
        cmocka_unit_test(simple_parts_of_pi_are_worked_out),
        cmocka_unit_test(turned_arguments_keep_their_values),
        cmocka_unit_test(angles_of_waves_are_kept),
        cmocka_unit_test(angles_of_fractions_are_kept),
        cmocka_unit_test(whole_turns_fall_away),
        cmocka_unit_test(symmetric_functions_have_one_form),
        cmocka_unit_test(values_at_numbers_are_kept),
        cmocka_unit_test(known_values_are_exact),
        cmocka_unit_test(min_and_max_do_not_mind_the_order),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
