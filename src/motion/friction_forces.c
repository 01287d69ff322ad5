// friction_forces.c: what friction does in a contact mode, as forces and as rows; and forces that
// hold reactions.
#include "motion/definitions.h"
#include "motion/frictions.h"
#include "motion/holds.h"
#include "motion/motion_impl.h"

#include <string.h>

// ---- What it does in a contact mode.

Expr motion_friction_speed(const Motion *motion, const MotionFriction *friction, FrictionHold state)
{
    ExprPool *pool = motion->pool;
    if (friction->rows == 1)
        return state.mode == HOLD_BACKWARD ? expr_neg(pool, friction->sticks[0].velocity)
                                           : friction->sticks[0].velocity;
    Expr squares[FRICTION_ROWS];
    for (size_t i = 0; i < friction->rows; i++)
        squares[i] = expr_pow_int(pool, friction->sticks[i].velocity, 2);
    return expr_sqrt(pool, expr_sum(pool, squares, friction->rows));
}

// |λ|, of one equation with the sign that it has.
static Expr reaction_length(const Motion *motion, const FrictionTerm *term, bool pulls)
{
    Expr lambda = term->by[0]->lambda, squares[FRICTION_NORMALS];
    if (term->count == 1)
        return pulls ? expr_neg(motion->pool, lambda) : lambda;
    for (size_t i = 0; i < term->count; i++)
        squares[i] = expr_pow_int(motion->pool, term->by[i]->lambda, 2);
    return expr_sqrt(motion->pool, expr_sum(motion->pool, squares, term->count));
}

// ν|λ| of a condition with friction.
static Expr normal_force(const Motion *motion, const MotionFriction *friction, FrictionHold state)
{
    FrictionTerm own;
    if (!motion_friction_own(friction, &own))
        return expr_int(motion->pool, 1);
    return expr_mul(motion->pool, friction->pressure,
                    reaction_length(motion, &own, state.pulls & 1));
}

// slip.NAME of the friction itself as it moves in the state; at rest 0.
static Expr with_slip(const Motion *motion, const MotionFriction *friction, FrictionHold state,
                      Expr e)
{
    Expr symbol = friction->friction->slip, speed = expr_int(motion->pool, 0);
    if (!expr_holds(motion->pool, e, symbol))
        return e;
    if (state.mode >= HOLD_FORWARD)
        speed = motion_friction_speed(motion, friction, state);
    return expr_replace(motion->pool, e, &symbol, &speed, 1);
}

Expr motion_friction_bound(const Motion *motion, const MotionFriction *friction, FrictionHold state,
                           bool sticks)
{
    ExprPool *pool = motion->pool;
    Expr bound = expr_mul(pool, sticks ? friction->hold : friction->bound,
                          normal_force(motion, friction, state));
    for (size_t i = 0; i < friction->term_count; i++) {
        const FrictionTerm *term = &friction->terms[i];
        Expr length = reaction_length(motion, term, state.pulls >> (i + 1) & 1);
        bound = expr_add(pool, bound, expr_mul(pool, sticks ? term->hold : term->bound, length));
    }
    return with_slip(motion, friction, state, bound);
}

void motion_friction_force(const Motion *motion, const MotionFriction *friction, FrictionHold state,
                           Expr *force)
{
    ExprPool *pool = motion->pool;
    for (size_t i = 0; i < friction->rows; i++)
        force[i] =
            state.mode == HOLD_STICKS ? friction->sticks[i].constraint->lambda : expr_int(pool, 0);
    if (state.mode < HOLD_FORWARD)
        return;
    Expr bound = expr_neg(pool, motion_friction_bound(motion, friction, state, false));
    if (friction->rows == 1) {
        force[0] = state.mode == HOLD_BACKWARD ? expr_neg(pool, bound) : bound;
        return;
    }
    Expr scale = expr_div(pool, bound, motion_friction_speed(motion, friction, state));
    for (size_t i = 0; i < friction->rows; i++)
        force[i] = expr_mul(pool, scale, friction->sticks[i].velocity);
}

// ---- On what has no inertia.

bool motion_friction_is_massless(const MotionFriction *friction)
{
    return friction->friction->massless != NULL;
}

