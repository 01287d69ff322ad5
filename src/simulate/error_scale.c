// error_scale.c: how large the parts of the state typically are, and so what error each may have.
//
// A speed is measured by the largest value it had so far. So is a coordinate, but a crank that
// goes round and round is no longer than at first: where V and A are the largest velocity and
// acceleration of a coordinate, V²/A is the amplitude of a swing with both, and bounds its size.
//
// What is fast for a moment, as a comet that passes its sun, has hardly got anywhere then: its
// error stays, and later counts beside what the speed is in the mean. So a speed counts with no
// more than a few times its mean size over the time so far, where it is not faster now. And where
// the kinetic energy is much larger for a moment, what an error adds to it must be small beside
// what it was before: it stays when the rest is given back. (An angle that turns fast near the pole
// of its coordinates has no such energy.)
//
// What is of another kind, as an angle beside metres, is compared by inertias: in units of these
// velocities are roots of energies.
//
// Where large forces cancel, as along a rope that hangs, the rates are known no better than by what
// the roundings of the coordinates make of them, and steps of no length would make less of that.
#include "dynamics/equations_types.h"
#include "dynamics/pattern.h"
#include "dynamics/speed_choice.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"
#include "simulate/mode_integration_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// How much larger than its mean a speed may be that is not only fast for a moment.
enum { PEAK = 8 };

struct ErrorScale {
    size_t n, k;
    double span; // from a row to the next
    double tolerance;
    double least_part;     // of a speed, or coordinate, an error that steps can keep
    double *q, *v, *a, *u; // the largest so far
    double *gain;          // k: what they gain until the next row, from the start or a jump
    double *mean;          // k: of the speeds' sizes over the time so far,
    double *last;          // k: and the speeds up to which that goes,
    double at, length;     // at this time, over so much
    double kinetic, total; // energies where a moment began; NAN in none
    double fall;           // of what errors may be in it
    double *noise;         // k: of the speeds' rates, where it was heard
    double *time_noise;    // k: of these, at present, by the rounding of the time
    double *kinds;         // n, k: velocities and speeds of one energy; 0 where it is not known
    double *least;         // n, k: what each counts with at least beside the others,
    double *rest;          // k: and beside the unit
    double most_v;         // over all velocities
    double kind_q, kind_v; // the largest coordinate and velocity, in units of these sizes
    double unit;           // what counts as one, by the start: 0 before it
    double kind_unit;      // the same in units of these sizes
    bool changed;          // since `least` was found
    bool timed;            // rates change with the time alone
    bool unknown;          // the start says nothing of the unit
    bool fresh;            // the speeds of the start are those of a moment, as far as is known,
    double brief;          // which lasts for this part of a row, or less than a hundredth
};

static bool rates_hold_time(const Equations *eq)
{
    const Motion *motion = eq->motion;
    bool holds = eq->patterns->forces_hold_time;
    for (size_t i = 0; i < motion->m && !holds; i++)
        holds =
            equations_hold_any(motion->pool, &motion->rows[i].c, 1, eq->symbols + eq->params, 1);
    return holds;
}

bool error_scale_is_timed(const ErrorScale *sizes)
{
    return sizes->timed;
}

ErrorScale *error_scale_new(Arena *arena, const Equations *eq, double tolerance, double least_part,
                            double span)
{
    assert(tolerance > 0 && least_part > 0 && span > 0);
    size_t n = eq->n, k = eq->k;
    ErrorScale *sizes = arena_array(arena, ErrorScale, 1);
    // Errors below a few roundings cannot be asked for.
    double least = TOL_STATE * sqrt((double)(n + k));
    *sizes = (ErrorScale){.n = n,
                          .k = k,
                          .span = span,
                          .timed = rates_hold_time(eq),
                          .kinetic = NAN,
                          .fall = 1,
                          .tolerance = fmax(tolerance, least),
                          .least_part = least_part,
                          .q = real_alloc(arena, n),
                          .v = real_alloc(arena, n),
                          .a = real_alloc(arena, n),
                          .u = real_alloc(arena, k),
                          .mean = real_alloc(arena, k),
                          .gain = real_alloc(arena, k),
                          .last = real_alloc(arena, k),
                          .kinds = real_alloc(arena, n + k),
                          .least = real_alloc(arena, n + k),
                          .rest = real_alloc(arena, k),
                          .noise = real_alloc(arena, k),
                          .time_noise = real_alloc(arena, k)};
    return sizes;
}

