// narrow_functions.c: functions of the state that change within a small part of a step.
//
// exp(−(x/w)²) is 0 in all digits at a distance of 30·w, and all its derivatives are. Neither a
// series nor any error estimate tells from there that the function is 1 at x = 0, and a step may
// pass over it. But its argument tells. So each function has a level, a number that grows where the
// function begins to matter: about the logarithm of how much of it is seen. No step may pass over
// a highest level that stands more than 8, a factor of e⁸, above where it was lowest in that step.
// One that does is taken again, and ends where three quarters of the rise are made: the next step
// begins there and sees what is ahead.
//
// The arguments are smooth along the motion, since what is narrow in them has a level of its own.
// They are interpolated over a step, or over parts of it that are short enough for the polynomial
// to tell the level: that of exp(-(x/w)^4) rises by 700 within 10·w, and falls by 1e24 in a way of
// 1e6·w.
#include "dynamics/equations_types.h"
#include "dynamics/pattern.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "ode/interpolant.h"
#include "ode/ode.h"
#include "ode/step_polynomial.h"
#include "program/intervals.h"
#include "program/narrow_levels.h"
#include "program/program.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/mode_inside_impl.h"
#include "simulate/mode_integration_impl.h"
#include "simulate/narrow_functions_impl.h"
#include "simulate/narrow_parts_impl.h"
#include "simulate/run_options.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { SAMPLES = ODE_INTERPOLANT_SAMPLES };

// Whether a function has a pole with values on both of its sides. Square roots have none on one.
static bool has_pole(const NarrowFunction *f)
{
    double power = f->power;
    bool root = power != floor(power) && 2 * power == floor(2 * power);
    return f->op == EXPR_POW && power < 0 && !root;
}

static void open_bounds(Arena *arena, NarrowFunctions *narrow)
{
    const Program *program = narrow->arguments.program;
    narrow->box = arena_array(arena, Interval, program_inputs(program));
    narrow->bounds = arena_array(arena, Interval, narrow->count);
    narrow->all = arena_array(arena, Interval, narrow->count);
    narrow->bends = arena_array(arena, double, narrow->n);
    narrow->work = arena_array(arena, Interval, program_registers(program));
    narrow->held.at = arena_array(arena, Interval, 2 * (1 + narrow->n));
    for (size_t i = 0; i < narrow->count; i++)
        narrow->poles = narrow->poles || has_pole(&narrow->at[i]);
    for (size_t i = 0; i < narrow->params; i++)
        narrow->box[i] = (Interval){narrow->inputs[i], narrow->inputs[i]};
}

NarrowFunctions *narrow_new(Arena *arena, ExprPool *pool, const Expr *roots, size_t count,
                            size_t speeds, const Equations *eq, const State *state)
{
    assert(arena && eq && state);
    // The time alone makes no function of the state.
    NarrowSearch search = {.pool = pool,
                           .symbols = eq->symbols,
                           .still = eq->params + 1,
                           .count = eq->params + 1 + 2 * eq->n};
    narrow_search(&search, roots, count, speeds);
    NarrowFunctions *narrow = arena_array(arena, NarrowFunctions, 1);
    size_t found = narrow->count = search.functions.count, inputs = eq->params + 1 + 2 * eq->n;
    narrow->params = eq->params;
    narrow->n = eq->n;
    narrow->of_velocities = equations_hold_any(pool, search.arguments.at, search.arguments.count,
                                               eq->symbols + eq->params + 1 + eq->n, eq->n);
    narrow->before = arena_array(arena, double, eq->n + 1);
    narrow->last = arena_array(arena, double, eq->n + 1);
    narrow->at = arena_array(arena, NarrowFunction, found + 1);
    narrow->inputs = arena_array(arena, double, inputs);
    narrow->samples = arena_array(arena, double, SAMPLES *found + 1);
    narrow->lowest = arena_array(arena, double, 3 * found + 1);
    narrow->lower = narrow->lowest + found;
    narrow->rises = narrow->lower + found;
    narrow->fits = arena_array(arena, OdeInterpolant, found + 1);
    memcpy(narrow->inputs, state->inputs, eq->params * sizeof(double));
    ode_interpolant_basis_init(&narrow->basis);
    Expr missing;
    bool lowered = found > 0 && evaluator_init(&narrow->arguments, pool, eq->symbols, inputs,
                                               search.arguments.at, found, &missing);
    if (lowered) {
        memcpy(narrow->at, search.functions.at, found * sizeof *narrow->at);
        open_bounds(arena, narrow);
    }
    narrow_search_clear(&search);
    return lowered ? narrow : NULL;
}

