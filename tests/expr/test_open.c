// Open functions: derivatives and substitution against a body that is given before or after.
#include "expr/expr.h"

#include "../random_expr.h"
#include "ball_value.h"
#include "check.h"
#include "expr/open_functions.h"

enum { SEEDS = 300, STEPS = 8 };

// x and y stand for the first and second argument in these bodies.
static Expr body_of(ExprPool *pool, const char *name, Expr x, Expr y)
{
    Expr none = {0};
    if (name[0] == 'f')
        return expr_add(pool, expr_call(pool, EXPR_SIN, x, none), expr_pow_int(pool, x, 3));
    Expr inner = expr_add(pool, expr_mul(pool, expr_int(pool, 2), x), expr_pow_int(pool, y, 2));
    return expr_mul(pool, expr_call(pool, EXPR_EXP, inner, none), y);
}

// The derivative of a body, at arguments.
static Expr body_at(ExprPool *pool, const ExprOpen *open, const Expr *args)
{
    Expr slots[] = {expr_symbol(pool, "first"), expr_symbol(pool, "second")};
    Expr body = body_of(pool, open->name, slots[0], slots[1]);
    for (uint32_t i = 0; i < open->order; i++)
        body = expr_diff(pool, body, slots[open->by[i]]);
    return expr_replace(pool, body, slots, args, open->arity);
}

// e with bodies in the place of its open functions.
static Expr closed(ExprPool *pool, Expr e)
{
    ExprList nodes = expr_nodes(pool, &e, 1);
    Expr *image = base_alloc((expr_pool_size(pool) + 1) * sizeof *image);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]}, args[64];
        size_t count = expr_arg_count(pool, node);
        assert_true(count < 64);
        for (size_t k = 0; k < count; k++)
            args[k] = image[expr_arg(pool, node, k).at];
        image[node.at] = expr_op(pool, node) == EXPR_OPEN
                             ? body_at(pool, expr_open_of(pool, node), args)
                             : expr_rebuild(pool, node, args);
    }
    Expr result = image[e.at];
    base_free(image);
    expr_list_free(&nodes);
    return result;
}

// An expression with f(…), U(…, …) and their derivatives in it, some inside others.
static Expr random_open(ExprPool *pool, Random *random)
{
    Expr e = random_expr(pool, random, RANDOM_DIVISION | RANDOM_TRIGONOMETRY, STEPS);
    for (int i = 0; i < 3; i++) {
        Expr args[] = {random_below(random, 2) ? e : random_symbol(pool, random),
                       random_expr(pool, random, RANDOM_DIVISION, 2)};
        size_t arity = 1 + random_below(random, 2), order = random_below(random, 3);
        uint32_t by[] = {(uint32_t)random_below(random, arity),
                         (uint32_t)random_below(random, arity)};
        Expr open = expr_open(pool, arity == 1 ? "f" : "U", by, order, args, arity);
        e = random_join(pool, random, RANDOM_DIVISION, open, random_symbol(pool, random));
    }
    return e;
}

// The same number, in balls of 300 bits: the graphs may differ in how they are multiplied out. A
// value that overflows, or is known to fewer than 100 bits, is vague and says nothing.
static bool same_value(ExprPool *pool, Expr a, Expr b, size_t *vague)
{
    static const char *const names[] = {"x", "y", "theta", "phi"};
    Expr symbols[4];
    arb_ptr at = _arb_vec_init(4);
    for (slong i = 0; i < 4; i++) {
        symbols[i] = expr_symbol(pool, names[i]);
        arb_set_ui(at + i, 2 * (ulong)i + 1);
        arb_div_ui(at + i, at + i, 31, BALL_BITS);
    }
    arb_t one, other;
    arb_init(one);
    arb_init(other);
    ball_value(pool, a, symbols, at, 4, one);
    ball_value(pool, b, symbols, at, 4, other);
    bool sharp = arb_is_finite(one) && arb_is_finite(other) &&
                 (arb_rel_accuracy_bits(one) > 100 || arb_contains_zero(one));
    *vague += !sharp;
    bool same = !sharp || arb_overlaps(one, other);
    arb_clear(one);
    arb_clear(other);
    _arb_vec_clear(at, 4);
    return same;
}

static void giving_a_body_commutes_with_derivatives(void **state)
{
    (void)state;
    size_t vague = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr e = random_open(pool, &random), x = random_symbol(pool, &random), partial;
        Expr forward = closed(pool, expr_diff(pool, e, x));
        expr_gradient(pool, e, &x, 1, &partial);
        Expr backward = closed(pool, partial);
        Expr wanted = expr_diff(pool, closed(pool, e), x);
        CHECK(seed, same_value(pool, forward, wanted, &vague));
        CHECK(seed, same_value(pool, backward, wanted, &vague));
        expr_pool_free(pool);
    }
    assert_true(vague < SEEDS / 5);
}

static void giving_a_body_commutes_with_substitution(void **state)
{
    (void)state;
    size_t vague = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr e = random_open(pool, &random), x = random_symbol(pool, &random);
        Expr value = random_expr(pool, &random, RANDOM_DIVISION, 3);
        Expr after = closed(pool, expr_replace(pool, e, &x, &value, 1));
        Expr before = expr_replace(pool, closed(pool, e), &x, &value, 1);
        CHECK(seed, same_value(pool, after, before, &vague));
        expr_pool_free(pool);
    }
    assert_true(vague < SEEDS / 5);
}

static void assert_printed(ExprPool *pool, Expr e, const char *wanted)
{
    Text text = {0};
    expr_print(pool, e, &text);
    assert_string_equal(text.at, wanted);
    text_clear(&text);
}

static void derivatives_are_spelled_by_their_arguments(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y"), args[] = {x, y};
    Expr f = expr_open(pool, "f", NULL, 0, &x, 1), U = expr_open(pool, "U", NULL, 0, args, 2);
    assert_printed(pool, f, "f(x)");
    assert_printed(pool, expr_diff(pool, expr_diff(pool, f, x), x), "f\'\'(x)");
    assert_printed(pool, expr_diff(pool, expr_diff(pool, U, y), x), "U'[1,2](x, y)");
    // Schwarz: the order does not matter. Other names, other numbers of arguments: other functions.
    assert_true(expr_same(expr_diff(pool, expr_diff(pool, U, y), x),
                          expr_diff(pool, expr_diff(pool, U, x), y)));
    assert_false(expr_same(f, expr_open(pool, "U", NULL, 0, &x, 1)));
    assert_true(expr_is_zero(pool, expr_diff(pool, f, y)));
    assert_true(expr_same(expr_find_open(pool, &f, 1), f));
    assert_true(expr_is_none(expr_find_open(pool, &x, 1)));
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(giving_a_body_commutes_with_derivatives),
        cmocka_unit_test(giving_a_body_commutes_with_substitution),
        cmocka_unit_test(derivatives_are_spelled_by_their_arguments),
    };
    return cmocka_run_group_tests_name("expr/open", tests, NULL, NULL);
}
