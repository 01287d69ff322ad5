// sensitivity_impl.h: how a motion changes with parameters and start values, exactly, in first
// order.
//
// With Y = ∂(q, q')/∂p along a step that was taken, Y' = ∂f/∂y·Y + ∂f/∂p is integrated beside the
// motion, which stays as it is. At an event that lies on g(t, y, p) = 0 the state of the event
// moves with its time τ = ∂t/∂p: in its frame Y + f⁻·τ goes through the derivative of the jump, and
// behind it f⁺·τ is taken off again (saltation; Aizerman and Gantmakher 1958).
#ifndef ZWANG_SIMULATE_SENSITIVITY_IMPL_H
#define ZWANG_SIMULATE_SENSITIVITY_IMPL_H

#include "base/memory.h"
#include "dynamics/evaluator.h"
#include "dynamics/system_functions.h"
#include "simulate/run_result_impl.h"
#include "simulate/sensitivity/sensitivity_names_impl.h"

typedef struct ContactMode ContactMode;     // contact_mode_impl.h
typedef struct DetectedEvent DetectedEvent; // event_detector_impl.h
typedef struct Diag Diag;                   // diag.h
typedef struct ModelAction ModelAction;     // model/events.h
typedef struct OdeIntegrator OdeIntegrator; // ode.h
typedef struct RunEvent RunEvent;           // run_report.h
typedef struct RunOptions RunOptions;       // run_options.h
typedef struct Simulation Simulation;       // simulation_impl.h
typedef struct SimulationRun SimulationRun; // simulation_run_impl.h
typedef struct State State;                 // equations_types.h

typedef struct Sensitivity {
    Arena *arena;
    Simulation *sim;
    SensitivityNames names;
    size_t n, params, count; // coordinates; parameters; directions
    double *start;           // count × 2n: at the start
    double *start_params;    // count × params
    // Of a run. Of each direction dq (n), then dq' (n).
    double t, *y;
    double *dp;                 // count × params: states among them may be set by events
    SystemFunctions *functions; // of the present mode
    SystemWorkspace *workspace;
    double *p, *dp_free; // of the functions' parameters, and how they change
    OdeIntegrator *integrator;
    double begin, *y_begin; // where the last step of the motion begins
    double step_begin;      // and that of the integrator
    double *sizes;          // typical ones of y
    double *motion_sizes;   // 2n: of the motion so far
    double *by_sizes;       // count: of what it is differentiated by; 1 where that is 0
    // Of the last event.
    bool inside;     // it is being solved: y belongs to the event, which moves
    double event_t;  // NAN: there was none
    double *tau;     // count: how its time changes
    Text *reason;    // why there are no derivatives; NULL: nothing is wrong
    double reason_t; // where
    // Workspace.
    double *state_y, *rates, *change, *direction, *told;
    const Evaluator *impulse;      // that is about to act: n parts, and perhaps its time; or NULL
    double *given, *given_changes; // n, count × n: that impulse
    const char **by_names;         // of records: "m"
    bool smooth;                   // false where something was grazed
    Evaluator roots;               // what stands under roots and moves, in t, q, q'
    const char **root_names;
    Evaluator energy;      // where it is constant
    double *energy_before; // its derivatives since the last event; NAN: not yet
} Sensitivity;

// ---- sensitivity.c
// Of a simulation whose start is complete. NULL where nothing was asked for.
BASE_MUST_USE Status sensitivity_new(Simulation *sim, Diag *diag);
void sensitivity_free(Sensitivity *sensitivity); // may be NULL
// A run begins, in its first mode.
void sensitivity_begin(SimulationRun *run);
// Up to a time within the last step.
void sensitivity_advance(SimulationRun *run, double t);
void sensitivity_forget_energy(Sensitivity *own);
// The columns of the derivatives, at the state of the mode that a row is made of.
void sensitivity_fill(SimulationRun *run);
// Whether something is wrong: *result ends the run then.
bool sensitivity_fails(SimulationRun *run, RunResult *result);
// Says so: as a printf. Only the first is told.
void sensitivity_refuse(Sensitivity *own, double t, const char *format, ...) BASE_PRINTF(3, 4);
// The functions of the present mode.
bool sensitivity_take_mode(SimulationRun *run);
// The point of the functions at a state, whose y is in `state_y`.
SystemPoint sensitivity_point(Sensitivity *own, const State *state);
// How t, q, q', q'' and all multipliers change in a direction (`count`: with no parameter) at an
// evaluated state of the mode, of which dq, dq' and (of the time) dt are given: the inputs of all
// programs.
const double *sensitivity_inputs(SimulationRun *run, const State *state, size_t which, double dt,
                                 const double *dy);
// The same of t, q and q' alone.
const double *sensitivity_moves(SimulationRun *run, const State *state, size_t which, double dt,
                                const double *dy);
// The first-order change of an evaluator's outputs.
void sensitivity_along(const Evaluator *evaluator, const double *inputs, const double *direction,
                       double *values, double *changes);

SystemPoint sensitivity_point_at(Sensitivity *own, const State *state, double t, const double *y);

// ---- sensitivity_roots.c
BASE_MUST_USE Status sensitivity_find_roots(Sensitivity *own, Diag *diag);
// Over a step of the motion: that nothing under a root goes through 0, as in sqrt(x^2).
void sensitivity_check_roots(SimulationRun *run, double from, double to);

// ---- sensitivity_start.c
BASE_MUST_USE Status sensitivity_start(Sensitivity *own, Diag *diag);

// ---- sensitivity_events.c
// At the state of the mode, which has been evaluated, just before something happens there: its time
// and what moves with it. Nothing is done where something else happens there already.
void sensitivity_enter_contact(SimulationRun *run, const DetectedEvent *found);
void sensitivity_enter_switch(SimulationRun *run, size_t which);
void sensitivity_enter_trigger(
    SimulationRun *run); // by the first of the model's events that is due
// Behind it, where the next mode has begun.
void sensitivity_leave(SimulationRun *run);
// That nothing is smooth there.
void sensitivity_graze(SimulationRun *run, size_t which, const char *name);
// An event of the model sets something, by an evaluator of all inputs whose first outputs are the
// values.
void sensitivity_set(SimulationRun *run, const ModelAction *action, const Evaluator *numbers);
// How the time of a record changes.
void sensitivity_record(SimulationRun *run, RunEvent *record);

// ---- sensitivity_impacts.c
// Before velocities jump by the impulse that was named; and when those of the run's event have, by
// conditions and by it (NULL: there was none).
void sensitivity_take_impulse(SimulationRun *run);
void sensitivity_impact(SimulationRun *run, const double *impulse);

#endif
