// Equations and unilateral conditions together, by dense factors and through the one entry, against
// every set of conditions tried in exact fractions; and against Ostrogradsky's rule, which is
// another.
#include "contact/contact_impl.h"
#include "linalg/kkt.h"

#include <math.h>
#include <stdio.h>

#include "contact/dense_rows.h"
#include "contact/exact.h"
#include "linalg/kkt.h"

enum { TRIALS = 600 };

// The same problem in reals.
typedef struct {
    size_t n;
    double inertia[EXACT_SIZE * EXACT_SIZE], force[EXACT_SIZE], rows[EXACT_SIZE * EXACT_SIZE],
        drift[EXACT_SIZE], g[EXACT_SIDES * EXACT_SIZE], side_drift[EXACT_SIDES];
    DenseProblem problem;
} Real;

static void make_real(const Whole *w, Real *r)
{
    r->n = w->n;
    for (size_t i = 0; i < w->n; i++) {
        for (size_t j = 0; j < w->n; j++)
            r->inertia[i * w->n + j] = (double)w->inertia[i][j];
        for (size_t k = 0; k < w->equations; k++)
            r->rows[k * w->n + i] = (double)w->rows[k][i];
        for (size_t l = 0; l < w->sides; l++)
            r->g[l * w->n + i] = (double)w->g[l][i];
        r->force[i] = (double)w->force[i];
    }
    for (size_t k = 0; k < w->equations; k++)
        r->drift[k] = (double)w->drift[k];
    for (size_t l = 0; l < w->sides; l++)
        r->side_drift[l] = (double)w->side_drift[l];
    r->problem = (DenseProblem){
        .equal = {r->inertia, r->force, r->rows, r->drift, w->equations, NULL},
        .unilateral = r->g,
        .unilateral_drift = r->side_drift,
        .unilateral_count = w->sides,
    };
}

typedef struct {
    ContactReport report;
    double a[EXACT_SIZE], mu[EXACT_SIZE], lambda[EXACT_SIDES], phi0[EXACT_SIDES],
        rates[EXACT_SIDES];
    bool acting[EXACT_SIDES];
} Solution;

static ContactAnswer places(Solution *s)
{
    return (ContactAnswer){s->a, s->mu, s->lambda, s->phi0, s->rates, s->acting};
}

static void solve(const Real *r, Solution *s)
{
    ContactAnswer answer = places(s);
    s->report = solve_densely(r->n, &r->problem, &answer);
}

// The same numbers as sparse rows.
typedef struct {
    SparseStore inertia, equations, unilateral;
    ContactSolver *solver;
    ContactProblem problem;
} Sparse;

static Sparse sparse_new(size_t n, const DenseProblem *dense)
{
    Sparse sparse = {.solver = contact_solver_new(n)};
    const KktProblem *equal = &dense->equal;
    sparse.problem = (ContactProblem){
        .inertia = sparse_of(&sparse.inertia, equal->inertia, n, n),
        .force = equal->force,
        .equations = sparse_of(&sparse.equations, equal->rows, equal->row_count, n),
        .equation_drift = equal->drift,
        .unilateral = sparse_of(&sparse.unilateral, dense->unilateral, dense->unilateral_count, n),
        .unilateral_drift = dense->unilateral_drift};
    return sparse;
}

static void sparse_free(Sparse *sparse)
{
    contact_solver_free(sparse->solver);
    sparse_store_clear(&sparse->inertia);
    sparse_store_clear(&sparse->equations);
    sparse_store_clear(&sparse->unilateral);
}

static void solve_by_entry(const Real *r, Solution *s)
{
    Sparse sparse = sparse_new(r->n, &r->problem);
    ContactAnswer answer = places(s);
    s->report = contact_accelerations(sparse.solver, &sparse.problem, &answer);
    sparse_free(&sparse);
}

static void assert_near(double found, double expected, const char *what, size_t trial)
{
    if (!(fabs(found - expected) <= 1e-11 * (1 + fabs(expected))))
        fail_msg("trial %zu: %s is %.17g, not %.17g", trial, what, found, expected);
}

// 𝓜a − bᵀμ + gᵀλ = f.
static void assert_balance(const Real *r, const Solution *s, size_t trial)
{
    size_t n = r->n;
    for (size_t i = 0; i < n; i++) {
        double left = 0;
        for (size_t j = 0; j < n; j++)
            left += r->inertia[i * n + j] * s->a[j];
        for (size_t k = 0; k < r->problem.equal.row_count; k++)
            left -= r->rows[k * n + i] * s->mu[k];
        for (size_t l = 0; l < r->problem.unilateral_count; l++)
            left += r->g[l * n + i] * s->lambda[l];
        assert_near(left, r->force[i], "the force", trial);
    }
}

