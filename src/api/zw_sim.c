// zw_sim.c: a simulation that is followed step by step.
#include "api/api_impl.h"
#include "api/call_impl.h"
#include "api/result_impl.h"
#include "api/sim_impl.h"
#include "model/model_equation.h"
#include "model/whiles.h"
#include "simulate/run_stepper.h"
#include "simulate/simulate.h"

#include <math.h>
#include <string.h>

// ---- The listener: events stay until the next call.

static void take_event(void *context, const RunEvent *event)
{
    zw_sim *sim = context;
    zw_event told = {.t = event->t,
                     .kind = run_event_name(event->kind),
                     .constraint = event->constraint ? event->constraint->name : NULL,
                     .what = event->what,
                     .before = event->before,
                     .after = event->after,
                     .count = sim->n,
                     .impulse = event->impulse,
                     .energy_lost = event->energy_lost,
                     .doubtful = event->doubtful,
                     .uncertainty = event->uncertainty,
                     .event = event->event};
    kept_rows_add_event(sim->events, &told);
}

static void forget_events(zw_sim *sim)
{
    kept_rows_free(sim->events);
    sim->events = NULL; // memory may end here
    sim->events = kept_rows_new(0);
}

// ---- Where it is.

static double time_of(const zw_sim *sim)
{
    return sim->stepper ? stepper_time(sim->stepper) : sim->begin.t;
}

void sim_keep_states(zw_sim *sim, const double *row)
{
    const Model *model = sim->model->model;
    if (!row || !model || model->state_count == 0)
        return;
    for (size_t i = 0; i < model->params.count; i++)
        for (size_t c = 0; c < run_column_count(sim->run) && model->params.at[i].is_state; c++)
            if (strcmp(run_column_name(sim->run, c), model->params.at[i].name) == 0)
                sim_write_parameter(sim, sim_parameter(sim, model->params.at[i].name), row[c]);
}

// Takes the present state down, as where the next start is.
static Status take_state(zw_sim *sim)
{
    const double *row = sim->stepper ? stepper_row(sim->stepper, time_of(sim)) : NULL;
    if (!row)
        return STATUS_NEGATIVE;
    sim->begin.t = time_of(sim);
    sim_keep_states(sim, row);
    sim->begin.length = stepper_length(sim->stepper);
    run_row_state(sim->run, row, sim->begin.q, sim->begin.v);
    return STATUS_OK;
}

// What the run has said since is a message of the model. Where it does not begin with the text's
// start nobody wants to be told how that was completed.
static void pass_on(zw_sim *sim)
{
    for (; sim->heard && sim->heard_count < diag_total(sim->heard); sim->heard_count++) {
        DiagKind kind;
        Place place;
        const char *text = diag_message(sim->heard, sim->heard_count, &kind, &place);
        if (kind != DIAG_NOTE || !sim->model->begin)
            diag_add(sim->model->diag, kind, place, "%s", text);
    }
}

void sim_stop(zw_sim *sim)
{
    pass_on(sim);
    stepper_free(sim->stepper);
    diag_free(sim->heard);
    sim->heard = NULL;
    sim->heard_count = 0;
    if (sim->run)
        api_keep_run(sim->model, sim->run);
    sim->stepper = NULL;
    sim->run = NULL;
}

static Status make_run(zw_sim *sim)
{
    bool again;
    zw_model *model = sim->model;
    Diag *before = model->diag;
    TRY(model->status);
    model->diag = diag_new();
    Status status = api_make_run(model, &sim->options, &again, &sim->run);
    sim->heard = model->diag;
    model->diag = before;
    return status;
}

static Status begin(zw_sim *sim)
{
    TRY(make_run(sim));
    RunOptions settings = run_settings(sim->run);
    if (settings.method == RUN_TIMESTEPPING && !sim->options.no_watch)
        return diag_error(sim->heard, place_hint(HINT_METHOD),
                          "the error of the method 'timestepping' is known of whole runs alone; a "
                          "simulation takes its steps where nothing is watched (no_watch)");
    if (settings.method == RUN_TIMESTEPPING)
        sim->options.step = settings.step;
    sim->options.to = settings.to;
    sim->options.every = settings.every;
    RunListener listener = {.event = take_event, .context = sim, .states = true};
    return stepper_new(sim->run, &listener, sim->heard, NULL, &sim->stepper);
}

// Whether contact modes may be made on the way, in an order of their own: what an earlier run has
// derived would not serve then, in the midst of a step.
static bool makes_modes(const zw_model *model)
{
    const Motion *motion = model->motion;
    return motion &&
           (motion->side_count + motion->friction_count > 0 || model_has_events(model->model));
}

