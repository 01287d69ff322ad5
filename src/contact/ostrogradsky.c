// ostrogradsky.c: Ostrogradsky's rule, which Mayer refutes (1899, §§ 1–3).
#include "contact/contact_impl.h"

#include <assert.h>

// |a − other| in the metric of the masses.
static double distance(const SparseRows *inertia, const double *a, const double *other)
{
    double sum = 0;
    for (size_t i = 0; i < inertia->count; i++)
        for (uint32_t at = inertia->first[i]; at < inertia->first[i + 1]; at++) {
            size_t j = inertia->column[at];
            sum += inertia->value[at] * (a[i] - other[i]) * (a[j] - other[j]);
        }
    return sqrt(real_max(sum, 0));
}

static void take_all(SparseStore *store, const SparseRows *rows)
{
    sparse_store_begin(store);
    for (size_t i = 0; i < rows->count && rows->first; i++)
        sparse_store_take(store, rows, i);
}

// Who acts by the rule; they are ideal, and their rows follow those of the equations.
static void choose(const ContactProblem *problem, const double *free, bool *acting,
                   SparseStore *rows, SparseStore *directions, double *drift)
{
    const SparseRows *unilateral = &problem->unilateral;
    size_t m = problem->equations.count;
    take_all(rows, &problem->equations);
    take_all(directions, &problem->directions);
    contact_copy(drift, problem->equation_drift, m);
    for (size_t l = 0; l < unilateral->count; l++) {
        double size, own = problem->unilateral_drift[l];
        double phi0 = sparse_row_times(unilateral, l, free, own, &size);
        acting[l] = phi0 > TOL_SUM * size;
        if (!acting[l])
            continue;
        sparse_store_take(rows, unilateral, l);
        sparse_store_take(directions, unilateral, l);
        drift[m++] = own;
    }
}

ContactReport contact_ostrogradsky(ContactSolver *solver, const ContactProblem *problem,
                                   const double *actual, const ContactAnswer *answer, bool *differs)
{
    assert(actual && answer->accelerations && answer->lambda && answer->rates && answer->acting);
    const SparseRows *inertia = &problem->inertia, *unilateral = &problem->unilateral;
    size_t n = inertia->count, m = problem->equations.count, most = m + unilateral->count;
    Arena *arena = arena_new();
    double *none = real_alloc(arena, n), *free = real_alloc(arena, n), *a = answer->accelerations;
    double *multipliers = real_alloc(arena, most), *drift = real_alloc(arena, most);
    SparseStore rows = {0}, directions = {0};
    ContactProblem rule = *problem;
    ContactAnswer moved = {.accelerations = free, .multipliers = multipliers};
    rule.unilateral.count = 0;
    *differs = true;
    ContactReport report = contact_accelerations(solver, &rule, &moved);
    if (report.outcome == SOLVE_DONE) {
        choose(problem, free, answer->acting, &rows, &directions, drift);
        rule.equations = sparse_store_rows(&rows);
        rule.equation_drift = drift;
        if (problem->directions.first)
            rule.directions = sparse_store_rows(&directions);
        moved.accelerations = a;
        report = contact_accelerations(solver, &rule, &moved);
        report.acting = rule.equations.count - m;
        report.unique = report.rank == rule.equations.count;
    }
    if (report.outcome == SOLVE_DONE) {
        double scale = distance(inertia, a, none) + distance(inertia, free, none);
        *differs = distance(inertia, a, actual) > TOL_AGREEMENT * scale;
        for (size_t l = 0; l < unilateral->count; l++) {
            double rate = sparse_row_times(unilateral, l, a, problem->unilateral_drift[l], NULL);
            answer->lambda[l] = answer->acting[l] ? -multipliers[m++] : 0;
            answer->rates[l] = answer->acting[l] ? 0 : rate;
        }
    }
    sparse_store_clear(&rows);
    sparse_store_clear(&directions);
    arena_free(arena);
    return report;
}
