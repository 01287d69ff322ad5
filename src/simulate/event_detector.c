// event_detector.c: the first event within a step (Mayer 1899, § 4): a condition that does not act
// reaches f = 0, the λ of one that acts reaches 0, or a function switches.
//
// Each function is a polynomial through samples of the step, or of parts of it (ode,
// interpolant.c). event_functions.c says what happens within a polynomial. Gaps are bounded between
// the samples too.
#include "dynamics/condition_multipliers.h"
#include "dynamics/stop_request.h"
#include "linalg/tolerances.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/event_functions_impl.h"
#include "simulate/events/event_triggers_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/gap_bounds_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/switch_functions_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

EventDetector *detector_new(Arena *arena, const ContactEvent *event, Switches *switches,
                            EventTriggers *triggers)
{
    assert(event->gaps && switches);
    size_t count = event->gaps->count;
    EventDetector *detector = arena_array(arena, EventDetector, 1);
    *detector = (EventDetector){.event = event,
                                .switches = switches,
                                .triggers = triggers,
                                .count = count,
                                .sides = arena_array(arena, WatchedContact, count + 1),
                                .work = arena_array(arena, DetectorWorkspace, 1)};
    for (size_t i = 0; i < count; i++)
        detector->sides[i].let_go = -INFINITY;
    detector->sizes = arena_array(arena, double, friction_watch_count(event) + 1);
    detector->noises = arena_array(arena, double, friction_watch_count(event) + 1);
    ode_interpolant_basis_init(&detector->work->basis);
    for (WatchKind kind = 0; kind < WATCH_KINDS; kind++) {
        size_t own = kind == WATCH_SWITCHES   ? switches->count
                     : kind == WATCH_FRICTION ? friction_watch_count(event)
                     : kind == WATCH_EVENTS   ? (triggers ? triggers->count : 0)
                                              : count;
        detector->work->watched[kind] = (WatchedFunctions){
            .count = own,
            .samples = arena_array(arena, double, own *ODE_INTERPOLANT_SAMPLES + 1),
            .noise = arena_array(arena, double, own + 1),
            .interpolants = arena_array(arena, OdeInterpolant, own + 1)};
    }
    return detector;
}

void detector_begin(EventDetector *detector)
{
    const ContactEvent *event = detector->event;
    for (size_t i = 0; i < detector->count; i++) {
        detector->sides[i].touching = false;
        // The way into a band says nothing of f' behind a shock.
        if (event->impact)
            detector->sides[i].entry = 0;
    }
    for (size_t i = 0; i < friction_watch_count(event); i++)
        detector->sizes[i] = detector->noises[i] = 0;
    for (size_t i = 0; i < event->at.count; i++) {
        const TouchingContact *contact = &event->at.at[i];
        WatchedContact *side = &detector->sides[contact->index];
        side->touching = !event->acts[contact->index];
        side->loose = event->acts[contact->index] && contact->loose;
        double size = fmax(contact->lambda, event_reaction_size(event, contact));
        side->reaction = contact->kept ? size : 0;
        side->noise = 0;
    }
}

// ---- Samples.

// What decides the branches, at the state that was evaluated, and how much of it is noise:
// neighbours are rounded differently.
static void sample_switches(EventDetector *detector, const ContactMode *mode, double *values)
{
    double *q = mode->state->q, *noise = detector->work->watched[WATCH_SWITCHES].noise;
    size_t count = detector->switches->count, n = mode->eq->n;
    memcpy(values, switches_values(detector->switches, mode->state), count * sizeof *values);
    double *kept = base_alloc(n * sizeof *kept);
    memcpy(kept, q, n * sizeof *kept);
    for (size_t j = 0; j < n; j++)
        q[j] *= 1 + (j % 2 == 0 ? 1 : -1) * (double)(1 + j % 5) * DBL_EPSILON;
    const double *other = switches_values(detector->switches, mode->state);
    for (size_t i = 0; i < count; i++)
        noise[i] = fmax(noise[i], fabs(other[i] - values[i]));
    memcpy(q, kept, n * sizeof *kept);
    base_free(kept);
}

