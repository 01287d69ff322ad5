// spin.h: what the spin of a body takes.
#ifndef ZWANG_MOTION_SPIN_H
#define ZWANG_MOTION_SPIN_H

#include "model/vector_types.h"

typedef struct ModelBody ModelBody; // model.h
typedef struct Motion Motion;       // motion_types.h

// A body's angular velocity and the couple I·ω' + ω × I·ω that its spin takes, along the axes of
// the frame that its inertia is given in.
void motion_spin(Motion *motion, const ModelBody *body, Vec *omega, Vec *couple);
// I·w, along the same axes.
Vec motion_inertia_times(Motion *motion, const ModelBody *body, Vec w);

#endif
