// event_triggers.c: when the events of a model fire: where an expression crosses 0, where a
// relation becomes true, or where a record of a condition is written.
//
// A function that is 0 has no side until it has left 0, and one that touches 0 and turns back stays
// on its side. Behind a jump of the state a function may be on its other side at once.
#include "simulate/events/event_triggers_impl.h"

#include "base/diag.h"
#include "dynamics/equations_types.h"
#include "expr/expr.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/events.h"
#include "model/friction.h"
#include "model/system.h"
#include "model/whiles.h"
#include "motion/motion_types.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/events/event_samples_impl.h"
#include "simulate/run_report.h"
#include "simulate/simulation_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static bool holds_reactions(const Equations *eq, Expr value)
{
    const Motion *motion = eq->motion;
    size_t from = eq->params + 1 + 2 * motion->n;
    for (size_t i = from; i < eq->input_count; i++)
        if (expr_holds(motion->pool, value, eq->symbols[i]))
            return true;
    return false;
}

EventTriggers *triggers_new(const Simulation *sim)
{
    const Motion *motion = sim->motion;
    const Model *model = motion->model;
    const Equations *eq = sim->base->eq;
    const ModelEvent *until = sim->settings.until;
    size_t switches = 0;
    for (size_t i = 0; i < model->whiles.count; i++)
        switches += model->whiles.at[i].switch_count;
    if (model->events.count + switches == 0 && !until)
        return NULL;
    Arena *arena = arena_new();
    EventTriggers *triggers = arena_array(arena, EventTriggers, 1);
    size_t count = model->events.count;
    triggers->arena = arena;
    triggers->now = -INFINITY;
    triggers->events = arena_array(arena, const ModelEvent *, count + switches + 1);
    for (size_t i = 0; i < count; i++)
        triggers->events[i] = &model->events.at[i];
    // The time changes what holds before anything else is done.
    for (size_t i = 0; i < model->whiles.count; i++)
        for (size_t k = 0; k < model->whiles.at[i].switch_count; k++)
            triggers->events[count++] = &model->whiles.at[i].switches[k];
    if (until)
        triggers->events[count++] = until;
    triggers->model = model;
    triggers->touch = sim->settings.method == RUN_TAYLOR ? TOL_ZERO : sim->settings.tolerance;
    triggers->count = count;
    triggers->at = arena_array(arena, EventTrigger, count);
    Expr *outputs = arena_array(arena, Expr, count), missing = {0};
    for (size_t i = 0; i < count; i++) {
        const ModelEvent *event = triggers->events[i];
        bool record = event->trigger >= TRIGGER_IMPACT; // or a time
        outputs[i] = record ? expr_int(motion->pool, 0) : columns_resolve(motion, event->value);
        triggers->reactions = triggers->reactions || holds_reactions(eq, outputs[i]);
    }
    bool known = evaluator_init(&triggers->values, motion->pool, eq->symbols, eq->input_count,
                                outputs, count, &missing);
    assert(known);
    (void)known;
    triggers->samples = samples_new(arena, sim, triggers);
    triggers->actions = actions_new(arena, sim, triggers);
    return triggers;
}

void triggers_clear(EventTriggers *triggers)
{
    if (!triggers)
        return;
    actions_clear(triggers->actions);
    evaluator_clear(&triggers->values);
    arena_free(triggers->arena);
}

// ---- Their functions.

static const double *evaluate(const EventTriggers *triggers, const State *state)
{
    Evaluator *values = (Evaluator *)&triggers->values;
    evaluator_run(values, state->inputs);
    return values->out;
}

