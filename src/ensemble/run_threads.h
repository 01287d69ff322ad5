// run_threads.h: the runs of a sweep, shared by threads.
//
// Whoever is free takes the next run, so that a slow one holds up nobody; what it leaves goes to
// the store by the thread that has called. No lock is taken.
//
// `begin`, `run` and `end` are all that a device gives: one that makes many runs side by side, in
// lanes or on a GPU, takes them from the same counter and leaves the same records.
#ifndef ZWANG_ENSEMBLE_RUN_THREADS_H
#define ZWANG_ENSEMBLE_RUN_THREADS_H

#include "ensemble/ranks.h"

typedef struct {
    size_t threads, runs;
    // In a thread: what it works with; a run, NULL where it was broken off because *stop was set;
    // and the end of it.
    void *(*begin)(void *context);
    RunWords *(*run)(void *worker, size_t run);
    void (*end)(void *worker);
    void *context;
    // In the calling thread, some times a second: whether the work goes on. May be NULL.
    bool (*goes_on)(void *context, size_t done);
    _Atomic bool *stop;
    Ranks *ranks; // NULL: all runs are made here
} RunThreads;
// STATUS_NEGATIVE where it does not go on; runs that were under way are then absent.
BASE_MUST_USE Status run_threads_go(const RunThreads *job, RunStore *store, Diag *diag);

#endif
