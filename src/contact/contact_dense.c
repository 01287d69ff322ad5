// contact_dense.c: equations and unilateral conditions together, by dense factors (Mayer 1899,
// §§ 1–3).
//
// The motion under the equations alone gives Φ⁰ and, by its factors, the conditions' normals in
// axes where the inertia of the velocities that are still free is 1. There the question is one for
// lcp_dense.c; its departure and its reactions then go back through the same factors.
#include "contact/contact_impl.h"
#include "linalg/kkt.h"

#include <assert.h>

struct ContactDense {
    size_t most_n, most_unilateral;
    Kkt *kkt;
    Arena *arena;
    LcpDense *lcp;
    double *sizes;            // one for each condition: of the terms of Φ⁰
    double *normals, *work;   // n numbers each
    double *free;             // n: accelerations that only the equations restrict
    double *departure, *pull; // n: y, and gᵀλ
};

ContactDense *contact_dense_new(void)
{
    ContactDense *dense = base_alloc(sizeof *dense);
    dense->kkt = kkt_new(0, 0);
    return dense;
}

void contact_dense_free(ContactDense *dense)
{
    if (!dense)
        return;
    kkt_free(dense->kkt);
    arena_free(dense->arena);
    base_free(dense);
}

static void reserve(ContactDense *dense, size_t n, size_t count)
{
    if (dense->arena && n <= dense->most_n && count <= dense->most_unilateral)
        return;
    n = dense->most_n = n > dense->most_n ? n : dense->most_n;
    // Contacts come one by one.
    count = dense->most_unilateral =
        count > dense->most_unilateral ? 2 * count : dense->most_unilateral;
    arena_free(dense->arena);
    Arena *arena = dense->arena = arena_new();
    dense->lcp = lcp_dense_new(arena, n, count);
    dense->sizes = real_alloc(arena, count);
    dense->normals = real_alloc(arena, count * n);
    dense->work = real_alloc(arena, count * n);
    dense->free = real_alloc(arena, n);
    dense->departure = real_alloc(arena, n);
    dense->pull = real_alloc(arena, n);
}

// Φ⁰ = g·a⁰ + drift, and the size of its terms.
static bool find_free_rates(ContactDense *dense, size_t n, const DenseProblem *problem,
                            double *free_rates)
{
    bool finite = true;
    kkt_terms(dense->kkt, problem->unilateral, problem->unilateral_count, dense->sizes);
    for (size_t l = 0; l < problem->unilateral_count; l++) {
        double drift = problem->unilateral_drift[l];
        free_rates[l] = drift + real_dot(problem->unilateral + l * n, dense->free, n);
        dense->sizes[l] += fabs(drift);
        finite = finite && isfinite(dense->sizes[l]) && isfinite(free_rates[l]);
    }
    return finite;
}

// The motion that only the equations restrict.
static ContactReport move_freely(ContactDense *dense, size_t n, const DenseProblem *problem,
                                 double *free_rates)
{
    KktReport equal = kkt_move(dense->kkt, &problem->equal);
    ContactReport report = {
        .outcome = equal.outcome, .rank = equal.rank, .row = equal.row, .row_is_equation = true};
    if (equal.outcome == SOLVE_DONE && !equal.positive && problem->unilateral_count > 0)
        report.outcome = SOLVE_NO_MINIMUM;
    if (report.outcome != SOLVE_DONE)
        return report;
    kkt_accelerations(dense->kkt, equal.rank, dense->free);
    if (!find_free_rates(dense, n, problem, free_rates))
        report.outcome = SOLVE_NOT_FINITE;
    return report;
}

// From the departure and the reactions of the conditions to the motion.
static void depart(ContactDense *dense, size_t n, size_t rank, const DenseProblem *problem,
                   const double *y, const ContactAnswer *answer)
{
    memcpy(dense->departure, y, (n - rank) * sizeof *y);
    memset(dense->pull, 0, n * sizeof *dense->pull);
    for (size_t l = 0; l < problem->unilateral_count; l++)
        if (answer->lambda[l] != 0)
            real_add_times(answer->lambda[l], problem->unilateral + l * n, n, dense->pull);
    kkt_depart(dense->kkt, rank, dense->departure, dense->pull);
    kkt_multipliers(dense->kkt, rank, problem->equal.row_count, answer->multipliers);
    kkt_accelerations(dense->kkt, rank, answer->accelerations);
}

ContactReport contact_dense_solve(ContactDense *dense, size_t n, const DenseProblem *problem,
                                  const ContactAnswer *answer)
{
    size_t count = problem->unilateral_count;
    assert(answer->lambda && answer->rates && answer->free_rates && answer->accelerations);
    kkt_reserve(dense->kkt, n, problem->equal.row_count);
    reserve(dense, n, count);
    ContactReport report = move_freely(dense, n, problem, answer->free_rates);
    if (report.outcome != SOLVE_DONE)
        return report;
    size_t rank = report.rank;
    if (count > 0)
        kkt_normals(dense->kkt, rank, problem->unilateral, count, dense->work, dense->normals);
    LcpProblem lcp = {.count = count,
                      .normals = dense->normals,
                      .size = n - rank,
                      .phi0 = answer->free_rates,
                      .sizes = dense->sizes};
    const double *y;
    report = lcp_dense_solve(dense->lcp, &lcp, answer->acting, answer->lambda, answer->rates, &y);
    report.rank = rank;
    if (report.outcome == SOLVE_DONE)
        depart(dense, n, rank, problem, y, answer);
    return report;
}
