// contact_mode.c: the motion under one set of conditions: what its integrator asks, where it sets
// out, and changes of speeds on the way.
#include "dynamics/form_driver.h"
#include "dynamics/nonlinear/nonlinear.h"
#include "dynamics/speed_choice.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Of a state that was settled, the finite conditions miss no more than this part.
#define SETTLED     1e-9
#define MOST_NEWTON 5
// The speeds are looked at again after so many steps at the latest: at first, with every so many
// steps of the run one more, and in the end; and where a step of a series has become so much
// shorter, because the speeds' singularity bounds it.
#define FIRST_UNSEEN 16
#define STEPS_A_LOOK 2
#define MOST_UNSEEN  256
#define SHORTER      0.5
// Speeds that were poor once will be so again: then a look is due after so many steps; and of how
// fast the condition has changed so much is kept from one look to the next.
#define FEW_UNSEEN 1
#define PACE_KEPT  0.75
// A step covers no more than this part of the way, and no more than a row to the next, where only
// its ends are seen: a force that acts for a while is not passed over.
#define LONGEST_PART 0.01

// ---- What the integrator asks.

static bool rate(void *context, double t, const double *y, double *out)
{
    ContactMode *mode = context;
    const Equations *eq = mode->eq;
    State *state = mode->state;
    size_t n = eq->n;
    DynamicsOutcome outcome = dynamics_velocities(eq, state, t, y, y + n);
    if (outcome == DYNAMICS_FOUND)
        outcome = dynamics_accelerations(eq, state, out + n);
    if (outcome != DYNAMICS_FOUND) {
        mode->why = outcome;
        return false;
    }
    memcpy(out, state->v, n * sizeof *out);
    return true;
}

// What is wrong with the rates in one program is found by the other road.
static bool any_rate(void *context, double t, const double *y, double *out)
{
    ContactMode *mode = context;
    size_t n = mode->eq->n;
    if (stop_requested(mode->run->stop, (double)(n * n)))
        return false;
    return strategy_rate(&mode->strategy, t, y, out) || rate(mode, t, y, out);
}

static bool series(void *context, size_t k, const double *ty, double *out)
{
    ContactMode *mode = context;
    if (strategy_series(&mode->strategy, k, ty, out))
        return true;
    bool stopped = mode->run->stop && mode->run->stop->stopped;
    if (k == 0 && !stopped && rate(mode, ty[0], ty + 1, mode->rate_row))
        mode->why = DYNAMICS_NOT_FINITE;
    return false;
}

static size_t expand(void *context, size_t order, double *ty)
{
    ContactMode *mode = context;
    return strategy_expand(&mode->strategy, order, ty);
}

static bool sum(const void *context, size_t order, const double *ty, double s, double *sums,
                double *slopes)
{
    const ContactMode *mode = context;
    return strategy_sum(&mode->strategy, order, ty, s, sums, slopes);
}

static bool jacobian(void *context, double t, const double *y, double *columns)
{
    ContactMode *mode = context;
    return strategy_jacobian(&mode->strategy, t, y, columns);
}

static const OdeSparseJacobian *sparse_jacobian(void *context)
{
    const ContactMode *mode = context;
    const ImplicitSystem *system = strategy_newton(&mode->strategy);
    return system ? &system->jacobian : NULL;
}

static double clear_of_switches(void *context, size_t order, double most)
{
    ContactMode *mode = context;
    mode->clear = strategy_switch_distance(&mode->strategy, order, most);
    return mode->clear;
}

static bool settle(void *context, double t, double *y)
{
    ContactMode *mode = context;
    const Equations *eq = mode->eq;
    State *state = mode->state;
    size_t bytes = eq->n * sizeof *y;
    *state->t = t;
    memcpy(state->q, y, bytes);
    double miss = positions_project(eq, state, MOST_NEWTON);
    if (!(miss <= SETTLED)) {
        mode->why = DYNAMICS_POSITION;
        return false;
    }
    memcpy(y, state->q, bytes);
    if (!eq->all_velocities)
        return true;
    memcpy(state->v, y + eq->n, bytes);
    if (!velocities_project(eq, state)) {
        mode->why = DYNAMICS_VELOCITY;
        return false;
    }
    memcpy(y + eq->n, state->v, bytes);
    return true;
}

// After a step: a row that has turned round has vanished on the way.
static bool settle_step(void *context, double t, double *y)
{
    ContactMode *mode = context;
    if (!settle(mode, t, y))
        return false;
    if (mode->eq->nonlinear && nonlinear_row_turned(mode->eq, mode->state)) {
        mode->why = DYNAMICS_VANISHED;
        return false;
    }
    return true;
}

static bool has_to_settle(const Equations *eq)
{
    return eq->finite > 0 || eq->all_velocities;
}

