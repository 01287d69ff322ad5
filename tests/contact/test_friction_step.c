// Many contacts with dry friction in a timestep: the law itself, the solver of an instant as a
// second road, and a heap of balls.
#include "contact/friction.h"
#include "contact/friction_step.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "test_size.h"
#include "uniform.h"

enum { TRIALS = 100, BODIES = 6, COORDINATES = 3 * BODIES, MOST = 6 };

typedef struct {
    SparseStore inertia, normals, sliding, equations;
    double mass[COORDINATES], impulse[COORDINATES], zero[3 * MOST], friction[MOST];
    FrictionStepProblem problem;
} Timestep;

// Masses in the ratio of 1e3, contacts between two bodies each.
static void draw(Random *random, size_t tangents, Timestep *it)
{
    memset(it, 0, sizeof *it);
    sparse_store_begin(&it->inertia);
    sparse_store_begin(&it->normals);
    sparse_store_begin(&it->sliding);
    sparse_store_begin(&it->equations);
    for (size_t i = 0; i < COORDINATES; i++) {
        it->mass[i] = pow(10, uniform(random, -1.5, 1.5));
        it->impulse[i] = uniform(random, -1, 1) * it->mass[i];
        sparse_store_push(&it->inertia, i, it->mass[i]);
        sparse_store_end_row(&it->inertia);
    }
    size_t contacts = 1 + random_below(random, MOST);
    for (size_t l = 0; l < contacts; l++) {
        size_t a = random_below(random, BODIES),
               b = (a + 1 + random_below(random, BODIES - 1)) % BODIES;
        it->friction[l] = random_below(random, 5) == 0 ? 0 : uniform(random, 0, 0.7);
        for (size_t k = 0; k <= tangents; k++) {
            SparseStore *rows = k == 0 ? &it->normals : &it->sliding;
            for (size_t j = 0; j < 6; j++)
                sparse_store_push(rows, 3 * (j < 3 ? a : b) + j % 3, uniform(random, -1, 1));
            sparse_store_end_row(rows);
        }
    }
    it->problem = (FrictionStepProblem){.inertia = sparse_store_rows(&it->inertia),
                                        .impulse = it->impulse,
                                        .equations = sparse_store_rows(&it->equations),
                                        .equation_drift = it->zero,
                                        .contacts = contacts,
                                        .normals = sparse_store_rows(&it->normals),
                                        .normal_drift = it->zero,
                                        .tangents = tangents,
                                        .sliding = sparse_store_rows(&it->sliding),
                                        .sliding_drift = it->zero,
                                        .friction = it->friction,
                                        .accuracy = 1e-11};
}

static void clear(Timestep *it)
{
    sparse_store_clear(&it->inertia);
    sparse_store_clear(&it->normals);
    sparse_store_clear(&it->sliding);
    sparse_store_clear(&it->equations);
}

// The same as an instant: velocities by the rows in axes where the inertia is 1.
static FrictionReport solve_instant(FrictionSolver *solver, const Timestep *it, double *velocities)
{
    FrictionContact contacts[MOST];
    FrictionState states[MOST] = {{0}};
    double rows[3 * MOST * COORDINATES] = {0}, free[3 * MOST], y[COORDINATES];
    size_t t = it->problem.tangents, count = 0;
    for (size_t l = 0; l < it->problem.contacts; l++) {
        contacts[l] = (FrictionContact){.normals = 1,
                                        .tangents = (uint8_t)t,
                                        .sliding = it->friction[l],
                                        .sticking = it->friction[l]};
        for (size_t k = 0; k <= t; k++, count++) {
            const SparseRows *from = k == 0 ? &it->problem.normals : &it->problem.sliding;
            size_t row = k == 0 ? l : l * t + k - 1;
            free[count] = 0;
            for (uint32_t at = from->first[row]; at < from->first[row + 1]; at++) {
                size_t j = from->column[at];
                rows[count * COORDINATES + j] = from->value[at] / sqrt(it->mass[j]);
                free[count] += from->value[at] * it->impulse[j] / it->mass[j];
            }
        }
    }
    FrictionProblem problem = {.count = it->problem.contacts,
                               .contacts = contacts,
                               .size = COORDINATES,
                               .rows = rows,
                               .free_rates = free,
                               .count_all = true};
    FrictionAnswer answer = {.states = states, .departure = y};
    FrictionReport report = friction_instant(solver, &problem, &answer);
    for (size_t j = 0; j < COORDINATES; j++)
        velocities[j] = it->impulse[j] / it->mass[j] + y[j] / sqrt(it->mass[j]);
    return report;
}

static void test_instant(void **state)
{
    (void)state;
    FrictionSolver *solver = friction_solver_new();
    size_t trials = TRIALS * test_size(), compared = 0, missed = 0;
    for (size_t trial = 0; trial < trials; trial++) {
        Random random = random_seed(trial);
        Timestep it;
        draw(&random, 1 + random_below(&random, 2), &it);
        double truth[COORDINATES], found[COORDINATES];
        FrictionReport exact = solve_instant(solver, &it, truth);
        FrictionStepAnswer answer = {.velocities = found};
        FrictionStepReport report = friction_step(&it.problem, &answer);
        bool reached = report.outcome == SOLVE_DONE && report.accuracy <= 1e-10;
        missed += !reached;
        compared += reached && exact.outcome == SOLVE_DONE && exact.unique;
        for (size_t j = 0; j < COORDINATES && reached && exact.outcome == SOLVE_DONE; j++)
            if (exact.unique && fabs(found[j] - truth[j]) * sqrt(it.mass[j]) > 1e-7)
                fail_msg("trial %zu: velocity %zu is %.12g, not %.12g", trial, j, found[j],
                         truth[j]);
        clear(&it);
    }
    // What is not reached is said to be so, and rare.
    assert_true(compared > trials / 2 && missed <= trials / 100);
    friction_solver_free(solver);
}

