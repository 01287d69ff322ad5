// zw_run.c: a run whose rows go to a file and to the caller.
#include "api/branch_choices_impl.h"
#include "api/outputs_impl.h"
#include "api/run_summary_impl.h"
#include "simulate/run_report.h"

#include <math.h>
#include <string.h>

zw_run_options zw_run_defaults(void)
{
    return (zw_run_options){.to = NAN, .every = NAN, .tolerance = NAN, .step = NAN};
}

// First integrals are outputs that nobody had to write down. The energy has its column already.
static void add_integrals(zw_model *model)
{
    Model *of = model->model;
    InquiryIntegrals *found = inquiry_integrals(model->motion, INQUIRY_BETWEEN_EVENTS);
    for (size_t i = 0; i < found->at.count; i++) {
        Text name = {0};
        text_addf(&name, "integral.%s", found->at.at[i].label);
        bool known = expr_same(found->at.at[i].value, model->motion->energy);
        for (size_t j = 0; j < of->outputs.count; j++)
            known = known || strcmp(of->outputs.at[j].name, name.at) == 0;
        ModelOutput output = {.name = arena_copy_text(of->arena, name.at, name.length),
                              .value = found->at.at[i].value};
        if (!known)
            array_push(&of->outputs, output);
        text_clear(&name);
    }
    inquiry_integrals_free(found);
}

static Status make_motion(zw_model *model, const zw_run_options *options)
{
    // Steps of fixed length take conditions over pairs together; all else knows them one by one.
    bool together =
        options->method && strcmp(options->method, "timestepping") == 0 && !options->integrals;
    bool plain = !options->integrals && !options->form;
    TRY(together ? api_motion_of_pairs(model)
        : plain  ? api_motion_to_run(model)
                 : api_motion(model));
    if (!plain)
        TRY(motion_solve(model->motion, model->diag));
    if (options->integrals)
        add_integrals(model);
    return STATUS_OK;
}

Status api_run_options(const zw_model *model, const zw_run_options *options, RunOptions *wanted)
{
    *wanted = run_options();
    wanted->to = options->to;
    wanted->every = options->every;
    wanted->tolerance = options->tolerance;
    wanted->step = options->step;
    wanted->residuals = options->residuals;
    wanted->unwatched = options->no_watch;
    wanted->fixed = options->fixed;
    wanted->branch = model->branch;
    wanted->driven = options->form != NULL;
    wanted->repeats = !options->audit && !options->fixed && !options->form;
    if (options->engine && !run_engine_find(str_of(options->engine), &wanted->engine))
        return diag_error(model->diag, place_none(),
                          "unknown engine '%s'; there are interpret, native and auto",
                          options->engine);
    if (wanted->driven && !form_find(str_of(options->form), &wanted->form))
        return api_unknown_form(str_of(options->form), model->diag);
    wanted->chooses_method = !options->method || str_is(str_of(options->method), "auto");
    if (!wanted->chooses_method && !run_method_find(str_of(options->method), &wanted->method))
        return diag_error(
            model->diag, place_none(),
            "unknown method '%s'; there are auto, taylor, bdf, adams, erk and timestepping",
            options->method);
    if (wanted->chooses_method)
        wanted->method = RUN_TAYLOR;
    return STATUS_OK;
}

// With all that is derived for it.
static Status make_new(zw_model *model, const zw_run_options *options, Simulation **run)
{
    RunOptions wanted;
    if (model->derived)
        TRY(api_read_again(model, model->diag));
    size_t messages = diag_total(model->diag);
    TRY(make_motion(model, options));
    diag_free(model->motion_notes);
    model->motion_notes = diag_new();
    diag_copy(model->motion_notes, model->diag, messages);
    TRY(api_run_options(model, options, &wanted));
    TRY(api_branch_choices(model, options, &wanted));
    model->derived = true;
    model->kept_integrals = options->integrals;
    return run_new(model->motion, &wanted, model->diag, run);
}

// With the equations of the run before, where there are such; *run is NULL where these do not
// serve.
static Status make_again(zw_model *model, const zw_run_options *options, Simulation **run)
{
    RunOptions wanted;
    Simulation *kept = model->kept;
    *run = NULL;
    TRY(api_run_options(model, options, &wanted));
    if (!kept || !wanted.repeats || options->branches ||
        options->integrals != model->kept_integrals || !run_can_repeat(kept))
        return STATUS_OK;
    model->kept = NULL;
    diag_copy(model->diag, model->motion_notes, 0);
    Status status = run_repeat(kept, &wanted, model->diag, run);
    if (status != STATUS_NEGATIVE)
        return status;
    diag_free(model->diag);
    model->diag = diag_new();
    return STATUS_OK;
}

// *again: whether it is one that may turn out not to be served by what was derived before.
static Status make_run(zw_model *model, const zw_run_options *options, bool *again,
                       Simulation **run)
{
    *run = NULL;
    TRY(model->status);
    TRY(make_again(model, options, run));
    *again = *run != NULL;
    return *run ? STATUS_OK : make_new(model, options, run);
}

// What the next run may take over.
static void keep_run(zw_model *model, Simulation *run)
{
    if (!run_can_repeat(run) || !run_is_served(run)) {
        run_free(run);
        return;
    }
    run_free(model->kept);
    model->kept = run;
}

