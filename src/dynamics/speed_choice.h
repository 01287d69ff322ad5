// speed_choice.h: which speeds are independent.
#ifndef ZWANG_DYNAMICS_SPEED_CHOICE_H
#define ZWANG_DYNAMICS_SPEED_CHOICE_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"
#include "expr/expr_types.h"

// ---- conditioning.c: which speeds to use.
// Reciprocal condition of the velocities' equations at the present state, in units of `scale`.
double conditioning_now(const Equations *eq, State *state);
// The same with the sign of their determinant: between two signs lies a state where there are none.
double conditioning_oriented(const Equations *eq, State *state);
// Whether it is at least so much, which is mostly sooner told.
bool conditioning_is_above(const Equations *eq, State *state, double least);
// The same with the velocities of other coordinates, k, or the motion's own speeds (NULL).
double conditioning_by(const Equations *eq, State *state, const size_t *chosen);
// Velocities of one energy by the largest inertias so far, n, and speeds, k; infinite where these
// are not known.
void conditioning_sizes(const Equations *eq, const State *state, double *sizes);
// Takes the scale of velocities from the inertia last evaluated.
void conditioning_measure(const Equations *eq, State *state);
// The same by the largest inertias since then; true where the scale changed.
bool conditioning_measure_again(const Equations *eq, State *state);
// Below TOL_POOR goes over to better speeds where there are some; true where it did. v is kept. A
// lower limit would let accuracy go before a change.
bool conditioning_improve(const Equations *eq, State *state, double now);
// Goes over to speeds that are good at the present state and at another one, on the same side of
// where they are singular; false where none are. Both states were evaluated; v is kept.
bool conditioning_span(const Equations *eq, State *state, State *other);

// ---- singular_speeds.c: a choice of speeds that fails at the start is named in a note; the speeds
// in use are those taken instead.
void singular_speeds_report(const Equations *eq, const State *state, Diag *diag);
// The same where something is not linear in the velocities, and all of these are in use: an error
// only where a form drives the run, which needs the velocities as functions of its speeds.
BASE_MUST_USE Status singular_speeds_check_nonlinear(const Equations *eq, const State *state,
                                                     bool driven, Diag *diag);

#endif