// From the state that was taken down, or from the start of the text at first.
Status sim_begin(zw_sim *sim)
{
    zw_model *model = sim->model;
    sim_stop(sim);
    if (sim->anew || makes_modes(model)) {
        run_free(model->kept);
        model->kept = NULL;
        sim->anew = false;
    }
    // States as they are now.
    if (model->model && model->model->state_count > 0 && sim->parameters.count > 0)
        TRY(sim_put_parameters(sim));
    Status status = begin(sim);
    pass_on(sim);
    TRY(status);
    if (run_is_served(sim->run))
        return STATUS_OK;
    // What was derived before does not serve: all is derived anew.
    sim_stop(sim);
    forget_events(sim);
    run_free(model->kept);
    model->kept = NULL;
    return sim_begin(sim);
}

// ---- Steps.

static Status has_ended(zw_sim *sim)
{
    return diag_error(sim->model->diag, place_none(),
                      "the motion ended at t = %.10g; set another state or restore one",
                      sim->begin.t),
           STATUS_NEGATIVE;
}

// A `stop` of an event of the model ends a simulation; `until` ends a run alone, as its time does.
static bool is_stopped(const zw_sim *sim)
{
    const ModelEvent *until = run_settings(sim->run).until;
    const char *event = stepper_stop(sim->stepper).event;
    return event && !(until && until->name == event);
}

static Status say_stopped(zw_sim *sim)
{
    RunStop stop = stepper_stop(sim->stepper);
    return diag_error(sim->model->diag, place_none(),
                      "the event '%s' stopped the motion at t = %.10g%s%s; set another state or "
                      "restore one",
                      stop.event, time_of(sim), *stop.text ? ": " : "", stop.text),
           STATUS_NEGATIVE;
}

// The end of a run is none of a simulation: it goes on from there.
static Status extend(zw_sim *sim, double to)
{
    double reached = time_of(sim);
    if (!sim->stepper)
        return has_ended(sim);
    if (is_stopped(sim))
        return say_stopped(sim);
    if (to < sim->options.to && !stepper_has_ended(sim->stepper))
        return STATUS_OK;
    TRY(take_state(sim));
    sim->model->begin = &sim->begin;
    sim->begin.given = false;
    sim->options.to = 2 * fmax(fmax(to, reached), sim->options.to);
    return sim_begin(sim);
}

static Status step(zw_sim *sim, double until)
{
    TRY(take_state(sim));
    Status status = stepper_step(sim->stepper, until);
    pass_on(sim);
    if (status == STATUS_OK && !run_is_served(sim->run)) {
        // From the state before the step, with what is derived for it.
        sim_stop(sim);
        run_free(sim->model->kept);
        sim->model->kept = NULL;
        sim->model->begin = &sim->begin;
        sim->begin.given = false;
        TRY(sim_begin(sim));
        status = stepper_step(sim->stepper, until);
    }
    if (status != STATUS_OK)
        sim_stop(sim);
    return status;
}

// What is asked of a simulation in a call.
typedef struct {
    zw_sim *sim;
    double t, *row, *q, *v;
    const double *given_q, *given_v;
    const char *name;
    zw_level least;
    char *text;
} SimCall;

static zw_status ask(ApiBody *body, SimCall *call)
{
    zw_sim *sim = call->sim;
    return sim ? api_status(api_guarded(&sim->heap, &sim->spoiled, body, call)) : ZW_WRONG;
}

static Status tell_lack(void *context)
{
    const SimCall *call = context;
    return diag_error(call->sim->model->diag, place_none(), "no %s was given: it is NULL",
                      call->name);
}

static zw_status lacks(zw_sim *sim, const char *what)
{
    return ask(tell_lack, &(SimCall){.sim = sim, .name = what});
}

static Status one_step(void *context)
{
    zw_sim *sim = ((SimCall *)context)->sim;
    forget_events(sim);
    TRY(extend(sim, time_of(sim)));
    // What happens at the end of a run happens where it goes on.
    return kept_rows_events(sim->events) > 0 ? STATUS_OK : step(sim, INFINITY);
}

zw_status zw_sim_step(zw_sim *sim)
{
    return ask(one_step, &(SimCall){.sim = sim});
}

static bool goes_on(const zw_sim *sim, double part)
{
    return api_goes_on(sim->options.progress, sim->options.context, part);
}

