// least.c: the multipliers of least norm, and whether there are others.
//
// Where conditions that touch depend on each other, many λ ≥ 0 give the reaction Σ λ_l w_l that the
// motion needs. The least of them is the point nearest to 0 of another polyhedron. There is no
// other where the conditions that push are independent and no sum of the rest, with factors ≥ 0,
// lies among them; by Gordan's alternative that is the same as a direction which all of the rest,
// less what of them lies among those that push, turn away from: a third polyhedron.
#include "gauss/gauss_impl.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

// A part of a normal along an axis that is no more than this of its length is rounding; where it
// is not taken off, it alone may forbid a condition to push.
#define NO_PART 1e-13

struct Least {
    Nearest *nearest;
    double *weights; // normals of the polyhedron at hand
    double *parts;   // of the touching normals along the axes
    double *matrix, *mu, *step, *next;
    double *offsets, *sizes, *lambda, *point;
    double *axes; // orthonormal, of those that push
    bool *acting;
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

Least *least_new(size_t most_size, size_t most_count)
{
    size_t size = larger(most_size, most_count), count = most_size + most_count;
    Least *least = base_alloc(sizeof *least);
    least->nearest = nearest_new(size, count);
    least->weights = base_alloc((count * size + 1) * sizeof(double));
    least->offsets = base_alloc((count + 1) * sizeof(double));
    least->sizes = base_alloc((count + 1) * sizeof(double));
    least->lambda = base_alloc((count + 1) * sizeof(double));
    least->point = base_alloc((size + 1) * sizeof(double));
    least->axes = base_alloc((most_size * most_size + 1) * sizeof(double));
    least->parts = base_alloc((most_size * most_count + 1) * sizeof(double));
    least->matrix = base_alloc((most_size * most_size + 1) * sizeof(double));
    least->mu = base_alloc((most_size + 1) * sizeof(double));
    least->step = base_alloc((most_size + 1) * sizeof(double));
    least->next = base_alloc((most_size + 1) * sizeof(double));
    least->acting = base_alloc((count + 1) * sizeof *least->acting);
    return least;
}

void least_free(Least *least)
{
    if (!least)
        return;
    nearest_free(least->nearest);
    double *owned[] = {least->weights, least->offsets, least->sizes, least->lambda,
                       least->point,   least->axes,    least->parts, least->matrix,
                       least->mu,      least->step,    least->next};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        base_free(owned[i]);
    base_free(least->acting);
    base_free(least);
}

// ---- Axes.

// What of a vector stands off the first `axes` axes, in place; returns its length.
static double stand_off(const Least *least, size_t axes, size_t size, double *vector)
{
    for (int round = 0; round < 2; round++)
        for (size_t c = 0; c < axes; c++) {
            const double *axis = least->axes + c * size;
            real_add_times(-real_dot(axis, vector, size), axis, size, vector);
        }
    return sqrt(real_dot(vector, vector, size));
}

static void scale(double factor, double *vector, size_t size)
{
    for (size_t i = 0; i < size; i++)
        vector[i] *= factor;
}

// Takes in an axis along what of a normal stands off the first `axes`; false where nothing does.
static bool add_axis(Least *least, size_t axes, size_t size, const double *w)
{
    double *axis = least->axes + axes * size, length = sqrt(real_dot(w, w, size));
    if (axes == size)
        return false;
    memcpy(axis, w, size * sizeof *w);
    double off = stand_off(least, axes, size, axis);
    if (off <= STANDS_OFF * length)
        return false;
    scale(1 / off, axis, size);
    return true;
}

// ---- The least, quickly.
//
// λ = max(0, Aᵀμ) with Aλ = b is the least: μ is where ½|max(0, Aᵀμ)|² − b·μ is least, which is
// smooth, and quadratic between the places where conditions join or leave. Newton's steps end.

// How many steps; more mean that Newton's matrix is singular where the least is.
#define MOST_STEPS    40
#define MOST_HALVINGS 30
// Aλ − b that is rounding, as a part of its terms.
#define MISSED 1e-13
// A pivot of Newton's matrix that is none, against its diagonal.
#define LEAST_PIVOT 1e-10

// Aᵀμ into `point`; returns what is to be made least.
static double push_by(Least *least, size_t axes, size_t count, const double *mu)
{
    double value = real_dot(least->offsets, mu, axes);
    for (size_t k = 0; k < count; k++) {
        double push = real_dot(least->parts + k * axes, mu, axes);
        least->point[k] = push;
        value += push > 0 ? push * push / 2 : 0;
    }
    return value;
}

// The step −H⁻¹g, g = Aλ − b and H = AAᵀ over those that push (all of them: to begin with). False
// where H is singular.
static bool find_step(Least *least, size_t axes, size_t count, bool all)
{
    memset(least->matrix, 0, axes * axes * sizeof *least->matrix);
    for (size_t c = 0; c < axes; c++)
        least->step[c] = -least->offsets[c];
    for (size_t k = 0; k < count; k++) {
        const double *part = least->parts + k * axes;
        if (!all && least->point[k] <= 0)
            continue;
        for (size_t c = 0; c < axes; c++)
            real_add_times(part[c], part, c + 1, least->matrix + c * axes);
        real_add_times(all ? 0 : -least->point[k], part, axes, least->step);
    }
    lapack_int order = (lapack_int)axes;
    for (size_t c = 0; c < axes; c++)
        least->next[c] = least->matrix[c * axes + c];
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', order, least->matrix, order) != 0)
        return false;
    for (size_t c = 0; c < axes; c++) {
        double pivot = least->matrix[c * axes + c];
        if (!(pivot * pivot > LEAST_PIVOT * least->next[c]))
            return false;
    }
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', order, 1, least->matrix, order, least->step, order);
    return true;
}

// Whether the pushes in `point` give the reaction.
static bool gives_reaction(const Least *least, size_t axes, size_t count)
{
    for (size_t c = 0; c < axes; c++) {
        double miss = least->offsets[c], terms = least->sizes[c];
        for (size_t k = 0; k < count; k++)
            if (least->point[k] > 0) {
                miss += least->parts[k * axes + c] * least->point[k];
                terms += fabs(least->parts[k * axes + c] * least->point[k]);
            }
        if (fabs(miss) > MISSED * terms)
            return false;
    }
    return true;
}

// Leaves the least λ in `point`, less than 0 where it is 0. False where it does not get there.
static bool descend(Least *least, size_t axes, size_t count)
{
    memset(least->mu, 0, axes * sizeof *least->mu);
    memset(least->point, 0, count * sizeof *least->point);
    double value = 0;
    if (gives_reaction(least, axes, count))
        return true;
    for (int step = 0; step < MOST_STEPS; step++) {
        if (!find_step(least, axes, count, step == 0))
            return false;
        double next = INFINITY, length = 1;
        for (int halving = 0; halving < MOST_HALVINGS && !(next < value); halving++) {
            memcpy(least->next, least->mu, axes * sizeof *least->mu);
            real_add_times(length, least->step, axes, least->next);
            next = push_by(least, axes, count, least->next);
            length /= 2;
            if (gives_reaction(least, axes, count))
                return true;
        }
        if (!(next < value))
            return false;
        memcpy(least->mu, least->next, axes * sizeof *least->mu);
        value = next;
    }
    return false;
}

// ---- The least, in any case.

// λ ≥ 0 as conditions beside the equations Aλ = b: the point nearest to 0. Leaves it in `point`.
static bool find_nearest(Least *least, size_t axes, size_t count)
{
    size_t conditions = axes + count, row;
    double *weights = least->weights;
    memset(weights, 0, conditions * count * sizeof *weights);
    memset(least->offsets + axes, 0, count * sizeof *least->offsets);
    memset(least->sizes + axes, 0, count * sizeof *least->sizes);
    memset(least->acting, 0, conditions * sizeof *least->acting);
    for (size_t k = 0; k < count; k++) {
        for (size_t c = 0; c < axes; c++)
            weights[c * count + k] = least->parts[k * axes + c];
        weights[(axes + k) * count + k] = -1;
    }
    NearestProblem problem = {count, conditions, axes, weights, least->offsets, least->sizes};
    if (nearest_solve(least->nearest, &problem, least->acting, least->lambda, least->point, &row) !=
        NEAREST_FOUND)
        return false;
    for (size_t k = 0; k < count; k++)
        least->point[k] = least->acting[axes + k] ? 0 : least->point[k];
    return true;
}

// |λ|² least under Σ λ_l w_l = the reaction, along as many axes as the normals have, and λ ≥ 0.
static void find_least(Least *least, const double *normals, size_t size, const size_t *touching,
                       size_t count, const double *y, double *lambda)
{
    size_t axes = 0;
    for (size_t k = 0; k < count; k++)
        axes += add_axis(least, axes, size, normals + touching[k] * size);
    double far = sqrt(real_dot(y, y, size));
    for (size_t c = 0; c < axes; c++) {
        least->offsets[c] = real_dot(least->axes + c * size, y, size);
        least->sizes[c] = far;
    }
    for (size_t k = 0; k < count; k++) {
        const double *w = normals + touching[k] * size;
        double length = sqrt(real_dot(w, w, size));
        for (size_t c = 0; c < axes; c++) {
            double part = real_dot(least->axes + c * size, w, size);
            least->parts[k * axes + c] = fabs(part) > NO_PART * length ? part : 0;
        }
    }
    // Where neither gets there, what was given pushes rightly too.
    if (descend(least, axes, count) || find_nearest(least, axes, count))
        for (size_t k = 0; k < count; k++)
            lambda[touching[k]] = real_max(least->point[k], 0);
}

// ---- Others.

static bool is_unique(Least *least, const double *normals, size_t size, const size_t *touching,
                      size_t count, const double *lambda)
{
    size_t pushing = 0, rest = 0, row;
    // Orthonormal axes of those that push, who have to be independent.
    for (size_t k = 0; k < count; k++) {
        const double *w = normals + touching[k] * size;
        if (lambda[touching[k]] == 0)
            continue;
        if (!add_axis(least, pushing++, size, w))
            return false;
    }
    // The others less what lies along these axes, of length 1.
    for (size_t k = 0; k < count; k++) {
        const double *w = normals + touching[k] * size;
        if (lambda[touching[k]] != 0)
            continue;
        double *other = least->weights + rest * size, length = sqrt(real_dot(w, w, size));
        memcpy(other, w, size * sizeof *w);
        double off = stand_off(least, pushing, size, other);
        if (off <= STANDS_OFF * length)
            return false;
        scale(1 / off, other, size);
        least->offsets[rest] = 1;
        least->acting[rest++] = false;
    }
    NearestProblem away = {size, rest, 0, least->weights, least->offsets, NULL};
    return nearest_solve(least->nearest, &away, least->acting, least->lambda, NULL, &row) ==
           NEAREST_FOUND;
}

bool least_multipliers(Least *least, const double *normals, size_t size, const size_t *touching,
                       size_t count, const double *y, double *lambda)
{
    if (is_unique(least, normals, size, touching, count, lambda))
        return true;
    find_least(least, normals, size, touching, count, y, lambda);
    return false;
}
