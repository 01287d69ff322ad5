// inertia.c: whether the masses determine the motion: the kinetic energy must be regular on
// the velocities that the constraints leave free. Decided exactly, by generic rank.
#include "motion/motion_impl.h"

// Adds ∂²e/∂x∂x to a k × k matrix.
static void add_second_derivatives(const Motion *motion, Expr e, const Expr *x, Expr *matrix)
{
    size_t k = motion->k;
    ExprPool *pool = motion->pool;
    Expr *gradient = base_alloc((k + 1) * sizeof *gradient);
    expr_gradient(pool, e, x, k, gradient);
    bool *holds = motion_holds(motion, gradient, k, x, k);
    for (size_t beta = 0; beta < k; beta++) {
        ExprRates *by = expr_rates_new(pool);
        expr_rates_set(by, x[beta], expr_int(pool, 1));
        for (size_t alpha = 0; alpha < k; alpha++) {
            if (!holds[alpha * k + beta])
                continue;
            Expr *entry = &matrix[alpha * k + beta];
            *entry = expr_add(pool, *entry, expr_rate(by, gradient[alpha]));
        }
        expr_rates_free(by);
    }
    base_free(holds);
    base_free(gradient);
}

// Bᵀ𝓜B: where the velocities are no linear functions of the speeds, T⁺ has other second
// derivatives.
static void project_mass_matrix(Motion *motion, Expr *matrix)
{
    size_t n = motion->n, k = motion->k;
    const Expr *B = motion->state.B;
    Expr *mass = base_alloc((n * n + n * n + 1) * sizeof *mass), *terms = mass + n * n;
    motion_mass_matrix(motion, mass);
    for (size_t i = 0; i < n * n; i++)
        mass[i] = motion_in_speeds(motion, mass[i]);
    for (size_t alpha = 0; alpha < k; alpha++)
        for (size_t beta = 0; beta < k; beta++) {
            for (size_t i = 0; i < n * n; i++)
                terms[i] = expr_product(
                    motion->pool, (Expr[]){B[i / n * k + alpha], mass[i], B[i % n * k + beta]}, 3);
            matrix[alpha * k + beta] = expr_sum(motion->pool, terms, n * n);
        }
    base_free(mass);
}

void motion_reduced_mass_matrix(Motion *motion, Expr *matrix)
{
    size_t k = motion->k;
    if (motion->curved) {
        project_mass_matrix(motion, matrix);
        return;
    }
    Expr *u = base_alloc((k + 1) * sizeof *u), *rates = base_alloc((k + 1) * sizeof *rates);
    for (size_t alpha = 0; alpha < k; alpha++) {
        u[alpha] = motion->state.speeds[alpha].u;
        rates[alpha] = motion->state.speeds[alpha].rate;
    }
    for (size_t i = 0; i < k * k; i++)
        matrix[i] = expr_int(motion->pool, 0);
    add_second_derivatives(motion, motion_in_speeds(motion, motion->T), u, matrix);
    if (!expr_is_zero(motion->pool, motion_S_without_T(motion)))
        add_second_derivatives(motion, motion_in_speeds(motion, motion_S_without_T(motion)), rates,
                               matrix);
    base_free(u);
    base_free(rates);
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
        const MotionSpeed *speed = &motion->state.speeds[i];
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

bool motion_is_plainly_positive(const Motion *motion, Expr e)
{
    ExprPool *pool = motion->pool;
    if (expr_is_number(pool, e))
        return expr_is_one(pool, expr_call(pool, EXPR_SIGN, e, (Expr){0}));
    if (expr_is_symbol(pool, e)) {
        for (size_t i = 0; i < motion->model->params.count; i++)
            if (expr_same(motion->model->params.at[i].symbol, e))
                return true;
        return false;
    }
    if (expr_op(pool, e) != EXPR_PRODUCT ||
        !motion_is_plainly_positive(motion, expr_number(pool, expr_value(pool, e))))
        return false;
    for (size_t i = 0; i < expr_arg_count(pool, e); i++)
        if (!expr_is_symbol(pool, expr_arg(pool, e, i)) ||
            !motion_is_plainly_positive(motion, expr_arg(pool, e, i)))
            return false;
    return true;
}

// T = ½ Σ c_ν q'_ν² with positive c_ν: regular on any velocities.
static bool is_sum_of_squares(const Motion *motion)
{
    ExprPool *pool = motion->pool;
    if (!expr_is_zero(pool, motion_S_without_T(motion)))
        return false;
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr c = expr_diff(pool, motion->p[nu], motion->v[nu]);
        if (!motion_is_plainly_positive(motion, c) ||
            !expr_same(motion->p[nu], expr_mul(pool, c, motion->v[nu])))
            return false;
    }
    return true;
}

// [𝓜⁺ ĝᵀ; ĝ 0] is regular, ĝ = g·B of the conditions on the accelerations: these fix what the
// inertia leaves open.
static bool conditions_help(Motion *motion, const Expr *matrix)
{
    size_t k = motion->k, s = motion->affine_count, size = k + s;
    ExprPool *pool = motion->pool;
    if (s == 0)
        return false;
    Expr *bordered = base_alloc(size * size * sizeof *bordered);
    for (size_t i = 0; i < size * size; i++)
        bordered[i] = expr_int(pool, 0);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            bordered[i * size + j] = matrix[i * k + j];
    for (size_t i = 0; i < s; i++)
        for (size_t alpha = 0; alpha < k; alpha++) {
            Expr g = motion_on_speed(motion, &motion->state, motion->seconds[i].row.b, alpha);
            bordered[(k + i) * size + alpha] = bordered[alpha * size + k + i] = g;
        }
    ptrdiff_t rank = algebra_rank(motion->algebra, bordered, size, size, NULL, NULL, NULL);
    base_free(bordered);
    return rank < 0 || rank == (ptrdiff_t)size;
}

Status motion_check_inertia(Motion *motion, Diag *diag)
{
    size_t k = motion->k;
    if (k == 0 || is_sum_of_squares(motion))
        return motion_check_servos(motion, diag);
    Expr *matrix = base_alloc(k * k * sizeof *matrix);
    bool *independent = base_alloc(k * sizeof *independent);
    motion_reduced_mass_matrix(motion, matrix);
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, k, k, NULL, independent, NULL);
    // What cannot be decided exactly is decided at the state.
    Status status = rank < 0 || rank == (ptrdiff_t)k || conditions_help(motion, matrix)
                        ? STATUS_OK
                        : name_missing(motion, matrix, independent, diag);
    base_free(matrix);
    base_free(independent);
    return status == STATUS_OK ? motion_check_servos(motion, diag) : status;
}
