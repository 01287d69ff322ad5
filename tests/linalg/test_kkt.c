// The least-constraint solver against brute force (dense elimination in long double), and against
// what Gauss's principle itself says, over seeded random systems.
#include "base/strings.h"
#include "linalg/kkt.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 12, MOST_ROWS = 16, TRIALS = 400 };

typedef struct {
    size_t n, m;
    double inertia[MOST * MOST], force[MOST], rows[MOST_ROWS * MOST], drift[MOST_ROWS];
} System;

typedef struct {
    KktReport report;
    double a[MOST], lambda[MOST_ROWS], witness[MOST_ROWS];
} Solution;

static double random_real(Random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-52 - 1;
}

static size_t random_size(Random *random, size_t least, size_t most)
{
    return least + (size_t)random_below(random, most - least + 1);
}

static KktProblem problem_of(const System *system)
{
    return (KktProblem){.inertia = system->inertia,
                        .force = system->force,
                        .rows = system->rows,
                        .drift = system->drift,
                        .row_count = system->m};
}

static Solution solve(const System *system)
{
    Solution solution = {0};
    KktProblem problem = problem_of(system);
    Arena *arena = arena_new();
    Kkt *gauss = kkt_new(arena, system->n, system->m + 1); // room to spare must not matter
    solution.report = kkt_solve(gauss, &problem, solution.a, solution.lambda);
    size_t count = system->n > system->m ? system->n : system->m;
    if (solution.report.outcome == SOLVE_SINGULAR || solution.report.outcome == SOLVE_CONTRADICTION)
        memcpy(solution.witness, kkt_witness(gauss), count * sizeof(double));
    arena_free(arena);
    return solution;
}

// Inertia of `parts` random particles: regular where there are at least n, and otherwise not.
static void random_inertia(Random *random, System *system, size_t parts)
{
    memset(system->inertia, 0, sizeof system->inertia);
    for (size_t k = 0; k < parts; k++) {
        double along[MOST];
        for (size_t i = 0; i < system->n; i++)
            along[i] = random_real(random);
        for (size_t i = 0; i < system->n; i++)
            for (size_t j = 0; j < system->n; j++)
                system->inertia[i * system->n + j] += along[i] * along[j];
    }
}

static System random_system(Random *random, size_t n, size_t m)
{
    System system = {.n = n, .m = m};
    random_inertia(random, &system, n + 3);
    for (size_t i = 0; i < n; i++)
        system.force[i] = 10 * random_real(random);
    for (size_t i = 0; i < n * m; i++)
        system.rows[i] = random_real(random);
    for (size_t i = 0; i < m; i++)
        system.drift[i] = 5 * random_real(random);
    return system;
}

// The other road: elimination with complete pivoting on [𝓜 −gᵀ; g 0](a; λ) = (f; −γ).
static bool eliminate(const System *system, long double *x)
{
    enum { WIDTH = MOST + MOST_ROWS + 1 };
    static long double table[WIDTH - 1][WIDTH];
    size_t n = system->n, m = system->m, size = n + m, order[WIDTH];
    memset(table, 0, sizeof table);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            table[i][j] = system->inertia[i * n + j];
        for (size_t k = 0; k < m; k++) {
            table[i][n + k] = -(long double)system->rows[k * n + i];
            table[n + k][i] = system->rows[k * n + i];
        }
        table[i][size] = system->force[i];
    }
    for (size_t k = 0; k < m; k++)
        table[n + k][size] = -(long double)system->drift[k];
    for (size_t k = 0; k < size; k++)
        order[k] = k;

    for (size_t k = 0; k < size; k++) {
        size_t row = k, column = k;
        for (size_t i = k; i < size; i++)
            for (size_t j = k; j < size; j++)
                if (fabsl(table[i][j]) > fabsl(table[row][column])) {
                    row = i;
                    column = j;
                }
        if (fabsl(table[row][column]) < 1e-14L)
            return false;
        for (size_t j = 0; j <= size; j++) {
            long double swap = table[k][j];
            table[k][j] = table[row][j];
            table[row][j] = swap;
        }
        for (size_t i = 0; i < size; i++) {
            long double swap = table[i][k];
            table[i][k] = table[i][column];
            table[i][column] = swap;
        }
        size_t swap = order[k];
        order[k] = order[column];
        order[column] = swap;
        for (size_t i = 0; i < size; i++) {
            if (i == k)
                continue;
            long double factor = table[i][k] / table[k][k];
            for (size_t j = k; j <= size; j++)
                table[i][j] -= factor * table[k][j];
        }
    }
    for (size_t k = 0; k < size; k++)
        x[order[k]] = table[k][size] / table[k][k];
    return true;
}

