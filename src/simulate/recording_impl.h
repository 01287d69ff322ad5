// recording_impl.h: rows and events, as the listener gets them.
#ifndef ZWANG_SIMULATE_RECORDING_IMPL_H
#define ZWANG_SIMULATE_RECORDING_IMPL_H

#include "simulate/run_result_impl.h"

typedef struct RunEvent RunEvent;           // run_report.h
typedef struct SimulationRun SimulationRun; // simulation_run_impl.h

// The row of the present mode's numbers. RESULT_STOPPED where the listener has had enough,
// RESULT_UNDECIDED where something constant has changed: it is then not given.
RunResult record_row(SimulationRun *run, bool at_event);
bool record_progress(const SimulationRun *run, double t);
void record_event(SimulationRun *run, const RunEvent *record);
// The time of the next row; *last where it is the one at the end.
double record_next_row(const SimulationRun *run, bool *last);
// Whether that is at this time, which an event has: it is then one of the event's.
bool record_is_row(const SimulationRun *run, double t);
// The rows up to the state reached, from the inside of the last step where they lie there, without
// those from an event on; INFINITY for none.
RunResult record_rows(SimulationRun *run, double event);
// The row after an event at the state reached, which was evaluated.
RunResult record_after_event(SimulationRun *run);
// The row at the time of a sample without rows of its own, if one was asked for there.
RunResult record_after_sample(SimulationRun *run);
// The row at the end of a run that an event has stopped, unless it is told already;
// RESULT_FINISHED.
RunResult record_end(SimulationRun *run);
// The columns at the present state, which was evaluated.
const double *record_fill(SimulationRun *run);
// The energy at the present state; what an event has changed of it.
double record_energy(const SimulationRun *run);
void record_energy_change(SimulationRun *run, double change);
// The row that the record of an event has: of the state that was evaluated last; of one inside the
// last step. NULL where nobody asks for it.
const double *record_state(SimulationRun *run);
const double *record_state_at(SimulationRun *run, double t);

#endif