void triggers_sample(const EventTriggers *triggers, const ContactMode *mode, double *values,
                     double *noise)
{
    State *state = mode->state;
    size_t n = mode->eq->n, count = triggers->count;
    memcpy(values, evaluate(triggers, state), count * sizeof *values);
    double *kept = base_alloc(2 * n * sizeof *kept);
    memcpy(kept, state->q, 2 * n * sizeof *kept);
    for (size_t j = 0; j < 2 * n; j++) // positions, then velocities
        state->q[j] *= 1 + (j % 2 == 0 ? 1 : -1) * (double)(1 + j % 5) * DBL_EPSILON;
    const double *other = evaluate(triggers, state);
    for (size_t i = 0; i < count; i++)
        noise[i] = fmax(noise[i], fabs(other[i] - values[i]));
    memcpy(state->q, kept, 2 * n * sizeof *kept);
    base_free(kept);
}

bool triggers_is_watched(const EventTriggers *triggers, size_t i)
{
    return triggers->events[i]->trigger < TRIGGER_IMPACT;
}

double triggers_noise(const EventTriggers *triggers, size_t i, double most, double rounding)
{
    double size = fmax(most, triggers->at[i].size);
    double part = triggers->reactions ? TOL_CONDITION / EVENT_MARGIN : TOL_ZERO;
    return fmax(fmax(part * size, 4 * rounding), DBL_MIN);
}

// What counts as 0.
static double margin_of(const EventTriggers *triggers, size_t i, double rounding)
{
    double part = triggers->reactions ? TOL_CONDITION : TOL_ROUNDING;
    return fmax(fmax(part * triggers->at[i].size, 2 * rounding), DBL_MIN);
}

// ---- Inside a step.

void triggers_begin_step(EventTriggers *triggers)
{
    for (size_t i = 0; i < triggers->count; i++) {
        triggers->at[i].inside = triggers->at[i].sign;
        triggers->at[i].root = triggers->at[i].ends = INFINITY;
        triggers->at[i].passes = triggers->at[i].lost = false;
    }
}

void triggers_end_step(EventTriggers *triggers)
{
    for (size_t i = 0; i < triggers->count; i++)
        triggers->at[i].sign = triggers->at[i].inside;
}

// Where a function that is 0 has left it, and to which side.
static double leave_zero(OdeInterpolant *fit, double margin, int *side)
{
    double above = ode_interpolant_first_crossing(fit, fit->from, margin, 1),
           below = ode_interpolant_first_crossing(fit, fit->from, -margin, -1),
           value = ode_interpolant_value(fit, fit->from);
    if (fabs(value) > margin) {
        *side = value > 0 ? 1 : -1;
        return fit->from;
    }
    *side = isinf(above) && isinf(below) ? 0 : above < below ? 1 : -1;
    return fmin(above, below);
}

// From a crossing to the other side that no event is told of: where it is clearly there, or back
// again. Within roundings of the crossing a function may seem to be on either side.
static double pass_by(OdeInterpolant *fit, double crossing, double margin, int *side)
{
    double beyond = ode_interpolant_first_crossing(fit, crossing, -*side * margin, -*side),
           back = ode_interpolant_first_crossing(fit, crossing, *side * margin, *side);
    *side = isinf(beyond) && isinf(back) ? 0 : beyond <= back ? -*side : *side;
    return fmin(beyond, back);
}

// Where a function that is beyond 0 comes back, within what the method knows of it: it has only
// touched 0. Infinite where it goes on.
static double touch_end(OdeInterpolant *fit, double beyond, double most, int side)
{
    double back = ode_interpolant_first_crossing(fit, beyond, 0, side);
    double passed = ode_interpolant_first_crossing(fit, beyond, -side * most, -side);
    return back < fmin(passed, fit->from + fit->length) ? back : INFINITY;
}

// Outside of its while an event does not fire; it is on its side all the same.
static bool may_fire(const EventTriggers *triggers, size_t i)
{
    return model_acts(triggers->model, triggers->events[i]->waits);
}

// Whether what has fired and was turned back has passed 0 again before it had left it, as bounces
// do that come to an end: their instants cannot be told apart.
static bool passes_unseen(const EventTriggers *triggers, size_t i, int side)
{
    const EventTrigger *at = &triggers->at[i];
    int direction = triggers->events[i]->direction;
    return at->came * at->rate > 0 && side == -at->came && (direction == 0 || direction == side) &&
           may_fire(triggers, i);
}

