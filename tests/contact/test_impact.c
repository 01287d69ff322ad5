// Impacts and given impulses: closed forms, Carnot's theorem, and energy that never grows.
#include "contact/contact.h"

#include <math.h>
#include <stdio.h>

#include "contact/dense_rows.h"
#include "contact/exact.h"

enum { MOST = 6, MOST_ROWS = 3, MOST_SIDES = 8, TRIALS = 400 };

typedef struct {
    size_t n, rows, sides;
    double inertia[MOST * MOST], v[MOST], impulse[MOST];
    double b[MOST_ROWS * MOST], c[MOST_ROWS];
    double g[MOST_SIDES * MOST], drift[MOST_SIDES], e[MOST_SIDES];
    bool struck_by_hand; // the impulse acts
} System;

typedef struct {
    ImpactReport report;
    double v[MOST], mu[MOST_ROWS], lambda[MOST_SIDES], before[MOST_SIDES], after[MOST_SIDES];
} Shock;

static Shock shock_of(const System *system)
{
    size_t n = system->n;
    Shock shock = {0};
    SparseStore stores[3] = {0};
    ImpactProblem problem = {
        .system = {.inertia = sparse_of(&stores[0], system->inertia, n, n),
                   .equations = sparse_of(&stores[1], system->b, system->rows, n),
                   .equation_drift = system->c,
                   .unilateral = sparse_of(&stores[2], system->g, system->sides, n),
                   .unilateral_drift = system->drift},
        .velocities = system->v,
        .impulse = system->struck_by_hand ? system->impulse : NULL,
        .restitution = system->e};
    ImpactAnswer answer = {shock.v, shock.mu, shock.lambda, shock.before, shock.after};
    ContactSolver *solver = contact_solver_new(n);
    shock.report = contact_impact(solver, &problem, &answer);
    contact_solver_free(solver);
    for (size_t i = 0; i < 3; i++)
        sparse_store_clear(&stores[i]);
    return shock;
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-13 * (1 + fabs(expected))))
        fail_msg("%.17g, not %.17g", found, expected);
}

static double energy(const System *system, const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < system->n; i++)
        for (size_t j = 0; j < system->n; j++)
            sum += v[i] * system->inertia[i * system->n + j] * v[j] / 2;
    return sum;
}

// N balls of mass 1 in a row, each touching the next: f_i = x_i − x_{i+1} + d ≤ 0.
static System row_of_balls(size_t n, double e)
{
    System system = {.n = n, .sides = n - 1};
    for (size_t i = 0; i < n; i++)
        system.inertia[i * n + i] = 1;
    for (size_t l = 0; l + 1 < n; l++) {
        system.g[l * n + l] = 1;
        system.g[l * n + l + 1] = -1;
        system.e[l] = e;
    }
    system.v[0] = 1;
    return system;
}

static void test_three_balls(void **state)
{
    (void)state;
    System elastic = row_of_balls(3, 1);
    Shock shock = shock_of(&elastic);
    assert_int_equal(shock.report.contact.outcome, SOLVE_DONE);
    assert_int_equal(shock.report.passes, 1);
    assert_true(shock.report.ended);
    assert_near(shock.v[0], -1.0 / 3);
    assert_near(shock.v[1], 2.0 / 3);
    assert_near(shock.v[2], 2.0 / 3);
    assert_near(shock.report.energy_lost, 0);
    assert_near(energy(&elastic, shock.v), 0.5);

    System soft = row_of_balls(3, 0);
    shock = shock_of(&soft);
    for (size_t i = 0; i < 3; i++)
        assert_near(shock.v[i], 1.0 / 3);
    assert_near(shock.report.energy_lost, 1.0 / 3);
    assert_true(shock.after[0] == 0 && shock.after[1] == 0);
}