// At a time within the last step: f of all conditions, λ of those that act, or what decides the
// branches. False where there is no state.
static bool sample(EventDetector *detector, ContactMode *mode, WatchKind kind, double t,
                   double *values)
{
    const double *q = kind == WATCH_GAPS ? mode_state(mode, t) : NULL;
    if (q)
        gaps_evaluate(detector->event->gaps, t, q, values);
    if (kind == WATCH_GAPS || !mode_evaluate(mode, t))
        return q;
    if (kind == WATCH_SWITCHES) {
        sample_switches(detector, mode, values);
        return true;
    }
    if (kind == WATCH_EVENTS) {
        if (detector->triggers->reactions)
            event_share_reactions(detector->event, mode);
        triggers_sample(detector->triggers, mode, values,
                        detector->work->watched[WATCH_EVENTS].noise);
        return true;
    }
    if (kind == WATCH_FRICTION) {
        friction_watch(detector->event, mode, values,
                       detector->work->watched[WATCH_FRICTION].noise);
        return true;
    }
    event_share_reactions(detector->event, mode);
    for (size_t i = 0; i < detector->count; i++)
        values[i] = *dynamics_side_multiplier(mode->eq, mode->state, i);
    return true;
}

static bool is_watched(const EventDetector *detector, WatchKind kind, size_t i)
{
    if (kind == WATCH_FRICTION)
        return friction_is_watched(detector->event, i);
    if (kind == WATCH_EVENTS)
        return triggers_is_watched(detector->triggers, i);
    return kind == WATCH_SWITCHES ? detector->switches->inside[i]
                                  : detector->event->acts[i] == (kind == WATCH_REACTIONS);
}

static bool is_any(const EventDetector *detector, WatchKind kind)
{
    for (size_t i = 0; i < detector->work->watched[kind].count; i++)
        if (is_watched(detector, kind, i))
            return true;
    return false;
}

// ---- Polynomials.

// Where the reciprocal of a function is a polynomial, it has no 0; it may change its sign at a
// pole. Its own noise is that of the function where this is largest, over its square.
static bool is_reciprocal(const EventDetector *detector, double from, double length,
                          const double *samples, double noise)
{
    double values[ODE_INTERPOLANT_SAMPLES], most = 0, least = INFINITY;
    for (size_t k = 0; k < ODE_INTERPOLANT_SAMPLES; k++) {
        values[k] = 1 / samples[k];
        most = fmax(most, fabs(values[k]));
        least = fmin(least, fabs(values[k]));
    }
    noise = fmax(TOL_RATE * most, 4 * noise * least * least);
    return isfinite(most) &&
           ode_interpolant_fit(&detector->work->basis, from, length, values, noise).accurate;
}

// The polynomial of an event's function, where it may have poles and no value. The sums of a
// polynomial overflow before its values do.
static OdeInterpolant interpolate_trigger(const EventDetector *detector, size_t i, double from,
                                          double length, double *samples)
{
    const WatchedFunctions *watched = &detector->work->watched[WATCH_EVENTS];
    double most = 0, least = INFINITY;
    size_t defined = 0, above = 0;
    for (size_t k = 0; k < ODE_INTERPOLANT_SAMPLES; k++) {
        if (!(fabs(samples[k]) < TOL_ZERO * DBL_MAX))
            samples[k] = NAN;
        most = fmax(most, fabs(samples[k]));
        least = fmin(least, fabs(samples[k]));
        above += samples[k] > 0;
        defined += isfinite(samples[k]) != 0;
    }
    double noise = triggers_noise(detector->triggers, i, most, watched->noise[i]);
    OdeInterpolant fit = ode_interpolant_fit(&detector->work->basis, from, length, samples, noise);
    if (defined == 0)
        detector->triggers->at[i].ends = fmin(detector->triggers->at[i].ends, from);
    // One that has values in a part of the interval is looked at there.
    if (defined < ODE_INTERPOLANT_SAMPLES) {
        fit.accurate = defined == 0;
        return fit;
    }
    // Near a pole the polynomial may be within the noise there, and of any sign elsewhere.
    bool one_side = above == 0 || above == ODE_INTERPOLANT_SAMPLES;
    fit.accurate = fit.accurate && !(one_side && least < TOL_ZERO * most);
    bool large = most > detector->triggers->at[i].lasting;
    if (fit.accurate && !(large && fit.error > TOL_SMALL * least))
        return fit;
    if (is_reciprocal(detector, from, length, samples, watched->noise[i])) {
        fit.chebyshev[0] = NAN; // as if it had no value there
        fit.accurate = true;
    } else if (!fit.accurate && one_side) {
        // What no polynomial follows is on the side of its samples.
        memset(fit.chebyshev, 0, sizeof fit.chebyshev);
        fit.chebyshev[0] = above > 0 ? least : -least;
    }
    return fit;
}

