// Which unilateral conditions act: Mayer's own cases, every set of up to ten conditions tried in
// exact fractions, and the conditions of optimality for many more.
#include "contact/contact_impl.h"

#include <math.h>
#include <stdio.h>

#include "contact/exact.h"

enum { TRIALS = 400, LARGE = 60 };

static ContactReport solve(LcpDense *lcp, const LcpProblem *problem, bool *acting, double *lambda,
                           double *rates)
{
    return lcp_dense_solve(lcp, problem, acting, lambda, rates, NULL);
}

// ---- Mayer 1899, § 3.

typedef struct {
    const char *name;
    double phi[3]; // Φ₁₁, Φ₁₂, Φ₂₂
    double phi0[2], lambda[2], rates[2];
} MayerCase;

// Two conditions; every branch, and its borders.
static const MayerCase mayer_cases[] = {
    {"neither is broken", {2, 1, 3}, {-1, -2}, {0, 0}, {-1, -2}},
    {"both are just kept", {2, 1, 3}, {0, 0}, {0, 0}, {0, 0}},
    {"one is just kept", {2, 1, 3}, {0, -2}, {0, 0}, {0, -2}},
    {"the first is broken, and its reaction keeps the second", {2, 1, 3}, {4, 1}, {2, 0}, {0, -1}},
    {"the second is broken, and its reaction keeps the first", {3, 1, 2}, {1, 4}, {0, 2}, {-1, 0}},
    {"the reaction of the first just keeps the second", {2, 1, 3}, {4, 2}, {2, 0}, {0, 0}},
    {"only the first is broken, the second far away", {2, 0, 3}, {4, -5}, {2, 0}, {0, -5}},
    // Against Ostrogradsky: the free motion keeps the second condition, and yet it acts.
    {"the reaction of the first breaks the second", {2, -1, 1}, {2, -0.5}, {1.5, 1}, {0, 0}},
    {"the same, the other first", {1, -1, 2}, {-0.5, 2}, {1, 1.5}, {0, 0}},
    {"the free motion just keeps the second", {2, -1, 1}, {2, 0}, {2, 2}, {0, 0}},
    // Against Ostrogradsky: the free motion breaks the first condition, and yet it does not act.
    {"the reaction of the second keeps the first", {1, 2, 5}, {1, 3}, {0, 0.6}, {-0.2, 0}},
    {"the reaction of the second just keeps the first", {1, 2, 5}, {2, 5}, {0, 1}, {0, 0}},
    {"both act", {2, 1, 2}, {3, 3}, {1, 1}, {0, 0}},
};

static void assert_near(double found, double expected, const char *what)
{
    if (!(fabs(found - expected) <= 1e-14 * (1 + fabs(expected))))
        fail_msg("%s: %.17g, not %.17g", what, found, expected);
}

static void test_mayer_one_condition(void **state)
{
    (void)state;
    static const double phi = 4, normal = 2, cases[][3] = {{-2, 0, -2}, {0, 0, 0}, {2, 0.5, 0}};
    Arena *arena = arena_new();
    LcpDense *lcp = lcp_dense_new(arena, 1, 1);
    for (size_t i = 0; i < 3; i++) {
        double lambda, rate;
        bool acting = false;
        LcpProblem problem = {
            .count = 1, .normals = &normal, .size = 1, .phi = &phi, .phi0 = cases[i]};
        ContactReport report = solve(lcp, &problem, &acting, &lambda, &rate);
        assert_int_equal(report.outcome, SOLVE_DONE);
        assert_near(lambda, cases[i][1], "λ");
        assert_near(rate, cases[i][2], "f''");
        assert_int_equal(acting, cases[i][0] > 0);
        assert_true(report.unique);
        assert_near(report.constraint, phi * lambda * lambda / 2, "the constraint");
    }
    arena_free(arena);
}

