// Many conditions: islands and sparse ones against the dense solver, closed forms, and the
// conditions of optimality.
#include <math.h>
#include <string.h>

#include "contact/systems.h"
#include "linalg/kkt.h"

// ---- A rope of N masses that hangs from the ceiling: string k carries what is below it.

static System rope(size_t count, double mass, double weight)
{
    System system = {0};
    for (size_t i = 0; i < count; i++)
        particle(&system, mass, 0, -weight);
    for (size_t i = 0; i < count; i++) {
        // f = (depth of i) − (depth of i − 1) − l ≤ 0.
        if (i > 0)
            put(&system.sides, 2 * i - 1, 1);
        put(&system.sides, 2 * i + 1, -1);
        end_row(&system.sides, 0);
    }
    return system;
}

static void test_rope(void **state)
{
    (void)state;
    for (size_t count = 3; count <= 3000; count *= 10) {
        System system = rope(count, 0.5, 2);
        Found found = solve(&system);
        assert_int_equal(found.report.outcome, SOLVE_DONE);
        assert_true(found.report.unique);
        assert_int_equal(found.report.acting, count);
        assert_int_equal(found.report.sparse, count > 24);
        // Every mass hangs; each x is an island of its own.
        assert_int_equal(found.report.islands, count + 1);
        for (size_t i = 0; i < count; i++) {
            double below = 2 * (double)(count - i);
            if (!(fabs(found.lambda[i] - below) <= 1e-12 * (double)count * below))
                fail_msg("string %zu of %zu carries %.17g, not %g", i, count, found.lambda[i],
                         below);
        }
        assert_true(most_of(found.a, system.n) < 1e-9);
        answer_clear(&found);
        system_clear(&system);
    }
}

// ---- Random systems: chains with cross ties, equations, and inertia that couples neighbours.

static void random_inertia(Random *random, System *system, size_t n)
{
    // Blocks of 1 to 3, each the identity with something of a vector's square.
    for (size_t begin = 0; begin < n;) {
        size_t size = 1 + random_below(random, 3);
        size = begin + size > n ? n - begin : size;
        double along[3];
        for (size_t i = 0; i < size; i++)
            along[i] = random_real(random);
        for (size_t i = 0; i < size; i++) {
            for (size_t j = 0; j < size; j++)
                put(&system->inertia, begin + j, (i == j) + along[i] * along[j]);
            end_row(&system->inertia, 0);
            array_push(&system->force, random_real(random));
        }
        begin += size;
    }
    system->n = n;
}

static System random_system(Random *random, size_t n, size_t equations, size_t sides, size_t reach)
{
    System system = {0};
    random_inertia(random, &system, n);
    for (size_t l = 0; l < equations + sides; l++) {
        Rows *rows = l < equations ? &system.equations : &system.sides;
        size_t begin = random_below(random, n), width = 1 + random_below(random, reach);
        for (size_t j = begin; j < begin + width && j < n; j++)
            put(rows, j, random_real(random));
        end_row(rows, random_real(random));
    }
    return system;
}

// The same system with its coordinates in another order, so that islands lie within each other.
static System shuffled(System *system, Random *random)
{
    size_t n = system->n;
    uint32_t *to = base_alloc(n * sizeof *to), *from = base_alloc(n * sizeof *from);
    System other = {.n = n};
    for (uint32_t i = 0; i < n; i++) {
        size_t j = random_below(random, i + 1);
        from[i] = from[j];
        from[j] = i;
    }
    for (uint32_t i = 0; i < n; i++)
        to[from[i]] = i;
    Rows *old[] = {&system->inertia, &system->equations, &system->sides};
    Rows *new[] = {&other.inertia, &other.equations, &other.sides};
    for (size_t kind = 0; kind < 3; kind++) {
        SparseRows rows = view(old[kind]);
        for (size_t i = 0; i < rows.count; i++) {
            size_t row = kind == 0 ? from[i] : i;
            for (uint32_t at = rows.first[row]; at < rows.first[row + 1]; at++)
                put(new[kind], to[rows.column[at]], rows.value[at]);
            end_row(new[kind], old[kind]->drift.at[row]);
        }
    }
    for (size_t i = 0; i < n; i++)
        array_push(&other.force, system->force.at[from[i]]);
    base_free(to);
    base_free(from);
    system_clear(system);
    return other;
}

