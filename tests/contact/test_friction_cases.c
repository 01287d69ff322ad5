// Dry friction in cases with known numbers: Painlevé's rod, a ladder, a box on two feet, a bar
// between walls, three motions of one contact; one contact in space by a scan of all directions;
// many contacts by the law itself.
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

enum { TRIALS = 300, MOST = 10, ROWS = 3 * MOST };

typedef struct {
    FrictionContact contacts[MOST];
    double rows[ROWS * ROWS], free[ROWS], forces[ROWS], rates[ROWS];
    FrictionState states[MOST];
    FrictionProblem problem;
} Case;

static FrictionReport solve(FrictionSolver *solver, Case *it)
{
    it->problem.contacts = it->contacts;
    if (!it->problem.delassus)
        it->problem.rows = it->rows;
    it->problem.free_rates = it->free;
    FrictionAnswer answer = {.states = it->states, .forces = it->forces, .rates = it->rates};
    return friction_instant(solver, &it->problem, &answer);
}

static FrictionContact contact(uint8_t tangents, double mu)
{
    return (FrictionContact){.normals = 1, .tangents = tangents, .sliding = mu, .sticking = mu};
}

#define CLOSE(value, expected)                                                                     \
    do {                                                                                           \
        if (!(fabs((value) - (expected)) <= 1e-12 * fmax(1, fabs(expected))))                      \
            fail_msg("%s is %.16g, not %.16g", #value, (double)(value), (double)(expected));       \
    } while (0)

// ---- Painlevé's rod: uniform, half length 1, m = 1, G = C + (cos θ, sin θ).

static void test_painleve(void **state)
{
    (void)state;
    static const struct {
        double theta, rate, sign, minor, lambda;
        size_t count;
    } states[] = {{NAN, 0, -1, -0.32, 0, 0},
                  {NAN, 4, -1, -0.32, 14.06510954999579, 2},
                  {NAN, 0, 1, 3.52, 2.786931818181818, 1},
                  {0.6, 0, -1, 0.8066428253936671, 12.16151646202569, 1},
                  {NAN, 4, 1, 3.52, 0, 1}};
    FrictionSolver *solver = friction_solver_new();
    for (size_t k = 0; k < 5; k++) {
        double theta = isnan(states[k].theta) ? atan(2) : states[k].theta;
        double rows[] = {0, -1, sqrt(3) * cos(theta), 1, 0, sqrt(3) * sin(theta)};
        Case it = {.contacts = {contact(1, 1.6)}};
        it.contacts[0].slides = true;
        it.contacts[0].direction[0] = states[k].sign;
        memcpy(it.rows, rows, sizeof rows);
        it.free[0] = 9.81 - states[k].rate * states[k].rate * sin(theta);
        it.free[1] = 0.3;
        it.problem = (FrictionProblem){.count = 1, .size = 3, .count_all = true};
        FrictionReport report = solve(solver, &it);
        assert_int_equal(report.solutions, states[k].count);
        assert_true(report.counted);
        double lambda = 0;
        for (size_t m = 0; m < report.solutions; m++)
            lambda = fmax(lambda, friction_solution(solver, m).forces[0]);
        CLOSE(lambda, states[k].lambda);
        FrictionState slips = {.mode = FRICTION_SLIPS, .direction = {states[k].sign}};
        double plain = 1 + 3 * cos(theta) * cos(theta);
        CLOSE(friction_least_minor(solver, &it.problem, &slips), fmin(states[k].minor / plain, 1));
    }
    friction_solver_free(solver);
}

// ---- A ladder at rest that slips at both ends.

static void test_ladder(void **state)
{
    (void)state;
    double theta = 0.9, m = 2, J = 2.0 / 3, unit[] = {sqrt(m), sqrt(m), sqrt(J)};
    double rows[4][3] = {
        {0, -1, cos(theta)}, {1, 0, -sin(theta)}, {-1, 0, -sin(theta)}, {0, 1, cos(theta)}};
    Case it = {.contacts = {contact(1, 0.2), contact(1, 0.3)}};
    FrictionSolver *solver = friction_solver_new();
    for (size_t i = 0; i < 4; i++) {
        it.free[i] = -9.81 * rows[i][1];
        for (size_t j = 0; j < 3; j++)
            it.rows[i * 3 + j] = rows[i][j] / unit[j];
    }
    it.problem = (FrictionProblem){.count = 2, .size = 3, .count_all = true};
    FrictionReport report = solve(solver, &it);
    assert_int_equal(report.outcome, SOLVE_DONE);
    CLOSE(it.forces[0], 15.42000940506891);
    CLOSE(it.forces[2], 6.078640071544177);
    assert_int_equal(it.states[0].mode, FRICTION_SLIPS);
    assert_true(it.states[0].direction[0] > 0 && it.states[1].direction[0] < 0);
    // With enough friction it stands, and the forces are not unique.
    it.contacts[0] = it.contacts[1] = contact(1, 0.7);
    report = solve(solver, &it);
    assert_int_equal(report.outcome, SOLVE_DONE);
    assert_false(report.unique);
    assert_true(it.states[0].mode == FRICTION_STICKS && it.states[0].margin > 0);
    friction_solver_free(solver);
}

// ---- A box on two feet: 0.6 wide, 1 high, m = 2, push 3t at the height 0.8.

static Case box(double mu, double push)
{
    double m = 2, J = m * (0.36 + 1) / 12, unit[] = {sqrt(m), sqrt(m), sqrt(J)};
    Case it = {.contacts = {contact(1, mu), contact(1, mu)}};
    // Feet at (∓0.3, −0.5) of the centre: rear, front.
    for (size_t l = 0; l < 2; l++) {
        double x = l ? 0.3 : -0.3, rows[2][3] = {{0, -1, -x}, {1, 0, 0.5}};
        for (size_t k = 0; k < 2; k++) {
            size_t i = 2 * l + k;
            double a[] = {push / m, -9.81, -push * 0.3 / J};
            for (size_t j = 0; j < 3; j++) {
                it.rows[i * 3 + j] = rows[k][j] / unit[j];
                it.free[i] += rows[k][j] * a[j];
            }
        }
    }
    it.problem = (FrictionProblem){.count = 2, .size = 3, .count_all = true};
    return it;
}

static void test_box(void **state)
{
    (void)state;
    FrictionSolver *solver = friction_solver_new();
    for (double t = 0.1; t < 1.95; t += 0.2) {
        Case it = box(0.3, 3 * t);
        for (size_t count = 0; count < 2; count++) {
            it.problem.count_all = count;
            FrictionReport report = solve(solver, &it);
            assert_int_equal(report.outcome, SOLVE_DONE);
            assert_false(report.unique);
            double weight = 2 * 9.81, rear = weight / 2 - 3 * t * 0.8 / 0.6;
            CLOSE(it.forces[0], rear);
            CLOSE(it.forces[1] + it.forces[3], -3 * t);
            double best = fmin((0.3 * weight - 3 * t) / 2, 0.3 * rear);
            for (size_t l = 0; l < 2; l++) {
                assert_int_equal(it.states[l].mode, FRICTION_STICKS);
                if (fabs(it.states[l].margin - best) > 1e-9)
                    fail_msg("margin %.12g at t = %g, not %.12g", it.states[l].margin, t, best);
            }
        }
    }
    Case it = box(0.3, 3 * 2.616);
    FrictionReport report = solve(solver, &it);
    assert_int_equal(report.outcome, SOLVE_DONE);
    assert_int_equal(it.states[0].mode, FRICTION_SLIPS);
    CLOSE(it.forces[0], 0.981);
    CLOSE(it.forces[2], 18.639);
    it = box(0.5, 3 * 2.6); // tips without sliding
    report = solve(solver, &it);
    assert_int_equal(report.outcome, SOLVE_DONE);
    assert_int_equal(it.states[0].mode, FRICTION_OPEN);
    assert_int_equal(it.states[1].mode, FRICTION_STICKS);
    friction_solver_free(solver);
}

// A bar between two walls may fall or stay: a prestress is not known.
static void test_wedge(void **state)
{
    (void)state;
    FrictionSolver *solver = friction_solver_new();
    Case it = {.contacts = {contact(1, 0.5), contact(1, 0.5)},
               .rows = {-1, 0, 0, 1, 1, 0, 0, 1},
               .free = {0, -9.81, 0, -9.81},
               .problem = {.count = 2, .size = 2, .count_all = true}};
    FrictionReport report = solve(solver, &it);
    assert_true(report.wedged);
    assert_int_equal(report.outcome, SOLVE_SEVERAL);
    friction_solver_free(solver);
}

// ---- μ_s > μ_k.

static void test_static(void **state)
{
    (void)state;
    FrictionSolver *solver = friction_solver_new();
    for (double pull = 0.05; pull < 1; pull += 0.1) {
        Case it = {.contacts = {contact(1, 0.4)},
                   .rows = {1, 0, 0, 1},
                   .free = {1, pull},
                   .problem = {.count = 1, .size = 2, .count_all = true}};
        it.contacts[0].sticking = 0.6;
        FrictionReport report = solve(solver, &it);
        assert_int_equal(report.outcome, SOLVE_DONE);
        assert_int_equal(it.states[0].mode, pull < 0.6 ? FRICTION_STICKS : FRICTION_SLIPS);
        CLOSE(it.forces[1], pull < 0.6 ? -pull : -0.4);
        assert_true(pull < 0.6 ? it.rates[1] == 0 : fabs(it.rates[1] - pull + 0.4) < 1e-14);
    }
    friction_solver_free(solver);
}

// ---- One contact in space.

static void test_three_motions(void **state)
{
    (void)state;
    double phi = 4.6321211506630435, a = -3.1862386304640444, b = -4.617562905051059;
    double t = 7.3074326778955765, s = 0.318616873052792, r = 8.750669609202934;
    double delassus[] = {phi, a, b, a, t, s, b, s, r};
    Case it = {.contacts = {contact(2, 0.8214469378808806)},
               .free = {0.3545263753731611, -1.213249351141287, 1.0567118780996907},
               .problem = {.count = 1, .delassus = delassus, .count_all = true}};
    FrictionSolver *solver = friction_solver_new();
    FrictionReport report = solve(solver, &it);
    assert_int_equal(report.solutions, 3);
    assert_true(report.counted);
    size_t sticks = 0, first = 0, second = 0;
    for (size_t k = 0; k < 3; k++) {
        const FrictionState *found = friction_solution(solver, k).states;
        double angle = atan2(found->direction[1], found->direction[0]) * 180 / acos(-1);
        sticks += found->mode == FRICTION_STICKS;
        first += found->mode == FRICTION_SLIPS && fabs(angle - 115.246) < 1e-3;
        second += found->mode == FRICTION_SLIPS && fabs(angle - 91.019) < 1e-3;
    }
    assert_true(sticks == 1 && first == 1 && second == 1);
    friction_solver_free(solver);
}

static Case random_case(Random *random, size_t count, uint8_t tangents, double most, size_t more)
{
    size_t own = 1 + (size_t)tangents, rows = count * own;
    Case it = {.problem = {.count = count, .size = rows + more}};
    for (size_t l = 0; l < count; l++) {
        it.contacts[l] = contact(tangents, uniform(random, 0, most));
        // Units from 1e-6 to 1e6, masses in the ratio of 1e6.
        double unit = pow(10, uniform(random, -3, 3));
        for (size_t i = l * own; i < (l + 1) * own; i++) {
            it.free[i] = uniform(random, -1, 1) * unit;
            for (size_t j = 0; j < it.problem.size; j++)
                it.rows[i * it.problem.size + j] = uniform(random, -1, 1) * unit;
        }
        it.free[l * own] = uniform(random, -0.2, 1) * unit;
    }
    return it;
}

// Motions of one contact in space, by looking in every direction.
static size_t scan(const Case *it, size_t steps)
{
    double G[3][3] = {{0}}, mu = it->contacts[0].sliding, before = 0;
    size_t count = it->free[0] <= 0, size = it->problem.size;
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            for (size_t j = 0; j < size; j++)
                G[i][k] += it->rows[i * size + j] * it->rows[k * size + j];
    // Sticks: (−λ, F) = −G⁻¹·free by Cramer's rule.
    double x[3], det = 0;
    for (size_t c = 0; c < 4; c++) {
        double M[3][3];
        for (size_t i = 0; i < 3; i++)
            for (size_t k = 0; k < 3; k++)
                M[i][k] = c < 3 && k == c ? -it->free[i] : G[i][k];
        double d = M[0][0] * (M[1][1] * M[2][2] - M[1][2] * M[2][1]) -
                   M[0][1] * (M[1][0] * M[2][2] - M[1][2] * M[2][0]) +
                   M[0][2] * (M[1][0] * M[2][1] - M[1][1] * M[2][0]);
        if (c < 3)
            x[c] = d;
        else
            det = d;
    }
    count += -x[0] / det > 0 && hypot(x[1], x[2]) / det <= mu * -x[0] / det;
    for (size_t k = 0; k <= steps; k++) {
        double angle = 2 * acos(-1) * (double)k / (double)steps + 0.1234;
        double d[] = {cos(angle), sin(angle)};
        double hat = G[0][0] + mu * (G[0][1] * d[0] + G[0][2] * d[1]), lambda = it->free[0] / hat;
        double u[2];
        for (size_t i = 0; i < 2; i++)
            u[i] = it->free[1 + i] -
                   lambda * (G[1 + i][0] + mu * (G[1 + i][1] * d[0] + G[1 + i][2] * d[1]));
        double across = hat * (d[0] * u[1] - d[1] * u[0]);
        count +=
            k > 0 && (across < 0) != (before < 0) && lambda > 0 && d[0] * u[0] + d[1] * u[1] > 0;
        before = across;
    }
    return count;
}

static void test_scan(void **state)
{
    (void)state;
    FrictionSolver *solver = friction_solver_new();
    size_t trials = TRIALS * test_size(), three = 0;
    for (size_t trial = 0; trial < trials; trial++) {
        Random random = random_seed(trial);
        Case it = random_case(&random, 1, 2, 4, 0);
        it.problem.count_all = true;
        FrictionReport report = solve(solver, &it);
        size_t count = scan(&it, 20000);
        // Two directions between two of these are missed.
        if (count != report.solutions)
            count = scan(&it, 4000000);
        if (!report.counted || report.solutions != count)
            fail_msg("trial %zu: %zu motions for %zu", trial, report.solutions, count);
        three += count == 3;
    }
    assert_true(three > 0);
    friction_solver_free(solver);
}

// ---- Many contacts: what an answer has to satisfy.

static void assert_law(const Case *it, size_t trial)
{
    size_t t = it->contacts[0].tangents, own = 1 + t, count = it->problem.count;
    size_t rows = count * own, size = it->problem.size;
    double y[ROWS * 2] = {0}, far = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < size; j++)
            y[j] += (i % own == 0 ? -1 : 1) * it->forces[i] * it->rows[i * size + j];
    for (size_t j = 0; j < size; j++)
        far = fmax(far, fabs(y[j]));
    for (size_t l = 0; l < count; l++) {
        double unit = 0, rate[3], *F = (double *)it->forces + l * own;
        for (size_t j = 0; j < own * size; j++)
            unit = fmax(unit, fabs(it->rows[l * own * size + j]));
        for (size_t k = 0; k < own; k++) {
            rate[k] = it->free[l * own + k];
            for (size_t j = 0; j < size; j++)
                rate[k] += it->rows[(l * own + k) * size + j] * y[j];
        }
        double small = 1e-8 * (far * unit + unit), force = 1e-8 * (far + 1) / unit;
        double length = t == 2 ? hypot(F[1], F[2]) : fabs(F[1]),
               bound = it->contacts[l].sliding * F[0];
        double speed = t == 2 ? hypot(rate[1], rate[2]) : fabs(rate[1]);
        double along = F[1] * rate[1] + (t == 2 ? F[2] * rate[2] : 0);
        bool kept = F[0] >= 0 && rate[0] <= small && (F[0] <= force || fabs(rate[0]) <= small) &&
                    length <= bound + force &&
                    (speed <= small ||
                     fabs(along + bound * speed) <= small * (bound + force) + force * speed);
        if (!kept)
            fail_msg("trial %zu: contact %zu has λ %g, |F| %g of %g, f'' %g, |u'| %g", trial, l,
                     F[0], length, bound, rate[0], speed);
    }
}

