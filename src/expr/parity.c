// parity.c: the part of an expression that changes its sign with some symbols, and homogeneity.
//
// Parities go up the graph: a product of odd factors is odd where they are odd in number, an odd
// function of what is odd is odd, an even one is even, and a sum has the parity of its terms.
#include "expr/parity.h"

#include "expr/expr.h"

#include <assert.h>

typedef enum { EVEN, ODD, NEITHER } Parity;

typedef ARRAY(Expr) Terms;

typedef struct {
    ExprPool *pool;
    const Expr *symbols;
    size_t count;
} Signs;

static bool changes(const Signs *signs, Expr symbol)
{
    for (size_t i = 0; i < signs->count; i++)
        if (expr_same(signs->symbols[i], symbol))
            return true;
    return false;
}

static Parity of_sum(const ExprPool *pool, Expr e, const uint8_t *parities)
{
    Parity first = (Parity)parities[expr_arg(pool, e, 0).at];
    bool same = first == EVEN || fmpq_is_zero(expr_value(pool, e));
    for (size_t i = 1; i < expr_arg_count(pool, e); i++)
        same = same && parities[expr_arg(pool, e, i).at] == first;
    return same ? first : NEITHER;
}

static Parity of_product(const ExprPool *pool, Expr e, const uint8_t *parities)
{
    bool odd = false;
    for (size_t i = 0; i < expr_arg_count(pool, e); i++) {
        Parity base = (Parity)parities[expr_arg(pool, e, i).at];
        const fmpq *power = expr_arg_weight(pool, e, i);
        if (base == NEITHER || (base == ODD && !fmpz_is_one(fmpq_denref(power))))
            return NEITHER;
        odd = odd != (base == ODD && fmpz_is_odd(fmpq_numref(power)));
    }
    return odd ? ODD : EVEN;
}

static Parity of_function(const ExprPool *pool, Expr e, const uint8_t *parities)
{
    bool even = true;
    for (size_t i = 0; i < expr_arg_count(pool, e); i++)
        even = even && parities[expr_arg(pool, e, i).at] == EVEN;
    if (even)
        return EVEN;
    Parity argument = (Parity)parities[expr_arg(pool, e, 0).at];
    switch (expr_op(pool, e)) {
    case EXPR_SIN:
    case EXPR_TAN:
    case EXPR_ASIN:
    case EXPR_ATAN:
    case EXPR_SINH:
    case EXPR_TANH:
    case EXPR_SIGN: return argument;
    case EXPR_COS:
    case EXPR_COSH:
    case EXPR_ABS: return argument == ODD ? EVEN : NEITHER;
    default: return NEITHER;
    }
}

static Parity find(const Signs *signs, Expr e)
{
    ExprList nodes = expr_nodes(signs->pool, &e, 1);
    uint8_t *parities = base_alloc(e.at + 1);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]};
        ExprOp op = expr_op(signs->pool, node);
        Parity parity = op == EXPR_SYMBOL    ? (changes(signs, node) ? ODD : EVEN)
                        : op == EXPR_SUM     ? of_sum(signs->pool, node, parities)
                        : op == EXPR_PRODUCT ? of_product(signs->pool, node, parities)
                                             : of_function(signs->pool, node, parities);
        parities[node.at] = (uint8_t)parity;
    }
    Parity found = (Parity)parities[e.at];
    base_free(parities);
    expr_list_free(&nodes);
    return found;
}

// The terms of factor·sum.
static void add_terms(ExprPool *pool, Expr factor, Expr sum, Terms *terms)
{
    array_push(terms, expr_mul(pool, factor, expr_number(pool, expr_value(pool, sum))));
    for (size_t i = 0; i < expr_arg_count(pool, sum); i++) {
        Expr weight = expr_number(pool, expr_arg_weight(pool, sum, i));
        Expr term = expr_mul(pool, weight, expr_arg(pool, sum, i));
        array_push(terms, expr_mul(pool, factor, term));
    }
}