static void compare(System *system, size_t trial)
{
    Found found = solve(system), whole = solve_whole(system);
    if (found.report.outcome != whole.report.outcome)
        fail_msg("trial %zu: outcome %d, not %d", trial, found.report.outcome,
                 whole.report.outcome);
    if (whole.report.outcome == SOLVE_DONE) {
        assert_optimal(system, &found, 1e-11);
        assert_same(found.a, whole.a, system->n, 1e-9);
        assert_same(found.phi0, whole.phi0, found.sides, 1e-9);
        assert_same(found.rates, whole.rates, found.sides, 1e-9);
        assert_int_equal(found.report.unique, whole.report.unique);
        if (whole.report.unique)
            assert_same(found.lambda, whole.lambda, found.sides, 1e-8);
        assert_true(fabs(found.report.constraint - whole.report.constraint) <=
                    1e-9 * (1 + whole.report.constraint));
        assert_int_equal(found.report.rank, whole.report.rank);
    }
    answer_clear(&found);
    answer_clear(&whole);
}

static void test_random(void **state)
{
    (void)state;
    for (size_t trial = 0; trial < 120 * test_size(); trial++) {
        Random random = random_seed(trial);
        size_t n = 5 + random_below(&random, 90);
        size_t equations = random_below(&random, n / 5 + 1), sides = random_below(&random, n + 1);
        System system = random_system(&random, n, equations, sides, 2 + random_below(&random, 4));
        system = shuffled(&system, &random);
        compare(&system, trial);
        system_clear(&system);
    }
}

// What no dense solver is asked: thousands of conditions, to 1e-12 of their terms.
static void test_random_large(void **state)
{
    (void)state;
    for (size_t trial = 0; trial < 3 * test_size(); trial++) {
        Random random = random_seed(trial + 77);
        System system = random_system(&random, 4000, 200, 3000, 4);
        system = shuffled(&system, &random);
        Found found = solve(&system);
        if (found.report.outcome != SOLVE_CONTRADICTION) {
            assert_int_equal(found.report.outcome, SOLVE_DONE);
            assert_optimal(&system, &found, 1e-12);
        }
        answer_clear(&found);
        system_clear(&system);
    }
}

// ---- Exact: islands of integer data, side by side in one system.

static void test_exact_islands(void **state)
{
    (void)state;
    enum { ISLANDS = 3 };
    for (size_t trial = 0; trial < 150 * test_size(); trial++) {
        Random random = random_seed(trial + 1000);
        System system = {0};
        Exact exact[ISLANDS];
        size_t base[ISLANDS], side_base[ISLANDS], sides[ISLANDS];
        bool solvable = true;
        for (size_t k = 0; k < ISLANDS; k++) {
            Whole w = random_whole_problem(&random, 2, 5);
            exact[k] = exact_solve(&w);
            solvable = solvable && exact[k].outcome == EXACT_FOUND;
            base[k] = system.n;
            side_base[k] = view(&system.sides).count;
            sides[k] = w.sides;
            for (size_t i = 0; i < w.n; i++) {
                for (size_t j = 0; j < w.n; j++)
                    put(&system.inertia, base[k] + j, (double)w.inertia[i][j]);
                end_row(&system.inertia, 0);
                array_push(&system.force, (double)w.force[i]);
            }
            for (size_t l = 0; l < w.equations; l++) {
                for (size_t j = 0; j < w.n; j++)
                    put(&system.equations, base[k] + j, (double)w.rows[l][j]);
                end_row(&system.equations, (double)w.drift[l]);
            }
            for (size_t l = 0; l < w.sides; l++) {
                for (size_t j = 0; j < w.n; j++)
                    put(&system.sides, base[k] + j, (double)w.g[l][j]);
                end_row(&system.sides, (double)w.side_drift[l]);
            }
            system.n += w.n;
        }
        Found found = solve(&system);
        if (solvable)
            assert_int_equal(found.report.outcome, SOLVE_DONE);
        bool wrong = !solvable && found.report.outcome == SOLVE_DONE;
        for (size_t k = 0; k < ISLANDS && wrong; k++)
            wrong = exact[k].outcome != EXACT_NONE; // a singular inertia may still have an answer
        assert_false(wrong && solvable);
        for (size_t k = 0; k < ISLANDS && solvable; k++) {
            for (size_t i = 0; base[k] + i < (k + 1 < ISLANDS ? base[k + 1] : system.n); i++)
                if (!(fabs(found.a[base[k] + i] - real(exact[k].a[i])) <=
                      1e-10 * (1 + fabs(real(exact[k].a[i])))))
                    fail_msg("trial %zu: acceleration %.17g, not %.17g", trial,
                             found.a[base[k] + i], real(exact[k].a[i]));
            for (size_t l = 0; l < sides[k]; l++) {
                double push = real(exact[k].lambda[l]);
                assert_true(fabs(found.lambda[side_base[k] + l] - push) <= 1e-9 * (1 + push));
            }
        }
        answer_clear(&found);
        system_clear(&system);
    }
}

