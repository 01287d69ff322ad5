// lcp_dense.c: which unilateral conditions act, and how strongly (Mayer 1899, §§ 1–3).
//
// In axes where the inertia is 1 a condition is f''_l = Φ⁰_l + w_l·y ≤ 0, y the departure from the
// free motion, and the least departure is the point nearest to 0 of a polyhedron.
//
// Where conditions that touch depend on each other, many λ ≥ 0 give the reaction Σ λ_l w_l that the
// motion needs. The least of them is the point nearest to 0 of another polyhedron. There is no
// other where the conditions that push are independent and no sum of the rest, with factors ≥ 0,
// lies among them; by Gordan's alternative that is the same as a direction which all of the rest,
// less what of them lies among those that push, turn away from: a third polyhedron.
#include "contact/contact_impl.h"

#include <assert.h>

struct LcpDense {
    size_t most_size, most_count;
    Arena *arena;
    const QpProblem *problem;
    QpDual *qp;
    bool *acts; // the answer:
    double *lambda, *rates, *y;
    double square; // |y|²
    size_t *order; // conditions with f'' = 0
    size_t touching;
    // For λ of least norm, made on first need:
    QpDual *least;
    double *weights, *offsets, *sizes, *shares, *point; // of the polyhedron at hand
    bool *marks;
    double *axes; // orthonormal, of those that push
};

LcpDense *lcp_dense_new(Arena *arena, size_t most_size, size_t most_count)
{
    assert(arena);
    LcpDense *lcp = arena_alloc(arena, sizeof *lcp);
    *lcp = (LcpDense){.most_size = most_size,
                      .most_count = most_count,
                      .arena = arena,
                      .qp = qp_dual_new(arena, most_size, most_count),
                      .order = arena_array(arena, size_t, most_count + 1)};
    return lcp;
}

static const double *normal_of(const LcpDense *lcp, size_t i)
{
    return lcp->problem->normals + i * lcp->problem->size;
}

// Φ_ii.
static double own_of(const LcpDense *lcp, size_t i)
{
    return real_dot(normal_of(lcp, i), normal_of(lcp, i), lcp->problem->size);
}

// Whether x > 0 exceeds a part of the terms that f''_i is a sum of: those of Φ⁰_i, and |w_i||y|.
// Nobody needs a root for that.
static bool exceeds(const LcpDense *lcp, size_t i, double x, double part)
{
    const QpProblem *problem = lcp->problem;
    double size = problem->sizes ? problem->sizes[i] : fabs(problem->offsets[i]);
    return x > part * size && x * x > part * part * own_of(lcp, i) * lcp->square;
}

// λ·Φλ = λ·Φ⁰, since f'' = 0 wherever λ > 0.
static void find_square(LcpDense *lcp)
{
    lcp->square = real_max(real_dot(lcp->lambda, lcp->problem->offsets, lcp->problem->count), 0);
}

static void take_rounding_off(LcpDense *lcp, size_t i)
{
    if (!exceeds(lcp, i, lcp->lambda[i] * own_of(lcp, i), TOL_SUM))
        lcp->lambda[i] = 0;
}

// f'', and the conditions where it is 0, who push or could; takes rounding off what should vanish.
// Returns whether more touch than act.
static bool find_touching(LcpDense *lcp)
{
    const QpProblem *problem = lcp->problem;
    size_t acting = 0;
    lcp->touching = 0;
    find_square(lcp);
    for (size_t i = 0; i < problem->count; i++) {
        double rate = problem->offsets[i] + real_dot(normal_of(lcp, i), lcp->y, problem->size);
        lcp->rates[i] = rate;
        acting += lcp->acts[i];
        if (!lcp->acts[i] && rate < 0 && exceeds(lcp, i, -rate, TOL_RATE))
            continue;
        take_rounding_off(lcp, i);
        lcp->rates[i] = 0;
        lcp->order[lcp->touching++] = i;
    }
    return lcp->touching > acting;
}

// ---- Conditions that depend on each other.

static void reserve_least(LcpDense *lcp)
{
    Arena *arena = lcp->arena;
    size_t most = lcp->most_size, count = most + lcp->most_count;
    size_t size = most > lcp->most_count ? most : lcp->most_count;
    if (lcp->least)
        return;
    lcp->least = qp_dual_new(arena, size, count);
    lcp->weights = real_alloc(arena, count * size);
    lcp->offsets = real_alloc(arena, count);
    lcp->sizes = real_alloc(arena, count);
    lcp->shares = real_alloc(arena, count);
    lcp->point = real_alloc(arena, size);
    lcp->axes = real_alloc(arena, most * most);
    lcp->marks = arena_array(arena, bool, count + 1);
}