// What vanishes while it slides.
static Expr balance_rest(const Motion *motion, const MotionFriction *friction, FrictionHold state)
{
    Expr bound = motion_friction_bound(motion, friction, state, false);
    return state.mode == HOLD_FORWARD ? expr_add(motion->pool, friction->friction->balance, bound)
                                      : expr_sub(motion->pool, friction->friction->balance, bound);
}

MotionRow motion_friction_balance(Motion *motion, const MotionFriction *friction,
                                  FrictionHold state, bool *finite)
{
    ExprPool *pool = motion->pool;
    Expr rest = balance_rest(motion, friction, state);
    MotionRow row = {.constraint = friction->sticks[0].constraint, .linear = true};
    *finite = !expr_holds_any(pool, rest, motion->v, motion->n);
    row.velocity = *finite ? expr_rate(motion->dt_still, rest) : rest;
    row.b = arena_alloc(motion->arena, 2 * motion->n * sizeof(Expr));
    row.d = row.b + motion->n;
    motion_linearize(motion, row.velocity, row.b, &row.c);
    for (size_t nu = 0; nu < motion->n; nu++)
        row.b[nu] = motion_shortened(motion, row.b[nu]);
    memcpy(row.d, friction->sticks[0].b, motion->n * sizeof(Expr));
    row.gamma = expr_rate(motion->dt_still, row.velocity);
    return row;
}

// The friction without inertia whose stick row this is; NULL for none.
static const MotionFriction *massless_of(const Motion *motion, const MotionRow *row, size_t *index)
{
    for (*index = 0; *index < motion->friction_count; ++*index)
        if (motion_friction_is_massless(&motion->frictions[*index]) &&
            motion->frictions[*index].sticks[0].constraint == row->constraint)
            return &motion->frictions[*index];
    return NULL;
}

void motion_add_massless(Motion *motion)
{
    size_t count = 0;
    for (size_t i = 0; i < motion->friction_count; i++)
        count += motion_friction_is_massless(&motion->frictions[i]);
    if (count == 0)
        return;
    MotionRow *rows = arena_alloc(motion->arena, (motion->m + count + 1) * sizeof *rows);
    for (size_t i = 0; i < motion->m; i++)
        rows[i] = motion->rows[i];
    motion->rows = rows;
    for (size_t i = 0; i < motion->friction_count; i++)
        if (motion_friction_is_massless(&motion->frictions[i]))
            rows[motion->m++] = motion->frictions[i].sticks[0];
    motion->in_force_count = 0;
    motion_list_conditions(motion);
}

void motion_slide_massless(Motion *motion, MotionRow *row)
{
    size_t i;
    bool finite;
    const MotionFriction *friction = massless_of(motion, row, &i);
    if (!friction || !motion->friction_holds || motion->friction_holds[i].mode < HOLD_FORWARD)
        return;
    FrictionHold state = motion->friction_holds[i];
    *row = motion_friction_balance(motion, friction, state, &finite);
    motion->servos++;
    if (!finite)
        return;
    ModelConstraint *balance = arena_alloc(motion->arena, sizeof *balance);
    *balance = *row->constraint;
    balance->residual = row->position = balance_rest(motion, friction, state);
    array_push(&motion->balances, balance);
}

// ---- Forces that hold reactions.

// normal(NAME) as λ; λ of one-sided conditions that do not act here as 0.
static void resolve_reactions(const Motion *motion, Expr *K)
{
    const Model *model = motion->model;
    size_t most = model->constraints.count + motion->friction_count;
    Expr *symbols = base_alloc(2 * (most + 1) * sizeof *symbols), *values = symbols + most + 1;
    size_t count = 0;
    for (size_t i = 0; i < motion->friction_count; i++) {
        const MotionFriction *friction = &motion->frictions[i];
        if (!friction->constraint)
            continue;
        bool acts = motion_row_of(motion, friction->constraint);
        FrictionHold state = motion->friction_holds ? motion->friction_holds[i] : (FrictionHold){0};
        symbols[count] = friction->friction->normal;
        values[count++] = acts ? normal_force(motion, friction, state) : expr_int(motion->pool, 0);
    }
    for (size_t i = 0; i < motion->side_count; i++) {
        bool held = motion->held && motion->held[i];
        Expr lambda = motion->sides[i].constraint->lambda;
        // λ ≥ 0 where it acts.
        symbols[count] = held ? expr_call(motion->pool, EXPR_ABS, lambda, (Expr){0}) : lambda;
        values[count++] = held ? lambda : expr_int(motion->pool, 0);
    }
    for (size_t nu = 0; nu < motion->n && count > 0; nu++)
        K[nu] = expr_replace(motion->pool, K[nu], symbols, values, count);
    base_free(symbols);
}

