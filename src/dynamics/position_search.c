// position_search.c: positions that meet the finite conditions, from far away.
//
// Newton's steps of least change are for the last part of the way. Before it the sum of the squared
// residuals, each measured by the largest term of its condition, is brought down by Levenberg's and
// Marquardt's steps: (JᵀJ + μ·diag JᵀJ)·dq = −Jᵀf, μ growing until a step helps. They stand
// conditions that follow from each other at the goal, and lead around where J loses rank.
#include "dynamics/projection.h"

#include <float.h>
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
    Projector *projector;
    const Equations *eq;
    State *state;
    size_t size, count; // free coordinates, conditions
    double *scale;      // of the conditions, at the present position
    double *matrix;     // JᵀJ
    double *damped;     // the same with damping, then its factors
    double *slope;      // Jᵀf
    double *step;
} Search;

static double merit(const Search *search)
{
    double sum = 0;
    for (size_t i = 0; i < search->count; i++)
        sum += pow(search->projector->f[i] / search->scale[i], 2);
    return sum;
}

static void look(Search *search)
{
    const Projector *projector = search->projector;
    size_t size = search->size, n = search->eq->n;
    memset(search->matrix, 0, size * size * sizeof(double));
    memset(search->slope, 0, size * sizeof(double));
    for (size_t i = 0; i < search->count; i++) {
        double scale = projector_scale(projector, search->eq, search->state, i);
        search->scale[i] = scale > 0 && isfinite(scale) ? scale : 1;
        double weight = 1 / (search->scale[i] * search->scale[i]);
        const double *row = projector->jacobian + i * n;
        for (size_t a = 0; a < size; a++) {
            double own = weight * row[projector->free[a]];
            search->slope[a] += own * projector->f[i];
            for (size_t b = 0; own != 0 && b < size; b++)
                search->matrix[a * size + b] += own * row[projector->free[b]];
        }
    }
}

static bool find_step(Search *search, double damping)
{
    size_t size = search->size;
    lapack_int order = (lapack_int)size;
    double most = 0;
    for (size_t a = 0; a < size; a++)
        most = fmax(most, search->matrix[a * size + a]);
    memcpy(search->damped, search->matrix, size * size * sizeof(double));
    for (size_t a = 0; a < size; a++) {
        double own = fmax(search->matrix[a * size + a], UNFELT * most);
        search->damped[a * size + a] += damping * own;
    }
    memcpy(search->step, search->slope, size * sizeof(double));
    return LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', order, 1, search->damped, order, search->step,
                              order) == 0;
}

static void go(Search *search, const double *from)
{
    const Equations *eq = search->eq;
    State *state = search->state;
    memcpy(state->q, from, eq->n * sizeof(double));
    for (size_t a = 0; a < search->size; a++)
        state->q[search->projector->free[a]] -= search->step[a];
    projector_evaluate(state);
}

// One step that helps; false where there is none.
static bool improve(Search *search, double *from, double *damping)
{
    const Equations *eq = search->eq;
    State *state = search->state;
    memcpy(from, state->q, eq->n * sizeof(double));
    look(search);
    double before = merit(search);
    for (; *damping < MOST_DAMPING; *damping *= MORE) {
        if (!find_step(search, *damping))
            continue;
        go(search, from);
        if (merit(search) < before * (1 - DBL_EPSILON)) {
            *damping = fmax(*damping * LESS, DBL_EPSILON);
            return true;
        }
    }
    memcpy(state->q, from, eq->n * sizeof(double));
    projector_evaluate(state);
    return false;
}

void projector_search(Projector *projector, const Equations *eq, State *state)
{
    size_t size = projector->free_count, count = eq->finite;
    if (size == 0 || count == 0)
        return;
    double *room = base_alloc((2 * size * size + 2 * size + count + eq->n) * sizeof *room);
    Search search = {projector,
                     eq,
                     state,
                     size,
                     count,
                     .matrix = room,
                     .damped = room + size * size,
                     .slope = room + 2 * size * size,
                     .step = room + 2 * size * size + size,
                     .scale = room + 2 * size * size + 2 * size};
    double damping = FIRST_DAMPING, *from = search.scale + count;
    projector_evaluate(state);
    for (size_t i = 0; i < MOST_STEPS && projector_miss(projector, eq, state, NULL) > NEAR; i++)
        if (!improve(&search, from, &damping))
            break;
    base_free(room);
}
