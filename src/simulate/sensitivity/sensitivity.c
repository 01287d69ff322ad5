// sensitivity.c: the derivatives of a motion along its steps, and in its rows.
#include "simulate/sensitivity/sensitivity_impl.h"

#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/condition_multipliers.h"
#include "dynamics/equations.h"
#include "dynamics/equations_types.h"
#include "dynamics/system_functions.h"
#include "expr/arithmetic.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/events.h"
#include "model/friction.h"
#include "model/system.h"
#include "motion/frictions.h"
#include "motion/motion_types.h"
#include "motion/power.h"
#include "ode/ode.h"
#include "ode/problem.h"
#include "program/program.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/mode_inside_impl.h"
#include "simulate/run_report.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

// ---- What is wrong.

void sensitivity_refuse(Sensitivity *own, double t, const char *format, ...)
{
    if (own->reason)
        return;
    own->reason = arena_alloc(own->arena, sizeof *own->reason);
    *own->reason = (Text){0};
    own->reason_t = t;
    va_list args;
    va_start(args, format);
    text_addv(own->reason, format, args);
    va_end(args);
}

bool sensitivity_fails(SimulationRun *run, RunResult *result)
{
    Sensitivity *own = run->sim->sensitivity;
    if (!own || !own->reason)
        return false;
    Text reason = *own->reason;
    *own->reason = (Text){0};
    diag_error(run->diag, place_hint(HINT_SENSITIVITY), "at t = %.10g %s", own->reason_t,
               reason.at);
    text_clear(&reason);
    run->summary->reached = own->reason_t;
    *result = RESULT_UNDECIDED;
    return true;
}

// ---- Programs in first order.

void sensitivity_along(const Evaluator *evaluator, const double *inputs, const double *direction,
                       double *values, double *changes)
{
    size_t count = evaluator->count;
    ProgramSeries *series = program_series_new(evaluator->program, 0, 1);
    double *room = base_alloc((count + 1) * sizeof *room);
    for (size_t order = 0; order < 2; order++) {
        double *out = order == 0 ? values : changes;
        program_series_next(series, order, order == 0 ? inputs : direction, room);
        memset(out, 0, evaluator->outputs * sizeof *out);
        for (size_t i = 0; i < count; i++)
            out[evaluator->places ? evaluator->places[i] : i] = room[i];
    }
    base_free(room);
    program_series_free(series);
}

// ---- The functions of a mode.

bool sensitivity_take_mode(SimulationRun *run)
{
    Sensitivity *own = run->sim->sensitivity;
    ContactMode *mode = run->mode;
    if (!mode->functions && functions_new(mode->eq, mode->state, mode->motion, true, run->diag,
                                          &mode->functions) != STATUS_OK) {
        functions_free(mode->functions);
        mode->functions = NULL;
        sensitivity_refuse(own, mode->t, "the derivatives of this motion are not known");
        return false;
    }
    if (!mode->workspace)
        mode->workspace = functions_workspace(mode->functions);
    own->functions = mode->functions;
    own->workspace = mode->workspace;
    return true;
}

// Those of the parameters that the functions know: at a state, and how they change.
SystemPoint sensitivity_point_at(Sensitivity *own, const State *state, double t, const double *y)
{
    const size_t *places = functions_param_places(own->functions);
    size_t free = functions_layout(own->functions).params;
    for (size_t i = 0; i < free; i++)
        own->p[i] = state->inputs[places[i]];
    return (SystemPoint){t, y, own->p};
}

SystemPoint sensitivity_point(Sensitivity *own, const State *state)
{
    return sensitivity_point_at(own, state, *state->t, own->state_y);
}

static const double *params_along(Sensitivity *own, size_t which)
{
    const size_t *places = functions_param_places(own->functions);
    size_t free = functions_layout(own->functions).params;
    for (size_t i = 0; i < free; i++)
        own->dp_free[i] = which < own->count ? own->dp[which * own->params + places[i]] : 0;
    return own->dp_free;
}

