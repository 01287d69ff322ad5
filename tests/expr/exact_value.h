// exact_value.h: expressions in exact rational numbers, with slopes: dual numbers v + s·ε, ε² = 0.
//
// A second road to every derivative. Symbols have small rational values drawn from a seed. A
// transcendental function has no rational value, but its derivative rule is algebraic: so each
// distinct argument draws a rational point, on the circle for sine and cosine, on the hyperbola
// for sinh and cosh, anywhere for tan, tanh, exp, log and the arcs. Identities that hold at every
// such point are what derivatives are made of.
#ifndef ZWANG_TESTS_EXACT_VALUE_H
#define ZWANG_TESTS_EXACT_VALUE_H

#include "expr/expr.h"

typedef struct {
    fmpq_t value, slope;
} Dual;

// Where an expression is evaluated: the seed draws values, `moving` symbols have slopes.
typedef struct {
    const ExprPool *pool;
    uint64_t seed;
    const Expr *moving;
    const fmpq *slopes;
    size_t count;
} ExactPoint;

static inline void dual_init(Dual *dual)
{
    fmpq_init(dual->value);
    fmpq_init(dual->slope);
}

static inline void dual_clear(Dual *dual)
{
    fmpq_clear(dual->value);
    fmpq_clear(dual->slope);
}

// A number of its own for each node: ±p/q with 0 < p < q.
static inline void exact_draw(fmpq_t value, const ExactPoint *point, uint32_t node)
{
    Random random = random_seed(hash_mix(point->seed, node));
    slong p = 1 + (slong)random_below(&random, 9);
    ulong q = (ulong)p + 1 + (ulong)random_below(&random, 5);
    fmpq_set_si(value, random_below(&random, 2) ? p : -p, q);
}

static inline void exact_symbol(Dual *r, const ExactPoint *point, Expr symbol)
{
    exact_draw(r->value, point, symbol.at);
    for (size_t i = 0; i < point->count; i++)
        if (expr_same(point->moving[i], symbol))
            fmpq_set(r->slope, point->slopes + i);
}

static inline void exact_sum(Dual *r, const ExactPoint *point, Expr e, const Dual *duals)
{
    fmpq_set(r->value, expr_value(point->pool, e));
    for (size_t i = 0; i < expr_arg_count(point->pool, e); i++) {
        const Dual *arg = duals + expr_arg(point->pool, e, i).at;
        fmpq_addmul(r->value, arg->value, expr_arg_weight(point->pool, e, i));
        fmpq_addmul(r->slope, arg->slope, expr_arg_weight(point->pool, e, i));
    }
}

// r = r·a^k, with whole k.
static inline bool exact_times_power(Dual *r, const Dual *a, const fmpq_t k)
{
    if (!fmpz_is_one(fmpq_denref(k)) || (fmpq_sgn(k) < 0 && fmpq_is_zero(a->value)))
        return false;
    fmpz_t less;
    fmpz_init(less);
    fmpz_sub_ui(less, fmpq_numref(k), 1);
    Dual power;
    dual_init(&power);
    // (a + a'ε)^k = a^k + k·a^(k−1)·a'·ε
    fmpq_pow_fmpz(power.value, a->value, fmpq_numref(k));
    if (!fmpq_is_zero(a->slope)) {
        fmpq_pow_fmpz(power.slope, a->value, less);
        fmpq_mul(power.slope, power.slope, k);
        fmpq_mul(power.slope, power.slope, a->slope);
    }
    fmpq_mul(r->slope, r->slope, power.value);
    fmpq_addmul(r->slope, r->value, power.slope);
    fmpq_mul(r->value, r->value, power.value);
    dual_clear(&power);
    fmpz_clear(less);
    return true;
}

static inline bool exact_product(Dual *r, const ExactPoint *point, Expr e, const Dual *duals)
{
    fmpq_set(r->value, expr_value(point->pool, e));
    for (size_t i = 0; i < expr_arg_count(point->pool, e); i++)
        if (!exact_times_power(r, duals + expr_arg(point->pool, e, i).at,
                               expr_arg_weight(point->pool, e, i)))
            return false;
    return true;
}

// (2t, 1 − t²)/(1 + t²) on the circle, or (2t, 1 + t²)/(1 − t²) on the hyperbola.
static inline void exact_conic(fmpq_t first, fmpq_t second, const fmpq_t t, bool circle)
{
    fmpq_t square, below;
    fmpq_init(square);
    fmpq_init(below);
    fmpq_mul(square, t, t);
    fmpq_one(below);
    fmpq_one(second);
    (circle ? fmpq_sub : fmpq_add)(second, second, square);
    (circle ? fmpq_add : fmpq_sub)(below, below, square);
    fmpq_add(first, t, t);
    fmpq_div(first, first, below);
    fmpq_div(second, second, below);
    fmpq_clear(below);
    fmpq_clear(square);
}

