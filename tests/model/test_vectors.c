// test_vectors.c: frames and vectors against the long way round: everything turned into world
// axes and differentiated there. Equality is proved by the algebra room, never sampled.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "algebra/algebra.h"
#include "model/vectors.h"

#include <flint/flint.h>

typedef struct {
    ExprPool *pool;
    ExprRates *dt;
    Vectors *vectors;
    Algebra *algebra;
} Desk;

// A symbol with a rate of its own: "a" and "a'".
static Expr moving(Desk *desk, const char *name)
{
    char rate[16];
    snprintf(rate, sizeof rate, "%s'", name);
    Expr symbol = expr_symbol(desk->pool, name);
    expr_rates_set(desk->dt, symbol, expr_symbol(desk->pool, rate));
    return symbol;
}

static Desk desk_new(void)
{
    Desk desk = {.pool = expr_pool_new()};
    desk.dt = expr_rates_new(desk.pool);
    desk.vectors = vectors_new(desk.pool, desk.dt);
    desk.algebra = algebra_new(desk.pool);
    return desk;
}

static void desk_free(Desk *desk)
{
    algebra_free(desk->algebra);
    vectors_free(desk->vectors);
    expr_rates_free(desk->dt);
    expr_pool_free(desk->pool);
}

static Expr number(Desk *desk, int64_t value)
{
    return expr_int(desk->pool, value);
}

static Vec vec(Desk *desk, int64_t x, int64_t y, int64_t z)
{
    return (Vec){number(desk, x), number(desk, y), number(desk, z)};
}

static void assert_zero(Desk *desk, Expr e)
{
    Verdict verdict = algebra_is_zero(desk->algebra, e);
    assert_int_equal(verdict.answer, ANSWER_YES);
    verdict_clear(&verdict);
}

static void assert_equal(Desk *desk, Expr a, Expr b)
{
    assert_zero(desk, expr_sub(desk->pool, a, b));
}

static void assert_vec_equal(Desk *desk, Vec a, Vec b)
{
    assert_equal(desk, a.x, b.x);
    assert_equal(desk, a.y, b.y);
    assert_equal(desk, a.z, b.z);
}

static Vec in_world(Desk *desk, Vector v)
{
    return vector_in(desk->vectors, v, (Frame){0});
}

static Vec rate_in_world(Desk *desk, Vector v)
{
    Vec world = in_world(desk, v);
    return (Vec){expr_rate(desk->dt, world.x), expr_rate(desk->dt, world.y),
                 expr_rate(desk->dt, world.z)};
}

// Two branches below world, with every kind of turn in them.
typedef struct {
    Frame at[5];
} Tree;

static Tree make_tree(Desk *desk)
{
    Expr third = expr_ratio(desk->pool, 1, 3), two = expr_ratio(desk->pool, 2, 3);
    Tree tree;
    tree.at[0] = frame_turned(desk->vectors, (Frame){0}, moving(desk, "a"), vec(desk, 0, 0, 1));
    tree.at[1] = frame_turned(desk->vectors, tree.at[0], moving(desk, "b"), vec(desk, 1, 0, 0));
    tree.at[2] = frame_turned(desk->vectors, tree.at[1], moving(desk, "c"),
                              (Vec){third, two, expr_neg(desk->pool, two)});
    tree.at[3] = frame_turned(desk->vectors, tree.at[0], moving(desk, "d"), vec(desk, 0, 1, 0));
    Expr e[] = {moving(desk, "e0"), moving(desk, "e1"), moving(desk, "e2"), moving(desk, "e3")};
    tree.at[4] = frame_quaternion(desk->vectors, tree.at[3], e);
    return tree;
}

static Vector moving_part(Desk *desk, Frame frame, const char *name)
{
    return vector_of(desk->vectors, frame,
                     (Vec){moving(desk, name), number(desk, 2), number(desk, -1)});
}

// d/dt along the frames is d/dt in world.
static void test_rates(void **state)
{
    (void)state;
    Desk desk = desk_new();
    Tree tree = make_tree(&desk);
    for (int i = 0; i < 5; i++) {
        Vector v = moving_part(&desk, tree.at[i], "u");
        assert_vec_equal(&desk, in_world(&desk, vector_rate(desk.vectors, v)),
                         rate_in_world(&desk, v));
    }
    desk_free(&desk);
}

