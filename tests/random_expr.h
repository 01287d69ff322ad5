// random_expr.h: seeded random expressions for the tests of several rooms.
#ifndef ZWANG_TESTS_RANDOM_EXPR_H
#define ZWANG_TESTS_RANDOM_EXPR_H

#include "base/base.h"
#include "expr/expr.h"

enum { RANDOM_SYMBOLS = 4 };

// What an expression may be made of, besides sums and products.
typedef enum {
    RANDOM_DIVISION = 1,
    RANDOM_TRIGONOMETRY = 2,
    RANDOM_ROOTS = 4,
    RANDOM_FUNCTIONS = 8
} RandomKinds;

static inline Expr random_symbol(ExprPool *pool, Random *random)
{
    static const char *names[RANDOM_SYMBOLS] = {"x", "y", "theta", "phi"};
    return expr_symbol(pool, names[random_below(random, RANDOM_SYMBOLS)]);
}

static inline Expr random_small_number(ExprPool *pool, Random *random)
{
    int64_t numerator = (int64_t)random_below(random, 9) - 4;
    return expr_ratio(pool, numerator ? numerator : 5, 1 + (int64_t)random_below(random, 3));
}

// A rational combination of symbols, as angles are.
static inline Expr random_angle(ExprPool *pool, Random *random)
{
    Expr angle = random_symbol(pool, random);
    if (random_below(random, 2))
        angle = expr_mul(pool, expr_int(pool, 2), angle);
    if (random_below(random, 2))
        angle = expr_sub(pool, angle, random_symbol(pool, random));
    return angle;
}

// One step up from two expressions.
static inline Expr random_join(ExprPool *pool, Random *random, unsigned kinds, Expr a, Expr b)
{
    switch (random_below(random, 9)) {
    case 0:
    case 1: return expr_add(pool, a, b);
    case 2: return expr_sub(pool, a, expr_mul(pool, random_small_number(pool, random), b));
    case 3:
    case 4: return expr_mul(pool, a, b);
    case 5: return expr_pow_int(pool, a, 2 + (int64_t)random_below(random, 2));
    case 6:
        // Divisors that are seldom zero.
        if (kinds & RANDOM_DIVISION)
            return expr_div(pool, a, expr_add(pool, expr_int(pool, 7), expr_mul(pool, b, b)));
        return expr_neg(pool, a);
    case 7:
        if (kinds & RANDOM_TRIGONOMETRY) {
            ExprOp op = random_below(random, 2) ? EXPR_SIN : EXPR_COS;
            return expr_mul(pool, a, expr_call(pool, op, random_angle(pool, random), (Expr){0}));
        }
        return expr_add(pool, a, random_small_number(pool, random));
    default:
        if (kinds & RANDOM_FUNCTIONS) {
            static const ExprOp ops[] = {EXPR_TANH, EXPR_ATAN, EXPR_EXP,  EXPR_SIGN,
                                         EXPR_ABS,  EXPR_SINH, EXPR_COSH, EXPR_TAN};
            ExprOp op = ops[random_below(random, sizeof ops / sizeof *ops)];
            Expr inner = expr_call(pool, EXPR_TANH, b, (Expr){0});
            return expr_add(pool, a, expr_call(pool, op, inner, (Expr){0}));
        }
        if (kinds & RANDOM_ROOTS)
            return expr_mul(
                pool, a, expr_sqrt(pool, expr_add(pool, expr_int(pool, 2), expr_mul(pool, b, b))));
        return expr_sub(pool, b, a);
    }
}

// An expression put together in `steps` steps, with sharing.
static inline Expr random_expr(ExprPool *pool, Random *random, unsigned kinds, size_t steps)
{
    enum { KEPT = 6 };
    Expr kept[KEPT];
    for (size_t i = 0; i < KEPT; i++)
        kept[i] = i < 4 ? random_symbol(pool, random) : random_small_number(pool, random);
    Expr last = kept[0];
    for (size_t i = 0; i < steps; i++) {
        Expr a = kept[random_below(random, KEPT)], b = kept[random_below(random, KEPT)];
        last = random_join(pool, random, kinds, a, b);
        kept[random_below(random, KEPT)] = last;
    }
    return last;
}

#endif
