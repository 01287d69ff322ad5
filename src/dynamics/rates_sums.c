// rates_sums.c: sums in fewer operations.
//
// sin² + cos² = 1 where turning a vector forth and back leaves it in a sum: terms k·x·sin(a)² and
// k·x·cos(a)² of one sum, to the eye, and no more than that.
//
// Then sums with what their terms share taken out, so that fewer products are left: Horner's rule
// for many variables, by greed. Of the factors that several terms have, the one is taken that saves
// most products, with all else that these terms share; then the same for what is left inside and
// outside.
#include "dynamics/rates_impl.h"
#include "expr/expr.h"

// ---- The circle.

// The base of a factor f² of the term that is a sine; none for none.
static Expr squared_sine(const ExprPool *pool, Expr term)
{
    size_t count = expr_op(pool, term) == EXPR_PRODUCT ? expr_arg_count(pool, term) : 0;
    for (size_t i = 0; i < count; i++) {
        Expr base = expr_arg(pool, term, i);
        if (expr_op(pool, base) == EXPR_SIN && fmpq_cmp_si(expr_arg_weight(pool, term, i), 2) == 0)
            return base;
    }
    return (Expr){0};
}

// Whether the sum has this term with this weight.
static bool has_term(const ExprPool *pool, Expr sum, Expr term, const fmpq *weight)
{
    for (size_t i = 0; i < expr_arg_count(pool, sum); i++)
        if (expr_same(expr_arg(pool, sum, i), term) &&
            fmpq_equal(expr_arg_weight(pool, sum, i), weight))
            return true;
    return false;
}

static Expr join_once(ExprPool *pool, Expr sum)
{
    for (size_t i = 0; i < expr_arg_count(pool, sum); i++) {
        Expr term = expr_arg(pool, sum, i), sine = squared_sine(pool, term);
        if (expr_is_none(sine))
            continue;
        Expr rest = expr_div(pool, term, expr_pow_int(pool, sine, 2));
        Expr cosine = expr_call(pool, EXPR_COS, expr_arg(pool, sine, 0), (Expr){0});
        Expr partner = expr_mul(pool, rest, expr_pow_int(pool, cosine, 2));
        const fmpq *weight = expr_arg_weight(pool, sum, i);
        if (!has_term(pool, sum, partner, weight))
            continue;
        Expr both = expr_add(pool, term, expr_sub(pool, partner, rest));
        return expr_sub(pool, sum, expr_mul(pool, expr_number(pool, weight), both));
    }
    return sum;
}

Expr sum_on_circle(ExprPool *pool, Expr e)
{
    Expr former = {0};
    while (!expr_same(e, former) && expr_op(pool, e) == EXPR_SUM) {
        former = e;
        e = join_once(pool, e);
    }
    return e;
}

// ---- Factors.

// The terms of a sum that have a factor, and what all of them share.
typedef struct {
    Expr base;
    size_t terms;       // that have it
    ARRAY(Expr) shared; // bases that all of these have, once each
} Group;

typedef struct {
    ExprPool *pool;
    Arena *arena;
    size_t most; // factors of a term, at first: so many of its factors are looked at
    Group best, trial;
} Factoring;

// The bases of a term.
static size_t base_count(const ExprPool *pool, Expr term)
{
    return expr_op(pool, term) == EXPR_PRODUCT ? expr_arg_count(pool, term) : 1;
}

static Expr base_at(const ExprPool *pool, Expr term, size_t i)
{
    return expr_op(pool, term) == EXPR_PRODUCT ? expr_arg(pool, term, i) : term;
}

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

static void find_group(Factoring *factoring, Expr sum, Expr base)
{
    const ExprPool *pool = factoring->pool;
    Group *group = &factoring->trial;
    group->base = base;
    group->terms = group->shared.count = 0;
    for (size_t i = 0; i < expr_arg_count(pool, sum); i++) {
        Expr term = expr_arg(pool, sum, i);
        if (!has_factor(pool, term, base))
            continue;
        size_t kept = 0, count = base_count(pool, term);
        for (size_t j = 0; group->terms == 0 && j < count && j < factoring->most; j++)
            array_push(&group->shared, base_at(pool, term, j));
        for (size_t j = 0; j < group->shared.count; j++)
            if (has_factor(pool, term, group->shared.at[j]))
                group->shared.at[kept++] = group->shared.at[j];
        group->shared.count = kept;
        group->terms++;
    }
}

// How many products are saved.
static size_t gain(const Group *group)
{
    return group->terms > 1 ? (group->terms - 1) * group->shared.count : 0;
}

