// dense_forces.c: 𝓜 and the forces as programs.
//
// 𝓜 has n² entries, which long chains fill. Where the accelerations come from elimination on the
// definitions, nobody may ever ask for them: then they are made on demand, once for all threads.
// Making them takes the pool of expressions, which nobody else may use meanwhile.
#include "dynamics/dense_forces.h"
#include "base/diag.h"
#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "dynamics/pattern.h"
#include "expr/arithmetic.h"
#include "linalg/sparse_rows.h"
#include "linalg/tolerances.h"
#include "model/system.h"
#include "motion/frictions.h"
#include "motion/inertia.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

struct DenseForces {
    pthread_mutex_t lock; // of all below, and of the patterns that belong to it
    Motion *motion;
    bool made;
    Evaluator forces, loads;
};

bool equations_are_constant(const Equations *eq, const Expr *exprs, size_t count)
{
    return !equations_hold_any(eq->motion->pool, exprs, count, eq->symbols + eq->params,
                               1 + 2 * eq->n);
}

bool equations_come_and_go(const Equations *eq)
{
    const Motion *motion = eq->motion;
    bool no_choice = motion->m == 0 || (eq->all_velocities && !eq->nonlinear);
    return motion->side_count + motion->model->pairs.count > 0 && no_choice;
}

// ---- Making.

static void put_rows(const Motion *motion, SparseOutputs *outputs)
{
    for (size_t i = 0; i < motion->m; i++)
        outputs_push(outputs, motion->pool, &motion->rows[i].gamma, 1);
    for (size_t i = 0; i < motion->k; i++) {
        Expr drift = expr_rate(motion->dt_still, motion->state.speeds[i].value);
        outputs_push(outputs, motion->pool, &drift, 1);
    }
}

// d of servos, then what is affine in the accelerations.
static void put_directions(const Equations *eq, SparseOutputs *outputs)
{
    const Motion *motion = eq->motion;
    size_t n = eq->n, m = eq->m, from = outputs->count;
    Pattern directions = eq->patterns->velocity;
    for (size_t i = 0; i < m && motion->servos; i++)
        outputs_push(outputs, motion->pool, motion->rows[i].d, n);
    if (motion->servos)
        pattern_of_outputs(&directions, eq->arena, outputs, from, m, n);
    pattern_transpose(&directions, eq->arena, m, n, &eq->patterns->reaction);
    for (size_t i = 0; i < motion->affine_count; i++)
        outputs_push(outputs, motion->pool, motion->seconds[i].row.b, n);
    for (size_t i = 0; i < motion->affine_count; i++)
        outputs_push(outputs, motion->pool, &motion->seconds[i].row.gamma, 1);
}

static void put_inertia(Motion *motion, SparseOutputs *outputs)
{
    size_t n = motion->n, at = 0;
    MotionEntries inertia = motion_mass_entries(motion);
    for (size_t i = 0; i < inertia.count; i++) {
        const MotionEntry *entry = &inertia.at[i];
        size_t place = entry->row * n + entry->column;
        outputs_skip(outputs, place - at);
        outputs_push(outputs, motion->pool, &entry->value, 1);
        at = place + 1;
    }
    outputs_skip(outputs, n * n - at);
    array_clear(&inertia);
}

// Whether those from one place up to another hold one of the symbols.
static bool hold_any(const Motion *motion, const SparseOutputs *outputs, size_t from, size_t to,
                     const Expr *symbols, size_t symbol_count)
{
    const Expr *exprs;
    size_t count = outputs_between(outputs, from, to, &exprs);
    return equations_hold_any(motion->pool, exprs, count, symbols, symbol_count);
}

// 𝓜 and W − K for q'' = 0, and what is known of them.
static void put_balance(const Equations *eq, Motion *motion, SparseOutputs *outputs)
{
    size_t n = eq->n, all = n * n + n;
    EquationPatterns *patterns = eq->patterns;
    Expr *bias = base_alloc((n + 1) * sizeof *bias);
    put_inertia(motion, outputs);
    motion_bias(motion, bias);
    outputs_push(outputs, motion->pool, bias, n);
    base_free(bias);
    pattern_of_outputs(&patterns->inertia, eq->arena, outputs, 0, n, n);
    patterns->inertia_holds_velocities = hold_any(motion, outputs, 0, n * n, motion->v, n);
    patterns->forces_hold_velocities = hold_any(motion, outputs, n * n, all, motion->v, n);
    patterns->forces_hold_time = hold_any(motion, outputs, n * n, all, &motion->model->t, 1);
}

