// mode_inside.c: a contact mode at a state of its last step: between the ends, projected onto the
// conditions; velocities where the speeds in use are poor; across a singular position.
#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "dynamics/projection.h"
#include "dynamics/rate_strategy.h"
#include "dynamics/speed_choice.h"
#include "linalg/tolerances.h"
#include "ode/ode.h"
#include "ode/step_polynomial.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/friction/slip_start_impl.h"
#include "simulate/mode_inside_impl.h"
#include "simulate/mode_integration_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/run_options.h"
#include "simulate/run_report.h"

#include <assert.h>
#include <math.h>
#include <string.h>

bool mode_fail(ContactMode *mode, DynamicsOutcome why)
{
    assert(why != DYNAMICS_FOUND);
    mode->why = why;
    return false;
}

// ---- At a state.

bool mode_accelerate(ContactMode *mode)
{
    if (mode->inside.start && slip_start_accelerate(mode))
        return true;
    DynamicsOutcome outcome = dynamics_accelerations(mode->eq, mode->state, NULL);
    if (outcome == DYNAMICS_FOUND && mode->state->failure.apart > TOL_SMALL)
        outcome = DYNAMICS_APART;
    return outcome == DYNAMICS_FOUND || mode_fail(mode, outcome);
}

bool mode_evaluate_at(ContactMode *mode, double t, const double *y)
{
    DynamicsOutcome outcome = dynamics_velocities(mode->eq, mode->state, t, y, y + mode->eq->n);
    return outcome == DYNAMICS_FOUND ? mode_accelerate(mode) : mode_fail(mode, outcome);
}

State *mode_probe(ContactMode *mode)
{
    const State *state = mode->state;
    size_t n = mode->eq->n;
    if (!mode->probe) {
        mode->probe = arena_alloc(mode->arena, sizeof *mode->probe);
        state_init(mode->probe, mode->eq);
    }
    State *probe = mode->probe;
    probe->speeds.own = state->speeds.own;
    probe->speeds.relative = state->speeds.relative;
    memcpy(probe->speeds.chosen, state->speeds.chosen, n * sizeof *state->speeds.chosen);
    memcpy(probe->scale, state->scale, n * sizeof *state->scale);
    return probe;
}

State *mode_first_probe(ContactMode *mode)
{
    State *probe = mode_probe(mode);
    memcpy(probe->scale, mode->review.scale, mode->eq->n * sizeof *probe->scale);
    return probe;
}

// After a step few of Newton's steps must do. Where all terms of a condition pass 0, as on y =
// abs(x), what they were before tells what is small.
bool mode_project_position(ContactMode *mode)
{
    const Equations *eq = mode->eq;
    State *state = mode->state;
    double *q = base_alloc(eq->n * sizeof *q);
    memcpy(q, state->q, eq->n * sizeof *q);
    bool met = positions_project(eq, state, 5) <= TOL_CONDITION;
    if (!met && mode->run_arena) {
        memcpy(state->q, q, eq->n * sizeof *q);
        met = positions_project_among(eq, state, 5, error_scale_coordinates(mode->scale)) <=
              TOL_CONDITION;
    }
    base_free(q);
    return met || mode_fail(mode, DYNAMICS_POSITION);
}

bool mode_project(ContactMode *mode, double t, double *y)
{
    const Equations *eq = mode->eq;
    State *state = mode->state;
    size_t bytes = eq->n * sizeof *y;
    *state->t = t;
    memcpy(state->q, y, bytes);
    if (!mode_project_position(mode))
        return false;
    memcpy(y, state->q, bytes);
    if (!eq->all_velocities)
        return true;
    memcpy(state->v, y + eq->n, bytes);
    if (!velocities_project(eq, state))
        return mode_fail(mode, DYNAMICS_VELOCITY);
    memcpy(y + eq->n, state->v, bytes);
    return true;
}

bool mode_has_projection(const Equations *eq)
{
    return eq->finite > 0 || eq->all_velocities;
}

size_t mode_evaluations(const ContactMode *mode)
{
    return mode->state->evaluations + strategy_evaluations(mode->strategy);
}

