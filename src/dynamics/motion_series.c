// motion_series.c: the rates of the state (q, u) as power series along the motion.
//
// A way without symbolic work, for any motion and any choice of speeds: the same equations as in
// equations.c, order by order. The velocities solve [b; Y] q' = [−c; u − y0], then
// 𝓜q'' − dᵀλ = K − h (d = b but for servos) and b·q'' = −γ give q'', and u' = Y q'' + (what it is
// for q'' = 0). Where a form drives the run, its own equations give q''.
//
// Conditions f(q'') = 0 that are not affine are differentiated implicitly: with Σ λ ∂f/∂q'' = φ the
// coefficients of order k are φ_k = H·q''_k + gᵀλ_k + (what they are for q''_k = 0, λ_k = 0), g and
// H being those of order 0, and likewise f_k; so that Newton's matrix at order 0 serves all orders.
#include "dynamics/motion_series.h"
#include "dynamics/condition_multipliers.h"
#include "dynamics/dense_forces.h"
#include "dynamics/dynamics.h"
#include "dynamics/form_driver.h"
#include "dynamics/second_class/second_class.h"
#include "dynamics/workspace_impl.h"
#include "linalg/real.h"
#include "motion/motion_types.h"
#include "program/program.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Programs of the equations, in power series.
enum {
    SERIES_VELOCITIES,
    SERIES_FORCES,
    SERIES_DRIVER,   // of a form that drives the run
    SERIES_IMPLICIT, // of conditions that are curved in accelerations
    SERIES_COUNT
};

struct MotionSeries {
    Arena *arena;
    const Equations *eq;
    State *state;
    size_t most_order;
    Evaluator programs[SERIES_COUNT]; // those of the state, or none
    LinearSeries velocities, accelerations, driver;
    bool constant;  // nothing moves but the forces, and the factors are there
    double *inputs; // coefficient k of: parameters | t | q | v
    double *right;  // n + m, or the driver's size
    double *a;      // accelerations of the orders so far, n each
    double *B;      // of the driver, of the orders so far
    double *whole;  // coefficient k of all inputs, accelerations and multipliers included
};
// ---- Making.

static void open_program(MotionSeries *series, int which, const Evaluator *evaluator)
{
    evaluator_share(evaluator, series->arena, &series->programs[which]);
    evaluator_open_series(&series->programs[which], series->eq->params, series->most_order);
}

static void open_programs(MotionSeries *series)
{
    State *state = series->state;
    const SecondClass *seconds = state->second_class;
    state_need_forces(series->eq, state);
    bool constant = series->eq->constant_matrices;
    open_program(series, SERIES_VELOCITIES, &state->velocities);
    open_program(series, SERIES_FORCES, constant ? &state->loads : &state->forces);
    if (state->driver)
        open_program(series, SERIES_DRIVER, &state->driver->equations);
    if (seconds)
        open_program(series, SERIES_IMPLICIT, &seconds->implicit);
}

MotionSeries *motion_series_new(const Equations *eq, State *state, size_t most_order)
{
    assert(eq->n > 0 && state->inputs && most_order > 0);
    Arena *arena = arena_new();
    MotionSeries *series = arena_array(arena, MotionSeries, 1);
    *series = (MotionSeries){.arena = arena, .eq = eq, .state = state, .most_order = most_order};
    size_t n = eq->n, k = eq->motion->k, s = state->driver ? state->driver->size : 0;
    size_t seconds = eq->motion->second_count, orders = most_order + 1;
    open_programs(series);
    linear_series_init(&series->velocities, n, most_order, eq->sparse_velocities);
    linear_series_init(&series->accelerations, n + eq->independent.count + seconds, most_order,
                       eq->sparse_forces);
    linear_series_init(&series->driver, s, most_order, false);
    series->inputs = arena_array(arena, double, eq->input_count);
    series->right = arena_array(arena, double, n + eq->m + s + seconds);
    series->a = arena_array(arena, double, orders *n);
    if (state->driver)
        series->B = arena_array(arena, double, orders *n *k);
    if (series->programs[SERIES_IMPLICIT].series)
        series->whole = arena_array(arena, double, eq->input_count);
    return series;
}

void motion_series_free(MotionSeries *series)
{
    if (!series)
        return;
    for (size_t i = 0; i < SERIES_COUNT; i++)
        evaluator_clear(&series->programs[i]);
    linear_series_clear(&series->velocities);
    linear_series_clear(&series->accelerations);
    linear_series_clear(&series->driver);
    arena_free(series->arena);
}

// ---- Programs and matrices.

// W − K for q'' = 0, γ, du/dt for q'' = 0.
static const double *loads_of(const MotionSeries *series)
{
    size_t n = series->eq->n;
    return series->programs[SERIES_FORCES].out + (series->eq->constant_matrices ? 0 : n * n);
}

