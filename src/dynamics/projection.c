// projection.c: moves positions and velocities onto the conditions, by least changes.
//
// A step is the shortest dx with ∂f/∂x·dx = −f (by a rank-revealing factorization, so that
// conditions that follow from others do no harm); Newton's iteration with halved steps where the
// whole one does not help. The residual of a finite condition is measured by its largest term, that
// of b·q' + c by its largest part; velocities are measured by their inertia.
#include "dynamics/projection.h"
#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

// Residuals of this many roundings are as small as they get.
#define ROUNDINGS 8
// Above this miss a step that does not help is halved; below it, it is only rounding.
#define ROUGH         1e-12
#define MOST_HALVINGS 30
// Terms this much smaller than what the condition changes over the size of the coordinates are
// none. So is a velocity this much smaller than the speed of the whole: x' = 0 is never off by less
// than all of x'.
#define VANISHED 1e-6
// Residuals are refined above this part of the largest term. A coordinate counts as this large at
// least when it is measured by itself.
#define FINE   1e-14
#define LITTLE 1e-3
// What of a condition on velocities may be left, of its largest part.
#define KEPT        1e-9
#define MOST_NEWTON 8

typedef struct {
    size_t most_rows;
    LeastNorm sparse;
    // Of LAPACK, made on first use.
    double *matrix, *right, *work;
    lapack_int *pivots, work_size;
} LeastChange;

struct Projection {
    LeastChange of_positions, of_velocities;
    double *kept, *step; // n: where an iteration stood, and its step
    double *residuals;   // max(finite, m)
    // Positions.
    size_t *rows, row_count; // the finite conditions that count
    double *moves;           // n: 1, or 0 where a coordinate is held
    double *weights;         // n: a coordinate moves more easily, by its size
    double *least;           // finite: what a residual is measured by at least
    // Velocities.
    double speed; // what was fastest when they were first looked at
};

static void *room(State *state, size_t count, size_t bytes)
{
    return arena_alloc(state->arena, (count + 1) * bytes);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

void projection_new(const Equations *eq, State *state)
{
    size_t n = eq->n, count = eq->finite;
    Projection *projection = room(state, 1, sizeof *projection);
    projection->kept = room(state, n, sizeof(double));
    projection->step = room(state, n, sizeof(double));
    projection->residuals = room(state, larger(count, eq->m), sizeof(double));
    projection->rows = room(state, count, sizeof(size_t));
    projection->moves = room(state, n, sizeof(double));
    projection->weights = room(state, n, sizeof(double));
    projection->least = room(state, count, sizeof(double));
    for (size_t i = 0; i < count; i++)
        projection->rows[projection->row_count++] = i;
    projection->of_positions.most_rows = count;
    projection->of_velocities.most_rows = eq->m;
    state->projection = projection;
    positions_free_all(eq, state);
}

void projection_clear(State *state)
{
    least_norm_clear(&state->projection->of_positions.sparse);
    least_norm_clear(&state->projection->of_velocities.sparse);
}

// ---- The least change.

// Linear conditions on a change: row·change = residual. It is shortest in units of `scale`; what
// has none does not change.
typedef struct {
    const size_t *rows; // which of all rows count
    size_t count;
    const Pattern *filled;   // of all rows
    const double *values;    // n of each row
    const double *residuals; // of all rows
    const double *scale;     // n
} LinearConditions;

// Where few entries are filled; false where conditions nearly depend on each other.
static bool sparse_change(LeastNorm *sparse, const LinearConditions *linear, size_t n,
                          double *change)
{
    const Pattern *filled = linear->filled;
    least_norm_begin(sparse, n);
    for (size_t l = 0; l < linear->count; l++) {
        size_t i = linear->rows[l];
        for (size_t at = filled->begins[i]; at < filled->begins[i + 1]; at++) {
            size_t j = filled->places[at];
            if (linear->scale[j] != 0)
                least_norm_push(sparse, j, linear->values[i * n + j] * linear->scale[j]);
        }
        least_norm_end_row(sparse, linear->residuals[i]);
    }
    return least_norm_solve(sparse, change);
}

static void need_dense(State *state, LeastChange *least, size_t columns)
{
    size_t rows = least->most_rows, most = larger(rows, columns);
    if (least->matrix)
        return;
    least->matrix = room(state, rows * columns, sizeof(double));
    least->right = room(state, most, sizeof(double));
    least->pivots = room(state, columns, sizeof *least->pivots);
    double wish = 0;
    lapack_int rank = 0;
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, (lapack_int)rows, (lapack_int)columns, 1, least->matrix,
                        (lapack_int)rows, least->right, (lapack_int)most, least->pivots, TOL_RANK,
                        &rank, &wish, -1);
    least->work_size = (lapack_int)wish;
    least->work = room(state, (size_t)wish, sizeof(double));
}

