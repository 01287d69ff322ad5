// gap_functions_impl.h: the gaps of the unilateral conditions: f of all of them, and what each is
// measured by. f counts as 0 within a part of that, in any units.
#ifndef ZWANG_SIMULATE_GAP_FUNCTIONS_IMPL_H
#define ZWANG_SIMULATE_GAP_FUNCTIONS_IMPL_H

#include "base/memory.h"

typedef struct Unilaterals Unilaterals; // unilaterals.h

typedef struct GapFunctions {
    Unilaterals *unilaterals;
    size_t count, room;    // conditions, and for how many there is room
    double tolerance;      // what part of its size counts as 0
    double interval;       // from a row to the next
    double length;         // the largest coordinate so far, and on the way to the second row
    bool *by_motion;       // of each: it is measured by how far it came so far,
    double *sizes;         // which is this; else by its largest term at the start
    double *band;          // f counts as 0 within so much
    double *f, *pushes;    // of all, for who evaluates them; λ in the last step of fixed length
    struct PassedWay *way; // of steps of fixed length
} GapFunctions;
// The gaps, none measured yet, by a tolerance of a method; `interval` is the time from a row to the
// next.
GapFunctions *gaps_new(Arena *arena, Unilaterals *unilaterals, double tolerance, double interval);
// How far f comes, by f' and f'': to the turning point of a flight, or from a row to the next.
double gaps_reach(const GapFunctions *gaps, double rate, double acceleration);
// What one of them is measured by from now on.
void gaps_set_size(GapFunctions *gaps, size_t i, double size);
// The same gaps, to be measured further by themselves.
GapFunctions *gaps_copy(Arena *arena, const GapFunctions *from);
// f of all of them.
void gaps_evaluate(const GapFunctions *gaps, double t, const double *q, double *f);
// What one of them is measured by at a place where it is about 0: by what coordinates as
// large as they were so far make of it there, and by the roundings of its terms. Far from there it
// may be many times as large: 1 - ((x - c)/w)^2.
double gaps_size_at(const GapFunctions *gaps, size_t i, double t, const double *q);
// Measures one of them by a size where that is below this part of what it was measured by. False
// where it is not.
bool gaps_narrow(GapFunctions *gaps, size_t i, double size, double part);
// Whether ∂f/∂q of one vanishes or is infinite where it touches, against what it is where f is
// clearly off 0: x^3 >= 0, x^(1/3) >= 0.
bool gaps_are_flat(const GapFunctions *gaps, size_t i, double t, const double *q, const double *v,
                   size_t n);
// Whether f, where it was evaluated last, is 0 but for roundings, at a rate.
bool gaps_are_closed(const GapFunctions *gaps, size_t i, double rate, double t);
// Whether Newton's steps find the surface f = 0 of one from a place behind it, as they do where
// ∂f/∂q does not vanish there.
bool gaps_have_slope(const GapFunctions *gaps, size_t i, double t, const double *q, const double *v,
                     size_t n);
// What was seen of the motion of one of them where it touches: f' and f''; and Σ |∂f/∂q·q|, whose
// roundings count as 0 from there on.
void gaps_note_motion(GapFunctions *gaps, size_t i, double rate, double acceleration, double terms);

#endif