double error_scale_tolerance(const ErrorScale *sizes)
{
    return sizes->tolerance;
}

bool error_scale_relax(ErrorScale *sizes, double tolerance)
{
    bool stricter = sizes->tolerance < tolerance;
    sizes->tolerance = fmax(sizes->tolerance, tolerance);
    sizes->changed = true;
    return stricter;
}

const double *error_scale_coordinates(const ErrorScale *sizes)
{
    return sizes->q;
}

// What so many units of a size are; infinite where this is not known.
static double of_kind(double value, double size)
{
    return size > 0 ? value * size : INFINITY;
}

static double in_kind(double value, double size)
{
    return size > 0 ? fabs(value) / size : 0;
}

static void grow(double *size, double value)
{
    if (fabs(value) > *size)
        *size = fabs(value);
}

// How far a coordinate gets until the next row, or until its velocity has become another one; and
// likewise its velocity, which gains so much while its acceleration lasts, or until it has gone as
// far as it is from 0. What dies away at once does not get as far as its first velocity would take
// it.
static void begin(ErrorScale *sizes, size_t i, double q, double v, double a, double gain,
                  double lasting)
{
    double until = a != 0 ? fmin(sizes->span, fabs(v / a)) : sizes->span;
    grow(&sizes->q[i], v * until);
    // What begins by its third derivative shows its size only later.
    if (q == 0 && v == 0 && a == 0)
        grow(&sizes->q[i], gain * lasting);
    until = q != 0 && a != 0 ? sqrt(fabs(q / a)) : INFINITY;
    grow(&sizes->v[i], until < lasting ? a * until : gain);
}

// A unit, or less where all coordinates are smaller and get no further until the next row. What
// starts at rest at 0 says nothing of its size.
static double unit_of(ErrorScale *sizes, const State *state)
{
    double size = 0;
    sizes->kind_unit = 0;
    for (size_t i = 0; i < sizes->n; i++) {
        double own = fmax(fabs(state->q[i]), fabs(state->v[i]) * sizes->span);
        grow(&sizes->kind_unit, in_kind(own, sizes->kinds[i]));
        size = fmax(size, own);
    }
    sizes->unknown = size == 0;
    if (sizes->unknown)
        sizes->kind_unit = INFINITY;
    return size > 0 ? fmin(size, 1) : 1;
}

bool error_scale_is_unknown(const ErrorScale *sizes)
{
    return sizes->unknown;
}

void error_scale_set_unit(ErrorScale *sizes, double unit)
{
    assert(sizes->unknown && unit > 0);
    sizes->unit = fmin(unit, 1);
    sizes->changed = true;
}

// How long the accelerations act as they do now, at most `lasting`: until they have taken the
// coordinates as far as these are from 0.
static double acting(const ErrorScale *sizes, const State *state, double lasting)
{
    double far = 0, most = 0;
    for (size_t i = 0; i < sizes->n; i++) {
        grow(&far, in_kind(state->q[i], sizes->kinds[i]));
        grow(&most, in_kind(state->a[i], sizes->kinds[i]));
    }
    double until = far > 0 && most > 0 ? sqrt(far / most) : INFINITY;
    return fmin(until, lasting);
}

