// narrow_levels.c: which functions may change within a small part of a way.
//
// Each has an argument from which its level follows, about the logarithm of how much of it is seen:
//
//     exp(u)                     u
//     tanh, cosh, sinh, logistic −|u|
//     atan(u)                    −log(1 + u²)
//     log(u), poles of others    −log|u|, u the distance from the pole
//     u^p, p < 0                 p·log|u|, or −log|u| for p > −1
//     u^p, p > 0                 p·log|u| for a large p; also −log|u| unless p is natural
#include "program/narrow_levels.h"
#include "expr/arithmetic.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <float.h>
#include <math.h>

// Where a symbol stands; others, as those of reactions and accelerations, are beyond.
static size_t place_of(const NarrowSearch *search, uint32_t symbol)
{
    size_t i = 0;
    while (i < search->count && search->symbols[i].at != symbol)
        i++;
    return i;
}

// Whether it is known, and a function of what moves.
static bool is_of_moving(const NarrowSearch *search, Expr e)
{
    ExprList symbols = expr_symbols(search->pool, &e, 1);
    bool holds = false, known = true;
    for (size_t i = 0; i < symbols.count && known; i++) {
        size_t place = place_of(search, symbols.at[i]);
        known = place < search->count;
        holds |= place >= search->still;
    }
    expr_list_free(&symbols);
    return known && holds;
}

static NarrowFunction function_of(Expr whole, ExprOp op, double power)
{
    // A last digit less, so that rounding does not count.
    double most = power != 0 ? exp(MOST_RISE / fabs(power)) * (1 - TOL_STATE) : 0;
    return (NarrowFunction){whole, op, power, most};
}

// What a term is divided by.
static Expr denominator_of(ExprPool *pool, Expr term)
{
    Expr below = expr_int(pool, 1);
    size_t count = expr_op(pool, term) == EXPR_PRODUCT ? expr_arg_count(pool, term) : 0;
    for (size_t i = 0; i < count; i++) {
        const fmpq *weight = expr_arg_weight(pool, term, i);
        Expr power = expr_pow(pool, expr_arg(pool, term, i), expr_number(pool, weight));
        below = fmpq_sgn(weight) < 0 ? expr_div(pool, below, power) : below;
    }
    return below;
}

// A sum with one term that has a denominator, over this: 1 − 1/(1 + u²) is all noise about u = 0,
// u²/(1 + u²) is not.
static Expr over_denominator(ExprPool *pool, Expr sum)
{
    Expr below = expr_int(pool, 1), above = (Expr){0};
    size_t count = expr_op(pool, sum) == EXPR_SUM ? expr_arg_count(pool, sum) : 0;
    for (size_t i = 0; i < count && expr_is_number(pool, below); i++)
        below = denominator_of(pool, expr_arg(pool, sum, i));
    if (expr_is_number(pool, below))
        return sum;
    above = expr_mul(pool, expr_number(pool, expr_value(pool, sum)), below);
    for (size_t i = 0; i < count; i++) {
        Expr term = expr_mul(pool, expr_arg(pool, sum, i), below);
        Expr weight = expr_number(pool, expr_arg_weight(pool, sum, i));
        above = expr_add(pool, above, expr_mul(pool, weight, term));
    }
    return expr_div(pool, above, below);
}

// Of powers of one argument the one that rises most tells of the others too.
static void add(NarrowSearch *search, Expr whole, ExprOp op, Expr argument, double power)
{
    if (op == EXPR_POW)
        argument = over_denominator(search->pool, argument);
    for (size_t i = 0; i < search->arguments.count; i++) {
        NarrowFunction *known = &search->functions.at[i];
        if (search->arguments.at[i].at != argument.at || known->op != op ||
            signbit(known->power) != signbit(power))
            continue;
        if (fabs(power) > fabs(known->power))
            *known = function_of(whole, op, power);
        return;
    }
    if (!is_of_moving(search, argument))
        return;
    array_push(&search->arguments, argument);
    array_push(&search->functions, function_of(whole, op, power));
}

// A positive power that is not natural has its singularity at 0, and is large far from it.
static void add_power(NarrowSearch *search, Expr whole, Expr base, double power)
{
    bool natural = power > 0 && power == floor(power);
    if (!natural)
        add(search, whole, EXPR_POW, base, fmin(power, -1));
    if (power > ODE_MAX_ORDER)
        add(search, whole, EXPR_POW, base, power);
}

