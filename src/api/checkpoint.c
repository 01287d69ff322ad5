// checkpoint.c: a run as a chain of passes, the last beginning of which is kept in a file.
#include "api/call_impl.h"
#include "api/checkpoint_impl.h"
#include "show/show.h"
#include "simulate/run_stepper.h"

#include <math.h>
#include <string.h>
#include <time.h>

// After so many steps a run begins anew, fewer where there are many coordinates. That takes about
// as long as a thousand steps.
enum { STEPS = 10000, FEWEST_STEPS = 500, MANY_COORDINATES = 10 };
// From one checkpoint to the next, in seconds.
#define USUAL_SECONDS 60.0

static Status refuse(const Going *going, const char *what)
{
    return diag_error(going->model->diag, place_hint(HINT_CHECKPOINT),
                      "a run cannot be taken up again %s", what);
}

static Status check(const Going *going)
{
    const zw_run_options *options = going->options;
    if (options->audit)
        return refuse(going, "with an audit, which compares two whole runs");
    if (options->sensitivity)
        return refuse(going, "with derivatives, which it does not keep");
    if (going->settings.method == RUN_TIMESTEPPING && !options->no_watch)
        return refuse(going, "by 'timestepping' while it is watched: that compares whole runs");
    if (going->model->branch > 0 || going->model->motion->second_count > 0)
        return refuse(going, "where conditions are on accelerations, for a state does not tell by "
                             "which of several motions it goes on");
    if (model_has_events(going->model->model) || going->settings.until)
        return refuse(going, "where the model has events, for it does not keep their sides and "
                             "states");
    if (!(options->checkpoint_every >= 0) || isinf(options->checkpoint_every))
        return diag_error(going->model->diag, place_hint(HINT_CHECKPOINT),
                          "the time from a checkpoint to the next is a number of seconds, above 0");
    return STATUS_OK;
}

static void free_pass_model(zw_model *model, Simulation *sim)
{
    run_free(sim);
    if (model)
        api_clear(model);
    base_free(model);
}

void checkpoint_free(Checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    free_pass_model(checkpoint->last_model, checkpoint->last);
    for (size_t i = 0; i < checkpoint->said.count; i++)
        base_free(checkpoint->said.at[i]);
    array_clear(&checkpoint->said);
    base_free(checkpoint->begin.q);
    carry_clear(&checkpoint->carry);
    journal_close(&checkpoint->journal);
    text_clear(&checkpoint->settings);
    text_clear(&checkpoint->command);
    base_free(checkpoint);
}

Status checkpoint_new(const Going *going, Checkpoint **out)
{
    const zw_run_options *options = going->options;
    *out = NULL;
    if (!options->checkpoint && !options->resume)
        return STATUS_OK;
    TRY(check(going));
    Checkpoint *checkpoint = *out = base_alloc(sizeof *checkpoint);
    checkpoint->options = options;
    checkpoint->n = checkpoint->journal.n = going->model->motion->n;
    checkpoint->journal.columns = going->columns;
    checkpoint->messages = diag_total(going->model->diag);
    checkpoint_describe(checkpoint, going);
    if (options->resume) {
        // All is looked at before any file is opened.
        TRY(checkpoint_read(checkpoint, going->model));
        return journal_read(&checkpoint->journal, options->resume, NULL, going->model->diag);
    }
    text_add(&checkpoint->command, options->command ? options->command : "");
    return STATUS_OK;
}

// ---- What the listener of the run gets.

typedef struct {
    Checkpoint *checkpoint;
    Going *going;
    const RunListener *listener; // of the run
    bool writes;                 // to the journal
    // The pass.
    zw_model *model; // NULL: the first one has that of the run
    Simulation *sim;
    RunStepper *stepper;
    size_t steps;
    double written; // when a checkpoint was written last
    bool warned;
} Chain;

static bool take_row(void *context, const double *row)
{
    Chain *chain = context;
    if (chain->writes)
        journal_add_row(&chain->checkpoint->journal, JOURNAL_ROW, row);
    return chain->listener->row(chain->listener->context, row);
}

static bool take_between(void *context, const double *row)
{
    Chain *chain = context;
    if (chain->writes)
        journal_add_row(&chain->checkpoint->journal, JOURNAL_BETWEEN, row);
    return chain->listener->between(chain->listener->context, row);
}

static bool take_progress(void *context, double t)
{
    const Chain *chain = context;
    return chain->listener->progress(chain->listener->context, t);
}

