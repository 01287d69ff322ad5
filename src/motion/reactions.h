// reactions.h: forces and couples of the conditions on bodies and particles.
#ifndef ZWANG_MOTION_REACTIONS_H
#define ZWANG_MOTION_REACTIONS_H

#include "base/memory.h"
#include "model/vector_types.h"

typedef struct ModelConstraint ModelConstraint; // constraint.h
typedef struct Motion Motion;                   // motion_types.h

// ---- Reactions: what the conditions do to the bodies and particles. All are expressions in q,
// q', q'', t and the multipliers, along world's axes; how each is obtained stands in the manual's
// theory page.
typedef struct {
    const char *condition; // "roll": the parts of a vector condition act together
    const char *at;        // the point, as the model writes it; NULL for a couple alone
    const char *on;        // the body or mass; NULL where it is none of the model's
    Vector position;       // of the point
    Vec force, couple;     // the couple about that point
    bool has_force, has_couple;
    bool balanced; // a part holds by itself and was found from the balance of the whole system
} MotionReaction;

// A condition, or a part of it, without a place in space: λ·b_ν by coordinate.
typedef struct {
    const char *condition;
    Expr *parts; // n
} MotionGeneralized;

// Everything that acts on a mass or body beside its weight and the forces and couples that are
// given at places: m·a − those, and I·ω' + ω × I·ω − those about the centre.
typedef struct {
    const char *on;
    Vector position;
    Vec force, couple;
    bool turns; // it has moments of inertia, so that there is a couple
} MotionTotal;

typedef struct {
    const ModelConstraint *constraint;
    const char *why; // there is no reaction of its own
} MotionUntold;

typedef struct MotionReactions {
    Arena *arena;
    ARRAY(MotionReaction) at;
    ARRAY(MotionGeneralized) generalized;
    ARRAY(MotionTotal) totals;
    ARRAY(MotionUntold) untold;
    struct Carriers *carriers; // whom coordinates move; made on first need
    const char *unplaced;      // "potential, dissipation": loads without a place, which the totals
                               // hold too; NULL where there are none
} MotionReactions;

// `wanted`, one for each one-sided condition, tells which of them count; NULL: all.
MotionReactions *motion_reactions(Motion *motion, const bool *wanted);
void motion_reactions_free(MotionReactions *reactions);

#endif
