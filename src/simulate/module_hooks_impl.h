// module_hooks_impl.h: one kind of conditions that few models have, as hooks.
#ifndef ZWANG_SIMULATE_MODULE_HOOKS_IMPL_H
#define ZWANG_SIMULATE_MODULE_HOOKS_IMPL_H

#include "simulate/modules_impl.h"

// Every hook but `applies` may be NULL; the others are called where it applies.
typedef struct {
    bool (*applies)(const Motion *motion);
    bool needs_speeds; // each contact mode has a choice of speeds, however large it is
    Status (*start[START_STAGES])(Simulation *sim, Diag *diag);
    void (*clear)(Simulation *sim);
    // A run begins and ends.
    void (*begin)(SimulationRun *run);
    void (*end)(SimulationRun *run);
    // A mode begins at a state; a step of it was projected onto the conditions: false, with the
    // mode's reason, where it may not be accepted.
    void (*mode_begin)(ContactMode *mode);
    bool (*step_is_valid)(ContactMode *mode);
    // After a step: true where it has an event in it, which was processed. Where no step is
    // possible, `stepped` is false: true where the run continues in another way.
    bool (*event)(SimulationRun *run, bool stepped, RunResult *result);
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
extern const SimulationModule module_friction;     // reactions that friction makes unbounded

#endif
