// sweep_impl.h: a sweep in progress. Never leaves the room.
#ifndef ZWANG_API_SWEEP_IMPL_H
#define ZWANG_API_SWEEP_IMPL_H

#include "api/api_impl.h"
#include "ensemble/run_threads.h"
#include "show/show_sweep.h"

typedef struct {
    zw_model *model; // as it was opened; read by all threads
    const zw_sweep_options *options;
    zw_run_options run; // of each run, without what is written and told
    SweepDesign *design;
    KeepPlan *plan;
    RunStore *store;
    Ranks *ranks;   // NULL: this process alone
    size_t workers; // threads, of all ranks
    _Atomic bool stop;
} Sweep;

// How the message begins of a run that is over and has a warning.
#define SWEEP_WARNING "warning: "

// A sweep, from its options to its result.

typedef struct {
    Sweep sweep;
    Source **axes;
    bool asked; // what is kept has been read
    Arena *arena;
    const char **labels; // of the axes
    ShowSweep show;
    char *part; // OUT.part; NULL: in memory
    zw_result *result;
    double began;
    size_t before; // runs that were there at the beginning
    char *signature;
    Status own; // the worst that this rank has met itself
    // Of HDF5, while the sweep goes on.
    const char *own_file; // of this process; NULL: CSV, or none
    SweepFile *file;      // that is being written
    double next_file, file_cost;
    bool cannot; // be written
} Sweeping;

// ---- sweep_store.c
double sweep_now(void);                      // seconds
size_t sweep_rank(const Sweeping *sweeping); // 0: the first process, or the only one
void sweep_sign(Sweeping *sweeping);         // tells which sweep this is
BASE_MUST_USE Status sweep_open_store(Sweeping *sweeping);
// What other ranks have left: those of a sweep that was broken off, or at the end of this one.
BASE_MUST_USE Status sweep_join(Sweeping *sweeping, bool ended);

// ---- sweep_files.c: HDF5 while the sweep goes on, and of several ranks.
void sweep_name_files(Sweeping *sweeping);
void sweep_write_later(Sweeping *sweeping);   // the first one, or the next
void sweep_write_some(Sweeping *sweeping);    // some milliseconds' worth, where it is time
void sweep_write_no_more(Sweeping *sweeping); // what is half written is taken away
BASE_MUST_USE Status sweep_write_rank(Sweeping *sweeping, Status ended); // this rank's own, if any
BASE_MUST_USE Status sweep_write_table(Sweeping *sweeping, bool complete);
// Those of a sweep before that had more ranks: their runs stand elsewhere now.
void sweep_remove_rank_files(const Sweeping *sweeping);

// ---- sweep_worker.c: one thread's model, and the runs that it makes (run_threads.h); the context
// is the sweep.
void *sweep_worker_begin(void *sweep);
RunWords *sweep_worker_run(void *worker, size_t run);
void sweep_worker_end(void *worker);
// "v=0.1,m=2": the values of a run, as a setting.
void sweep_settings(const SweepDesign *design, size_t run, Text *text);

#endif
