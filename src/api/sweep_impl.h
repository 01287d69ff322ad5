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
    _Atomic bool stop;
} Sweep;

// ---- sweep_worker.c: one thread's model, and the runs that it makes (run_threads.h); the context
// is the sweep.
void *sweep_worker_begin(void *sweep);
RunWords *sweep_worker_run(void *worker, size_t run);
void sweep_worker_end(void *worker);
// "v=0.1,m=2": the values of a run, as a setting.
void sweep_settings(const SweepDesign *design, size_t run, Text *text);

#endif
