// equations.c: the motion as numbers: velocities from speeds, accelerations and multipliers.
//
// At (t, q, u) the velocities solve [b; Y] q' = [−c; u − y0]; then Gauss's principle gives q''
// and λ, and du/dt = Y q'' + (what it is for q'' = 0). Nothing here is expanded symbolically:
// three programs make the coefficients, and small linear solves do the rest.
#include "dynamics/dense_forces.h"
#include "dynamics/direct_accelerations.h"
#include "dynamics/equation_modules.h"
#include "dynamics/pattern.h"
#include "dynamics/state_needs.h"
#include "dynamics/workspace_impl.h"
#include "expr/arithmetic.h"
#include "linalg/kkt.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/inertia.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- Programs.

static const char holds[] = "the equations of motion hold";

// Parameters, t, q, v, a, and the multipliers of all conditions, in this order.
static void name_inputs(Equations *eq)
{
    const Model *model = eq->motion->model;
    size_t n = eq->n, at = 0;
    eq->input_count = eq->params + 1 + 3 * n + model->constraints.count;
    eq->symbols = arena_array(eq->arena, Expr, eq->input_count);
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

// All finite conditions count, also those set aside: what follows from the others as far as
// velocities go still says where the system is. So do the one-sided ones that are held. What
// vanishes identically says nothing.
static void find_finite(Equations *eq)
{
    const Motion *motion = eq->motion;
    const Model *model = motion->model;
    size_t most = model->constraints.count;
    FiniteCondition *next = eq->finite_conditions =
        arena_array(eq->arena, FiniteCondition, most + 1);
    for (size_t i = 0, side = 0; i < most; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        bool is_side = constraint->kind == CONSTRAINT_ONE_SIDED;
        bool held = is_side && motion->held && motion->held[side];
        side += is_side;
        if ((constraint->keeps != CONSTRAINT_FINITE && !held) ||
            expr_is_zero(motion->pool, constraint->residual))
            continue;
        size_t count = equations_terms(motion->pool, constraint->residual, NULL);
        next->constraint = constraint;
        next[1].terms = next->terms + count;
        next++;
    }
    eq->finite = (size_t)(next - eq->finite_conditions);
}

static Status lower_positions(Equations *eq, Diag *diag)
{
    find_finite(eq);
    size_t n = eq->n, count = eq->finite;
    size_t total = count * (n + 1) + eq->finite_conditions[count].terms;
    Expr *outputs = base_alloc((total + 1) * sizeof *outputs);
    for (size_t i = 0; i < count; i++) {
        const FiniteCondition *condition = &eq->finite_conditions[i];
        Expr f = outputs[i] = condition->constraint->residual;
        expr_gradient(eq->motion->pool, f, eq->motion->q, n, outputs + count + i * n);
        equations_terms(eq->motion->pool, f, outputs + count * (n + 1) + condition->terms);
    }
    pattern_init(&eq->patterns->position, eq->arena, eq->motion->pool, outputs + count, count, n);
    Status status =
        equations_lower(eq, holds, outputs, total, eq->params + 1 + n, diag, &eq->positions);
    base_free(outputs);
    return status;
}

static Status lower_velocities(Equations *eq, Diag *diag)
{
    const Motion *motion = eq->motion;
    size_t n = eq->n, m = eq->m, count = n * n + n;
    Expr *outputs = base_alloc((count + 1) * sizeof *outputs), *rest = outputs + n * n;
    // Where no speeds were chosen their places stay empty.
    for (size_t i = 0; i < count; i++)
        outputs[i] = expr_int(motion->pool, 0);
    for (size_t i = 0; i < m + motion->k; i++) {
        const MotionSpeed *speed = i < m ? NULL : &motion->state.speeds[i - m];
        memcpy(outputs + i * n, speed ? speed->y : motion->rows[i].b, n * sizeof *outputs);
        rest[i] = speed ? speed->y0 : motion->rows[i].c;
    }
    pattern_init(&eq->patterns->velocity, eq->arena, motion->pool, outputs, n, n);
    eq->sparse_velocities =
        sparse_pays(n, pattern_count(&eq->patterns->velocity), equations_come_and_go(eq));
    eq->constant_matrices = eq->sparse_velocities && equations_are_constant(eq, outputs, count);
    size_t inputs = eq->params + 1 + (eq->nonlinear ? 2 : 1) * n;
    Status status = equations_lower(eq, holds, outputs, count, inputs, diag, &eq->velocities);
    base_free(outputs);
    return status;
}

// In large systems the accelerations come from elimination on the definitions, and n² entries are
// made only if somebody asks for them. Many rows are solved by sparse factors, and what comes and
// goes is found by the whole problem of least constraint.
static bool accelerates_directly(Equations *eq, Motion *motion)
{
    bool large = eq->k > SIZE_SMALL && !eq->all_velocities && !motion->servos;
    bool settled = motion->side_count + motion->model->pairs.count == 0;
    return large && settled && motion->second_count == 0 && motion_is_affine(motion) &&
           !(eq->m > 0 && eq->sparse_velocities) && !dense_forces_are_sparse(eq) &&
           direct_init(eq, motion);
}

// ---- Room.

void state_need_dense(const Equations *eq, State *state)
{
    size_t n = eq->n, m = eq->m;
    Workspace *work = state->work;
    if (state->kkt)
        return;
    state->kkt = kkt_new(state->arena, n, m + eq->motion->second_count);
    work->packed = real_alloc(state->arena, (m + eq->motion->affine_count) * (2 * n + 1));
    work->shares = real_alloc(state->arena, 2 * m * m + m);
    basis_init(&work->basis, state->arena, n, n);
}

static void make_workspace(const Equations *eq, State *state)
{
    size_t n = eq->n;
    Workspace *work = state->work;
    work->right = real_alloc(state->arena, n);
    state->force = real_alloc(state->arena, n);
    work->kept = real_alloc(state->arena, n);
    work->columns = arena_array(state->arena, int, n);
    // dgecon wants 4n, dgeqp3 at least 3n + 1.
    work->lapack_size = 4 * (n > eq->m ? n : eq->m) + 1;
    work->lapack = real_alloc(state->arena, work->lapack_size);
    if (!eq->all_velocities)
        linear_series_init(&work->velocities, n, 0, eq->sparse_velocities);
    if (eq->sparse_forces)
        work->both = real_alloc(state->arena, n + eq->m);
    if (!eq->all_velocities || eq->nonlinear)
        state_need_dense(eq, state);
}

static void make_speeds(const Equations *eq, State *state)
{
    size_t n = eq->n;
    SpeedChoice *speeds = &state->speeds;
    speeds->chosen = arena_array(state->arena, size_t, n);
    speeds->former = arena_array(state->arena, size_t, n);
    speeds->best = arena_array(state->arena, size_t, n);
    speeds->own = !eq->all_velocities;
    for (size_t i = 0; i < n && eq->all_velocities; i++)
        speeds->chosen[i] = i;
    state->scale = real_alloc(state->arena, n);
    for (size_t i = 0; i < n; i++)
        state->scale[i] = 1;
}

void equations_add_module(Equations *eq, const EquationModule *module)
{
    size_t at = 0;
    while (eq->modules[at])
        at++;
    assert(at + 1 < sizeof eq->modules / sizeof *eq->modules && module->attach);
    eq->modules[at] = module;
}

bool equations_are_plain(const Equations *eq)
{
    return !eq->modules[0] && eq->motion->second_count == 0;
}

Status equations_init(Equations *eq, Motion *motion, Diag *diag)
{
    assert(motion && diag);
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
    eq->patterns = arena_array(eq->arena, EquationPatterns, 1);
    name_inputs(eq);
    eq->independent = (IndependentRows){.count = m,
                                        .rows = arena_array(eq->arena, size_t, m),
                                        .place = arena_array(eq->arena, size_t, m)};
    for (size_t i = 0; i < m; i++)
        eq->independent.rows[i] = eq->independent.place[i] = i;
    TRY(lower_positions(eq, diag));
    TRY(lower_velocities(eq, diag));
    if (accelerates_directly(eq, motion))
        dense_forces_postpone(eq, motion);
    else
        TRY(dense_forces_make(eq, motion, diag));
    eq->param_values = real_alloc(eq->arena, eq->params);
    TRY(model_param_values(motion->model, diag, eq->param_values));
    if (eq->nonlinear)
        equations_add_module(eq, &nonlinear_module);
    if (motion_is_affine(motion))
        return STATUS_OK;
    equations_add_module(eq, &second_class_module);
    return second_class_module.prepare(eq, motion, diag);
}

void equations_clear(Equations *eq)
{
    if (!eq->arena)
        return;
    evaluator_clear(&eq->positions);
    evaluator_clear(&eq->velocities);
    evaluator_clear(&eq->direct);
    dense_forces_clear(eq);
    for (size_t i = 0; eq->modules[i]; i++)
        if (eq->modules[i]->release)
            eq->modules[i]->release(eq);
    arena_free(eq->arena);
    *eq = (Equations){0};
}

void state_init(State *state, const Equations *eq)
{
    assert(eq->arena && eq->param_values);
    size_t n = eq->n;
    *state = (State){.arena = arena_new()};
    state->inputs = real_alloc(state->arena, eq->input_count);
    state->t = state->inputs + eq->params;
    state->q = state->t + 1;
    state->v = state->q + n;
    state->a = state->v + n;
    state->multipliers = state->a + n;
    state->lambda = real_alloc(state->arena, eq->m + eq->motion->second_count);
    state->work = arena_alloc(state->arena, sizeof *state->work);
    make_speeds(eq, state);
    make_workspace(eq, state);
    evaluator_share(&eq->positions, state->arena, &state->positions);
    evaluator_share(&eq->velocities, state->arena, &state->velocities);
    evaluator_share(&eq->direct, state->arena, &state->direct);
    if (!eq->direct.program)
        state_need_forces(eq, state);
    memcpy(state->inputs, eq->param_values, eq->params * sizeof(double));
    projection_new(eq, state);
    for (size_t i = 0; eq->modules[i]; i++)
        eq->modules[i]->attach(eq, state);
}

void state_clear(State *state)
{
    if (!state->arena)
        return;
    linear_series_clear(&state->work->velocities);
    linear_series_clear(&state->work->accelerations);
    projection_clear(state);
    arena_free(state->arena);
    *state = (State){0};
}

// ---- Velocities.

// Dense equations in units: columns to typical velocities, rows to a largest entry of 1. False
// where a row vanishes.
static bool scale_velocities(State *state, LinearSeries *system, double *right)
{
    size_t n = system->size;
    double *matrix = linear_series_matrix(system, 0);
    for (size_t i = 0; i < n; i++) {
        double *row = matrix + i * n;
        for (size_t j = 0; j < n; j++)
            row[j] *= state->scale[j];
        double largest = real_largest(row, n);
        if (largest == 0)
            return false;
        right[i] /= largest;
        for (size_t j = 0; j < n; j++)
            row[j] /= largest;
    }
    return true;
}

// The velocities that the speeds determine. Sparse equations have units of their own.
static bool solve_velocities(const Equations *eq, State *state, const double *u)
{
    assert(state->work->velocities.size == eq->n);
    LinearSeries *system = &state->work->velocities;
    size_t n = eq->n;
    double *right = state->work->right;
    linear_equations_velocities(eq, &state->speeds, state->velocities.out, u, 0, false, system,
                                right);
    if ((!system->few && !scale_velocities(state, system, right)) ||
        !linear_series_next(system, 0, right))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!system->few && fabs(system->factors[i * n + i]) < TOL_ZERO)
            return false;
        state->v[i] = system->few ? right[i] : state->scale[i] * right[i];
    }
    return true;
}

