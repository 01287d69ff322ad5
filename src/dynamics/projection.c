// projection.c: moves positions and velocities onto the conditions, by least changes.
//
// A step is the shortest dx with ∂f/∂x·dx = −f (by a rank-revealing factorization, so that
// conditions that follow from others do no harm); Newton's iteration with halved steps where the
// whole one does not help. The residual of a finite condition is measured by its largest term, that
// of b·q' + c by its largest part; velocities are measured by their inertia.
#include "dynamics/projection.h"
#include "dynamics/pattern.h"
#include "linalg/dense.h"
#include "linalg/least_norm.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

struct Projection {
    LeastNorm of_positions, of_velocities;
    double *kept, *step; // n: where an iteration stood, and its step
    // Positions.
    size_t *rows, row_count; // the finite conditions that count
    size_t *first;           // those that did at the start
    double *moves;           // n: 1, or 0 where a coordinate is held
    double *weights;         // n: a coordinate moves more easily, by its size
    double *least;           // finite: what a residual is measured by at least
    double rounding;         // of the longest of their sums
    // Velocities.
    double *residuals; // m
    double speed;      // what was fastest when they were first looked at
    double rounding_v; // of the longest b·q' + c
};

// Of the largest of so many terms: what rounding may leave of their sum where it is 0.
static double rounding_of(size_t terms)
{
    return (double)terms * DBL_EPSILON;
}

void projection_new(const Equations *eq, State *state)
{
    assert(!state->projection);
    Arena *arena = state->arena;
    Projection *projection = arena_alloc(arena, sizeof *projection);
    *projection = (Projection){.rows = arena_array(arena, size_t, eq->finite + 1),
                               .first = arena_array(arena, size_t, eq->finite + 1),
                               .row_count = eq->finite,
                               .least = real_alloc(arena, eq->finite),
                               .residuals = real_alloc(arena, eq->m)};
    real_alloc_each(arena, eq->n, &projection->kept, &projection->step, &projection->moves,
                    &projection->weights);
    const uint32_t *entries = eq->patterns->velocity.begins;
    for (size_t i = 0; i < eq->finite; i++) {
        double own =
            rounding_of(eq->finite_conditions[i + 1].terms - eq->finite_conditions[i].terms);
        projection->rounding = fmax(projection->rounding, own);
        projection->rows[i] = i;
    }
    for (size_t i = 0; i < eq->m; i++)
        projection->rounding_v =
            fmax(projection->rounding_v, rounding_of(entries[i + 1] - entries[i] + 1));
    state->projection = projection;
    positions_free_all(eq, state);
}

