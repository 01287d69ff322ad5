// columns.c: the columns of a run, their names and their numbers.
#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/equations.h"
#include "dynamics/text_domains.h"
#include "expr/expr.h"
#include "linalg/real.h"
#include "model/constraint.h"
#include "model/friction.h"
#include "model/system.h"
#include "model/vectors.h"
#include "model/whiles.h"
#include "motion/frictions.h"
#include "motion/motion_types.h"
#include "program/program.h"
#include "simulate/columns_impl.h"
#include "simulate/run_options.h"
#include "simulate/sensitivity/sensitivity_names_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// One more column. What is evaluated for it has the same place among the outputs.
static void add(Columns *columns, Expr *outputs, const char *before, const char *name, Expr value)
{
    Text text = {0};
    assert(columns->names && name);
    text_add(&text, before);
    text_add(&text, name);
    columns->names[columns->count] = arena_copy_text(columns->arena, text.at, text.length);
    outputs[columns->count++] = value;
    text_clear(&text);
}

// One column a condition that was not set aside, whether it acts or not.
static bool has_multiplier(const Motion *motion, const ModelConstraint *constraint)
{
    return !constraint->silent && (constraint->kind == CONSTRAINT_ONE_SIDED || constraint->waits ||
                                   motion_row_of(motion, constraint));
}

// Where a sliding begins in several rows its direction is told apart (friction/slip_start.c).
static void direct_force(const Motion *motion, const MotionFriction *friction, FrictionHold hold,
                         Expr *force)
{
    ExprPool *pool = motion->pool;
    Expr squares[FRICTION_ROWS], bound = motion_friction_bound(motion, friction, hold, false);
    for (size_t k = 0; k < friction->rows; k++) {
        force[k] =
            expr_add(pool, friction->sticks[k].velocity, friction->sticks[k].constraint->lambda);
        squares[k] = expr_pow_int(pool, force[k], 2);
    }
    Expr length = expr_sqrt(pool, expr_sum(pool, squares, friction->rows));
    for (size_t k = 0; k < friction->rows; k++)
        force[k] = expr_neg(pool, expr_mul(pool, bound, expr_div(pool, force[k], length)));
}

// The force on its body along the world's axes, or (x) along what a law acts against; the speed;
// and which of open, sticks and slips it is.
typedef struct {
    Vec force;
    Expr speed, mode;
} FrictionTold;

static void add_told(Columns *columns, Expr *outputs, const ModelFriction *friction,
                     const FrictionTold *told)
{
    static const char *const axes[] = {".x", ".y", ".z"};
    bool law = friction->kind == FRICTION_AGAINST;
    const Expr parts[] = {told->force.x, told->force.y, told->force.z};
    Text name = {0};
    for (size_t axis = 0; axis < (law ? 1 : 3); axis++) {
        text_clear(&name);
        text_addf(&name, "%s%s", friction->name, law ? "" : axes[axis]);
        add(columns, outputs, "friction.", name.at, parts[axis]);
    }
    text_clear(&name);
    add(columns, outputs, "slip.", friction->name, told->speed);
    add(columns, outputs, "mode.", friction->name, told->mode);
}

static void add_friction(Columns *columns, Expr *outputs, const Motion *motion, size_t i)
{
    ExprPool *pool = motion->pool;
    const MotionFriction *friction = &motion->frictions[i];
    FrictionHold hold = {0};
    if (motion->friction_holds)
        hold = motion->friction_holds[i];
    Expr force[FRICTION_ROWS], zero = expr_int(pool, 0);
    Vec sum = {zero, zero, zero};
    motion_friction_force(motion, friction, hold, force);
    if (hold.mode == HOLD_TURNS)
        direct_force(motion, friction, hold, force);
    for (size_t k = 0; k < friction->rows; k++)
        sum = vec_plus(pool, sum, vec_scale(pool, force[k], friction->axes[k]));
    bool law = friction->friction->kind == FRICTION_AGAINST;
    FrictionHold forward = {.mode = HOLD_FORWARD};
    Expr speed = motion_friction_speed(motion, friction, forward);
    if (!law && friction->rows == 1)
        speed = expr_call(pool, EXPR_ABS, speed, (Expr){0});
    int told = hold.mode >= HOLD_FORWARD ? 2 : hold.mode == HOLD_STICKS ? 1 : 0;
    if (law)
        sum.x = force[0];
    add_told(columns, outputs, friction->friction,
             &(FrictionTold){sum, speed, expr_int(pool, told)});
}

