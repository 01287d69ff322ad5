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

// What is left of the motion's own speeds: x·x' tells nothing of x' at x = 0, and is as well
// conditioned beside it as anywhere, since rows are measured by their largest entry. So a row is
// also compared with what it was at most, and one that grows without bound with what it was at
// first.
static double rows_left(const Equations *eq, State *state)
{
    const Pattern *filled = &eq->patterns->velocity;
    size_t n = eq->n, m = eq->m;
    double left = 1;
    for (size_t i = m; state->speeds.own && i < n; i++) {
        double size = 0, *first = state->speeds.first + i - m, *most = state->speeds.most + i - m;
        for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++) {
            size_t j = filled->places[l];
            size = fmax(size, fabs(state->velocities.out[i * n + j] * state->scale[j]));
        }
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

double conditioning_oriented(const Equations *eq, State *state)
{
    const LinearSeries *system = &state->work->velocities;
    double size = conditioning_now(eq, state);
    for (size_t i = 0; i < eq->n && !eq->all_velocities && !eq->sparse_velocities; i++)
        if ((system->pivots[i] != (int)i + 1) != (system->factors[i * (eq->n + 1)] < 0))
            size = -size;
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

void conditioning_measure(const Equations *eq, State *state)
{
    size_t n = eq->n;
    double most = 0, *inertias = state->work->kept;
    assert(inertias && state->scale);
    if (!eq->direct.program || !direct_inertias(eq, state, inertias)) {
        const double *matrix = state_forces(eq, state);
        for (size_t i = 0; i < n; i++)
            inertias[i] = matrix[i * n + i];
    }
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(inertias[i]));
    for (size_t i = 0; i < n; i++) {
        double own = fabs(inertias[i]);
        if (own <= TOL_ZERO * most)
            own = most;
        // A state gives way: its rate is solved for it.
        if (eq->motion->model->coords.at[i].is_state)
            own = TOL_ZERO * most;
        // Powers of two lose no digit.
        state->scale[i] = own > 0 && isfinite(own) ? ldexp(1, -ilogb(own) / 2) : 1;
    }
}

// The columns of the scaled rows in the order of a pivoted factorization: the first ones are the
// velocities to solve the rows for.
static void order_columns(const Equations *eq, State *state)
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
    base_free(matrix);
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
    // The motion's own speeds where they do as well. A change costs more than the digit that it
    // saves: a gain near 1 changes at every turn of a ball.
    double least = 4 * now;
    if (declared > least && declared >= coordinates) {
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
