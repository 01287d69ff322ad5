// power.h: energy, and what changes it.
#ifndef ZWANG_MOTION_POWER_H
#define ZWANG_MOTION_POWER_H

#include "expr/expr_types.h"

#include <stddef.h>

typedef struct Motion Motion; // motion_types.h
typedef struct MotionRow MotionRow;

// Whether the reactions of a condition do no work along the motion: b·q' vanishes where the
// condition holds, as it does where that is homogeneous in the velocities. Proved, or else false.
bool motion_is_workless(Motion *motion, const MotionRow *row);
// Whether the condition is the rate of a state that neither energies nor other conditions hold:
// then it has no reaction.
bool motion_is_idle(const Motion *motion, const MotionRow *row);
// What its reactions do in a unit of time, in q, q', t and its multiplier; 0 where that is proved.
Expr motion_reaction_power(Motion *motion, const MotionRow *row);

// The energy of a motion.
typedef struct {
    Expr energy;   // Σ q'·∂T/∂q' − T + U; none with `acceleration_energy`
    bool is_total; // it is motion->energy
    Expr power;    // its rate along the motion, in q, q', t and the multipliers; 0 where that is
                   // proved
} MotionPower;
MotionPower motion_power(Motion *motion);

// What does work beside the potentials.
typedef struct {
    Expr friction;       // its power: what reverses with the velocities; 0 where nothing does
    bool forces, driven; // others that have no potential; something moves with the time
} MotionWork;
MotionWork motion_work(Motion *motion);

// Whether nothing holds the time, as far as it is plain to see; an impulse does.
bool motion_is_autonomous(Motion *motion);

// What is constant along every motion, as far as it is plain to see, without a proof: the energy
// where there are potentials alone and nothing holds the time; the momentum ∂T/∂q' of a coordinate
// that nothing else holds. Events may change both; nothing is, where forces and conditions hold for
// a while.
bool motion_keeps_energy(Motion *motion);
bool motion_keeps_momentum(Motion *motion, size_t coordinate);

#endif
