// sweep_worker.c: a thread of a sweep: a model of its own, which is derived and compiled once and
// runs with one set of values after the other.
//
// Every run is that of a model that was opened with these values, whether what was derived before
// serves it or not.
#include "api/call_impl.h"
#include "api/sweep_impl.h"
#include "base/decimal.h"
#include "dynamics/equations.h"
#include "expr/expr.h"
#include "motion/motion_types.h"
#include "simulate/run_report.h"

#include <math.h>
#include <string.h>

enum { FEWEST_NODES = 2000, UNSERVED = 8 };

typedef struct {
    const Sweep *sweep;
    BaseHeap heap; // of all that follows
    bool spoiled;
    zw_model *model;
    KeepState *keep;
    double *params;
    Text setting;
    double until; // when the run has taken too long
    bool limited;
    size_t run;
    RunWords *left;
    Diag *warned;         // of masses and inertias that no body has
    size_t pool_size;     // of the model, when it was derived
    size_t unserved;      // runs more than others that what was derived did not serve
    const double **items; // of each list that is kept
    size_t *counts;
} Worker;

void sweep_settings(const SweepDesign *design, size_t run, Text *text)
{
    text->length = 0;
    for (size_t i = 0; i < design->axis_count; i++) {
        text_addf(text, "%s%s=", i ? "," : "", design->axes[i].name);
        text_add_decimal(text, sweep_value(design, i, run));
        text_add(text, design->si ? " SI" : "");
    }
}

void *sweep_worker_begin(void *context)
{
    Worker *worker = api_new(sizeof *worker);
    if (worker) {
        worker->sweep = context;
        base_heap_init(&worker->heap);
    }
    return worker;
}

void sweep_worker_end(void *context)
{
    Worker *worker = context;
    if (!worker->spoiled && worker->model) {
        keep_state_free(worker->keep);
        text_clear(&worker->setting);
        base_free(worker->params);
        base_free(worker->items);
        base_free(worker->counts);
        api_clear(worker->model);
        base_free(worker->model);
    }
    base_heap_clear(&worker->heap);
    base_free(worker);
}

// ---- One attempt.

typedef struct {
    Status status;
    RunSummary summary;
    Text message;
} Attempt;

static bool goes_on(void *context, double t)
{
    (void)t;
    KeepState *keep = context;
    Worker *worker = keep_owner(keep);
    // The clock takes as long as some parts of a step.
    worker->limited = worker->limited || (isfinite(worker->until) && sweep_now() > worker->until);
    return !worker->limited && !worker->sweep->stop;
}

// The first of the kind.
static void take_message(const Diag *diag, DiagKind wanted, Text *message)
{
    for (size_t i = 0; i < diag_total(diag); i++) {
        DiagKind kind;
        Place place;
        const char *text = diag_message(diag, i, &kind, &place);
        if (kind != wanted)
            continue;
        text_addf(message, "%s%s", kind == DIAG_WARNING ? SWEEP_WARNING : "", text);
        return;
    }
}

// As a run does, which may be one of the same equations as the one before.
static void warn_of_inertia(Worker *worker, const Simulation *run)
{
    const Motion *motion = worker->model->motion;
    size_t params = worker->model->model->params.count;
    if (!motion || motion->model->params.count != params)
        return;
    double *inputs = base_alloc((params + 1 + motion->n) * sizeof *inputs);
    memcpy(inputs, worker->params, params * sizeof *inputs);
    inputs[params] = 0;
    memcpy(inputs + params + 1, run_start(run).q, motion->n * sizeof *inputs);
    diag_free(worker->warned);
    worker->warned = diag_new();
    inertia_check_at(motion, inputs, worker->warned);
    base_free(inputs);
}

static Status go(Worker *worker, Simulation *run, Attempt *attempt)
{
    RunListener listener = {0};
    zw_model *model = worker->model;
    TRY(model_param_values(model->model, model->diag, worker->params));
    warn_of_inertia(worker, run);
    keep_begin(worker->keep, run, worker->params, &listener);
    listener.progress = goes_on;
    return run_go(run, &listener, model->diag, &attempt->summary);
}