void narrow_put(NarrowFunctions *narrow, size_t param, double value)
{
    assert(param < narrow->params);
    narrow->inputs[param] = value;
    narrow->box[param] = (Interval){value, value};
    narrow->held.known = false;
}

void narrow_clear(NarrowFunctions *narrow)
{
    if (narrow)
        evaluator_clear(&narrow->arguments);
}

// ---- Levels.

// On the straight way, over the step of the mode.
static void interpolate_straight(const NarrowFunctions *narrow, const ContactMode *mode, double t,
                                 double *q)
{
    double length = mode->t - mode->from, part = (t - mode->from) / length;
    for (size_t j = 0; j < narrow->n; j++) {
        double way = narrow->after[j] - narrow->before[j];
        q[j] = narrow->before[j] + part * way;
        q[narrow->n + j] = way / length;
    }
}

static const double *arguments_at(NarrowFunctions *narrow, ContactMode *mode, double t)
{
    double *q = narrow->inputs + narrow->params + 1;
    narrow->inputs[narrow->params] = t;
    if (narrow->after)
        interpolate_straight(narrow, mode, t, q);
    else
        mode_interpolate(mode, t, q, q + narrow->n);
    evaluator_run(&narrow->arguments, narrow->inputs);
    return narrow->arguments.out;
}

// The first time in the interval up to `until`, within which the level rises or falls, at which it
// has made three quarters of its rise from the lowest one to the one at `until`.
static double landing(const NarrowFunction *f, const OdeInterpolant *fit, double from, double until,
                      double lowest)
{
    double top = narrow_visible(f, ode_interpolant_value(fit, until));
    double wanted = top - (top - lowest) / 4;
    while (until - from > TOL_SMALL * fit->length) {
        double middle = from + (until - from) / 2;
        // Two neighbouring times.
        if (middle <= from || middle >= until)
            break;
        if (narrow_level(f, ode_interpolant_value(fit, middle)) < wanted)
            from = middle;
        else
            until = middle;
    }
    return from;
}

// The next time at which the level may be highest or lowest: the argument is so, or is 0.
static double next_turn(OdeInterpolant *fit, double t, int *sign)
{
    double after = nextafter(t + TOL_ZERO * fit->length, INFINITY);
    double turn = ode_interpolant_first_extremum(fit, after), zero = INFINITY;
    if (*sign != 0)
        zero = ode_interpolant_first_crossing(fit, after, 0, -*sign);
    if (zero <= turn)
        *sign = -*sign;
    return fmin(fmin(turn, zero), fit->from + fit->length);
}

// The highest level that there may be where the polynomial has this value.
static double possible_level(const NarrowFunction *f, const OdeInterpolant *fit, double u)
{
    double size = fmax(ode_interpolant_bound(fit, 1), -ode_interpolant_bound(fit, -1));
    double error = LIMIT_PATIENCE * fit->error + TOL_ROUNDING * size;
    if (f->op == EXPR_EXP)
        return u + error;
    return narrow_level(f, f->power > 0 ? fabs(u) + error : fmax(fabs(u) - error, 0));
}

// Whether the level at a turn is known well enough, or the interval cannot be shorter. Logarithms
// are.
static bool is_told(const NarrowFunction *f, double level, double possible, bool shortest)
{
    bool logarithmic = f->op == EXPR_POW || f->op == EXPR_ATAN;
    return shortest || possible - level < 1 || (logarithmic && possible > level);
}

// Within an interval of a step that ends at `last`; infinite where nothing rises too far. NAN where
// the polynomial does not tell that, and an interval that is not the `shortest` may.
static double end_in_interval(const NarrowFunction *f, OdeInterpolant *fit, double last,
                              bool shortest, double *lowest)
{
    double end = fit->from + fit->length, u = ode_interpolant_value(fit, fit->from);
    int sign = (u > 0) - (u < 0);
    size_t turns = 0;
    for (double t = fit->from, next; t < end; t = next) {
        *lowest = fmin(*lowest, narrow_visible(f, ode_interpolant_value(fit, t)));
        // No polynomial has more: those of one that underflows are rounding, and all over it.
        next = turns++ < 2 * ODE_DEGREE ? next_turn(fit, t, &sign) : end;
        u = ode_interpolant_value(fit, next);
        double level = narrow_level(f, u), possible = possible_level(f, fit, u);
        if (!(next < last && possible - *lowest > MOST_RISE))
            continue;
        if (!is_told(f, level, possible, shortest))
            return NAN;
        if (level - *lowest > MOST_RISE)
            return landing(f, fit, t, next, *lowest);
    }
    *lowest = fmin(*lowest, narrow_visible(f, ode_interpolant_value(fit, end)));
    return INFINITY;
}

