// sides.c: which one-sided conditions act, and how strongly (Mayer 1899, §§ 1–3).
//
// In axes where the inertia is 1 a condition is f''_l = Φ⁰_l + w_l·y ≤ 0, y the departure from the
// free motion, and the least departure is the point nearest to 0 of a polyhedron. Whole blocks of
// conditions are tried first, which is quicker and fails where they depend on each other.
#include "gauss/gauss_impl.h"

#include <assert.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

// A condition that does not push touches where its f'' is this part of its terms at most.
// Larger: neighbours share a push that belongs to one. Smaller: rounding makes them leave.
#define TOUCHES 1e-11
// A multiplier of no more than this part of the terms at hand is rounding.
#define NO_PUSH 1e-13
// What is left of a diagonal of Φ that was near 1, and is rounding; more of it for many conditions.
#define NO_INERTIA(count) (1e-13 + 1e-15 * (double)(count))

struct GaussSides {
    size_t most_size, most_count;
    Blocks *blocks;
    size_t *touching; // which conditions could push
    double *y;        // the departure
    // Made on first need:
    Nearest *nearest;
    Least *least;
    double *normals; // W where Φ is given
    double *factor, *work, *unit;
    lapack_int *pivots;
};

static double *numbers(size_t count)
{
    return base_alloc((count + 1) * sizeof(double));
}

GaussSides *gauss_sides_new(size_t most_size, size_t most_count)
{
    GaussSides *sides = base_alloc(sizeof *sides);
    sides->most_size = most_size;
    sides->most_count = most_count;
    sides->blocks = blocks_new(most_size < most_count ? most_size : most_count, most_size);
    sides->touching = base_alloc((most_count + 1) * sizeof *sides->touching);
    sides->y = numbers(most_size);
    return sides;
}

void gauss_sides_free(GaussSides *sides)
{
    if (!sides)
        return;
    blocks_free(sides->blocks);
    nearest_free(sides->nearest);
    least_free(sides->least);
    double *owned[] = {sides->y, sides->normals, sides->factor, sides->work, sides->unit};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        base_free(owned[i]);
    base_free(sides->touching);
    base_free(sides->pivots);
    base_free(sides);
}

// ---- The careful way.

// W with WWᵀ = Φ, of as many numbers each as Φ has rank, by pivoted factors; returns the rank.
static size_t make_normals(GaussSides *sides, const double *phi, size_t count)
{
    size_t most = sides->most_count;
    if (!sides->normals) {
        sides->normals = numbers(most * most);
        sides->factor = numbers(most * most);
        sides->work = numbers(2 * most);
        sides->unit = numbers(most);
        sides->pivots = base_alloc((most + 1) * sizeof *sides->pivots);
    }
    // Conditions are measured so that each Φ_ii is near 1; how they are said does not matter then.
    for (size_t i = 0; i < count; i++) {
        double own = phi[i * count + i];
        sides->unit[i] = own > 0 ? ldexp(1, ilogb(own) / 2) : 1;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            sides->factor[i * count + j] = phi[i * count + j] / (sides->unit[i] * sides->unit[j]);
    lapack_int order = (lapack_int)count, rank = 0;
    LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'U', order, sides->factor, order, sides->pivots, &rank,
                        NO_INERTIA(count), sides->work);
    // Where the caller knows the rank, what exceeds it is rounding.
    size_t size = (size_t)rank < sides->most_size ? (size_t)rank : sides->most_size;
    for (size_t c = 0; c < count; c++) {
        size_t condition = (size_t)(sides->pivots[c] - 1);
        double *normal = sides->normals + condition * size, unit = sides->unit[condition];
        for (size_t i = 0; i < size; i++)
            normal[i] = i <= c ? unit * sides->factor[c * count + i] : 0;
    }
    return size;
}

// The same problem by normals.
static GaussSidesProblem by_normals(GaussSides *sides, const GaussSidesProblem *problem)
{
    GaussSidesProblem other = *problem;
    if (problem->phi) {
        other.size = make_normals(sides, problem->phi, problem->count);
        other.normals = sides->normals;
        other.phi = NULL;
    }
    return other;
}

// Step by step, whatever depends on whatever.
static SolveOutcome solve_carefully(GaussSides *sides, const GaussSidesProblem *problem,
                                    bool *acting, double *lambda, double *rates, size_t *row)
{
    if (!sides->nearest)
        sides->nearest = nearest_new(sides->most_size, sides->most_count);
    NearestProblem nearest = {.size = problem->size,
                              .count = problem->count,
                              .normals = problem->normals,
                              .offsets = problem->phi0,
                              .sizes = problem->sizes};
    switch (nearest_solve(sides->nearest, &nearest, acting, lambda, sides->y, row)) {
    case NEAREST_FOUND: break;
    case NEAREST_NONE: return SOLVE_CONTRADICTION;
    case NEAREST_LOST: return SOLVE_UNDECIDED;
    }
    for (size_t i = 0; i < problem->count; i++)
        rates[i] = acting[i] ? 0
                             : problem->phi0[i] + real_dot(problem->normals + i * problem->size,
                                                           sides->y, problem->size);
    return SOLVE_DONE;
}

// ---- Multipliers.

