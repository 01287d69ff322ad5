// recorded_state_impl.h: the row that the record of an event has. NULL where nobody asks for it.
#ifndef ZWANG_SIMULATE_RECORDED_STATE_IMPL_H
#define ZWANG_SIMULATE_RECORDED_STATE_IMPL_H
typedef struct SimulationRun SimulationRun; // simulation_run_impl.h
// ---- recording.c: of the state that was evaluated last; of one inside the last step.
const double *record_state(SimulationRun *run);
const double *record_state_at(SimulationRun *run, double t);
#endif
