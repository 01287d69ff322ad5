// Impacts with dry friction: classical rods with their numbers, energy over random impacts, and
// Keller's equation by plain small steps.
#include "contact/friction.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "test_size.h"
#include "uniform.h"

enum { TRIALS = 500, MOST = 3, ROWS = 3 * MOST, SIZE = 9 };

#define CLOSE(value, expected)                                                                     \
    do {                                                                                           \
        if (!(fabs((value) - (expected)) <= 1e-12 * fmax(1, fabs(expected))))                      \
            fail_msg("%s is %.16g, not %.16g", #value, (double)(value), (double)(expected));       \
    } while (0)

typedef struct {
    FrictionContact contacts[MOST];
    double rows[ROWS * SIZE], before[ROWS], e[MOST], percussions[ROWS], rates[ROWS];
    double departure[SIZE];
    FrictionState states[MOST];
    FrictionImpact impact;
} Case;

static FrictionImpactReport strike(FrictionSolver *solver, Case *it, FrictionImpactLaw law)
{
    it->impact.system.contacts = it->contacts;
    it->impact.system.rows = it->rows;
    it->impact.system.free_rates = it->before;
    it->impact.restitution = it->e;
    it->impact.law = law;
    FrictionImpactAnswer answer = {it->percussions, it->rates, it->departure, it->states};
    return friction_impact(solver, &it->impact, &answer);
}

static Case one_contact(size_t size, uint8_t tangents, double mu, double e)
{
    Case it = {.contacts = {{.normals = 1, .tangents = tangents, .sliding = mu, .sticking = mu}},
               .e = {e}};
    it.impact.system.count = 1;
    it.impact.system.size = size;
    return it;
}

// ---- A uniform rod of half length 1, G = C + (cos θ, sin θ), C on the floor.

static Case rod(double theta, double mu, double e, double approach, double u)
{
    Case it = one_contact(3, 1, mu, e);
    double rows[] = {0, -1, sqrt(3) * cos(theta), 1, 0, sqrt(3) * sin(theta)};
    memcpy(it.rows, rows, sizeof rows);
    it.before[0] = approach;
    it.before[1] = u;
    return it;
}

static void test_rod(void **state)
{
    (void)state;
    FrictionSolver *solver = friction_solver_new();
    Case it = rod(acos(-1) / 4, 0.5, 0.9, 1, 0.5);
    FrictionImpactReport report = strike(solver, &it, FRICTION_NEWTON);
    CLOSE(it.percussions[0], 1.0);
    CLOSE(fabs(it.percussions[1]), 0.4);
    CLOSE(it.rates[0], -0.9);
    CLOSE(it.rates[1], 0.0);
    CLOSE(report.work, 0.05);
    report = strike(solver, &it, FRICTION_POISSON);
    assert_int_equal(report.routh, 1);
    CLOSE(it.percussions[0], 0.7896103896103896);
    CLOSE(fabs(it.percussions[1]), 0.2129870129870130);
    CLOSE(it.rates[0], -0.6545454545454545);
    CLOSE(it.rates[1], -0.1519480519480519);
    CLOSE(report.work, -0.09932197672457413);
    for (size_t law = 0; law < 2; law++) { // b: slides through; both laws agree
        it = rod(acos(-1) / 4, 0.5, 0.9, 1, -1.5);
        report = strike(solver, &it, law ? FRICTION_POISSON : FRICTION_NEWTON);
        CLOSE(it.percussions[0], 1.085714285714286);
        CLOSE(it.percussions[1], 0.5428571428571429);
        CLOSE(it.rates[1], -1.771428571428571);
        CLOSE(report.work, -0.9422448979591837);
    }
    friction_solver_free(solver);
}

// A second contact that is coupled by next to nothing makes it the form of two phases.
static void test_two_phases(void **state)
{
    (void)state;
    FrictionSolver *solver = friction_solver_new();
    Case it = rod(acos(-1) / 4, 0.5, 0.9, 1, 0.5);
    it.impact.system.count = 2;
    it.impact.system.size = 4;
    double rows[] = {
        0,     -1, sqrt(3) * cos(acos(-1) / 4), 0, 1, 0, sqrt(3) * sin(acos(-1) / 4), 0, 0, 0,
        1e-30, 1};
    memcpy(it.rows, rows, sizeof rows);
    it.rows[10] = 1e-9; // coupled, and not felt to 1e-12 as it is not struck
    it.contacts[1] = (FrictionContact){.normals = 1};
    it.before[2] = -1;
    FrictionImpactReport report = strike(solver, &it, FRICTION_POISSON);
    assert_int_equal(report.coupled, 2);
    CLOSE(it.percussions[0], 0.83125);
    CLOSE(fabs(it.percussions[1]), 0.259375);
    CLOSE(it.rates[0], -0.6890625);
    CLOSE(it.rates[1], -0.0984375);
    CLOSE(report.work, -0.07715576171875);
    friction_solver_free(solver);
}

static void test_without_collision(void **state)
{
    (void)state;
    FrictionSolver *solver = friction_solver_new();
    Case it = rod(atan(2), 1.6, 0, 0, -1);
    it.impact.without_collision = true;
    FrictionImpactReport report = strike(solver, &it, FRICTION_POISSON);
    CLOSE(it.percussions[0], 0.3);
    CLOSE(it.percussions[1], 0.4);
    CLOSE(report.work, -0.2);
    assert_true(it.rates[0] == 0 && it.rates[1] == 0);
    assert_int_equal(it.states[0].mode, FRICTION_STICKS);
    it = rod(atan(2), 1.6, 0.5, 0, -1);
    it.impact.without_collision = true;
    report = strike(solver, &it, FRICTION_POISSON);
    CLOSE(it.percussions[0], 0.45);
    CLOSE(it.percussions[1], 0.4529411764705882);
    CLOSE(it.rates[0], -0.1764705882352941);
    CLOSE(report.work, -0.1867647058823529);
    assert_true(it.rates[1] == 0);
    it.impact.without_collision = false;
    report = strike(solver, &it, FRICTION_POISSON);
    assert_true(it.percussions[0] == 0 && report.work == 0);
    friction_solver_free(solver);
}

// ---- Kane's double pendulum.

static void test_kane(void **state)
{
    (void)state;
    FrictionSolver *solver = friction_solver_new();
    double degree = acos(-1) / 180, q[] = {20 * degree, 30 * degree}, v[] = {-0.1, -0.2};
    double M[] = {4.0 / 3, cos(q[0] - q[1]) / 2, 1.0 / 3};
    double L[] = {sqrt(M[0]), M[1] / sqrt(M[0]), 0};
    L[2] = sqrt(M[2] - L[1] * L[1]);
    double g[] = {-sin(q[0]), -sin(q[1])}, w[] = {cos(q[0]), cos(q[1])};
    Case it = one_contact(2, 1, 0.5, 0.7);
    const double *from[] = {g, w};
    for (size_t i = 0; i < 2; i++) {
        it.rows[2 * i] = from[i][0] / L[0];
        it.rows[2 * i + 1] = (from[i][1] - L[1] * it.rows[2 * i]) / L[2];
        it.before[i] = from[i][0] * v[0] + from[i][1] * v[1];
    }
    FrictionImpactReport report = strike(solver, &it, FRICTION_NEWTON);
    CLOSE(it.percussions[0], 0.9165848137653184);
    CLOSE(it.rates[1], 0.008845673577410243);
    CLOSE(report.work, 0.04074390455344531);
    report = strike(solver, &it, FRICTION_POISSON);
    CLOSE(it.percussions[0], 0.1288789629522897);
    CLOSE(it.percussions[1], 0.03301684461430506);
    CLOSE(it.rates[0], -0.04613788051735131);
    CLOSE(it.rates[1], 0.009462601400422027);
    CLOSE(report.work, -0.009929221380819938);
    // y is the change of velocity in the axes of the rows: L⁻ᵀy.
    double change = it.departure[1] / L[2];
    CLOSE(v[1] + change, 0.2310362602860256);
    CLOSE(v[0] + (it.departure[0] - L[1] * change) / L[0], -0.2028542791399225);
    friction_solver_free(solver);
}

// ---- Random impacts.

static Case random_impact(Random *random, size_t contacts, uint8_t tangents)
{
    Case it = {.e = {0}};
    size_t own = 1 + (size_t)tangents, rows = contacts * own;
    it.impact.system.count = contacts;
    it.impact.system.size = rows < SIZE ? rows : SIZE;
    for (size_t l = 0; l < contacts; l++) {
        double mu = uniform(random, 0, 2);
        it.contacts[l] =
            (FrictionContact){.normals = 1, .tangents = tangents, .sliding = mu, .sticking = mu};
        it.e[l] = random_below(random, 4) == 0 ? 0 : uniform(random, 0, 1);
        // The same unit for what is normal and tangential, from 1e-3 to 1e3.
        double unit = pow(10, uniform(random, -3, 3));
        for (size_t k = l * own; k < (l + 1) * own; k++) {
            it.before[k] = uniform(random, -1, 1) * unit;
            for (size_t j = 0; j < it.impact.system.size; j++)
                it.rows[k * it.impact.system.size + j] = uniform(random, -1, 1) * unit;
        }
        if (random_below(random, 3) == 0 && l > 0)
            it.before[l * own] = 0; // touches only
    }
    return it;
}

static double energy_scale(const Case *it)
{
    double sum = 0;
    size_t own = 1 + (size_t)it->contacts[0].tangents, rows = it->impact.system.count * own;
    for (size_t i = 0; i < rows; i++)
        sum += fabs(it->percussions[i]) * (fabs(it->before[i]) + fabs(it->rates[i]));
    return sum + 1e-300;
}

static void assert_law(const Case *it, size_t trial)
{
    size_t t = it->contacts[0].tangents, own = 1 + t, size = it->impact.system.size;
    double scale = 0;
    for (size_t i = 0; i < it->impact.system.count * own; i++)
        for (size_t j = 0; j < size; j++)
            scale = fmax(scale, fabs(it->percussions[i] * it->rows[i * size + j]));
    for (size_t l = 0; l < it->impact.system.count; l++) {
        const double *P = it->percussions + l * own, *rate = it->rates + l * own;
        double Q = t == 2 ? hypot(P[1], P[2]) : fabs(P[1]), unit = 0;
        for (size_t j = 0; j < size; j++)
            unit = fmax(unit, fabs(it->rows[l * own * size + j]));
        if (P[0] < 0 || Q > it->contacts[l].sliding * P[0] + 1e-9 * scale / unit)
            fail_msg("trial %zu: contact %zu has P %g and Q %g", trial, l, P[0], Q);
        if (rate[0] > 1e-9 * (scale * unit + fabs(it->before[l * own])))
            fail_msg("trial %zu: contact %zu goes on with %g", trial, l, rate[0]);
    }
}

static void test_energy(void **state)
{
    (void)state;
    FrictionSolver *solver = friction_solver_new();
    size_t trials = TRIALS * test_size(), grew = 0, struck = 0;
    for (size_t trial = 0; trial < trials; trial++) {
        Random random = random_seed(trial);
        uint8_t tangents = 1 + (uint8_t)random_below(&random, 2);
        Case it = random_impact(&random, 1 + random_below(&random, MOST), tangents);
        FrictionImpactReport report = strike(solver, &it, FRICTION_POISSON);
        if (report.outcome == SOLVE_NO_SOLUTION)
            fail_msg("trial %zu: no motion after the impact", trial);
        assert_law(&it, trial);
        struck += it.percussions[0] > 0;
        if (report.work > 1e-10 * energy_scale(&it))
            fail_msg("trial %zu: Poisson's law makes %g of %g", trial, report.work,
                     energy_scale(&it));
        report = strike(solver, &it, FRICTION_NEWTON);
        if (report.outcome == SOLVE_NO_SOLUTION)
            fail_msg("trial %zu: no motion after the impact by Newton's law", trial);
        assert_law(&it, trial);
        grew += report.work > 1e-6 * energy_scale(&it);
    }
    assert_true(struck > trials / 4 && grew > 0);
    friction_solver_free(solver);
}

// ---- Keller's equation, once more by plain steps in P.

static void keller_rate(const double *G, double mu, const double *y, double *rate)
{
    double length = hypot(y[1], y[2]), s[] = {y[1] / length, y[2] / length};
    for (size_t i = 0; i < 3; i++)
        rate[i] = -(G[3 * i] + mu * (G[3 * i + 1] * s[0] + G[3 * i + 2] * s[1]));
}

// f', u after P in Runge and Kutta's steps; returns the least |u| on the way.
static double keller(const double *G, double mu, double P, size_t steps, double *y)
{
    double h = P / (double)steps, k[4][3], at[3], least = INFINITY;
    for (size_t step = 0; step < steps; step++) {
        static const double parts[] = {0, 0.5, 0.5, 1};
        for (size_t stage = 0; stage < 4; stage++) {
            for (size_t i = 0; i < 3; i++)
                at[i] = y[i] + (stage ? h * parts[stage] * k[stage - 1][i] : 0);
            keller_rate(G, mu, at, k[stage]);
        }
        for (size_t i = 0; i < 3; i++)
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        least = fmin(least, hypot(y[1], y[2]));
    }
    return least;
}

static void test_keller(void **state)
{
    (void)state;
    FrictionSolver *solver = friction_solver_new();
    size_t trials = TRIALS / 10 * test_size(), compared = 0;
    for (size_t trial = 0; trial < trials; trial++) {
        Random random = random_seed(trial);
        Case it = random_impact(&random, 1, 2);
        it.before[0] = fabs(it.before[0]);
        it.contacts[0].sliding /= 8; // so that it slides on
        FrictionImpactReport report = strike(solver, &it, FRICTION_POISSON);
        assert_int_equal(report.routh, 1);
        double G[9], y[3], P = it.percussions[0];
        for (size_t i = 0; i < 9; i++) {
            G[i] = 0;
            for (size_t j = 0; j < 3; j++)
                G[i] += it.rows[i / 3 * 3 + j] * it.rows[i % 3 * 3 + j];
        }
        memcpy(y, it.before, sizeof y);
        double least = keller(G, it.contacts[0].sliding, P, 4000, y);
        double before = hypot(it.before[1], it.before[2]);
        if (least < 0.2 * before)
            continue; // plain steps are good for what slides all the time
        compared++;
        for (size_t i = 0; i < 3; i++)
            if (fabs(y[i] - it.rates[i]) > 1e-7 * (fabs(it.before[0]) + before))
                fail_msg("trial %zu: rate %zu is %.15g, not %.15g", trial, i, it.rates[i], y[i]);
        // Compression took P/(1 + e).
        memcpy(y, it.before, sizeof y);
        keller(G, it.contacts[0].sliding, P / (1 + it.e[0]), 4000, y);
        assert_true(fabs(y[0]) <= 1e-7 * fabs(it.before[0]));
    }
    assert_true(compared > trials / 10);
    friction_solver_free(solver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rod),    cmocka_unit_test(test_two_phases),
        cmocka_unit_test(test_kane),   cmocka_unit_test(test_without_collision),
        cmocka_unit_test(test_energy), cmocka_unit_test(test_keller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