static double largest_of(const double *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

static void assert_near(double value, double wanted, double tolerance, uint64_t seed,
                        const char *what)
{
    if (fabs(value - wanted) <= tolerance)
        return;
    fail_msg("seed %llu: %s is %.17g, not %.17g (allowed %.3g)", (unsigned long long)seed, what,
             value, wanted, tolerance);
}

// How far a solution is from satisfying the two equations.
static void assert_solves(const System *system, const Solution *solution, double tolerance,
                          uint64_t seed)
{
    size_t n = system->n;
    for (size_t i = 0; i < n; i++) {
        double miss = -system->force[i], scale = fabs(system->force[i]);
        for (size_t j = 0; j < n; j++) {
            miss += system->inertia[i * n + j] * solution->a[j];
            scale += fabs(system->inertia[i * n + j] * solution->a[j]);
        }
        for (size_t k = 0; k < system->m; k++) {
            miss -= system->rows[k * n + i] * solution->lambda[k];
            scale += fabs(system->rows[k * n + i] * solution->lambda[k]);
        }
        assert_near(miss, 0, tolerance * (scale + 1), seed, "𝓜a − gᵀλ − f");
    }
    for (size_t k = 0; k < system->m; k++) {
        double miss = system->drift[k], scale = fabs(system->drift[k]);
        for (size_t i = 0; i < n; i++) {
            miss += system->rows[k * n + i] * solution->a[i];
            scale += fabs(system->rows[k * n + i] * solution->a[i]);
        }
        assert_near(miss, 0, tolerance * (scale + 1), seed, "g·a + γ");
    }
}

// A solved system against elimination; random ones can be ill-conditioned by chance, so the
// accelerations are compared only where elimination in double's own digits would succeed too.
static void assert_eliminates(const System *system, const Solution *solution, uint64_t seed)
{
    long double x[MOST + MOST_ROWS];
    assert_true(eliminate(system, x));
    double most = 1;
    for (size_t i = 0; i < system->n + system->m; i++)
        most = fmax(most, (double)fabsl(x[i]));
    if (most > 1e4)
        return;
    for (size_t i = 0; i < system->n; i++)
        assert_near(solution->a[i], (double)x[i], 1e-9 * most, seed, "acceleration");
    for (size_t k = 0; k < system->m; k++)
        assert_near(solution->lambda[k], (double)x[system->n + k], 1e-9 * most, seed, "multiplier");
}

static void test_agrees_with_elimination(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        Random random = random_seed(seed);
        size_t n = random_size(&random, 1, MOST), m = random_size(&random, 0, n);
        System system = random_system(&random, n, m);
        Solution solution = solve(&system);
        assert_int_equal(solution.report.outcome, SOLVE_DONE);
        assert_int_equal(solution.report.rank, m);
        assert_true(solution.report.positive);
        assert_solves(&system, &solution, 1e-9, seed);
        assert_eliminates(&system, &solution, seed);
    }
}

static void test_no_rows_is_free_motion(void **state)
{
    (void)state;
    System system = {.n = 2, .inertia = {2, 1, 1, 3}, .force = {1, -7}};
    Solution solution = solve(&system);
    assert_int_equal(solution.report.outcome, SOLVE_DONE);
    assert_near(solution.a[0], 2, 1e-14, 0, "a");
    assert_near(solution.a[1], -3, 1e-14, 0, "a");
    System nothing = {.n = 0};
    assert_int_equal(solve(&nothing).report.outcome, SOLVE_DONE);
}

