// zw_sweep.c: many runs of one model.
//
//     design   which values each run has
//     plan     what is kept of each run; the columns are those of the first one
//     store    what the runs leave, in OUT.part while they are made
//     threads  make the runs
//     table    all of it, in the order of the runs
#define _DEFAULT_SOURCE // _SC_NPROCESSORS_ONLN
#include "api/call_impl.h"
#include "api/outputs_impl.h"
#include "api/result_impl.h"
#include "api/sweep_impl.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 1024, MOST_FAILURES = 3 };

// ---- Options.

static Status check_device(const char *device, Diag *diag)
{
    if (!device || strcmp(device, "cpu") == 0 || strcmp(device, "auto") == 0)
        return STATUS_OK;
    if (strcmp(device, "gpu") != 0)
        return diag_error(diag, place_hint(HINT_DEVICE),
                          "unknown device '%s'; there are cpu, gpu and auto", device);
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    diag_error(diag, place_hint(HINT_DEVICE), "no GPU: %s; take the device 'cpu'",
               driver ? "sweeps of this version run on processors" : "libcuda was not found");
    if (driver)
        dlclose(driver);
    return STATUS_FAILED;
}

static Status check_options(const zw_sweep_options *options, const zw_run_options *run, Diag *diag)
{
    TRY(api_check_texts("axis", options->vary, options->vary_count, diag));
    TRY(api_check_texts("plot", options->plots, options->plot_count, diag));
    TRY(check_device(options->device, diag));
    if (!(options->limit_each >= 0))
        return diag_error(diag, place_hint(HINT_LIMIT_EACH),
                          "the limit of a run is a number of seconds, above 0");
    if (options->threads > MOST_THREADS)
        return diag_error(diag, place_hint(HINT_THREADS), "there are at most %d threads",
                          MOST_THREADS);
    if (run->out || run->events || run->plot_count > 0 || run->picture || run->checkpoint ||
        run->resume || run->audit || run->branches || run->rows)
        return diag_error(diag, place_none(),
                          "files, pictures, checkpoints, audits and branches belong to one run, "
                          "not to a sweep");
    bool alone = !options->ranks || !ranks_are_asked_for();
    if (!alone && (!options->out || strcmp(options->out, "-") == 0))
        return diag_error(diag, place_hint(HINT_OUT),
                          "the ranks of a sweep leave their runs in files; name one in a folder "
                          "that all of them see");
    if (options->resume && (!options->out || strcmp(options->out, "-") == 0))
        return diag_error(diag, place_hint(HINT_RESUME),
                          "a sweep is gone on with where its file is; name that");
    return STATUS_OK;
}

static Status read_file(const char *path, Diag *diag, Text *text)
{
    return api_read_file(path, diag, text);
}

static Status make_design(Sweeping *sweeping)
{
    zw_model *model = sweeping->sweep.model;
    const zw_sweep_options *options = sweeping->sweep.options;
    sweeping->axes = base_alloc((options->vary_count + 1) * sizeof *sweeping->axes);
    for (size_t i = 0; i < options->vary_count; i++) {
        sweeping->axes[i] = source_new("vary", options->vary[i], strlen(options->vary[i]));
        array_push(&model->asked, sweeping->axes[i]); // messages point into it
    }
    SweepDesignOptions wanted = {.axes = sweeping->axes,
                                 .count = options->vary_count,
                                 .zip = options->zip,
                                 .samples = options->samples,
                                 .seed = options->seed,
                                 .read_file = read_file};
    return sweep_design_new(&wanted, model->model, model->diag, &sweeping->sweep.design);
}

// ---- What is kept.

// What columns are by the model: its outputs.
static const char **definitions_of(const Sweeping *sweeping, const Model *model,
                                   const char *const *names, size_t count)
{
    const char **definitions = arena_array(sweeping->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        Expr value = {0};
        for (size_t k = 0; k < model->outputs.count; k++)
            if (strcmp(model->outputs.at[k].name, names[i]) == 0)
                value = model->outputs.at[k].value;
        definitions[i] = NULL;
        if (value.at == 0)
            continue;
        Text text = {0};
        expr_print(model->pool, value, &text);
        definitions[i] = arena_copy_text(sweeping->arena, text.at, text.length);
        text_clear(&text);
    }
    return definitions;
}