static void test_ball_and_wall(void **state)
{
    (void)state;
    for (int i = 0; i <= 4; i++) {
        double e = i / 4.0;
        System system = {.n = 1, .sides = 1, .inertia = {2}, .v = {3}, .g = {1}, .e = {e}};
        Shock shock = shock_of(&system);
        assert_near(shock.v[0], -3 * e);
        assert_near(shock.lambda[0], 2 * 3 * (1 + e));
        assert_near(shock.before[0], 3);
        assert_near(shock.after[0], -3 * e);
        assert_near(shock.report.energy_lost, 9 * (1 - e * e));
    }
    // One that leaves the wall, or slides along it, is not struck.
    System leaving = {.n = 1, .sides = 1, .inertia = {2}, .v = {-3}, .g = {1}, .e = {0.5}};
    Shock shock = shock_of(&leaving);
    assert_int_equal(shock.report.passes, 0);
    assert_true(shock.v[0] == -3 && shock.lambda[0] == 0 && shock.report.energy_lost == 0);
}

// A wall that comes with the velocity u: f = x + ut ≤ 0. Seen from the wall nothing is new.
static void test_moving_wall(void **state)
{
    (void)state;
    double u = 0.75, e = 0.5, v = 2;
    System system = {
        .n = 1, .sides = 1, .inertia = {2}, .v = {v}, .g = {1}, .drift = {u}, .e = {e}};
    Shock shock = shock_of(&system);
    assert_near(shock.v[0], -u - e * (v + u));
    assert_near(shock.report.energy_lost, energy(&system, system.v) - energy(&system, shock.v));
}

// A ball into a corner of 90 degrees comes back the way it came.
static void test_corner(void **state)
{
    (void)state;
    System system = {.n = 2,
                     .sides = 2,
                     .inertia = {1, 0, 0, 1},
                     .v = {0.3, 0.7},
                     .g = {1, 0, 0, 1},
                     .e = {1, 1}};
    Shock shock = shock_of(&system);
    assert_near(shock.v[0], -0.3);
    assert_near(shock.v[1], -0.7);
    // Each wall has its own e.
    system.e[1] = 0;
    shock = shock_of(&system);
    assert_near(shock.v[0], -0.3);
    assert_near(shock.v[1], 0);
}

// In a narrow wedge the rebound from one wall goes into the other.
static void test_wedge_needs_passes(void **state)
{
    (void)state;
    // Normals 10 degrees apart from opposite; it flies along the first wall into the second.
    double angle = 3.14159265358979323846 * 10 / 180;
    System system = {.n = 2,
                     .sides = 2,
                     .inertia = {1, 0, 0, 1},
                     .v = {1, 0.2},
                     .g = {0, 1, sin(angle), -cos(angle)},
                     .e = {1, 1}};
    system.v[0] = -cos(angle * 3);
    system.v[1] = sin(angle * 3);
    Shock shock = shock_of(&system);
    assert_int_equal(shock.report.contact.outcome, SOLVE_DONE);
    assert_true(shock.report.passes >= 1);
    assert_true(shock.after[0] <= 0 && shock.after[1] <= 0);
    assert_near(energy(&system, shock.v), energy(&system, system.v));
}

// A blade on ice (x, y, θ; edge along θ = 0: y' = 0) runs into a wall that stands askew: the
// edge is kept in the shock (Appell 23).
static void test_blade_meets_wall(void **state)
{
    (void)state;
    double a = 0.6, b = 0.8, v = 2, e = 0.25;
    System system = {.n = 3,
                     .rows = 1,
                     .sides = 1,
                     .inertia = {1, 0, 0, 0, 1, 0.3, 0, 0.3, 0.2},
                     .v = {v, 0, 0.1},
                     .b = {0, 1, 0},
                     .g = {a, b, 0},
                     .e = {e}};
    Shock shock = shock_of(&system);
    assert_near(shock.v[0], -e * v);
    assert_near(shock.v[1], 0);
    assert_near(shock.v[2], 0.1);
    assert_near(shock.lambda[0], v * (1 + e) / a);
    assert_near(shock.mu[0], b * shock.lambda[0]);
    assert_near(shock.report.energy_lost, energy(&system, system.v) - energy(&system, shock.v));
}

