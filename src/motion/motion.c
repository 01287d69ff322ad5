// motion.c: puts a motion together, step by step, and frees it.
#include "motion/frictions.h"
#include "motion/motion_impl.h"

#include <assert.h>
#include <string.h>

static Expr *expr_array(Motion *motion, size_t count)
{
    return arena_alloc(motion->arena, count * sizeof(Expr));
}

// d/dt with and without accelerations. Rates of second derivatives are left at 0: no form
// needs third ones.
static void make_rates(Motion *motion)
{
    motion->dt = model_rates(motion->model);
    motion->dt_still = expr_rates_new(motion->pool);
    for (size_t i = 0; i < motion->n; i++)
        expr_rates_set(motion->dt_still, motion->q[i], motion->v[i]);
    expr_rates_set(motion->dt_still, motion->model->t, expr_int(motion->pool, 1));
    model_rate_inputs(motion->model, motion->dt_still);
}

static Motion *motion_empty(const Model *model)
{
    Motion *motion = base_alloc(sizeof *motion);
    motion->arena = arena_new();
    motion->asked = start_questions_new(motion->arena);
    motion->model = model;
    motion->pool = model->pool;
    motion->algebra = algebra_new(model->pool);
    motion->n = model->coords.count;
    motion->q = expr_array(motion, motion->n);
    motion->v = expr_array(motion, motion->n);
    motion->a = expr_array(motion, motion->n);
    for (size_t i = 0; i < motion->n; i++) {
        motion->q[i] = model->coords.at[i].q;
        motion->v[i] = model->coords.at[i].v;
        motion->a[i] = model->coords.at[i].a;
    }
    make_rates(motion);
    return motion;
}

enum { MOST_NAMED = 6 };

// The names of those that hold by themselves, or of those that follow from others.
static size_t add_aside(const Motion *motion, bool identity, Text *out)
{
    size_t count = 0;
    for (size_t i = 0; i < motion->aside.count; i++) {
        const MotionAside *aside = &motion->aside.at[i];
        if (aside->constraint->kind == CONSTRAINT_SERVO || aside->identity != identity)
            continue;
        if (count++ < MOST_NAMED)
            text_addf(out, "%s%s", count > 1 || out->length ? ", " : "", aside->constraint->name);
    }
    if (count > MOST_NAMED)
        text_addf(out, " and %zu more", count - MOST_NAMED);
    if (count > 0)
        text_addf(out, identity ? " (hold%s by %s)" : " (follow%s from the others)",
                  count > 1 ? "" : "s", count > 1 ? "themselves" : "itself");
    return count;
}

// One note for all conditions that are set aside; servos have had theirs.
static void note_aside(const Motion *motion, Diag *diag)
{
    Text names = {0};
    size_t count = add_aside(motion, true, &names);
    count += add_aside(motion, false, &names);
    if (count > 0)
        diag_add(diag, DIAG_NOTE, place_none(), "set aside: %s", names.at);
    text_clear(&names);
}

static Status make_parts(Motion *motion, Diag *diag)
{
    TRY(motion_check_axes(motion, diag));
    TRY(motion_check_loads(motion, diag));
    motion_make_energies(motion);
    TRY(motion_make_rows(motion, diag));
    TRY(motion_make_seconds(motion, diag));
    note_aside(motion, diag);
    motion_list_conditions(motion);
    TRY(motion_make_sides(motion, diag));
    TRY(motion_make_frictions(motion, diag));
    motion_add_massless(motion);
    motion_take_reactions(motion, motion->K);
    TRY(motion_make_speeds(motion, diag));
    motion_take_given_energy(motion);
    return STATUS_OK;
}

static Status make(const Model *model, bool to_run, Diag *diag, Motion **out)
{
    Motion *motion = motion_empty(model);
    motion->to_run = to_run;
    Status status = make_parts(motion, diag);
    if (status != STATUS_OK) {
        motion_free(motion);
        motion = NULL;
    }
    *out = motion;
    return status;
}

