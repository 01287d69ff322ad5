// model.c: reading a model: statements in order, loops on a stack, and what only the whole
// file can show. Also what the finished model answers.
#include "model/model_impl.h"
#include "model/paired_conditions.h"
#include "program/kept.h"

#include <math.h>
#include <string.h>

// ---- Statements.

typedef bool (*ReadStatement)(Elaborator *);

static const ReadStatement readers[STATEMENT_SET] = {
    [STATEMENT_SYSTEM] = read_system,
    [STATEMENT_INCLUDE] = read_include,
    [STATEMENT_READ] = read_include,
    [STATEMENT_PART] = read_part,
    [STATEMENT_CONST] = read_const,
    [STATEMENT_PARAM] = read_param,
    [STATEMENT_LET] = read_let,
    [STATEMENT_INPUT] = read_input,
    [STATEMENT_FUNCTION] = read_function,
    [STATEMENT_COORD] = read_coord,
    [STATEMENT_SPEED] = read_speed,
    [STATEMENT_INDEPENDENT] = read_independent,
    [STATEMENT_FRAME] = read_frame,
    [STATEMENT_POINT] = read_point,
    [STATEMENT_MASS] = read_mass,
    [STATEMENT_BODY] = read_body,
    [STATEMENT_KINETIC] = read_energy,
    [STATEMENT_LAGRANGIAN] = read_energy,
    [STATEMENT_ACCELERATION_ENERGY] = read_energy,
    [STATEMENT_DISSIPATION] = read_energy,
    [STATEMENT_GRAVITY] = read_gravity,
    [STATEMENT_POTENTIAL] = read_energy,
    [STATEMENT_SPRING] = read_spring,
    [STATEMENT_DAMPER] = read_spring,
    [STATEMENT_BUSHING] = read_bushing,
    [STATEMENT_JOINT] = read_joint,
    [STATEMENT_FORCE] = read_force,
    [STATEMENT_TORQUE] = read_torque,
    [STATEMENT_CONSTRAINT] = read_constraint,
    [STATEMENT_SERVO] = read_servo,
    [STATEMENT_FRICTION] = read_friction,
    [STATEMENT_IMPULSE] = read_impulse,
    [STATEMENT_STATE] = read_state,
    [STATEMENT_EVENT] = read_misplaced,
    [STATEMENT_SAMPLE] = read_misplaced,
    [STATEMENT_ASSIGN] = read_misplaced,
    [STATEMENT_STOP] = read_misplaced,
    [STATEMENT_RECORD] = read_misplaced,
    [STATEMENT_INITIAL] = read_initial,
    [STATEMENT_OUTPUT] = read_output,
    [STATEMENT_RUN] = read_run,
    [STATEMENT_DRAW] = read_draw,
};

// A statement that was wrong once is not read again in a loop; what it would declare is lost.
static void read_statement(Elaborator *e, uint32_t index)
{
    const Statement *statement = &e->syntax->statements.at[index];
    e->statement = statement;
    if (e->failed.at[index] ||
        !elaborate_step(e, MODEL_STATEMENT_STEPS, syntax_word_place(e->syntax, statement)))
        return;
    e->waits = 0;
    bool waits = !statement->broken && statement->kind != STATEMENT_DRAW &&
                 statement_part(e, PART_WHILE) != NULL;
    if (statement->broken || (waits && !elaborate_while(e)) || !readers[statement->kind](e)) {
        e->failed.at[index] = true;
        names_lose_statement(e, statement);
    }
}

// ---- for

static const Part *loop_part(const Elaborator *e, uint32_t statement, uint32_t variable)
{
    return &e->syntax->parts.at[e->syntax->statements.at[statement].first + 3 * variable];
}

bool loops_read_bound(Elaborator *e, const Part *part, int64_t *bound)
{
    return elaborate_span(e, part->span).kind != VALUE_BAD &&
           elaborate_integer(e, part->span.root, "the end of a range", bound);
}

// The second of pairs begins behind the first, which is the loop around it.
static bool read_low(Elaborator *e, const Part *part, Loop *loop)
{
    loop->paired = part->role == PART_PAIRED;
    if (!loop->paired)
        return loops_read_bound(e, part, &loop->value);
    loop->value = e->loops.at[e->loops.count - 1].value + 1;
    return true;
}

static bool open_loop(Elaborator *e, uint32_t statement, uint32_t variable)
{
    const Part *parts = loop_part(e, statement, variable);
    const Node *node = &e->syntax->nodes.at[parts[0].span.root];
    Loop loop = {.owner = statement, .at = variable};
    if (node->kind != NODE_NAME)
        return elaborate_fail(e, syntax_part_place(e->syntax, parts),
                              "the variable of a loop has no indices");
    loop.name = syntax_name(e->syntax, node->name);
    if (!names_check_loop(e, loop.name, syntax_part_place(e->syntax, parts)) ||
        !read_low(e, parts + 1, &loop) || !loops_read_bound(e, parts + 2, &loop.high))
        return false;
    loop.low_node = parts[1].span.root;
    loop.high_node = parts[2].span.root;
    loop.value--; // the first round steps onto the first value
    array_push(&e->loops, loop);
    return true;
}