void mode_add_counts(const ContactMode *mode, RunSummary *summary)
{
    OdeStatistics counts = ode_integrator_statistics(mode->integrator);
    summary->steps += counts.steps;
    summary->rejected += counts.rejected;
    if (counts.order > summary->order)
        summary->order = counts.order;
    summary->evaluations += mode_evaluations(mode) - mode->counts.uncounted;
    summary->speed_changes += mode->counts.speed_changes;
    summary->stiff = summary->stiff || counts.stiff;
}

// ---- Inside the last step.

void mode_interpolate_step(ContactMode *mode, double t)
{
    assert(mode->integrator && mode->inside.y);
    size_t before = mode_evaluations(mode);
    mode->inside.interpolating = true;
    ode_integrator_interpolate(mode->integrator, t, mode->inside.y, mode->inside.rate);
    mode->inside.interpolating = false;
    mode->counts.uncounted += mode_evaluations(mode) - before;
}

void mode_slope(ContactMode *mode, double t)
{
    size_t count = mode->eq->n + mode->eq->k;
    if (mode->settings->method == RUN_TAYLOR) {
        mode_interpolate_step(mode, t);
        return;
    }
    double *rows = base_alloc((ODE_MAX_ORDER + 1) * count * sizeof *rows);
    mode->inside.interpolating = true;
    if (ode_integrator_polynomial(mode->integrator, t, 1, rows) > 0)
        memcpy(mode->inside.rate, rows + count, count * sizeof *rows);
    mode->inside.interpolating = false;
    base_free(rows);
}

void mode_interpolate(ContactMode *mode, double t, double *q, double *v)
{
    size_t bytes = mode->eq->n * sizeof *q;
    assert(mode->stepped);
    mode_interpolate_step(mode, t);
    memcpy(q, mode->inside.y, bytes);
    memcpy(v, mode->inside.rate, bytes);
}

const double *mode_state(ContactMode *mode, double t)
{
    assert(mode->from <= t && t <= mode->t);
    if (t == mode->t)
        return mode->y;
    mode_interpolate_step(mode, t);
    bool projected = mode_has_projection(mode->eq) && !mode->inside.across;
    return !projected || mode_project(mode, t, mode->inside.y) ? mode->inside.y : NULL;
}

// The velocities inside a step where the speeds in use are poor: by better ones.
static bool velocities_by_other_speeds(ContactMode *mode, double t, const double *y, double now)
{
    const Equations *eq = mode->eq;
    State *probe = mode_probe(mode);
    double *u = base_alloc((eq->k + 1) * sizeof *u);
    memcpy(u, y + eq->n, eq->k * sizeof *u);
    dynamics_velocities(eq, probe, t, y, u);
    memcpy(probe->v, mode->inside.rate, eq->n * sizeof *probe->v);
    if (conditioning_improve(eq, probe, now))
        dynamics_speeds(eq, probe, u);
    DynamicsOutcome outcome = dynamics_velocities(eq, probe, t, y, u);
    memcpy(mode->state->v, probe->v, eq->n * sizeof *probe->v);
    base_free(u);
    return outcome == DYNAMICS_FOUND || mode_fail(mode, outcome);
}

// Inside a step across a singular position the conditions tell the velocities worse than the slope
// does. At the position itself the reactions are those just behind it.
static bool evaluate_across(ContactMode *mode, double t)
{
    const Equations *eq = mode->eq;
    State *state = mode->state;
    size_t bytes = eq->n * sizeof(double);
    double length = mode->t - mode->from, beside = 0;
    bool found = false;
    for (; !found && beside < TOL_COARSE * length; beside = fmax(8 * beside, TOL_ZERO * length)) {
        mode_interpolate_step(mode, t + beside);
        dynamics_velocities(eq, state, t + beside, mode->inside.y, mode->inside.y + eq->n);
        memcpy(state->v, mode->inside.rate, bytes);
        found = mode_accelerate(mode);
    }
    mode_interpolate_step(mode, t);
    *state->t = t;
    memcpy(state->q, mode->inside.y, bytes);
    memcpy(state->v, mode->inside.rate, bytes);
    return found;
}

