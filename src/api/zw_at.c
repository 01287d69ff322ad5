// zw_at.c: the instant at the start, or at a time of the run.
#include "api/api_impl.h"
#include "api/call_impl.h"
#include "api/numbers_impl.h"
#include "api/result_impl.h"
#include "show/show.h"
#include "simulate/run_stepper.h"

#include <math.h>
#include <string.h>

static void put_report(zw_model *model, const zw_at_options *asked, const RunStart *start,
                       const RunInstant *instant, zw_result *result)
{
    Show *show = show_new(model->motion);
    Text text = {0};
    if (asked->as == ZW_JSON) {
        show_instant_json(show, start, instant, &text);
        api_sign_json(&text);
    } else
        show_instant_text(show, start, instant, &text);
    if (asked->digits > 0 && asked->as == ZW_TEXT)
        show_round(&text, asked->digits);
    result_put_text(result, &text, asked->as, asked->width);
    result_put_instant(model->motion, start, instant, result);
    show_free(show);
}

// Where the model begins: at its start, or where it has been put.
static Status tell(zw_model *model, const zw_at_options *asked, zw_result *result)
{
    TRY(api_motion(model));
    RunOptions options = run_options();
    options.instant = true;
    options.branch = model->branch;
    options.from = model->begin ? model->begin->t : 0;
    options.length = model->begin ? model->begin->length : 0;
    options.to = options.from > 0 ? 2 * options.from : options.to;
    Simulation *run;
    api_stage(model, "solving for the instant");
    TRY(run_new(model->motion, &options, model->diag, &run));
    RunInstantRoom *room = NULL;
    RunInstant instant;
    RunStart start = run_start(run);
    api_note_intervals(model, "taken");
    api_note_later_impulses(model, run, options.from, "acts later than this instant");
    Status status = asked->steps ? run_instant_mayer(run, model->diag) : STATUS_OK;
    if (status == STATUS_OK)
        status = run_instant(run, model->diag, &room, &instant);
    if (status == STATUS_OK)
        put_report(model, asked, &start, &instant, result);
    run_instant_free(room);
    run_free(run);
    return status;
}

// ---- At a time of the run.

// Discrete states have their values of the row.
static void keep_states(const zw_model *model, const Simulation *run, const double *row,
                        double *states)
{
    const Model *read = model->model;
    for (size_t i = 0; i < read->params.count && read->state_count > 0; i++)
        for (size_t c = 0; c < run_column_count(run) && read->params.at[i].is_state; c++)
            if (strcmp(run_column_name(run, c), read->params.at[i].name) == 0)
                states[i] = row[c];
}

static void put_states(Model *model, const double *states)
{
    for (size_t i = 0; i < model->params.count; i++)
        if (model->params.at[i].is_state)
            model->params.at[i].value = expr_double(model->pool, states[i]);
}

static Status follow(zw_model *model, Simulation *run, double *states, RunBegin *begin)
{
    RunStepper *stepper;
    RunListener listener = {.states = true};
    Status status = stepper_new(run, &listener, model->diag, NULL, &stepper);
    while (status == STATUS_OK && stepper_time(stepper) < begin->t && !stepper_has_ended(stepper))
        status = stepper_step(stepper, begin->t);
    const double *row = status == STATUS_OK ? stepper_row(stepper, begin->t) : NULL;
    if (row) {
        begin->length = stepper_length(stepper);
        run_row_state(run, row, begin->q, begin->v);
        keep_states(model, run, row, states);
    } else {
        status = status == STATUS_OK ? STATUS_NEGATIVE : status;
    }
    if (status == STATUS_NEGATIVE)
        diag_error(model->diag, place_none(), "the run ends at t = %.10g, before %.10g",
                   stepper_time(stepper), begin->t);
    stepper_free(stepper);
    return status;
}

static Status follow_run(zw_model *model, const zw_at_options *asked, double *states,
                         RunBegin *begin)
{
    Simulation *run;
    zw_run_options options = {.to = asked->to};
    TRY(api_make_new_run(model, &options, &run));
    double end = run_settings(run).to;
    Status status =
        begin->t <= end
            ? follow(model, run, states, begin)
            : diag_error(model->diag, place_hint(HINT_TO),
                         "t = %.10g comes after the end of the run, t = %.10g; a later end goes "
                         "further",
                         begin->t, end);
    run_free(run);
    return status;
}

// In a model of its own, whose start is not the text's.
static Status answer_at_time(zw_model *model, const zw_at_options *asked, zw_result *result)
{
    if (!(asked->time >= 0 && isfinite(asked->time)))
        return diag_error(model->diag, place_hint(HINT_TIME),
                          "the instant is a time of the run, from 0 on, not %g", asked->time);
    TRY(model->status);
    zw_model *run = api_copy(model), *own = api_copy(model);
    size_t n = model->model->coords.count;
    double *q = base_alloc((2 * n + model->model->params.count + 1) * sizeof *q);
    double *states = q + 2 * n;
    RunBegin begin = {.t = asked->time, .q = q, .v = q + n};
    Status status = follow_run(run, asked, states, &begin);
    api_pass_messages(model, run);
    if (status == STATUS_OK) {
        own->begin = &begin;
        put_states(own->model, states);
        api_put_begin(own);
        status = tell(own, asked, result);
        // How this start was completed nobody wants to be told.
        if (status != STATUS_OK)
            api_pass_messages(model, own);
    }
    base_free(q);
    api_clear(run);
    base_free(run);
    api_clear(own);
    base_free(own);
    return status;
}

// Whether a sample acts at t = 0: the instant is that behind it.
static bool samples_at_start(const zw_model *model)
{
    const Model *read = model->model;
    double times[SAMPLE_TIMES], *params = base_alloc((read->params.count + 1) * sizeof *params);
    Diag *unheard = diag_new();
    bool found = false, known = model_param_numbers(read, unheard, params) == STATUS_OK;
    for (size_t i = 0; i < read->events.count && known; i++) {
        const ModelEvent *event = &read->events.at[i];
        if (event->sampling && model_sample_times(read, event, params, unheard, times) == STATUS_OK)
            found =
                found || fmod(times[SAMPLE_FROM] + times[SAMPLE_DELAY], times[SAMPLE_PERIOD]) == 0;
    }
    diag_free(unheard);
    base_free(params);
    return found && !model->begin;
}

static Status answer(zw_model *model, const void *given, zw_result *result)
{
    const zw_at_options *asked = given;
    TRY(api_check_format(asked->as, ZW_TEXT, model->diag));
    bool at_start = asked->time == 0 && !(model->status == STATUS_OK && samples_at_start(model));
    return at_start ? tell(model, asked, result) : answer_at_time(model, asked, result);
}

zw_status zw_at(zw_model *model, const zw_at_options *given, zw_result **result)
{
    zw_at_options options;
    return api_ask(model, given, &options, sizeof options, answer, false, result);
}
