// motion_series.c: the rates of the state (q, u) as power series along the motion.
//
// Where one program gives them, that is used. For any motion and any choice of speeds there is a
// road without symbolic work: the same equations as in numbers.c, order by order: the velocities
// solve [b; Y] q' = [−c; u − y0], then 𝓜q'' − dᵀλ = K − h (d = b but for servos) and b·q'' = −γ
// give q'', and u' = Y q'' + (what it is for q'' = 0). Where a form drives the run, its own
// equations give q''.
//
// Conditions f(q'') = 0 that are not affine are differentiated implicitly: with Σ λ ∂f/∂q'' = φ the
// coefficients of order k are φ_k = H·q''_k + gᵀλ_k + (what they are for q''_k = 0, λ_k = 0), g and
// H being those of order 0, and likewise f_k; so that Newton's matrix at order 0 serves all orders.
#include "dynamics/motion_series.h"
#include "dynamics/form_driver.h"
#include "dynamics/second_class/second_class.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// ---- Making.

static double *room(size_t count)
{
    return base_alloc((count + 1) * sizeof(double));
}

static double *outputs_of(const Evaluator *evaluator)
{
    return room(evaluator->outputs);
}

void motion_series_init(MotionSeries *series, const Equations *eq, const State *state,
                        size_t most_order)
{
    *series = (MotionSeries){.eq = eq, .state = state, .most_order = most_order};
}

void motion_series_take(MotionSeries *series, const Rates *rates)
{
    rates_series_clear(&series->one);
    if (rates)
        rates_series_init(&series->one, rates, series->most_order);
}

static void open_seconds(MotionSeries *series)
{
    const Equations *eq = series->eq;
    const State *state = series->state;
    const SecondClass *seconds = state->second_class;
    if (!seconds)
        return;
    series_engine_open_evaluator(&series->seconds, &seconds->rows, series->most_order);
    series->second_out = outputs_of(&seconds->rows);
    if (seconds->curved == 0)
        return;
    series_engine_open_evaluator(&series->implicit, &seconds->implicit, series->most_order);
    series->implicit_out = outputs_of(&seconds->implicit);
    series->whole = room(eq->input_count);
}

static void make_room(MotionSeries *series)
{
    const Equations *eq = series->eq;
    const State *state = series->state;
    size_t n = eq->n, m = eq->m, k = eq->motion->k, s = state->driver ? state->driver->size : 0;
    size_t most_order = series->most_order;
    series_engine_open_evaluator(&series->velocities, &state->velocities, most_order);
    const Evaluator *forces = eq->constant_matrices ? &state->loads : &state->forces;
    series_engine_open_evaluator(&series->forces, forces, most_order);
    linear_series_init(&series->of_velocities, n, most_order, eq->sparse_velocities);
    linear_series_init(&series->of_accelerations,
                       n + eq->independent.count + eq->motion->second_count, most_order,
                       eq->sparse_forces);
    series->inputs = room(eq->params + 1 + 2 * n);
    series->velocity_out = outputs_of(&state->velocities);
    series->force_out = outputs_of(forces);
    series->right = room(n + m + s + eq->motion->second_count);
    series->accelerations = room((most_order + 1) * n);
    open_seconds(series);
    if (!state->driver)
        return;
    series_engine_open_evaluator(&series->driver, &state->driver->equations, most_order);
    linear_series_init(&series->of_driver, s, most_order, false);
    series->driver_out = outputs_of(&state->driver->equations);
    series->reductions = room((most_order + 1) * n * k);
}

void motion_series_clear(MotionSeries *series)
{
    rates_series_clear(&series->one);
    series_engine_close(&series->velocities);
    series_engine_close(&series->forces);
    series_engine_close(&series->driver);
    series_engine_close(&series->seconds);
    series_engine_close(&series->implicit);
    linear_series_clear(&series->of_velocities);
    linear_series_clear(&series->of_accelerations);
    linear_series_clear(&series->of_driver);
    base_free(series->inputs);
    base_free(series->velocity_out);
    base_free(series->force_out);
    base_free(series->driver_out);
    base_free(series->second_out);
    base_free(series->implicit_out);
    base_free(series->whole);
    base_free(series->right);
    base_free(series->accelerations);
    base_free(series->reductions);
    *series = (MotionSeries){0};
}

