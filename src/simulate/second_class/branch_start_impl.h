// branch_start_impl.h: which stationary point of Gauss's function is the motion at the start.
#ifndef ZWANG_SIMULATE_SECOND_CLASS_BRANCH_START_IMPL_H
#define ZWANG_SIMULATE_SECOND_CLASS_BRANCH_START_IMPL_H

#include "base/memory.h"

typedef struct Simulation Simulation; // simulation_impl.h

// Finds all of them and takes one; nothing where the motion has no such conditions.
BASE_MUST_USE Status second_class_start(Simulation *sim, Diag *diag);

#endif
