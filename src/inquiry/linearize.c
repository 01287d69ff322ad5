// linearize.c: what is held and varied, and the programs for the equations and their derivatives.
// All derivatives are taken on the graph, exactly.
#include "inquiry/small_impl.h"
#include "model/constraint.h"
#include "program/program.h"

#include <string.h>

// ---- Starts, what is held and what is varied.

static const char *start_name(const Model *model, const ModelStart *start)
{
    switch (start->of) {
    case START_COORD: return model->coords.at[start->target].name;
    case START_VELOCITY: return expr_name(model->pool, model->coords.at[start->target].v);
    case START_SPEED: return model->speeds.at[start->target].name;
    }
    return "";
}

// What a start says something about, in y.
static Expr start_value(const InquirySmall *small, const ModelStart *start)
{
    Motion *motion = small->motion;
    if (start->of == START_COORD)
        return motion->q[start->target];
    for (size_t alpha = 0; alpha < small->k; alpha++) {
        const MotionSpeed *speed = &motion->state.speeds[alpha];
        if (!speed->orthonormal && speed->declared == (start->of == START_SPEED) &&
            speed->index == start->target)
            return speed->u;
    }
    return motion_in_speeds(motion, start->of == START_SPEED
                                        ? motion->model->speeds.at[start->target].value
                                        : motion->v[start->target]);
}

static void gather_starts(InquirySmall *small)
{
    const Model *model = small->motion->model;
    small->starts = arena_alloc(small->arena, (model->starts.count + 1) * sizeof(SmallStart));
    // What is held comes first.
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < model->starts.count; i++) {
            const ModelStart *start = &model->starts.at[i];
            bool held = small->options.held && start->place.source == small->options.held;
            if (held != (round == 0) ||
                (start->of == START_COORD && !small->is_needed[start->target]))
                continue;
            small->starts[small->start_count++] =
                (SmallStart){start, start_value(small, start), start->value, held};
            small->held_count += held;
        }
}

static Status unknown_varied(const InquirySmall *small, Diag *diag)
{
    const Model *model = small->motion->model;
    Str name = str_of(small->options.vary);
    for (size_t i = 0; i < model->starts.count; i++)
        if (str_is(name, start_name(model, &model->starts.at[i])))
            return diag_error(diag, place_hint(HINT_AT),
                              "what is varied is a parameter, or a speed or velocity that is held; "
                              "hold it: %s=…",
                              small->options.vary);
    Str *names = base_alloc((model->params.count + 1) * sizeof *names);
    for (size_t i = 0; i < model->params.count; i++)
        names[i] = str_of(model->params.at[i].name);
    ptrdiff_t near = str_nearest(name, names, model->params.count);
    if (near >= 0)
        diag_error(diag, place_hint(HINT_VARY),
                   "unknown name '%s' of what is varied; did you mean '%s'?", small->options.vary,
                   model->params.at[near].name);
    else
        diag_error(
            diag, place_hint(HINT_VARY),
            "'%s' cannot be varied: it is neither a parameter nor a speed or velocity that is held",
            small->options.vary);
    base_free(names);
    return STATUS_WRONG;
}

static Status find_varied(InquirySmall *small, Diag *diag)
{
    const Model *model = small->motion->model;
    if (!small->options.vary)
        return STATUS_OK;
    Str name = str_of(small->options.vary);
    for (size_t i = 0; i < small->held_count; i++) {
        SmallStart *start = &small->starts[i];
        if (start->start->of == START_COORD || !str_is(name, start_name(model, start->start)))
            continue;
        small->varied_name = start_name(model, start->start);
        small->varied = start->given = expr_symbol_new(small->motion->pool, small->varied_name);
        return STATUS_OK;
    }
    for (size_t i = 0; i < model->params.count; i++)
        if (str_is(name, model->params.at[i].name)) {
            small->varied_name = model->params.at[i].name;
            small->varied = model->params.at[i].symbol;
            return STATUS_OK;
        }
    return unknown_varied(small, diag);
}

static Status find_inputs(InquirySmall *small, Diag *diag)
{
    const Model *model = small->motion->model;
    small->inputs = arena_alloc(small->arena, (model->params.count + 1) * sizeof(size_t));
    for (const char *at = small->options.inputs; at && *at;) {
        size_t length = strcspn(at, ","), i = 0;
        Str name = {at, length};
        while (i < model->params.count && !str_is(name, model->params.at[i].name))
            i++;
        if (i == model->params.count)
            return diag_error(diag, place_hint(HINT_INPUTS),
                              "inputs are parameters, and '%.*s' is none", (int)length, at);
        for (size_t j = 0; j < small->input_count; j++)
            if (small->inputs[j] == i)
                return diag_error(diag, place_hint(HINT_INPUTS), "the input '%.*s' is named twice",
                                  (int)length, at);
        small->inputs[small->input_count++] = i;
        at += length + (at[length] == ',');
    }
    return STATUS_OK;
}

