// Heaps: many contacts that depend on each other, or nearly so, against the dense solver, exact
// fractions and the conditions of optimality.
#include <math.h>
#include <string.h>

#include "contact/systems.h"

// ---- A wall of balls, each on two below: more contacts than coordinates, and many ways to push.

static System heap(size_t wide, size_t high)
{
    System system = {0};
    double c = 0.5, s = sqrt(0.75);
    for (size_t i = 0; i < wide * high; i++)
        particle(&system, 1, 0, -1);
    for (size_t row = 0; row < high; row++)
        for (size_t k = 0; k < wide; k++) {
            size_t ball = row * wide + k, shift = row % 2;
            if (row == 0) {
                put(&system.sides, 2 * ball + 1, -1);
                end_row(&system.sides, 0);
            }
            if (k == 0 || k + 1 == wide) {
                put(&system.sides, 2 * ball, k == 0 ? -1 : 1);
                end_row(&system.sides, 0);
            }
            if (k + 1 < wide) {
                put(&system.sides, 2 * ball, 1);
                put(&system.sides, 2 * (ball + 1), -1);
                end_row(&system.sides, 0);
            }
            for (size_t side = 0; side < 2 && row > 0; side++) {
                size_t under = k + shift + side;
                if (under < 1 || under > wide)
                    continue;
                size_t other = (row - 1) * wide + under - 1;
                double along = side ? c : -c;
                put(&system.sides, 2 * ball, along);
                put(&system.sides, 2 * ball + 1, -s);
                put(&system.sides, 2 * other, -along);
                put(&system.sides, 2 * other + 1, s);
                end_row(&system.sides, 0);
            }
        }
    return system;
}

static void test_heap(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{2, 2}, {6, 5}, {12, 10}, {20, 15}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        System system = heap(sizes[i][0], sizes[i][1]);
        Found found = solve(&system);
        assert_int_equal(found.report.outcome, SOLVE_DONE);
        assert_false(found.report.unique);
        assert_optimal(&system, &found, 1e-12);
        if (system.n <= 240) {
            Found whole = solve_whole(&system);
            assert_int_equal(whole.report.outcome, SOLVE_DONE);
            assert_same(found.a, whole.a, system.n, 1e-10);
            assert_same(found.lambda, whole.lambda, found.sides, 1e-5);
            answer_clear(&whole);
        }
        answer_clear(&found);
        system_clear(&system);
    }
}

// A hundred rows: more than a dense solver would be asked.
static void test_tall_heap(void **state)
{
    (void)state;
    System system = heap(20, 100);
    Found found = solve(&system);
    assert_int_equal(found.report.outcome, SOLVE_DONE);
    assert_false(found.report.unique);
    assert_int_equal(found.report.sparse, 1);
    assert_optimal(&system, &found, 1e-12);
    answer_clear(&found);
    system_clear(&system);
}

// ---- Random ones: masses, weights and contacts of all kinds, some twice, some in opposite pairs.

static void random_contact(Random *random, System *system, size_t one, size_t other, double along,
                           double up)
{
    if (random_below(random, 6) == 0)
        return;
    for (size_t times = 1 + (random_below(random, 12) == 0); times > 0; times--) {
        double scale = times > 1 ? 1 + (double)random_below(random, 3) : 1;
        put(&system->sides, 2 * one, along * scale);
        put(&system->sides, 2 * one + 1, up * scale);
        if (other != one) {
            put(&system->sides, 2 * other, -along * scale);
            put(&system->sides, 2 * other + 1, -up * scale);
        }
        end_row(&system->sides, 0);
    }
}

// Balls in a grid whose lines are `bent` by random parts: each may touch its neighbours and walls.
static System random_heap(Random *random, size_t wide, size_t high, double bent)
{
    System system = {0};
    for (size_t i = 0; i < wide * high; i++)
        particle(&system, 1 + (double)random_below(random, 3), random_real(random),
                 -1 - (double)random_below(random, 2));
    for (size_t row = 0; row < high; row++)
        for (size_t k = 0; k < wide; k++) {
            size_t ball = row * wide + k;
            double turn = bent * random_real(random), lean = bent * random_real(random);
            random_contact(random, &system, ball, row > 0 ? ball - wide : ball, row > 0 ? turn : 0,
                           -1);
            if (k == 0 || k + 1 == wide)
                random_contact(random, &system, ball, ball, k == 0 ? -1 : 1, lean);
            if (k + 1 < wide)
                random_contact(random, &system, ball, ball + 1, 1, lean);
            if (row > 0 && k > 0 && random_below(random, 4) == 0)
                random_contact(random, &system, ball, ball - wide - 1, -0.6, -0.8);
        }
    return system;
}