// How large a function was along the run, its poles left out: what grows up to one, and what comes
// down from one, tells nothing of its terms elsewhere. Where no polynomial fits there may be one.
static void measure_size(EventTrigger *at, const OdeInterpolant *fit, double most)
{
    if (!fit->accurate || !isfinite(most)) {
        at->last = INFINITY;
        return;
    }
    bool falls = most < at->last;
    if (falls && isfinite(at->last) && !at->falls)
        at->lasting = fmax(at->lasting, at->last);
    at->falls = falls && (at->falls || isinf(at->last));
    at->last = most;
    at->size = fmax(at->lasting, most);
}

bool triggers_see(EventTriggers *triggers, size_t i, OdeInterpolant *fit, double noise,
                  DetectedEvent *detected)
{
    EventTrigger *at = &triggers->at[i];
    int direction = triggers->events[i]->direction;
    double most = fmax(fabs(ode_interpolant_bound(fit, 1)), fabs(ode_interpolant_bound(fit, -1)));
    at->passes = false;
    measure_size(at, fit, most);
    // Without a value it is on no side and does not fire.
    if (!isfinite(most)) {
        at->inside = 0;
        return false;
    }
    double margin = margin_of(triggers, i, fmax(fit->resolution, noise)), from = fit->from;
    // The instant of an event is known to some roundings.
    if (at->inside == 0) {
        from = leave_zero(fit, fmax(EVENT_MARGIN * margin, at->near), &at->inside);
        at->lost = passes_unseen(triggers, i, at->inside);
        if (at->lost)
            return false;
    }
    while (at->inside != 0 && from < fit->from + fit->length) {
        int side = at->inside;
        double beyond = ode_interpolant_first_crossing(fit, from, -side * margin, -side);
        if (!isfinite(beyond)) {
            at->passes = (direction == 0 || direction == -side) &&
                         ode_interpolant_passes_end(fit, EVENT_MARGIN * margin, side);
            at->near = at->passes ? EVENT_MARGIN * margin : at->near;
            at->came = at->passes ? side : at->came;
            return false;
        }
        double back = touch_end(fit, beyond, triggers->touch * at->size, side);
        if (isfinite(back)) {
            from = fmax(back, nextafter(from, INFINITY));
            continue;
        }
        if ((direction == 0 || direction == -side) && may_fire(triggers, i)) {
            *detected = (DetectedEvent){.t = ode_interpolant_last_root(fit, beyond, false),
                                        .index = i,
                                        .what = DETECTED_EVENT};
            at->near = EVENT_MARGIN * margin;
            at->came = side;
            return true;
        }
        from = fmax(pass_by(fit, beyond, EVENT_MARGIN * margin, &at->inside),
                    nextafter(from, INFINITY));
    }
    return false;
}

const ModelEvent *triggers_lost(const EventTriggers *triggers)
{
    for (size_t i = 0; triggers && i < triggers->count; i++)
        if (triggers->at[i].lost)
            return triggers->events[i];
    return NULL;
}

void triggers_take(EventTriggers *triggers, double t, double length)
{
    double near = TOL_ROUNDING * fmax(fabs(t), length);
    for (size_t i = 0; i < triggers->count; i++)
        triggers->at[i].due = triggers->at[i].root - t <= near && may_fire(triggers, i);
}

void triggers_take_end(EventTriggers *triggers)
{
    for (size_t i = 0; i < triggers->count; i++)
        if (triggers->at[i].passes && may_fire(triggers, i))
            triggers->at[i].due = true;
}

// ---- At a state.

void triggers_start(EventTriggers *triggers, const ContactMode *mode)
{
    const double *values = evaluate(triggers, mode->state);
    for (size_t i = 0; i < triggers->count; i++) {
        EventTrigger *at = &triggers->at[i];
        *at = (EventTrigger){
            .size = isfinite(values[i]) ? fabs(values[i]) : 0, .root = INFINITY, .ends = INFINITY};
        at->sign = (values[i] > 0) - (values[i] < 0);
    }
}

