// cone_margin.c: the largest of the least margins of circular cones, by an interior point.
//
// With s for the margin, −τs − Σ log((b − s)² − |F|²) − log(S − s) is a self-concordant function of
// (y, s). Newton's method follows its least point as τ grows (Nesterov, Nemirovskii 1994), which is
// a function of 1/τ that goes on through 0: the last of these points, as a polynomial, give the end
// of the path, where its own equations have lost their digits. S, and −log(S² − |y|²), keep it
// finite.
#include "linalg/cone_margin.h"
#include "linalg/dense.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

// How τ grows, how often, and how many points make the polynomial; what s may come to, in units of
// the largest constant; components of a force.
enum { GROWTH = 4, POINTS = 13, KEPT = 5, MOST_ROOM = 100, MOST_FORCES = 3 };

typedef struct {
    const ConeProblem *problem;
    double unit, tau;
    size_t size;      // count + 1: y and s, in this unit
    double *x, *from; // size
    double *gradient, *hessian;
} Path;

static double value_of(const Path *path, const double *function, const double *x)
{
    return function[0] / path->unit + real_dot(function + 1, x, path->size - 1);
}

// b − s and the F of the cone whose functions these are; (b − s)² − |F|², 0 or less outside.
static double cone_at(const Path *path, const double *functions, size_t forces, const double *x,
                      double *values)
{
    double square = 0;
    values[0] = value_of(path, functions, x) - x[path->size - 1];
    for (size_t k = 1; k <= forces; k++) {
        values[k] = value_of(path, functions + k * path->size, x);
        square += values[k] * values[k];
    }
    double length = sqrt(square);
    return values[0] > 0 ? (values[0] - length) * (values[0] + length) : -1;
}

static bool is_inside(const Path *path, const double *x)
{
    const double *functions = path->problem->functions;
    double values[1 + MOST_FORCES];
    double far = real_dot(x, x, path->size - 1);
    bool inside = x[path->size - 1] < MOST_ROOM && far < MOST_ROOM * MOST_ROOM;
    for (size_t i = 0; i < path->problem->cones && inside; i++) {
        inside = cone_at(path, functions, path->problem->forces[i], x, values) > 0;
        functions += (1 + path->problem->forces[i]) * path->size;
    }
    return inside;
}

// Adds factor·slopes of function k of a cone, where s counts for b.
static void add_slopes(const Path *path, const double *functions, size_t k, double factor,
                       double *sum)
{
    real_add_times(factor, functions + k * path->size + 1, path->size - 1, sum);
    if (k == 0)
        sum[path->size - 1] -= factor;
}

static void add_square(size_t size, double factor, const double *row, double *matrix)
{
    for (size_t i = 0; i < size; i++)
        real_add_times(factor * row[i], row, i + 1, matrix + i * size);
}

static void differentiate(Path *path, double *row)
{
    const ConeProblem *problem = path->problem;
    const double *functions = problem->functions;
    size_t size = path->size;
    double room = MOST_ROOM - path->x[size - 1], values[1 + MOST_FORCES];
    memset(path->gradient, 0, size * sizeof(double));
    memset(path->hessian, 0, size * size * sizeof(double));
    path->gradient[size - 1] = 1 / room - path->tau;
    path->hessian[size * size - 1] = 1 / (room * room);
    double far = MOST_ROOM * MOST_ROOM - real_dot(path->x, path->x, size - 1);
    memset(row, 0, size * sizeof *row);
    for (size_t d = 0; d + 1 < size; d++) {
        row[d] = 2 * path->x[d] / far;
        path->hessian[d * size + d] += 2 / far;
    }
    real_add_times(1, row, size, path->gradient);
    add_square(size, 1, row, path->hessian);
    for (size_t i = 0; i < problem->cones; i++) {
        size_t forces = problem->forces[i];
        double inside = cone_at(path, functions, forces, path->x, values);
        memset(row, 0, size * sizeof *row);
        for (size_t k = 0; k <= forces; k++)
            add_slopes(path, functions, k, (k == 0 ? -2 : 2) * values[k] / inside, row);
        real_add_times(1, row, size, path->gradient);
        add_square(size, 1, row, path->hessian);
        for (size_t k = 0; k <= forces; k++) {
            memset(row, 0, size * sizeof *row);
            add_slopes(path, functions, k, 1, row);
            add_square(size, (k == 0 ? -2 : 2) / inside, row, path->hessian);
        }
        functions += (1 + forces) * size;
    }
}

