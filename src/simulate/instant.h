// instant.h: everything that can be said of the start of a run: unilateral conditions, reactions,
// Gauss's function, conditioning.
#ifndef ZWANG_SIMULATE_INSTANT_H
#define ZWANG_SIMULATE_INSTANT_H

#include "dynamics/branches.h"
#include "simulate/run_sides.h"

typedef struct Equations Equations; // dynamics.h
typedef struct State State;
typedef struct Simulation Simulation;           // simulate.h
typedef struct MotionReactions MotionReactions; // motion.h

// ---- The instant: everything that can be said of the start.
typedef struct {
    double force[3], couple[3], position[3];
} RunWrench;

typedef struct {
    double t;
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
    const double *outputs;     // of the model
    const double *inputs;      // of model->inputs
    const double *events; // of model->events, then of `until`: the expressions; 0 of those that
                          // wait for records
} RunInstant;
typedef struct RunInstantRoom RunInstantRoom;
// The room owns what the instant points to.
BASE_MUST_USE Status run_instant(Simulation *sim, Diag *diag, RunInstantRoom **room,
                                 RunInstant *instant);
// Before it: the instant also tells Mayer's procedure. An error where it comes to something else.
BASE_MUST_USE Status run_instant_mayer(Simulation *sim, Diag *diag);
void run_instant_free(RunInstantRoom *room);

// ---- instant_judgement.c: of an instant, what linear algebra says of it.
void instant_judge(const Equations *eq, State *state, Arena *arena, RunInstant *instant);

#endif
