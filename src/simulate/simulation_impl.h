// simulation_impl.h: the simulation of one motion: options, start, base mode.
#ifndef ZWANG_SIMULATE_SIMULATION_IMPL_H
#define ZWANG_SIMULATE_SIMULATION_IMPL_H

#include "base/memory.h"
#include "simulate/run_options.h"
#include "simulate/run_start.h"

typedef struct ContactMode ContactMode;     // contact_mode_impl.h
typedef struct Motion Motion;               // motion.h
typedef struct RunAudit RunAudit;           // run_audit.h
typedef struct RunBranches RunBranches;     // branches.h
typedef struct Simulation Simulation;       // simulate.h
typedef struct StartContacts StartContacts; // start_contacts_impl.h
typedef struct State State;                 // dynamics.h
typedef struct StopRequest StopRequest;     // stop_request.h

struct Simulation {
    Arena *arena;
    Motion *motion;
    RunOptions settings;
    ContactMode *base;       // holds no unilateral condition; the start is its state at first
    StartContacts *contacts; // unilateral conditions and impulses at the start
    RunBranches *branches;   // stationary points of Gauss's function at the start; NULL for one
    RunStart start;
    struct RatesStore *store;        // what run_repeat takes over; NULL: nothing is kept
    const State *told;               // at the row that was recorded last; NULL before
    RunAudit *audit;                 // NULL where nobody asked for one; not owned
    struct StepError *step_error;    // of steps of fixed length, while they are compared; else NULL
    StopRequest *stop;               // while a run is in progress
    struct WhileMotions *whiles;     // of what holds for a while (event_whiles.c); else NULL
    struct Sensitivity *sensitivity; // derivatives that were asked for; else NULL
    struct RunOrigin *origin;        // where runs begin, if the last one was renewed; else NULL
    struct StateKinds *kinds;        // of discrete states (event_states.c); NULL before one is set
    struct EventTriggers *triggers;  // of a run that is being renewed; else NULL
};

// ---- run_options.c: what was asked for, else what the model's `run` line says, else the defaults.
// Whether the method knows the forces of a motion, also such as hold reactions not linearly.
bool options_follow(const Motion *motion, const RunOptions *settings);
BASE_MUST_USE Status options_resolve(const Motion *motion, const RunOptions *given, Diag *diag,
                                     RunOptions *settings);

#endif