// Speeds, what they gain, and what they are in the mean until the next row: less than that only if
// it lasts for a small part of that time.
static void begin_speeds(ErrorScale *sizes, const State *state, const double *u,
                         const double *gains, double lasting)
{
    double until = acting(sizes, state, lasting), margin = EVENT_MARGIN / sizes->span;
    double speeds = 0, rates = 0;
    for (size_t i = 0; i < sizes->k; i++) {
        double rate = gains[i] / lasting, gain = rate * until, now = fabs(u[i]);
        double own = rate > 0 ? now / rate : INFINITY;
        sizes->u[i] = gains[i];
        sizes->gain[i] = until * margin < 1 ? gain : gains[i];
        sizes->mean[i] = fmax(gain * fmin(until * margin, 1), now * fmin(own * margin, 1));
        sizes->last[i] = now;
        speeds = fmax(speeds, in_kind(now, sizes->kinds[sizes->n + i]));
        rates = fmax(rates, in_kind(rate, sizes->kinds[sizes->n + i]));
    }
    sizes->kinetic = NAN;
    sizes->fall = 1;
    sizes->brief = rates > 0 ? speeds / rates * margin : 1;
    sizes->fresh = sizes->brief < 1;
    sizes->at = *state->t;
    sizes->length = sizes->span;
}

void error_scale_begin(ErrorScale *sizes, const Equations *eq, const State *state, const double *u,
                       const double *gains, double lasting)
{
    conditioning_sizes(eq, state, sizes->kinds);
    for (size_t i = 0; i < sizes->n + sizes->k; i++)
        if (!isfinite(sizes->kinds[i]))
            sizes->kinds[i] = 0;
    if (sizes->unit == 0)
        sizes->unit = unit_of(sizes, state);
    begin_speeds(sizes, state, u, gains + sizes->n, lasting);
    for (size_t i = 0; i < sizes->n; i++)
        begin(sizes, i, state->q[i], state->v[i], state->a[i], gains[i], lasting);
    sizes->changed = true;
    error_scale_update(sizes, state, u);
}

void error_scale_jump(ErrorScale *sizes, const double *gains, double lasting)
{
    assert(lasting > 0 && lasting <= sizes->span);
    for (size_t i = 0; i < sizes->k; i++) {
        grow(&sizes->u[i], gains[sizes->n + i]);
        grow(&sizes->gain[i], gains[sizes->n + i]);
        grow(&sizes->mean[i], gains[sizes->n + i]);
    }
    for (size_t i = 0; i < sizes->n; i++) {
        grow(&sizes->q[i], gains[i] * lasting);
        grow(&sizes->v[i], gains[i]);
        grow(&sizes->a[i], gains[i] / lasting);
    }
    sizes->changed = true;
}

void error_scale_update(ErrorScale *sizes, const State *state, const double *u)
{
    for (size_t i = 0; i < sizes->k; i++)
        grow(&sizes->u[i], u[i]);
    for (size_t i = 0; i < sizes->n; i++) {
        double v = fabs(state->v[i]);
        grow(&sizes->v[i], v);
        grow(&sizes->a[i], state->a[i]);
        sizes->changed = sizes->changed || fabs(state->q[i]) > sizes->q[i] || v > sizes->most_v ||
                         v > sizes->kind_v * sizes->kinds[i];
        if (!sizes->changed)
            continue;
        grow(&sizes->q[i], state->q[i]);
        grow(&sizes->most_v, v);
        grow(&sizes->kind_v, in_kind(v, sizes->kinds[i]));
    }
}

// About the kinetic energy at such speeds: of each apart.
static double kinetic_at(const ErrorScale *sizes, const double *u)
{
    double sum = 0;
    for (size_t i = 0; i < sizes->k; i++) {
        double root = in_kind(u[i], sizes->kinds[sizes->n + i]);
        sum += root * root / 2;
    }
    return sum;
}

// The least that makes a moment.
static double least_peak(const ErrorScale *sizes)
{
    return PEAK * PEAK / 4 * kinetic_at(sizes, sizes->mean);
}

