// equations.c: the motion as numbers: velocities from speeds, accelerations and multipliers.
//
// At (t, q, u) the velocities solve [b; Y] q' = [−c; u − y0]; then Gauss's principle gives q''
// and λ, and du/dt = Y q'' + (what it is for q'' = 0). Nothing here is expanded symbolically:
// three programs make the coefficients, and small linear solves do the rest.
#include "dynamics/form_driver.h"
#include "dynamics/nonlinear/nonlinear.h"
#include "dynamics/projection.h"
#include "dynamics/second_class/second_class.h"
#include "dynamics/workspace_impl.h"
#include "expr/expr.h"
#include "linalg/kkt.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/inertia.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void *room(Arena *arena, size_t count, size_t bytes)
{
    return arena_alloc(arena, (count + 1) * bytes);
}

// ---- Programs.

// Parameters, t, q, v, a, and the multipliers of all conditions, in this order.
static void name_inputs(Equations *eq)
{
    const Model *model = eq->motion->model;
    size_t n = eq->n, at = 0;
    eq->input_count = eq->params + 1 + 3 * n + model->constraints.count;
    eq->symbols = room(eq->arena, eq->input_count, sizeof(Expr));
    for (size_t i = 0; i < eq->params; i++)
        eq->symbols[at++] = model->params.at[i].symbol;
    eq->symbols[at++] = model->t;
    for (size_t i = 0; i < n; i++) {
        eq->symbols[at + i] = eq->motion->q[i];
        eq->symbols[at + n + i] = eq->motion->v[i];
        eq->symbols[at + 2 * n + i] = eq->motion->a[i];
    }
    at += 3 * n;
    for (size_t i = 0; i < model->constraints.count; i++)
        eq->symbols[at++] = model->constraints.at[i].lambda;
}

Status equations_lower(const Equations *eq, const char *what, const Expr *outputs, size_t count,
                       size_t inputs, Diag *diag, Evaluator *evaluator)
{
    assert(inputs <= eq->input_count);
    Expr missing = {0};
    if (evaluator_prepare(evaluator, eq->motion->pool, eq->symbols, inputs, outputs, count,
                          &missing))
        return STATUS_OK;
    return diag_error(diag, place_none(), "%s '%s', which has no value in a run", what,
                      expr_name(eq->motion->pool, missing));
}

Status equations_evaluator(const Equations *eq, const char *what, const Expr *outputs, size_t count,
                           Diag *diag, Evaluator *evaluator)
{
    TRY(equations_lower(eq, what, outputs, count, eq->input_count, diag, evaluator));
    evaluator_add_workspace(evaluator);
    return STATUS_OK;
}

static Status lower(const Equations *eq, const Expr *outputs, size_t count, size_t inputs,
                    Diag *diag, Evaluator *evaluator)
{
    return equations_lower(eq, "the equations of motion hold", outputs, count, inputs, diag,
                           evaluator);
}

// A factor before a sum, as in −(x − 2), belongs to its terms.
size_t equations_terms(ExprPool *pool, Expr sum, Expr *terms)
{
    fmpq_t number;
    fmpq_init(number);
    Expr rest = expr_strip(pool, sum, number), factor = expr_number(pool, number);
    fmpq_clear(number);
    if (expr_op(pool, rest) != EXPR_SUM) {
        if (terms)
            terms[0] = sum;
        return 1;
    }
    size_t count = expr_arg_count(pool, rest);
    for (size_t i = 0; terms && i < count; i++) {
        Expr weight = expr_number(pool, expr_arg_weight(pool, rest, i));
        terms[i] = expr_mul(pool, expr_mul(pool, factor, weight), expr_arg(pool, rest, i));
    }
    if (terms)
        terms[count] = expr_mul(pool, factor, expr_number(pool, expr_value(pool, rest)));
    return count + 1;
}