static void dense_change(LeastChange *least, const LinearConditions *linear, size_t n,
                         double *change)
{
    size_t rows = linear->count, most = larger(rows, n);
    lapack_int rank = 0;
    memset(least->right, 0, most * sizeof(double));
    memset(least->pivots, 0, n * sizeof *least->pivots);
    for (size_t l = 0; l < rows; l++) {
        const double *row = linear->values + linear->rows[l] * n;
        double largest = 0;
        for (size_t j = 0; j < n; j++)
            largest = fmax(largest, fabs(row[j] * linear->scale[j]));
        // Conditions are measured by their own gradients; a power of two loses no digit.
        double unit = largest > 0 && isfinite(largest) ? ldexp(1, -ilogb(largest)) : 1;
        for (size_t j = 0; j < n; j++)
            least->matrix[j * rows + l] = unit * row[j] * linear->scale[j];
        least->right[l] = unit * linear->residuals[linear->rows[l]];
    }
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, (lapack_int)rows, (lapack_int)n, 1, least->matrix,
                        (lapack_int)rows, least->right, (lapack_int)most, least->pivots, TOL_RANK,
                        &rank, least->work, least->work_size);
    memcpy(change, least->right, n * sizeof *change);
}

static void least_change(const Equations *eq, State *state, LeastChange *least,
                         const LinearConditions *linear, double *change)
{
    size_t n = eq->n;
    assert(linear->count <= least->most_rows);
    if (linear->count == 0) {
        memset(change, 0, n * sizeof *change);
        return;
    }
    if (!eq->sparse_velocities || !sparse_change(&least->sparse, linear, n, change)) {
        need_dense(state, least, n);
        dense_change(least, linear, n, change);
    }
    for (size_t j = 0; j < n; j++)
        change[j] *= linear->scale[j];
}

// ---- Newton's iteration.

// What moves, and how its conditions are evaluated there: `miss` is what they are off by, `find`
// the change that takes them away to first order, in `step`.
typedef struct {
    double *x; // n
    double (*miss)(const Equations *eq, State *state);
    void (*find)(const Equations *eq, State *state);
} Target;

// By −part·step from where the iteration stood; the miss there.
static double move(const Equations *eq, State *state, const Target *target, double part)
{
    const Projection *projection = state->projection;
    for (size_t j = 0; j < eq->n; j++)
        target->x[j] = projection->kept[j] - part * projection->step[j];
    return target->miss(eq, state);
}

static double newton(const Equations *eq, State *state, const Target *target, size_t most)
{
    double miss = target->miss(eq, state);
    for (size_t i = 0; i < most && miss > ROUNDINGS * DBL_EPSILON && isfinite(miss); i++) {
        memcpy(state->projection->kept, target->x, eq->n * sizeof(double));
        target->find(eq, state);
        double part = 1, now = move(eq, state, target, part);
        for (size_t l = 0; l < MOST_HALVINGS && !(now < miss) && miss > ROUGH; l++) {
            part /= 2;
            now = move(eq, state, target, part);
        }
        if (!(now < miss)) {
            move(eq, state, target, 0);
            break;
        }
        miss = now;
    }
    return miss;
}

// ---- Positions.

void positions_free_all(const Equations *eq, State *state)
{
    for (size_t j = 0; j < eq->n; j++)
        state->projection->moves[j] = 1;
}

void positions_hold(State *state, size_t coordinate)
{
    state->projection->moves[coordinate] = 0;
}

bool positions_can_move(const State *state, size_t coordinate)
{
    return state->projection->moves[coordinate] != 0;
}

