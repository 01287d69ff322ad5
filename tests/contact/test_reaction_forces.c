// Reactions on which forces depend: a rope over a drum, sums of sizes by trying all signs, curves
// with known roots.
#include "contact/reaction_forces.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "test_size.h"
#include "uniform.h"

enum { TRIALS = 300, MOST = 3, ROOM = 16 };

// ---- A rope over a drum: m₁ up, m₂ down, T₂ = K·T₁.

static bool drum(void *context, const double *lambda, double *rates, double *derivatives)
{
    // The row is x₁ + x₂ = const. with reaction λ on both; −(K − 1)λ more on the heavier side.
    const double *K = context, share = (K[0] - 1) / K[1];
    rates[0] += share * lambda[0];
    derivatives[0] += share;
    return true;
}

static void test_drum(void **state)
{
    (void)state;
    double K = exp(0.2 * acos(-1)), g = 9.81, m1 = 1, m2 = 3, context[] = {K, m2};
    double phi = 1 / m1 + 1 / m2, free = 2 * -g, zero = 0, found[ROOM];
    // Coordinates downwards: x₁'' = g − λ/m₁, so that λ pulls with −1 in the row.
    ReactionProblem problem = {
        .count = 1, .delassus = &phi, .free_rates = &free, .law = drum, .context = context};
    for (size_t affine = 0; affine < 2; affine++) {
        problem.affine = affine;
        ReactionAnswer answer = {.guess = &zero, .lambda = found, .most = ROOM};
        reaction_forces_solve(&problem, &answer);
        assert_true(answer.counted && answer.found == 1);
        assert_true(fabs(found[0] - 12.07519340463635) < 1e-11);
        assert_true(fabs(g - K * found[0] / m2 - 2.265193404636353) < 1e-11);
    }
}

// ---- Φλ − S|λ| = −Γ⁰ by all signs.

typedef struct {
    size_t n;
    double S[MOST * MOST];
} Sizes;

static bool sizes_law(void *context, const double *lambda, double *rates, double *derivatives)
{
    const Sizes *sizes = context;
    for (size_t i = 0; i < sizes->n; i++)
        for (size_t k = 0; k < sizes->n; k++) {
            rates[i] -= sizes->S[i * sizes->n + k] * fabs(lambda[k]);
            derivatives[i * sizes->n + k] -= sizes->S[i * sizes->n + k] * (lambda[k] < 0 ? -1 : 1);
        }
    return true;
}

// Cramer's rule for up to three unknowns.
static double determinant(const double *A, size_t n)
{
    if (n == 1)
        return A[0];
    if (n == 2)
        return A[0] * A[3] - A[1] * A[2];
    return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
           A[2] * (A[3] * A[7] - A[4] * A[6]);
}

static size_t judge(const Sizes *sizes, const double *phi, const double *free, double *found)
{
    size_t n = sizes->n, count = 0;
    for (size_t signs = 0; signs < (size_t)1 << n; signs++) {
        double A[MOST * MOST], B[MOST * MOST], lambda[MOST];
        bool fits = true;
        for (size_t i = 0; i < n * n; i++)
            A[i] = phi[i] - sizes->S[i] * (signs >> i % n & 1 ? -1 : 1);
        for (size_t k = 0; k < n; k++) {
            memcpy(B, A, sizeof B);
            for (size_t i = 0; i < n; i++)
                B[i * n + k] = -free[i];
            lambda[k] = determinant(B, n) / determinant(A, n);
            fits = fits && (signs >> k & 1 ? lambda[k] < 0 : lambda[k] > 0);
        }
        if (fits)
            memcpy(found + n * count++, lambda, n * sizeof *lambda);
    }
    return count;
}