static OdeInterpolant interpolate(const EventDetector *detector, WatchKind kind, size_t i,
                                  double from, double length)
{
    const WatchedFunctions *watched = &detector->work->watched[kind];
    double samples[ODE_INTERPOLANT_SAMPLES], most = 0, noise = 0;
    for (size_t k = 0; k < ODE_INTERPOLANT_SAMPLES; k++) {
        samples[k] = watched->samples[k * watched->count + i];
        most = fmax(most, fabs(samples[k]));
    }
    if (kind == WATCH_EVENTS)
        return interpolate_trigger(detector, i, from, length, samples);
    double band = kind == WATCH_GAPS ? detector->event->gaps->band[i] : 0;
    if (kind == WATCH_GAPS)
        noise = band / EVENT_MARGIN;
    else if (kind == WATCH_REACTIONS)
        noise = fmax(TOL_CONDITION / EVENT_MARGIN * fmax(most, detector->sides[i].reaction),
                     detector->sides[i].noise);
    else if (kind == WATCH_FRICTION && friction_is_course(detector->event, i))
        noise = fmax(TOL_ZERO * most, DBL_MIN);
    else if (kind == WATCH_FRICTION)
        noise = fmax(TOL_CONDITION / EVENT_MARGIN * fmax(most, detector->sizes[i]),
                     fmax(watched->noise[i], detector->noises[i]));
    else // roundings of the state, which it may enlarge; the function itself improves the root
        noise = fmax(TOL_AGREEMENT * most, 4 * watched->noise[i]);
    OdeInterpolant fit = ode_interpolant_fit(&detector->work->basis, from, length, samples, noise);
    // Roundings of what is large elsewhere in the interval must not hide where it is 0.
    if (kind == WATCH_GAPS && TOL_ROUNDING * most > band && ode_interpolant_bound(&fit, 1) >= -band)
        fit.accurate = false;
    if (kind == WATCH_SWITCHES &&
        event_hides_switch(&fit, watched->noise[i], detector->switches->signs[i]))
        fit.accurate = false;
    return fit;
}

// The largest that a function of friction is since the last event, this interval included. Below 0
// there is another one.
static double friction_size(EventDetector *detector, size_t i)
{
    const WatchedFunctions *watched = &detector->work->watched[WATCH_FRICTION];
    double *size = &detector->sizes[i];
    for (size_t k = 0; k < ODE_INTERPOLANT_SAMPLES; k++)
        *size = fmax(*size, watched->samples[k * watched->count + i]);
    return *size;
}