static void allowance(void *context, const double *y, double *out)
{
    const ContactMode *mode = context;
    error_scale_weights(&mode->sizes, y, ode_integrator_next_step(mode->integrator), out);
}

// ---- Making.

// A multistep method sees no more of a step than its ends; what a stage sees is the inside.
static double longest_step(const RunOptions *settings)
{
    double longest = LONGEST_PART * settings->to;
    return settings->method == RUN_ERK ? longest : fmin(settings->every, longest);
}

bool mode_init(ContactMode *mode, Run *run, Diag *diag)
{
    const RunOptions *settings = &run->settings;
    size_t count = run->eq.n + run->eq.k;
    *mode = (ContactMode){.run = run, .eq = &run->eq, .state = &run->state};
    mode->y = base_alloc((count + 1) * sizeof(double));
    mode->y_row = base_alloc((count + 1) * sizeof(double));
    mode->rate_row = base_alloc((count + 1) * sizeof(double));
    mode->chosen = base_alloc((count + 1) * sizeof *mode->chosen);
    error_scale_init(&mode->sizes, &run->eq, settings->tolerance, settings->every);
    turns_init(&mode->turns, run);
    strategy_init(&mode->strategy, run, diag);
    OdeProblem problem = {.count = count,
                          .tolerance = settings->tolerance,
                          .max_step = longest_step(settings),
                          .context = mode,
                          .rate = any_rate,
                          .series = series,
                          .expand = expand,
                          .sum = sum,
                          .order = ode_taylor_order(settings->tolerance),
                          .expand_order = ode_taylor_compiled_order(settings->tolerance),
                          .switch_distance = clear_of_switches,
                          .jacobian = jacobian,
                          .sparse_jacobian = sparse_jacobian,
                          .project = has_to_settle(&run->eq) ? settle_step : NULL,
                          .error_scale = allowance};
    mode->integrator = ode_integrator_new((OdeMethod)settings->method, &problem);
    run->state.evaluations = 0;
    run->state.speeds.own = dynamics_can_use_own_speeds(&run->eq);
    return mode->integrator != NULL;
}

void mode_clear(ContactMode *mode)
{
    ode_integrator_free(mode->integrator);
    strategy_clear(&mode->strategy);
    base_free(mode->y);
    base_free(mode->y_row);
    base_free(mode->rate_row);
    base_free(mode->chosen);
    error_scale_clear(&mode->sizes);
    turns_clear(&mode->turns);
}

// ---- Setting out.

// In large systems: how loud the roundings of the coordinates are in the rates, which are those at
// the present state. Neighbours are rounded differently.
static void hear(ContactMode *mode, const double *rates)
{
    const Equations *eq = mode->eq;
    State *state = mode->state;
    size_t n = eq->n, evaluations = state->evaluations;
    if (!eq->sparse_velocities || !eq->sparse_forces)
        return;
    memcpy(mode->y_row, mode->y, (n + eq->k) * sizeof *mode->y);
    for (size_t j = 0; j < n; j++)
        mode->y_row[j] *= 1 + (j % 3 == 0 ? -1 : 1) * DBL_EPSILON;
    if (rate(mode, mode->t, mode->y_row, mode->rate_row))
        error_scale_noise(&mode->sizes, rates + n, mode->rate_row + n);
    rate(mode, mode->t, mode->y, mode->rate_row);
    state->evaluations = evaluations;
}

// From the present q, v and speeds in use; with other rates, where the speeds are new.
static bool set_out(ContactMode *mode, bool same_speeds, double step)
{
    const Equations *eq = mode->eq;
    State *state = mode->state;
    size_t n = eq->n;
    memcpy(mode->y, state->q, n * sizeof *mode->y);
    dynamics_speeds(eq, state, mode->y + n);
    double *rates = base_alloc((n + eq->k + 1) * sizeof *rates);
    bool found = rate(mode, mode->t, mode->y, rates);
    if (found && same_speeds)
        error_scale_update(&mode->sizes, state, mode->y + n);
    if (found && !same_speeds) {
        error_scale_begin(&mode->sizes, state, mode->y + n, rates + n);
        strategy_make(&mode->strategy, mode->t, mode->y);
    }
    if (found)
        hear(mode, rates);
    base_free(rates);
    return found && ode_integrator_start(mode->integrator, mode->t, mode->y, step);
}

// From the same state by another road.
static bool start_anew(ContactMode *mode)
{
    return mode->run->settings.method != RUN_TAYLOR ||
           ode_integrator_start(mode->integrator, mode->t, mode->y,
                                ode_integrator_next_step(mode->integrator));
}

