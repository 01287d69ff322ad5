// dense_output.c: the states inside a step of which the ends are known, from rates alone.
//
// Through both ends and their rates goes a polynomial of degree 3; the rates at two states on it
// are right to one order more than it is, and so is the polynomial through these, and so on
// (W. H. Enright, K. R. Jackson, S. P. Nørsett and P. G. Thomsen, Interpolants for Runge–Kutta
// formulas, ACM Trans. Math. Softw. 12, 1986). After five passes with 2, 2, 4, 4 and 6 states
// inside the error goes with the power 9 of the step, as that of a step of order 8 does.
//
// A polynomial is y₀ + θ·(y₁ − y₀) + θ(1 − θ)·Σ c_k·T_k(2θ − 1), so that rounding is measured by
// how far the step goes and not by where it is. The states inside lie where it is least sensitive
// to them, and not at Lobatto's nodes: there the rates alone fix y₁, and the equations are
// singular.
#include "linalg/dense_factors.h"
#include "linalg/tolerances.h"
#include "ode/dense_output_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// The sets of nodes, in units of the step, both ends first; and the one that each pass takes.
static const struct {
    size_t count;
    double nodes[8];
} sets[] = {
    {2, {0, 1}},
    {4, {0, 1, 0.15, 0.85}},
    {6, {0, 1, 0.1, 0.29, 0.71, 0.9}},
    {8, {0, 1, 0.06, 0.18, 0.33, 0.67, 0.82, 0.94}},
};
static const size_t passes[] = {1, 1, 2, 2, 3};
enum {
    SETS = sizeof sets / sizeof *sets,
    MAX_NODES = sizeof sets->nodes / sizeof *sets->nodes,
    PASSES = sizeof passes / sizeof *passes
};

// θ(1 − θ)·T_k(2θ − 1) for k < count, and the slopes.
static void basis_at(double theta, size_t count, double *values, double *slopes)
{
    double x = 2 * theta - 1, weight = theta * (1 - theta), weight_slope = 1 - 2 * theta;
    double t = 1, next = x, t_slope = 0, next_slope = 2;
    for (size_t k = 0; k < count; k++) {
        values[k] = weight * t;
        slopes[k] = weight_slope * t + weight * t_slope;
        double after = 2 * x * next - t, slope_after = 4 * next + 2 * x * next_slope - t_slope;
        t = next;
        t_slope = next_slope;
        next = after;
        next_slope = slope_after;
    }
}

// The coefficients c from the slopes that Σ c_k·(…) has at the nodes of a set.
static void find_inverse(size_t set, double *inverse)
{
    size_t count = sets[set].count;
    double matrix[MAX_NODES * MAX_NODES], values[MAX_NODES];
    int pivots[MAX_NODES];
    for (size_t i = 0; i < count; i++)
        basis_at(sets[set].nodes[i], count, values, matrix + i * count);
    for (size_t i = 0; i < count * count; i++)
        inverse[i] = i % (count + 1) == 0;
    // Column after column both are their transposes.
    bool regular = lu_factor(count, matrix, count, pivots);
    assert(regular);
    for (size_t i = 0; i < count && regular; i++)
        lu_solve(false, count, matrix, count, pivots, inverse + i * count);
}

void dense_output_init(DenseOutput *dense, const OdeProblem *problem, Arena *arena)
{
    assert(problem->rate);
    size_t count = problem->count, squares = MAX_NODES * MAX_NODES;
    double *block =
        arena_alloc(arena, (count * (4 + 2 * MAX_NODES) + SETS * squares) * sizeof *block);
    *dense = (DenseOutput){.problem = problem,
                           .begin = block,
                           .end = block + count,
                           .change = block + 2 * count,
                           .state = block + 3 * count,
                           .slopes = block + 4 * count,
                           .parts = block + (4 + MAX_NODES) * count,
                           .inverses = block + (4 + 2 * MAX_NODES) * count};
    for (size_t set = 0; set < SETS; set++)
        find_inverse(set, dense->inverses + set * squares);
}

static void set_end(DenseOutput *dense, double t, double *state, const double *y)
{
    memmove(state, y, dense->problem->count * sizeof *y);
    dense->until = t;
    dense->terms = 0;
}

void dense_output_begin(DenseOutput *dense, double t, const double *y)
{
    set_end(dense, t, dense->begin, y);
    dense->from = t;
}

void dense_output_end(DenseOutput *dense, double t, const double *y)
{
    assert(t >= dense->from);
    set_end(dense, t, dense->end, y);
}

// ---- The polynomial.

static void evaluate(const DenseOutput *dense, double theta, double *y)
{
    size_t width = dense->problem->count;
    double values[MAX_NODES], slopes[MAX_NODES];
    basis_at(theta, dense->terms, values, slopes);
    for (size_t i = 0; i < width; i++)
        y[i] = dense->begin[i] + theta * dense->change[i];
    for (size_t k = 0; k < dense->terms; k++)
        for (size_t i = 0; i < width; i++)
            y[i] += values[k] * dense->parts[k * width + i];
}