// What of a condition's normal stands off the first `axes` axes, made a unit; false where nothing
// does.
static bool stand_off(const LcpDense *lcp, size_t axes, size_t i, double *unit)
{
    size_t size = lcp->problem->size;
    const double *w = normal_of(lcp, i);
    assert(axes <= size);
    if (axes == size)
        return false;
    memcpy(unit, w, size * sizeof *w);
    double off = basis_take_off(lcp->axes, axes, size, unit, NULL), factor = 1 / off;
    for (size_t j = 0; j < size; j++)
        unit[j] *= factor;
    return off > TOL_RANK * real_length(w, size);
}

// |λ|² least under Σ λ_l w_l = −y, along as many axes as the normals have, and λ ≥ 0: the point
// nearest to 0. Where it is not found, what was given pushes rightly too.
static void find_least(LcpDense *lcp)
{
    size_t size = lcp->problem->size, count = lcp->touching, axes = 0, row;
    double *weights = lcp->weights, far = real_length(lcp->y, size);
    for (size_t k = 0; k < count; k++)
        axes += stand_off(lcp, axes, lcp->order[k], lcp->axes + axes * size);
    memset(weights, 0, (axes + count) * count * sizeof *weights);
    for (size_t c = 0; c < axes + count; c++) {
        lcp->offsets[c] = c < axes ? real_dot(lcp->axes + c * size, lcp->y, size) : 0;
        lcp->sizes[c] = c < axes ? far : 0;
        lcp->marks[c] = false;
    }
    for (size_t k = 0; k < count; k++) {
        const double *w = normal_of(lcp, lcp->order[k]);
        double rounding = TOL_SUM * real_length(w, size);
        for (size_t c = 0; c < axes; c++) {
            double part = real_dot(lcp->axes + c * size, w, size);
            weights[c * count + k] = fabs(part) > rounding ? part : 0;
        }
        weights[(axes + k) * count + k] = -1;
    }
    QpProblem least = {count, axes + count, axes, weights, lcp->offsets, lcp->sizes};
    if (qp_dual_solve(lcp->least, &least, lcp->marks, lcp->shares, lcp->point, &row) == SOLVE_DONE)
        for (size_t k = 0; k < count; k++)
            lcp->lambda[lcp->order[k]] = lcp->marks[axes + k] ? 0 : real_max(lcp->point[k], 0);
}

// Whether no other λ gives this reaction.
static bool is_unique(LcpDense *lcp)
{
    size_t size = lcp->problem->size, pushing = 0, rest = 0, row;
    // Orthonormal axes of those that push, who have to be independent.
    for (size_t k = 0; k < lcp->touching; k++) {
        size_t i = lcp->order[k];
        if (lcp->lambda[i] != 0 && !stand_off(lcp, pushing, i, lcp->axes + pushing * size))
            return false;
        pushing += lcp->lambda[i] != 0;
    }
    // The others less what lies along these axes, of length 1.
    for (size_t k = 0; k < lcp->touching; k++) {
        size_t i = lcp->order[k];
        if (lcp->lambda[i] != 0)
            continue;
        if (!stand_off(lcp, pushing, i, lcp->weights + rest * size))
            return false;
        lcp->offsets[rest] = 1;
        lcp->marks[rest++] = false;
    }
    QpProblem away = {size, rest, 0, lcp->weights, lcp->offsets, NULL};
    return qp_dual_solve(lcp->least, &away, lcp->marks, lcp->shares, lcp->point, &row) ==
           SOLVE_DONE;
}

// Who pushes, and how, among conditions that may depend on each other. Returns whether there is
// only one way.
static bool share(LcpDense *lcp)
{
    reserve_least(lcp);
    bool unique = is_unique(lcp);
    if (!unique)
        find_least(lcp);
    find_square(lcp);
    for (size_t k = 0; k < lcp->touching; k++)
        take_rounding_off(lcp, lcp->order[k]);
    return unique;
}

// ---- The whole.

ContactReport lcp_dense_solve(LcpDense *lcp, const QpProblem *problem, bool *acting, double *lambda,
                              double *rates, double *y)
{
    size_t count = problem->count;
    assert(count <= lcp->most_count && problem->size <= lcp->most_size && problem->equations == 0);
    ContactReport report = {.outcome = SOLVE_NOT_FINITE, .unique = true};
    if (!real_all_finite(problem->offsets, count) ||
        !real_all_finite(problem->normals, count * problem->size))
        return report;
    lcp->problem = problem;
    lcp->acts = acting;
    lcp->lambda = lambda;
    lcp->rates = rates;
    lcp->y = y;
    report.outcome = qp_dual_solve(lcp->qp, problem, acting, lambda, y, &report.row);
    if (report.outcome != SOLVE_DONE)
        return report;
    if (find_touching(lcp))
        report.unique = share(lcp);
    find_square(lcp);
    report.constraint = lcp->square / 2;
    for (size_t i = 0; i < count; i++) {
        acting[i] = lambda[i] > 0;
        report.acting += acting[i];
    }
    return report;
}
