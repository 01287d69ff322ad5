// mode_integration_impl.h: what the integration of a contact mode keeps beside its state: typical
// sizes, and whole turns of angles. Both live in the arena of the integration.
#ifndef ZWANG_SIMULATE_MODE_INTEGRATION_IMPL_H
#define ZWANG_SIMULATE_MODE_INTEGRATION_IMPL_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"
#include "ode/outcome.h"

typedef struct ContactMode ContactMode; // contact_mode_impl.h
typedef struct ErrorScale ErrorScale;
typedef struct RunAudit RunAudit; // run_audit_impl.h
typedef struct Turns Turns;

// ---- error_scale.c: typical sizes of the state's parts, and the errors that these allow.
// `span` is the time from a row to the next.
ErrorScale *error_scale_new(Arena *arena, const Equations *eq, double tolerance, double span);
// With new speeds u. What is 0 at first is measured by how far it gets until the next row.
void error_scale_begin(ErrorScale *sizes, const State *state, const double *u,
                       const double *u_rate);
// A state was accepted: numbers' q, v and a, and the speeds u.
void error_scale_update(ErrorScale *sizes, const State *state, const double *u);
// After the rates have jumped: what accelerations and rates make of it within this time.
void error_scale_jump(ErrorScale *sizes, const double *a, const double *u_rate, double length);
// The rates of the speeds at a state, and at one that differs from it by roundings.
void error_scale_noise(ErrorScale *sizes, const double *u_rate, const double *other);
// The rates at the ends of the next step, of whose difference this part is noise, for the time
// itself is rounded. NULL: there is none.
void error_scale_time(ErrorScale *sizes, const double *u_rate, const double *later, double part);
// For each part of y = (q, u) the error that counts as 1, in a step about so long; 0: unknown.
void error_scale_weights(const ErrorScale *sizes, const double *y, double step, double *allowance);

// ---- angle_turns.c: whole turns of angles, kept apart from the state. `audit` may be NULL.
Turns *turns_new(Arena *arena, const ContactMode *mode, const RunAudit *audit);
// Takes whole turns from angles that have become large; whether there were any.
bool turns_take(Turns *turns, double *q);
// The coordinates as they would be without that; NULL: none were taken.
void turns_give_back(const Turns *turns, double *q);

// ---- mode_integration.c: what few ask for.
// Exactly to `until`, across a singular position: nothing is projected inside.
OdeOutcome mode_step_across(ContactMode *mode, double until);
// Such a step ends at the position, as its polynomial has it; a step behind the position begins
// there, likewise.
void mode_cut_across(ContactMode *mode, double t);
void mode_leave(ContactMode *mode, double t);
// Coordinates and velocities at a time within the last step or near to it, as the integrator has
// them.
void mode_interpolate(ContactMode *mode, double t, double *q, double *v);
// For a row between states that have values: the time alone.
void mode_set_time(ContactMode *mode, double t);
// As mode_evaluate, without accelerations and reactions, after a step.
bool mode_evaluate_velocities(ContactMode *mode, double t);
// As mode_evaluate, for somebody beside the run: it is not counted.
bool mode_evaluate_uncounted(ContactMode *mode, double t);

#endif
