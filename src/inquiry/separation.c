// separation.c: complete integrals by separation of the variables.
//
// A coordinate is taken out of H(q, p) = E where a factor μ of that coordinate makes μ(H − E) the
// sum of a part in it and a part in the others: each must then be constant. A coordinate that H
// does not hold has a constant momentum. In the end each p_α is the root of a quadratic equation
// in its own coordinate and the constants; that H(q, p) = E is proved by putting them in.
#include "inquiry/inquiry_impl.h"

#include <string.h>

typedef struct {
    Motion *motion;
    size_t count;
    const Expr *q, *p;
    bool *done;
    Expr rest; // in the coordinates that are not done, and to be 0
    InquirySeparation *out;
} Separation;

// ---- Values at which a part in other variables is looked at.

static bool has_infinity(const ExprPool *pool, Expr e)
{
    ExprList nodes = expr_nodes(pool, &e, 1);
    bool infinite = false;
    for (size_t i = 0; i < nodes.count && !infinite; i++) {
        Expr node = {nodes.at[i]};
        for (size_t k = 0; expr_op(pool, node) == EXPR_PRODUCT && k < expr_arg_count(pool, node);
             k++)
            infinite = infinite || (fmpq_sgn(expr_arg_weight(pool, node, k)) < 0 &&
                                    expr_is_zero(pool, expr_arg(pool, node, k)));
    }
    expr_list_free(&nodes);
    return infinite;
}

// e with the coordinates and momenta of all but `own` replaced by fixed numbers.
static bool at_fixed(Separation *work, Expr e, size_t own, Expr *value)
{
    ExprPool *pool = work->motion->pool;
    Expr half_turn = expr_mul(pool, expr_ratio(pool, 1, 2), expr_pi(pool));
    Expr tried[] = {expr_int(pool, 0), half_turn, expr_int(pool, 1)};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        *value = e;
        for (size_t j = 0; j < work->count; j++) {
            if (work->done[j] || j == own)
                continue;
            Expr zero = expr_int(pool, 0);
            *value = expr_replace(pool, *value, &work->p[j], &zero, 1);
            *value = expr_replace(pool, *value, &work->q[j], &tried[i], 1);
        }
        if (!has_infinity(pool, *value))
            return true;
    }
    return false;
}

// ---- Splitting.

static bool holds_only_own(const Separation *work, Expr e, size_t own)
{
    for (size_t j = 0; j < work->count; j++)
        if (j != own && (expr_holds(work->motion->pool, e, work->q[j]) ||
                         expr_holds(work->motion->pool, e, work->p[j])))
            return false;
    return true;
}

// Whether e is a sum of a part in `own` and a part in the others.
static bool splits(Separation *work, Expr e, size_t own)
{
    ExprPool *pool = work->motion->pool;
    Expr mine[] = {expr_diff(pool, e, work->q[own]), expr_diff(pool, e, work->p[own])};
    for (size_t j = 0; j < work->count; j++) {
        if (j == own || work->done[j])
            continue;
        for (int i = 0; i < 2; i++)
            if (!inquiry_vanishes(work->motion, expr_diff(pool, mine[i], work->q[j])) ||
                !inquiry_vanishes(work->motion, expr_diff(pool, mine[i], work->p[j])))
                return false;
    }
    return true;
}

// The part of a coefficient that holds `own` alone, as a product.
static Expr own_factor(Separation *work, Expr coefficient, size_t own)
{
    ExprPool *pool = work->motion->pool;
    Expr factor = expr_int(pool, 1);
    if (expr_op(pool, coefficient) != EXPR_PRODUCT)
        return holds_only_own(work, coefficient, own) ? coefficient : factor;
    for (size_t i = 0; i < expr_arg_count(pool, coefficient); i++) {
        Expr base = expr_arg(pool, coefficient, i);
        if (expr_holds(pool, base, work->q[own]) && holds_only_own(work, base, own))
            factor = expr_mul(
                pool, factor,
                expr_pow(pool, base, expr_number(pool, expr_arg_weight(pool, coefficient, i))));
    }
    return factor;
}

// A factor μ with which coordinate `own` can be taken out.
static bool find_factor(Separation *work, size_t own, Expr *product)
{
    Motion *motion = work->motion;
    ExprPool *pool = motion->pool;
    *product = work->rest;
    if (splits(work, *product, own))
        return true;
    for (size_t j = 0; j < work->count; j++) {
        if (j == own || work->done[j])
            continue;
        Expr coefficient = inquiry_short(
            motion, expr_diff(pool, expr_diff(pool, work->rest, work->p[j]), work->p[j]));
        if (expr_is_zero(pool, coefficient))
            continue;
        // The part in this coordinate alone, or a factor that all share (Liouville).
        Expr factors[] = {own_factor(work, coefficient, own), coefficient};
        for (int i = 0; i < 2; i++) {
            *product = inquiry_short(motion, expr_div(pool, work->rest, factors[i]));
            if (splits(work, *product, own))
                return true;
        }
    }
    return false;
}

// ---- Momenta.

