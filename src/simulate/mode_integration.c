// mode_integration.c: a contact mode in time: what its integrator evaluates, and its steps.
#include "dynamics/compilation.h"
#include "dynamics/condition_multipliers.h"
#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "dynamics/form_driver.h"
#include "dynamics/independent_rows.h"
#include "dynamics/pattern.h"
#include "dynamics/projection.h"
#include "dynamics/rate_strategy.h"
#include "dynamics/speed_choice.h"
#include "dynamics/stop_request.h"
#include "dynamics/system_functions.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"
#include "ode/ode.h"
#include "ode/problem.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/friction/slip_start_impl.h"
#include "simulate/mode_integration_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/modules_impl.h"
#include "simulate/narrow_functions_impl.h"
#include "simulate/run_options.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// ---- Evaluation.

static DynamicsOutcome rate_at(const Equations *eq, State *state, double t, const double *y,
                               double *rate)
{
    DynamicsOutcome outcome = dynamics_velocities(eq, state, t, y, y + eq->n);
    if (outcome == DYNAMICS_FOUND)
        outcome = dynamics_accelerations(eq, state, rate + eq->n);
    if (outcome == DYNAMICS_FOUND)
        memcpy(rate, state->v, eq->n * sizeof *rate);
    return outcome;
}

double mode_conditioning_at(ContactMode *mode, double t, const double *y)
{
    DynamicsOutcome outcome = dynamics_velocities(mode->eq, mode->state, t, y, y + mode->eq->n);
    return outcome == DYNAMICS_FOUND ? conditioning_oriented(mode->eq, mode->state) : 0;
}

// ---- What the integrator evaluates.

static bool rate(ContactMode *mode, double t, const double *y, double *out)
{
    DynamicsOutcome outcome = rate_at(mode->eq, mode->state, t, y, out);
    return outcome == DYNAMICS_FOUND || mode_fail(mode, outcome);
}

// Linear solves find out what is wrong with the rates in one program. What is interpolated is
// finished even where the run is to end.
static bool any_rate(void *context, double t, const double *y, double *out)
{
    ContactMode *mode = context;
    size_t n = mode->eq->n;
    if (!mode->inside.interpolating && stop_requested(mode->stop, (double)(n * n)))
        return false;
    return strategy_rate(mode->strategy, t, y, out) || rate(mode, t, y, out);
}

static bool series(void *context, size_t k, const double *ty, double *out)
{
    ContactMode *mode = context;
    if (strategy_series(mode->strategy, k, ty, out))
        return true;
    bool stopped = mode->stop && mode->stop->stopped;
    if (k == 0 && !stopped && rate(mode, ty[0], ty + 1, mode->inside.rate))
        mode->why = DYNAMICS_NOT_FINITE;
    return false;
}

static bool project_step(void *context, double t, double *y)
{
    ContactMode *mode = context;
    return mode_project(mode, t, y) && modules_step_is_valid(mode);
}

static void error_scale(void *context, const double *y, double *out)
{
    const ContactMode *mode = context;
    error_scale_weights(mode->scale, y, ode_integrator_next_step(mode->integrator), out);
}

// A motion that is smooth all over has nothing that is narrow. It is not asked of one whose
// conditions may be singular somewhere inside a step.
static bool is_clear(void *context, double from, double length, const double *end)
{
    ContactMode *mode = context;
    if (!mode->inside.watched)
        return false;
    NarrowFunctions *narrow = mode->inside.narrow;
    return narrow ? narrow_is_level(narrow, mode, from, from + length, end)
                  : mode->settings->smooth;
}

// ---- Opening.

// A multistep method sees no more of a step than its ends; what a stage sees is the inside. So that
// a force that acts for a while is not passed over, a step is a small part of the run where there
// may be one.
static double longest_step(const RunOptions *settings)
{
    double longest = settings->to / EVENT_MARGIN;
    if (settings->method == RUN_ERK)
        return settings->smooth ? settings->to : longest;
    return fmin(settings->every, longest);
}