static KeepNames names_of(const Sweeping *sweeping, const zw_model *first, const Simulation *run)
{
    const Model *model = first->model;
    size_t columns = run_column_count(run), labels = 0;
    const char **names = arena_array(sweeping->arena, const char *, columns + 1);
    const char **params = arena_array(sweeping->arena, const char *, model->params.count + 1);
    const char **events = arena_array(sweeping->arena, const char *,
                                      model->constraints.count + model->events.count + 1);
    for (size_t i = 0; i < columns; i++)
        names[i] = run_column_name(run, i);
    const char **definitions = definitions_of(sweeping, model, names, columns);
    for (size_t i = 0; i < model->params.count; i++)
        params[i] = model->params.at[i].name;
    for (size_t i = 0; i < model->constraints.count; i++)
        if (model->constraints.at[i].name)
            events[labels++] = model->constraints.at[i].name;
    for (size_t i = 0; i < model->events.count; i++)
        if (model->events.at[i].name)
            events[labels++] = model->events.at[i].name;
    // The derivatives of one column name what they are taken by.
    const char **diffs = arena_array(sweeping->arena, const char *, columns + 1);
    size_t diff_count = 0, length = columns > 1 ? strlen(names[1]) : 0;
    for (size_t i = 1; i < columns; i++)
        if (strncmp(names[i], "diff(", 5) == 0 && strncmp(names[i] + 5, names[1], length) == 0 &&
            names[i][5 + length] == ',')
            diffs[diff_count++] = arena_copy_text(sweeping->arena, names[i] + 6 + length,
                                                  strlen(names[i]) - length - 7);
    return (KeepNames){names,  definitions, columns, params,    model->params.count,
                       events, labels,      diffs,   diff_count};
}

static Status make_plan(Sweeping *sweeping, const zw_model *first, const Simulation *run)
{
    Sweep *sweep = &sweeping->sweep;
    const char *keep = sweep->options->keep;
    KeepNames names = names_of(sweeping, first, run);
    Source *source = keep ? source_new("keep", keep, strlen(keep)) : NULL;
    if (source)
        array_push(&sweep->model->asked, source); // messages point into it
    sweeping->asked = true;
    return keep_plan_new(source, &names, sweep->model->diag, &sweep->plan);
}

// The options in force, and the columns.
static Status take_run(Sweeping *sweeping, const zw_model *first, const Simulation *run)
{
    RunOptions settings = run_settings(run);
    ShowRun *show = &sweeping->show.run;
    show->to = settings.to;
    show->every = settings.every;
    show->tolerance = settings.tolerance;
    show->method = run_method_name(settings.method);
    return make_plan(sweeping, first, run);
}

// Derivatives that are to be kept are asked of every run.
static void find_derivatives(Sweeping *sweeping)
{
    Sweep *sweep = &sweeping->sweep;
    Text names = {0};
    keep_diff_names(sweep->options->keep, &names);
    if (!sweep->run.sensitivity && names.length > 0)
        sweep->run.sensitivity = arena_copy_text(sweeping->arena, names.at, names.length);
    text_clear(&names);
}

// What can be varied.
static void add_names(const Model *model, Text *names)
{
    for (size_t i = 0; i < model->params.count; i++)
        text_addf(names, "%s%s", names->length > 0 ? ", " : "", model->params.at[i].name);
    for (size_t i = 0; i < model->coords.count; i++)
        text_addf(names, "%s%s, %s'", names->length > 0 ? ", " : "", model->coords.at[i].name,
                  model->coords.at[i].name);
}

// Errors in the texts of values are about what is varied.
static void pass_errors(const zw_model *from, const Model *model, Diag *to)
{
    static const char unknown[] = "unknown name";
    Text names = {0};
    add_names(model, &names);
    for (size_t i = 0; i < diag_total(from->diag); i++) {
        DiagKind kind;
        Place place;
        const char *text = diag_message(from->diag, i, &kind, &place);
        if (kind == DIAG_ERROR && strncmp(text, unknown, sizeof unknown - 1) == 0)
            diag_add(to, kind, place_hint(HINT_VARY), "%s; the model has %s", text, names.at);
        else if (kind == DIAG_ERROR)
            diag_add(to, kind, place_hint(HINT_VARY), "%s", text);
    }
    text_clear(&names);
}

