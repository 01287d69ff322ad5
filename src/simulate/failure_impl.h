// failure_impl.h: why a motion has no start, or cannot be followed further.
#ifndef ZWANG_SIMULATE_FAILURE_IMPL_H
#define ZWANG_SIMULATE_FAILURE_IMPL_H

#include "base/memory.h"
#include "base/place.h"
#include "dynamics/dynamics_outcome.h"
#include "expr/expr_types.h"
#include "simulate/run_result_impl.h"

typedef struct ModelConstraint ModelConstraint; // constraint.h
typedef struct ModelDomain ModelDomain;         // domains.h
typedef struct ModelEvent ModelEvent;           // model/events.h
typedef struct Motion Motion;                   // motion_types.h
typedef struct Simulation Simulation;           // simulation_impl.h
typedef struct SimulationRun SimulationRun;     // simulation_run_impl.h
typedef struct Switches Switches;               // switch_functions_impl.h

// ---- failure_start.c: why a motion has no start, in words: an error, unless accelerations were
// found.
Status failure_at_start(const Simulation *sim, DynamicsOutcome why, Diag *diag);

// ---- failure.c: why a motion cannot be followed further, in words.
// Whom a reason names: a velocity, or a condition.
const char *failure_names(const Equations *eq, const State *state, DynamicsOutcome why);
// Why there are no accelerations at a state.
void failure_add_reason(const Equations *eq, const State *state, DynamicsOutcome why, Text *text,
                        Place *place);
// The first expression of the equations that has no finite value at a state, and why
// (not_finite.c). As the text has it, with its place, where that is known.
void failure_add_expression(const Equations *eq, const State *state, Text *text, Place *place);
// The same of the text alone, up to a millionth of this time after the state.
bool failure_add_ahead(const Equations *eq, const State *state, double unit, Text *text,
                       Place *place);
// Of the balance of forces on a coordinate without inertia, behind `before`, that it ends; false
// for a condition that is none.
bool failure_add_balance(const Motion *motion, const ModelConstraint *constraint,
                         const char *before, Text *text);
// Where the text has an expression, or the innermost one that holds it; none.
Place failure_place_of(const Motion *motion, Expr e);
// Whether a table is asked beyond its ends within that time, and which.
bool failure_add_table(const Equations *eq, const State *state, double unit, Text *text,
                       Place *place);
// Reports why the present mode cannot be followed further: by run->outcome, or by the mode's
// own reason.
RunResult failure_of_mode(SimulationRun *run);
// Reports that there is no row at t, inside the last step, for the mode's own reason.
RunResult failure_of_row(SimulationRun *run, double t);
// Reports that something in the equations that depends on the time alone changes too fast; what.
RunResult failure_of_input(SimulationRun *run);
void switches_add_reason(const Switches *switches, const ExprPool *pool, Text *text);
// Reports that the text has no value from here on.
RunResult failure_of_domain(SimulationRun *run, const ModelDomain *domain, double t);
// Reports that a step of fixed length passes over something that it cannot see.
RunResult failure_of_place(SimulationRun *run, double t);
// Reports that a function switches to and fro there.
RunResult failure_of_chatter(SimulationRun *run, double t);
// Reports that something that is constant has changed, as the last row shows.
RunResult failure_of_constant(SimulationRun *run, double t);
// Reports that a unilateral condition is violated, as the last row shows.
RunResult failure_of_gap(SimulationRun *run, double t);
// Reports that it cannot be told whether a unilateral condition is violated between samples.
RunResult failure_of_bounds(SimulationRun *run, const ModelConstraint *side, double t);
// Reports that steps of fixed length have passed an impact with a unilateral condition at t.
RunResult failure_of_passing(SimulationRun *run, const ModelConstraint *side, double t);
// Reports that they strike at once what is struck in turn.
RunResult failure_of_order(SimulationRun *run, double t);
// Reports that those that touch are struck in turn, faster than the time has digits, without an
// end.
RunResult failure_of_turns(SimulationRun *run, double t, bool endless);
// Reports that they met it where its surface is another one.
RunResult failure_of_depth(SimulationRun *run, const ModelConstraint *side, double t);
// A unilateral condition about to touch at t whose ∂f/∂q vanishes there; NULL for none
// (flat_conditions.c).
const ModelConstraint *failure_flat_condition(const SimulationRun *run, double t);
// Reports that ∂f/∂q of a unilateral condition vanishes where it touches.
RunResult failure_of_flat(SimulationRun *run, const ModelConstraint *flat);
// Reports that an event of the model has happened again within what counts as 0.
RunResult failure_of_lost_event(SimulationRun *run, const ModelEvent *event, double t);
// Reports that events follow each other without end.
RunResult failure_of_crowd(SimulationRun *run, double t);
// Reports that the motion cannot be followed beyond t for this reason, and clears that; with a
// place.
RunResult failure_at(SimulationRun *run, Place place, double t, Text *reason);
RunResult failure_report(SimulationRun *run, double t, Text *reason);

#endif
