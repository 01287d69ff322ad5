// system_functions.c: y' = f(t, y, p) as one program, its derivatives by first-order power series,
// and the matrices of the equations of motion by the programs of a run.
#include "dynamics/system_functions.h"
#include "base/diag.h"
#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "dynamics/motion_formulas.h"
#include "expr/expr.h"
#include "linalg/linear_series.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "program/program.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct SystemFunctions {
    Arena *arena;
    const Equations *eq;
    const State *start; // with the speeds in use
    SystemLayout layout;
    bool velocities; // all of them are the speeds
    size_t unknowns; // solved for in numbers; 0: the program gives y'
    size_t pivots;
    // p | t | y → q' and u', or q', matrix and right; then each pivot and what it is measured by.
    Program *rates;
    Program *all_params;             // p → all parameters
    size_t *places;                  // of p among all parameters
    const ModelConstraint **unknown; // whose multipliers are unknowns
    size_t unknown_count;
    double least; // pivot at the start
};

struct SystemWorkspace {
    Arena *arena;
    double *inputs, *direction; // p | t | y
    double *outputs, *changes;
    double *work;
    ProgramSeries *series;
    LinearSeries system; // of the unknowns
    double *column;      // n + k
    State state;
};

// ---- Making.

// Whether a parameter has a number of its own: a discrete state does, for events set it.
static bool is_free(const Model *model, size_t param)
{
    const ModelParam *own = &model->params.at[param];
    return own->is_state || expr_is_number(model->pool, own->value);
}

static void name_params(SystemFunctions *functions, const Model *model)
{
    SystemLayout *layout = &functions->layout;
    Arena *arena = functions->arena;
    size_t count = model->params.count;
    const char **names = arena_array(arena, const char *, count + 1);
    double *values = real_alloc(arena, count + 1);
    functions->places = arena_array(arena, size_t, count + 1);
    for (size_t i = 0; i < count; i++)
        if (is_free(model, i)) {
            functions->places[layout->params] = i;
            names[layout->params] = model->params.at[i].name;
            values[layout->params++] = functions->eq->param_values[i];
        }
    layout->param_names = names;
    layout->param_values = values;
}