// Once of each.
static void tell_undefined(EventTriggers *triggers, size_t i, double t, const char *since,
                           Diag *diag)
{
    const ModelEvent *event = triggers->events[i];
    if (triggers->at[i].told || !triggers_is_watched(triggers, i) || event->hidden)
        return;
    triggers->at[i].told = true;
    diag_add(diag, DIAG_WARNING, event->place,
             "the trigger of '%s' has no finite value %s t = %.10g; where it has none the event "
             "does not happen",
             event->name, since, t);
}

void triggers_tell_undefined(EventTriggers *triggers, const ContactMode *mode, Diag *diag)
{
    const double *values = evaluate(triggers, mode->state);
    for (size_t i = 0; i < triggers->count; i++)
        if (!isfinite(values[i]))
            tell_undefined(triggers, i, mode->t, "at", diag);
}

void triggers_tell_ended(EventTriggers *triggers, double t, Diag *diag)
{
    for (size_t i = 0; triggers && i < triggers->count; i++)
        if (triggers->at[i].ends <= t && may_fire(triggers, i))
            tell_undefined(triggers, i, triggers->at[i].ends, "since", diag);
}

// Whether a jump from one side to another, or to 0, makes it true.
static bool becomes_true(const ModelEvent *event, int sign, int side)
{
    if (event->trigger == TRIGGER_BECOMES)
        return sign < 0 && side >= 0;
    if (event->equation && side == 0)
        return sign != 0 && (event->direction == 0 || event->direction == -sign);
    return sign != 0 && side == -sign && (event->direction == 0 || event->direction == side);
}

// How fast the functions change at the evaluated state, by one term of their power series.
static const double *find_rates(EventTriggers *triggers, const ContactMode *mode)
{
    const Equations *eq = mode->eq;
    const State *state = mode->state;
    Evaluator *values = &triggers->values;
    evaluate(triggers, state);
    if (!values->series)
        evaluator_open_series(values, eq->params, 1);
    double *direction = base_alloc(eq->input_count * sizeof *direction);
    memset(direction, 0, eq->input_count * sizeof *direction);
    direction[eq->params] = 1;
    memcpy(direction + eq->params + 1, state->v, eq->n * sizeof *direction);
    memcpy(direction + eq->params + 1 + eq->n, state->a, eq->n * sizeof *direction);
    evaluator_next(values, 0, state->inputs);
    evaluator_next(values, 1, direction);
    base_free(direction);
    return values->out;
}

void triggers_fire(EventTriggers *triggers, const ContactMode *mode)
{
    bool watched = false;
    for (size_t i = 0; i < triggers->count; i++)
        watched = watched || (triggers->at[i].due && triggers_is_watched(triggers, i));
    size_t bytes = triggers->count * sizeof(double);
    double *beyond = memcpy(base_alloc(bytes + 1), evaluate(triggers, mode->state), bytes);
    const double *rates = watched && !triggers->reactions ? find_rates(triggers, mode) : NULL;
    triggers->behind = 0;
    for (size_t i = 0; i < triggers->count; i++) {
        EventTrigger *at = &triggers->at[i];
        at->fired = at->due;
        at->due = false;
        at->sign = at->fired ? 0 : at->sign;
        at->rate = rates && at->fired ? rates[i] : 0;
        // A switch of the same instant has moved the state by some last digits.
        if (fabs(beyond[i]) <= TOL_SMALL * fabs(at->rate * mode->t))
            at->near = fmax(at->near, 2 * fabs(beyond[i]));
        // What the time begins or ends holds from behind that time on.
        if (at->fired && triggers->events[i]->hidden)
            triggers->behind =
                fmax(triggers->behind, 2 * fabs(beyond[i] / (at->rate != 0 ? at->rate : 1)));
    }
    base_free(beyond);
}