DynamicsOutcome dynamics_velocities(const Equations *eq, State *state, double t, const double *q,
                                    const double *u)
{
    assert(q && (u || eq->k == 0));
    size_t n = eq->n;
    *state->t = t;
    memmove(state->q, q, n * sizeof *q);
    if (eq->all_velocities)
        memmove(state->v, u, n * sizeof *u);
    evaluator_run(&state->velocities, state->inputs);
    if (!real_all_finite(q, n) || !real_all_finite(u, eq->k) ||
        !evaluator_is_finite(&state->velocities))
        return DYNAMICS_NOT_FINITE;
    if (!eq->all_velocities)
        return solve_velocities(eq, state, u) ? DYNAMICS_FOUND : DYNAMICS_SPEEDS;
    DynamicsOutcome outcome = DYNAMICS_FOUND;
    for (size_t i = 0; eq->modules[i] && outcome == DYNAMICS_FOUND; i++)
        if (eq->modules[i]->velocities)
            outcome = eq->modules[i]->velocities(eq, state);
    return outcome;
}

// sum + (row i of [b; Y])·x.
static double add_along(const Equations *eq, const State *state, size_t i, const double *x,
                        double sum)
{
    const Pattern *filled = &eq->patterns->velocity;
    const double *row = state->velocities.out + i * eq->n;
    for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++)
        sum += row[filled->places[l]] * x[filled->places[l]];
    return sum;
}

