// event_whiles.c: what holds for a while, along a run. For each set of statements that hold there
// is a motion with equations of its own, made when it is first needed; the simulation takes one
// after the other in its place.
//
// A condition that begins is met by an ideal percussion: of all velocities that the conditions
// allow the nearest to those before, measured by the inertia, 𝓜·(v⁺ − v) = Σ Λ·d, b·v⁺ + c = 0. One
// that ends is released.
#include "simulate/events/event_whiles_impl.h"

#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/equations.h"
#include "dynamics/equations_types.h"
#include "dynamics/independent_rows.h"
#include "dynamics/inertia_regular.h"
#include "dynamics/projection.h"
#include "dynamics/system_matrices.h"
#include "linalg/dense_factors.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"
#include "model/whiles.h"
#include "motion/holds.h"
#include "motion/motion.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/contact_modes_impl.h"
#include "simulate/simulation_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- The motions.

typedef struct {
    bool *acts; // of each `while`
    Motion *motion;
    ContactMode *base;
} WhileMotion;

struct WhileMotions {
    ARRAY(WhileMotion) at; // the first is the simulation's own
};

static bool *copy_acts(Arena *arena, const Model *model)
{
    bool *acts = arena_array(arena, bool, model->whiles.count + 1);
    for (size_t i = 0; i < model->whiles.count; i++)
        acts[i] = model->whiles.at[i].acts;
    return acts;
}

bool *whiles_keep(Simulation *sim)
{
    return copy_acts(sim->arena, sim->motion->model);
}

bool whiles_change(const Simulation *sim, double t, bool *acts)
{
    const Model *model = sim->motion->model;
    bool changed = false;
    model_whiles_at(model, sim->base->eq->param_values, t, acts);
    for (size_t i = 0; i < model->whiles.count; i++)
        changed = changed || acts[i] != model->whiles.at[i].acts;
    return changed;
}

static Status make_motion(Simulation *sim, Model *model, Diag *diag, WhileMotion *own)
{
    TRY(motion_new_to_run(model, diag, &own->motion));
    TRY(inertia_check_regular(own->motion, diag));
    if (!options_follow(own->motion, &sim->settings))
        return diag_error(diag, place_hint(HINT_METHOD),
                          "what begins by 'while' holds reactions not linearly, which the method "
                          "'%s' cannot follow; 'erk' and 'adams' can",
                          run_method_name(sim->settings.method));
    return mode_new(&sim->settings, own->motion, own->motion, NULL, diag, &own->base);
}

static void clear_motion(WhileMotion *own)
{
    mode_free(own->base);
    motion_free(own->motion);
}

static void take(Simulation *sim, const WhileMotion *own)
{
    ContactMode *former = sim->base;
    size_t bytes = former->eq->params * sizeof(double);
    sim->motion = own->motion;
    sim->base = own->base;
    if (former == sim->base)
        return;
    memcpy(sim->base->eq->param_values, former->eq->param_values, bytes);
    memcpy(sim->base->state->inputs, former->eq->param_values, bytes);
    memcpy(sim->base->state->scale, former->state->scale, former->eq->n * sizeof(double));
}

Status whiles_take(Simulation *sim, const bool *acts, Diag *diag)
{
    Model *model = (Model *)sim->motion->model;
    size_t bytes = model->whiles.count * sizeof *acts;
    if (!sim->whiles) {
        sim->whiles = arena_array(sim->arena, struct WhileMotions, 1);
        WhileMotion first = {copy_acts(sim->arena, model), sim->motion, sim->base};
        array_push(&sim->whiles->at, first);
    }
    bool *former = base_alloc(bytes + 1);
    for (size_t i = 0; i < model->whiles.count; i++)
        former[i] = model->whiles.at[i].acts;
    model_switch(model, acts);
    WhileMotion own = {copy_acts(sim->arena, model), NULL, NULL};
    size_t i = 0;
    while (i < sim->whiles->at.count && memcmp(sim->whiles->at.at[i].acts, acts, bytes) != 0)
        i++;
    Status status = STATUS_OK;
    if (i == sim->whiles->at.count) {
        status = make_motion(sim, model, diag, &own);
        if (status == STATUS_OK)
            array_push(&sim->whiles->at, own);
    }
    if (status == STATUS_OK) {
        take(sim, &sim->whiles->at.at[i]);
    } else {
        clear_motion(&own);
        model_switch(model, former);
    }
    base_free(former);
    return status;
}

