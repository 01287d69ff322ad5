// curved.c: velocities in speeds where a condition or a speed is not linear in the velocities.
//
// q' = F(ω, u, q, t) solves f = ω for the conditions and g = u for the speeds (Hamel 247 (1)–(3)).
// Where no closed form is found the velocities stay, and are functions of the speeds by their
// derivatives alone: with the rows b = ∂f/∂q' and Y = ∂g/∂q',
//
//     [b; Y] B = [0; 1],   [b; Y] D = −[γ; g' for q'' = 0],   [b; Y] ∂F/∂q = −[∂f/∂q; ∂g/∂q]
#include "motion/motion_impl.h"

// ---- The equations: the conditions, then the speeds.

static Expr value_of(const Motion *motion, const MotionReduction *reduction, size_t i)
{
    return i < motion->m ? motion->rows[i].velocity : reduction->speeds[i - motion->m].value;
}

static void fill_matrix(const Motion *motion, const MotionReduction *reduction, Expr *matrix)
{
    size_t n = motion->n, m = motion->m;
    for (size_t i = 0; i < n; i++)
        for (size_t nu = 0; nu < n; nu++)
            matrix[i * n + nu] = i < m ? motion->rows[i].b[nu] : reduction->speeds[i - m].y[nu];
}

// ---- In closed form.

// Speeds that are velocities stand under other names while the velocities are the unknowns.
static bool invert(Motion *motion, MotionReduction *reduction)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n, m = motion->m, k = motion->k;
    Expr *values = base_alloc((2 * n + 1) * sizeof *values), *symbols = values + n;
    Expr *u = base_alloc((k + 1) * sizeof *u);
    for (size_t i = 0; i < n; i++) {
        values[i] = value_of(motion, reduction, i);
        symbols[i] = i < m ? reduction->omega[i] : expr_symbol_new(pool, "speed");
        if (i >= m)
            u[i - m] = reduction->speeds[i - m].u;
    }
    bool found = motion_invert(motion, values, symbols, reduction->whole);
    for (size_t nu = 0; nu < n && found; nu++)
        reduction->whole[nu] = expr_replace(pool, reduction->whole[nu], symbols + m, u, k);
    base_free(values);
    base_free(u);
    return found;
}

static void name_conditions(Motion *motion, MotionReduction *reduction)
{
    reduction->omega = arena_alloc(motion->arena, (motion->m + 1) * sizeof(Expr));
    reduction->whole = arena_alloc(motion->arena, motion->n * sizeof(Expr));
    for (size_t i = 0; i < motion->m; i++) {
        Text name = {0};
        text_addf(&name, "omega.%s", motion->rows[i].constraint->name);
        reduction->omega[i] = expr_symbol(motion->pool, name.at);
        text_clear(&name);
    }
}

// ---- √(u²): of a root the sign is known at the start, and so is that of a speed that can be drawn
// out of it.

static int sign_at_start(const Motion *motion, Expr e)
{
    double value = 0;
    if (!motion_numbers_at_start(motion, &e, 1, &value))
        return 0;
    return value < 0 ? -1 : value > 0;
}

// Of a speed, which may be given itself.
static int speed_sign_at_start(const Motion *motion, const MotionSpeed *speed)
{
    const Model *model = motion->model;
    for (size_t i = 0; i < model->starts.count && speed->declared && !speed->orthonormal; i++)
        if (model->starts.at[i].of == START_SPEED && model->starts.at[i].target == speed->index)
            return sign_at_start(motion, model->starts.at[i].value);
    return sign_at_start(motion, speed->value);
}

// q with F² = s²·q for this speed s, q free of it; none where there is none.
static Expr square_without(const Motion *motion, Expr F, Expr s)
{
    ExprPool *pool = motion->pool;
    Expr ratio = expr_div(pool, expr_pow_int(pool, F, 2), expr_pow_int(pool, s, 2));
    ratio = algebra_simplify(motion->algebra, ratio);
    return expr_holds(pool, ratio, s) ? (Expr){0} : ratio;
}

