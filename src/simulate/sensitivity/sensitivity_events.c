// sensitivity_events.c: derivatives across events, by how the time of each changes.
#include "simulate/sensitivity/sensitivity_impl.h"

#include "dynamics/equations.h"
#include "dynamics/system_functions.h"
#include "expr/arithmetic.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/events.h"
#include "model/friction.h"
#include "model/system.h"
#include "motion/frictions.h"
#include "motion/holds.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/events/event_triggers_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/run_report.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/switch_functions_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- The frame of an event.

// The state of the mode, and y' there; false where there is none.
static bool rates_here(SimulationRun *run, double *rates)
{
    Sensitivity *own = run->sim->sensitivity;
    const State *state = run->mode->state;
    if (!sensitivity_take_mode(run))
        return false;
    memcpy(own->state_y, state->q, own->n * sizeof *rates);
    memcpy(own->state_y + own->n, state->v, own->n * sizeof *rates);
    if (functions_rates(own->functions, own->workspace, sensitivity_point(own, state), rates))
        return true;
    sensitivity_refuse(own, run->mode->t, "the derivatives have no value there");
    return false;
}

static void add_motion(Sensitivity *own, const double *rates, double sign)
{
    for (size_t i = 0; i < own->count; i++)
        real_add_times(sign * own->tau[i], rates, 2 * own->n, own->y + 2 * own->n * i);
}

// With `tau` as it is.
static void enter_frame(SimulationRun *run)
{
    Sensitivity *own = run->sim->sensitivity;
    if (!rates_here(run, own->rates))
        return;
    add_motion(own, own->rates, 1);
    own->inside = true;
    own->event_t = run->mode->t;
}

void sensitivity_leave(SimulationRun *run)
{
    Sensitivity *own = run->sim->sensitivity;
    if (!own || own->reason || !own->inside)
        return;
    if (!rates_here(run, own->rates))
        return;
    add_motion(own, own->rates, -1);
    sensitivity_forget_energy(own);
    own->inside = false;
    own->t = run->mode->t;
    own->begin = own->step_begin = INFINITY;
}

// Whether nothing is to be done; else y is at the end of the step.
static bool is_idle(SimulationRun *run)
{
    Sensitivity *own = run->sim->sensitivity;
    if (!own || own->reason || own->inside)
        return true;
    sensitivity_advance(run, run->mode->t);
    return own->reason || !sensitivity_take_mode(run);
}

// How the time changes at which one output of an evaluator is 0. `name` is what is grazed where it
// only touches 0.
static bool find_time(SimulationRun *run, const Evaluator *evaluator, size_t output,
                      const char *name, double *tau)
{
    Sensitivity *own = run->sim->sensitivity;
    const State *state = run->mode->state;
    size_t count = evaluator->outputs, size = 2 * own->n;
    double *values = base_alloc(2 * (count + size) * sizeof *values), *changes = values + count;
    double *motion = changes + count;
    if (!rates_here(run, motion)) {
        base_free(values);
        return false;
    }
    const double *along = sensitivity_inputs(run, state, own->count, 1, motion);
    sensitivity_along(evaluator, state->inputs, along, values, changes);
    double slope = changes[output];
    for (size_t i = 0; i < own->count; i++) {
        along = sensitivity_inputs(run, state, i, 0, own->y + size * i);
        sensitivity_along(evaluator, state->inputs, along, values, changes);
        tau[i] = changes[output] == 0 ? 0 : -changes[output] / slope;
        if (!isfinite(tau[i]))
            sensitivity_graze(run, i, name);
    }
    base_free(values);
    return !own->reason;
}

// Whether a function is not 0 at its event, which is so where it jumps across 0: a force has jumped
// there, at a knot of a table, a sample or a switch.
static bool is_jump(SimulationRun *run, const Evaluator *evaluator)
{
    Sensitivity *own = run->sim->sensitivity;
    const State *state = run->mode->state;
    double *motion = base_alloc(2 * own->n * sizeof *motion), value, slope = INFINITY;
    if (rates_here(run, motion))
        sensitivity_along(evaluator, state->inputs,
                          sensitivity_inputs(run, state, own->count, 1, motion), &value, &slope);
    base_free(motion);
    double t = run->mode->t, lasts = fmax(t, t - run->mode->from);
    return isfinite(slope) && fabs(value) > TOL_SMALL * lasts * fabs(slope);
}

