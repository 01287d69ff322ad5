// contact_mode_impl.h: the motion while a given set of unilateral conditions is held.
#ifndef ZWANG_SIMULATE_CONTACT_MODE_IMPL_H
#define ZWANG_SIMULATE_CONTACT_MODE_IMPL_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"

typedef struct Motion Motion;               // motion_types.h
typedef struct Columns Columns;             // columns_impl.h
typedef struct Compilation Compilation;     // compilation.h
typedef struct ErrorScale ErrorScale;       // mode_integration_impl.h
typedef struct OdeIntegrator OdeIntegrator; // ode.h
typedef struct RateStrategy RateStrategy;   // rate_strategy.h
typedef struct Simulation Simulation;       // simulation_impl.h
typedef struct RunOptions RunOptions;       // run_options.h
typedef struct StopRequest StopRequest;     // stop_request.h
typedef struct Turns Turns;                 // mode_integration_impl.h

// ---- The motion while a given set of unilateral conditions is held: they are
// equations of the mode, the others are inactive. The base mode holds none.

// When the speeds in use are reviewed again.
typedef struct {
    double conditioning;  // at the last review; 0: there was none
    double at, oriented;  // when that was; with the sign of the determinant
    double change;        // of it, in a step
    double retaken;       // the beginning of the last step that was taken again
    double *scale;        // of velocities, and the inertias, as the run began
    bool changed;         // other speeds were taken during the run
    bool taken;           // since the last step, and nobody was told
    size_t good, skipped; // for how many steps the speeds are good; how many of these were made
    double step;          // the length of the next step, at the last review
} SpeedReview;

// The state at a time inside the last step, and its rate.
typedef struct {
    double *y, *rate;
    bool interpolating;             // rates are evaluated for it alone
    bool across, cut;               // the step is across a singular position; it ends there
    bool known;                     // its dense output; not where the integrator was started since
    bool watched;                   // what is narrow in the equations is:
    struct NarrowFunctions *narrow; // NULL for nothing
    struct SlipStart *start;        // friction/slip_start_impl.h; NULL: it never began so
} InsideStep;

// Of a run, from its first step in the mode on.
typedef struct {
    bool begun;           // there was one
    size_t uncounted;     // evaluations that are none of the integration's
    size_t speed_changes; // so often other speeds were taken
    size_t used;          // when, counted in modes entered
} ModeCounts;

typedef struct ContactMode {
    // The equations of the mode, made once.
    Arena *arena;
    const RunOptions *settings;
    Motion *motion;  // of the base mode: the simulation's; else its own
    Equations *made; // of the base mode, for all runs; NULL: another mode, whose own `eq` are
    bool *held;      // of all unilateral conditions: it is an equation of this mode
    struct FrictionHold *friction; // how each friction is in it; NULL where there is none
    Equations *eq; // const from the end of the setup on, but for which rows are needed
    State *state;  // the last one that was evaluated
    State *probe;  // mode_probe; NULL before it is first asked for
    Columns *columns;
    Compilation *compilation;
    struct RatesStore *store; // the simulation's; NULL: none
    uint64_t owner;           // of rates there; 0: the base mode
    bool is_plain; // of the base mode: no function in its equations switches or is narrow
    // Its integration; made for a run.
    Arena *run_arena; // NULL where there is none
    StopRequest *stop;
    OdeIntegrator *integrator;
    RateStrategy *strategy;
    ErrorScale *scale;
    struct Evaluator *energies; // T and T + U, where they were needed; else NULL
    Turns *turns;
    double from, t; // the last step: its beginning and its end
    double *y;      // q, then u, at its end
    InsideStep inside;
    bool stepped; // since the integrator was started
    SpeedReview review;
    // For derivatives (sensitivity/); NULL before they are asked for.
    struct SystemFunctions *functions;
    struct SystemWorkspace *workspace;
    DynamicsOutcome why; // of the last evaluation that failed in or after the last step
    ModeCounts counts;
} ContactMode;

#endif
