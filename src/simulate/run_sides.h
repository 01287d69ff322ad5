// run_sides.h: unilateral conditions at the start of a run (Mayer 1899): which of them act.
#ifndef ZWANG_SIMULATE_RUN_SIDES_H
#define ZWANG_SIMULATE_RUN_SIDES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct MayerProcedure MayerProcedure;   // mayer.h
typedef struct ModelConstraint ModelConstraint; // model.h
typedef struct FrictionTrials FrictionTrials;   // friction_trials.h

typedef struct RunSide {
    const ModelConstraint *constraint;
    double f, rate;      // f and f'; f' as it is after a shock
    double before;       // f' before the shock, as the start was given
    double impulse;      // of the shock: −impulse·∂f/∂q
    bool touches;        // f = 0
    bool kept;           // and f' = 0, so that it may act; the rest is 0 where it is not
    bool acts;           // λ > 0
    double phi0;         // Φ⁰: f'' in the motion that only the equations restrict
    double lambda;       // the reaction is −λ·∂f/∂q
    double acceleration; // f''
    // What Ostrogradsky's rule says, where it says something.
    bool rule_acts;
    double rule_lambda, rule_acceleration;
} RunSide;

// Friction at the instant.
typedef struct RunFrictionSide {
    const struct MotionFriction *friction; // motion/frictions.h
    unsigned char mode;                    // FrictionHoldMode
    unsigned char pulls;                   // of two-sided conditions, as of FrictionHold
    double normal, margin;                 // N, and μ_s N − |F|
    double force[3], slip[3];              // along the world's axes; a law's first numbers alone
} RunFrictionSide;

typedef struct RunSides {
    const RunSide *at;
    size_t count, kept;
    bool unique; // no other λ gives the same accelerations
    const RunFrictionSide *frictions;
    size_t friction_count;
    size_t solutions; // motions that are possible with friction
    // A shock at the start: a condition is struck, or a percussion acts at t = 0.
    bool shock, struck;
    bool repeated;        // the rebounds did not end, or excluded each other: the last with e = 0
    const double *before; // n: the velocities as the start was given
    double energy_lost;   // by the conditions that are struck
    // Ostrogradsky's rule: another motion, or (no rule_a then) none at all.
    bool rule_differs;
    const double *rule_a; // n
    // Mayer's procedure with those kept, in their order; NULL where it was not asked for.
    const MayerProcedure *mayer;
    // With friction: every combination of stick and slip; NULL where these were not asked for. The
    // names of the contacts, in their order, and how many normal reactions each has.
    const FrictionTrials *trials;
    size_t contact_count;
    const char *const *contact_names;
    const size_t *contact_rows; // where the forces of each begin
    const unsigned char *contact_normals, *contact_tangents;
} RunSides;

#endif