// Adds the terms of a sum, or of a product in which a sum is a factor; false: it is neither.
static bool split(ExprPool *pool, Expr e, Terms *terms)
{
    if (expr_op(pool, e) == EXPR_SUM) {
        add_terms(pool, expr_int(pool, 1), e, terms);
        return true;
    }
    for (size_t i = 0; expr_op(pool, e) == EXPR_PRODUCT && i < expr_arg_count(pool, e); i++) {
        Expr base = expr_arg(pool, e, i);
        if (expr_op(pool, base) == EXPR_SUM && fmpq_is_one(expr_arg_weight(pool, e, i))) {
            add_terms(pool, expr_div(pool, e, base), base, terms);
            return true;
        }
    }
    return false;
}

Expr expr_odd_part(ExprPool *pool, Expr e, const Expr *symbols, size_t count)
{
    Signs signs = {pool, symbols, count};
    Terms terms = {0};
    Expr odd = expr_int(pool, 0);
    assert(!expr_is_none(e));
    array_push(&terms, e);
    while (terms.count > 0) {
        Expr term = terms.at[--terms.count];
        Parity parity = find(&signs, term);
        if (parity == ODD)
            odd = expr_add(pool, odd, term);
        if (parity == NEITHER)
            split(pool, term, &terms);
    }
    array_clear(&terms);
    return odd;
}

// ---- Homogeneity.

enum { NO_DEGREE = -1, MOST_DEGREE = 100 };

static int degree_of_sum(const ExprPool *pool, Expr e, const int8_t *degrees)
{
    int first = degrees[expr_arg(pool, e, 0).at];
    bool same = first == 0 || fmpq_is_zero(expr_value(pool, e));
    for (size_t i = 1; i < expr_arg_count(pool, e); i++)
        same = same && degrees[expr_arg(pool, e, i).at] == first;
    return same ? first : NO_DEGREE;
}

static int degree_of_product(const ExprPool *pool, Expr e, const int8_t *degrees)
{
    int degree = 0;
    for (size_t i = 0; i < expr_arg_count(pool, e); i++) {
        int base = degrees[expr_arg(pool, e, i).at];
        const fmpq *power = expr_arg_weight(pool, e, i);
        if (base == 0)
            continue;
        if (base == NO_DEGREE || !fmpz_is_one(fmpq_denref(power)) || fmpq_sgn(power) < 0 ||
            fmpz_cmp_si(fmpq_numref(power), MOST_DEGREE) > 0)
            return NO_DEGREE;
        degree += base * (int)fmpz_get_si(fmpq_numref(power));
        if (degree > MOST_DEGREE)
            return NO_DEGREE;
    }
    return degree;
}

static int degree_of_function(const ExprPool *pool, Expr e, const int8_t *degrees)
{
    bool none = true;
    for (size_t i = 0; i < expr_arg_count(pool, e); i++)
        none = none && degrees[expr_arg(pool, e, i).at] == 0;
    return none ? 0 : NO_DEGREE;
}

int expr_homogeneity(const ExprPool *pool, Expr e, const Expr *symbols, size_t count)
{
    assert(!expr_is_none(e));
    ExprList nodes = expr_nodes(pool, &e, 1);
    int8_t *degrees = base_alloc(expr_pool_size(pool) + 1);
    for (size_t i = 0; i < count; i++)
        degrees[symbols[i].at] = 1;
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]};
        ExprOp op = expr_op(pool, node);
        if (op == EXPR_SYMBOL)
            continue;
        degrees[node.at] = (int8_t)(op == EXPR_SUM       ? degree_of_sum(pool, node, degrees)
                                    : op == EXPR_PRODUCT ? degree_of_product(pool, node, degrees)
                                                         : degree_of_function(pool, node, degrees));
    }
    int degree = degrees[e.at];
    base_free(degrees);
    expr_list_free(&nodes);
    return degree;
}
