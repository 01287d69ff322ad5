// least_multipliers.c: the multipliers of least norm, and whether there are others.
//
// Where conditions that touch depend on each other, many λ ≥ 0 give the reaction Σ λ_l w_l that the
// motion needs. The least of them is the point nearest to 0 of another polyhedron. There is no
// other where the conditions that push are independent and no sum of the rest, with factors ≥ 0,
// lies among them; by Gordan's alternative that is the same as a direction which all of the rest,
// less what of them lies among those that push, turn away from: a third polyhedron.
#include "contact/contact_impl.h"

#include <assert.h>

// The conditions that touch, and workspace.
typedef struct {
    Arena *arena;
    Basis basis;           // of normals that push
    const double *normals; // of all conditions, `size` numbers each
    size_t size;
    const size_t *touching;
    size_t count;
} Touching;

static const double *normal_of(const Touching *them, size_t k)
{
    return them->normals + them->touching[k] * them->size;
}

// |λ|² least under Σ λ_l w_l = −y, along as many axes as the normals have, and λ ≥ 0: the point
// nearest to 0. Where it is not found, what was given pushes rightly too.
static void find_least(Touching *them, const double *y, double *lambda)
{
    Basis *basis = &them->basis;
    size_t size = them->size, count = them->count, row;
    basis->count = 0;
    for (size_t k = 0; k < count; k++)
        basis_take(basis, normal_of(them, k), TOL_RANK);
    size_t axes = basis->count, all = axes + count;
    double *weights = real_alloc(them->arena, all * count), *point = real_alloc(them->arena, count);
    double *offsets, *sizes, *shares, far = real_length(y, size);
    bool *zero = arena_array(them->arena, bool, all);
    real_alloc_each(them->arena, all, &offsets, &sizes, &shares);
    for (size_t c = 0; c < axes; c++) {
        offsets[c] = real_dot(basis->units + c * size, y, size);
        sizes[c] = far;
    }
    for (size_t k = 0; k < count; k++) {
        const double *w = normal_of(them, k);
        double rounding = TOL_SUM * real_length(w, size);
        for (size_t c = 0; c < axes; c++) {
            double part = real_dot(basis->units + c * size, w, size);
            weights[c * count + k] = fabs(part) > rounding ? part : 0;
        }
        weights[(axes + k) * count + k] = -1;
    }
    LcpProblem problem = {count, all, axes, weights, offsets, sizes, NULL};
    if (qp_dual_solve(them->arena, &problem, zero, shares, point, &row) == SOLVE_DONE)
        for (size_t k = 0; k < count; k++)
            lambda[them->touching[k]] = zero[axes + k] ? 0 : real_max(point[k], 0);
}

static bool is_unique(Touching *them, const double *lambda)
{
    Basis *basis = &them->basis;
    size_t size = them->size, rest = 0, row;
    // Those that push have to be independent.
    for (size_t k = 0; k < them->count; k++)
        if (lambda[them->touching[k]] != 0 && !basis_take(basis, normal_of(them, k), TOL_RANK))
            return false;
    double *units = real_alloc(them->arena, them->count * size);
    double *offsets, *shares, *point = real_alloc(them->arena, size);
    bool *acting = arena_array(them->arena, bool, them->count);
    real_alloc_each(them->arena, them->count, &offsets, &shares);
    // The others less what lies among them, of length 1.
    for (size_t k = 0; k < them->count; k++) {
        if (lambda[them->touching[k]] != 0)
            continue;
        if (!(basis_examine(basis, normal_of(them, k)) > TOL_RANK))
            return false;
        real_add_times(1 / real_length(basis->rest, size), basis->rest, size, units + rest * size);
        offsets[rest++] = 1;
    }
    LcpProblem away = {size, rest, 0, units, offsets, NULL, NULL};
    return qp_dual_solve(them->arena, &away, acting, shares, point, &row) == SOLVE_DONE;
}

bool least_multipliers_find(const double *normals, size_t size, const size_t *touching,
                            size_t count, const double *y, double *lambda)
{
    assert(count > 0 && normals && touching && y && lambda);
    Touching them = {arena_new(), {0}, normals, size, touching, count};
    basis_init(&them.basis, them.arena, size, size < count ? size : count);
    bool unique = is_unique(&them, lambda);
    if (!unique)
        find_least(&them, y, lambda);
    arena_free(them.arena);
    return unique;
}
