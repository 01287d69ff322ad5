// Mayer's procedure against the solver that motions use, and against his own § 3 by hand.
#include "contact/mayer.h"

#include <math.h>

#include "contact/systems.h"

static System random_system(Random *random, size_t n, size_t equations, size_t sides)
{
    System system = {0};
    double along[16];
    for (size_t i = 0; i < n; i++)
        along[i] = random_real(random);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            put(&system.inertia, j, (i == j) + along[i] * along[j]);
        end_row(&system.inertia, 0);
        array_push(&system.force, random_real(random));
    }
    system.n = n;
    for (size_t l = 0; l < equations + sides; l++) {
        Rows *rows = l < equations ? &system.equations : &system.sides;
        for (size_t j = 0; j < n; j++)
            put(rows, j, random_real(random));
        end_row(rows, random_real(random));
    }
    return system;
}

// (19) and (20) by the numbers told: a set is true where both hold, and only there.
static void assert_judged(const MayerProcedure *told, const MayerTrial *trial)
{
    bool right = true;
    size_t r = told->r;
    for (size_t l = 0; l < r; l++) {
        double rate = told->phi0[l];
        for (size_t h = 0; h < r; h++)
            rate -= told->phi[l * r + h] * trial->lambda[h];
        right = right && (trial->acts[l] ? trial->lambda[l] > -1e-9 : rate < 1e-9);
        if (trial->acts[l])
            assert_true(fabs(rate) < 1e-7);
        else
            assert_true(fabs(rate - trial->rates[l]) < 1e-9);
    }
    assert_int_equal(trial->verdict == MAYER_TRUE, right);
    if (trial->verdict == MAYER_BREAKS)
        assert_true(!trial->acts[trial->by] && trial->rates[trial->by] > 0);
    if (trial->verdict == MAYER_PULLS)
        assert_true(trial->acts[trial->by] && trial->lambda[trial->by] < 0);
}

static void compare(System *system)
{
    Found found = solve(system);
    Arena *arena = arena_new();
    ContactProblem problem = problem_of(system);
    const MayerProcedure *told = contact_mayer(arena, &problem);
    assert_int_equal(told->found, found.report.outcome == SOLVE_DONE);
    assert_same(told->phi0, found.phi0, found.report.outcome == SOLVE_DONE ? found.sides : 0, 1e-9);
    for (size_t i = 0; i < told->count; i++)
        if (told->trials[i].verdict != MAYER_DEPENDENT && fabs(told->trials[i].delta) > 1e-4)
            assert_judged(told, &told->trials[i]);
    if (told->found) {
        assert_same(told->accelerations, found.a, found.n, 1e-8);
        if (found.report.unique)
            assert_same(told->trials[told->count - 1].lambda, found.lambda, found.sides, 1e-7);
    }
    arena_free(arena);
    answer_clear(&found);
}

static void test_random(void **state)
{
    (void)state;
    for (size_t trial = 0; trial < 300 * test_size(); trial++) {
        Random random = random_seed(trial);
        size_t n = 2 + random_below(&random, 9), equations = random_below(&random, n / 2);
        size_t sides = 1 + random_below(&random, n - equations);
        System system = random_system(&random, n, equations, sides);
        compare(&system);
        system_clear(&system);
    }
}

// More than all sets of which are tried.
static void test_many(void **state)
{
    (void)state;
    for (size_t trial = 0; trial < 20 * test_size(); trial++) {
        Random random = random_seed(trial + 1000);
        System system = random_system(&random, 16, 1, 14);
        compare(&system);
        system_clear(&system);
    }
}

// Two walls at a particle of mass 1: y >= 0 and a·x + b·y <= 0, unit normals, forces (F, −g).
static System wedge(double a, double b, double F, double g)
{
    System system = {0};
    particle(&system, 1, F, -g);
    put(&system.sides, 1, -1);
    end_row(&system.sides, 0);
    put(&system.sides, 0, a);
    put(&system.sides, 1, b);
    end_row(&system.sides, 0);
    return system;
}

static const MayerProcedure *steps_of(Arena *arena, System *system)
{
    ContactProblem problem = problem_of(system);
    return contact_mayer(arena, &problem);
}

// § 3, r = 2: Φ_11 = Φ_22 = 1, Φ_12 = −b, Φ⁰_1 = g, Φ⁰_2 = aF − bg.
static void test_two(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    // Φ⁰_2 ≤ 0, Φ¹_2 = aF > 0: both act, though the second does not hinder the free motion.
    System sharp = wedge(-0.6, 0.8, -10, 10);
    const MayerProcedure *told = steps_of(arena, &sharp);
    assert_true(fabs(told->phi[1] + 0.8) < 1e-14 && fabs(told->phi0[1] + 2) < 1e-13);
    assert_int_equal(told->count, 4);
    assert_int_equal(told->trials[0].by, 0);
    assert_int_equal(told->trials[1].verdict, MAYER_BREAKS);
    assert_int_equal(told->trials[1].by, 1);
    assert_true(fabs(told->trials[1].rates[1] - 6) < 1e-13);
    assert_true(fabs(told->trials[3].delta - 0.36) < 1e-14);
    assert_true(fabs(told->trials[3].lambda[0] - 70.0 / 3) < 1e-12);
    assert_true(fabs(told->trials[3].lambda[1] - 50.0 / 3) < 1e-12);
    system_clear(&sharp);
    // Φ⁰_2 > 0, Φ¹_2 ≤ 0: the first alone, though the second hinders the free motion.
    System blunt = wedge(0.6, -0.8, -3, 10);
    told = steps_of(arena, &blunt);
    assert_int_equal(told->count, 2);
    assert_true(told->trials[1].acts[0] && !told->trials[1].acts[1]);
    system_clear(&blunt);
    // The second alone: Φ²_1 ≤ 0 needs g ≤ −b(aF − bg), here g = 1 and F large.
    System steep = wedge(0.6, -0.8, 10, 1);
    told = steps_of(arena, &steep);
    assert_int_equal(told->trials[told->count - 1].k, 1);
    assert_true(told->trials[told->count - 1].acts[1]);
    system_clear(&steep);
    // A wall twice: dependent, and one of them is enough.
    System twice = wedge(0, -1, 0, 10);
    told = steps_of(arena, &twice);
    assert_true(told->found && told->trials[told->count - 1].k == 1);
    system_clear(&twice);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_many),
                                       cmocka_unit_test(test_two)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
