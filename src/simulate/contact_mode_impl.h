// contact_mode_impl.h: the motion while a given set of unilateral conditions is held.
#ifndef ZWANG_SIMULATE_CONTACT_MODE_IMPL_H
#define ZWANG_SIMULATE_CONTACT_MODE_IMPL_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"
#include "ode/outcome.h"

typedef struct Motion Motion;               // motion_types.h
typedef struct Columns Columns;             // columns_impl.h
typedef struct Compilation Compilation;     // compilation.h
typedef struct ErrorScale ErrorScale;       // mode_integration_impl.h
typedef struct OdeIntegrator OdeIntegrator; // ode.h
typedef struct RateStrategy RateStrategy;   // rate_strategy.h
typedef struct Simulation Simulation;       // simulation_impl.h
typedef struct RunAudit RunAudit;           // run_audit_impl.h
typedef struct RunOptions RunOptions;       // run_options.h
typedef struct RunSummary RunSummary;       // simulate.h
typedef struct StopRequest StopRequest;     // stop_request.h
typedef struct Turns Turns;                 // mode_integration_impl.h

// ---- The motion while a given set of unilateral conditions is held: they are
// equations of the mode, the others are inactive. The base mode holds none.

// When the speeds in use are reviewed again.
typedef struct {
    double conditioning;  // at the last review; 0: there was none
    double change;        // of it, in a step
    bool changed;         // other speeds were taken during the run
    size_t good, skipped; // for how many steps the speeds are good; how many of these were made
    double step;          // the length of the next step, at the last review
} SpeedReview;

// The state at a time inside the last step, and its rate.
typedef struct {
    double *y, *rate;
    bool interpolating; // rates are evaluated for it alone
    bool across, cut;   // the step is across a singular position; it ends there
} InsideStep;

typedef struct {
    size_t uncounted;     // evaluations that are none of the integration's
    size_t speed_changes; // so often other speeds were taken
    size_t used;          // when, counted in modes entered
} ModeCounts;

typedef struct ContactMode {
    // The equations of the mode, made once.
    Arena *arena;
    const RunOptions *settings;
    Motion *motion; // of the base mode: the simulation's; else its own
    bool is_base;
    bool *held; // of all unilateral conditions: it is an equation of this mode
    Equations *eq;
    State *state; // the last one that was evaluated
    State *probe; // mode_probe; NULL before it is first asked for
    Columns *columns;
    Compilation *compilation;
    // Its integration; made for a run.
    Arena *run_arena; // NULL where there is none
    StopRequest *stop;
    OdeIntegrator *integrator;
    RateStrategy *strategy;
    ErrorScale *scale;
    Turns *turns;
    double from, t; // the last step: its beginning and its end
    double *y;      // q, then u, at its end
    InsideStep inside;
    bool begun, stepped; // ever; since the integrator was started
    SpeedReview review;
    DynamicsOutcome why; // of the last evaluation that failed in or after the last step
    ModeCounts counts;
} ContactMode;
// ---- mode_integration.c: its integration in time.
// What a run needs for it; `audit` may be NULL. False: the machine failed.
bool mode_open(ContactMode *mode, StopRequest *stop, const RunAudit *audit, Diag *diag);
void mode_close(ContactMode *mode);
// From a state; `step` is a first guess, 0 for none. False where there is no rate.
bool mode_begin(ContactMode *mode, double t, const double *q, const double *v, double step);
// The step that its integrator would take next; 0 where it was never begun.
double mode_next_step(const ContactMode *mode);
// One accepted step, not beyond `until`.
OdeOutcome mode_step(ContactMode *mode, double until);
// The last step ends here, where the state is y (may be its own).
void mode_cut(ContactMode *mode, double t, const double *y);
// From the state reached, without what the integrator knew of the steps before.
bool mode_restart(ContactMode *mode);
// From the same state without the rates in one program; false where they were not in use.
bool mode_continue_by_solves(ContactMode *mode);
// After a step: speeds and rates that are better from here on, where the present ones have become
// poor. False where there are none.
bool mode_review(ContactMode *mode);
// The state at a time within the last step, projected; NULL where there is none.
const double *mode_state(ContactMode *mode, double t);
// A second state with the same speeds in use, for evaluations that leave `state` as it is.
State *mode_probe(ContactMode *mode);
// Brings `state` to a time within the last step, accelerations included.
bool mode_evaluate(ContactMode *mode, double t);
// The position of `state` onto the finite conditions; false where it is too far from them.
bool mode_project_position(ContactMode *mode);
// After so many steps: looks for stiffness; compiles programs where the rest of the run is long.
void mode_consider(ContactMode *mode, size_t steps);
// Adds how often it stepped, was rejected, evaluated rates or accelerations, changed speeds.
void mode_add_counts(const ContactMode *mode, RunSummary *summary);

#endif
