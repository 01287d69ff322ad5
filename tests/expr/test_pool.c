// The pool: equal means same index, children lie below parents, the same work gives the same
// bytes; and the passes that list nodes and symbols.
#include "expr/expr.h"

#include "../random_expr.h"
#include "check.h"

#include <string.h>

enum { ALL_KINDS = RANDOM_DIVISION | RANDOM_TRIGONOMETRY | RANDOM_ROOTS | RANDOM_FUNCTIONS };

static void leaves_are_interned(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    assert_same(expr_symbol(pool, "x"), expr_symbol(pool, "x"));
    assert_true(expr_symbol(pool, "x").at != expr_symbol(pool, "y").at);
    Expr fresh = expr_symbol_new(pool, "x");
    assert_true(fresh.at != expr_symbol(pool, "x").at);
    assert_true(fresh.at != expr_symbol_new(pool, "x").at);
    assert_string_equal(expr_name(pool, fresh), "x");
    assert_same(expr_ratio(pool, 6, 4), expr_ratio(pool, 3, 2));
    assert_same(expr_ratio(pool, -6, 3), expr_int(pool, -2));
    assert_same(expr_pi(pool), expr_pi(pool));
    assert_true(expr_is_zero(pool, expr_ratio(pool, 0, 7)));
    assert_true(expr_is_one(pool, expr_ratio(pool, 7, 7)));
    assert_same(expr_int(pool, INT64_MIN), expr_int(pool, INT64_MIN));
    assert_true(expr_int(pool, INT64_MIN).at != expr_int(pool, INT64_MAX).at);
    expr_pool_free(pool);
    expr_pool_free(NULL);
}

static void many_leaves_stay_apart(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    ExprPool *pool = expr_pool_new();
    uint32_t *at = base_alloc(MANY * sizeof *at);
    for (int64_t i = 0; i < MANY; i++)
        at[i] = expr_ratio(pool, i - 50, 1 + i % 7).at;
    for (int64_t i = 0; i < MANY; i++) {
        assert_int_equal(expr_ratio(pool, i - 50, 1 + i % 7).at, at[i]);
        fmpq_t value;
        fmpq_init(value);
        fmpq_set_si(value, i - 50, (ulong)(1 + i % 7));
        assert_true(fmpq_equal(expr_value(pool, (Expr){at[i]}), value));
        fmpq_clear(value);
    }
    base_free(at);
    expr_pool_free(pool);
}

// Numbers of a thousand digits are interned like small ones.
static void huge_numbers_are_interned(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr ten = expr_int(pool, 10), one = expr_int(pool, 1);
    Expr huge = expr_pow_int(pool, ten, 1000);
    assert_true(expr_is_number(pool, huge));
    assert_same(expr_mul(pool, expr_pow_int(pool, ten, 400), expr_pow_int(pool, ten, 600)), huge);
    assert_true(expr_add(pool, huge, one).at != huge.at);
    assert_same(expr_sub(pool, expr_add(pool, huge, one), huge), one);
    assert_same(expr_mul(pool, huge, expr_pow_int(pool, ten, -1000)), one);
    assert_true(expr_neg(pool, huge).at != huge.at);
    expr_pool_free(pool);
}

static void children_lie_below_parents(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    for (uint64_t seed = 1; seed <= 200; seed++) {
        Random random = random_seed(seed);
        Expr e = random_expr(pool, &random, ALL_KINDS, 30);
        expr_diff(pool, e, random_symbol(pool, &random));
    }
    size_t size = expr_pool_size(pool);
    for (uint32_t i = 1; i <= size; i++)
        for (size_t j = 0; j < expr_arg_count(pool, (Expr){i}); j++)
            assert_true(expr_arg(pool, (Expr){i}, j).at < i);
    assert_true(expr_pool_bytes(pool) > size * 8);
    expr_pool_free(pool);
}

// No two nodes of a pool look the same.
static void no_node_is_there_twice(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    for (uint64_t seed = 1; seed <= 60; seed++) {
        Random random = random_seed(seed);
        random_expr(pool, &random, ALL_KINDS, 20);
    }
    NameMap *seen = name_map_new();
    for (uint32_t i = 1; i <= expr_pool_size(pool); i++) {
        Expr e = {i};
        ExprOp op = expr_op(pool, e);
        if (op == EXPR_SYMBOL)
            continue;
        Text look = {0};
        char *value = fmpq_get_str(NULL, 10, expr_value(pool, e));
        text_addf(&look, "%d %s", (int)op, value);
        flint_free(value);
        for (size_t j = 0; j < expr_arg_count(pool, e); j++) {
            char *weight = fmpq_get_str(NULL, 10, expr_arg_weight(pool, e, j));
            text_addf(&look, " %u:%s", expr_arg(pool, e, j).at, weight);
            flint_free(weight);
        }
        assert_true(name_map_put(seen, (Str){look.at, look.length}, i));
        text_clear(&look);
    }
    name_map_free(seen);
    expr_pool_free(pool);
}

// Making an expression again makes nothing new.
static void same_construction_gives_same_index(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr first = random_expr(pool, &random, ALL_KINDS, 25);
        size_t size = expr_pool_size(pool);
        random = random_seed(seed);
        Expr second = random_expr(pool, &random, ALL_KINDS, 25);
        CHECK(seed, expr_same(first, second));
        CHECK(seed, expr_pool_size(pool) == size);
        expr_pool_free(pool);
    }
}

