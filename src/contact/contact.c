// contact.c: the unilateral problem of many coordinates, island by island.
//
// Coordinates are tied together by the inertia, by equations and by conditions that touch; what
// nothing ties together does not know of each other. Each island is gathered with numbers of its
// own, and answered by contact_dense.c where it is small, by contact_sparse.c where it is large;
// what the latter cannot decide, the former can.
#include "contact/contact_impl.h"
#include "linalg/islands.h"

#include <assert.h>

struct ContactSolver {
    size_t n;
    ContactDense *dense;
    ContactSparse *sparse;
    Islands ties; // of coordinates, and behind them equations and conditions
    // One island's data: sparse, dense, and its answer.
    SparseStore inertia, rows;
    ARRAY(double) matrices;
    ARRAY(double) numbers;
    ARRAY(bool) acting;
};

ContactSolver *contact_solver_new(size_t coordinates)
{
    ContactSolver *solver = base_alloc(sizeof *solver);
    solver->n = coordinates;
    solver->dense = contact_dense_new();
    solver->sparse = contact_sparse_new();
    return solver;
}

void contact_solver_free(ContactSolver *solver)
{
    if (!solver)
        return;
    contact_dense_free(solver->dense);
    contact_sparse_free(solver->sparse);
    islands_clear(&solver->ties);
    sparse_store_clear(&solver->inertia);
    sparse_store_clear(&solver->rows);
    array_clear(&solver->matrices);
    array_clear(&solver->numbers);
    array_clear(&solver->acting);
    base_free(solver);
}

// ---- Islands.

// Where a row of the whole is, the conditions being counted after the equations.
static const SparseRows *locate(const ContactProblem *problem, size_t *row)
{
    bool equal = *row < problem->equations.count;
    *row -= equal ? 0 : problem->equations.count;
    return equal ? &problem->equations : &problem->unilateral;
}

static void find_islands(ContactSolver *solver, const ContactProblem *problem)
{
    Islands *ties = &solver->ties;
    size_t n = solver->n, equations = problem->equations.count;
    islands_part(ties, n + equations + problem->unilateral.count);
    islands_tie_rows(ties, &problem->inertia, 0);
    islands_tie_rows(ties, &problem->equations, n);
    islands_tie_rows(ties, &problem->unilateral, n + equations);
    // A row that knows no coordinate goes to the first.
    for (size_t i = n; i < ties->count; i++)
        if (ties->of[i] == i)
            islands_tie(ties, 0, i);
    islands_number(ties);
}

// ---- One island.

// One more row, with the island's numbers of coordinates.
static void take_row(const ContactSolver *solver, SparseStore *store, const SparseRows *from,
                     size_t i)
{
    for (uint32_t at = from->first[i]; at < from->first[i + 1]; at++)
        if (from->value[at] != 0)
            sparse_store_push(store, solver->ties.place[from->column[at]], from->value[at]);
    sparse_store_end_row(store);
}

static void reserve(ContactSolver *solver, Island *island)
{
    size_t n = island->n, count = island->count;
    array_reserve(&solver->numbers, 2 * n + 4 * count + 1);
    array_reserve(&solver->acting, count + 1);
    double *at = solver->numbers.at;
    island->force = at;
    island->drift = at + n;
    island->accelerations = at + n + count;
    island->lambda = at + 2 * n + count;
    island->free_rates = at + 2 * n + 2 * count;
    island->rates = at + 2 * n + 3 * count;
    island->acting = solver->acting.at;
    sparse_store_begin(&solver->inertia);
    sparse_store_begin(&solver->rows);
}

static Island gather(ContactSolver *solver, const ContactProblem *problem,
                     const ContactAnswer *answer, size_t k)
{
    assert(k < solver->ties.islands);
    const uint32_t *first = solver->ties.first + k, *members = solver->ties.members + first[0];
    Island island = {.coordinates = members,
                     .any_lambda = problem->any_lambda,
                     .guessed = problem->guessed && problem->any_lambda,
                     .unique = true};
    while (island.n < first[1] - first[0] && members[island.n] < solver->n)
        island.n++;
    island.order = members + island.n;
    island.count = first[1] - first[0] - island.n;
    reserve(solver, &island);
    for (size_t i = 0; i < island.n; i++) {
        take_row(solver, &solver->inertia, &problem->inertia, island.coordinates[i]);
        island.force[i] = problem->force[island.coordinates[i]];
    }
    for (size_t i = 0; i < island.count; i++) {
        size_t row = island.order[i] - solver->n;
        const SparseRows *rows = locate(problem, &row);
        bool equal = rows == &problem->equations;
        take_row(solver, &solver->rows, rows, row);
        island.equations += equal;
        island.drift[i] = (equal ? problem->equation_drift : problem->unilateral_drift)[row];
        island.acting[i] = equal || answer->acting[row];
        island.lambda[i] = equal || !island.guessed ? 0 : answer->lambda[row];
    }
    island.inertia = sparse_store_rows(&solver->inertia);
    island.rows = sparse_store_rows(&solver->rows);
    return island;
}