// The same by samples alone, where the function is too crooked for a polynomial in the shortest
// interval: what it has between them is noise.
static double end_in_samples(const NarrowFunctions *narrow, size_t i, double last, double *lowest)
{
    const OdeInterpolant *fit = &narrow->fits[i];
    for (size_t k = 0; k < SAMPLES; k++) {
        double t = fit->from + narrow->basis.at[k] * fit->length;
        double level = narrow_visible(&narrow->at[i], narrow->samples[k * narrow->count + i]);
        if (t < last && level - *lowest > MOST_RISE)
            return k > 0 ? fit->from + narrow->basis.at[k - 1] * fit->length : fit->from;
        *lowest = fmin(*lowest, level);
    }
    return INFINITY;
}

// A function over an interval; false where it is too crooked there for a polynomial. One without a
// value has no level.
static bool fit(const NarrowFunctions *narrow, size_t i, double from, double length,
                OdeInterpolant *fitted)
{
    double samples[SAMPLES], size = 0;
    bool finite = true;
    for (size_t k = 0; k < SAMPLES; k++) {
        samples[k] = narrow->samples[k * narrow->count + i];
        size = fmax(size, fabs(samples[k]));
        finite = finite && isfinite(samples[k]);
    }
    *fitted = ode_interpolant_fit(&narrow->basis, from, length, samples, TOL_AGREEMENT * size);
    // The largest of numbers passes over NAN.
    if (!finite)
        fitted->error = INFINITY;
    return fitted->accurate || !isfinite(fitted->error);
}

static bool fit_all(NarrowFunctions *narrow, ContactMode *mode, double from, double length)
{
    for (size_t k = 0; k < SAMPLES; k++)
        memcpy(narrow->samples + k * narrow->count,
               arguments_at(narrow, mode, from + narrow->basis.at[k] * length),
               narrow->count * sizeof(double));
    bool accurate = true;
    for (size_t i = 0; i < narrow->count; i++)
        accurate = fit(narrow, i, from, length, &narrow->fits[i]) && accurate;
    return accurate;
}

// Where states inside a step cost rates: whether nothing changes much on the straight way from the
// coordinates before the step to those after it.
static bool is_quiet(NarrowFunctions *narrow, const ContactMode *mode)
{
    double *q = narrow->inputs + narrow->params + 1, *first = narrow->samples;
    for (size_t k = 0; k <= LIMIT_PATIENCE; k++) {
        double part = (double)k / LIMIT_PATIENCE;
        for (size_t j = 0; j < narrow->n; j++)
            q[j] = (1 - part) * narrow->before[j] + part * mode->y[j];
        q[-1] = (1 - part) * mode->from + part * mode->t;
        evaluator_run(&narrow->arguments, narrow->inputs);
        for (size_t i = 0; i < narrow->count; i++) {
            double level = narrow_level(&narrow->at[i], narrow->arguments.out[i]);
            first[i] = k == 0 ? level : first[i];
            if (!(fabs(level - first[i]) < 1))
                return false;
        }
    }
    return true;
}

void narrow_begin_step(NarrowFunctions *narrow, const double *q)
{
    if (narrow)
        memcpy(narrow->before, q, narrow->n * sizeof *narrow->before);
    if (narrow)
        narrow->level.from = INFINITY;
}

// The first time in an interval of the step at which it should have ended; infinite for none, NAN
// where the interval is too long to tell it.
static double end_in_all(NarrowFunctions *narrow, double last, bool shortest)
{
    double first = INFINITY;
    for (size_t i = 0; i < narrow->count && !isnan(first); i++) {
        narrow->lower[i] = narrow->lowest[i];
        if (!isfinite(narrow->fits[i].error))
            continue;
        double end = narrow->fits[i].accurate ? end_in_interval(&narrow->at[i], &narrow->fits[i],
                                                                last, shortest, &narrow->lower[i])
                                              : end_in_samples(narrow, i, last, &narrow->lower[i]);
        if (!(end >= first)) {
            first = end;
            narrow->narrowest = i;
        }
    }
    return first;
}