static void test_mayer_two_conditions(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    LcpDense *lcp = lcp_dense_new(arena, 2, 2);
    for (size_t i = 0; i < sizeof mayer_cases / sizeof mayer_cases[0]; i++) {
        const MayerCase *mayer = &mayer_cases[i];
        double phi[4] = {mayer->phi[0], mayer->phi[1], mayer->phi[1], mayer->phi[2]};
        double normals[4] = {sqrt(phi[0]), 0, phi[1] / sqrt(phi[0]), 0};
        normals[3] = sqrt(phi[3] - normals[2] * normals[2]);
        for (unsigned begin = 0; begin < 4; begin++) {
            double lambda[2], rates[2];
            bool acting[2] = {begin & 1, begin & 2};
            LcpProblem problem = {
                .count = 2, .normals = normals, .size = 2, .phi = phi, .phi0 = mayer->phi0};
            ContactReport report = solve(lcp, &problem, acting, lambda, rates);
            assert_int_equal(report.outcome, SOLVE_DONE);
            assert_true(report.unique);
            for (size_t l = 0; l < 2; l++) {
                assert_near(lambda[l], mayer->lambda[l], mayer->name);
                assert_near(rates[l], mayer->rates[l], mayer->name);
                assert_int_equal(acting[l], mayer->lambda[l] > 0);
            }
        }
    }
    arena_free(arena);
}

// ---- Up to ten conditions, against every set.

typedef struct {
    double normals[EXACT_SIDES * EXACT_SIZE], phi[EXACT_SIDES * EXACT_SIDES], phi0[EXACT_SIDES];
} Real;

// Normals and offsets; the inertia is 1, nothing pulls, and there are no equations.
static Whole random_sides(Random *random)
{
    Whole w = random_whole_problem(random, 0, EXACT_SIDES);
    for (size_t i = 0; i < w.n; i++) {
        w.force[i] = 0;
        for (size_t j = 0; j < w.n; j++)
            w.inertia[i][j] = i == j;
    }
    return w;
}

static void make_real(const Whole *w, Real *r)
{
    for (size_t l = 0; l < w->sides; l++) {
        r->phi0[l] = (double)w->side_drift[l];
        for (size_t j = 0; j < w->n; j++)
            r->normals[l * w->n + j] = (double)w->g[l][j];
        for (size_t k = 0; k < w->sides; k++) {
            long sum = 0;
            for (size_t j = 0; j < w->n; j++)
                sum += w->g[l][j] * w->g[k][j];
            r->phi[l * w->sides + k] = (double)sum;
        }
    }
}

static void assert_excluded(const Whole *w, size_t row, const double *lambda, size_t trial)
{
    double offset = 0, largest = 0;
    for (size_t l = 0; l < w->sides; l++) {
        assert_true(lambda[l] >= 0);
        offset += lambda[l] * (double)w->side_drift[l];
        largest = fmax(largest, lambda[l]);
    }
    if (!(lambda[row] == 1 && offset > 1e-9 * largest))
        fail_msg("trial %zu: row %zu is not excluded", trial, row);
    for (size_t j = 0; j < w->n; j++) {
        double sum = 0;
        for (size_t l = 0; l < w->sides; l++)
            sum += lambda[l] * (double)w->g[l][j];
        if (fabs(sum) > 1e-11 * largest)
            fail_msg("trial %zu: the rows that exclude each other do not add up to 0", trial);
    }
}

static void assert_agrees(const Whole *w, const Exact *exact, const ContactReport *report,
                          const bool *acting, const double *lambda, const double *rates,
                          size_t trial)
{
    if (exact->outcome == EXACT_NONE) {
        if (report->outcome != SOLVE_CONTRADICTION)
            fail_msg("trial %zu: the contradiction is not seen", trial);
        assert_excluded(w, report->row, lambda, trial);
        return;
    }
    if (report->outcome != SOLVE_DONE)
        fail_msg("trial %zu: not solved but %d", trial, report->outcome);
    if (report->unique != exact->unique)
        fail_msg("trial %zu: unique is %d", trial, report->unique);
    for (size_t l = 0; l < w->sides; l++) {
        double push = real(exact->lambda[l]), rate = real(exact->rates[l]);
        if (!(fabs(lambda[l] - push) <= 1e-11 * (1 + push)) ||
            !(fabs(rates[l] - rate) <= 1e-11 * (1 - rate)))
            fail_msg("trial %zu: condition %zu has λ %.17g and f'' %.17g, not %.17g and %.17g",
                     trial, l, lambda[l], rates[l], push, rate);
        assert_int_equal(acting[l], exact->lambda[l].top > 0);
    }
}

