// careful_steps_impl.h: steps that pass over nothing.
#ifndef ZWANG_SIMULATE_CAREFUL_STEPS_IMPL_H
#define ZWANG_SIMULATE_CAREFUL_STEPS_IMPL_H

#include "ode/outcome.h"

#include <stdbool.h>

typedef struct SimulationRun SimulationRun; // simulation_run_impl.h

// ---- careful_steps.c
// One step of the integrator that passes over nothing, not beyond `until`: it ends before what the
// time alone does, is taken again, shorter, where something narrow lies inside it, and crosses
// singular positions. *input where no step is short enough for what the time alone does.
OdeOutcome careful_step(SimulationRun *run, double until, bool *input);

#endif