// Coordinates without inertia whose rates the rows fix (a controller's integral) are fine.
static void test_singular_inertia_regular_system(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        Random random = random_seed(seed);
        size_t n = random_size(&random, 2, MOST), bare = random_size(&random, 1, n - 1);
        size_t m = random_size(&random, bare, n);
        System system = random_system(&random, n, m);
        if (seed % 2) // no inertia at all in some coordinates
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                    if (i < bare || j < bare)
                        system.inertia[i * n + j] = 0;
        if (seed % 2 == 0) // too few particles for so many coordinates
            random_inertia(&random, &system, n - bare);
        Solution solution = solve(&system);
        assert_int_equal(solution.report.outcome, SOLVE_DONE);
        assert_true(solution.report.positive);
        assert_solves(&system, &solution, 1e-8, seed);
        assert_eliminates(&system, &solution, seed);
    }
}

// Appends `extra` rows that are combinations of the first m, each with its own size; the weights
// of a combination that vanishes are left in `none`.
static void append_combinations(Random *random, System *system, size_t extra,
                                double none[][MOST_ROWS])
{
    size_t n = system->n, m = system->m;
    for (size_t k = 0; k < extra; k++) {
        double *row = system->rows + (m + k) * n, size = ldexp(1, (int)random_below(random, 9) - 4);
        memset(row, 0, n * sizeof *row);
        memset(none[k], 0, sizeof none[k]);
        system->drift[m + k] = 0;
        for (size_t j = 0; j < m; j++) {
            double weight = size * random_real(random);
            none[k][j] = weight;
            system->drift[m + k] += weight * system->drift[j];
            for (size_t i = 0; i < n; i++)
                row[i] += weight * system->rows[j * n + i];
        }
        none[k][m + k] = -1;
    }
    system->m += extra;
}

static void test_redundant_rows(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        Random random = random_seed(seed);
        size_t n = random_size(&random, 1, MOST), m = random_size(&random, 0, n);
        System system = random_system(&random, n, m);
        Solution plain = solve(&system);
        double none[4][MOST_ROWS];
        size_t extra = random_size(&random, 1, 4);
        append_combinations(&random, &system, extra, none);
        Solution solution = solve(&system);
        assert_int_equal(solution.report.outcome, SOLVE_DONE);
        assert_int_equal(solution.report.rank, m);
        assert_solves(&system, &solution, 1e-9, seed);
        double most = largest_of(plain.a, n) + 1, push = largest_of(plain.lambda, m) + 1;
        if (push > 1e4)
            continue;
        for (size_t i = 0; i < n; i++)
            assert_near(solution.a[i], plain.a[i], 1e-8 * most, seed, "acceleration");
        // Least norm: nothing of the combinations that vanish is in the multipliers.
        for (size_t k = 0; k < extra; k++) {
            double inside = 0, size = 0;
            for (size_t j = 0; j < system.m; j++) {
                inside += none[k][j] * solution.lambda[j];
                size += fabs(none[k][j]);
            }
            assert_near(inside, 0, 1e-8 * push * size, seed, "part of no reaction");
        }
    }
}

static void test_contradictory_rows(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        Random random = random_seed(seed);
        size_t n = random_size(&random, 1, MOST), m = random_size(&random, 1, n);
        System system = random_system(&random, n, m);
        double none[1][MOST_ROWS];
        append_combinations(&random, &system, 1, none);
        system.drift[m] += 0.5;
        Solution solution = solve(&system);
        assert_int_equal(solution.report.outcome, SOLVE_CONTRADICTION);
        assert_int_equal(solution.report.rank, m);
        assert_int_equal(solution.report.row, m); // the last one, which contradicts the others
        double asked = 0;
        for (size_t j = 0; j <= m; j++)
            asked += solution.witness[j] * system.drift[j];
        assert_true(fabs(asked) > 1e-6);
        for (size_t i = 0; i < n; i++) {
            double sum = 0, scale = 0;
            for (size_t j = 0; j <= m; j++) {
                sum += solution.witness[j] * system.rows[j * n + i];
                scale += fabs(solution.witness[j] * system.rows[j * n + i]);
            }
            assert_near(sum, 0, 1e-7 * scale, seed, "combination of rows");
        }
    }
}

