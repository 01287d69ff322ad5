// watch.c: what happens first within a step (Mayer 1899, § 4): a condition that does not act
// reaches f = 0, or the λ of one that acts reaches 0 (share.c: which λ).
//
// f counts as 0 within a band. What leaves the band upwards has struck, at its last root before;
// what turns inside it has only grazed, which is doubtful. A condition that touches since the last
// event is in the band without anything happening, until it leaves it.
#include "run/journey_impl.h"

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

void watch_init(Watch *watch, Contacts *contacts, const bool *acts)
{
    size_t count = contacts->count;
    *watch = (Watch){.contacts = contacts, .acts = acts};
    ode_interpolant_basis_init(&watch->basis);
    watch->touching = base_alloc((count + 1) * sizeof *watch->touching);
    watch->touched = base_alloc((count + 1) * sizeof *watch->touched);
    watch->reaction = base_alloc((count + 1) * sizeof *watch->reaction);
    watch->noise = base_alloc((count + 1) * sizeof *watch->noise);
    watch->samples = base_alloc((count * ODE_INTERPOLANT_SAMPLES + 1) * sizeof *watch->samples);
    watch->interpolants = base_alloc((count + 1) * sizeof *watch->interpolants);
}

void watch_clear(Watch *watch)
{
    base_free(watch->touching);
    base_free(watch->touched);
    base_free(watch->reaction);
    base_free(watch->noise);
    base_free(watch->samples);
    base_free(watch->interpolants);
    share_clear(&watch->share);
    *watch = (Watch){0};
}

// ---- Samples.

static double multiplier(const Leg *leg, size_t side)
{
    const Motion *motion = leg->run->motion;
    const ModelConstraint *first = motion->model->constraints.at;
    return leg->numbers->multipliers[motion->sides[side].constraint - first];
}

// f of all conditions at a time within the last step.
static bool sample_positions(Watch *watch, Leg *leg, double t, double *values)
{
    Contacts *contacts = watch->contacts;
    const double *q = leg_state(leg, t);
    if (!q)
        return false;
    contacts_positions(contacts, t, q);
    memcpy(values, contacts->f, contacts->count * sizeof *values);
    return true;
}

// λ of those that act.
static bool sample_reactions(Watch *watch, Leg *leg, double t, double *values)
{
    if (!leg_evaluate(leg, t))
        return false;
    for (size_t i = 0; i < watch->contacts->count; i++)
        values[i] = leg->held[i] ? multiplier(leg, i) : 0;
    if (watch->share.which.count > 0)
        share_out(&watch->share, leg, values);
    return true;
}

static bool sample(Watch *watch, Leg *leg, bool acting, double t, double *values)
{
    return acting ? sample_reactions(watch, leg, t, values)
                  : sample_positions(watch, leg, t, values);
}

static bool sample_stretch(Watch *watch, Leg *leg, bool acting, double from, double length)
{
    size_t count = watch->contacts->count;
    for (size_t i = 0; i < ODE_INTERPOLANT_SAMPLES; i++)
        if (!sample(watch, leg, acting, from + watch->basis.at[i] * length,
                    watch->samples + i * count))
            return false;
    return true;
}

static OdeInterpolant interpolant_of(const Watch *watch, size_t side, double from, double length)
{
    double samples[ODE_INTERPOLANT_SAMPLES], most = 0;
    for (size_t i = 0; i < ODE_INTERPOLANT_SAMPLES; i++) {
        samples[i] = watch->samples[i * watch->contacts->count + side];
        most = fmax(most, fabs(samples[i]));
    }
    if (watch->acts[side]) {
        double noise = fmax(REACTION_NOISE * fmax(most, watch->reaction[side]), watch->noise[side]);
        return ode_interpolant_fit(&watch->basis, from, length, samples, noise);
    }
    double band = watch->contacts->band[side];
    OdeInterpolant fit = ode_interpolant_fit(&watch->basis, from, length, samples, NOISE * band);
    // Roundings of what is large elsewhere in the stretch must not hide where it is 0.
    bool hidden = ROUNDING * most > band && ode_interpolant_bound(&fit, 1) >= -band;
    fit.accurate = fit.accurate && !hidden;
    return fit;
}

// ---- One condition.