static void test_every_set(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    LcpDense *lcp = lcp_dense_new(arena, EXACT_SIDES, EXACT_SIDES);
    size_t none = 0, several = 0, trials = TRIALS * test_size();
    for (size_t trial = 0; trial < trials; trial++) {
        Random random = random_seed(trial);
        Whole w = random_sides(&random);
        Exact exact = exact_solve(&w);
        Real r;
        make_real(&w, &r);
        none += exact.outcome == EXACT_NONE;
        several += exact.outcome == EXACT_FOUND && !exact.unique;
        // By normals and by Φ; begun from nothing, from the answer, and from anything.
        for (size_t way = 0; way < 2; way++) {
            LcpProblem problem = {.count = w.sides,
                                  .phi = way ? r.phi : NULL,
                                  .normals = r.normals,
                                  .size = w.n,
                                  .phi0 = r.phi0};
            bool acting[EXACT_SIDES] = {false};
            double lambda[EXACT_SIDES], rates[EXACT_SIDES];
            for (size_t begin = 0; begin < 4; begin++) {
                for (size_t l = 0; l < w.sides && begin > 1; l++)
                    acting[l] = begin == 2 || random_below(&random, 2) == 0;
                ContactReport report = solve(lcp, &problem, acting, lambda, rates);
                assert_agrees(&w, &exact, &report, acting, lambda, rates, trial);
            }
        }
    }
    assert_true(none > trials / 20 && several > trials / 20);
    arena_free(arena);
}

// How a condition is said does not matter: f ≤ 0 or 2^k f ≤ 0, whatever the others are.
static void test_units(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    LcpDense *lcp = lcp_dense_new(arena, EXACT_SIDES, EXACT_SIDES);
    size_t trials = TRIALS * test_size();
    for (size_t trial = 0; trial < trials; trial++) {
        Random random = random_seed(trial);
        Whole w = random_sides(&random);
        Exact exact = exact_solve(&w);
        Real r;
        make_real(&w, &r);
        double factors[EXACT_SIDES], lambda[EXACT_SIDES], rates[EXACT_SIDES];
        for (size_t l = 0; l < w.sides; l++) {
            factors[l] = exp2((double)random_whole(&random, 20));
            r.phi0[l] *= factors[l];
            for (size_t j = 0; j < w.n; j++)
                r.normals[l * w.n + j] *= factors[l];
        }
        for (size_t l = 0; l < w.sides; l++)
            for (size_t k = 0; k < w.sides; k++)
                r.phi[l * w.sides + k] *= factors[l] * factors[k];
        for (size_t way = 0; way < 2; way++) {
            LcpProblem problem = {.count = w.sides,
                                  .phi = way ? r.phi : NULL,
                                  .normals = r.normals,
                                  .size = w.n,
                                  .phi0 = r.phi0};
            bool acting[EXACT_SIDES] = {false};
            ContactReport report = solve(lcp, &problem, acting, lambda, rates);
            assert_int_equal(report.outcome == SOLVE_DONE, exact.outcome == EXACT_FOUND);
            if (exact.outcome != EXACT_FOUND)
                continue;
            assert_int_equal(report.unique, exact.unique);
            for (size_t l = 0; l < w.sides; l++) {
                double rate = rates[l] / factors[l], push = lambda[l] * factors[l];
                if (fabs(rate - real(exact.rates[l])) > 1e-10 ||
                    (exact.unique && fabs(push - real(exact.lambda[l])) > 1e-10))
                    fail_msg("trial %zu: condition %zu has λ %g and f'' %g", trial, l, push, rate);
            }
        }
    }
    arena_free(arena);
}

// ---- Many conditions: what an answer has to satisfy.

static double random_real(Random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-52 - 1;
}

typedef struct {
    size_t count, size;
    double *normals, *phi, *phi0, *lambda, *rates;
    bool *acting;
} Large;

