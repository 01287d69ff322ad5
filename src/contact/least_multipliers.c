// least_multipliers.c: the multipliers of least norm, and whether there are others.
//
// Where conditions that touch depend on each other, many λ ≥ 0 give the reaction Σ λ_l w_l that the
// motion needs. The least of them is the point nearest to 0 of another polyhedron. There is no
// other where the conditions that push are independent and no sum of the rest, with factors ≥ 0,
// lies among them; by Gordan's alternative that is the same as a direction which all of the rest,
// less what of them lies among those that push, turn away from: a third polyhedron.
#include "contact/contact_impl.h"

struct LeastMultipliers {
    QpDual *qp;
    double *weights; // normals of the polyhedron at hand
    double *parts;   // of the touching normals along the axes
    double *matrix, *inverse, *mu, *step, *next;
    double *offsets, *sizes, *lambda, *point;
    double *axes; // orthonormal, of those that push
    bool *acting;
};

LeastMultipliers *least_multipliers_new(Arena *arena, size_t most_size, size_t most_count)
{
    size_t size = most_size > most_count ? most_size : most_count, count = most_size + most_count;
    LeastMultipliers *least = arena_alloc(arena, sizeof *least);
    least->qp = qp_dual_new(arena, size, count);
    least->weights = real_alloc(arena, count * size);
    least->parts = real_alloc(arena, most_size * most_count);
    least->matrix = real_alloc(arena, most_size * most_size);
    least->inverse = real_alloc(arena, most_size);
    least->mu = real_alloc(arena, most_size);
    least->step = real_alloc(arena, most_size);
    least->next = real_alloc(arena, most_size);
    least->offsets = real_alloc(arena, count);
    least->sizes = real_alloc(arena, count);
    least->lambda = real_alloc(arena, count);
    least->point = real_alloc(arena, size);
    least->axes = real_alloc(arena, most_size * most_size);
    least->acting = arena_alloc(arena, (count + 1) * sizeof *least->acting);
    return least;
}

// What of a normal stands off the first `axes` axes, made a unit; false where nothing does.
static bool stand_off(const LeastMultipliers *least, size_t axes, size_t size, const double *w,
                      double *unit)
{
    if (axes == size)
        return false;
    memcpy(unit, w, size * sizeof *w);
    double off = basis_take_off(least->axes, axes, size, unit, NULL), factor = 1 / off;
    for (size_t i = 0; i < size; i++)
        unit[i] *= factor;
    return off > TOL_RANK * real_length(w, size);
}

// Takes it in as an axis.
static bool add_axis(LeastMultipliers *least, size_t axes, size_t size, const double *w)
{
    return stand_off(least, axes, size, w, least->axes + axes * size);
}

// ---- The least, quickly.
//
// λ = max(0, Aᵀμ) with Aλ = b is the least: μ is where ½|max(0, Aᵀμ)|² − b·μ is least, which is
// smooth, and quadratic between the places where conditions join or leave. Newton's steps end.

// Aᵀμ into `point`; returns what is to be made least.
static double push_by(LeastMultipliers *least, size_t axes, size_t count, const double *mu)
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
static bool find_step(LeastMultipliers *least, size_t axes, size_t count, bool all)
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
    if (!cholesky_factor(least->matrix, axes, axes, TOL_RANK, least->inverse))
        return false;
    cholesky_solve(least->matrix, axes, least->inverse, least->step);
    return true;
}

// Whether the pushes in `point` give the reaction.
static bool gives_reaction(const LeastMultipliers *least, size_t axes, size_t count)
{
    for (size_t c = 0; c < axes; c++) {
        double miss = least->offsets[c], terms = least->sizes[c];
        for (size_t k = 0; k < count; k++)
            if (least->point[k] > 0) {
                miss += least->parts[k * axes + c] * least->point[k];
                terms += fabs(least->parts[k * axes + c] * least->point[k]);
            }
        if (fabs(miss) > TOL_SUM * terms)
            return false;
    }
    return true;
}

// Leaves the least λ in `point`, less than 0 where it is 0. False where it does not get there.
static bool descend(LeastMultipliers *least, size_t axes, size_t count)
{
    memset(least->mu, 0, axes * sizeof *least->mu);
    memset(least->point, 0, count * sizeof *least->point);
    double value = 0;
    if (gives_reaction(least, axes, count))
        return true;
    for (int step = 0; step < LIMIT_STEPS; step++) {
        if (!find_step(least, axes, count, step == 0))
            return false;
        double next = INFINITY, length = 1;
        for (int halving = 0; halving < LIMIT_STEPS && !(next < value); halving++) {
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
static bool find_nearest(LeastMultipliers *least, size_t axes, size_t count)
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
    QpProblem problem = {count, conditions, axes, weights, least->offsets, least->sizes};
    if (qp_dual_solve(least->qp, &problem, least->acting, least->lambda, least->point, &row) !=
        SOLVE_DONE)
        return false;
    for (size_t k = 0; k < count; k++)
        least->point[k] = least->acting[axes + k] ? 0 : least->point[k];
    return true;
}

// |λ|² least under Σ λ_l w_l = the reaction, along as many axes as the normals have, and λ ≥ 0.
static void find_least(LeastMultipliers *least, const double *normals, size_t size,
                       const size_t *touching, size_t count, const double *y, double *lambda)
{
    size_t axes = 0;
    for (size_t k = 0; k < count; k++)
        axes += add_axis(least, axes, size, normals + touching[k] * size);
    double far = real_length(y, size);
    for (size_t c = 0; c < axes; c++) {
        least->offsets[c] = real_dot(least->axes + c * size, y, size);
        least->sizes[c] = far;
    }
    for (size_t k = 0; k < count; k++) {
        const double *w = normals + touching[k] * size;
        double length = real_length(w, size);
        for (size_t c = 0; c < axes; c++) {
            double part = real_dot(least->axes + c * size, w, size);
            least->parts[k * axes + c] = fabs(part) > TOL_SUM * length ? part : 0;
        }
    }
    // Where neither gets there, what was given pushes rightly too.
    if (descend(least, axes, count) || find_nearest(least, axes, count))
        for (size_t k = 0; k < count; k++)
            lambda[touching[k]] = real_max(least->point[k], 0);
}

// ---- Others.

static bool is_unique(LeastMultipliers *least, const double *normals, size_t size,
                      const size_t *touching, size_t count, const double *lambda)
{
    size_t pushing = 0, rest = 0, row;
    // Orthonormal axes of those that push, who have to be independent.
    for (size_t k = 0; k < count; k++)
        if (lambda[touching[k]] != 0 &&
            !add_axis(least, pushing++, size, normals + touching[k] * size))
            return false;
    // The others less what lies along these axes, of length 1.
    for (size_t k = 0; k < count; k++) {
        const double *w = normals + touching[k] * size;
        if (lambda[touching[k]] != 0)
            continue;
        if (!stand_off(least, pushing, size, w, least->weights + rest * size))
            return false;
        least->offsets[rest] = 1;
        least->acting[rest++] = false;
    }
    QpProblem away = {size, rest, 0, least->weights, least->offsets, NULL};
    return qp_dual_solve(least->qp, &away, least->acting, least->lambda, NULL, &row) == SOLVE_DONE;
}

bool least_multipliers_find(LeastMultipliers *least, const double *normals, size_t size,
                            const size_t *touching, size_t count, const double *y, double *lambda)
{
    if (is_unique(least, normals, size, touching, count, lambda))
        return true;
    find_least(least, normals, size, touching, count, y, lambda);
    return false;
}
