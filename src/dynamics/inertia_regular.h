// inertia_regular.h: whether the masses determine the accelerations, for systems of any size.
#ifndef ZWANG_DYNAMICS_INERTIA_REGULAR_H
#define ZWANG_DYNAMICS_INERTIA_REGULAR_H

#include "base/memory.h"

typedef struct Motion Motion; // motion_types.h

// As motion_check_inertia. In large systems it is shown first by elimination at one state, in
// balls: pivots that are certainly not 0 there are not 0 as functions.
BASE_MUST_USE Status inertia_check_regular(Motion *motion, Diag *diag);

#endif
