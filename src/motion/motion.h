// motion.h: kinematics and energies of a model, and its conditions as rows.
//
// motion_types.h has the notation and what a motion consists of.
#ifndef ZWANG_MOTION_H
#define ZWANG_MOTION_H

#include "model/vector_types.h"
#include "motion/motion_types.h"

typedef struct ModelBody ModelBody; // model.h
typedef struct ModelImpulse ModelImpulse;

// Errors (contradictory conditions, a singular choice of speeds, …) go to diag.
// The model must outlive the motion.
BASE_MUST_USE Status motion_new(const Model *model, Diag *diag, Motion **motion);
void motion_free(Motion *motion);
// The same motion while these of the one-sided conditions act: they are equations, their λ being
// the told one. They have to be independent of each other and of the equations. The base must
// outlive it.
typedef struct {
    const bool *held;     // of the one-sided conditions
    const bool *left_out; // of the equations: those that follow from others; NULL for none
    bool without_speeds;  // none are chosen, k is 0 and nothing is solved for: for who carries all
                          // velocities
} MotionHold;
BASE_MUST_USE Status motion_holding(const Motion *base, MotionHold hold, Diag *diag,
                                    Motion **motion);

// Whether the masses determine how the free velocities change; an error that names the
// coordinates or speeds without inertia where they do not.
BASE_MUST_USE Status motion_check_inertia(Motion *motion, Diag *diag);

// Puts speeds in the place of the state's in which T⁺ = ½ Σ ω² + a function of q and t (Hamel
// 236). Before anything else is asked of the motion. An error where T is no quadratic function of
// the velocities, or not positive.
BASE_MUST_USE Status motion_orthonormal(Motion *motion, Diag *diag);

// W_ν = d/dt ∂T/∂q'_ν − ∂T/∂q_ν, affine in q''.
Expr motion_inertia_force(Motion *motion, size_t nu);
// The mass matrix ∂W_ν/∂q''_μ, n × n, symmetric; and W_ν − K_ν for q'' = 0.
void motion_mass_matrix(Motion *motion, Expr *matrix);
void motion_bias(Motion *motion, Expr *bias);
// Applied generalized forces without the weights of masses and bodies, n.
void motion_loads(Motion *motion, Expr *loads);
// A body's angular velocity and the couple I·ω' + ω × I·ω that its spin takes, along the axes of
// the frame that its inertia is given in.
void motion_spin(Motion *motion, const ModelBody *body, Vec *omega, Vec *couple);
// I·w, along the same axes.
Vec motion_inertia_times(Motion *motion, const ModelBody *body, Vec w);
// Appell's energy of acceleration, unreduced, up to terms without second derivatives.
Expr motion_acceleration_energy(Motion *motion);
// What of it the masses give, each body's at its centre: ½ Σ m J².
Expr motion_centre_acceleration_energy(Motion *motion);
// The same expression with velocities and accelerations replaced by the state's speeds and
// their rates.
Expr motion_in_speeds(Motion *motion, Expr e);
// The reduction to k independent velocities, for the forms that are written in true coordinates:
// those named by `independent`, else the program's choice. NULL where none is found.
MotionReduction *motion_velocities(Motion *motion);
// e with velocities and accelerations replaced as this reduction says.
Expr motion_reduced(Motion *motion, MotionReduction *reduction, Expr e);
// Derivatives of a reduced expression by the speeds (k), and by the coordinates for constant
// speeds (n).
void motion_by_speeds(Motion *motion, MotionReduction *reduction, Expr e, Expr *partials);
void motion_by_places(Motion *motion, MotionReduction *reduction, Expr e, Expr *partials);
// d/dt of a reduced expression: every coordinate moves as the speeds say.
Expr motion_rate_along(Motion *motion, MotionReduction *reduction, Expr e);
// Σ_ν K_ν A_να, reduced: what the applied forces do on displacement α, that of a speed.
Expr motion_force_on(Motion *motion, MotionReduction *reduction, size_t alpha);

// e = y·q' + y0 with y = ∂e/∂q', n; both hold no velocities where e is linear in them.
void motion_linearize(const Motion *motion, Expr e, Expr *y, Expr *y0);
// Whether the reactions of a condition do no work along the motion: b·q' vanishes where the
// condition holds, as it does where that is homogeneous in the velocities. Proved, or else false.
bool motion_is_workless(Motion *motion, const MotionRow *row);
// What its reactions do in a unit of time, in q, q', t and its multiplier; 0 where that is proved.
Expr motion_reaction_power(Motion *motion, const MotionRow *row);

// Σ_ν g_ν B_να, reduced, for any covector g: what it is on speed α.
Expr motion_on_speed(Motion *motion, MotionReduction *reduction, const Expr *g, size_t alpha);

// A percussion's generalized impulse on every coordinate, n: its virtual work is Σ I_ν δq_ν.
void motion_percussion(Motion *motion, const ModelImpulse *impulse, Expr *parts);
// Takes those out of `held` (all one-sided conditions) that depend on the equations and on those
// before them, and says so.
void motion_leave_dependent(Motion *motion, bool *held, Diag *diag);
// A one-sided condition as a whole row.
const MotionRow *motion_side(const Motion *motion, size_t index);

// Whether the rows are shown to be independent: not as free functions alone, but at a real point.
bool motion_shows_rows(Motion *motion);

// The row of a condition in force; NULL where it is none.
const MotionRow *motion_row_of(const Motion *motion, const ModelConstraint *constraint);
// Whether all conditions are affine in the accelerations: then these are determined by linear
// equations.
bool motion_is_affine(const Motion *motion);

// ---- Energy, and what changes it.
typedef struct {
    Expr energy;   // Σ q'·∂T/∂q' − T + U; none with `acceleration_energy`
    bool is_total; // it is motion->energy
    Expr power;    // its rate along the motion, in q, q', t and the multipliers; 0 where that is
                   // proved
} MotionPower;
MotionPower motion_power(Motion *motion);

#endif
