// tolerances.h: the numerical thresholds of the simulation core, all of them.
//
// Each is relative: a part of the size of what it is compared with, never absolute in the user's
// units. Said of each: what it is a part of, and what breaks where it is larger or smaller.
#ifndef ZWANG_LINALG_TOLERANCES_H
#define ZWANG_LINALG_TOLERANCES_H

// Of a row's length, what must stand off the rows before it so that it is independent of them.
// Larger: states near a singular one are called singular, nearly parallel contacts are taken for
// one. Smaller: rounding of positions passes for a direction.
#define TOL_RANK 1e-9

// Of a row's length, what must stand off others for it to be a good choice among several.
// Larger: no choice is good. Smaller: a choice is kept that amplifies rounding.
#define TOL_GOOD_CHOICE 1e-3

// ---- Shared by all rooms.

// A few roundings of the largest term. Larger: what differs counts as the same. Smaller: what is
// the same but for the order of a sum differs.
#define TOL_ROUNDING 1e-14

// Of its largest term, what counts as 0: a gap, a rate, a multiplier. Larger: a body that hovers
// counts as in contact. Smaller: rounding along a motion counts as a gap.
#define TOL_ZERO 1e-12

// Of its terms, what a condition may miss after projection.
#define TOL_CONDITION 1e-9

// Negligible against what it is a part of.
#define TOL_SMALL 1e-6

// Clearly felt, against what it is a part of.
#define TOL_COARSE 1e-3

// Poor conditioning: a cosine, a ratio of what is left.
#define TOL_POOR 0.05

// Iterations of Newton's method; steps of a damped search; events without progress of time.
#define LIMIT_NEWTON 50
#define LIMIT_SEARCH 300
#define LIMIT_EVENTS 2000

// ---- simulate

// Two orders of magnitude: between what an event is located by and what counts as 0, and between
// what belongs to a sequence of impacts and what is far from it. Larger: events within a step of a
// low tolerance count as contact. Smaller: the error of dense output counts as a gap.
#define EVENT_MARGIN 100

#endif