// All finite conditions count, also those set aside: what follows from the others as far as
// velocities go still says where the system is. So do the one-sided ones that are held. What
// vanishes identically says nothing.
static void find_finite(Equations *eq)
{
    const Motion *motion = eq->motion;
    const Model *model = motion->model;
    size_t most = model->constraints.count;
    eq->finite_conditions = room(eq->arena, most, sizeof *eq->finite_conditions);
    eq->finite_terms = room(eq->arena, most + 1, sizeof *eq->finite_terms);
    for (size_t i = 0, side = 0; i < most; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        bool is_side = constraint->kind == CONSTRAINT_ONE_SIDED;
        bool held = is_side && motion->held && motion->held[side];
        side += is_side;
        if ((constraint->keeps != CONSTRAINT_FINITE && !held) ||
            expr_is_zero(motion->pool, constraint->residual))
            continue;
        size_t count = equations_terms(motion->pool, constraint->residual, NULL);
        eq->finite_conditions[eq->finite++] = constraint;
        eq->finite_terms[eq->finite] = eq->finite_terms[eq->finite - 1] + count;
    }
}

static Status lower_positions(Equations *eq, Diag *diag)
{
    find_finite(eq);
    size_t n = eq->n, count = eq->finite;
    size_t total = count * (n + 1) + eq->finite_terms[count];
    Expr *outputs = base_alloc((total + 1) * sizeof *outputs);
    for (size_t i = 0; i < count; i++) {
        Expr f = eq->finite_conditions[i]->residual;
        outputs[i] = f;
        expr_gradient(eq->motion->pool, f, eq->motion->q, n, outputs + count + i * n);
        equations_terms(eq->motion->pool, f, outputs + count * (n + 1) + eq->finite_terms[i]);
    }
    pattern_init(&eq->position_pattern, eq->arena, eq->motion->pool, outputs + count, count, n);
    Status status = lower(eq, outputs, total, eq->params + 1 + n, diag, &eq->positions);
    base_free(outputs);
    return status;
}

// Whether these hold parameters at most.
static bool are_constant(const Equations *eq, const Expr *exprs, size_t count)
{
    const ExprPool *pool = eq->motion->pool;
    size_t moving = 1 + 2 * eq->n;
    for (size_t i = 0; i < count; i++)
        if (!expr_is_number(pool, exprs[i]) &&
            expr_holds_any(pool, exprs[i], eq->symbols + eq->params, moving))
            return false;
    return true;
}

bool equations_hold_velocities(const Motion *motion, const Expr *exprs, size_t count)
{
    ExprList symbols = expr_symbols(motion->pool, exprs, count);
    bool found = false;
    for (size_t i = 0; i < symbols.count && !found; i++)
        for (size_t nu = 0; nu < motion->n && !found; nu++)
            found = symbols.at[i] == motion->v[nu].at;
    expr_list_free(&symbols);
    return found;
}

// Whether one-sided conditions come and go, and there is no choice of speeds that would have to be
// revised.
static bool comes_and_goes(const Equations *eq)
{
    const Motion *motion = eq->motion;
    bool no_choice = motion->m == 0 || (eq->all_velocities && !eq->nonlinear);
    return motion->side_count > 0 && no_choice;
}

static Status lower_velocities(Equations *eq, Diag *diag)
{
    const Motion *motion = eq->motion;
    size_t n = eq->n, m = eq->m, k = motion->k, at = 0;
    Expr *outputs = base_alloc((n * n + n + 1) * sizeof *outputs);
    for (size_t i = 0; i < m; i++, at += n)
        memcpy(outputs + at, motion->rows[i].b, n * sizeof *outputs);
    for (size_t i = 0; i < k; i++, at += n)
        memcpy(outputs + at, motion->state.speeds[i].y, n * sizeof *outputs);
    // Where no speeds were chosen their places stay empty.
    while (at < n * n)
        outputs[at++] = expr_int(motion->pool, 0);
    pattern_init(&eq->velocity_pattern, eq->arena, motion->pool, outputs, n, n);
    eq->sparse_velocities =
        sparse_pays(n, pattern_count(&eq->velocity_pattern), comes_and_goes(eq));
    for (size_t i = 0; i < m; i++)
        outputs[at++] = motion->rows[i].c;
    for (size_t i = 0; i < k; i++)
        outputs[at++] = motion->state.speeds[i].y0;
    while (at < n * n + n)
        outputs[at++] = expr_int(motion->pool, 0);
    eq->constant_matrices = eq->sparse_velocities && are_constant(eq, outputs, at);
    size_t inputs = eq->params + 1 + (eq->nonlinear ? 2 : 1) * n;
    Status status = lower(eq, outputs, at, inputs, diag, &eq->velocities);
    base_free(outputs);
    return status;
}

