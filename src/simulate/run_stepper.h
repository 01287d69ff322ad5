// run_stepper.h: a run that is followed step by step.
#ifndef ZWANG_SIMULATE_RUN_STEPPER_H
#define ZWANG_SIMULATE_RUN_STEPPER_H

#include "base/memory.h"
#include "simulate/run_report.h"

typedef struct RunCarry RunCarry;     // run_carry.h
typedef struct Simulation Simulation; // simulate.h
typedef struct RunStepper RunStepper;

// Begins at the simulation's start, with what happens there. The simulation, the diag and what the
// listener points to outlive it. STATUS_NEGATIVE where the motion cannot be followed: an error says
// why, here and below; the stepper is to be freed in any case. `carry` may be NULL: what the run
// has counted before, as another stepper has left it. Of rows, those that are asked for below need
// a listener with `states`.
BASE_MUST_USE Status stepper_new(Simulation *sim, const RunListener *listener, Diag *diag,
                                 RunCarry *carry, RunStepper **stepper);
void stepper_free(RunStepper *stepper);
// The same, with what was counted: for one that goes on from its state; and all that is known.
void stepper_leave(RunStepper *stepper, RunCarry *carry);
RunSummary stepper_end(RunStepper *stepper);
// One step, not beyond `until`, which may be infinite, and cut by the first event in it. At the
// simulation's end time nothing is stepped.
BASE_MUST_USE Status stepper_step(RunStepper *stepper, double until);
bool stepper_has_ended(const RunStepper *stepper); // the end time is reached, or a step has failed
RunStop stepper_stop(const RunStepper *stepper);   // the event that has ended it, if one has
double stepper_time(const RunStepper *stepper);
double stepper_last(const RunStepper *stepper); // where the last step began, as far as it is known
double
stepper_length(const RunStepper *stepper); // the largest coordinate so far, in one-sided runs
// Positions and velocities there, n each; whether the last step ends without an event, so that
// these are all that goes on. False where there are none.
bool stepper_state(RunStepper *stepper, double *q, double *v);
// The columns at a time within the last step; NULL where there are none.
const double *stepper_row(RunStepper *stepper, double t);

#endif
