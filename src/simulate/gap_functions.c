// gap_functions.c: the gaps of the unilateral conditions, and what they are measured by.
#include "dynamics/unilaterals.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "simulate/gap_functions_impl.h"

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
                           .room = count,
                           .tolerance = fmax(tolerance, TOL_ZERO),
                           .interval = interval,
                           .by_motion = arena_array(arena, bool, count + 1)};
    real_alloc_each(arena, count, &gaps->sizes, &gaps->band, &gaps->f, &gaps->pushes);
    return gaps;
}

GapFunctions *gaps_copy(Arena *arena, const GapFunctions *from)
{
    GapFunctions *gaps = gaps_new(arena, from->unilaterals, from->tolerance, from->interval);
    gaps->length = from->length;
    memcpy(gaps->by_motion, from->by_motion, from->count * sizeof *gaps->by_motion);
    memcpy(gaps->sizes, from->sizes, from->count * sizeof *gaps->sizes);
    memcpy(gaps->band, from->band, from->count * sizeof *gaps->band);
    return gaps;
}

void gaps_evaluate(const GapFunctions *gaps, double t, const double *q, double *f)
{
    unilaterals_gaps(gaps->unilaterals, t, q, f);
}

double gaps_reach(const GapFunctions *gaps, double rate, double acceleration)
{
    double turn = acceleration != 0 ? fabs(rate / acceleration) : gaps->interval;
    return fabs(rate) * fmin(turn, gaps->interval);
}

void gaps_set_size(GapFunctions *gaps, size_t i, double size)
{
    assert(i < gaps->count && size >= 0);
    gaps->sizes[i] = size;
    gaps->band[i] = fmax(gaps->tolerance * size, DBL_MIN);
}

void gaps_note_motion(GapFunctions *gaps, size_t i, double rate, double acceleration, double terms)
{
    assert(i < gaps->count && terms >= 0);
    double size = gaps_reach(gaps, rate, acceleration);
    if (gaps->by_motion[i] && size > gaps->sizes[i])
        gaps_set_size(gaps, i, size);
    gaps->band[i] = fmax(gaps->band[i], TOL_STATE * terms);
}

double gaps_size_at(const GapFunctions *gaps, size_t i, double t, const double *q)
{
    assert(i < gaps->count && gaps->length >= 0);
    // Neither depends on the velocities.
    UnilateralRow row = unilaterals_row(gaps->unilaterals, i, t, q, q);
    double slope = 0, roundings = TOL_ROUNDING * real_largest(row.terms, row.term_count);
    for (size_t k = 0; k < row.size; k++)
        slope += fabs(row.gradient[k]);
    return fmax(slope * gaps->length, roundings / gaps->tolerance);
}

bool gaps_narrow(GapFunctions *gaps, size_t i, double size, double part)
{
    bool narrower =
        gaps->tolerance * size > DBL_MIN && gaps->tolerance * size < part * gaps->band[i];
    if (narrower)
        gaps_set_size(gaps, i, size);
    return narrower;
}

// |∂f/∂q| of one at a place, whose f is then in `row`; by how much ∂f/∂q times `by` moves the
// place.
static double slope_after(const GapFunctions *gaps, size_t i, double t, double *q, const double *v,
                          double by, UnilateralRow *row)
{
    double square = 0;
    for (size_t k = 0; k < row->size && by != 0; k++)
        q[row->coordinates[k]] -= by * row->gradient[k];
    *row = unilaterals_row(gaps->unilaterals, i, t, q, v);
    for (size_t k = 0; k < row->size; k++)
        square += row->gradient[k] * row->gradient[k];
    return sqrt(square);
}

// The place of the contact is known as well as f is 0 there. A slope that changes by a factor over
// EVENT_MARGIN times that, and again, is a power of the distance.
bool gaps_are_flat(const GapFunctions *gaps, size_t i, double t, const double *q, const double *v,
                   size_t n)
{
    assert(i < gaps->count && q && v);
    double *away = base_alloc(n * sizeof *away), slopes[3] = {0}, ratios[2];
    memcpy(away, q, n * sizeof *away);
    UnilateralRow row = {0};
    slopes[0] = slope_after(gaps, i, t, away, v, 0, &row);
    double off = fmax(fabs(row.f), TOL_ROUNDING * real_largest(row.terms, row.term_count));
    for (int k = 1; k <= 2 && slopes[k - 1] > 0; k++) {
        double way = EVENT_MARGIN * off / slopes[0] * (k == 1 ? 1 : EVENT_MARGIN);
        slopes[k] = slope_after(gaps, i, t, away, v, way / slopes[k - 1], &row);
    }
    base_free(away);
    for (int k = 0; k < 2; k++)
        ratios[k] = slopes[k] / slopes[k + 1];
    bool vanishes = ratios[0] < 0.5 && ratios[1]<0.5, grows = ratios[0]> 2 && ratios[1] > 2;
    return slopes[0] == 0 || ratios[0] < TOL_POOR || vanishes || grows;
}

bool gaps_are_closed(const GapFunctions *gaps, size_t i, double rate, double t)
{
    return gaps->f[i] >= -TOL_ROUNDING * (gaps->sizes[i] + fabs(rate) * t);
}

bool gaps_have_slope(const GapFunctions *gaps, size_t i, double t, const double *q, const double *v,
                     size_t n)
{
    double *at = base_alloc(n * sizeof *at);
    memcpy(at, q, n * sizeof *at);
    UnilateralRow row = {0};
    double slope = slope_after(gaps, i, t, at, v, 0, &row), first = fabs(row.f);
    for (int k = 0; k < 2 * LIMIT_PATIENCE && slope > 0 && fabs(row.f) > TOL_SMALL * first; k++)
        slope = slope_after(gaps, i, t, at, v, row.f / (slope * slope), &row);
    base_free(at);
    return slope > 0 && fabs(row.f) <= TOL_SMALL * first;
}
