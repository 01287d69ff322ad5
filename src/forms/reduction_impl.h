// reduction_impl.h: what the forms in true coordinates share: which coordinates are dependent,
// and derivatives that hold the others fixed. Never leaves the room.
#ifndef ZWANG_FORMS_REDUCTION_IMPL_H
#define ZWANG_FORMS_REDUCTION_IMPL_H

#include "forms/forms.h"

// q'_{k+i} = Σ_α a_iα q'_α + a_i, or a function of q'_α, q and t with a_iα = ∂q'_{k+i}/∂q'_α where
// the conditions are not linear (theory § 3: R may then hold accelerations). α counts the
// independent coordinates, i the dependent ones.
typedef struct {
    Motion *motion;
    MotionReduction *by;
    size_t *independent, *dependent; // coordinates: k and m
    Expr *velocity;                  // of the independent ones, k symbols
    Expr T;                          // T⁺
    Expr *dT_dv, *dT_dq;             // ∂T⁺/∂q'_α and ∂T⁺/∂q_ν, k and n
} TrueCoordinates;

// False, and the form is refused, where this reduction is not linear in the speeds; `why` is what
// the form rests on.
bool form_needs_linear(const Motion *motion, const MotionReduction *reduction, Form *form,
                       const char *why);
// False, and the form is refused, where no independent velocities are found.
// Whether the conditions may be put into T before it is differentiated; the form is refused where
// not: there is no T, or a servo's force works on what its condition allows.
bool form_may_reduce(const Motion *motion, Form *form);

bool true_init(TrueCoordinates *true_, Motion *motion, Form *form);
void true_clear(TrueCoordinates *true_);
Expr true_a(const TrueCoordinates *true_, size_t i, size_t alpha); // a_iα
Expr true_a0(const TrueCoordinates *true_, size_t i);              // a_i, where they are linear
// d/dt ∂T⁺/∂q'_α − ∂T⁺/∂q_α, and Q_α.
Expr true_lagrange(TrueCoordinates *true_, size_t alpha);
Expr true_force(TrueCoordinates *true_, size_t alpha);
// Q_α and the apparent force of an energy of acceleration that was given; the same on a speed of
// the state.
Expr true_force_and_apparent(TrueCoordinates *true_, size_t alpha);
Expr form_force_on(Motion *motion, size_t alpha);
// An unreduced expression with the dependent velocities put in: the brackets of the sources.
Expr true_reduced(TrueCoordinates *true_, Expr e);
// q'_{k+i} as a function of the independent velocities.
Expr true_velocity(TrueCoordinates *true_, size_t i);
// ∂q'_{k+i}/∂q_α, the independent velocities held fixed.
Expr true_slope(TrueCoordinates *true_, size_t i, size_t alpha);
// d/dt along the motion: the dependent coordinates move too.
Expr true_rate(TrueCoordinates *true_, Expr e);
const char *true_name(const TrueCoordinates *true_, size_t alpha);
// Appell's correction R_α, from the momenta of the dependent velocities.
Expr true_correction(TrueCoordinates *true_, size_t alpha);

// ∂q'_ν/∂ω_μ for each condition's own speed ω_μ = b_μ·q' + c_μ, the state's speeds held: n × m.
// False where they cannot be told apart.
bool conditions_across(Motion *motion, Expr *across);

#endif
