// instant.c: equations and one-sided conditions at an instant (Mayer 1899, §§ 1–3).
//
// The motion under the equations alone gives Φ⁰ and, by its factors, the conditions' normals in
// axes where the inertia of the velocities that are still free is 1. There the question is one for
// sides.c; its departure and its reactions then go back through the same factors.
#include "gauss/gauss_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Accelerations that differ by no more than this part are the same.
#define SAME 1e-9
// The free motion breaks a condition where Φ⁰ exceeds this part of its terms.
#define BREAKS 4e-14

struct GaussInstant {
    size_t n, most_rows, most_sides;
    Kkt *gauss;
    GaussSides *sides;
    size_t rank; // of the equations of the last solve
    // One for each condition:
    double *phi0, *sizes, *lambda, *rates;
    double *normals; // n − rank numbers each
    double *work;    // n numbers each
    // One for each coordinate:
    double *free;      // accelerations that only the equations restrict
    double *actual;    // the true ones
    double *departure; // y
    double *pull;      // gᵀλ
    // For Ostrogradsky, made on first need; one for each equation and condition:
    Kkt *all_equal;
    double *rows, *drift, *multipliers;
};

static double *numbers(size_t count)
{
    return base_alloc((count + 1) * sizeof(double));
}

GaussInstant *gauss_instant_new(size_t coordinates, size_t most_rows, size_t most_sides)
{
    GaussInstant *instant = base_alloc(sizeof *instant);
    instant->n = coordinates;
    instant->most_rows = most_rows;
    instant->most_sides = most_sides;
    instant->gauss = kkt_new(coordinates, most_rows);
    instant->sides = gauss_sides_new(coordinates, most_sides);
    instant->phi0 = numbers(most_sides);
    instant->sizes = numbers(most_sides);
    instant->lambda = numbers(most_sides);
    instant->rates = numbers(most_sides);
    instant->normals = numbers(most_sides * coordinates);
    instant->work = numbers(most_sides * coordinates);
    instant->free = numbers(coordinates);
    instant->actual = numbers(coordinates);
    instant->departure = numbers(coordinates);
    instant->pull = numbers(coordinates);
    return instant;
}

void gauss_instant_free(GaussInstant *instant)
{
    if (!instant)
        return;
    kkt_free(instant->gauss);
    kkt_free(instant->all_equal);
    gauss_sides_free(instant->sides);
    double *owned[] = {instant->phi0,       instant->sizes, instant->lambda, instant->rates,
                       instant->normals,    instant->work,  instant->free,   instant->actual,
                       instant->departure,  instant->pull,  instant->rows,   instant->drift,
                       instant->multipliers};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        base_free(owned[i]);
    base_free(instant);
}

Kkt *gauss_instant_equations(GaussInstant *instant)
{
    return instant->gauss;
}

static void copy(double *to, const double *from, size_t count)
{
    if (to && count > 0)
        memcpy(to, from, count * sizeof *to);
}

// Φ⁰ = g·a⁰ + drift, and the size of its terms.
static bool find_phi0(GaussInstant *instant, const GaussInstantProblem *problem)
{
    size_t n = instant->n;
    bool finite = true;
    kkt_terms(instant->gauss, problem->sides, problem->side_count, instant->sizes);
    for (size_t l = 0; l < problem->side_count; l++) {
        double drift = problem->side_drift[l];
        instant->phi0[l] = drift + real_dot(problem->sides + l * n, instant->free, n);
        instant->sizes[l] += fabs(drift);
        finite = finite && isfinite(instant->sizes[l]) && isfinite(instant->phi0[l]);
    }
    return finite;
}

// The departure y, and gᵀλ into `pull`.
static void add_up(GaussInstant *instant, const GaussInstantProblem *problem)
{
    size_t n = instant->n;
    copy(instant->departure, sides_departure(instant->sides), n - instant->rank);
    memset(instant->pull, 0, n * sizeof *instant->pull);
    for (size_t l = 0; l < problem->side_count; l++)
        if (instant->lambda[l] != 0)
            real_add_times(instant->lambda[l], problem->sides + l * n, n, instant->pull);
}

// The motion that only the equations restrict. False, with the reason, where there is none.
static bool move_freely(GaussInstant *instant, const GaussInstantProblem *problem,
                        GaussSidesReport *report)
{
    KktReport equal = kkt_move(instant->gauss, &problem->equal);
    report->outcome = equal.outcome;
    report->rank = instant->rank = equal.rank;
    report->row = equal.row;
    report->row_is_equal = true;
    if (equal.outcome == SOLVE_DONE && !equal.positive && problem->side_count > 0)
        report->outcome = SOLVE_NO_MINIMUM;
    if (report->outcome != SOLVE_DONE)
        return false;
    kkt_accelerations(instant->gauss, equal.rank, instant->free);
    if (!find_phi0(instant, problem)) {
        report->outcome = SOLVE_NOT_FINITE;
        return false;
    }
    return true;
}