// ---- Along a step.

// Y' at a time within the last step of the motion.
static bool rate(void *context, double t, const double *y, double *out)
{
    SimulationRun *run = context;
    Sensitivity *own = run->sim->sensitivity;
    size_t n = own->n;
    double *at = own->state_y;
    mode_interpolate(run->mode, t, at, at + n);
    SystemPoint here = sensitivity_point_at(own, run->mode->state, t, at);
    bool found = functions_begin_along(own->functions, own->workspace, here);
    for (size_t i = 0; i < own->count && found; i++)
        found = functions_along(own->functions, own->workspace, 0, y + 2 * n * i,
                                params_along(own, i), out + 2 * n * i);
    return found;
}

// What a derivative would be if the motion grew in proportion to what it is taken by: of positions
// or of velocities.
static double natural_size(const SimulationRun *run, size_t which, bool velocities)
{
    const Sensitivity *own = run->sim->sensitivity;
    const double *sizes = own->motion_sizes + (velocities ? own->n : 0);
    return real_largest(sizes, own->n) / own->by_sizes[which];
}

// Each part by what it was lately, or will be soon; and by no less than what rounding makes of it.
// (What was large long ago, as at the pericentre of a comet, says nothing of what is small now.)
static void error_scale(void *context, const double *y, double *scale)
{
    SimulationRun *run = context;
    Sensitivity *own = run->sim->sensitivity;
    double tolerance = run->sim->settings.tolerance;
    for (size_t k = 0; k < 2 * own->count; k++) {
        const double *part = y + k * own->n;
        double *sizes = own->sizes + k * own->n, most = 0;
        double natural = natural_size(run, k / 2, k % 2);
        double floor = fmax(TOL_COARSE * tolerance, LIMIT_STEPS * DBL_EPSILON) * natural;
        for (size_t j = 0; j < own->n; j++) {
            sizes[j] = fmax(sizes[j], fabs(part[j]));
            most = fmax(most, sizes[j]);
        }
        for (size_t j = 0; j < own->n; j++)
            scale[k * own->n + j] =
                fmax(tolerance * fmax(sizes[j], TOL_COARSE * most), fmax(floor, DBL_MIN));
    }
}

static void begin_step(SimulationRun *run)
{
    Sensitivity *own = run->sim->sensitivity;
    size_t count = 2 * own->n * own->count;
    own->begin = own->t;
    memcpy(own->y_begin, own->y, count * sizeof *own->y);
    if (!sensitivity_take_mode(run))
        return;
    mode_interpolate(run->mode, run->mode->t, own->state_y, own->state_y + own->n);
    for (size_t j = 0; j < 2 * own->n; j++)
        own->motion_sizes[j] = fmax(own->motion_sizes[j], fabs(own->state_y[j]));
    // What is 0 at first is measured by how far it gets.
    sensitivity_check_roots(run, own->t, run->mode->t);
    for (size_t i = 0; i < count; i++)
        own->sizes[i] /= 2;
    double length = run->mode->t - own->t;
    bool found = rate(run, own->t, own->y, own->change);
    for (size_t i = 0; i < count && found; i++)
        own->sizes[i] = fmax(own->sizes[i], fabs(own->change[i]) * length);
}

static bool start_integrator(SimulationRun *run)
{
    Sensitivity *own = run->sim->sensitivity;
    if (!own->integrator) {
        OdeProblem problem = {.count = 2 * own->n * own->count,
                              .tolerance = run->sim->settings.tolerance,
                              .max_step = run->sim->settings.to,
                              .smooth = true,
                              .undamped = true,
                              .context = run,
                              .rate = rate,
                              .error_scale = error_scale};
        own->integrator = ode_integrator_new(ODE_ERK, &problem);
    }
    double step = own->integrator ? ode_integrator_next_step(own->integrator) : 0;
    own->step_begin = own->t;
    return own->integrator && ode_integrator_start(own->integrator, own->t, own->y,
                                                   isfinite(step) && step > 0 ? step : 0);
}

