// inside.c: the states inside a step of which the ends are known, from rates alone.
//
// Through both ends and their rates goes a polynomial of degree 3; the rates at two states on it
// are right to one order more than it is, and so is the polynomial through these, and so on
// (W. H. Enright, K. R. Jackson, S. P. Nørsett and P. G. Thomsen, Interpolants for Runge–Kutta
// formulas, ACM Trans. Math. Softw. 12, 1986). After five turns with 2, 2, 4, 4 and 6 states inside
// the error goes with the power 9 of the step, as that of a step of order 8 does.
//
// A polynomial is y₀ + θ·(y₁ − y₀) + θ(1 − θ)·Σ c_k·T_k(2θ − 1), so that rounding is measured by
// how far the step goes and not by where it is. The states inside lie where it is least sensitive
// to them, and not at Lobatto's nodes: there the rates alone fix y₁, and the equations are
// singular.
#include "run/run_impl.h"

#include <math.h>
#include <string.h>

enum { MOST_NODES = 8, TURNS = 5 };

// In units of the step; both ends come first.
static const struct {
    size_t count;
    double nodes[MOST_NODES];
} sets[] = {
    {2, {0, 1}},
    {4, {0, 1, 0.15, 0.85}},
    {6, {0, 1, 0.1, 0.29, 0.71, 0.9}},
    {8, {0, 1, 0.06, 0.18, 0.33, 0.67, 0.82, 0.94}},
};
enum { SETS = sizeof sets / sizeof *sets };
static const size_t turns[TURNS] = {1, 1, 2, 2, 3};

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
    double matrix[MOST_NODES * MOST_NODES], values[MOST_NODES];
    lapack_int pivots[MOST_NODES], size = (lapack_int)count;
    for (size_t i = 0; i < count; i++)
        basis_at(sets[set].nodes[i], count, values, matrix + i * count);
    for (size_t i = 0; i < count * count; i++)
        inverse[i] = i % (count + 1) == 0;
    LAPACKE_dgesv(LAPACK_ROW_MAJOR, size, size, matrix, size, pivots, inverse, size);
}

void inside_init(Inside *inside, const IntegratorProblem *problem)
{
    size_t count = problem->count;
    *inside = (Inside){.problem = *problem};
    inside->block = base_alloc((count * (4 + 2 * MOST_NODES) + 1) * sizeof(double));
    inside->begin = inside->block;
    inside->end = inside->begin + count;
    inside->change = inside->end + count;
    inside->state = inside->change + count;
    inside->slopes = inside->state + count;
    inside->parts = inside->slopes + MOST_NODES * count;
    inside->inverses = base_alloc(SETS * MOST_NODES * MOST_NODES * sizeof(double));
    for (size_t set = 0; set < SETS; set++)
        find_inverse(set, inside->inverses + set * MOST_NODES * MOST_NODES);
}

void inside_clear(Inside *inside)
{
    base_free(inside->block);
    base_free(inside->inverses);
    *inside = (Inside){0};
}

void inside_begin(Inside *inside, double t, const double *y)
{
    memcpy(inside->begin, y, inside->problem.count * sizeof *y);
    inside->from = inside->until = t;
    inside->terms = 0;
}

void inside_end(Inside *inside, double t, const double *y)
{
    memcpy(inside->end, y, inside->problem.count * sizeof *y);
    inside->until = t;
    inside->terms = 0;
}

// ---- The polynomial.

static void evaluate(const Inside *inside, double theta, double *y)
{
    size_t width = inside->problem.count;
    double values[MOST_NODES], slopes[MOST_NODES];
    basis_at(theta, inside->terms, values, slopes);
    for (size_t i = 0; i < width; i++)
        y[i] = inside->begin[i] + theta * inside->change[i];
    for (size_t k = 0; k < inside->terms; k++)
        for (size_t i = 0; i < width; i++)
            y[i] += values[k] * inside->parts[k * width + i];
}

// What the slope at a node has more than that of the straight line; false where there is no rate.
static bool find_slope(Inside *inside, double theta, const double *y, size_t node)
{
    const IntegratorProblem *problem = &inside->problem;
    double length = inside->until - inside->from, *slope = inside->slopes + node * problem->count;
    if (!problem->rate(problem->context, inside->from + theta * length, y, slope))
        return false;
    for (size_t i = 0; i < problem->count; i++)
        slope[i] = length * slope[i] - inside->change[i];
    return true;
}

static void fit(Inside *inside, size_t set)
{
    size_t width = inside->problem.count, count = sets[set].count;
    const double *inverse = inside->inverses + set * MOST_NODES * MOST_NODES;
    memset(inside->parts, 0, count * width * sizeof(double));
    for (size_t k = 0; k < count; k++)
        for (size_t node = 0; node < count; node++)
            for (size_t i = 0; i < width; i++)
                inside->parts[k * width + i] +=
                    inverse[k * count + node] * inside->slopes[node * width + i];
    inside->terms = count;
}

// Where there is no rate inside, what was found so far has to do.
static void make(Inside *inside)
{
    for (size_t i = 0; i < inside->problem.count; i++)
        inside->change[i] = inside->end[i] - inside->begin[i];
    if (!find_slope(inside, 0, inside->begin, 0) || !find_slope(inside, 1, inside->end, 1))
        return;
    fit(inside, 0);
    for (size_t turn = 0; turn < TURNS; turn++) {
        size_t set = turns[turn];
        for (size_t node = 2; node < sets[set].count; node++) {
            evaluate(inside, sets[set].nodes[node], inside->state);
            if (!find_slope(inside, sets[set].nodes[node], inside->state, node))
                return;
        }
        fit(inside, set);
    }
}

void inside_state(Inside *inside, double t, double *y)
{
    double length = inside->until - inside->from;
    if (inside->terms == 0)
        make(inside);
    evaluate(inside, length > 0 ? (t - inside->from) / length : 1, y);
}

double inside_defect(Inside *inside, size_t points, const double *allowance)
{
    const IntegratorProblem *problem = &inside->problem;
    double length = inside->until - inside->from, worst = 0;
    double values[MOST_NODES], slopes[MOST_NODES], *rate = inside->slopes;
    if (inside->terms == 0)
        make(inside);
    for (size_t point = 1; point <= points; point++) {
        double theta = (double)point / (double)(points + 1);
        evaluate(inside, theta, inside->state);
        if (!problem->rate(problem->context, inside->from + theta * length, inside->state, rate))
            return INFINITY;
        basis_at(theta, inside->terms, values, slopes);
        for (size_t i = 0; i < problem->count; i++) {
            double slope = inside->change[i] - length * rate[i];
            for (size_t k = 0; k < inside->terms; k++)
                slope += slopes[k] * inside->parts[k * problem->count + i];
            worst = fmax(worst, fabs(slope) / allowance[i]);
        }
    }
    return worst;
}
