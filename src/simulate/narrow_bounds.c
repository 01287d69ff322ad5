// narrow_bounds.c: proofs, by intervals, that no narrow function rises too far in a step.
//
// Over a box that holds the states of a step the arguments' bounds tell the levels' range. A box
// over which no level changes by more than 8 says so of each step within it.
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "ode/ode.h"
#include "ode/step_polynomial.h"
#include "program/program.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/mode_integration_impl.h"
#include "simulate/narrow_functions_impl.h"
#include "simulate/narrow_parts_impl.h"
#include "simulate/run_options.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Steps that a box may serve ahead, and after how many tries it may serve more again.
enum { MOST_AHEAD = 4, TRIES_APART = 64 };

// A part of a step, and how long the step is.
typedef struct {
    double from, length, whole;
} Stretch;

// What coordinates and velocities can be within one of the equal parts of a step: about its middle
// they are a line, and what bends it.
static void bound_inputs(NarrowFunctions *narrow, ContactMode *mode, const Stretch *part)
{
    double half = part->length / 2, middle = part->from + half, whole = part->whole;
    size_t n = narrow->n;
    const double *place = mode->inside.y, *slope = mode->inside.rate;
    Interval *q = narrow->box + narrow->params + 1;
    ode_integrator_interpolate(mode->integrator, middle, mode->inside.y, mode->inside.rate);
    for (size_t j = 0; j < n; j++) {
        double turns = half / whole * narrow->bends[j] / whole;
        double moves = half * (fabs(slope[j]) + turns / 2);
        q[j] = (Interval){place[j] - moves, place[j] + moves};
        q[n + j] = (Interval){slope[j] - turns, slope[j] + turns};
    }
}

// The same of coordinates alone, from what they are at both ends: within what bends it they are
// near the line between these.
static void bound_between(NarrowFunctions *narrow, const double *from, const double *until,
                          size_t parts)
{
    Interval *q = narrow->box + narrow->params + 1;
    double part = 1.0 / (double)(8 * parts * parts);
    for (size_t j = 0; j < narrow->n; j++) {
        double aside = part * narrow->bends[j];
        bool rises = from[j] < until[j];
        q[j] =
            (Interval){(rises ? from[j] : until[j]) - aside, (rises ? until[j] : from[j]) + aside};
    }
}

// Where the level is highest or lowest: the argument of an exponential, the size of others.
static Interval level_argument(const NarrowFunction *f, Interval u)
{
    if (f->op == EXPR_EXP || u.low >= 0)
        return u;
    return u.high <= 0 ? (Interval){-u.high, -u.low} : (Interval){0, real_max(-u.low, u.high)};
}

// Whether the level stays within 8 over the argument's range. Of powers its ends tell that, without
// a logarithm; not where they are nearly too far apart.
static bool is_flat(const NarrowFunction *f, Interval u)
{
    if (f->op == EXPR_POW && u.low > DBL_MIN / DBL_EPSILON && u.high < u.low * f->most)
        return true;
    double a = narrow_visible(f, u.low), b = narrow_visible(f, u.high);
    return fabs(a - b) < MOST_RISE;
}

// Whether nothing rises too far within a box, which is one of the step's parts, and those before.
static bool is_level_in_box(NarrowFunctions *narrow, bool first)
{
    program_run_intervals(narrow->arguments.program, narrow->box, narrow->bounds, narrow->work);
    for (size_t i = 0; i < narrow->count; i++) {
        Interval u = level_argument(&narrow->at[i], narrow->bounds[i]), *all = &narrow->all[i];
        all->low = first || u.low < all->low ? u.low : all->low;
        all->high = first || u.high > all->high ? u.high : all->high;
        if (!is_flat(&narrow->at[i], *all))
            return false;
    }
    return true;
}

// The box of one of the equal parts of a step; `last`: where the part before has ended.
static void bound_part(NarrowFunctions *narrow, ContactMode *mode, const Stretch *part,
                       size_t parts, const double *end)
{
    double until = part->from + part->length, *last = narrow->last;
    narrow->box[narrow->params] = (Interval){part->from, until};
    if (narrow->of_velocities) {
        bound_inputs(narrow, mode, part);
        return;
    }
    if (!end) {
        ode_integrator_places(mode->integrator, until, mode->inside.y, mode->inside.rate);
        end = mode->inside.y;
    }
    bound_between(narrow, last, end, parts);
    for (size_t j = 0; j < narrow->n && parts > 1; j++)
        last[j] = end[j];
}