// The value of op at a drawn point t, and its derivative by the argument a. False where the
// operation needs roots.
static inline bool exact_function(ExprOp op, const fmpq_t a, const fmpq_t t, fmpq_t value,
                                  fmpq_t rate)
{
    fmpq_t one, square;
    fmpq_init(one);
    fmpq_init(square);
    fmpq_one(one);
    fmpq_mul(square, t, t);
    fmpq_set(value, t);
    bool known = true;
    switch (op) {
    case EXPR_SIN: exact_conic(value, rate, t, true); break;
    case EXPR_COS:
        exact_conic(rate, value, t, true);
        fmpq_neg(rate, rate);
        break;
    case EXPR_SINH: exact_conic(value, rate, t, false); break;
    case EXPR_COSH: exact_conic(rate, value, t, false); break;
    case EXPR_TAN: fmpq_add(rate, one, square); break;
    case EXPR_TANH: fmpq_sub(rate, one, square); break;
    case EXPR_EXP: fmpq_set(rate, t); break;
    case EXPR_LOG:
        known = !fmpq_is_zero(a);
        if (known)
            fmpq_inv(rate, a);
        break;
    case EXPR_ATAN:
        fmpq_mul(square, a, a);
        fmpq_add(square, one, square);
        fmpq_inv(rate, square);
        break;
    case EXPR_ABS:
        fmpq_abs(value, a);
        fmpq_set_si(rate, fmpq_sgn(a), 1);
        known = !fmpq_is_zero(a);
        break;
    case EXPR_SIGN:
        fmpq_set_si(value, fmpq_sgn(a), 1);
        fmpq_zero(rate);
        known = !fmpq_is_zero(a);
        break;
    default: known = false;
    }
    fmpq_clear(square);
    fmpq_clear(one);
    return known;
}

static inline bool exact_call(Dual *r, const ExactPoint *point, Expr e, const Dual *duals)
{
    ExprOp op = expr_op(point->pool, e);
    Expr arg = expr_arg(point->pool, e, 0);
    const Dual *a = duals + arg.at;
    if (op == EXPR_MIN || op == EXPR_MAX) {
        const Dual *b = duals + expr_arg(point->pool, e, 1).at;
        int order = fmpq_cmp(a->value, b->value);
        const Dual *taken = (order < 0) == (op == EXPR_MIN) ? a : b;
        fmpq_set(r->value, taken->value);
        fmpq_set(r->slope, taken->slope);
        return order != 0;
    }
    fmpq_t t, rate;
    fmpq_init(t);
    fmpq_init(rate);
    exact_draw(t, point, arg.at);
    bool known = exact_function(op, a->value, t, r->value, rate);
    fmpq_mul(r->slope, rate, a->slope);
    fmpq_clear(rate);
    fmpq_clear(t);
    return known;
}

static inline bool exact_node(Dual *r, const ExactPoint *point, Expr e, const Dual *duals)
{
    switch (expr_op(point->pool, e)) {
    case EXPR_NUMBER: fmpq_set(r->value, expr_value(point->pool, e)); return true;
    case EXPR_SYMBOL: exact_symbol(r, point, e); return true;
    case EXPR_PI: exact_draw(r->value, point, e.at); return true;
    case EXPR_SUM: exact_sum(r, point, e, duals); return true;
    case EXPR_PRODUCT: return exact_product(r, point, e, duals);
    default: return exact_call(r, point, e, duals);
    }
}

// The value of e and its slope along the moving symbols (which may be NULL). False where the
// point is a pole or a corner, or where e needs roots.
static inline bool exact_dual(const ExactPoint *point, Expr e, fmpq_t value, fmpq_t slope)
{
    size_t size = expr_pool_size(point->pool) + 1;
    Dual *duals = base_alloc(size * sizeof *duals);
    for (size_t i = 0; i < size; i++)
        dual_init(duals + i);
    ExprList nodes = expr_nodes(point->pool, &e, 1);
    bool known = true;
    for (size_t i = 0; i < nodes.count && known; i++)
        known = exact_node(duals + nodes.at[i], point, (Expr){nodes.at[i]}, duals);
    fmpq_set(value, duals[e.at].value);
    if (slope)
        fmpq_set(slope, duals[e.at].slope);
    expr_list_free(&nodes);
    for (size_t i = 0; i < size; i++)
        dual_clear(duals + i);
    base_free(duals);
    return known;
}

static inline bool exact_value(const ExprPool *pool, uint64_t seed, Expr e, fmpq_t value)
{
    ExactPoint point = {pool, seed, NULL, NULL, 0};
    return exact_dual(&point, e, value, NULL);
}

// Whether two expressions have the same value at the point of this seed; true where it is a pole
// of one of them, and then *poles is raised.
static inline bool exact_agree(const ExprPool *pool, uint64_t seed, Expr a, Expr b, size_t *poles)
{
    fmpq_t left, right;
    fmpq_init(left);
    fmpq_init(right);
    bool known = exact_value(pool, seed, a, left) && exact_value(pool, seed, b, right);
    bool agree = !known || fmpq_equal(left, right);
    *poles += !known;
    fmpq_clear(left);
    fmpq_clear(right);
    return agree;
}

#endif
