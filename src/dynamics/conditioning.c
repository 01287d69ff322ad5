// conditioning.c: how well the speeds in use determine the velocities, and which would do better.
//
// The blade with x' as its independent velocity has y' = x'·tan θ: nothing is wrong with the
// motion where θ passes 90°, only with the choice. The choice is judged by the reciprocal
// condition of [b; Y], velocities being measured by their inertia so that units do not matter.
#include "dynamics/direct_accelerations.h"
#include "dynamics/dynamics.h"
#include "dynamics/pattern.h"
#include "dynamics/speed_choice.h"
#include "dynamics/workspace_impl.h"
#include "linalg/dense_factors.h"
#include "linalg/tolerances.h"
#include "model/system.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// The largest entry of a row, where velocities are in these units.
static double row_size(const Equations *eq, const State *state, const double *scale, size_t i)
{
    const Pattern *filled = &eq->patterns->velocity;
    double size = 0;
    for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++) {
        size_t j = filled->places[l];
        size = fmax(size, fabs(state->velocities.out[i * eq->n + j] * scale[j]));
    }
    return size;
}

// What is left of the motion's own speeds: x·x' tells nothing of x' at x = 0, and is as well
// conditioned beside it as anywhere, since rows are measured by their largest entry. So a row is
// also compared with what it was at most, and one that grows without bound with what it was at
// first.
static double rows_left(const Equations *eq, State *state)
{
    size_t n = eq->n, m = eq->m;
    double left = 1;
    for (size_t i = m; state->speeds.own && i < n; i++) {
        double size = row_size(eq, state, state->scale, i);
        double *first = state->speeds.first + i - m, *most = state->speeds.most + i - m;
        if (*first == 0)
            *first = size;
        *most = fmax(*most, size);
        if (*most > 0)
            left = fmin(left, fmin(size / *most, *first / size));
    }
    return left;
}

double conditioning_now(const Equations *eq, State *state)
{
    assert(eq->arena && state->work);
    size_t n = eq->n;
    Workspace *work = state->work;
    // Nothing was solved for; and no better speeds are looked for in large systems, as long as
    // these do.
    if (eq->all_velocities || eq->sparse_velocities)
        return 1;
    // The factors are those of the last velocities; rows had a largest entry of 1, so that the norm
    // is at most n, and what is asked for is n times the reciprocal condition.
    return rows_left(eq, state) *
           lu_reciprocal_condition(n, work->velocities.factors, n, 1, work->lapack, work->columns);
}

// The columns of the scaled rows in the order of a pivoted factorization: the first ones are the
// velocities to solve the rows for. What is left of the last row without the others, as a part.
static double order_columns(const Equations *eq, State *state)
{
    size_t n = eq->n, m = eq->independent.count;
    double *matrix = base_alloc((n * m + 1) * sizeof *matrix);
    for (size_t i = 0; i < m; i++) {
        const double *row = state->velocities.out + eq->independent.rows[i] * n;
        double largest = 0;
        for (size_t j = 0; j < n; j++)
            largest = fmax(largest, fabs(row[j] * state->scale[j]));
        for (size_t j = 0; j < n; j++)
            matrix[j * m + i] = largest > 0 ? row[j] * state->scale[j] / largest : 0;
    }
    qr_factor(m, n, matrix, m, state->work->columns, state->work->right, state->work->lapack,
              state->work->lapack_size);
    double left = m > 0 ? fmin(1, fabs(matrix[m * m - 1])) : 1;
    base_free(matrix);
    return left;
}

// Speeds can do no better than the conditions, which may be near a state where one follows from
// others, or was chosen so that it does (a rolling ball has more of them than are needed).
double conditioning_oriented(const Equations *eq, State *state)
{
    const LinearSeries *system = &state->work->velocities;
    double size = conditioning_now(eq, state);
    bool solved = !eq->all_velocities && !eq->sparse_velocities;
    for (size_t i = 0; i < eq->n && solved; i++)
        if ((system->pivots[i] != (int)i + 1) != (system->factors[i * (eq->n + 1)] < 0))
            size = -size;
    if (solved && state->speeds.relative && fabs(size) < TOL_POOR && size != 0 &&
        eq->independent.count > 1)
        size /= fmax(order_columns(eq, state), TOL_RANK);
    return size;
}