// A model with these values, or without (NULL), as far as its run can begin. *named: whether the
// model knows all names.
static Status try_values(Sweeping *sweeping, const char *values, bool *named)
{
    Sweep *sweep = &sweeping->sweep;
    zw_model *first = api_copy(sweep->model);
    Simulation *run = NULL;
    bool again;
    first->stage = NULL;
    Status status = values ? api_set(first, &values, 1) : first->status;
    *named = status == STATUS_OK;
    if (status == STATUS_OK)
        status = api_make_run(first, &sweep->run, &again, &run);
    if (status == STATUS_OK)
        status = take_run(sweeping, first, run);
    else if (*named)
        api_pass_messages(sweep->model, first);
    else
        pass_errors(first, sweep->model->model, sweep->model->diag);
    run_free(run);
    api_clear(first);
    base_free(first);
    return status;
}

// Those of the first run tell which columns there are; where it has no motion, those of the model
// as it was opened.
static Status look_at_first(Sweeping *sweeping)
{
    zw_model *model = sweeping->sweep.model;
    Diag *before = model->diag, *said = diag_new();
    Text setting = {0};
    bool named;
    sweep_settings(sweeping->sweep.design, 0, &setting);
    model->diag = said;
    Status status = try_values(sweeping, setting.at, &named);
    if (status != STATUS_OK && named && !sweeping->asked) {
        model->diag = diag_new();
        if (try_values(sweeping, NULL, &named) == STATUS_OK)
            status = STATUS_OK;
        diag_free(model->diag);
    }
    model->diag = before;
    if (status != STATUS_OK)
        diag_copy(before, said, 0);
    diag_free(said);
    text_clear(&setting);
    return status;
}

// ---- Names of columns.

static bool is_taken(const Sweeping *sweeping, const char *name)
{
    static const char *const others[] = {"run", "status", "steps", "error", "t", "message"};
    const KeepPlan *plan = sweeping->sweep.plan;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0)
            return true;
    for (size_t i = 0; i < keep_number_count(plan); i++)
        if (strcmp(name, keep_number_name(plan, i)) == 0)
            return true;
    for (size_t i = 0; i < keep_list_count(plan); i++)
        for (size_t k = 0; k < keep_list(plan, i)->width; k++)
            if (strcmp(name, keep_list(plan, i)->columns[k]) == 0)
                return true;
    return false;
}

static void name_axes(Sweeping *sweeping)
{
    const SweepDesign *design = sweeping->sweep.design;
    sweeping->labels = arena_array(sweeping->arena, const char *, design->axis_count + 1);
    for (size_t i = 0; i < design->axis_count; i++) {
        const char *name = design->axes[i].name;
        Text label = {0};
        text_addf(&label, "%s%s", name, is_taken(sweeping, name) ? "(0)" : "");
        sweeping->labels[i] = arena_copy_text(sweeping->arena, label.at, label.length);
        text_clear(&label);
    }
}

// ---- Files.

static void describe(Sweeping *sweeping)
{
    const Sweep *sweep = &sweeping->sweep;
    const zw_model *model = sweep->model;
    const char **settings =
        arena_array(sweeping->arena, const char *, model->setting_count + model->set_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < model->setting_count; i++)
        settings[count++] = model->setting_sources[i]->at;
    for (size_t i = 0; i < model->set_count; i++)
        settings[count++] = model->set_sources[i]->at;
    ShowSweep *show = &sweeping->show;
    show->design = sweep->design;
    show->axes = sweeping->labels;
    show->plan = sweep->plan;
    show->device = "cpu";
    show->sampling = sweep->design->random ? "random" : sweep->options->zip ? "zip" : "grid";
    show->run.title = model->model->title[0] ? model->model->title : model->model->name;
    show->run.file = model->source->name;
    show->run.text = (Str){model->source->at, model->source->length};
    show->run.version = zw_version();
    show->run.command = sweep->run.command ? sweep->run.command : "";
    show->run.settings = settings;
    show->run.setting_count = count;
    show->run.digits = sweep->run.digits;
}

