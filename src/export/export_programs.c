// export_programs.c: the programs that are written out, and the names in them.
#include "dynamics/equations.h"
#include "dynamics/independent_rows.h"
#include "dynamics/speed_choice.h"
#include "export/export_impl.h"
#include "linalg/tolerances.h"

#include <math.h>
#include <string.h>

void exported_push(ExprRow *row, const Expr *exprs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        array_push(row, exprs[i]);
}

void exported_push_params(const Exported *exported, ExprRow *row)
{
    for (size_t i = 0; i < exported->params; i++)
        array_push(row, exported_param(exported, i)->symbol);
    exported_push(row, exported->modes.at, exported->modes.count);
}

// p | t | inputs | q
void exported_push_place(const Exported *exported, ExprRow *row)
{
    exported_push_params(exported, row);
    array_push(row, exported->model->t);
    for (size_t i = 0; i < exported->inputs; i++)
        array_push(row, exported_input(exported, i)->symbol);
    exported_push(row, exported->motion->q, exported->n);
}

// p | t | q | u
void exported_push_state(const Exported *exported, ExprRow *row)
{
    exported_push_place(exported, row);
    exported_push(row, exported->formulas.speeds, exported->k);
}

// Lowers, and lets go of both rows. NULL where something has no value here.
static Program *lower(const Exported *exported, const ProgramDefinition *definitions,
                      size_t definition_count, ExprRow *inputs, ExprRow *outputs)
{
    ProgramDefinition *own = base_alloc((definition_count + 1) * sizeof *own);
    for (size_t i = 0; i < definition_count; i++) {
        own[i] = definitions[i];
        if (exported->numbers)
            own[i].value = expr_subst(exported->numbers, own[i].value);
    }
    for (size_t i = 0; i < outputs->count && exported->numbers; i++)
        outputs->at[i] = expr_subst(exported->numbers, outputs->at[i]);
    Program *plain = program_new_defined(exported->motion->pool, inputs->at, inputs->count, own,
                                         definition_count, outputs->at, outputs->count, NULL);
    base_free(own);
    Program *folded = plain ? program_folded(plain) : NULL;
    program_free(plain);
    array_clear(inputs);
    array_clear(outputs);
    return folded;
}

static Program *lower_defined(const Exported *exported, ExprRow *inputs, ExprRow *outputs)
{
    return lower(exported, exported->formulas.definitions, exported->formulas.definition_count,
                 inputs, outputs);
}

Program *exported_lower(const Exported *exported, bool defined, ExprRow *inputs, ExprRow *outputs)
{
    return defined ? lower_defined(exported, inputs, outputs)
                   : lower(exported, NULL, 0, inputs, outputs);
}

void exported_push_inputs(const Exported *exported, ExprRow *row)
{
    for (size_t i = 0; i < exported->params; i++)
        if (exported_is_input(exported, i))
            array_push(row, exported_param(exported, i)->symbol);
}

// Forward along a direction: every symbol that is defined gets a second one for how it changes.
Program *exported_lower_along(const Exported *exported, bool defined, ExprRow *inputs,
                              ExprRow *moving, ExprRow *values)
{
    const RunFormulas *formulas = &exported->formulas;
    ExprPool *pool = exported->motion->pool;
    ExprRates *along = expr_rates_new(pool);
    ExprRow outputs = {0};
    ARRAY(ProgramDefinition) definitions = {0};
    for (size_t i = 0; i < moving->count; i++) {
        Expr direction = expr_symbol_new(pool, "direction");
        expr_rates_set(along, moving->at[i], direction);
        array_push(inputs, direction);
    }
    for (size_t i = 0; i < formulas->definition_count && defined; i++) {
        ProgramDefinition given = formulas->definitions[i];
        Expr slope = expr_rate(along, given.value);
        array_push(&definitions, given);
        if (!expr_is_number(pool, slope) && !expr_is_symbol(pool, slope)) {
            ProgramDefinition change = {expr_symbol_new(pool, "change"), slope};
            array_push(&definitions, change);
            slope = change.symbol;
        }
        expr_rates_set(along, given.symbol, slope);
    }
    for (size_t i = 0; i < values->count; i++)
        array_push(&outputs, expr_rate(along, values->at[i]));
    Program *program = lower(exported, definitions.at, definitions.count, inputs, &outputs);
    array_clear(moving);
    array_clear(values);
    array_clear(&definitions);
    expr_rates_free(along);
    return program;
}