// ---- Velocities.

// Coefficient k of the velocities, among the inputs.
static bool find_velocities(MotionSeries *series, size_t k, const double *u)
{
    const Equations *eq = series->eq;
    size_t n = eq->n;
    double *v = series->inputs + eq->params + 1 + n;
    if (eq->all_velocities)
        memcpy(v, u, n * sizeof *u);
    if (!series->constant)
        evaluator_next(&series->programs[SERIES_VELOCITIES], k, series->inputs);
    if (eq->all_velocities)
        return true;
    linear_equations_velocities(eq, &series->state->speeds, series->programs[SERIES_VELOCITIES].out,
                                u, k, series->constant, &series->velocities, series->right);
    if (!linear_series_next(&series->velocities, k, series->right))
        return false;
    memcpy(v, series->right, n * sizeof *v);
    return true;
}

// ---- Accelerations.

// How many conditions on accelerations are not affine.
static size_t curved_of(const MotionSeries *series)
{
    return series->eq->motion->second_count - series->eq->motion->affine_count;
}

// Coefficient k of [𝓜 −dᵀ; b 0] and of what they are to give, with the affine conditions on
// accelerations as more rows.
static void put_accelerations(MotionSeries *series, size_t k)
{
    const Equations *eq = series->eq;
    LinearSeries *system = &series->accelerations;
    size_t n = eq->n, at = n + eq->independent.count, affine = eq->motion->affine_count;
    // Where only the forces move, the inertia is what it was when last evaluated.
    const double *forces =
        eq->constant_matrices ? series->state->forces.out : series->programs[SERIES_FORCES].out;
    const double *rows = dynamics_affine_rows(eq, forces);
    linear_equations_accelerations(eq, series->programs[SERIES_VELOCITIES].out, forces,
                                   loads_of(series), k, series->constant, system, series->right);
    for (size_t i = 0; i < affine; i++) {
        series->right[at + i] = -rows[affine * n + i];
        for (size_t j = 0; j < n; j++) {
            linear_series_put(system, k, at + i, j, rows[i * n + j]);
            linear_series_put(system, k, j, at + i, -rows[i * n + j]);
        }
    }
}

// Order 0: the stationary point that is followed, and Newton's matrix there.
static bool begin_implicit(MotionSeries *series)
{
    assert(!series->accelerations.few);
    const Equations *eq = series->eq;
    SecondClass *seconds = series->state->second_class;
    size_t n = eq->n, m = eq->independent.count, rows = m + eq->motion->affine_count;
    size_t size = series->accelerations.size;
    double *matrix = linear_series_matrix(&series->accelerations, 0);
    double *b = base_alloc((rows * n + rows + size) * sizeof *b);
    double *drift = b + rows * n, *x = drift + rows;
    for (size_t i = 0; i < rows; i++) {
        memcpy(b + i * n, matrix + (n + i) * size, n * sizeof *b);
        drift[i] = -series->right[n + i];
    }
    seconds->problem = (KktProblem){.inertia = series->programs[SERIES_FORCES].out,
                                    .force = series->right,
                                    .rows = b,
                                    .drift = drift,
                                    .row_count = rows};
    seconds->given = series->inputs;
    memcpy(x, seconds->x, size * sizeof *x);
    bool found = second_class_newton(seconds, x);
    const double *g = seconds->local.out + seconds->curved, *H = g + seconds->curved * n;
    for (size_t i = 0; i < n; i++) {
        real_add_times(-1, H + i * n, n, matrix + i * size);
        for (size_t l = 0, at = n + rows; at < size; l++, at++) {
            matrix[at * size + i] = g[l * n + i];
            matrix[i * size + at] = -g[l * n + i];
        }
    }
    for (size_t i = 0; i < size && found; i++)
        series->right[i] = real_dot(matrix + i * size, x, size);
    base_free(b);
    return found;
}

// Coefficient k of f and Σ λg, for coefficient k of accelerations and multipliers; NULL: 0.
static void next_implicit(MotionSeries *series, size_t k, const double *x)
{
    const Equations *eq = series->eq;
    const Motion *motion = eq->motion;
    size_t n = eq->n, given = eq->params + 1 + 2 * n, first = eq->independent.count;
    double *a = series->whole + given, *multipliers = a + n;
    memcpy(series->whole, series->inputs, given * sizeof(double));
    memset(a, 0, (eq->input_count - given) * sizeof(double));
    for (size_t i = 0; x && i < n; i++)
        a[i] = x[i];
    for (size_t i = first + motion->affine_count; x && i < first + motion->second_count; i++)
        multipliers[dynamics_multiplier_index(eq, dynamics_row(eq, i)->constraint)] = x[n + i];
    evaluator_next(&series->programs[SERIES_IMPLICIT], k, series->whole);
}

