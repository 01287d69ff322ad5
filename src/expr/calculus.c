// calculus.c: derivatives, forward along given rates and backward to all symbols at once.
//
// Both visit a node once. The rules for functions are the last two columns of ops.def.
#include "expr/expr_impl.h"

#include <assert.h>

// ---- Rules: the partial derivative of a function node by its first or second argument.

#define ZERO        expr_int(pool, 0)
#define ONE         expr_int(pool, 1)
#define A           a
#define B           b
#define SELF        e
#define ADD(x, y)   expr_add(pool, x, y)
#define SUB(x, y)   expr_sub(pool, x, y)
#define NEG(x)      expr_neg(pool, x)
#define MUL(x, y)   expr_mul(pool, x, y)
#define INV(x)      expr_pow_int(pool, x, -1)
#define SQUARE(x)   expr_pow_int(pool, x, 2)
#define RSQRT(x)    expr_pow(pool, x, expr_ratio(pool, -1, 2))
#define HALF(x)     expr_mul(pool, expr_ratio(pool, 1, 2), x)
#define POWER(x, y) expr_pow(pool, x, y)
#define CALL(F, x)  expr_call(pool, EXPR_##F, x, (Expr){0})

static Expr function_partial(ExprPool *pool, Expr e, size_t by)
{
    size_t count = expr_arg_count(pool, e);
    Expr a = expr_arg(pool, e, 0), b = count > 1 ? expr_arg(pool, e, 1) : (Expr){0};
    (void)b;
    switch (expr_op(pool, e)) {
#define OP(NAME, word, arity, real, ball, rate_a, rate_b, ...)                                     \
    case EXPR_##NAME:                                                                              \
        return by == 0 ? rate_a : rate_b;
#include "expr/ops.def"
#undef OP
    default: break;
    }
    assert(!"an operation of ops.def");
    return (Expr){0};
}

// c·Π b^e without one power of base `without`, times that base's exponent: ∂/∂b_without.
static Expr product_partial(ExprPool *pool, Expr e, size_t without)
{
    const Node node = *node_of(pool, e);
    Link few[MERGE_LIMIT];
    Link *factors = node.count <= MERGE_LIMIT ? few : base_alloc(node.count * sizeof *factors);
    for (size_t i = 0; i < node.count; i++)
        factors[i] = pool->links.at[node.first + i];
    uint32_t coefficient = number_mul(pool, node.value, factors[without].weight);
    factors[without].weight = number_add(pool, factors[without].weight, NUMBER_MINUS_ONE);
    size_t kept = 0;
    for (size_t i = 0; i < node.count; i++)
        if (factors[i].weight != NUMBER_ZERO)
            factors[kept++] = factors[i];
    Expr partial = build_product(pool, coefficient, factors, kept);
    if (factors != few)
        base_free(factors);
    return partial;
}

static Expr node_partial(ExprPool *pool, Expr e, size_t by)
{
    switch (expr_op(pool, e)) {
    case EXPR_SUM: return expr_number(pool, expr_arg_weight(pool, e, by));
    case EXPR_PRODUCT: return product_partial(pool, e, by);
    case EXPR_OPEN: return open_partial(pool, e, by);
    default: return function_partial(pool, e, by);
    }
}

// ---- Forward.

struct ExprRates {
    ExprPool *pool;
    Scratch *rate;     // of every node met so far
    ARRAY(Link) terms; // of the node in hand
};

ExprRates *expr_rates_new(ExprPool *pool)
{
    ExprRates *rates = base_alloc(sizeof *rates);
    rates->pool = pool;
    rates->rate = scratch_take(pool);
    return rates;
}

void expr_rates_free(ExprRates *rates)
{
    if (!rates)
        return;
    scratch_give(rates->pool, rates->rate);
    array_clear(&rates->terms);
    base_free(rates);
}

void expr_rates_set(ExprRates *rates, Expr symbol, Expr rate)
{
    assert(expr_is_symbol(rates->pool, symbol));
    if (expr_is_none(rate))
        rate = expr_int(rates->pool, 0);
    scratch_set(rates->rate, symbol.at, rate.at);
}

static uint32_t rate_of_node(void *context, uint32_t index)
{
    ExprRates *rates = context;
    ExprPool *pool = rates->pool;
    const Node node = pool->nodes.at[index];
    rates->terms.count = 0;
    for (size_t i = 0; i < node.count; i++) {
        Link link = pool->links.at[node.first + i];
        Expr inner = {rates->rate->value[link.arg]};
        if (expr_is_zero(pool, inner))
            continue;
        if (node.op == EXPR_SUM) {
            array_push(&rates->terms, ((Link){inner.at, link.weight}));
        } else {
            Expr term = expr_mul(pool, node_partial(pool, (Expr){index}, i), inner);
            array_push(&rates->terms, ((Link){term.at, NUMBER_ONE}));
        }
    }
    if (rates->terms.count == 0)
        return expr_int(pool, 0).at;
    return build_sum(pool, NUMBER_ZERO, rates->terms.at, rates->terms.count).at;
}

