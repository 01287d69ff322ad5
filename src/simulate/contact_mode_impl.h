// contact_mode_impl.h: the motion under one set of conditions: equations, and one-sided ones that
// act.
#ifndef ZWANG_SIMULATE_CONTACT_MODE_IMPL_H
#define ZWANG_SIMULATE_CONTACT_MODE_IMPL_H

#include "dynamics/dynamics.h"
#include "dynamics/rate_strategy.h"
#include "ode/ode.h"
#include "simulate/angle_turns_impl.h"
#include "simulate/error_scale_impl.h"
#include "simulate/simulate.h"

// ---- contact_mode.c: the motion under one set of conditions: equations, and one-sided ones that
// act.
typedef struct ContactMode {
    Run *run;
    bool is_base;     // the run itself, which holds no one-sided condition
    const bool *held; // of all one-sided conditions: it is an equation of this leg
    const Equations *eq;
    State *state;
    OdeIntegrator *integrator;
    RateStrategy strategy;
    ErrorScale sizes;
    Turns turns;
    double t;
    double *y;                // q, then u
    double *y_row, *rate_row; // the same at a row, and its rate there
    double from;              // where the last step began
    bool stepped;             // since it was set out
    size_t *chosen;           // room for the coordinates whose velocities are the speeds
    // The speeds are looked at again where they may have become poor.
    double condition;    // when last looked at; 0 for never
    double pace;         // at which it has changed, a step
    bool changed;        // other speeds were taken on the way
    size_t good, unseen; // for how many steps from then; how many of these were made
    double step;         // when last looked at
    DynamicsOutcome why; // of the last rate that could not be evaluated
    double clear;        // how long the last step may be until something switches
    bool made;           // its rates were made once
    size_t *speed_changes;
    size_t used; // when, counted in legs begun
} ContactMode;
// False: the machine failed.
bool mode_init(ContactMode *mode, Run *run, Diag *diag);
void mode_clear(ContactMode *mode);
// From a state; `step` is a first guess, 0 for none. False where there is no rate.
bool mode_begin(ContactMode *mode, double t, const double *q, const double *v, double step);
// One accepted step, not beyond `until`.
OdeOutcome mode_step(ContactMode *mode, double until);
// The last step ends here, where the state is y (may be its own).
void mode_cut(ContactMode *mode, double t, const double *y);
// From the state that it has come to, without what it knew of the way before.
bool mode_restart(ContactMode *mode);
// After a step: speeds and rates that are better from here on, where the present ones have become
// poor. False where there are none.
bool mode_review(ContactMode *mode);
// The state at a time within the last step, settled; NULL where there is none.
const double *mode_state(ContactMode *mode, double t);
// Brings numbers to a time within the last step, accelerations included.
bool mode_evaluate(ContactMode *mode, double t);
// Whether ∂f/∂q' of a condition that is not linear in the velocities vanishes where it has come to.
bool mode_is_singular(ContactMode *mode);

// ---- contact_modes.c: the legs that a run has gone, each made when it is first needed.
typedef struct {
    Run *run;
    Diag *diag;
    const double *sizes; // of the one-sided conditions
    ContactMode **at;
    size_t count, used; // how many there are; how often one was begun
    size_t speed_changes;
    RunSummary given_up; // what the legs have done that were
} ContactModes;
// The leg that holds these of the one-sided conditions, which are independent where the motion is;
// `q` and `t` are there. NULL where the machine or the algebra failed; the diag of legs says why.
ContactMode *modes_get(ContactModes *modes, const bool *held, double t, const double *q);
void modes_clear(ContactModes *modes);
void modes_count(const ContactModes *modes, RunSummary *summary);

#endif
