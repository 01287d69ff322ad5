// simulate.h: a motion in time: starts that satisfy the constraints, integration, rows of numbers.
//
// The state that a run carries is (q, u), u being k independent speeds, so that velocity
// conditions hold by construction; positions are projected onto finite conditions after every step.
// Where the speeds become singular, the run takes others and goes on; no column shows it.
//
// instant.h: everything about the start. run_audit.h: how far the numbers can be trusted.
#ifndef ZWANG_SIMULATE_H
#define ZWANG_SIMULATE_H

#include "expr/expr_types.h"
#include "simulate/run_options.h"

typedef struct ModelConstraint ModelConstraint; // model.h
typedef struct Motion Motion;                   // motion.h
typedef struct RunFormulas RunFormulas;         // motion_formulas.h
typedef struct RunFormulasRoom RunFormulasRoom;

typedef struct Simulation Simulation;

// Checks options and inertia, evaluates the parameters and completes the start. What was filled
// in is a note; an option or start that is wrong is an error. The motion must outlive the run.
BASE_MUST_USE Status run_new(Motion *motion, const RunOptions *options, Diag *diag,
                             Simulation **sim);
void run_free(Simulation *sim);

// The options as they are in force, all numbers given.
RunOptions run_settings(const Simulation *sim);

// ---- Columns: t; coordinates; velocities; all declared speeds; lambda.NAME of the conditions
// that were not set aside; energy; residual.NAME of every condition, as it is written, where
// asked for; outputs.
size_t run_column_count(const Simulation *sim);
const char *run_column_name(const Simulation *sim, size_t column);

// ---- The completed start, with the accelerations and multipliers there.
typedef struct {
    size_t n, m, k;       // coordinates, conditions in force, speeds: as in the motion
    const double *q, *v;  // n each
    const double *u;      // k, the motion's speeds
    const double *a;      // n
    const double *lambda; // of the conditions in force, in their order
    double energy;
    const double *row; // all columns there, until the run goes
} RunStart;
RunStart run_start(const Simulation *sim);

// ---- Events: instants at which the motion goes on by another law or with other velocities.
typedef enum {
#define EVENT(NAME, word, several) RUN_##NAME,
#include "simulate/events.def"
#undef EVENT
    RUN_EVENT_COUNT
} RunEventKind;
const char *run_event_name(RunEventKind kind);
const char *run_event_names(RunEventKind kind); // of many

// A record a condition; several may share t. The arrays live until the listener returns.
typedef struct {
    double t;
    RunEventKind kind;
    const ModelConstraint *constraint; // NULL where it is no condition's
    const char *what;                  // that which switches, as it is written; else NULL
    const double *before, *after;      // n velocities
    double impulse;                    // of an impact: −impulse·∂f/∂q
    double energy_lost;                // in all impacts of this t together
    bool doubtful;      // within the tolerance: f may not have reached 0, or have passed it
    double uncertainty; // of a rest: how far its time may be off
} RunEvent;

// ---- The run. The listener receives a row at t = 0, at every k·DT and at the end, and two rows of
// the same t at an event, before and after it; false stops the run. It receives an event before the
// second of these rows, and the progress after every step and every row inside one, which may stop
// the run too. Each function may be NULL.
typedef bool (*RunRowFn)(void *context, const double *row);
typedef bool (*RunProgressFn)(void *context, double t);
typedef void (*RunEventFn)(void *context, const RunEvent *event);
typedef struct RunListener {
    RunRowFn row;
    RunProgressFn progress;
    void *context;
    RunEventFn event;
    bool regular; // without the rows at events
} RunListener;

// How often each kind of event was there, and when.
typedef struct {
    size_t count;
    double first, last;
} RunEventTally;

typedef enum {
    RUN_WHOLE,   // the end was reached
    RUN_ASKED,   // the listener stopped it
    RUN_STRANDED // the motion could not be followed further
} RunEnd;

typedef struct RunSummary {
    RunEnd end;
    double reached; // the last time accepted by the integration, or the last row where it stopped
    size_t rows;
    size_t steps, rejected, evaluations;
    size_t order; // of the method
    size_t speed_changes;
    double largest_residual; // over all rows and conditions, as they are written
    double energy_drift; // the largest |E − E at t = 0| over all rows, without impacts' changes
    bool stiff;
    RunEventTally events[RUN_EVENT_COUNT];
    double energy_lost; // in impacts
    double deepest;     // the largest f > 0 of a unilateral condition over all rows
} RunSummary;

// Always from the start. STATUS_NEGATIVE where the end was not reached: an error says where and
// why, unless the listener stopped the run.
BASE_MUST_USE Status run_go(Simulation *sim, const RunListener *listener, Diag *diag,
                            RunSummary *summary);

// ---- Everything known at the last row, for those who evaluate more there: symbols
// and numbers of parameters | t | q | q' | q'' | multipliers of all conditions.
typedef struct {
    const Expr *symbols;
    const double *values;
    size_t count;
} RunState;
RunState run_state(const Simulation *sim);

// The motion as formulas (motion_formulas.h). The room owns what they point to. An error where the
// motion is no set of formulas.
BASE_MUST_USE Status run_formulas(Simulation *sim, bool fixed, bool whole, Diag *diag,
                                  RunFormulasRoom **room, RunFormulas *formulas);

#endif
