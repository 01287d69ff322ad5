// event_states_impl.h: discrete states, which events set.
#ifndef ZWANG_SIMULATE_EVENT_STATES_IMPL_H
#define ZWANG_SIMULATE_EVENT_STATES_IMPL_H

#include "base/memory.h"
#include "simulate/run_result_impl.h"

typedef struct ContactMode ContactMode; // contact_mode_impl.h
typedef struct ModelAction ModelAction; // model/events.h
typedef struct ModelEvent ModelEvent;
typedef struct Motion Motion;               // motion_types.h
typedef struct Simulation Simulation;       // simulation_impl.h
typedef struct SimulationRun SimulationRun; // simulation_run_impl.h

// ---- event_states.c: they are parameters of the programs, with numbers of their own in a run.
bool states_are_in_equations(const Motion *motion);
// What a `set` has changed.
typedef enum {
    STATES_SAME,
    STATES_ASIDE,       // states that no equation holds
    STATES_IN_FORCES,   // states in forces and potentials, whose programs take any value
    STATES_IN_EQUATIONS // states in conditions, inertia, or what was worked out with their values
} StateChange;
// Gives the states of a `set` these values.
StateChange states_set(SimulationRun *run, const ModelAction *action, const double *values);
// The motion goes on with them after a sample, from where it is.
RunResult states_go_on(SimulationRun *run, StateChange change);
// Whether an event sets states that the energies hold.
bool states_are_in_energy(SimulationRun *run, const ModelEvent *event);
// A mode that was made along a run has the states of the run.
void states_share(const Simulation *sim, ContactMode *mode);
// As the model gives them, and the start, after a run that has changed them.
void states_restore(Simulation *sim, Diag *diag);
// Whether what holds for a while is something else now.
bool states_switch(SimulationRun *run);
// From a state on with equations in which states have changed, or with what holds now.
RunResult states_renew(SimulationRun *run, const double *q, const double *v);

#endif