// The rows that disagree are named, not rows that have nothing to do with it.
static void test_contradiction_names_its_rows(void **state)
{
    (void)state;
    System system = {.n = 3,
                     .m = 4,
                     .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                     .rows = {1, 0, 0, 0, 5, 0, 2, 0, 0, 0, 0, 9},
                     .drift = {1, 0, 1, 0}};
    Solution solution = solve(&system);
    assert_int_equal(solution.report.outcome, SOLVE_CONTRADICTION);
    assert_int_equal(solution.report.row, 2);
    assert_true(solution.witness[0] != 0 && solution.witness[2] != 0);
    assert_true(solution.witness[1] == 0 && solution.witness[3] == 0);

    // A row that vanishes asks for nothing, or for the impossible.
    System vanishing = {.n = 1, .m = 2, .inertia = {1}, .rows = {0, 1}, .drift = {0, 3}};
    solution = solve(&vanishing);
    assert_int_equal(solution.report.outcome, SOLVE_DONE);
    assert_int_equal(solution.report.rank, 1);
    assert_true(solution.a[0] == -3 && solution.lambda[0] == 0 && solution.lambda[1] == -3);
    vanishing.drift[0] = 1;
    solution = solve(&vanishing);
    assert_int_equal(solution.report.outcome, SOLVE_CONTRADICTION);
    assert_int_equal(solution.report.row, 0);
}

static void test_no_inertia_on_a_free_velocity(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        Random random = random_seed(seed);
        size_t n = random_size(&random, 1, MOST), m = random_size(&random, 0, n - 1);
        System system = random_system(&random, n, m);
        random_inertia(&random, &system, random_size(&random, 0, n - 1 - m));
        Solution solution = solve(&system);
        assert_int_equal(solution.report.outcome, SOLVE_SINGULAR);
        assert_near(largest_of(solution.witness, n), 1, 1e-15, seed, "largest part");
        for (size_t i = 0; i < n; i++) {
            double momentum = 0;
            for (size_t j = 0; j < n; j++)
                momentum += system.inertia[i * n + j] * solution.witness[j];
            assert_near(momentum, 0, 1e-7, seed, "momentum of the free velocity");
        }
        for (size_t k = 0; k < m; k++) {
            double rate = 0;
            for (size_t i = 0; i < n; i++)
                rate += system.rows[k * n + i] * solution.witness[i];
            assert_near(rate, 0, 1e-9, seed, "what the rows say of the free velocity");
        }
    }
    // One coordinate that nothing moves: it can be named.
    System idle = {.n = 3, .m = 1, .inertia = {2, 0, 0, 0, 0, 0, 0, 0, 5}, .rows = {1, 0, -1}};
    Solution solution = solve(&idle);
    assert_int_equal(solution.report.outcome, SOLVE_SINGULAR);
    assert_true(solution.witness[1] == 1);
    assert_near(solution.witness[0], 0, 1e-15, 0, "x");
    assert_near(solution.witness[2], 0, 1e-15, 0, "z");
}

// One velocity is left free, and all its inertia is what rounding left of none.
static void test_no_inertia_but_rounding(void **state)
{
    (void)state;
    System system = {.n = 4,
                     .m = 3,
                     .inertia = {0, 0, 0, 0, 0, 1, -1, 0, 0, -1, 2, 0, 0, 0, 0, 1},
                     .force = {4, -3, -1, 2},
                     .rows = {0, 0, 2, 0, 0, -1, -1, 2, 0, 2, -1, 0},
                     .drift = {1, -1, -1}};
    Solution solution = solve(&system);
    assert_int_equal(solution.report.outcome, SOLVE_SINGULAR);
    assert_true(solution.witness[0] == 1);
}

// Gauss's principle itself: every other acceleration that the rows allow departs more.
static void test_departs_least_from_free_motion(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        Random random = random_seed(seed);
        size_t n = random_size(&random, 2, MOST), m = random_size(&random, 1, n - 1);
        System system = random_system(&random, n, m);
        Solution solution = solve(&system);
        KktProblem problem = problem_of(&system);
        Arena *arena = arena_new();
        Kkt *gauss = kkt_new(arena, n, m);
        double measure = 0, other = 0;
        assert_true(kkt_gauss_measure(gauss, &problem, solution.a, &measure));

        // The measure is half of what reactions do, a° being the motion without rows.
        System without = system;
        without.m = 0;
        Solution plain = solve(&without);
        double work = 0, size = 1;
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < m; k++) {
                double part =
                    system.rows[k * n + i] * solution.lambda[k] * (solution.a[i] - plain.a[i]) / 2;
                work += part;
                size += fabs(part);
            }
        }
        assert_near(measure, work, 1e-8 * size, seed, "measure");

        // Neighbours that the rows allow: the motion under other forces.
        for (size_t trial = 0; trial < 4; trial++) {
            System pushed = system;
            for (size_t i = 0; i < n; i++)
                pushed.force[i] += random_real(&random);
            Solution neighbour = solve(&pushed);
            assert_true(kkt_gauss_measure(gauss, &problem, neighbour.a, &other));
            assert_true(other >= measure * (1 - 1e-12));
        }
        arena_free(arena);
    }
    System singular = {.n = 2, .inertia = {1, 1, 1, 1}};
    KktProblem problem = problem_of(&singular);
    Arena *arena = arena_new();
    Kkt *gauss = kkt_new(arena, 2, 0);
    double measure = 0;
    assert_false(kkt_gauss_measure(gauss, &problem, singular.force, &measure));
    arena_free(arena);
}

