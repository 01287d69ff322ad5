// Canonical forms: idempotent, equal for equal functions, different for different ones, and of
// the same value as what they are the form of. What simplify gives is equal and no longer.
#include "algebra/algebra.h"

#include "program/balls.h"
#include "program/program.h"
#include "rewriting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SEEDS = 150 };

static unsigned kinds_for(uint64_t seed)
{
    unsigned kinds = RANDOM_TRIGONOMETRY;
    if (seed % 3)
        kinds |= RANDOM_DIVISION;
    if (seed % 5 == 0)
        kinds |= RANDOM_FUNCTIONS;
    return kinds;
}

// Whether two expressions may have the same value at a few points, in balls.
static bool values_agree(ExprPool *pool, Expr a, Expr b, uint64_t seed)
{
    Expr both[2] = {a, b};
    ExprList symbols = expr_symbols(pool, both, 2);
    Expr *inputs = base_alloc((symbols.count + 1) * sizeof *inputs);
    for (size_t i = 0; i < symbols.count; i++)
        inputs[i] = (Expr){symbols.at[i]};
    Program *program = program_new(pool, inputs, symbols.count, both, 2, NULL);
    arb_ptr at = _arb_vec_init((slong)symbols.count), values = _arb_vec_init(2);
    Random random = random_seed(seed);
    bool agree = true;
    for (int point = 0; point < 4 && agree; point++) {
        for (size_t i = 0; i < symbols.count; i++) {
            arb_set_si(at + i, 1 + (slong)random_below(&random, 50));
            arb_div_si(at + i, at + i, 17, 256);
        }
        program_run_ball(program, 256, at, values);
        agree = !arb_is_finite(values) || !arb_is_finite(values + 1) ||
                arb_overlaps(values, values + 1);
    }
    _arb_vec_clear(at, (slong)symbols.count);
    _arb_vec_clear(values, 2);
    program_free(program);
    base_free(inputs);
    expr_list_free(&symbols);
    return agree;
}

static void forms_decide_equality(void **state)
{
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        ExprPool *pool = expr_pool_new();
        Algebra *algebra = algebra_new(pool);
        Random random = random_seed(seed);
        Expr e = random_expr(pool, &random, kinds_for(seed), 8), form, again, other_form;
        Expr other = rewriting_apply(pool, &random, e);
        if (algebra_canonical(algebra, e, &form) == ANSWER_YES &&
            algebra_canonical(algebra, other, &other_form) == ANSWER_YES) {
            found++;
            if (!expr_same(form, other_form))
                fail_msg("equal functions with different forms, seed %llu",
                         (unsigned long long)seed);
            if (!values_agree(pool, e, form, seed))
                fail_msg("the form has another value, seed %llu", (unsigned long long)seed);
            // In another memory, so that the form is worked out anew.
            Algebra *fresh = algebra_new(pool);
            assert_int_equal(algebra_canonical(fresh, form, &again), ANSWER_YES);
            if (!expr_same(form, again))
                fail_msg("the form of the form differs, seed %llu", (unsigned long long)seed);
            algebra_free(fresh);
            // A little more is not the same.
            Expr more = expr_add(pool, e, expr_ratio(pool, 1, 1000000)), more_form;
            if (algebra_canonical(algebra, more, &more_form) == ANSWER_YES)
                assert_false(expr_same(form, more_form));
        }
        algebra_free(algebra);
        expr_pool_free(pool);
    }
    assert_true(found > SEEDS * 3 / 4);
}