// q' | u', or q' | matrix | right; without the matrix where that is not wanted.
static void push_rates(const Exported *exported, bool matrix, ExprRow *row)
{
    const RunFormulas *formulas = &exported->formulas;
    size_t count = exported->unknowns;
    exported_push(row, exported->motion->v, exported->n);
    if (formulas->solved)
        exported_push(row, formulas->rates, exported->k);
    if (!formulas->solved && matrix)
        exported_push(row, formulas->matrix, count * count);
    if (!formulas->solved)
        exported_push(row, formulas->right, count);
}

// What an iteration starts from.
static void push_unknowns(const Exported *exported, ExprRow *row)
{
    const RunFormulas *formulas = &exported->formulas;
    if (!exported_iterates(exported))
        return;
    exported_push(row, formulas->rates, exported->k);
    exported_push(row, formulas->multipliers, formulas->multiplier_count);
}

static Program *make_rates(const Exported *exported)
{
    ExprRow inputs = {0}, outputs = {0};
    exported_push_state(exported, &inputs);
    push_unknowns(exported, &inputs);
    push_rates(exported, true, &outputs);
    return lower_defined(exported, &inputs, &outputs);
}

static Program *make_slopes(const Exported *exported)
{
    ExprRow inputs = {0}, moving = {0}, values = {0};
    exported_push_state(exported, &inputs);
    push_unknowns(exported, &inputs);
    exported_push(&moving, exported->motion->q, exported->n);
    exported_push(&moving, exported->formulas.speeds, exported->k);
    exported_push_inputs(exported, &moving);
    push_rates(exported, !exported_iterates(exported), &values);
    return exported_lower_along(exported, true, &inputs, &moving, &values);
}

// u' is an input where the equations are solved in numbers.
void exported_push_found_rates(const Exported *exported, ExprRow *row)
{
    if (!exported->formulas.solved)
        exported_push(row, exported->formulas.rates, exported->k);
}

static Program *make_accelerations(const Exported *exported)
{
    ExprRow inputs = {0}, outputs = {0};
    exported_push_state(exported, &inputs);
    exported_push_found_rates(exported, &inputs);
    exported_push(&outputs, exported->formulas.accelerations, exported->n);
    return lower_defined(exported, &inputs, &outputs);
}

void exported_push_reactions(const Exported *exported, ExprRow *outputs)
{
    Motion *motion = exported->motion;
    ExprPool *pool = motion->pool;
    size_t n = exported->n;
    Expr *matrix = base_alloc((n * n + 2 * n + 1) * sizeof *matrix);
    Expr *bias = matrix + n * n, *terms = bias + n;
    motion_mass_matrix(motion, matrix);
    motion_bias(motion, bias);
    for (size_t i = 0; i < exported->m; i++)
        exported_push(outputs, exported->conditions[i]->d, n);
    for (size_t nu = 0; nu < n; nu++) {
        for (size_t mu = 0; mu < n; mu++)
            terms[mu] = expr_mul(pool, matrix[nu * n + mu], motion->a[mu]);
        array_push(outputs, expr_add(pool, bias[nu], expr_sum(pool, terms, n)));
    }
    base_free(matrix);
}

// p | t | q | q' | q''
static void push_instant(const Exported *exported, ExprRow *row)
{
    exported_push_place(exported, row);
    exported_push(row, exported->motion->v, exported->n);
    exported_push(row, exported->motion->a, exported->n);
}

static Program *make_reactions(const Exported *exported)
{
    ExprRow inputs = {0}, outputs = {0};
    push_instant(exported, &inputs);
    if (exported_bends(exported))
        exported_push(&inputs, exported->formulas.multipliers, exported->formulas.multiplier_count);
    exported_push_reactions(exported, &outputs);
    return lower(exported, NULL, 0, &inputs, &outputs);
}