static Status make_and_go(Worker *worker, const zw_run_options *options, Attempt *attempt)
{
    Simulation *run;
    bool again;
    zw_model *model = worker->model;
    // A model whose runs each derive something else is read for each of them.
    bool tries = worker->unserved < UNSERVED;
    again = false;
    TRY(tries ? api_make_run(model, options, &again, &run)
              : api_make_new_run(model, options, &run));
    Status status = go(worker, run, attempt);
    worker->unserved += again && !run_is_served(run);
    // Where what was derived before does not serve: with a model that is read anew.
    if (again && !run_is_served(run)) {
        run_free(run);
        diag_free(model->diag);
        model->diag = diag_new();
        TRY(api_make_new_run(model, options, &run));
        status = go(worker, run, attempt);
    } else if (again && worker->unserved > 0)
        worker->unserved--;
    api_keep_run(model, run);
    return status;
}

static void try_run(Worker *worker, const zw_run_options *options, Attempt *attempt)
{
    zw_model *model = worker->model;
    Diag *before = model->diag;
    model->diag = diag_new();
    worker->warned = diag_new();
    attempt->summary = (RunSummary){.constant_change = NAN};
    attempt->status = make_and_go(worker, options, attempt);
    attempt->message.length = 0;
    if (attempt->status != STATUS_OK)
        take_message(model->diag, DIAG_ERROR, &attempt->message);
    else
        take_message(worker->warned, DIAG_WARNING, &attempt->message);
    diag_free(worker->warned);
    diag_free(model->diag);
    model->diag = before;
}

// ---- A run, and a second attempt where it fails.

// Another method than the one that failed, with more care.
static zw_run_options careful(const zw_model *model, const zw_run_options *options)
{
    zw_run_options other = *options;
    const char *method = api_method(model, options);
    bool series = !method || strcmp(method, "taylor") == 0;
    other.method = series ? "bdf" : "taylor";
    return other;
}

static bool can_be_careful(const zw_model *model, const zw_run_options *options)
{
    const char *method = api_method(model, options);
    return !(method && strcmp(method, "timestepping") == 0);
}

static bool was_ended(const Worker *worker)
{
    return worker->limited || worker->sweep->stop;
}

// What the record says of it.
static SweepStatus status_of(const Worker *worker, const Attempt *attempt)
{
    if (worker->limited)
        return SWEEP_LIMIT;
    if (attempt->status != STATUS_OK)
        return SWEEP_FAILED;
    return attempt->summary.stop.event ? SWEEP_STOPPED : SWEEP_OK;
}

static void leave(Worker *worker, Attempt *attempt)
{
    const Sweep *sweep = worker->sweep;
    size_t lists = keep_list_count(sweep->plan);
    SweepStatus status = status_of(worker, attempt);
    const double **items = worker->items;
    size_t *counts = worker->counts;
    // Of a run that has not come to its end nothing is kept.
    if (status > SWEEP_STOPPED)
        keep_clear(worker->keep);
    const char *open = keep_open(worker->keep);
    if (open)
        text_addf(&attempt->message, "%s%s changes too often within a step to be told",
                  attempt->message.length > 0 ? "; " : "", open);
    for (size_t i = 0; i < lists; i++)
        items[i] = keep_items(worker->keep, i, &counts[i]);
    SweepRecord record = {.run = worker->run,
                          .status = status,
                          .steps = attempt->summary.steps,
                          .error = attempt->summary.constant_change,
                          .t = status <= SWEEP_STOPPED ? keep_last_time(worker->keep)
                                                       : attempt->summary.reached,
                          .message = attempt->message.at ? attempt->message.at : "",
                          .numbers = keep_end(worker->keep, status <= SWEEP_STOPPED),
                          .items = items,
                          .counts = counts};
    worker->left = run_store_words(sweep->store, &record);
}

static void make_run(Worker *worker, Attempt *attempt)
{
    const Sweep *sweep = worker->sweep;
    const char *setting;
    sweep_settings(sweep->design, worker->run, &worker->setting);
    setting = worker->setting.at;
    keep_clear(worker->keep);
    if (api_set(worker->model, &setting, 1) != STATUS_OK) {
        attempt->status = STATUS_WRONG;
        attempt->summary = (RunSummary){.constant_change = NAN};
        take_message(worker->model->diag, DIAG_ERROR, &attempt->message);
        return;
    }
    try_run(worker, &sweep->run, attempt);
    if (attempt->status != STATUS_NEGATIVE || was_ended(worker) ||
        !can_be_careful(sweep->model, &sweep->run))
        return;
    Attempt second = {0};
    zw_run_options options = careful(sweep->model, &sweep->run);
    try_run(worker, &options, &second);
    if (second.status == STATUS_OK) {
        text_addf(&second.message, "%sby the method '%s', after: %s",
                  second.message.length > 0 ? "; " : "", options.method,
                  attempt->message.at ? attempt->message.at : "");
        Attempt first = *attempt;
        *attempt = second;
        second = first;
    }
    text_clear(&second.message);
}

