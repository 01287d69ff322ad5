// holds.h: a motion while some of its one-sided conditions act, or in other speeds.
#ifndef ZWANG_MOTION_HOLDS_H
#define ZWANG_MOTION_HOLDS_H

#include "base/memory.h"

typedef struct Motion Motion; // motion_types.h
typedef struct MotionRow MotionRow;

// The same motion while these of the one-sided conditions act: they are equations, their λ being
// the told one. They have to be independent of each other and of the equations. The base must
// outlive it.
typedef struct {
    const bool *held;     // of the one-sided conditions; NULL: those that the base holds
    const bool *left_out; // of the equations: those that follow from others; NULL for none
    bool without_speeds;  // none are chosen, k is 0 and nothing is solved for: for who carries all
                          // velocities
    // How the conditions are solved: rows in an order, the coordinate whose velocity each is solved
    // for, and the k others, whose velocities are the speeds; NULL: as the model says.
    const size_t *pivots;
    const struct FrictionHold *friction; // of each friction; NULL: none acts
    bool open; // the velocities stay in all expressions where something is not linear in them
} MotionHold;
BASE_MUST_USE Status motion_holding(const Motion *base, MotionHold hold, Diag *diag,
                                    Motion **motion);
void motion_free(Motion *motion); // any motion

// Takes those out of `held` (all one-sided conditions) that depend on the equations and on those
// before them, and says so.
void motion_leave_dependent(Motion *motion, bool *held, Diag *diag);
// A one-sided condition as a whole row.
const MotionRow *motion_side(const Motion *motion, size_t index);

#endif