// From where the step of the motion begins, or on from where it is.
static void go(SimulationRun *run, double t)
{
    Sensitivity *own = run->sim->sensitivity;
    ContactMode *mode = run->mode;
    if (own->begin < mode->from || own->begin >= mode->t) {
        begin_step(run);
        if (own->reason || !start_integrator(run))
            return;
    } else if (t < own->step_begin) {
        own->t = own->begin;
        memcpy(own->y, own->y_begin, 2 * own->n * own->count * sizeof *own->y);
        if (!start_integrator(run))
            return;
    }
    for (size_t steps = 0; own->t < t && !own->reason; steps++) {
        double from = own->t;
        if (steps < LIMIT_EVENTS &&
            ode_integrator_step(own->integrator, mode->t, &own->t, own->y) == ODE_STEPPED)
            own->step_begin = from;
        else
            sensitivity_refuse(own, own->t, "the derivatives cannot be followed further");
    }
}

// What evaluates rates may leave the state of the mode elsewhere.
static double *keep_inputs(const SimulationRun *run)
{
    size_t bytes = run->mode->eq->input_count * sizeof(double);
    return memcpy(base_alloc(bytes), run->mode->state->inputs, bytes);
}

static void give_inputs(const SimulationRun *run, double *inputs)
{
    memcpy(run->mode->state->inputs, inputs, run->mode->eq->input_count * sizeof *inputs);
    base_free(inputs);
}

void sensitivity_advance(SimulationRun *run, double t)
{
    Sensitivity *own = run->sim->sensitivity;
    if (!own || own->reason || own->inside || !run->mode->stepped)
        return;
    double *inputs = keep_inputs(run);
    go(run, t);
    give_inputs(run, inputs);
}

// At a time within the last step.
static const double *at_time(SimulationRun *run, double t)
{
    Sensitivity *own = run->sim->sensitivity;
    sensitivity_advance(run, t);
    if (own->reason || own->inside || !run->mode->stepped || t >= own->t)
        return own->y;
    ode_integrator_interpolate(own->integrator, t, own->told, own->change);
    return own->told;
}

// ---- Rows.

const double *sensitivity_moves(SimulationRun *run, const State *state, size_t which, double dt,
                                const double *dy)
{
    Sensitivity *own = run->sim->sensitivity;
    double *direction = own->direction;
    memset(direction, 0, run->mode->eq->input_count * sizeof *direction);
    sensitivity_point(own, state);
    functions_params_along(own->functions, own->p, params_along(own, which), direction);
    direction[own->params] = dt;
    memcpy(direction + own->params + 1, dy, 2 * own->n * sizeof *direction);
    return direction;
}

const double *sensitivity_inputs(SimulationRun *run, const State *state, size_t which, double dt,
                                 const double *dy)
{
    Sensitivity *own = run->sim->sensitivity;
    const Equations *eq = run->mode->eq;
    size_t n = own->n, params = own->params, count;
    double *direction = own->direction;
    sensitivity_moves(run, state, which, dt, dy);
    memcpy(own->state_y, state->q, n * sizeof *direction);
    memcpy(own->state_y + n, state->v, n * sizeof *direction);
    if (!functions_rates_along(own->functions, own->workspace, sensitivity_point(own, state), dt,
                               dy, own->dp_free, own->rates))
        sensitivity_refuse(own, *state->t, "the derivatives of the accelerations have no value");
    memcpy(direction + params + 1 + 2 * n, own->rates + n, n * sizeof *direction);
    const struct ModelConstraint *const *unknown = functions_unknown(own->functions, &count);
    const double *multipliers = functions_multipliers(own->functions, own->workspace, true);
    // A reaction that is not among the unknowns acts nevertheless: its derivative is not known.
    for (size_t k = params + 1 + 3 * n; k < eq->input_count; k++)
        direction[k] = state->inputs[k] == 0 ? 0 : NAN;
    for (size_t i = 0; i < count; i++)
        direction[params + 1 + 3 * n + dynamics_multiplier_index(eq, unknown[i])] = multipliers[i];
    return direction;
}

