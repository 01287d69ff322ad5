// motion_impl.h: the steps of motion_new. Never leaves the room.
#ifndef ZWANG_MOTION_IMPL_H
#define ZWANG_MOTION_IMPL_H

#include "motion/motion.h"

// energies.c: T, U, p, dT_dq, K.
void motion_make_energies(Motion *motion);
// rows.c: conditions as rows; those that hold or follow are set aside.
BASE_MUST_USE Status motion_make_rows(Motion *motion, Diag *diag);
// speeds.c: the state's speeds, and B, C, D.
BASE_MUST_USE Status motion_make_speeds(Motion *motion, Diag *diag);

#endif