zw_status zw_run_columns(zw_model *model, const zw_run_options *options, char ***names,
                         size_t *count)
{
    const zw_run_options defaults = zw_run_defaults();
    Simulation *run;
    *names = NULL;
    *count = 0;
    bool again;
    Status status = make_run(model, options ? options : &defaults, &again, &run);
    if (status != STATUS_OK)
        return api_status(status);
    *count = run_column_count(run);
    size_t bytes = *count * sizeof **names;
    for (size_t i = 0; i < *count; i++)
        bytes += strlen(run_column_name(run, i)) + 1;
    *names = base_alloc(bytes);
    char *at = (char *)(*names + *count);
    for (size_t i = 0; i < *count; i++) {
        (*names)[i] = strcpy(at, run_column_name(run, i));
        at += strlen(at) + 1;
    }
    keep_run(model, run);
    return ZW_DONE;
}

// ---- Going.

static void tell_event(Going *going, const RunEvent *event)
{
    const zw_run_options *options = going->options;
    if (!run_is_served(going->run) || going->events++ < going->known_events)
        return;
    // Where it cannot be written the next row stops the run.
    outputs_event(&going->outputs, event, going->model->diag);
    if (!options->event)
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
                     .uncertainty = event->uncertainty};
    options->event(options->context, &told);
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
    return !options->row || options->row(options->context, row, going->columns);
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
    return options->row || options->out || options->events || options->plot_count > 0 ||
           options->picture;
}

// Whether somebody reads the rows after events: others need not wait for these, with velocities of
// very many coordinates each.
static bool reads_states(const Going *going)
{
    return going->options->events || outputs_keep_events(&going->outputs);
}

static void take_event(void *context, const RunEvent *event)
{
    Going *going = context;
    size_t n = going->model->motion->n, at = going->waiting.count;
    // One that has its row already does not wait, nor one that nobody reads the row of.
    if (event->state || event->cone || !reads_states(going)) {
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
    array_push(&going->waiting, *event);
}

static bool take_progress(void *context, double t)
{
    const Going *going = context;
    const zw_run_options *options = going->options;
    return !options->progress ||
           options->progress(options->context, going->done + going->share * t / going->to);
}

// The second run, and what both say.
static Status audit_run(Going *going, RunAudit *audit, const RunSummary *summary, Text *out)
{
    const zw_run_options *options = going->options;
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
    if (options->audit_json)
        *options->audit_json = api_hand_out(&json);
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
    if (!going->options->audit)
        return STATUS_OK;
    TRY(run_audit_new(run, going->model->diag, audit));
    find_constants(going->model, constants);
    if (constants->integrals)
        follow(*audit, constants);
    going->share = 0.5;
    return STATUS_OK;
}

// The whole of it, with open outputs; what there is to report goes to `out`.
static Status go(Going *going, Simulation *run, RunAudit *audit, Text *out)
{
    Diag *diag = going->model->diag;
    RunListener listener = {.row = reads_rows(going) ? take_row : NULL,
                            .progress = take_progress,
                            .event = take_event,
                            .context = going,
                            .states = reads_states(going)};
    if (going->outputs.picture) {
        RunOptions settings = run_settings(run);
        listener.between = take_between;
        listener.between_count = api_frames_between(settings.to / settings.every);
    }
    RunSummary summary = {0};
    Status status = run_go(run, &listener, diag, &summary);
    tell_events(going, NULL);
    if (!run_is_served(run))
        return STATUS_NEGATIVE;
    going->whole = status == STATUS_OK;
    run_add_summary(going, &summary, audit, out);
    if (audit && (status == STATUS_OK || status == STATUS_NEGATIVE)) {
        Status audited = audit_run(going, audit, &summary, out);
        status = audited > status ? audited : status;
    }
    run_add_facts(going, &summary, audit);
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
    going->rows = going->events = 0;
    TRY(make_new(model, going->options, run));
    going->run = *run;
    api_note_later_impulses(model, *run, going->to, "comes after the end of the run");
    return go(going, *run, NULL, out);
}

// A run that is made, with its files.
static Status go_whole(Going *going, Simulation **run, bool again, char **report)
{
    zw_model *model = going->model;
    RunAudit *audit;
    Constants constants;
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
        bool served = run_is_served(*run);
        if (again && !served)
            status = go_anew(going, run, &text);
        model->served += again && served;
        // What was reached is written whole, also when the run stopped early.
        ShowEnd end = going->whole ? SHOW_COMPLETE : SHOW_PARTIAL;
        Status closed = outputs_close(&going->outputs, end, model->diag);
        if (closed != STATUS_OK)
            status = closed;
        if (report && status != STATUS_WRONG && status != STATUS_FAILED)
            *report = api_hand_out(&text);
        text_clear(&text);
    }
    run_audit_free(audit);
    constants_clear(&constants);
    return status;
}

zw_status zw_run(zw_model *model, const zw_run_options *options, char **report)
{
    const zw_run_options defaults = zw_run_defaults();
    Simulation *run;
    Diag *before = model->diag;
    bool again;
    if (report)
        *report = NULL;
    options = options ? options : &defaults;
    if (options->audit_json)
        *options->audit_json = NULL;
    model->diag = diag_new();
    Status status = outputs_check(model, options);
    if (status == STATUS_OK)
        status = make_run(model, options, &again, &run);
    if (status == STATUS_OK) {
        Going going = {.model = model,
                       .options = options,
                       .run = run,
                       .columns = run_column_count(run),
                       .to = run_settings(run).to,
                       .settings = run_settings(run),
                       .share = 1};
        status = go_whole(&going, &run, again, report);
        array_clear(&going.waiting);
        base_free(going.velocities);
        keep_run(model, run);
    }
    diag_copy(before, model->diag, 0);
    diag_free(model->diag);
    model->diag = before;
    return api_status(status);
}
