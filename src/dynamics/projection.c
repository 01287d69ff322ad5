// projection.c: moves coordinates onto the finite conditions, by least changes.
//
// A step is the shortest dq with ∂f/∂q·dq = −f (by a rank-revealing factorization, so that
// conditions that follow from others do no harm); Newton's iteration with halved steps where the
// whole one does not help. A residual is measured by the largest term of its condition.
#include "dynamics/projection.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Residuals of this many roundings are as small as they get.
#define ROUNDINGS 8
// Above this miss a step that does not help is halved; below it, it is only rounding.
#define ROUGH 1e-12
// Directions in which the conditions change less than this part do not count for a step.
#define RANK          1e-10
#define MOST_HALVINGS 30
// Terms this much smaller than what the condition changes over the size of the coordinates are
// none.
#define VANISHED 1e-6
// Residuals are refined above this part of the largest term. A coordinate counts as this large at
// least when it is measured by itself.
#define FINE   1e-14
#define LITTLE 1e-3

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

void projector_init(Projector *projector, const Equations *eq, const State *state)
{
    size_t n = eq->n, count = eq->finite, most = larger(larger(n, count), 1);
    *projector = (Projector){.f = state->positions.out,
                             .jacobian = state->positions.out + count,
                             .terms = state->positions.out + count * (n + 1)};
    projector->right = base_alloc(most * sizeof(double));
    projector->kept = base_alloc((n + 1) * sizeof(double));
    projector->residuals = base_alloc(most * sizeof(double));
    projector->free = base_alloc((n + 1) * sizeof *projector->free);
    projector->place = base_alloc((n + 1) * sizeof *projector->place);
    projector->left_out = base_alloc((count + 1) * sizeof *projector->left_out);
    projector->least = base_alloc((eq->finite + 1) * sizeof(double));
    projector_free_all(projector, eq);
}

void projector_clear(Projector *projector)
{
    base_free(projector->matrix);
    base_free(projector->right);
    base_free(projector->kept);
    base_free(projector->residuals);
    base_free(projector->pivots);
    base_free(projector->free);
    base_free(projector->place);
    base_free(projector->left_out);
    base_free(projector->least);
    base_free(projector->work);
    least_norm_clear(&projector->few);
    *projector = (Projector){0};
}

void projector_free_all(Projector *projector, const Equations *eq)
{
    projector->free_count = eq->n;
    for (size_t i = 0; i < eq->n; i++)
        projector->free[i] = i;
}

void projector_leave_out(Projector *projector, const Equations *eq, State *state)
{
    projector_evaluate(state);
    Basis basis;
    basis_init(&basis, eq->n);
    for (size_t i = 0; i < eq->finite; i++)
        projector->left_out[i] = !basis_take(&basis, projector->jacobian + i * eq->n, TOL_RANK);
    basis_clear(&basis);
}

void projector_evaluate(State *state)
{
    evaluator_run(&state->positions, state->inputs);
}

// A condition of one term (sin θ = 0) has nothing else to be measured by than how it changes
// over the size of the coordinates.
static double change_over_size(const Projector *projector, const Equations *eq, size_t condition,
                               double size)
{
    const Pattern *filled = &eq->position_pattern;
    const double *row = projector->jacobian + condition * eq->n;
    double change = 0;
    for (size_t l = filled->begins[condition]; l < filled->begins[condition + 1]; l++)
        change = fmax(change, fabs(row[filled->places[l]]));
    return change > 0 ? change * (size > 0 ? size : 1) : 1;
}

// The largest coordinate.
static double size_of(const Equations *eq, const State *state)
{
    double size = 0;
    for (size_t j = 0; j < eq->n; j++)
        size = fmax(size, fabs(state->q[j]));
    return size;
}

static double scale_of(const Projector *projector, const Equations *eq, const State *state,
                       size_t condition, double size)
{
    double largest = projector->least[condition];
    size_t first = eq->finite_terms[condition], end = eq->finite_terms[condition + 1];
    if (end - first == 1)
        return fmax(largest, change_over_size(projector, eq, condition, size));
    for (size_t i = first; i < end; i++)
        largest = fmax(largest, fabs(projector->terms[i]));
    // Roundings of the coordinates are felt also where all terms vanish.
    double felt = VANISHED * change_over_size(projector, eq, condition, size);
    const Pattern *filled = &eq->position_pattern;
    const double *row = projector->jacobian + condition * eq->n;
    for (size_t l = filled->begins[condition]; l < filled->begins[condition + 1]; l++)
        felt = fmax(felt, fabs(row[filled->places[l]] * state->q[filled->places[l]]));
    return isfinite(felt) ? fmax(largest, felt) : largest;
}

double projector_scale(const Projector *projector, const Equations *eq, const State *state,
                       size_t condition)
{
    return scale_of(projector, eq, state, condition, size_of(eq, state));
}

double projector_miss(const Projector *projector, const Equations *eq, const State *state,
                      size_t *worst)
{
    double miss = 0, size = size_of(eq, state);
    for (size_t i = 0; i < eq->finite; i++) {
        if (projector->f[i] == 0 || projector->left_out[i])
            continue;
        double own = fabs(projector->f[i]) / scale_of(projector, eq, state, i, size);
        // Not a number counts as a miss, too.
        if (!(own <= miss)) {
            miss = isfinite(own) ? own : INFINITY;
            if (worst)
                *worst = i;
        }
    }
    return miss;
}