// Adds a part of the forces that goes with λ of a row to its direction.
static void turn_row(Motion *motion, MotionRow *row, size_t nu, Expr part)
{
    if (row->d == row->b) {
        row->d = arena_alloc(motion->arena, motion->n * sizeof(Expr));
        memcpy(row->d, row->b, motion->n * sizeof(Expr));
        motion->servos += row->servo == NULL;
    }
    row->d[nu] = expr_add(motion->pool, row->d[nu], part);
}

// A force that is not linear in reactions, as its linear part about the reactions at hand: with
// these again and again in its place that is Newton's method (dynamics/curved_reactions.c).
static Expr bend(Motion *motion, Expr force, const Expr *symbols, Expr *parts)
{
    ExprPool *pool = motion->pool;
    expr_gradient(pool, force, symbols, motion->m, parts);
    for (size_t i = 0; i < motion->m; i++)
        force = expr_sub(pool, force, expr_mul(pool, parts[i], symbols[i]));
    motion->bends = true;
    return force;
}

// K without reactions; what goes with λ of a condition joins the direction of its reaction.
static void split_reactions(Motion *motion, Expr *K)
{
    size_t m = motion->m, n = motion->n;
    Expr *symbols = base_alloc(2 * (m + 1) * sizeof *symbols), *parts = symbols + m + 1;
    resolve_reactions(motion, K);
    for (size_t i = 0; i < m; i++)
        symbols[i] = motion->rows[i].constraint->lambda;
    for (size_t nu = 0; nu < n; nu++) {
        Expr rest;
        if (!expr_holds_any(motion->pool, K[nu], symbols, m))
            continue;
        bool linear = expr_linear(motion->pool, K[nu], symbols, m, parts, &rest);
        for (size_t i = 0; i < m && linear; i++)
            linear = !expr_holds_any(motion->pool, parts[i], symbols, m);
        K[nu] = linear ? rest : bend(motion, K[nu], symbols, parts);
        for (size_t i = 0; i < m; i++)
            if (!expr_is_zero(motion->pool, parts[i]))
                turn_row(motion, &motion->rows[i], nu, parts[i]);
    }
    base_free(symbols);
}

// A given force in λ of one-sided conditions alone: normal(NAME) is ν|λ|, and λ ≥ 0.
static Expr force_in_lambda(const Motion *motion, Expr force, Expr lambda)
{
    Expr size = expr_call(motion->pool, EXPR_ABS, lambda, (Expr){0});
    return expr_replace(motion->pool, friction_with_normals(motion, force), &size, &lambda, 1);
}

static void find_acting_sides(Motion *motion)
{
    for (size_t i = 0; i < motion->side_count; i++)
        for (size_t nu = 0; nu < motion->n; nu++) {
            Expr lambda = motion->sides[i].constraint->lambda;
            Expr force = force_in_lambda(motion, motion->whole_K[nu], lambda);
            if (!expr_holds(motion->pool, force, lambda))
                continue;
            motion->sides_act = true;
            motion->sides_bend |=
                expr_holds(motion->pool, expr_diff(motion->pool, force, lambda), lambda);
        }
}

bool motion_reaction_share(const Motion *motion, size_t side, Expr *share, bool *curved)
{
    ExprPool *pool = motion->pool;
    Expr lambda = motion->sides[side].constraint->lambda, zero = expr_int(pool, 0);
    bool any = false;
    for (size_t nu = 0; nu < motion->n; nu++) {
        share[nu] = zero;
        if (!motion->sides_act)
            continue;
        Expr force = force_in_lambda(motion, motion->whole_K[nu], lambda);
        if (!expr_holds(pool, force, lambda))
            continue;
        any = true;
        share[nu] = expr_diff(pool, force, lambda);
        if (!expr_holds(pool, share[nu], lambda))
            continue;
        *curved = true;
        Expr from = expr_replace(pool, force, &lambda, &zero, 1);
        share[nu] = expr_div(pool, expr_sub(pool, force, from), lambda);
    }
    return any;
}