// ---- Programs.

typedef ARRAY(ProgramDefinition) Definitions;

static bool is_boxed(const InquirySmall *small, size_t param)
{
    for (size_t i = 0; i < small->boxed_count; i++)
        if (small->boxed[i] == param)
            return true;
    return false;
}

// Numbers for what is neither unknown nor varied: coordinates that nothing needs, time, parameters.
static void define_rest(const InquirySmall *small, Definitions *definitions)
{
    Motion *motion = small->motion;
    const Model *model = motion->model;
    array_push(definitions, ((ProgramDefinition){model->t, expr_int(motion->pool, 0)}));
    for (size_t i = 0; i < model->params.count; i++)
        if (!expr_same(model->params.at[i].symbol, small->varied) && !is_boxed(small, i))
            array_push(definitions, ((ProgramDefinition){model->params.at[i].symbol,
                                                         model->params.at[i].value}));
    for (size_t i = 0; i < motion->in_force_count && small->options.multipliers; i++)
        array_push(definitions,
                   ((ProgramDefinition){motion->in_force[i]->lambda,
                                        expr_double(motion->pool, small->options.multipliers[i])}));
    for (size_t nu = 0; nu < motion->n; nu++)
        if (!small->is_needed[nu])
            array_push(definitions,
                       ((ProgramDefinition){
                           motion->q[nu], expr_double(motion->pool, small->options.position[nu])}));
}

static Status make_program(const InquirySmall *small, const Expr *outputs, size_t count,
                           SmallProgram *program, Diag *diag)
{
    ExprPool *pool = small->motion->pool;
    Definitions definitions = {0};
    define_rest(small, &definitions);
    size_t all = small->unknowns + 1 + small->boxed_count;
    Expr *inputs = base_alloc(all * sizeof *inputs), missing = {0};
    memcpy(inputs, small->y, small->unknowns * sizeof *inputs);
    inputs[small->unknowns] =
        expr_is_none(small->varied) ? expr_symbol_new(pool, "nothing") : small->varied;
    for (size_t i = 0; i < small->boxed_count; i++)
        inputs[small->unknowns + 1 + i] = small->motion->model->params.at[small->boxed[i]].symbol;
    program->program = program_new_defined(pool, inputs, all, definitions.at, definitions.count,
                                           outputs, count, &missing);
    base_free(inputs);
    array_clear(&definitions);
    if (!program->program)
        return diag_error(diag, place_none(),
                          "the equations hold '%s', which has no value at a steady motion",
                          expr_name(pool, missing));
    program->folded = program_folded(program->program);
    program->out = base_alloc((count + 1) * sizeof *program->out);
    size_t registers = program_registers(program->folded);
    program->work = base_alloc((registers + 1) * sizeof *program->work);
    return STATUS_OK;
}

void small_clear_program(SmallProgram *program)
{
    program_free(program->program);
    program_free(program->folded);
    base_free(program->out);
    base_free(program->work);
}

bool small_make_values(const InquirySmall *small, const Expr *exprs, size_t count,
                       SmallProgram *program)
{
    Diag *unheard = diag_new();
    Status status = make_program(small, exprs, count, program, unheard);
    diag_free(unheard);
    return status == STATUS_OK;
}

void small_run(SmallProgram *program, const double *y, double varied, size_t unknowns)
{
    double few[64], *inputs = unknowns < 64 ? few : base_alloc((unknowns + 1) * sizeof *inputs);
    memcpy(inputs, y, unknowns * sizeof *inputs);
    inputs[unknowns] = varied;
    program_run_real(program->folded, inputs, program->out, program->work);
    if (inputs != few)
        base_free(inputs);
}

ExprRates *small_input_rates(const InquirySmall *small, size_t param)
{
    const Model *model = small->motion->model;
    ExprPool *pool = model->pool;
    Expr *slopes = base_alloc((model->params.count + 1) * sizeof *slopes);
    ExprRates *rates = expr_rates_new(pool);
    for (size_t i = 0; i < model->params.count; i++) {
        slopes[i] = expr_int(pool, i == param);
        for (size_t j = 0; j < i && i != param; j++)
            if (!expr_is_zero(pool, slopes[j]))
                slopes[i] = expr_add(pool, slopes[i],
                                     expr_mul(pool, slopes[j],
                                              expr_diff(pool, model->params.at[i].value,
                                                        model->params.at[j].symbol)));
        expr_rates_set(rates, model->params.at[i].symbol, slopes[i]);
    }
    base_free(slopes);
    return rates;
}

