// run_impl.h: the parts of a run. Never leaves the room.
#ifndef ZWANG_RUN_IMPL_H
#define ZWANG_RUN_IMPL_H

#include "run/numbers_impl.h"
#include "run/seconds_impl.h"
#include "run/series_impl.h"
#include "run/sizes_impl.h"
#include "run/start_impl.h"
#include "run/watch_impl.h"

// ---- engine.c: interpreted or compiled. Both give the same numbers, so that it does not matter
// when a run goes over.
typedef struct {
    ProgramNative *native; // NULL: interpreted
    bool settled;          // nothing is left to decide
    size_t operations;     // of one evaluation
} Engine;
// At the beginning of a run. Where nothing can be compiled a note says so, once.
void engine_begin(Run *run, Diag *diag);
// After a step to t: compiles where what is left is likely to take longer than compiling does.
// Counts decide and not the clock.
void engine_consider(Run *run, size_t steps, double t, Diag *diag);
void engine_clear(Engine *engine);

// ---- asker.c: whether somebody wants the run to end.
typedef struct Asker {
    const RunListener *listener;
    double t;     // how far the run has come
    double work;  // since the clock was last looked at
    double next;  // when to ask again
    bool stopped; // somebody does
    bool deaf;    // not now: what is begun must become whole
} Asker;
// Asks now and then, after work of about so many operations; NULL: nobody is there.
bool asker_stops(Asker *asker, double work);
bool asker_goes_on(void *asker); // the reverse, for who waits

// ---- options.c
BASE_MUST_USE Status options_resolve(const Motion *motion, const RunOptions *given,
                                     const double *params, Diag *diag, RunOptions *settings);

// Whether timestepping can be the method.
bool options_can_step(const Motion *motion);

// ---- timestepping.c: the whole way by steps of fixed length.
BASE_MUST_USE Status timestepping_go(Run *run, const RunListener *listener, Diag *diag,
                                     RunSummary *summary);

// ---- branch_start.c: the stationary points at the start, and which of them is the motion: after
// the accelerations without the conditions that have them.
BASE_MUST_USE Status branches_begin(Run *run, bool instant, Diag *diag);

struct Run {
    Motion *motion;
    RunOptions settings;
    Numbers numbers;
    Projector projector;
    Columns columns;
    Engine engine;
    Sides sides;
    Branches branches; // at the start
    RunBranches branches_told;
    const Numbers *told; // at the row that was told last; NULL before
    RunAudit *audit;     // NULL where nobody asked for one; not owned
    Asker *asker;        // while it goes
    bool dense;          // Jacobians are solved as dense ones, however few entries they have
    // The start, kept.
    double *q, *v, *u, *a, *lambda;
    double energy;
};

#endif
