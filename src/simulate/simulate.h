// simulate.h: a motion in time: starts that satisfy the constraints, integration, rows of numbers.
//
// The state that a run carries is (q, u), u being k independent speeds, so that velocity
// conditions hold by construction; finite conditions are projected after every step. Where the
// speeds become singular on the way, the run takes others and goes on; no column shows it.
#ifndef ZWANG_SIMULATE_H
#define ZWANG_SIMULATE_H

#include "dynamics/branches.h"
#include "dynamics/compilation.h"
#include "expr/expr.h"
#include "forms/form_kinds.h"

typedef struct InquiryIntegrals InquiryIntegrals; // inquiry.h
typedef struct ModelConstraint ModelConstraint;   // model.h
typedef struct Motion Motion;                     // motion.h
typedef struct MotionReactions MotionReactions;
typedef struct RunFormulas RunFormulas; // motion_formulas.h
typedef struct RunFormulasRoom RunFormulasRoom;

typedef enum {
#define METHOD(NAME, word, method) RUN_##NAME,
#include "ode/integrators.def"
#undef METHOD
    RUN_TIMESTEPPING, // steps of fixed length, by no integrator
    RUN_METHOD_COUNT
} RunMethod;
const char *run_method_name(RunMethod method);
bool run_method_find(Str name, RunMethod *method);

// By its name: auto, interpret, native.
bool run_engine_find(Str name, RunEngine *engine);

typedef struct {
    double to, every, tolerance; // NAN: what the model's `run` line says, else the defaults
    double step;                 // of RUN_TIMESTEPPING alone; NAN: a tenth of `every`
    bool residuals;              // with columns residual.NAME
    bool driven;                 // by this form; else by least constraint, the cheapest
    FormKind form;
    RunMethod method;
    RunEngine engine;
    size_t branch; // which stationary point is the motion, from 1; 0: the one of least constraint
    bool instant;  // only the start is asked for: conditions may depend on each other there
} RunOptions;
RunOptions run_options(void); // nothing given

typedef struct Run Run;

// Checks options and inertia, evaluates the parameters and completes the start. What was filled
// in is a note; an option or start that is wrong is an error. The motion must outlive the run.
BASE_MUST_USE Status run_new(Motion *motion, const RunOptions *options, Diag *diag, Run **run);
void run_free(Run *run);

// The options as they are in force, all numbers given.
RunOptions run_settings(const Run *run);

// ---- Columns: t; coordinates; velocities; all declared speeds; lambda.NAME of the conditions
// that were not set aside; energy; residual.NAME of every condition, as it is written, where
// asked for; outputs.
size_t run_column_count(const Run *run);
const char *run_column_name(const Run *run, size_t column);

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
RunStart run_start(const Run *run);

// ---- One-sided conditions at the start (Mayer 1899): which of them act.
typedef struct {
    const ModelConstraint *constraint;
    double f, rate;      // f and f'; f' as it is after a shock
    double before;       // f' before the shock, as the start was given
    double impulse;      // of the shock: −impulse·∂f/∂q
    bool touches;        // f = 0
    bool kept;           // and f' = 0, so that it may act; the rest is 0 where it is not
    bool acts;           // λ > 0
    double phi0;         // Φ⁰: f'' in the motion that only the equations restrict
    double lambda;       // the reaction is −λ·∂f/∂q
    double acceleration; // f''
    // What Ostrogradsky's rule says, where it says something.
    bool rule_acts;
    double rule_lambda, rule_acceleration;
} RunSide;

typedef struct {
    const RunSide *at;
    size_t count, kept;
    bool unique; // no other λ gives the same accelerations
    // A shock at the start: a condition is struck, or a percussion acts at t = 0.
    bool shock, struck;
    bool repeated;        // the rebounds did not end, or excluded each other: the last with e = 0
    const double *before; // n: the velocities as the start was given
    double energy_lost;   // by the conditions that are struck
    // Ostrogradsky's rule: another motion, or (no rule_a then) none at all.
    bool rule_differs;
    const double *rule_a; // n
} RunSides;

// ---- The instant: everything that can be said of the start.
typedef struct {
    double force[3], couple[3], position[3];
} RunWrench;

typedef struct {
    bool has_energy;
    double T, U;
    const double *speeds; // all declared ones
    const double *powers; // m: what the reactions of each condition do in a unit of time
    // a° = the acceleration without reactions, and Gauss's function ½(a − a°)·𝓜(a − a°). None
    // where something is moved by reactions alone, because it has no inertia.
    bool has_free;
    const double *free; // n
    double constraint;
    // How well things are determined: the ratio of the largest to the smallest, 1 is best.
    double conditions; // of the conditions that are independent here, by their singular values
    double inertia;    // of the inertia on the velocities left free; infinite where there is none
    size_t rank;       // of the conditions in force
    const bool *redundant; // m: it depends here on the ones before it
    RunSides sides;
    RunBranches branches;
    const MotionReactions *reactions;
    const RunWrench *at;       // of reactions->at
    const RunWrench *totals;   // of reactions->totals
    const double *generalized; // n of each of reactions->generalized
} RunInstant;
typedef struct RunInstantRoom RunInstantRoom;
// The room owns what the instant points to.
BASE_MUST_USE Status run_instant(Run *run, Diag *diag, RunInstantRoom **room, RunInstant *instant);
void run_instant_free(RunInstantRoom *room);

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
    double impulse;                    // of a shock: −impulse·∂f/∂q
    double energy_lost;                // by all shocks of this t together
    bool doubtful;      // within the tolerance: f may not have reached 0, or have passed it
    double uncertainty; // of a rest: how far its time may be off
} RunEvent;