// Axes stay orthonormal, and each turns with ω: e' = ω × e.
static void test_axes_turn_with_omega(void **state)
{
    (void)state;
    Desk desk = desk_new();
    Tree tree = make_tree(&desk);
    for (int i = 0; i < 5; i++) {
        Vector axes[3];
        for (int j = 0; j < 3; j++)
            axes[j] = vector_of(desk.vectors, tree.at[i], vec(&desk, j == 0, j == 1, j == 2));
        for (int j = 0; j < 3; j++) {
            Vec one = in_world(&desk, axes[j]), next = in_world(&desk, axes[(j + 1) % 3]);
            Expr length = vector_dot(desk.vectors, vector_of(desk.vectors, (Frame){0}, one),
                                     vector_of(desk.vectors, (Frame){0}, one));
            assert_equal(&desk, length, number(&desk, 1));
            assert_zero(&desk, vector_dot(desk.vectors, vector_of(desk.vectors, (Frame){0}, one),
                                          vector_of(desk.vectors, (Frame){0}, next)));
            Vector turning =
                vector_cross(desk.vectors, frame_omega(desk.vectors, tree.at[i]), axes[j]);
            assert_vec_equal(&desk, in_world(&desk, turning), rate_in_world(&desk, axes[j]));
        }
    }
    desk_free(&desk);
}

// Sums, products and components do not depend on the frame they are taken in.
static void test_products(void **state)
{
    (void)state;
    Desk desk = desk_new();
    Tree tree = make_tree(&desk);
    Vectors *vectors = desk.vectors;
    Vector u = moving_part(&desk, tree.at[2], "u"), v = moving_part(&desk, tree.at[3], "v");
    Vec a = in_world(&desk, u), b = in_world(&desk, v);
    Vector world_u = vector_of(vectors, (Frame){0}, a), world_v = vector_of(vectors, (Frame){0}, b);
    assert_equal(&desk, vector_dot(vectors, u, v), vector_dot(vectors, world_u, world_v));
    assert_vec_equal(&desk, in_world(&desk, vector_cross(vectors, u, v)),
                     in_world(&desk, vector_cross(vectors, world_u, world_v)));
    Vector sum = vector_add(vectors, u, v);
    Vec through = vector_in(vectors, sum, tree.at[1]);
    Vec back = in_world(&desk, vector_of(vectors, tree.at[1], through));
    assert_equal(&desk, back.x, expr_add(desk.pool, a.x, b.x));
    assert_equal(&desk, back.y, expr_add(desk.pool, a.y, b.y));
    assert_equal(&desk, back.z, expr_add(desk.pool, a.z, b.z));
    desk_free(&desk);
}

// What cancels is gone before anything is turned.
static void test_cancelling(void **state)
{
    (void)state;
    Desk desk = desk_new();
    Tree tree = make_tree(&desk);
    Vector base = moving_part(&desk, (Frame){0}, "x");
    Vector arm = moving_part(&desk, tree.at[2], "u");
    Vector tip = vector_add(desk.vectors, base, arm);
    Vector back = vector_sub(desk.vectors, tip, base);
    assert_int_equal(vector_home(desk.vectors, back).at, tree.at[2].at);
    Vec parts = vector_in(desk.vectors, back, tree.at[2]);
    assert_int_equal(parts.x.at, expr_symbol(desk.pool, "u").at);
    assert_true(vector_is_zero(desk.vectors, vector_sub(desk.vectors, tip, tip)));
    desk_free(&desk);
}

// (δ + r)·n + (δ × r)·m + δ·m, n, r and m along other axes each.
static Expr work_of(Desk *desk, Vector shift, const Frame *frames)
{
    Vectors *vectors = desk->vectors;
    Vector n = vector_of(vectors, frames[2], vec(desk, 1, 2, 0));
    Vector r = vector_of(vectors, frames[1], vec(desk, 0, 1, 3));
    Vector m = vector_of(vectors, frames[3], vec(desk, 2, 0, 1));
    const Expr terms[] = {vector_dot(vectors, vector_add(vectors, shift, r), n),
                          vector_dot(vectors, vector_cross(vectors, shift, r), m),
                          vector_dot(vectors, shift, m)};
    return expr_sum(desk->pool, terms, 3);
}

