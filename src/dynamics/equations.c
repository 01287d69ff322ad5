// equations.c: the motion as numbers: velocities from speeds, accelerations and multipliers.
//
// At (t, q, u) the velocities solve [b; Y] q' = [−c; u − y0]; then Gauss's principle gives q''
// and λ, and du/dt = Y q'' + (what it is for q'' = 0). Nothing here is expanded symbolically:
// three programs make the coefficients, and small linear solves do the rest.
#include "dynamics/equations.h"
#include "dynamics/dense_forces.h"
#include "dynamics/direct_accelerations.h"
#include "dynamics/equation_modules.h"
#include "dynamics/independent_rows.h"
#include "dynamics/pattern.h"
#include "dynamics/projection.h"
#include "dynamics/workspace_impl.h"
#include "expr/arithmetic.h"
#include "linalg/kkt.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"
#include "model/whiles.h"
#include "motion/frictions.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- Programs.

static const char holds[] = "the equations of motion hold";

// Parameters, t, q, v, a, the multipliers of all conditions, those of sticking, in this order.
static void name_inputs(Equations *eq)
{
    const Model *model = eq->motion->model;
    size_t n = eq->n, at = 0;
    eq->input_count = eq->params + 1 + 3 * n + model->constraints.count + model->sticks.count;
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
    for (size_t i = 0; i < model->sticks.count; i++)
        eq->symbols[at++] = model->sticks.at[i].lambda;
}

// Whether a condition holds at every position: its value is nothing but rounding.
static bool vanishes(const Motion *motion, const ModelConstraint *constraint)
{
    for (size_t i = 0; i < motion->aside.count; i++)
        if (motion->aside.at[i].constraint == constraint)
            return motion->aside.at[i].vanishes;
    return expr_is_zero(motion->pool, constraint->residual);
}

// All finite conditions count, also those set aside: what follows from the others as far as
// velocities go still says where the system is. So do the one-sided ones that are held. What
// vanishes identically says nothing.
static FiniteCondition *add_finite(const Motion *motion, const ModelConstraint *constraint,
                                   FiniteCondition *next)
{
    next->constraint = constraint;
    next[1].terms = next->terms + equations_terms(motion->pool, constraint->residual, NULL);
    return next + 1;
}

