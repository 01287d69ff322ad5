// method_choice_impl.h: the method that fits the model and the accuracy.
#ifndef ZWANG_SIMULATE_METHOD_CHOICE_IMPL_H
#define ZWANG_SIMULATE_METHOD_CHOICE_IMPL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Motion Motion;         // motion_types.h
typedef struct RunOptions RunOptions; // run_options.h

// Whether energies, forces and conditions are polynomials in coordinates, velocities, sines and
// cosines, without one-sided conditions. *size: how many operations they hold, each once.
bool motion_is_smooth(const Motion *motion, size_t *size);
// Whether it has potentials alone and no conditions, so that the volume of its states stays.
bool motion_is_undamped(Motion *motion);
// Takes another method than series where that is quicker and sees as much; whether it did. The
// tolerance, `smooth` and `operations` are there.
bool method_choose(const Motion *motion, RunOptions *settings);

#endif