// Nothing inside is read, and nobody is told that its names are unknown.
static uint32_t abandon_loop(Elaborator *e, uint32_t statement)
{
    const Statement *loop = &e->syntax->statements.at[statement];
    while (e->loops.count > 0 && e->loops.at[e->loops.count - 1].owner == statement)
        e->loops.count--;
    e->failed.at[statement] = true;
    for (uint32_t i = statement; i < loop->end; i++)
        names_lose_statement(e, &e->syntax->statements.at[i]);
    return loop->end;
}

// The statement to go on with: the body once more, or what is behind it.
static uint32_t next_round(Elaborator *e, uint32_t statement)
{
    uint32_t variables = e->syntax->statements.at[statement].count / 3;
    for (;;) {
        if (e->loops.count == 0 || e->loops.at[e->loops.count - 1].owner != statement)
            return e->syntax->statements.at[statement].end;
        Loop *loop = &e->loops.at[e->loops.count - 1];
        const Statement *owner = &e->syntax->statements.at[statement];
        if (!elaborate_step(e, 1, syntax_word_place(e->syntax, owner)))
            return owner->end;
        if (loop->value >= loop->high) {
            e->loops.count--;
            continue;
        }
        loop->value++;
        if (loop->at + 1 == variables)
            return statement + 1;
        if (!open_loop(e, statement, loop->at + 1))
            return abandon_loop(e, statement);
    }
}

static uint32_t begin_loop(Elaborator *e, uint32_t index)
{
    const Statement *statement = &e->syntax->statements.at[index];
    e->statement = statement;
    if (statement->broken || e->failed.at[index] || statement->count == 0 ||
        ((e->scope || !pairs_read(e, index)) && !open_loop(e, index, 0)))
        return abandon_loop(e, index);
    return next_round(e, index);
}

void read_statement_range(Elaborator *e, uint32_t first, uint32_t end)
{
    for (uint32_t at = first; at < end && e->errors < MODEL_MOST_ERRORS;) {
        if (e->syntax->statements.at[at].kind == STATEMENT_FOR) {
            at = begin_loop(e, at);
        } else if (statement_has_actions(e->syntax->statements.at[at].kind)) {
            at = read_event(e, at);
        } else if (parts_is_template(e, &e->syntax->statements.at[at])) {
            at = parts_read_template(e, at);
        } else {
            read_statement(e, at);
            at++;
        }
        while (e->loops.count > 0 && e->steps <= MODEL_MOST_STEPS) {
            uint32_t owner = e->loops.at[e->loops.count - 1].owner;
            if (at != e->syntax->statements.at[owner].end)
                break;
            at = next_round(e, owner);
        }
        if (e->steps > MODEL_MOST_STEPS)
            break;
    }
}

static void read_statements(Elaborator *e)
{
    uint32_t count = (uint32_t)e->syntax->statements.count;
    array_reserve(&e->failed, count + 1);
    memset(e->failed.at, 0, count + 1);
    read_statement_range(e, 0, count);
}

// ---- The whole.

static void finish_model(Elaborator *e)
{
    Model *model = e->model;
    states_finish(e);
    settings_apply(e);
    order_starts(e);
    noises_settle(e);
    check_lambdas(e);
    check_frictions(e);
    check_draws(e);
    check_events(e);
    check_samples(e);
    check_placed(e);
    check_intervals(e);
    Expr *sums[ENERGY_COUNT] = {&model->kinetic, &model->potential, &model->lagrangian,
                                &model->acceleration_energy, &model->dissipation};
    for (int i = 0; i < ENERGY_COUNT; i++)
        *sums[i] = expr_sum(e->pool, e->energy_terms[i].at, e->energy_terms[i].count);
    states_check(e);
    whiles_finish(e);
}

