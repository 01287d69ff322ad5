// position_search.c: positions that meet the finite conditions, from far away.
//
// Newton's steps of least change are for the last part of the way. Before it the sum of the squared
// residuals, each measured by the largest term of its condition, is brought down by Levenberg's and
// Marquardt's steps: (JᵀJ + μ·diag JᵀJ)·dq = −Jᵀf, μ growing until a step helps. They stand
// conditions that follow from each other at the goal, and lead around where J loses rank.
#include "dynamics/projection.h"

#include <assert.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

// Damping at first, how it changes, and where no step is left that helps.
#define FIRST_DAMPING 1e-3
#define LESS          0.2
#define MORE          4
#define MOST_DAMPING  1e12
#define MOST_STEPS    300
// Below this miss Newton takes over.
#define NEAR 1e-4
// A coordinate that no condition feels is held by this part of the others.
#define UNFELT 1e-12

typedef struct {
    const Equations *eq;
    State *state;
    double *scale;  // of the conditions, at the present position
    double *matrix; // JᵀJ
    double *damped; // the same with damping, then its factors
    double *slope;  // Jᵀf
    double *step;
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
    const State *state = search->state;
    size_t n = eq->n;
    memset(search->matrix, 0, n * n * sizeof(double));
    memset(search->slope, 0, n * sizeof(double));
    for (size_t i = 0; i < eq->finite; i++) {
        double scale = positions_scale(eq, state, i);
        search->scale[i] = scale > 0 && isfinite(scale) ? scale : 1;
        double weight = 1 / (search->scale[i] * search->scale[i]);
        const double *row = positions_jacobian(eq, state) + i * n;
        for (size_t a = 0; a < n; a++) {
            double own = positions_can_move(state, a) ? weight * row[a] : 0;
            search->slope[a] += own * positions_f(state)[i];
            for (size_t b = 0; own != 0 && b < n; b++)
                search->matrix[a * n + b] += positions_can_move(state, b) ? own * row[b] : 0;
        }
    }
}

static bool find_step(Search *search, double damping)
{
    size_t n = search->eq->n;
    lapack_int order = (lapack_int)n;
    double most = 0;
    for (size_t a = 0; a < n; a++)
        most = fmax(most, search->matrix[a * n + a]);
    memcpy(search->damped, search->matrix, n * n * sizeof(double));
    for (size_t a = 0; a < n; a++) {
        double own = fmax(search->matrix[a * n + a], UNFELT * most);
        search->damped[a * n + a] += damping * own;
    }
    memcpy(search->step, search->slope, n * sizeof(double));
    return LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', order, 1, search->damped, order, search->step,
                              order) == 0;
}

// One step that helps; false where there is none.
static bool improve(Search *search, double *from, double *damping)
{
    const Equations *eq = search->eq;
    State *state = search->state;
    memcpy(from, state->q, eq->n * sizeof(double));
    linearize(search);
    double before = merit(search);
    for (; *damping < MOST_DAMPING; *damping *= MORE) {
        if (!find_step(search, *damping))
            continue;
        for (size_t a = 0; a < eq->n; a++)
            state->q[a] = from[a] - search->step[a];
        positions_evaluate(state);
        if (merit(search) < before * (1 - DBL_EPSILON)) {
            *damping = fmax(*damping * LESS, DBL_EPSILON);
            return true;
        }
    }
    memcpy(state->q, from, eq->n * sizeof(double));
    positions_evaluate(state);
    return false;
}

void positions_search(const Equations *eq, State *state)
{
    size_t n = eq->n;
    assert(n > 0 && eq->finite > 0);
    double *numbers = base_alloc((2 * n * n + 3 * n + eq->finite) * sizeof *numbers);
    Search search = {.eq = eq,
                     .state = state,
                     .matrix = numbers,
                     .damped = numbers + n * n,
                     .slope = numbers + 2 * n * n,
                     .step = numbers + 2 * n * n + n,
                     .scale = numbers + 2 * n * n + 3 * n};
    double damping = FIRST_DAMPING, *from = search.step + n;
    positions_evaluate(state);
    for (size_t i = 0; i < MOST_STEPS && positions_miss(eq, state, NULL) > NEAR; i++)
        if (!improve(&search, from, &damping))
            break;
    base_free(numbers);
}
