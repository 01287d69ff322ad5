// test_relations.c: linear relations with constant coefficients, against those that were planted.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algebra/algebra.h"

#include <flint/flint.h>

typedef struct {
    ExprPool *pool;
    Algebra *algebra;
    Expr x, y, a, b; // a and b are the constants
} Room;

static Room room_new(void)
{
    Room room = {.pool = expr_pool_new()};
    room.algebra = algebra_new(room.pool);
    room.x = expr_symbol(room.pool, "x");
    room.y = expr_symbol(room.pool, "y");
    room.a = expr_symbol(room.pool, "a");
    room.b = expr_symbol(room.pool, "b");
    return room;
}

static void room_free(Room *room)
{
    algebra_free(room->algebra);
    expr_pool_free(room->pool);
}

static Expr call(Room *room, ExprOp op, Expr e)
{
    return expr_call(room->pool, op, e, (Expr){0});
}

static bool is_zero(Room *room, Expr e)
{
    Verdict verdict = algebra_is_zero(room->algebra, e);
    bool zero = verdict.answer == ANSWER_YES;
    verdict_clear(&verdict);
    return zero;
}

static void relations_of(Room *room, const Expr *row, size_t rows, size_t columns,
                         AlgebraRelations *found)
{
    Expr constants[] = {room->a, room->b};
    algebra_relations(room->algebra, row, rows, columns, constants, 2, found);
}

// sin², cos² and 1; and sin(x + y) among products.
static void test_relations_between_sines(void **state)
{
    (void)state;
    Room room = room_new();
    ExprPool *pool = room.pool;
    Expr s = call(&room, EXPR_SIN, room.x), c = call(&room, EXPR_COS, room.x);
    Expr t = call(&room, EXPR_SIN, room.y), d = call(&room, EXPR_COS, room.y);
    Expr row[] = {expr_int(pool, 1),        expr_pow_int(pool, s, 2),
                  expr_pow_int(pool, c, 2), expr_mul(pool, s, d),
                  expr_mul(pool, c, t),     call(&room, EXPR_SIN, expr_add(pool, room.x, room.y))};
    AlgebraRelations found;
    relations_of(&room, row, 1, 6, &found);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.unproved, 0);
    static const int64_t expected[2][6] = {{-1, 1, 1, 0, 0, 0}, {0, 0, 0, -1, -1, 1}};
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 6; j++)
            assert_true(expr_same(found.coefficients[6 * i + j], expr_int(pool, expected[i][j])));
    algebra_relations_clear(&found);
    bool independent[6], want[6] = {true, true, false, true, true, false};
    assert_true(algebra_constant_rank(room.algebra, row, 1, 6, NULL, 0, independent));
    assert_memory_equal(independent, want, sizeof want);
    room_free(&room);
}

// Coefficients that are functions of constants: (a + b)x·y − (a/b)·x² + sin(a)·y².
static void test_coefficients_of_constants(void **state)
{
    (void)state;
    Room room = room_new();
    ExprPool *pool = room.pool;
    Expr monomials[] = {expr_mul(pool, room.x, room.y), expr_pow_int(pool, room.x, 2),
                        expr_pow_int(pool, room.y, 2), room.x};
    Expr factors[] = {expr_add(pool, room.a, room.b), expr_div(pool, room.a, room.b),
                      call(&room, EXPR_SIN, room.a)};
    Expr sum = expr_int(pool, 0);
    for (size_t i = 0; i < 3; i++)
        sum = expr_add(pool, sum, expr_mul(pool, factors[i], monomials[i]));
    Expr row[] = {monomials[0], monomials[1], monomials[2], monomials[3], sum};
    AlgebraRelations found;
    relations_of(&room, row, 1, 5, &found);
    assert_int_equal(found.count, 1);
    for (size_t i = 0; i < 3; i++)
        assert_true(is_zero(&room, expr_add(pool, found.coefficients[i], factors[i])));
    assert_true(is_zero(&room, found.coefficients[3]));
    assert_true(expr_is_one(pool, found.coefficients[4]));
    algebra_relations_clear(&found);
    // With a and b free they are no constants, and nothing is left.
    algebra_relations(room.algebra, row, 1, 5, NULL, 0, &found);
    assert_int_equal(found.count + found.unproved, 0);
    algebra_relations_clear(&found);
    room_free(&room);
}

// Every row must be fulfilled: what holds in the first alone is no relation.
static void test_rows_count_together(void **state)
{
    (void)state;
    Room room = room_new();
    ExprPool *pool = room.pool;
    Expr two_x = expr_mul(pool, expr_int(pool, 2), room.x);
    Expr matrix[] = {room.x, two_x, room.y, room.y};
    AlgebraRelations found;
    relations_of(&room, matrix, 1, 2, &found);
    assert_int_equal(found.count, 1);
    algebra_relations_clear(&found);
    relations_of(&room, matrix, 2, 2, &found);
    assert_int_equal(found.count, 0);
    algebra_relations_clear(&found);
    room_free(&room);
}

// A point of a field says of a polynomial in the values what the expressions say.
static void test_points(void **state)
{
    (void)state;
    Room room = room_new();
    ExprPool *pool = room.pool;
    Expr s = call(&room, EXPR_SIN, room.x), c = call(&room, EXPR_COS, room.x);
    Expr exprs[] = {s, c, expr_mul(pool, s, c), expr_div(pool, s, c)};
    AlgebraPoints *points = algebra_points_new(room.algebra, exprs, 4);
    assert_non_null(points);
    assert_true(algebra_points_enough(points, 2, 4) > 0);
    for (int i = 0; i < 5; i++) {
        uint64_t prime;
        const uint64_t *at;
        assert_true(algebra_points_next(points, &prime, &at));
        assert_true(algebra_field_mul(at[0], at[1], prime) == at[2]);
        assert_true(algebra_field_mul(at[0], algebra_field_inverse(at[1], prime), prime) == at[3]);
        uint64_t squares =
            (algebra_field_mul(at[0], at[0], prime) + algebra_field_mul(at[1], at[1], prime)) %
            prime;
        assert_true(squares == 1);
    }
    algebra_points_free(points);
    room_free(&room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relations_between_sines),
        cmocka_unit_test(test_coefficients_of_constants),
        cmocka_unit_test(test_rows_count_together),
        cmocka_unit_test(test_points),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