// The same in a large system with few entries; false where conditions nearly depend on each other.
static bool few_least_change(Projector *projector, const Equations *eq, const double *residuals)
{
    size_t n = eq->n, none = projector->free_count;
    const Pattern *filled = &eq->position_pattern;
    LeastNorm *few = &projector->few;
    for (size_t j = 0; j < n; j++)
        projector->place[j] = none;
    for (size_t j = 0; j < projector->free_count; j++)
        projector->place[projector->free[j]] = j;
    least_norm_begin(few, projector->free_count);
    for (size_t i = 0; i < eq->finite; i++) {
        if (projector->left_out[i])
            continue;
        for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++)
            if (projector->place[filled->places[l]] != none)
                least_norm_push(few, projector->place[filled->places[l]],
                                projector->jacobian[i * n + filled->places[l]]);
        least_norm_end_row(few, residuals[i]);
    }
    return least_norm_solve(few, projector->right);
}

// Room for LAPACK, made on first use.
static void need_matrix(Projector *projector, const Equations *eq)
{
    size_t n = eq->n, count = eq->finite, most = larger(larger(n, count), 1);
    if (projector->matrix)
        return;
    projector->matrix = base_alloc((n * count + 1) * sizeof(double));
    projector->pivots = base_alloc(most * sizeof *projector->pivots);
    double wish = 0;
    lapack_int rank = 0;
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, (lapack_int)larger(count, 1), (lapack_int)larger(n, 1), 1,
                        projector->matrix, (lapack_int)larger(count, 1), projector->right,
                        (lapack_int)most, projector->pivots, RANK, &rank, &wish, -1);
    projector->work_size = (lapack_int)wish;
    projector->work = base_alloc((size_t)wish * sizeof(double));
}

void projector_least_change(Projector *projector, const Equations *eq, const double *residuals)
{
    size_t count = eq->finite, columns = projector->free_count;
    if (columns == 0 || count == 0)
        return;
    if (eq->sparse_velocities && few_least_change(projector, eq, residuals))
        return;
    need_matrix(projector, eq);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < columns; j++)
            projector->matrix[j * count + i] =
                projector->left_out[i] ? 0 : projector->jacobian[i * eq->n + projector->free[j]];
    memset(projector->right, 0, larger(count, columns) * sizeof(double));
    for (size_t i = 0; i < count; i++)
        projector->right[i] = projector->left_out[i] ? 0 : residuals[i];
    memset(projector->pivots, 0, columns * sizeof *projector->pivots);
    lapack_int rank = 0;
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, (lapack_int)count, (lapack_int)columns, 1,
                        projector->matrix, (lapack_int)count, projector->right,
                        (lapack_int)larger(count, columns), projector->pivots, RANK, &rank,
                        projector->work, projector->work_size);
}

// Moves by −part·right from where the iteration stood; returns the miss there.
static double move(Projector *projector, const Equations *eq, State *state, double part)
{
    memcpy(state->q, projector->kept, eq->n * sizeof(double));
    for (size_t j = 0; j < projector->free_count; j++)
        state->q[projector->free[j]] -= part * projector->right[j];
    projector_evaluate(state);
    return projector_miss(projector, eq, state, NULL);
}

// The same as projector_miss by the terms alone, where they have not vanished.
static double miss_by_terms(const Projector *projector, const Equations *eq, const State *state)
{
    double miss = 0, size = size_of(eq, state);
    for (size_t i = 0; i < eq->finite; i++) {
        double largest = VANISHED * change_over_size(projector, eq, i, size);
        for (size_t j = eq->finite_terms[i]; j < eq->finite_terms[i + 1]; j++)
            largest = fmax(largest, fabs(projector->terms[j]));
        if (!projector->left_out[i] && projector->f[i] != 0)
            miss = fmax(miss, fabs(projector->f[i]) / largest);
    }
    return miss;
}

// An angle that has gone round many times is rounded coarsely, and small terms feel that. Those
// coordinates that are finer take it up: changes are measured by the coordinates themselves. None
// is moved by more than such roundings: a rope that hangs is not bent so that it is as long as it
// should be.
static void refine(Projector *projector, const Equations *eq, State *state)
{
    double before = miss_by_terms(projector, eq, state);
    if (!(before > FINE))
        return;
    memcpy(projector->kept, state->q, eq->n * sizeof(double));
    const Pattern *filled = &eq->position_pattern;
    for (size_t i = 0; i < eq->finite; i++)
        for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++) {
            size_t j = filled->places[l];
            projector->jacobian[i * eq->n + j] /= fabs(state->q[j]) + LITTLE;
        }
    projector_least_change(projector, eq, projector->f);
    double most = 0;
    for (size_t a = 0; a < projector->free_count; a++) {
        projector->right[a] /= fabs(state->q[projector->free[a]]) + LITTLE;
        most = fmax(most, fabs(projector->right[a]));
    }
    bool rounded = most <= ROUNDINGS * DBL_EPSILON * size_of(eq, state);
    move(projector, eq, state, rounded ? 1 : 0);
    if (rounded && !(miss_by_terms(projector, eq, state) < before))
        move(projector, eq, state, 0);
}

double projector_project(Projector *projector, const Equations *eq, State *state, size_t most)
{
    projector_evaluate(state);
    double miss = projector_miss(projector, eq, state, NULL);
    for (size_t step = 0; step < most; step++) {
        if (miss <= ROUNDINGS * DBL_EPSILON || !isfinite(miss) || projector->free_count == 0)
            break;
        memcpy(projector->kept, state->q, eq->n * sizeof(double));
        projector_least_change(projector, eq, projector->f);
        double part = 1, now = move(projector, eq, state, part);
        for (size_t i = 0; i < MOST_HALVINGS && !(now < miss) && miss > ROUGH; i++) {
            part /= 2;
            now = move(projector, eq, state, part);
        }
        if (!(now < miss)) {
            move(projector, eq, state, 0);
            break;
        }
        miss = now;
    }
    if (miss > ROUGH || projector->free_count == 0)
        return miss;
    refine(projector, eq, state);
    return projector_miss(projector, eq, state, NULL);
}
