// rates_sums.c: sums in fewer operations.
//
// Sums with what their terms share taken out, so that fewer products are left: Horner's rule
// for many variables, by greed. Of the factors that several terms have, the one is taken by
// which most products are saved; then the same for what is left inside and outside.
#include "dynamics/rates_impl.h"
#include "expr/expr.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <float.h>
#include <math.h>

Expr sum_affine(ExprPool *pool, const Expr *coefficients, const Expr *variables, size_t count,
                Expr rest)
{
    Expr *terms = base_alloc((count + 1) * sizeof *terms);
    size_t filled = 0;
    for (size_t i = 0; i < count; i++)
        if (!expr_is_zero(pool, coefficients[i]))
            terms[filled++] = expr_mul(pool, coefficients[i], variables[i]);
    terms[filled++] = rest;
    Expr sum = expr_sum(pool, terms, filled);
    base_free(terms);
    return sum;
}

// ---- Factors.

// The bases of a term.
static size_t base_count(const ExprPool *pool, Expr term)
{
    return expr_op(pool, term) == EXPR_PRODUCT ? expr_arg_count(pool, term) : 1;
}

static Expr base_at(const ExprPool *pool, Expr term, size_t i)
{
    return expr_op(pool, term) == EXPR_PRODUCT ? expr_arg(pool, term, i) : term;
}

// The n of base^n, n ≥ 1, times something, which a term is; 0 where it is not. A product in a
// product is there because its factors may vanish; it stays what it is.
static double exponent_of(const ExprPool *pool, Expr term, Expr base)
{
    if (expr_op(pool, base) == EXPR_PRODUCT)
        return 0;
    if (expr_op(pool, term) != EXPR_PRODUCT)
        return expr_same(term, base);
    for (size_t i = 0; i < expr_arg_count(pool, term); i++)
        if (expr_same(expr_arg(pool, term, i), base)) {
            double exponent = floor(fmpq_get_d(expr_arg_weight(pool, term, i)));
            return exponent >= 1 ? exponent : 0;
        }
    return 0;
}

static bool has_factor(const ExprPool *pool, Expr term, Expr base)
{
    return exponent_of(pool, term, base) >= 1;
}

// How many terms have both.
static size_t count_terms(const ExprPool *pool, Expr sum, Expr base, Expr other)
{
    size_t count = 0;
    for (size_t i = 0; i < expr_arg_count(pool, sum); i++)
        count += has_factor(pool, expr_arg(pool, sum, i), base) &&
                 has_factor(pool, expr_arg(pool, sum, i), other);
    return count;
}

// How many products are saved where this factor of a term is taken out, with all else that the
// terms share which have it.
static size_t gain(const ExprPool *pool, Expr sum, Expr term, Expr base)
{
    size_t terms = count_terms(pool, sum, base, base), shared = 0;
    for (size_t i = 0; i < base_count(pool, term) && terms > 1; i++)
        shared += count_terms(pool, sum, base, base_at(pool, term, i)) == terms;
    return terms > 1 ? (terms - 1) * shared : 0;
}

// The factor by which most is saved; none where nothing is.
static Expr find_best(const ExprPool *pool, Expr sum)
{
    Expr best = {0};
    size_t most = 0;
    for (size_t i = 0; i < expr_arg_count(pool, sum); i++) {
        Expr term = expr_arg(pool, sum, i);
        for (size_t j = 0; j < base_count(pool, term); j++) {
            size_t own = gain(pool, sum, term, base_at(pool, term, j));
            if (own > most) {
                most = own;
                best = base_at(pool, term, j);
            }
        }
    }
    return best;
}

// What of a base is taken out of the terms that have it: one factor after the other, or all of a
// high power that they share.
static Expr shared_power(ExprPool *pool, Expr sum, Expr base)
{
    double least = INFINITY;
    for (size_t i = 0; i < expr_arg_count(pool, sum); i++) {
        double own = exponent_of(pool, expr_arg(pool, sum, i), base);
        least = own >= 1 ? fmin(least, own) : least;
    }
    bool high = least > ODE_MAX_ORDER && least < 1 / DBL_EPSILON;
    return high ? expr_pow(pool, base, expr_int(pool, (long)least)) : base;
}

// The sum is power·inside + outside, a power of the base.
static void take_out(ExprPool *pool, Arena *arena, Expr sum, Expr base, Expr power, Expr *inside,
                     Expr *outside)
{
    size_t count = expr_arg_count(pool, sum), in = 0, out = 0;
    Expr *parts = arena_array(arena, Expr, 2 * count + 1), *others = parts + count;
    others[out++] = expr_number(pool, expr_value(pool, sum));
    for (size_t i = 0; i < count; i++) {
        Expr weight = expr_number(pool, expr_arg_weight(pool, sum, i));
        Expr term = expr_mul(pool, weight, expr_arg(pool, sum, i));
        if (has_factor(pool, expr_arg(pool, sum, i), base))
            parts[in++] = expr_div(pool, term, power);
        else
            others[out++] = term;
    }
    *inside = expr_sum(pool, parts, in);
    *outside = expr_sum(pool, others, out);
}

// Every turn inside lowers the degree.
static Expr factor_sum(ExprPool *pool, Arena *arena, Expr sum)
{
    Expr done = expr_int(pool, 0);
    while (expr_op(pool, sum) == EXPR_SUM) {
        Expr base = find_best(pool, sum), inside;
        if (expr_is_none(base))
            break;
        Expr power = shared_power(pool, sum, base);
        take_out(pool, arena, sum, base, power, &inside, &sum);
        inside = factor_sum(pool, arena, inside);
        done = expr_add(pool, done, expr_mul(pool, power, inside));
    }
    return expr_add(pool, done, sum);
}

// The node over its children as they are now.
static Expr rebuild(ExprPool *pool, Arena *arena, Expr e, const Expr *now)
{
    size_t count = expr_arg_count(pool, e);
    Expr *args = arena_array(arena, Expr, count);
    bool changed = false;
    for (size_t i = 0; i < count; i++) {
        Expr arg = expr_arg(pool, e, i);
        args[i] = now[arg.at];
        changed = changed || !expr_same(args[i], arg);
    }
    return changed ? expr_rebuild(pool, e, args) : e;
}

void sums_factor(ExprPool *pool, Expr *exprs, size_t count)
{
    assert(pool && exprs);
    Arena *arena = arena_new();
    ExprList nodes = expr_nodes(pool, exprs, count);
    Expr *now = arena_array(arena, Expr, expr_pool_size(pool) + 1);
    for (size_t i = 0; i < nodes.count; i++)
        now[nodes.at[i]] = factor_sum(pool, arena, rebuild(pool, arena, (Expr){nodes.at[i]}, now));
    for (size_t i = 0; i < count; i++)
        exprs[i] = now[exprs[i].at];
    arena_free(arena);
    expr_list_free(&nodes);
}
