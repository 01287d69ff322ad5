// velocity_projection.c: all velocities, kept to the conditions.
//
// Where a condition or a speed is not linear in the velocities, and in large systems, a run carries
// all velocities, and the accelerations keep f' = 0. What rounding and the method leave of f is
// taken away after every step: Newton's iteration by least changes, b·dv = −f, velocities measured
// by their inertia.
//
// Where ∂f/∂q' vanishes, at the vertex of a cone of velocities, the condition no longer says how
// the velocities may change, and there is no motion beyond. A step must not pass over such a
// place: the row may turn, from a step to the next, by less than a right angle.
#include "dynamics/projection.h"
#include "dynamics/speed_choice.h"
#include "dynamics/workspace_impl.h"
#include "motion/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

// What of a condition may be left, of its largest part; and of a row's turn, its least cosine.
#define KEPT      1e-9
#define ROUNDINGS 8
// A condition all of whose parts are as good as 0 is measured by this part of what they would be at
// the speed of the whole: x' = 0 is never off by less than all of x'.
#define SLOW        1e-6
#define TURNS       0.1
#define MOST_NEWTON 8
// Directions in which the conditions change less than this part do not count for a step.
#define RANK 1e-12
// A row below this part of what it has come to is none; and below the other one, at the start.
#define VANISHED 1e-12
#define NOTHING  1e-30
// A motion that goes no further with a row below this part has come to such a place.
#define VANISHING 1e-7

struct VelocityProjector {
    double *matrix, *right, *work; // m × n, max(m, n)
    double *former;                // m × n: rows of the last state that was kept
    bool has_former;
    double *largest; // m: what the entries of each row have come to
    lapack_int *pivots, work_size;
    LeastNorm few; // of conditions that are linear, with few entries
};

// Room for LAPACK; a large system has none before it needs some.
static void need_matrix(VelocityProjector *velocity_projector, const Equations *eq)
{
    size_t n = eq->n, m = eq->m, most = (n > m ? n : m) + 1;
    if (velocity_projector->matrix)
        return;
    velocity_projector->matrix = base_alloc((2 * m * n + m + most) * sizeof(double));
    velocity_projector->former = velocity_projector->matrix + m * n;
    velocity_projector->largest = velocity_projector->former + m * n;
    velocity_projector->right = velocity_projector->largest + m;
    velocity_projector->pivots = base_alloc((n + 1) * sizeof *velocity_projector->pivots);
    double wish = 0;
    lapack_int rank = 0, rows = (lapack_int)(m > 0 ? m : 1), columns = (lapack_int)n;
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, rows, columns, 1, velocity_projector->matrix, rows,
                        velocity_projector->right, (lapack_int)most, velocity_projector->pivots,
                        RANK, &rank, &wish, -1);
    velocity_projector->work_size = (lapack_int)wish;
    velocity_projector->work = base_alloc(((size_t)wish + 1) * sizeof(double));
}

VelocityProjector *velocity_projector_new(const Equations *eq)
{
    VelocityProjector *velocity_projector = base_alloc(sizeof *velocity_projector);
    if (eq->nonlinear)
        need_matrix(velocity_projector, eq);
    return velocity_projector;
}

void velocity_projector_free(VelocityProjector *velocity_projector)
{
    if (!velocity_projector)
        return;
    least_norm_clear(&velocity_projector->few);
    base_free(velocity_projector->matrix);
    base_free(velocity_projector->pivots);
    base_free(velocity_projector->work);
    base_free(velocity_projector);
}

// ---- Newton's iteration.

static double residual(const Equations *eq, const State *state, size_t i)
{
    const Pattern *filled = &eq->velocity_pattern;
    const double *row = state->velocities.out + i * eq->n;
    double sum = state->velocities.out[eq->n * eq->n + i];
    for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++)
        sum += row[filled->places[l]] * state->v[filled->places[l]];
    return sum;
}

static double fastest(const Equations *eq, const State *state)
{
    double most = 0;
    for (size_t j = 0; j < eq->n; j++)
        most = fmax(most, fabs(state->v[j]) / state->scale[j]);
    return most;
}

// The largest residual, each against the largest part of b·q' + c.
static double miss(const Equations *eq, const State *state, double speed)
{
    size_t n = eq->n;
    const Pattern *filled = &eq->velocity_pattern;
    double worst = 0;
    for (size_t i = 0; i < eq->m; i++) {
        const double *row = state->velocities.out + i * n;
        double off = fabs(residual(eq, state, i)), size = fabs(state->velocities.out[n * n + i]);
        for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++) {
            size_t j = filled->places[l];
            size = fmax(size, fabs(row[j] * state->v[j]));
            size = fmax(size, SLOW * fabs(row[j]) * state->scale[j] * speed);
        }
        double own = off > 0 ? off / size : 0;
        // Not a number counts as a miss, too.
        if (!(own <= worst))
            worst = isfinite(own) ? own : INFINITY;
    }
    return worst;
}