// Of all functions of a kind; false where one of them is not accurate, and by how much the worst λ
// or function of friction is off.
static bool interpolate_all(EventDetector *detector, WatchKind kind, double from, double length,
                            double *miss)
{
    WatchedFunctions *watched = &detector->work->watched[kind];
    bool accurate = true;
    *miss = 0;
    for (size_t i = 0; i < watched->count; i++) {
        if (!is_watched(detector, kind, i))
            continue;
        watched->interpolants[i] = interpolate(detector, kind, i, from, length);
        accurate = accurate && watched->interpolants[i].accurate;
        if (kind == WATCH_FRICTION && friction_size(detector, i) > 0)
            *miss = fmax(*miss, watched->interpolants[i].error / detector->sizes[i]);
        if (kind == WATCH_REACTIONS && detector->sides[i].reaction > 0)
            *miss = fmax(*miss, watched->interpolants[i].error / detector->sides[i].reaction);
    }
    return accurate;
}

// ---- All of them.

// By Newton's steps on the function itself.
static void improve(EventDetector *detector, ContactMode *mode, WatchKind kind,
                    DetectedEvent *detected)
{
    WatchedFunctions *watched = &detector->work->watched[kind];
    OdeInterpolant *fit = &watched->interpolants[detected->index];
    if (detected->what == DETECTED_GRAZE || detected->turns)
        return;
    double end = mode->t;
    for (int i = 1; i < LIMIT_PATIENCE; i++) {
        double slope = ode_interpolant_slope(fit, detected->t);
        if (slope == 0 || !sample(detector, mode, kind, detected->t, watched->samples))
            return;
        double t = detected->t - watched->samples[detected->index] / slope;
        if (!(fabs(t - detected->t) <= TOL_SMALL * fit->length))
            return;
        detected->t = fmin(fmax(t, fit->from), end);
    }
}

// To where a function has switched, just behind its root and before `back`; false where it does
// not. One that is nested, as abs(x) in sign(abs(x)), is no polynomial where it turns at 0, and
// where the step begins just behind a switch a polynomial may come below 0 there by its error.
static bool pass_switch(EventDetector *detector, ContactMode *mode, double back,
                        DetectedEvent *detected)
{
    WatchedFunctions *watched = &detector->work->watched[WATCH_SWITCHES];
    int sign = detector->switches->signs[detected->index];
    double step = DBL_EPSILON * fmax(fabs(detected->t), mode->t - mode->from);
    while (detected->t < fmin(back, mode->t) &&
           sample(detector, mode, WATCH_SWITCHES, detected->t, watched->samples) &&
           sign * watched->samples[detected->index] >= 0) {
        detected->t = fmin(detected->t + step, mode->t);
        step *= 2;
    }
    if (detected->t >= back)
        return false;
    return !(detected->t == mode->t && mode_evaluate(mode, mode->t) &&
             sign * switches_values(detector->switches, mode->state)[detected->index] > 0);
}

// A polynomial through a kink that follows, as that of 1 - abs(x), tells a root badly: where the
// function has switched before, it is halved to that place.
static void go_back_to_switch(EventDetector *detector, ContactMode *mode, double from,
                              DetectedEvent *detected)
{
    double *values = detector->work->watched[WATCH_SWITCHES].samples;
    double digits = EVENT_MARGIN * DBL_EPSILON * fmax(fabs(detected->t), mode->t - mode->from),
           late = detected->t - digits;
    size_t i = detected->index;
    int sign = detector->switches->signs[i];
    if (late <= from || !sample(detector, mode, WATCH_SWITCHES, late, values) ||
        sign * values[i] >= 0 || !sample(detector, mode, WATCH_SWITCHES, from, values) ||
        sign * values[i] <= 0)
        return;
    while (late - from > digits) {
        double middle = from + (late - from) / 2;
        if (!sample(detector, mode, WATCH_SWITCHES, middle, values))
            return;
        if (sign * values[i] >= 0)
            from = middle;
        else
            detected->t = late = middle;
    }
}