// Where the energy is constant its derivative is too, up to an event: what it changes by is the
// error of the others.
static void check_energy(SimulationRun *run, size_t which, const double *inputs)
{
    Sensitivity *own = run->sim->sensitivity;
    double value, change;
    if (own->energy.outputs == 0)
        return;
    sensitivity_along(&own->energy, run->mode->state->inputs, inputs, &value, &change);
    if (isnan(own->energy_before[which]))
        own->energy_before[which] = change;
    double size = fmax(fabs(own->energy_before[which]), fabs(value) / own->by_sizes[which]);
    double off = fabs(change - own->energy_before[which]);
    if (!(off <= sqrt(run->sim->settings.tolerance) * size))
        sensitivity_refuse(
            own, *run->mode->state->t,
            "the derivatives by %s have lost their digits: that of the energy, which "
            "is constant, is off by %.2g of %.2g; a lower tolerance may help",
            own->names.at[which].name, off, size);
}

void sensitivity_forget_energy(Sensitivity *own)
{
    for (size_t i = 0; i < own->count; i++)
        own->energy_before[i] = NAN;
}

static Status find_energy(Sensitivity *own, Diag *diag)
{
    Motion *motion = own->sim->motion;
    const Equations *eq = own->sim->base->eq;
    own->energy_before = real_alloc(own->arena, own->count + 1);
    MotionPower power = motion_power(motion);
    if (expr_is_none(power.energy) || motion->model->events.count > 0 ||
        motion->friction_count > 0 || !expr_is_zero(motion->pool, power.power))
        return STATUS_OK;
    return equations_lower(eq, "the energy holds", &power.energy, 1, eq->input_count, diag,
                           &own->energy);
}

// Columns of one direction: coordinates, velocities, then what else has one.
static void fill_direction(SimulationRun *run, size_t which, const double *dy, double *values,
                           double *changes, double *out)
{
    Sensitivity *own = run->sim->sensitivity;
    const Columns *columns = run->mode->columns;
    size_t n = own->n - run->mode->motion->model->rated_count, given = 1 + 2 * n, at = 0;
    const double *inputs =
        sensitivity_inputs(run, run->mode->state, which, 0, dy + 2 * own->n * which);
    for (size_t j = 0; j < n; j++, at++)
        out[at] = inputs[own->params + 1 + j];
    for (size_t j = 0; j < n; j++, at++)
        out[at] = inputs[own->params + 1 + own->n + j];
    check_energy(run, which, inputs);
    if (columns->quantities.outputs > 0)
        sensitivity_along(&columns->quantities, run->mode->state->inputs, inputs, values, changes);
    for (size_t c = given; c < columns->diffs_at; c++) {
        if (!columns_has_diff(columns, c))
            continue;
        if (isnan(changes[c - given]) && isfinite(values[c - given]))
            sensitivity_refuse(own, *run->mode->state->t,
                               "the derivative of '%s' by %s is not known", columns->names[c],
                               own->names.at[which].name);
        out[at++] = changes[c - given];
    }
    assert(at == columns->diff_count);
}

void sensitivity_fill(SimulationRun *run)
{
    Sensitivity *own = run->sim->sensitivity;
    Columns *columns = run->mode->columns;
    if (!own || own->reason)
        return;
    const double *dy = at_time(run, *run->mode->state->t);
    if (own->reason || !sensitivity_take_mode(run))
        return;
    size_t outputs = columns->quantities.outputs + 1;
    double *values = base_alloc(2 * outputs * sizeof *values);
    for (size_t i = 0; i < own->count; i++)
        fill_direction(run, i, dy, values, values + outputs,
                       columns->row + columns->diffs_at + i * columns->diff_count);
    base_free(values);
}

// ---- From the start.