Status motion_new(const Model *model, Diag *diag, Motion **out)
{
    return make(model, false, diag, out);
}

Status motion_new_to_run(const Model *model, Diag *diag, Motion **out)
{
    return make(model, true, diag, out);
}

// Where it cannot be decided what the velocities are, nothing is said of them.
static void need_solution(Motion *motion)
{
    Diag *unheard = diag_new();
    Status status = motion_solve(motion, unheard);
    assert(status == STATUS_OK || motion->state.postponed);
    (void)status;
    diag_free(unheard);
}

// The other side of f ≤ 0, so that its reaction +λ·∂(−f)/∂q is the one-sided condition's −λ·∂f/∂q.
static MotionRow turned(Motion *motion, const MotionRow *side)
{
    ExprPool *pool = motion->pool;
    MotionRow row = {.constraint = side->constraint,
                     .position = expr_neg(pool, side->position),
                     .velocity = expr_neg(pool, side->velocity),
                     .b = expr_array(motion, motion->n),
                     .c = expr_neg(pool, side->c),
                     .gamma = expr_neg(pool, side->gamma),
                     .linear = side->linear};
    for (size_t nu = 0; nu < motion->n; nu++)
        row.b[nu] = expr_is_zero(pool, side->b[nu]) ? side->b[nu] : expr_neg(pool, side->b[nu]);
    row.d = row.b;
    return row;
}

// A motion in other speeds keeps what the base has.
static void keep_frictions(const Motion *base, const FrictionHold *states, Motion *motion)
{
    size_t count = base->friction_count;
    motion->friction_holds = base->friction_holds;
    if (!states || count == 0)
        return;
    FrictionHold *own = arena_array(motion->arena, FrictionHold, count);
    memcpy(own, states, count * sizeof *own);
    motion->friction_holds = own;
}

Status motion_holding(const Motion *base, MotionHold hold, Diag *diag, Motion **out)
{
    Motion *motion = motion_empty(base->model);
    motion->T = base->T;
    motion->U = base->U;
    motion->energy = base->energy;
    motion->p = base->p;
    motion->dT_dq = base->dT_dq;
    motion->rest_of_S = base->rest_of_S;
    motion->given = base->given;
    motion->sides = base->sides;
    motion->side_arena = base->side_arena;
    motion->side_count = base->side_count;
    motion->frictions = base->frictions;
    motion->friction_count = base->friction_count;
    motion->held = hold.held ? arena_array(motion->arena, bool, base->side_count + 1) : base->held;
    motion->pivots = hold.pivots;
    motion->open = hold.open;
    motion->rows = arena_alloc(
        motion->arena, (base->m + base->side_count + FRICTION_ROWS * base->friction_count + 1) *
                           sizeof *motion->rows);
    for (size_t i = 0; i < base->m; i++)
        if (!hold.left_out || !hold.left_out[i]) {
            MotionRow *row = &motion->rows[motion->m++];
            *row = base->rows[i];
            // What given forces add to it is added anew.
            row->d = row->servo ? row->d : row->b;
            motion->servos += row->servo != NULL;
        }
    for (size_t i = 0; i < base->side_count && hold.held; i++) {
        motion->held[i] = hold.held[i];
        if (hold.held[i])
            motion->rows[motion->m++] = turned(motion, motion_side(base, i));
    }
    keep_frictions(base, hold.friction, motion);
    for (size_t i = 0; i < motion->m && hold.friction; i++)
        motion_slide_massless(motion, &motion->rows[i]);
    if (hold.friction)
        motion_add_sticks(motion);
    for (size_t i = 0; i < base->aside.count; i++)
        array_push(&motion->aside, base->aside.at[i]);
    motion->seconds = base->seconds;
    motion->second_count = base->second_count;
    motion->affine_count = base->affine_count;
    motion_list_conditions(motion);
    motion_take_reactions(motion, base->whole_K);
    Status status = hold.without_speeds ? STATUS_OK : motion_make_speeds(motion, diag);
    if (status != STATUS_OK) {
        motion_free(motion);
        motion = NULL;
    }
    *out = motion;
    return status;
}

