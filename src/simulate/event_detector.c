// event_detector.c: the first event within a step (Mayer 1899, § 4): a condition that does not act
// reaches f = 0, the λ of one that acts reaches 0, or a function switches.
//
// Each function is a polynomial through samples of the step, or of parts of it (ode,
// interpolant.c). f counts as 0 within a band. What leaves the band upwards has an impact, at its
// last root before; what turns inside it has only grazed, which is doubtful. A condition that
// touches since the last event is in the band without anything happening, until it leaves it.
//
// A mode holds independent ones alone, and their λ are its own. One of these may become negative
// though nobody lets go, because another takes its part; so what is watched are the λ of least norm
// of all that act. With g_d = Σ c_dh·g_h for those that are not held (and what the equations give
// beside it), the reaction −Σ λ_h g_h is that of λ_h and λ_d = c_d·λ too, where
// (1 + CᵀC)·λ = λ_h: and these are the least that give it.
#include "dynamics/condition_multipliers.h"
#include "dynamics/stop_request.h"
#include "dynamics/unilaterals.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"
#include "ode/interpolant.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/gap_bounds_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/switch_functions_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// Functions of time whose roots are events: f of the conditions that do not act, λ of those that
// act, and what decides the branches of switch functions.
typedef enum { WATCH_GAPS, WATCH_REACTIONS, WATCH_SWITCHES, WATCH_KINDS } WatchKind;
typedef struct {
    size_t count;
    double *samples; // ODE_INTERPOLANT_SAMPLES rows of all functions
    OdeInterpolant *interpolants;
    double *noise; // of what decides branches: what roundings of the coordinates make of it
    double span;   // of intervals that were short enough; 0 where all were
} WatchedFunctions;
typedef struct DetectorWorkspace {
    WatchedFunctions watched[WATCH_KINDS];
    OdeInterpolantBasis basis;
} DetectorWorkspace;