void projection_clear(State *state)
{
    least_norm_clear(&state->projection->of_positions);
    least_norm_clear(&state->projection->of_velocities);
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

static void least_change(const Equations *eq, LeastNorm *norm, const LinearConditions *linear,
                         double *change)
{
    const Pattern *filled = linear->filled;
    size_t n = eq->n;
    assert(linear->count <= eq->finite || linear->count <= eq->m);
    least_norm_begin(norm, n, eq->sparse_velocities);
    for (size_t l = 0; l < linear->count; l++) {
        size_t i = linear->rows[l];
        for (size_t at = filled->begins[i]; at < filled->begins[i + 1]; at++) {
            size_t j = filled->places[at];
            if (linear->scale[j] != 0)
                least_norm_push(norm, j, linear->values[i * n + j] * linear->scale[j]);
        }
        least_norm_end_row(norm, linear->residuals[i]);
    }
    least_norm_solve(norm, change);
    for (size_t j = 0; j < n; j++)
        change[j] *= linear->scale[j];
}

// ---- Newton's iteration.

// What moves, and how its conditions are evaluated there: `miss` is what they are off by, `find`
// the change that takes them away to first order, in `step`.
typedef struct {
    double *x;     // n
    double enough; // a miss that is a rounding
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

// Until the miss is a rounding; a step that does not help is halved, down to one.
static double newton(const Equations *eq, State *state, const Target *target, size_t most)
{
    assert(most > 0);
    double miss = target->miss(eq, state);
    for (size_t i = 0; i < most && miss > target->enough && isfinite(miss); i++) {
        memcpy(state->projection->kept, target->x, eq->n * sizeof(double));
        target->find(eq, state);
        double part = 1, now = move(eq, state, target, part);
        while (!(now < miss) && miss > TOL_ZERO && part > TOL_ROUNDING) {
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
        state->projection->moves[j] = eq->motion->model->coords.at[j].is_state ? 0 : 1;
}

double *positions_moves(State *state)
{
    return state->projection->moves;
}

void positions_leave_out(const Equations *eq, State *state)
{
    positions_evaluate(state);
    Projection *projection = state->projection;
    Basis basis;
    basis_init(&basis, state->arena, eq->n, eq->n);
    projection->row_count = 0;
    for (size_t i = 0; i < eq->finite; i++)
        if (basis_take(&basis, positions_jacobian(eq, state) + i * eq->n, TOL_RANK))
            projection->rows[projection->row_count++] = i;
    memcpy(projection->first, projection->rows, projection->row_count * sizeof *projection->rows);
}

bool positions_choose(const Equations *eq, State *state, State *at)
{
    Projection *projection = state->projection;
    size_t n = eq->n, bytes = eq->finite * n * sizeof(double);
    double *matrix = base_alloc(bytes + eq->finite * sizeof(double) + 1);
    double *sizes = matrix + eq->finite * n;
    positions_evaluate(at);
    memcpy(matrix, positions_jacobian(eq, at), bytes);
    for (size_t i = 0; i < eq->finite; i++)
        sizes[i] = real_length(matrix + i * n, n);
    bool chosen = rows_choose(matrix, eq->finite, n, sizes, projection->row_count, TOL_COARSE,
                              projection->rows);
    base_free(matrix);
    return chosen;
}

void positions_choose_first(State *state)
{
    Projection *projection = state->projection;
    memcpy(projection->rows, projection->first, projection->row_count * sizeof *projection->rows);
}

void positions_measure_at_least(State *state, size_t condition, double size)
{
    assert(size >= 0);
    state->projection->least[condition] = size;
}

void positions_evaluate(State *state)
{
    evaluator_run(&state->positions, state->inputs);
}

// What the residual of a condition is measured by, coordinates of this size: its largest term;
// where it may be `felt`, also by the roundings of the coordinates.
static double scale_of(const Equations *eq, const State *state, size_t condition, double size,
                       bool felt)
{
    const Pattern *filled = &eq->patterns->position;
    const double *row = positions_jacobian(eq, state) + condition * eq->n;
    double change = 0, own = 0;
    for (size_t l = filled->begins[condition]; l < filled->begins[condition + 1]; l++) {
        size_t j = filled->places[l];
        change = fmax(change, fabs(row[j]));
        own = fmax(own, fabs(row[j] * state->q[j]));
    }
    change = change > 0 ? change * (size > 0 ? size : 1) : 1;
    size_t first = eq->finite_conditions[condition].terms;
    size_t end = eq->finite_conditions[condition + 1].terms;
    double least = state->projection->least[condition];
    // A condition of one term (sin θ = 0) has nothing else to be measured by than how it changes
    // over the size of the coordinates.
    if (felt && end - first == 1)
        return fmax(least, change);
    // Terms that are negligible against that are none.
    double largest = felt ? least : TOL_SMALL * change;
    for (size_t i = first; i < end; i++)
        largest = fmax(largest, fabs(positions_terms(eq, state)[i]));
    // Roundings of the coordinates are felt also where all terms vanish.
    own = fmax(own, TOL_SMALL * change);
    return felt && isfinite(own) ? fmax(largest, own) : largest;
}

double positions_scale(const Equations *eq, const State *state, size_t condition)
{
    assert(condition < eq->finite);
    return scale_of(eq, state, condition, real_largest(state->q, eq->n), true);
}

static double miss_by(const Equations *eq, const State *state, bool felt, size_t *worst)
{
    const Projection *projection = state->projection;
    double miss = 0, size = real_largest(state->q, eq->n);
    for (size_t l = 0; l < projection->row_count; l++) {
        size_t i = projection->rows[l];
        double off = fabs(positions_f(state)[i]);
        if (off == 0)
            continue;
        double own = off / scale_of(eq, state, i, size, felt);
        // Not a number counts as a miss, too.
        if (!(own <= miss)) {
            miss = isfinite(own) ? own : INFINITY;
            if (worst)
                *worst = i;
        }
    }
    return miss;
}

double positions_miss(const Equations *eq, const State *state, size_t *worst)
{
    return miss_by(eq, state, true, worst);
}

void positions_least_change(const Equations *eq, State *state, const double *residuals,
                            const double *scale, double *change)
{
    LinearConditions linear = {.rows = state->projection->rows,
                               .count = state->projection->row_count,
                               .filled = &eq->patterns->position,
                               .values = positions_jacobian(eq, state),
                               .residuals = residuals,
                               .scale = scale};
    least_change(eq, &state->projection->of_positions, &linear, change);
}

static double miss_of_positions(const Equations *eq, State *state)
{
    positions_evaluate(state);
    return positions_miss(eq, state, NULL);
}

static void find_position_change(const Equations *eq, State *state)
{
    const Projection *projection = state->projection;
    positions_least_change(eq, state, positions_f(state), projection->moves, projection->step);
}

// An angle that has gone round many times is rounded coarsely, and small terms feel that. Those
// coordinates that are finer take it up: changes are measured by the coordinates themselves. None
// is moved by more than such roundings: a rope that hangs is not bent so that it is as long as it
// should be.
static void refine(const Equations *eq, State *state, const Target *target)
{
    Projection *projection = state->projection;
    double before = miss_by(eq, state, false, NULL), size = real_largest(state->q, eq->n);
    if (!(before > TOL_ROUNDING && size > 0))
        return;
    for (size_t j = 0; j < eq->n; j++)
        projection->weights[j] = projection->moves[j] / (fabs(state->q[j]) / size + TOL_COARSE);
    positions_least_change(eq, state, positions_f(state), projection->weights, projection->step);
    if (!(real_largest(projection->step, eq->n) <= projection->rounding * size))
        return;
    memcpy(projection->kept, state->q, eq->n * sizeof(double));
    move(eq, state, target, 1);
    if (!(miss_by(eq, state, false, NULL) < before))
        move(eq, state, target, 0);
}

double positions_project(const Equations *eq, State *state, size_t most)
{
    const Target target = {state->q, state->projection->rounding, miss_of_positions,
                           find_position_change};
    if (real_largest(state->projection->moves, eq->n) == 0)
        return miss_of_positions(eq, state);
    double miss = newton(eq, state, &target, most);
    if (miss > TOL_ZERO)
        return miss;
    refine(eq, state, &target);
    return positions_miss(eq, state, NULL);
}

double positions_project_among(const Equations *eq, State *state, size_t most, const double *sizes)
{
    double *least = state->projection->least;
    const Pattern *filled = &eq->patterns->position;
    double *kept = base_alloc((eq->finite + 1) * sizeof *kept);
    memcpy(kept, least, eq->finite * sizeof *kept);
    positions_evaluate(state);
    for (size_t i = 0; i < eq->finite; i++)
        for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++) {
            size_t j = filled->places[l];
            double part = positions_jacobian(eq, state)[i * eq->n + j] * sizes[j];
            least[i] = fmax(least[i], TOL_SMALL * fabs(part));
        }
    double miss = positions_project(eq, state, most);
    memcpy(least, kept, eq->finite * sizeof *kept);
    base_free(kept);
    return miss;
}

// ---- Velocities.

// b·q' + c; *size is its largest part.
static double residual(const Equations *eq, const State *state, size_t i, double *size)
{
    const Pattern *filled = &eq->patterns->velocity;
    const double *row = state->velocities.out + i * eq->n;
    double sum = state->velocities.out[eq->n * eq->n + i], speed = state->projection->speed;
    *size = fabs(sum);
    for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++) {
        size_t j = filled->places[l];
        double part = row[j] * state->v[j];
        sum += part;
        *size = fmax(*size, fabs(part));
        // x' = 0 is never off by less than all of x': what is slow against the whole is none.
        *size = fmax(*size, TOL_SMALL * fabs(row[j]) * state->scale[j] * speed);
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
                               .filled = &eq->patterns->velocity,
                               .values = state->velocities.out,
                               .residuals = projection->residuals,
                               .scale = state->scale};
    least_change(eq, &projection->of_velocities, &linear, projection->step);
}

bool velocities_project(const Equations *eq, State *state)
{
    const Target target = {state->v, state->projection->rounding_v, miss_of_velocities,
                           find_velocity_change};
    if (eq->m == 0)
        return true;
    evaluator_run(&state->velocities, state->inputs);
    state->projection->speed = 0;
    return newton(eq, state, &target, LIMIT_STEPS) <= TOL_CONDITION;
}

// A rate may hold those of states before it.
void velocities_follow_states(const Equations *eq, State *state)
{
    const Motion *motion = eq->motion;
    bool changed = motion->model->rated_count > 0;
    for (size_t pass = 0; pass <= motion->model->rated_count && changed; pass++) {
        changed = false;
        evaluator_run(&state->velocities, state->inputs);
        for (size_t i = 0; i < eq->m; i++) {
            size_t rated = motion->rows[i].constraint->rated;
            double size, off = rated ? residual(eq, state, i, &size) : 0;
            changed = changed || off != 0;
            state->v[rated ? rated - 1 : 0] -= off;
        }
    }
}