// With `twins` every other condition is the one before it, or its double, or its opposite.
static Large large_new(Random *random, size_t count, size_t size, bool twins)
{
    Large large = {.count = count, .size = size};
    large.normals = base_alloc(count * size * sizeof(double));
    large.phi = base_alloc(count * count * sizeof(double));
    large.phi0 = base_alloc(count * sizeof(double));
    large.lambda = base_alloc(count * sizeof(double));
    large.rates = base_alloc(count * sizeof(double));
    large.acting = base_alloc(count * sizeof *large.acting);
    // A point that all conditions allow, so that they do not exclude each other.
    double *inside = base_alloc(size * sizeof *inside);
    for (size_t i = 0; i < size; i++)
        inside[i] = 3 * random_real(random);
    for (size_t l = 0; l < count; l++) {
        static const double factors[] = {1, 2, -1};
        bool twin = twins && l % 2 == 1;
        double factor = factors[random_below(random, 3)], sum = 0;
        for (size_t j = 0; j < size; j++) {
            double *w = large.normals + l * size + j;
            *w = twin ? factor * w[-(ptrdiff_t)size] : random_real(random);
            sum += *w * inside[j];
        }
        large.phi0[l] =
            -sum - (twin || random_below(random, 3) == 0 ? 0 : fabs(random_real(random)));
        if (twin && factor < 0)
            large.phi0[l - 1] = -large.phi0[l];
        else if (twin)
            large.phi0[l] = factor * large.phi0[l - 1];
    }
    for (size_t l = 0; l < count; l++)
        for (size_t k = 0; k < count; k++)
            for (size_t j = 0; j < size; j++)
                large.phi[l * count + k] +=
                    large.normals[l * size + j] * large.normals[k * size + j];
    base_free(inside);
    return large;
}

static void large_free(Large *large)
{
    base_free(large->normals);
    base_free(large->phi);
    base_free(large->phi0);
    base_free(large->lambda);
    base_free(large->rates);
    base_free(large->acting);
}

static void assert_optimal(const Large *large, size_t trial)
{
    size_t count = large->count, size = large->size;
    long double far = 0, *y = base_alloc((size + 1) * sizeof *y);
    for (size_t l = 0; l < count; l++)
        for (size_t j = 0; j < size; j++)
            y[j] -= (long double)large->lambda[l] * large->normals[l * size + j];
    for (size_t j = 0; j < size; j++)
        far += y[j] * y[j];
    for (size_t l = 0; l < count; l++) {
        long double rate = large->phi0[l], length = 0;
        for (size_t j = 0; j < size; j++) {
            rate += large->normals[l * size + j] * y[j];
            length += (long double)large->normals[l * size + j] * large->normals[l * size + j];
        }
        long double terms = fabsl((long double)large->phi0[l]) + sqrtl(length * far);
        if (!(fabsl(rate - large->rates[l]) <= 1e-12L * terms))
            fail_msg("trial %zu: f'' is off by %Lg", trial, (rate - large->rates[l]) / terms);
        assert_true(large->lambda[l] >= 0 && large->rates[l] <= 0);
        assert_true(large->lambda[l] == 0 || large->rates[l] == 0);
        assert_int_equal(large->acting[l], large->lambda[l] > 0);
    }
    base_free(y);
}

static void test_many(void **state)
{
    (void)state;
    static const size_t counts[] = {15, 40, 90}, shares[] = {1, 2, 4}; // size = count · share / 2
    size_t trials = LARGE * test_size();
    for (size_t trial = 0; trial < trials; trial++) {
        Random random = random_seed(trial);
        size_t count = counts[trial % 3], size = count * shares[trial / 3 % 3] / 2;
        bool twins = trial / 9 % 2 == 1;
        Large large = large_new(&random, count, size, twins);
        Arena *arena = arena_new();
        LcpDense *lcp = lcp_dense_new(arena, size, count);
        for (size_t way = 0; way < 2; way++) {
            LcpProblem problem = {.count = count,
                                  .phi = way ? large.phi : NULL,
                                  .normals = large.normals,
                                  .size = size,
                                  .phi0 = large.phi0};
            memset(large.acting, 0, count * sizeof *large.acting);
            ContactReport report = solve(lcp, &problem, large.acting, large.lambda, large.rates);
            if (report.outcome != SOLVE_DONE)
                fail_msg("trial %zu: not solved but %d", trial, report.outcome);
            assert_optimal(&large, trial);
            double *cold = base_alloc(count * sizeof *cold);
            memcpy(cold, large.lambda, count * sizeof *cold);
            report = solve(lcp, &problem, large.acting, large.lambda, large.rates);
            assert_int_equal(report.outcome, SOLVE_DONE);
            assert_optimal(&large, trial);
            for (size_t l = 0; l < count; l++)
                assert_true(fabs(cold[l] - large.lambda[l]) <= 1e-9 * (1 + cold[l]));
            base_free(cold);
        }
        arena_free(arena);
        large_free(&large);
    }
}

