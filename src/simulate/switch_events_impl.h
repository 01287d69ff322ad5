// switch_events_impl.h: what happens where abs, sign, min or max switches.
#ifndef ZWANG_SIMULATE_SWITCH_EVENTS_IMPL_H
#define ZWANG_SIMULATE_SWITCH_EVENTS_IMPL_H

#include "simulate/run_result_impl.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ContactMode ContactMode;     // contact_mode_impl.h
typedef struct SimulationRun SimulationRun; // simulation_run_impl.h

// ---- switch_events.c
// When the state just before the switch of a function was, at the end of the mode's step.
double switch_before(const SimulationRun *run, size_t which);
// A time as it is shown: that of the switch at which it is.
double switch_shown_time(const SimulationRun *run, double t);
// To where a function has switched, found inside a step that now ends there: its new sign, and the
// state on that side. False where there are no rates.
bool switch_pass(SimulationRun *run, size_t which);
// Moves the mode's state, which has been evaluated at the end of its step, beyond the functions
// that would switch exactly there; false where it has no rates then.
bool switch_leave_end(SimulationRun *run);
// From that state, which has been evaluated and recorded, to the row after the switch.
RunResult switch_process(SimulationRun *run, size_t which, double before);
// What the state has passed by some last digits at an event of the same instant is passed behind
// it; what jumps at the event switches there.
RunResult switch_catch_up(SimulationRun *run);
// Whether the steps have become short without end because there is a switch at the state reached,
// which each of them sees in some of its stages: it is passed, and *result says how.
bool switch_ends_steps(SimulationRun *run, RunResult *result);
// Derivatives across a switch at which nothing but accelerations jumps; leaves the evaluated state
// behind it.
RunResult switch_pass_derivatives(SimulationRun *run, size_t which);
// From the evaluated state behind a switch, once what there is to tell has been told.
RunResult switch_go_on(SimulationRun *run, size_t which, RunResult result);
// Whether the state lies on the surface at which the energy jumps, so that nothing tells what an
// impulse does there: *result ends the run.
bool switch_meets_impulse(SimulationRun *run, RunResult *result);

// ---- mode_integration.c
// From the state reached, where the rates have jumped and will do so again at `until`.
bool mode_restart_after_jump(ContactMode *mode, double until);

#endif