void exported_push_quantities(const Exported *exported, ExprRow *outputs)
{
    const Motion *motion = exported->motion;
    const Model *model = exported->model;
    array_push(outputs, exported->has_energy ? motion->energy : expr_int(motion->pool, 0));
    for (size_t i = 0; i < model->constraints.count; i++)
        if (!model->constraints.at[i].silent)
            array_push(outputs, model->constraints.at[i].residual);
    for (size_t i = 0; i < model->outputs.count; i++)
        array_push(outputs, model->outputs.at[i].value);
}

static Program *make_quantities(const Exported *exported)
{
    ExprRow inputs = {0}, outputs = {0};
    push_instant(exported, &inputs);
    for (size_t i = 0; i < exported->m; i++)
        array_push(&inputs, exported->conditions[i]->constraint->lambda);
    exported_push_quantities(exported, &outputs);
    return lower(exported, NULL, 0, &inputs, &outputs);
}

static Program *make_cones(Exported *exported)
{
    ExprRow inputs = {0}, outputs = {0};
    push_instant(exported, &inputs);
    for (size_t i = 0; i < exported->m; i++)
        array_push(&inputs, exported->conditions[i]->constraint->lambda);
    if (!exported->origin->contacts)
        left_out_cones(exported, &outputs);
    exported->cone_count = outputs.count;
    return lower(exported, NULL, 0, &inputs, &outputs);
}

void exported_push_products(const Exported *exported, const Expr *b, const Expr *columns,
                            size_t count, ExprRow *outputs)
{
    ExprPool *pool = exported->motion->pool;
    size_t n = exported->n;
    Expr *terms = base_alloc((n + 1) * sizeof *terms);
    for (size_t alpha = 0; alpha < count; alpha++) {
        for (size_t nu = 0; nu < n; nu++)
            terms[nu] = expr_mul(pool, b[nu], columns[nu * count + alpha]);
        array_push(outputs, expr_sum(pool, terms, n));
    }
    base_free(terms);
}

// f, f', f'' and how f' changes with the speeds; how its reaction acts on them.
static void push_side(const Exported *exported, const MotionRow *side, ExprRow *outputs)
{
    const Motion *motion = exported->motion;
    ExprPool *pool = motion->pool;
    size_t n = exported->n;
    Expr *terms = base_alloc((n + 1) * sizeof *terms);
    array_push(outputs, side->position);
    array_push(outputs, side->velocity);
    for (size_t nu = 0; nu < n; nu++)
        terms[nu] = expr_mul(pool, side->b[nu], exported->formulas.accelerations[nu]);
    terms[n] = side->gamma;
    array_push(outputs, expr_sum(pool, terms, n + 1));
    base_free(terms);
    const RunFormulas *formulas = &exported->formulas;
    exported_push_products(exported, side->b, formulas->basis, exported->k, outputs);
    if (!exported->parted)
        return;
    for (size_t i = formulas->free; i < exported->unknowns; i++)
        array_push(outputs, expr_int(pool, 0));
    exported_push_products(exported, side->b, formulas->displacements, formulas->free, outputs);
}

static Program *make_instant(const Exported *exported)
{
    ExprRow inputs = {0}, outputs = {0};
    exported_push_state(exported, &inputs);
    exported_push_found_rates(exported, &inputs);
    for (size_t i = 0; i < exported->sides; i++)
        push_side(exported, exported->side_rows[i], &outputs);
    if (exported->sides)
        exported_push(&outputs, exported->formulas.matrix, exported->unknowns * exported->unknowns);
    return lower_defined(exported, &inputs, &outputs);
}

// Finite conditions are kept by their accelerations alone, and so are those on velocities where
// all of these are in use.
static void push_drifts(Exported *exported, ExprRow *misses)
{
    const RunFormulas *formulas = &exported->formulas;
    for (size_t i = 0; i < formulas->kept_count; i++) {
        const MotionRow *row = &exported->motion->rows[formulas->kept[i]];
        if (!expr_is_none(row->position))
            array_push(misses, row->position);
        if (exported->all)
            array_push(misses, row->velocity);
    }
    exported->drift_count = misses->count;
}