// The speeds may be poor inside a step though the step is good: then not *by_speeds.
static bool velocities_inside(ContactMode *mode, double t, bool *by_speeds)
{
    const Equations *eq = mode->eq;
    State *state = mode->state;
    double *y = mode->inside.y;
    assert(mode->stepped);
    *by_speeds = true;
    if (!mode_state(mode, t))
        return false;
    if (t == mode->t)
        memcpy(y, mode->y, (eq->n + eq->k) * sizeof *y);
    bool found = dynamics_velocities(eq, state, t, y, y + eq->n) == DYNAMICS_FOUND;
    if (found && conditioning_is_above(eq, state, TOL_SPEEDS))
        return true;
    *by_speeds = false;
    double now = found ? conditioning_now(eq, state) : 0;
    if (t == mode->t && found && !mode->inside.known)
        memcpy(mode->inside.rate, state->v, eq->n * sizeof *state->v);
    else if (t == mode->t || mode->settings->method != RUN_TAYLOR)
        mode_slope(mode, t);
    if (t == mode->t)
        memcpy(y, mode->y, (eq->n + eq->k) * sizeof *y);
    return velocities_by_other_speeds(mode, t, y, now);
}

bool mode_evaluate_coordinates(ContactMode *mode, double t)
{
    const double *y = mode_state(mode, t);
    if (!y)
        return false;
    *mode->state->t = t;
    memcpy(mode->state->q, y, mode->eq->n * sizeof *y);
    return true;
}

bool mode_evaluate_velocities(ContactMode *mode, double t)
{
    bool by_speeds;
    mode->state->evaluations++; // as with accelerations, so that a run counts alike
    return velocities_inside(mode, t, &by_speeds);
}

// Where the speeds are the velocities and there are no reactions, nothing is to be solved for.
static bool evaluate_plainly(ContactMode *mode, double t)
{
    State *state = mode->state;
    size_t n = mode->eq->n;
    const double *y = strategy_is_plain(mode->strategy) ? mode_state(mode, t) : NULL;
    if (!y)
        return false;
    *state->t = t;
    memcpy(state->q, y, n * sizeof *y);
    memcpy(state->v, y + n, n * sizeof *y);
    return strategy_follow(mode->strategy, y);
}

// Where nothing else is asked of a row, rates that are one program tell all accelerations.
bool mode_evaluate_row(ContactMode *mode, double t)
{
    bool by_speeds;
    if (!mode->stepped || mode->inside.across || mode->inside.start ||
        !mode->columns->may_be_unread)
        return mode_evaluate(mode, t);
    if (evaluate_plainly(mode, t))
        return true;
    if (!velocities_inside(mode, t, &by_speeds))
        return false;
    return (by_speeds && strategy_follow(mode->strategy, mode->inside.y)) || mode_accelerate(mode);
}

bool mode_evaluate(ContactMode *mode, double t)
{
    if (mode->stepped && mode->inside.across && (t < mode->t || mode->inside.cut))
        return evaluate_across(mode, t);
    bool by_speeds;
    if (mode->stepped)
        return velocities_inside(mode, t, &by_speeds) && mode_accelerate(mode);
    const double *found = mode_state(mode, t);
    return found && mode_evaluate_at(mode, t, found);
}

void mode_set_time(ContactMode *mode, double t)
{
    assert(isfinite(t));
    *mode->state->t = t;
}

bool mode_evaluate_uncounted(ContactMode *mode, double t)
{
    size_t before = mode_evaluations(mode) - mode->counts.uncounted;
    bool found = mode_evaluate(mode, t);
    mode->counts.uncounted = mode_evaluations(mode) - before;
    return found;
}

// ---- The ends of the last step.

static bool begin_again(ContactMode *mode, const double *y)
{
    assert(mode->stepped && mode->from < mode->t);
    mode->t = mode->from;
    memcpy(mode->y, y, (mode->eq->n + mode->eq->k) * sizeof *mode->y);
    return mode_restart(mode);
}

bool mode_go_back(ContactMode *mode)
{
    mode_interpolate_step(mode, mode->from);
    return begin_again(mode, mode->inside.y);
}

bool mode_go_back_before_switch(ContactMode *mode)
{
    const double *begin = ode_integrator_begin(mode->integrator, mode->from);
    return begin ? begin_again(mode, begin) : mode_go_back(mode);
}

void mode_cut_across(ContactMode *mode, double t)
{
    mode_interpolate_step(mode, t);
    mode_cut(mode, t, mode->inside.y);
    mode->inside.cut = true;
}

void mode_leave(ContactMode *mode, double t)
{
    assert(mode->stepped && t < mode->from);
    mode->from = t;
    mode->inside.across = true;
}