static void test_sizes(void **state)
{
    (void)state;
    size_t trials = TRIALS * test_size(), missed = 0, all = 0, none = 0, several = 0;
    for (size_t trial = 0; trial < trials; trial++) {
        Random random = random_seed(trial);
        size_t n = 1 + random_below(&random, MOST);
        Sizes sizes = {.n = n};
        double phi[MOST * MOST], free[MOST], W[MOST * MOST], guess[MOST] = {0};
        double truth[8 * MOST], found[ROOM * MOST];
        for (size_t i = 0; i < n * n; i++) {
            W[i] = uniform(&random, -1, 1);
            sizes.S[i] = uniform(&random, -0.6, 0.6);
        }
        for (size_t i = 0; i < n; i++) {
            free[i] = uniform(&random, -1, 1);
            for (size_t k = 0; k < n; k++) {
                phi[i * n + k] = i == k ? 0.2 : 0;
                for (size_t j = 0; j < n; j++)
                    phi[i * n + k] += W[i * n + j] * W[k * n + j];
            }
        }
        size_t count = judge(&sizes, phi, free, truth);
        ReactionProblem problem = {
            .count = n, .delassus = phi, .free_rates = free, .law = sizes_law, .context = &sizes};
        ReactionAnswer answer = {.guess = guess, .lambda = found, .most = ROOM};
        reaction_forces_solve(&problem, &answer);
        if (n == 1 ? answer.found != count : answer.found > count)
            fail_msg("trial %zu: %zu solutions for %zu", trial, answer.found, count);
        for (size_t k = 0; k < answer.found; k++) {
            bool known = false;
            for (size_t m = 0; m < count; m++) {
                double off = 0;
                for (size_t i = 0; i < n; i++)
                    off = fmax(off, fabs(found[k * n + i] - truth[m * n + i]) /
                                        (1 + fabs(truth[m * n + i])));
                known = known || off < 1e-8;
            }
            if (!known)
                fail_msg("trial %zu: solution %zu is none", trial, k);
        }
        missed += count - answer.found;
        all += count;
        none += count == 0;
        several += count > 1;
    }
    // From below, and nearly all.
    if (missed > all / 20)
        fail_msg("%zu of %zu solutions were missed", missed, all);
    assert_true(none > 0 && several > 0);
}

// ---- One-sided, affine: all sets tried here too, by a second road: every solution keeps the law.

static bool affine_law(void *context, const double *lambda, double *rates, double *derivatives)
{
    const Sizes *sizes = context;
    for (size_t i = 0; i < sizes->n; i++)
        for (size_t k = 0; k < sizes->n; k++) {
            rates[i] += sizes->S[i * sizes->n + k] * lambda[k];
            derivatives[i * sizes->n + k] += sizes->S[i * sizes->n + k];
        }
    return true;
}

// One contact, 0 ≤ λ ⊥ (Φ + C)λ + Γ⁰ ≥ 0: the four cases of Painlevé.
static void test_one_sided(void **state)
{
    (void)state;
    static const struct {
        double C, free;
        size_t count;
    } cases[] = {{0.5, -1, 1}, {0.5, 1, 1}, {-2, -1, 0}, {-2, 1, 2}};
    for (size_t k = 0; k < 8; k++) {
        Sizes sizes = {.n = 1, .S = {cases[k / 2].C}};
        double phi = 1, free = cases[k / 2].free, zero = 0, found[ROOM];
        bool one = true;
        ReactionProblem problem = {.count = 1,
                                   .delassus = &phi,
                                   .free_rates = &free,
                                   .one_sided = &one,
                                   .affine = k % 2,
                                   .law = affine_law,
                                   .context = &sizes};
        ReactionAnswer answer = {.guess = &zero, .lambda = found, .most = ROOM};
        reaction_forces_solve(&problem, &answer);
        assert_true(answer.counted);
        assert_int_equal(answer.found, cases[k / 2].count);
        if (answer.found > 0)
            assert_true(fabs(answer.determinant - (1 + cases[k / 2].C)) < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drum), cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_one_sided)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
