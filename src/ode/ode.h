// ode.h: initial value problems y' = f(t, y): integrators with dense output, signs of stiffness.
// Knows no mechanics. interpolant.h: level crossings of functions along a step.
#ifndef ZWANG_ODE_H
#define ZWANG_ODE_H

#include "base/memory.h"
#include "ode/outcome.h"

// ---- The problem.

// The linear equations (1 − γ·J)·x = r of an implicit step, J = ∂f/∂y, as a larger matrix with few
// entries: x is the first of its unknowns, r the beginning of its right side, 0 the rest of that.
typedef struct OdeSparseJacobian {
    size_t id;               // another one for another pattern; never 0
    size_t size;             // of the matrix
    const uint32_t *begins;  // size + 1: where the entries of each row begin
    const uint32_t *columns; // of the entries, row after row
    void *context;
    // Takes J from this state; false where there is none.
    bool (*linearize)(void *context, double t, const double *y);
    // The entries in their order for this γ, with J as it was taken last.
    void (*fill)(void *context, double gamma, double *entries);
} OdeSparseJacobian;

// y' = f(t, y) and what is known about it. Methods other than Taylor's need `rate`, Taylor's needs
// `series`, `order` and `switch_distance`, BDF needs `jacobian`, all need `error_scale`.
typedef struct {
    size_t count; // of the parts of y
    double tolerance;
    double max_step;       // for methods that see no more of a step than its ends
    bool smooth, undamped; // nothing in f acts only for a while or somewhere; nothing decays alone
    void *context;         // of all but those that are asked of a program for f: of these
    void *program;         // for expand, sum, switch_distance, jacobian and sparse_jacobian
    // f; false where there is no rate at this state.
    bool (*rate)(void *context, double t, const double *y, double *rate);
    // Coefficient k of the rates along the solution from coefficient k of (t, y), for k = 0, 1, …
    // in turn, below `order`; false where there is none.
    bool (*series)(void *context, size_t k, const double *ty, double *rate);
    // Rows 1 … order of the table of (t, y) from its row 0, all at once; returns how many of them
    // are finite. NULL, or at any time none: then by `series`. Rows as program_flow_rows says.
    size_t (*expand)(void *program, size_t order, double *ty);
    // For every part of t | y, from the table up to `order`: Σ y_k·s^k for k > 0, and the slope
    // there. NULL, or at any time false: then the integrator sums up by itself.
    bool (*sum)(void *program, size_t order, const double *ty, double s, double *sums,
                double *slopes);
    size_t order;
    size_t expand_order; // where `expand` does it; 0: the same
    // Distance to the next switch of a branch of f, at most `most`, by the coefficients up to
    // `order`: infinite, or just beyond the switch, or as far as they can tell. The branches are
    // those of the coefficients of order 0.
    double (*switch_distance)(void *program, size_t order, double most);
    // Whether bounds prove that nothing in f acts only somewhere within a step that the series
    // about `from` make; NULL: nobody knows.
    bool (*is_clear)(void *context, double from, double length);
    // ∂f/∂y, column after column; false where there is none.
    bool (*jacobian)(void *program, double t, const double *y, double *columns);
    // The same as equations with few entries; NULL, or at any start NULL: it is dense.
    const OdeSparseJacobian *(*sparse_jacobian)(void *program);
    // Projects an accepted state onto its invariants; NULL where it has none. False where it is too
    // far from them.
    bool (*project)(void *context, double t, double *y);
    // What error counts as 1 in each part.
    void (*error_scale)(void *context, const double *y, double *scale);
} OdeProblem;

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
// One step exactly to `until`, whatever its terms and its defect say: across a state beside which
// rates are lost in rounding. Whether it is good is the caller's question. Methods without a series
// step as they do.
OdeOutcome ode_integrator_step_across(OdeIntegrator *integrator, double until, double *t,
                                      double *y);
// Dense output: the state and its rate at a time within the last step, as far as the method is
// exact. The state is not projected, and the rate may be the polynomial's slope.
void ode_integrator_interpolate(OdeIntegrator *integrator, double t, double *y, double *rate);
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

// Looks for stiffness, after so many accepted steps, the last one to this state;
// seldom does anything.
void ode_integrator_check_stiffness(OdeIntegrator *integrator, size_t steps, double t,
                                    const double *y);

#endif
