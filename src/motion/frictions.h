// frictions.h: dry friction as rows: along which axes particles slide on each other, and what force
// that is while they do.
//
// u = w·q' + c is the sliding velocity along one or two orthonormal tangents (three where a law
// takes a velocity whole); friction does the work F·w·δq. Sticking is the condition u = 0, sliding
// a force of known direction, −R·u/|u|: a contact mode has one of them for each friction.
#ifndef ZWANG_MOTION_FRICTIONS_H
#define ZWANG_MOTION_FRICTIONS_H

#include "base/memory.h"
#include "model/vector_types.h"
#include "motion/motion_types.h"

typedef struct ModelFriction ModelFriction; // model/friction.h

// Of one friction in a contact mode. One row has a side; several have the direction of u.
typedef enum {
    HOLD_OPEN, // its condition does not act: no force
    HOLD_STICKS,
    HOLD_FORWARD, // u > 0
    HOLD_BACKWARD,
    HOLD_TURNS // u ≠ 0 in two or three rows
} FrictionHoldMode;
// Of a two-sided condition that pulls λ is negative, and the normal force is −λ·ν: bit 0 of `pulls`
// is that of its own contact, bit i + 1 that of its term i. Rows that follow from others are left
// out while it sticks: bit i of `without`.
typedef struct FrictionHold {
    unsigned char mode;
    unsigned char pulls;
    unsigned char without;
} FrictionHold;

enum {
    FRICTION_NORMALS = 3, // conditions whose reactions press by the length of all of them, at most
    FRICTION_TERMS = 7    // of these lengths in one bound
};

// A part of a bound, μ|λ|.
typedef struct FrictionTerm {
    const ModelConstraint *by[FRICTION_NORMALS];
    size_t count;
    size_t side; // of a one-sided condition; else SIZE_MAX
    Expr bound, hold;
} FrictionTerm;

typedef struct MotionFriction {
    const ModelFriction *friction;
    const ModelConstraint *constraint; // that presses at its contact; NULL for a law
    size_t side;                       // of a one-sided condition; else SIZE_MAX
    size_t rows;                       // 1, 2 or 3
    MotionRow *sticks;                 // u = 0 for each axis: velocity u, b = w, c, γ
    Vec *axes;                         // e of each, in world's axes; 0 where it has no place
    Vec normal, place;                 // n, and where it acts, likewise
    Expr pressure;                     // ν: the normal force is ν|λ|
    Expr bound, hold; // μ and μ_s; of a law what its bounds have beside the terms
    bool free;        // as they are written they hold no reactions
    // Further conditions whose reactions press: |λ| is the length of all of them.
    const ModelConstraint *also[FRICTION_NORMALS - 1];
    size_t also_count;
    FrictionTerm *terms; // of a law
    size_t term_count;
} MotionFriction;

// It acts on what has no inertia: while it sticks its row is one of the motion, while it slides
// that of the balance with its whole force, whose multiplier is the friction.
bool motion_friction_is_massless(const MotionFriction *friction);
// b, c and γ of that balance, in this state; *finite where it holds no velocities, so that its rate
// is the row.
MotionRow motion_friction_balance(Motion *motion, const MotionFriction *friction,
                                  FrictionHold state, bool *finite);
// What presses at its own contact, as a term without ν; false where it has none.
bool motion_friction_own(const MotionFriction *friction, FrictionTerm *own);
// Whether its bound holds reactions; the length of several; and the reaction of a condition.
bool motion_friction_is_pressed(const MotionFriction *friction);
bool motion_friction_has_length(const MotionFriction *friction);
bool motion_friction_presses(const MotionFriction *friction, const ModelConstraint *constraint);
// Whether it can have a force where these one-sided conditions are held.
bool motion_friction_acts(const Motion *motion, const MotionFriction *friction, const bool *held);
// What the given forces make of λ of a one-sided condition, for λ = 1, n; false where they do not
// hold it. Where they are not linear in it (*curved) that holds λ: their chord from λ = 0 to it.
bool motion_reaction_share(const Motion *motion, size_t side, Expr *share, bool *curved);
// Leaves out those rows of sticking that depend on the equations, on one-sided conditions that are
// held and on those before them, at every position.
void motion_leave_sticks(const Motion *motion, const bool *held, FrictionHold *friction);
// |u|, of one row with its sign.
Expr motion_friction_speed(const Motion *motion, const MotionFriction *friction,
                           FrictionHold state);
// The bound of the force, sliding (`sticks` false) or sticking, in λ of conditions, for a state.
Expr motion_friction_bound(const Motion *motion, const MotionFriction *friction, FrictionHold state,
                           bool sticks);
// The force in this contact mode along each axis: the multipliers of the stick conditions, or what
// sliding makes of λ; 0 where it is open.
void motion_friction_force(const Motion *motion, const MotionFriction *friction, FrictionHold state,
                           Expr *force);

#endif