bool conditioning_is_above(const Equations *eq, State *state, double least)
{
    size_t n = eq->n;
    Workspace *work = state->work;
    assert(least > 0 && work);
    if (!eq->all_velocities && !eq->sparse_velocities &&
        lu_inverse_bound(n, work->velocities.factors, n, work->lapack) * least <=
            rows_left(eq, state))
        return true;
    return conditioning_now(eq, state) >= least;
}

// The largest inertias so far, and the scales that they give.
static void find_scales(const Equations *eq, State *state, double *scale)
{
    size_t n = eq->n;
    double most = 0, *now = state->work->kept, *inertias = state->inertias;
    assert(now && scale);
    if (!eq->direct.program || !direct_inertias(eq, state, now)) {
        const double *matrix = state_forces(eq, state);
        for (size_t i = 0; i < n; i++)
            now[i] = matrix[i * n + i];
    }
    for (size_t i = 0; i < n; i++) {
        inertias[i] = fmax(inertias[i], fabs(now[i]));
        most = fmax(most, inertias[i]);
    }
    for (size_t i = 0; i < n; i++) {
        double own = inertias[i];
        if (own <= TOL_ZERO * most)
            own = most;
        // A state gives way: its rate is solved for it.
        if (eq->motion->model->coords.at[i].is_state)
            own = TOL_ZERO * most;
        // Powers of two lose no digit.
        scale[i] = own > 0 && isfinite(own) ? ldexp(1, -ilogb(own) / 2) : 1;
    }
}

void conditioning_sizes(const Equations *eq, const State *state, double *sizes)
{
    const SpeedChoice *speeds = &state->speeds;
    double *of_speeds = sizes + eq->n;
    for (size_t i = 0; i < eq->n; i++) {
        double inertia = state->inertias[i];
        sizes[i] = inertia > 0 && isfinite(inertia) ? 1 / sqrt(inertia) : state->scale[i];
    }
    for (size_t i = 0; i < eq->k; i++) {
        if (eq->all_velocities || !speeds->own)
            of_speeds[i] = sizes[eq->all_velocities ? i : speeds->chosen[i]];
        else
            of_speeds[i] = eq->sparse_velocities ? INFINITY : row_size(eq, state, sizes, eq->m + i);
    }
}

void conditioning_measure(const Equations *eq, State *state)
{
    memset(state->inertias, 0, eq->n * sizeof *state->inertias);
    find_scales(eq, state, state->scale);
}

// What the rows were at first and at most goes with the scale.
static void take_scale(const Equations *eq, State *state, const double *scale)
{
    size_t n = eq->n, m = eq->m;
    double *sizes = base_alloc((n + 1) * sizeof *sizes);
    for (size_t i = m; i < n; i++)
        sizes[i] = row_size(eq, state, state->scale, i);
    memcpy(state->scale, scale, n * sizeof *scale);
    for (size_t i = m; i < n; i++) {
        double now = row_size(eq, state, state->scale, i),
               part = sizes[i] > 0 && now > 0 ? now / sizes[i] : 1;
        state->speeds.first[i - m] *= part;
        state->speeds.most[i - m] *= part;
    }
    base_free(sizes);
}

// Of a quaternion that begins at 1 the first part has no inertia, and later as much as the others.
bool conditioning_measure_again(const Equations *eq, State *state)
{
    if (!state->speeds.relative)
        return false;
    double *scale = base_alloc((eq->n + 1) * sizeof *scale);
    find_scales(eq, state, scale);
    bool changed = memcmp(scale, state->scale, eq->n * sizeof *scale) != 0;
    if (changed)
        take_scale(eq, state, scale);
    base_free(scale);
    return changed;
}

// The other coordinates' velocities are independent: the best choice, up to a modest factor.
static void choose_coordinates(const Equations *eq, State *state, size_t *chosen)
{
    size_t n = eq->n, m = eq->independent.count, taken = 0;
    if (m > 0)
        order_columns(eq, state);
    for (size_t j = 0; j < n; j++) {
        bool dependent = false;
        for (size_t i = 0; i < m && !dependent; i++)
            dependent = (size_t)state->work->columns[i] - 1 == j;
        if (!dependent)
            chosen[taken++] = j;
    }
}