static Status go_to(void *context)
{
    zw_sim *sim = ((SimCall *)context)->sim;
    double t = ((SimCall *)context)->t;
    if (!(t >= time_of(sim)) || isinf(t))
        return diag_error(sim->model->diag, place_none(),
                          "the simulation is at t = %.10g and cannot go to %.10g", time_of(sim), t);
    forget_events(sim);
    double from = time_of(sim);
    Status status = extend(sim, t);
    while (status == STATUS_OK && time_of(sim) < t) {
        status = step(sim, t);
        double part = (time_of(sim) - from) / (t - from);
        if (status == STATUS_OK && part < 1 && !goes_on(sim, part))
            return STATUS_NEGATIVE;
        if (status == STATUS_OK && part < 1 && stepper_has_ended(sim->stepper))
            status = extend(sim, t);
    }
    return status;
}

zw_status zw_sim_to(zw_sim *sim, double t)
{
    return ask(go_to, &(SimCall){.sim = sim, .t = t});
}

// ---- Making.

static void copy_options(zw_sim *sim, const zw_sim_options *given)
{
    Arena *arena = sim->arena;
    const char *const texts[] = {given->method, given->engine, given->form};
    const char **const places[] = {&sim->options.method, &sim->options.engine, &sim->options.form};
    for (size_t i = 0; i < 3; i++)
        *places[i] = texts[i] ? arena_copy_text(arena, texts[i], strlen(texts[i])) : NULL;
    sim->options.tolerance = given->tolerance;
    sim->options.step = given->step;
    sim->options.no_watch = given->no_watch;
    sim->options.residuals = given->residuals;
    sim->options.integrals = given->integrals;
    sim->options.fixed = given->fixed;
    sim->options.progress = given->progress;
    sim->options.context = given->context;
}

typedef struct {
    zw_model *from;
    const zw_sim_options *given;
    zw_sim_options options;
    zw_sim *sim;
} NewCall;

static Status take_options(void *context)
{
    NewCall *call = context;
    TRY(call->from->status);
    return api_take_options(call->given, &call->options, sizeof call->options, call->from->diag);
}

static Status make_sim(void *context)
{
    NewCall *call = context;
    zw_sim *sim = call->sim;
    sim->arena = arena_new();
    sim->model = api_copy(call->from);
    sim->n = call->from->model->coords.count;
    sim->begin.q = arena_array(sim->arena, double, 2 * sim->n + 1);
    sim->begin.v = sim->begin.q + sim->n;
    copy_options(sim, &call->options);
    forget_events(sim);
    return sim_begin(sim);
}

static Status take_messages(void *context)
{
    NewCall *call = context;
    api_pass_messages(call->from, call->sim->model);
    return STATUS_OK;
}

zw_status zw_sim_new(zw_model *model, const zw_sim_options *given, zw_sim **out)
{
    if (out)
        *out = NULL;
    if (!model || !out)
        return ZW_WRONG;
    NewCall *call = &(NewCall){.from = model, .given = given};
    Status status = api_guarded(&model->heap, &model->spoiled, take_options, call);
    if (status != STATUS_OK)
        return api_status(status);
    zw_sim *sim = call->sim = api_new(sizeof *sim);
    if (!sim)
        return ZW_FAILED;
    base_heap_init(&sim->heap);
    status = api_guarded(&sim->heap, &sim->spoiled, make_sim, call);
    if (!sim->spoiled &&
        api_guarded(&model->heap, &model->spoiled, take_messages, call) != STATUS_OK)
        status = STATUS_FAILED;
    if (status == STATUS_OK)
        *out = sim;
    else
        zw_sim_free(sim);
    return api_status(status);
}

void zw_sim_free(zw_sim *sim)
{
    if (!sim)
        return;
    kept_rows_free(sim->events);
    if (!sim->spoiled) {
        sim_stop(sim);
        if (sim->model)
            api_clear(sim->model);
        array_clear(&sim->parameters);
        arena_free(sim->arena);
    }
    base_heap_clear(&sim->heap);
    base_free(sim);
}

// ---- What it says.

void sim_state(zw_sim *sim, double *t, double *q, double *v)
{
    const double *row = sim->stepper ? stepper_row(sim->stepper, time_of(sim)) : NULL;
    if (t)
        *t = time_of(sim);
    // Where it has ended: the last state that it had.
    if (row)
        run_row_state(sim->run, row, q, v);
    else if (q)
        memcpy(q, sim->begin.q, sim->n * sizeof *q);
    if (v && !row)
        memcpy(v, sim->begin.v, sim->n * sizeof *v);
}