// What errors a step may have. Series and Runge–Kutta methods leave a margin of their own; steps of
// a multistep method have what is asked for, of which rounding leaves some digits.
static double step_tolerance(const RunOptions *settings)
{
    double tolerance = settings->tolerance;
    bool multistep = settings->method == RUN_ADAMS || settings->method == RUN_BDF;
    return multistep ? fmin(tolerance, fmax(TOL_MULTISTEP * tolerance, 8 * TOL_STATE)) : tolerance;
}

// Of a part of the state, the error that a step can keep in a moment of large energies: the
// iterations of multistep methods end with some more roundings.
static double least_part(const RunOptions *settings)
{
    bool multistep = settings->method == RUN_ADAMS || settings->method == RUN_BDF;
    return (multistep ? 64 : 8) * TOL_STATE;
}

// The programs that evaluations and rows take.
static void begin_compilation(ContactMode *mode, Diag *diag)
{
    const RunOptions *settings = mode->settings;
    const Equations *eq = mode->eq;
    State *state = mode->state;
    Evaluator *const programs[] = {&state->positions,
                                   &state->velocities,
                                   eq->direct.program ? &state->direct : &state->forces,
                                   state->driver ? &state->driver->equations : NULL,
                                   &mode->columns->quantities,
                                   mode->columns->watched};
    // One a row, unless events lead to other modes.
    double rows = mode->motion->side_count == 0 ? settings->to / settings->every : 0;
    CompileOptions options = {.engine = settings->engine,
                              .to = settings->to,
                              .known = rows,
                              .uses = settings->uses,
                              .stop = mode->stop,
                              .diag = diag};
    compilation_begin(mode->compilation, options, programs, sizeof programs / sizeof *programs);
}

// Along a run velocities are measured anew; the next run begins as this one did.
static void keep_scale(const ContactMode *mode, bool begin)
{
    double *kept = mode->review.scale, *own[] = {mode->state->scale, mode->state->inertias};
    size_t n = mode->eq->n;
    for (size_t i = 0; i < 2; i++)
        memcpy(begin ? kept + i * n : own[i], begin ? own[i] : kept + i * n, n * sizeof *kept);
}

bool mode_open(ContactMode *mode, StopRequest *stop, const RunAudit *audit, Diag *diag)
{
    const RunOptions *settings = mode->settings;
    const Equations *eq = mode->eq;
    assert(!mode->integrator && settings->tolerance > 0);
    mode->stop = mode->state->stop = stop;
    mode->run_arena = arena_new();
    mode->scale = error_scale_new(mode->run_arena, eq, step_tolerance(settings),
                                  least_part(settings), settings->every);
    mode->turns = turns_new(mode->run_arena, mode, audit);
    begin_compilation(mode, diag);
    bool taylor = settings->method == RUN_TAYLOR;
    size_t order = ode_taylor_order(settings->tolerance);
    size_t block_order = ode_taylor_block_order(settings->tolerance, mode->motion->side_count > 0);
    RateOptions options = {.order = taylor ? order : 1,
                           .block_order = taylor ? block_order : 0,
                           .implicit = settings->method == RUN_BDF && !settings->dense,
                           .many = settings->method == RUN_ERK,
                           .tells = mode->made && !settings->driven,
                           .fixed = settings->fixed,
                           .compilation = mode->compilation,
                           .store = mode->store,
                           .owner = mode->owner};
    mode->strategy = strategy_new(eq, mode->state, mode->motion, options);
    bool clear = eq->m == 0 || independent_rows_last(eq, mode->state);
    OdeProblem problem = {.count = eq->n + eq->k,
                          .tolerance = settings->tolerance,
                          .max_step = longest_step(settings),
                          .smooth = settings->smooth,
                          .undamped = settings->undamped && mode->made,
                          .context = mode,
                          .program = mode->strategy,
                          .rate = any_rate,
                          .is_nystrom = eq->m == 0 ? strategy_is_nystrom : NULL,
                          .series = series,
                          .expand = strategy_expand,
                          .sum = strategy_sum,
                          .order = order,
                          .expand_order = block_order,
                          .switch_distance = strategy_switch_distance,
                          .is_clear = clear ? is_clear : NULL,
                          .span = settings->to,
                          .jacobian = strategy_jacobian,
                          .sparse_jacobian = strategy_sparse_jacobian,
                          .project = mode_has_projection(eq) ? project_step : NULL,
                          .error_scale = error_scale};
    mode->integrator = ode_integrator_new((OdeMethod)settings->method, &problem);
    mode->state->evaluations = 0;
    mode->state->speeds.own = dynamics_can_use_own_speeds(eq, settings->driven);
    mode->state->speeds.relative = settings->method != RUN_TAYLOR;
    mode->counts = (ModeCounts){0};
    mode->review = (SpeedReview){.at = NAN, .retaken = NAN};
    mode->review.scale = real_alloc(mode->run_arena, 2 * eq->n);
    keep_scale(mode, true);
    return mode->integrator != NULL;
}

