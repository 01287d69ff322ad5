// systems.h: systems of many coordinates, row by row; how they are solved, and what must hold then.
#ifndef ZWANG_TESTS_CONTACT_SYSTEMS_H
#define ZWANG_TESTS_CONTACT_SYSTEMS_H

#include "contact/contact_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact/dense_rows.h"
#include "contact/exact.h"

// ---- Problems that grow row by row.

typedef struct {
    SparseStore store;
    ARRAY(double) drift;
} Rows;

typedef struct {
    size_t n;
    Rows inertia, equations, sides;
    ARRAY(double) force;
} System;

static inline void put(Rows *rows, size_t column, double value)
{
    if (rows->store.first.count == 0)
        sparse_store_begin(&rows->store);
    sparse_store_push(&rows->store, column, value);
}

static inline SparseRows view(Rows *rows)
{
    if (rows->store.first.count == 0)
        sparse_store_begin(&rows->store);
    return sparse_store_rows(&rows->store);
}

static inline void end_row(Rows *rows, double drift)
{
    view(rows);
    sparse_store_end_row(&rows->store);
    array_push(&rows->drift, drift);
}

static inline void rows_clear(Rows *rows)
{
    sparse_store_clear(&rows->store);
    array_clear(&rows->drift);
}

static inline void system_clear(System *system)
{
    rows_clear(&system->inertia);
    rows_clear(&system->equations);
    rows_clear(&system->sides);
    array_clear(&system->force);
}

static inline void particle(System *system, double mass, double fx, double fy)
{
    for (size_t i = 0; i < 2; i++) {
        put(&system->inertia, system->n++, mass);
        end_row(&system->inertia, 0);
        array_push(&system->force, i == 0 ? fx : fy);
    }
}

typedef struct {
    ContactReport report;
    size_t n, equations, sides;
    double *a, *mu, *lambda, *phi0, *rates;
    bool *acting;
} Found;

static inline Found answer_for(System *system)
{
    Found found = {.n = system->n,
                   .equations = view(&system->equations).count,
                   .sides = view(&system->sides).count};
    found.a = base_alloc((found.n + 1) * sizeof(double));
    found.mu = base_alloc((found.equations + 1) * sizeof(double));
    found.lambda = base_alloc((found.sides + 1) * sizeof(double));
    found.phi0 = base_alloc((found.sides + 1) * sizeof(double));
    found.rates = base_alloc((found.sides + 1) * sizeof(double));
    found.acting = base_alloc((found.sides + 1) * sizeof(bool));
    return found;
}

static inline void answer_clear(Found *found)
{
    double *owned[] = {found->a, found->mu, found->lambda, found->phi0, found->rates};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        base_free(owned[i]);
    base_free(found->acting);
}

static inline ContactAnswer places(Found *found)
{
    return (ContactAnswer){found->a,    found->mu,    found->lambda,
                           found->phi0, found->rates, found->acting};
}

static inline ContactProblem problem_of(System *system)
{
    return (ContactProblem){.inertia = view(&system->inertia),
                            .force = system->force.at,
                            .equations = view(&system->equations),
                            .equation_drift = system->equations.drift.at,
                            .unilateral = view(&system->sides),
                            .unilateral_drift = system->sides.drift.at};
}

static inline Found solve_as(System *system, bool any_lambda)
{
    Found found = answer_for(system);
    ContactSolver *solver = contact_solver_new(system->n);
    ContactProblem problem = problem_of(system);
    problem.any_lambda = any_lambda;
    ContactAnswer answer = places(&found);
    found.report = contact_accelerations(solver, &problem, &answer);
    // Once more, from the set that was found: it stays, but for what may be rounding.
    if (found.report.outcome == SOLVE_DONE && !any_lambda) {
        ContactReport again = contact_accelerations(solver, &problem, &answer);
        assert_int_equal(again.outcome, SOLVE_DONE);
        assert_int_equal(again.acting, found.report.acting);
    }
    contact_solver_free(solver);
    return found;
}

