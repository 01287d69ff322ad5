// dynamics.c: the motion as numbers at one state: velocities from speeds, accelerations, reactions.
//
// At (t, q, u) the velocities solve [b; Y] q' = [−c; u − y0]; then Gauss's principle gives q''
// and λ, and du/dt = Y q'' + (what it is for q'' = 0). Nothing here is expanded symbolically:
// three programs make the coefficients, and small linear solves do the rest.
#include "dynamics/dynamics.h"
#include "dynamics/condition_multipliers.h"
#include "dynamics/direct_accelerations.h"
#include "dynamics/equation_modules.h"
#include "dynamics/equations.h"
#include "dynamics/independent_rows.h"
#include "dynamics/pattern.h"
#include "dynamics/workspace_impl.h"
#include "linalg/dense_factors.h"
#include "linalg/kkt.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- Velocities.

// Dense equations in units: columns to typical velocities, rows to a largest entry of 1. False
// where a row vanishes.
static bool scale_velocities(State *state, LinearSeries *system, double *right)
{
    size_t n = system->size;
    double *matrix = linear_series_matrix(system, 0);
    for (size_t i = 0; i < n; i++) {
        double *row = matrix + i * n;
        for (size_t j = 0; j < n; j++)
            row[j] *= state->scale[j];
        double largest = state->work->largest[i] = real_largest(row, n);
        if (largest == 0)
            return false;
        right[i] /= largest;
        for (size_t j = 0; j < n; j++)
            row[j] /= largest;
    }
    return true;
}

// The velocities that the speeds determine. Sparse equations have units of their own.
static bool solve_velocities(const Equations *eq, State *state, const double *u)
{
    assert(state->work->velocities.size == eq->n);
    LinearSeries *system = &state->work->velocities;
    size_t n = eq->n;
    double *right = state->work->right;
    linear_equations_velocities(eq, &state->speeds, state->velocities.out, u, 0, false, system,
                                right);
    if ((!system->few && !scale_velocities(state, system, right)) ||
        !linear_series_next(system, 0, right))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!system->few && fabs(system->factors[i * n + i]) < TOL_ZERO)
            return false;
        state->v[i] = system->few ? right[i] : state->scale[i] * right[i];
    }
    return true;
}

DynamicsOutcome dynamics_velocities(const Equations *eq, State *state, double t, const double *q,
                                    const double *u)
{
    assert(q && (u || eq->k == 0));
    size_t n = eq->n;
    *state->t = t;
    memmove(state->q, q, n * sizeof *q);
    if (eq->all_velocities)
        memmove(state->v, u, n * sizeof *u);
    evaluator_run(&state->velocities, state->inputs);
    if (!real_all_finite(q, n) || !real_all_finite(u, eq->k) ||
        !evaluator_is_finite(&state->velocities))
        return DYNAMICS_NOT_FINITE;
    if (!eq->all_velocities)
        return solve_velocities(eq, state, u) ? DYNAMICS_FOUND : DYNAMICS_SPEEDS;
    DynamicsOutcome outcome = DYNAMICS_FOUND;
    for (size_t i = 0; eq->modules[i] && outcome == DYNAMICS_FOUND; i++)
        if (eq->modules[i]->velocities)
            outcome = eq->modules[i]->velocities(eq, state);
    return outcome;
}

// sum + (row i of [b; Y])·x.
static double add_along(const Equations *eq, const State *state, size_t i, const double *x,
                        double sum)
{
    const Pattern *filled = &eq->patterns->velocity;
    const double *row = state->velocities.out + i * eq->n;
    for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++)
        sum += row[filled->places[l]] * x[filled->places[l]];
    return sum;
}

// Of velocities, or of accelerations: Y·x and what it is for x = 0, or those that are chosen.
static void put_speeds(const Equations *eq, const State *state, bool own, const double *x,
                       const double *rest, double *u)
{
    for (size_t i = 0; i < (own ? eq->motion->k : eq->k); i++)
        u[i] = own ? add_along(eq, state, eq->m + i, x, rest[i]) : x[state->speeds.chosen[i]];
}