// A condition of the run's own model: those of its copies do not live as long.
static const ModelConstraint *own_constraint(const Chain *chain, const char *name)
{
    const Model *model = chain->going->model->model;
    for (size_t i = 0; i < model->constraints.count; i++)
        if (strcmp(model->constraints.at[i].name, name) == 0)
            return &model->constraints.at[i];
    return NULL;
}

static void take_event(void *context, const RunEvent *event)
{
    Chain *chain = context;
    RunEvent own = *event;
    if (chain->model && event->constraint) {
        const ModelConstraint *found = own_constraint(chain, event->constraint->name);
        own.constraint = found ? found : event->constraint;
    }
    if (chain->writes)
        journal_add_event(&chain->checkpoint->journal, event);
    chain->listener->event(chain->listener->context, &own);
}

// ---- What was told before.

static void give_row(void *context, JournalKind kind, const double *row)
{
    Chain *chain = context;
    if (kind == JOURNAL_BETWEEN && chain->listener->between)
        take_between(chain, row);
    else if (kind == JOURNAL_ROW && chain->listener->row)
        take_row(chain, row);
}

static void give_event(void *context, RunEvent *event, const char *constraint)
{
    Chain *chain = context;
    event->constraint = constraint ? own_constraint(chain, constraint) : NULL;
    take_event(chain, event);
}

// The file of rows: that of the run which is taken up, cut back, or another one, into which what
// was told before goes too.
static Status open_journal(Chain *chain)
{
    Checkpoint *checkpoint = chain->checkpoint;
    Journal *journal = &checkpoint->journal, saved = *journal;
    const char *path = checkpoint->options->checkpoint, *from = checkpoint->options->resume;
    Diag *diag = chain->going->model->diag;
    JournalReader reader = {chain, give_row, give_event};
    bool same = path && from && show_same_file(path, from);
    if (path && !same) {
        journal->length = 0;
        journal->hash = 0;
        TRY(journal_open(journal, path, diag));
        chain->writes = true;
    }
    if (from)
        TRY(journal_read(&saved, from, &reader, diag));
    if (same) {
        TRY(journal_open(journal, path, diag));
        chain->writes = true;
    }
    return STATUS_OK;
}

static void say_again(const Chain *chain)
{
    const Checkpoint *checkpoint = chain->checkpoint;
    for (size_t i = 0; i < checkpoint->said.count; i++) {
        const char *text = checkpoint->said.at[i];
        diag_add(chain->going->model->diag, (DiagKind)(text[0] - '0'), place_none(), "%s",
                 text + 1);
    }
}

// ---- Passes.

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A simulation from a state, in a model of its own; why not goes to `why`.
static bool make_pass(const Going *going, const RunBegin *begin, zw_model **model, Simulation **sim,
                      Text *why)
{
    bool again;
    *sim = NULL;
    *model = api_copy(going->model);
    (*model)->begin = begin;
    Status status = (*model)->status;
    if (status == STATUS_OK)
        status = api_make_run(*model, going->options, &again, sim);
    for (size_t i = 0; i < diag_total((*model)->diag) && status != STATUS_OK && !why->length; i++) {
        DiagKind kind;
        Place place;
        const char *text = diag_message((*model)->diag, i, &kind, &place);
        if (kind == DIAG_ERROR)
            text_add(why, text);
    }
    // How the start was completed nobody wants to be told.
    diag_free((*model)->diag);
    (*model)->diag = diag_new();
    if (status == STATUS_OK)
        return true;
    free_pass_model(*model, *sim);
    return false;
}

static Status begin_pass(Chain *chain)
{
    RunListener listener = *chain->listener;
    listener.context = chain;
    listener.row = listener.row ? take_row : NULL;
    listener.between = listener.between ? take_between : NULL;
    listener.progress = listener.progress ? take_progress : NULL;
    listener.event = listener.event ? take_event : NULL;
    Diag *diag = chain->model ? chain->model->diag : chain->going->model->diag;
    RunCarry *carry = chain->model ? &chain->checkpoint->carry : NULL;
    chain->steps = 0;
    chain->going->run = chain->sim;
    return stepper_new(chain->sim, &listener, diag, carry, &chain->stepper);
}

// What the present pass has said is the run's.
static void pass_messages(Chain *chain)
{
    if (!chain->model)
        return;
    api_pass_messages(chain->going->model, chain->model);
    diag_free(chain->model->diag);
    chain->model->diag = diag_new();
}