// How the velocities' equations would be conditioned with the speeds now set, with the sign of
// their determinant; v is kept.
static double try_speeds(const Equations *eq, State *state)
{
    size_t bytes = eq->n * sizeof(double);
    double *u = state->force; // room that is free between evaluations
    memcpy(state->work->kept, state->v, bytes);
    dynamics_speeds(eq, state, u);
    DynamicsOutcome outcome = dynamics_velocities(eq, state, *state->t, state->q, u);
    memcpy(state->v, state->work->kept, bytes);
    return outcome == DYNAMICS_FOUND ? conditioning_oriented(eq, state) : 0;
}

double conditioning_by(const Equations *eq, State *state, const size_t *chosen)
{
    size_t bytes = eq->k * sizeof *chosen, *former = base_alloc(bytes + 1);
    bool own = state->speeds.own;
    assert(!eq->all_velocities);
    memcpy(former, state->speeds.chosen, bytes);
    state->speeds.own = !chosen;
    if (chosen)
        memcpy(state->speeds.chosen, chosen, bytes);
    double found = fabs(try_speeds(eq, state));
    state->speeds.own = own;
    memcpy(state->speeds.chosen, former, bytes);
    base_free(former);
    return found;
}

bool conditioning_improve(const Equations *eq, State *state, double now)
{
    assert(now >= 0 && state->force);
    if (now >= TOL_POOR || eq->k == 0 || eq->all_velocities)
        return false;
    size_t bytes = eq->k * sizeof *state->speeds.chosen;
    bool own = state->speeds.former_own = state->speeds.own;
    size_t *former = state->speeds.former, *best = state->speeds.best;
    memcpy(former, state->speeds.chosen, bytes);
    choose_coordinates(eq, state, best);

    state->speeds.own = false;
    memcpy(state->speeds.chosen, best, bytes);
    double coordinates = fabs(try_speeds(eq, state)), declared = 0;
    // The motion's own speeds are for independent conditions.
    if (!own && dynamics_can_use_own_speeds(eq, false)) {
        state->speeds.own = true;
        declared = fabs(try_speeds(eq, state));
    }
    // The motion's own speeds where they do about as well. A change costs more than the digit that
    // it saves: a gain near 1 changes at every turn of a ball.
    double least = 4 * now;
    if (declared > least && declared >= coordinates / (state->speeds.relative ? 4 : 1)) {
        state->speeds.own = true;
    } else if (coordinates > least) {
        state->speeds.own = false;
    } else {
        state->speeds.own = own;
        memcpy(state->speeds.chosen, former, bytes);
        return false;
    }
    return true;
}

// The worse of two states, both with the speeds that one has; 0 where a singular one lies between.
static double try_both(const Equations *eq, State *state, State *other)
{
    other->speeds.own = state->speeds.own;
    memcpy(other->speeds.chosen, state->speeds.chosen, eq->k * sizeof *state->speeds.chosen);
    double one = try_speeds(eq, state), two = try_speeds(eq, other);
    return one * two > 0 ? fmin(fabs(one), fabs(two)) : 0;
}

bool conditioning_span(const Equations *eq, State *state, State *other)
{
    size_t bytes = eq->k * sizeof *state->speeds.chosen;
    bool own = state->speeds.former_own = state->speeds.own;
    size_t *former = state->speeds.former, *best = state->speeds.best;
    assert(!eq->all_velocities && state != other);
    memcpy(former, state->speeds.chosen, bytes);
    double most = 0;
    for (int i = 0; i < 2; i++) {
        state->speeds.own = false;
        choose_coordinates(eq, i == 0 ? other : state, state->speeds.chosen);
        double found = try_both(eq, state, other);
        if (found > most)
            memcpy(best, state->speeds.chosen, bytes);
        most = fmax(most, found);
    }
    memcpy(state->speeds.chosen, best, bytes);
    if (!own && dynamics_can_use_own_speeds(eq, false)) {
        state->speeds.own = true;
        double found = try_both(eq, state, other);
        state->speeds.own = found > TOL_SPEEDS && found >= most;
        most = fmax(most, found);
    }
    if (most > TOL_SPEEDS)
        return true;
    state->speeds.own = own;
    memcpy(state->speeds.chosen, former, bytes);
    return false;
}
