// What expr_print writes is read back as the same node of the pool: seeded random expressions
// over every function of the language.
#include "expr/expr.h"
#include "expr/open_functions.h"
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static Expr read_back(ExprPool *pool, const char *text)
{
    Source *source = source_new("printed", text, strlen(text));
    Diag *diag = diag_new();
    Expr value;
    Status status = model_read_expression(pool, source, diag, &value);
    if (status != STATUS_OK) {
        Text messages = {0};
        diag_render(diag, DIAG_NOTE, &messages);
        print_message("%s", messages.at);
        text_clear(&messages);
    }
    assert_int_equal(status, STATUS_OK);
    diag_free(diag);
    source_free(source);
    return value;
}

static Expr random_leaf(ExprPool *pool, Random *random)
{
    static const char *const names[] = {"x",        "x'", "x''",         "theta",         "q[2]'",
                                        "h[1,2,3]", "t",  "lambda.edge", "lambda.c[2].x", "e1"};
    switch (random_below(random, 6)) {
    case 0: return expr_pi(pool);
    case 1:
        return expr_ratio(pool, (int64_t)random_below(random, 41) - 20,
                          1 + (int64_t)random_below(random, 6));
    default: return expr_symbol(pool, names[random_below(random, sizeof names / sizeof *names)]);
    }
}

static Expr random_function(ExprPool *pool, Random *random, Expr a, Expr b)
{
    for (;;) {
        ExprOp op = (ExprOp)random_below(random, EXPR_OP_COUNT);
        // The logistic function is what programs are made of; a model has no word for it.
        if (expr_op_arity(op) == 1 && op != EXPR_LOGISTIC)
            return expr_call(pool, op, a, (Expr){0});
        if (expr_op_arity(op) == 2 && op != EXPR_POW)
            return expr_call(pool, op, a, b);
        if (op == EXPR_OPEN) {
            Expr args[] = {a, b, a};
            size_t arity = 1 + random_below(random, 3);
            uint32_t by[3];
            for (size_t i = 0; i < 3; i++)
                by[i] = (uint32_t)random_below(random, arity);
            const char *name = random_below(random, 2) ? "f" : "U1";
            return expr_open(pool, name, by, random_below(random, 4), args, arity);
        }
    }
}

static Expr random_step(ExprPool *pool, Random *random, Expr a, Expr b)
{
    Expr many[12];
    switch (random_below(random, 10)) {
    case 0: return expr_add(pool, a, b);
    case 1: return expr_sub(pool, a, b);
    case 2: return expr_mul(pool, a, b);
    case 3: return expr_is_zero(pool, b) ? a : expr_div(pool, a, b);
    case 4: return expr_pow_int(pool, a, 1 + (int64_t)random_below(random, 4));
    case 5:
        return expr_is_zero(pool, a)
                   ? b
                   : expr_pow(pool, a, expr_ratio(pool, (int64_t)random_below(random, 9) - 4, 2));
    case 6: return expr_is_number(pool, a) ? a : expr_pow(pool, a, b);
    case 7:
        for (size_t i = 0; i < 12; i++)
            many[i] = expr_mul(pool, i % 2 ? a : b, random_leaf(pool, random));
        return expr_sum(pool, many, 12);
    case 8:
        for (size_t i = 0; i < 12; i++)
            many[i] = expr_pow_int(pool, i % 2 ? a : random_leaf(pool, random),
                                   1 + (int64_t)random_below(random, 3));
        return expr_product(pool, many, 12);
    default: return random_function(pool, random, a, b);
    }
}

static void printed_expressions_are_read_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        Random random = random_seed(seed);
        ExprPool *pool = expr_pool_new();
        enum { KEPT = 5 };
        Expr kept[KEPT];
        for (size_t i = 0; i < KEPT; i++)
            kept[i] = random_leaf(pool, &random);
        Expr last = kept[0];
        size_t steps = 1 + random_below(&random, 10);
        for (size_t i = 0; i < steps; i++) {
            last = random_step(pool, &random, kept[random_below(&random, KEPT)],
                               kept[random_below(&random, KEPT)]);
            kept[random_below(&random, KEPT)] = last;
        }
        Text text = {0};
        expr_print(pool, last, &text);
        Expr back = read_back(pool, text.at);
        if (!expr_same(back, last)) {
            Text again = {0};
            expr_print(pool, back, &again);
            print_message("seed %llu: %s is read as %s\n", (unsigned long long)seed, text.at,
                          again.at);
            text_clear(&again);
        }
        assert_true(expr_same(back, last));
        text_clear(&text);
        expr_pool_free(pool);
    }
}

static void every_function_is_read_back(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "theta'");
    for (int op = 0; op < EXPR_OP_COUNT; op++) {
        int arity = expr_op_arity((ExprOp)op);
        if (arity < 1 || op == EXPR_POW || op == EXPR_OPEN || op == EXPR_LOGISTIC)
            continue;
        Expr call = expr_call(pool, (ExprOp)op, x, arity == 2 ? y : (Expr){0});
        Text text = {0};
        expr_print(pool, call, &text);
        assert_true(expr_same(read_back(pool, text.at), call));
        text_clear(&text);
    }
    expr_pool_free(pool);
}

static void spellings_of_one_expression(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    static const char *const pairs[][2] = {
        {"sqrt(x)", "x^(1/2)"},
        {"0.1", "1/10"},
        {"1e-3*x", "x/1000"},
        {"θ′″", "theta'''"},
        {"ω₁·x − 2", "omega1*x - 2"},
        {"a - (b - c)", "a - b + c"},
        {"-x^2", "-(x*x)"},
        {"2^-1", "1/2"},
        {"max(a, b, c)", "max(max(a, b), c)"},
        {"sum(i in 1..3, i*x^i)", "x + 2*x^2 + 3*x^3"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_true(expr_same(read_back(pool, pairs[i][0]), read_back(pool, pairs[i][1])));
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_expressions_are_read_back),
        cmocka_unit_test(every_function_is_read_back),
        cmocka_unit_test(spellings_of_one_expression),
    };
    return cmocka_run_group_tests_name("model/print_parse", tests, NULL, NULL);
}
