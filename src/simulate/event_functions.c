// event_functions.c: what happens to a function of time within its polynomial: f of a condition
// that does not act reaches 0, the λ of one that acts does, or what decides a branch changes its
// sign.
//
// f counts as 0 within a band. What leaves the band upwards has an impact, at its last root before;
// what turns inside it has only grazed, which is doubtful. A condition that touches since the last
// event is in the band without anything happening, until it leaves it.
#include "dynamics/equations_types.h"
#include "linalg/tolerances.h"
#include "simulate/contact_event_impl.h"
#include "simulate/event_functions_impl.h"
#include "simulate/events/event_triggers_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/switch_functions_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>

bool event_detect(DetectedEvent *detected, DetectedKind what, size_t index, double t)
{
    *detected = (DetectedEvent){.t = t, .index = index, .what = what};
    return true;
}

// ---- Releases.

// A multiplier that falls below its band was 0 where the condition stops to act.
static bool sees_release(EventDetector *detector, size_t side, OdeInterpolant *fit,
                         DetectedEvent *detected)
{
    double most = fmax(fabs(ode_interpolant_bound(fit, 1)), fabs(ode_interpolant_bound(fit, -1)));
    detector->sides[side].reaction = fmax(detector->sides[side].reaction, most);
    double band =
        fmax(TOL_CONDITION * detector->sides[side].reaction, 4 * detector->sides[side].noise);
    double below = ode_interpolant_first_crossing(fit, fit->from, -fmax(band, DBL_MIN), -1);
    return isfinite(below) && event_detect(detected, DETECTED_RELEASE, side,
                                           ode_interpolant_last_root(fit, below, false));
}

// ---- Arrivals.

// Where one that touches has left its band upwards: it rises from where it is, and not beyond it.
static double leaving_level(OdeInterpolant *fit, double band)
{
    double now = ode_interpolant_value(fit, fit->from),
           least = fmax(TOL_POOR * band, 2 * fit->resolution);
    double level = fmin(fmax(now, 0) + least, band);
    return level > now || ode_interpolant_slope(fit, fit->from) > 0 ? level : now + least;
}

// One that touches is on its way out, or stays. *from: where it has left the band downwards.
static bool sees_inner_impact(EventDetector *detector, size_t side, OdeInterpolant *fit,
                              double band, double *from, DetectedEvent *detected)
{
    double above = ode_interpolant_first_crossing(fit, *from, leaving_level(fit, band), 1);
    *from = ode_interpolant_first_crossing(fit, *from, -band, -1);
    if (above < *from) {
        // What came up from within the band may have turned above 0.
        double zero = ode_interpolant_last_root(fit, above, false),
               turn = ode_interpolant_last_root(fit, above, true);
        event_detect(detected, DETECTED_IMPACT, side, fmax(zero, turn));
        detected->turns = turn >= zero;
        return detected->inner = true;
    }
    detector->sides[side].touching = isinf(*from);
    return false;
}

// Where f rises most slowly between two times.
static double slowest_rise(OdeInterpolant *fit, double from, double to)
{
    double best = from, step = (to - from) / ODE_MAX_ORDER;
    for (int i = 1; i <= ODE_MAX_ORDER; i++)
        if (ode_interpolant_slope(fit, from + i * step) < ode_interpolant_slope(fit, best))
            best = from + i * step;
    for (int i = 0; i < LIMIT_STEPS; i++, step /= 2) {
        double before = fmax(best - step, from), after = fmin(best + step, to);
        double slope = ode_interpolant_slope(fit, best);
        if (ode_interpolant_slope(fit, before) < slope)
            best = before;
        else if (ode_interpolant_slope(fit, after) < slope)
            best = after;
    }
    return best;
}

// f goes through its band, from below to above. Where it comes to a stop on the way, nothing tells
// f' at its root: it touches there without an impact.
static bool detect_passage(DetectedEvent *detected, size_t side, OdeInterpolant *fit, double in,
                           double above, double entry)
{
    double root = ode_interpolant_last_root(fit, above, false);
    if (entry <= 4 * ode_interpolant_slope(fit, root))
        return event_detect(detected, DETECTED_IMPACT, side, root);
    double stop = slowest_rise(fit, in, above) + TOL_COARSE * (above - in);
    event_detect(detected, DETECTED_GRAZE, side, fmin(stop, above));
    return detected->turns = true;
}

