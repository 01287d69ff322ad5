// rewriting.h: seeded random rewriting that keeps the value of an expression.
#ifndef ZWANG_TESTS_REWRITING_H
#define ZWANG_TESTS_REWRITING_H

#include "../random_expr.h"

static inline Expr rewriting_call(ExprPool *pool, ExprOp op, Expr a)
{
    return expr_call(pool, op, a, (Expr){0});
}

// sin(a + b) and cos(a + b) by the theorems of addition; a is a term, or half of one.
static inline Expr rewriting_addition(ExprPool *pool, Expr e)
{
    Expr argument = expr_arg(pool, e, 0), a;
    if (expr_op(pool, argument) == EXPR_SUM)
        a = expr_mul(pool, expr_number(pool, expr_arg_weight(pool, argument, 0)),
                     expr_arg(pool, argument, 0));
    else
        a = expr_mul(pool, expr_ratio(pool, 1, 2), argument);
    Expr b = expr_sub(pool, argument, a);
    Expr sa = rewriting_call(pool, EXPR_SIN, a), ca = rewriting_call(pool, EXPR_COS, a);
    Expr sb = rewriting_call(pool, EXPR_SIN, b), cb = rewriting_call(pool, EXPR_COS, b);
    if (expr_op(pool, e) == EXPR_SIN)
        return expr_add(pool, expr_mul(pool, sa, cb), expr_mul(pool, ca, sb));
    return expr_sub(pool, expr_mul(pool, ca, cb), expr_mul(pool, sa, sb));
}

// The first sum among the factors, multiplied out.
static inline Expr rewriting_expand(ExprPool *pool, Expr e)
{
    for (size_t k = 0; k < expr_arg_count(pool, e); k++) {
        Expr sum = expr_arg(pool, e, k);
        const fmpq *power = expr_arg_weight(pool, e, k);
        if (expr_op(pool, sum) != EXPR_SUM || fmpq_sgn(power) < 0 || !fmpz_is_one(&power->den))
            continue;
        Expr rest = expr_div(pool, e, sum);
        Expr result = expr_mul(pool, rest, expr_number(pool, expr_value(pool, sum)));
        for (size_t i = 0; i < expr_arg_count(pool, sum); i++) {
            Expr weight = expr_number(pool, expr_arg_weight(pool, sum, i));
            Expr term = expr_product(pool, (Expr[]){weight, expr_arg(pool, sum, i), rest}, 3);
            result = expr_add(pool, result, term);
        }
        return result;
    }
    return e;
}

static inline Expr rewriting_one(ExprPool *pool, Random *random)
{
    Expr angle = random_angle(pool, random);
    Expr s = rewriting_call(pool, EXPR_SIN, angle), c = rewriting_call(pool, EXPR_COS, angle);
    return expr_add(pool, expr_mul(pool, s, s), expr_mul(pool, c, c));
}

static inline Expr rewriting_zero(ExprPool *pool, Random *random)
{
    Expr angle = random_symbol(pool, random);
    Expr s = rewriting_call(pool, EXPR_SIN, angle), c = rewriting_call(pool, EXPR_COS, angle);
    return expr_sub(pool, expr_mul(pool, rewriting_call(pool, EXPR_TAN, angle), c), s);
}

// An equal expression, written otherwise in a few places.
static inline Expr rewriting_apply(ExprPool *pool, Random *random, Expr root)
{
    ExprList nodes = expr_nodes(pool, &root, 1);
    Expr *images = base_alloc((expr_pool_size(pool) + 1) * sizeof *images);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr e = {nodes.at[i]}, args[64];
        size_t count = expr_arg_count(pool, e);
        for (size_t k = 0; k < count && k < 64; k++)
            args[k] = images[expr_arg(pool, e, k).at];
        Expr image = count && count <= 64 ? expr_rebuild(pool, e, args) : e;
        ExprOp op = expr_op(pool, image);
        if ((op == EXPR_SIN || op == EXPR_COS) && random_below(random, 2))
            image = rewriting_addition(pool, image);
        else if (op == EXPR_PRODUCT && random_below(random, 2))
            image = rewriting_expand(pool, image);
        // Arguments are left to functions, which would hide the change in atoms of their own.
        if (i + 1 == nodes.count && random_below(random, 2))
            image = expr_mul(pool, image, rewriting_one(pool, random));
        if (i + 1 == nodes.count && random_below(random, 2))
            image = expr_add(pool, image, rewriting_zero(pool, random));
        images[e.at] = image;
    }
    Expr result = images[root.at];
    base_free(images);
    expr_list_free(&nodes);
    return result;
}

#endif
