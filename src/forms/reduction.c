// reduction.c: true coordinates, some of them dependent.
//
// T⁺ is T with the dependent velocities replaced. ∂/∂q_α keeps the dependent coordinates fixed,
// d/dt moves them.
#include "forms/reduction_impl.h"

bool form_may_reduce(const Motion *motion, Form *form)
{
    if (motion_no_T(motion))
        form_refuse(form, "%s", motion_no_T(motion));
    else if (motion->servos)
        form_refuse(form,
                    "%s: its force works on the displacements that the condition allows, and this "
                    "form takes these for the virtual ones",
                    motion_driven(motion));
    return !form->reason;
}

bool true_init(TrueCoordinates *true_, Motion *motion, Form *form)
{
    size_t n = motion->n, k = motion->k;
    *true_ = (TrueCoordinates){.motion = motion, .by = motion_velocities(motion)};
    if (!true_->by) {
        form_refuse(form, "no velocities of coordinates can be independent");
        return false;
    }
    true_->independent = base_alloc((k + 1) * sizeof(size_t));
    true_->dependent = base_alloc((n - k + 1) * sizeof(size_t));
    true_->velocity = base_alloc((k + 1) * sizeof(Expr));
    true_->dT_dv = base_alloc((k + 1) * sizeof(Expr));
    true_->dT_dq = base_alloc((n + 1) * sizeof(Expr));
    bool *free_ = base_alloc((n + 1) * sizeof *free_);
    for (size_t alpha = 0; alpha < k; alpha++) {
        true_->independent[alpha] = true_->by->speeds[alpha].index;
        true_->velocity[alpha] = true_->by->speeds[alpha].u;
        free_[true_->independent[alpha]] = true;
    }
    for (size_t nu = 0, i = 0; nu < n; nu++)
        if (!free_[nu])
            true_->dependent[i++] = nu;
    base_free(free_);
    true_->T = true_reduced(true_, motion->T);
    motion_by_speeds(motion, true_->by, true_->T, true_->dT_dv);
    motion_by_places(motion, true_->by, true_->T, true_->dT_dq);
    return true;
}

bool form_needs_linear(const Motion *motion, const MotionReduction *reduction, Form *form,
                       const char *why)
{
    if (!reduction || reduction->linear)
        return true;
    for (size_t i = 0; i < motion->m; i++)
        if (!motion->rows[i].linear) {
            form_refuse(form, "the constraint '%s' is not linear in the velocities, and %s",
                        motion->rows[i].constraint->name, why);
            return false;
        }
    for (size_t i = 0; i < motion->k; i++)
        if (!motion->state.speeds[i].linear) {
            form_refuse(form, "the speed '%s' is not linear in the velocities, and %s",
                        motion->state.speeds[i].name, why);
            return false;
        }
    return true;
}

Expr true_slope(TrueCoordinates *true_, size_t i, size_t alpha)
{
    Motion *motion = true_->motion;
    Expr *slopes = base_alloc((motion->n + 1) * sizeof *slopes);
    motion_by_places(motion, true_->by, true_velocity(true_, i), slopes);
    Expr slope = slopes[true_->independent[alpha]];
    base_free(slopes);
    return slope;
}

void true_clear(TrueCoordinates *true_)
{
    base_free(true_->independent);
    base_free(true_->dependent);
    base_free(true_->velocity);
    base_free(true_->dT_dv);
    base_free(true_->dT_dq);
}

Expr true_a(const TrueCoordinates *true_, size_t i, size_t alpha)
{
    return true_->by->B[true_->dependent[i] * true_->motion->k + alpha];
}

Expr true_a0(const TrueCoordinates *true_, size_t i)
{
    return true_->by->C[true_->dependent[i]];
}

Expr true_reduced(TrueCoordinates *true_, Expr e)
{
    return motion_reduced(true_->motion, true_->by, e);
}

Expr true_velocity(TrueCoordinates *true_, size_t i)
{
    return true_reduced(true_, true_->motion->v[true_->dependent[i]]);
}

Expr true_rate(TrueCoordinates *true_, Expr e)
{
    return motion_rate_along(true_->motion, true_->by, e);
}

Expr true_lagrange(TrueCoordinates *true_, size_t alpha)
{
    return expr_sub(true_->motion->pool, true_rate(true_, true_->dT_dv[alpha]),
                    true_->dT_dq[true_->independent[alpha]]);
}

Expr true_force(TrueCoordinates *true_, size_t alpha)
{
    return motion_force_on(true_->motion, true_->by, alpha);
}

Expr true_force_and_apparent(TrueCoordinates *true_, size_t alpha)
{
    Expr apparent = motion_apparent_force_on(true_->motion, true_->by, alpha);
    return expr_add(true_->motion->pool, true_force(true_, alpha), apparent);
}

Expr form_force_on(Motion *motion, size_t alpha)
{
    return expr_add(motion->pool, motion_force_on(motion, &motion->state, alpha),
                    motion_apparent_force_on(motion, &motion->state, alpha));
}

const char *true_name(const TrueCoordinates *true_, size_t alpha)
{
    return true_->motion->model->coords.at[true_->independent[alpha]].name;
}

// R_α = Σ_i [∂T₀/∂q'_{k+i}] (d a_iα/dt − ∂q'_{k+i}/∂q_α) + Σ_i [∂T₀/∂q_{k+i}] a_iα, which is
// Σ m x'·(d/dt ∂x'/∂q'_α − ∂x'/∂q_α) of Quanjel (8) with x' seen through the coordinates; and the
// Δ of an energy of acceleration that was given.
Expr true_correction(TrueCoordinates *true_, size_t alpha)
{
    Motion *motion = true_->motion;
    ExprPool *pool = motion->pool;
    Expr *terms = base_alloc((2 * motion->m + 2) * sizeof *terms);
    for (size_t i = 0; i < motion->m; i++) {
        size_t nu = true_->dependent[i];
        Expr a = true_a(true_, i, alpha);
        Expr twist = expr_sub(pool, true_rate(true_, a), true_slope(true_, i, alpha));
        terms[2 * i] = expr_mul(pool, true_reduced(true_, motion->p[nu]), twist);
        terms[2 * i + 1] = expr_mul(pool, true_reduced(true_, motion->dT_dq[nu]), a);
    }
    terms[2 * motion->m] = motion_apparent_force_on(motion, true_->by, alpha);
    Expr R = expr_sum(pool, terms, 2 * motion->m + 1);
    base_free(terms);
    return R;
}

bool conditions_across(Motion *motion, Expr *across)
{
    size_t n = motion->n, m = motion->m;
    Expr *right = base_alloc((n * m + 1) * sizeof *right);
    for (size_t i = 0; i < n * m; i++)
        right[i] = expr_int(motion->pool, i / m == i % m);
    bool solved = m == 0 || motion_solve_speeds(motion, &motion->state, right, m, across);
    base_free(right);
    return solved;
}