static void half_angles_join(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Algebra *algebra = algebra_new(pool);
    Expr x = expr_symbol(pool, "x"), form, other;
    Expr half = expr_mul(pool, expr_ratio(pool, 1, 2), x);
    Expr quarter = expr_mul(pool, expr_ratio(pool, 1, 4), x);
    Expr sine = rewriting_call(pool, EXPR_SIN, x), cosine = rewriting_call(pool, EXPR_COS, x);
    // tan(x/2) = sin x/(1 + cos x).
    algebra_canonical(algebra, rewriting_call(pool, EXPR_TAN, half), &form);
    algebra_canonical(algebra, expr_div(pool, sine, expr_add(pool, expr_int(pool, 1), cosine)),
                      &other);
    assert_true(expr_same(form, other));
    // 4·sin(x/4)·cos(x/4)·cos(x/2) = sin x.
    Expr product = expr_product(pool,
                                (Expr[]){expr_int(pool, 4), rewriting_call(pool, EXPR_SIN, quarter),
                                         rewriting_call(pool, EXPR_COS, quarter),
                                         rewriting_call(pool, EXPR_COS, half)},
                                4);
    algebra_canonical(algebra, product, &form);
    assert_true(expr_same(form, sine));
    assert_true(expr_same(algebra_simplify(algebra, product), sine));
    algebra_free(algebra);
    expr_pool_free(pool);
}

static size_t printed_length(const ExprPool *pool, Expr e)
{
    Text text = {0};
    expr_print(pool, e, &text);
    size_t length = text.length;
    text_clear(&text);
    return length;
}

static void simplify_keeps_values(void **state)
{
    (void)state;
    size_t shorter = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        ExprPool *pool = expr_pool_new();
        Algebra *algebra = algebra_new(pool);
        Random random = random_seed(seed + 300);
        Expr e = random_expr(pool, &random, kinds_for(seed) | RANDOM_ROOTS, 7);
        Expr longer = rewriting_apply(pool, &random, e);
        Expr simple = algebra_simplify(algebra, longer);
        if (!values_agree(pool, simple, e, seed))
            fail_msg("simplified to another value, seed %llu", (unsigned long long)seed);
        shorter += printed_length(pool, simple) < printed_length(pool, longer);
        // The same question in a new memory has the same answer.
        Algebra *fresh = algebra_new(pool);
        assert_true(expr_same(simple, algebra_simplify(fresh, longer)));
        algebra_free(fresh);
        algebra_free(algebra);
        expr_pool_free(pool);
    }
    assert_true(shorter > SEEDS / 3);
}

// Whatever the allowance, the value stays; what was cut short leaves nothing behind that a later
// question would meet; and an allowance that is large enough changes nothing.
static void simplify_stops_where_it_is_told(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS / 2; seed++) {
        ExprPool *pool = expr_pool_new();
        Algebra *algebra = algebra_new(pool), *fresh = algebra_new(pool);
        Random random = random_seed(seed + 700);
        Expr e = random_expr(pool, &random, kinds_for(seed) | RANDOM_ROOTS, 7);
        Expr longer = rewriting_apply(pool, &random, e);
        double nothing = 0, little = (double)random_below(&random, 3000), plenty = 1e12;
        assert_true(expr_same(algebra_simplify_within(algebra, longer, &nothing), longer));
        Expr partly = algebra_simplify_within(algebra, longer, &little);
        if (!values_agree(pool, partly, e, seed))
            fail_msg("simplified in part to another value, seed %llu", (unsigned long long)seed);
        assert_true(little >= 0);
        Expr simple = algebra_simplify_within(algebra, longer, &plenty);
        assert_true(plenty > 0 && plenty <= 1e12);
        assert_true(expr_same(simple, algebra_simplify(fresh, longer)));
        algebra_free(fresh);
        algebra_free(algebra);
        expr_pool_free(pool);
    }
}

// The text of what simplify makes of an expression.
static void check_simple(ExprPool *pool, Algebra *algebra, Expr e, Expr expected)
{
    Expr simple = algebra_simplify(algebra, e);
    if (expr_same(simple, expected))
        return;
    Text text = {0};
    expr_print(pool, simple, &text);
    fail_msg("simplified to %s", text.at);
}

