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
    size_t most_n, most_count;
    Kkt *kkt;
    Arena *arena;
    LcpDense *lcp;
    double *sizes;   // one for each condition: of the terms of Φ⁰
    double *normals; // n numbers each
    double *pull;    // n: gᵀλ
};

ContactDense *contact_dense_new(void)
{
    return base_alloc(sizeof(ContactDense));
}

void contact_dense_free(ContactDense *dense)
{
    if (dense)
        arena_free(dense->arena);
    base_free(dense);
}

static void reserve(ContactDense *dense, size_t n, size_t count)
{
    if (dense->arena && n <= dense->most_n && count <= dense->most_count)
        return;
    n = dense->most_n = n > dense->most_n ? n : dense->most_n;
    // Contacts come one by one.
    count = dense->most_count = count > dense->most_count ? 2 * count : dense->most_count;
    arena_free(dense->arena);
    Arena *arena = dense->arena = arena_new();
    dense->kkt = kkt_new(arena, n, count);
    dense->lcp = lcp_dense_new(arena, n, count);
    dense->normals = real_alloc(arena, count * n);
    dense->pull = real_alloc(arena, n);
    dense->sizes = real_alloc(arena, count);
}

// Φ⁰ = g·a⁰ + drift, and the size of its terms; false where they are not finite.
static bool find_free_rates(ContactDense *dense, const double *rows, Island *island)
{
    size_t n = island->n, m = island->equations, count = island->count - m;
    kkt_accelerations(dense->kkt, island->accelerations);
    kkt_normals(dense->kkt, rows + m * n, count, dense->normals, dense->sizes);
    for (size_t l = 0; l < count; l++) {
        double drift = island->drift[m + l];
        island->free_rates[m + l] = drift + real_dot(rows + (m + l) * n, island->accelerations, n);
        dense->sizes[l] += fabs(drift);
    }
    return real_all_finite(dense->sizes, count) && real_all_finite(island->free_rates + m, count);
}

// From the departure y and the reactions of the conditions to the motion.
static void depart(ContactDense *dense, const double *rows, double *y, Island *island)
{
    size_t n = island->n, m = island->equations;
    memset(dense->pull, 0, n * sizeof *dense->pull);
    for (size_t l = m; l < island->count; l++)
        if (island->lambda[l] != 0)
            real_add_times(island->lambda[l], rows + l * n, n, dense->pull);
    kkt_depart(dense->kkt, y, dense->pull);
    kkt_multipliers(dense->kkt, island->lambda);
    for (size_t i = 0; i < m; i++)
        island->lambda[i] = -island->lambda[i];
    kkt_accelerations(dense->kkt, island->accelerations);
}

ContactReport contact_dense_solve(ContactDense *dense, const double *inertia, const double *rows,
                                  Island *island)
{
    size_t n = island->n, m = island->equations, count = island->count - m;
    assert(m <= island->count);
    KktProblem equal = {.inertia = inertia,
                        .force = island->force,
                        .rows = rows,
                        .drift = island->drift,
                        .row_count = m};
    reserve(dense, n, island->count);
    kkt_resize(dense->kkt, n);
    KktReport free = kkt_move(dense->kkt, &equal);
    ContactReport report = {
        .outcome = free.outcome, .rank = free.rank, .row = free.row, .row_is_equation = true};
    if (free.outcome == SOLVE_DONE && !free.positive && count > 0)
        report.outcome = SOLVE_NO_MINIMUM;
    else if (free.outcome == SOLVE_DONE && !find_free_rates(dense, rows, island))
        report.outcome = SOLVE_NOT_FINITE;
    if (report.outcome != SOLVE_DONE)
        return report;
    LcpProblem lcp = {.count = count,
                      .normals = dense->normals,
                      .size = n - free.rank,
                      .phi0 = island->free_rates + m,
                      .sizes = dense->sizes};
    double *y;
    report = lcp_dense_solve(dense->lcp, &lcp, island->acting + m, island->lambda + m,
                             island->rates + m, &y);
    report.rank = free.rank;
    if (report.outcome == SOLVE_DONE)
        depart(dense, rows, y, island);
    return report;
}