static bool any_moves(const Equations *eq, const State *state)
{
    bool any = false;
    for (size_t j = 0; j < eq->n && !any; j++)
        any = positions_can_move(state, j);
    return any;
}

void positions_leave_out(const Equations *eq, State *state)
{
    positions_evaluate(state);
    Projection *projection = state->projection;
    Basis basis;
    basis_init(&basis, eq->n);
    projection->row_count = 0;
    for (size_t i = 0; i < eq->finite; i++)
        if (basis_take(&basis, positions_jacobian(eq, state) + i * eq->n, TOL_RANK))
            projection->rows[projection->row_count++] = i;
    basis_clear(&basis);
}

void positions_measure_at_least(State *state, size_t condition, double size)
{
    state->projection->least[condition] = size;
}

void positions_evaluate(State *state)
{
    evaluator_run(&state->positions, state->inputs);
}

// A condition of one term (sin θ = 0) has nothing else to be measured by than how it changes
// over the size of the coordinates.
static double change_over_size(const Equations *eq, const State *state, size_t condition,
                               double size)
{
    const Pattern *filled = &eq->patterns.position;
    const double *row = positions_jacobian(eq, state) + condition * eq->n;
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

static double largest_term(const Equations *eq, const State *state, size_t condition, double least)
{
    const double *terms = positions_terms(eq, state);
    for (size_t i = eq->finite_conditions[condition].terms;
         i < eq->finite_conditions[condition + 1].terms; i++)
        least = fmax(least, fabs(terms[i]));
    return least;
}

static double scale_of(const Equations *eq, const State *state, size_t condition, double size)
{
    double least = state->projection->least[condition];
    if (eq->finite_conditions[condition + 1].terms - eq->finite_conditions[condition].terms == 1)
        return fmax(least, change_over_size(eq, state, condition, size));
    double largest = largest_term(eq, state, condition, least);
    // Roundings of the coordinates are felt also where all terms vanish.
    double felt = VANISHED * change_over_size(eq, state, condition, size);
    const Pattern *filled = &eq->patterns.position;
    const double *row = positions_jacobian(eq, state) + condition * eq->n;
    for (size_t l = filled->begins[condition]; l < filled->begins[condition + 1]; l++)
        felt = fmax(felt, fabs(row[filled->places[l]] * state->q[filled->places[l]]));
    return isfinite(felt) ? fmax(largest, felt) : largest;
}

double positions_scale(const Equations *eq, const State *state, size_t condition)
{
    assert(condition < eq->finite);
    return scale_of(eq, state, condition, size_of(eq, state));
}

double positions_miss(const Equations *eq, const State *state, size_t *worst)
{
    const Projection *projection = state->projection;
    double miss = 0, size = size_of(eq, state);
    for (size_t l = 0; l < projection->row_count; l++) {
        size_t i = projection->rows[l];
        double off = fabs(positions_f(state)[i]);
        if (off == 0)
            continue;
        double own = off / scale_of(eq, state, i, size);
        // Not a number counts as a miss, too.
        if (!(own <= miss)) {
            miss = isfinite(own) ? own : INFINITY;
            if (worst)
                *worst = i;
        }
    }
    return miss;
}

static LinearConditions position_conditions(const Equations *eq, const State *state,
                                            const double *residuals, const double *scale)
{
    return (LinearConditions){.rows = state->projection->rows,
                              .count = state->projection->row_count,
                              .filled = &eq->patterns.position,
                              .values = positions_jacobian(eq, state),
                              .residuals = residuals,
                              .scale = scale};
}

void positions_least_change(const Equations *eq, State *state, const double *residuals,
                            double *change)
{
    LinearConditions linear = position_conditions(eq, state, residuals, state->projection->moves);
    least_change(eq, state, &state->projection->of_positions, &linear, change);
}

static double miss_of_positions(const Equations *eq, State *state)
{
    positions_evaluate(state);
    return positions_miss(eq, state, NULL);
}

static void find_position_change(const Equations *eq, State *state)
{
    positions_least_change(eq, state, positions_f(state), state->projection->step);
}

// The same as positions_miss by the terms alone, where they have not vanished.
static double miss_by_terms(const Equations *eq, const State *state)
{
    const Projection *projection = state->projection;
    double miss = 0, size = size_of(eq, state);
    for (size_t l = 0; l < projection->row_count; l++) {
        size_t i = projection->rows[l];
        double off = fabs(positions_f(state)[i]);
        if (off != 0)
            miss = fmax(miss, off / largest_term(eq, state, i,
                                                 VANISHED * change_over_size(eq, state, i, size)));
    }
    return miss;
}

// An angle that has gone round many times is rounded coarsely, and small terms feel that. Those
// coordinates that are finer take it up: changes are measured by the coordinates themselves. None
// is moved by more than such roundings: a rope that hangs is not bent so that it is as long as it
// should be.
static void refine(const Equations *eq, State *state, const Target *target)
{
    Projection *projection = state->projection;
    double before = miss_by_terms(eq, state), most = 0;
    if (!(before > FINE))
        return;
    for (size_t j = 0; j < eq->n; j++)
        projection->weights[j] = projection->moves[j] / (fabs(state->q[j]) + LITTLE);
    LinearConditions linear =
        position_conditions(eq, state, positions_f(state), projection->weights);
    least_change(eq, state, &projection->of_positions, &linear, projection->step);
    for (size_t j = 0; j < eq->n; j++)
        most = fmax(most, fabs(projection->step[j]));
    if (!(most <= ROUNDINGS * DBL_EPSILON * size_of(eq, state)))
        return;
    memcpy(projection->kept, state->q, eq->n * sizeof(double));
    move(eq, state, target, 1);
    if (!(miss_by_terms(eq, state) < before))
        move(eq, state, target, 0);
}

double positions_project(const Equations *eq, State *state, size_t most)
{
    const Target target = {state->q, miss_of_positions, find_position_change};
    bool moves = any_moves(eq, state);
    double miss = newton(eq, state, &target, moves ? most : 0);
    if (miss > ROUGH || !moves)
        return miss;
    refine(eq, state, &target);
    return positions_miss(eq, state, NULL);
}

// ---- Velocities.

// b·q' + c; *size is its largest part.
static double residual(const Equations *eq, const State *state, size_t i, double *size)
{
    const Pattern *filled = &eq->patterns.velocity;
    const double *row = state->velocities.out + i * eq->n;
    double sum = state->velocities.out[eq->n * eq->n + i], speed = state->projection->speed;
    *size = fabs(sum);
    for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++) {
        size_t j = filled->places[l];
        double part = row[j] * state->v[j];
        sum += part;
        *size = fmax(*size, fabs(part));
        *size = fmax(*size, VANISHED * fabs(row[j]) * state->scale[j] * speed);
    }
    return sum;
}