static Status lower_forces(Equations *eq, Motion *motion, Diag *diag)
{
    size_t n = eq->n, m = eq->m, k = motion->k, at = n * n + n;
    Expr *outputs = base_alloc((at + m + k + m * n + 1) * sizeof *outputs);
    motion_mass_matrix(motion, outputs);
    pattern_init(&eq->inertia_pattern, eq->arena, motion->pool, outputs, n, n);
    eq->inertia_holds_velocities = equations_hold_velocities(motion, outputs, n * n);
    size_t filled = pattern_count(&eq->inertia_pattern) + 2 * eq->velocity_pattern.begins[m];
    eq->sparse_forces = motion->second_count == 0 && sparse_pays(n + m, filled, comes_and_goes(eq));
    motion_bias(motion, outputs + n * n);
    for (size_t i = 0; i < m; i++)
        outputs[at++] = motion->rows[i].gamma;
    for (size_t i = 0; i < k; i++)
        outputs[at++] = expr_rate(motion->dt_still, motion->state.speeds[i].value);
    eq->constant_matrices = eq->constant_matrices && eq->sparse_forces && !motion->servos &&
                            are_constant(eq, outputs, n * n);
    Pattern directions = eq->velocity_pattern;
    for (size_t i = 0; i < m && motion->servos; i++, at += n)
        memcpy(outputs + at, motion->rows[i].d, n * sizeof *outputs);
    if (motion->servos)
        pattern_init(&directions, eq->arena, motion->pool, outputs + at - m * n, m, n);
    pattern_transpose(&directions, eq->arena, m, n, &eq->reaction_pattern);
    Status status = lower(eq, outputs, at, eq->params + 1 + 2 * n, diag, &eq->forces);
    if (status == STATUS_OK && eq->constant_matrices)
        status = lower(eq, outputs + n * n, n + m + k, eq->params + 1 + 2 * n, diag, &eq->loads);
    base_free(outputs);
    return status;
}

// ---- Room.

static lapack_int work_wanted(size_t n, size_t m)
{
    double none[1] = {0}, wish = 0;
    lapack_int pivot[1] = {0}, rows = (lapack_int)(n > m ? n : m);
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, rows, rows, none, rows > 0 ? rows : 1, pivot, none, &wish,
                        -1);
    // dgecon wants 4n, dgeqp3 at least 3n + 1.
    lapack_int least = 4 * rows + 1;
    return (lapack_int)wish > least ? (lapack_int)wish : least;
}

void state_need_dense(const Equations *eq, State *state)
{
    size_t n = eq->n, m = eq->m;
    Workspace *work = state->work;
    if (state->kkt)
        return;
    state->kkt = kkt_new(n, m + eq->motion->affine_count);
    work->matrix = room(state->arena, n * n, sizeof(double));
    work->packed = room(state->arena, 2 * m * n + m, sizeof(double));
    work->shares = room(state->arena, 2 * m * m + m, sizeof(double));
    basis_init(&work->basis, n);
}

static void make_workspace(const Equations *eq, State *state)
{
    size_t n = eq->n;
    Workspace *work = state->work;
    work->right = room(state->arena, n, sizeof(double));
    state->force = room(state->arena, n, sizeof(double));
    work->kept = room(state->arena, n, sizeof(double));
    work->pivots = room(state->arena, n, sizeof *work->pivots);
    work->columns = room(state->arena, n, sizeof *work->columns);
    work->lapack_size = work_wanted(n, eq->m);
    work->lapack = room(state->arena, (size_t)work->lapack_size, sizeof(double));
    if (!eq->all_velocities || eq->nonlinear)
        state_need_dense(eq, state);
}

static void make_speeds(const Equations *eq, State *state)
{
    size_t n = eq->n;
    SpeedChoice *speeds = &state->speeds;
    speeds->chosen = room(state->arena, n, sizeof *speeds->chosen);
    speeds->former = room(state->arena, n, sizeof *speeds->former);
    speeds->best = room(state->arena, n, sizeof *speeds->best);
    speeds->own = !eq->all_velocities;
    for (size_t i = 0; i < n && eq->all_velocities; i++)
        speeds->chosen[i] = i;
    state->scale = room(state->arena, n, sizeof(double));
    for (size_t i = 0; i < n; i++)
        state->scale[i] = 1;
}

