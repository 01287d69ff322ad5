// runge_kutta_impl.h: an explicit Runge–Kutta step in the making. Only for
// integrator_runge_kutta.c and nystrom.c.
#ifndef ZWANG_ODE_RUNGE_KUTTA_IMPL_H
#define ZWANG_ODE_RUNGE_KUTTA_IMPL_H

#include "linalg/tolerances.h"
#include "ode/dense_output_impl.h"
#include "ode/integrator_impl.h"

// Sums take the widest vectors of the processor at hand; none fuses what is rounded twice.
#if defined __x86_64__ && defined __GLIBC__ && !defined __clang__ && !defined __SANITIZE_THREAD__
#define RUNGE_KUTTA_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define RUNGE_KUTTA_WIDE
#endif

enum {
    RUNGE_KUTTA_STAGES = 12,
    // Parts that are summed at once: enough for any vectors of a processor.
    RUNGE_KUTTA_BLOCK = SIZE_UNROLLED
};

typedef struct {
    size_t from; // which stage
    double weight;
} RungeKuttaWeight;

typedef struct RungeKutta {
    OdeIntegrator base;
    size_t width;                      // of a row: whole blocks, so that sums need no rest
    double *stages;                    // the rates there, a row each
    double *now, *next;                // the state reached last, and the one tried
    double *rate;                      // at `next`, and so at `now` where `fresh`
    double *sum;                       // of the stages that the step takes
    double *velocities;                // of `now`, where these are half of it
    double *difference;                // workspace: from another sum
    double *scale;                     // what error is allowed
    double *lost;                      // what rounding has cut off `now`
    double step;                       // the next one
    double length;                     // of the last one; infinite after a start
    double error;                      // of the last one, where steps look back at it
    double t;                          // of `now`, where `fresh`
    bool fresh, nystrom;               // … and steps are those of nystrom.c
    DenseOutput dense;                 // of the last step
    double *inverses, *terms, *slopes; // of nystrom_dense.c
} RungeKutta;

// Four parts at a time; what lies behind the last part of a row is no number of anybody.
typedef double RungeKuttaFour
    __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));
static inline RungeKuttaFour *runge_kutta_four(double *at)
{
    return (RungeKuttaFour *)(void *)at;
}

static inline double *runge_kutta_stage(const RungeKutta *method, size_t i)
{
    return method->stages + i * method->width;
}

static inline bool runge_kutta_rate(const RungeKutta *method, double t, const double *y,
                                    double *out)
{
    const OdeProblem *problem = &method->base.problem;
    return problem->rate(problem->context, t, y, out);
}

// The largest part of a vector, in units of what error is allowed; infinite where it is no number.
double runge_kutta_norm(const RungeKutta *method, const double *vector);

// ---- nystrom.c: the same for y = (q, q') where the rates of q' depend on t and q alone.
// Whether the state at the end of a step, with its rate, was found.
bool nystrom_try_step(RungeKutta *method, double step, double t);
// Of the step tried; at most 1 is allowed.
double nystrom_error(const RungeKutta *method, double step);
// ---- nystrom_dense.c: its states inside.
void nystrom_dense_init(RungeKutta *method);
// At a time within the last step, with the rates of the polynomial.
void nystrom_dense_state(RungeKutta *method, double t, double *y, double *rate);
// As dense_output_expand and dense_output_defect.
size_t nystrom_dense_expand(RungeKutta *method, double *about, double *unit, double *rows);
double nystrom_dense_defect(RungeKutta *method, size_t points);

// Coordinates at a time within the last step, to the order 6, without a rate.
void nystrom_places(const RungeKutta *method, double t, double *q);
// So many times what the first accelerations are at most over the last step.
void nystrom_bound(const RungeKutta *method, double times, size_t count, double *bounds);

#endif
