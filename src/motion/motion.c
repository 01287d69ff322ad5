// motion.c: puts a motion together, step by step, and frees it.
#include "motion/motion_impl.h"

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
}

static Motion *motion_empty(const Model *model)
{
    Motion *motion = base_alloc(sizeof *motion);
    motion->arena = arena_new();
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

static Status make_parts(Motion *motion, Diag *diag)
{
    motion_make_energies(motion);
    TRY(motion_make_rows(motion, diag));
    TRY(motion_make_speeds(motion, diag));
    return STATUS_OK;
}

Status motion_new(const Model *model, Diag *diag, Motion **out)
{
    Motion *motion = motion_empty(model);
    Status status = make_parts(motion, diag);
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
    expr_subst_free(motion->to_speeds);
    expr_rates_free(motion->dt);
    expr_rates_free(motion->dt_still);
    algebra_free(motion->algebra);
    array_clear(&motion->aside);
    arena_free(motion->arena);
    base_free(motion);
}

Expr motion_in_speeds(Motion *motion, Expr e)
{
    if (!motion->to_speeds) {
        ExprPool *pool = motion->pool;
        motion->to_speeds = expr_subst_new(pool);
        Expr *velocity = base_alloc((motion->k + 1) * sizeof *velocity);
        Expr *acceleration = base_alloc((motion->k + 1) * sizeof *acceleration);
        for (size_t nu = 0; nu < motion->n; nu++) {
            for (size_t alpha = 0; alpha < motion->k; alpha++) {
                Expr b = motion->B[nu * motion->k + alpha];
                velocity[alpha] = expr_mul(pool, b, motion->speeds[alpha].u);
                acceleration[alpha] = expr_mul(pool, b, motion->speeds[alpha].rate);
            }
            velocity[motion->k] = motion->C[nu];
            acceleration[motion->k] = motion->D[nu];
            expr_subst_set(motion->to_speeds, motion->v[nu],
                           expr_sum(pool, velocity, motion->k + 1));
            expr_subst_set(motion->to_speeds, motion->a[nu],
                           expr_sum(pool, acceleration, motion->k + 1));
        }
        base_free(velocity);
        base_free(acceleration);
    }
    return expr_subst(motion->to_speeds, e);
}