// The first of its roots in this interval behind which a function has switched.
static bool find_switch(EventDetector *detector, ContactMode *mode, size_t i,
                        DetectedEvent *detected)
{
    OdeInterpolant *fit = &detector->work->watched[WATCH_SWITCHES].interpolants[i];
    double back = fit->from, root;
    while (isfinite(back) && isfinite(root = event_next_switch(detector, i, fit, back, &back))) {
        event_detect(detected, DETECTED_SWITCH, i, root);
        improve(detector, mode, WATCH_SWITCHES, detected);
        if (!pass_switch(detector, mode, back, detected))
            continue;
        go_back_to_switch(detector, mode, fit->from, detected);
        return true;
    }
    return false;
}

// Halving an interval did not help: all that is seen of the λ, or of friction, is so noisy. What is
// not noise is some times as large.
static void take_for_noise(EventDetector *detector, WatchKind kind)
{
    const WatchedFunctions *watched = &detector->work->watched[kind];
    for (size_t i = 0; i < watched->count; i++) {
        double *noise = kind == WATCH_REACTIONS ? &detector->sides[i].noise : &detector->noises[i];
        if (is_watched(detector, kind, i) && !watched->interpolants[i].accurate)
            *noise = 4 * watched->interpolants[i].error;
    }
}

static bool watch_interval(EventDetector *detector, ContactMode *mode, WatchKind kind,
                           DetectedEvent *detected)
{
    const WatchedFunctions *watched = &detector->work->watched[kind];
    bool found = false;
    for (size_t i = 0; i < watched->count; i++) {
        DetectedEvent own;
        if (!is_watched(detector, kind, i) ||
            !event_sees[kind](detector, i, &watched->interpolants[i], &own) ||
            (found && own.t >= detected->t && kind != WATCH_EVENTS))
            continue;
        if (kind == WATCH_EVENTS) {
            improve(detector, mode, kind, &own);
            detector->triggers->at[i].root = own.t;
            if (found && own.t >= detected->t)
                continue;
        }
        if (kind == WATCH_SWITCHES &&
            (!find_switch(detector, mode, i, &own) || (found && own.t >= detected->t)))
            continue;
        found = true;
        *detected = own;
    }
    if (found && kind != WATCH_SWITCHES && kind != WATCH_EVENTS)
        improve(detector, mode, kind, detected);
    return found;
}

// Whether a function of friction is not 0 where its polynomial is: roundings of what is far larger
// elsewhere in the interval hide its root, as where a force begins that lasts a moment.
static bool hides_root(EventDetector *detector, ContactMode *mode, const DetectedEvent *detected)
{
    const WatchedFunctions *watched = &detector->work->watched[WATCH_FRICTION];
    size_t i = detected->friction;
    double noise = fmax(watched->noise[i], detector->noises[i]);
    return sample(detector, mode, WATCH_FRICTION, detected->t, watched->samples) &&
           watched->samples[i] > fmax(TOL_CONDITION * detector->sizes[i], 4 * noise);
}

// ---- Between the samples.

// Where f of a condition that is violated at a time was 0 last.
static double find_crossing(EventDetector *detector, ContactMode *mode, size_t side, double from,
                            double t)
{
    double *f = detector->work->watched[WATCH_GAPS].samples, low = t, high = t;
    for (double back = TOL_STATE * fmax(fabs(t), t - from); low > from; back *= 2) {
        low = fmax(t - back, from);
        if (!sample(detector, mode, WATCH_GAPS, low, f) || f[side] <= 0)
            break;
        high = low;
    }
    for (double at = low + (high - low) / 2; at > low && at < high; at = low + (high - low) / 2)
        *(sample(detector, mode, WATCH_GAPS, at, f) && f[side] > 0 ? &high : &low) = at;
    return high;
}

// Whether a polynomial that is not the function has shown what is not there.
static bool is_mistaken(EventDetector *detector, ContactMode *mode, const DetectedEvent *detected)
{
    double *f = detector->work->watched[WATCH_GAPS].samples;
    return sample(detector, mode, WATCH_GAPS, detected->t, f) &&
           f[detected->index] < -EVENT_MARGIN * detector->event->gaps->band[detected->index];
}