// What does not act has no reaction, whatever it had at the start or in a row before.
static void clear_sides(const ContactMode *mode)
{
    const Motion *motion = mode->run->motion;
    const ModelConstraint *first = motion->model->constraints.at;
    for (size_t i = 0; i < motion->side_count; i++)
        mode->state->multipliers[motion->sides[i].constraint - first] = 0;
}

bool mode_begin(ContactMode *mode, double t, const double *q, const double *v, double step)
{
    const Equations *eq = mode->eq;
    State *state = mode->state;
    size_t n = eq->n;
    mode->t = mode->from = t;
    mode->stepped = false;
    if (eq->nonlinear)
        nonlinear_begin(eq, state);
    clear_sides(mode);
    memcpy(mode->y, q, n * sizeof *q);
    if (eq->all_velocities)
        memcpy(mode->y + n, v, n * sizeof *v);
    if (!mode->is_base && eq->finite > 0 && !settle(mode, t, mode->y))
        return false;
    if (eq->all_velocities && !eq->nonlinear)
        v = mode->y + n;
    *state->t = t;
    memcpy(state->q, mode->y, n * sizeof *q);
    memcpy(state->v, v, n * sizeof *v);
    if (form_driver_has_other_root(eq, state, &state->failure.other_root)) {
        mode->why = DYNAMICS_ROOT;
        return false;
    }
    evaluator_run(&state->velocities, state->inputs);
    dynamics_speeds(eq, state, mode->y + n);
    DynamicsOutcome outcome = dynamics_velocities(eq, state, t, mode->y, mode->y + n);
    double now = outcome == DYNAMICS_FOUND ? conditioning_now(eq, state) : 0;
    memcpy(state->v, v, n * sizeof *v);
    bool same = !conditioning_improve(eq, state, now) && mode->made;
    mode->made = true;
    mode->good = mode->unseen = 0;
    return set_out(mode, same, step);
}

// ---- On the way.

OdeOutcome mode_step(ContactMode *mode, double until)
{
    double from = mode->t;
    mode->clear = INFINITY;
    OdeOutcome outcome = ode_integrator_step(mode->integrator, until, &mode->t, mode->y);
    if (outcome == ODE_STEPPED) {
        mode->from = from;
        mode->stepped = true;
    }
    return outcome;
}

void mode_cut(ContactMode *mode, double t, const double *y)
{
    mode->t = t;
    memmove(mode->y, y, (mode->eq->n + mode->eq->k) * sizeof *y);
}

bool mode_restart(ContactMode *mode)
{
    return ode_integrator_start(mode->integrator, mode->t, mode->y, 0);
}

// Accelerations and multipliers at the state whose velocities numbers has.
static bool accelerate(ContactMode *mode)
{
    mode->why = dynamics_accelerations(mode->eq, mode->state, NULL);
    if (mode->why == DYNAMICS_FOUND && mode->state->failure.apart > INDEPENDENT_APART)
        mode->why = DYNAMICS_APART;
    return mode->why == DYNAMICS_FOUND;
}

// Brings numbers to a state, accelerations included.
static bool evaluate(ContactMode *mode, double t, const double *y)
{
    mode->why = dynamics_velocities(mode->eq, mode->state, t, y, y + mode->eq->n);
    return mode->why == DYNAMICS_FOUND && accelerate(mode);
}

// The condition of the speeds at a state, with the velocities there; 0 where there are none.
static double condition_at(ContactMode *mode, double t, const double *y)
{
    const Equations *eq = mode->eq;
    State *state = mode->state;
    mode->why = dynamics_velocities(eq, state, t, y, y + eq->n);
    return mode->why == DYNAMICS_FOUND ? conditioning_now(eq, state) : 0;
}

// Velocities that follow from speeds of a condition below this have lost more digits than those of
// the last step's own slope.
#define SLOPE_IS_BETTER 0.005

static void take_slope(ContactMode *mode)
{
    memcpy(mode->state->v, mode->rate_row, mode->eq->n * sizeof(double));
}

// The state at a time within the last step, and its rate, in leg's room for rows. What that takes
// is none of the evaluations that the steps take, and is not broken off.
static void look_inside(ContactMode *mode, double t)
{
    size_t evaluations = mode->state->evaluations, rates = mode->strategy.evaluations;
    StopRequest *stop = mode->run->stop;
    if (stop)
        stop->deaf = true;
    ode_integrator_interpolate(mode->integrator, t, mode->y_row, mode->rate_row);
    if (stop)
        stop->deaf = false;
    mode->state->evaluations = evaluations;
    mode->strategy.evaluations = rates;
}