// ---- Discs of radius 1/2 in rows, each on two below, in a box: gravity for one step of 0.01 s.

static void test_heap(void **state)
{
    (void)state;
    enum { WIDE = 10, ROWS = 10, DISCS = WIDE * ROWS, MANY = 4 * DISCS };
    static double place[DISCS][2], impulse[3 * DISCS], zero[2 * MANY], mu[MANY];
    static double velocities[3 * DISCS], lambda[MANY], friction[MANY];
    double apart = 1.1, high = sqrt(1 - apart * apart / 4);
    SparseStore inertia = {0}, normals = {0}, sliding = {0}, none = {0};
    sparse_store_begin(&inertia);
    sparse_store_begin(&normals);
    sparse_store_begin(&sliding);
    sparse_store_begin(&none);
    size_t contacts = 0;
    for (size_t i = 0; i < DISCS; i++) {
        place[i][0] = ((double)(i % WIDE) + (i / WIDE % 2 ? 0.5 : 0)) * apart;
        place[i][1] = (double)(i / WIDE) * high;
        for (size_t k = 0; k < 3; k++) {
            sparse_store_push(&inertia, 3 * i + k, k < 2 ? 1 : 0.125);
            sparse_store_end_row(&inertia);
        }
        impulse[3 * i + 1] = -0.0981;
    }
    for (size_t i = 0; i < DISCS; i++)
        for (size_t j = 0; j <= i + 2; j++) { // other discs, the floor, the walls
            double n[2] = {0, 1};
            bool disc = j < i, touches = j == i && i < WIDE;
            if (disc) {
                n[0] = place[i][0] - place[j][0];
                n[1] = place[i][1] - place[j][1];
                touches = hypot(n[0], n[1]) < 1 + 1e-9;
            } else if (j > i) {
                n[0] = j == i + 1 ? 1 : -1;
                n[1] = 0;
                double wall = j == i + 1 ? 0 : ((double)WIDE - 0.5) * apart;
                touches = fabs(place[i][0] - wall) < 1e-9;
            }
            if (!touches)
                continue;
            // f' = −(v_i − v_j)·n, u of i's point against j's.
            for (size_t side = 0; side < (disc ? 2 : 1); side++) {
                size_t body = side ? j : i;
                double sign = side ? -1 : 1;
                sparse_store_push(&normals, 3 * body, -sign * n[0]);
                sparse_store_push(&normals, 3 * body + 1, -sign * n[1]);
                sparse_store_push(&sliding, 3 * body, sign * n[1]);
                sparse_store_push(&sliding, 3 * body + 1, -sign * n[0]);
                sparse_store_push(&sliding, 3 * body + 2, 0.5);
            }
            sparse_store_end_row(&normals);
            sparse_store_end_row(&sliding);
            mu[contacts++] = 0.3;
        }
    FrictionStepProblem problem = {.inertia = sparse_store_rows(&inertia),
                                   .impulse = impulse,
                                   .equations = sparse_store_rows(&none),
                                   .equation_drift = zero,
                                   .contacts = contacts,
                                   .normals = sparse_store_rows(&normals),
                                   .normal_drift = zero,
                                   .tangents = 1,
                                   .sliding = sparse_store_rows(&sliding),
                                   .sliding_drift = zero,
                                   .friction = mu,
                                   .accuracy = 1e-8};
    FrictionStepAnswer answer = {.velocities = velocities, .lambda = lambda, .friction = friction};
    FrictionStepReport report = friction_step(&problem, &answer);
    assert_int_equal(report.outcome, SOLVE_DONE);
    assert_true(report.accuracy <= 1e-8);
    // Coulomb's law once more, from the velocities; and no energy is made: v·p ≥ v·v.
    double kinetic = 0, work = 0;
    for (size_t i = 0; i < 3 * DISCS; i++) {
        kinetic += velocities[i] * velocities[i] * (i % 3 < 2 ? 1 : 0.125);
        work += velocities[i] * impulse[i];
    }
    assert_true(kinetic <= work + 1e-7);
    for (size_t l = 0; l < contacts; l++) {
        double rate = sparse_row_times(&problem.normals, l, velocities, 0, NULL);
        double u = sparse_row_times(&problem.sliding, l, velocities, 0, NULL);
        assert_true(rate <= 1e-8 && lambda[l] >= 0 && lambda[l] * fabs(rate) <= 1e-8);
        assert_true(fabs(friction[l]) <= 0.3 * lambda[l] + 1e-8);
        assert_true(fabs(friction[l] * u + 0.3 * lambda[l] * fabs(u)) <= 1e-8);
    }
    sparse_store_clear(&inertia);
    sparse_store_clear(&normals);
    sparse_store_clear(&sliding);
    sparse_store_clear(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_instant), cmocka_unit_test(test_heap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