// Whether the box of a whole step lies within the one that is held.
static bool is_held(const NarrowFunctions *narrow)
{
    const Interval *box = narrow->box + narrow->params, *held = narrow->held.at;
    bool within = narrow->held.known;
    for (size_t i = 0; i <= narrow->n && within; i++)
        within = held[i].low <= box[i].low && box[i].high <= held[i].high;
    return within;
}

// The box of a step from `from` to `until`, and of some ahead that go on like it.
static Interval grown(Interval box, double from, double until, double ahead)
{
    double way = until - from, aside = ahead * ahead * (box.high - box.low - fabs(way));
    return (Interval){box.low + real_min(ahead * way, 0) - aside,
                      box.high + real_max(ahead * way, 0) + aside};
}

// Tries the box of a step of which this is the end with some steps ahead; of fewer where it fails.
static bool hold_ahead(NarrowFunctions *narrow, const double *end)
{
    LevelBox *held = &narrow->held;
    size_t count = 1 + narrow->n;
    Interval *box = narrow->box + narrow->params, *own = held->at + count;
    memcpy(own, box, count * sizeof *own);
    box[0] = grown(own[0], own[0].low, own[0].high, held->ahead);
    for (size_t j = 0; j < narrow->n; j++)
        box[1 + j] = grown(own[1 + j], narrow->before[j], end[j], held->ahead);
    held->known = is_level_in_box(narrow, true);
    memcpy(held->at, box, count * sizeof *own);
    memcpy(box, own, count * sizeof *own);
    if (!held->known)
        held->ahead = held->ahead > 1 ? held->ahead / 2 : 0;
    return held->known;
}

// Whether nothing rises too far over the box of a whole step. Where one that reaches further shows
// that, the next steps need no bounds of their own.
static bool is_level_ahead(NarrowFunctions *narrow, const double *end)
{
    LevelBox *held = &narrow->held;
    if (is_held(narrow))
        return true;
    held->known = false;
    if (held->tries++ % TRIES_APART == 0)
        held->ahead = real_min(2 * held->ahead + 1, MOST_AHEAD);
    return (held->ahead > 0 && hold_ahead(narrow, end)) || is_level_in_box(narrow, true);
}

// Whether bounds of the arguments, over so many parts of the step, show that nothing rises too far.
static bool is_bounded(NarrowFunctions *narrow, ContactMode *mode, Stretch step, size_t parts,
                       const double *end)
{
    // Steps of series reach too far for boxes of several.
    bool level = true, ahead = parts == 1 && end && !narrow->of_velocities;
    ahead = ahead && mode->settings->method == RUN_ERK;
    memcpy(narrow->last, narrow->before, narrow->n * sizeof *narrow->last);
    for (size_t part = 0; part < parts && level; part++) {
        double length = step.whole / (double)parts, from = step.from + (double)part * length;
        bound_part(narrow, mode, &(Stretch){from, length, step.whole}, parts,
                   part + 1 == parts ? end : NULL);
        level = ahead ? is_level_ahead(narrow, end) : is_level_in_box(narrow, part == 0);
    }
    return level;
}

// The same, of the whole or of parts: of as many as did for the last step first.
bool narrow_is_level(NarrowFunctions *narrow, ContactMode *mode, double from, double until,
                     const double *end)
{
    Stretch step = {from, until - from, until - from};
    // The time of a step's end is rounded.
    if (narrow->level.from <= from && until - narrow->level.until <= TOL_STATE * fabs(until))
        return true;
    if (from >= until || narrow->arguments.places ||
        !ode_integrator_bends(mode->integrator, from, until - from, narrow->n, narrow->bends))
        return false;
    // Now and then half as many may do again.
    size_t parts = narrow->level.parts > 0 ? narrow->level.parts : 1;
    if (++narrow->level.steps % SIZE_UNROLLED == 0 && parts > 1)
        parts /= 2;
    bool level = is_bounded(narrow, mode, step, parts, end);
    for (; !level && parts < LIMIT_PATIENCE; level = is_bounded(narrow, mode, step, parts, end))
        parts *= 2;
    narrow->level.parts = parts;
    if (level) {
        narrow->level.from = from;
        narrow->level.until = until;
    }
    return level;
}
