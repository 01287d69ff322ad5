// simulation_module_impl.h: conditions that few models have, hung onto the simulation by hooks.
#ifndef ZWANG_SIMULATE_SIMULATION_MODULE_IMPL_H
#define ZWANG_SIMULATE_SIMULATION_MODULE_IMPL_H

#include "dynamics/dynamics.h"
#include "ode/ode.h"
#include "simulate/simulate.h"

typedef struct ContactMode ContactMode; // contact_mode_impl.h
typedef struct Journey Journey;         // journey_impl.h

// How a part of a run ended.
typedef enum {
    RESULT_FINISHED,
    RESULT_CONTINUE,
    RESULT_STOPPED,   // the listener asked for it
    RESULT_FAILED,    // the present mode says why
    RESULT_UNDECIDED, // an event has no answer, which was reported
    RESULT_BROKEN     // the machine failed
} RunResult;

// ---- One kind of conditions. Every hook but `applies` may be NULL; the others are called where it
// applies.
typedef struct {
    bool (*applies)(const Motion *motion);
    bool needs_speeds; // each contact mode has a choice of speeds, however large it is
    // The start: once positions and velocities are complete; once it is known which conditions are
    // independent; once the accelerations without it are evaluated.
    Status (*check_start)(Run *run, Diag *diag);
    Status (*check_speeds)(Run *run, Diag *diag);
    Status (*start)(Run *run, Diag *diag);
    void (*clear)(Run *run);
    // A run begins and ends; what it returns is given to the hooks of the run.
    void *(*begin)(Journey *journey);
    void (*end)(void *data);
    // A mode begins at a state; a step of it was projected onto the conditions: false, with the
    // mode's reason, where it may not be accepted.
    void (*mode_begin)(ContactMode *mode);
    bool (*step_is_valid)(ContactMode *mode);
    // After a step: true where it has an event in it, which was processed.
    bool (*event)(Journey *journey, void *data, RunResult *result);
    // Where no step is possible: true where the run continues in another way.
    bool (*no_step)(Journey *journey, void *data, RunResult *result);
    // The motion cannot be followed further: true where this kind of conditions is why, and the
    // mode has its reason now.
    bool (*is_reason)(ContactMode *mode);
    // In words: why there are no accelerations; why the steps became short. False, NULL: not by it.
    bool (*add_reason)(const Equations *eq, const State *state, DynamicsOutcome why, Text *text);
    const char *(*short_steps)(const Equations *eq, const State *state);
    // The same at the start: an error.
    Status (*start_fails)(const Run *run, DynamicsOutcome why, Diag *diag);
} SimulationModule;

extern const SimulationModule module_second_class; // conditions on accelerations
extern const SimulationModule module_nonlinear;    // conditions not linear in the velocities
extern const SimulationModule module_servo;        // conditions that servos keep

// ---- simulation_module.c: all of them that apply, one after the other.
enum { MODULE_COUNT = 3 };
bool modules_apply(const Motion *motion);
bool modules_need_speeds(const Motion *motion);
BASE_MUST_USE Status modules_check_start(Run *run, Diag *diag);
BASE_MUST_USE Status modules_check_speeds(Run *run, Diag *diag);
BASE_MUST_USE Status modules_start(Run *run, Diag *diag);
void modules_clear(Run *run);
void modules_begin(Journey *journey);
void modules_end(Journey *journey);
void modules_mode_begin(ContactMode *mode);
bool modules_step_is_valid(ContactMode *mode);
bool modules_event(Journey *journey, RunResult *result);
bool modules_no_step(Journey *journey, RunResult *result);
bool modules_are_reason(ContactMode *mode);
bool modules_add_reason(const Equations *eq, const State *state, DynamicsOutcome why, Text *text);
const char *modules_short_steps(const Equations *eq, const State *state);
// STATUS_OK where no module knows this outcome.
Status modules_start_fails(const Run *run, DynamicsOutcome why, Diag *diag);

#endif
