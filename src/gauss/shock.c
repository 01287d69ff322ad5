// shock.c: velocities that jump, by given impulses and by conditions that are struck.
//
// What an instant does to accelerations a shock does to velocities: with the force 𝓜v⁻ and the
// drift ∂f/∂t + e f'⁻ the instant's answer is v⁺ (Mayer 1899 § 4; Appell 1925, 23; Moreau 1988).
#include "gauss/gauss_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// So many passes, and then one with e = 0.
#define MOST_PASSES 200
// f' counts as 0 up to this part of the terms that it is a sum of.
#define STILL 1e-11

struct GaussShock {
    size_t n, most_rows, most_sides;
    GaussInstant *instant;
    double *force;  // 𝓜v⁻ + I
    double *v;      // the velocities at hand
    double *root;   // of each coordinate's inertia
    double *pushed; // impulses of the equations: of a pass, and of all of them
    double *all_pushed;
    // One for each condition:
    double *drift, *before, *rates, *terms, *lambda, *all_lambda;
    bool *acting;
};

static double *numbers(size_t count)
{
    return base_alloc((count + 1) * sizeof(double));
}

GaussShock *gauss_shock_new(size_t coordinates, size_t most_rows, size_t most_sides)
{
    GaussShock *shock = base_alloc(sizeof *shock);
    shock->n = coordinates;
    shock->most_rows = most_rows;
    shock->most_sides = most_sides;
    shock->instant = gauss_instant_new(coordinates, most_rows, most_sides);
    shock->force = numbers(coordinates);
    shock->v = numbers(coordinates);
    shock->root = numbers(coordinates);
    shock->pushed = numbers(most_rows);
    shock->all_pushed = numbers(most_rows);
    shock->drift = numbers(most_sides);
    shock->before = numbers(most_sides);
    shock->rates = numbers(most_sides);
    shock->terms = numbers(most_sides);
    shock->lambda = numbers(most_sides);
    shock->all_lambda = numbers(most_sides);
    shock->acting = base_alloc((most_sides + 1) * sizeof *shock->acting);
    return shock;
}

void gauss_shock_free(GaussShock *shock)
{
    if (!shock)
        return;
    gauss_instant_free(shock->instant);
    double *owned[] = {shock->root,   shock->terms,      shock->force,     shock->v,
                       shock->pushed, shock->all_pushed, shock->drift,     shock->before,
                       shock->rates,  shock->lambda,     shock->all_lambda};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        base_free(owned[i]);
    base_free(shock->acting);
    base_free(shock);
}

Gauss *gauss_shock_equations(GaussShock *shock)
{
    return gauss_instant_equations(shock->instant);
}

// How large f' may be at the velocities at hand, if it is not so already.
static void find_terms(GaussShock *shock, const GaussShockProblem *problem)
{
    size_t n = shock->n;
    double most = 0, fastest = 0;
    for (size_t j = 0; j < n; j++)
        most = more(most, problem->inertia[j * n + j]);
    for (size_t j = 0; j < n; j++) {
        double own = problem->inertia[j * n + j];
        shock->root[j] = sqrt(own > 0 ? own : most > 0 ? most : 1);
        fastest = more(fastest, fabs(shock->v[j]) * shock->root[j]);
    }
    for (size_t l = 0; l < problem->side_count; l++) {
        double terms = fabs(problem->side_drift[l]);
        for (size_t j = 0; j < n; j++)
            terms += fabs(problem->sides[l * n + j]) / shock->root[j] * fastest;
        shock->terms[l] = more(shock->terms[l], terms);
    }
}

// f' of each condition; returns whether one is struck.
static bool find_rates(GaussShock *shock, const GaussShockProblem *problem)
{
    bool struck = false;
    find_terms(shock, problem);
    for (size_t l = 0; l < problem->side_count; l++) {
        double rate =
            problem->side_drift[l] + dot(problem->sides + l * shock->n, shock->v, shock->n);
        shock->rates[l] = fabs(rate) <= STILL * shock->terms[l] ? 0 : rate;
        struck = struck || shock->rates[l] > 0;
    }
    return struck;
}