static double miss_of_velocities(const Equations *eq, State *state)
{
    Projection *projection = state->projection;
    double worst = 0;
    // Rows that are linear do not feel a change of velocities.
    if (eq->nonlinear)
        evaluator_run(&state->velocities, state->inputs);
    // Where nothing is free the velocities become 0: what is left is measured by what they were.
    for (size_t j = 0; j < eq->n; j++)
        projection->speed = fmax(projection->speed, fabs(state->v[j]) / state->scale[j]);
    for (size_t i = 0; i < eq->m; i++) {
        double size, off = fabs(residual(eq, state, i, &size));
        double own = off > 0 ? off / size : 0;
        // Not a number counts as a miss, too.
        if (!(own <= worst))
            worst = isfinite(own) ? own : INFINITY;
    }
    return worst;
}

static void find_velocity_change(const Equations *eq, State *state)
{
    Projection *projection = state->projection;
    double size;
    for (size_t i = 0; i < eq->m; i++)
        projection->residuals[i] = residual(eq, state, i, &size);
    LinearConditions linear = {.rows = eq->independent.rows,
                               .count = eq->independent.count,
                               .filled = &eq->patterns.velocity,
                               .values = state->velocities.out,
                               .residuals = projection->residuals,
                               .scale = state->scale};
    least_change(eq, state, &projection->of_velocities, &linear, projection->step);
}

bool velocities_project(const Equations *eq, State *state)
{
    const Target target = {state->v, miss_of_velocities, find_velocity_change};
    if (eq->m == 0)
        return true;
    evaluator_run(&state->velocities, state->inputs);
    state->projection->speed = 0;
    return newton(eq, state, &target, MOST_NEWTON) <= KEPT;
}
