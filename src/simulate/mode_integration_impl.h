// mode_integration_impl.h: what the integration of a contact mode keeps beside its state: typical
// sizes, and whole turns of angles. Both live in the arena of the integration.
#ifndef ZWANG_SIMULATE_MODE_INTEGRATION_IMPL_H
#define ZWANG_SIMULATE_MODE_INTEGRATION_IMPL_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"

typedef struct ContactMode ContactMode; // contact_mode_impl.h
typedef struct ErrorScale ErrorScale;
typedef struct RunAudit RunAudit; // run_audit_impl.h
typedef struct Turns Turns;

// ---- error_scale.c: typical sizes of the state's parts, and the errors that these allow.
// `span` is the time from a row to the next.
ErrorScale *error_scale_new(Arena *arena, const Equations *eq, double tolerance, double least_part,
                            double span);
// What part of its size an error may be; and makes it at least so much: false where it is already.
double error_scale_tolerance(const ErrorScale *sizes);
bool error_scale_relax(ErrorScale *sizes, double tolerance);
// Whether rates change with the time alone, by forces or conditions.
bool error_scale_is_timed(const ErrorScale *sizes);
// Whether the start, at rest at 0, says nothing of the sizes; and what counts as one there.
bool error_scale_is_unknown(const ErrorScale *sizes);
void error_scale_set_unit(ErrorScale *sizes, double unit);
// What the coordinates were at most.
const double *error_scale_coordinates(const ErrorScale *sizes);
// With new speeds u. What is 0 at first is measured by how far it gets: `gains` is what velocities
// and speeds, n | k, gain while their rates last, so long.
void error_scale_begin(ErrorScale *sizes, const Equations *eq, const State *state, const double *u,
                       const double *gains, double lasting);
// A state was accepted: numbers' q, v and a, and the speeds u.
void error_scale_update(ErrorScale *sizes, const State *state, const double *u);
// The speeds at a time that the motion has come to: whether one of them is fast for a moment.
bool error_scale_pass(ErrorScale *sizes, double t, const double *u);
// The kinetic energy in such a moment, and the energy.
void error_scale_moment(ErrorScale *sizes, double kinetic, double total);
// The same as error_scale_update after the rates have jumped.
void error_scale_jump(ErrorScale *sizes, const double *gains, double lasting);
// The rates of the speeds at a state, and at one that differs from it by roundings.
void error_scale_noise(ErrorScale *sizes, const double *u_rate, const double *other);
// The rates at the ends of the next step, of whose difference this part is noise, for the time
// itself is rounded. NULL: there is none.
void error_scale_time(ErrorScale *sizes, const double *u_rate, const double *later, double part);
// For each part of y = (q, u) the error that counts as 1, in a step about so long; 0: unknown.
void error_scale_weights(ErrorScale *sizes, const double *y, double step, double *allowance);

// ---- angle_turns.c: whole turns of angles, kept apart from the state. `audit` may be NULL.
Turns *turns_new(Arena *arena, const ContactMode *mode, const RunAudit *audit);
// Takes whole turns from angles that have become large; whether there were any.
bool turns_take(Turns *turns, double *q);
// The coordinates as they would be without that; NULL: none were taken.
void turns_give_back(const Turns *turns, double *q);

// ---- mode_inside.c: what the steps need of it.
bool mode_fail(ContactMode *mode, DynamicsOutcome why); // false: the mode has its reason
// Accelerations and multipliers at the state whose velocities were evaluated; at (t, y).
bool mode_accelerate(ContactMode *mode);
bool mode_evaluate_at(ContactMode *mode, double t, const double *y);
// Positions, and velocities where all of them are in use, onto the conditions; whether any are.
bool mode_project(ContactMode *mode, double t, double *y);
bool mode_has_projection(const Equations *eq);
// The state and its rate at a time within the last step, in `inside`.
void mode_interpolate_step(ContactMode *mode, double t);
// The slope of the step's polynomial, in inside.rate: where the speeds are poor, they tell the rate
// of a state worse.
void mode_slope(ContactMode *mode, double t);
size_t mode_evaluations(const ContactMode *mode); // of accelerations so far, by any way

// ---- mode_integration.c: what a review needs of it.
// The conditioning of the speeds at a state, with the sign of the determinant and the velocities
// there; 0 where there are none.
double mode_conditioning_at(ContactMode *mode, double t, const double *y);
// From the present q, v and speeds in use; with other rates, where the speeds are new.
bool mode_start_integrator(ContactMode *mode, bool same_speeds, double step);
// The form that drives in other speeds, where its own have become poor, or it has failed.
bool mode_improve_form(ContactMode *mode, bool failed);
// ---- mode_review.c: other speeds where these have become poor; *changed where they were taken.
bool mode_review_speeds(ContactMode *mode, bool *changed);

#endif