// Of what has fired and been thrown back: how fast.
static void note_rates(EventTriggers *triggers, const ContactMode *mode)
{
    const double *rates = NULL;
    for (size_t i = 0; i < triggers->count; i++) {
        EventTrigger *at = &triggers->at[i];
        if (!at->fired || at->rate == 0)
            continue;
        rates = rates ? rates : find_rates(triggers, mode);
        bool back = rates[i] * at->rate < 0 && fabs(rates[i]) > TOL_ZERO * fabs(at->rate);
        at->rate = back ? rates[i] : 0;
    }
}

void triggers_look(EventTriggers *triggers, const ContactMode *mode, bool jumped)
{
    note_rates(triggers, mode);
    const double *values = evaluate(triggers, mode->state);
    for (size_t i = 0; i < triggers->count; i++) {
        EventTrigger *at = &triggers->at[i];
        const ModelEvent *event = triggers->events[i];
        // What has fired is 0 until it has left that, however often it is looked at.
        double near = at->fired || at->sign == 0 ? at->near : 0;
        double margin = fmax(margin_of(triggers, i, 0), near);
        at->fired = false;
        if (!triggers_is_watched(triggers, i) || !isfinite(values[i]))
            continue;
        int side = values[i] > margin ? 1 : values[i] < -margin ? -1 : 0;
        // What was about 0 before it did not jump there.
        bool jumps = jumped && (side != 0 || !at->waits);
        // What was about 0 when the step began, and is beyond it, has passed it.
        bool passed = !jumped && at->waits && side == -at->sign;
        bool fires =
            (jumps || passed) && becomes_true(event, at->sign, side) && may_fire(triggers, i);
        at->due = at->due || fires;
        if (side != 0 || jumps)
            at->sign = side;
        at->waits = side == 0 && at->sign != 0 && (!jumped || at->waits);
        at->size = fmax(at->size, fabs(values[i]));
    }
}

void triggers_note(EventTriggers *triggers, const RunEvent *record)
{
    static const RunEventKind kinds[] = {[TRIGGER_IMPACT] = RUN_IMPACT,
                                         [TRIGGER_CONTACT] = RUN_CONTACT,
                                         [TRIGGER_RELEASE] = RUN_RELEASE,
                                         [TRIGGER_STICK] = RUN_STICK,
                                         [TRIGGER_SLIP] = RUN_SLIP};
    const char *name = record->constraint ? record->constraint->name : record->what;
    for (size_t i = 0; i < triggers->count && name; i++) {
        const ModelEvent *event = triggers->events[i];
        if (model_event_is_record(event) && kinds[event->trigger] == record->kind &&
            strcmp(event->label, name) == 0)
            triggers->at[i].due = may_fire(triggers, i);
    }
}

bool triggers_come_to_zero(const EventTriggers *triggers, size_t i)
{
    return triggers->at[i].passes || isfinite(triggers->at[i].root);
}

bool triggers_are_due(const EventTriggers *triggers)
{
    for (size_t i = 0; i < triggers->count; i++)
        if (triggers->at[i].due)
            return true;
    return false;
}

bool triggers_set(const EventTriggers *triggers)
{
    for (size_t i = 0; i < triggers->count; i++)
        if (triggers->at[i].due &&
            (triggers->events[i]->hidden || model_event_jumps(triggers->events[i])))
            return true;
    return false;
}

bool triggers_jump(const EventTriggers *triggers)
{
    for (size_t i = 0; i < triggers->count; i++) {
        const ModelEvent *event = triggers->events[i];
        bool quiet = model_event_is_quiet(event) || samples_is_computing(triggers->samples, i);
        if (triggers->at[i].due && !quiet && (event->hidden || model_event_jumps(event)))
            return true;
    }
    return false;
}

double triggers_next_time(const EventTriggers *triggers)
{
    return triggers ? samples_time(triggers->samples) : INFINITY;
}

bool triggers_take_timed(EventTriggers *triggers, double t)
{
    bool any = t >= triggers_next_time(triggers) && samples_take(triggers->samples, triggers, t);
    if (any)
        triggers->timed = true;
    return any;
}
