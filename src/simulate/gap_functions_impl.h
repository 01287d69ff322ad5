// gap_functions_impl.h: the gaps of the unilateral conditions, and within which band each is 0.
#ifndef ZWANG_SIMULATE_GAP_FUNCTIONS_IMPL_H
#define ZWANG_SIMULATE_GAP_FUNCTIONS_IMPL_H

#include "base/memory.h"

typedef struct Unilaterals Unilaterals; // unilaterals.h

typedef struct GapFunctions {
    Unilaterals *unilaterals;
    size_t count;
    double tolerance; // what part of its size counts as 0
    double interval;  // from a row to the next
    bool *by_motion;  // of each: it is measured by how far it came so far,
    double *sizes;    // which is this; else by its largest term at the start
    double *band;     // f counts as 0 within so much
    double *f;        // of all of them, as unilaterals_gaps found them last
} GapFunctions;
// `tolerance`: what is known of f inside a step, of its size.
GapFunctions *gaps_new(Arena *arena, Unilaterals *unilaterals, double tolerance, double interval);
// The same gaps, to be measured further by themselves.
GapFunctions *gaps_copy(Arena *arena, const GapFunctions *from);
// Measures f of a condition at the start: by its largest term, by f' and f'' without contacts, and
// by what the rounding of the coordinates makes of it.
void gaps_measure(GapFunctions *gaps, size_t i, double largest_term, double rate,
                  double acceleration, double rounding);
// What was seen of the motion of one of them: f' and f''.
void gaps_note_motion(GapFunctions *gaps, size_t i, double rate, double acceleration);

#endif