static void find_finite(Equations *eq)
{
    const Motion *motion = eq->motion;
    const Model *model = motion->model;
    size_t most = model->constraints.count;
    FiniteCondition *next = eq->finite_conditions =
        arena_array(eq->arena, FiniteCondition, most + motion->balances.count + 1);
    for (size_t i = 0, side = 0; i < most; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        bool is_side = constraint->kind == CONSTRAINT_ONE_SIDED;
        if (!model_binds(model, constraint))
            continue;
        bool held = is_side && motion->held && motion->held[side];
        side += is_side;
        if ((constraint->keeps != CONSTRAINT_FINITE && !held) || vanishes(motion, constraint))
            continue;
        next = add_finite(motion, constraint, next);
    }
    for (size_t i = 0; i < motion->balances.count; i++)
        next = add_finite(motion, motion->balances.at[i], next);
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

// The row of a speed; where it is a velocity no other place is looked at.
static void put_speed(const Motion *motion, const MotionSpeed *speed, SparseOutputs *outputs)
{
    size_t n = motion->n;
    if (speed->declared || speed->orthonormal) {
        outputs_push(outputs, motion->pool, speed->y, n);
        return;
    }
    outputs_skip(outputs, speed->index);
    outputs_push(outputs, motion->pool, &speed->y[speed->index], 1);
    outputs_skip(outputs, n - speed->index - 1);
}

static Status lower_velocities(Equations *eq, Diag *diag)
{
    const Motion *motion = eq->motion;
    size_t n = eq->n, m = eq->m, k = motion->k;
    SparseOutputs outputs = {0};
    for (size_t i = 0; i < m; i++)
        outputs_push(&outputs, motion->pool, motion->rows[i].b, n);
    for (size_t i = 0; i < k; i++)
        put_speed(motion, &motion->state.speeds[i], &outputs);
    // Where no speeds were chosen their places stay empty.
    outputs_skip(&outputs, (n - m - k) * n);
    for (size_t i = 0; i < m + k; i++)
        outputs_push(&outputs, motion->pool,
                     i < m ? &motion->rows[i].c : &motion->state.speeds[i - m].y0, 1);
    outputs_skip(&outputs, n - m - k);
    pattern_of_outputs(&eq->patterns->velocity, eq->arena, &outputs, 0, n, n);
    eq->sparse_velocities =
        sparse_pays(n, pattern_count(&eq->patterns->velocity), equations_come_and_go(eq));
    eq->constant_matrices = eq->sparse_velocities &&
                            equations_are_constant(eq, outputs.filled.at, outputs.filled.count);
    lasting_rows_find(eq);
    size_t inputs = eq->params + 1 + (eq->nonlinear ? 2 : 1) * n;
    Status status = equations_lower_sparse(eq, holds, &outputs, inputs, diag, &eq->velocities);
    outputs_clear(&outputs);
    return status;
}

// In large systems the accelerations come from elimination on the definitions, and n² entries are
// made only if somebody asks for them. Many rows are solved by sparse factors, and what comes and
// goes is found by the whole problem of least constraint.
static bool accelerates_directly(Equations *eq, Motion *motion)
{
    bool large = (eq->k > SIZE_SMALL || eq->n >= SIZE_SPARSE) && !eq->all_velocities;
    bool settled = motion->side_count + motion->model->pairs.count == 0;
    return large && settled && motion->second_count == 0 && motion_is_affine(motion) &&
           !dense_forces_are_sparse(eq) && direct_init(eq, motion);
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
    work->largest = real_alloc(state->arena, n);
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
    speeds->first = real_alloc(state->arena, n);
    speeds->most = real_alloc(state->arena, n);
    speeds->best = arena_array(state->arena, size_t, n);
    speeds->own = !eq->all_velocities;
    for (size_t i = 0; i < n && eq->all_velocities; i++)
        speeds->chosen[i] = i;
    state->scale = real_alloc(state->arena, n);
    state->inertias = real_alloc(state->arena, n);
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

static void take_all_rows(Equations *eq)
{
    eq->independent.count = eq->m;
    for (size_t i = 0; i < eq->m; i++)
        eq->independent.rows[i] = eq->independent.place[i] = i;
}

// The arrays of what is written after the equations are made.
static void make_own(Equations *eq, Arena *arena)
{
    eq->independent = (IndependentRows){.rows = arena_array(arena, size_t, eq->m),
                                        .place = arena_array(arena, size_t, eq->m),
                                        .first = arena_array(arena, size_t, eq->m)};
    eq->param_values = real_alloc(arena, eq->params);
}

void equations_share(const Equations *made, Arena *arena, Equations *eq)
{
    assert(made->arena && made->param_values);
    *eq = *made;
    make_own(eq, arena);
    equations_renew(made, made->param_values, eq);
}

void equations_renew(const Equations *made, const double *parameters, Equations *eq)
{
    assert(eq != made && eq->motion == made->motion);
    memcpy(eq->param_values, parameters, eq->params * sizeof *parameters);
    eq->k = eq->all_velocities ? eq->n : eq->motion->k;
    take_all_rows(eq);
}

bool equations_serve(const Equations *made, const double *parameters)
{
    return !made->direct.program ||
           memcmp(parameters, made->param_values, made->params * sizeof *parameters) == 0;
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
    make_own(eq, eq->arena);
    take_all_rows(eq);
    TRY(lower_positions(eq, diag));
    TRY(lower_velocities(eq, diag));
    TRY(spare_rows_make(eq, diag));
    if (accelerates_directly(eq, motion))
        dense_forces_postpone(eq, motion);
    else
        TRY(dense_forces_make(eq, motion, diag));
    TRY(model_param_values(motion->model, diag, eq->param_values));
    if (eq->nonlinear)
        equations_add_module(eq, &nonlinear_module);
    if (motion->bends)
        equations_add_module(eq, &curved_reactions_module);
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
    evaluator_clear(&eq->spares);
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
    echelon_clear(&state->work->echelon);
    linear_series_clear(&state->work->velocities);
    linear_series_clear(&state->work->accelerations);
    projection_clear(state);
    arena_free(state->arena);
    *state = (State){0};
}
