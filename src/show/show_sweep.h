// show_sweep.h: what a sweep leaves behind: a table with a line a run, and pictures of it.
#ifndef ZWANG_SHOW_SWEEP_H
#define ZWANG_SHOW_SWEEP_H

#include "ensemble/keeps.h"
#include "ensemble/run_store.h"
#include "ensemble/sweep_axes.h"
#include "show/show.h"

typedef struct {
    const SweepDesign *design;
    const char *const *axes; // their names as columns: those of starts with (0) where what is kept
                             // has the same name
    const KeepPlan *plan;
    RunStore *store;
    ShowRun run;          // without columns
    const char *sampling; // "grid", "zip", "random"
    const char *device;
    size_t ranks;  // runs that the store has from ranks below this one stand in files of their own
    bool complete; // no run is missing
} ShowSweep;

// ---- hdf5_sweep.c
BASE_MUST_USE Status show_sweep_hdf5(const char *path, const ShowSweep *sweep, Diag *diag);
bool show_sweep_is_hdf5(const char *path);
#define SHOW_SWEEP_UNFINISHED ".part.new" // behind its name: one that was being written
// The same while the sweep goes on, so many runs at each call; false where there are no more. Each
// call takes the runs that the store has then.
typedef struct SweepFile SweepFile;
BASE_MUST_USE Status show_sweep_file_begin(const char *path, const ShowSweep *sweep, Diag *diag,
                                           SweepFile **out);
bool show_sweep_file_go_on(SweepFile *file, size_t most);
BASE_MUST_USE Status show_sweep_file_end(SweepFile *file, bool keep, Diag *diag);

// ---- hdf5_ranks.c: a file whose datasets are those of the ranks' files, in the order of the runs.
BASE_MUST_USE Status show_sweep_join(const char *path, const ShowSweep *sweep,
                                     const char *const *paths, size_t count, Diag *diag);

// Before any work: whether a file of this name can hold it.
BASE_MUST_USE Status show_sweep_check(const char *path, const ShowSweep *sweep, Diag *diag);
// All runs that are there, in their order: as CSV or HDF5.
BASE_MUST_USE Status show_sweep_write(const char *path, const ShowSweep *sweep, Diag *diag);

// ---- sweep_plot.c: a picture, FILE.svg or NAME[,NAME…]:FILE.svg: curves over one axis, a map over
// two ranges, a histogram of random draws, dots for the items of a list.
BASE_MUST_USE Status show_sweep_plot_check(const char *wanted, const ShowPlotStyle *style,
                                           const ShowSweep *sweep, Diag *diag);
BASE_MUST_USE Status show_sweep_plot(const char *wanted, const ShowPlotStyle *style,
                                     const ShowSweep *sweep, Diag *diag);

#endif