static void add_powers(NarrowSearch *search, Expr product)
{
    for (size_t i = 0; i < expr_arg_count(search->pool, product); i++) {
        Expr base = expr_arg(search->pool, product, i);
        add_power(search, product, base, fmpq_get_d(expr_arg_weight(search->pool, product, i)));
    }
}

// u^p with a p that is no number is exp(p·log(u)).
static void add_general_power(NarrowSearch *search, Expr whole, Expr base, Expr exponent)
{
    ExprPool *pool = search->pool;
    Expr logarithm = expr_call(pool, EXPR_LOG, base, (Expr){0});
    add(search, whole, EXPR_POW, base, -1);
    add(search, whole, EXPR_EXP, expr_mul(pool, exponent, logarithm), 0);
}

// What becomes 0 where the function has a pole, or its derivative one.
static Expr distance(ExprPool *pool, ExprOp op, Expr a, Expr b)
{
    Expr square = expr_mul(pool, a, a), d = a;
    switch (op) {
    case EXPR_TAN: d = expr_call(pool, EXPR_COS, a, (Expr){0}); break;
    case EXPR_ASIN:
    case EXPR_ACOS: d = expr_sub(pool, expr_int(pool, 1), square); break;
    case EXPR_ATAN2: d = expr_add(pool, square, expr_mul(pool, b, b)); break;
    default: break;
    }
    return d;
}

static void add_node(NarrowSearch *search, Expr e)
{
    ExprPool *pool = search->pool;
    ExprOp op = expr_op(pool, e);
    size_t count = expr_arg_count(pool, e);
    Expr a = count > 0 ? expr_arg(pool, e, 0) : (Expr){0};
    Expr b = count > 1 ? expr_arg(pool, e, 1) : (Expr){0};
    switch (op) {
    case EXPR_PRODUCT: add_powers(search, e); break;
    case EXPR_POW: add_general_power(search, e, a, b); break;
    case EXPR_LOG:
    case EXPR_TAN:
    case EXPR_ASIN:
    case EXPR_ACOS:
    case EXPR_ATAN2: add(search, e, EXPR_POW, distance(pool, op, a, b), -1); break;
    case EXPR_EXP:
    case EXPR_TANH:
    case EXPR_LOGISTIC:
    case EXPR_COSH:
    case EXPR_SINH:
    case EXPR_ATAN: add(search, e, op, a, 0); break;
    default: break;
    }
}

static void add_nodes(NarrowSearch *search, const Expr *roots, size_t count, bool poles)
{
    ExprPool *pool = search->pool;
    Expr *bounded = base_alloc((count + 1) * sizeof *bounded);
    expr_bounded(pool, roots, count, bounded);
    ExprList nodes = expr_nodes(pool, bounded, count);
    for (size_t i = 0; i < nodes.count; i++) {
        ExprOp op = expr_op(pool, (Expr){nodes.at[i]});
        if (poles || op == EXPR_EXP || op == EXPR_LOGISTIC || op == EXPR_TANH)
            add_node(search, (Expr){nodes.at[i]});
    }
    expr_list_free(&nodes);
    base_free(bounded);
}

void narrow_search(NarrowSearch *search, const Expr *roots, size_t count, size_t speeds)
{
    assert(search->pool && speeds <= count && search->still <= search->count);
    add_nodes(search, roots, count - speeds, true);
    add_nodes(search, roots + count - speeds, speeds, false);
}

void narrow_search_clear(NarrowSearch *search)
{
    array_clear(&search->functions);
    array_clear(&search->arguments);
}

double narrow_level(const NarrowFunction *function, double u)
{
    double level;
    switch (function->op) {
    case EXPR_EXP: level = u; break;
    case EXPR_ATAN: level = -log(1 + u * u); break;
    case EXPR_POW: level = function->power * log(fmax(fabs(u), DBL_MIN)); break;
    default: level = -fabs(u); break;
    }
    return level;
}

double narrow_visible(const NarrowFunction *function, double u)
{
    return fmax(narrow_level(function, u), log(DBL_MIN));
}