// p from part(q, p) = 0, which is at most quadratic in p.
static bool solve_momentum(Separation *work, Expr part, size_t own)
{
    Motion *motion = work->motion;
    ExprPool *pool = motion->pool;
    Expr p = work->p[own], zero = expr_int(pool, 0), two = expr_int(pool, 2);
    Expr slope = expr_diff(pool, part, p), bend = expr_diff(pool, slope, p);
    Expr a = inquiry_short(motion, expr_div(pool, bend, two));
    Expr b = inquiry_short(motion, expr_replace(pool, slope, &p, &zero, 1));
    Expr c = inquiry_short(motion, expr_replace(pool, part, &p, &zero, 1));
    if (!inquiry_vanishes(motion, expr_diff(pool, bend, p)))
        return false;
    work->out->parts[own] = part;
    if (inquiry_vanishes(motion, a)) {
        if (inquiry_vanishes(motion, b))
            return false;
        work->out->momenta[own] = expr_neg(pool, expr_div(pool, c, b));
        return true;
    }
    Expr half = expr_div(pool, b, expr_mul(pool, two, a));
    Expr under = expr_sub(pool, expr_pow_int(pool, half, 2), expr_div(pool, c, a));
    Expr root = expr_sqrt(pool, inquiry_short(motion, under));
    work->out->momenta[own] = expr_sub(pool, root, half);
    return true;
}

// A constant of this value, in q, p and the constants before it.
static Expr new_constant(Separation *work, Expr value)
{
    Text name = {0};
    text_addf(&name, "a%zu", work->out->constant_count + 1);
    Expr constant = inquiry_symbol(work->motion, name.at);
    text_clear(&name);
    work->out->constants[work->out->constant_count++] = constant;
    work->out->integrals[work->out->constant_count] = value;
    return constant;
}

// A coordinate that nothing holds: its momentum is a constant.
static bool take_ignorable(Separation *work)
{
    for (size_t j = 0; j < work->count; j++) {
        if (work->done[j] || expr_holds(work->motion->pool, work->rest, work->q[j]))
            continue;
        Expr constant = new_constant(work, work->p[j]);
        work->out->momenta[j] = constant;
        work->out->parts[j] = expr_sub(work->motion->pool, work->p[j], constant);
        work->rest = expr_replace(work->motion->pool, work->rest, &work->p[j], &constant, 1);
        work->done[j] = true;
        return true;
    }
    return false;
}

static size_t left_over(const Separation *work)
{
    size_t left = 0;
    for (size_t j = 0; j < work->count; j++)
        left += !work->done[j];
    return left;
}

static bool take_one(Separation *work)
{
    Motion *motion = work->motion;
    ExprPool *pool = motion->pool;
    for (size_t j = 0; j < work->count; j++) {
        Expr product, mine, others;
        if (work->done[j])
            continue;
        if (left_over(work) == 1) {
            work->done[j] = true;
            return solve_momentum(work, work->rest, j);
        }
        if (!find_factor(work, j, &product) || !at_fixed(work, product, j, &mine))
            continue;
        // μ(H − E) = mine + others; mine = −a, others = a.
        others = inquiry_short(motion, expr_sub(pool, product, mine));
        Expr constant = new_constant(work, expr_neg(pool, mine));
        if (!solve_momentum(work, expr_add(pool, mine, constant), j))
            return false;
        work->rest = expr_sub(pool, others, constant);
        work->done[j] = true;
        return true;
    }
    return false;
}

// ---- Proof.

static bool is_complete(Separation *work, Expr H)
{
    ExprPool *pool = work->motion->pool;
    Expr value = expr_replace(pool, H, work->p, work->out->momenta, work->count);
    for (size_t j = 0; j < work->count; j++)
        if (!holds_only_own(work, work->out->momenta[j], j))
            return false;
    return inquiry_vanishes(work->motion, expr_sub(pool, value, work->out->energy));
}

InquirySeparation *separation_of(Motion *motion, Arena *arena, Expr H, const Expr *q, const Expr *p,
                                 size_t count)
{
    Separation work = {.motion = motion, .count = count, .q = q, .p = p};
    work.done = base_alloc((count + 1) * sizeof *work.done);
    work.out = arena_alloc(arena, sizeof *work.out);
    work.out->energy = inquiry_symbol(motion, "E");
    work.out->constants = arena_alloc(arena, (count + 1) * sizeof(Expr));
    work.out->momenta = arena_alloc(arena, (count + 1) * sizeof(Expr));
    work.out->parts = arena_alloc(arena, (count + 1) * sizeof(Expr));
    work.out->integrals = arena_alloc(arena, (count + 1) * sizeof(Expr));
    work.out->integrals[0] = H;
    work.rest = expr_sub(motion->pool, H, work.out->energy);
    bool goes_on = count > 0;
    while (goes_on && left_over(&work) > 1)
        goes_on = take_ignorable(&work) || take_one(&work);
    goes_on = goes_on && (left_over(&work) == 0 || take_one(&work)) && is_complete(&work, H);
    base_free(work.done);
    return goes_on ? work.out : NULL;
}