void motion_take_reactions(Motion *motion, const Expr *forces)
{
    ExprPool *pool = motion->pool;
    motion->whole_K = forces;
    if (motion->friction_count == 0 && !motion->model->reactions_act) {
        motion->K = (Expr *)forces;
        return;
    }
    Expr *K = motion->K = arena_alloc(motion->arena, (motion->n + 1) * sizeof *K);
    memcpy(K, forces, motion->n * sizeof *K);
    if (motion->model->reactions_act)
        find_acting_sides(motion);
    for (size_t i = 0; i < motion->friction_count && motion->friction_holds; i++) {
        const MotionFriction *friction = &motion->frictions[i];
        FrictionHold state = motion->friction_holds[i];
        Expr force[FRICTION_ROWS];
        if (state.mode < HOLD_FORWARD || motion_friction_is_massless(friction))
            continue;
        motion_friction_force(motion, friction, state, force);
        for (size_t k = 0; k < friction->rows; k++)
            for (size_t nu = 0; nu < motion->n; nu++)
                K[nu] = expr_add(pool, K[nu], expr_mul(pool, force[k], friction->sticks[k].b[nu]));
    }
    split_reactions(motion, K);
}

// Which of the rows of the equations, of the one-sided conditions that are held and of those that
// stick are independent of those before them, in this order; NULL where that cannot be decided. For
// base_free.
static bool *independent_rows(const Motion *motion, const bool *held, const FrictionHold *friction)
{
    size_t n = motion->n, count = motion->m;
    size_t most = motion->m + motion->side_count + FRICTION_ROWS * motion->friction_count;
    Expr *matrix = base_alloc((most * n + 1) * sizeof *matrix);
    bool *independent = base_alloc((most + 1) * sizeof *independent);
    for (size_t i = 0; i < motion->m; i++)
        memcpy(matrix + i * n, motion->rows[i].b, n * sizeof *matrix);
    for (size_t i = 0; i < motion->side_count; i++)
        if (held[i])
            memcpy(matrix + count++ * n, motion_side(motion, i)->b, n * sizeof *matrix);
    for (size_t i = 0; i < motion->friction_count && friction; i++)
        for (size_t k = 0; k < motion->frictions[i].rows && friction[i].mode == HOLD_STICKS; k++)
            memcpy(matrix + count++ * n, motion->frictions[i].sticks[k].b, n * sizeof *matrix);
    if (algebra_rank(motion->algebra, matrix, count, n, NULL, independent, NULL) < 0) {
        base_free(independent);
        independent = NULL;
    }
    base_free(matrix);
    return independent;
}

void motion_leave_dependent(Motion *motion, bool *held, Diag *diag)
{
    bool *independent = independent_rows(motion, held, NULL);
    for (size_t i = 0, at = motion->m; i < motion->side_count && independent; i++) {
        if (!held[i] || independent[at++])
            continue;
        held[i] = false;
        diag_add(diag, DIAG_NOTE, motion->sides[i].constraint->place,
                 "the one-sided constraint '%s' depends on the equations and those before it, and "
                 "is left out",
                 motion->sides[i].constraint->name);
    }
    base_free(independent);
}

void motion_leave_sticks(const Motion *motion, const bool *held, FrictionHold *friction)
{
    bool *independent = independent_rows(motion, held, friction);
    size_t at = motion->m;
    for (size_t i = 0; i < motion->side_count; i++)
        at += held[i];
    for (size_t i = 0; i < motion->friction_count && independent; i++)
        for (size_t k = 0; k < motion->frictions[i].rows && friction[i].mode == HOLD_STICKS; k++)
            if (!independent[at++])
                friction[i].without |= (unsigned char)(1u << k);
    base_free(independent);
}

// The rows of those that stick, behind all others.
void motion_add_sticks(Motion *motion)
{
    for (size_t i = 0; i < motion->friction_count && motion->friction_holds; i++) {
        FrictionHold state = motion->friction_holds[i];
        bool adds =
            state.mode == HOLD_STICKS && !motion_friction_is_massless(&motion->frictions[i]);
        for (size_t k = 0; k < motion->frictions[i].rows; k++)
            if (adds && !(state.without >> k & 1))
                motion->rows[motion->m++] = motion->frictions[i].sticks[k];
    }
}
