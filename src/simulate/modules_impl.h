// modules_impl.h: conditions that few models have, hung onto the simulation by hooks.
#ifndef ZWANG_SIMULATE_MODULES_IMPL_H
#define ZWANG_SIMULATE_MODULES_IMPL_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"
#include "simulate/run_result_impl.h"

typedef struct Motion Motion;               // motion_types.h
typedef struct ContactMode ContactMode;     // contact_mode_impl.h
typedef struct SimulationRun SimulationRun; // simulation_run_impl.h
typedef struct Simulation Simulation;       // simulation_impl.h

// ---- simulation_module.c: all of them that apply, one after the other.
bool modules_apply(const Motion *motion);
bool modules_need_speeds(const Motion *motion);
// A start is made in stages; a module has its part after each of them.
typedef enum {
    START_COMPLETE,    // positions and velocities are complete
    START_INDEPENDENT, // it is known which conditions are independent
    START_ACCELERATED, // the accelerations without the module are evaluated
    START_STAGES
} StartStage;
BASE_MUST_USE Status modules_start(Simulation *sim, StartStage stage, Diag *diag);
void modules_clear(Simulation *sim);
void modules_begin(SimulationRun *run);
void modules_end(SimulationRun *run);
void modules_mode_begin(ContactMode *mode);
bool modules_step_is_valid(ContactMode *mode);
bool modules_event(SimulationRun *run, bool stepped, RunResult *result);
bool modules_are_reason(ContactMode *mode);
bool modules_add_reason(const Equations *eq, const State *state, DynamicsOutcome why, Text *text);
// STATUS_OK where no module knows this outcome.
Status modules_start_fails(const Simulation *sim, DynamicsOutcome why, Diag *diag);

#endif