static Program *make_drifts(Exported *exported)
{
    ExprPool *pool = exported->motion->pool;
    size_t n = exported->n, k = exported->k;
    ExprRow inputs = {0}, outputs = {0};
    Expr *slopes = base_alloc((n + k + 1) * sizeof *slopes);
    exported_push_state(exported, &inputs);
    push_drifts(exported, &outputs);
    for (size_t i = 0; i < exported->drift_count; i++) {
        expr_gradient(pool, outputs.at[i], exported->motion->q, n, slopes);
        expr_gradient(pool, outputs.at[i], exported->formulas.speeds, k, slopes + n);
        exported_push(&outputs, slopes, n + k);
    }
    base_free(slopes);
    return lower(exported, NULL, 0, &inputs, &outputs);
}

// The values of expressions in the state, at the start; NaN where there are none.
void exported_start_values(const Exported *exported, const ExprRow *exprs, double *values)
{
    size_t n = exported->n, k = exported->k, at = 0;
    ExprRow inputs = {0}, outputs = {0};
    exported_push_state(exported, &inputs);
    exported_push(&outputs, exprs->at, exprs->count);
    Program *program = lower_defined(exported, &inputs, &outputs);
    for (size_t i = 0; i < exprs->count; i++)
        values[i] = NAN;
    size_t count = exported->params + exported->modes.count + 1 + exported->inputs + n + k;
    double *given = base_alloc(count * sizeof *given);
    for (size_t i = 0; i < exported->params; i++)
        given[at++] = exported->param_values[exported->param_at[i]];
    for (size_t i = 0; i < exported->modes.count; i++)
        given[at++] = 1;
    given[at++] = 0;
    for (size_t i = 0; i < exported->inputs; i++)
        given[at++] = exported->param_values[exported->input_at[i]];
    memcpy(given + at, exported->q, n * sizeof *given);
    memcpy(given + at + n, exported->u, k * sizeof *given);
    program_run_once(program, given, values);
    base_free(given);
}

// A switch has happened where its argument has another sign than at the start; one that begins
// with 0 limits nothing. The determinant of the choice of speeds is like that, and next to nothing
// of it is as bad as nothing; last comes what is left of it, which examples follow inside a step.
static Program *make_validity(Exported *exported)
{
    ExprPool *pool = exported->motion->pool;
    ExprRow inputs = {0}, limits = {0}, arguments = {0};
    if (!exported->origin->contacts) {
        left_out_limits(exported, exported_start_values, &limits);
        left_out_switches(exported, &arguments);
        left_out_triggers(exported, &arguments);
    }
    size_t switches = arguments.count;
    Expr choice = speed_choice_limit(exported, exported_start_values);
    if (!expr_is_zero(pool, choice))
        array_push(&arguments, choice);
    double *values = base_alloc((arguments.count + 1) * sizeof *values);
    exported_start_values(exported, &arguments, values);
    exported->guards_speeds =
        arguments.count > switches && values[switches] != 0 && isfinite(values[switches]);
    for (size_t i = 0; i < arguments.count; i++) {
        Expr left = values[i] > 0 ? expr_neg(pool, arguments.at[i]) : arguments.at[i];
        if (i == switches && exported->guards_speeds)
            array_push(&limits,
                       expr_add(pool, left, expr_double(pool, TOL_RANK * fabs(values[i]))));
        if (values[i] != 0 && values[i] == values[i])
            array_push(&limits, left);
    }
    base_free(values);
    array_clear(&arguments);
    exported->limits = limits.count;
    exported_push_state(exported, &inputs);
    return lower_defined(exported, &inputs, &limits);
}

