// conditions_impl.h: what is said of single conditions.
#ifndef ZWANG_SHOW_CONDITIONS_IMPL_H
#define ZWANG_SHOW_CONDITIONS_IMPL_H

#include "show/show.h"

// Its kind, or why it was set aside.
const char *show_condition_kind(const Motion *motion, const ModelConstraint *constraint);

// ---- nonlinear_conditions.c: where conditions or speeds are not linear in the velocities.
// Those conditions one after the other; NULL behind the last.
const MotionRow *show_nonlinear_row(const Show *show, size_t index);
// "NAME: …·δx + … = 0", and whether the reaction of the condition does work.
void show_nonlinear_displacements(const Show *show, const MotionRow *row, Text *out);
void show_nonlinear_work(const Show *show, const MotionRow *row, Text *out);
// How the velocities were found as functions of the speeds; NULL where all is linear.
const char *show_nonlinear_velocities(const Show *show);
void show_nonlinear_latex(const Show *show, Text *out); // nothing where all is linear
void show_nonlinear_json(const Show *show, Text *out);  // ,"nonlinear":{…}, or nothing

#endif