// A contradiction in one island is told in the numbers of the whole, with its witness.
static void test_contradiction(void **state)
{
    (void)state;
    System system = rope(40, 1, 1);
    size_t before = view(&system.sides).count;
    particle(&system, 1, 0, 0);
    put(&system.sides, 80, 1);
    end_row(&system.sides, 1); // x'' ≤ −1
    put(&system.sides, 80, -2);
    end_row(&system.sides, 1); // and x'' ≥ 1/2
    Found found = solve(&system);
    assert_int_equal(found.report.outcome, SOLVE_CONTRADICTION);
    assert_false(found.report.row_is_equation);
    assert_true(found.report.row >= before);
    for (size_t l = 0; l < before; l++)
        assert_true(found.lambda[l] == 0);
    assert_true(fabs(found.lambda[before] - 2 * found.lambda[before + 1]) < 1e-12);
    assert_true(found.lambda[before] > 0);
    answer_clear(&found);
    system_clear(&system);
}

// ---- Shocks: a ball runs into a row of others at rest, each of which touches the next.

static void test_row_of_balls(void **state)
{
    (void)state;
    enum { BALLS = 400 };
    for (int e = 0; e <= 1; e++) {
        System system = {.n = BALLS};
        double v[BALLS] = {1}, after[BALLS], restitution[BALLS], lambda[BALLS];
        for (size_t i = 0; i < BALLS; i++) {
            put(&system.inertia, i, 1);
            end_row(&system.inertia, 0);
            restitution[i] = e;
            if (i + 1 < BALLS) {
                put(&system.sides, i, 1);
                put(&system.sides, i + 1, -1);
                end_row(&system.sides, 0);
            }
        }
        ImpactProblem problem = {
            .system = problem_of(&system), .velocities = v, .restitution = restitution};
        ImpactAnswer answer = {.velocities = after, .lambda = lambda};
        ContactSolver *solver = contact_solver_new(BALLS);
        ImpactReport report = contact_impact(solver, &problem, &answer);
        assert_int_equal(report.contact.islands, 1);
        assert_int_equal(report.contact.sparse, 1);
        contact_solver_free(solver);
        assert_int_equal(report.contact.outcome, SOLVE_DONE);
        // They would go on together with v = 1/N; with e each turns about that.
        for (size_t i = 0; i < BALLS; i++)
            assert_true(fabs(after[i] - ((1.0 + e) / BALLS - e * v[i])) < 1e-13);
        assert_true(fabs(report.energy_lost - (1 - e) * (1 - 1.0 / BALLS) / 2) < 1e-12);
        system_clear(&system);
    }
}

// ---- Ostrogradsky's rule, against the dense KKT equations of the same sets.