bool error_scale_pass(ErrorScale *sizes, double t, const double *u)
{
    double h = t - sizes->at, length = sizes->length + h;
    // What goes no further than coordinates are rounded is at rest.
    double rest = TOL_STATE * sizes->kind_q / sizes->span;
    bool moment = false;
    for (size_t i = 0; i < sizes->k; i++) {
        double now = fabs(u[i]);
        if (h > 0)
            sizes->mean[i] += ((now + sizes->last[i]) / 2 - sizes->mean[i]) * (h / length);
        sizes->last[i] = now;
        moment |=
            2 * now > PEAK * sizes->mean[i] && now > of_kind(rest, sizes->kinds[sizes->n + i]);
    }
    sizes->at = t;
    sizes->length = length;
    sizes->fresh = sizes->fresh && length < 2 * sizes->span;
    moment = sizes->fresh || (moment && kinetic_at(sizes, u) > least_peak(sizes));
    if (!moment) {
        sizes->kinetic = NAN;
        sizes->fall = 1;
    }
    return moment;
}

// At a start inside a moment nobody has seen what there was before: of energies that cancel little
// is left behind it, and speeds that last as briefly are small.
static bool is_inside(ErrorScale *sizes, double kinetic, double total)
{
    bool first = isnan(sizes->kinetic);
    double left = first ? fabs(total) : sizes->kinetic;
    if (!(PEAK * left < kinetic))
        return false;
    sizes->kinetic = left;
    for (size_t i = 0; i < sizes->k && first; i++) {
        sizes->mean[i] = fmin(sizes->mean[i], sizes->last[i] * sizes->brief);
        sizes->gain[i] = fmin(sizes->gain[i], sizes->mean[i]);
    }
    return true;
}

// What forces of the time give is not given back.
void error_scale_moment(ErrorScale *sizes, double kinetic, double total)
{
    sizes->fresh = sizes->fresh && is_inside(sizes, kinetic, total);
    if (sizes->fresh) {
        sizes->fall = sizes->kinetic / kinetic * (sizes->kinetic / kinetic);
        return;
    }
    double gained = kinetic - sizes->kinetic, given = fabs(total - sizes->total);
    bool begins = !(gained > 0) || (sizes->timed && !(2 * given < gained));
    if (begins) {
        sizes->kinetic = kinetic;
        sizes->total = total;
    }
    // Speeds that grow from rest by a high power of the time make no moment of the whole motion.
    sizes->kinetic = fmax(sizes->kinetic, least_peak(sizes));
    double part = sizes->kinetic / kinetic;
    sizes->fall = part < 1 ? part * part : 1;
}

// One set of roundings shows an eighth of the noise at least; and every speed has a small part of
// the loudest, of its kind.
void error_scale_noise(ErrorScale *sizes, const double *u_rate, const double *other)
{
    assert(u_rate != other);
    double most = 0, kind_most = 0;
    for (size_t i = 0; i < sizes->k; i++) {
        double miss = fabs(other[i] - u_rate[i]);
        most = fmax(most, miss);
        kind_most = fmax(kind_most, in_kind(miss, sizes->kinds[sizes->n + i]));
    }
    for (size_t i = 0; i < sizes->k; i++) {
        double least = fmin(most, of_kind(kind_most, sizes->kinds[sizes->n + i])) / EVENT_MARGIN;
        grow(&sizes->noise[i], 8 * fmax(fabs(other[i] - u_rate[i]), least));
    }
}

void error_scale_time(ErrorScale *sizes, const double *u_rate, const double *later, double part)
{
    for (size_t i = 0; i < sizes->k; i++)
        sizes->time_noise[i] = u_rate ? part * fabs(later[i] - u_rate[i]) : 0;
}