// ---- Running.

// W − K for q'' = 0, γ, du/dt for q'' = 0.
static const double *loads_of(const MotionSeries *series)
{
    size_t n = series->eq->n;
    return series->force_out + (series->eq->constant_matrices ? 0 : n * n);
}

static const double *needed_row(const MotionSeries *series, size_t i)
{
    return series->velocity_out + series->eq->independent.rows[i] * series->eq->n;
}

// Coefficient k of [b; Y].
static void put_velocities(MotionSeries *series, size_t k)
{
    const Equations *eq = series->eq;
    const State *state = series->state;
    size_t n = eq->n, m = eq->independent.count;
    double *matrix = linear_series_matrix(&series->of_velocities, k);
    for (size_t i = 0; i < m; i++)
        memcpy(matrix + i * n, needed_row(series, i), n * sizeof *matrix);
    memcpy(matrix + m * n, series->velocity_out + m * n, (n - m) * n * sizeof *matrix);
    for (size_t i = m; i < n && !state->speeds.own; i++) {
        memset(matrix + i * n, 0, n * sizeof *matrix);
        if (k == 0)
            matrix[i * n + state->speeds.chosen[i - m]] = 1;
    }
}

// Row `from` of a matrix as row `to`.
static void push_row(LinearSeries *to_series, size_t k, size_t to, const Pattern *filled,
                     const double *matrix, size_t from, size_t n)
{
    for (size_t l = filled->begins[from]; l < filled->begins[from + 1]; l++)
        linear_series_push(to_series, k, to, filled->places[l],
                           matrix[from * n + filled->places[l]]);
}

// The same where few entries are filled.
static void put_few_velocities(MotionSeries *series, size_t k)
{
    const Equations *eq = series->eq;
    const State *state = series->state;
    LinearSeries *of = &series->of_velocities;
    size_t n = eq->n, m = eq->independent.count;
    linear_series_begin(of, k);
    for (size_t i = 0; i < m; i++)
        push_row(of, k, i, &eq->velocity_pattern, series->velocity_out, eq->independent.rows[i], n);
    for (size_t i = m; i < n && state->speeds.own; i++)
        push_row(of, k, i, &eq->velocity_pattern, series->velocity_out, i, n);
    for (size_t i = m; i < n && !state->speeds.own && k == 0; i++)
        linear_series_push(of, k, i, state->speeds.chosen[i - m], 1);
}

// Coefficient k of the velocities, among the inputs.
static bool find_velocities(MotionSeries *series, size_t k, const double *u)
{
    const Equations *eq = series->eq;
    const State *state = series->state;
    size_t n = eq->n, m = eq->independent.count;
    if (series->settled) {
        for (size_t i = 0; i < n; i++)
            series->right[i] = i < m ? 0 : u[i - m];
        for (size_t i = 0; i < n && k == 0; i++)
            series->right[i] -= series->velocity_out[n * n + i];
        linear_series_still(&series->of_velocities, k, series->right);
        memcpy(series->inputs + eq->params + 1 + n, series->right, n * sizeof(double));
        return true;
    }
    const double *rest = series->velocity_out + n * n;
    if (eq->all_velocities)
        memcpy(series->inputs + eq->params + 1 + n, u, n * sizeof *u);
    series_engine_next(&series->velocities, k, series->inputs, series->velocity_out);
    // All velocities are among the speeds.
    if (eq->all_velocities)
        return true;
    if (eq->sparse_velocities)
        put_few_velocities(series, k);
    else
        put_velocities(series, k);
    for (size_t i = 0; i < m; i++)
        series->right[i] = -rest[eq->independent.rows[i]];
    for (size_t i = m; i < n; i++)
        series->right[i] = u[i - m] - (state->speeds.own ? rest[i] : 0);
    if (!linear_series_next(&series->of_velocities, k, series->right))
        return false;
    memcpy(series->inputs + eq->params + 1 + n, series->right, n * sizeof(double));
    return true;
}