static Program *make_signals(const Exported *exported)
{
    ExprRow inputs = {0}, outputs = {0};
    exported_push_params(exported, &inputs);
    array_push(&inputs, exported->model->t);
    for (size_t i = 0; i < exported->inputs; i++)
        array_push(&outputs, exported_input(exported, i)->signal);
    return lower(exported, NULL, 0, &inputs, &outputs);
}

static Program *make_follow(const Exported *exported)
{
    ExprRow inputs = {0}, outputs = {0};
    exported_push_params(exported, &inputs);
    for (size_t i = 0; i < exported->params; i++) {
        const ModelParam *param = exported_param(exported, i);
        // Those before it have followed already.
        array_push(&outputs, exported_follows(exported, i)
                                 ? expr_replace(exported->motion->pool, param->value, inputs.at,
                                                outputs.at, i)
                                 : param->symbol);
    }
    return lower(exported, NULL, 0, &inputs, &outputs);
}

bool exported_is_input(const Exported *exported, size_t param)
{
    return !expr_is_none(exported_param(exported, param)->signal);
}

size_t exported_inputs(const Exported *exported)
{
    size_t count = 0;
    for (size_t i = 0; i < exported->params; i++)
        count += exported_is_input(exported, i);
    return count;
}

bool exported_follows(const Exported *exported, size_t param)
{
    Expr value = exported_param(exported, param)->value;
    if (expr_is_none(value) || exported_is_input(exported, param))
        return false;
    ExprList symbols = expr_symbols(exported->motion->pool, &value, 1);
    bool follows = symbols.count > 0;
    expr_list_free(&symbols);
    return follows;
}

// ---- Names.

static const char **name_row(const Exported *exported, size_t count)
{
    return arena_alloc(exported->arena, (count + 1) * sizeof(const char *));
}

static const char *name_of(const Exported *exported, const char *name, NameSet *taken)
{
    return name_identifier(exported->arena, exported->language, name, taken);
}

static void name_conditions(Exported *exported)
{
    const Model *model = exported->model;
    NameSet multipliers = {0}, residuals = {0}, sides = {0};
    exported->condition_names = name_row(exported, exported->m);
    exported->residual_names = name_row(exported, model->constraints.count);
    exported->side_names = name_row(exported, exported->sides);
    for (size_t i = 0; i < exported->m; i++)
        exported->condition_names[i] =
            name_of(exported, exported->conditions[i]->constraint->name, &multipliers);
    for (size_t i = 0; i < model->constraints.count; i++)
        if (!model->constraints.at[i].silent)
            exported->residual_names[exported->residuals++] =
                name_of(exported, model->constraints.at[i].name, &residuals);
    for (size_t i = 0; i < exported->sides; i++)
        exported->side_names[i] =
            name_of(exported, exported->side_rows[i]->constraint->name, &sides);
    array_clear(&multipliers);
    array_clear(&residuals);
    array_clear(&sides);
}

// Coordinates and speeds share a set, as they do in the model.
static void name_all(Exported *exported)
{
    const Model *model = exported->model;
    NameSet system = {0}, params = {0}, inputs = {0}, state = {0}, outputs = {0};
    for (const char *const *call = exported->language->calls; call && *call; call++)
        array_push(&system, *call);
    exported->system = name_of(exported, model->name, &system);
    exported->param_names = name_row(exported, exported->params);
    exported->input_names = name_row(exported, exported->inputs);
    exported->coord_names = name_row(exported, exported->n);
    exported->speed_names = name_row(exported, exported->k);
    exported->output_names = name_row(exported, model->outputs.count);
    array_push(&params, "worked_out");
    array_push(&params, "near");
    array_push(&params, "along");
    array_push(&params, "mode");
    for (size_t i = 0; i < exported->params; i++)
        exported->param_names[i] = name_of(exported, exported_param(exported, i)->name, &params);
    for (size_t i = 0; i < exported->inputs; i++)
        exported->input_names[i] = name_of(exported, exported_input(exported, i)->name, &inputs);
    for (size_t i = 0; i < exported->n; i++)
        exported->coord_names[i] = name_of(exported, model->coords.at[i].name, &state);
    for (size_t i = 0; i < exported->k; i++)
        exported->speed_names[i] = name_of(exported, exported->formulas.speed_names[i], &state);
    for (size_t i = 0; i < model->outputs.count; i++)
        exported->output_names[i] = name_of(exported, model->outputs.at[i].name, &outputs);
    array_clear(&system);
    array_clear(&params);
    array_clear(&inputs);
    array_clear(&state);
    array_clear(&outputs);
    name_conditions(exported);
}

