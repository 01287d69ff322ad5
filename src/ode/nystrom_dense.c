// nystrom_dense.c: the states inside a step of Nyström's, q'' = f(t, q).
//
// Through coordinates, velocities and accelerations at both ends goes a polynomial of degree 5. The
// accelerations at two places on it are right to two orders more than it is, since coordinates come
// from them by two integrations; those at four places on the polynomial through these too. Its
// error goes with the power 10 of the step, that of the velocities, its slopes, with the power 9,
// as that of a step of order 8 does. It costs 6 rates, however many states are wanted.
//
// A polynomial is q₀ + θ·h·q'₀ + θ²·Σ c_k·T_k(2θ − 1). The places lie where it is least sensitive
// to them, and not at Lobatto's: there the accelerations alone fix q'₁, and the equations are
// singular.
#include "linalg/dense_factors.h"
#include "linalg/tolerances.h"
#include "ode/runge_kutta_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const struct {
    size_t count;
    double nodes[6];
} sets[] = {
    {2, {0, 1}},
    {4, {0, 1, 0.37, 0.63}},
    {6, {0, 1, 0.08, 0.42, 0.58, 0.92}},
};
enum { SETS = sizeof sets / sizeof *sets, MAX_TERMS = 8 };

// θ²·T_k(2θ − 1) for k < count, by θ not at all, once and twice differentiated.
static void basis_at(double theta, size_t count, double values[3][MAX_TERMS])
{
    double x = 2 * theta - 1, t[3] = {1, 0, 0}, next[3] = {x, 2, 0};
    for (size_t k = 0; k < count; k++) {
        values[0][k] = theta * theta * t[0];
        values[1][k] = theta * (theta * t[1] + 2 * t[0]);
        values[2][k] = theta * (theta * t[2] + 4 * t[1]) + 2 * t[0];
        double after[3] = {2 * x * next[0] - t[0], 2 * x * next[1] + 4 * next[0] - t[1],
                           2 * x * next[2] + 8 * next[1] - t[2]};
        memcpy(t, next, sizeof t);
        memcpy(next, after, sizeof next);
    }
}

// The coefficients c from the value and slope of Σ c_k·(…) at 1, and its second slopes at the
// nodes.
static void find_inverse(size_t set, double *inverse)
{
    size_t count = sets[set].count + 2;
    double matrix[MAX_TERMS * MAX_TERMS], values[3][MAX_TERMS];
    int pivots[MAX_TERMS];
    for (size_t i = 0; i < count; i++) {
        basis_at(i < 2 ? 1 : sets[set].nodes[i - 2], count, values);
        memcpy(matrix + i * count, values[i < 2 ? i : 2], count * sizeof *matrix);
    }
    for (size_t i = 0; i < count * count; i++)
        inverse[i] = i % (count + 1) == 0;
    // Column after column both are their transposes.
    bool regular = lu_factor(count, matrix, count, pivots);
    assert(regular);
    for (size_t i = 0; i < count && regular; i++)
        lu_solve(false, count, matrix, count, pivots, inverse + i * count);
}

void nystrom_dense_init(RungeKutta *method)
{
    if (!method->inverses) {
        method->inverses = integrator_numbers(&method->base, SETS * MAX_TERMS * MAX_TERMS);
        method->terms = integrator_numbers(&method->base, MAX_TERMS * method->width);
        method->slopes = integrator_numbers(&method->base, MAX_TERMS * method->width);
        for (size_t set = 0; set < SETS; set++)
            find_inverse(set, method->inverses + set * MAX_TERMS * MAX_TERMS);
    }
}

static double length_of(const RungeKutta *method)
{
    return method->dense.until - method->dense.from;
}

typedef RungeKuttaFour Four;
enum { FOUR = 4 };

static inline Four *four(double *at)
{
    return runge_kutta_four(at);
}

// The coefficients from the ends and the rates at the nodes, h²·q'' in rows of the slopes. What
// leads to the end is what the step added up: of the coordinates at both ends a difference would
// keep their roundings, of which the accelerations of a short step have the h²-th part.
RUNGE_KUTTA_WIDE static void fit(RungeKutta *method, size_t set)
{
    DenseOutput *dense = &method->dense;
    size_t n = method->base.problem.count / 2, count = sets[set].count + 2;
    const double *inverse = method->inverses + set * MAX_TERMS * MAX_TERMS;
    double h = length_of(method), *velocities = dense->begin + n, *way = method->sum;
    for (size_t i = 0; i < n; i += FOUR) {
        Four given[MAX_TERMS];
        given[0] = h * (*four(way + i) - *four(velocities + i));
        given[1] = h * h * *four(way + n + i);
        for (size_t node = 2; node < count; node++)
            given[node] = *four(method->slopes + (node - 2) * method->width + i);
        for (size_t k = 0; k < count; k++) {
            Four sum = {0};
            for (size_t j = 0; j < count; j++)
                sum += inverse[k * count + j] * given[j];
            *four(method->terms + k * method->width + i) = sum;
        }
    }
    dense->terms = count;
}

// Σ c_k·(…), of which the values are given, in `sums`.
RUNGE_KUTTA_WIDE static void add_terms(const RungeKutta *method, const double *values, double *sums)
{
    size_t n = method->base.problem.count / 2;
    for (size_t i = 0; i < n; i += FOUR) {
        Four sum = {0};
        for (size_t k = 0; k < method->dense.terms; k++)
            sum += values[k] * *four(method->terms + k * method->width + i);
        *four(sums + i) = sum;
    }
}