void mode_close(ContactMode *mode)
{
    ode_integrator_free(mode->integrator);
    mode->integrator = NULL;
    mode->compilation->options.stop = NULL;
    mode->state->stop = NULL;
    strategy_free(mode->strategy);
    mode->strategy = NULL;
    functions_workspace_free(mode->workspace);
    functions_free(mode->functions);
    if (mode->run_arena) {
        keep_scale(mode, false);
        independent_rows_choose_first(mode->eq, mode->state);
    }
    if (mode->energies)
        evaluator_clear(mode->energies);
    mode->energies = NULL;
    mode->workspace = NULL;
    mode->functions = NULL;
    arena_free(mode->run_arena);
    mode->run_arena = NULL;
    mode->turns = NULL;
}

// ---- Beginning.

// In large systems: how much of the rates, which are those at the present state, is noise from the
// roundings of the coordinates. Neighbours are rounded differently.
static void measure_noise(ContactMode *mode, const double *rates)
{
    const Equations *eq = mode->eq;
    size_t n = eq->n;
    double *rounded = mode->inside.y, *other = mode->inside.rate;
    if (!eq->sparse_velocities || !eq->sparse_forces)
        return;
    memcpy(rounded, mode->y, (n + eq->k) * sizeof *rounded);
    for (size_t j = 0; j < n; j++)
        rounded[j] *= 1 + (j % 3 == 0 ? -1 : 1) * DBL_EPSILON;
    if (rate_at(eq, mode_probe(mode), mode->t, rounded, other) == DYNAMICS_FOUND)
        error_scale_noise(mode->scale, rates + n, other + n);
}

// Whether one of the rates is still half as large as it was, after so long a time; what it gives
// until then for each that is.
static bool add_gains(double *tops, double *gains, const double *rates, size_t count, double after)
{
    bool lasting = false;
    for (size_t i = 0; i < count; i++) {
        double size = fabs(rates[i]);
        if (!(size >= tops[i] / 2)) {
            tops[i] = INFINITY;
            continue;
        }
        tops[i] = fmax(tops[i], size);
        gains[i] = fmax(gains[i], size * after);
        lasting = true;
    }
    return lasting;
}

// Accelerations and speeds' rates, n | k, at a time, the state being as it is.
static bool rates_at_time(ContactMode *mode, double t, double *rates)
{
    const Equations *eq = mode->eq;
    State *probe = mode_probe(mode);
    bool found = rate_at(eq, probe, t, mode->y, rates) == DYNAMICS_FOUND;
    memcpy(rates, probe->a, eq->n * sizeof *rates);
    return found;
}