static void name_conditions(SystemFunctions *functions, const Motion *motion)
{
    size_t count = motion->m + motion->affine_count;
    const char **names = arena_array(functions->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        names[i] = (i < motion->m ? motion->rows[i].constraint
                                  : motion->seconds[i - motion->m].row.constraint)
                       ->name;
    functions->layout.conditions = count;
    functions->layout.condition_names = names;
}

// Inputs and what is defined: parameters that others give come first.
typedef struct {
    ARRAY(Expr) inputs, outputs;
    ARRAY(ProgramDefinition) definitions;
} Lowering;

static void lowering_init(Lowering *lowering, const Model *model)
{
    *lowering = (Lowering){0};
    for (size_t i = 0; i < model->params.count; i++) {
        const ModelParam *param = &model->params.at[i];
        if (is_free(model, i))
            array_push(&lowering->inputs, param->symbol);
        else
            array_push(&lowering->definitions, ((ProgramDefinition){param->symbol, param->value}));
    }
}

static void lowering_push(Lowering *lowering, const Expr *outputs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        array_push(&lowering->outputs, outputs[i]);
}

static Program *lowering_end(Lowering *lowering, const ExprPool *pool)
{
    Program *program = program_new_defined(pool, lowering->inputs.at, lowering->inputs.count,
                                           lowering->definitions.at, lowering->definitions.count,
                                           lowering->outputs.at, lowering->outputs.count, NULL);
    array_clear(&lowering->inputs);
    array_clear(&lowering->outputs);
    array_clear(&lowering->definitions);
    return program;
}

static Program *lower_params(const Model *model)
{
    Lowering lowering;
    lowering_init(&lowering, model);
    for (size_t i = 0; i < model->params.count; i++)
        array_push(&lowering.outputs, model->params.at[i].symbol);
    return lowering_end(&lowering, model->pool);
}

static Program *lower_rates(const SystemFunctions *functions, const RunFormulas *formulas,
                            const Motion *motion)
{
    size_t size = functions->unknowns;
    Lowering lowering;
    lowering_init(&lowering, motion->model);
    array_push(&lowering.inputs, motion->model->t);
    for (size_t i = 0; i < motion->n; i++)
        array_push(&lowering.inputs, motion->q[i]);
    for (size_t i = 0; i < formulas->k; i++)
        array_push(&lowering.inputs, formulas->speeds[i]);
    for (size_t i = 0; i < formulas->definition_count; i++)
        array_push(&lowering.definitions, formulas->definitions[i]);
    lowering_push(&lowering, motion->v, motion->n);
    if (formulas->solved)
        lowering_push(&lowering, formulas->rates, formulas->k);
    lowering_push(&lowering, formulas->matrix, size * size);
    lowering_push(&lowering, formulas->right, size);
    lowering_push(&lowering, formulas->pivots, 2 * functions->pivots);
    return lowering_end(&lowering, motion->pool);
}

static void describe(SystemFunctions *functions, const RunFormulas *formulas, const State *state)
{
    SystemLayout *layout = &functions->layout;
    Arena *arena = functions->arena;
    size_t n = layout->n = formulas->n, k = layout->k = formulas->k;
    double *start = real_alloc(arena, n + k);
    const char **names = arena_array(arena, const char *, k + 1);
    memcpy(start, state->q, n * sizeof *start);
    memcpy(start + n, functions->velocities ? state->v : formulas->u, k * sizeof *start);
    for (size_t i = 0; i < k; i++)
        names[i] =
            arena_copy_text(arena, formulas->speed_names[i], strlen(formulas->speed_names[i]));
    layout->start = start;
    layout->speed_names = names;
    functions->unknowns = formulas->solved ? 0 : k + formulas->multiplier_count;
    functions->pivots = formulas->pivot_count;
    functions->unknown_count = formulas->solved ? 0 : formulas->multiplier_count;
    functions->unknown = arena_array(arena, const ModelConstraint *, functions->unknown_count + 1);
    for (size_t i = 0; i < functions->unknown_count; i++)
        functions->unknown[i] = formulas->conditions[i];
}

static double least_pivot(const SystemFunctions *functions, const double *outputs)
{
    size_t size = functions->unknowns, n = functions->layout.n;
    const double *pivots = outputs + n + (size ? size * size + size : functions->layout.k);
    double least = 1;
    for (size_t i = 0; i < functions->pivots; i++) {
        double part = pivots[2 * i] / pivots[2 * i + 1];
        if (!(part >= least))
            least = isfinite(part) ? part : -INFINITY;
    }
    return least;
}

Status functions_new(const Equations *eq, State *state, Motion *motion, bool velocities, Diag *diag,
                     SystemFunctions **out)
{
    assert(eq->motion == motion && out);
    RunFormulasRoom *room;
    RunFormulas formulas;
    *out = NULL;
    Status status = motion_formulas(eq, state, motion, false, velocities, diag, &room, &formulas);
    if (status == STATUS_OK && formulas.implicit)
        status = diag_error(diag, place_none(),
                            "the accelerations are found by iteration, because %s; this system is "
                            "no function of its state",
                            motion->bends ? "a force holds reactions not linearly"
                                          : "a condition is not affine in them");
    if (status != STATUS_OK) {
        run_formulas_free(room);
        return status;
    }
    Arena *arena = arena_new();
    SystemFunctions *functions = *out = arena_alloc(arena, sizeof *functions);
    *functions = (SystemFunctions){
        .arena = arena, .eq = eq, .start = state, .velocities = velocities || eq->all_velocities};
    describe(functions, &formulas, state);
    name_params(functions, motion->model);
    name_conditions(functions, motion);
    functions->rates = lower_rates(functions, &formulas, motion);
    functions->all_params = lower_params(motion->model);
    run_formulas_free(room);
    if (!functions->rates || !functions->all_params)
        return diag_error(diag, place_none(), "a formula of the motion has no value");
    // The pivots at the start; what first evaluations make is there for all threads.
    SystemWorkspace *workspace = functions_workspace(functions);
    functions->least = -INFINITY;
    SystemPoint start = {.t = 0, .y = functions->layout.start};
    bool found = functions_rates(functions, workspace, start, workspace->column);
    functions->least = found ? least_pivot(functions, workspace->outputs) : 1;
    functions_workspace_free(workspace);
    return STATUS_OK;
}

void functions_free(SystemFunctions *functions)
{
    if (!functions)
        return;
    program_free(functions->rates);
    program_free(functions->all_params);
    arena_free(functions->arena);
}

SystemLayout functions_layout(const SystemFunctions *functions)
{
    return functions->layout;
}

// ---- Workspaces.

static void copy_speeds(const State *from, size_t k, State *to)
{
    to->speeds.own = from->speeds.own;
    memcpy(to->speeds.chosen, from->speeds.chosen, k * sizeof *to->speeds.chosen);
}

SystemWorkspace *functions_workspace(const SystemFunctions *functions)
{
    const Equations *eq = functions->eq;
    size_t inputs = program_inputs(functions->rates), outputs = program_outputs(functions->rates);
    Arena *arena = arena_new();
    SystemWorkspace *workspace = arena_alloc(arena, sizeof *workspace);
    size_t registers = program_registers(functions->rates);
    size_t others = program_registers(functions->all_params);
    *workspace =
        (SystemWorkspace){.arena = arena,
                          .inputs = real_alloc(arena, inputs),
                          .direction = real_alloc(arena, inputs),
                          .outputs = real_alloc(arena, outputs),
                          .changes = real_alloc(arena, outputs),
                          .work = real_alloc(arena, registers > others ? registers : others),
                          .column = real_alloc(arena, functions->layout.n + functions->layout.k),
                          .series = program_series_new(functions->rates, 0, 1)};
    if (functions->unknowns)
        linear_series_init(&workspace->system, functions->unknowns, 1, false);
    state_init(&workspace->state, eq);
    State *state = &workspace->state;
    copy_speeds(functions->start, eq->k, state);
    memcpy(state->scale, functions->start->scale, eq->n * sizeof *state->scale);
    // What the first evaluation makes room for.
    state_need_dense(eq, state);
    SystemPoint start = {.t = 0, .y = functions->layout.start};
    SystemParts parts = {.velocities = workspace->column};
    (void)state_forces(eq, state);
    (void)functions_parts(functions, workspace, start, &parts);
    return workspace;
}

void functions_workspace_free(SystemWorkspace *workspace)
{
    if (!workspace)
        return;
    program_series_free(workspace->series);
    linear_series_clear(&workspace->system);
    state_clear(&workspace->state);
    arena_free(workspace->arena);
}

// ---- Rates and their derivatives.

static void put_point(const SystemFunctions *functions, SystemPoint at, double *inputs)
{
    const SystemLayout *layout = &functions->layout;
    size_t params = layout->params;
    memcpy(inputs, at.p ? at.p : layout->param_values, params * sizeof *inputs);
    inputs[params] = at.t;
    memcpy(inputs + params + 1, at.y, (layout->n + layout->k) * sizeof *inputs);
}

// y' or its change, from coefficient `order` of the outputs.
static bool take_rates(const SystemFunctions *functions, SystemWorkspace *workspace, size_t order,
                       double *outputs, double *rates)
{
    size_t n = functions->layout.n, k = functions->layout.k, size = functions->unknowns;
    memcpy(rates, outputs, (n + (size ? 0 : k)) * sizeof *rates);
    if (size == 0)
        return real_all_finite(rates, n + k);
    double *right = outputs + n + size * size;
    memcpy(linear_series_matrix(&workspace->system, order), outputs + n,
           size * size * sizeof *rates);
    workspace->system.moves[order] = true;
    if (!linear_series_next(&workspace->system, order, right))
        return false;
    memcpy(rates + n, right, k * sizeof *rates);
    return real_all_finite(rates, n + k);
}

// Whether the formulas lose no digits here that they kept at the start.
static bool are_good(const SystemFunctions *functions, const double *outputs)
{
    return functions->pivots == 0 || functions->least == -INFINITY ||
           least_pivot(functions, outputs) >= TOL_COARSE * functions->least;
}

static bool place_state(const SystemFunctions *functions, SystemWorkspace *workspace,
                        SystemPoint at)
{
    const Equations *eq = functions->eq;
    State *state = &workspace->state;
    const double *u = at.y + eq->n;
    program_run_real(functions->all_params, at.p ? at.p : functions->layout.param_values,
                     state->inputs, workspace->work);
    if (!equations_serve(eq, state->inputs))
        return false;
    if (functions->velocities && !eq->all_velocities) {
        *state->t = at.t;
        memcpy(state->q, at.y, eq->n * sizeof *u);
        memcpy(state->v, u, eq->n * sizeof *u);
        evaluator_run(&state->velocities, state->inputs);
        return evaluator_is_finite(&state->velocities);
    }
    return dynamics_velocities(eq, state, at.t, at.y, u) == DYNAMICS_FOUND;
}

// By a linear solve for the accelerations, whatever formulas divide by.
static bool rates_by_solves(const SystemFunctions *functions, SystemWorkspace *workspace,
                            SystemPoint at, double *rates)
{
    const Equations *eq = functions->eq;
    size_t n = eq->n;
    State *state = &workspace->state;
    bool whole = functions->velocities && !eq->all_velocities;
    if (!place_state(functions, workspace, at) ||
        dynamics_accelerations(eq, state, whole ? NULL : rates + n) != DYNAMICS_FOUND)
        return false;
    memcpy(rates, state->v, n * sizeof *rates);
    if (whole)
        memcpy(rates + n, state->a, n * sizeof *rates);
    return real_all_finite(rates, n + functions->layout.k);
}

bool functions_rates(const SystemFunctions *functions, SystemWorkspace *workspace, SystemPoint at,
                     double *rates)
{
    put_point(functions, at, workspace->inputs);
    program_run_real(functions->rates, workspace->inputs, workspace->outputs, workspace->work);
    if (are_good(functions, workspace->outputs) &&
        take_rates(functions, workspace, 0, workspace->outputs, rates))
        return true;
    return rates_by_solves(functions, workspace, at, rates);
}

// The series of order 0; false where the formulas cannot be differentiated here.
bool functions_begin_along(const SystemFunctions *functions, SystemWorkspace *workspace,
                           SystemPoint at)
{
    put_point(functions, at, workspace->inputs);
    program_series_next(workspace->series, 0, workspace->inputs, workspace->outputs);
    memset(workspace->direction, 0,
           program_inputs(functions->rates) * sizeof *workspace->direction);
    return are_good(functions, workspace->outputs) &&
           take_rates(functions, workspace, 0, workspace->outputs, workspace->column);
}

static bool next_series(const SystemFunctions *functions, SystemWorkspace *workspace,
                        double *change)
{
    program_series_next(workspace->series, 1, workspace->direction, workspace->changes);
    return take_rates(functions, workspace, 1, workspace->changes, change);
}

bool functions_along(const SystemFunctions *functions, SystemWorkspace *workspace, double dt,
                     const double *dy, const double *dp, double *change)
{
    const SystemLayout *layout = &functions->layout;
    double *direction = workspace->direction;
    size_t params = layout->params, count = layout->n + layout->k;
    memset(direction, 0, (params + 1 + count) * sizeof *direction);
    if (dp)
        memcpy(direction, dp, params * sizeof *dp);
    direction[params] = dt;
    if (dy)
        memcpy(direction + params + 1, dy, count * sizeof *dy);
    return next_series(functions, workspace, change);
}

bool functions_rates_along(const SystemFunctions *functions, SystemWorkspace *workspace,
                           SystemPoint at, double dt, const double *dy, const double *dp,
                           double *change)
{
    return functions_begin_along(functions, workspace, at) &&
           functions_along(functions, workspace, dt, dy, dp, change);
}

bool functions_jacobian(const SystemFunctions *functions, SystemWorkspace *workspace,
                        SystemPoint at, SystemBy by, double *matrix)
{
    const SystemLayout *layout = &functions->layout;
    size_t rows = layout->n + layout->k, columns = by == BY_STATE ? rows : layout->params;
    double *direction = workspace->direction + (by == BY_STATE ? layout->params + 1 : 0);
    if (!functions_begin_along(functions, workspace, at))
        return false;
    for (size_t j = 0; j < columns; j++) {
        direction[j] = 1;
        bool found = next_series(functions, workspace, workspace->column);
        direction[j] = 0;
        if (!found)
            return false;
        for (size_t i = 0; i < rows; i++)
            matrix[i * columns + j] = workspace->column[i];
    }
    return true;
}

const ModelConstraint *const *functions_unknown(const SystemFunctions *functions, size_t *count)
{
    *count = functions->unknown_count;
    return functions->unknown;
}

const double *functions_multipliers(const SystemFunctions *functions,
                                    const SystemWorkspace *workspace, bool change)
{
    size_t size = functions->unknowns;
    const double *outputs = change ? workspace->changes : workspace->outputs;
    return outputs + functions->layout.n + size * size + functions->layout.k;
}

const size_t *functions_param_places(const SystemFunctions *functions)
{
    return functions->places;
}

void functions_params_along(const SystemFunctions *functions, const double *p, const double *dp,
                            double *change)
{
    ProgramSeries *series = program_series_new(functions->all_params, 0, 1);
    program_series_next(series, 0, p, change);
    program_series_next(series, 1, dp, change);
    program_series_free(series);
}

// ---- The equations of motion.

static void put_matrices(const Equations *eq, State *state, const SystemParts *parts)
{
    size_t n = eq->n, m = eq->m, affine = eq->motion->affine_count, bytes = sizeof(double);
    const double *forces = state_forces(eq, state);
    const double *rows = state->velocities.out, *others = dynamics_affine_rows(eq, forces);
    if (parts->mass)
        memcpy(parts->mass, forces, n * n * bytes);
    if (parts->bias)
        memcpy(parts->bias, forces + n * n, n * bytes);
    if (parts->jacobian) {
        memcpy(parts->jacobian, rows, m * n * bytes);
        memcpy(parts->jacobian + m * n, others, affine * n * bytes);
    }
    if (parts->gamma) {
        memcpy(parts->gamma, forces + n * n + n, m * bytes);
        memcpy(parts->gamma + m, others + affine * n, affine * bytes);
    }
}

bool functions_parts(const SystemFunctions *functions, SystemWorkspace *workspace, SystemPoint at,
                     const SystemParts *parts)
{
    const Equations *eq = functions->eq;
    State *state = &workspace->state;
    size_t n = eq->n, bytes = sizeof(double);
    if (!place_state(functions, workspace, at))
        return false;
    if (parts->velocities)
        memcpy(parts->velocities, state->v, n * bytes);
    if (parts->mass || parts->bias || parts->jacobian || parts->gamma)
        put_matrices(eq, state, parts);
    if (!parts->accelerations && !parts->multipliers)
        return true;
    if (dynamics_accelerations(eq, state, NULL) != DYNAMICS_FOUND)
        return false;
    if (parts->accelerations)
        memcpy(parts->accelerations, state->a, n * bytes);
    if (parts->multipliers)
        memcpy(parts->multipliers, state->lambda, functions->layout.conditions * bytes);
    return true;
}
