// smoothness_impl.h: whether no step of a motion can pass over anything.
#ifndef ZWANG_SIMULATE_SMOOTHNESS_IMPL_H
#define ZWANG_SIMULATE_SMOOTHNESS_IMPL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Motion Motion; // motion_types.h

// Whether energies, forces and conditions are polynomials in coordinates, velocities, sines and
// cosines, without one-sided conditions. *size: how many operations they hold, each once.
bool motion_is_smooth(const Motion *motion, size_t *size);

#endif