static void simplify_is_what_a_reader_expects(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Algebra *algebra = algebra_new(pool);
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y"), m = expr_symbol(pool, "m");
    Expr a = expr_symbol(pool, "a"), b = expr_symbol(pool, "b"), one = expr_int(pool, 1);
    Expr s = rewriting_call(pool, EXPR_SIN, x), c = rewriting_call(pool, EXPR_COS, x);
    Expr s2 = expr_mul(pool, s, s), c2 = expr_mul(pool, c, c);
    check_simple(pool, algebra, expr_add(pool, s2, c2), one);
    // (x² − 1)/(x − 1) = x + 1.
    Expr quotient =
        expr_div(pool, expr_sub(pool, expr_mul(pool, x, x), one), expr_sub(pool, x, one));
    check_simple(pool, algebra, quotient, expr_add(pool, x, one));
    // m·s² + m·c² + a·s² + b·c² = m + a·s² + b·c².
    Expr kept = expr_add(pool, expr_mul(pool, a, s2), expr_mul(pool, b, c2));
    Expr mixed = expr_sum(pool, (Expr[]){expr_mul(pool, m, s2), expr_mul(pool, m, c2), kept}, 3);
    check_simple(pool, algebra, mixed, expr_add(pool, m, kept));
    // Angles stay whole: m·sin(x − y)·(s² + c²).
    Expr whole = expr_mul(pool, m, rewriting_call(pool, EXPR_SIN, expr_sub(pool, x, y)));
    check_simple(pool, algebra, expr_mul(pool, whole, expr_add(pool, s2, c2)), whole);
    // sin x·cos y − cos x·sin y − sin(x − y) = 0 all the same.
    Expr zero =
        expr_sum(pool,
                 (Expr[]){expr_mul(pool, s, rewriting_call(pool, EXPR_COS, y)),
                          expr_neg(pool, expr_mul(pool, c, rewriting_call(pool, EXPR_SIN, y))),
                          expr_neg(pool, rewriting_call(pool, EXPR_SIN, expr_sub(pool, x, y)))},
                 3);
    check_simple(pool, algebra, zero, expr_int(pool, 0));
    // m·cos x·cos y + m·sin x·sin y = m·cos(x − y).
    Expr cy = rewriting_call(pool, EXPR_COS, y), sy = rewriting_call(pool, EXPR_SIN, y);
    Expr apart = expr_add(pool, expr_product(pool, (Expr[]){m, c, cy}, 3),
                          expr_product(pool, (Expr[]){m, s, sy}, 3));
    check_simple(pool, algebra, apart,
                 expr_mul(pool, m, rewriting_call(pool, EXPR_COS, expr_sub(pool, x, y))));
    // a·x + b·x + a·y + b·y = (a + b)·(x + y).
    Expr product = expr_mul(pool, expr_add(pool, a, b), expr_add(pool, x, y));
    check_simple(pool, algebra, rewriting_expand(pool, rewriting_expand(pool, product)), product);
    // (1 − cos²)/sin = sin.
    check_simple(pool, algebra, expr_div(pool, expr_sub(pool, one, c2), s), s);
    algebra_free(algebra);
    expr_pool_free(pool);
}

// What is too large is refused, quickly, and left as it is.
static void large_forms_are_refused(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Algebra *algebra = algebra_new(pool);
    Expr terms[12], form;
    char name[] = "a";
    for (size_t i = 0; i < 12; i++) {
        name[0] = (char)('a' + i);
        terms[i] = rewriting_call(pool, EXPR_SIN, expr_symbol(pool, name));
    }
    Expr e = expr_pow_int(pool, expr_sum(pool, terms, 12), 20);
    assert_int_equal(algebra_canonical(algebra, e, &form), ANSWER_UNKNOWN);
    assert_true(expr_same(form, e));
    assert_true(expr_same(algebra_simplify(algebra, e), e));
    algebra_free(algebra);
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_decide_equality),
        cmocka_unit_test(half_angles_join),
        cmocka_unit_test(simplify_keeps_values),
        cmocka_unit_test(simplify_stops_where_it_is_told),
        cmocka_unit_test(simplify_is_what_a_reader_expects),
        cmocka_unit_test(large_forms_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
