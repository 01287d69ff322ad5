// friction_trials.h: every combination of stick and slip at an instant, for those who show it; no
// motion needs it.
//
// With the modes given, the equations f'' = 0 of what acts and u' = 0 of what sticks are linear in
// the reactions. A combination is false where one of its quantities has the wrong sign.
#ifndef ZWANG_CONTACT_FRICTION_TRIALS_H
#define ZWANG_CONTACT_FRICTION_TRIALS_H

#include "contact/friction.h"

typedef enum {
    TRIAL_TRUE,
    TRIAL_DEPENDENT, // the equations do not determine the reactions
    TRIAL_ENTERS,    // open, and f'' > 0
    TRIAL_PULLS,     // λ < 0 of what acts, or not of the sign that was assumed
    TRIAL_LEAVES,    // sticks, and its bound − |F| < 0
    TRIAL_TURNS,     // begins to slide against its own acceleration: u'·d < 0, or no d was found
    TRIAL_HOLDS      // it slides from rest, and another combination holds it by μ_s
} FrictionVerdict;

typedef struct FrictionTrial {
    const FrictionMode *modes; // of each contact
    const double *forces;      // of each row
    FrictionVerdict verdict;
    size_t by; // the contact that says so, and its quantity
    double value;
} FrictionTrial;

typedef struct FrictionTrials {
    size_t count;
    const FrictionTrial *at; // those that are true, last
} FrictionTrials;

// All of them; none where they are more than 2^LIMIT_SETS. `states` is the answer of
// friction_instant, `solutions` how many motions there are.
FrictionTrials friction_trials(Arena *arena, const FrictionProblem *problem,
                               const FrictionState *states, size_t solutions);

#endif