// A table with hundreds of legs: the push is spread, and said not to be the only one.
static void test_hundreds_on_few(void **state)
{
    (void)state;
    enum { LEGS = 400 };
    // Height and two tilts of a slab of inertia 1, on legs round a circle.
    static double normals[LEGS * 3], phi0[LEGS], lambda[LEGS], rates[LEGS];
    static bool acting[LEGS];
    for (size_t l = 0; l < LEGS; l++) {
        double angle = 2 * 3.14159265358979323846 * (double)l / LEGS;
        normals[3 * l] = -1;
        normals[3 * l + 1] = -cos(angle);
        normals[3 * l + 2] = -sin(angle);
        phi0[l] = 9.81;
    }
    Arena *arena = arena_new();
    LcpDense *lcp = lcp_dense_new(arena, 3, LEGS);
    LcpProblem problem = {.count = LEGS, .normals = normals, .size = 3, .phi0 = phi0};
    ContactReport report = solve(lcp, &problem, acting, lambda, rates);
    assert_int_equal(report.outcome, SOLVE_DONE);
    assert_false(report.unique);
    assert_int_equal(report.acting, LEGS);
    for (size_t l = 0; l < LEGS; l++) {
        assert_true(fabs(lambda[l] - 9.81 / LEGS) < 1e-13);
        assert_true(rates[l] == 0);
    }
    // Loaded far from its middle it stands on some of them, each pushing as the load leans.
    for (size_t l = 0; l < LEGS; l++)
        phi0[l] = 9.81 * (1 - 0.9 * normals[3 * l + 1]);
    memset(acting, false, sizeof acting);
    report = solve(lcp, &problem, acting, lambda, rates);
    assert_int_equal(report.outcome, SOLVE_DONE);
    assert_false(report.unique);
    assert_true(report.acting > 0 && report.acting < LEGS);
    double weight = 0, lean = 0, kappa = lambda[0] - lambda[LEGS / 8];
    kappa /= normals[3 * (LEGS / 8) + 1] - normals[1];
    for (size_t l = 0; l < LEGS; l++) {
        weight += lambda[l];
        lean -= lambda[l] * normals[3 * l + 1];
        double linear = lambda[0] - kappa * (normals[3 * l + 1] - normals[1]);
        assert_true(fabs(lambda[l] - fmax(linear, 0)) < 1e-12);
    }
    assert_true(fabs(weight - 9.81) < 1e-11 && fabs(lean - 0.9 * 9.81) < 1e-11);
    arena_free(arena);
}

static void test_not_finite(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    LcpDense *lcp = lcp_dense_new(arena, 1, 1);
    double phi = NAN, normal = 1, phi0 = 1, lambda, rate;
    bool acting = false;
    LcpProblem problem = {.count = 1, .normals = &normal, .size = 1, .phi = &phi, .phi0 = &phi0};
    assert_int_equal(solve(lcp, &problem, &acting, &lambda, &rate).outcome, SOLVE_NOT_FINITE);
    phi = 1;
    phi0 = INFINITY;
    assert_int_equal(solve(lcp, &problem, &acting, &lambda, &rate).outcome, SOLVE_NOT_FINITE);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mayer_one_condition),
        cmocka_unit_test(test_mayer_two_conditions),
        cmocka_unit_test(test_every_set),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_hundreds_on_few),
        cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
