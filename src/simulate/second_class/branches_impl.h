// branches_impl.h: stationary points of Gauss's function, where a condition is not affine in the
// accelerations: which of them is the motion.
#ifndef ZWANG_SIMULATE_SECOND_CLASS_BRANCHES_IMPL_H
#define ZWANG_SIMULATE_SECOND_CLASS_BRANCHES_IMPL_H

#include "base/memory.h"

typedef struct Motion Motion;         // motion_types.h
typedef struct Simulation Simulation; // simulation_impl.h

// ---- branch_start.c: the stationary points at the start, and which of them is the motion.
bool branches_apply(const Motion *motion);
// After the accelerations without the conditions that are not affine.
BASE_MUST_USE Status branches_start(Simulation *sim, Diag *diag);

#endif