// Velocity ν as a speed times what is left, where it is the root of a square: the branch that goes
// smoothly through 0. Off the conditions it is that times a root that is 1 on them.
static void draw_out_speed(Motion *motion, MotionReduction *reduction, size_t nu)
{
    ExprPool *pool = motion->pool;
    Expr *F = &reduction->F[nu], *whole = &reduction->whole[nu];
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        const MotionSpeed *speed = &reduction->speeds[alpha];
        Expr slope, rest;
        if (!expr_holds(pool, *F, speed->u) || expr_linear(pool, *F, &speed->u, 1, &slope, &rest))
            continue;
        Expr q = square_without(motion, *F, speed->u);
        int sign = speed_sign_at_start(motion, speed);
        if (expr_is_none(q) || sign == 0)
            continue;
        if (sign_at_start(motion, motion->v[nu]) < 0)
            sign = -sign;
        Expr off = expr_div(pool, expr_pow_int(pool, *whole, 2),
                            expr_mul(pool, expr_pow_int(pool, speed->u, 2), q));
        *F = expr_product(pool, (Expr[]){expr_int(pool, sign), speed->u, expr_sqrt(pool, q)}, 3);
        *whole = expr_mul(pool, *F, expr_sqrt(pool, algebra_simplify(motion->algebra, off)));
        return;
    }
}

// F on the conditions, with its derivatives.
static void make_closed(Motion *motion, MotionReduction *reduction)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n, m = motion->m, k = motion->k;
    Expr *zeros = base_alloc((m + k + 1) * sizeof *zeros), *u = zeros + m;
    for (size_t i = 0; i < m; i++)
        zeros[i] = expr_int(pool, 0);
    for (size_t alpha = 0; alpha < k; alpha++)
        u[alpha] = reduction->speeds[alpha].u;
    ExprRates *along = expr_rates_new(pool);
    expr_rates_set(along, motion->model->t, expr_int(pool, 1));
    for (size_t nu = 0; nu < n; nu++) {
        Expr F = expr_replace(pool, reduction->whole[nu], reduction->omega, zeros, m);
        reduction->F[nu] = algebra_simplify(motion->algebra, F);
        draw_out_speed(motion, reduction, nu);
        expr_rates_set(along, motion->q[nu], reduction->F[nu]);
    }
    for (size_t nu = 0; nu < n; nu++) {
        Expr *row = reduction->B + nu * k;
        expr_gradient(pool, reduction->F[nu], u, k, row);
        for (size_t alpha = 0; alpha < k; alpha++)
            row[alpha] = algebra_simplify(motion->algebra, row[alpha]);
        reduction->D[nu] = expr_rate(along, reduction->F[nu]);
    }
    expr_rates_free(along);
    base_free(zeros);
}

// Whether [b; Y]·B = [0; 1] with q' = F: an inverse that was found is not believed, but proved.
static bool is_inverse(Motion *motion, const MotionReduction *reduction)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n, m = motion->m, k = motion->k;
    Expr *matrix = base_alloc((n * n + n + 1) * sizeof *matrix), *column = matrix + n * n;
    fill_matrix(motion, reduction, matrix);
    bool right = true;
    for (size_t i = 0; i < n && right; i++)
        for (size_t alpha = 0; alpha < k && right; alpha++) {
            for (size_t nu = 0; nu < n; nu++)
                column[nu] = reduction->B[nu * k + alpha];
            Expr product = expr_replace(pool, motion_along(motion, matrix + i * n, column),
                                        motion->v, reduction->F, n);
            Expr miss = expr_sub(pool, product, expr_int(pool, i == m + alpha));
            right = motion_is_zero(motion, miss);
        }
    base_free(matrix);
    return right;
}

// ---- By derivatives alone.

static bool make_open(Motion *motion, MotionReduction *reduction)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n, m = motion->m, k = motion->k, columns = k + 1;
    Expr *matrix = base_alloc((n * n + 2 * n * columns + 1) * sizeof *matrix);
    Expr *right = matrix + n * n, *solution = right + n * columns;
    fill_matrix(motion, reduction, matrix);
    for (size_t i = 0; i < n; i++) {
        for (size_t alpha = 0; alpha < k; alpha++)
            right[i * columns + alpha] = expr_int(pool, i == m + alpha);
        right[i * columns + k] =
            expr_neg(pool, expr_rate(motion->dt_still, value_of(motion, reduction, i)));
    }
    bool solved = algebra_solve(motion->algebra, matrix, right, n, columns, solution);
    for (size_t nu = 0; nu < n && solved; nu++) {
        reduction->F[nu] = motion->v[nu];
        for (size_t alpha = 0; alpha < k; alpha++)
            reduction->B[nu * k + alpha] = solution[nu * columns + alpha];
        reduction->D[nu] = solution[nu * columns + k];
    }
    base_free(matrix);
    return solved;
}