EventDetector *detector_new(Arena *arena, const ContactEvent *event, Switches *switches)
{
    size_t count = event->gaps->count;
    EventDetector *detector = arena_array(arena, EventDetector, 1);
    *detector = (EventDetector){.event = event,
                                .switches = switches,
                                .count = count,
                                .sides = arena_array(arena, WatchedContact, count + 1),
                                .work = arena_array(arena, DetectorWorkspace, 1)};
    for (size_t i = 0; i < count; i++)
        detector->sides[i].let_go = -INFINITY;
    ode_interpolant_basis_init(&detector->work->basis);
    for (WatchKind kind = 0; kind < WATCH_KINDS; kind++) {
        size_t own = kind != WATCH_SWITCHES ? count : switches->count;
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
    for (size_t i = 0; i < detector->count; i++)
        detector->sides[i].touching = false;
    for (size_t i = 0; i < event->at.count; i++) {
        const TouchingContact *contact = &event->at.at[i];
        WatchedContact *side = &detector->sides[contact->index];
        side->touching = !event->acts[contact->index];
        double size = fmax(contact->lambda, event_reaction_size(event, contact));
        side->reaction = contact->kept ? size : 0;
        side->noise = 0;
    }
}

// ---- Reactions where more conditions act than are independent.

// c of a condition that is not held, from the rows in the basis: the last `held` of these are of −f
// for the held ones.
static void find_parts(Basis *basis, Unilaterals *unilaterals, const State *state, size_t side,
                       size_t held, double *row, double *parts)
{
    UnilateralRow found = unilaterals_row(unilaterals, side, *state->t, state->q, state->v);
    memset(row, 0, basis->n * sizeof *row);
    for (size_t k = 0; k < found.size; k++)
        row[found.coordinates[k]] = found.gradient[k] * state->scale[found.coordinates[k]];
    basis_examine(basis, row);
    for (size_t h = 0; h < held; h++)
        parts[h] = -basis->parts[basis->count - held + h];
}

void event_share_reactions(const ContactEvent *event, const ContactMode *mode)
{
    const Equations *eq = mode->eq;
    const State *state = mode->state;
    size_t n = eq->n, sides = event->gaps->count, held = 0, count = 0;
    if (!event->shared || mode->is_base)
        return;
    for (size_t i = 0; i < sides; i++)
        held += mode->held[i];
    Arena *arena = arena_new();
    Basis basis;
    basis_init(&basis, arena, n, n);
    double *row = real_alloc(arena, n), *least = real_alloc(arena, held * (held + 2));
    double *C = real_alloc(arena, sides * held);
    // The held conditions are the last of the mode's rows, and all of them are needed.
    for (size_t i = 0; i < eq->independent.count; i++) {
        const double *own = state->velocities.out + eq->independent.rows[i] * n;
        for (size_t j = 0; j < n; j++)
            row[j] = own[j] * state->scale[j];
        basis_take(&basis, row, 0);
    }
    assert(held <= basis.count);
    for (size_t h = 0; h < held; h++)
        least[h] = state->lambda[eq->independent.rows[basis.count - held + h]];
    for (size_t i = 0; i < sides; i++)
        if (event->acts[i] && !mode->held[i])
            find_parts(&basis, event->gaps->unilaterals, state, i, held, row, C + count++ * held);
    least_norm_share(C, count, held, least, least + held);
    for (size_t i = 0, h = 0, d = 0; i < sides; i++)
        if (mode->held[i])
            *dynamics_side_multiplier(eq, state, i) = least[h++];
        else if (event->acts[i])
            *dynamics_side_multiplier(eq, state, i) = real_dot(C + d++ * held, least, held);
    arena_free(arena);
}

// A violation that neither the tolerance nor roundings of the coordinates explain.
bool event_gaps_hold(const ContactEvent *event, const ContactMode *mode)
{
    const GapFunctions *gaps = event->gaps;
    const State *state = mode->state;
    double part = EVENT_MARGIN * gaps->tolerance;
    bool hold = true;
    gaps_evaluate(gaps, *state->t, state->q, gaps->f);
    for (size_t i = 0; i < gaps->count && hold; i++) {
        if (gaps->f[i] <= gaps->band[i] && gaps->f[i] <= TOL_ZERO * gaps->sizes[i])
            continue;
        double here = gaps_size_at(gaps, i, *state->t, state->q);
        double most = fmax(TOL_SMALL, part) * fmin(gaps->sizes[i], here);
        hold = gaps->f[i] <= fmax(most, TOL_ZERO * here);
    }
    return hold;
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
    event_share_reactions(detector->event, mode);
    for (size_t i = 0; i < detector->count; i++)
        values[i] = *dynamics_side_multiplier(mode->eq, mode->state, i);
    return true;
}

static bool is_watched(const EventDetector *detector, WatchKind kind, size_t i)
{
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

// What decides a branch counts as 0 within so much.
static double switch_margin(const OdeInterpolant *fit, double noise)
{
    double size = fmax(fabs(ode_interpolant_bound(fit, 1)), fabs(ode_interpolant_bound(fit, -1)));
    return fmax(fmax(TOL_ROUNDING * size, 2 * fmax(fit->resolution, noise)), DBL_MIN);
}

// Whether what decides a branch comes so near to 0 that roundings of what it is elsewhere in the
// interval hide whether it changes its sign.
static bool hides_switch(OdeInterpolant *fit, double own_noise, int sign)
{
    double margin = switch_margin(fit, own_noise), near = sign * (margin + 4 * fit->error);
    return sign != 0 && isfinite(ode_interpolant_first_crossing(fit, fit->from, near, -sign)) &&
           isinf(ode_interpolant_first_crossing(fit, fit->from, -sign * margin, -sign));
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
    double band = kind == WATCH_GAPS ? detector->event->gaps->band[i] : 0;
    if (kind == WATCH_GAPS)
        noise = band / EVENT_MARGIN;
    else if (kind == WATCH_REACTIONS)
        noise = fmax(TOL_CONDITION / EVENT_MARGIN * fmax(most, detector->sides[i].reaction),
                     detector->sides[i].noise);
    else // roundings of the state, which it may enlarge; the function itself improves the root
        noise = fmax(TOL_AGREEMENT * most, 4 * watched->noise[i]);
    OdeInterpolant fit = ode_interpolant_fit(&detector->work->basis, from, length, samples, noise);
    // Roundings of what is large elsewhere in the interval must not hide where it is 0.
    if (kind == WATCH_GAPS && TOL_ROUNDING * most > band && ode_interpolant_bound(&fit, 1) >= -band)
        fit.accurate = false;
    if (kind == WATCH_SWITCHES &&
        hides_switch(&fit, watched->noise[i], detector->switches->signs[i]))
        fit.accurate = false;
    return fit;
}

// Of all functions of a kind; false where one of them is not accurate, and by how much the worst λ
// is off.
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
        if (kind == WATCH_REACTIONS && detector->sides[i].reaction > 0)
            *miss = fmax(*miss, watched->interpolants[i].error / detector->sides[i].reaction);
    }
    return accurate;
}

// ---- One function.

static bool detect(DetectedEvent *detected, DetectedKind what, size_t index, double t)
{
    *detected = (DetectedEvent){.t = t, .index = index, .what = what};
    return true;
}

