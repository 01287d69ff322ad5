// position_search.c: positions that meet the finite conditions, from far away.
//
// Newton's steps of least change are for the last part of the way. Before it the sum of the squared
// residuals, each measured by the largest term of its condition, is brought down by Levenberg's and
// Marquardt's steps: (JᵀJ + μ·diag JᵀJ)·dq = −Jᵀf, μ growing until a step helps. They stand
// conditions that follow from each other at the goal, and lead around where J loses rank.
#include "dynamics/projection.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct {
    const Equations *eq;
    State *state;
    double *scale;  // finite: of the conditions, at the present position
    double *matrix; // JᵀJ
    double *damped; // the same with damping, then its factors
    double *slope;  // Jᵀf
    double *step, *row, *from;
} Search;

static double merit(const Search *search)
{
    double sum = 0;
    for (size_t i = 0; i < search->eq->finite; i++)
        sum += pow(positions_f(search->state)[i] / search->scale[i], 2);
    return sum;
}

// Coordinates that are held have no row and no column.
static void linearize(Search *search)
{
    const Equations *eq = search->eq;
    State *state = search->state;
    const double *moves = positions_moves(state);
    size_t n = eq->n;
    memset(search->matrix, 0, n * n * sizeof(double));
    memset(search->slope, 0, n * sizeof(double));
    for (size_t i = 0; i < eq->finite; i++) {
        double scale = positions_scale(eq, state, i), *row = search->row;
        search->scale[i] = scale > 0 && isfinite(scale) ? scale : 1;
        for (size_t j = 0; j < n; j++)
            row[j] =
                moves[j] != 0 ? positions_jacobian(eq, state)[i * n + j] / search->scale[i] : 0;
        real_add_times(positions_f(state)[i] / search->scale[i], row, n, search->slope);
        for (size_t j = 0; j < n; j++)
            if (row[j] != 0)
                real_add_times(row[j], row, n, search->matrix + j * n);
    }
}

// A coordinate that no condition feels is held by a small part of the others.
static bool find_step(Search *search, double damping)
{
    size_t n = search->eq->n;
    double most = real_largest(search->matrix, n * n); // on the diagonal of such a matrix
    memcpy(search->damped, search->matrix, n * n * sizeof(double));
    for (size_t j = 0; j < n; j++)
        search->damped[j * n + j] += damping * fmax(search->matrix[j * n + j], TOL_ZERO * most);
    memcpy(search->step, search->slope, n * sizeof(double));
    if (!cholesky_factor(search->damped, n, n, 0))
        return false;
    cholesky_solve(search->damped, n, search->step);
    return true;
}

// One step that helps; false where there is none.
static bool improve(Search *search, double *damping)
{
    const Equations *eq = search->eq;
    State *state = search->state;
    memcpy(search->from, state->q, eq->n * sizeof(double));
    linearize(search);
    double before = merit(search);
    for (; *damping < 1 / TOL_ZERO; *damping *= 4) {
        if (!find_step(search, *damping))
            continue;
        for (size_t j = 0; j < eq->n; j++)
            state->q[j] = search->from[j] - search->step[j];
        positions_evaluate(state);
        if (merit(search) < before * (1 - DBL_EPSILON)) {
            *damping = fmax(*damping / 5, DBL_EPSILON);
            return true;
        }
    }
    memcpy(state->q, search->from, eq->n * sizeof(double));
    positions_evaluate(state);
    return false;
}

double positions_search(const Equations *eq, State *state)
{
    size_t n = eq->n;
    assert(n > 0 && eq->finite > 0);
    Arena *arena = arena_new();
    Search search = {.eq = eq,
                     .state = state,
                     .scale = real_alloc(arena, eq->finite),
                     .matrix = real_alloc(arena, n * n),
                     .damped = real_alloc(arena, n * n),
                     .slope = real_alloc(arena, n),
                     .step = real_alloc(arena, n),
                     .row = real_alloc(arena, n),
                     .from = real_alloc(arena, n)};
    double damping = TOL_COARSE;
    positions_evaluate(state);
    // Nearer than that Newton takes over.
    for (size_t i = 0; i < LIMIT_SEARCH && positions_miss(eq, state, NULL) > TOL_COARSE; i++)
        if (!improve(&search, &damping))
            break;
    arena_free(arena);
    return positions_project(eq, state, LIMIT_STEPS);
}