// Of one that does not act for the while nothing is told.
static void add_frictions(Columns *columns, Expr *outputs, const Motion *motion)
{
    Expr zero = expr_int(motion->pool, 0);
    for (size_t i = 0; i < motion->model->frictions.count; i++) {
        const ModelFriction *friction = &motion->model->frictions.at[i];
        size_t k = 0;
        while (k < motion->friction_count && motion->frictions[k].friction != friction)
            k++;
        if (k < motion->friction_count)
            add_friction(columns, outputs, motion, k);
        else
            add_told(columns, outputs, friction, &(FrictionTold){{zero, zero, zero}, zero, zero});
    }
}

Expr columns_resolve(const Motion *motion, Expr value)
{
    ExprPool *pool = motion->pool;
    for (size_t i = 0; i < motion->friction_count; i++) {
        const MotionFriction *friction = &motion->frictions[i];
        Expr symbols[] = {friction->friction->slip, friction->friction->normal};
        Expr values[] = {
            motion_friction_speed(motion, friction, (FrictionHold){HOLD_FORWARD, 0, 0}),
            expr_int(pool, 0)};
        if (friction->friction->kind != FRICTION_AGAINST)
            values[0] = expr_call(pool, EXPR_ABS, values[0], (Expr){0});
        if (friction->constraint)
            values[1] =
                expr_mul(pool, friction->pressure,
                         expr_call(pool, EXPR_ABS, friction->constraint->lambda, (Expr){0}));
        value = expr_replace(pool, value, symbols, values, 2);
    }
    // Those that do not act now.
    for (size_t i = 0; i < motion->model->frictions.count; i++) {
        const ModelFriction *friction = &motion->model->frictions.at[i];
        Expr zero = expr_int(pool, 0);
        if (!model_acts(motion->model, friction->waits))
            value = expr_replace(pool, value, (Expr[]){friction->slip, friction->normal},
                                 (Expr[]){zero, zero}, 2);
    }
    return value;
}

// A table whose columns share a name cannot be read by name, and HDF5 refuses it.
static Status add_output(Columns *columns, Expr *outputs, const Motion *motion,
                         const ModelOutput *output, Diag *diag)
{
    for (size_t i = 0; i < columns->count; i++)
        if (strcmp(columns->names[i], output->name) == 0)
            return diag_error(diag, output->place,
                              "a run has a column '%s' already; give the output another name",
                              output->name);
    add(columns, outputs, "", output->name,
        domains_guard(motion, columns_resolve(motion, output->value), output->domains));
    return STATUS_OK;
}

// Which columns, and which residuals behind them, follow from positions and velocities.
static void find_kinematic(Columns *columns, const Equations *eq)
{
    const Program *program = columns->quantities.program;
    size_t given = columns->speeds_at, outputs = columns->quantities.outputs;
    size_t *begins = base_alloc((outputs + 2) * sizeof *begins);
    size_t *inputs = outputs > 0 ? program_depends(program, begins) : NULL;
    columns->kinematic = arena_array(columns->arena, bool, given + outputs + 1);
    for (size_t i = 0; i < given; i++)
        columns->kinematic[i] = true;
    for (size_t i = 0; i < outputs; i++) {
        bool kinematic = columns->quantities.places == NULL;
        for (size_t l = begins[i]; l < begins[i + 1]; l++)
            kinematic = kinematic && inputs[l] < eq->params + 1 + 2 * eq->n;
        columns->kinematic[given + i] = kinematic;
    }
    base_free(begins);
    base_free(inputs);
}