Status equations_init(Equations *eq, Motion *motion, Diag *diag)
{
    bool all = motion->curved || !motion->state.speeds;
    size_t m = motion->m;
    *eq = (Equations){.arena = arena_new(),
                      .motion = motion,
                      .n = motion->n,
                      .m = m,
                      .k = all ? motion->n : motion->k,
                      .all_velocities = all,
                      .nonlinear = motion->curved,
                      .params = motion->model->params.count};
    name_inputs(eq);
    eq->independent = (IndependentRows){.count = m,
                                        .rows = room(eq->arena, m, sizeof(size_t)),
                                        .place = room(eq->arena, m, sizeof(size_t))};
    for (size_t i = 0; i < m; i++)
        eq->independent.rows[i] = eq->independent.place[i] = i;
    TRY(lower_positions(eq, diag));
    TRY(lower_velocities(eq, diag));
    TRY(lower_forces(eq, motion, diag));
    eq->param_values = room(eq->arena, eq->params, sizeof(double));
    TRY(model_param_values(motion->model, diag, eq->param_values));
    return motion->second_count > 0 ? second_class_prepare(eq, motion, diag) : STATUS_OK;
}

void equations_clear(Equations *eq)
{
    if (!eq->arena)
        return;
    evaluator_clear(&eq->positions);
    evaluator_clear(&eq->velocities);
    evaluator_clear(&eq->forces);
    evaluator_clear(&eq->loads);
    if (eq->second_class)
        second_class_release(eq);
    if (eq->driver)
        form_driver_release(eq);
    arena_free(eq->arena);
    *eq = (Equations){0};
}

void state_init(State *state, const Equations *eq)
{
    size_t n = eq->n;
    *state = (State){.arena = arena_new()};
    state->inputs = room(state->arena, eq->input_count, sizeof(double));
    state->t = state->inputs + eq->params;
    state->q = state->t + 1;
    state->v = state->q + n;
    state->a = state->v + n;
    state->multipliers = state->a + n;
    state->lambda = room(state->arena, eq->m + eq->motion->second_count, sizeof(double));
    state->work = arena_alloc(state->arena, sizeof *state->work);
    make_speeds(eq, state);
    make_workspace(eq, state);
    evaluator_share(&eq->positions, state->arena, &state->positions);
    evaluator_share(&eq->velocities, state->arena, &state->velocities);
    evaluator_share(&eq->forces, state->arena, &state->forces);
    evaluator_share(&eq->loads, state->arena, &state->loads);
    memcpy(state->inputs, eq->param_values, eq->params * sizeof(double));
    projection_new(eq, state);
    if (eq->nonlinear)
        nonlinear_new(eq, state);
    if (eq->second_class)
        second_class_new(eq, state);
    if (eq->driver)
        form_driver_new(eq, state);
}

void state_clear(State *state)
{
    if (!state->arena)
        return;
    sparse_lu_clear(&state->work->of_velocities);
    sparse_lu_clear(&state->work->of_forces);
    kkt_free(state->kkt);
    basis_clear(&state->work->basis);
    projection_clear(state);
    arena_free(state->arena);
    *state = (State){0};
}

// ---- Velocities.

// Row i of [b; Y] as it is asked for: where it stands among those evaluated, or a unit row.
static bool is_unit(const Equations *eq, const State *state, size_t i)
{
    return i >= eq->independent.count && !state->speeds.own;
}

static size_t row_of(const Equations *eq, size_t i)
{
    return i < eq->independent.count ? eq->independent.rows[i] : i;
}

static double asked_of(const Equations *eq, const State *state, size_t i, const double *u)
{
    size_t n = eq->n, m = eq->independent.count, at = row_of(eq, i);
    return (i < m ? 0 : u[i - m]) - (is_unit(eq, state, i) ? 0 : state->velocities.out[n * n + at]);
}