// Newton's steps to the least point for this τ.
static void centre(Path *path, double *row, double *step)
{
    size_t size = path->size;
    for (size_t round = 0; round < LIMIT_STEPS; round++) {
        differentiate(path, row);
        // What changes no cone stays where it is.
        double most = 0;
        for (size_t i = 0; i < size; i++)
            most = fmax(most, path->hessian[i * size + i]);
        for (size_t i = 0; i < size; i++)
            path->hessian[i * size + i] += DBL_EPSILON * most;
        memcpy(step, path->gradient, size * sizeof *step);
        if (!cholesky_factor(path->hessian, size, size, 0))
            return;
        cholesky_solve(path->hessian, size, step);
        // By its decrement alone: beside τs the function's value has too few digits.
        double decrement = sqrt(fmax(real_dot(step, path->gradient, size), 0));
        double part = decrement < 0.25 ? 1 : 1 / (1 + decrement);
        memcpy(path->from, path->x, size * sizeof *path->x);
        do {
            memcpy(path->x, path->from, size * sizeof *path->x);
            real_add_times(-part, step, size, path->x);
            part /= 2;
        } while (!is_inside(path, path->x) && part > TOL_ZERO);
        if (!is_inside(path, path->x))
            memcpy(path->x, path->from, size * sizeof *path->x);
        if (!(decrement > TOL_CONDITION) || part <= TOL_ZERO)
            return;
    }
}

double cone_margin_at(const ConeProblem *problem, const double *y)
{
    const double *functions = problem->functions;
    double least = INFINITY;
    for (size_t i = 0; i < problem->cones; i++) {
        double b = 0, square = 0;
        for (size_t k = 0; k <= problem->forces[i]; k++, functions += problem->count + 1) {
            double value = functions[0] + real_dot(functions + 1, y, problem->count);
            b = k == 0 ? value : b;
            square += k == 0 ? 0 : value * value;
        }
        least = fmin(least, b - sqrt(square));
    }
    return least;
}

double cone_margin(const ConeProblem *problem, double *y)
{
    size_t size = problem->count + 1, all = 0;
    double unit = 0;
    for (size_t i = 0; i < problem->cones; i++)
        for (size_t k = 0; k <= problem->forces[i]; k++)
            unit = fmax(unit, fabs(problem->functions[size * all++]));
    memset(y, 0, problem->count * sizeof *y);
    if (!(unit > 0) || problem->cones == 0)
        return INFINITY;
    double *work = base_alloc(((5 + KEPT) * size + size * size) * sizeof *work);
    double *kept = work + 5 * size;
    Path path = {.problem = problem,
                 .unit = unit,
                 .tau = 1,
                 .size = size,
                 .x = work,
                 .from = work + size,
                 .gradient = work + 2 * size,
                 .hessian = kept + KEPT * size};
    memset(path.x, 0, size * sizeof *path.x);
    path.x[size - 1] = cone_margin_at(problem, y) / unit - 1;
    for (size_t i = 0; i < POINTS; i++, path.tau *= GROWTH) {
        centre(&path, work + 3 * size, work + 4 * size);
        if (i + KEPT >= POINTS)
            memcpy(kept + (i + KEPT - POINTS) * size, path.x, size * sizeof *kept);
    }
    // Neville's scheme at 1/τ = 0.
    for (size_t degree = 1; degree < KEPT; degree++)
        for (size_t i = KEPT; i-- > degree;) {
            double ratio = pow(GROWTH, (double)degree) - 1;
            for (size_t d = 0; d < size; d++)
                kept[i * size + d] += (kept[i * size + d] - kept[(i - 1) * size + d]) / ratio;
        }
    const double *last = kept + (KEPT - 1) * size;
    double margin = last[size - 1];
    for (size_t d = 0; d < problem->count; d++)
        y[d] = unit * last[d];
    base_free(work);
    return margin < MOST_ROOM / 4 ? unit * margin : INFINITY;
}