Expr expr_rate(ExprRates *rates, Expr e)
{
    walk_children_first(rates->pool, rates->rate, e, rate_of_node, rates);
    return (Expr){rates->rate->value[e.at]};
}

Expr expr_diff(ExprPool *pool, Expr e, Expr x)
{
    ExprRates *rates = expr_rates_new(pool);
    expr_rates_set(rates, x, expr_int(pool, 1));
    Expr partial = expr_rate(rates, e);
    expr_rates_free(rates);
    return partial;
}

// ---- Backward. Each node gathers what its parents hand down, from the root to the leaves.

typedef struct {
    uint32_t term; // an expression
    uint32_t next; // in the list of the same node; 0 ends it
} Share;

typedef struct {
    ExprPool *pool;
    Scratch *first;      // of each node: the head of its list of shares
    ARRAY(Share) shares; // [0] is no share
    ARRAY(Expr) terms;
} Sweep;

static void hand_down(Sweep *sweep, uint32_t node, Expr term)
{
    uint32_t head = scratch_has(sweep->first, node) ? sweep->first->value[node] : 0;
    array_push(&sweep->shares, ((Share){term.at, head}));
    scratch_set(sweep->first, node, (uint32_t)sweep->shares.count - 1);
}

static Expr gathered(Sweep *sweep, uint32_t node)
{
    if (!scratch_has(sweep->first, node))
        return expr_int(sweep->pool, 0);
    sweep->terms.count = 0;
    for (uint32_t i = sweep->first->value[node]; i; i = sweep->shares.at[i].next)
        array_push(&sweep->terms, ((Expr){sweep->shares.at[i].term}));
    return expr_sum(sweep->pool, sweep->terms.at, sweep->terms.count);
}

static void sweep_node(Sweep *sweep, uint32_t index, const Scratch *wanted)
{
    ExprPool *pool = sweep->pool;
    const Node node = pool->nodes.at[index];
    if (node.count == 0)
        return;
    Expr total = gathered(sweep, index);
    if (expr_is_zero(pool, total))
        return;
    for (size_t i = 0; i < node.count; i++) {
        uint32_t arg = pool->links.at[node.first + i].arg;
        if (!wanted->value[arg])
            continue;
        Expr partial = node_partial(pool, (Expr){index}, i);
        if (!expr_is_zero(pool, partial))
            hand_down(sweep, arg, expr_mul(pool, total, partial));
    }
}

// Marks the nodes that hold one of the symbols: only through them does anything flow.
static void mark_wanted(const ExprPool *pool, const ExprList *nodes, const Expr *symbols,
                        size_t count, Scratch *wanted)
{
    for (size_t i = 0; i < nodes->count; i++)
        scratch_set(wanted, nodes->at[i], 0);
    for (size_t i = 0; i < count; i++)
        scratch_set(wanted, symbols[i].at, 1);
    for (size_t i = 0; i < nodes->count; i++) {
        const Node *node = &pool->nodes.at[nodes->at[i]];
        for (size_t j = 0; j < node->count; j++)
            if (wanted->value[pool->links.at[node->first + j].arg])
                wanted->value[nodes->at[i]] = 1;
    }
}

void expr_gradient(ExprPool *pool, Expr e, const Expr *symbols, size_t count, Expr *partials)
{
    Sweep sweep = {.pool = pool, .first = scratch_take(pool)};
    array_push(&sweep.shares, ((Share){0, 0}));
    ExprList nodes = expr_nodes(pool, &e, 1);
    Scratch *wanted = scratch_take(pool);
    mark_wanted(pool, &nodes, symbols, count, wanted);
    hand_down(&sweep, e.at, expr_int(pool, 1));
    for (size_t i = nodes.count; i-- > 0;)
        if (wanted->value[nodes.at[i]])
            sweep_node(&sweep, nodes.at[i], wanted);
    for (size_t i = 0; i < count; i++)
        partials[i] = gathered(&sweep, symbols[i].at);
    scratch_give(pool, wanted);
    scratch_give(pool, sweep.first);
    expr_list_free(&nodes);
    array_clear(&sweep.shares);
    array_clear(&sweep.terms);
}