// Row `i` of those that are linear in the accelerations, and what it asks for.
static const double *linear_row(const MotionSeries *series, size_t i, double *drift)
{
    const Equations *eq = series->eq;
    const State *state = series->state;
    size_t n = eq->n, m = eq->independent.count;
    if (i < m) {
        *drift = loads_of(series)[n + eq->independent.rows[i]];
        return needed_row(series, i);
    }
    *drift = series->second_out[state->second_class->affine * n + i - m];
    return series->second_out + (i - m) * n;
}

// Coefficient k of [𝓜 −dᵀ; b 0] and of what they are to give; `size` is that of a row.
static void put_linear(MotionSeries *series, size_t rows, size_t size, double *matrix)
{
    const Equations *eq = series->eq;
    size_t n = eq->n;
    const double *inertia = series->force_out, *bias = loads_of(series);
    const double *directions = dynamics_directions(eq, series->force_out);
    for (size_t i = 0; i < n; i++) {
        memcpy(matrix + i * size, inertia + i * n, n * sizeof *matrix);
        series->right[i] = -bias[i];
    }
    for (size_t i = 0; i < rows; i++) {
        double drift;
        const double *row = linear_row(series, i, &drift);
        const double *along = directions && i < eq->independent.count
                                  ? directions + eq->independent.rows[i] * n
                                  : row;
        memcpy(matrix + (n + i) * size, row, n * sizeof *matrix);
        for (size_t j = 0; j < n; j++)
            matrix[j * size + n + i] = -along[j];
        series->right[n + i] = -drift;
    }
}

// The same where few entries are filled; there are no conditions on accelerations then.
static void put_few(MotionSeries *series, size_t k)
{
    const Equations *eq = series->eq;
    const State *state = series->state;
    LinearSeries *of = &series->of_accelerations;
    size_t n = eq->n, m = eq->independent.count;
    const Pattern *pushes = &eq->reaction_pattern;
    // Where only the forces move, the inertia is what it was when last evaluated.
    const double *inertia = eq->constant_matrices ? state->forces.out : series->force_out;
    const double *loads = loads_of(series);
    bool moves = k == 0 || !eq->constant_matrices;
    const double *along = dynamics_directions(eq, series->force_out);
    if (!along)
        along = series->velocity_out;
    linear_series_begin(of, k);
    for (size_t i = 0; i < n; i++) {
        if (moves)
            push_row(of, k, i, &eq->inertia_pattern, inertia, i, n);
        for (size_t l = pushes->begins[i]; l < pushes->begins[i + 1]; l++)
            if (eq->independent.place[pushes->places[l]] < m)
                linear_series_push(of, k, i, n + eq->independent.place[pushes->places[l]],
                                   -along[pushes->places[l] * n + i]);
        series->right[i] = -loads[i];
    }
    for (size_t i = 0; i < m; i++) {
        push_row(of, k, n + i, &eq->velocity_pattern, series->velocity_out, eq->independent.rows[i],
                 n);
        series->right[n + i] = -loads[n + eq->independent.rows[i]];
    }
}

// Order 0: the stationary point that is followed, and Newton's matrix there.
static bool begin_implicit(MotionSeries *series, size_t rows, size_t size, double *matrix)
{
    const Equations *eq = series->eq;
    const State *state = series->state;
    SecondClass *seconds = state->second_class;
    size_t n = eq->n;
    double *b = room(rows * n + rows + size), *drift = b + rows * n, *x = drift + rows;
    for (size_t i = 0; i < rows; i++)
        memcpy(b + i * n, linear_row(series, i, &drift[i]), n * sizeof *b);
    KktProblem problem = {.inertia = series->force_out,
                          .force = series->right,
                          .rows = b,
                          .drift = drift,
                          .row_count = rows};
    memcpy(x, seconds->x, size * sizeof *x);
    bool found = second_class_newton(seconds, &problem, series->inputs, x);
    if (found) {
        second_class_matrix(seconds, &problem, matrix);
        for (size_t i = 0; i < size; i++) {
            series->right[i] = 0;
            for (size_t j = 0; j < size; j++)
                series->right[i] += matrix[i * size + j] * x[j];
        }
    }
    base_free(b);
    return found;
}

