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
} ShowSweep;

// ---- hdf5_sweep.c
BASE_MUST_USE Status show_sweep_hdf5(const char *path, const ShowSweep *sweep, Diag *diag);

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