// Of velocities, or of accelerations: Y·x and what it is for x = 0, or those that are chosen.
static void put_speeds(const Equations *eq, const State *state, bool own, const double *x,
                       const double *rest, double *u)
{
    for (size_t i = 0; i < (own ? eq->motion->k : eq->k); i++)
        u[i] = own ? add_along(eq, state, eq->m + i, x, rest[i]) : x[state->speeds.chosen[i]];
}

void dynamics_own_speeds(const Equations *eq, const State *state, double *u)
{
    assert(eq->m + eq->motion->k <= eq->n);
    put_speeds(eq, state, true, state->v, state->velocities.out + eq->n * eq->n + eq->m, u);
}

void dynamics_speeds(const Equations *eq, const State *state, double *u)
{
    const double *rest = state->velocities.out + eq->n * eq->n + eq->m;
    put_speeds(eq, state, state->speeds.own, state->v, rest, u);
}

bool dynamics_can_use_own_speeds(const Equations *eq, bool driven)
{
    const Motion *motion = eq->motion;
    bool turns = motion->k > 0 && motion->state.speeds[0].orthonormal;
    return !eq->all_velocities && (driven || !turns) && eq->independent.count == eq->m;
}

// ---- Accelerations.

const double *dynamics_directions(const Equations *eq, const double *forces_out)
{
    size_t n = eq->n;
    return eq->motion->servos ? forces_out + n * n + n + eq->m + eq->motion->k : NULL;
}

