// steps_impl.h: steps that several forms take on their way. Each of these functions records
// nothing, and works nothing out, where no steps are wanted. Never leaves the room.
#ifndef ZWANG_FORMS_STEPS_IMPL_H
#define ZWANG_FORMS_STEPS_IMPL_H

#include "forms/reduction_impl.h"

// A line `name = value`, the name from a format.
void line_named(Form *form, Expr value, const char *format, ...) BASE_PRINTF(3, 4);

// T as a function of the form, or the energy of acceleration that no T belongs to.
void form_add_energies(Form *form, const Motion *motion);
// T before the reduction, under the name that the form has for it.
void step_energy(Form *form, FormStepKind kind, const Motion *motion, const char *name);
// Its derivatives by q', their rates, its derivatives by q, and the applied forces K.
void step_inertia(Form *form, Motion *motion);
// ρ = W − K of every coordinate.
void step_rest(Form *form, Motion *motion);
// A note where servos keep conditions: whose direction the multipliers have there.
void step_servos(Form *form, const Motion *motion);
// Λ, the reactions with their multipliers.
void step_reactions(Form *form, Motion *motion);

// The A_να that do not vanish: virtual displacements.
void step_displacements(Form *form, const Motion *motion);
// q' in the state's speeds, and the forces Q on them, K alone being known.
void step_in_speeds(Form *form, Motion *motion);
void step_speed_forces(Form *form, FormStepKind kind, Motion *motion);

// That the velocities are not known as functions of the speeds, and their derivatives.
void step_open(Form *form, const Motion *motion, const MotionReduction *reduction);

// The same with true coordinates: q'_{k+i}, T⁺ with its derivatives, and Q.
void step_solved(Form *form, TrueCoordinates *in);
void step_reduced_energy(Form *form, TrueCoordinates *in);
void step_reduced_derivatives(Form *form, TrueCoordinates *in);
void step_reduced_forces(Form *form, TrueCoordinates *in);
// [∂T/∂q'_{k+i}], T under the form's name for it.
void step_dependent_momenta(Form *form, TrueCoordinates *in, const char *name);
// The a_iα that do not vanish.
void step_coefficients(Form *form, TrueCoordinates *in);
// What R is made of, and R.
void step_correction(Form *form, TrueCoordinates *in);

// ---- vector_steps.c: vectors of the masses and bodies, along named axes, one after the other;
// before the reduction or in the state's speeds; or their derivatives by these.
typedef enum {
    VECTOR_VELOCITY,
    VECTOR_ACCELERATION,
    VECTOR_SPIN,      // ω
    VECTOR_SPIN_RATE, // α, its rate
    VECTOR_COUPLE     // I·α + ω × I·ω
} FormVector;
void lines_of_vectors(Form *form, Motion *motion, FormVector what, bool in_speeds, bool partials);
// Whether there are masses, or bodies with inertia.
bool has_vectors(const Model *model, bool spins);

// ---- voronets_road.c: from Tzénoff's (10) to Voronets' (12).
void step_road_to_voronets(Form *form, TrueCoordinates *in);

// ---- mayer_steps.c: one-sided conditions at the level of accelerations, and which of them act.
void step_mayer(Form *form, Motion *motion);

// ---- gyroscopic.c: R from S alone, and that it does no work, as far as Appell 14–15 go.
void step_gyroscopic(Form *form, TrueCoordinates *in);

// ---- body_steps.c: the energy of acceleration of each body's spin in Appell's letters.
void step_bodies(Form *form, Motion *motion);

// The equations from the one counted `first` on: what the derivation has come to.
void step_equations(Form *form, FormStepKind kind, size_t first);

#endif
