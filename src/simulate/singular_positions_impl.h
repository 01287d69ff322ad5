// singular_positions_impl.h: positions along a motion at which its conditions become dependent.
#ifndef ZWANG_SIMULATE_SINGULAR_POSITIONS_IMPL_H
#define ZWANG_SIMULATE_SINGULAR_POSITIONS_IMPL_H

#include "base/memory.h"
#include "ode/outcome.h"
#include "simulate/run_result_impl.h"

typedef struct ContactMode ContactMode; // contact_mode_impl.h
typedef struct Simulation Simulation;   // simulation_impl.h
typedef struct SimulationRun SimulationRun;
typedef struct SingularPositions SingularPositions;

// ---- singular_positions.c
// NULL where nothing can become dependent, or the method has no series. All others take NULL.
SingularPositions *singular_new(Arena *arena, const Simulation *sim);
void singular_clear(SingularPositions *singular);
// One step of the mode, not beyond `until`: across a singular position where one is next.
OdeOutcome singular_step(SingularPositions *singular, ContactMode *mode, double until);
// After a step that is not across: whether it went too near to one, so that it is taken again.
bool singular_lies_ahead(SingularPositions *singular, ContactMode *mode);
// After a step that is not of a series: whether there is one inside it and the step is not seen to
// go across on the branch on which it came.
bool singular_is_met(SimulationRun *run);
bool singular_is_seen(const SingularPositions *singular); // in the last step, or ahead
// Whether a step failed because the motion does not continue across such a position, or, where it
// is known that it failed `otherwise`, ended near to one; it is reported then.
bool singular_fails(SimulationRun *run, bool otherwise, RunResult *result);

// ---- mode_integration.c
// To where the last step began, so that it is taken again.
bool mode_go_back(ContactMode *mode);
// The same where what was behind a switch has entered the polynomial.
bool mode_go_back_before_switch(ContactMode *mode);

#endif
