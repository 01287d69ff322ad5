// mode_stepping_impl.h: the integration of a contact mode in time.
#ifndef ZWANG_SIMULATE_MODE_STEPPING_IMPL_H
#define ZWANG_SIMULATE_MODE_STEPPING_IMPL_H

#include "base/memory.h"
#include "ode/outcome.h"

typedef struct ContactMode ContactMode; // contact_mode_impl.h
typedef struct RunAudit RunAudit;       // run_audit_impl.h
typedef struct RunSummary RunSummary;   // run_report.h
typedef struct State State;             // equations_types.h
typedef struct StopRequest StopRequest; // stop_request.h

// What a run needs for it; `audit` may be NULL. False: the machine failed.
bool mode_open(ContactMode *mode, StopRequest *stop, const RunAudit *audit, Diag *diag);
void mode_close(ContactMode *mode);
// From a state; `step` is a first guess, 0 for none. False where there is no rate.
bool mode_begin(ContactMode *mode, double t, const double *q, const double *v, double step);
// How far a coordinate of the present state gets at most by the accelerations of another time.
double mode_reach(ContactMode *mode, double t, double lasting);
// The step that its integrator would take next; 0 where it was never begun.
double mode_next_step(const ContactMode *mode);
// One accepted step, not beyond `until`.
OdeOutcome mode_step(ContactMode *mode, double until);
// Exactly to `until`, across a singular position: nothing is projected inside.
OdeOutcome mode_step_across(ContactMode *mode, double until);
// The last step ends here, where the state is y (may be its own).
void mode_cut(ContactMode *mode, double t, const double *y);
// From the state reached, without what the integrator knew of the steps before.
bool mode_restart(ContactMode *mode);
// The same after a step, which tells velocities where the speeds are poor: by better ones then.
bool mode_set_out(ContactMode *mode);
// From the same state without the rates in one program, or with the form that drives in other
// speeds, or by steps that may have more errors; false where that changes nothing.
bool mode_continue_otherwise(ContactMode *mode);
// Steps may have the errors that the tolerance says, and no less is asked of them, which rounding
// does not allow; false where that was so before.
bool mode_relax(ContactMode *mode);
// After a step: speeds and rates that are better from here on, where the present ones have become
// poor. False where there are none.
bool mode_review(ContactMode *mode);
// Whether the last step, which is not of a series, leads to or over a state where the speeds in use
// do not determine the velocities. It is then taken again from its beginning: by speeds that do so
// at both ends, or where there are none up to *until. False where that cannot begin.
bool mode_passes_poor_speeds(ContactMode *mode);
bool mode_retake_step(ContactMode *mode, double *until);
// The state at a time within the last step, projected; NULL where there is none.
const double *mode_state(ContactMode *mode, double t);
// A second state with the same speeds in use, for evaluations that leave `state` as it is.
State *mode_probe(ContactMode *mode);
// The same with velocities measured as the run began, so that what is left of rows compares.
State *mode_first_probe(ContactMode *mode);
// Brings `state` to a time within the last step, accelerations included.
bool mode_evaluate(ContactMode *mode, double t);
// The position of `state` onto the finite conditions; false where it is too far from them.
bool mode_project_position(ContactMode *mode);
// After so many steps: looks for stiffness; compiles programs where the rest of the run is long.
void mode_consider(ContactMode *mode, size_t steps);
// Adds how often it stepped, was rejected, evaluated rates or accelerations, changed speeds.
void mode_add_counts(const ContactMode *mode, RunSummary *summary);

#endif