// ---- Going. A row is told at t = 0, at every k·DT and at the end, and two of the same t at an
// event, before and after it; false stops the run. Events are told before the second of these
// rows. Progress is told after every step and every row inside one, and may stop the run too; each
// function may be NULL.
typedef bool (*RunRowFn)(void *context, const double *row);
typedef bool (*RunProgressFn)(void *context, double t);
typedef void (*RunEventFn)(void *context, const RunEvent *event);
typedef struct {
    RunRowFn row;
    RunProgressFn progress;
    void *context;
    RunEventFn event;
    bool regular; // the rows at events are not told
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

typedef struct {
    RunEnd end;
    double
        reached; // the last time that the integration accepted, or the last row where asked to stop
    size_t rows; // that were told
    size_t steps, rejected, evaluations;
    size_t order; // of the method
    size_t speed_changes;
    double largest_residual; // over all rows and conditions, as they are written
    double energy_drift; // the largest |E − E at t = 0| over all rows, but for what shocks and
                         // percussions do
    bool stiff;          // the motion was seen to be stiff
    RunEventTally events[RUN_EVENT_COUNT];
    double energy_lost; // in shocks
    double deepest;     // the largest f > 0 of a one-sided condition over all rows
} RunSummary;

// Always from the start. STATUS_NEGATIVE where the end was not reached: a stranded run adds an
// error that says where and why, a run that the listener stopped adds nothing.
BASE_MUST_USE Status run_go(Run *run, const RunListener *listener, Diag *diag, RunSummary *summary);

// ---- Everything known at the row that was told last, for those who evaluate more there: symbols
// and numbers of parameters | t | q | q' | q'' | multipliers of all conditions.
typedef struct {
    const Expr *symbols;
    const double *values;
    size_t count;
} RunState;
RunState run_state(const Run *run);

// The motion as formulas (motion_formulas.h). The room owns what they point to. An error where the
// motion is no set of formulas.
BASE_MUST_USE Status run_formulas(Run *run, bool fixed, bool whole, Diag *diag,
                                  RunFormulasRoom **room, RunFormulas *formulas);

// ---- Auditing: the run as asked, and a second opinion by another method and a tighter tolerance.
// All numbers are estimates, none is a bound.
typedef struct {
    const char *name;
    double first;   // its value at the start
    double largest; // of what it consists of
    double drift;   // the largest change over all rows; of a balance: what does not close
    double t;       // when
} RunDrift;

// Columns of one kind, against their own sizes: the largest values of each.
typedef struct {
    const char *name;  // "coordinates"
    size_t count;      // of columns; 0: there are none, or nothing was compared
    const char *worst; // that which differs most
    double difference; // of it, at
    double t;
    double at_end; // the largest at the end
} RunGroup;

enum { RUN_COORDINATES, RUN_VELOCITIES, RUN_SPEEDS, RUN_MULTIPLIERS, RUN_GROUP_COUNT };

typedef struct {
    // The second opinion.
    RunMethod method;
    double tolerance;
    double compared; // up to this time; 0 where there was no second run
    RunGroup groups[RUN_GROUP_COUNT];
    double error;    // the largest difference of coordinates, velocities and speeds
    double digits;   // that are sure at the end
    double e_fold;   // the difference grows e times in this time; NAN where it does not grow so
    double power;    // else as t^power; NAN where too little is known
    double horizon;  // from this time on no digit is sure; NAN where some are to the end
    double expected; // where it grows on so, the horizon is here; NAN where it was reached or is
                     // not seen
    // Along the run as asked.
    bool has_energy;  // not with an energy of acceleration
    bool is_total;    // it is T + U; else Σ q' ∂T/∂q' − T + U
    bool has_balance; // something changes it, and that is counted
    bool is_followed; // what changes it was integrated along
    double work;      // what it came to
    RunDrift energy;
    const RunDrift *integrals; // first integrals that are known
    size_t integral_count;
    // The worst conditions, against the largest term in each; NULL where there are none.
    const char *position, *velocity, *acceleration;
    double position_miss, velocity_miss, acceleration_miss;
} RunAuditReport;

typedef struct RunAudit RunAudit;
// Before run_go. The audit must outlive that call, and the run this object.
BASE_MUST_USE Status run_audit_new(Run *run, Diag *diag, RunAudit **audit);
// Follows these integrals too, which must outlive the audit. They may be in the pool of another
// reading of the model: a search leaves expressions behind, and in the run's own pool they would
// change the order of sums, so that an audited run would not have the same digits.
void run_audit_follow(RunAudit *audit, const InquiryIntegrals *integrals, ExprPool *pool);
void run_audit_free(RunAudit *audit);
// After run_go, which ended so: makes the second run, whose progress alone is told.
// STATUS_NEGATIVE where the listener stopped it. A large error is a warning.
BASE_MUST_USE Status run_audit_compare(RunAudit *audit, const RunListener *listener,
                                       const RunSummary *summary, Diag *diag);
RunAuditReport run_audit_report(const RunAudit *audit);

#endif