// As contact_ostrogradsky, by hand; true where its accelerations are not `actual`.
static bool rule_by_hand(System *system, const double *actual, Found *rule)
{
    ContactProblem problem = problem_of(system);
    size_t n = system->n, m = problem.equations.count, all = m, s = problem.unilateral.count;
    double *inertia = dense_of(problem.inertia, n), *sides = dense_of(problem.unilateral, n);
    double *rows = base_alloc(((m + s) * n + 1) * sizeof *rows);
    double *drift = base_alloc((m + s + 1) * sizeof *drift);
    double *multipliers = base_alloc((m + s + 1) * sizeof *multipliers);
    sparse_rows_expand(&problem.equations, 0, m, n, rows);
    for (size_t i = 0; i < m; i++)
        drift[i] = problem.equation_drift[i];
    Arena *arena = arena_new();
    Kkt *kkt = kkt_new(arena, n, m + s);
    KktProblem equal = {inertia, problem.force, rows, drift, m, NULL};
    assert_int_equal(kkt_solve(kkt, &equal, rule->a, multipliers).outcome, SOLVE_DONE);
    for (size_t l = 0; l < s; l++) {
        double free = real_dot(sides + l * n, rule->a, n) + problem.unilateral_drift[l];
        rule->acting[l] = free > 1e-13;
        if (!rule->acting[l])
            continue;
        memcpy(rows + all * n, sides + l * n, n * sizeof *rows);
        drift[all++] = problem.unilateral_drift[l];
    }
    equal.row_count = all;
    rule->report.outcome = kkt_solve(kkt, &equal, rule->a, multipliers).outcome;
    for (size_t l = 0, at = m; l < s; l++) {
        double rate = real_dot(sides + l * n, rule->a, n) + problem.unilateral_drift[l];
        rule->lambda[l] = rule->acting[l] ? -multipliers[at++] : 0;
        rule->rates[l] = rule->acting[l] ? 0 : rate;
    }
    bool differs = rule->report.outcome != SOLVE_DONE;
    for (size_t i = 0; i < n && !differs; i++)
        differs = fabs(rule->a[i] - actual[i]) > 1e-7 * (1 + most_of(actual, n));
    arena_free(arena);
    base_free(inertia);
    base_free(sides);
    base_free(rows);
    base_free(drift);
    base_free(multipliers);
    return differs;
}

static void test_rule(void **state)
{
    (void)state;
    size_t differing = 0;
    for (size_t trial = 0; trial < 60; trial++) {
        Random random = random_seed(trial + 500);
        size_t n = 3 + random_below(&random, 20);
        System system = random_system(&random, n, random_below(&random, 3), n / 2 + 1, 4);
        system = shuffled(&system, &random);
        Found found = solve(&system), rule = answer_for(&system), whole = answer_for(&system);
        if (found.report.outcome == SOLVE_DONE) {
            ContactSolver *solver = contact_solver_new(n);
            ContactProblem problem = problem_of(&system);
            ContactAnswer answer = places(&rule);
            bool differs;
            ContactReport report =
                contact_ostrogradsky(solver, &problem, found.a, &answer, &differs);
            contact_solver_free(solver);
            assert_int_equal(differs, rule_by_hand(&system, found.a, &whole));
            assert_int_equal(report.outcome, whole.report.outcome);
            assert_memory_equal(rule.acting, whole.acting, found.sides * sizeof(bool));
            if (report.outcome == SOLVE_DONE) {
                assert_same(rule.a, whole.a, n, 1e-9);
                assert_same(rule.lambda, whole.lambda, found.sides, 1e-8);
                assert_same(rule.rates, whole.rates, found.sides, 1e-8);
            }
            differing += differs;
        }
        answer_clear(&found);
        answer_clear(&rule);
        answer_clear(&whole);
        system_clear(&system);
    }
    assert_true(differing > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rope),          cmocka_unit_test(test_random),
        cmocka_unit_test(test_random_large),  cmocka_unit_test(test_exact_islands),
        cmocka_unit_test(test_contradiction), cmocka_unit_test(test_row_of_balls),
        cmocka_unit_test(test_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