void motion_free(Motion *motion)
{
    if (!motion)
        return;
    expr_subst_free(motion->state.subst);
    expr_subst_free(motion->velocities.subst);
    expr_rates_free(motion->state.along);
    expr_rates_free(motion->velocities.along);
    expr_rates_free(motion->dt);
    expr_rates_free(motion->dt_still);
    algebra_free(motion->algebra);
    array_clear(&motion->aside);
    array_clear(&motion->balances);
    start_questions_clear(motion->asked);
    arena_free(motion->arena);
    base_free(motion);
}

// q''_ν = Σ B_να u'_α + D_ν.
static Expr acceleration_of(const Motion *motion, const MotionReduction *reduction, size_t nu)
{
    size_t k = motion->k;
    Expr *terms = base_alloc((k + 1) * sizeof *terms);
    for (size_t alpha = 0; alpha < k; alpha++)
        terms[alpha] =
            expr_mul(motion->pool, reduction->B[nu * k + alpha], reduction->speeds[alpha].rate);
    terms[k] = reduction->D[nu];
    Expr sum = expr_sum(motion->pool, terms, k + 1);
    base_free(terms);
    return sum;
}

Expr motion_reduced(Motion *motion, MotionReduction *reduction, Expr e)
{
    need_solution(motion);
    if (!reduction->subst) {
        reduction->subst = expr_subst_new(motion->pool);
        for (size_t nu = 0; nu < motion->n; nu++) {
            expr_subst_set(reduction->subst, motion->v[nu], reduction->F[nu]);
            expr_subst_set(reduction->subst, motion->a[nu], acceleration_of(motion, reduction, nu));
        }
    }
    return expr_subst(reduction->subst, e);
}

Expr motion_in_speeds(Motion *motion, Expr e)
{
    return motion_reduced(motion, &motion->state, e);
}

Expr motion_rate_along(Motion *motion, MotionReduction *reduction, Expr e)
{
    need_solution(motion);
    if (!reduction->along) {
        reduction->along = expr_rates_new(motion->pool);
        expr_rates_set(reduction->along, motion->model->t, expr_int(motion->pool, 1));
        for (size_t nu = 0; nu < motion->n; nu++) {
            expr_rates_set(reduction->along, motion->q[nu], reduction->F[nu]);
            if (!reduction->closed)
                expr_rates_set(reduction->along, motion->v[nu],
                               acceleration_of(motion, reduction, nu));
        }
        // Speeds that are velocities have their rates already where these stay.
        for (size_t alpha = 0; alpha < motion->k; alpha++)
            if (reduction->closed || reduction->speeds[alpha].declared)
                expr_rates_set(reduction->along, reduction->speeds[alpha].u,
                               reduction->speeds[alpha].rate);
    }
    return expr_rate(reduction->along, e);
}

Expr motion_on_speed(Motion *motion, MotionReduction *reduction, const Expr *g, size_t alpha)
{
    need_solution(motion);
    Expr *terms = base_alloc((motion->n + 1) * sizeof *terms);
    for (size_t nu = 0; nu < motion->n; nu++)
        terms[nu] =
            expr_mul(motion->pool, motion_reduced(motion, reduction, g[nu]),
                     motion_reduced(motion, reduction, reduction->A[nu * motion->k + alpha]));
    Expr sum = expr_sum(motion->pool, terms, motion->n);
    base_free(terms);
    return sum;
}

Expr motion_force_on(Motion *motion, MotionReduction *reduction, size_t alpha)
{
    return motion_on_speed(motion, reduction, motion->K, alpha);
}