// A percussion at the end of a rod whose other end is held: n = 3 (x, y, θ), the end's y is kept.
static void test_percussion(void **state)
{
    (void)state;
    double m = 3, h = 0.5, inertia = 0.4, push = 2;
    System system = {.n = 3,
                     .rows = 2,
                     .inertia = {m, 0, 0, 0, m, 0, 0, 0, inertia},
                     .b = {1, 0, 0, 0, 1, -h},
                     .struck_by_hand = true,
                     .impulse = {0, push, push * h}};
    Shock shock = shock_of(&system);
    // About the held end: (I + mh²)θ' = push · 2h.
    assert_near(shock.v[2], push * 2 * h / (inertia + m * h * h));
    assert_near(shock.v[1], h * shock.v[2]);
    assert_int_equal(shock.report.passes, 0);
    // A ball at rest on the floor, struck downwards, bounces by its restitution.
    System ball = {.n = 1,
                   .sides = 1,
                   .inertia = {2},
                   .g = {1},
                   .e = {0.5},
                   .struck_by_hand = true,
                   .impulse = {4}};
    shock = shock_of(&ball);
    assert_near(shock.v[0], -1);
    assert_near(shock.lambda[0], 6);
    assert_true(shock.before[0] == 0);
}

// No velocities at all: the witness names the conditions that exclude each other, and no others.
static void test_contradiction(void **state)
{
    (void)state;
    // Two walls that close in on a ball, and a floor that has nothing to do with it.
    System system = {.n = 2,
                     .sides = 3,
                     .inertia = {1, 0, 0, 1},
                     .v = {0, 1},
                     .g = {0, 1, 1, 0, -2, 0},
                     .drift = {0, 1, 1}};
    Shock shock = shock_of(&system);
    assert_int_equal(shock.report.contact.outcome, SOLVE_CONTRADICTION);
    assert_false(shock.report.contact.row_is_equation);
    assert_true(shock.report.contact.row > 0);
    assert_true(shock.lambda[0] == 0 && shock.lambda[1] > 0);
    assert_near(shock.lambda[1], 2 * shock.lambda[2]);
}

// ---- Random systems.

static double random_real(Random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-52 - 1;
}

static System random_system(Random *random, bool common)
{
    System system = {.n = 2 + random_below(random, MOST - 1)};
    system.rows = random_below(random, system.n > MOST_ROWS ? MOST_ROWS : system.n);
    system.sides = 1 + random_below(random, MOST_SIDES);
    size_t n = system.n;
    double e = (double)random_below(random, 5) / 4;
    for (size_t k = 0; k < n + 2; k++) {
        double along[MOST];
        for (size_t i = 0; i < n; i++)
            along[i] = random_real(random);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                system.inertia[i * n + j] += along[i] * along[j];
    }
    for (size_t i = 0; i < n * system.rows; i++)
        system.b[i] = random_real(random);
    // Whole numbers now and then: equal and opposite conditions among them.
    bool whole_numbers = random_below(random, 2) == 0;
    for (size_t i = 0; i < n * system.sides; i++)
        system.g[i] = whole_numbers ? (double)random_whole(random, 1) : random_real(random);
    for (size_t l = 0; l < system.sides; l++)
        system.e[l] = common ? e : fabs(random_real(random));
    for (size_t i = 0; i < n; i++)
        system.v[i] = random_real(random);
    // Velocities that keep the equations: what a percussion of nothing leaves of them.
    System start = system;
    start.sides = 0;
    start.struck_by_hand = true;
    Shock kept = shock_of(&start);
    memcpy(system.v, kept.v, sizeof system.v);
    return system;
}

// The kinetic energy of the lost velocities.
static double lost_velocities(const System *system, const Shock *shock)
{
    double lost[MOST];
    for (size_t i = 0; i < system->n; i++)
        lost[i] = shock->v[i] - system->v[i];
    return energy(system, lost);
}

