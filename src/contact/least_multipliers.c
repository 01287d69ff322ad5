// least_multipliers.c: the multipliers of least norm, and whether there are others.
//
// Where conditions that touch depend on each other, many λ ≥ 0 give the reaction Σ λ_l w_l that the
// motion needs. The least of them is the point nearest to 0 of another polyhedron. There is no
// other where the conditions that push are independent and no sum of the rest, with factors ≥ 0,
// lies among them; by Gordan's alternative that is the same as a direction which all of the rest,
// less what of them lies among those that push, turn away from: a third polyhedron.
#include "contact/contact_impl.h"

#include <assert.h>

struct LeastMultipliers {
    QpDual *qp;
    double *weights; // normals of the polyhedron at hand
    double *offsets, *sizes, *lambda, *point;
    Basis basis; // of those that push
    bool *acting;
};

LeastMultipliers *least_multipliers_new(Arena *arena, size_t most_size, size_t most_count)
{
    size_t size = most_size > most_count ? most_size : most_count, count = most_size + most_count;
    LeastMultipliers *least = arena_alloc(arena, sizeof *least);
    least->qp = qp_dual_new(arena, size, count);
    least->weights = real_alloc(arena, count * size);
    real_alloc_each(arena, count, &least->offsets, &least->sizes, &least->lambda);
    least->point = real_alloc(arena, size);
    basis_init(&least->basis, arena, most_size, most_size);
    least->acting = arena_alloc(arena, (count + 1) * sizeof *least->acting);
    return least;
}

// ---- The least.

// |λ|² least under Σ λ_l w_l = −y, along as many axes as the normals have, and λ ≥ 0: the point
// nearest to 0. Where it is not found, what was given pushes rightly too.
static void find_least(LeastMultipliers *least, const double *normals, size_t size,
                       const size_t *touching, size_t count, const double *y, double *lambda)
{
    Basis *basis = &least->basis;
    size_t row;
    double *weights = least->weights, far = real_length(y, size);
    basis->count = 0;
    for (size_t k = 0; k < count; k++)
        basis_take(basis, normals + touching[k] * size, TOL_RANK);
    size_t axes = basis->count;
    memset(weights, 0, (axes + count) * count * sizeof *weights);
    for (size_t c = 0; c < axes + count; c++) {
        least->offsets[c] = c < axes ? real_dot(basis->units + c * size, y, size) : 0;
        least->sizes[c] = c < axes ? far : 0;
        least->acting[c] = false;
    }
    for (size_t k = 0; k < count; k++) {
        const double *w = normals + touching[k] * size;
        double rounding = TOL_SUM * real_length(w, size);
        for (size_t c = 0; c < axes; c++) {
            double part = real_dot(basis->units + c * size, w, size);
            weights[c * count + k] = fabs(part) > rounding ? part : 0;
        }
        weights[(axes + k) * count + k] = -1;
    }
    QpProblem problem = {count, axes + count, axes, weights, least->offsets, least->sizes};
    if (qp_dual_solve(least->qp, &problem, least->acting, least->lambda, least->point, &row) ==
        SOLVE_DONE)
        for (size_t k = 0; k < count; k++)
            lambda[touching[k]] = least->acting[axes + k] ? 0 : real_max(least->point[k], 0);
}

// ---- Others.

static bool is_unique(LeastMultipliers *least, const double *normals, size_t size,
                      const size_t *touching, size_t count, const double *lambda)
{
    Basis *basis = &least->basis;
    size_t rest = 0, row;
    // Those that push have to be independent.
    basis->n = size;
    basis->count = 0;
    for (size_t k = 0; k < count; k++)
        if (lambda[touching[k]] != 0 && !basis_take(basis, normals + touching[k] * size, TOL_RANK))
            return false;
    // The others less what lies among them, of length 1.
    for (size_t k = 0; k < count; k++) {
        if (lambda[touching[k]] != 0)
            continue;
        if (!(basis_examine(basis, normals + touching[k] * size) > TOL_RANK))
            return false;
        double *unit = least->weights + rest * size, off = real_length(basis->rest, size);
        for (size_t i = 0; i < size; i++)
            unit[i] = basis->rest[i] / off;
        least->offsets[rest] = 1;
        least->acting[rest++] = false;
    }
    QpProblem away = {size, rest, 0, least->weights, least->offsets, NULL};
    return qp_dual_solve(least->qp, &away, least->acting, least->lambda, NULL, &row) == SOLVE_DONE;
}

bool least_multipliers_find(LeastMultipliers *least, const double *normals, size_t size,
                            const size_t *touching, size_t count, const double *y, double *lambda)
{
    assert(count > 0 && normals && touching && y && lambda);
    if (is_unique(least, normals, size, touching, count, lambda))
        return true;
    find_least(least, normals, size, touching, count, y, lambda);
    return false;
}