// ---- The runs.

static bool goes_on(void *context, size_t done)
{
    Sweeping *sweeping = context;
    sweep_write_some(sweeping);
    const zw_sweep_options *options = sweeping->sweep.options;
    return api_goes_on(options->progress, options->context,
                       (double)done / (double)sweeping->sweep.design->runs);
}

static void *begin_worker(void *context)
{
    Sweeping *sweeping = context;
    return sweep_worker_begin(&sweeping->sweep);
}

static size_t thread_count(const Sweeping *sweeping)
{
    size_t wanted = sweeping->sweep.options->threads;
    size_t left = sweeping->sweep.design->runs - sweeping->before;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (sweeping->sweep.ranks)
        return wanted > 0 ? wanted : 1;
    if (wanted == 0)
        wanted = processors > 0 ? (size_t)processors : 1;
    wanted = wanted < MOST_THREADS ? wanted : MOST_THREADS;
    return left == 0 ? 1 : left < wanted ? left : wanted;
}

static Status make_runs(Sweeping *sweeping)
{
    Sweep *sweep = &sweeping->sweep;
    sweeping->sweep.workers =
        thread_count(sweeping) * (sweep->ranks ? ranks_count(sweep->ranks) : 1);
    RunThreads job = {.threads = thread_count(sweeping),
                      .runs = sweep->design->runs,
                      .begin = begin_worker,
                      .run = sweep_worker_run,
                      .end = sweep_worker_end,
                      .goes_on = goes_on,
                      .context = sweeping,
                      .stop = &sweep->stop,
                      .ranks = sweep->ranks};
    sweeping->began = sweep_now();
    sweep_write_later(sweeping);
    return run_threads_go(&job, sweep->store, sweep->model->diag);
}

// ---- What is said.

typedef struct {
    size_t counts[SWEEP_STATUS_COUNT];
    double time; // of all motions
    Text failures;
    size_t told, warned;
    Text warning; // the first
} Tally;

static void count_run(const SweepRecord *record, Tally *tally)
{
    tally->counts[record->status]++;
    if (isfinite(record->t))
        tally->time += record->t;
    if (strncmp(record->message, SWEEP_WARNING, strlen(SWEEP_WARNING)) == 0 && tally->warned++ == 0)
        text_addf(&tally->warning, "run %zu: %s", record->run,
                  record->message + strlen(SWEEP_WARNING));
    if (record->status < SWEEP_FAILED || tally->told++ >= MOST_FAILURES)
        return;
    text_addf(&tally->failures, "%srun %zu: %s", tally->told > 1 ? "; " : "", record->run,
              record->message);
}