// A system without a name of its own is called as its file, without folders and ending.
static const char *name_of_file(Arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return arena_copy_text(arena, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static Model *model_new(const Source *source)
{
    Model *model = base_alloc(sizeof *model);
    model->arena = arena_new();
    model->pool = expr_pool_new();
    model->name = name_of_file(model->arena, source->name);
    model->title = "";
    model->t = expr_symbol(model->pool, "t");
    model->dt = expr_rates_new(model->pool);
    expr_rates_set(model->dt, model->t, expr_int(model->pool, 1));
    model->vectors = vectors_new(model->pool, model->dt);
    model->gravity = vector_zero(model->vectors);
    return model;
}

Status model_read(const Source *source, const ModelSetting *settings, size_t setting_count,
                  Diag *diag, Model **model)
{
    return model_read_replacing(source, settings, setting_count, NULL, 0, 0, diag, model);
}

// A reading of a model: what model_read_replacing is given, and what is known from an earlier one.
typedef struct {
    const Source *source;
    const ModelSetting *settings;
    size_t setting_count;
    const ModelReplacement *replacements;
    size_t replacement_count;
    unsigned how;
    const ReactionDims *known;
} Reading;

static Status read_once(const Reading *reading, Diag *diag, Model **model)
{
    size_t errors = diag_count(diag, DIAG_ERROR);
    Syntax *syntax = syntax_read(reading->source, diag);
    *model = model_new(reading->source);
    Elaborator *e = (*model)->names = base_alloc(sizeof *e);
    elaborator_init(e, (*model)->pool, (*model)->arena, diag);
    e->model = *model;
    e->switched = whole_new((*model)->arena);
    e->syntax = e->file_syntax = syntax;
    e->replacements = reading->replacements;
    e->replacement_count = reading->replacement_count;
    for (size_t i = 0; i < reading->replacement_count; i++)
        e->reduced = e->reduced || reading->replacements[i].value;
    e->keep_pairs = (reading->how & MODEL_KEEP_PAIRS) != 0;
    e->host_inputs = (reading->how & (MODEL_HOST_INPUTS | MODEL_HOLD_INPUTS)) != 0;
    e->held_inputs = (reading->how & MODEL_HOLD_INPUTS) != 0;
    e->weigh_loads = (reading->how & MODEL_WEIGH_LOADS) != 0;
    e->known = reading->known;
    settings_read(e, reading->settings, reading->setting_count);
    if (units_find(e)) {
        read_statements(e);
        finish_model(e);
    }
    (*model)->units = e->units;
    bool good = diag_count(diag, DIAG_ERROR) == errors;
    if (good && (*model)->coords.count == 0) {
        diag_add(diag, DIAG_ERROR, place_at(reading->source, 0, 0),
                 "the model has no coordinates; declare them, as in 'coord x, y'");
        good = false;
    }
    e->syntax = e->file_syntax = NULL;
    e->replacements = NULL;
    e->replacement_count = 0;
    e->lambda_uses.count = 0;
    e->bodies.count = 0;
    e->known = NULL;
    syntax_free(syntax);
    if (good)
        return STATUS_OK;
    model_free(*model);
    *model = NULL;
    return STATUS_WRONG;
}

Status model_read_replacing(const Source *source, const ModelSetting *settings,
                            size_t setting_count, const ModelReplacement *replacements,
                            size_t replacement_count, unsigned how, Diag *diag, Model **model)
{
    Reading reading = {source, settings, setting_count, replacements, replacement_count, how, NULL};
    Diag *unheard = diag_new();
    Model *first = NULL;
    // Reactions may stand above the conditions that they are of: their dimensions are those of a
    // first reading.
    if (units_need_reactions(source) && read_once(&reading, unheard, &first) == STATUS_OK)
        reading.known = first->names->reactions;
    diag_free(unheard);
    Status status = read_once(&reading, diag, model);
    model_free(first);
    return status;
}

void model_free(Model *model)
{
    if (!model)
        return;
    array_clear(&model->params);
    array_clear(&model->functions);
    array_clear(&model->inputs);
    array_clear(&model->noises);
    array_clear(&model->tables);
    array_clear(&model->domains);
    array_clear(&model->coords);
    array_clear(&model->speeds);
    array_clear(&model->independent);
    array_clear(&model->independent_said);
    array_clear(&model->points);
    array_clear(&model->masses);
    array_clear(&model->forces_at);
    array_clear(&model->forces_along);
    array_clear(&model->constraints);
    array_clear(&model->pairs);
    array_clear(&model->starts);
    array_clear(&model->outputs);
    array_clear(&model->bodies);
    array_clear(&model->springs);
    array_clear(&model->holds);
    array_clear(&model->torques);
    array_clear(&model->impulses);
    array_clear(&model->events);
    array_clear(&model->whiles);
    array_clear(&model->servos);
    array_clear(&model->frictions);
    array_clear(&model->sticks);
    array_clear(&model->draws);
    elaborator_clear(model->names);
    base_free(model->names);
    vectors_free(model->vectors);
    expr_rates_free(model->dt);
    expr_pool_free(model->pool);
    arena_free(model->arena);
    base_free(model);
}

Status model_read_expression(ExprPool *pool, const Source *source, Diag *diag, Expr *value)
{
    size_t errors = diag_count(diag, DIAG_ERROR);
    Syntax *syntax = syntax_read_expression(source, diag);
    Arena *arena = arena_new();
    Elaborator e;
    elaborator_init(&e, pool, arena, diag);
    e.syntax = e.file_syntax = syntax;
    e.free_symbols = true;
    *value = (Expr){0};
    if (syntax->statements.count > 0 && !syntax->statements.at[0].broken) {
        e.statement = &syntax->statements.at[0];
        if (!elaborate_scalar(&e, &syntax->parts.at[0], LEVEL_ALL, "this", value))
            *value = (Expr){0};
    }
    elaborator_clear(&e);
    arena_free(arena);
    syntax_free(syntax);
    return diag_count(diag, DIAG_ERROR) == errors ? STATUS_OK : STATUS_WRONG;
}

// ---- What a model answers.

ExprRates *model_rates(const Model *model)
{
    ExprRates *rates = expr_rates_new(model->pool);
    expr_rates_set(rates, model->t, expr_int(model->pool, 1));
    for (size_t i = 0; i < model->coords.count; i++) {
        expr_rates_set(rates, model->coords.at[i].q, model->coords.at[i].v);
        expr_rates_set(rates, model->coords.at[i].v, model->coords.at[i].a);
    }
    for (size_t i = 0; i < model->speeds.count; i++)
        expr_rates_set(rates, model->speeds.at[i].u, model->speeds.at[i].rate);
    model_rate_inputs(model, rates);
    return rates;
}

// No rate of such a rate is told: where it is needed, that of the input is.
void model_rate_inputs(const Model *model, ExprRates *rates)
{
    for (size_t i = 0; i < model->params.count; i++) {
        const ModelParam *param = &model->params.at[i];
        if (expr_is_none(param->rate))
            continue;
        expr_rates_set(rates, param->symbol, param->rate);
        expr_rates_set(rates, param->rate, param->rate);
    }
}

static Status check_params(const Model *model, Diag *diag)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < model->params.count; i++) {
        const ModelParam *param = &model->params.at[i];
        if (expr_is_none(param->value))
            status = diag_error(
                diag, place_with_hint(param->place, HINT_SET),
                "parameter '%s' has no value; give one in the model, or %s=… as a setting",
                param->name, param->name);
    }
    return status;
}

