// constraint.h: a condition of a model, and what keeps it, as checked data.
#ifndef ZWANG_MODEL_CONSTRAINT_H
#define ZWANG_MODEL_CONSTRAINT_H

#include "base/place.h"
#include "model/units.h"
#include "model/vector_types.h"

typedef enum {
#define KIND(NAME, name) CONSTRAINT_##NAME,
#include "model/constraint_kinds.def"
#undef KIND
    CONSTRAINT_KIND_COUNT
} ConstraintKind;
const char *constraint_kind_name(ConstraintKind kind); // "finite", as in JSON

// Where a condition takes hold. Its virtual work there is along·δ: δ the displacement of a point,
// or of the particle of a body that is at a point, or the rotation of a frame; so λ·along is the
// force, or couple, of its reaction.
typedef enum { PLACE_POINT, PLACE_PARTICLE, PLACE_FRAME } PlaceKind;

typedef struct {
    PlaceKind kind;
    const char *name; // of the point, as it is written; of a frame, or its body
    Vector position;  // of points and particles
    size_t body;      // of a particle
    Frame frame;      // of a frame
    Vector along;
} ModelPlace;

// A point whose velocity a condition holds, or a frame whose angular velocity it holds, and symbols
// for that, along world's axes.
typedef struct {
    bool spins; // it is a frame
    Vector position;
    Frame frame;
    Expr rates[3];
} ModelVelocity;

// Where a condition comes from that no one has written: from the equations of motion (hidden
// conditions, theory of servos and of coordinates without inertia).
typedef struct {
    const size_t *servos; // the conditions of servos whose forces do not reach what they keep
    size_t servo_count;   // 0: forces on something without inertia are in balance
    size_t coordinate;    // of them: one that has none
    size_t orders;        // how often it is differentiated before accelerations are in it: 1 or 2
} ModelHidden;

// How velocities jump where it is struck; unless it was said, as friction.h tells.
typedef enum { SHOCK_UNSAID, SHOCK_NEWTON, SHOCK_POISSON } ShockLaw;

typedef struct ModelConstraint {
    const char *name; // "edge"; a vector's parts are "roll.x" …; "c1" … where none was given
    ConstraintKind kind;
    ConstraintKind keeps; // what its equation is: as kind, but of a servo what the servo keeps
    Expr left, right;
    Expr residual; // left − right
    Dim dim;       // of it
    Expr lambda;   // its multiplier, the symbol "lambda.NAME"
    bool silent;   // brought along by a quaternion, or hidden: without a column of its own
    size_t waits;  // its `while` among the model's + 1; 0: it always holds
    size_t rated;  // of the rate of a continuous state: its coordinate + 1; else 0
    const ModelHidden *hidden; // NULL for one that was written
    bool at_least;             // a one-sided condition written with >=
    Expr restitution;          // of a one-sided condition
    ShockLaw law;              // of a one-sided condition
    ModelPlace *places; // the same ones, in the same order, for all parts of a vector condition
    size_t place_count;
    // The residual of a linear condition in velocities of points and frames, which stand for
    // themselves. Others have none.
    Expr by_velocities;
    ModelVelocity *velocities;
    size_t velocity_count;
    Place place;
} ModelConstraint;

#endif