// [b; Y], scaled: columns to typical velocities, rows to a largest entry of 1. False where a
// row vanishes.
static bool fill_matrix(const Equations *eq, State *state, const double *u)
{
    size_t n = eq->n, m = eq->independent.count;
    for (size_t i = 0; i < n; i++) {
        double *row = state->work->matrix + i * n, largest = 0;
        bool unit = is_unit(eq, state, i);
        const double *from = state->velocities.out + row_of(eq, i) * n;
        for (size_t j = 0; j < n; j++) {
            row[j] = unit ? j == state->speeds.chosen[i - m] : from[j];
            row[j] *= state->scale[j];
            largest = fmax(largest, fabs(row[j]));
        }
        if (largest == 0)
            return false;
        state->work->right[i] = asked_of(eq, state, i, u) / largest;
        for (size_t j = 0; j < n; j++)
            row[j] /= largest;
    }
    return true;
}

// The filled entries of row i of a matrix; a 0 among them keeps its place, too.
static void push_row(SparseLu *sparse, const Pattern *filled, size_t i, const double *matrix,
                     size_t n)
{
    for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++)
        sparse_store_push(&sparse->matrix, filled->places[l], matrix[i * n + filled->places[l]]);
}

// The same where few entries are filled.
static DynamicsOutcome sparse_velocities(const Equations *eq, State *state, const double *u)
{
    size_t n = eq->n;
    SparseLu *sparse = &state->work->of_velocities;
    if (!sparse->factors)
        sparse_lu_init(sparse, n);
    sparse_store_begin(&sparse->matrix);
    for (size_t i = 0; i < n; i++) {
        if (is_unit(eq, state, i))
            sparse_store_push(&sparse->matrix, state->speeds.chosen[i - eq->independent.count], 1);
        else
            push_row(sparse, &eq->velocity_pattern, row_of(eq, i), state->velocities.out, n);
        sparse_store_end_row(&sparse->matrix);
        state->v[i] = asked_of(eq, state, i, u);
    }
    if (!sparse_lu_factor(sparse, TOL_ZERO))
        return DYNAMICS_SPEEDS;
    sparse_lu_solve(sparse, state->v);
    return DYNAMICS_FOUND;
}

DynamicsOutcome dynamics_velocities(const Equations *eq, State *state, double t, const double *q,
                                    const double *u)
{
    size_t n = eq->n;
    lapack_int size = (lapack_int)n;
    *state->t = t;
    memmove(state->q, q, n * sizeof *q);
    if (eq->all_velocities)
        memmove(state->v, u, n * sizeof *u);
    evaluator_run(&state->velocities, state->inputs);
    if (!real_all_finite(q, n) || !real_all_finite(u, eq->k) ||
        !evaluator_is_finite(&state->velocities))
        return DYNAMICS_NOT_FINITE;
    if (eq->all_velocities)
        return eq->nonlinear && nonlinear_find_singular(eq, state) ? DYNAMICS_VANISHED
                                                                   : DYNAMICS_FOUND;
    if (eq->sparse_velocities)
        return sparse_velocities(eq, state, u);
    if (!fill_matrix(eq, state, u))
        return DYNAMICS_SPEEDS;
    // Row after row is the transpose to LAPACK.
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, size, size, state->work->matrix, size,
                            state->work->pivots) != 0)
        return DYNAMICS_SPEEDS;
    for (size_t i = 0; i < n; i++)
        if (fabs(state->work->matrix[i * n + i]) < TOL_ZERO)
            return DYNAMICS_SPEEDS;
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', size, 1, state->work->matrix, size,
                        state->work->pivots, state->work->right, size);
    for (size_t i = 0; i < n; i++)
        state->v[i] = state->scale[i] * state->work->right[i];
    return DYNAMICS_FOUND;
}

// sum + (row i of [b; Y])·x.
static double add_along(const Equations *eq, const State *state, size_t i, const double *x,
                        double sum)
{
    const Pattern *filled = &eq->velocity_pattern;
    const double *row = state->velocities.out + i * eq->n;
    for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++)
        sum += row[filled->places[l]] * x[filled->places[l]];
    return sum;
}

void dynamics_own_speeds(const Equations *eq, const State *state, double *u)
{
    size_t n = eq->n, m = eq->m;
    const double *rest = state->velocities.out + n * n;
    for (size_t i = 0; i < eq->motion->k; i++)
        u[i] = add_along(eq, state, m + i, state->v, rest[m + i]);
}

