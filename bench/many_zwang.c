// Our side of bench/many: how the cost of an instant grows with the conditions that touch.
// many_zwang KIND N…: for each N a line
//
//     KIND CONDITIONS COLD WARM
//
// with the seconds of one instant, begun from nothing and from the answer. KIND is rope (N masses
// that hang on strings from a ceiling), apart (N/10 ropes of ten, beside each other), heap (N
// balls in rows of 20, each on two below, between walls) or square (the same in rows of √N).
#include "contact/contact.h"
#include "measure.h"

#include <math.h>
#include <string.h>

typedef struct {
    SparseStore inertia, sides;
    double *force, *drift, *accelerations, *lambda;
    bool *acting;
    size_t n;
} System;

static void hang(System *system, size_t i, bool held)
{
    if (!held)
        sparse_store_push(&system->sides, 2 * i - 1, 1);
    sparse_store_push(&system->sides, 2 * i + 1, -1);
    sparse_store_end_row(&system->sides);
}

static void pile(System *system, size_t i, size_t wide)
{
    size_t row = i / wide, k = i % wide;
    if (row == 0 || k == 0 || k + 1 == wide) {
        sparse_store_push(&system->sides, 2 * i + (row == 0), row == 0 || k == 0 ? -1 : 1);
        sparse_store_end_row(&system->sides);
    }
    for (size_t side = 0; side < 2 && row > 0; side++) {
        size_t under = k + row % 2 + side;
        if (under < 1 || under > wide)
            continue;
        size_t other = (row - 1) * wide + under - 1;
        double along = side ? 0.5 : -0.5, down = sqrt(0.75);
        sparse_store_push(&system->sides, 2 * i, along);
        sparse_store_push(&system->sides, 2 * i + 1, -down);
        sparse_store_push(&system->sides, 2 * other, -along);
        sparse_store_push(&system->sides, 2 * other + 1, down);
        sparse_store_end_row(&system->sides);
    }
}

static System make(const char *kind, size_t masses)
{
    System system = {.n = 2 * masses};
    system.force = base_alloc((system.n + 1) * sizeof(double));
    system.accelerations = base_alloc((system.n + 1) * sizeof(double));
    sparse_store_begin(&system.inertia);
    sparse_store_begin(&system.sides);
    for (size_t i = 0; i < system.n; i++) {
        sparse_store_push(&system.inertia, i, 1);
        sparse_store_end_row(&system.inertia);
        system.force[i] = i % 2 ? -1 : 0;
    }
    for (size_t i = 0; i < masses; i++)
        if (strcmp(kind, "heap") == 0 || strcmp(kind, "square") == 0)
            pile(&system, i, kind[0] == 'h' ? 20 : (size_t)(sqrt((double)masses) + 0.5));
        else
            hang(&system, i, i == 0 || (strcmp(kind, "apart") == 0 && i % 10 == 0));
    size_t count = system.sides.first.count;
    system.drift = base_alloc(count * sizeof(double));
    system.lambda = base_alloc(count * sizeof(double));
    system.acting = base_alloc(count * sizeof(bool));
    return system;
}

// The least of several times.
static double solve(ContactSolver *solver, System *system, bool warm)
{
    static const uint32_t none[1] = {0};
    ContactProblem problem = {.inertia = sparse_store_rows(&system->inertia),
                              .force = system->force,
                              .equations = {.first = none},
                              .unilateral = sparse_store_rows(&system->sides),
                              .unilateral_drift = system->drift,
                              .any_lambda = true};
    ContactAnswer answer = {
        .accelerations = system->accelerations, .lambda = system->lambda, .acting = system->acting};
    double least = INFINITY;
    for (int repeat = 0; repeat < 5; repeat++) {
        if (!warm)
            memset(system->acting, 0, problem.unilateral.count * sizeof(bool));
        double start = measure_now();
        ContactReport report = contact_accelerations(solver, &problem, &answer);
        least = fmin(least, measure_now() - start);
        if (report.outcome != SOLVE_DONE) {
            fprintf(stderr, "many_zwang: no answer\n");
            exit(1);
        }
    }
    return least;
}

static void system_clear(System *system)
{
    sparse_store_clear(&system->inertia);
    sparse_store_clear(&system->sides);
    base_free(system->force);
    base_free(system->drift);
    base_free(system->accelerations);
    base_free(system->lambda);
    base_free(system->acting);
}

int main(int count, char **words)
{
    if (count < 3) {
        fprintf(stderr, "usage: many_zwang rope|apart|heap|square N…\n");
        return 2;
    }
    for (int i = 2; i < count; i++) {
        System system = make(words[1], (size_t)strtoul(words[i], NULL, 10));
        ContactSolver *solver = contact_solver_new(system.n);
        double cold = solve(solver, &system, false), warm = solve(solver, &system, true);
        printf("%s %zu %.4g %.4g\n", words[1], system.sides.first.count - 1, cold, warm);
        fflush(stdout);
        contact_solver_free(solver);
        system_clear(&system);
    }
    return 0;
}