// The derivative by an arbitrary vector, gathered from the axes of all frames in which it was asked
// for, is that by three numbers along world's axes. So is that by its rate.
static void test_arbitrary(void **state)
{
    (void)state;
    Desk desk = desk_new();
    Vectors *vectors = desk.vectors;
    ExprPool *pool = desk.pool;
    Frame frames[4] = {{0}}, frame;
    frames[1] = frame_turned(vectors, frames[0], moving(&desk, "a"), vec(&desk, 0, 0, 1));
    frames[2] = frame_turned(vectors, frames[1], moving(&desk, "b"), vec(&desk, 1, 0, 0));
    frames[3] = frame_turned(vectors, frames[1], moving(&desk, "c"), vec(&desk, 0, 1, 0));
    Vec fixed = {moving(&desk, "x"), moving(&desk, "y"), moving(&desk, "z")};
    Vec rates = {expr_rate(desk.dt, fixed.x), expr_rate(desk.dt, fixed.y),
                 expr_rate(desk.dt, fixed.z)};
    Vector shift = vector_arbitrary(vectors, "shift", "shift'");
    Vector world = vector_of(vectors, frames[0], fixed), rate = vector_rate(vectors, shift);
    assert_int_equal(vector_rate(vectors, shift).at, rate.at);
    for (int by_rate = 0; by_rate < 2; by_rate++) {
        Expr own = work_of(&desk, by_rate ? rate : shift, frames);
        Expr other = work_of(&desk, by_rate ? vector_rate(vectors, world) : world, frames);
        Vector sum = vector_zero(vectors);
        Vec parts, along, expected;
        size_t views = 0;
        for (; vector_known_view(vectors, by_rate ? rate : shift, views, &frame, &parts); views++) {
            expr_gradient(pool, own, &parts.x, 3, &along.x);
            sum = vector_add(vectors, sum, vector_of(vectors, frame, along));
        }
        assert_true(views > 2);
        expr_gradient(pool, other, by_rate ? &rates.x : &fixed.x, 3, &expected.x);
        assert_vec_equal(&desk, vector_in(vectors, sum, frames[0]), expected);
        // The time changes the components by those of the rate.
        for (size_t i = 0; !by_rate && vector_known_view(vectors, shift, i, &frame, &parts); i++)
            assert_true(expr_same(expr_rate(desk.dt, parts.y), vector_in(vectors, rate, frame).y));
    }
    desk_free(&desk);
}

// The speed of the last point of a chain of n links costs in proportion to n.
static size_t chain_size(int links, bool nested)
{
    Desk desk = desk_new();
    Vectors *vectors = desk.vectors;
    Frame frame = {0};
    Vector tip = vector_zero(vectors);
    size_t before = expr_pool_size(desk.pool);
    for (int i = 0; i < links; i++) {
        char name[16];
        snprintf(name, sizeof name, "q%d", i);
        Vec axis = i % 2 ? vec(&desk, 0, 0, 1) : vec(&desk, 1, 0, 0);
        Frame parent = nested ? frame : (Frame){0};
        frame = frame_turned(vectors, parent, moving(&desk, name), axis);
        tip = vector_add(vectors, tip, vector_of(vectors, frame, vec(&desk, 0, 1, 1)));
        Vector velocity = vector_rate(vectors, tip);
        vector_dot(vectors, velocity, velocity);
    }
    size_t size = expr_pool_size(desk.pool) - before;
    desk_free(&desk);
    return size;
}

static void test_chains_grow_linearly(void **state)
{
    (void)state;
    for (int nested = 0; nested < 2; nested++) {
        size_t small = chain_size(40, nested), large = chain_size(80, nested);
        assert_true(large < 5 * small / 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),     cmocka_unit_test(test_axes_turn_with_omega),
        cmocka_unit_test(test_products),  cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_arbitrary), cmocka_unit_test(test_chains_grow_linearly),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
