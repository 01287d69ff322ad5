// rates_factor.c: sums with what their terms share taken out, so that fewer products are left.
//
// Horner's rule for many variables, by greed: of the factors that several terms have, the one is
// taken that saves most products, with all else that these terms share; then the same for what is
// left inside and outside.
#include "dynamics/rates_impl.h"

#include <string.h>

typedef struct {
    ExprPool *pool;
    Expr base;
    size_t terms;    // that have it
    Expr *shared;    // bases that all of these have, once each
    size_t count;    // how many
    size_t capacity; // how many there is room for
} Group;

// Whether a term is base^n, n ≥ 1, times something. A product in a product is there because its
// factors may vanish; it stays what it is.
static bool has_factor(const ExprPool *pool, Expr term, Expr base)
{
    if (expr_op(pool, base) == EXPR_PRODUCT)
        return false;
    if (expr_same(term, base))
        return true;
    if (expr_op(pool, term) != EXPR_PRODUCT)
        return false;
    for (size_t i = 0; i < expr_arg_count(pool, term); i++)
        if (expr_same(expr_arg(pool, term, i), base))
            return fmpq_cmp_si(expr_arg_weight(pool, term, i), 1) >= 0;
    return false;
}

// The i-th base of a term.
static size_t base_count(const ExprPool *pool, Expr term)
{
    return expr_op(pool, term) == EXPR_PRODUCT ? expr_arg_count(pool, term) : 1;
}

static Expr base_at(const ExprPool *pool, Expr term, size_t i)
{
    return expr_op(pool, term) == EXPR_PRODUCT ? expr_arg(pool, term, i) : term;
}

// What the terms of a sum that have the base share.
static void find_group(Group *group, Expr sum, Expr base)
{
    const ExprPool *pool = group->pool;
    group->base = base;
    group->terms = group->count = 0;
    for (size_t i = 0; i < expr_arg_count(pool, sum); i++) {
        Expr term = expr_arg(pool, sum, i);
        if (!has_factor(pool, term, base))
            continue;
        size_t kept = 0;
        for (size_t j = 0; group->terms == 0 && j < base_count(pool, term); j++)
            if (j < group->capacity && has_factor(pool, term, base_at(pool, term, j)))
                group->shared[group->count++] = base_at(pool, term, j);
        for (size_t j = 0; j < group->count; j++)
            if (has_factor(pool, term, group->shared[j]))
                group->shared[kept++] = group->shared[j];
        group->count = kept;
        group->terms++;
    }
}

static size_t gain(const Group *group)
{
    return group->terms > 1 ? (group->terms - 1) * group->count : 0;
}

// The best group of a sum; its gain is 0 where there is none.
static void find_best(Group *best, Group *room, Expr sum)
{
    const ExprPool *pool = best->pool;
    best->terms = best->count = 0;
    for (size_t i = 0; i < expr_arg_count(pool, sum); i++) {
        Expr term = expr_arg(pool, sum, i);
        for (size_t j = 0; j < base_count(pool, term); j++) {
            Expr base = base_at(pool, term, j);
            if (!has_factor(pool, term, base))
                continue;
            find_group(room, sum, base);
            if (gain(room) > gain(best)) {
                Group other = *best;
                *best = *room;
                *room = other;
            }
        }
    }
}

static Expr weighted(ExprPool *pool, Expr sum, size_t i, Expr term)
{
    return expr_mul(pool, expr_number(pool, expr_arg_weight(pool, sum, i)), term);
}

static bool is_shared(const Group *group, Expr base)
{
    for (size_t i = 0; i < group->count; i++)
        if (expr_same(group->shared[i], base))
            return true;
    return false;
}

