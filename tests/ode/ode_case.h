// ode_case.h: initial value problems with known solutions. For the tests of this room.
#ifndef ZWANG_TESTS_ODE_CASE_H
#define ZWANG_TESTS_ODE_CASE_H

#include "near.h"

#include "ode/ode.h"
#include "ode/problem.h"

#include <math.h>
#include <string.h>

// ---- Two parts: y₀' = −y₀² and y₁' = y₁ + cos t, so that from (1, 1) at t = 0
// y₀ = 1/(1 + t), y₁ = (sin t − cos t)/2 + 3/2·e^t.
enum { TWO = 2 };
typedef struct {
    double gap[2];         // there is no rate between these times
    double scale;          // of the errors
    double t0, y[TWO][64]; // the series so far
} Two;

static inline bool two_rate(void *context, double t, const double *y, double *rate)
{
    const Two *two = context;
    rate[0] = -y[0] * y[0];
    rate[1] = y[1] + cos(t);
    return !(t > two->gap[0] && t < two->gap[1]);
}

// Coefficient k of −y₀² and of y₁ + cos(t₀ + s).
static inline bool two_series(void *context, size_t k, const double *ty, double *rate)
{
    Two *two = context;
    for (size_t i = 0; i < TWO; i++)
        two->y[i][k] = ty[1 + i];
    if (k == 0)
        two->t0 = ty[0];
    rate[0] = 0;
    for (size_t j = 0; j <= k; j++)
        rate[0] -= two->y[0][j] * two->y[0][k - j];
    rate[1] = ty[2] + cos(two->t0 + (double)k * acos(0)) / tgamma((double)k + 1);
    return !(k == 0 && two->t0 > two->gap[0] && two->t0 < two->gap[1]);
}

static inline double two_switch_distance(void *context, size_t order, double most)
{
    (void)context, (void)order, (void)most;
    return INFINITY;
}

static inline bool two_jacobian(void *context, double t, const double *y, double *columns)
{
    (void)context, (void)t;
    columns[0] = -2 * y[0];
    columns[1] = columns[2] = 0;
    columns[3] = 1;
    return true;
}

static inline void two_error_scale(void *context, const double *y, double *scale)
{
    (void)y;
    scale[0] = scale[1] = ((const Two *)context)->scale;
}

static inline void two_exact(double t, double *y)
{
    y[0] = 1 / (1 + t);
    y[1] = (sin(t) - cos(t)) / 2 + 1.5 * exp(t);
}

static inline OdeProblem two_problem(Two *two)
{
    return (OdeProblem){.count = TWO,
                        .tolerance = two->scale,
                        .max_step = 0.5,
                        .context = two,
                        .rate = two_rate,
                        .series = two_series,
                        .order = ode_taylor_order(two->scale),
                        .switch_distance = two_switch_distance,
                        .jacobian = two_jacobian,
                        .error_scale = two_error_scale};
}

#endif
