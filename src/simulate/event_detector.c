// event_detector.c: what happens first within a step (Mayer 1899, § 4): a condition that does not
// act reaches f = 0, or the λ of one that acts reaches 0 (share.c: which λ).
//
// f counts as 0 within a band. What leaves the band upwards has struck, at its last root before;
// what turns inside it has only grazed, which is doubtful. A condition that touches since the last
// event is in the band without anything happening, until it leaves it.
#include "dynamics/stop_request.h"
#include "motion/motion.h"
#include "simulate/event_detector_impl.h"
#include "simulate/simulation_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// What of the band the samples may be off, and of the largest λ.
#define NOISE 0.01
// What touches strikes where it is above this part of its band.
#define LEAVES         0.05
#define REACTION_NOISE 1e-11
// What of the largest value of f the polynomial may be off.
#define ROUNDING 1e-13
// λ counts as 0 up to this part of the largest, or so many times its noise.
#define REACTION_BAND 1e-10
#define ABOVE_NOISE   4
// What does not come down by this factor where a stretch is half as long, so many times in a row,
// is noise: near dependent conditions reactions lose digits.
#define COMES_DOWN  0.5
#define STAYS_TIMES 4
// A stretch is no shorter than this part of the step.
#define SHORTEST 1e-7
#define POLISH   3
#define MORE     2
// What lies between two looks for f = 0 in one stretch, at least.
#define SMALL_PART 1e-12

void detector_init(EventDetector *detector, GapFunctions *gaps, const bool *acts)
{
    size_t count = gaps->count;
    *detector = (EventDetector){.gaps = gaps, .acts = acts};
    ode_interpolant_basis_init(&detector->basis);
    detector->touching = base_alloc((count + 1) * sizeof *detector->touching);
    detector->touched = base_alloc((count + 1) * sizeof *detector->touched);
    detector->reaction = base_alloc((count + 1) * sizeof *detector->reaction);
    detector->noise = base_alloc((count + 1) * sizeof *detector->noise);
    detector->samples =
        base_alloc((count * ODE_INTERPOLANT_SAMPLES + 1) * sizeof *detector->samples);
    detector->interpolants = base_alloc((count + 1) * sizeof *detector->interpolants);
}

void detector_clear(EventDetector *detector)
{
    base_free(detector->touching);
    base_free(detector->touched);
    base_free(detector->reaction);
    base_free(detector->noise);
    base_free(detector->samples);
    base_free(detector->interpolants);
    reaction_sharing_clear(&detector->share);
    *detector = (EventDetector){0};
}

// ---- Samples.

static double multiplier(const ContactMode *mode, size_t side)
{
    const Motion *motion = mode->run->motion;
    const ModelConstraint *first = motion->model->constraints.at;
    return mode->state->multipliers[motion->sides[side].constraint - first];
}

// f of all conditions at a time within the last step.
static bool sample_positions(EventDetector *detector, ContactMode *mode, double t, double *values)
{
    GapFunctions *gaps = detector->gaps;
    const double *q = mode_state(mode, t);
    if (!q)
        return false;
    gaps_evaluate(gaps, t, q);
    memcpy(values, gaps->f, gaps->count * sizeof *values);
    return true;
}

// λ of those that act.
static bool sample_reactions(EventDetector *detector, ContactMode *mode, double t, double *values)
{
    if (!mode_evaluate(mode, t))
        return false;
    for (size_t i = 0; i < detector->gaps->count; i++)
        values[i] = mode->held[i] ? multiplier(mode, i) : 0;
    if (detector->share.which.count > 0)
        reaction_sharing_apply(&detector->share, mode, values);
    return true;
}

static bool sample(EventDetector *detector, ContactMode *mode, bool acting, double t,
                   double *values)
{
    return acting ? sample_reactions(detector, mode, t, values)
                  : sample_positions(detector, mode, t, values);
}

static bool sample_stretch(EventDetector *detector, ContactMode *mode, bool acting, double from,
                           double length)
{
    size_t count = detector->gaps->count;
    for (size_t i = 0; i < ODE_INTERPOLANT_SAMPLES; i++)
        if (!sample(detector, mode, acting, from + detector->basis.at[i] * length,
                    detector->samples + i * count))
            return false;
    return true;
}