Status whiles_begin(Simulation *sim, Diag *diag)
{
    size_t count = sim->motion->model->whiles.count;
    bool *acts = base_alloc(count + 1);
    bool changed = count > 0 && whiles_change(sim, sim->settings.from, acts);
    Status status = changed ? whiles_take(sim, acts, diag) : STATUS_OK;
    base_free(acts);
    return status;
}

// The simulation's own is the caller's.
void whiles_clear(Simulation *sim)
{
    if (!sim->whiles)
        return;
    model_switch((Model *)sim->motion->model, sim->whiles->at.at[0].acts);
    sim->motion = sim->whiles->at.at[0].motion;
    sim->base = sim->whiles->at.at[0].base;
    for (size_t i = 1; i < sim->whiles->at.count; i++)
        clear_motion(&sim->whiles->at.at[i]);
    array_clear(&sim->whiles->at);
}

// ---- What begins.

static void add_rows(const SparseRows *rows, size_t at, bool down, double sign, double *matrix,
                     size_t size)
{
    for (size_t i = 0; i < rows->count; i++)
        for (uint32_t k = rows->first[i]; k < rows->first[i + 1]; k++) {
            size_t row = down ? at + i : rows->column[k], column = down ? rows->column[k] : at + i;
            matrix[column * size + row] += sign * rows->value[k];
        }
}

// v⁺ and the impulses by coordinate; false where the matrix is singular.
static bool strike(SystemMatrices *matrices, State *state, double *impulses)
{
    size_t n = matrices->n, m = matrices->m, size = n + m;
    double *matrix = base_alloc((size * size + size + 1) * sizeof *matrix);
    double *x = matrix + size * size;
    int *pivots = base_alloc((size + 1) * sizeof *pivots);
    memset(matrix, 0, (size * size + size) * sizeof *matrix);
    add_rows(&matrices->inertia, 0, true, 1, matrix, size);
    add_rows(&matrices->rows, n, true, 1, matrix, size);
    add_rows(matrices->directions.first ? &matrices->directions : &matrices->rows, n, false, -1,
             matrix, size);
    for (size_t i = 0; i < m; i++)
        x[n + i] = -sparse_row_times(&matrices->rows, i, state->v, matrices->c[i], NULL);
    bool found = lu_factor(size, matrix, size, pivots);
    if (found) {
        lu_solve(false, size, matrix, size, pivots, x);
        memset(impulses, 0, n * sizeof *impulses);
        for (size_t i = 0; i < n; i++) {
            const SparseRows *inertia = &matrices->inertia;
            impulses[i] = sparse_row_times(inertia, i, x, 0, NULL);
            state->v[i] += x[i];
        }
    }
    base_free(matrix);
    base_free(pivots);
    return found && real_all_finite(state->v, n);
}

// Whether some condition is off by more than a rounding.
static bool is_off(const SystemMatrices *matrices, const State *state)
{
    for (size_t i = 0; i < matrices->m; i++) {
        double terms, off = sparse_row_times(&matrices->rows, i, state->v, matrices->c[i], &terms);
        if (fabs(off) > TOL_CONDITION * terms)
            return true;
    }
    return false;
}

bool whiles_meet(const Simulation *sim, double t, double *q, double *v, double *impulses,
                 Text *reason)
{
    Equations *eq = sim->base->eq;
    State *state = sim->base->state;
    size_t bytes = eq->n * sizeof *q, worst = 0;
    *state->t = t;
    memcpy(state->q, q, bytes);
    memcpy(state->v, v, bytes);
    memset(impulses, 0, bytes);
    positions_evaluate(state);
    double miss = eq->finite > 0 ? positions_miss(eq, state, &worst) : 0;
    if (!(miss <= TOL_SMALL)) {
        text_addf(reason,
                  "'%s' begins where its residual is %.6g: a condition begins only where "
                  "its positions fit",
                  eq->finite_conditions[worst].constraint->name, positions_f(state)[worst]);
        return false;
    }
    if (miss > 0)
        positions_project(eq, state, LIMIT_STEPS);
    Diag *unheard = diag_new();
    evaluator_run(&state->velocities, state->inputs);
    bool known = independent_rows_find(eq, state, true, unheard) == STATUS_OK;
    diag_free(unheard);
    SystemMatrices matrices;
    matrices_init(&matrices, eq, state);
    matrices_evaluate(&matrices);
    if (known && is_off(&matrices, state))
        known = strike(&matrices, state, impulses);
    matrices_clear(&matrices);
    if (!known)
        text_add(reason, "the conditions that begin cannot be met by a percussion: their equations "
                         "are singular");
    velocities_follow_states(eq, state);
    memcpy(q, state->q, bytes);
    memcpy(v, state->v, bytes);
    return known;
}
