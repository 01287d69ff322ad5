// columns.c: the columns of a run, their names and their numbers.
#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/dynamics.h"
#include "expr/arithmetic.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "simulate/columns_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void add_name(Columns *columns, const char *before, const char *name)
{
    Text text = {0};
    assert(columns->names && name);
    text_add(&text, before);
    text_add(&text, name);
    columns->names[columns->count++] = arena_copy_text(columns->arena, text.at, text.length);
    text_clear(&text);
}

// One column a condition that was not set aside, whether it acts or not.
static bool has_multiplier(const Motion *motion, const ModelConstraint *constraint)
{
    return !constraint->silent &&
           (constraint->kind == CONSTRAINT_ONE_SIDED || motion_row_of(motion, constraint));
}

static void make_names(Columns *columns, const Equations *eq, const Motion *base, bool residuals)
{
    const Motion *motion = eq->motion;
    const Model *model = motion->model;
    size_t most =
        2 + 2 * eq->n + model->speeds.count + 2 * model->constraints.count + model->outputs.count;
    columns->arena = arena_new();
    columns->names = arena_alloc(columns->arena, most * sizeof *columns->names);
    add_name(columns, "", "t");
    for (size_t i = 0; i < eq->n; i++)
        add_name(columns, "", model->coords.at[i].name);
    for (size_t i = 0; i < eq->n; i++)
        add_name(columns, "", expr_name(model->pool, motion->v[i]));
    columns->speeds_at = columns->count;
    for (size_t i = 0; i < model->speeds.count; i++)
        add_name(columns, "", model->speeds.at[i].name);
    columns->lambdas_at = columns->count;
    columns->lambdas = arena_alloc(columns->arena, most * sizeof *columns->lambdas);
    for (size_t i = 0; i < model->constraints.count; i++)
        if (has_multiplier(base, &model->constraints.at[i])) {
            columns->lambdas[columns->count - columns->lambdas_at] = i;
            add_name(columns, "lambda.", model->constraints.at[i].name);
        }
    columns->has_energy = !expr_is_none(motion->energy);
    columns->energy_at = columns->count;
    if (columns->has_energy)
        add_name(columns, "", "energy");
    columns->residuals_at = columns->count;
    columns->residuals = residuals;
    for (size_t i = 0; i < model->constraints.count && residuals; i++)
        if (!model->constraints.at[i].silent)
            add_name(columns, "residual.", model->constraints.at[i].name);
    columns->outputs_at = columns->count;
    for (size_t i = 0; i < model->outputs.count; i++)
        add_name(columns, "", model->outputs.at[i].name);
    columns->row = arena_alloc(columns->arena, columns->count * sizeof *columns->row);
}

// A table whose columns share a name cannot be read by name, and HDF5 refuses it.
static Status check_outputs(const Columns *columns, const Model *model, Diag *diag)
{
    for (size_t i = 0; i < model->outputs.count; i++)
        for (size_t j = 0; j < columns->outputs_at + i; j++)
            if (strcmp(columns->names[j], model->outputs.at[i].name) == 0)
                return diag_error(diag, model->outputs.at[i].place,
                                  "a run has a column '%s' already; give the output another name",
                                  columns->names[j]);
    return STATUS_OK;
}

Status columns_init(Columns *columns, const Equations *eq, const Motion *base, bool residuals,
                    Diag *diag)
{
    const Motion *motion = eq->motion;
    const Model *model = motion->model;
    size_t at = 0,
           count = model->speeds.count + 1 + model->constraints.count + model->outputs.count;
    *columns = (Columns){0};
    make_names(columns, eq, base, residuals);
    TRY(check_outputs(columns, model, diag));
    Expr *outputs = arena_array(columns->arena, Expr, count);
    for (size_t i = 0; i < model->speeds.count; i++)
        outputs[at++] = model->speeds.at[i].value;
    outputs[at++] = columns->has_energy ? motion->energy : expr_int(model->pool, 0);
    for (size_t i = 0; i < model->constraints.count; i++)
        outputs[at++] = model->constraints.at[i].residual;
    for (size_t i = 0; i < model->outputs.count; i++)
        outputs[at++] = model->outputs.at[i].value;
    return equations_lower(eq, "an output holds", outputs, count, eq->input_count, diag,
                           &columns->quantities);
}

void columns_clear(Columns *columns)
{
    evaluator_clear(&columns->quantities);
    arena_free(columns->arena);
    *columns = (Columns){0};
}

ColumnsCheck columns_fill(Columns *columns, const Equations *eq, const State *state)
{
    const Motion *motion = eq->motion;
    const Model *model = motion->model;
    size_t n = eq->n, speeds = model->speeds.count, conditions = model->constraints.count;
    double *row = columns->row;
    assert(row && columns->outputs_at + model->outputs.count == columns->count);
    evaluator_run(&columns->quantities, state->inputs);
    const double *out = columns->quantities.out, *residuals = out + speeds + 1;
    row[0] = *state->t;
    memcpy(row + 1, state->q, n * sizeof *row);
    memcpy(row + 1 + n, state->v, n * sizeof *row);
    memcpy(row + columns->speeds_at, out, speeds * sizeof *row);
    double *residual = row + columns->residuals_at;
    for (size_t i = columns->lambdas_at; i < columns->energy_at; i++)
        row[i] = state->multipliers[columns->lambdas[i - columns->lambdas_at]];
    if (columns->has_energy)
        row[columns->energy_at] = out[speeds];
    for (size_t i = 0; i < conditions && columns->residuals; i++)
        if (!model->constraints.at[i].silent)
            *residual++ = residuals[i];
    memcpy(row + columns->outputs_at, residuals + conditions, model->outputs.count * sizeof *row);

    ColumnsCheck check = {.energy = out[speeds]};
    for (size_t i = 0; i < conditions; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        if (constraint->kind == CONSTRAINT_ONE_SIDED)
            check.depth = fmax(check.depth, constraint->at_least ? -residuals[i] : residuals[i]);
        else
            check.residual = fmax(check.residual, fabs(residuals[i]));
    }
    return check;
}