// Whether the energy and all residuals follow from positions and velocities.
static bool checks_are_kinematic(const Columns *columns, const Equations *eq)
{
    bool kinematic = !columns->has_energy || columns->kinematic[columns->energy_at];
    for (size_t c = 0; c < eq->motion->model->constraints.count; c++)
        kinematic = kinematic && columns->kinematic[columns->residuals[c]];
    return kinematic;
}

// Where reactions tell whether there is a motion at all (dependent, one-sided and rare conditions)
// rows are always whole.
static bool may_be_unread(const Columns *columns, const Equations *eq)
{
    return equations_are_plain(eq) && eq->motion->side_count == 0 &&
           eq->independent.count == eq->m && columns->quantities.outputs > 0 &&
           checks_are_kinematic(columns, eq);
}

// Rates of states and residuals without a column are evaluated, too: behind all columns. How many
// outputs that makes.
static size_t add_other_residuals(Columns *columns, Expr *outputs, const Model *model, bool shown)
{
    size_t count = columns->count;
    columns->rates_at = count;
    for (size_t i = model->coords.count - model->rated_count; i < model->coords.count; i++)
        outputs[count++] = model->coords.at[i].v;
    for (size_t i = 0; i < model->constraints.count; i++)
        if (!shown || model->constraints.at[i].silent) {
            columns->residuals[i] = count;
            outputs[count++] = model->constraints.at[i].residual;
        }
    return count;
}

// t, coordinates and velocities are inputs of all programs, and are not evaluated.
// Derivatives: of coordinates and velocities, then of all else that has them, in each direction.
// What is evaluated is 0, and replaced.
static void add_diffs(Columns *columns, Expr *outputs, const Motion *motion,
                      const SensitivityNames *by)
{
    size_t given = columns->speeds_at;
    columns->diffs_at = columns->count;
    for (size_t i = 0; i < by->count; i++) {
        size_t begin = columns->count;
        for (size_t c = 1; c < columns->diffs_at; c++) {
            if (c >= given && !columns_has_diff(columns, c))
                continue;
            Text name = {0};
            text_addf(&name, "%s,%s)", columns->names[c], by->at[i].name);
            add(columns, outputs, "diff(", name.at, expr_int(motion->pool, 0));
            text_clear(&name);
        }
        columns->diff_count = columns->count - begin;
    }
}

bool columns_has_diff(const Columns *columns, size_t column)
{
    bool speed = column >= columns->speeds_at && column < columns->states_at + columns->rated;
    return speed || (column >= columns->outputs_at && column < columns->diffs_at);
}

static Status count_diffs(const Model *model, const RunOptions *settings, Arena *arena, Diag *diag,
                          SensitivityNames *by)
{
    *by = (SensitivityNames){0};
    return settings->sensitivity ? sensitivity_read(model, settings->sensitivity, arena, diag, by)
                                 : STATUS_OK;
}

