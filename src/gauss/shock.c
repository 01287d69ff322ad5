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

struct Passes {
    size_t n, most_rows, most_sides;
    double *force;  // 𝓜v⁻ + I
    double *v;      // the velocities at hand
    double *root;   // of each coordinate's inertia
    double *pushed; // impulses of the equations: of a pass, and of all of them
    double *all_pushed;
    // One for each condition:
    double *drift, *before, *rates, *terms, *lambda, *all_lambda;
    bool *acting;
};

struct GaussShock {
    GaussInstant *instant;
    Passes *passes;
};

static double *numbers(size_t count)
{
    return base_alloc((count + 1) * sizeof(double));
}

Passes *passes_new(size_t coordinates, size_t most_rows, size_t most_sides)
{
    Passes *passes = base_alloc(sizeof *passes);
    passes->n = coordinates;
    passes->most_rows = most_rows;
    passes->most_sides = most_sides;
    passes->force = numbers(coordinates);
    passes->v = numbers(coordinates);
    passes->root = numbers(coordinates);
    passes->pushed = numbers(most_rows);
    passes->all_pushed = numbers(most_rows);
    passes->drift = numbers(most_sides);
    passes->before = numbers(most_sides);
    passes->rates = numbers(most_sides);
    passes->terms = numbers(most_sides);
    passes->lambda = numbers(most_sides);
    passes->all_lambda = numbers(most_sides);
    passes->acting = base_alloc((most_sides + 1) * sizeof *passes->acting);
    return passes;
}

void passes_free(Passes *passes)
{
    if (!passes)
        return;
    double *owned[] = {passes->root,   passes->terms,      passes->force,     passes->v,
                       passes->pushed, passes->all_pushed, passes->drift,     passes->before,
                       passes->rates,  passes->lambda,     passes->all_lambda};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        base_free(owned[i]);
    base_free(passes->acting);
    base_free(passes);
}

bool passes_fit(const Passes *passes, const Struck *struck)
{
    return passes && struck->row_count <= passes->most_rows &&
           struck->side_count <= passes->most_sides;
}

// ---- Rows, all of their numbers or those that are not 0.

static double row_times(const StruckRows *rows, size_t i, const double *v, size_t n)
{
    if (rows->all)
        return real_dot(rows->all + i * n, v, n);
    double sum = 0;
    for (uint32_t at = rows->some.first[i]; at < rows->some.first[i + 1]; at++)
        sum += rows->some.value[at] * v[rows->some.column[at]];
    return sum;
}

// Σ |row_j| / root_j
static double row_length(const StruckRows *rows, size_t i, const double *root, size_t n)
{
    double sum = 0;
    if (!rows->all)
        for (uint32_t at = rows->some.first[i]; at < rows->some.first[i + 1]; at++)
            sum += fabs(rows->some.value[at]) / root[rows->some.column[at]];
    for (size_t j = 0; j < n && rows->all; j++)
        sum += fabs(rows->all[i * n + j]) / root[j];
    return sum;
}

static double own_inertia(const StruckRows *inertia, size_t i, size_t n)
{
    if (inertia->all)
        return inertia->all[i * n + i];
    for (uint32_t at = inertia->some.first[i]; at < inertia->some.first[i + 1]; at++)
        if (inertia->some.column[at] == i)
            return inertia->some.value[at];
    return 0;
}

// ---- Passes.

// How large f' may be at the velocities at hand, if it is not so already.
static void find_terms(Passes *passes, const Struck *struck)
{
    size_t n = passes->n;
    double most = 0, fastest = 0;
    for (size_t j = 0; j < n; j++)
        most = real_max(most, own_inertia(&struck->inertia, j, n));
    for (size_t j = 0; j < n; j++) {
        double own = own_inertia(&struck->inertia, j, n);
        passes->root[j] = sqrt(own > 0 ? own : most > 0 ? most : 1);
        fastest = real_max(fastest, fabs(passes->v[j]) * passes->root[j]);
    }
    for (size_t l = 0; l < struck->side_count; l++) {
        double terms =
            fabs(struck->side_drift[l]) + row_length(&struck->sides, l, passes->root, n) * fastest;
        passes->terms[l] = real_max(passes->terms[l], terms);
    }
}

// f' of each condition; returns whether one is struck.
static bool find_rates(Passes *passes, const Struck *struck)
{
    bool any = false;
    find_terms(passes, struck);
    for (size_t l = 0; l < struck->side_count; l++) {
        double rate = struck->side_drift[l] + row_times(&struck->sides, l, passes->v, passes->n);
        passes->rates[l] = fabs(rate) <= STILL * passes->terms[l] ? 0 : rate;
        any = any || passes->rates[l] > 0;
    }
    return any;
}

// The least change of v that keeps the equations and, where e is given, the conditions. The
// velocities, and the impulses so far, go on from it.
static GaussSidesReport jump(Passes *passes, const Struck *struck, const double *impulse,
                             size_t side_count, bool with_restitution)
{
    size_t n = passes->n;
    for (size_t i = 0; i < n; i++)
        passes->force[i] =
            row_times(&struck->inertia, i, passes->v, n) + (impulse ? impulse[i] : 0);
    for (size_t l = 0; l < side_count; l++) {
        double e = with_restitution ? struck->restitution[l] : 0;
        passes->drift[l] = struck->side_drift[l] + e * passes->rates[l];
    }
    memset(passes->acting, 0, side_count * sizeof *passes->acting);
    GaussInstantAnswer answer = {.accelerations = passes->v,
                                 .multipliers = passes->pushed,
                                 .lambda = passes->lambda,
                                 .acting = passes->acting};
    GaussSidesReport report =
        struck->solve(struck->context, passes->force, passes->drift, side_count, &answer);
    if (report.outcome != SOLVE_DONE)
        return report;
    // The impulses of this pass are what changed 𝓜v: they add up.
    real_add_times(1, passes->pushed, struck->row_count, passes->all_pushed);
    real_add_times(1, passes->lambda, side_count, passes->all_lambda);
    return report;
}