// Coordinates and velocities, and their rates where these are wanted.
static void evaluate(RungeKutta *method, double theta, double *y, double *rate)
{
    const DenseOutput *dense = &method->dense;
    size_t n = method->base.problem.count / 2;
    double h = length_of(method), values[3][MAX_TERMS], *sums = method->difference;
    basis_at(theta, dense->terms, values);
    add_terms(method, values[0], sums);
    for (size_t i = 0; i < n; i++)
        y[i] = dense->begin[i] + (theta * h * dense->begin[n + i] + sums[i]);
    add_terms(method, values[1], sums);
    for (size_t i = 0; i < n; i++)
        y[n + i] = dense->begin[n + i] + (h > 0 ? sums[i] / h : 0);
    if (!rate)
        return;
    add_terms(method, values[2], sums);
    memcpy(rate, y + n, n * sizeof *rate);
    for (size_t i = 0; i < n; i++)
        rate[n + i] = h > 0 ? sums[i] / (h * h) : method->rate[n + i];
}

// Where there is no rate inside, what was found so far has to do.
static void make(RungeKutta *method)
{
    DenseOutput *dense = &method->dense;
    size_t n = method->base.problem.count / 2;
    double h = length_of(method), *rate = method->velocities;
    const double *ends[] = {runge_kutta_stage(method, 0), method->rate};
    assert(method->nystrom && method->inverses);
    for (size_t end = 0; end < 2; end++)
        for (size_t i = 0; i < n; i++)
            method->slopes[end * method->width + i] = h * h * ends[end][n + i];
    fit(method, 0);
    for (size_t set = 1; set < SETS; set++) {
        for (size_t node = 2; node < sets[set].count; node++) {
            double theta = sets[set].nodes[node];
            evaluate(method, theta, dense->state, NULL);
            if (!runge_kutta_rate(method, dense->from + theta * h, dense->state, rate))
                return;
            for (size_t i = 0; i < n; i++)
                method->slopes[node * method->width + i] = h * h * rate[n + i];
        }
        fit(method, set);
    }
}

void nystrom_dense_state(RungeKutta *method, double t, double *y, double *rate)
{
    double h = length_of(method);
    assert(h >= 0);
    if (method->dense.terms == 0 && h > 0)
        make(method);
    evaluate(method, h > 0 ? (t - method->dense.from) / h : 1, y, rate);
}

// T_k(2θ − 1) in powers of θ, from the two before it.
static void next_polynomial(double *t, double *next)
{
    double after[MAX_TERMS + 1];
    for (size_t p = 0; p <= MAX_TERMS; p++)
        after[p] = (p > 0 ? 4 * next[p - 1] : 0) - 2 * next[p] - t[p];
    memcpy(t, next, sizeof after);
    memcpy(next, after, sizeof after);
}

// Of coordinates, and their slopes of velocities, in powers of (t − *about)/(*unit).
size_t nystrom_dense_expand(RungeKutta *method, double *about, double *unit, double *rows)
{
    DenseOutput *dense = &method->dense;
    size_t n = method->base.problem.count / 2, degree;
    double h = length_of(method);
    double t[MAX_TERMS + 1] = {1}, next[MAX_TERMS + 1] = {-1, 2};
    if (dense->terms == 0 && h > 0)
        make(method);
    degree = dense->terms + 1;
    *about = dense->from;
    *unit = h > 0 ? h : 1;
    memset(rows, 0, (degree + 1) * 2 * n * sizeof *rows);
    for (size_t i = 0; i < n; i++) {
        rows[i] = dense->begin[i];
        rows[2 * n + i] = h * dense->begin[n + i];
    }
    for (size_t k = 0; k < dense->terms; k++, next_polynomial(t, next))
        for (size_t p = 2; p <= degree; p++)
            for (size_t i = 0; i < n && t[p - 2] != 0; i++)
                rows[p * 2 * n + i] += t[p - 2] * method->terms[k * method->width + i];
    for (size_t p = 0; p < degree; p++)
        for (size_t i = 0; i < n; i++)
            rows[p * 2 * n + n + i] = (double)(p + 1) * rows[(p + 1) * 2 * n + i] / *unit;
    return degree;
}

// How far the polynomial's second slopes are from the rates on it, at points inside the step.
double nystrom_dense_defect(RungeKutta *method, size_t points)
{
    DenseOutput *dense = &method->dense;
    size_t n = method->base.problem.count / 2;
    double h = length_of(method), lost = TOL_STATE * fabs(dense->until), worst = 0;
    double *slope = method->slopes, *rate = method->velocities;
    assert(points > 0 && h > 0);
    if (dense->terms == 0)
        make(method);
    for (size_t point = 1; point <= points; point++) {
        double theta = (double)point / (double)(points + 1);
        evaluate(method, theta, dense->state, slope);
        if (!runge_kutta_rate(method, dense->from + theta * h, dense->state, rate))
            return INFINITY;
        for (size_t i = n; i < 2 * n; i++)
            worst = fmax(worst,
                         (h * fabs(slope[i] - rate[i]) - lost * fabs(rate[i])) / method->scale[i]);
    }
    return worst;
}