// At the instant where one function is 0, or jumps across 0 together with what has just happened.
static void enter(SimulationRun *run, const Evaluator *evaluator, const char *name)
{
    Sensitivity *own = run->sim->sensitivity;
    assert(evaluator->outputs == 1);
    bool jumps = is_jump(run, evaluator);
    if (jumps && !(fabs(own->event_t - run->mode->t) <= TOL_ZERO * run->mode->t))
        sensitivity_refuse(own, run->mode->t,
                           "'%s' jumps there, and how this time changes is not known", name);
    if (!own->reason && (jumps || find_time(run, evaluator, 0, name, own->tau)))
        enter_frame(run);
}

void sensitivity_graze(SimulationRun *run, size_t which, const char *name)
{
    Sensitivity *own = run->sim->sensitivity;
    own->smooth = false;
    sensitivity_refuse(own, run->mode->t,
                       "the motion does not depend smoothly on %s: '%s' is grazed",
                       own->names.at[which].name, name);
}

// The same of an expression in all that a state has.
static void enter_expression(SimulationRun *run, Expr value, const char *name)
{
    Sensitivity *own = run->sim->sensitivity;
    const Equations *eq = run->mode->eq;
    Evaluator evaluator = {0};
    if (equations_lower(eq, "an event holds", &value, 1, eq->input_count, run->diag, &evaluator) ==
        STATUS_OK)
        enter(run, &evaluator, name);
    else
        sensitivity_refuse(own, run->mode->t, "the derivative of '%s' is not known", name);
    evaluator_clear(&evaluator);
}

// ---- Contacts.

static void enter_friction(SimulationRun *run, size_t index)
{
    Sensitivity *own = run->sim->sensitivity;
    const FrictionEvent *friction = run->event->friction;
    const Motion *motion = run->mode->motion;
    ExprPool *pool = motion->pool;
    size_t i = index;
    if (index >= friction_watch_count(run->event)) {
        sensitivity_refuse(own, run->mode->t, "the derivatives end where friction is undetermined");
        return;
    }
    const ModelConstraint *sign = friction_watched_sign(run->event, index);
    if (sign) {
        enter_expression(run, sign->lambda, sign->name);
        return;
    }
    const MotionFriction *of = &motion->frictions[i];
    const char *name = of->friction->name;
    FrictionHold hold = friction->holds[i];
    if (hold.mode == HOLD_FORWARD || hold.mode == HOLD_BACKWARD) {
        enter_expression(run, of->sticks[0].velocity, name);
        return;
    }
    if (hold.mode != HOLD_STICKS || friction->shared || hold.without) {
        sensitivity_refuse(own, run->mode->t,
                           "derivatives through the end of a sliding of '%s' in a plane, or of "
                           "friction that several contacts share, are not known to this version",
                           name);
        return;
    }
    Expr bound = motion_friction_bound(motion, of, hold, true);
    Expr margin = expr_mul(pool, bound, bound);
    for (size_t k = 0; k < of->rows; k++)
        margin = expr_sub(pool, margin, expr_pow_int(pool, of->sticks[k].constraint->lambda, 2));
    enter_expression(run, margin, name);
}

// What is given at the start stays there, and what touches has to touch.
static void enter_start(SimulationRun *run)
{
    Sensitivity *own = run->sim->sensitivity;
    memset(own->tau, 0, own->count * sizeof *own->tau);
    enter_frame(run);
}

// A given impulse, whose program's last output is its time.
static void enter_time(SimulationRun *run)
{
    Sensitivity *own = run->sim->sensitivity;
    const Evaluator *impulse = own->impulse;
    size_t count = impulse->outputs;
    double *values = base_alloc(2 * count * sizeof *values), *changes = values + count;
    for (size_t i = 0; i < own->count; i++) {
        const double *along =
            sensitivity_inputs(run, run->mode->state, i, 0, own->y + 2 * own->n * i);
        sensitivity_along(impulse, run->mode->state->inputs, along, values, changes);
        own->tau[i] = changes[count - 1];
    }
    base_free(values);
    enter_frame(run);
}