Status columns_init(Columns *columns, const Equations *eq, const Motion *base,
                    const RunOptions *settings, Diag *diag)
{
    bool residuals = settings->residuals;
    assert(eq->arena && base);
    const Motion *motion = eq->motion;
    const Model *model = motion->model;
    size_t n = eq->n - model->rated_count, given = 1 + 2 * n;
    size_t conditions = model->constraints.count;
    size_t most = given + 1 + model->speeds.count + 3 * conditions + model->outputs.count +
                  5 * model->frictions.count + model->state_count + 2 * model->rated_count +
                  model->inputs.count;
    Arena *arena = arena_new();
    SensitivityNames by;
    *columns = (Columns){.arena = arena};
    TRY(count_diffs(model, settings, arena, diag, &by));
    most *= 1 + by.count;
    Expr *outputs = arena_array(arena, Expr, most);
    *columns = (Columns){.arena = arena,
                         .rated = model->rated_count,
                         .names = arena_array(arena, const char *, most),
                         .residuals = arena_array(arena, size_t, conditions + 1),
                         .row = arena_array(arena, double, most)};
    add(columns, outputs, "", "t", model->t);
    for (size_t i = 0; i < n; i++)
        add(columns, outputs, "", model->coords.at[i].name, motion->q[i]);
    for (size_t i = 0; i < n; i++)
        add(columns, outputs, "", expr_name(model->pool, motion->v[i]), motion->v[i]);
    columns->speeds_at = columns->count;
    for (size_t i = 0; i < model->speeds.count; i++)
        add(columns, outputs, "", model->speeds.at[i].name, model->speeds.at[i].value);
    for (size_t i = 0; i < model->params.count && model->state_count > 0; i++)
        if (model->params.at[i].is_state)
            add(columns, outputs, "", model->params.at[i].name, model->params.at[i].symbol);
    columns->states_at = columns->count;
    for (size_t i = n; i < eq->n; i++)
        add(columns, outputs, "", model->coords.at[i].name, motion->q[i]);
    for (size_t i = 0; i < model->inputs.count; i++)
        add(columns, outputs, "", model->inputs.at[i].name, model->inputs.at[i].value);
    columns->lambdas_at = columns->count;
    for (const ModelConstraint *c = model->constraints.at; c < model->constraints.at + conditions;
         c++)
        if (has_multiplier(base, c))
            add(columns, outputs, "lambda.", c->name, c->lambda);
    columns->frictions_at = columns->count;
    add_frictions(columns, outputs, motion);
    columns->energy_at = columns->count;
    columns->has_energy = !expr_is_none(motion->energy);
    if (columns->has_energy)
        add(columns, outputs, "", "energy", motion->energy);
    for (size_t i = 0; i < conditions; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        columns->residuals[i] = columns->count;
        if (residuals && !constraint->silent)
            add(columns, outputs, "residual.", constraint->name, constraint->residual);
    }
    columns->outputs_at = columns->count;
    for (size_t i = 0; i < model->outputs.count; i++)
        TRY(add_output(columns, outputs, motion, &model->outputs.at[i], diag));
    columns->diffs_at = columns->count;
    add_diffs(columns, outputs, motion, &by);
    size_t count = add_other_residuals(columns, outputs, model, residuals);
    TRY(equations_lower(eq, "an output holds", outputs + given, count - given, eq->input_count,
                        diag, &columns->quantities));
    find_kinematic(columns, eq);
    columns->may_be_unread = may_be_unread(columns, eq);
    TRY(columns_make_exact(columns, eq, outputs, diag));
    return STATUS_OK;
}

void columns_clear(Columns *columns)
{
    evaluator_clear(&columns->quantities);
    evaluator_clear(&columns->exact);
    arena_free(columns->arena);
    *columns = (Columns){0};
}

void columns_fill_given(const Columns *columns, const Equations *eq, const State *state)
{
    size_t n = eq->n - eq->motion->model->rated_count;
    double *row = columns->row;
    assert(row && columns->count >= 1 + 2 * n);
    *row = *state->t;
    memcpy(row + 1, state->q, n * sizeof *row);
    memcpy(row + 1 + n, state->v, n * sizeof *row);
}

ColumnsCheck columns_fill(Columns *columns, const Equations *eq, const State *state)
{
    const Model *model = eq->motion->model;
    size_t given = columns->speeds_at;
    double *row = columns->row;
    columns_fill_given(columns, eq, state);
    if (columns->quantities.outputs > 0) {
        evaluator_run(&columns->quantities, state->inputs);
        memcpy(row + given, columns->quantities.out, columns->quantities.outputs * sizeof *row);
        columns_fill_exact(columns, state->inputs);
    }
    ColumnsCheck check = {.energy = columns->has_energy ? row[columns->energy_at] : 0,
                          .finite = real_all_finite(row, given)};
    check.finite = check.finite && isfinite(check.energy);
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        double residual = row[columns->residuals[i]];
        if (!model_acts(model, constraint->waits))
            continue;
        check.finite = check.finite && isfinite(residual);
        if (constraint->kind == CONSTRAINT_ONE_SIDED)
            check.depth = fmax(check.depth, constraint->at_least ? -residual : residual);
        else
            check.residual = fmax(check.residual, fabs(residual));
    }
    return check;
}
