// run_stepper.h: a run that is followed step by step.
#ifndef ZWANG_SIMULATE_RUN_STEPPER_H
#define ZWANG_SIMULATE_RUN_STEPPER_H

#include "base/memory.h"
#include "simulate/run_report.h"

typedef struct Simulation Simulation; // simulate.h
typedef struct RunStepper RunStepper;

// Begins at the simulation's start, with what happens there. The simulation, the diag and what the
// listener points to outlive it. STATUS_NEGATIVE where the motion cannot be followed: an error says
// why, here and below; the stepper is to be freed in any case. Not for the method timestepping.
BASE_MUST_USE Status stepper_new(Simulation *sim, const RunListener *listener, Diag *diag,
                                 RunStepper **stepper);
void stepper_free(RunStepper *stepper);
// One step, not beyond `until`, which may be infinite, and cut by the first event in it. At the
// simulation's end time nothing is stepped.
BASE_MUST_USE Status stepper_step(RunStepper *stepper, double until);
bool stepper_has_ended(const RunStepper *stepper); // the end time is reached, or a step has failed
double stepper_time(const RunStepper *stepper);
double stepper_last(const RunStepper *stepper); // where the last step began, as far as it is known
// The columns at a time within the last step; NULL where there are none.
const double *stepper_row(RunStepper *stepper, double t);
RunSummary stepper_summary(const RunStepper *stepper);

#endif