void sensitivity_enter_contact(SimulationRun *run, const DetectedEvent *found)
{
    if (is_idle(run))
        return;
    Sensitivity *own = run->sim->sensitivity;
    const Motion *motion = run->sim->motion;
    if (found->what == DETECTED_START && !own->impulse) {
        enter_start(run);
    } else if (own->impulse) {
        enter_time(run);
    } else if (found->what == DETECTED_FRICTION) {
        enter_friction(run, found->friction);
    } else if (found->index >= motion->side_count) {
        sensitivity_refuse(own, run->mode->t, "derivatives through this event are not known");
    } else {
        const ModelConstraint *constraint = motion->sides[found->index].constraint;
        if (found->what == DETECTED_GRAZE || found->turns)
            sensitivity_graze(run, 0, constraint->name);
        else
            enter_expression(run,
                             found->what == DETECTED_RELEASE ? constraint->lambda
                                                             : motion->sides[found->index].position,
                             constraint->name);
    }
}

// ---- Switches and events of the model.

// What comes to 0 there by the motion has to do so at the same time for other parameters too.
static void check_same(SimulationRun *run, const double *tau, const char *name)
{
    Sensitivity *own = run->sim->sensitivity;
    for (size_t i = 0; i < own->count; i++)
        if (fabs(tau[i] - own->tau[i]) > TOL_AGREEMENT * fmax(fabs(tau[i]), own->by_sizes[i]))
            sensitivity_refuse(own, run->mode->t,
                               "the motion does not depend smoothly on %s: '%s' happens there at "
                               "the same time as something else",
                               own->names.at[i].name, name);
}

// Whether an output is 0 where the state just before a switch is taken; `along` is how it changes
// with the time.
static bool is_zero_now(const SimulationRun *run, double value, double along)
{
    double t = run->mode->t, from = run->mode->from;
    return fabs(value) <= 4 * TOL_ZERO * fabs(along) * fmax(t, t - from);
}

static void check_switches(SimulationRun *run, size_t which)
{
    Sensitivity *own = run->sim->sensitivity;
    const Switches *switches = run->switches;
    const Evaluator *arguments = switches->arguments;
    const State *state = run->mode->state;
    size_t count = arguments->outputs;
    double *values = base_alloc(2 * (count + own->n) * sizeof *values), *changes = values + count;
    double *motion = changes + count;
    if (rates_here(run, motion))
        sensitivity_along(arguments, state->inputs,
                          sensitivity_inputs(run, state, own->count, 1, motion), values, changes);
    double *tau = base_alloc(own->count * sizeof *tau);
    for (size_t k = 0; k < switches->count && !own->reason; k++)
        if (k != which && !switches->of_time[k] && is_zero_now(run, values[k], changes[k]) &&
            find_time(run, arguments, k, switches->found.names[k], tau))
            check_same(run, tau, switches->found.names[k]);
    base_free(tau);
    base_free(values);
}

void sensitivity_enter_switch(SimulationRun *run, size_t which)
{
    if (is_idle(run))
        return;
    Sensitivity *own = run->sim->sensitivity;
    const Switches *switches = run->switches;
    if (!find_time(run, switches->arguments, which, switches->found.names[which], own->tau))
        return;
    check_switches(run, which);
    if (!own->reason)
        enter_frame(run);
}

// How the time from + k·h of a sample changes: they hold parameters alone.
static bool find_instant(SimulationRun *run, const ModelEvent *event, double *tau)
{
    Sensitivity *own = run->sim->sensitivity;
    const Equations *eq = run->mode->eq;
    const Expr *times = event->sampling->times;
    Evaluator evaluator = {0};
    double values[SAMPLE_TIMES], changes[SAMPLE_TIMES];
    memset(tau, 0, own->count * sizeof *tau);
    if (expr_is_number(run->mode->motion->pool, times[SAMPLE_PERIOD]) &&
        expr_is_number(run->mode->motion->pool, times[SAMPLE_FROM]))
        return true;
    bool known = equations_lower(eq, "a sample holds", times, SAMPLE_TIMES, own->params, run->diag,
                                 &evaluator) == STATUS_OK;
    for (size_t i = 0; i < own->count && known; i++) {
        sensitivity_along(&evaluator, run->mode->state->inputs, own->start_params + i * own->params,
                          values, changes);
        double k = rint((run->mode->t - values[SAMPLE_FROM]) / values[SAMPLE_PERIOD]);
        tau[i] = changes[SAMPLE_FROM] + k * changes[SAMPLE_PERIOD];
    }
    evaluator_clear(&evaluator);
    if (!known)
        sensitivity_refuse(own, run->mode->t, "the derivative of the times of '%s' is not known",
                           event->name);
    return known;
}