void dynamics_speeds(const Equations *eq, const State *state, double *u)
{
    if (state->speeds.own) {
        dynamics_own_speeds(eq, state, u);
        return;
    }
    for (size_t i = 0; i < eq->k; i++)
        u[i] = state->v[state->speeds.chosen[i]];
}

bool dynamics_can_use_own_speeds(const Equations *eq)
{
    return !eq->all_velocities && eq->independent.count == eq->m;
}

// ---- Accelerations.

const double *dynamics_directions(const Equations *eq, const double *forces_out)
{
    size_t n = eq->n;
    return eq->motion->servos ? forces_out + n * n + n + eq->m + eq->motion->k : NULL;
}

static void speed_rates(const Equations *eq, const State *state, double *u_rate)
{
    size_t n = eq->n, m = eq->m;
    const double *still = state->forces.out + n * n + n + m;
    for (size_t i = 0; i < eq->k; i++)
        u_rate[i] = state->speeds.own ? add_along(eq, state, m + i, state->a, still[i])
                                      : state->a[state->speeds.chosen[i]];
}

// [𝓜 −dᵀ; g 0](q''; λ) = (K − h; −γ) where few entries are filled, after the forces were
// evaluated; false where that is singular.
static bool sparse_accelerations(const Equations *eq, State *state)
{
    size_t n = eq->n, m = eq->independent.count;
    const double *out = state->forces.out, *along = dynamics_directions(eq, out);
    const Pattern *pushes = &eq->reaction_pattern;
    SparseLu *sparse = &state->work->of_forces;
    if (!sparse->factors) {
        sparse_lu_init(sparse, n + m);
        state->work->both = room(state->arena, n + m, sizeof(double));
    }
    if (!along)
        along = state->velocities.out;
    sparse_store_begin(&sparse->matrix);
    for (size_t i = 0; i < n; i++) {
        push_row(sparse, &eq->inertia_pattern, i, out, n);
        for (size_t l = pushes->begins[i]; l < pushes->begins[i + 1]; l++)
            if (eq->independent.place[pushes->places[l]] < m)
                sparse_store_push(&sparse->matrix, n + eq->independent.place[pushes->places[l]],
                                  -along[pushes->places[l] * n + i]);
        sparse_store_end_row(&sparse->matrix);
        state->work->both[i] = -out[n * n + i];
    }
    for (size_t l = 0; l < m; l++) {
        push_row(sparse, &eq->velocity_pattern, eq->independent.rows[l], state->velocities.out, n);
        sparse_store_end_row(&sparse->matrix);
        state->work->both[n + l] = -out[n * n + n + eq->independent.rows[l]];
    }
    if (!real_all_finite(sparse->matrix.value.at, sparse->matrix.value.count) ||
        !real_all_finite(state->work->both, n + m) || !sparse_lu_factor(sparse, TOL_ZERO))
        return false;
    sparse_lu_solve(sparse, state->work->both);
    memcpy(state->a, state->work->both, n * sizeof *state->a);
    memcpy(state->lambda, state->work->both + n, m * sizeof *state->lambda);
    state->failure.report =
        (KktReport){.outcome = SOLVE_DONE, .rank = m, .positive = true, .power = 1};
    return true;
}

KktProblem dynamics_problem(const Equations *eq, State *state)
{
    size_t n = eq->n, m = eq->m;
    evaluator_run(&state->forces, state->inputs);
    const double *out = state->forces.out;
    for (size_t i = 0; i < n; i++)
        state->force[i] = -out[n * n + i];
    KktProblem problem = {.inertia = out,
                          .force = state->force,
                          .rows = state->velocities.out,
                          .drift = out + n * n + n,
                          .row_count = eq->independent.count,
                          .directions = dynamics_directions(eq, out)};
    if (eq->independent.count < m) {
        state_need_dense(eq, state);
        independent_rows_pack(eq, state, problem.rows, problem.drift);
        problem.rows = state->work->packed;
        problem.drift = state->work->packed + eq->independent.count * n;
        problem.directions = independent_rows_directions(eq, state, problem.directions);
    }
    if (state->second_class)
        second_class_append(state->second_class, state->inputs, &problem);
    return problem;
}

