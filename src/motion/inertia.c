// inertia.c: whether the masses determine the motion: the kinetic energy must be regular on
// the velocities that the constraints leave free. Decided exactly, by generic rank.
#include "motion/motion_impl.h"

// ∂²T⁺/∂u∂u, k × k.
static void reduced_mass_matrix(Motion *motion, Expr *matrix)
{
    size_t k = motion->k;
    ExprPool *pool = motion->pool;
    Expr *u = base_alloc((k + 1) * sizeof *u);
    Expr *momenta = base_alloc((k + 1) * sizeof *momenta);
    for (size_t alpha = 0; alpha < k; alpha++)
        u[alpha] = motion->speeds[alpha].u;
    expr_gradient(pool, motion_in_speeds(motion, motion->T), u, k, momenta);
    for (size_t beta = 0; beta < k; beta++) {
        ExprRates *by = expr_rates_new(pool);
        expr_rates_set(by, u[beta], expr_int(pool, 1));
        for (size_t alpha = 0; alpha <= beta; alpha++)
            matrix[alpha * k + beta] = matrix[beta * k + alpha] = expr_rate(by, momenta[alpha]);
        expr_rates_free(by);
    }
    base_free(u);
    base_free(momenta);
}

static bool row_vanishes(const Motion *motion, const Expr *matrix, size_t row)
{
    for (size_t j = 0; j < motion->k; j++)
        if (!expr_is_zero(motion->pool, matrix[row * motion->k + j]))
            return false;
    return true;
}

static Place speed_place(const Motion *motion, const MotionSpeed *speed)
{
    return speed->declared ? motion->model->speeds.at[speed->index].place
                           : motion->model->coords.at[speed->index].place;
}

static Status name_missing(const Motion *motion, const Expr *matrix, const bool *independent,
                           Diag *diag)
{
    for (size_t i = 0; i < motion->k; i++) {
        const MotionSpeed *speed = &motion->speeds[i];
        if (independent[i])
            continue;
        if (row_vanishes(motion, matrix, i))
            diag_error(diag, speed_place(motion, speed),
                       "nothing determines how %s changes: it has no inertia and no constraint "
                       "fixes it; there are fewer equations than unknowns. Give it a mass "
                       "(mass, kinetic) or a constraint",
                       speed->name);
        else
            diag_error(diag, speed_place(motion, speed),
                       "the inertia is singular on the velocities that the constraints leave "
                       "free: it does not tell %s from the others. Give each free motion a mass "
                       "(mass, kinetic) or fix it by a constraint",
                       speed->name);
    }
    return STATUS_WRONG;
}

Status motion_check_inertia(Motion *motion, Diag *diag)
{
    size_t k = motion->k;
    if (k == 0)
        return STATUS_OK;
    Expr *matrix = base_alloc(k * k * sizeof *matrix);
    bool *independent = base_alloc(k * sizeof *independent);
    reduced_mass_matrix(motion, matrix);
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, k, k, NULL, independent, NULL);
    // What cannot be decided exactly is decided at the state.
    Status status = rank < 0 || rank == (ptrdiff_t)k
                        ? STATUS_OK
                        : name_missing(motion, matrix, independent, diag);
    base_free(matrix);
    base_free(independent);
    return status;
}
