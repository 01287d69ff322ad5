// lcp_proximal.c: the conditions of optimality of ½λ·Φλ − λ·Φ⁰ + ½δ|λ − λ'|² under λ ≥ 0, which
// have one λ only, checked by themselves: for random Φ = WWᵀ whose rank is below its order, with
// and without equations, from any λ on.
#include "contact/contact_impl.h"

#include "base/strings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TRIALS = 200, MOST = 40, RANK = 12 };

typedef struct {
    Lcp lcp; // first, so that let_act finds the rest
    double phi[MOST][MOST], own[MOST], shifted[MOST], room[2 * MOST];
    double lambda[MOST], rates[MOST];
    bool acts[MOST], wrong[MOST];
} Problem;

static double uniform(Random *random, double low, double high)
{
    return low + (high - low) * ((double)random_below(random, 1u << 30) / (double)(1u << 30));
}

static void find_rates(Lcp *lcp)
{
    Problem *problem = (Problem *)lcp;
    double square = 0;
    for (size_t l = 0; l < lcp->count; l++) {
        double sum = 0;
        for (size_t k = 0; k < lcp->count; k++)
            sum += problem->phi[l][k] * lcp->lambda[k];
        lcp->rates[l] = lcp->phi0[l] - sum;
        square += lcp->lambda[l] * sum;
    }
    lcp->square = square > 0 ? square : 0;
}

static bool let_act(Lcp *lcp)
{
    Problem *problem = (Problem *)lcp;
    double block[MOST * MOST], x[MOST];
    size_t at[MOST], size = 0;
    for (size_t l = 0; l < lcp->count; l++)
        if (lcp->acts[l])
            at[size++] = l;
    for (size_t k = 0; k < size; k++) {
        for (size_t l = 0; l < size; l++)
            block[k * size + l] = problem->phi[at[k]][at[l]] + (k == l ? lcp->added : 0);
        x[k] = lcp->phi0[at[k]];
    }
    if (size > 0 && !cholesky_factor(block, size, size, 0))
        return false;
    if (size > 0)
        cholesky_solve(block, size, x);
    memset(lcp->lambda, 0, lcp->count * sizeof *lcp->lambda);
    for (size_t k = 0; k < size; k++)
        lcp->lambda[at[k]] = x[k];
    find_rates(lcp);
    return true;
}

static void fill(Problem *problem, Random *random, double added)
{
    double w[MOST][RANK];
    size_t count = 1 + random_below(random, MOST), rank = 1 + random_below(random, RANK);
    size_t equations = random_below(random, 3) == 0 ? random_below(random, count) : 0;
    for (size_t l = 0; l < count; l++)
        for (size_t i = 0; i < rank; i++)
            w[l][i] = uniform(random, -1, 1);
    for (size_t l = 0; l < count; l++) {
        for (size_t k = 0; k < count; k++) {
            problem->phi[l][k] = 0;
            for (size_t i = 0; i < rank; i++)
                problem->phi[l][k] += w[l][i] * w[k][i];
        }
        problem->own[l] = problem->phi[l][l];
        // Φ⁰ of some motion, so that it lies in the range of Φ; and λ'.
        problem->shifted[l] = added * uniform(random, 0, 2);
        for (size_t i = 0; i < rank; i++)
            problem->shifted[l] += w[l][i] * (i % 2 ? 1 : -1);
        problem->lambda[l] = uniform(random, -1, 3);
    }
    problem->lcp = (Lcp){.count = count,
                         .equations = equations,
                         .phi0 = problem->shifted,
                         .own = problem->own,
                         .stride = 1,
                         .acts = problem->acts,
                         .wrong = problem->wrong,
                         .lambda = problem->lambda,
                         .rates = problem->rates,
                         .room = problem->room,
                         .added = added,
                         .let_act = let_act,
                         .find_rates = find_rates};
}

// λ ≥ 0, r = δλ where λ > 0 or in an equation, r ≤ 0 elsewhere.
static void check(const Problem *problem, uint64_t seed)
{
    const Lcp *lcp = &problem->lcp;
    for (size_t l = 0; l < lcp->count; l++) {
        double rate = problem->shifted[l], terms = fabs(rate), lambda = lcp->lambda[l];
        for (size_t k = 0; k < lcp->count; k++) {
            rate -= problem->phi[l][k] * lcp->lambda[k];
            terms += fabs(problem->phi[l][k] * lcp->lambda[k]);
        }
        bool equation = l < lcp->equations;
        double off = equation || lambda > 0 ? fabs(rate - lcp->added * lambda) : fmax(rate, 0);
        double pulls = equation ? 0 : fmax(-lambda * problem->own[l], 0);
        if (!(off <= 1e-9 * terms && pulls <= 1e-9 * terms))
            fail_msg("seed %llu, condition %zu: λ %g, off by %g of %g", (unsigned long long)seed, l,
                     lambda, off, terms);
    }
}

static void one_least_place(void **state)
{
    (void)state;
    static const double added[] = {1e-1, 1e-3, 1e-5};
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        Random random = random_seed(seed);
        Problem problem;
        fill(&problem, &random, added[seed % 3]);
        assert_true(lcp_proximal(&problem.lcp));
        check(&problem, seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_least_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