void dynamics_own_speeds(const Equations *eq, const State *state, double *u)
{
    assert(eq->m + eq->motion->k <= eq->n);
    put_speeds(eq, state, true, state->v, state->velocities.out + eq->n * eq->n + eq->m, u);
}

void dynamics_speeds(const Equations *eq, const State *state, double *u)
{
    const double *rest = state->velocities.out + eq->n * eq->n + eq->m;
    put_speeds(eq, state, state->speeds.own, state->v, rest, u);
}

bool dynamics_can_use_own_speeds(const Equations *eq, bool driven)
{
    const Motion *motion = eq->motion;
    bool turns = motion->k > 0 && motion->state.speeds[0].orthonormal;
    return !eq->all_velocities && (driven || !turns) && eq->independent.count == eq->m;
}

// ---- Accelerations.

const double *dynamics_directions(const Equations *eq, const double *forces_out)
{
    size_t n = eq->n;
    return eq->motion->servos ? forces_out + n * n + n + eq->m + eq->motion->k : NULL;
}

const double *dynamics_affine_rows(const Equations *eq, const double *forces_out)
{
    size_t n = eq->n, m = eq->m, directions = eq->motion->servos ? m * n : 0;
    return forces_out + n * n + n + m + eq->motion->k + directions;
}

void dynamics_put_point(const Equations *eq, State *state, const double *x, size_t size)
{
    assert(size >= eq->n);
    memcpy(state->a, x, eq->n * sizeof *x);
    memcpy(state->lambda, x + eq->n, (size - eq->n) * sizeof *x);
}

// The accelerations and multipliers where few entries are filled, after the forces were evaluated;
// false where the equations are singular.
static bool sparse_accelerations(const Equations *eq, State *state)
{
    assert(eq->sparse_forces && state->work->both);
    size_t n = eq->n, m = eq->independent.count;
    LinearSeries *system = &state->work->accelerations;
    const double *forces = state->forces.out;
    double *x = state->work->both;
    if (system->size != n + m) {
        linear_series_clear(system);
        linear_series_init(system, n + m, 0, true);
    }
    linear_equations_accelerations(eq, state->velocities.out, forces, forces + n * n, 0, false,
                                   system, x);
    if (!evaluator_is_finite(&state->forces) || !linear_series_next(system, 0, x))
        return false;
    dynamics_put_point(eq, state, x, n + m);
    state->failure.power = 1;
    return true;
}

KktProblem dynamics_problem(const Equations *eq, State *state)
{
    assert(state->force && eq->independent.count <= eq->m);
    size_t n = eq->n, m = eq->m;
    const double *out = state_forces(eq, state);
    for (size_t i = 0; i < n; i++)
        state->force[i] = -out[n * n + i];
    KktProblem problem = {.inertia = out,
                          .force = state->force,
                          .rows = state->velocities.out,
                          .drift = out + n * n + n,
                          .row_count = eq->independent.count,
                          .directions = dynamics_directions(eq, out)};
    if (eq->independent.count < m || eq->motion->affine_count > 0) {
        state_need_dense(eq, state);
        independent_rows_pack(eq, state, &problem);
    }
    for (size_t i = 0; eq->modules[i]; i++)
        if (eq->modules[i]->problem)
            eq->modules[i]->problem(state, &problem);
    return problem;
}

const MotionRow *dynamics_row(const Equations *eq, size_t row)
{
    size_t count = eq->independent.count;
    assert(row < count + eq->motion->second_count);
    return row < count ? &eq->motion->rows[eq->independent.rows[row]]
                       : &eq->motion->seconds[row - count].row;
}

size_t dynamics_undetermined_velocity(const Equations *eq, const State *state)
{
    const double *velocity = kkt_witness(state->kkt);
    size_t which = 0;
    assert(velocity);
    for (size_t i = 1; i < eq->n; i++)
        if (fabs(velocity[i]) > fabs(velocity[which]))
            which = i;
    return which;
}

// By elimination on the definitions, where that serves.
static bool accelerate_directly(const Equations *eq, State *state)
{
    if (!state->direct.program || !equations_are_plain(eq) || eq->independent.count < eq->m ||
        !direct_solve(eq, state))
        return false;
    state->failure.power = 1;
    return true;
}

