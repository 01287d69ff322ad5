// rate_strategy.h: by which program a run finds its rates.
#ifndef ZWANG_DYNAMICS_RATE_STRATEGY_H
#define ZWANG_DYNAMICS_RATE_STRATEGY_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"

typedef struct Motion Motion;                       // motion_types.h
typedef struct Compilation Compilation;             // compilation.h
typedef struct OdeSparseJacobian OdeSparseJacobian; // ode.h
typedef struct RateStrategy RateStrategy;

// What the integrator asks for.
typedef struct {
    size_t order;             // of power series; 1 where it takes rates and Jacobians alone
    size_t block_order;       // the same where they come in blocks (rates_can_flow); 0: they do not
    bool implicit;            // its steps are implicit, and may be solved as sparse equations
    bool many;                // a step takes many rates
    bool tells;               // notes of what is solved densely
    bool fixed;               // parameters are numbers of the formulas, not constants of a run
    Compilation *compilation; // of the run's other programs
    struct RatesStore *store; // of rates that serve further runs; NULL: none
    uint64_t owner;           // tells this strategy apart there
} RateOptions;

// All of these outlive the strategy.
RateStrategy *strategy_new(const Equations *eq, State *state, Motion *motion, RateOptions options);
void strategy_free(RateStrategy *strategy);                // may be NULL
size_t strategy_evaluations(const RateStrategy *strategy); // of strategy_rate
// At the present state, that of the time t, for the speeds in use. Where one step is likely to do
// (`once`), it takes less by linear solves than making rates does: then these are made after it.
void strategy_make(RateStrategy *strategy, double t, bool once);
// After a step: whether the rates have become poor. Then the state is to be brought there and the
// strategy renewed; series begin anew.
bool strategy_is_poor(RateStrategy *strategy, double t, const double *y);
void strategy_renew(RateStrategy *strategy, double t);
// The parameters at its state have other values; what depends on them is the same but for numbers.
void strategy_take_parameters(RateStrategy *strategy);
// From now on by linear solves; false where it was so already.
bool strategy_give_up(RateStrategy *strategy, double t);
// After a step to t: compiles the rates where what is left is likely to take longer than compiling
// does, beside the run.
void strategy_consider_compiling(RateStrategy *strategy, double t);
// Whether the rates are one program and the speeds the velocities of the coordinates.
bool strategy_has_velocities(const RateStrategy *strategy);
// The same where nothing else is left to be found at a state: there are no reactions.
bool strategy_is_plain(const RateStrategy *strategy);
// As an OdeProblem wants them. Rates that are not found are those that dynamics_accelerations
// gives.
bool strategy_rate(RateStrategy *strategy, double t, const double *y, double *rate);
// Accelerations and multipliers at the strategy's state, whose velocities are found, with y there,
// beside the integration; false where linear solves take fewer operations or find more.
bool strategy_follow(RateStrategy *strategy, const double *y);
bool strategy_series(RateStrategy *strategy, size_t k, const double *ty, double *rate);
// The same with the strategy as its `program`.
bool strategy_is_nystrom(void *strategy);
size_t strategy_expand(void *strategy, size_t order, double unit, double *ty);
bool strategy_sum(void *strategy, size_t order, const double *ty, double s, double *sums,
                  double *slopes);
double strategy_switch_distance(void *strategy, size_t order, double most);
// ∂(q', u')/∂(q, u), exactly; column after column.
bool strategy_jacobian(void *strategy, double t, const double *y, double *columns);
const OdeSparseJacobian *strategy_sparse_jacobian(void *strategy);

#endif
