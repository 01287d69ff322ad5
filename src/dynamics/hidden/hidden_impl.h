// hidden_impl.h: the equations of one pass over hidden conditions, and what is refused of them.
#ifndef ZWANG_DYNAMICS_HIDDEN_HIDDEN_IMPL_H
#define ZWANG_DYNAMICS_HIDDEN_HIDDEN_IMPL_H

#include "base/memory.h"
#include "expr/expr_types.h"

typedef struct Model Model;   // model.h
typedef struct Motion Motion; // motion_types.h

// E·(q'', λ) = r: n equations of motion, then the conditions, those of servos last.
typedef struct {
    size_t size;
    Expr *matrix, *right;
    size_t *conditions; // their numbers in the model; of the first n nothing
} HiddenSystem;

// Which rows of E are independent of those before them, and a column for each.
typedef struct {
    bool *independent;
    size_t *columns;
} HiddenRank;

typedef enum {
    HIDDEN_NOTHING,    // ψ = 0 holds anyway: something is not determined
    HIDDEN_IMPOSSIBLE, // ψ holds only for certain functions of time
    HIDDEN_FINITE,     // ψ(q, t)
    HIDDEN_VELOCITY,   // ψ(q, q', t)
} HiddenOutcome;

typedef struct {
    HiddenOutcome outcome;
    size_t at; // the row that depends on others
    Expr psi;
} HiddenCondition;

// What was found of one motion, before the model changes and the motion with it.
typedef struct {
    HiddenCondition found;
    Expr *z;
    bool taken; // by a friction:
    size_t by;
} Pending;

// ---- hidden_friction.c
// Friction on what has no inertia: it takes the vectors z that it does work along, one for each
// friction, and is told in the model. An error where it cannot be followed.
Status hidden_take_friction(Model *model, Motion *motion, const HiddenSystem *system,
                            Pending *pending, size_t count, Diag *diag);

// ---- hidden_refusals.c
// A coordinate whose equation of motion is in z: the one at `at`, or the first.
size_t hidden_coordinate(const Motion *motion, size_t at, const Expr *z);
// The last condition of a servo in z; NULL where none is.
const struct ModelConstraint *hidden_servo_in(const Motion *motion, const HiddenSystem *system,
                                              const Expr *z);
// Why a ψ leads nowhere: an error.
Status hidden_refuse(const Motion *motion, const HiddenSystem *system, const HiddenCondition *found,
                     const Expr *z, Diag *diag);
// A coordinate that multiplies a condition on the others, so that only velocities tell its value:
// an error.
Status hidden_refuse_multiplier(const Motion *motion, const HiddenSystem *system,
                                const HiddenCondition *found, Diag *diag);
Status hidden_undecided(const Motion *motion, Diag *diag);
// The last conditions that were added contradict others, or add nothing to them: an error.
Status hidden_fruitless(const Model *model, Diag *diag);

#endif