const ModelConstraint *dynamics_condition(const Equations *eq, size_t row)
{
    const Motion *motion = eq->motion;
    return row < eq->independent.count
               ? motion->rows[eq->independent.rows[row]].constraint
               : motion->seconds[row - eq->independent.count].row.constraint;
}

static void put_point(const Equations *eq, State *state, const double *x, size_t size)
{
    memcpy(state->a, x, eq->n * sizeof *x);
    memcpy(state->lambda, x + eq->n, (size - eq->n) * sizeof *x);
}

// The stationary point that is followed, in the place of what the rows alone give.
static bool follow(const Equations *eq, State *state, const KktProblem *problem)
{
    SecondClass *second_class = state->second_class;
    size_t size = second_class_size(second_class, problem);
    memcpy(second_class->trial, second_class->x, size * sizeof(double));
    if (!second_class_newton(second_class, problem, state->inputs, second_class->trial))
        return false;
    put_point(eq, state, second_class->trial, size);
    return true;
}

// Every multiplier to its condition; those of rows left out get their share where `shared`.
static void hand_out_multipliers(const Equations *eq, State *state, bool shared)
{
    const Motion *motion = eq->motion;
    const ModelConstraint *first = motion->model->constraints.at;
    size_t m = eq->m, needed = eq->independent.count;
    memmove(state->lambda + m, state->lambda + needed,
            motion->second_count * sizeof *state->lambda);
    if (needed < m && shared)
        independent_rows_share(eq, state);
    for (size_t i = 0; i < m; i++)
        state->multipliers[motion->rows[i].constraint - first] = state->lambda[i];
    for (size_t i = 0; i < motion->second_count; i++)
        state->multipliers[motion->seconds[i].row.constraint - first] = state->lambda[m + i];
}

void dynamics_take_point(const Equations *eq, State *state, const KktProblem *problem,
                         const double *x)
{
    put_point(eq, state, x, second_class_size(state->second_class, problem));
    hand_out_multipliers(eq, state, true);
}

DynamicsOutcome dynamics_accelerations(const Equations *eq, State *state, double *u_rate)
{
    size_t n = eq->n;
    state->evaluations++;
    if (eq->sparse_forces)
        evaluator_run(&state->forces, state->inputs);
    KktProblem problem = {0};
    // Why there is no solution LAPACK finds out.
    if (!eq->sparse_forces || !sparse_accelerations(eq, state)) {
        state_need_dense(eq, state);
        problem = dynamics_problem(eq, state);
        state->failure.report = kkt_solve(state->kkt, &problem, state->a, state->lambda);
    }
    switch (state->failure.report.outcome) {
    case SOLVE_DONE: break;
    case SOLVE_CONTRADICTION: return DYNAMICS_CONTRADICTION;
    case SOLVE_SINGULAR: return DYNAMICS_INERTIA;
    case SOLVE_UNCONTROLLABLE: return DYNAMICS_SERVO;
    case SOLVE_NOT_FINITE: return DYNAMICS_NOT_FINITE;
    case SOLVE_NO_MINIMUM:
    case SOLVE_NO_SOLUTION:
    case SOLVE_SEVERAL:
    case SOLVE_TOO_MANY:
    case SOLVE_UNDECIDED: assert(!"no one-sided condition was asked");
    }
    if (state->second_class && state->second_class->follows && !follow(eq, state, &problem))
        return DYNAMICS_BRANCH;
    // Rates owe nothing to how reactions are shared.
    hand_out_multipliers(eq, state, !u_rate);
    if (state->driver && !form_driver_accelerations(eq, state))
        return DYNAMICS_NOT_FINITE;
    if (u_rate)
        speed_rates(eq, state, u_rate);
    bool finite = real_all_finite(state->a, n) && (!u_rate || real_all_finite(u_rate, eq->k));
    return finite ? DYNAMICS_FOUND : DYNAMICS_NOT_FINITE;
}

double *dynamics_side_multiplier(const Equations *eq, const State *state, size_t side)
{
    assert(side < eq->motion->side_count);
    return state->multipliers +
           (eq->motion->sides[side].constraint - eq->motion->model->constraints.at);
}

void dynamics_clear_reactions(const Equations *eq, State *state)
{
    for (size_t i = 0; i < eq->motion->side_count; i++)
        *dynamics_side_multiplier(eq, state, i) = 0;
}
