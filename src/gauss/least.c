// least.c: the multipliers of least norm, and whether there are others.
//
// Where conditions that touch depend on each other, many λ ≥ 0 give the reaction Σ λ_l w_l that the
// motion needs. The least of them is the point nearest to 0 of another polyhedron. There is no
// other where the conditions that push are independent and no sum of the rest, with factors ≥ 0,
// lies among them; by Gordan's alternative that is the same as a direction which all of the rest,
// less what of them lies among those that push, turn away from: a third polyhedron.
#include "gauss/gauss_impl.h"

#include <math.h>
#include <string.h>

// A multiplier that contributes no more than this part of the largest contribution is none.
#define NO_PUSH 1e-12

struct Least {
    Nearest *nearest;
    double *weights; // normals of the polyhedron at hand
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
    least->acting = base_alloc((count + 1) * sizeof *least->acting);
    return least;
}

void least_free(Least *least)
{
    if (!least)
        return;
    nearest_free(least->nearest);
    base_free(least->weights);
    base_free(least->offsets);
    base_free(least->sizes);
    base_free(least->lambda);
    base_free(least->point);
    base_free(least->axes);
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
            add_times(-dot(axis, vector, size), axis, size, vector);
        }
    return sqrt(dot(vector, vector, size));
}

static void scale(double factor, double *vector, size_t size)
{
    for (size_t i = 0; i < size; i++)
        vector[i] *= factor;
}

// Takes in an axis along what of a normal stands off the first `axes`; false where nothing does.
static bool add_axis(Least *least, size_t axes, size_t size, const double *w)
{
    double *axis = least->axes + axes * size, length = sqrt(dot(w, w, size));
    if (axes == size)
        return false;
    memcpy(axis, w, size * sizeof *w);
    double off = stand_off(least, axes, size, axis);
    if (off <= STANDS_OFF * length)
        return false;
    scale(1 / off, axis, size);
    return true;
}

// ---- The least.

// |λ|² least under Σ λ_l w_l = the reaction, along as many axes as the normals have, and λ ≥ 0.
static void find_least(Least *least, const double *normals, size_t size, const size_t *touching,
                       size_t count, double *lambda)
{
    size_t axes = 0, row;
    for (size_t k = 0; k < count; k++)
        axes += add_axis(least, axes, size, normals + touching[k] * size);
    size_t conditions = axes + count;
    double *weights = least->weights;
    memset(weights, 0, conditions * count * sizeof *weights);
    memset(least->offsets, 0, conditions * sizeof *least->offsets);
    memset(least->sizes, 0, conditions * sizeof *least->sizes);
    memset(least->acting, 0, conditions * sizeof *least->acting);
    for (size_t k = 0; k < count; k++) {
        for (size_t c = 0; c < axes; c++) {
            double part = dot(least->axes + c * size, normals + touching[k] * size, size);
            weights[c * count + k] = part;
            least->offsets[c] -= lambda[touching[k]] * part;
            least->sizes[c] += fabs(lambda[touching[k]] * part);
        }
        weights[(axes + k) * count + k] = -1;
    }
    NearestProblem problem = {count, conditions, axes, weights, least->offsets, least->sizes};
    if (nearest_solve(least->nearest, &problem, least->acting, least->lambda, least->point, &row) !=
        NEAREST_FOUND)
        return; // what was given pushes rightly too
    for (size_t k = 0; k < count; k++)
        lambda[touching[k]] = least->acting[axes + k] ? 0 : more(least->point[k], 0);
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
        double *other = least->weights + rest * size, length = sqrt(dot(w, w, size));
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
                       size_t count, double *lambda)
{
    double most = 0;
    find_least(least, normals, size, touching, count, lambda);
    for (size_t k = 0; k < count; k++) {
        const double *w = normals + touching[k] * size;
        most = more(most, lambda[touching[k]] * sqrt(dot(w, w, size)));
    }
    for (size_t k = 0; k < count; k++) {
        const double *w = normals + touching[k] * size;
        if (lambda[touching[k]] * sqrt(dot(w, w, size)) <= NO_PUSH * most)
            lambda[touching[k]] = 0;
    }
    return is_unique(least, normals, size, touching, count, lambda);
}