static OdeInterpolant interpolant_of(const EventDetector *detector, size_t side, double from,
                                     double length)
{
    double samples[ODE_INTERPOLANT_SAMPLES], most = 0;
    for (size_t i = 0; i < ODE_INTERPOLANT_SAMPLES; i++) {
        samples[i] = detector->samples[i * detector->gaps->count + side];
        most = fmax(most, fabs(samples[i]));
    }
    if (detector->acts[side]) {
        double noise =
            fmax(REACTION_NOISE * fmax(most, detector->reaction[side]), detector->noise[side]);
        return ode_interpolant_fit(&detector->basis, from, length, samples, noise);
    }
    double band = detector->gaps->band[side];
    OdeInterpolant fit = ode_interpolant_fit(&detector->basis, from, length, samples, NOISE * band);
    // Roundings of what is large elsewhere in the stretch must not hide where it is 0.
    bool hidden = ROUNDING * most > band && ode_interpolant_bound(&fit, 1) >= -band;
    fit.accurate = fit.accurate && !hidden;
    return fit;
}

// ---- One condition.

// A multiplier that falls below its band has let go where it was 0.
static bool sees_release(EventDetector *detector, size_t side, OdeInterpolant *fit,
                         DetectedEvent *detected)
{
    double most = fmax(fabs(ode_interpolant_bound(fit, 1)), fabs(ode_interpolant_bound(fit, -1)));
    detector->reaction[side] = fmax(detector->reaction[side], most);
    double noise = ABOVE_NOISE * detector->noise[side];
    double band = fmax(fmax(REACTION_BAND * detector->reaction[side], noise), DBL_MIN);
    double below = ode_interpolant_first_crossing(fit, fit->from, -band, -1);
    if (isinf(below))
        return false;
    *detected = (DetectedEvent){
        .t = ode_interpolant_last_root(fit, below, false), .index = side, .what = DETECTED_RELEASE};
    return true;
}

// Where one that touches has left its band upwards: it rises from where it is, and not beyond it.
static double leaving_level(OdeInterpolant *fit, double band)
{
    double now = ode_interpolant_value(fit, fit->from),
           least = fmax(LEAVES * band, 2 * fit->resolution);
    double level = fmin(fmax(now, 0) + least, band);
    return level > now || ode_interpolant_slope(fit, fit->from) > 0 ? level : now + least;
}

static bool sees_arrival(EventDetector *detector, size_t side, OdeInterpolant *fit,
                         DetectedEvent *detected)
{
    double band = fmax(detector->gaps->band[side], 2 * fit->resolution);
    double end = fit->from + fit->length;
    if (ode_interpolant_bound(fit, 1) < -band)
        return detector->touching[side] = false;
    // One that touches is on its way out, or stays.
    double from = fit->from;
    if (detector->touching[side]) {
        double above = ode_interpolant_first_crossing(fit, from, leaving_level(fit, band), 1);
        from = ode_interpolant_first_crossing(fit, from, -band, -1);
        // What came up from within the band may have turned above 0.
        if (above < from) {
            double zero = ode_interpolant_last_root(fit, above, false),
                   turn = ode_interpolant_last_root(fit, above, true);
            *detected = (DetectedEvent){.t = fmax(zero, turn),
                                        .index = side,
                                        .what = DETECTED_IMPACT,
                                        .turns = turn >= zero,
                                        .inner = true};
            return true;
        }
        if (isinf(from))
            return false;
        detector->touching[side] = false;
    }
    for (double in = ode_interpolant_first_crossing(fit, from, -band, 1); in < end;) {
        double above = ode_interpolant_first_crossing(fit, in, band, 1),
               turn = ode_interpolant_first_extremum(fit, in);
        if (above <= turn) {
            if (isinf(above))
                return false;
            *detected = (DetectedEvent){.t = ode_interpolant_last_root(fit, above, false),
                                        .index = side,
                                        .what = DETECTED_IMPACT};
            return true;
        }
        double there = ode_interpolant_value(fit, turn);
        if (there >= -band && there > ode_interpolant_value(fit, in)) {
            *detected = (DetectedEvent){.t = turn, .index = side, .what = DETECTED_GRAZE};
            return true;
        }
        // It was on its way down, within the band or out of it.
        double next = fmax(turn + SMALL_PART * fit->length, nextafter(turn, INFINITY));
        in = ode_interpolant_first_crossing(fit, next, -band, 1);
    }
    return false;
}

// ---- All of them.

