// rate_strategy_impl.h: by which road a run finds its rates.
#ifndef ZWANG_SIMULATE_RATE_STRATEGY_IMPL_H
#define ZWANG_SIMULATE_RATE_STRATEGY_IMPL_H

#include "base/base.h"
#include "dynamics/dynamics.h"
#include "dynamics/implicit_system.h"
#include "dynamics/motion_series.h"
#include "dynamics/rates.h"

typedef struct ContactMode ContactMode; // contact_mode_impl.h

// ---- rate_strategy.c: by which road a run finds its rates.
typedef struct RateStrategy {
    ContactMode *mode;
    const Equations *eq;
    State *state;
    Diag *diag;
    bool taylor;
    size_t flow_order; // of compiled series; 0 where these are not wanted
    bool ready;        // by rates in one program; else by linear solves
    Rates rates;
    MotionSeries series;    // of Taylor's order, or of order 1
    MotionSeries slopes;    // of order 1, where the others are in use
    double pivot;           // the least, when the rates were made
    double present;         // … and when last looked at
    ImplicitSystem *newton; // NULL: the Jacobian is dense
    size_t newtons;         // how many of them were made
    double *ty;
    size_t made, steps, evaluations; // how often rates were made; steps of the run; plain rates
    // When the last ones were: the step, the time, the plain rates until then.
    size_t made_step, made_evaluations;
    double made_t;
    bool compiled, said; // nothing more to be had from the compiler; why was said
    bool given_up;       // no more rates
} RateStrategy;
void strategy_init(RateStrategy *strategy, ContactMode *mode, Diag *diag);
void strategy_clear(RateStrategy *strategy);
// At numbers' present state, for the speeds in use; t and y are the same state.
void strategy_make(RateStrategy *strategy, double t, const double *y);
// After a step: whether the rates have become poor. Then numbers is to be brought to that state and
// the course renewed; series begin anew.
bool strategy_is_poor(RateStrategy *strategy, double t, const double *y);
void strategy_renew(RateStrategy *strategy, double t, const double *y);
// From now on by linear solves; false where it was so already.
bool strategy_give_up(RateStrategy *strategy);
// After a step to t: compiles the rates where what is left is likely to take longer than compiling
// does. Counts decide and not the clock.
void strategy_consider_compiling(RateStrategy *strategy, double t);
// As an OdeProblem wants them. A rate that is not found is one to ask numbers for.
bool strategy_rate(RateStrategy *strategy, double t, const double *y, double *rate);
bool strategy_series(RateStrategy *strategy, size_t k, const double *ty, double *rate);
size_t strategy_expand(RateStrategy *strategy, size_t order, double *ty);
bool strategy_sum(const RateStrategy *strategy, size_t order, const double *ty, double s,
                  double *sums, double *slopes);
double strategy_switch_distance(const RateStrategy *strategy, size_t order, double most);
bool strategy_jacobian(RateStrategy *strategy, double t, const double *y, double *columns);
// Newton's equations with few entries for the speeds in use; NULL: by the Jacobian.
ImplicitSystem *strategy_newton(const RateStrategy *strategy);

#endif