// A multiplier that falls below its band was 0 where the condition stops to act.
static bool sees_release(EventDetector *detector, size_t side, OdeInterpolant *fit,
                         DetectedEvent *detected)
{
    double most = fmax(fabs(ode_interpolant_bound(fit, 1)), fabs(ode_interpolant_bound(fit, -1)));
    detector->sides[side].reaction = fmax(detector->sides[side].reaction, most);
    double band =
        fmax(TOL_CONDITION * detector->sides[side].reaction, 4 * detector->sides[side].noise);
    double below = ode_interpolant_first_crossing(fit, fit->from, -fmax(band, DBL_MIN), -1);
    return isfinite(below) &&
           detect(detected, DETECTED_RELEASE, side, ode_interpolant_last_root(fit, below, false));
}

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
        detect(detected, DETECTED_IMPACT, side, fmax(zero, turn));
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
        return detect(detected, DETECTED_IMPACT, side, root);
    double stop = slowest_rise(fit, in, above) + TOL_COARSE * (above - in);
    detect(detected, DETECTED_GRAZE, side, fmin(stop, above));
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
        return detect(detected, DETECTED_IMPACT, side, from);
    for (double in = ode_interpolant_first_crossing(fit, from, -band, 1); in < end;) {
        double above = ode_interpolant_first_crossing(fit, in, band, 1),
               turn = ode_interpolant_first_extremum(fit, in),
               slope = ode_interpolant_slope(fit, in);
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
            return detect(detected, DETECTED_GRAZE, side, turn);
        // It was on its way down, within the band or out of it.
        double next = fmax(turn + TOL_ZERO * fit->length, nextafter(turn, INFINITY));
        in = ode_interpolant_first_crossing(fit, next, -band, 1);
    }
    return false;
}

// What decides a branch has changed its sign where it was 0 before.
static bool sees_switch(EventDetector *detector, size_t i, OdeInterpolant *fit,
                        DetectedEvent *detected)
{
    int sign = detector->switches->signs[i];
    double noise = detector->work->watched[WATCH_SWITCHES].noise[i];
    double level = -sign * switch_margin(fit, noise);
    double beyond =
        sign == 0 ? INFINITY : ode_interpolant_first_crossing(fit, fit->from, level, -sign);
    return isfinite(beyond) &&
           detect(detected, DETECTED_SWITCH, i, ode_interpolant_last_root(fit, beyond, false));
}

// ---- All of them.

// Whether something happens to a function within its interpolant, and what.
static bool (*const sees[WATCH_KINDS])(EventDetector *detector, size_t i, OdeInterpolant *fit,
                                       DetectedEvent *detected) = {
    [WATCH_GAPS] = sees_arrival, [WATCH_REACTIONS] = sees_release, [WATCH_SWITCHES] = sees_switch};

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

// To where a function has switched, just behind its root.
static void pass_switch(EventDetector *detector, ContactMode *mode, DetectedEvent *detected)
{
    WatchedFunctions *watched = &detector->work->watched[WATCH_SWITCHES];
    int sign = detector->switches->signs[detected->index];
    double step = DBL_EPSILON * fmax(fabs(detected->t), mode->t - mode->from);
    while (detected->t < mode->t &&
           sample(detector, mode, WATCH_SWITCHES, detected->t, watched->samples) &&
           sign * watched->samples[detected->index] >= 0) {
        detected->t = fmin(detected->t + step, mode->t);
        step *= 2;
    }
}

// Halving an interval did not help: all that is seen of the λ is so noisy. What is not noise is
// some times as large.
static void take_for_noise(EventDetector *detector)
{
    const WatchedFunctions *watched = &detector->work->watched[WATCH_REACTIONS];
    for (size_t i = 0; i < watched->count; i++)
        if (detector->event->acts[i] && !watched->interpolants[i].accurate)
            detector->sides[i].noise = 4 * watched->interpolants[i].error;
}

static bool watch_interval(EventDetector *detector, ContactMode *mode, WatchKind kind,
                           DetectedEvent *detected)
{
    const WatchedFunctions *watched = &detector->work->watched[kind];
    bool found = false;
    for (size_t i = 0; i < watched->count; i++) {
        DetectedEvent own;
        if (!is_watched(detector, kind, i) ||
            !sees[kind](detector, i, &watched->interpolants[i], &own) ||
            (found && own.t >= detected->t))
            continue;
        found = true;
        *detected = own;
    }
    if (found)
        improve(detector, mode, kind, detected);
    if (found && kind == WATCH_SWITCHES)
        pass_switch(detector, mode, detected);
    return found;
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
    *found = detect(detected, DETECTED_IMPACT, side, find_crossing(detector, mode, side, from, t));
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
        if (unchanged == LIMIT_PATIENCE)
            take_for_noise(detector);
        watched->span = watched->span > 0 ? fmax(watched->span, length) : 0;
        bool found = watch_interval(detector, mode, kind, detected);
        *failed = kind == WATCH_GAPS &&
                  !bound_gaps(detector, mode, from, fmin(from + length, end), &found, detected);
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

// What switches first: gaps are smooth up to there. Positions are to be had for less than
// reactions: up to where these matter is known then.
bool detector_step(EventDetector *detector, ContactMode *mode, DetectedEvent *detected,
                   bool *failed)
{
    assert(mode->t >= mode->from);
    static const WatchKind kinds[] = {WATCH_SWITCHES, WATCH_GAPS, WATCH_REACTIONS};
    bool found = false;
    *failed = false;
    for (size_t i = 0; i < detector->count; i++)
        detector->sides[i].touched = detector->sides[i].touching;
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
        for (size_t j = 0; j < detector->count && kinds[i] == WATCH_REACTIONS; j++)
            detector->sides[j].touching = detector->sides[j].touched;
    }
    return found && !*failed;
}
