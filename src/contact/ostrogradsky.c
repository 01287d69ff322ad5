// ostrogradsky.c: Ostrogradsky's rule, which Mayer refutes (1899, §§ 1–3).
#include "contact/contact_impl.h"

typedef struct {
    SparseStore rows;
    ARRAY(double) drift;
} Chosen;

// |a − other| in the metric of the masses; other may be NULL.
static double distance(const SparseRows *inertia, const double *a, const double *other)
{
    double sum = 0;
    for (size_t i = 0; i < inertia->count; i++)
        for (uint32_t at = inertia->first[i]; at < inertia->first[i + 1]; at++) {
            size_t j = inertia->column[at];
            sum += inertia->value[at] * (a[i] - (other ? other[i] : 0)) *
                   (a[j] - (other ? other[j] : 0));
        }
    return sqrt(real_max(sum, 0));
}

// The motion under these equations alone.
static ContactReport move(ContactSolver *solver, const ContactProblem *problem, double *a,
                          double *multipliers)
{
    bool nobody[1] = {false};
    ContactProblem equal = *problem;
    equal.unilateral.count = 0;
    ContactAnswer answer = {.accelerations = a, .multipliers = multipliers, .acting = nobody};
    return contact_accelerations(solver, &equal, &answer);
}

// Who acts by the rule; their rows follow those of the equations, and they are ideal.
static void choose(const ContactProblem *problem, const double *free, const ContactAnswer *answer,
                   Chosen *chosen, SparseStore *directions)
{
    sparse_store_begin(&chosen->rows);
    sparse_store_begin(directions);
    for (size_t i = 0; i < problem->equations.count; i++) {
        sparse_store_take(&chosen->rows, &problem->equations, i);
        array_push(&chosen->drift, problem->equation_drift[i]);
        if (problem->directions.first)
            sparse_store_take(directions, &problem->directions, i);
    }
    for (size_t l = 0; l < problem->unilateral.count; l++) {
        double size, drift = problem->unilateral_drift[l];
        double phi0 = sparse_row_times(&problem->unilateral, l, free, drift, &size);
        answer->acting[l] = phi0 > TOL_SUM * size;
        if (answer->free_rates)
            answer->free_rates[l] = phi0;
        if (!answer->acting[l])
            continue;
        sparse_store_take(&chosen->rows, &problem->unilateral, l);
        sparse_store_take(directions, &problem->unilateral, l);
        array_push(&chosen->drift, drift);
    }
}

// λ and f'' of the conditions, from the accelerations and multipliers that were found.
static void keep_answer(const ContactProblem *problem, const double *a, const double *multipliers,
                        const ContactAnswer *answer)
{
    size_t at = problem->equations.count;
    for (size_t l = 0; l < problem->unilateral.count; l++) {
        double rate =
            sparse_row_times(&problem->unilateral, l, a, problem->unilateral_drift[l], NULL);
        bool acts = answer->acting[l];
        double push = acts ? -multipliers[at++] : 0;
        if (answer->lambda)
            answer->lambda[l] = push;
        if (answer->rates)
            answer->rates[l] = acts ? 0 : rate;
    }
    contact_copy(answer->accelerations, a, problem->inertia.count);
    contact_copy(answer->multipliers, multipliers, problem->equations.count);
}

ContactReport contact_ostrogradsky(ContactSolver *solver, const ContactProblem *problem,
                                   const double *actual, const ContactAnswer *answer, bool *differs)
{
    size_t n = problem->inertia.count, most = problem->equations.count + problem->unilateral.count;
    double *free = base_alloc((2 * n + most + 1) * sizeof *free), *a = free + n;
    double *multipliers = a + n;
    Chosen chosen = {0};
    SparseStore directions = {0};
    *differs = true;
    ContactReport report = move(solver, problem, free, NULL);
    if (report.outcome == SOLVE_DONE) {
        choose(problem, free, answer, &chosen, &directions);
        ContactProblem rule = *problem;
        rule.equations = sparse_store_rows(&chosen.rows);
        rule.equation_drift = chosen.drift.at;
        if (problem->directions.first)
            rule.directions = sparse_store_rows(&directions);
        report = move(solver, &rule, a, multipliers);
        report.acting = rule.equations.count - problem->equations.count;
        report.unique = report.rank == rule.equations.count;
    }
    if (report.outcome == SOLVE_DONE) {
        const SparseRows *inertia = &problem->inertia;
        double scale = distance(inertia, a, NULL) + distance(inertia, free, NULL);
        *differs = distance(inertia, a, actual) > TOL_AGREEMENT * scale;
        keep_answer(problem, a, multipliers, answer);
    }
    sparse_store_clear(&chosen.rows);
    array_clear(&chosen.drift);
    sparse_store_clear(&directions);
    base_free(free);
    return report;
}
