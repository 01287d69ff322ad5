// Substitution and linear coefficients, against exact evaluation.
#include "expr/expr.h"

#include "../random_expr.h"
#include "check.h"
#include "exact_value.h"

enum { SEEDS = 300, UNKNOWNS = 3 };

// ---- Substitution.

static void substitution_is_simultaneous(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y");
    Expr e = expr_sub(pool, call(pool, EXPR_SIN, x), expr_pow_int(pool, y, 2));
    Expr swapped = expr_replace(pool, e, (Expr[]){x, y}, (Expr[]){y, x}, 2);
    assert_same(swapped, expr_sub(pool, call(pool, EXPR_SIN, y), expr_pow_int(pool, x, 2)));
    // What is put in is not looked into: x → x + y, y → 2x.
    Expr both = expr_replace(pool, expr_mul(pool, x, y), (Expr[]){x, y},
                             (Expr[]){expr_add(pool, x, y), expr_add(pool, x, x)}, 2);
    assert_same(both, expr_product(pool, (Expr[]){expr_int(pool, 2), x, expr_add(pool, x, y)}, 3));
    assert_same(expr_replace(pool, e, NULL, NULL, 0), e);
    expr_pool_free(pool);
}

// Swapping twice, and renaming there and back, changes nothing.
static void renaming_comes_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        unsigned kinds = RANDOM_DIVISION | RANDOM_TRIGONOMETRY | RANDOM_FUNCTIONS;
        Expr e = random_expr(pool, &random, kinds, 8);
        Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y");
        Expr there[] = {x, y}, back[] = {y, x};
        Expr swapped = expr_replace(pool, e, there, back, 2);
        size_t poles = 0;
        Expr again = expr_replace(pool, swapped, there, back, 2);
        CHECK(seed, exact_agree(pool, seed, again, e, &poles));
        expr_pool_free(pool);
    }
}

// e with numbers put in for all symbols is a number, and the one that evaluation finds.
static void substituted_numbers_are_values(void **state)
{
    (void)state;
    static const char *names[RANDOM_SYMBOLS] = {"x", "y", "theta", "phi"};
    size_t checked = 0;
    fmpq_t value;
    fmpq_init(value);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr e = random_expr(pool, &random, RANDOM_DIVISION, 12);
        ExactPoint point = {pool, seed, NULL, NULL, 0};
        Expr symbols[RANDOM_SYMBOLS], values[RANDOM_SYMBOLS];
        for (size_t i = 0; i < RANDOM_SYMBOLS; i++) {
            symbols[i] = expr_symbol(pool, names[i]);
            exact_draw(value, &point, symbols[i].at);
            values[i] = expr_number(pool, value);
        }
        Expr number = expr_replace(pool, e, symbols, values, RANDOM_SYMBOLS);
        if (exact_value(pool, seed, e, value)) {
            CHECK(seed, expr_is_number(pool, number));
            CHECK(seed, fmpq_equal(expr_value(pool, number), value));
            checked++;
        }
        expr_pool_free(pool);
    }
    fmpq_clear(value);
    assert_true(checked > SEEDS * 9 / 10);
}

// One object, asked for many expressions, gives what a fresh one gives for each.
static void one_substitution_serves_many(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"),
         value = expr_add(pool, expr_symbol(pool, "y"), expr_int(pool, 1));
    ExprSubst *subst = expr_subst_new(pool);
    expr_subst_set(subst, x, value);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Random random = random_seed(seed);
        unsigned kinds = RANDOM_DIVISION | RANDOM_TRIGONOMETRY | RANDOM_ROOTS | RANDOM_FUNCTIONS;
        Expr e = random_expr(pool, &random, kinds, 10);
        Expr image = expr_subst(subst, e);
        CHECK(seed, expr_same(image, expr_replace(pool, e, &x, &value, 1)));
        CHECK(seed, !expr_holds(pool, image, x));
    }
    expr_subst_free(subst);
    expr_subst_free(NULL);
    expr_pool_free(pool);
}

// ---- Linear coefficients.

typedef struct {
    ExprPool *pool;
    Expr unknowns[UNKNOWNS], coefficients[UNKNOWNS], rest;
} LinearCase;

static LinearCase linear_case(void)
{
    LinearCase c = {.pool = expr_pool_new()};
    for (size_t i = 0; i < UNKNOWNS; i++)
        c.unknowns[i] = expr_symbol_new(c.pool, "u");
    return c;
}

static bool take_coefficients(LinearCase *c, Expr e)
{
    return expr_linear(c->pool, e, c->unknowns, UNKNOWNS, c->coefficients, &c->rest);
}

// e = Σ c·u + r at the point of the seed, and neither c nor r hold an unknown.
static void check_coefficients(LinearCase *c, uint64_t seed, Expr e, size_t *poles)
{
    Expr terms[UNKNOWNS + 1];
    for (size_t i = 0; i < UNKNOWNS; i++) {
        CHECK(seed, !expr_holds_any(c->pool, c->coefficients[i], c->unknowns, UNKNOWNS));
        terms[i] = expr_mul(c->pool, c->coefficients[i], c->unknowns[i]);
    }
    CHECK(seed, !expr_holds_any(c->pool, c->rest, c->unknowns, UNKNOWNS));
    terms[UNKNOWNS] = c->rest;
    Expr back = expr_sum(c->pool, terms, UNKNOWNS + 1);
    CHECK(seed, exact_agree(c->pool, seed, e, back, poles));
}