static void assert_same(const Whole *w, const Exact *exact, const Solution *s, size_t trial)
{
    for (size_t i = 0; i < w->n; i++)
        assert_near(s->a[i], real(exact->a[i]), "an acceleration", trial);
    size_t acting = 0;
    for (size_t l = 0; l < w->sides; l++) {
        assert_near(s->phi0[l], real(exact->phi0[l]), "Φ⁰", trial);
        assert_near(s->rates[l], real(exact->rates[l]), "f''", trial);
        assert_near(s->lambda[l], real(exact->lambda[l]), "λ", trial);
        assert_true(s->lambda[l] >= 0 && s->rates[l] <= 0 && s->lambda[l] * s->rates[l] == 0);
        assert_int_equal(s->acting[l], exact->lambda[l].top > 0);
        acting += s->acting[l];
    }
    assert_int_equal(s->report.acting, acting);
    if (s->report.unique != exact->unique)
        fail_msg("trial %zu: unique is %d", trial, s->report.unique);
}

static void test_every_set(void **state)
{
    (void)state;
    size_t found[3] = {0}, several = 0, trials = TRIALS * test_size();
    for (size_t trial = 0; trial < trials; trial++) {
        Random random = random_seed(trial);
        Whole w = random_whole_problem(&random, 3, 6);
        Exact exact = exact_solve(&w);
        Real r = {0};
        Solution s = {0};
        make_real(&w, &r);
        solve(&r, &s);
        found[exact.outcome]++;
        if (exact.outcome == EXACT_FOUND) {
            if (s.report.outcome != SOLVE_DONE)
                fail_msg("trial %zu: not solved but %d", trial, s.report.outcome);
            several += !exact.unique;
            assert_same(&w, &exact, &s, trial);
            assert_balance(&r, &s, trial);
            // Begun from its own answer, and from everything, it is the same.
            solve(&r, &s);
            assert_same(&w, &exact, &s, trial);
            memset(s.acting, true, sizeof s.acting);
            solve(&r, &s);
            assert_same(&w, &exact, &s, trial);
            // So it is island by island.
            solve_by_entry(&r, &s);
            assert_same(&w, &exact, &s, trial);
            assert_balance(&r, &s, trial);
        } else if (s.report.outcome == SOLVE_DONE) {
            fail_msg("trial %zu: solved, but the outcome is %d", trial, exact.outcome);
        }
    }
    assert_true(found[EXACT_FOUND] > trials / 3 && found[EXACT_NONE] > trials / 50);
    assert_true(several > trials / 20);
}

// ---- Ostrogradsky's rule.

// A point of mass 1 in the plane that nothing pulls: Φ⁰ is the drift.
typedef struct {
    double g[4], phi0[2];
    double lambda[2], rates[2]; // true
    double rule[2], rule_rates[2];
    bool differs;
} Refuted;