// What the slope at a node has more than that of the straight line; false where there is no rate.
static bool find_slope(DenseOutput *dense, double theta, const double *y, size_t node)
{
    const OdeProblem *problem = dense->problem;
    double length = dense->until - dense->from, *slope = dense->slopes + node * problem->count;
    if (!problem->rate(problem->context, dense->from + theta * length, y, slope))
        return false;
    for (size_t i = 0; i < problem->count; i++)
        slope[i] = length * slope[i] - dense->change[i];
    return true;
}

static void fit(DenseOutput *dense, size_t set)
{
    size_t width = dense->problem->count, count = sets[set].count;
    const double *inverse = dense->inverses + set * MAX_NODES * MAX_NODES;
    memset(dense->parts, 0, count * width * sizeof(double));
    for (size_t k = 0; k < count; k++)
        for (size_t node = 0; node < count; node++)
            for (size_t i = 0; i < width; i++)
                dense->parts[k * width + i] +=
                    inverse[k * count + node] * dense->slopes[node * width + i];
    dense->terms = count;
}

// Where there is no rate inside, what was found so far has to do.
static void make(DenseOutput *dense)
{
    for (size_t i = 0; i < dense->problem->count; i++)
        dense->change[i] = dense->end[i] - dense->begin[i];
    if (!find_slope(dense, 0, dense->begin, 0) || !find_slope(dense, 1, dense->end, 1))
        return;
    fit(dense, 0);
    for (size_t pass = 0; pass < PASSES; pass++) {
        size_t set = passes[pass];
        for (size_t node = 2; node < sets[set].count; node++) {
            evaluate(dense, sets[set].nodes[node], dense->state);
            if (!find_slope(dense, sets[set].nodes[node], dense->state, node))
                return;
        }
        fit(dense, set);
    }
}

void dense_output_state(DenseOutput *dense, double t, double *y)
{
    double length = dense->until - dense->from;
    assert(length >= 0);
    if (dense->terms == 0)
        make(dense);
    evaluate(dense, length > 0 ? (t - dense->from) / length : 1, y);
}

size_t dense_output_expand(DenseOutput *dense, double *about, double *unit, double *rows)
{
    assert(about && rows);
    size_t width = dense->problem->count, degree;
    double length = dense->until - dense->from;
    // T_k(2θ − 1) in powers of θ: this one, the next and the one after.
    double t[MAX_NODES + 2] = {1}, next[MAX_NODES + 2] = {-1, 2}, after[MAX_NODES + 2] = {0};
    if (dense->terms == 0)
        make(dense);
    degree = dense->terms + 1;
    *about = dense->from;
    *unit = length > 0 ? length : 1;
    memset(rows, 0, (degree + 1) * width * sizeof *rows);
    memcpy(rows, dense->begin, width * sizeof *rows);
    memcpy(rows + width, dense->change, width * sizeof *rows);
    for (size_t k = 0; k < dense->terms; k++) {
        for (size_t p = 0; p <= degree; p++) {
            double weight = (p > 0 ? t[p - 1] : 0) - (p > 1 ? t[p - 2] : 0);
            for (size_t i = 0; i < width && weight != 0; i++)
                rows[p * width + i] += weight * dense->parts[k * width + i];
            after[p] = (p > 0 ? 4 * next[p - 1] : 0) - 2 * next[p] - t[p];
        }
        memcpy(t, next, sizeof t);
        memcpy(next, after, sizeof next);
    }
    return degree;
}

double dense_output_defect(DenseOutput *dense, size_t points, const double *error_scale)
{
    const OdeProblem *problem = dense->problem;
    double length = dense->until - dense->from, worst = 0, lost = TOL_STATE * fabs(dense->until);
    double values[MAX_NODES], slopes[MAX_NODES], *rate = dense->slopes;
    assert(points > 0 && length > 0);
    if (dense->terms == 0)
        make(dense);
    for (size_t point = 1; point <= points; point++) {
        double theta = (double)point / (double)(points + 1);
        evaluate(dense, theta, dense->state);
        if (!problem->rate(problem->context, dense->from + theta * length, dense->state, rate))
            return INFINITY;
        basis_at(theta, dense->terms, values, slopes);
        for (size_t i = 0; i < problem->count; i++) {
            double slope = dense->change[i] - length * rate[i];
            for (size_t k = 0; k < dense->terms; k++)
                slope += slopes[k] * dense->parts[k * problem->count + i];
            worst = fmax(worst, (fabs(slope) - lost * fabs(rate[i])) / error_scale[i]);
        }
    }
    return worst;
}
