// position_search.c: positions that meet the finite conditions, from far away.
//
// Newton's steps of least change are for the last part of the way. Before it the sum of the squared
// residuals, each measured by the largest term of its condition, is brought down by Levenberg's and
// Marquardt's steps, the least squares of J·dq = −f and √(μ·diag JᵀJ)·dq = 0, μ growing until a
// step helps. They stand conditions that follow from each other at the goal, and lead around where
// J loses rank.
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
    double *scale;  // finite: of the conditions, where a step begins
    double *matrix; // n columns: J in these units, below it the damping
    double *step;   // n; before, the residuals
    double *from;
} Search;

static double merit(const Search *search)
{
    double sum = 0;
    for (size_t i = 0; i < search->eq->finite; i++)
        sum += pow(positions_f(search->state)[i] / search->scale[i], 2);
    return sum;
}

// Coordinates that are held have no column. One that no condition feels is held by a small part of
// the others.
static void find_step(Search *search, double damping)
{
    const State *state = search->state;
    size_t n = search->eq->n, finite = search->eq->finite, rows = finite + n;
    const double *jacobian = positions_jacobian(search->eq, state);
    double most = 0;
    memset(search->matrix, 0, rows * n * sizeof(double));
    memset(search->step, 0, rows * sizeof(double));
    for (size_t i = 0; i < finite; i++)
        search->step[i] = positions_f(state)[i] / search->scale[i];
    for (size_t j = 0; j < n; j++) {
        double *column = search->matrix + j * rows, moves = positions_moves(search->state)[j];
        for (size_t i = 0; i < finite; i++)
            column[i] = moves != 0 ? jacobian[i * n + j] / search->scale[i] : 0;
        column[finite + j] = real_length(column, finite);
        most = fmax(most, column[finite + j]);
    }
    for (size_t j = 0; j < n; j++) {
        double *own = &search->matrix[j * rows + finite + j];
        *own = sqrt(damping) * fmax(*own, sqrt(TOL_ZERO) * most);
    }
    least_squares(search->matrix, rows, n, 0, search->step);
}

// One step that helps; false where there is none.
static bool improve(Search *search, double *damping)
{
    const Equations *eq = search->eq;
    State *state = search->state;
    memcpy(search->from, state->q, eq->n * sizeof(double));
    for (size_t i = 0; i < eq->finite; i++) {
        double scale = positions_scale(eq, state, i);
        search->scale[i] = scale > 0 && isfinite(scale) ? scale : 1;
    }
    double before = merit(search);
    for (; *damping < 1 / TOL_ZERO; *damping *= 4) {
        find_step(search, *damping);
        real_add_times(-1, search->step, eq->n, state->q);
        positions_evaluate(state);
        if (merit(search) < before * (1 - DBL_EPSILON)) {
            *damping = fmax(*damping / 5, DBL_EPSILON);
            return true;
        }
        memcpy(state->q, search->from, eq->n * sizeof(double));
        positions_evaluate(state);
    }
    return false;
}

double positions_search(const Equations *eq, State *state)
{
    size_t n = eq->n, rows = eq->finite + n;
    assert(n > 0 && eq->finite > 0);
    Arena *arena = arena_new();
    Search search = {.eq = eq,
                     .state = state,
                     .scale = real_alloc(arena, eq->finite),
                     .matrix = real_alloc(arena, rows * n),
                     .step = real_alloc(arena, rows),
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