// What a speed counts with that is `now`: its largest value, unless it was that only for a moment.
static double without_moments(const ErrorScale *sizes, size_t i, double now)
{
    double mean = real_max(PEAK * sizes->mean[i], sizes->gain[i]);
    return real_max(real_min(sizes->u[i], mean), now);
}

// A speed counts with at least a small part of the largest velocity, a coordinate with what that
// covers from a row to the next, and with so much that the allowance is above the roundings of the
// largest; where nothing moves yet, with a small part of the unit; of what is of another kind each
// has its own. Smaller ones would hunt after noise where a part happens to be 0.
static void find_least(ErrorScale *sizes)
{
    size_t n = sizes->n;
    const double *kinds = sizes->kinds;
    double part = real_max(TOL_SMALL, TOL_STATE / sizes->tolerance);
    double unit = sizes->unit > 0 ? sizes->unit : 1;
    for (size_t i = 0; i < n; i++)
        grow(&sizes->kind_q, in_kind(sizes->q[i], kinds[i]));
    // What is fast for a moment does not get as far.
    double far = real_min(sizes->most_v * sizes->span, real_largest(sizes->q, n));
    double kind_far = real_min(sizes->kind_v * sizes->span, sizes->kind_q);
    for (size_t i = 0; i < n; i++)
        sizes->least[i] =
            real_max(part * real_min(far, of_kind(kind_far, kinds[i])),
                     TOL_CONDITION * real_min(unit, of_kind(sizes->kind_unit, kinds[i])));
    // Small coordinates may be slow, too.
    unit = unit < 1 ? fmin(unit, unit / sizes->span) : 1;
    double kind_unit = sizes->kind_unit / sizes->span;
    for (size_t i = n; i < n + sizes->k; i++) {
        sizes->least[i] = part * real_min(sizes->most_v, of_kind(sizes->kind_v, kinds[i]));
        sizes->rest[i - n] = TOL_CONDITION * real_min(unit, of_kind(kind_unit, kinds[i]));
    }
    sizes->changed = false;
}

void error_scale_weights(ErrorScale *sizes, const double *y, double step, double *allowance)
{
    assert(step >= 0 && allowance);
    double length = step > 0 ? real_min(step, sizes->span) : sizes->span;
    if (sizes->changed)
        find_least(sizes);
    const double *least = sizes->least;
    for (size_t i = 0; i < sizes->n; i++) {
        double size = real_max(sizes->q[i], fabs(y[i])), a = real_max(sizes->a[i], DBL_MIN);
        // The lesser of it and the amplitude of a swing.
        if (sizes->v[i] * sizes->v[i] < size * a)
            size = sizes->v[i] * sizes->v[i] / a;
        allowance[i] =
            real_max(sizes->tolerance * real_max(size, least[i]), TOL_STATE * fabs(y[i]));
    }
    // The largest speed so far, and without moments.
    double most = 0, counted = 0;
    for (size_t i = 0; i < sizes->k; i++) {
        double now = fabs(y[sizes->n + i]), kind = sizes->kinds[sizes->n + i];
        double size = allowance[sizes->n + i] = without_moments(sizes, i, now);
        most = real_max(most, in_kind(real_max(sizes->u[i], now), kind));
        counted = real_max(counted, in_kind(size, kind));
    }
    double part = counted < most ? counted / most : 1;
    for (size_t i = 0; i < sizes->k; i++) {
        double *allowed = allowance + sizes->n + i;
        double size = real_max(*allowed, real_max(part * least[sizes->n + i], sizes->rest[i]));
        double noise = real_max(sizes->noise[i], sizes->time_noise[i]);
        *allowed = real_max(sizes->tolerance * size, length * noise);
    }
    for (size_t i = 0; i < sizes->n + sizes->k && sizes->fall < 1; i++)
        allowance[i] = real_max(allowance[i] * sizes->fall,
                                real_min(sizes->least_part * fabs(y[i]), allowance[i]));
}