// For how many steps the speeds stay good, at the pace at which their condition has changed. Steps
// that are not of a series reach beyond a singularity of the speeds.
static size_t good_for(ContactMode *mode, double now)
{
    if (mode->run->settings.method != RUN_TAYLOR)
        return 0;
    double pace = fabs(now - mode->condition) / (double)(mode->unseen + 1);
    // Where it is best it hardly changes, and falls soon after. The first look tells no pace.
    bool first = mode->condition == 0;
    pace = fmax(pace, PACE_KEPT * mode->pace);
    mode->pace = first ? 0 : pace;
    mode->condition = now;
    size_t most = mode->changed ? FEW_UNSEEN : FIRST_UNSEEN + mode->strategy.steps / STEPS_A_LOOK;
    double steps = fmin((now - CONDITIONING_POOR) / (2 * pace), (double)most);
    return steps > 0 ? (size_t)fmin(steps, MOST_UNSEEN) : 0;
}

// After an accepted step: other rates where these have become poor.
static bool look_at_rates(ContactMode *mode)
{
    if (!strategy_is_poor(&mode->strategy, mode->t, mode->y))
        return true;
    if (evaluate(mode, mode->t, mode->y))
        strategy_renew(&mode->strategy, mode->t, mode->y);
    else
        strategy_give_up(&mode->strategy);
    return start_anew(mode);
}

// The same for sizes and speeds; *changed where other speeds were taken.
static bool look_at_speeds(ContactMode *mode, bool *changed)
{
    const Equations *eq = mode->eq;
    State *state = mode->state;
    double step = ode_integrator_next_step(mode->integrator);
    *changed = false;
    if (mode->unseen < mode->good && !(step < SHORTER * mode->step)) {
        mode->unseen++;
        return true;
    }
    mode->step = step;
    double now = condition_at(mode, mode->t, mode->y);
    mode->good = good_for(mode, now);
    mode->unseen = 0;
    if (now < SLOPE_IS_BETTER) {
        look_inside(mode, mode->t);
        take_slope(mode);
    }
    *changed = conditioning_improve(eq, state, now);
    if (*changed) {
        ++*mode->speed_changes;
        mode->changed = true;
        mode->good = 0;
        return set_out(mode, false, ode_integrator_next_step(mode->integrator));
    }
    // Where this fails, the next step will find out and say so.
    if (mode->why == DYNAMICS_FOUND && accelerate(mode))
        error_scale_update(&mode->sizes, state, mode->y + eq->n);
    return true;
}

// Angles that have gone round are turned back. Multistep methods live on their past states.
static bool look_at_angles(ContactMode *mode)
{
    return mode->run->settings.method != RUN_TAYLOR || !turns_take(&mode->turns, mode->y) ||
           start_anew(mode);
}

// The speeds first: they may need what the integrator knows of its last step.
bool mode_review(ContactMode *mode)
{
    bool changed;
    return look_at_speeds(mode, &changed) && (changed || look_at_rates(mode)) &&
           look_at_angles(mode);
}

// ---- Inside the last step.

const double *mode_state(ContactMode *mode, double t)
{
    if (t == mode->t)
        return mode->y;
    look_inside(mode, t);
    if (has_to_settle(mode->eq) && !settle(mode, t, mode->y_row))
        return NULL;
    return mode->y_row;
}

// The speeds may be poor inside a step though the step is good.
bool mode_evaluate(ContactMode *mode, double t)
{
    const double *y_there = mode_state(mode, t);
    if (!y_there || !mode->stepped)
        return y_there && evaluate(mode, t, y_there);
    const Equations *eq = mode->eq;
    State *state = mode->state;
    size_t bytes = eq->k * sizeof *state->speeds.chosen;
    double *y = mode->y_row;
    if (t == mode->t) {
        look_inside(mode, t);
        memcpy(y, mode->y, (eq->n + eq->k) * sizeof *y);
    }
    double now = condition_at(mode, t, y);
    if (now >= SLOPE_IS_BETTER)
        return accelerate(mode);
    bool own = state->speeds.own;
    memcpy(mode->chosen, state->speeds.chosen, bytes);
    take_slope(mode);
    if (conditioning_improve(eq, state, now))
        dynamics_speeds(eq, state, y + eq->n);
    bool found = evaluate(mode, t, y);
    state->speeds.own = own;
    memcpy(state->speeds.chosen, mode->chosen, bytes);
    return found;
}

bool mode_is_singular(ContactMode *mode)
{
    const Equations *eq = mode->eq;
    State *state = mode->state;
    bool vanished = mode->why == DYNAMICS_VANISHED;
    dynamics_velocities(eq, state, mode->t, mode->y, mode->y + eq->n);
    if (nonlinear_find_vanishing(eq, state) || vanished)
        mode->why = DYNAMICS_VANISHED;
    return mode->why == DYNAMICS_VANISHED;
}