// An expression that is linear in the unknowns by the way it is made, in `steps` steps.
static Expr random_linear(LinearCase *c, Random *random, size_t steps)
{
    enum { KEPT = 4 };
    ExprPool *pool = c->pool;
    Expr kept[KEPT];
    for (size_t i = 0; i < KEPT; i++)
        kept[i] = c->unknowns[i % UNKNOWNS];
    Expr last = kept[0];
    for (size_t i = 0; i < steps; i++) {
        Expr a = kept[random_below(random, KEPT)], b = kept[random_below(random, KEPT)];
        Expr free = random_expr(pool, random, RANDOM_DIVISION | RANDOM_TRIGONOMETRY, 3);
        switch (random_below(random, 4)) {
        case 0: last = expr_add(pool, a, free); break;
        case 1: last = expr_mul(pool, a, free); break;
        case 2: last = expr_sub(pool, a, expr_mul(pool, free, b)); break;
        default:
            free = expr_add(pool, expr_int(pool, 5), expr_mul(pool, free, free));
            last = expr_div(pool, expr_add(pool, a, b), free);
        }
        kept[random_below(random, KEPT)] = last;
    }
    return last;
}

static void linear_expressions_are_taken_apart(void **state)
{
    (void)state;
    size_t poles = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        LinearCase c = linear_case();
        Random random = random_seed(seed);
        Expr e = random_linear(&c, &random, 10);
        CHECK(seed, take_coefficients(&c, e));
        check_coefficients(&c, seed, e, &poles);
        expr_pool_free(c.pool);
    }
    assert_true(poles < SEEDS / 10);
}

// The coefficient is the partial derivative, and the rest is e with all unknowns at 0.
static void coefficients_are_derivatives(void **state)
{
    (void)state;
    size_t poles = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        LinearCase c = linear_case();
        Random random = random_seed(seed);
        Expr e = random_linear(&c, &random, 8), zero = expr_int(c.pool, 0);
        CHECK(seed, take_coefficients(&c, e));
        for (size_t i = 0; i < UNKNOWNS; i++) {
            Expr partial = expr_diff(c.pool, e, c.unknowns[i]);
            CHECK(seed, exact_agree(c.pool, seed, c.coefficients[i], partial, &poles));
        }
        Expr zeros[UNKNOWNS] = {zero, zero, zero};
        Expr rest = expr_replace(c.pool, e, c.unknowns, zeros, UNKNOWNS);
        CHECK(seed, exact_agree(c.pool, seed, c.rest, rest, &poles));
        expr_pool_free(c.pool);
    }
    assert_true(poles < SEEDS / 10);
}

// Wherever a random expression is called linear, it is; and some are, some are not.
static void what_is_called_linear_is(void **state)
{
    (void)state;
    size_t linear = 0, poles = 0;
    for (uint64_t seed = 1; seed <= 3 * SEEDS; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr e = random_expr(pool, &random, RANDOM_DIVISION | RANDOM_TRIGONOMETRY, 4);
        LinearCase c = {.pool = pool};
        static const char *names[UNKNOWNS] = {"x", "y", "z"};
        for (size_t i = 0; i < UNKNOWNS; i++)
            c.unknowns[i] = expr_symbol(pool, names[i]);
        if (take_coefficients(&c, e)) {
            check_coefficients(&c, seed, e, &poles);
            linear++;
        }
        expr_pool_free(pool);
    }
    assert_in_range(linear, SEEDS / 2, 3 * SEEDS - SEEDS / 2);
}

static void what_is_not_linear_is_refused(void **state)
{
    (void)state;
    LinearCase c = linear_case();
    Expr a = c.unknowns[0], b = c.unknowns[1], y = expr_symbol(c.pool, "y");
    Expr refused[] = {expr_mul(c.pool, a, b),
                      expr_pow_int(c.pool, a, 2),
                      expr_div(c.pool, y, a),
                      expr_sqrt(c.pool, b),
                      call(c.pool, EXPR_SIN, a),
                      expr_pow(c.pool, y, a),
                      expr_add(c.pool, y, expr_mul(c.pool, a, expr_add(c.pool, b, y))),
                      expr_call(c.pool, EXPR_MAX, a, y)};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_false(take_coefficients(&c, refused[i]));
    // Not of the unknowns at all: all of it is the rest.
    Expr free = call(c.pool, EXPR_SIN, y);
    assert_true(take_coefficients(&c, free));
    assert_same(c.rest, free);
    for (size_t i = 0; i < UNKNOWNS; i++)
        assert_true(expr_is_zero(c.pool, c.coefficients[i]));
    expr_pool_free(c.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(substitution_is_simultaneous),
        cmocka_unit_test(renaming_comes_back),
        cmocka_unit_test(substituted_numbers_are_values),
        cmocka_unit_test(one_substitution_serves_many),
        cmocka_unit_test(linear_expressions_are_taken_apart),
        cmocka_unit_test(coefficients_are_derivatives),
        cmocka_unit_test(what_is_called_linear_is),
        cmocka_unit_test(what_is_not_linear_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