double mode_reach(ContactMode *mode, double t, double lasting)
{
    size_t n = mode->eq->n;
    double *rates = base_alloc((n + mode->eq->k + 1) * sizeof *rates), most = 0;
    bool found = rates_at_time(mode, t, rates);
    for (size_t i = 0; i < n && found; i++)
        most = fmax(most, fabs(rates[i]));
    base_free(rates);
    lasting = fmin(lasting, mode->settings->every);
    return most * lasting * lasting;
}

// What velocities and speeds gain while their rates last, n | k, up to a time `most`, which becomes
// that time. A force of the time may die away long before the next row; and what sets in slowly, as
// a ramp does, shows its size only later.
static double *measure_gains(ContactMode *mode, const double *rates, double *most)
{
    const Equations *eq = mode->eq;
    size_t n = eq->n, k = eq->k, count = n + k;
    double *gains = base_alloc(3 * count * sizeof *gains + 1), *tops = gains + count,
           *later = tops + count, after = *most;
    if (error_scale_is_timed(mode->scale))
        after = TOL_STATE * fmax(mode->t, *most);
    memcpy(later, mode->state->a, n * sizeof *later);
    memcpy(later + n, rates + n, k * sizeof *later);
    add_gains(tops, gains, later, count, after);
    while (after < *most && rates_at_time(mode, mode->t + after, later) &&
           add_gains(tops, gains, later, count, after))
        after = fmin(2 * after, *most);
    *most = after;
    return gains;
}

// Whether the velocities, in units of their inertia, hardly change before the run ends, and nothing
// happens until then: one step is likely to reach its end.
static bool is_nearly_over(const ContactMode *mode)
{
    const State *state = mode->state;
    double velocity = 0, acceleration = 0;
    for (size_t i = 0; i < mode->eq->n; i++) {
        velocity = fmax(velocity, fabs(state->v[i] / state->scale[i]));
        acceleration = fmax(acceleration, fabs(state->a[i] / state->scale[i]));
    }
    return mode->settings->smooth && velocity > 0 &&
           8 * acceleration * (mode->settings->to - mode->t) <= velocity;
}

// What errors are measured by, with the rates at the present state.
static void begin_scale(ContactMode *mode, bool same_speeds, const double *rates)
{
    size_t n = mode->eq->n;
    if (same_speeds) {
        error_scale_update(mode->scale, mode->state, mode->y + n);
    } else {
        double lasting = mode->settings->every, *gains = measure_gains(mode, rates, &lasting);
        error_scale_begin(mode->scale, mode->eq, mode->state, mode->y + n, gains, lasting);
        base_free(gains);
        strategy_make(mode->strategy, mode->t, is_nearly_over(mode));
    }
    measure_noise(mode, rates);
}

// From where no rate is defined; what is measured is that where the first step ends.
static bool start_sliding(ContactMode *mode, bool same_speeds)
{
    size_t count = mode->eq->n + mode->eq->k, bytes = count * sizeof *mode->y;
    double *begin = base_alloc(3 * bytes + 1), *rates = begin + count, *end = rates + count;
    double t = mode->t, until;
    memcpy(begin, mode->y, bytes);
    if (!same_speeds)
        strategy_make(mode->strategy, mode->t, is_nearly_over(mode));
    bool found = slip_start_begin(mode, &until, end);
    if (found) {
        mode->t = until;
        memcpy(mode->y, end, bytes);
        found = rate(mode, mode->t, mode->y, rates);
    }
    if (found)
        begin_scale(mode, same_speeds, rates);
    mode->t = t;
    memcpy(mode->y, begin, bytes);
    base_free(begin);
    return found ? mode_evaluate_at(mode, mode->t, mode->y) : mode_fail(mode, DYNAMICS_SLIDING);
}