static void test_ostrogradsky(void **state)
{
    (void)state;
    static const double inertia[4] = {1, 0, 0, 1}, force[2] = {0, 0};
    static const Refuted cases[] = {
        // What the free motion keeps must be kept from the reaction of the other.
        {{1, 1, -1, 0}, {2, -0.5}, {1.5, 1}, {0, 0}, {1, 0}, {0, 0.5}, true},
        // What the free motion breaks is kept by the reaction of the other: his rule pulls.
        {{1, 0, 2, 1}, {1, 3}, {0, 0.6}, {-0.2, 0}, {-1, 1}, {0, 0}, true},
        // Here he is right.
        {{1, 0, 0, 1}, {1, 2}, {1, 2}, {0, 0}, {1, 2}, {0, 0}, false},
        {{1, 0, 0, 1}, {1, -2}, {1, 0}, {0, -2}, {1, 0}, {0, -2}, false},
        {{1, 0, 0, 1}, {-1, 0}, {0, 0}, {-1, 0}, {0, 0}, {-1, 0}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const Refuted *expected = &cases[i];
        DenseProblem problem = {.equal = {.inertia = inertia, .force = force},
                                .unilateral = expected->g,
                                .unilateral_drift = expected->phi0,
                                .unilateral_count = 2};
        Sparse sparse = sparse_new(2, &problem);
        Solution s = {0}, rule = {0};
        ContactAnswer answer = places(&s), his = places(&rule);
        bool differs;
        s.report = contact_accelerations(sparse.solver, &sparse.problem, &answer);
        rule.report = contact_ostrogradsky(sparse.solver, &sparse.problem, s.a, &his, &differs);
        assert_int_equal(s.report.outcome, SOLVE_DONE);
        assert_int_equal(rule.report.outcome, SOLVE_DONE);
        assert_int_equal(differs, expected->differs);
        for (size_t l = 0; l < 2; l++) {
            assert_near(s.lambda[l], expected->lambda[l], "λ", i);
            assert_near(s.rates[l], expected->rates[l], "f''", i);
            assert_near(rule.lambda[l], expected->rule[l], "his λ", i);
            assert_near(rule.rates[l], expected->rule_rates[l], "his f''", i);
            assert_int_equal(rule.acting[l], expected->phi0[l] > 0);
        }
        // The measure of what Gauss's constraint is, said twice.
        double measure;
        Arena *arena = arena_new();
        Kkt *kkt = kkt_new(arena, 2, 0);
        assert_true(kkt_gauss_measure(kkt, &problem.equal, s.a, &measure));
        assert_near(s.report.constraint, measure, "the constraint", i);
        arena_free(arena);
        sparse_free(&sparse);
    }
}

// Equal conditions that the free motion breaks are one equation for him; opposite ones that it
// breaks both contradict each other, and have no answer in truth either.
static void test_ostrogradsky_degenerate(void **state)
{
    (void)state;
    static const double inertia = 2, force = 0, same[] = {1, 1}, opposite[] = {1, -1};
    static const double drift[] = {1, 1};
    DenseProblem problem = {.equal = {.inertia = &inertia, .force = &force},
                            .unilateral = same,
                            .unilateral_drift = drift,
                            .unilateral_count = 2};
    Sparse sparse = sparse_new(1, &problem);
    bool acting[2] = {false}, differs;
    double lambda[2], rates[2], a[1];
    ContactAnswer answer = {.accelerations = a, .lambda = lambda, .rates = rates, .acting = acting};
    ContactReport report = contact_accelerations(sparse.solver, &sparse.problem, &answer);
    assert_int_equal(report.outcome, SOLVE_DONE);
    assert_false(report.unique);
    double actual = a[0];
    report = contact_ostrogradsky(sparse.solver, &sparse.problem, &actual, &answer, &differs);
    assert_int_equal(report.outcome, SOLVE_DONE);
    assert_false(differs);
    assert_false(report.unique);
    assert_near(lambda[0], 1, "λ", 0);
    assert_near(lambda[1], 1, "λ", 0);
    sparse_free(&sparse);

    problem.unilateral = opposite;
    sparse = sparse_new(1, &problem);
    memset(acting, false, sizeof acting);
    report = contact_accelerations(sparse.solver, &sparse.problem, &answer);
    assert_int_equal(report.outcome, SOLVE_CONTRADICTION);
    assert_false(report.row_is_equation);
    assert_near(lambda[0], 1, "the witness", 0);
    assert_near(lambda[1], 1, "the witness", 0);
    report = contact_ostrogradsky(sparse.solver, &sparse.problem, &actual, &answer, &differs);
    assert_int_equal(report.outcome, SOLVE_CONTRADICTION);
    assert_true(differs);
    sparse_free(&sparse);
}

// ---- What cannot be answered.

static ContactReport report_of(const double *inertia, const double *row, double drift,
                               const double *side, double side_drift)
{
    static const double force[2] = {1, 1};
    DenseProblem problem = {.equal = {inertia, force, row, &drift, row ? 1 : 0, NULL},
                            .unilateral = side,
                            .unilateral_drift = &side_drift,
                            .unilateral_count = side ? 1 : 0};
    Solution solution = {0};
    ContactAnswer answer = places(&solution);
    return solve_densely(2, &problem, &answer);
}

static void test_no_answer(void **state)
{
    (void)state;
    static const double one[4] = {1, 0, 0, 1}, saddle[4] = {1, 0, 0, -1}, thin[4] = {1, 0, 0, 0};
    static const double x[2] = {1, 0}, y[2] = {0, 1}, none[2] = {0, 0};
    assert_int_equal(report_of(one, NULL, 0, x, 0).outcome, SOLVE_DONE);
    assert_int_equal(report_of(one, NULL, 0, x, NAN).outcome, SOLVE_NOT_FINITE);
    // Nothing is least, unless an equation holds what makes it so.
    assert_int_equal(report_of(saddle, NULL, 0, x, 0).outcome, SOLVE_NO_MINIMUM);
    assert_int_equal(report_of(saddle, NULL, 0, NULL, 0).outcome, SOLVE_DONE);
    assert_int_equal(report_of(saddle, y, 0, x, 0).outcome, SOLVE_DONE);
    assert_int_equal(report_of(thin, NULL, 0, x, 0).outcome, SOLVE_SINGULAR);
    assert_int_equal(report_of(thin, y, 0, x, 0).outcome, SOLVE_DONE);
    // A gradient that vanishes: no harm while f'' ≤ 0, and no remedy otherwise.
    assert_int_equal(report_of(one, NULL, 0, none, -1).outcome, SOLVE_DONE);
    assert_int_equal(report_of(one, NULL, 0, none, 1).outcome, SOLVE_CONTRADICTION);
    // A condition that an equation excludes, and an equation that is none.
    ContactReport report = report_of(one, x, 0, x, 1);
    assert_int_equal(report.outcome, SOLVE_CONTRADICTION);
    assert_false(report.row_is_equation);
    report = report_of(one, none, 1, x, 0);
    assert_int_equal(report.outcome, SOLVE_CONTRADICTION);
    assert_true(report.row_is_equation);
    contact_dense_free(NULL);
    contact_solver_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_set),
        cmocka_unit_test(test_ostrogradsky),
        cmocka_unit_test(test_ostrogradsky_degenerate),
        cmocka_unit_test(test_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