// All runs that are there, and the numbers of the result where it is to have them.
static Status count_runs(Sweeping *sweeping, zw_sweep_facts *facts, Tally *tally)
{
    const Sweep *sweep = &sweeping->sweep;
    size_t runs = sweep->design->runs, axes = sweep->design->axis_count;
    size_t columns = axes + keep_number_count(sweep->plan);
    bool numbers = sweep->options->numbers;
    Arena *arena = sweeping->result->arena;
    double **values = arena_array(arena, double *, columns + 1);
    const char **names = arena_array(arena, const char *, columns + 1);
    size_t room = numbers ? runs : 0;
    const char **statuses = arena_array(arena, const char *, room + 1);
    const char **messages = arena_array(arena, const char *, room + 1);
    size_t *steps = arena_array(arena, size_t, room + 1);
    double *errors = arena_array(arena, double, room + 1);
    double *reached = arena_array(arena, double, room + 1);
    for (size_t i = 0; i < columns && numbers; i++) {
        values[i] = arena_array(arena, double, runs + 1);
        names[i] =
            result_copy(sweeping->result,
                        i < axes ? sweeping->labels[i] : keep_number_name(sweep->plan, i - axes));
    }
    for (size_t run = 0; run < runs; run++) {
        SweepRecord record = {.run = run, .message = "", .error = NAN, .t = NAN};
        bool there = run_store_has(sweep->store, run);
        if (there && !run_store_read(sweep->store, run, &record)) {
            diag_error(sweep->model->diag, place_none(), "run %zu cannot be read again", run);
            return STATUS_FAILED;
        }
        if (there)
            count_run(&record, tally);
        for (size_t i = 0; i < columns && numbers; i++)
            values[i][run] = i < axes ? sweep_value(sweep->design, i, run)
                             : there  ? record.numbers[i - axes]
                                      : NAN;
        if (!numbers)
            continue;
        statuses[run] = there ? sweep_status_name(record.status) : "";
        messages[run] = record.message[0] ? result_copy(sweeping->result, record.message) : "";
        steps[run] = record.steps;
        errors[run] = record.error;
        reached[run] = record.t;
    }
    *facts = (zw_sweep_facts){.runs = runs, .done = run_store_done(sweep->store)};
    facts->ok = tally->counts[SWEEP_OK];
    facts->stopped = tally->counts[SWEEP_STOPPED];
    facts->failed = tally->counts[SWEEP_FAILED];
    facts->limited = tally->counts[SWEEP_LIMIT];
    if (!numbers)
        return STATUS_OK;
    facts->columns = columns;
    facts->names = names;
    facts->numbers = (const double *const *)values;
    facts->statuses = statuses;
    facts->messages = messages;
    facts->steps = steps;
    facts->errors = errors;
    facts->reached = reached;
    return STATUS_OK;
}

static void summarize(const Sweeping *sweeping, const zw_sweep_facts *facts, const Tally *tally,
                      double seconds, Text *out)
{
    size_t threads = thread_count(sweeping);
    text_addf(out, "%s: %zu runs, %zu ok", sweeping->sweep.model->model->name, facts->runs,
              facts->ok);
    if (facts->stopped > 0)
        text_addf(out, ", %zu stopped", facts->stopped);
    if (facts->failed > 0)
        text_addf(out, ", %zu failed", facts->failed);
    if (facts->limited > 0)
        text_addf(out, ", %zu beyond the limit", facts->limited);
    if (tally->told > 0)
        text_addf(out, " (%s%s)", tally->failures.at, tally->told > MOST_FAILURES ? "; …" : "");
    if (facts->done < facts->runs)
        text_addf(out, ", %zu not made", facts->runs - facts->done);
    size_t made = facts->done - sweeping->before;
    double part = facts->done > 0 ? (double)made / (double)facts->done : 0;
    text_addf(out, "; %.2g model-seconds a second on ",
              seconds > 0 ? tally->time * part / seconds : 0);
    if (sweeping->sweep.ranks)
        text_addf(out, "%zu ranks, each with ", ranks_count(sweeping->sweep.ranks));
    text_addf(out, "%zu thread%s\n", threads, threads == 1 ? "" : "s");
}

// ---- Pictures.

static Status each_plot(const Sweeping *sweeping, bool draws)
{
    const zw_sweep_options *options = sweeping->sweep.options;
    Diag *diag = sweeping->sweep.model->diag;
    for (size_t i = 0; i < options->plot_count; i++) {
        ShowPlotStyle style;
        TRY(api_plot_style(options->plot_styles ? options->plot_styles[i] : NULL, diag, &style));
        TRY((draws ? show_sweep_plot : show_sweep_plot_check)(options->plots[i], &style,
                                                              &sweeping->show, diag));
    }
    return STATUS_OK;
}

static Status check_files(const Sweeping *sweeping)
{
    const zw_sweep_options *options = sweeping->sweep.options;
    const char **paths = arena_array(sweeping->arena, const char *, options->plot_count + 1);
    paths[0] = options->out;
    for (size_t i = 0; i < options->plot_count; i++)
        paths[i + 1] = show_plot_path(options->plots[i]);
    // What is no file leads to none.
    for (size_t i = 0; i < options->vary_count; i++)
        TRY(api_spare_input(sweeping->sweep.model, paths, options->plot_count + 1,
                            options->vary[i]));
    return api_check_outputs(sweeping->sweep.model, paths, options->plot_count + 1);
}