// Two pools, worked on in turns, do not see each other.
static void two_pools_give_the_same_bytes(void **state)
{
    (void)state;
    ExprPool *pools[2] = {expr_pool_new(), expr_pool_new()};
    for (uint64_t seed = 1; seed <= 100; seed++) {
        Expr made[2], rate[2];
        Text text[2] = {{0}};
        for (size_t i = 0; i < 2; i++) {
            Random random = random_seed(seed);
            made[i] = random_expr(pools[i], &random, ALL_KINDS, 12);
            rate[i] = expr_diff(pools[i], made[i], random_symbol(pools[i], &random));
            expr_print(pools[i], made[i], &text[i]);
            expr_print(pools[i], rate[i], &text[i]);
        }
        CHECK(seed, expr_same(made[0], made[1]));
        CHECK(seed, expr_same(rate[0], rate[1]));
        CHECK(seed, expr_pool_size(pools[0]) == expr_pool_size(pools[1]));
        CHECK(seed, strcmp(text[0].at, text[1].at) == 0);
        text_clear(&text[0]);
        text_clear(&text[1]);
    }
    expr_pool_free(pools[0]);
    expr_pool_free(pools[1]);
}

// ---- Walking.

// Each node once, all of its children before it, all roots in it, nothing else.
static void nodes_come_children_first(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    for (uint64_t seed = 1; seed <= 200; seed++) {
        Random random = random_seed(seed);
        Expr roots[3];
        for (size_t i = 0; i < 3; i++)
            roots[i] = random_expr(pool, &random, ALL_KINDS, 15);
        size_t size = expr_pool_size(pool) + 1, needed = 3;
        bool *seen = base_alloc(size), *wanted = base_alloc(size);
        ExprList nodes = expr_nodes(pool, roots, 3);
        for (size_t i = 0; i < nodes.count; i++) {
            Expr e = {nodes.at[i]};
            CHECK(seed, !seen[e.at]);
            for (size_t j = 0; j < expr_arg_count(pool, e); j++) {
                CHECK(seed, seen[expr_arg(pool, e, j).at]);
                wanted[expr_arg(pool, e, j).at] = true;
            }
            seen[e.at] = true;
        }
        for (size_t i = 0; i < 3; i++) {
            needed -= seen[roots[i].at];
            wanted[roots[i].at] = true;
        }
        CHECK(seed, needed == 0);
        CHECK(seed, memcmp(seen, wanted, size) == 0);
        base_free(seen);
        base_free(wanted);
        expr_list_free(&nodes);
    }
    expr_pool_free(pool);
}

static void symbols_come_in_the_order_they_were_made(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y"), z = expr_symbol(pool, "z");
    Expr first = expr_mul(pool, z, expr_call(pool, EXPR_ATAN2, x, z));
    Expr roots[] = {first, expr_int(pool, 3)};
    ExprList symbols = expr_symbols(pool, roots, 2);
    assert_int_equal(symbols.count, 2);
    assert_int_equal(symbols.at[0], x.at);
    assert_int_equal(symbols.at[1], z.at);
    expr_list_free(&symbols);
    symbols = expr_symbols(pool, &roots[1], 1);
    assert_int_equal(symbols.count, 0);
    expr_list_free(&symbols);
    assert_true(expr_holds(pool, first, x));
    assert_false(expr_holds(pool, first, y));
    assert_true(expr_holds_any(pool, first, (Expr[]){y, z}, 2));
    assert_false(expr_holds_any(pool, first, &y, 1));
    assert_false(expr_holds_any(pool, first, NULL, 0));
    expr_pool_free(pool);
}

// What an expression holds is what a substitution changes.
static void held_symbols_are_those_that_matter(void **state)
{
    (void)state;
    static const char *names[RANDOM_SYMBOLS] = {"x", "y", "theta", "phi"};
    ExprPool *pool = expr_pool_new();
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Random random = random_seed(seed);
        Expr e = random_expr(pool, &random, ALL_KINDS, 4);
        ExprList symbols = expr_symbols(pool, &e, 1);
        size_t held = 0;
        for (size_t i = 0; i < RANDOM_SYMBOLS; i++) {
            Expr symbol = expr_symbol(pool, names[i]), other = expr_symbol_new(pool, "other");
            bool holds = expr_holds(pool, e, symbol);
            held += holds;
            CHECK(seed, holds == !expr_same(expr_replace(pool, e, &symbol, &other, 1), e));
        }
        CHECK(seed, held == symbols.count);
        expr_list_free(&symbols);
    }
    expr_pool_free(pool);
}

// ---- The table of operations.

static void words_lead_to_operations(void **state)
{
    (void)state;
    static const char *words[] = {"sin",  "cos",  "tan", "asin", "acos", "atan", "atan2", "sinh",
                                  "cosh", "tanh", "exp", "log",  "abs",  "sign", "min",   "max"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ExprOp op;
        assert_true(expr_op_find(str_of(words[i]), &op));
        assert_string_equal(expr_op_name(op), words[i]);
        bool two = strcmp(words[i], "atan2") == 0 || words[i][0] == 'm';
        assert_int_equal(expr_op_arity(op), two ? 2 : 1);
    }
    ExprOp op;
    static const char *others[] = {"", "sine", "si", "sum", "product", "pow", "number", "none"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(expr_op_find(str_of(others[i]), &op));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_are_interned),
        cmocka_unit_test(many_leaves_stay_apart),
        cmocka_unit_test(huge_numbers_are_interned),
        cmocka_unit_test(children_lie_below_parents),
        cmocka_unit_test(no_node_is_there_twice),
        cmocka_unit_test(same_construction_gives_same_index),
        cmocka_unit_test(two_pools_give_the_same_bytes),
        cmocka_unit_test(nodes_come_children_first),
        cmocka_unit_test(symbols_come_in_the_order_they_were_made),
        cmocka_unit_test(held_symbols_are_those_that_matter),
        cmocka_unit_test(words_lead_to_operations),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