// Coefficient k of f and Σ λg, for coefficient k of accelerations and multipliers; NULL: 0.
static void next_implicit(MotionSeries *series, size_t k, size_t rows, const double *x)
{
    const Equations *eq = series->eq;
    const State *state = series->state;
    const Motion *motion = eq->motion;
    size_t n = eq->n, given = eq->params + 1 + 2 * n;
    const ModelConstraint *first = motion->model->constraints.at;
    memcpy(series->whole, series->inputs, given * sizeof(double));
    memset(series->whole + given, 0, (eq->input_count - given) * sizeof(double));
    for (size_t i = 0; x && i < n; i++)
        series->whole[given + i] = x[i];
    for (size_t i = 0; x && i < state->second_class->curved; i++) {
        const MotionRow *row = &motion->seconds[state->second_class->affine + i].row;
        series->whole[given + n + (size_t)(row->constraint - first)] = x[n + rows + i];
    }
    series_engine_next(&series->implicit, k, series->whole, series->implicit_out);
}

// Coefficient k of the accelerations of least constraint.
static bool find_accelerations(MotionSeries *series, size_t k)
{
    const Equations *eq = series->eq;
    const State *state = series->state;
    size_t n = eq->n, affine = state->second_class ? state->second_class->affine : 0;
    size_t curved = state->second_class ? state->second_class->curved : 0;
    size_t rows = eq->independent.count + affine, size = n + rows + curved;
    if (series->settled) {
        const double *bias = loads_of(series);
        for (size_t i = 0; i < size; i++)
            series->right[i] = -bias[i];
        linear_series_still(&series->of_accelerations, k, series->right);
        memcpy(series->accelerations + k * n, series->right, n * sizeof(double));
        return true;
    }
    double *matrix = eq->sparse_forces ? NULL : linear_series_matrix(&series->of_accelerations, k);
    if (curved > 0)
        memset(matrix, 0, size * size * sizeof *matrix);
    if (eq->sparse_forces)
        put_few(series, k);
    else
        put_linear(series, rows, size, matrix);
    if (curved > 0 && k == 0 && !begin_implicit(series, rows, size, matrix))
        return false;
    if (curved > 0 && k > 0) {
        next_implicit(series, k, rows, NULL);
        for (size_t i = 0; i < n; i++)
            series->right[i] += series->implicit_out[curved + i];
        for (size_t i = 0; i < curved; i++)
            series->right[n + rows + i] = -series->implicit_out[i];
    }
    if (!linear_series_next(&series->of_accelerations, k, series->right))
        return false;
    if (curved > 0)
        next_implicit(series, k, rows, series->right);
    memcpy(series->accelerations + k * n, series->right, n * sizeof(double));
    // From now on, for speeds that do not change, both matrices stay as they are.
    series->settled = eq->constant_matrices && state->speeds.own && eq->independent.count == eq->m;
    return true;
}