// A multiplier that falls below its band has let go where it was 0.
static bool sees_release(Watch *watch, size_t side, OdeInterpolant *fit, Occasion *occasion)
{
    double most = fmax(fabs(ode_interpolant_bound(fit, 1)), fabs(ode_interpolant_bound(fit, -1)));
    watch->reaction[side] = fmax(watch->reaction[side], most);
    double noise = ABOVE_NOISE * watch->noise[side];
    double band = fmax(fmax(REACTION_BAND * watch->reaction[side], noise), DBL_MIN);
    double below = ode_interpolant_first_crossing(fit, fit->from, -band, -1);
    if (isinf(below))
        return false;
    *occasion = (Occasion){
        .t = ode_interpolant_last_root(fit, below, false), .index = side, .what = LETS_GO};
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

static bool sees_arrival(Watch *watch, size_t side, OdeInterpolant *fit, Occasion *occasion)
{
    double band = fmax(watch->contacts->band[side], 2 * fit->resolution);
    double end = fit->from + fit->length;
    if (ode_interpolant_bound(fit, 1) < -band)
        return watch->touching[side] = false;
    // One that touches is on its way out, or stays.
    double from = fit->from;
    if (watch->touching[side]) {
        double above = ode_interpolant_first_crossing(fit, from, leaving_level(fit, band), 1);
        from = ode_interpolant_first_crossing(fit, from, -band, -1);
        // What came up from within the band may have turned above 0.
        if (above < from) {
            double zero = ode_interpolant_last_root(fit, above, false),
                   turn = ode_interpolant_last_root(fit, above, true);
            *occasion = (Occasion){.t = fmax(zero, turn),
                                   .index = side,
                                   .what = STRIKES,
                                   .turns = turn >= zero,
                                   .inner = true};
            return true;
        }
        if (isinf(from))
            return false;
        watch->touching[side] = false;
    }
    for (double in = ode_interpolant_first_crossing(fit, from, -band, 1); in < end;) {
        double above = ode_interpolant_first_crossing(fit, in, band, 1),
               turn = ode_interpolant_first_extremum(fit, in);
        if (above <= turn) {
            if (isinf(above))
                return false;
            *occasion = (Occasion){
                .t = ode_interpolant_last_root(fit, above, false), .index = side, .what = STRIKES};
            return true;
        }
        double there = ode_interpolant_value(fit, turn);
        if (there >= -band && there > ode_interpolant_value(fit, in)) {
            *occasion = (Occasion){.t = turn, .index = side, .what = GRAZES};
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
static void polish(Watch *watch, Leg *leg, OdeInterpolant *fit, Occasion *occasion)
{
    if (occasion->what == GRAZES || occasion->turns)
        return;
    double end = leg->t;
    bool acting = occasion->what == LETS_GO;
    for (size_t i = 0; i < POLISH; i++) {
        double slope = ode_interpolant_slope(fit, occasion->t);
        if (slope == 0 || !sample(watch, leg, acting, occasion->t, watch->samples))
            return;
        double t = occasion->t - watch->samples[occasion->index] / slope;
        if (!(fabs(t - occasion->t) <= 1e-6 * fit->length))
            return;
        occasion->t = fmin(fmax(t, fit->from), end);
    }
}

// Polynomials of those that act, or of the others; false where one of them is not good, and by how
// much the worst λ is off.
static bool make_interpolants(Watch *watch, bool acting, double from, double length, double *miss)
{
    bool good = true;
    *miss = 0;
    for (size_t i = 0; i < watch->contacts->count; i++) {
        if (watch->acts[i] != acting)
            continue;
        watch->interpolants[i] = interpolant_of(watch, i, from, length);
        good = good && watch->interpolants[i].accurate;
        if (acting && watch->reaction[i] > 0)
            *miss = fmax(*miss, watch->interpolants[i].error / watch->reaction[i]);
    }
    return good;
}

// Halving a stretch did not help: all that is seen of the λ is so noisy.
static void take_for_noise(Watch *watch)
{
    for (size_t i = 0; i < watch->contacts->count; i++)
        if (watch->acts[i] && !watch->interpolants[i].accurate)
            watch->noise[i] = ABOVE_NOISE * watch->interpolants[i].error;
}

static bool watch_stretch(Watch *watch, Leg *leg, bool acting, Occasion *occasion)
{
    bool found = false;
    for (size_t i = 0; i < watch->contacts->count; i++) {
        Occasion own;
        if (watch->acts[i] != acting)
            continue;
        bool seen = acting ? sees_release(watch, i, &watch->interpolants[i], &own)
                           : sees_arrival(watch, i, &watch->interpolants[i], &own);
        if (seen && !(found && own.t >= occasion->t)) {
            found = true;
            *occasion = own;
        }
    }
    if (found)
        polish(watch, leg, &watch->interpolants[occasion->index], occasion);
    return found;
}

// What happens first to those that act, or to the others, up to a time within the step.
static bool watch_until(Watch *watch, Leg *leg, bool acting, double end, Occasion *occasion,
                        bool *failed)
{
    double from = leg->from, whole = end - from;
    // A little longer than what had to be shortened to.
    double *span = &watch->spans[acting], length = *span > 0 ? MORE * *span : whole;
    double before = INFINITY, miss, n = (double)leg->numbers->n,
           work = ODE_INTERPOLANT_SAMPLES * n * n;
    size_t stays = 0;
    while (from < end) {
        length = fmin(length, end - from);
        *failed =
            asker_stops(leg->run->asker, work) || !sample_stretch(watch, leg, acting, from, length);
        if (*failed)
            return false;
        // What is not smooth is looked at in ever shorter stretches, down to the shortest.
        bool good = make_interpolants(watch, acting, from, length, &miss);
        stays = !good && miss > COMES_DOWN * before ? stays + 1 : 0;
        before = good ? INFINITY : miss;
        if (!good && stays < STAYS_TIMES && length > SHORTEST * whole) {
            *span = length /= 2;
            continue;
        }
        if (stays == STAYS_TIMES)
            take_for_noise(watch);
        *span = *span > 0 ? fmax(*span, length) : 0;
        if (watch_stretch(watch, leg, acting, occasion))
            return true;
        from = from + length >= end ? end : from + length;
        length *= 2;
    }
    return false;
}

static bool is_any(const Watch *watch, bool acting)
{
    for (size_t i = 0; i < watch->contacts->count; i++)
        if (watch->acts[i] == acting)
            return true;
    return false;
}

// Positions are to be had for less than reactions: how far these matter is known then.
bool watch_step(Watch *watch, Leg *leg, Occasion *occasion, bool *failed)
{
    size_t bytes = watch->contacts->count * sizeof *watch->touching;
    double end = leg->t;
    *failed = false;
    memcpy(watch->touched, watch->touching, bytes);
    bool found = is_any(watch, false) && watch_until(watch, leg, false, end, occasion, failed);
    if (*failed || !is_any(watch, true))
        return found;
    Occasion release;
    if (!watch_until(watch, leg, true, found ? occasion->t : end, &release, failed))
        return found && !*failed;
    *occasion = release;
    memcpy(watch->touching, watch->touched, bytes);
    return true;
}