// ---- The whole.

// Runs are missing, and nobody has ended the sweep: a rank writes into a folder that rank 0 does
// not see; or threads had no memory to begin with, or to say that a run had none.
static Status tell_missing(const Sweep *sweep, const zw_sweep_facts *facts)
{
    Diag *diag = sweep->model->diag;
    size_t away = run_store_missing(sweep->store, sweep->ranks ? ranks_count(sweep->ranks) : 1);
    if (away > 0)
        diag_error(diag, place_none(),
                   "what rank %zu has made is not beside what rank 0 has: all ranks write into one "
                   "folder",
                   away);
    else
        diag_error(diag, place_none(), "memory ended after %zu of %zu runs", facts->done,
                   facts->runs);
    return STATUS_FAILED;
}

static Status finish(Sweeping *sweeping, Status status)
{
    Sweep *sweep = &sweeping->sweep;
    const char *out = sweep->options->out;
    double seconds = sweep_now() - sweeping->began;
    zw_sweep_facts *facts = arena_alloc(sweeping->result->arena, sizeof *facts);
    Tally tally = {0};
    Status counted = count_runs(sweeping, facts, &tally);
    status = counted > status ? counted : status;
    if (status == STATUS_OK && facts->done < facts->runs)
        status = tell_missing(sweep, facts);
    if (status < STATUS_WRONG && out) {
        Status written = sweep_write_table(sweeping, facts->done == facts->runs);
        status = written > status ? written : status;
    }
    if (status < STATUS_WRONG) {
        Status drawn = each_plot(sweeping, true);
        status = drawn > status ? drawn : status;
    }
    if (status < STATUS_WRONG) {
        Text text = {0};
        summarize(sweeping, facts, &tally, seconds, &text);
        if (facts->done < facts->runs && sweeping->part)
            text_addf(&text, "%s keeps what was done, for going on\n", sweeping->part);
        result_put_text(sweeping->result, &text, ZW_TEXT, 0);
        sweeping->result->sweep = facts;
    }
    if (tally.warned > 0)
        diag_add(sweeping->sweep.model->diag, DIAG_WARNING, place_none(),
                 "%zu run%s a warning (%s%s)", tally.warned, tally.warned == 1 ? " has" : "s have",
                 tally.warning.at, tally.warned > 1 ? "; …" : "");
    text_clear(&tally.failures);
    text_clear(&tally.warning);
    bool failed = facts->failed + facts->limited > 0 && !sweep->options->allow_failures;
    return status == STATUS_OK && failed ? STATUS_NEGATIVE : status;
}

static Status prepare(Sweeping *sweeping)
{
    Sweep *sweep = &sweeping->sweep;
    zw_model *model = sweep->model;
    const char *out = sweep->options->out;
    TRY(model->status);
    TRY(check_options(sweep->options, &sweep->run, model->diag));
    TRY(check_files(sweeping));
    find_derivatives(sweeping);
    TRY(make_design(sweeping));
    TRY(look_at_first(sweeping));
    name_axes(sweeping);
    describe(sweeping);
    sweep_sign(sweeping);
    if (out)
        TRY(show_sweep_check(out, &sweeping->show, model->diag));
    return each_plot(sweeping, false);
}

// The worst status of all ranks. What rank 0 says the others need not say again.
static Status agree(Sweeping *sweeping, Status status)
{
    zw_model *model = sweeping->sweep.model;
    const Ranks *ranks = sweeping->sweep.ranks;
    sweeping->own = status > sweeping->own ? status : sweeping->own;
    if (!ranks)
        return status;
    Status first = ranks_agree(ranks, ranks_number(ranks) == 0 ? status : STATUS_OK);
    if (ranks_number(ranks) > 0 && first != STATUS_OK) {
        diag_free(model->diag);
        model->diag = diag_new();
        sweeping->own = STATUS_OK;
    }
    return ranks_agree(ranks, status);
}