// Where the step of the mode should have ended.
static double find_end(NarrowFunctions *narrow, ContactMode *mode)
{
    double from = mode->from, whole = mode->t - from, length = whole, first = INFINITY;
    double least = TOL_ZERO * fmax(whole, fabs(mode->t));
    for (size_t i = 0; i < narrow->count; i++)
        narrow->lowest[i] = INFINITY;
    for (size_t pieces = 0; from < mode->t && isinf(first); pieces++) {
        // Past so many pieces the step was far too long: arguments without a value have no others.
        if (pieces > LIMIT_EVENTS)
            return fmax(from, nextafter(mode->from, INFINITY));
        length = fmin(length, mode->t - from);
        bool shortest = length <= least;
        bool fits = fit_all(narrow, mode, from, length) || length <= TOL_COARSE * whole;
        first = fits ? end_in_all(narrow, mode->t, shortest) : NAN;
        if (isnan(first)) {
            length /= 2;
            first = INFINITY;
            continue;
        }
        memcpy(narrow->lowest, narrow->lower, narrow->count * sizeof *narrow->lowest);
        from = fmax(from + length, nextafter(from, INFINITY));
        length *= 2;
    }
    // A step that cannot be shortened is as good as it gets.
    return first - mode->from > least ? first : INFINITY;
}

double narrow_step_end(NarrowFunctions *narrow, ContactMode *mode, bool series)
{
    assert(mode->from <= mode->t);
    if (!narrow || narrow_is_level(narrow, mode, mode->from, mode->t, mode->y) ||
        (!series && !narrow->of_velocities && is_quiet(narrow, mode)))
        return INFINITY;
    narrow->after = NULL;
    return find_end(narrow, mode);
}

// Whether something is highest between the last way and this one, at whose beginning it is.
static bool is_top_between(NarrowFunctions *narrow, ContactMode *mode)
{
    bool top = false;
    const double *u = arguments_at(narrow, mode, mode->from);
    for (size_t i = 0; i < narrow->count; i++) {
        double fall = narrow_visible(&narrow->at[i], u[i]) - narrow->lowest[i];
        if (fmin(narrow->rises[i], fall) > MOST_RISE) {
            narrow->narrowest = i;
            top = true;
        }
    }
    u = arguments_at(narrow, mode, mode->t);
    for (size_t i = 0; i < narrow->count; i++)
        narrow->rises[i] = narrow_visible(&narrow->at[i], u[i]) - narrow->lowest[i];
    return top;
}

double narrow_on_way(NarrowFunctions *narrow, ContactMode *mode, const double *q)
{
    assert(mode->from < mode->t);
    if (!narrow)
        return INFINITY;
    narrow->after = q;
    double found = find_end(narrow, mode);
    if (isinf(found) && is_top_between(narrow, mode))
        found = mode->from;
    memcpy(narrow->before, q, narrow->n * sizeof *narrow->before);
    return found;
}

bool narrow_is_singular(NarrowFunctions *narrow, const State *state, double ahead, Expr *whole)
{
    if (!narrow)
        return false;
    size_t n = narrow->n, found = narrow->count;
    double *here = narrow->samples, *inputs = narrow->inputs + narrow->params;
    memcpy(inputs, state->inputs + narrow->params, (1 + 2 * n) * sizeof *inputs);
    evaluator_run(&narrow->arguments, narrow->inputs);
    memcpy(here, narrow->arguments.out, narrow->count * sizeof *here);
    inputs[0] += ahead;
    for (size_t j = 0; j < n; j++) {
        inputs[1 + j] += ahead * state->v[j];
        inputs[1 + n + j] += ahead * state->a[j];
    }
    evaluator_run(&narrow->arguments, narrow->inputs);
    for (size_t i = 0; i < narrow->count && found == narrow->count; i++)
        if (narrow->at[i].power < 0 &&
            fabs(here[i]) <= TOL_SMALL * fabs(narrow->arguments.out[i] - here[i]))
            found = i;
    if (found < narrow->count)
        *whole = narrow->at[found].whole;
    return found < narrow->count;
}

// ---- Poles behind.

// What functions have as arguments at coordinates; those that hold velocities are no numbers.
static const double *arguments_of_place(NarrowFunctions *narrow, double t, const double *q)
{
    double *inputs = narrow->inputs + narrow->params;
    inputs[0] = t;
    memcpy(inputs + 1, q, narrow->n * sizeof *q);
    for (size_t j = 0; j < narrow->n; j++)
        inputs[1 + narrow->n + j] = NAN;
    evaluator_run(&narrow->arguments, narrow->inputs);
    return narrow->arguments.out;
}