// Whether f rises where it was found to be 0. Else the way up lies between neighbouring times.
static bool rises(EventDetector *detector, ContactMode *mode, const DetectedEvent *detected)
{
    GapTurn turn;
    return gaps_turn(detector, mode, detected->index, detected->t, &turn) && turn.rises;
}

static bool cannot_tell(EventDetector *detector, size_t side, double t)
{
    detector->undecided = (DetectedEvent){.t = t, .index = side, .what = DETECTED_IMPACT};
    return false;
}

// In an interval whose samples say what is found: whether a gap closes between them before. False
// where that cannot be told.
static bool bound_gaps(EventDetector *detector, ContactMode *mode, double from, double end,
                       bool *found, DetectedEvent *detected)
{
    size_t side;
    double t;
    if (*found && !detector->work->watched[WATCH_GAPS].interpolants[detected->index].accurate)
        *found = !is_mistaken(detector, mode, detected);
    end = *found ? detected->t : end;
    if (end <= from)
        return true;
    GapAnswer answer = gaps_bound(detector, mode, from, end, &side, &t);
    if (answer == GAPS_UNDECIDED)
        return cannot_tell(detector, side, t);
    if (answer == GAPS_HOLD || (*found && detected->index == side && detected->t <= t))
        return true;
    *found =
        event_detect(detected, DETECTED_IMPACT, side, find_crossing(detector, mode, side, from, t));
    return detected->t <= from || rises(detector, mode, detected) ||
           cannot_tell(detector, side, detected->t);
}

// f was measured elsewhere: whether it is much smaller where it turns, so that less counts as 0.
// *failed where f may have been above 0 between neighbouring times.
static bool measure_turn(EventDetector *detector, size_t side, double t, const GapTurn *turn,
                         bool *failed)
{
    GapFunctions *gaps = detector->event->gaps;
    double own = EVENT_MARGIN * gaps->tolerance * turn->size;
    if (turn->most <= own && turn->tangents > own)
        *failed = !cannot_tell(detector, side, t);
    return !*failed && gaps_narrow(gaps, side, turn->size, turn->most > own ? 0.5 : TOL_COARSE);
}

// Where an interval ends, at a switch or not, f may turn unseen: within its band, or at a kink.
static bool measure_ends(EventDetector *detector, ContactMode *mode, double t, bool *failed)
{
    bool again = false;
    for (size_t i = 0; i < detector->count && !*failed; i++) {
        OdeInterpolant *fit = &detector->work->watched[WATCH_GAPS].interpolants[i];
        double band = fmax(detector->event->gaps->band[i], 2 * fit->resolution);
        GapTurn turn;
        if (detector->event->acts[i] || detector->sides[i].touching ||
            ode_interpolant_value(fit, t) < -band)
            continue;
        *failed = !gaps_turn(detector, mode, i, t, &turn);
        if (!*failed && turn.turns && turn.tangents > 0)
            again = measure_turn(detector, i, t, &turn, failed) || again;
    }
    return again;
}