static void test_many(void **state)
{
    (void)state;
    FrictionSolver *solver = friction_solver_new();
    size_t trials = TRIALS * test_size(), missed = 0;
    for (size_t trial = 0; trial < trials; trial++) {
        Random random = random_seed(trial);
        uint8_t tangents = 1 + (uint8_t)random_below(&random, 2);
        Case it = random_case(&random, 2 + random_below(&random, MOST - 1), tangents, 0.8, 0);
        FrictionReport report = solve(solver, &it);
        if (report.outcome == SOLVE_NO_SOLUTION) {
            missed++;
            continue;
        }
        assert_law(&it, trial);
        double forces[ROWS];
        memcpy(forces, it.forces, sizeof forces);
        report = solve(solver, &it); // from its own modes
        assert_int_not_equal(report.outcome, SOLVE_NO_SOLUTION);
        assert_law(&it, trial);
    }
    if (missed > trials / 200)
        fail_msg("%zu of %zu instants without a motion", missed, trials);
    friction_solver_free(solver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_painleve), cmocka_unit_test(test_ladder),
        cmocka_unit_test(test_box),      cmocka_unit_test(test_wedge),
        cmocka_unit_test(test_static),   cmocka_unit_test(test_three_motions),
        cmocka_unit_test(test_scan),     cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