// A term of the group without what is shared.
static Expr rest_of(const Group *group, Expr term)
{
    ExprPool *pool = group->pool;
    if (expr_op(pool, term) != EXPR_PRODUCT)
        return expr_int(pool, 1);
    size_t count = expr_arg_count(pool, term);
    Expr *factors = base_alloc((count + 1) * sizeof *factors);
    fmpq_t exponent;
    fmpq_init(exponent);
    for (size_t i = 0; i < count; i++) {
        Expr base = expr_arg(pool, term, i);
        fmpq_sub_si(exponent, expr_arg_weight(pool, term, i), is_shared(group, base));
        factors[i] = fmpq_is_zero(exponent) ? expr_int(pool, 1)
                                            : expr_pow(pool, base, expr_number(pool, exponent));
    }
    factors[count] = expr_number(pool, expr_value(pool, term));
    Expr rest = expr_product(pool, factors, count + 1);
    fmpq_clear(exponent);
    base_free(factors);
    return rest;
}

// The best group goes to the product of what it shares and of what is left of its terms.
static void take_out(const Group *group, Expr sum, Expr *shared, Expr *inside, Expr *outside)
{
    ExprPool *pool = group->pool;
    size_t count = expr_arg_count(pool, sum), in = 0, out = 0;
    Expr *parts = base_alloc(2 * (count + 1) * sizeof *parts), *others = parts + count + 1;
    *shared = expr_product(pool, group->shared, group->count);
    others[out++] = expr_number(pool, expr_value(pool, sum));
    for (size_t i = 0; i < count; i++) {
        Expr term = expr_arg(pool, sum, i);
        if (has_factor(pool, term, group->base))
            parts[in++] = weighted(pool, sum, i, rest_of(group, term));
        else
            others[out++] = weighted(pool, sum, i, term);
    }
    *inside = expr_sum(pool, parts, in);
    *outside = expr_sum(pool, others, out);
    base_free(parts);
}

// Every turn inside lowers the degree.
static Expr factor_sum(Group *best, Group *room, Expr sum)
{
    ExprPool *pool = best->pool;
    Expr done = expr_int(pool, 0);
    while (expr_op(pool, sum) == EXPR_SUM) {
        Expr shared, inside, outside;
        find_best(best, room, sum);
        if (gain(best) == 0)
            break;
        take_out(best, sum, &shared, &inside, &outside);
        done = expr_add(pool, done, expr_mul(pool, shared, factor_sum(best, room, inside)));
        sum = outside;
    }
    return expr_add(pool, done, sum);
}

// The most factors that a term has.
static size_t most_factors(const ExprPool *pool, const ExprList *nodes)
{
    size_t most = 1;
    for (size_t i = 0; i < nodes->count; i++)
        if (base_count(pool, (Expr){nodes->at[i]}) > most)
            most = base_count(pool, (Expr){nodes->at[i]});
    return most;
}

void builder_factor(ExprPool *pool, Expr *exprs, size_t count)
{
    ExprList nodes = expr_nodes(pool, exprs, count);
    size_t size = expr_pool_size(pool) + 1, most = most_factors(pool, &nodes);
    Group best = {.pool = pool, .capacity = most}, room = best;
    Expr *now = base_alloc(size * sizeof *now), *args = NULL;
    best.shared = base_alloc(most * sizeof *best.shared);
    room.shared = base_alloc(most * sizeof *room.shared);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr e = {nodes.at[i]};
        size_t arity = expr_arg_count(pool, e);
        args = base_alloc((arity + 1) * sizeof *args);
        bool changed = false;
        for (size_t j = 0; j < arity; j++) {
            args[j] = now[expr_arg(pool, e, j).at];
            changed = changed || !expr_same(args[j], expr_arg(pool, e, j));
        }
        now[e.at] = factor_sum(&best, &room, changed ? expr_rebuild(pool, e, args) : e);
        base_free(args);
    }
    for (size_t i = 0; i < count; i++)
        exprs[i] = now[exprs[i].at];
    base_free(best.shared);
    base_free(room.shared);
    base_free(now);
    expr_list_free(&nodes);
}
