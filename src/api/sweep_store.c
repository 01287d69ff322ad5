// sweep_store.c: where the runs of a sweep are kept while it is made: OUT.part, and of other ranks
// OUT.part.1, OUT.part.2, …; which sweep they are of.
#include "api/sweep_impl.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

double sweep_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void add_line(Text *text, const char *name, const char *value)
{
    text_addf(text, "%s: ", name);
    for (; *value; value++)
        text_add_char(text, *value == '\n' ? ' ' : *value);
    text_add(text, "\n");
}

// What the numbers are made from; not the number of threads, the limits or the names of files.
static void sign(const Sweeping *sweeping, Text *text)
{
    const Sweep *sweep = &sweeping->sweep;
    const zw_sweep_options *options = sweep->options;
    const zw_run_options *run = &sweep->run;
    const zw_model *model = sweep->model;
    const struct {
        const char *name, *value;
    } words[] = {{"keep", options->keep},           {"form", run->form},
                 {"method", run->method},           {"until", run->until},
                 {"paradox", run->paradox},         {"engine", run->engine},
                 {"sensitivity", run->sensitivity}, {"independent", model->independent}};
    add_line(text, "version", zw_version());
    text_addf(text, "model: %s, %016llx\n", model->model->name,
              (unsigned long long)hash_bytes(model->source->at, model->source->length, 1));
    for (size_t i = 0; i < sweeping->show.run.setting_count; i++)
        add_line(text, "setting", sweeping->show.run.settings[i]);
    for (size_t i = 0; i < options->vary_count; i++)
        add_line(text, "vary", options->vary[i]);
    text_addf(text, "runs: %zu\n", sweep->design->runs);
    text_addf(text, "zip: %d\nsamples: %zu\nseed: %llu\n", options->zip, options->samples,
              options->seed);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        add_line(text, words[i].name, words[i].value ? words[i].value : "");
    text_addf(text, "to: %.17g\nevery: %.17g\ntolerance: %.17g\nstep: %.17g\n", run->to, run->every,
              run->tolerance, run->step);
    text_addf(text, "flags: %d%d%d%d%d, branch %zu\n", run->residuals, run->no_watch,
              run->integrals, run->fixed, model->orthonormal, model->branch);
    uint64_t values = 1; // of tables
    for (size_t i = 0; i < sweep->design->axis_count; i++) {
        const SweepAxis *axis = &sweep->design->axes[i];
        if (axis->kind == SWEEP_LIST)
            values = hash_bytes(axis->values,
                                sweep->design->groups[axis->group].count * sizeof(double), values);
    }
    text_addf(text, "values: %016llx\n", (unsigned long long)values);
}

void sweep_sign(Sweeping *sweeping)
{
    Text signature = {0};
    sign(sweeping, &signature);
    sweeping->signature = arena_copy_text(sweeping->arena, signature.at, signature.length);
    text_clear(&signature);
}

size_t sweep_rank(const Sweeping *sweeping)
{
    return sweeping->sweep.ranks ? ranks_number(sweeping->sweep.ranks) : 0;
}

static double size_of_file(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode) ? (double)file.st_size : 0;
}

// Whether there is room on the disk for what is kept, beside OUT.part.
static Status check_room(const Sweeping *sweeping)
{
    const Sweep *sweep = &sweeping->sweep;
    Text folder = {0};
    text_add(&folder, sweeping->part);
    char *slash = strrchr(folder.at, '/');
    if (slash)
        slash[slash == folder.at] = '\0';
    struct statvfs disk;
    bool known = statvfs(slash ? folder.at : ".", &disk) == 0;
    text_clear(&folder);
    double words = 10 + (double)keep_number_count(sweep->plan), every = sweeping->show.run.every;
    for (size_t i = 0; i < keep_list_count(sweep->plan); i++)
        if (keep_list(sweep->plan, i)->kind == KEEP_ROWS)
            words += (double)keep_list(sweep->plan, i)->width * (sweeping->show.run.to / every + 1);
    // A number is 8 bytes there, and as many or more in the file that is written at the end; of
    // HDF5 the former one stays until the next is whole.
    double copies = show_sweep_is_hdf5(sweep->options->out) ? 3 : 2;
    double wanted = copies * 8 * words * (double)sweep->design->runs;
    double room = known ? (double)disk.f_bavail * (double)disk.f_frsize : INFINITY;
    // What is gone on with is there already.
    if (sweep->options->resume)
        room += size_of_file(sweeping->part) + size_of_file(sweep->options->out);
    if (wanted <= room)
        return STATUS_OK;
    diag_error(sweep->model->diag, place_hint(HINT_KEEP),
               "%zu runs need about %.3g bytes in '%s', and there are %.3g; keep less of each run, "
               "or make fewer",
               sweep->design->runs, wanted, sweeping->part, room);
    return STATUS_FAILED;
}

static void name_parts(Sweeping *sweeping)
{
    const char *out = sweeping->sweep.options->out;
    if (!out || strcmp(out, "-") == 0)
        return;
    Text part = {0}, own = {0};
    text_addf(&part, "%s.part", out);
    run_store_rank_path(part.at, sweep_rank(sweeping), &own);
    sweeping->part = arena_copy_text(sweeping->arena, own.at, own.length);
    text_clear(&part);
    text_clear(&own);
}

Status sweep_join(Sweeping *sweeping, bool ended)
{
    const Sweep *sweep = &sweeping->sweep;
    size_t ranks = sweep->ranks ? ranks_count(sweep->ranks) : 1,
           done = run_store_done(sweep->store);
    if (!sweeping->part || sweep_rank(sweeping) > 0)
        return STATUS_OK;
    TRY(run_store_join(sweep->store, sweeping->signature, ranks, sweep->model->diag));
    if (ended || sweep->options->resume || run_store_done(sweep->store) == done)
        return STATUS_OK;
    return diag_error(
        sweep->model->diag, place_hint(HINT_RESUME),
        "beside '%s' are the runs of ranks of a sweep that was broken off; go on with "
        "it, or take them away to begin anew",
        sweeping->part);
}

Status sweep_open_store(Sweeping *sweeping)
{
    Sweep *sweep = &sweeping->sweep;
    size_t lists = keep_list_count(sweep->plan), rank = sweep_rank(sweeping);
    size_t *widths = arena_array(sweeping->arena, size_t, lists + 1);
    for (size_t i = 0; i < lists; i++)
        widths[i] = keep_list(sweep->plan, i)->width;
    name_parts(sweeping);
    if (sweeping->part && rank == 0)
        TRY(check_room(sweeping));
    if (sweep->design->runs > UINT32_MAX)
        return diag_error(sweep->model->diag, place_hint(HINT_VARY), "a sweep has at most %u runs",
                          UINT32_MAX);
    RunStoreOptions options = {.path = sweeping->part,
                               .resume = sweep->options->resume || rank > 0,
                               .signature = sweeping->signature,
                               .runs = sweep->design->runs,
                               .numbers = keep_number_count(sweep->plan),
                               .lists = lists,
                               .widths = widths};
    TRY(run_store_open(&options, sweep->model->diag, &sweep->store));
    TRY(sweep_join(sweeping, false));
    sweeping->before = run_store_done(sweep->store);
    sweeping->show.store = sweep->store;
    return STATUS_OK;
}
