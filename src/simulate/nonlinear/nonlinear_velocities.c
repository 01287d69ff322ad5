// nonlinear_velocities.c: conditions that are not linear in the velocities (Appell 21–22, Hamel
// 247): where ∂f/∂q' of one vanishes, it does not say how the velocities may change.
#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "dynamics/nonlinear/nonlinear.h"
#include "dynamics/speed_choice.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/module_hooks_impl.h"
#include "simulate/simulation_impl.h"

#include <assert.h>

static bool applies(const Motion *motion)
{
    return motion->curved;
}

static const MotionRow *singular_row(const Equations *eq, const State *state)
{
    assert(state->failure.singular_row < eq->m);
    return &eq->motion->rows[state->failure.singular_row];
}

// ---- The start.

static Status start_fails(const Simulation *sim, DynamicsOutcome why, Diag *diag)
{
    const Equations *eq = sim->base->eq;
    const State *state = sim->base->state;
    if (why != DYNAMICS_VANISHED)
        return STATUS_OK;
    const ModelConstraint *constraint = singular_row(eq, state)->constraint;
    Text holds = {0};
    state_add_held(eq, state, singular_row(eq, state)->b, eq->n, &holds);
    diag_error(diag, constraint->place,
               "at the start the constraint '%s' is singular: its derivatives by the velocities "
               "vanish (%s), so that it does not say how the velocities may change; %s",
               constraint->name, holds.at,
               constraint->hidden ? "what the coordinate without inertia multiplies is better "
                                    "written as a 'constraint', whose reaction it then is"
                                  : "start with other velocities");
    text_clear(&holds);
    return STATUS_WRONG;
}

static Status check_start(Simulation *sim, Diag *diag)
{
    const Equations *eq = sim->base->eq;
    State *state = sim->base->state;
    nonlinear_begin(eq, state);
    evaluator_run(&state->velocities, state->inputs);
    bool vanishes = nonlinear_find_below(eq, state, TOL_ZERO);
    return vanishes ? start_fails(sim, DYNAMICS_VANISHED, diag) : STATUS_OK;
}

static Status check_speeds(Simulation *sim, Diag *diag)
{
    return singular_speeds_check_nonlinear(sim->base->eq, sim->base->state, sim->settings.driven,
                                           diag);
}

// ---- The run.

static void begin_mode(ContactMode *mode)
{
    nonlinear_begin(mode->eq, mode->state);
}

// A row that has turned round has vanished on the way.
static bool step_is_valid(ContactMode *mode)
{
    if (!nonlinear_row_turned(mode->eq, mode->state))
        return true;
    mode->why = DYNAMICS_VANISHED;
    return false;
}

// However short the step, it would pass over a place where a condition vanishes.
static bool is_reason(ContactMode *mode)
{
    const Equations *eq = mode->eq;
    State *state = mode->state;
    dynamics_velocities(eq, state, mode->t, mode->y, mode->y + eq->n);
    if (nonlinear_find_below(eq, state, TOL_SMALL))
        mode->why = DYNAMICS_VANISHED;
    return mode->why == DYNAMICS_VANISHED;
}

static bool add_reason(const Equations *eq, const State *state, DynamicsOutcome why, Text *text)
{
    if (why != DYNAMICS_VANISHED)
        return false;
    text_addf(text,
              "the constraint '%s' becomes singular there, its derivatives by the velocities "
              "vanish (",
              singular_row(eq, state)->constraint->name);
    state_add_held(eq, state, singular_row(eq, state)->b, eq->n, text);
    text_add(text, "), so that it no longer says how the velocities may change");
    return true;
}

const SimulationModule module_nonlinear = {
    .applies = applies,
    .needs_speeds = true,
    .start = {[START_COMPLETE] = check_start, [START_INDEPENDENT] = check_speeds},
    .mode_begin = begin_mode,
    .step_is_valid = step_is_valid,
    .is_reason = is_reason,
    .add_reason = add_reason,
    .start_fails = start_fails};
