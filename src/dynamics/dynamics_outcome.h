// dynamics_outcome.h: how an evaluation of the equations of motion ends.
#ifndef ZWANG_DYNAMICS_DYNAMICS_OUTCOME_H
#define ZWANG_DYNAMICS_DYNAMICS_OUTCOME_H

typedef struct Equations Equations; // dynamics.h
typedef struct State State;

typedef enum {
    DYNAMICS_FOUND,
    DYNAMICS_SPEEDS,        // the conditions and the speeds do not determine the velocities
    DYNAMICS_INERTIA,       // no inertia along a free velocity; kkt_witness has it
    DYNAMICS_SERVO,         // the forces of the servos cannot keep their conditions here
    DYNAMICS_CONTRADICTION, // the conditions ask for different accelerations
    DYNAMICS_POSITION,      // the finite conditions cannot be met near here
    DYNAMICS_BRANCH,        // the stationary point that is followed ends
    DYNAMICS_VELOCITY,      // nor those that are not linear in the velocities
    DYNAMICS_VANISHED,      // ∂f/∂q' of a condition vanishes; singular_row is its row
    DYNAMICS_APART,         // a condition no longer follows from others; apart_row is its row
    DYNAMICS_SLIDING,       // no first step was found where a sliding begins from rest
    DYNAMICS_REACTIONS,     // forces hold reactions, and none or several sets of these fit
    DYNAMICS_NOT_FINITE
} DynamicsOutcome;

#endif