static inline double *dense_of(SparseRows rows, size_t n)
{
    double *dense = base_alloc((rows.count * n + 1) * sizeof *dense);
    sparse_rows_expand(&rows, 0, rows.count, n, dense);
    return dense;
}

static inline Found solve(System *system)
{
    return solve_as(system, false);
}

// The same by the solver that knows no islands.
static inline Found solve_whole(System *system)
{
    Found found = answer_for(system);
    double *inertia = dense_of(view(&system->inertia), system->n);
    double *rows = dense_of(view(&system->equations), system->n);
    double *sides = dense_of(view(&system->sides), system->n);
    DenseProblem problem = {.equal = {inertia, system->force.at, rows, system->equations.drift.at,
                                      found.equations, NULL},
                            .unilateral = sides,
                            .unilateral_drift = system->sides.drift.at,
                            .unilateral_count = found.sides};
    ContactAnswer answer = places(&found);
    found.report = solve_densely(system->n, &problem, &answer);
    base_free(inertia);
    base_free(rows);
    base_free(sides);
    return found;
}

// ---- What must hold.

static inline double most_of(const double *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

static inline double row_dot(SparseRows rows, size_t i, const double *a, double *terms)
{
    double sum = 0;
    for (uint32_t at = rows.first[i]; at < rows.first[i + 1]; at++) {
        sum += rows.value[at] * a[rows.column[at]];
        *terms += fabs(rows.value[at] * a[rows.column[at]]);
    }
    return sum;
}

// 𝓜a = force + bᵀμ − gᵀλ, b·a + γ = 0, f'' ≤ 0, λ ≥ 0, λf'' = 0: each to a part of its terms.
static inline void assert_optimal(System *system, const Found *found, double part)
{
    size_t n = system->n;
    double *rest = base_alloc(n * sizeof *rest), *terms = base_alloc(n * sizeof *terms);
    for (size_t i = 0; i < n; i++) {
        rest[i] = row_dot(view(&system->inertia), i, found->a, &terms[i]) - system->force.at[i];
        terms[i] += fabs(system->force.at[i]);
    }
    SparseRows rows[] = {view(&system->equations), view(&system->sides)};
    for (size_t side = 0; side < 2; side++)
        for (size_t l = 0; l < rows[side].count; l++)
            for (uint32_t at = rows[side].first[l]; at < rows[side].first[l + 1]; at++) {
                double push = rows[side].value[at] * (side ? -found->lambda[l] : found->mu[l]);
                rest[rows[side].column[at]] -= push;
                terms[rows[side].column[at]] += fabs(push);
            }
    for (size_t i = 0; i < n; i++)
        if (!(fabs(rest[i]) <= part * (terms[i] + 1e-300)))
            fail_msg("forces on %zu miss %g of %g", i, rest[i], terms[i]);
    double most = most_of(found->a, n) + most_of(system->force.at, n);
    for (size_t side = 0; side < 2; side++)
        for (size_t l = 0; l < rows[side].count; l++) {
            double drift = (side ? &system->sides : &system->equations)->drift.at[l];
            double size = fabs(drift) + most;
            double rate = drift + row_dot(rows[side], l, found->a, &size);
            bool tight = !side || found->lambda[l] > 0;
            if (!(tight ? fabs(rate) <= part * size : rate <= part * size))
                fail_msg("condition %zu of kind %zu misses %g of %g", l, side, rate, size);
            if (side && !(found->lambda[l] >= 0))
                fail_msg("λ[%zu] = %g", l, found->lambda[l]);
        }
    base_free(rest);
    base_free(terms);
}

static inline void assert_same(const double *one, const double *other, size_t count, double part)
{
    double size = most_of(one, count) + most_of(other, count);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(one[i] - other[i]) <= part * (1 + size)))
            fail_msg("at %zu: %.17g, not %.17g", i, one[i], other[i]);
}

static inline double random_real(Random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-52 - 1;
}

#endif