static bool sees_arrival(EventDetector *detector, size_t side, OdeInterpolant *fit,
                         DetectedEvent *detected)
{
    double band = fmax(detector->event->gaps->band[side], 2 * fit->resolution);
    double from = fit->from, end = fit->from + fit->length, *entry = &detector->sides[side].entry;
    if (!(ode_interpolant_value(fit, from) > -band))
        *entry = 0;
    if (ode_interpolant_bound(fit, 1) < -band)
        return detector->sides[side].touching = false;
    if (detector->sides[side].touching &&
        sees_inner_impact(detector, side, fit, band, &from, detected))
        return true;
    if (isinf(from))
        return false;
    // The last digits of an event before may have brought it beyond.
    if (from == fit->from && ode_interpolant_value(fit, from) > band)
        return event_detect(detected, DETECTED_IMPACT, side, from);
    for (double in = ode_interpolant_first_crossing(fit, from, -band, 1); in < end;) {
        double above = ode_interpolant_first_crossing(fit, in, band, 1),
               turn = ode_interpolant_first_extremum(fit, in),
               slope = ode_interpolant_slope(fit, in);
        // On a step of some last digits the slope is made of roundings.
        if (fit->length > TOL_ZERO * fabs(end))
            *entry = ode_interpolant_value(fit, in) > -band / 2 ? fmax(slope, *entry) : slope;
        // On its way through the band where the interval ends: its root lies in this one.
        if (isinf(above) && isinf(turn) && ode_interpolant_value(fit, end) > band / EVENT_MARGIN)
            above = end;
        if (above <= turn)
            return isfinite(above) && detect_passage(detected, side, fit, in, above, *entry);
        double there = ode_interpolant_value(fit, turn),
               down = ode_interpolant_first_crossing(fit, turn, -band, -1);
        // What turns within the band and stays in it until it has come above it has not grazed.
        if (there >= -band && isfinite(above) && down > above)
            return detect_passage(detected, side, fit, in, above, *entry);
        if (there >= -band && there > ode_interpolant_value(fit, in) &&
            turn > detector->sides[side].rises_on)
            return event_detect(detected, DETECTED_GRAZE, side, turn);
        // It was on its way down, within the band or out of it.
        double next = fmax(turn + TOL_ZERO * fit->length, nextafter(turn, INFINITY));
        in = ode_interpolant_first_crossing(fit, next, -band, 1);
    }
    return false;
}

// ---- Switches.

// What decides a branch counts as 0 within so much.
static double switch_margin(const OdeInterpolant *fit, double noise)
{
    double size = fmax(fabs(ode_interpolant_bound(fit, 1)), fabs(ode_interpolant_bound(fit, -1)));
    return fmax(fmax(TOL_ROUNDING * size, 2 * fmax(fit->resolution, noise)), DBL_MIN);
}

bool event_hides_switch(OdeInterpolant *fit, double own_noise, int sign)
{
    double margin = switch_margin(fit, own_noise), near = sign * (margin + 4 * fit->error);
    return sign != 0 && isfinite(ode_interpolant_first_crossing(fit, fit->from, near, -sign)) &&
           isinf(ode_interpolant_first_crossing(fit, fit->from, -sign * margin, -sign));
}

double event_next_switch(EventDetector *detector, size_t i, OdeInterpolant *fit, double after,
                         double *back)
{
    int sign = detector->switches->signs[i];
    double margin = switch_margin(fit, detector->work->watched[WATCH_SWITCHES].noise[i]);
    double beyond = INFINITY;
    if (sign != 0)
        beyond = ode_interpolant_first_crossing(fit, after, -sign * margin, -sign);
    if (isinf(beyond))
        return INFINITY;
    *back = ode_interpolant_first_crossing(fit, beyond, sign * margin, sign);
    return fmax(ode_interpolant_last_root(fit, beyond, false), after);
}

// What decides a branch has changed its sign where it was 0 before.
static bool sees_switch(EventDetector *detector, size_t i, OdeInterpolant *fit,
                        DetectedEvent *detected)
{
    double back, root = event_next_switch(detector, i, fit, fit->from, &back);
    return isfinite(root) && event_detect(detected, DETECTED_SWITCH, i, root);
}

// ---- Friction.

// What falls below its band was 0 where the speed comes to rest, or the force leaves its cone. What
// only touches 0 goes on as it was.
static bool sees_friction(EventDetector *detector, size_t i, OdeInterpolant *fit,
                          DetectedEvent *detected)
{
    double noise = fmax(detector->work->watched[WATCH_FRICTION].noise[i], detector->noises[i]);
    // What it gains within the last digits of the time is noise, too.
    double time = TOL_ROUNDING * fmax(fabs(fit->from), detector->event->gaps->interval);
    noise = fmax(noise, time * fabs(ode_interpolant_slope(fit, fit->from)));
    double band = fmax(TOL_CONDITION * detector->sizes[i], 4 * noise);
    if (friction_is_course(detector->event, i))
        band = 0;
    double below = ode_interpolant_first_crossing(fit, fit->from, -fmax(band, DBL_MIN), -1);
    if (!isfinite(below))
        return false;
    return event_detect(detected, DETECTED_FRICTION, i,
                        ode_interpolant_last_root(fit, below, false));
}

// ---- Events of the model.

static bool sees_event(EventDetector *detector, size_t i, OdeInterpolant *fit,
                       DetectedEvent *detected)
{
    double noise = detector->work->watched[WATCH_EVENTS].noise[i];
    return triggers_see(detector->triggers, i, fit, noise, detected);
}

bool (*const event_sees[WATCH_KINDS])(EventDetector *detector, size_t i, OdeInterpolant *fit,
                                      DetectedEvent *detected) = {[WATCH_GAPS] = sees_arrival,
                                                                  [WATCH_REACTIONS] = sees_release,
                                                                  [WATCH_SWITCHES] = sees_switch,
                                                                  [WATCH_FRICTION] = sees_friction,
                                                                  [WATCH_EVENTS] = sees_event};