static double norm(const double *x, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static void test_random_heaps(void **state)
{
    (void)state;
    size_t dependent = 0, sparse = 0;
    for (size_t trial = 0; trial < 12 * test_size(); trial++) {
        Random random = random_seed(trial + 4000);
        System system = random_heap(&random, 5 + trial % 5, 18, trial % 3 == 0 ? 0 : 0.3);
        Found whole = solve_whole(&system);
        assert_int_equal(whole.report.outcome, SOLVE_DONE);
        dependent += !whole.report.unique;
        for (int any = 0; any < 2; any++) {
            Found found = solve_as(&system, any);
            assert_int_equal(found.report.outcome, SOLVE_DONE);
            assert_optimal(&system, &found, any ? 1e-10 : 1e-12);
            assert_same(found.a, whole.a, system.n, any ? 1e-8 : 1e-10);
            if (!any) {
                assert_same(found.rates, whole.rates, found.sides, 1e-10);
                assert_int_equal(found.report.unique, whole.report.unique);
                assert_same(found.lambda, whole.lambda, found.sides, 1e-5);
            }
            sparse += found.report.sparse;
            double least = norm(whole.lambda, found.sides);
            if (!(norm(found.lambda, found.sides) <= least * (1 + 1e-5)))
                fail_msg("trial %zu: |λ| = %g, not %g", trial, norm(found.lambda, found.sides),
                         least);
            answer_clear(&found);
        }
        answer_clear(&whole);
        system_clear(&system);
    }
    assert_true(dependent > 6 && sparse > 12);
}

// ---- Nearly dependent: a grid that is bent by less and less. What the contacts can bear rests on
// that; sets of them that would do are singular but for its square.

static void test_nearly_dependent(void **state)
{
    (void)state;
    for (size_t digits = 1; digits <= 6; digits++) {
        Random random = random_seed(digits + 900);
        System system = random_heap(&random, 8, 12, pow(10, -(double)digits));
        Found whole = solve_whole(&system);
        assert_int_equal(whole.report.outcome, SOLVE_DONE);
        for (int any = 0; any < 2; any++) {
            Found found = solve_as(&system, any);
            assert_int_equal(found.report.outcome, SOLVE_DONE);
            assert_optimal(&system, &found, any ? 1e-9 : 1e-11);
            // The pushes that they need grow as the reciprocal of that, and so do errors.
            assert_same(found.a, whole.a, system.n, 1e-9 * pow(10, (double)digits));
            answer_clear(&found);
        }
        answer_clear(&whole);
        system_clear(&system);
    }
}

// ---- Exact: balls in wedges of unequal walls, many wedges in one large island.

// Walls and lines of centres along whole numbers.
static const long slopes[][2] = {{3, 4}, {4, 3}, {1, 1}, {0, 1}, {1, 2}, {2, 1}, {1, 3}};

static void add_side(Whole *w, size_t one, size_t other, long x, long y)
{
    long *g = w->g[w->sides++];
    g[2 * one] = x;
    g[2 * one + 1] = y;
    if (other != one) {
        g[2 * other] = -x;
        g[2 * other + 1] = -y;
    }
}

static Whole random_wedge(Random *random, size_t balls)
{
    Whole w = {.n = 2 * balls};
    enum { SLOPES = sizeof slopes / sizeof slopes[0] };
    const long *left = slopes[random_below(random, SLOPES)];
    const long *right = slopes[random_below(random, SLOPES)];
    for (size_t i = 0; i < balls; i++) {
        long mass = 1 + (long)random_below(random, 3);
        w.inertia[2 * i][2 * i] = w.inertia[2 * i + 1][2 * i + 1] = mass;
        w.force[2 * i] = random_below(random, 3) == 0 ? random_whole(random, 3) : 0;
        w.force[2 * i + 1] = -mass * 10;
        // It stays on the inner side of the walls that it touches, and above others.
        if (random_below(random, 4) > 0)
            add_side(&w, i, i, -left[0], -left[1]);
        if (random_below(random, 4) > 0)
            add_side(&w, i, i, right[0], -right[1]);
        for (size_t j = 0; j < i && w.sides < 8; j++) {
            const long *line = slopes[random_below(random, SLOPES)];
            long sign = random_below(random, 2) ? 1 : -1;
            if (random_below(random, 4) > 0)
                add_side(&w, i, j, sign * line[0], -line[1]);
        }
    }
    // Now and then a wall is named twice.
    if (w.sides > 0 && w.sides < 6 && random_below(random, 4) == 0) {
        memcpy(w.g[w.sides], w.g[0], sizeof w.g[0]);
        w.sides++;
    }
    return w;
}

// Adds a wedge to the system; conditions that never act tie all of it to the one before.
static void add_wedge(System *system, const Whole *w)
{
    size_t base = system->n;
    for (size_t i = 0; i < w->n; i++) {
        put(&system->inertia, base + i, (double)w->inertia[i][i]);
        end_row(&system->inertia, 0);
        array_push(&system->force, (double)w->force[i]);
    }
    system->n += w->n;
    for (size_t l = 0; l < w->sides; l++) {
        for (size_t j = 0; j < w->n; j++)
            if (w->g[l][j] != 0)
                put(&system->sides, base + j, (double)w->g[l][j]);
        end_row(&system->sides, 0);
    }
    // All coordinates are in the island, touched or not.
    for (size_t i = base > 0 ? base : 1; i < system->n; i++) {
        put(&system->sides, i, 1);
        put(&system->sides, i - 1, -1);
        end_row(&system->sides, -1000);
    }
}

static void assert_wedge(const Exact *exact, const Whole *w, const Found *found, size_t base,
                         size_t side, double exactly)
{
    for (size_t i = 0; i < w->n; i++) {
        double a = real(exact->a[i]);
        if (!(fabs(found->a[base + i] - a) <= exactly * (1 + fabs(a))))
            fail_msg("acceleration %.17g, not %.17g", found->a[base + i], a);
    }
    for (size_t l = 0; l < w->sides; l++) {
        double push = real(exact->lambda[l]), rate = real(exact->rates[l]);
        if (!(fabs(found->lambda[side + l] - push) <= 1e-5 * (1 + push)))
            fail_msg("λ %.17g, not %.17g", found->lambda[side + l], push);
        if (!(fabs(found->rates[side + l] - rate) <= exactly * (1 + fabs(rate))))
            fail_msg("f'' %.17g, not %.17g", found->rates[side + l], rate);
    }
}

static void test_exact_wedges(void **state)
{
    (void)state;
    enum { WEDGES = 50 };
    size_t sparse = 0, trials = 6 * test_size();
    static Exact exact[WEDGES];
    static Whole wedges[WEDGES];
    for (size_t trial = 0; trial < trials; trial++) {
        Random random = random_seed(trial + 6000);
        System system = {0};
        size_t base[WEDGES], side[WEDGES];
        bool unique = true;
        for (size_t k = 0; k < WEDGES; k++) {
            wedges[k] = random_wedge(&random, k % 15 == 0 ? 3 : 2 - (k % 4 == 0));
            exact[k] = exact_solve(&wedges[k]);
            assert_int_equal(exact[k].outcome, EXACT_FOUND);
            base[k] = system.n;
            side[k] = view(&system.sides).count;
            unique = unique && exact[k].unique;
            add_wedge(&system, &wedges[k]);
        }
        Found found = solve(&system), rough = solve_as(&system, true);
        assert_int_equal(found.report.outcome, SOLVE_DONE);
        assert_int_equal(found.report.islands, 1);
        sparse += found.report.sparse + rough.report.sparse;
        assert_int_equal(found.report.unique, unique);
        for (size_t k = 0; k < WEDGES; k++) {
            assert_wedge(&exact[k], &wedges[k], &found, base[k], side[k], 1e-10);
            assert_wedge(&exact[k], &wedges[k], &rough, base[k], side[k], 1e-8);
        }
        answer_clear(&found);
        answer_clear(&rough);
        system_clear(&system);
    }
    // The dense solver was hardly ever needed.
    assert_true(10 * sparse >= 19 * trials);
}

// ---- Heaps out of order by more or less, thrown about: conditions that nearly depend on each
// other, of which many change sides. None of them needs dense factors.

static void test_heaps_out_of_order(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        Random random = random_seed(seed);
        System system = heap(8 + random_below(&random, 6), 6 + random_below(&random, 8));
        double off = pow(10, -1 - (double)(seed % 10)), push = seed % 3 ? 0.3 : 0;
        for (size_t k = 0; k < system.sides.store.value.count; k++)
            system.sides.store.value.at[k] *= 1 + off * random_real(&random);
        for (size_t k = 0; k < system.sides.drift.count; k++)
            system.sides.drift.at[k] = -push * fabs(random_real(&random));
        Found found = solve_as(&system, true);
        if (found.report.outcome != SOLVE_DONE || found.report.sparse != 1)
            print_message("seed %llu\n", (unsigned long long)seed);
        assert_int_equal(found.report.outcome, SOLVE_DONE);
        assert_int_equal(found.report.sparse, 1);
        assert_optimal(&system, &found, 1e-8);
        answer_clear(&found);
        system_clear(&system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heap),
        cmocka_unit_test(test_tall_heap),
        cmocka_unit_test(test_heaps_out_of_order),
        cmocka_unit_test(test_random_heaps),
        cmocka_unit_test(test_nearly_dependent),
        cmocka_unit_test(test_exact_wedges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