// 𝓜(v⁺ − v⁻) = −gᵀλ + bᵀμ, b·v⁺ = 0, f'⁺ ≤ 0, λ ≥ 0.
static void assert_shock(const System *system, const Shock *shock, size_t trial)
{
    size_t n = system->n;
    for (size_t i = 0; i < n; i++) {
        double left = 0, terms = 1;
        for (size_t j = 0; j < n; j++)
            left += system->inertia[i * n + j] * (shock->v[j] - system->v[j]);
        for (size_t k = 0; k < system->rows; k++)
            left -= system->b[k * n + i] * shock->mu[k];
        for (size_t l = 0; l < system->sides; l++)
            left += system->g[l * n + i] * shock->lambda[l];
        for (size_t l = 0; l < system->sides; l++)
            terms += shock->lambda[l];
        if (fabs(left) > 1e-11 * terms)
            fail_msg("trial %zu: the impulses miss %g", trial, left);
    }
    for (size_t k = 0; k < system->rows; k++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += system->b[k * n + j] * shock->v[j];
        if (fabs(sum) > 1e-10)
            fail_msg("trial %zu: an equation is missed by %g", trial, sum);
    }
    for (size_t l = 0; l < system->sides; l++)
        if (shock->after[l] > 0 || shock->lambda[l] < 0)
            fail_msg("trial %zu: f' is %g and λ %g", trial, shock->after[l], shock->lambda[l]);
}

static void test_carnot(void **state)
{
    (void)state;
    size_t single = 0, trials = TRIALS * test_size();
    for (size_t trial = 0; trial < trials; trial++) {
        Random random = random_seed(trial);
        bool common = trial % 4 != 0;
        System system = random_system(&random, common);
        Shock shock = shock_of(&system);
        assert_int_equal(shock.report.contact.outcome, SOLVE_DONE);
        assert_shock(&system, &shock, trial);
        double lost = energy(&system, system.v) - energy(&system, shock.v);
        double pushed = 1;
        for (size_t l = 0; l < system.sides; l++)
            pushed += shock.lambda[l];
        if (fabs(lost - shock.report.energy_lost) > 1e-11 * pushed)
            fail_msg("trial %zu: energy lost %.17g, said %.17g", trial, lost,
                     shock.report.energy_lost);
        if (!common)
            continue;
        // For one common e energy never grows; where one pass did it, Carnot's theorem: what is
        // lost is (1 − e)/(1 + e) of the energy of the lost velocities.
        if (lost < -1e-11 * pushed)
            fail_msg("trial %zu: energy grows by %g", trial, -lost);
        if (shock.report.passes != 1 || !shock.report.ended)
            continue;
        double e = system.e[0];
        single++;
        bool sharp = true; // Every condition that pushes is struck; another pushes as if it were.
        for (size_t l = 0; l < system.sides; l++)
            sharp = sharp &&
                    (shock.lambda[l] == 0 || fabs(shock.after[l] + e * shock.before[l]) < 1e-11);
        assert_true(sharp);
        assert_true(fabs(lost - (1 - e) / (1 + e) * lost_velocities(&system, &shock)) <
                    1e-11 * pushed);
    }
    assert_true(single > trials / 4);
}

// ---- Exact: every pass by brute force over all sets that could act, in rational numbers.

// The velocities as fractions over one denominator; false where that grows too large.
static bool common_denominator(const Fraction *v, size_t n, long *top, long *bottom)
{
    Big all = 1;
    for (size_t i = 0; i < n; i++) {
        Big rest = all, other = v[i].bottom;
        while (other != 0) {
            Big next = rest % other;
            rest = other;
            other = next;
        }
        all = all / rest * v[i].bottom;
        if (all > 20000)
            return false;
    }
    for (size_t i = 0; i < n; i++) {
        Big scaled = v[i].top * (all / v[i].bottom);
        if (scaled > 2000000 || scaled < -2000000)
            return false;
        top[i] = (long)scaled;
    }
    *bottom = (long)all;
    return true;
}

