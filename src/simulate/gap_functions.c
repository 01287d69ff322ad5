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

bool gaps_are_flat(const GapFunctions *gaps, size_t i, double t, const double *q, const double *v,
                   size_t n)
{
    assert(i < gaps->count && q && v);
    double *away = base_alloc(n * sizeof *away), square = 0, farther = 0;
    memcpy(away, q, n * sizeof *away);
    UnilateralRow row = unilaterals_row(gaps->unilaterals, i, t, q, v);
    for (size_t k = 0; k < row.size; k++)
        square += row.gradient[k] * row.gradient[k];
    // By what f is off 0 there, and by roundings of it: so well the place of the contact is known.
    double off = fmax(fabs(row.f), TOL_ROUNDING * real_largest(row.terms, row.term_count));
    for (size_t k = 0; k < row.size && square > 0; k++)
        away[row.coordinates[k]] -= EVENT_MARGIN * off / square * row.gradient[k];
    row = unilaterals_row(gaps->unilaterals, i, t, away, v);
    for (size_t k = 0; k < row.size; k++)
        farther += row.gradient[k] * row.gradient[k];
    base_free(away);
    return square == 0 || sqrt(square) < TOL_POOR * sqrt(farther);
}