const double *dynamics_affine_rows(const Equations *eq, const double *forces_out)
{
    size_t n = eq->n, m = eq->m, directions = eq->motion->servos ? m * n : 0;
    return forces_out + n * n + n + m + eq->motion->k + directions;
}

void dynamics_put_point(const Equations *eq, State *state, const double *x, size_t size)
{
    assert(size >= eq->n);
    memcpy(state->a, x, eq->n * sizeof *x);
    memcpy(state->lambda, x + eq->n, (size - eq->n) * sizeof *x);
}

// The accelerations and multipliers where few entries are filled, after the forces were evaluated;
// false where the equations are singular.
static bool sparse_accelerations(const Equations *eq, State *state)
{
    assert(eq->sparse_forces && state->work->both);
    size_t n = eq->n, m = eq->independent.count;
    LinearSeries *system = &state->work->accelerations;
    const double *forces = state->forces.out;
    double *x = state->work->both;
    if (system->size != n + m) {
        linear_series_clear(system);
        linear_series_init(system, n + m, 0, true);
    }
    linear_equations_accelerations(eq, state->velocities.out, forces, forces + n * n, 0, false,
                                   system, x);
    if (!evaluator_is_finite(&state->forces) || !linear_series_next(system, 0, x))
        return false;
    dynamics_put_point(eq, state, x, n + m);
    state->failure.power = 1;
    return true;
}

KktProblem dynamics_problem(const Equations *eq, State *state)
{
    assert(state->force && eq->independent.count <= eq->m);
    size_t n = eq->n, m = eq->m;
    const double *out = state_forces(eq, state);
    for (size_t i = 0; i < n; i++)
        state->force[i] = -out[n * n + i];
    KktProblem problem = {.inertia = out,
                          .force = state->force,
                          .rows = state->velocities.out,
                          .drift = out + n * n + n,
                          .row_count = eq->independent.count,
                          .directions = dynamics_directions(eq, out)};
    if (eq->independent.count < m || eq->motion->affine_count > 0) {
        state_need_dense(eq, state);
        independent_rows_pack(eq, state, &problem);
    }
    for (size_t i = 0; eq->modules[i]; i++)
        if (eq->modules[i]->problem)
            eq->modules[i]->problem(state, &problem);
    return problem;
}

const MotionRow *dynamics_row(const Equations *eq, size_t row)
{
    size_t count = eq->independent.count;
    assert(row < count + eq->motion->second_count);
    return row < count ? &eq->motion->rows[eq->independent.rows[row]]
                       : &eq->motion->seconds[row - count].row;
}

size_t dynamics_undetermined_velocity(const Equations *eq, const State *state)
{
    const double *velocity = kkt_witness(state->kkt);
    size_t which = 0;
    assert(velocity);
    for (size_t i = 1; i < eq->n; i++)
        if (fabs(velocity[i]) > fabs(velocity[which]))
            which = i;
    return which;
}

