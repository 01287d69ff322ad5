// sweep_files.c: the HDF5 files of a sweep: while it goes on, and those of its ranks.
//
// While runs are made the file is written again and again from what is in the store, a few
// milliseconds at a time, and takes its place when it is whole: whoever looks finds a complete file
// of the runs up to then. One process writes OUT.h5; a rank writes OUT.rankK.h5, and OUT.h5 joins
// them at the end.
#define _XOPEN_SOURCE 700 // realpath
#include "api/sweep_impl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BETWEEN    1.0  // seconds from one file to the next, at the least;
#define SHARE      20.0 // and so many times what writing it has taken
#define AT_A_TIME  5e-3 // seconds of writing between two looks at the threads
#define RANKS_TIME 1e-3 // where other ranks wait for an answer

enum { RUNS_AT_A_TIME = 64 };

// Beside the file that OUT leads to, before the ending of its name.
static char *rank_file(const Sweeping *sweeping, size_t rank)
{
    char real[PATH_MAX];
    const char *out = sweeping->sweep.options->out;
    out = realpath(out, real) ? real : out;
    const char *dot = strrchr(out, '.');
    Text path = {0};
    text_addf(&path, "%.*s.rank%zu%s", (int)(dot - out), out, rank, dot);
    char *copy = arena_copy_text(sweeping->arena, path.at, path.length);
    text_clear(&path);
    return copy;
}

void sweep_name_files(Sweeping *sweeping)
{
    const Sweep *sweep = &sweeping->sweep;
    const char *out = sweep->options->out;
    if (!out || !show_sweep_is_hdf5(out))
        return;
    sweeping->own_file = sweep->ranks ? rank_file(sweeping, sweep_rank(sweeping)) : out;
    sweeping->show.ranks = sweep->ranks ? ranks_count(sweep->ranks) : 0;
}

// ---- While it goes on.

// Nothing is said of a file that cannot be written now: at the end it is.
static bool begin_or_end(Sweeping *sweeping, bool ends)
{
    Diag *unheard = diag_new();
    SweepFile *file = sweeping->file;
    sweeping->file = NULL;
    Status status =
        ends ? show_sweep_file_end(file, true, unheard)
             : show_sweep_file_begin(sweeping->own_file, &sweeping->show, unheard, &sweeping->file);
    diag_free(unheard);
    return status == STATUS_OK;
}

void sweep_write_later(Sweeping *sweeping)
{
    double wait = SHARE * sweeping->file_cost;
    sweeping->next_file = sweep_now() + (wait > BETWEEN ? wait : BETWEEN);
}

void sweep_write_some(Sweeping *sweeping)
{
    double began = sweep_now(), enough = sweeping->sweep.ranks ? RANKS_TIME : AT_A_TIME;
    if (!sweeping->own_file || sweeping->cannot || (!sweeping->file && began < sweeping->next_file))
        return;
    sweeping->show.complete = false;
    if (!sweeping->file) {
        sweeping->file_cost = 0;
        sweeping->cannot = !begin_or_end(sweeping, false);
    }
    bool more = !sweeping->cannot;
    while (more && sweep_now() - began < enough)
        more = show_sweep_file_go_on(sweeping->file, RUNS_AT_A_TIME);
    if (!more && sweeping->file)
        sweeping->cannot = !begin_or_end(sweeping, true);
    sweeping->file_cost += sweep_now() - began;
    sweep_write_later(sweeping);
}

void sweep_write_no_more(Sweeping *sweeping)
{
    Diag *unheard = diag_new();
    if (sweeping->file && show_sweep_file_end(sweeping->file, false, unheard) != STATUS_OK)
        sweeping->cannot = true;
    sweeping->file = NULL;
    diag_free(unheard);
}

// ---- At the end.

Status sweep_write_rank(Sweeping *sweeping, Status ended)
{
    const Sweep *sweep = &sweeping->sweep;
    sweeping->show.complete = ended == STATUS_OK;
    if (!sweep->ranks || !sweeping->own_file || ended >= STATUS_WRONG)
        return STATUS_OK;
    return show_sweep_hdf5(sweeping->own_file, &sweeping->show, sweep->model->diag);
}

Status sweep_write_table(Sweeping *sweeping, bool complete)
{
    const Sweep *sweep = &sweeping->sweep;
    sweeping->show.complete = complete;
    if (!sweep->ranks || !sweeping->own_file)
        return show_sweep_write(sweep->options->out, &sweeping->show, sweep->model->diag);
    size_t count = ranks_count(sweep->ranks);
    const char **files = arena_array(sweeping->arena, const char *, count);
    for (size_t i = 0; i < count; i++)
        files[i] = rank_file(sweeping, i);
    return show_sweep_join(sweep->options->out, &sweeping->show, files, count, sweep->model->diag);
}

void sweep_remove_rank_files(const Sweeping *sweeping)
{
    const Sweep *sweep = &sweeping->sweep;
    Text unfinished = {0};
    for (size_t i = sweeping->show.ranks; sweeping->own_file && i < run_store_ranks(sweep->store);
         i++) {
        const char *path = rank_file(sweeping, i);
        unfinished.length = 0;
        text_addf(&unfinished, "%s%s", path, SHOW_SWEEP_UNFINISHED);
        unlink(path);
        unlink(unfinished.at);
    }
    text_clear(&unfinished);
}
