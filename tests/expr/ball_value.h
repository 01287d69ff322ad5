// ball_value.h: expressions in balls of 300 bits, node by node, with the `ball` column of ops.def.
#ifndef ZWANG_TESTS_BALL_VALUE_H
#define ZWANG_TESTS_BALL_VALUE_H

#include "expr/expr.h"

#if __has_include(<flint/arb.h>)
#include <flint/arb.h>
#else
#include <arb.h>
#endif

enum { BALL_BITS = 300 };

static inline void ball_sum(arb_t r, const ExprPool *pool, Expr e, arb_srcptr values)
{
    arb_t weight;
    arb_init(weight);
    arb_set_fmpq(r, expr_value(pool, e), BALL_BITS);
    for (size_t i = 0; i < expr_arg_count(pool, e); i++) {
        arb_set_fmpq(weight, expr_arg_weight(pool, e, i), BALL_BITS);
        arb_addmul(r, weight, values + expr_arg(pool, e, i).at, BALL_BITS);
    }
    arb_clear(weight);
}

static inline void ball_product(arb_t r, const ExprPool *pool, Expr e, arb_srcptr values)
{
    arb_t power;
    arb_init(power);
    arb_set_fmpq(r, expr_value(pool, e), BALL_BITS);
    for (size_t i = 0; i < expr_arg_count(pool, e); i++) {
        arb_pow_fmpq(power, values + expr_arg(pool, e, i).at, expr_arg_weight(pool, e, i),
                     BALL_BITS);
        arb_mul(r, r, power, BALL_BITS);
    }
    arb_clear(power);
}

// As it is defined.
static inline void ball_logistic(arb_t r, const arb_t a, slong precision)
{
    arb_neg(r, a);
    arb_exp(r, r, precision);
    arb_add_ui(r, r, 1, precision);
    arb_inv(r, r, precision);
}

static inline void ball_call(arb_t r, ExprOp op, const arb_t a, const arb_t b)
{
    const slong precision = BALL_BITS;
    switch (op) {
#define OP(NAME, word, arity, real, ball, ...)                                                     \
    case EXPR_##NAME:                                                                              \
        ball;                                                                                      \
        break;
#include "expr/ops.def"
#undef OP
    case EXPR_OP_COUNT: break;
    }
}

static inline void ball_node(arb_ptr values, const ExprPool *pool, Expr e)
{
    arb_ptr r = values + e.at;
    size_t count = expr_arg_count(pool, e);
    switch (expr_op(pool, e)) {
    case EXPR_NUMBER: arb_set_fmpq(r, expr_value(pool, e), BALL_BITS); break;
    case EXPR_PI: arb_const_pi(r, BALL_BITS); break;
    case EXPR_SUM: ball_sum(r, pool, e, values); break;
    case EXPR_PRODUCT: ball_product(r, pool, e, values); break;
    default:
        ball_call(r, expr_op(pool, e), values + expr_arg(pool, e, 0).at,
                  values + expr_arg(pool, e, count - 1).at);
    }
}

// The value of e with these values of its symbols.
static inline void ball_value(const ExprPool *pool, Expr e, const Expr *symbols, arb_srcptr at,
                              size_t count, arb_t value)
{
    slong size = (slong)expr_pool_size(pool) + 1;
    arb_ptr values = _arb_vec_init(size);
    for (size_t i = 0; i < count; i++)
        arb_set(values + symbols[i].at, at + i);
    ExprList nodes = expr_nodes(pool, &e, 1);
    for (size_t i = 0; i < nodes.count; i++)
        if (!expr_is_symbol(pool, (Expr){nodes.at[i]}))
            ball_node(values, pool, (Expr){nodes.at[i]});
    arb_set(value, values + e.at);
    expr_list_free(&nodes);
    _arb_vec_clear(values, size);
}

// Whether both are finite and nearer than 2^bits.
static inline bool balls_are_near(const arb_t a, const arb_t b, slong bits)
{
    arb_t apart;
    arb_init(apart);
    arb_sub(apart, a, b, BALL_BITS);
    mag_t most, allowed;
    mag_init(most);
    mag_init(allowed);
    arb_get_mag(most, apart);
    mag_set_ui_2exp_si(allowed, 1, bits);
    bool near = arb_is_finite(apart) && mag_cmp(most, allowed) < 0;
    mag_clear(allowed);
    mag_clear(most);
    arb_clear(apart);
    return near;
}

#endif
