// modules_impl.h: conditions that few models have, hung onto the simulation by hooks.
#ifndef ZWANG_SIMULATE_MODULES_IMPL_H
#define ZWANG_SIMULATE_MODULES_IMPL_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"

typedef struct Motion Motion;               // motion_types.h
typedef struct ContactMode ContactMode;     // contact_mode_impl.h
typedef struct SimulationRun SimulationRun; // simulation_run_impl.h
typedef struct Simulation Simulation;       // simulation_impl.h

// How a part of a run ended.
typedef enum {
    RESULT_FINISHED,
    RESULT_CONTINUE,
    RESULT_STOPPED,   // the listener asked for it
    RESULT_FAILED,    // the present mode says why
    RESULT_UNDECIDED, // an event has no answer, which was reported
    RESULT_BROKEN     // the machine failed
} RunResult;

// ---- simulation_module.c: all of them that apply, one after the other.
typedef enum { MODULE_SECOND_CLASS, MODULE_NONLINEAR, MODULE_SERVO, MODULE_COUNT } ModuleKind;
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

// ---- One kind of conditions. Every hook but `applies` may be NULL; the others are called where it
// applies.
typedef struct {
    bool (*applies)(const Motion *motion);
    bool needs_speeds; // each contact mode has a choice of speeds, however large it is
    Status (*start[START_STAGES])(Simulation *sim, Diag *diag);
    void (*clear)(Simulation *sim);
    // A run begins and ends; what it returns is given to the hooks of the run.
    void *(*begin)(SimulationRun *run);
    void (*end)(void *data);
    // A mode begins at a state; a step of it was projected onto the conditions: false, with the
    // mode's reason, where it may not be accepted.
    void (*mode_begin)(ContactMode *mode);
    bool (*step_is_valid)(ContactMode *mode);
    // After a step: true where it has an event in it, which was processed. Where no step is
    // possible, `stepped` is false: true where the run continues in another way.
    bool (*event)(SimulationRun *run, void *data, bool stepped, RunResult *result);
    // The motion cannot be followed further: true where this kind of conditions is why, and the
    // mode has its reason now.
    bool (*is_reason)(ContactMode *mode);
    // In words: why there are no accelerations; DYNAMICS_FOUND: why the steps became short. False:
    // not by it.
    bool (*add_reason)(const Equations *eq, const State *state, DynamicsOutcome why, Text *text);
    // The same at the start: an error.
    Status (*start_fails)(const Simulation *sim, DynamicsOutcome why, Diag *diag);
} SimulationModule;

extern const SimulationModule module_second_class; // conditions on accelerations
extern const SimulationModule module_nonlinear;    // conditions not linear in the velocities
extern const SimulationModule module_servo;        // conditions that servos keep

#endif
