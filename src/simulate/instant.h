// instant.h: everything that can be said of the start of a run: unilateral conditions, reactions,
// Gauss's function, conditioning.
#ifndef ZWANG_SIMULATE_INSTANT_H
#define ZWANG_SIMULATE_INSTANT_H

#include "dynamics/branches.h"
#include "simulate/simulate.h"

typedef struct MotionReactions MotionReactions; // motion.h

// ---- One-sided conditions at the start (Mayer 1899): which of them act.
typedef struct {
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

typedef struct {
    const RunSide *at;
    size_t count, kept;
    bool unique; // no other λ gives the same accelerations
    // A shock at the start: a condition is struck, or a percussion acts at t = 0.
    bool shock, struck;
    bool repeated;        // the rebounds did not end, or excluded each other: the last with e = 0
    const double *before; // n: the velocities as the start was given
    double energy_lost;   // by the conditions that are struck
    // Ostrogradsky's rule: another motion, or (no rule_a then) none at all.
    bool rule_differs;
    const double *rule_a; // n
} RunSides;

// ---- The instant: everything that can be said of the start.
typedef struct {
    double force[3], couple[3], position[3];
} RunWrench;

typedef struct {
    bool has_energy;
    double T, U;
    const double *speeds; // all declared ones
    const double *powers; // m: what the reactions of each condition do in a unit of time
    // a° = the acceleration without reactions, and Gauss's function ½(a − a°)·𝓜(a − a°). None
    // where something is moved by reactions alone, because it has no inertia.
    bool has_free;
    const double *free; // n
    double constraint;
    // How well things are determined: the ratio of the largest to the smallest, 1 is best.
    double conditions; // of the conditions that are independent here, by their singular values
    double inertia;    // of the inertia on the velocities left free; infinite where there is none
    size_t rank;       // of the conditions in force
    const bool *redundant; // m: it depends here on the ones before it
    RunSides sides;
    RunBranches branches;
    const MotionReactions *reactions;
    const RunWrench *at;       // of reactions->at
    const RunWrench *totals;   // of reactions->totals
    const double *generalized; // n of each of reactions->generalized
} RunInstant;
typedef struct RunInstantRoom RunInstantRoom;
// The room owns what the instant points to.
BASE_MUST_USE Status run_instant(Simulation *sim, Diag *diag, RunInstantRoom **room,
                                 RunInstant *instant);
void run_instant_free(RunInstantRoom *room);

#endif