// ---- Parameters, and inputs beside them; parameters as numbers.

static void part_inputs(Exported *exported)
{
    const Model *model = exported->model;
    size_t *params = arena_alloc(exported->arena, (model->params.count + 1) * sizeof *params);
    size_t *inputs = arena_alloc(exported->arena, (model->params.count + 1) * sizeof *inputs);
    for (size_t i = 0; i < model->params.count; i++)
        if (expr_is_none(model->params.at[i].signal) || exported->origin->contacts)
            params[exported->params++] = i;
        else
            inputs[exported->inputs++] = i;
    exported->param_at = params;
    exported->input_at = inputs;
}

// Rational ones exactly, others as the nearest double.
static void fix_parameters(Exported *exported)
{
    ExprPool *pool = exported->motion->pool;
    exported->numbers = expr_subst_new(pool);
    for (size_t i = 0; i < exported->params; i++) {
        const ModelParam *param = exported_param(exported, i);
        Expr value =
            expr_is_none(param->value) ? param->value : expr_subst(exported->numbers, param->value);
        if (expr_is_none(value) || !expr_is_number(pool, value))
            value = expr_double(pool, exported->param_values[exported->param_at[i]]);
        expr_subst_set(exported->numbers, param->symbol, value);
    }
    exported->params = 0;
}

// ---- Together.

static double *copy(const Exported *exported, const double *values, size_t count)
{
    double *own = arena_alloc(exported->arena, (count + 1) * sizeof *own);
    memcpy(own, values, count * sizeof *own);
    return own;
}

// Conditions on accelerations always are.
static bool is_kept(const Exported *exported, const MotionRow *row)
{
    const RunFormulas *formulas = &exported->formulas;
    const Motion *motion = exported->motion;
    size_t at = 0;
    while (at < motion->m && row != &motion->rows[at])
        at++;
    for (size_t i = 0; i < formulas->kept_count; i++)
        if (formulas->kept[i] == at)
            return true;
    return at == motion->m;
}

static void find_conditions(Exported *exported)
{
    const Motion *motion = exported->motion;
    size_t m = exported->m;
    exported->conditions = arena_alloc(exported->arena, (m + 1) * sizeof *exported->conditions);
    exported->kept = arena_alloc(exported->arena, (m + 1) * sizeof *exported->kept);
    for (size_t i = 0; i < m; i++) {
        exported->conditions[i] = motion_row_of(motion, motion->in_force[i]);
        exported->kept[i] = is_kept(exported, exported->conditions[i]);
        exported->shared = exported->shared || !exported->kept[i];
    }
}

static Status make_programs(Exported *exported, Diag *diag)
{
    exported->rates = make_rates(exported);
    exported->slopes = make_slopes(exported);
    exported->drifts = make_drifts(exported);
    exported->validity = make_validity(exported);
    exported->follow = make_follow(exported);
    exported->signals = make_signals(exported);
    if (exported->origin->contacts)
        return STATUS_OK; // the rest has programs of its own
    exported->accelerations = make_accelerations(exported);
    exported->reactions = make_reactions(exported);
    exported->quantities = make_quantities(exported);
    exported->cones = make_cones(exported);
    exported->instant = make_instant(exported);
    bool whole = exported->rates && exported->slopes && exported->accelerations &&
                 exported->reactions && exported->quantities && exported->instant &&
                 exported->drifts && exported->validity && exported->follow && exported->cones &&
                 exported->signals;
    return whole ? STATUS_OK
                 : diag_error(diag, place_none(),
                              "an output holds something that has no value in exported code: the "
                              "multiplier of a condition that was set aside or is one-sided; "
                              "remove that output");
}