// One pass with a common e of 0 or 1, everything measured in 1/bottom; whether one is struck.
static bool pass_of(const Whole *w, const long *v, long bottom, long e, Whole *pass)
{
    bool struck = false;
    *pass = *w;
    for (size_t i = 0; i < w->n; i++) {
        pass->force[i] = 0;
        for (size_t j = 0; j < w->n; j++)
            pass->force[i] += w->inertia[i][j] * v[j];
    }
    for (size_t k = 0; k < w->equations; k++)
        pass->drift[k] = w->drift[k] * bottom;
    for (size_t l = 0; l < w->sides; l++) {
        long rate = w->side_drift[l] * bottom;
        for (size_t j = 0; j < w->n; j++)
            rate += w->g[l][j] * v[j];
        struck = struck || rate > 0;
        pass->side_drift[l] = w->side_drift[l] * bottom + e * rate;
    }
    return struck;
}

static System system_of(const Whole *w, const long *v, long e)
{
    System system = {.n = w->n, .rows = w->equations, .sides = w->sides};
    for (size_t i = 0; i < w->n; i++) {
        system.v[i] = (double)v[i];
        for (size_t j = 0; j < w->n; j++)
            system.inertia[i * w->n + j] = (double)w->inertia[i][j];
        for (size_t k = 0; k < w->equations; k++)
            system.b[k * w->n + i] = (double)w->rows[k][i];
        for (size_t l = 0; l < w->sides; l++)
            system.g[l * w->n + i] = (double)w->g[l][i];
    }
    for (size_t k = 0; k < w->equations; k++)
        system.c[k] = (double)w->drift[k];
    for (size_t l = 0; l < w->sides; l++) {
        system.drift[l] = (double)w->side_drift[l];
        system.e[l] = (double)e;
    }
    return system;
}

static void test_exact(void **state)
{
    (void)state;
    size_t compared = 0, repeated = 0, none = 0, trials = 900 * test_size();
    for (size_t trial = 0; trial < trials; trial++) {
        Random random = random_seed(trial + 31);
        Whole w = random_whole_problem(&random, 2, 6), pass;
        long v[EXACT_SIZE], first[EXACT_SIZE], bottom = 1, e = (long)random_below(&random, 2);
        if (w.n > MOST)
            continue;
        for (size_t i = 0; i < w.n; i++)
            first[i] = v[i] = random_whole(&random, 3);
        size_t passes = 0;
        bool known = true, struck = pass_of(&w, v, bottom, e, &pass);
        ExactOutcome outcome = EXACT_FOUND;
        while (struck && known && outcome == EXACT_FOUND && passes < 6) {
            Exact exact = exact_solve(&pass);
            outcome = exact.outcome;
            long scaled;
            known = outcome == EXACT_FOUND && common_denominator(exact.a, w.n, v, &scaled);
            if (!known)
                break;
            bottom *= scaled;
            passes++;
            known = bottom < 100000;
            struck = known && pass_of(&w, v, bottom, e, &pass);
        }
        System system = system_of(&w, first, e);
        Shock shock = shock_of(&system);
        // With e = 0 there is one pass: no answer is a contradiction.
        if (e == 0 && outcome == EXACT_NONE) {
            assert_int_equal(shock.report.contact.outcome, SOLVE_CONTRADICTION);
            none++;
        }
        if (outcome != EXACT_FOUND || !known || struck || passes == 0)
            continue;
        assert_int_equal(shock.report.contact.outcome, SOLVE_DONE);
        assert_int_equal(shock.report.passes, passes);
        for (size_t i = 0; i < w.n; i++) {
            double expected = (double)v[i] / (double)bottom;
            if (!(fabs(shock.v[i] - expected) <= 1e-11 * (1 + fabs(expected))))
                fail_msg("trial %zu: %.17g, not %.17g", trial, shock.v[i], expected);
        }
        compared++;
        repeated += passes > 1;
    }
    assert_true(compared > trials / 6 && repeated > 5 && none > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_balls),
        cmocka_unit_test(test_ball_and_wall),
        cmocka_unit_test(test_moving_wall),
        cmocka_unit_test(test_corner),
        cmocka_unit_test(test_wedge_needs_passes),
        cmocka_unit_test(test_blade_meets_wall),
        cmocka_unit_test(test_percussion),
        cmocka_unit_test(test_contradiction),
        cmocka_unit_test(test_carnot),
        cmocka_unit_test(test_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
