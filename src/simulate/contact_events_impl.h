// contact_events_impl.h: an event of unilateral conditions in a run.
#ifndef ZWANG_SIMULATE_CONTACT_EVENTS_IMPL_H
#define ZWANG_SIMULATE_CONTACT_EVENTS_IMPL_H

#include "simulate/run_result_impl.h"

typedef struct DetectedEvent DetectedEvent; // event_detector_impl.h
typedef struct SimulationRun SimulationRun; // simulation_run_impl.h

// From the state before an event of contacts, of which a row was recorded, to the row after.
RunResult contacts_process(SimulationRun *run, const DetectedEvent *found);
// The same from another state of the same time, which an event has made, and with its impulse (may
// be NULL).
RunResult contacts_restart(SimulationRun *run, const double *q, const double *v,
                           const double *impulse);
// Whether forces that have jumped press a condition that is met at rest and does not act yet: its
// event.
bool contacts_are_pressed(SimulationRun *run, DetectedEvent *found);
// The conditions that touch as they were found for the start, and the first mode: none acts yet
// where the velocities jump there.
RunResult contacts_begin(SimulationRun *run);

#endif
