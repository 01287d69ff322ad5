// lcp_dense.c: which unilateral conditions act, and how strongly (Mayer 1899, §§ 1–3).
//
// In axes where the inertia is 1 a condition is f''_l = Φ⁰_l + w_l·y ≤ 0, y the departure from the
// free motion, and the least departure is the point nearest to 0 of a polyhedron. Whole blocks of
// conditions are tried first, which is quicker and fails where they depend on each other.
#include "contact/contact_impl.h"

#include <assert.h>
#include <string.h>

struct LcpDense {
    size_t most_size, most_count;
    Arena *arena;
    Pivoting *pivoting;
    size_t *touching; // which conditions could push
    double *y;        // the departure
    // Made on first need:
    QpDual *qp;
    LeastMultipliers *least;
};

LcpDense *lcp_dense_new(Arena *arena, size_t most_size, size_t most_count)
{
    LcpDense *lcp = arena_alloc(arena, sizeof *lcp);
    *lcp = (LcpDense){.most_size = most_size, .most_count = most_count, .arena = arena};
    lcp->pivoting = pivoting_new(arena, most_size < most_count ? most_size : most_count);
    lcp->touching = arena_alloc(arena, (most_count + 1) * sizeof *lcp->touching);
    lcp->y = real_alloc(arena, most_size);
    return lcp;
}

// Step by step, whatever depends on whatever.
static SolveOutcome solve_carefully(LcpDense *lcp, const LcpProblem *problem, bool *acting,
                                    double *lambda, double *rates, size_t *row)
{
    if (!lcp->qp)
        lcp->qp = qp_dual_new(lcp->arena, lcp->most_size, lcp->most_count);
    QpProblem qp = {.size = problem->size,
                    .count = problem->count,
                    .normals = problem->normals,
                    .offsets = problem->phi0,
                    .sizes = problem->sizes};
    SolveOutcome outcome = qp_dual_solve(lcp->qp, &qp, acting, lambda, lcp->y, row);
    for (size_t i = 0; i < problem->count && outcome == SOLVE_DONE; i++)
        rates[i] = acting[i] ? 0
                             : problem->phi0[i] + real_dot(problem->normals + i * problem->size,
                                                           lcp->y, problem->size);
    return outcome;
}

// ---- Multipliers.

// λ·Φλ = λ·Φ⁰, since f'' = 0 wherever λ > 0.
static double square_of(const LcpProblem *problem, const double *lambda)
{
    return real_max(real_dot(lambda, problem->phi0, problem->count), 0);
}

static void take_rounding_off(const LcpProblem *problem, size_t i, double square, double *lambda)
{
    if (!lcp_exceeds(problem, i, lambda[i] * lcp_own(problem, i), TOL_SUM, square))
        lambda[i] = 0;
}

// Lists the conditions with f'' = 0, who push or could, and takes rounding off what should vanish.
// Returns how many.
static size_t find_touching(LcpDense *lcp, const LcpProblem *problem, const bool *acting,
                            double *lambda, double *rates)
{
    size_t found = 0;
    double square = square_of(problem, lambda);
    for (size_t i = 0; i < problem->count; i++) {
        if (!acting[i] && rates[i] < 0 && lcp_exceeds(problem, i, -rates[i], TOL_RATE, square))
            continue;
        take_rounding_off(problem, i, square, lambda);
        rates[i] = 0;
        lcp->touching[found++] = i;
    }
    return found;
}

// y = −Σ λ_l w_l.
static void add_up(const LcpProblem *problem, const double *lambda, double *y)
{
    memset(y, 0, problem->size * sizeof *y);
    for (size_t i = 0; i < problem->count; i++)
        real_add_times(-lambda[i], problem->normals + i * problem->size, problem->size, y);
}

// Who pushes, and how, among `touching` conditions that may depend on each other. Returns whether
// there is only one way.
static bool share(LcpDense *lcp, const LcpProblem *problem, size_t touching, double *lambda)
{
    if (!lcp->least)
        lcp->least = least_multipliers_new(lcp->arena, lcp->most_size, lcp->most_count);
    if (problem->phi)
        add_up(problem, lambda, lcp->y);
    bool unique = least_multipliers_find(lcp->least, problem->normals, problem->size, lcp->touching,
                                         touching, lcp->y, lambda);
    double square = square_of(problem, lambda);
    for (size_t k = 0; k < touching; k++)
        take_rounding_off(problem, lcp->touching[k], square, lambda);
    return unique;
}

// ---- The whole.

// Mayer's case r = 1: it acts where Φ⁰ > 0.
static ContactReport solve_one(const LcpProblem *problem, bool *acting, double *lambda,
                               double *rates)
{
    double phi0 = *problem->phi0, size = problem->sizes ? *problem->sizes : fabs(phi0);
    *acting = phi0 > TOL_SUM * size;
    *lambda = *acting ? phi0 / *problem->phi : 0;
    *rates = phi0 < -TOL_RATE * size ? phi0 : 0;
    return (ContactReport){
        .outcome = SOLVE_DONE, .unique = true, .acting = *acting, .constraint = *lambda * phi0 / 2};
}

static bool is_finite_problem(const LcpProblem *problem)
{
    size_t width = problem->phi ? problem->count : problem->size;
    return real_all_finite(problem->phi ? problem->phi : problem->normals,
                           problem->count * width) &&
           real_all_finite(problem->phi0, problem->count);
}

// Where nobody is known to act, begins from those that the free motion breaks.
static void begin(const LcpProblem *problem, bool *acting)
{
    bool any = false;
    for (size_t i = 0; i < problem->count; i++)
        any = any || acting[i];
    for (size_t i = 0; i < problem->count && !any; i++)
        acting[i] = problem->phi0[i] > 0;
}

ContactReport lcp_dense_solve(LcpDense *lcp, const LcpProblem *problem, bool *acting,
                              double *lambda, double *rates, const double **y)
{
    size_t count = problem->count, independent = 0;
    assert(count <= lcp->most_count && problem->size <= lcp->most_size);
    ContactReport report = {.outcome = SOLVE_DONE, .unique = true};
    *y = lcp->y;
    if (!is_finite_problem(problem)) {
        report.outcome = SOLVE_NOT_FINITE;
        return report;
    }
    if (count == 1 && problem->phi && *problem->phi > 0)
        return solve_one(problem, acting, lambda, rates);
    begin(problem, acting);
    if (!pivoting_solve(lcp->pivoting, problem, acting, lambda, rates, lcp->y)) {
        report.outcome = solve_carefully(lcp, problem, acting, lambda, rates, &report.row);
        if (report.outcome != SOLVE_DONE)
            return report;
    }
    for (size_t i = 0; i < count; i++)
        independent += acting[i];
    size_t touching = find_touching(lcp, problem, acting, lambda, rates);
    if (touching > independent)
        report.unique = share(lcp, problem, touching, lambda);
    for (size_t i = 0; i < count; i++) {
        acting[i] = lambda[i] > 0;
        report.acting += acting[i];
    }
    report.constraint = square_of(problem, lambda) / 2;
    return report;
}