static Status check_functions(const Model *model, Diag *diag)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < model->functions.count; i++) {
        const ModelFunction *function = &model->functions.at[i];
        if (expr_is_none(function->body) && !function->tabled && function->called)
            status = diag_error(diag, place_with_hint(function->place, HINT_SET),
                                "the function %s is open; give it a body in the model, or \"%s=…\" "
                                "as a setting",
                                function->head, function->head);
    }
    return status;
}

// Values are made of earlier parameters, so that each pass makes at least one more of them
// final; chains are short, and passes few. Of those that are no numbers `which` are the places.
static void iterate_params(const Program *program, const size_t *which, size_t count,
                           double *values)
{
    double *next = base_alloc((count + 1) * sizeof *next);
    double *work = base_alloc((program_registers(program) + 1) * sizeof *work);
    bool settled = count == 0;
    for (size_t pass = 0; pass <= count && !settled; pass++) {
        program_run_real(program, values, next, work);
        settled = true;
        for (size_t i = 0; i < count; i++) {
            settled = settled && memcmp(&values[which[i]], &next[i], sizeof *next) == 0;
            values[which[i]] = next[i];
        }
    }
    base_free(next);
    base_free(work);
}

Status model_param_values(const Model *model, Diag *diag, double *values)
{
    TRY(check_functions(model, diag));
    return model_param_numbers(model, diag, values);
}

Status model_param_numbers(const Model *model, Diag *diag, double *values)
{
    size_t count = model->params.count;
    TRY(check_params(model, diag));
    Expr *symbols = base_alloc((count + 1) * sizeof *symbols);
    Expr *defaults = base_alloc((count + 1) * sizeof *defaults);
    size_t *which = base_alloc((count + 1) * sizeof *which), made = 0;
    for (size_t i = 0; i < count; i++) {
        symbols[i] = model->params.at[i].symbol;
        values[i] = 0;
        if (program_number(model->pool, model->params.at[i].value, &values[i]))
            continue;
        defaults[made] = model->params.at[i].value;
        which[made++] = i;
    }
    Program *program = program_new_kept(model->pool, symbols, count, defaults, made, NULL);
    Status status = program ? STATUS_OK : check_functions(model, diag);
    if (program)
        iterate_params(program, which, made, values);
    program_free(program);
    base_free(symbols);
    base_free(defaults);
    base_free(which);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            status = diag_error(diag, model->params.at[i].place,
                                "the value of parameter '%s' is not a real number",
                                model->params.at[i].name);
    return status;
}