static Status tell_state(void *context)
{
    SimCall *call = context;
    sim_state(call->sim, &call->t, call->q, call->v);
    return STATUS_OK;
}

zw_status zw_sim_state(zw_sim *sim, double *t, double *q, double *v)
{
    SimCall *call = &(SimCall){.sim = sim, .q = q, .v = v};
    zw_status status = ask(tell_state, call);
    if (t)
        *t = call->t;
    return status;
}

size_t zw_sim_coordinates(const zw_sim *sim)
{
    return sim ? sim->n : 0;
}

double zw_sim_from(const zw_sim *sim)
{
    if (!sim || sim->spoiled)
        return NAN;
    return sim->stepper ? stepper_last(sim->stepper) : sim->begin.t;
}

size_t zw_sim_columns(const zw_sim *sim)
{
    return sim && !sim->spoiled && sim->run ? run_column_count(sim->run) : 0;
}

const char *zw_sim_column_name(const zw_sim *sim, size_t column)
{
    return column < zw_sim_columns(sim) ? run_column_name(sim->run, column) : NULL;
}

static Status tell_row(void *context)
{
    SimCall *call = context;
    zw_sim *sim = call->sim;
    const double *found = sim->stepper ? stepper_row(sim->stepper, call->t) : NULL;
    if (!found)
        return diag_error(sim->model->diag, place_none(),
                          "t = %.10g is not within the last step, %.10g to %.10g", call->t,
                          zw_sim_from(sim), time_of(sim));
    memcpy(call->row, found, run_column_count(sim->run) * sizeof *found);
    return STATUS_OK;
}

zw_status zw_sim_row(zw_sim *sim, double t, double *row)
{
    return row ? ask(tell_row, &(SimCall){.sim = sim, .t = t, .row = row})
               : lacks(sim, "place for the row");
}

const zw_event *zw_sim_event(const zw_sim *sim, size_t index)
{
    return sim && sim->events ? kept_rows_event(sim->events, index) : NULL;
}

static Status tell_messages(void *context)
{
    SimCall *call = context;
    call->text = api_messages(call->sim->model, call->least, NULL);
    return STATUS_OK;
}

char *zw_sim_messages(zw_sim *sim, zw_level least)
{
    SimCall *call = &(SimCall){.sim = sim, .least = least};
    zw_status status = ask(tell_messages, call);
    return status == ZW_FAILED ? api_memory_message() : call->text;
}

// ---- Changes.

// Begins with what was changed; where that is wrong, with what was there, which needs no message.
static Status begin_changed(zw_sim *sim, const RunBegin *former)
{
    forget_events(sim);
    Status status = sim_begin(sim);
    if (status == STATUS_OK)
        return status;
    zw_model *model = sim->model;
    Diag *said = model->diag;
    // Messages point into what was set.
    for (size_t i = 0; i < model->set_count; i++)
        array_push(&model->asked, model->set_sources[i]);
    model->set_count = 0;
    model->diag = diag_new();
    size_t bytes = sim->n * sizeof *former->q;
    memcpy(sim->begin.q, former->q, bytes);
    memcpy(sim->begin.v, former->v, bytes);
    sim->begin.t = former->t;
    sim->begin.length = former->length;
    sim->begin.given = false;
    forget_events(sim);
    Status back = sim_begin(sim);
    diag_free(sim->model->diag);
    sim->model->diag = said;
    return back == STATUS_OK ? status : STATUS_NEGATIVE;
}

// Where it is now, in an arena.
static RunBegin copy_begin(const zw_sim *sim, Arena *arena)
{
    RunBegin copy = sim->begin;
    copy.q = arena_array(arena, double, 2 * sim->n + 1);
    copy.v = copy.q + sim->n;
    memcpy(copy.q, sim->begin.q, sim->n * sizeof *copy.q);
    memcpy(copy.v, sim->begin.v, sim->n * sizeof *copy.v);
    return copy;
}

// At another state: v may be NULL.
Status sim_place(zw_sim *sim, double t, const double *q, const double *v, bool given)
{
    Arena *arena = arena_new();
    Status status = sim->stepper ? take_state(sim) : STATUS_OK;
    RunBegin former = copy_begin(sim, arena);
    sim->begin.t = t;
    memcpy(sim->begin.q, q, sim->n * sizeof *q);
    if (v)
        memcpy(sim->begin.v, v, sim->n * sizeof *v);
    sim->begin.given = given;
    sim->model->begin = &sim->begin;
    if (t >= sim->options.to)
        sim->options.to = 2 * t;
    if (status == STATUS_OK)
        status = begin_changed(sim, &former);
    arena_free(arena);
    return status;
}