static Expr residual_at(const InquirySmall *small, size_t row)
{
    if (row < small->f)
        return small->finite[row];
    row -= small->f;
    if (row < small->e)
        return small->rates[row];
    row -= small->e;
    if (row < small->k)
        return small->force[row];
    const SmallStart *held = &small->starts[row - small->k];
    return expr_sub(small->motion->pool, held->value, held->given);
}

static Status make_main_program(InquirySmall *small, Diag *diag)
{
    ExprPool *pool = small->motion->pool;
    size_t unknowns = small->unknowns, k = small->k;
    small->rows = small->f + small->e + k + small->held_count;
    size_t count = small_output_count(small);
    Expr *outputs = base_alloc((count + 1) * sizeof *outputs);
    for (size_t row = 0; row < small->rows; row++) {
        outputs[row] = residual_at(small, row);
        expr_gradient(pool, outputs[row], small->y, unknowns,
                      outputs + small_jacobian_at(small) + row * unknowns);
    }
    memcpy(outputs + small_matrix_at(small), small->matrix, k * k * sizeof *outputs);
    for (size_t j = 0; j < small->input_count; j++) {
        ExprRates *rates = small_input_rates(small, small->inputs[j]);
        for (size_t i = 0; i < small->e + k; i++)
            outputs[small_inputs_at(small) + i * small->input_count + j] =
                expr_rate(rates, i < small->e ? small->rates[i] : small->force[i - small->e]);
        expr_rates_free(rates);
    }
    Status status = make_program(small, outputs, count, &small->program, diag);
    base_free(outputs);
    return status;
}

bool small_box_new(const InquirySmall *small, const size_t *params, size_t count, InquirySmall *box)
{
    *box = *small;
    box->boxed = params;
    box->boxed_count = count;
    box->program = (SmallProgram){0};
    Diag *unheard = diag_new();
    Status status = make_main_program(box, unheard);
    diag_free(unheard);
    return status == STATUS_OK;
}

static Status make_guess_program(InquirySmall *small, Diag *diag)
{
    size_t starts = small->start_count, unknowns = small->unknowns, count = starts * (2 + unknowns);
    Expr *outputs = base_alloc((count + 1) * sizeof *outputs);
    for (size_t i = 0; i < starts; i++) {
        outputs[i] = small->starts[i].value;
        outputs[starts + i] = small->starts[i].given;
        expr_gradient(small->motion->pool, outputs[i], small->y, unknowns,
                      outputs + 2 * starts + i * unknowns);
    }
    Status status = make_program(small, outputs, count, &small->guess, diag);
    base_free(outputs);
    return status;
}

// The value of what is varied, as the model has it.
static Status find_base(InquirySmall *small, Diag *diag)
{
    const Model *model = small->motion->model;
    double *params = base_alloc((model->params.count + 1) * sizeof *params);
    Status status = model_param_values(model, diag, params);
    for (size_t i = 0; i < model->params.count && status == STATUS_OK; i++)
        if (expr_same(model->params.at[i].symbol, small->varied))
            small->base = params[i];
    for (size_t i = 0; i < small->held_count && status == STATUS_OK; i++) {
        if (!expr_same(small->starts[i].given, small->varied))
            continue;
        SmallProgram value = {0};
        double *nowhere = base_alloc((small->unknowns + 1) * sizeof *nowhere);
        status = make_program(small, &small->starts[i].start->value, 1, &value, diag);
        if (status == STATUS_OK) {
            small_run(&value, nowhere, 0, small->unknowns);
            small->base = value.out[0];
        }
        base_free(nowhere);
        small_clear_program(&value);
    }
    base_free(params);
    return status;
}

// ---- Together.

static Status build(InquirySmall *small, Diag *diag)
{
    if (small->k == 0)
        return diag_error(diag, place_none(),
                          "nothing can move: the conditions leave no degree of freedom");
    TRY(small_find_equations(small, diag));
    TRY(small_find_needed(small, diag));
    gather_starts(small);
    TRY(find_varied(small, diag));
    TRY(find_inputs(small, diag));
    TRY(find_base(small, diag));
    TRY(make_main_program(small, diag));
    return make_guess_program(small, diag);
}

Status inquiry_small_new(Motion *motion, const InquirySmallOptions *options, Diag *diag,
                         InquirySmall **out)
{
    Arena *arena = arena_new();
    InquirySmall *small = arena_alloc(arena, sizeof *small);
    small->arena = arena;
    small->motion = motion;
    small->options = *options;
    small->k = motion->k;
    Status status = build(small, diag);
    if (status != STATUS_OK) {
        inquiry_small_free(small);
        small = NULL;
    }
    *out = small;
    return status;
}

void inquiry_small_free(InquirySmall *small)
{
    if (!small)
        return;
    small_clear_program(&small->program);
    small_clear_program(&small->guess);
    arena_free(small->arena);
}