static Status begin_model(Worker *worker)
{
    const Sweep *sweep = worker->sweep;
    if (worker->model)
        return STATUS_OK;
    worker->model = api_copy(sweep->model);
    worker->model->stage = NULL; // it is for one thread
    worker->model->uses = (double)sweep->design->runs / (double)sweep->workers;
    worker->keep = keep_state_new(sweep->plan, worker);
    worker->params = base_alloc((worker->model->model->params.count + 1) * sizeof *worker->params);
    size_t lists = keep_list_count(sweep->plan);
    worker->items = base_alloc((lists + 1) * sizeof *worker->items);
    worker->counts = base_alloc((lists + 1) * sizeof *worker->counts);
    return worker->model->status;
}

// Every value is a number of the pool, which grows by them: where these are most of it, the model
// is read again, so that memory does not grow with the runs.
static Status limit_pool(Worker *worker)
{
    zw_model *model = worker->model;
    size_t size = model->model ? expr_pool_size(model->model->pool) : 0;
    if (!model->kept) {
        worker->pool_size = 0;
        return STATUS_OK;
    }
    if (worker->pool_size == 0)
        worker->pool_size = size;
    if (size < 2 * worker->pool_size + FEWEST_NODES)
        return STATUS_OK;
    worker->pool_size = 0;
    return api_read_again(model, model->diag);
}

static Status make_record(void *context)
{
    Worker *worker = context;
    Attempt attempt = {0};
    TRY(begin_model(worker));
    double limit = worker->sweep->options->limit_each;
    worker->limited = false;
    worker->until = limit > 0 ? sweep_now() + limit : INFINITY;
    TRY(limit_pool(worker));
    make_run(worker, &attempt);
    if (worker->limited) {
        attempt.message.length = 0;
        text_addf(&attempt.message, "the limit of %g s was reached at t = %.6g", limit,
                  attempt.summary.reached);
    }
    if (worker->limited || !worker->sweep->stop)
        leave(worker, &attempt);
    text_clear(&attempt.message);
    // Messages of settings point into texts that are not wanted any more.
    if (diag_total(worker->model->diag) > 0) {
        diag_free(worker->model->diag);
        worker->model->diag = diag_new();
    }
    return STATUS_OK;
}

typedef struct {
    const Sweep *sweep;
    size_t run;
    RunWords *left;
} MemoryCall;

// A record that says that memory has ended, where there is enough for that.
static Status tell_memory(void *context)
{
    MemoryCall *call = context;
    size_t numbers = keep_number_count(call->sweep->plan);
    size_t lists = keep_list_count(call->sweep->plan);
    double *none = base_alloc((numbers + 1) * sizeof *none);
    size_t *counts = base_alloc((lists + 1) * sizeof *counts);
    for (size_t i = 0; i < numbers; i++)
        none[i] = NAN;
    SweepRecord record = {.run = call->run,
                          .status = SWEEP_FAILED,
                          .error = NAN,
                          .t = NAN,
                          .message = "the memory ended",
                          .numbers = none,
                          .counts = counts};
    call->left = run_store_words(call->sweep->store, &record);
    return STATUS_OK;
}

RunWords *sweep_worker_run(void *context, size_t run)
{
    Worker *worker = context;
    worker->run = run;
    worker->left = NULL;
    if (api_guarded(&worker->heap, &worker->spoiled, make_record, worker) == STATUS_OK)
        return worker->left;
    // The next run begins with a new model.
    const Sweep *sweep = worker->sweep;
    base_free(worker->left);
    base_heap_clear(&worker->heap);
    *worker = (Worker){.sweep = sweep};
    base_heap_init(&worker->heap);
    MemoryCall *call = &(MemoryCall){.sweep = sweep, .run = run};
    (void)api_alone(tell_memory, call);
    return call->left;
}