// ---- Its solution.

static ContactReport solve_dense(ContactSolver *solver, Island *island)
{
    size_t n = island->n;
    array_reserve(&solver->matrices, (n + island->count) * n + 1);
    double *inertia = solver->matrices.at, *rows = inertia + n * n;
    sparse_rows_expand(&island->inertia, 0, n, n, inertia);
    sparse_rows_expand(&island->rows, 0, island->count, n, rows);
    return contact_dense_solve(solver->dense, inertia, rows, island);
}

static bool is_finite(const Island *island)
{
    return real_all_finite(island->force, island->n) &&
           real_all_finite(island->inertia.value, island->inertia.first[island->n]) &&
           real_all_finite(island->drift, island->count) &&
           real_all_finite(island->rows.value, island->rows.first[island->count]);
}

static ContactReport solve_island(ContactSolver *solver, Island *island)
{
    assert(island->n > 0 && island->equations <= island->count);
    ContactReport report = {.outcome = SOLVE_DONE, .unique = true};
    // A coordinate by itself.
    if (island->n == 1 && island->count == 0 && island->inertia.first[1] == 1 &&
        island->inertia.value[0] > 0 && isfinite(island->force[0])) {
        island->accelerations[0] = island->force[0] / island->inertia.value[0];
        return report;
    }
    // Where conditions of a middling island depend on each other, it is still worth to ask
    // contact_dense.c for the λ of least norm.
    bool sparse = island->n > SIZE_SMALL && is_finite(island) &&
                  contact_sparse_solve(solver->sparse, island) &&
                  (island->unique || island->any_lambda || island->n > SIZE_SPARSE);
    if (!sparse)
        return solve_dense(solver, island);
    report.sparse = 1;
    report.unique = island->unique;
    report.rank = island->equations;
    for (size_t l = island->equations; l < island->count; l++) {
        report.acting += island->acting[l];
        report.constraint += island->lambda[l] * island->free_rates[l] / 2;
    }
    return report;
}

// ---- The whole.

static void put(double *to, size_t at, double value)
{
    if (to)
        to[at] = value;
}

static void keep_answer(const Island *island, const ContactProblem *problem,
                        const ContactAnswer *answer)
{
    size_t n = problem->inertia.count, equations = problem->equations.count;
    for (size_t i = 0; i < island->n; i++)
        put(answer->accelerations, island->coordinates[i], island->accelerations[i]);
    for (size_t i = 0; i < island->equations; i++)
        put(answer->multipliers, island->order[i] - n, -island->lambda[i]);
    for (size_t i = island->equations; i < island->count; i++) {
        size_t to = island->order[i] - n - equations;
        put(answer->lambda, to, island->lambda[i]);
        put(answer->free_rates, to, island->free_rates[i]);
        put(answer->rates, to, island->rates[i]);
        answer->acting[to] = island->acting[i];
    }
}

// An island without an answer: its report, and its witness, in the numbers of the whole.
static ContactReport keep_failure(const Island *island, const ContactProblem *problem,
                                  ContactReport report, const ContactAnswer *answer)
{
    size_t n = problem->inertia.count, equations = problem->equations.count;
    for (size_t i = 0; i < problem->unilateral.count; i++)
        put(answer->lambda, i, 0);
    if (report.outcome != SOLVE_CONTRADICTION)
        return report;
    if (report.row_is_equation) {
        report.row = island->order[report.row] - n;
        return report;
    }
    for (size_t i = island->equations; i < island->count; i++)
        put(answer->lambda, island->order[i] - n - equations, island->lambda[i]);
    report.row = island->order[island->equations + report.row] - n - equations;
    return report;
}

ContactReport contact_accelerations(ContactSolver *solver, const ContactProblem *problem,
                                    const ContactAnswer *answer)
{
    assert(problem->inertia.count == solver->n);
    assert(problem->unilateral.count == 0 || answer->acting);
    ContactReport whole = {.outcome = SOLVE_DONE, .unique = true};
    if (problem->directions.first)
        return contact_servo_solve(problem, answer);
    find_islands(solver, problem);
    for (size_t k = 0; k < solver->ties.islands; k++) {
        Island island = gather(solver, problem, answer, k);
        ContactReport report = solve_island(solver, &island);
        if (report.outcome != SOLVE_DONE)
            return keep_failure(&island, problem, report, answer);
        keep_answer(&island, problem, answer);
        whole.acting += report.acting;
        whole.unique = whole.unique && report.unique;
        whole.constraint += report.constraint;
        whole.rank += report.rank;
        whole.sparse += report.sparse;
        whole.islands++;
    }
    return whole;
}