bool mode_start_integrator(ContactMode *mode, bool same_speeds, double step)
{
    const Equations *eq = mode->eq;
    State *state = mode->state;
    size_t n = eq->n;
    memcpy(mode->y, state->q, n * sizeof *mode->y);
    dynamics_speeds(eq, state, mode->y + n);
    if (!same_speeds)
        ode_integrator_other_speeds(mode->integrator);
    if (slip_start_is_due(mode))
        return start_sliding(mode, same_speeds);
    double *rates = base_alloc((n + eq->k + 1) * sizeof *rates);
    bool found = rate(mode, mode->t, mode->y, rates);
    if (found)
        begin_scale(mode, same_speeds, rates);
    base_free(rates);
    mode->inside.known = false;
    return found && ode_integrator_start(mode->integrator, mode->t, mode->y, step);
}

bool mode_begin(ContactMode *mode, double t, const double *q, const double *v, double step)
{
    const Equations *eq = mode->eq;
    State *state = mode->state;
    size_t n = eq->n;
    assert(mode->integrator);
    mode->t = mode->from = t;
    mode->stepped = false;
    modules_mode_begin(mode);
    dynamics_clear_reactions(eq, state);
    memcpy(mode->y, q, n * sizeof *q);
    if (eq->all_velocities) {
        *state->t = t;
        memcpy(state->q, q, n * sizeof *q);
        memcpy(state->v, v, n * sizeof *v);
        velocities_follow_states(eq, state);
        memcpy(mode->y + n, state->v, n * sizeof *v);
    }
    if (!mode->made && eq->finite > 0 && !mode_project(mode, t, mode->y))
        return false;
    if (eq->all_velocities)
        v = mode->y + n;
    *state->t = t;
    memcpy(state->q, mode->y, n * sizeof *q);
    memcpy(state->v, v, n * sizeof *v);
    evaluator_run(&state->velocities, state->inputs);
    dynamics_speeds(eq, state, mode->y + n);
    double now = fabs(mode_conditioning_at(mode, t, mode->y));
    memcpy(state->v, v, n * sizeof *v);
    bool taken = conditioning_improve(eq, state, now), same = !taken && mode->counts.begun;
    mode->counts.speed_changes += taken;
    mode->review.taken = taken;
    same = !form_driver_improve(mode->eq, state, false) && same;
    mode->counts.begun = true;
    mode->review.good = mode->review.skipped = 0;
    mode->review.at = NAN;
    return mode_start_integrator(mode, same, step);
}

double mode_next_step(const ContactMode *mode)
{
    return mode->counts.begun ? ode_integrator_next_step(mode->integrator) : 0;
}

bool mode_restart(ContactMode *mode)
{
    mode->inside.known = false;
    return ode_integrator_start(mode->integrator, mode->t, mode->y, 0);
}

bool mode_set_out(ContactMode *mode)
{
    bool changed;
    mode->review.good = 0;
    return mode_review_speeds(mode, &changed) && (changed || mode_restart(mode));
}

bool mode_restart_after_jump(ContactMode *mode, double until)
{
    bool changed;
    mode->review.good = 0;
    if (!mode_review_speeds(mode, &changed))
        return false;
    double *rates = mode->inside.rate, lasting = fmin(until - mode->t, mode->settings->every);
    if (!rate(mode, mode->t, mode->y, rates))
        return false;
    double *gains = measure_gains(mode, rates, &lasting);
    error_scale_jump(mode->scale, gains, lasting);
    base_free(gains);
    return changed || mode_restart(mode);
}

bool mode_improve_form(ContactMode *mode, bool failed)
{
    return mode->eq->driver && mode_conditioning_at(mode, mode->t, mode->y) != 0 &&
           form_driver_improve(mode->eq, mode->state, failed);
}

bool mode_continue_otherwise(ContactMode *mode)
{
    if (mode_improve_form(mode, true))
        return mode_start_integrator(mode, false, 0);
    return (strategy_give_up(mode->strategy, mode->t) || mode_relax(mode)) && mode_restart(mode);
}

bool mode_relax(ContactMode *mode)
{
    return error_scale_relax(mode->scale, mode->settings->tolerance);
}

// ---- Steps.

