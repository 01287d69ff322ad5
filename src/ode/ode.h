// ode.h: initial value problems y' = f(t, y): integrators with dense output, signs of stiffness.
// Knows no mechanics. interpolant.h: level crossings of functions along a step.
#ifndef ZWANG_ODE_H
#define ZWANG_ODE_H

#include "base/memory.h"
#include "ode/outcome.h"

typedef struct OdeProblem OdeProblem; // problem.h

// ---- integrator.c: one interface, several methods (integrators.def).
typedef enum {
#define METHOD(NAME, word, method) ODE_##NAME,
#include "ode/integrators.def"
#undef METHOD
    ODE_METHOD_COUNT
} OdeMethod;
const char *ode_method_name(OdeMethod method);

typedef struct {
    size_t steps, rejected;
    size_t order; // of the method
    // Stiffness: how often it was looked for, and seen in a row; the decay that limits the steps,
    // 1/s, where these are limited by stability and not by accuracy.
    size_t stiffness_checks, stiff_in_a_row;
    double fastest_decay;
    bool stiff;
} OdeStatistics;

typedef struct OdeIntegrator OdeIntegrator;
// NULL: the machine failed. The context outlives the integrator.
OdeIntegrator *ode_integrator_new(OdeMethod method, const OdeProblem *problem);
void ode_integrator_free(OdeIntegrator *integrator);
// From here; `step` is a first guess, 0 for none.
bool ode_integrator_start(OdeIntegrator *integrator, double t, const double *y, double step);
// One accepted step, not beyond `until`; t and y, the state reached so far, are then the new one,
// or are kept.
OdeOutcome ode_integrator_step(OdeIntegrator *integrator, double until, double *t, double *y);
// Whether it has a step inside which it interpolates: not where it began anew since, for a step to
// where it is already is none.
bool ode_integrator_is_dense(const OdeIntegrator *integrator);
// One step exactly to `until`, whatever its terms and its defect say: across a state beside which
// rates are lost in rounding. Whether it is good is the caller's question. Methods without a series
// step as they do.
OdeOutcome ode_integrator_step_across(OdeIntegrator *integrator, double until, double *t,
                                      double *y);
// Dense output: the state and its rate at a time within the last step, as far as the method is
// exact. The state is not projected, and the rate may be the polynomial's slope.
void ode_integrator_interpolate(OdeIntegrator *integrator, double t, double *y, double *rate);
// The state before the last step, which began at t, where the dense output may miss it; else NULL.
const double *ode_integrator_begin(const OdeIntegrator *integrator, double t);
// The coordinates alone where y = (q, q'), for bounds: they need not be more exact than bounds
// are wide. `rate` is workspace.
void ode_integrator_places(OdeIntegrator *integrator, double t, double *y, double *rate);
// How long the next step would be.
double ode_integrator_next_step(const OdeIntegrator *integrator);
OdeStatistics ode_integrator_statistics(const OdeIntegrator *integrator);
const char *ode_integrator_message(const OdeIntegrator *integrator); // what failed, "" for nothing

// The order that Taylor's method takes for a tolerance: where work grows with its square, and where
// orders come in whole blocks, so that it grows little faster than the order. Where functions are
// watched along a step shorter steps are better, for what is beyond an event is watched in vain.
size_t ode_taylor_order(double tolerance);
size_t ode_taylor_block_order(double tolerance, bool watched);
// About how many rates the method ERK needs over the length of a step of Taylor's.
double ode_erk_rates(double tolerance);
// The same where accelerations do not depend on velocities (OdeProblem.is_nystrom), with what looks
// inside a step cost.
double ode_nystrom_rates(double tolerance);

// Looks for stiffness, after so many accepted steps, the last one to this state;
// seldom does anything.
void ode_integrator_check_stiffness(OdeIntegrator *integrator, size_t steps, double t,
                                    const double *y);
// The state is told by other speeds from now on.
void ode_integrator_other_speeds(OdeIntegrator *integrator);

#endif