static Status check_options(const Simulation *sim, Diag *diag)
{
    const RunOptions *settings = &sim->settings;
    const Motion *motion = sim->motion;
    if (settings->method != RUN_TAYLOR && settings->method != RUN_ERK)
        return diag_error(diag, place_hint(HINT_METHOD),
                          "derivatives are for the methods 'taylor' and 'erk', and not for '%s'",
                          run_method_name(settings->method));
    for (size_t i = 0; i < motion->model->events.count; i++)
        if (motion->model->events.at[i].sampling &&
            !expr_is_zero(motion->pool, motion->model->events.at[i].sampling->times[SAMPLE_DELAY]))
            return diag_error(diag, motion->model->events.at[i].place,
                              "derivatives of a motion with samples that have a delay ('%s') are "
                              "not known to this version",
                              motion->model->events.at[i].name);
    // Its velocity jumps where it begins to slide, and follows from the others while it does.
    for (size_t i = 0; i < motion->friction_count; i++)
        if (motion_friction_is_massless(&motion->frictions[i]))
            return diag_error(diag, motion->frictions[i].friction->place,
                              "derivatives of a motion with friction on what has no inertia ('%s') "
                              "are not known to this version",
                              motion->frictions[i].friction->name);
    return STATUS_OK;
}

Status sensitivity_new(Simulation *sim, Diag *diag)
{
    if (!sim->settings.sensitivity)
        return STATUS_OK;
    TRY(check_options(sim, diag));
    const Equations *eq = sim->base->eq;
    Arena *arena = arena_new();
    Sensitivity *own = sim->sensitivity = arena_alloc(arena, sizeof *own);
    *own = (Sensitivity){.arena = arena, .sim = sim, .n = eq->n, .params = eq->params};
    TRY(sensitivity_read(sim->motion->model, sim->settings.sensitivity, arena, diag, &own->names));
    size_t count = own->count = own->names.count, size = 2 * own->n * count;
    real_alloc_each(arena, size + 2 * own->n, &own->start, &own->y, &own->y_begin, &own->sizes,
                    &own->state_y, &own->rates, &own->change, &own->told);
    real_alloc_each(arena, own->params * (count + 1), &own->start_params, &own->dp, &own->p,
                    &own->dp_free);
    own->direction = real_alloc(arena, eq->input_count);
    real_alloc_each(arena, count, &own->tau, &own->by_sizes);
    real_alloc_each(arena, own->n * (count + 2), &own->motion_sizes, &own->given,
                    &own->given_changes);
    own->by_names = arena_array(arena, const char *, count);
    for (size_t i = 0; i < count; i++)
        own->by_names[i] = own->names.at[i].name;
    TRY(sensitivity_find_roots(own, diag));
    TRY(find_energy(own, diag));
    return sensitivity_start(own, diag);
}

void sensitivity_free(Sensitivity *own)
{
    if (!own)
        return;
    ode_integrator_free(own->integrator);
    evaluator_clear(&own->roots);
    evaluator_clear(&own->energy);
    arena_free(own->arena);
}

void sensitivity_begin(SimulationRun *run)
{
    Sensitivity *own = run->sim->sensitivity;
    if (!own)
        return;
    ode_integrator_free(own->integrator);
    own->integrator = NULL;
    own->t = run->sim->settings.from;
    own->begin = own->step_begin = INFINITY;
    own->event_t = NAN;
    own->inside = false;
    own->smooth = true;
    own->impulse = NULL;
    own->reason = NULL;
    sensitivity_forget_energy(own);
    memcpy(own->y, own->start, 2 * own->n * own->count * sizeof *own->y);
    memcpy(own->dp, own->start_params, own->params * own->count * sizeof *own->dp);
    memset(own->sizes, 0, 2 * own->n * own->count * sizeof *own->sizes);
    memcpy(own->motion_sizes, run->sim->start.q, own->n * sizeof *own->sizes);
    memcpy(own->motion_sizes + own->n, run->sim->start.v, own->n * sizeof *own->sizes);
    for (size_t j = 0; j < 2 * own->n; j++)
        own->motion_sizes[j] = fabs(own->motion_sizes[j]);
}