static bool find_trigger_time(SimulationRun *run, const EventTriggers *triggers, size_t which,
                              double *tau)
{
    const ModelEvent *event = triggers->events[which];
    return event->sampling ? find_instant(run, event, tau)
                           : find_time(run, &triggers->values, which, event->name, tau);
}

// What is due there by the motion or the time has to be so at the same time for other parameters
// too.
static void check_triggers(SimulationRun *run, const EventTriggers *triggers)
{
    Sensitivity *own = run->sim->sensitivity;
    double *tau = base_alloc(own->count * sizeof *tau);
    for (size_t k = 0; k < triggers->count && !own->reason; k++)
        if (triggers->at[k].due &&
            (triggers->events[k]->sampling || triggers_come_to_zero(triggers, k)) &&
            find_trigger_time(run, triggers, k, tau))
            check_same(run, tau, triggers->events[k]->name);
    base_free(tau);
}

void sensitivity_enter_trigger(SimulationRun *run)
{
    const EventTriggers *triggers = run->detector->triggers;
    if (is_idle(run))
        return;
    Sensitivity *own = run->sim->sensitivity;
    size_t i = 0;
    while (i < triggers->count && !triggers->at[i].due)
        i++;
    assert(i < triggers->count);
    const ModelEvent *event = triggers->events[i];
    // What another event has caused happens with it.
    bool caused = own->event_t == run->mode->t;
    if (!caused && event->trigger != TRIGGER_CROSSES && event->trigger != TRIGGER_BECOMES &&
        !event->sampling)
        sensitivity_refuse(own, run->mode->t, "derivatives through '%s' are not known",
                           event->name);
    else if (caused || find_trigger_time(run, triggers, i, own->tau)) {
        check_triggers(run, triggers);
        if (!own->reason)
            enter_frame(run);
    }
}

// What is set, by an evaluator whose first outputs are the values.
void sensitivity_set(SimulationRun *run, const ModelAction *action, const Evaluator *numbers)
{
    Sensitivity *own = run->sim->sensitivity;
    if (!own || own->reason)
        return;
    const Motion *motion = run->sim->motion;
    size_t n = own->n, count = numbers->outputs;
    bool moves = false, plain = motion->m == 0;
    for (size_t j = 0; j < action->set_count; j++)
        moves = moves || action->sets[j].of != SET_STATE;
    for (size_t j = 0; j < motion->k; j++)
        plain = plain && !motion->state.speeds[j].declared;
    for (size_t j = 0; j < action->set_count; j++)
        plain = plain && action->sets[j].of != SET_SPEED;
    if (moves && !plain) {
        sensitivity_refuse(own, run->mode->t,
                           "derivatives through a 'set' of motions with conditions or declared "
                           "speeds are not known to this version");
        return;
    }
    // An earlier `set` may have begun another mode.
    if (!sensitivity_take_mode(run))
        return;
    double *values = base_alloc(2 * count * sizeof *values), *changes = values + count;
    for (size_t i = 0; i < own->count; i++) {
        double *y = own->y + 2 * n * i, *dp = own->dp + own->params * i;
        const double *along = sensitivity_inputs(run, run->mode->state, i, own->tau[i], y);
        sensitivity_along(numbers, run->mode->state->inputs, along, values, changes);
        for (size_t j = 0; j < action->set_count; j++) {
            size_t target = action->sets[j].target;
            SetOf of = action->sets[j].of;
            *(of == SET_STATE ? &dp[target] : &y[of == SET_VELOCITY ? n + target : target]) =
                changes[j];
        }
    }
    base_free(values);
}

// ---- Records.

static bool is_followed(RunEventKind kind)
{
    return kind != RUN_REST && kind != RUN_PERCUSSION && kind != RUN_SINGULAR && kind != RUN_BRANCH;
}

void sensitivity_record(SimulationRun *run, RunEvent *record)
{
    Sensitivity *own = run->sim->sensitivity;
    if (!own || record->kind == RUN_OTHER_SPEEDS)
        return;
    if (!is_followed(record->kind))
        sensitivity_refuse(own, run->mode->t,
                           "derivatives through a %s are not known to this version",
                           run_event_name(record->kind));
    if (own->event_t != run->mode->t || own->reason)
        return;
    record->diffs = own->tau;
    record->diff_names = own->by_names;
    record->diff_count = own->count;
}
