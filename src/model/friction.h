// friction.h: dry friction of a model, as checked data.
//
// On a condition: where the particles of two bodies meet at a point, the reaction presses, and the
// friction is at most μ times this force. As a law: the bound of the force is given.
#ifndef ZWANG_MODEL_FRICTION_H
#define ZWANG_MODEL_FRICTION_H

#include "base/place.h"
#include "model/units.h"
#include "model/vector_types.h"

typedef enum {
    FRICTION_ON_CONDITION,
    FRICTION_AGAINST, // a scalar that is linear in the velocities
    FRICTION_AT,      // the velocity of one particle against another
    FRICTION_IN_JOINT // two or three scalars along axes
} FrictionKind;

enum { FRICTION_WORLD = SIZE_MAX, FRICTION_POINT = SIZE_MAX - 1, FRICTION_ROWS = 3 };

typedef struct ModelFriction {
    const char *name; // of its condition, or its own
    FrictionKind kind;
    size_t constraint; // of FRICTION_ON_CONDITION: among the model's
    Expr bound, hold;  // μ and μ_s, or the bound of the force sliding and sticking; the same
                       // expression where no static one was given
    Expr against[FRICTION_ROWS]; // of FRICTION_AGAINST, one, and FRICTION_IN_JOINT,
    size_t against_count;
    Vector axes[FRICTION_ROWS]; // and of these along what
    Dim speed;                  // the dimension of what it acts against
    bool placed;                // a point was named, or the condition names one
    Vector position;
    const char *point;     // as it is written
    size_t body, other;    // whose particles: among the bodies; FRICTION_WORLD, or the point itself
    Vector other_position; // where `other` is the place of a mass
    size_t stick;          // FRICTION_ROWS conditions among model->sticks: no sliding along an axis
    // Where it acts on what has no inertia, which the equations of motion tell
    // (dynamics/hidden): the force of it that holds the balance there, in q, q' and t, and a
    // displacement of what has none, n, along which it does the work of 1. None, NULL: it has
    // inertia.
    Expr balance;
    const Expr *massless;
    Expr slip, normal; // symbols: |s| as "slip.NAME", the normal force as "normal.NAME"
    size_t waits;      // its `while` among the model's + 1; 0: it always acts
    Place place, at, bound_place, hold_place; // of the whole; the point; the two coefficients
} ModelFriction;

#endif