// Millimetres or kilometres, grams or tons: other units give the same motion and verdicts.
static void test_units_do_not_matter(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        Random random = random_seed(seed);
        size_t n = random_size(&random, 1, 8), m = random_size(&random, 0, n);
        System system = random_system(&random, n, m), other = system;
        double unit[MOST], row_unit[MOST_ROWS];
        for (size_t i = 0; i < n; i++)
            unit[i] = pow(10, (double)random_below(&random, 9) - 4);
        for (size_t k = 0; k < m; k++)
            row_unit[k] = pow(10, (double)random_below(&random, 9) - 4);
        for (size_t i = 0; i < n; i++) {
            other.force[i] *= unit[i];
            for (size_t j = 0; j < n; j++)
                other.inertia[i * n + j] *= unit[i] * unit[j];
            for (size_t k = 0; k < m; k++)
                other.rows[k * n + i] *= unit[i] * row_unit[k];
        }
        for (size_t k = 0; k < m; k++)
            other.drift[k] *= row_unit[k];
        Solution a = solve(&system), b = solve(&other);
        assert_int_equal(b.report.outcome, SOLVE_DONE);
        assert_int_equal(b.report.rank, m);
        double most = largest_of(a.a, n) + 1, push = largest_of(a.lambda, m) + 1;
        if (push > 1e4)
            continue;
        for (size_t i = 0; i < n; i++)
            assert_near(b.a[i] * unit[i], a.a[i], 1e-8 * most, seed, "acceleration");
        for (size_t k = 0; k < m; k++)
            assert_near(b.lambda[k] * row_unit[k], a.lambda[k], 1e-8 * push, seed, "multiplier");
    }
}

// Inertia that is regular but not positive still has one motion; it is no minimum, and said so.
static void test_indefinite_inertia(void **state)
{
    (void)state;
    System system = {.n = 2, .inertia = {1, 2, 2, 1}, .force = {3, 3}};
    Solution solution = solve(&system);
    assert_int_equal(solution.report.outcome, SOLVE_DONE);
    assert_false(solution.report.positive);
    assert_near(solution.a[0], 1, 1e-14, 0, "a");
    assert_near(solution.a[1], 1, 1e-14, 0, "a");
}

static void test_not_finite(void **state)
{
    (void)state;
    System system = {.n = 1, .m = 1, .inertia = {1}, .rows = {1}};
    double *inputs[] = {system.inertia, system.force, system.rows, system.drift};
    for (size_t i = 0; i < 4; i++) {
        double kept = *inputs[i];
        *inputs[i] = i % 2 ? (double)NAN : (double)INFINITY;
        assert_int_equal(solve(&system).report.outcome, SOLVE_NOT_FINITE);
        *inputs[i] = kept;
    }
    assert_int_equal(solve(&system).report.outcome, SOLVE_DONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_elimination),
        cmocka_unit_test(test_no_rows_is_free_motion),
        cmocka_unit_test(test_singular_inertia_regular_system),
        cmocka_unit_test(test_redundant_rows),
        cmocka_unit_test(test_contradictory_rows),
        cmocka_unit_test(test_contradiction_names_its_rows),
        cmocka_unit_test(test_no_inertia_on_a_free_velocity),
        cmocka_unit_test(test_no_inertia_but_rounding),
        cmocka_unit_test(test_departs_least_from_free_motion),
        cmocka_unit_test(test_units_do_not_matter),
        cmocka_unit_test(test_indefinite_inertia),
        cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