// Ranks whose files or programs differ would not make one sweep.
static Status check_ranks(const Sweeping *sweeping)
{
    const Sweep *sweep = &sweeping->sweep;
    size_t other = sweep->ranks ? ranks_other(sweep->ranks, sweeping->signature) : 0;
    if (other == 0 || sweep_rank(sweeping) > 0)
        return STATUS_OK;
    return diag_error(sweep->model->diag, place_none(),
                      "rank %zu has another model, other values or another version of zwang than "
                      "rank 0; give all ranks the same files",
                      other);
}

static bool is_varied(const SweepDesign *design, const char *name)
{
    bool varied = false;
    for (size_t i = 0; i < design->axis_count && !varied; i++)
        varied = strcmp(design->axes[i].name, name) == 0;
    return varied;
}

// What is given by an interval and not drawn from it has its midpoint in all runs.
static void note_midpoints(const Sweep *sweep)
{
    const Model *model = sweep->model->model;
    bool taken = false;
    for (size_t i = 0; i < model->params.count; i++)
        taken = taken || (!expr_is_none(model->params.at[i].radius) &&
                          !is_varied(sweep->design, model->params.at[i].name));
    for (size_t i = 0; i < model->starts.count; i++) {
        const ModelStart *start = &model->starts.at[i];
        Text name = {0};
        text_addf(&name, "%s%s",
                  start->of == START_SPEED ? model->speeds.at[start->target].name
                                           : model->coords.at[start->target].name,
                  start->of == START_VELOCITY ? "'" : "");
        taken = taken || (!expr_is_none(start->radius) && !is_varied(sweep->design, name.at));
        text_clear(&name);
    }
    if (taken)
        diag_add(sweep->model->diag, DIAG_NOTE, place_none(),
                 "interval data: the midpoint was run, but for what is varied");
}

static Status sweep_model(Sweeping *sweeping)
{
    bool first = sweep_rank(sweeping) == 0;
    TRY(agree(sweeping, prepare(sweeping)));
    TRY(agree(sweeping, check_ranks(sweeping)));
    if (first)
        note_midpoints(&sweeping->sweep);
    // The others begin their files after rank 0 has looked at what is there.
    TRY(agree(sweeping, first ? sweep_open_store(sweeping) : STATUS_OK));
    TRY(agree(sweeping, first ? STATUS_OK : sweep_open_store(sweeping)));
    sweep_name_files(sweeping);
    Status status = agree(sweeping, make_runs(sweeping));
    sweep_write_no_more(sweeping);
    Status written = agree(sweeping, sweep_write_rank(sweeping, status));
    status = written > status ? written : status;
    if (!first)
        return status;
    Status joined = sweep_join(sweeping, true);
    Status ended = finish(sweeping, joined > status ? joined : status);
    if (status < STATUS_WRONG)
        sweeping->own = ended;
    return ended;
}

static Status answer(zw_model *model, const void *given, zw_result *result)
{
    const zw_sweep_options *options = given;
    Sweeping sweeping = {.sweep = {.model = model, .options = options}, .result = result};
    Sweep *sweep = &sweeping.sweep;
    TRY(api_take_options(options->run, &sweep->run, sizeof sweep->run, model->diag));
    if (options->ranks && ranks_are_asked_for())
        TRY(ranks_open(model->diag, &sweep->ranks));
    sweeping.arena = arena_new();
    Status status = sweep_model(&sweeping);
    bool whole = sweep->store && run_store_done(sweep->store) == sweep->design->runs;
    bool first = sweep_rank(&sweeping) == 0;
    bool over = first && whole && status < STATUS_WRONG;
    if (over)
        sweep_remove_rank_files(&sweeping);
    run_store_close(sweep->store, over);
    keep_plan_free(sweep->plan);
    sweep_design_free(sweep->design);
    base_free(sweeping.axes);
    arena_free(sweeping.arena);
    // Where another rank says what is wrong, this one ends well: mpirun ends all others as soon as
    // one does not, and nothing would be said.
    if (sweep->ranks && status >= STATUS_WRONG)
        status = sweeping.own;
    ranks_close(sweep->ranks);
    return status;
}

zw_status zw_sweep(zw_model *model, const zw_sweep_options *given, zw_result **result)
{
    zw_sweep_options options;
    return api_ask(model, given, &options, sizeof options, answer, false, result);
}