GaussSidesReport gauss_instant_solve(GaussInstant *instant, const GaussInstantProblem *problem,
                                     const GaussInstantAnswer *answer)
{
    size_t count = problem->side_count;
    assert(count <= instant->most_sides);
    GaussSidesReport report = {.unique = true};
    if (!move_freely(instant, problem, &report))
        return report;
    size_t rank = instant->rank;
    if (count > 0)
        kkt_normals(instant->gauss, rank, problem->sides, count, instant->work, instant->normals);
    GaussSidesProblem asked = {.count = count,
                               .normals = instant->normals,
                               .size = instant->n - rank,
                               .phi0 = instant->phi0,
                               .sizes = instant->sizes};
    report =
        gauss_sides_solve(instant->sides, &asked, answer->acting, instant->lambda, instant->rates);
    report.rank = rank;
    copy(answer->lambda, instant->lambda, count);
    copy(answer->phi0, instant->phi0, count);
    if (report.outcome != SOLVE_DONE)
        return report;
    copy(answer->rates, instant->rates, count);
    add_up(instant, problem);
    kkt_depart(instant->gauss, rank, instant->departure, instant->pull);
    if (answer->multipliers)
        kkt_multipliers(instant->gauss, rank, problem->equal.row_count, answer->multipliers);
    kkt_accelerations(instant->gauss, rank, instant->actual);
    copy(answer->accelerations, instant->actual, instant->n);
    return report;
}

// ---- Ostrogradsky's rule.

static void make_room_for_all(GaussInstant *instant)
{
    size_t all = instant->most_rows + instant->most_sides;
    if (instant->all_equal)
        return;
    instant->all_equal = kkt_new(instant->n, all);
    instant->rows = numbers(all * instant->n);
    instant->drift = numbers(all);
    instant->multipliers = numbers(all);
}

// |a| in the metric of the masses.
static double length_of(const double *inertia, const double *a, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * real_dot(inertia + i * n, a, n);
    return sqrt(real_max(sum, 0));
}

static bool is_same_motion(GaussInstant *instant, const double *inertia, const double *a)
{
    size_t n = instant->n;
    double scale = length_of(inertia, a, n) + length_of(inertia, instant->free, n);
    for (size_t i = 0; i < n; i++)
        instant->departure[i] = a[i] - instant->actual[i];
    return length_of(inertia, instant->departure, n) <= SAME * scale;
}

GaussSidesReport gauss_instant_ostrogradsky(GaussInstant *instant,
                                            const GaussInstantProblem *problem,
                                            const GaussInstantAnswer *answer, bool *differs)
{
    size_t n = instant->n, m = problem->equal.row_count, all = m;
    make_room_for_all(instant);
    copy(instant->rows, problem->equal.rows, m * n);
    copy(instant->drift, problem->equal.drift, m);
    for (size_t l = 0; l < problem->side_count; l++) {
        answer->acting[l] = instant->phi0[l] > BREAKS * instant->sizes[l];
        if (!answer->acting[l])
            continue;
        copy(instant->rows + all * n, problem->sides + l * n, n);
        instant->drift[all++] = problem->side_drift[l];
    }
    KktProblem equal = {
        problem->equal.inertia, problem->equal.force, instant->rows, instant->drift, all, NULL};
    KktReport found = kkt_solve(instant->all_equal, &equal, instant->pull, instant->multipliers);
    GaussSidesReport report = {.outcome = found.outcome,
                               .acting = all - m,
                               .unique = found.rank == all,
                               .rank = found.rank};
    *differs = true;
    copy(answer->phi0, instant->phi0, problem->side_count);
    if (found.outcome != SOLVE_DONE)
        return report;
    *differs = !is_same_motion(instant, equal.inertia, instant->pull);
    copy(answer->accelerations, instant->pull, n);
    copy(answer->multipliers, instant->multipliers, m);
    for (size_t l = 0, at = m; l < problem->side_count; l++) {
        bool acts = answer->acting[l];
        double push = acts ? -instant->multipliers[at++] : 0;
        double rate = problem->side_drift[l] + real_dot(problem->sides + l * n, instant->pull, n);
        copy(answer->lambda ? answer->lambda + l : NULL, &push, 1);
        rate = acts ? 0 : rate;
        copy(answer->rates ? answer->rates + l : NULL, &rate, 1);
        report.constraint += push * instant->phi0[l] / 2;
    }
    return report;
}