// The same by the form that drives the run: its equations give x, and q'' = B·x + D.
static bool find_driven_accelerations(MotionSeries *series, size_t k)
{
    const Equations *eq = series->eq;
    const State *state = series->state;
    size_t n = eq->n, freedoms = eq->motion->k, s = state->driver ? state->driver->size : 0;
    const double *out = series->driver_out;
    const double *B = out + s * s + s, *D = B + n * freedoms;
    series_engine_next(&series->driver, k, series->inputs, series->driver_out);
    memcpy(linear_series_matrix(&series->of_driver, k), out, s * s * sizeof *out);
    memcpy(series->right, out + s * s, s * sizeof *out);
    memcpy(series->reductions + k * n * freedoms, B, n * freedoms * sizeof *B);
    if (!linear_series_next(&series->of_driver, k, series->right))
        return false;
    for (size_t nu = 0; nu < n; nu++) {
        double sum = D[nu];
        for (size_t i = 0; i <= k; i++) {
            const double *b = series->reductions + (i * n + nu) * freedoms;
            const double *x = series->of_driver.solutions + (k - i) * s;
            for (size_t alpha = 0; alpha < freedoms; alpha++)
                sum += b[alpha] * x[alpha];
        }
        series->accelerations[k * n + nu] = sum;
    }
    return true;
}

// Coefficient k of u' = Y·q'' + (what it is for q'' = 0).
static void find_speed_rates(MotionSeries *series, size_t k, double *u_rate)
{
    const Equations *eq = series->eq;
    const State *state = series->state;
    size_t n = eq->n, m = eq->m;
    if (!state->speeds.own) {
        for (size_t alpha = 0; alpha < eq->k; alpha++)
            u_rate[alpha] = series->accelerations[k * n + state->speeds.chosen[alpha]];
        return;
    }
    memcpy(u_rate, loads_of(series) + n + m, eq->k * sizeof *u_rate);
    for (size_t i = 0; i <= k; i++)
        linear_series_add_rows(&series->of_velocities, i, m, series->accelerations + (k - i) * n,
                               u_rate);
}

bool motion_series_next(MotionSeries *series, size_t k, const double *ty, double *rate)
{
    const Equations *eq = series->eq;
    const State *state = series->state;
    size_t n = eq->n;
    if (stop_requested(series->stop, (double)(n * n)))
        return false;
    if (series->one.rates)
        return rates_series_next(&series->one, k, ty, rate);
    if (!series->inputs)
        make_room(series);
    // Parameters are constant in time.
    series->settled = series->settled && state->speeds.own;
    if (k == 0)
        memcpy(series->inputs, state->inputs, eq->params * sizeof(double));
    else
        memset(series->inputs, 0, eq->params * sizeof(double));
    memcpy(series->inputs + eq->params, ty, (1 + n) * sizeof(double));
    if (!find_velocities(series, k, ty + 1 + n))
        return false;
    memcpy(rate, series->inputs + eq->params + 1 + n, n * sizeof *rate);
    series_engine_next(&series->forces, k, series->inputs, series->force_out);
    if (series->seconds.next)
        series_engine_next(&series->seconds, k, series->inputs, series->second_out);
    bool found =
        series->driver.next ? find_driven_accelerations(series, k) : find_accelerations(series, k);
    if (!found)
        return false;
    find_speed_rates(series, k, rate + n);
    return real_all_finite(rate, n + eq->k);
}

double motion_series_clear_of_switches(const MotionSeries *series, size_t order, double most)
{
    if (series->one.rates)
        return series_engine_clear(&series->one.engine, order, most);
    double first = series_engine_clear(&series->velocities, order, most);
    first = fmin(first, series_engine_clear(&series->forces, order, most));
    first = fmin(first, series_engine_clear(&series->seconds, order, most));
    first = fmin(first, series_engine_clear(&series->implicit, order, most));
    return fmin(first, series_engine_clear(&series->driver, order, most));
}

bool motion_series_jacobian(MotionSeries *series, double t, const double *y, double *columns,
                            double *room)
{
    size_t count = series->eq->n + series->eq->k;
    double *ty = room, *rate = room + 1 + count;
    ty[0] = t;
    memcpy(ty + 1, y, count * sizeof *ty);
    if (!motion_series_next(series, 0, ty, rate))
        return false;
    memset(ty, 0, (1 + count) * sizeof *ty);
    for (size_t j = 0; j < count; j++) {
        ty[1 + j] = 1;
        if (!motion_series_next(series, 1, ty, columns + j * count))
            return false;
        ty[1 + j] = 0;
    }
    return true;
}