// λ·Φλ = λ·Φ⁰, since f'' = 0 wherever λ > 0.
static double square_of(const GaussSidesProblem *problem, const double *lambda)
{
    return real_max(real_dot(lambda, problem->phi0, problem->count), 0);
}

static void take_rounding_off(const GaussSidesProblem *problem, size_t i, double square,
                              double *lambda)
{
    if (!sides_exceed(problem, i, lambda[i] * sides_own(problem, i), NO_PUSH, square))
        lambda[i] = 0;
}

// Lists the conditions with f'' = 0, who push or could, and takes rounding off what should vanish.
// Returns how many.
static size_t find_touching(GaussSides *sides, const GaussSidesProblem *problem, const bool *acting,
                            double *lambda, double *rates)
{
    size_t found = 0;
    double square = square_of(problem, lambda);
    for (size_t i = 0; i < problem->count; i++) {
        if (!acting[i] && rates[i] < 0 && sides_exceed(problem, i, -rates[i], TOUCHES, square))
            continue;
        take_rounding_off(problem, i, square, lambda);
        rates[i] = 0;
        sides->touching[found++] = i;
    }
    return found;
}

// y = −Σ λ_l w_l.
static void add_up(const GaussSidesProblem *problem, const double *lambda, double *y)
{
    memset(y, 0, problem->size * sizeof *y);
    for (size_t i = 0; i < problem->count; i++)
        if (lambda[i] != 0)
            real_add_times(-lambda[i], problem->normals + i * problem->size, problem->size, y);
}

const double *sides_departure(const GaussSides *sides)
{
    return sides->y;
}

static bool is_finite_problem(const GaussSidesProblem *problem)
{
    size_t width = problem->phi ? problem->count : problem->size;
    return real_all_finite(problem->phi ? problem->phi : problem->normals,
                           problem->count * width) &&
           real_all_finite(problem->phi0, problem->count);
}

// ---- The whole.

// Where nobody is known to act, begins from those that the free motion breaks.
static void begin(const GaussSidesProblem *problem, bool *acting)
{
    bool any = false;
    for (size_t i = 0; i < problem->count; i++)
        any = any || acting[i];
    for (size_t i = 0; i < problem->count && !any; i++)
        acting[i] = problem->phi0[i] > 0;
}

// Who pushes, and how, among `touching` conditions that may depend on each other. Returns whether
// there is only one way. *by_w is the problem by normals, where somebody has made them.
static bool share(GaussSides *sides, const GaussSidesProblem *problem, GaussSidesProblem *by_w,
                  size_t touching, double *lambda)
{
    if (by_w->phi) {
        *by_w = by_normals(sides, problem);
        add_up(by_w, lambda, sides->y);
    }
    if (!sides->least)
        sides->least = least_new(sides->most_size, sides->most_count);
    bool unique = least_multipliers(sides->least, by_w->normals, by_w->size, sides->touching,
                                    touching, sides->y, lambda);
    double square = square_of(problem, lambda);
    for (size_t k = 0; k < touching; k++)
        take_rounding_off(problem, sides->touching[k], square, lambda);
    return unique;
}

// Mayer's case r = 1: it acts where Φ⁰ > 0.
static GaussSidesReport solve_one(const GaussSidesProblem *problem, bool *acting, double *lambda,
                                  double *rates)
{
    double phi0 = *problem->phi0, size = problem->sizes ? *problem->sizes : fabs(phi0);
    *acting = phi0 > NO_PUSH * size;
    *lambda = *acting ? phi0 / *problem->phi : 0;
    *rates = phi0 < -TOUCHES * size ? phi0 : 0;
    return (GaussSidesReport){
        .outcome = SOLVE_DONE, .unique = true, .acting = *acting, .constraint = *lambda * phi0 / 2};
}

GaussSidesReport gauss_sides_solve(GaussSides *sides, const GaussSidesProblem *problem,
                                   bool *acting, double *lambda, double *rates)
{
    size_t count = problem->count, independent = 0;
    assert(count <= sides->most_count && (problem->phi || problem->size <= sides->most_size));
    GaussSidesReport report = {.outcome = SOLVE_DONE, .unique = true};
    if (!is_finite_problem(problem)) {
        report.outcome = SOLVE_NOT_FINITE;
        return report;
    }
    if (count == 1 && problem->phi && *problem->phi > 0)
        return solve_one(problem, acting, lambda, rates);
    begin(problem, acting);
    GaussSidesProblem by_w = *problem;
    if (!blocks_solve(sides->blocks, problem, acting, lambda, rates)) {
        by_w = by_normals(sides, problem);
        report.outcome = solve_carefully(sides, &by_w, acting, lambda, rates, &report.row);
        if (report.outcome != SOLVE_DONE)
            return report;
    } else if (!problem->phi) {
        memcpy(sides->y, blocks_departure(sides->blocks), problem->size * sizeof *sides->y);
    }
    for (size_t i = 0; i < count; i++)
        independent += acting[i];
    size_t touching = find_touching(sides, problem, acting, lambda, rates);
    if (touching > independent)
        report.unique = share(sides, problem, &by_w, touching, lambda);
    for (size_t i = 0; i < count; i++) {
        acting[i] = lambda[i] > 0;
        report.acting += acting[i];
    }
    report.constraint = square_of(problem, lambda) / 2;
    return report;
}