Status motion_reduce_curved(Motion *motion, MotionReduction *reduction, Diag *diag)
{
    // Only the state is solved for: see reduce in speeds.c.
    if (reduction == &motion->state) {
        name_conditions(motion, reduction);
        if (!motion->open && invert(motion, reduction)) {
            make_closed(motion, reduction);
            reduction->closed = is_inverse(motion, reduction);
        }
    }
    if (!reduction->closed && !make_open(motion, reduction))
        return diag_error(diag, place_none(),
                          "the velocities cannot be expressed by the chosen speeds");
    return STATUS_OK;
}

// ---- Derivatives of what is reduced.

// [b; Y]·∂F/∂q = −[∂f/∂q; ∂g/∂q].
static void make_slope(Motion *motion, MotionReduction *reduction)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    reduction->slope = arena_alloc(motion->arena, (n * n + 1) * sizeof(Expr));
    Expr *matrix = base_alloc((2 * n * n + 1) * sizeof *matrix), *right = matrix + n * n;
    fill_matrix(motion, reduction, matrix);
    for (size_t i = 0; i < n; i++) {
        expr_gradient(pool, value_of(motion, reduction, i), motion->q, n, right + i * n);
        for (size_t sigma = 0; sigma < n; sigma++)
            right[i * n + sigma] = expr_neg(pool, right[i * n + sigma]);
    }
    // It was regular when B was solved for.
    if (!algebra_solve(motion->algebra, matrix, right, n, n, reduction->slope))
        for (size_t i = 0; i < n * n; i++)
            reduction->slope[i] = expr_int(pool, 0);
    base_free(matrix);
}

void motion_by_speeds(Motion *motion, MotionReduction *reduction, Expr e, Expr *partials)
{
    size_t n = motion->n, k = motion->k;
    Expr *by = base_alloc((2 * n + k + 1) * sizeof *by), *column = by + n, *u = column + n;
    for (size_t alpha = 0; alpha < k; alpha++)
        u[alpha] = reduction->speeds[alpha].u;
    if (reduction->closed)
        expr_gradient(motion->pool, e, u, k, partials);
    else
        expr_gradient(motion->pool, e, motion->v, n, by);
    for (size_t alpha = 0; alpha < k && !reduction->closed; alpha++) {
        for (size_t nu = 0; nu < n; nu++)
            column[nu] = reduction->B[nu * k + alpha];
        partials[alpha] = motion_along(motion, by, column);
    }
    base_free(by);
}

void motion_by_places(Motion *motion, MotionReduction *reduction, Expr e, Expr *partials)
{
    size_t n = motion->n;
    expr_gradient(motion->pool, e, motion->q, n, partials);
    if (reduction->closed)
        return;
    if (!reduction->slope)
        make_slope(motion, reduction);
    Expr *by = base_alloc((2 * n + 1) * sizeof *by), *column = by + n;
    expr_gradient(motion->pool, e, motion->v, n, by);
    for (size_t sigma = 0; sigma < n; sigma++) {
        for (size_t nu = 0; nu < n; nu++)
            column[nu] = reduction->slope[nu * n + sigma];
        partials[sigma] = expr_add(motion->pool, partials[sigma], motion_along(motion, by, column));
    }
    base_free(by);
}

// ---- Work.

// Degrees of homogeneity that are tried: b·q' = degree·f.
enum { MOST_DEGREE = 8 };

bool motion_is_workless(Motion *motion, const MotionRow *row)
{
    ExprPool *pool = motion->pool;
    if (row->linear)
        return motion_is_zero(motion, row->c);
    Expr power = motion_along(motion, row->d, motion->v);
    if (motion_is_zero(motion, motion_reduced(motion, &motion->state, power)))
        return true;
    for (int64_t halves = -MOST_DEGREE; halves <= 2 * MOST_DEGREE; halves++) {
        Expr multiple = expr_mul(pool, expr_ratio(pool, halves, 2), row->velocity);
        if (motion_is_zero(motion, expr_sub(pool, power, multiple)))
            return true;
    }
    return false;
}