// Where no pass can begin, the present one goes on; it is told once, where a checkpoint was due.
static void warn(Chain *chain, double t, const char *why)
{
    if (chain->warned || !chain->writes)
        return;
    chain->warned = true;
    diag_add(chain->going->model->diag, DIAG_WARNING, place_hint(HINT_CHECKPOINT),
             "at t = %.10g the run could not be saved, for nothing could begin there: %s", t, why);
}

static bool is_due(const Chain *chain)
{
    double every = chain->checkpoint->options->checkpoint_every;
    return chain->writes && seconds() - chain->written >= (every > 0 ? every : USUAL_SECONDS);
}

static Status write_down(Chain *chain)
{
    Checkpoint *checkpoint = chain->checkpoint;
    checkpoint->rows = chain->going->rows;
    checkpoint->events = chain->going->events;
    chain->written = seconds();
    return checkpoint_write(checkpoint, chain->going->model);
}

// Goes over to a pass from the present state, where one can begin there.
static Status go_over(Chain *chain)
{
    Checkpoint *checkpoint = chain->checkpoint;
    size_t n = checkpoint->n;
    double *q = base_alloc((2 * n + 1) * sizeof *q);
    RunBegin begin = {.t = stepper_time(chain->stepper),
                      .q = q,
                      .v = q + n,
                      .length = stepper_length(chain->stepper)};
    zw_model *model = NULL;
    Simulation *sim = NULL;
    Text why = {0};
    bool quiet = chain->going->waiting.count == 0 && stepper_state(chain->stepper, q, begin.v);
    // What is between two events is tried again after the next step.
    if (!quiet || !make_pass(chain->going, &begin, &model, &sim, &why)) {
        chain->steps = quiet ? 0 : chain->steps;
        if (quiet && is_due(chain))
            warn(chain, begin.t, why.at ? why.at : "");
        text_clear(&why);
        base_free(q);
        return STATUS_OK;
    }
    stepper_leave(chain->stepper, &checkpoint->carry);
    chain->stepper = NULL;
    pass_messages(chain);
    if (chain->model)
        free_pass_model(chain->model, chain->sim);
    base_free(checkpoint->begin.q);
    checkpoint->begin = begin;
    model->begin = &checkpoint->begin;
    chain->model = model;
    chain->sim = sim;
    TRY(begin_pass(chain));
    return is_due(chain) ? write_down(chain) : STATUS_OK;
}

static Status follow(Chain *chain)
{
    size_t most = STEPS / (1 + chain->checkpoint->n / MANY_COORDINATES);
    most = most < FEWEST_STEPS ? FEWEST_STEPS : most;
    Status status = begin_pass(chain);
    double span = 0;
    while (status == STATUS_OK && !stepper_has_ended(chain->stepper)) {
        double t = stepper_time(chain->stepper), half = t + span / 2;
        // Where every step ends in an event no pass could begin: one ends half way to the next.
        bool cut = chain->steps >= most && half > t;
        status = stepper_step(chain->stepper, cut ? half : INFINITY);
        span = stepper_time(chain->stepper) - t;
        if (status == STATUS_OK && !stepper_has_ended(chain->stepper) && ++chain->steps >= most)
            status = go_over(chain);
    }
    return status;
}

Status checkpoint_go(Checkpoint *checkpoint, Going *going, Simulation *first,
                     const RunListener *listener, RunSummary *summary)
{
    Chain chain = {.checkpoint = checkpoint,
                   .going = going,
                   .listener = listener,
                   .sim = first,
                   .written = seconds()};
    Text why = {0};
    bool resumes = checkpoint->begin.q != NULL;
    TRY(open_journal(&chain));
    say_again(&chain);
    if (resumes && !make_pass(going, &checkpoint->begin, &chain.model, &chain.sim, &why)) {
        diag_error(going->model->diag, place_hint(HINT_RESUME), "the run cannot go on there: %s",
                   why.at ? why.at : "");
        text_clear(&why);
        return STATUS_WRONG;
    }
    Status status = follow(&chain);
    *summary = stepper_end(chain.stepper);
    pass_messages(&chain);
    // The summary's energies live as long as its simulation.
    checkpoint->last_model = chain.model;
    checkpoint->last = chain.model ? chain.sim : NULL;
    going->run = first;
    return status;
}