static void find_sides(Exported *exported)
{
    const Motion *motion = exported->motion;
    exported->side_rows =
        arena_alloc(exported->arena, (motion->side_count + 1) * sizeof *exported->side_rows);
    for (size_t i = 0; i < motion->side_count; i++)
        if (left_out_is_held(motion, i))
            exported->held_count++;
        else
            exported->side_rows[exported->sides++] = motion_side(motion, i);
}

// Formulas have the numbers of all parameters or of none, and inputs are among them.
static bool exported_fixes(const Exported *exported)
{
    return exported->origin->fixed && exported->inputs == 0;
}

// The formulas of the motion while what acts at the start is held there.
static Status held_formulas(Exported *exported, const RunStart *start, Diag *diag,
                            RunFormulasRoom **room)
{
    Motion *motion = exported->motion;
    const ExportOrigin *origin = exported->origin;
    size_t bytes = motion->n * sizeof(double);
    Equations *eq = arena_alloc(exported->arena, sizeof *eq);
    State *state = arena_alloc(exported->arena, sizeof *state);
    exported->acting = eq;
    TRY(equations_init(eq, motion, diag));
    exported->state = state;
    state_init(state, eq);
    *state->t = 0;
    memcpy(state->q, start->q, bytes);
    memcpy(state->v, start->v, bytes);
    TRY(independent_rows_find(eq, state, true, diag));
    evaluator_run(&state->velocities, state->inputs);
    conditioning_improve(eq, state, 0);
    memcpy(state->v, start->v, bytes);
    return motion_formulas(eq, state, motion, exported_fixes(exported), origin->whole, diag, room,
                           &exported->formulas);
}

Status exported_init(Exported *exported, Simulation *run, Motion *motion, const Language *language,
                     const ExportOrigin *origin, Diag *diag, RunFormulasRoom **room)
{
    RunStart start = run_start(run);
    RunOptions settings = run_settings(run);
    Motion *own = origin->acting ? origin->acting : motion;
    *exported = (Exported){.arena = arena_new(),
                           .motion = own,
                           .model = motion->model,
                           .origin = origin,
                           .language = language,
                           .n = motion->n,
                           .m = own->in_force_count,
                           .to = settings.to,
                           .every = settings.every,
                           .tolerance = settings.tolerance,
                           .has_energy = !expr_is_none(motion->energy)};
    part_inputs(exported);
    if (origin->acting)
        TRY(held_formulas(exported, &start, diag, room));
    else
        TRY(run_formulas(run, exported_fixes(exported), origin->whole, diag, room,
                         &exported->formulas));
    exported->k = exported->formulas.k;
    exported->unknowns = exported->k + exported->formulas.multiplier_count;
    exported->parted = exported->formulas.displacements != exported->formulas.basis;
    exported->all = own->curved || origin->whole;
    find_conditions(exported);
    find_sides(exported);
    exported->q = copy(exported, start.q, exported->n);
    exported->u = copy(exported, exported->formulas.u, exported->k);
    exported->param_values =
        arena_alloc(exported->arena, (motion->model->params.count + 1) * sizeof(double));
    TRY(model_param_values(motion->model, diag, exported->param_values));
    if (origin->fixed)
        fix_parameters(exported);
    name_all(exported);
    if (origin->contacts)
        left_out_freeze(exported);
    return make_programs(exported, diag);
}

void exported_clear(Exported *exported)
{
    program_free(exported->rates);
    program_free(exported->slopes);
    program_free(exported->accelerations);
    program_free(exported->reactions);
    program_free(exported->quantities);
    program_free(exported->cones);
    program_free(exported->instant);
    program_free(exported->drifts);
    program_free(exported->validity);
    program_free(exported->follow);
    program_free(exported->signals);
    text_clear(&exported->left_out);
    array_clear(&exported->switches);
    array_clear(&exported->modes);
    if (exported->state)
        state_clear(exported->state);
    if (exported->acting)
        equations_clear(exported->acting);
    expr_subst_free(exported->numbers);
    arena_free(exported->arena);
}
