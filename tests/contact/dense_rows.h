// dense_rows.h: whole rows of numbers as the solvers take them: sparse, or as one island.
#ifndef ZWANG_TESTS_CONTACT_DENSE_ROWS_H
#define ZWANG_TESTS_CONTACT_DENSE_ROWS_H

#include "contact/contact_impl.h"

// `count` rows of n numbers each; the store owns what is returned.
static inline SparseRows sparse_of(SparseStore *store, const double *rows, size_t count, size_t n)
{
    sparse_store_begin(store);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < n; j++)
            if (rows[i * n + j] != 0)
                sparse_store_push(store, j, rows[i * n + j]);
        sparse_store_end_row(store);
    }
    return sparse_store_rows(store);
}

typedef struct {
    KktProblem equal;         // inertia, force and the equations
    const double *unilateral; // g, unilateral_count × n, a row after the other
    const double *unilateral_drift;
    size_t unilateral_count;
} DenseProblem;

static inline void put_rows(double *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
}

// By dense factors alone, as contact_accelerations; nothing in the answer is NULL.
static inline ContactReport solve_densely(size_t n, const DenseProblem *problem,
                                          const ContactAnswer *answer)
{
    size_t m = problem->equal.row_count, s = problem->unilateral_count;
    Arena *arena = arena_new();
    double *force = real_alloc(arena, n), *rows = real_alloc(arena, (m + s) * n);
    Island island = {.n = n,
                     .count = m + s,
                     .equations = m,
                     .force = force,
                     .drift = real_alloc(arena, m + s),
                     .accelerations = answer->accelerations,
                     .lambda = real_alloc(arena, m + s),
                     .free_rates = real_alloc(arena, m + s),
                     .rates = real_alloc(arena, m + s),
                     .acting = arena_alloc(arena, m + s + 1)};
    put_rows(force, problem->equal.force, n);
    put_rows(rows, problem->equal.rows, m * n);
    put_rows(rows + m * n, problem->unilateral, s * n);
    put_rows(island.drift, problem->equal.drift, m);
    put_rows(island.drift + m, problem->unilateral_drift, s);
    for (size_t l = 0; l < s; l++)
        island.acting[m + l] = answer->acting[l];
    ContactDense *dense = contact_dense_new();
    ContactReport report = contact_dense_solve(dense, problem->equal.inertia, rows, &island);
    for (size_t i = 0; i < m; i++)
        answer->multipliers[i] = -island.lambda[i];
    put_rows(answer->lambda, island.lambda + m, s);
    put_rows(answer->free_rates, island.free_rates + m, s);
    put_rows(answer->rates, island.rates + m, s);
    for (size_t l = 0; l < s; l++)
        answer->acting[l] = island.acting[m + l];
    contact_dense_free(dense);
    arena_free(arena);
    return report;
}

#endif