// The velocities of the coordinates that an argument holds, and 0: what has a pole itself would
// lead far away.
static void find_way(NarrowFunctions *narrow, const ContactMode *mode, size_t which, double *way)
{
    size_t n = narrow->n;
    double here = arguments_of_place(narrow, mode->t, mode->y)[which],
           *q = base_alloc(n * sizeof *q);
    memcpy(q, mode->y, n * sizeof *q);
    for (size_t j = 0; j < n; j++) {
        q[j] += TOL_SMALL * fmax(fabs(q[j]), fabs(mode->state->v[j]) * mode->settings->every);
        bool holds = arguments_of_place(narrow, mode->t, q)[which] != here;
        way[j] = holds ? mode->state->v[j] : 0;
        q[j] = mode->y[j];
    }
    base_free(q);
}

// The velocities and accelerations at so much time before or behind a place, with its speeds.
static bool rates_beside(ContactMode *mode, const double *y, const double *way, double ahead,
                         double *place, double *rates)
{
    size_t n = mode->eq->n;
    memcpy(place, y, (n + mode->eq->k) * sizeof *y);
    for (size_t j = 0; j < n; j++)
        place[j] += ahead * way[j];
    if (!mode_evaluate_at(mode, mode->t + ahead, place))
        return false;
    memcpy(rates, mode->state->v, n * sizeof *rates);
    memcpy(rates + n, mode->state->a, n * sizeof *rates);
    return true;
}

// The time of the zero of an argument, seen from the end of the step, on a straight way.
static double find_zero(NarrowFunctions *narrow, const ContactMode *mode, size_t which,
                        const double *way, double before, double behind)
{
    double at = 0, former = mode->from - mode->t, value = behind, last = before;
    double *q = base_alloc((narrow->n + 1) * sizeof *q);
    for (int i = 0; i < 2 * LIMIT_PATIENCE && value != last && at != former; i++) {
        double next = at - value * (at - former) / (value - last);
        former = at;
        last = value;
        at = next;
        for (size_t j = 0; j < narrow->n; j++)
            q[j] = mode->y[j] + at * way[j];
        value = arguments_of_place(narrow, mode->t + at, q)[which];
    }
    base_free(q);
    return at;
}

// From one distance to the next, each a sixteenth of the one before, a rate with a pole changes by
// at least four times as much; a smooth one by less, and one that jumps by nothing.
static bool rates_grow(ContactMode *mode, const double *way, double pole, int side)
{
    enum { TURNS = 5 };
    size_t n = mode->eq->n, count = n + mode->eq->k;
    double *y = base_alloc((2 * count + 8 * n + 1) * sizeof *y), *place = y + count,
           *rates = place + count, *former = rates + 2 * n, *change = former + 2 * n;
    bool *grows = base_alloc((2 * n + 1) * sizeof *grows), any = true, known = true;
    double ahead = side * mode->settings->every / EVENT_MARGIN;
    memcpy(y, mode->y, count * sizeof *y);
    for (int turn = 0; turn < TURNS && any && known; turn++, ahead /= 16) {
        known = rates_beside(mode, y, way, pole + ahead, place, rates);
        any = false;
        for (size_t i = 0; i < 2 * n; i++) {
            double now = fabs(rates[i] - former[i]);
            grows[i] = turn < 2 || (grows[i] && now > 3 * change[i]);
            any = any || grows[i];
            change[i] = now;
            former[i] = rates[i];
        }
    }
    base_free(y);
    base_free(grows);
    return any && known;
}

bool narrow_passes_pole(NarrowFunctions *narrow, ContactMode *mode)
{
    if (!narrow || mode->from >= mode->t || !narrow->poles)
        return false;
    size_t n = narrow->n, which = narrow->count;
    double *before = narrow->samples;
    memcpy(before, arguments_of_place(narrow, mode->from, narrow->before),
           narrow->count * sizeof *before);
    const double *behind = arguments_of_place(narrow, mode->t, mode->y);
    for (size_t i = 0; i < narrow->count && which == narrow->count; i++)
        if (has_pole(&narrow->at[i]) && before[i] * behind[i] < 0)
            which = i;
    if (which == narrow->count || !mode_evaluate_at(mode, mode->t, mode->y))
        return false;
    double *way = base_alloc((n + 1) * sizeof *way), last = before[which],
           now = arguments_of_place(narrow, mode->t, mode->y)[which];
    find_way(narrow, mode, which, way);
    double pole = find_zero(narrow, mode, which, way, last, now);
    bool grow = fabs(pole) <= mode->settings->every / EVENT_MARGIN &&
                (rates_grow(mode, way, pole, -1) || rates_grow(mode, way, pole, 1));
    base_free(way);
    return grow;
}

Expr narrow_function(const NarrowFunctions *narrow)
{
    return narrow->at[narrow->narrowest].whole;
}