static bool pays(const Equations *eq, size_t inertia)
{
    const Motion *motion = eq->motion;
    size_t filled = inertia + 2 * eq->patterns->velocity.begins[eq->m];
    return inertia != SIZE_MAX && motion->second_count == 0 && motion_is_affine(motion) &&
           sparse_pays(eq->n + eq->m, filled, equations_come_and_go(eq));
}

static const char holds[] = "the equations of motion hold";

static void put_all(const Equations *eq, Motion *motion, SparseOutputs *outputs)
{
    put_balance(eq, motion, outputs);
    put_rows(motion, outputs);
    put_directions(eq, outputs);
}

// Where the matrices are constant what moves is a program of its own.
static Status lower(const Equations *eq, const SparseOutputs *outputs, Diag *diag)
{
    DenseForces *dense = eq->dense;
    size_t n = eq->n, inputs = eq->params + 1 + 2 * n, end = n + eq->m + eq->motion->k;
    // Tangents are at the multipliers.
    if (eq->motion->bends)
        inputs = eq->input_count;
    TRY(equations_lower_sparse(eq, holds, outputs, inputs, diag, &dense->forces));
    if (eq->constant_matrices) {
        SparseOutputs loads = {.count = end};
        for (size_t i = 0; i < outputs->places.count; i++) {
            size_t place = outputs->places.at[i];
            if (place < n * n || place >= n * n + end)
                continue;
            array_push(&loads.filled, outputs->filled.at[i]);
            array_push(&loads.places, place - n * n);
        }
        Status status = equations_lower_sparse(eq, holds, &loads, inputs, diag, &dense->loads);
        outputs_clear(&loads);
        TRY(status);
    }
    dense->made = true;
    return STATUS_OK;
}

static void open(Equations *eq, Motion *motion)
{
    assert(!eq->dense && eq->motion == motion);
    eq->dense = arena_array(eq->arena, DenseForces, 1);
    eq->dense->motion = motion;
    pthread_mutex_init(&eq->dense->lock, NULL);
}

Status dense_forces_make(Equations *eq, Motion *motion, Diag *diag)
{
    SparseOutputs outputs = {0};
    const Expr *inertia;
    open(eq, motion);
    put_all(eq, motion, &outputs);
    size_t count = outputs_between(&outputs, 0, eq->n * eq->n, &inertia);
    eq->sparse_forces = pays(eq, pattern_count(&eq->patterns->inertia));
    eq->constant_matrices = eq->constant_matrices && eq->sparse_forces && !motion->servos &&
                            equations_are_constant(eq, inertia, count);
    Status status = lower(eq, &outputs, diag);
    outputs_clear(&outputs);
    return status;
}

void dense_forces_clear(Equations *eq)
{
    if (!eq->dense)
        return;
    evaluator_clear(&eq->dense->forces);
    evaluator_clear(&eq->dense->loads);
    pthread_mutex_destroy(&eq->dense->lock);
}

Motion *dense_forces_motion(const Equations *eq)
{
    return eq->dense->motion;
}

// ---- On demand.

// Whatever of the forces may move with the time.
static bool may_hold_time(const Motion *motion)
{
    const Expr *const parts[] = {motion->p, motion->dT_dq, motion->K, motion->rest_of_S};
    bool holds_time = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !holds_time; i++)
        holds_time = equations_hold_any(motion->pool, parts[i], motion->n, &motion->model->t, 1);
    return holds_time;
}

void dense_forces_postpone(Equations *eq, Motion *motion)
{
    open(eq, motion);
    eq->constant_matrices = false;
    eq->patterns->forces_hold_time = may_hold_time(motion);
}

bool dense_forces_are_sparse(const Equations *eq)
{
    const Motion *motion = eq->motion;
    return pays(eq, 0) && pays(eq, equations_count_held(motion->pool, motion->p, eq->n, motion->v));
}

// What was lowered to numbers before has values: nothing is missing now.
static void need(const Equations *eq)
{
    DenseForces *dense = eq->dense;
    pthread_mutex_lock(&dense->lock);
    if (!dense->made) {
        SparseOutputs outputs = {0};
        Diag *unheard = diag_new();
        put_all(eq, dense->motion, &outputs);
        Status status = lower(eq, &outputs, unheard);
        assert(status == STATUS_OK);
        (void)status;
        outputs_clear(&outputs);
        diag_free(unheard);
    }
    pthread_mutex_unlock(&dense->lock);
}

void state_need_forces(const Equations *eq, State *state)
{
    if (state->forces.program)
        return;
    need(eq);
    evaluator_share(&eq->dense->forces, state->arena, &state->forces);
    evaluator_share(&eq->dense->loads, state->arena, &state->loads);
}

const double *state_forces(const Equations *eq, State *state)
{
    state_need_forces(eq, state);
    evaluator_run(&state->forces, state->inputs);
    return state->forces.out;
}