// What order k of conditions that are not affine adds to the right side.
static bool add_implicit(MotionSeries *series, size_t k)
{
    size_t n = series->eq->n, curved = curved_of(series);
    if (k == 0)
        return begin_implicit(series);
    next_implicit(series, k, NULL);
    const double *out = series->programs[SERIES_IMPLICIT].out;
    for (size_t i = 0; i < n; i++)
        series->right[i] += out[curved + i];
    for (size_t i = 0; i < curved; i++)
        series->right[series->accelerations.size - curved + i] = -out[i];
    return true;
}

// Coefficient k of the accelerations of least constraint.
static bool find_accelerations(MotionSeries *series, size_t k)
{
    const Equations *eq = series->eq;
    bool curved = !motion_is_affine(eq->motion);
    put_accelerations(series, k);
    if (curved && !add_implicit(series, k))
        return false;
    if (!linear_series_next(&series->accelerations, k, series->right))
        return false;
    if (curved)
        next_implicit(series, k, series->right);
    memcpy(series->a + k * eq->n, series->right, eq->n * sizeof(double));
    // From now on, for speeds that do not change, both matrices stay as they are.
    series->constant =
        eq->constant_matrices && series->state->speeds.own && eq->independent.count == eq->m;
    return true;
}

// The same by the form that drives the run: its equations give x, and q'' = B·x + D.
static bool find_driven_accelerations(MotionSeries *series, size_t k)
{
    size_t n = series->eq->n, freedoms = series->eq->motion->k, s = series->driver.size;
    evaluator_next(&series->programs[SERIES_DRIVER], k, series->inputs);
    const double *out = series->programs[SERIES_DRIVER].out;
    const double *B = out + s * s + s, *D = B + n * freedoms;
    memcpy(linear_series_matrix(&series->driver, k), out, s * s * sizeof *out);
    memcpy(series->right, out + s * s, s * sizeof *out);
    memcpy(series->B + k * n * freedoms, B, n * freedoms * sizeof *B);
    if (!linear_series_next(&series->driver, k, series->right))
        return false;
    for (size_t nu = 0; nu < n; nu++) {
        double sum = D[nu];
        for (size_t i = 0; i <= k; i++) {
            const double *b = series->B + (i * n + nu) * freedoms;
            const double *x = series->driver.solutions + (k - i) * s;
            for (size_t alpha = 0; alpha < freedoms; alpha++)
                sum += b[alpha] * x[alpha];
        }
        series->a[k * n + nu] = sum;
    }
    return true;
}

// Coefficient k of u' = Y·q'' + (what it is for q'' = 0).
static void find_speed_rates(MotionSeries *series, size_t k, double *u_rate)
{
    const Equations *eq = series->eq;
    const SpeedChoice *speeds = &series->state->speeds;
    size_t n = eq->n, m = eq->m;
    if (!speeds->own) {
        for (size_t alpha = 0; alpha < eq->k; alpha++)
            u_rate[alpha] = series->a[k * n + speeds->chosen[alpha]];
        return;
    }
    memcpy(u_rate, loads_of(series) + n + m, eq->k * sizeof *u_rate);
    for (size_t i = 0; i <= k; i++)
        linear_series_add(&series->velocities, i, m, 1, series->a + (k - i) * n, u_rate);
}

// ---- Rates.

bool motion_series_next(MotionSeries *series, size_t k, const double *ty, double *rate)
{
    const Equations *eq = series->eq;
    State *state = series->state;
    size_t n = eq->n;
    assert(k <= series->most_order);
    series->constant = series->constant && state->speeds.own;
    // Parameters are constant in time; so are the reactions at which tangents are taken.
    if (k == 0)
        memcpy(series->inputs, state->inputs, eq->input_count * sizeof(double));
    else
        memset(series->inputs, 0, eq->input_count * sizeof(double));
    memcpy(series->inputs + eq->params, ty, (1 + n) * sizeof(double));
    if (!find_velocities(series, k, ty + 1 + n))
        return false;
    memcpy(rate, series->inputs + eq->params + 1 + n, n * sizeof *rate);
    evaluator_next(&series->programs[SERIES_FORCES], k, series->inputs);
    if (state->driver ? !find_driven_accelerations(series, k) : !find_accelerations(series, k))
        return false;
    find_speed_rates(series, k, rate + n);
    return real_all_finite(rate, n + eq->k);
}

double motion_series_switch_distance(const MotionSeries *series, size_t order, double most)
{
    double first = INFINITY;
    for (size_t i = 0; i < SERIES_COUNT; i++)
        if (series->programs[i].series)
            first = fmin(first, program_series_clear(series->programs[i].series, order, most));
    return first;
}
