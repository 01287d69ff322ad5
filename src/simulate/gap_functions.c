// gap_functions.c: the gaps of the unilateral conditions: f of all of them, and what each is
// measured by. f counts as 0 within a part of that, in any units.
#include "dynamics/unilaterals.h"
#include "linalg/tolerances.h"
#include "simulate/contact_event_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

GapFunctions *gaps_new(Arena *arena, Unilaterals *unilaterals, double tolerance, double interval)
{
    assert(tolerance > 0 && interval > 0);
    size_t count = unilaterals->count;
    GapFunctions *gaps = arena_array(arena, GapFunctions, 1);
    *gaps = (GapFunctions){.unilaterals = unilaterals,
                           .count = count,
                           .tolerance = fmax(tolerance, TOL_ZERO),
                           .interval = interval,
                           .by_motion = arena_array(arena, bool, count + 1),
                           .sizes = arena_array(arena, double, 3 * count + 1)};
    gaps->band = gaps->sizes + count;
    gaps->f = gaps->band + count;
    return gaps;
}

GapFunctions *gaps_copy(Arena *arena, const GapFunctions *from)
{
    GapFunctions *gaps = gaps_new(arena, from->unilaterals, from->tolerance, from->interval);
    memcpy(gaps->by_motion, from->by_motion, from->count * sizeof *gaps->by_motion);
    memcpy(gaps->sizes, from->sizes, 2 * from->count * sizeof *gaps->sizes);
    return gaps;
}

// ---- What they are measured by.

// How far f comes, by f' and f'': to the turning point of a flight, or from a row to the next.
static double reach(double rate, double acceleration, double interval)
{
    double turn = acceleration != 0 ? fabs(rate / acceleration) : interval;
    return fabs(rate) * fmin(turn, interval);
}

static void set_size(GapFunctions *gaps, size_t i, double size)
{
    gaps->sizes[i] = size;
    gaps->band[i] = fmax(gaps->tolerance * size, DBL_MIN);
}

// Several terms measure f by the largest of them. One term, or terms that are all 0, say nothing of
// what a motion comes to: there f is measured by how far it comes, and at rest by how far it would
// fall.
void gaps_measure(GapFunctions *gaps, size_t i, double largest_term, double rate,
                  double acceleration, double rounding)
{
    assert(i < gaps->count && largest_term >= 0);
    double size = largest_term, interval = gaps->interval;
    gaps->by_motion[i] = size == 0 || unilaterals_shape(gaps->unilaterals, i)->terms == 1;
    if (gaps->by_motion[i]) {
        size = fmax(size, reach(rate, acceleration, interval));
        if (size == 0)
            size = fabs(acceleration) * interval * interval / 2;
        size = fmax(size, rounding / TOL_ZERO);
    }
    set_size(gaps, i, size);
}

void gaps_note_motion(GapFunctions *gaps, size_t i, double rate, double acceleration)
{
    assert(i < gaps->count);
    double size = reach(rate, acceleration, gaps->interval);
    if (gaps->by_motion[i] && size > gaps->sizes[i])
        set_size(gaps, i, size);
}
