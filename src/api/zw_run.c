// zw_run.c: a run whose rows go to a file and to the caller.
#include "api/call_impl.h"
#include "api/checkpoint_impl.h"
#include "api/outputs_impl.h"
#include "api/result_impl.h"
#include "api/run_summary_impl.h"
#include "simulate/run_report.h"

#include <math.h>
#include <string.h>

static void put_columns(const Simulation *run, zw_result *result)
{
    size_t count = run_column_count(run);
    const char **names = arena_array(result->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        names[i] = result_copy(result, run_column_name(run, i));
    result->columns = names;
    result->run = arena_alloc(result->arena, sizeof *result->run);
    result->run->columns = count;
}

static Status answer_columns(zw_model *model, const void *options, zw_result *result)
{
    Simulation *run;
    bool again;
    TRY(api_make_run(model, options, &again, &run));
    put_columns(run, result);
    result->text = "";
    api_keep_run(model, run);
    return STATUS_OK;
}

zw_status zw_run_columns(zw_model *model, const zw_run_options *given, zw_result **result)
{
    zw_run_options options;
    return api_ask(model, given, &options, sizeof options, answer_columns, false, result);
}

// ---- Going.

static void tell_event(Going *going, const RunEvent *event)
{
    const zw_run_options *options = going->options;
    if (!run_is_served(going->run) || going->events++ < going->known_events)
        return;
    // Where it cannot be written the next row stops the run.
    outputs_event(&going->outputs, event, going->model->diag);
    if ((!options->event && !options->keep) || event->kind == RUN_OTHER_SPEEDS)
        return;
    zw_event told = {.t = event->t,
                     .kind = run_event_name(event->kind),
                     .constraint = event->constraint ? event->constraint->name : NULL,
                     .what = event->what,
                     .before = event->before,
                     .after = event->after,
                     .count = going->model->motion->n,
                     .impulse = event->impulse,
                     .energy_lost = event->energy_lost,
                     .doubtful = event->doubtful,
                     .uncertainty = event->uncertainty,
                     .event = event->event};
    if (options->keep)
        kept_rows_add_event(going->result->rows, &told);
    if (!options->event)
        return;
    ApiPause pause = api_pause();
    options->event(options->context, &told);
    api_resume(pause);
}

// All that wait; the row is the one after those at its time. NULL: there is none.
static void tell_events(Going *going, const double *row)
{
    size_t n = going->model->motion->n;
    for (size_t i = 0; i < going->waiting.count; i++) {
        RunEvent event = going->waiting.at[i];
        event.before = going->velocities + 3 * i * n;
        event.after = event.before + n;
        event.impulses = event.impulses ? event.after + n : NULL;
        event.state = row && fabs(row[0] - event.t) <= 1e-14 * fabs(event.t) ? row : NULL;
        tell_event(going, &event);
    }
    going->waiting.count = 0;
    arena_free(going->kept);
    going->kept = NULL;
}

static bool take_row(void *context, const double *row)
{
    Going *going = context;
    tell_events(going, row);
    if (!run_is_served(going->run))
        return false;
    if (going->rows++ < going->known_rows)
        return true;
    if (!outputs_row(&going->outputs, row, going->model->diag))
        return false;
    const zw_run_options *options = going->options;
    if (options->keep)
        kept_rows_add(going->result->rows, row);
    if (!options->row)
        return true;
    ApiPause pause = api_pause();
    bool more = options->row(options->context, row, going->columns);
    api_resume(pause);
    return more;
}

// Paths in a picture are smooth whatever rows there are.
static bool take_between(void *context, const double *row)
{
    Going *going = context;
    show_picture_row(going->outputs.picture, row);
    return true;
}

// Rows that nobody reads are not made.
static bool reads_rows(const Going *going)
{
    const zw_run_options *options = going->options;
    return options->row || options->keep || options->out || options->events ||
           options->plot_count > 0 || options->picture;
}

// Whether somebody reads the rows after events: others need not wait for these, with velocities of
// very many coordinates each.
static bool reads_states(const Going *going)
{
    return going->options->events || outputs_keep_events(&going->outputs);
}

// Its text and derivatives live until the listener returns; here for as long as it waits.
static void keep_waiting(Going *going, RunEvent event)
{
    Arena *arena = going->kept = going->kept ? going->kept : arena_new();
    if (event.what)
        event.what = arena_copy_text(arena, event.what, strlen(event.what));
    if (event.diffs) {
        double *diffs = arena_array(arena, double, event.diff_count + 1);
        memcpy(diffs, event.diffs, event.diff_count * sizeof *diffs);
        event.diffs = diffs;
    }
    array_push(&going->waiting, event);
}

static void take_event(void *context, const RunEvent *event)
{
    Going *going = context;
    size_t n = going->model->motion->n, at = going->waiting.count;
    // One that has its row already does not wait, nor one that nobody reads the row of; an event of
    // the model, where others wait for theirs.
    bool follows = event->event && at > 0;
    if (event->event && !follows) {
        tell_event(going, event);
        return;
    }
    if ((event->state && !follows) || event->cone || !reads_states(going)) {
        tell_events(going, NULL);
        tell_event(going, event);
        return;
    }
    if (at == going->room) {
        going->room = 2 * going->room + 4;
        going->velocities =
            base_realloc(going->velocities, 3 * n * going->room * sizeof *going->velocities);
    }
    double *velocities = going->velocities + 3 * at * n;
    memcpy(velocities, event->before, n * sizeof *event->before);
    memcpy(velocities + n, event->after, n * sizeof *event->after);
    if (event->impulses)
        memcpy(velocities + 2 * n, event->impulses, n * sizeof *event->impulses);
    keep_waiting(going, *event);
}

static bool take_progress(void *context, double t)
{
    const Going *going = context;
    const zw_run_options *options = going->options;
    return api_goes_on(options->progress, options->context,
                       going->done + going->share * t / going->to);
}

// The second run, and what both say.
static Status audit_run(Going *going, RunAudit *audit, const RunSummary *summary, Text *out)
{
    Diag *diag = going->model->diag;
    going->done = going->share;
    RunListener listener = {.progress = take_progress, .context = going};
    Status status = run_audit_compare(audit, &listener, summary, diag);
    if (status == STATUS_FAILED)
        return status;
    RunAuditReport report = run_audit_report(audit);
    show_audit_text(&report, summary->reached, out);
    Text json = {0};
    show_audit_json(&report, &json);
    outputs_audit(&going->outputs, json.at, diag);
    going->result->audit = result_copy(going->result, json.at);
    text_clear(&json);
    return status;
}

// What is constant along the motion, events included, found in another reading of the model.
typedef struct {
    Model *model;
    Motion *motion;
    InquiryIntegrals *integrals;
} Constants;

static void find_constants(const zw_model *model, Constants *constants)
{
    Diag *unheard = diag_new();
    *constants = (Constants){0};
    if (api_read_model(model, unheard, &constants->model) == STATUS_OK &&
        motion_new(constants->model, unheard, &constants->motion) == STATUS_OK)
        constants->integrals = inquiry_integrals(constants->motion, INQUIRY_THROUGH_EVENTS);
    diag_free(unheard);
}

static void constants_clear(Constants *constants)
{
    inquiry_integrals_free(constants->integrals);
    motion_free(constants->motion);
    model_free(constants->model);
}

static void follow(RunAudit *audit, const Constants *constants)
{
    size_t count = constants->integrals->at.count;
    RunIntegral *integrals = base_alloc((count + 1) * sizeof *integrals);
    for (size_t i = 0; i < count; i++) {
        const InquiryIntegral *found = &constants->integrals->at.at[i];
        integrals[i] = (RunIntegral){found->name, found->value};
    }
    run_audit_follow(audit, integrals, count, constants->model->pool);
    base_free(integrals);
}

// An audit where one is wanted; its search takes longer than many runs.
static Status prepare_audit(Going *going, Simulation *run, Constants *constants, RunAudit **audit)
{
    *audit = NULL;
    *constants = (Constants){0};
    const Model *model = going->model->model;
    if (!going->options->audit)
        return STATUS_OK;
    TRY(run_audit_new(run, going->model->diag, audit));
    going->share = 0.5;
    if (model->whole) {
        diag_add(going->model->diag, DIAG_NOTE, model->whiles.at[0].place,
                 "what holds for a while changes the energy and first integrals: the audit does "
                 "not follow these, and compares the motion with that of another method");
        return STATUS_OK;
    }
    find_constants(going->model, constants);
    if (constants->integrals)
        follow(*audit, constants);
    return STATUS_OK;
}

static void put_facts(const Going *going, const RunSummary *summary)
{
    zw_run_facts *facts = going->result->run;
    facts->complete = going->whole;
    facts->reached = summary->reached;
    facts->steps = summary->steps;
    facts->rejected = summary->rejected;
    facts->evaluations = summary->evaluations;
    facts->rows = summary->rows;
    for (size_t i = 0; i < RUN_EVENT_COUNT; i++)
        facts->events += summary->events[i].count;
    facts->largest_residual = summary->largest_residual;
    facts->energy_drift = summary->is_conservative ? summary->energy_drift : NAN;
    facts->energy_lost = summary->energy_lost;
    if (!going->result->rows)
        return;
    facts->rows = kept_rows_count(going->result->rows);
    facts->events = kept_rows_events(going->result->rows);
}

// Memory for closing the files where there is none left.
enum { RESERVE = 4 << 20 };

// Where memory ends in the run it ends there, as a run does that cannot be followed further: what
// was reached is still to be written.
static Status follow_motion(Going *going, Simulation *run, const RunListener *listener,
                            RunSummary *summary)
{
    BaseHeap heap;
    BaseGuard guard;
    void *volatile reserve = base_alloc(RESERVE);
    base_heap_init(&heap);
    if (base_guard(&guard, &heap)) {
        Status status = going->checkpoint
                            ? checkpoint_go(going->checkpoint, going, run, listener, summary)
                            : run_go(run, listener, going->model->diag, summary);
        base_guard_end(&guard);
        base_heap_join(&going->model->heap, &heap);
        base_free(reserve);
        return status;
    }
    base_heap_join(&going->model->heap, &heap);
    base_free(reserve);
    if (going->rows == 0)
        base_no_memory(guard.bytes);
    outputs_drop_pictures(&going->outputs, going->model->diag);
    going->memory_ended = true;
    return STATUS_NEGATIVE;
}

// The whole of it, with open outputs; what there is to report goes to `out`.
static Status go(Going *going, Simulation *run, RunAudit *audit, Text *out)
{
    RunListener listener = {.row = reads_rows(going) ? take_row : NULL,
                            .progress = take_progress,
                            .event = take_event,
                            .context = going,
                            .states = reads_states(going),
                            .speeds = going->options->events};
    if (going->outputs.picture) {
        RunOptions settings = run_settings(run);
        listener.between = take_between;
        listener.between_count = api_frames_between(settings.to / settings.every, API_SMOOTH);
    }
    RunSummary summary = {0};
    Status status = follow_motion(going, run, &listener, &summary);
    if (going->memory_ended) {
        text_addf(out, "%s: the memory ended at t = %.6g; what was reached has been written\n",
                  going->model->model->name, summary.reached);
        put_facts(going, &summary);
        return status;
    }
    // It did not begin: a checkpoint's files cannot be written, or read.
    if (!summary.energy)
        return status;
    tell_events(going, NULL);
    if (!run_is_served(run))
        return STATUS_NEGATIVE;
    going->whole = status == STATUS_OK;
    const ModelEvent *until = going->settings.until;
    if (going->whole && until && summary.stop.event == NULL)
        diag_add(going->model->diag, DIAG_NOTE, until->place,
                 "'%s' did not become true up to t = %.10g", until->name, summary.reached);
    run_add_summary(going, &summary, audit, out);
    if (audit && (status == STATUS_OK || status == STATUS_NEGATIVE)) {
        Status audited = audit_run(going, audit, &summary, out);
        status = audited > status ? audited : status;
    }
    run_add_facts(going, &summary, audit);
    put_facts(going, &summary);
    return status;
}

// Where a run is not served by what was derived before: the same with a model that is read anew.
// What was told already is not told again.
static Status go_anew(Going *going, Simulation **run, Text *out)
{
    zw_model *model = going->model;
    run_free(*run);
    diag_free(model->diag);
    model->diag = diag_new();
    going->known_rows = going->rows;
    going->known_events = going->events;
    going->rows = going->events = going->waiting.count = 0;
    TRY(api_make_new_run(model, going->options, run));
    going->run = *run;
    api_note_later_impulses(model, *run, going->to, "comes after the end of the run");
    return go(going, *run, NULL, out);
}

// A run that is made, with its files.
static Status go_whole(Going *going, Simulation **run, bool again)
{
    zw_model *model = going->model;
    RunAudit *audit;
    Constants constants;
    api_note_intervals(model, "run");
    api_note_later_impulses(model, *run, going->to, "comes after the end of the run");
    Status status = prepare_audit(going, *run, &constants, &audit);
    // Whoever is asked to wait may want to end here, before there is a file.
    if (status == STATUS_OK && !take_progress(going, 0))
        status = STATUS_NEGATIVE;
    if (status == STATUS_OK)
        status = outputs_open(&going->outputs, model, going->options, *run);
    if (status == STATUS_OK) {
        Text text = {0};
        status = go(going, *run, audit, &text);
        bool served = going->memory_ended || run_is_served(*run);
        if (again && !served)
            status = go_anew(going, run, &text);
        model->served += again && served;
        // What was reached is written whole, also when the run stopped early.
        bool begun = going->rows > 0 || status == STATUS_NEGATIVE;
        ShowEnd end = going->whole ? SHOW_COMPLETE : begun ? SHOW_PARTIAL : SHOW_DROPPED;
        Status closed = outputs_close(&going->outputs, end, model->diag);
        if (closed != STATUS_OK)
            status = closed;
        if (status != STATUS_WRONG && status != STATUS_FAILED)
            result_put_text(going->result, &text, ZW_TEXT, 0);
        text_clear(&text);
    }
    if (going->memory_ended)
        return status;
    run_audit_free(audit);
    constants_clear(&constants);
    return status;
}

static Status answer(zw_model *model, const void *given, zw_result *result)
{
    const zw_run_options *options = given;
    zw_run_options resumed = *options;
    Simulation *run;
    Diag *before = model->diag;
    bool again;
    TRY(api_check_texts("plot", options->plots, options->plot_count, model->diag));
    TRY(model->status);
    model->diag = diag_new();
    Status status = outputs_check(model, options);
    if (status == STATUS_OK)
        status = api_make_run(model, options, &again, &run);
    if (status == STATUS_OK) {
        Going going = {.model = model,
                       .options = options,
                       .result = result,
                       .run = run,
                       .columns = run_column_count(run),
                       .to = run_settings(run).to,
                       .settings = run_settings(run),
                       .share = 1};
        put_columns(run, result);
        if (options->keep)
            result->rows = kept_rows_new(going.columns);
        status = checkpoint_new(&going, &going.checkpoint);
        // Files say what the run was begun by.
        if (status == STATUS_OK && options->resume) {
            resumed.command = going.checkpoint->command.at;
            going.options = &resumed;
        }
        if (status == STATUS_OK)
            status = go_whole(&going, &run, again);
        // All that is left of the model is to be freed together.
        if (going.memory_ended) {
            model->spoiled = true;
            return status;
        }
        checkpoint_free(going.checkpoint);
        array_clear(&going.waiting);
        arena_free(going.kept);
        base_free(going.velocities);
        api_keep_run(model, run);
    }
    diag_copy(before, model->diag, 0);
    diag_free(model->diag);
    model->diag = before;
    return status;
}

zw_status zw_run(zw_model *model, const zw_run_options *given, zw_result **result)
{
    zw_run_options options;
    return api_ask(model, given, &options, sizeof options, answer, true, result);
}