static double energy_lost(const Passes *passes, const Struck *struck)
{
    double sum = 0;
    for (size_t l = 0; l < struck->side_count; l++)
        sum += passes->lambda[l] *
               (passes->before[l] + passes->rates[l] - 2 * struck->side_drift[l]) / 2;
    // Equations that move work in a shock, too.
    for (size_t i = 0; i < struck->row_count; i++)
        sum += passes->pushed[i] * struck->row_drift[i];
    return sum;
}

// Passes of the shock, until no condition is struck any more.
static void strike(Passes *passes, const Struck *struck, GaussShockReport *report)
{
    size_t count = struck->side_count;
    bool any = find_rates(passes, struck);
    while (any && report->ended) {
        report->ended = report->passes < MOST_PASSES;
        memcpy(passes->before, passes->rates, count * sizeof *passes->before);
        report->sides = jump(passes, struck, NULL, count, report->ended);
        // Conditions with several e may exclude each other's rebound.
        if (report->sides.outcome == SOLVE_CONTRADICTION && report->ended) {
            report->ended = false;
            report->sides = jump(passes, struck, NULL, count, false);
        }
        if (report->sides.outcome != SOLVE_DONE)
            return;
        report->passes++;
        any = find_rates(passes, struck);
        report->energy_lost += energy_lost(passes, struck);
    }
}

static void copy(double *to, const double *from, size_t count)
{
    if (to && count > 0)
        memcpy(to, from, count * sizeof *to);
}

GaussShockReport passes_go(Passes *passes, const Struck *struck, const GaussShockAnswer *answer)
{
    size_t n = passes->n, count = struck->side_count;
    assert(passes_fit(passes, struck));
    GaussShockReport report = {.sides = {.outcome = SOLVE_DONE, .unique = true}, .ended = true};
    memcpy(passes->v, struck->velocities, n * sizeof *passes->v);
    memset(passes->all_pushed, 0, struck->row_count * sizeof *passes->all_pushed);
    memset(passes->all_lambda, 0, count * sizeof *passes->all_lambda);
    memset(passes->terms, 0, count * sizeof *passes->terms);
    find_rates(passes, struck);
    copy(answer->rates_before, passes->rates, count);

    if (struck->impulse)
        report.sides = jump(passes, struck, struck->impulse, 0, false);
    if (report.sides.outcome == SOLVE_DONE)
        strike(passes, struck, &report);
    if (report.sides.outcome != SOLVE_DONE) {
        if (report.sides.outcome == SOLVE_CONTRADICTION && !report.sides.row_is_equal)
            copy(answer->lambda, passes->lambda, count);
        return report;
    }

    report.sides.acting = 0;
    for (size_t l = 0; l < count; l++)
        report.sides.acting += passes->all_lambda[l] > 0;
    copy(answer->velocities, passes->v, n);
    copy(answer->multipliers, passes->all_pushed, struck->row_count);
    copy(answer->lambda, passes->all_lambda, count);
    copy(answer->rates_after, passes->rates, count);
    return report;
}

// ---- By instant.c.

GaussShock *gauss_shock_new(size_t coordinates, size_t most_rows, size_t most_sides)
{
    GaussShock *shock = base_alloc(sizeof *shock);
    shock->instant = gauss_instant_new(coordinates, most_rows, most_sides);
    shock->passes = passes_new(coordinates, most_rows, most_sides);
    return shock;
}

void gauss_shock_free(GaussShock *shock)
{
    if (!shock)
        return;
    gauss_instant_free(shock->instant);
    passes_free(shock->passes);
    base_free(shock);
}

Kkt *gauss_shock_equations(GaussShock *shock)
{
    return gauss_instant_equations(shock->instant);
}

typedef struct {
    GaussInstant *instant;
    const GaussShockProblem *problem;
} Dense;

static GaussSidesReport solve_dense(void *context, const double *force, const double *side_drift,
                                    size_t side_count, const GaussInstantAnswer *answer)
{
    const Dense *dense = context;
    const GaussShockProblem *problem = dense->problem;
    GaussInstantProblem asked = {
        .equal = {problem->inertia, force, problem->rows, problem->drift, problem->row_count},
        .sides = problem->sides,
        .side_drift = side_drift,
        .side_count = side_count,
    };
    return gauss_instant_solve(dense->instant, &asked, answer);
}

GaussShockReport gauss_shock_solve(GaussShock *shock, const GaussShockProblem *problem,
                                   const GaussShockAnswer *answer)
{
    Dense dense = {shock->instant, problem};
    Struck struck = {.inertia = {.all = problem->inertia},
                     .sides = {.all = problem->sides},
                     .velocities = problem->velocities,
                     .impulse = problem->impulse,
                     .row_drift = problem->drift,
                     .side_drift = problem->side_drift,
                     .restitution = problem->restitution,
                     .row_count = problem->row_count,
                     .side_count = problem->side_count,
                     .solve = solve_dense,
                     .context = &dense};
    return passes_go(shock->passes, &struck, answer);
}