size_t dynamics_multiplier_index(const Equations *eq, const ModelConstraint *constraint)
{
    return (size_t)(constraint - eq->motion->model->constraints.at);
}

void dynamics_collect_multipliers(const Equations *eq, State *state)
{
    memmove(state->lambda + eq->independent.count, state->lambda + eq->m,
            eq->motion->second_count * sizeof *state->lambda);
}

void dynamics_hand_out_multipliers(const Equations *eq, State *state, bool shared)
{
    const Motion *motion = eq->motion;
    size_t m = eq->m, needed = eq->independent.count;
    memmove(state->lambda + m, state->lambda + needed,
            motion->second_count * sizeof *state->lambda);
    if (needed < m && shared)
        independent_rows_share(eq, state);
    for (size_t i = 0; i < m; i++)
        state->multipliers[dynamics_multiplier_index(eq, motion->rows[i].constraint)] =
            state->lambda[i];
    for (size_t i = 0; i < motion->second_count; i++)
        state->multipliers[dynamics_multiplier_index(eq, motion->seconds[i].row.constraint)] =
            state->lambda[m + i];
}

// By elimination on the definitions, where that serves.
static bool accelerate_directly(const Equations *eq, State *state)
{
    if (!state->direct.program || !equations_are_plain(eq) || eq->independent.count < eq->m ||
        !direct_solve(eq, state))
        return false;
    state->failure.power = 1;
    return true;
}

DynamicsOutcome dynamics_accelerations(const Equations *eq, State *state, double *u_rate)
{
    static const DynamicsOutcome outcomes[] = {[SOLVE_DONE] = DYNAMICS_FOUND,
                                               [SOLVE_CONTRADICTION] = DYNAMICS_CONTRADICTION,
                                               [SOLVE_SINGULAR] = DYNAMICS_INERTIA,
                                               [SOLVE_UNCONTROLLABLE] = DYNAMICS_SERVO,
                                               [SOLVE_NOT_FINITE] = DYNAMICS_NOT_FINITE};
    size_t n = eq->n;
    state->evaluations++;
    KktReport report = {.outcome = SOLVE_DONE};
    bool direct = accelerate_directly(eq, state);
    if (eq->sparse_forces)
        state_forces(eq, state);
    // Why there is no solution LAPACK finds out.
    if (!direct && (!eq->sparse_forces || !sparse_accelerations(eq, state))) {
        state_need_dense(eq, state);
        KktProblem problem = dynamics_problem(eq, state);
        report = kkt_solve(state->kkt, &problem, state->a, state->lambda);
        state->failure.contradicting = report.row;
        state->failure.power = report.power;
    }
    assert(report.outcome <= SOLVE_NOT_FINITE && "no one-sided condition was asked");
    DynamicsOutcome outcome = outcomes[report.outcome];
    for (size_t i = 0; outcome == DYNAMICS_FOUND && eq->modules[i]; i++)
        if (eq->modules[i]->accelerations)
            outcome = eq->modules[i]->accelerations(eq, state);
    if (outcome != DYNAMICS_FOUND)
        return outcome;
    // Rates owe nothing to how reactions are shared.
    dynamics_hand_out_multipliers(eq, state, !u_rate);
    if (u_rate)
        put_speeds(eq, state, state->speeds.own, state->a,
                   direct ? direct_drift(eq, state) : state->forces.out + n * n + n + eq->m,
                   u_rate);
    bool finite = real_all_finite(state->a, n) && (!u_rate || real_all_finite(u_rate, eq->k));
    return finite ? DYNAMICS_FOUND : DYNAMICS_NOT_FINITE;
}

double *dynamics_multiplier(const Equations *eq, const State *state, size_t condition)
{
    assert(condition < eq->motion->in_force_count);
    return state->multipliers + dynamics_multiplier_index(eq, eq->motion->in_force[condition]);
}

const ModelConstraint *dynamics_side_condition(const Equations *eq, size_t side)
{
    assert(side < eq->motion->side_count);
    return eq->motion->sides[side].constraint;
}

double *dynamics_side_multiplier(const Equations *eq, const State *state, size_t side)
{
    return state->multipliers + dynamics_multiplier_index(eq, dynamics_side_condition(eq, side));
}

void dynamics_clear_reactions(const Equations *eq, State *state)
{
    for (size_t i = 0; i < eq->motion->side_count; i++)
        *dynamics_side_multiplier(eq, state, i) = 0;
}
