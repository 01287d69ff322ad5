// event_reset_impl.h: what an event sets, and what follows from it.
#ifndef ZWANG_SIMULATE_EVENT_RESET_IMPL_H
#define ZWANG_SIMULATE_EVENT_RESET_IMPL_H

#include "base/memory.h"

typedef struct Equations Equations;       // equations_types.h
typedef struct Evaluator Evaluator;       // dynamics/evaluator.h
typedef struct GapFunctions GapFunctions; // gap_functions_impl.h
typedef struct ModelAction ModelAction;   // model/events.h
typedef struct State State;               // equations_types.h

// ---- event_reset.c
// One `set` with its values, and what tells of velocities and speeds what they are.
typedef struct {
    const ModelAction *action;
    const double *values; // as many as it sets
    Evaluator *numbers;   // behind as many outputs n + 1 for each: row·q' + constant is its value
    Evaluator *kept;      // likewise the k speeds that are kept; NULL: those of the state
} ResetValues;
// From the state, which is moved: what is set has its values, other coordinates and the
// speeds of the motion keep theirs, and velocities that conditions fix follow. False, and a reason
// that goes on behind "the reset of 'e' at t = …", where the conditions fail, or where more than
// one speed could give way.
bool reset_apply(const Equations *eq, State *state, const GapFunctions *gaps,
                 const ResetValues *reset, Text *reason);

#endif