static Status set_state(void *context)
{
    SimCall *call = context;
    zw_sim *sim = call->sim;
    for (size_t i = 0; i < sim->n; i++)
        if (!isfinite(call->given_q[i]) || (call->given_v && !isfinite(call->given_v[i])))
            return diag_error(sim->model->diag, place_none(),
                              "%s of the state is not a finite number",
                              sim->model->model->coords.at[i].name);
    return sim_place(sim, time_of(sim), call->given_q, call->given_v, true);
}

zw_status zw_sim_set_state(zw_sim *sim, const double *q, const double *v)
{
    return q ? ask(set_state, &(SimCall){.sim = sim, .given_q = q, .given_v = v})
             : lacks(sim, "state");
}

// The texts of all parameters that were set, as settings of the model.
Status sim_put_parameters(zw_sim *sim)
{
    const char **settings = base_alloc((sim->parameters.count + 1) * sizeof *settings);
    for (size_t i = 0; i < sim->parameters.count; i++)
        settings[i] = sim->parameters.at[i].setting;
    Status status = api_set(sim->model, settings, sim->parameters.count);
    base_free(settings);
    return status;
}

SimParameter *sim_parameter(zw_sim *sim, const char *name)
{
    for (size_t i = 0; i < sim->parameters.count; i++)
        if (strcmp(sim->parameters.at[i].name, name) == 0)
            return &sim->parameters.at[i];
    SimParameter added = {.name = arena_copy_text(sim->arena, name, strlen(name))};
    array_push(&sim->parameters, added);
    return &sim->parameters.at[sim->parameters.count - 1];
}

void sim_write_parameter(const zw_sim *sim, SimParameter *parameter, double value)
{
    Text text = {0};
    text_addf(&text, "%s=", parameter->name);
    text_add_decimal(&text, value);
    if (sim->model->model && model_has_units(sim->model->model))
        text_add(&text, " SI");
    // A number has a place of its own, which the next one takes.
    size_t most = sizeof parameter->setting;
    snprintf(parameter->setting, most, "%s", text.at);
    text_clear(&text);
}

// A number that is wrong for the model: as it was.
static Status take_back(zw_sim *sim, SimParameter *parameter, const SimParameter *former)
{
    Diag *said = sim->model->diag;
    sim->model->diag = diag_new();
    if (former->setting[0])
        *parameter = *former;
    else
        sim->parameters.count--;
    Status back = sim_put_parameters(sim);
    if (back == STATUS_OK)
        back = sim_begin(sim);
    diag_free(sim->model->diag);
    sim->model->diag = said;
    return back == STATUS_OK ? STATUS_WRONG : STATUS_NEGATIVE;
}

static Status check_parameter(const zw_sim *sim, const char *name, double value)
{
    const Model *model = sim->model->model;
    bool known = false;
    for (size_t i = 0; model && i < model->params.count; i++)
        known = known || strcmp(model->params.at[i].name, name) == 0;
    const ModelReplacement *zeros = sim->model->replacements + sim->model->replacement_count;
    for (size_t i = 0; i < sim->model->zero_count; i++)
        known = known || strcmp(zeros[i].name, name) == 0;
    if (!known)
        return diag_error(sim->model->diag, place_none(), "the model has no parameter '%s'", name);
    SimParameter *room;
    if (!isfinite(value) || strlen(name) + DECIMAL_ROOM > sizeof room->setting)
        return diag_error(sim->model->diag, place_none(),
                          "'%s' cannot be set to a number that is not finite", name);
    return STATUS_OK;
}

static Status set_parameter(void *context)
{
    const SimCall *call = context;
    zw_sim *sim = call->sim;
    TRY(check_parameter(sim, call->name, call->t));
    if (!sim->stepper || take_state(sim) != STATUS_OK)
        return has_ended(sim);
    SimParameter *parameter = sim_parameter(sim, call->name), former = *parameter;
    sim_write_parameter(sim, parameter, call->t);
    sim->begin.given = false;
    sim->model->begin = &sim->begin;
    sim_stop(sim);
    forget_events(sim);
    Status status = sim_put_parameters(sim);
    if (status == STATUS_OK)
        status = sim_begin(sim);
    return status == STATUS_OK ? status : take_back(sim, parameter, &former);
}

zw_status zw_sim_set_parameter(zw_sim *sim, const char *name, double value)
{
    return name ? ask(set_parameter, &(SimCall){.sim = sim, .name = name, .t = value})
                : lacks(sim, "name of a parameter");
}
