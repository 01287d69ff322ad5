// motion.h: kinematics and energies of a model, and its conditions as rows.
//
// motion_types.h has the notation and what a motion consists of; inertia.h, holds.h and power.h
// have what is asked of it by who needs no more.
#ifndef ZWANG_MOTION_H
#define ZWANG_MOTION_H

#include "motion/given_energy.h"
#include "motion/holds.h"
#include "motion/inertia.h"
#include "motion/motion_types.h"
#include "motion/power.h"

typedef struct ModelImpulse ModelImpulse; // model.h

// Errors (contradictory conditions, a singular choice of speeds, …) go to diag.
// The model must outlive the motion.
BASE_MUST_USE Status motion_new(const Model *model, Diag *diag, Motion **motion);

// For a run: a large system is not solved for its velocities in its speeds before that is needed.
BASE_MUST_USE Status motion_new_to_run(const Model *model, Diag *diag, Motion **motion);
// Solves it, where that was postponed.
BASE_MUST_USE Status motion_solve(Motion *motion, Diag *diag);

// x from [b; Y]·x = right, the rows of the conditions above those of the reduction's speeds; n ×
// columns each. False where it cannot be decided that they are independent.
bool motion_solve_speeds(Motion *motion, const MotionReduction *reduction, const Expr *right,
                         size_t columns, Expr *solution);

// Puts speeds in the place of the state's in which T⁺ = ½ Σ ω² + a function of q and t (Hamel
// 236). Before anything else is asked of the motion. An error where T is no quadratic function of
// the velocities, or not positive.
BASE_MUST_USE Status motion_orthonormal(Motion *motion, Diag *diag);

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

// The same of the apparent forces Δ_ν (Appell 15), which act beside the T of an energy of
// acceleration that was given: 0 where its parameters are true coordinates.
Expr motion_apparent_force_on(Motion *motion, MotionReduction *reduction, size_t alpha);

// Σ_ν g_ν B_να, reduced, for any covector g: what it is on speed α.
Expr motion_on_speed(Motion *motion, MotionReduction *reduction, const Expr *g, size_t alpha);

// A percussion's generalized impulse on every coordinate, n: its virtual work is Σ I_ν δq_ν.
void motion_percussion(Motion *motion, const ModelImpulse *impulse, Expr *parts);

// Whether the rows are shown to be independent: not as free functions alone, but at a real point.
bool motion_shows_rows(Motion *motion);

// The highest derivative of a table, at this argument, on which velocities depend; −1 for none.
typedef struct ExprTable ExprTable; // tables.h
int motion_table_order(const Motion *motion, Expr argument, const ExprTable *table);

#endif