// What happens first to the functions of a kind, up to a time within the step.
static bool watch_until(EventDetector *detector, ContactMode *mode, WatchKind kind, double end,
                        DetectedEvent *detected, bool *failed)
{
    assert(mode->from <= end && end <= mode->t);
    WatchedFunctions *watched = &detector->work->watched[kind];
    double from = mode->from, whole = end - from;
    double shortest = fmax(TOL_SMALL * whole, TOL_STATE * fabs(end));
    // A little longer than what had to be shortened to.
    double length = watched->span > 0 ? 2 * watched->span : whole;
    double before = INFINITY, miss, n = (double)mode->eq->n, work = ODE_INTERPOLANT_SAMPLES * n * n;
    size_t unchanged = 0, poor = 0;
    while (from < end) {
        length = fmin(length, end - from);
        *failed = stop_requested(mode->stop, work);
        memset(watched->noise, 0, watched->count * sizeof *watched->noise);
        for (size_t k = 0; k < ODE_INTERPOLANT_SAMPLES && !*failed; k++)
            *failed = !sample(detector, mode, kind, from + detector->work->basis.at[k] * length,
                              watched->samples + k * watched->count);
        if (*failed)
            return false;
        // What is not smooth is looked at in ever shorter intervals, down to the shortest; what is
        // smooth nowhere, in longer ones again.
        bool accurate = interpolate_all(detector, kind, from, length, &miss);
        unchanged = !accurate && 2 * miss > before ? unchanged + 1 : 0;
        before = accurate ? INFINITY : miss;
        if (!accurate && unchanged < LIMIT_PATIENCE && poor < LIMIT_STEPS && length > shortest) {
            watched->span = length /= 2;
            continue;
        }
        poor = accurate ? 0 : poor + 1;
        if (unchanged == LIMIT_PATIENCE && (kind == WATCH_REACTIONS || kind == WATCH_FRICTION))
            take_for_noise(detector, kind);
        watched->span = watched->span > 0 ? fmax(watched->span, length) : 0;
        bool found = watch_interval(detector, mode, kind, detected);
        bool hidden = found && kind == WATCH_FRICTION && length > shortest;
        if (hidden && hides_root(detector, mode, detected)) {
            watched->span = length /= 2;
            continue;
        }
        *failed = kind == WATCH_EVENTS && triggers_lost(detector->triggers);
        if (kind == WATCH_GAPS)
            *failed = !bound_gaps(detector, mode, from, fmin(from + length, end), &found, detected);
        bool again = kind == WATCH_GAPS && !found && !*failed &&
                     measure_ends(detector, mode, fmin(from + length, end), failed);
        if (found || *failed)
            return found && !*failed;
        if (again)
            continue;
        from = from + length >= end ? end : from + length;
        length *= 2;
    }
    return false;
}

// f was measured elsewhere: whether less counts as 0 where it grazes.
static bool measure_graze(EventDetector *detector, ContactMode *mode, const DetectedEvent *detected,
                          bool *failed)
{
    GapFunctions *gaps = detector->event->gaps;
    size_t side = detected->index;
    GapTurn turn;
    *failed = !gaps_turn(detector, mode, side, detected->t, &turn);
    if (*failed || turn.turns)
        return !*failed && measure_turn(detector, side, detected->t, &turn, failed);
    const double *q = mode_state(mode, detected->t);
    return q && gaps_narrow(gaps, side, gaps_size_at(gaps, side, detected->t, q), TOL_COARSE);
}

// Whether f itself is about 0 where its polynomial is, or passes 0 there. Else it is all noise.
static bool is_seen(EventDetector *detector, ContactMode *mode, const DetectedEvent *detected,
                    bool *failed)
{
    double *values = detector->work->watched[WATCH_GAPS].samples, t = detected->t;
    size_t side = detected->index;
    if (t <= mode->from || !sample(detector, mode, WATCH_GAPS, t, values))
        return true;
    double f = values[side];
    if (fabs(f) <= EVENT_MARGIN * detector->event->gaps->band[side] ||
        (detected->what == DETECTED_IMPACT && rises(detector, mode, detected)))
        return true;
    *failed = true;
    return cannot_tell(detector, side,
                       f > 0 ? find_crossing(detector, mode, side, mode->from, t) : t);
}

// Whether f has not fallen by more than its roundings where the step ends: then it has not turned.
static bool rises_on(EventDetector *detector, ContactMode *mode, const DetectedEvent *detected)
{
    const OdeInterpolant *fit = &detector->work->watched[WATCH_GAPS].interpolants[detected->index];
    double *f = detector->work->watched[WATCH_GAPS].samples, noise = 2 * fit->resolution,
           band = fmax(detector->event->gaps->band[detected->index], noise);
    if (!sample(detector, mode, WATCH_GAPS, detected->t, f))
        return false;
    double there = f[detected->index];
    return sample(detector, mode, WATCH_GAPS, mode->t, f) && f[detected->index] >= there - noise &&
           f[detected->index] <= band;
}