// By Newton's steps on the function itself.
static void polish(EventDetector *detector, ContactMode *mode, OdeInterpolant *fit,
                   DetectedEvent *detected)
{
    if (detected->what == DETECTED_GRAZE || detected->turns)
        return;
    double end = mode->t;
    bool acting = detected->what == DETECTED_RELEASE;
    for (size_t i = 0; i < POLISH; i++) {
        double slope = ode_interpolant_slope(fit, detected->t);
        if (slope == 0 || !sample(detector, mode, acting, detected->t, detector->samples))
            return;
        double t = detected->t - detector->samples[detected->index] / slope;
        if (!(fabs(t - detected->t) <= 1e-6 * fit->length))
            return;
        detected->t = fmin(fmax(t, fit->from), end);
    }
}

// Polynomials of those that act, or of the others; false where one of them is not good, and by how
// much the worst λ is off.
static bool make_interpolants(EventDetector *detector, bool acting, double from, double length,
                              double *miss)
{
    bool good = true;
    *miss = 0;
    for (size_t i = 0; i < detector->gaps->count; i++) {
        if (detector->acts[i] != acting)
            continue;
        detector->interpolants[i] = interpolant_of(detector, i, from, length);
        good = good && detector->interpolants[i].accurate;
        if (acting && detector->reaction[i] > 0)
            *miss = fmax(*miss, detector->interpolants[i].error / detector->reaction[i]);
    }
    return good;
}

// Halving a stretch did not help: all that is seen of the λ is so noisy.
static void take_for_noise(EventDetector *detector)
{
    for (size_t i = 0; i < detector->gaps->count; i++)
        if (detector->acts[i] && !detector->interpolants[i].accurate)
            detector->noise[i] = ABOVE_NOISE * detector->interpolants[i].error;
}

static bool watch_stretch(EventDetector *detector, ContactMode *mode, bool acting,
                          DetectedEvent *detected)
{
    bool found = false;
    for (size_t i = 0; i < detector->gaps->count; i++) {
        DetectedEvent own;
        if (detector->acts[i] != acting)
            continue;
        bool seen = acting ? sees_release(detector, i, &detector->interpolants[i], &own)
                           : sees_arrival(detector, i, &detector->interpolants[i], &own);
        if (seen && !(found && own.t >= detected->t)) {
            found = true;
            *detected = own;
        }
    }
    if (found)
        polish(detector, mode, &detector->interpolants[detected->index], detected);
    return found;
}

// What happens first to those that act, or to the others, up to a time within the step.
static bool watch_until(EventDetector *detector, ContactMode *mode, bool acting, double end,
                        DetectedEvent *detected, bool *failed)
{
    double from = mode->from, whole = end - from;
    // A little longer than what had to be shortened to.
    double *span = &detector->spans[acting], length = *span > 0 ? MORE * *span : whole;
    double before = INFINITY, miss, n = (double)mode->eq->n, work = ODE_INTERPOLANT_SAMPLES * n * n;
    size_t stays = 0;
    while (from < end) {
        length = fmin(length, end - from);
        *failed = stop_requested(mode->run->stop, work) ||
                  !sample_stretch(detector, mode, acting, from, length);
        if (*failed)
            return false;
        // What is not smooth is looked at in ever shorter stretches, down to the shortest.
        bool good = make_interpolants(detector, acting, from, length, &miss);
        stays = !good && miss > COMES_DOWN * before ? stays + 1 : 0;
        before = good ? INFINITY : miss;
        if (!good && stays < STAYS_TIMES && length > SHORTEST * whole) {
            *span = length /= 2;
            continue;
        }
        if (stays == STAYS_TIMES)
            take_for_noise(detector);
        *span = *span > 0 ? fmax(*span, length) : 0;
        if (watch_stretch(detector, mode, acting, detected))
            return true;
        from = from + length >= end ? end : from + length;
        length *= 2;
    }
    return false;
}

static bool is_any(const EventDetector *detector, bool acting)
{
    for (size_t i = 0; i < detector->gaps->count; i++)
        if (detector->acts[i] == acting)
            return true;
    return false;
}

// Positions are to be had for less than reactions: how far these matter is known then.
bool detector_step(EventDetector *detector, ContactMode *mode, DetectedEvent *detected,
                   bool *failed)
{
    size_t bytes = detector->gaps->count * sizeof *detector->touching;
    double end = mode->t;
    *failed = false;
    memcpy(detector->touched, detector->touching, bytes);
    bool found =
        is_any(detector, false) && watch_until(detector, mode, false, end, detected, failed);
    if (*failed || !is_any(detector, true))
        return found;
    DetectedEvent release;
    if (!watch_until(detector, mode, true, found ? detected->t : end, &release, failed))
        return found && !*failed;
    *detected = release;
    memcpy(detector->touching, detector->touched, bytes);
    return true;
}