// The best group of a sum; its gain is 0 where there is none.
static void find_best(Factoring *factoring, Expr sum)
{
    const ExprPool *pool = factoring->pool;
    factoring->best.terms = 0;
    for (size_t i = 0; i < expr_arg_count(pool, sum); i++) {
        Expr term = expr_arg(pool, sum, i);
        for (size_t j = 0; j < base_count(pool, term); j++) {
            Expr base = base_at(pool, term, j);
            if (!has_factor(pool, term, base))
                continue;
            find_group(factoring, sum, base);
            if (gain(&factoring->trial) > gain(&factoring->best)) {
                Group other = factoring->best;
                factoring->best = factoring->trial;
                factoring->trial = other;
            }
        }
    }
}

static bool is_shared(const Group *group, Expr base)
{
    for (size_t i = 0; i < group->shared.count; i++)
        if (expr_same(group->shared.at[i], base))
            return true;
    return false;
}

// A term of the best group without what is shared.
static Expr rest_of(const Factoring *factoring, Expr term)
{
    ExprPool *pool = factoring->pool;
    if (expr_op(pool, term) != EXPR_PRODUCT)
        return expr_int(pool, 1);
    size_t count = expr_arg_count(pool, term);
    Expr *factors = arena_array(factoring->arena, Expr, count + 1);
    fmpq_t exponent;
    fmpq_init(exponent);
    for (size_t i = 0; i < count; i++) {
        Expr base = expr_arg(pool, term, i);
        fmpq_sub_si(exponent, expr_arg_weight(pool, term, i), is_shared(&factoring->best, base));
        factors[i] = fmpq_is_zero(exponent) ? expr_int(pool, 1)
                                            : expr_pow(pool, base, expr_number(pool, exponent));
    }
    factors[count] = expr_number(pool, expr_value(pool, term));
    fmpq_clear(exponent);
    return expr_product(pool, factors, count + 1);
}

// The sum is shared·inside + outside: the best group goes to the product of what it shares and of
// what is left of its terms.
static void take_out(const Factoring *factoring, Expr sum, Expr *shared, Expr *inside,
                     Expr *outside)
{
    ExprPool *pool = factoring->pool;
    const Group *best = &factoring->best;
    size_t count = expr_arg_count(pool, sum), in = 0, out = 0;
    Expr *parts = arena_array(factoring->arena, Expr, 2 * count + 1), *others = parts + count;
    *shared = expr_product(pool, best->shared.at, best->shared.count);
    others[out++] = expr_number(pool, expr_value(pool, sum));
    for (size_t i = 0; i < count; i++) {
        Expr term = expr_arg(pool, sum, i),
             weight = expr_number(pool, expr_arg_weight(pool, sum, i));
        if (has_factor(pool, term, best->base))
            parts[in++] = expr_mul(pool, weight, rest_of(factoring, term));
        else
            others[out++] = expr_mul(pool, weight, term);
    }
    *inside = expr_sum(pool, parts, in);
    *outside = expr_sum(pool, others, out);
}

// Every turn inside lowers the degree.
static Expr factor_sum(Factoring *factoring, Expr sum)
{
    ExprPool *pool = factoring->pool;
    Expr done = expr_int(pool, 0);
    while (expr_op(pool, sum) == EXPR_SUM) {
        Expr shared, inside, outside;
        find_best(factoring, sum);
        if (gain(&factoring->best) == 0)
            break;
        take_out(factoring, sum, &shared, &inside, &outside);
        done = expr_add(pool, done, expr_mul(pool, shared, factor_sum(factoring, inside)));
        sum = outside;
    }
    return expr_add(pool, done, sum);
}

// The node over its children as they are now.
static Expr rebuild(const Factoring *factoring, Expr e, const Expr *now)
{
    size_t count = expr_arg_count(factoring->pool, e);
    Expr *args = arena_array(factoring->arena, Expr, count);
    bool changed = false;
    for (size_t i = 0; i < count; i++) {
        Expr arg = expr_arg(factoring->pool, e, i);
        args[i] = now[arg.at];
        changed = changed || !expr_same(args[i], arg);
    }
    return changed ? expr_rebuild(factoring->pool, e, args) : e;
}

void sums_factor(ExprPool *pool, Expr *exprs, size_t count)
{
    Factoring factoring = {.pool = pool, .arena = arena_new()};
    ExprList nodes = expr_nodes(pool, exprs, count);
    Expr *now = arena_array(factoring.arena, Expr, expr_pool_size(pool) + 1);
    for (size_t i = 0; i < nodes.count; i++) {
        size_t factors = base_count(pool, (Expr){nodes.at[i]});
        factoring.most = factors > factoring.most ? factors : factoring.most;
    }
    for (size_t i = 0; i < nodes.count; i++)
        now[nodes.at[i]] = factor_sum(&factoring, rebuild(&factoring, (Expr){nodes.at[i]}, now));
    for (size_t i = 0; i < count; i++)
        exprs[i] = now[exprs[i].at];
    array_clear(&factoring.best.shared);
    array_clear(&factoring.trial.shared);
    arena_free(factoring.arena);
    expr_list_free(&nodes);
}
