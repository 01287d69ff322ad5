// impact.c: velocities that jump, by given impulses and by conditions that are struck.
//
// What contact_accelerations does to accelerations an impact does to velocities: with the force
// 𝓜v⁻ and the drift ∂f/∂t + e f'⁻ its answer is v⁺ (Mayer 1899 § 4; Appell 1925, 23; Moreau 1988).
#include "contact/contact_impl.h"

#include <assert.h>

typedef struct {
    ContactSolver *solver;
    const ImpactProblem *problem;
    size_t n, equations, count;
    Arena *arena;
    double *force;                         // 𝓜v⁻ + I
    double *v;                             // the velocities at hand
    double *unit;                          // of each coordinate: inertia to the power of −1/2
    double *multipliers, *all_multipliers; // impulses of the equations: of a pass, and of all
    // One for each condition:
    double *drift, *before, *rates, *terms, *lambda, *all_lambda;
    bool *acting;
} Impact;

static void impact_init(Impact *impact, ContactSolver *solver, const ImpactProblem *problem)
{
    size_t n = problem->system.inertia.count, m = problem->system.equations.count;
    size_t s = problem->system.unilateral.count;
    Arena *arena = arena_new();
    *impact = (Impact){.solver = solver,
                       .problem = problem,
                       .n = n,
                       .equations = m,
                       .count = s,
                       .arena = arena,
                       .acting = arena_array(arena, bool, s + 1)};
    real_alloc_each(arena, n, &impact->force, &impact->v, &impact->unit);
    real_alloc_each(arena, m, &impact->multipliers, &impact->all_multipliers);
    real_alloc_each(arena, s, &impact->drift, &impact->before, &impact->rates, &impact->terms,
                    &impact->lambda, &impact->all_lambda);
    memcpy(impact->v, problem->velocities, n * sizeof *impact->v);
    sparse_rows_diagonal(&problem->system.inertia, impact->unit);
    double most = real_largest(impact->unit, n);
    for (size_t j = 0; j < n; j++) {
        double own = impact->unit[j] > 0 ? impact->unit[j] : most > 0 ? most : 1;
        impact->unit[j] = 1 / sqrt(own);
    }
}

// ---- Rates.

// f' of each condition, and how large it may be at the velocities at hand or at those before;
// returns whether one is struck.
static bool find_rates(Impact *impact)
{
    const ContactProblem *system = &impact->problem->system;
    bool any = false;
    double fastest = 0;
    for (size_t j = 0; j < impact->n; j++)
        fastest = real_max(fastest, fabs(impact->v[j]) / impact->unit[j]);
    for (size_t l = 0; l < impact->count; l++) {
        double length, drift = system->unilateral_drift[l];
        double rate = drift + sparse_row_times(&system->unilateral, l, impact->v, 0, NULL);
        sparse_row_times(&system->unilateral, l, impact->unit, 0, &length);
        impact->terms[l] = real_max(impact->terms[l], fabs(drift) + length * fastest);
        impact->rates[l] = fabs(rate) <= TOL_RATE * impact->terms[l] ? 0 : rate;
        any = any || impact->rates[l] > 0;
    }
    return any;
}

// ---- Passes.

// The least change of v that keeps the equations and the first `count` conditions, with
// restitution or without. The velocities, and the impulses so far, go on from it.
static ContactReport jump(Impact *impact, const double *impulse, size_t count,
                          bool with_restitution)
{
    assert(count <= impact->count);
    ContactProblem pass = impact->problem->system;
    for (size_t i = 0; i < impact->n; i++)
        impact->force[i] =
            sparse_row_times(&pass.inertia, i, impact->v, 0, NULL) + (impulse ? impulse[i] : 0);
    for (size_t l = 0; l < count; l++) {
        double e = with_restitution ? impact->problem->restitution[l] : 0;
        impact->drift[l] = pass.unilateral_drift[l] + e * impact->rates[l];
    }
    memset(impact->acting, 0, count * sizeof *impact->acting);
    pass.force = impact->force;
    pass.unilateral_drift = impact->drift;
    pass.unilateral.count = count;
    ContactAnswer answer = {.accelerations = impact->v,
                            .multipliers = impact->multipliers,
                            .lambda = impact->lambda,
                            .acting = impact->acting};
    ContactReport report = contact_accelerations(impact->solver, &pass, &answer);
    if (report.outcome != SOLVE_DONE)
        return report;
    // The impulses of this pass are what changed 𝓜v: they add up.
    real_add_times(1, impact->multipliers, impact->equations, impact->all_multipliers);
    real_add_times(1, impact->lambda, count, impact->all_lambda);
    return report;
}

static double energy_lost(const Impact *impact)
{
    const ContactProblem *system = &impact->problem->system;
    double sum = 0;
    for (size_t l = 0; l < impact->count; l++)
        sum += impact->lambda[l] *
               (impact->before[l] + impact->rates[l] - 2 * system->unilateral_drift[l]) / 2;
    // Equations that move work in an impact, too.
    for (size_t i = 0; i < impact->equations; i++)
        sum += impact->multipliers[i] * system->equation_drift[i];
    return sum;
}

// Passes of the impact, until no condition is struck any more.
static void strike(Impact *impact, ImpactReport *report)
{
    assert(report->ended && report->passes == 0);
    bool any = find_rates(impact);
    while (any && report->ended) {
        report->ended = report->passes < LIMIT_SEARCH;
        memcpy(impact->before, impact->rates, impact->count * sizeof *impact->before);
        report->contact = jump(impact, NULL, impact->count, report->ended);
        // Conditions with several e may exclude each other's rebound.
        if (report->contact.outcome == SOLVE_CONTRADICTION && report->ended) {
            report->ended = false;
            report->contact = jump(impact, NULL, impact->count, false);
        }
        if (report->contact.outcome != SOLVE_DONE)
            return;
        report->passes++;
        any = find_rates(impact);
        report->energy_lost += energy_lost(impact);
    }
}

static void keep_answer(const Impact *impact, const ImpactAnswer *answer, ImpactReport *report)
{
    ContactReport *contact = &report->contact;
    if (contact->outcome == SOLVE_CONTRADICTION && !contact->row_is_equation)
        contact_copy(answer->lambda, impact->lambda, impact->count);
    if (contact->outcome != SOLVE_DONE)
        return;
    contact->acting = 0;
    for (size_t l = 0; l < impact->count; l++)
        contact->acting += impact->all_lambda[l] > 0;
    contact_copy(answer->velocities, impact->v, impact->n);
    contact_copy(answer->multipliers, impact->all_multipliers, impact->equations);
    contact_copy(answer->lambda, impact->all_lambda, impact->count);
    contact_copy(answer->rates_after, impact->rates, impact->count);
}

ImpactReport contact_impact(ContactSolver *solver, const ImpactProblem *problem,
                            const ImpactAnswer *answer)
{
    assert(problem->velocities && (problem->restitution || problem->system.unilateral.count == 0));
    assert(!problem->system.directions.first); // a servo's force is finite
    ImpactReport report = {.contact = {.outcome = SOLVE_DONE, .unique = true}, .ended = true};
    Impact impact;
    impact_init(&impact, solver, problem);
    find_rates(&impact);
    contact_copy(answer->rates_before, impact.rates, impact.count);
    if (problem->impulse)
        report.contact = jump(&impact, problem->impulse, 0, false);
    if (report.contact.outcome == SOLVE_DONE)
        strike(&impact, &report);
    keep_answer(&impact, answer, &report);
    arena_free(impact.arena);
    return report;
}