// Of short steps more digits are asked than the time has there: what a force that changes so fast
// is off by does not become less with the step. Runge–Kutta takes a longer step only where it finds
// far less than what is allowed.
static void measure_time_noise(ContactMode *mode)
{
    const Equations *eq = mode->eq;
    const RunOptions *settings = mode->settings;
    size_t n = eq->n;
    double h = ode_integrator_next_step(mode->integrator);
    double rounding = (settings->method == RUN_ERK ? EVENT_MARGIN : 8) * DBL_EPSILON * mode->t;
    if (!eq->patterns->forces_hold_time)
        return;
    error_scale_time(mode->scale, NULL, NULL, 0);
    if (!(error_scale_tolerance(mode->scale) * h < rounding))
        return;
    double *now = base_alloc(2 * (n + eq->k) * sizeof *now), *later = now + n + eq->k;
    State *probe = mode_probe(mode);
    if (rate_at(eq, probe, mode->t, mode->y, now) == DYNAMICS_FOUND &&
        rate_at(eq, probe, mode->t + h, mode->y, later) == DYNAMICS_FOUND)
        error_scale_time(mode->scale, now + n, later + n, fmin(rounding / h, 1));
    base_free(now);
}

// The energies where a speed is large for a moment.
static void measure_moment(ContactMode *mode)
{
    const Equations *eq = mode->eq;
    const Motion *motion = mode->motion;
    State *probe = mode_probe(mode);
    Expr outputs[] = {motion->T, motion->energy}, missing;
    if (expr_is_none(motion->T) || expr_is_none(motion->energy))
        return;
    if (!mode->energies) {
        Evaluator *made = arena_array(mode->run_arena, Evaluator, 1);
        if (!evaluator_init(made, motion->pool, eq->symbols, eq->params + 1 + 2 * eq->n, outputs,
                            sizeof outputs / sizeof *outputs, &missing))
            return;
        mode->energies = made;
    }
    if (dynamics_velocities(eq, probe, mode->t, mode->y, mode->y + eq->n) != DYNAMICS_FOUND)
        return;
    evaluator_run(mode->energies, probe->inputs);
    error_scale_moment(mode->scale, mode->energies->out[0], mode->energies->out[1]);
}

static OdeOutcome step(ContactMode *mode, double until, bool across)
{
    double from = mode->t;
    assert(mode->counts.begun && until >= from);
    mode->why = DYNAMICS_FOUND;
    measure_time_noise(mode);
    if (error_scale_pass(mode->scale, mode->t, mode->y + mode->eq->n))
        measure_moment(mode);
    OdeOutcome outcome = (across ? ode_integrator_step_across
                                 : ode_integrator_step)(mode->integrator, until, &mode->t, mode->y);
    if (outcome == ODE_STEPPED) {
        mode->from = from;
        mode->stepped = true;
        mode->inside.across = across;
        mode->inside.cut = false;
        mode->inside.known = ode_integrator_is_dense(mode->integrator);
    }
    return outcome;
}

OdeOutcome mode_step(ContactMode *mode, double until)
{
    return step(mode, until, false);
}

OdeOutcome mode_step_across(ContactMode *mode, double until)
{
    return step(mode, until, true);
}

void mode_cut(ContactMode *mode, double t, const double *y)
{
    assert(mode->from <= t && t <= mode->t);
    mode->t = t;
    memmove(mode->y, y, (mode->eq->n + mode->eq->k) * sizeof *y);
}

void mode_consider(ContactMode *mode, size_t steps)
{
    const Equations *eq = mode->eq;
    bool sparse =
        strategy_sparse_jacobian(mode->strategy) || (eq->sparse_velocities && eq->sparse_forces);
    // A large spectrum costs far more than steps with few entries do.
    if (!sparse || eq->n + eq->k <= SIZE_SPARSE)
        ode_integrator_check_stiffness(mode->integrator, steps, mode->t, mode->y);
    compilation_consider(mode->compilation, mode->state->evaluations, steps, mode->t);
    strategy_consider_compiling(mode->strategy, mode->t);
}
