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
#include "motion/inertia.h"
#include "motion/motion_types.h"

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

static size_t put_rows(const Motion *motion, Expr *outputs)
{
    size_t at = 0;
    for (size_t i = 0; i < motion->m; i++)
        outputs[at++] = motion->rows[i].gamma;
    for (size_t i = 0; i < motion->k; i++)
        outputs[at++] = expr_rate(motion->dt_still, motion->state.speeds[i].value);
    return at;
}

// d of servos, then what is affine in the accelerations; how many outputs that is.
static size_t put_directions(const Equations *eq, Expr *outputs)
{
    const Motion *motion = eq->motion;
    size_t n = eq->n, m = eq->m, at = 0;
    Pattern directions = eq->patterns->velocity;
    for (size_t i = 0; i < m && motion->servos; i++, at += n)
        memcpy(outputs + at, motion->rows[i].d, n * sizeof *outputs);
    if (motion->servos)
        pattern_init(&directions, eq->arena, motion->pool, outputs, m, n);
    pattern_transpose(&directions, eq->arena, m, n, &eq->patterns->reaction);
    for (size_t i = 0; i < motion->affine_count; i++, at += n)
        memcpy(outputs + at, motion->seconds[i].row.b, n * sizeof *outputs);
    for (size_t i = 0; i < motion->affine_count; i++)
        outputs[at++] = motion->seconds[i].row.gamma;
    return at;
}

// 𝓜 and W − K for q'' = 0, and what is known of them.
static void put_balance(const Equations *eq, Motion *motion, Expr *outputs)
{
    size_t n = eq->n;
    EquationPatterns *patterns = eq->patterns;
    motion_mass_matrix(motion, outputs);
    pattern_init(&patterns->inertia, eq->arena, motion->pool, outputs, n, n);
    patterns->inertia_holds_velocities =
        equations_hold_any(motion->pool, outputs, n * n, motion->v, n);
    motion_bias(motion, outputs + n * n);
    patterns->forces_hold_velocities =
        equations_hold_any(motion->pool, outputs + n * n, n, motion->v, n);
    patterns->forces_hold_time =
        equations_hold_any(motion->pool, outputs + n * n, n, &motion->model->t, 1);
}

static bool pays(const Equations *eq, size_t inertia)
{
    const Motion *motion = eq->motion;
    size_t filled = inertia + 2 * eq->patterns->velocity.begins[eq->m];
    return motion->second_count == 0 && motion_is_affine(motion) &&
           sparse_pays(eq->n + eq->m, filled, equations_come_and_go(eq));
}

static const char holds[] = "the equations of motion hold";

// All outputs, in an array that the caller frees.
static Expr *put_all(const Equations *eq, Motion *motion, size_t *count)
{
    size_t n = eq->n, m = eq->m;
    size_t most = n * n + n + m + motion->k + (m + motion->affine_count) * (n + 1) + 1;
    Expr *outputs = base_alloc(most * sizeof *outputs);
    put_balance(eq, motion, outputs);
    *count = n * n + n;
    *count += put_rows(motion, outputs + *count);
    *count += put_directions(eq, outputs + *count);
    assert(*count < most);
    return outputs;
}

// Where the matrices are constant what moves is a program of its own.
static Status lower(const Equations *eq, const Expr *outputs, size_t count, Diag *diag)
{
    DenseForces *dense = eq->dense;
    size_t n = eq->n, inputs = eq->params + 1 + 2 * n;
    TRY(equations_lower(eq, holds, outputs, count, inputs, diag, &dense->forces));
    if (eq->constant_matrices)
        TRY(equations_lower(eq, holds, outputs + n * n, n + eq->m + eq->motion->k, inputs, diag,
                            &dense->loads));
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
    size_t count, n = eq->n;
    open(eq, motion);
    Expr *outputs = put_all(eq, motion, &count);
    eq->sparse_forces = pays(eq, pattern_count(&eq->patterns->inertia));
    eq->constant_matrices = eq->constant_matrices && eq->sparse_forces && !motion->servos &&
                            equations_are_constant(eq, outputs, n * n);
    Status status = lower(eq, outputs, count, diag);
    base_free(outputs);
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
        size_t count;
        Diag *unheard = diag_new();
        Expr *outputs = put_all(eq, dense->motion, &count);
        Status status = lower(eq, outputs, count, unheard);
        assert(status == STATUS_OK);
        (void)status;
        base_free(outputs);
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