// The same where few entries are filled; false where conditions nearly depend on each other.
static bool few_step(VelocityProjector *velocity_projector, const Equations *eq, State *state)
{
    size_t n = eq->n;
    const Pattern *filled = &eq->velocity_pattern;
    double *change = state->work->right;
    least_norm_begin(&velocity_projector->few, n);
    for (size_t l = 0; l < eq->independent.count; l++) {
        size_t i = eq->independent.rows[l];
        for (size_t at = filled->begins[i]; at < filled->begins[i + 1]; at++) {
            size_t j = filled->places[at];
            least_norm_push(&velocity_projector->few, j,
                            state->velocities.out[i * n + j] * state->scale[j]);
        }
        least_norm_end_row(&velocity_projector->few, residual(eq, state, i));
    }
    if (!least_norm_solve(&velocity_projector->few, change))
        return false;
    for (size_t j = 0; j < n; j++)
        state->v[j] -= state->scale[j] * change[j];
    return true;
}

static void newton_step(VelocityProjector *velocity_projector, const Equations *eq, State *state)
{
    size_t n = eq->n, m = eq->m, most = n > m ? n : m;
    if (eq->sparse_velocities && !eq->nonlinear && few_step(velocity_projector, eq, state))
        return;
    need_matrix(velocity_projector, eq);
    memset(velocity_projector->right, 0, most * sizeof(double));
    for (size_t i = 0; i < m; i++) {
        const double *row = state->velocities.out + i * n;
        for (size_t j = 0; j < n; j++)
            velocity_projector->matrix[j * m + i] = row[j] * state->scale[j];
        velocity_projector->right[i] = residual(eq, state, i);
    }
    memset(velocity_projector->pivots, 0, n * sizeof *velocity_projector->pivots);
    lapack_int rank = 0;
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)n, 1,
                        velocity_projector->matrix, (lapack_int)m, velocity_projector->right,
                        (lapack_int)most, velocity_projector->pivots, RANK, &rank,
                        velocity_projector->work, velocity_projector->work_size);
    for (size_t j = 0; j < n; j++)
        state->v[j] -= state->scale[j] * velocity_projector->right[j];
}

// After a change of velocities; rows that are linear do not feel it.
static void evaluate_rows(const Equations *eq, State *state)
{
    if (eq->nonlinear)
        evaluator_run(&state->velocities, state->inputs);
}

bool velocity_projector_project(const Equations *eq, State *state)
{
    if (eq->m == 0)
        return true;
    evaluator_run(&state->velocities, state->inputs);
    // Where nothing is free the velocities become 0: what is left is measured by what they were.
    double before = eq->nonlinear ? 0 : fastest(eq, state);
    double now = miss(eq, state, fastest(eq, state));
    for (size_t i = 0; i < MOST_NEWTON && now > ROUNDINGS * DBL_EPSILON && isfinite(now); i++) {
        memcpy(state->work->kept, state->v, eq->n * sizeof(double));
        newton_step(state->velocity_projector, eq, state);
        evaluate_rows(eq, state);
        double next = miss(eq, state, fmax(before, fastest(eq, state)));
        if (!(next < now)) {
            memcpy(state->v, state->work->kept, eq->n * sizeof(double));
            evaluate_rows(eq, state);
            break;
        }
        now = next;
    }
    return now <= KEPT;
}

// ---- Rows that vanish.

static double cosine(const double *a, const double *b, const double *scale, size_t n)
{
    double aa = 0, bb = 0, ab = 0;
    for (size_t j = 0; j < n; j++) {
        double x = a[j] * scale[j], y = b[j] * scale[j];
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

bool velocity_projector_row_turned(const Equations *eq, State *state)
{
    VelocityProjector *velocity_projector = state->velocity_projector;
    size_t n = eq->n;
    for (size_t i = 0; i < eq->m && velocity_projector->has_former; i++) {
        if (eq->motion->rows[i].linear)
            continue;
        double turned = cosine(state->velocities.out + i * n, velocity_projector->former + i * n,
                               state->scale, n);
        if (!(turned > TURNS)) {
            state->failure.singular_row = i;
            return true;
        }
    }
    memcpy(velocity_projector->former, state->velocities.out, eq->m * n * sizeof(double));
    velocity_projector->has_former = true;
    return false;
}

void velocity_projector_begin(const Equations *eq, State *state)
{
    state->velocity_projector->has_former = false;
    memset(state->velocity_projector->largest, 0, eq->m * sizeof(double));
}

static bool find_below(const Equations *eq, State *state, double part)
{
    size_t n = eq->n;
    for (size_t i = 0; i < eq->m; i++) {
        double largest = 0, *most = &state->velocity_projector->largest[i];
        for (size_t j = 0; j < n; j++)
            largest = fmax(largest, fabs(state->velocities.out[i * n + j]));
        if (!eq->motion->rows[i].linear && !(largest > fmax(part * *most, NOTHING))) {
            state->failure.singular_row = i;
            return true;
        }
        *most = fmax(*most, largest);
    }
    return false;
}

bool velocity_projector_find_singular(const Equations *eq, State *state)
{
    return find_below(eq, state, VANISHED);
}

bool velocity_projector_find_vanishing(const Equations *eq, State *state)
{
    return find_below(eq, state, VANISHING);
}

void velocity_projector_add_state(const Equations *eq, const State *state, Text *text)
{
    singular_speeds_add_state(eq, state, eq->motion->rows[state->failure.singular_row].b, text);
}