// What happens first to the gaps, each measured where it is about 0.
static bool watch_gaps(EventDetector *detector, ContactMode *mode, double end,
                       DetectedEvent *detected, bool *failed)
{
    for (;;) {
        bool found = watch_until(detector, mode, WATCH_GAPS, end, detected, failed);
        if (!found || !is_seen(detector, mode, detected, failed) ||
            detected->what != DETECTED_GRAZE || detected->turns)
            return found && !*failed;
        bool again = measure_graze(detector, mode, detected, failed);
        if (*failed || (!again && !rises_on(detector, mode, detected)))
            return !*failed;
        if (!again)
            detector->sides[detected->index].rises_on = detected->t;
        for (size_t i = 0; i < detector->count; i++)
            detector->sides[i].touching = detector->sides[i].touched;
    }
}

// Where forces of friction are shared: whether the motion is the same however that is, up to the
// end of the step or to what happens first in it. Where it is not, that happens where it begins.
// Where coefficients turn to what is none, there.
static bool is_undetermined(const EventDetector *detector, ContactMode *mode, double end,
                            DetectedEvent *detected, bool *failed)
{
    const ContactEvent *event = detector->event;
    double t = mode->from;
    if (*failed || !event->friction)
        return false;
    bool unlawful = friction_turns_unlawful(event, mode, end, &t);
    if (!unlawful && !event->friction->shared && !event->shared)
        return false;
    *failed = !unlawful && !mode_evaluate(mode, end);
    if (*failed || (!unlawful && friction_is_determined(event, mode)))
        return false;
    *detected = (DetectedEvent){.t = t,
                                .index = SIZE_MAX,
                                .what = DETECTED_FRICTION,
                                .friction = friction_undetermined(event)};
    return true;
}

// What switches first: gaps are smooth up to there. Positions are to be had for less than
// reactions: up to where these matter is known then.
bool detector_step(EventDetector *detector, ContactMode *mode, DetectedEvent *detected,
                   bool *failed)
{
    assert(mode->t >= mode->from);
    static const WatchKind kinds[] = {WATCH_SWITCHES, WATCH_GAPS, WATCH_REACTIONS, WATCH_FRICTION,
                                      WATCH_EVENTS};
    bool found = false;
    *failed = false;
    if (detector->count + detector->switches->count + friction_watch_count(detector->event) == 0 &&
        !detector->triggers)
        return false;
    if (detector->triggers)
        triggers_begin_step(detector->triggers);
    for (size_t i = 0; i < detector->count; i++)
        detector->sides[i].touched = detector->sides[i].touching;
    if (friction_watch_count(detector->event) > 0) {
        *failed = !mode_evaluate(mode, mode->from);
        friction_watch_begin(detector->event, mode);
    }
    for (size_t i = 0; i < WATCH_KINDS && !*failed; i++) {
        DetectedEvent own;
        double end = found ? detected->t : mode->t;
        bool gaps = kinds[i] == WATCH_GAPS;
        if (!is_any(detector, kinds[i]) ||
            !(gaps ? watch_gaps(detector, mode, end, &own, failed)
                   : watch_until(detector, mode, kinds[i], end, &own, failed)))
            continue;
        found = true;
        *detected = own;
        bool late = kinds[i] >= WATCH_REACTIONS && kinds[i] != WATCH_SWITCHES;
        if (kinds[i] == WATCH_FRICTION) {
            detected->friction = detected->index;
            detected->index = SIZE_MAX;
        }
        for (size_t j = 0; j < detector->count && late; j++)
            detector->sides[j].touching = detector->sides[j].touched;
    }
    double end = found ? detected->t : mode->t;
    found = is_undetermined(detector, mode, end, detected, failed) || found;
    if (detector->triggers && !found)
        triggers_end_step(detector->triggers);
    if (found && detected->what == DETECTED_EVENT)
        triggers_take(detector->triggers, detected->t, mode->t - mode->from);
    return found && !*failed;
}