// The least change of v that keeps the equations and, where e is given, the conditions. The
// velocities, and the impulses so far, go on from it.
static GaussSidesReport jump(GaussShock *shock, const GaussShockProblem *problem,
                             const double *impulse, size_t side_count, bool with_restitution)
{
    size_t n = shock->n;
    for (size_t i = 0; i < n; i++)
        shock->force[i] = dot(problem->inertia + i * n, shock->v, n) + (impulse ? impulse[i] : 0);
    for (size_t l = 0; l < side_count; l++) {
        double e = with_restitution ? problem->restitution[l] : 0;
        shock->drift[l] = problem->side_drift[l] + e * shock->rates[l];
    }
    memset(shock->acting, 0, side_count * sizeof *shock->acting);
    GaussInstantProblem asked = {
        .equal = {problem->inertia, shock->force, problem->rows, problem->drift,
                  problem->row_count},
        .sides = problem->sides,
        .side_drift = shock->drift,
        .side_count = side_count,
    };
    GaussInstantAnswer answer = {.accelerations = shock->v,
                                 .multipliers = shock->pushed,
                                 .lambda = shock->lambda,
                                 .acting = shock->acting};
    GaussSidesReport report = gauss_instant_solve(shock->instant, &asked, &answer);
    if (report.outcome != GAUSS_SOLVED)
        return report;
    // The impulses of this pass are what changed 𝓜v: they add up.
    add_times(1, shock->pushed, problem->row_count, shock->all_pushed);
    add_times(1, shock->lambda, side_count, shock->all_lambda);
    return report;
}

static double energy_lost(const GaussShock *shock, const GaussShockProblem *problem)
{
    double sum = 0;
    for (size_t l = 0; l < problem->side_count; l++)
        sum += shock->lambda[l] *
               (shock->before[l] + shock->rates[l] - 2 * problem->side_drift[l]) / 2;
    return sum;
}

// Passes of the shock, until no condition is struck any more.
static void strike(GaussShock *shock, const GaussShockProblem *problem, GaussShockReport *report)
{
    size_t count = problem->side_count;
    bool struck = find_rates(shock, problem);
    while (struck && report->ended) {
        report->ended = report->passes < MOST_PASSES;
        memcpy(shock->before, shock->rates, count * sizeof *shock->before);
        report->sides = jump(shock, problem, NULL, count, report->ended);
        // Conditions with several e may exclude each other's rebound.
        if (report->sides.outcome == GAUSS_CONTRADICTION && report->ended) {
            report->ended = false;
            report->sides = jump(shock, problem, NULL, count, false);
        }
        if (report->sides.outcome != GAUSS_SOLVED)
            return;
        report->passes++;
        struck = find_rates(shock, problem);
        report->energy_lost += energy_lost(shock, problem);
    }
}

static void copy(double *to, const double *from, size_t count)
{
    if (to && count > 0)
        memcpy(to, from, count * sizeof *to);
}

GaussShockReport gauss_shock_solve(GaussShock *shock, const GaussShockProblem *problem,
                                   const GaussShockAnswer *answer)
{
    size_t n = shock->n, count = problem->side_count;
    assert(problem->row_count <= shock->most_rows && count <= shock->most_sides);
    GaussShockReport report = {.sides = {.outcome = GAUSS_SOLVED, .unique = true}, .ended = true};
    memcpy(shock->v, problem->velocities, n * sizeof *shock->v);
    memset(shock->all_pushed, 0, problem->row_count * sizeof *shock->all_pushed);
    memset(shock->all_lambda, 0, count * sizeof *shock->all_lambda);
    memset(shock->terms, 0, count * sizeof *shock->terms);
    find_rates(shock, problem);
    copy(answer->rates_before, shock->rates, count);

    if (problem->impulse)
        report.sides = jump(shock, problem, problem->impulse, 0, false);
    if (report.sides.outcome == GAUSS_SOLVED)
        strike(shock, problem, &report);
    if (report.sides.outcome != GAUSS_SOLVED) {
        if (report.sides.outcome == GAUSS_CONTRADICTION && !report.sides.row_is_equal)
            copy(answer->lambda, shock->lambda, count);
        return report;
    }

    report.sides.acting = 0;
    for (size_t l = 0; l < count; l++)
        report.sides.acting += shock->all_lambda[l] > 0;
    copy(answer->velocities, shock->v, n);
    copy(answer->multipliers, shock->all_pushed, problem->row_count);
    copy(answer->lambda, shock->all_lambda, count);
    copy(answer->rates_after, shock->rates, count);
    return report;
}