DynamicsOutcome dynamics_accelerations(const Equations *eq, State *state, double *u_rate)
{
    static const DynamicsOutcome outcomes[] = {[SOLVE_DONE] = DYNAMICS_FOUND,
                                               [SOLVE_CONTRADICTION] = DYNAMICS_CONTRADICTION,
                                               [SOLVE_SINGULAR] = DYNAMICS_INERTIA,
                                               [SOLVE_UNCONTROLLABLE] = DYNAMICS_SERVO,
                                               [SOLVE_NOT_FINITE] = DYNAMICS_NOT_FINITE};
    size_t n = eq->n;
    state->evaluations++;
    KktReport report = {.outcome = SOLVE_DONE};
    bool direct = accelerate_directly(eq, state);
    if (eq->sparse_forces)
        state_forces(eq, state);
    // Why there is no solution LAPACK finds out.
    if (!direct && (!eq->sparse_forces || !sparse_accelerations(eq, state))) {
        state_need_dense(eq, state);
        KktProblem problem = dynamics_problem(eq, state);
        report = kkt_solve(state->kkt, &problem, state->a, state->lambda);
        state->failure.contradicting = report.row;
        state->failure.power = report.power;
    }
    assert(report.outcome <= SOLVE_NOT_FINITE && "no one-sided condition was asked");
    DynamicsOutcome outcome = outcomes[report.outcome];
    for (size_t i = 0; outcome == DYNAMICS_FOUND && eq->modules[i]; i++)
        if (eq->modules[i]->accelerations)
            outcome = eq->modules[i]->accelerations(eq, state);
    if (outcome != DYNAMICS_FOUND)
        return outcome;
    // Rates owe nothing to how reactions are shared.
    dynamics_hand_out_multipliers(eq, state, !u_rate);
    if (u_rate)
        put_speeds(eq, state, state->speeds.own, state->a,
                   direct ? direct_drift(eq, state) : state->forces.out + n * n + n + eq->m,
                   u_rate);
    bool finite = real_all_finite(state->a, n) && (!u_rate || real_all_finite(u_rate, eq->k));
    return finite ? DYNAMICS_FOUND : DYNAMICS_NOT_FINITE;
}

// ---- From the rates of the speeds.

// 𝓜q'' + h − K in units of the velocities; the largest sum of the sizes of its terms.
static double put_reaction(const Equations *eq, const State *state, double *reaction)
{
    size_t n = eq->n;
    const double *out = state->forces.out;
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = out[n * n + i], size = fabs(sum);
        for (size_t j = 0; j < n; j++) {
            double term = out[i * n + j] * state->a[j];
            sum += term;
            size += fabs(term);
        }
        reaction[i] = state->scale[i] * sum;
        most = fmax(most, state->scale[i] * size);
    }
    return most;
}

bool dynamics_follow_rates(const Equations *eq, State *state, const double *u_rate)
{
    size_t n = eq->n, m = eq->m;
    const LinearSeries *system = &state->work->velocities;
    if (eq->all_velocities || system->few || eq->direct.program || eq->motion->servos > 0 ||
        eq->independent.count < m || !equations_are_plain(eq))
        return false;
    const double *drift = state_forces(eq, state) + n * n + n, *largest = state->work->largest;
    double *x = state->work->right;
    for (size_t i = 0; i < n; i++) {
        double own = i < m || state->speeds.own ? drift[i] : 0;
        x[i] = ((i < m ? 0 : u_rate[i - m]) - own) / largest[i];
    }
    lu_solve(true, n, system->factors, n, system->pivots, x);
    for (size_t i = 0; i < n; i++)
        state->a[i] = state->scale[i] * x[i];
    double most = put_reaction(eq, state, x);
    lu_solve(false, n, system->factors, n, system->pivots, x);
    bool found = isfinite(most) && real_all_finite(x, n);
    for (size_t i = m; i < n && found; i++)
        found = fabs(x[i]) <= TOL_ZERO * most;
    if (!found)
        return false;
    for (size_t i = 0; i < m; i++)
        state->lambda[i] = x[i] / largest[i];
    state->evaluations++;
    state->failure.power = 1;
    dynamics_hand_out_multipliers(eq, state, true);
    return true;
}
