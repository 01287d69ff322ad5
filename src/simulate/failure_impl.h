// failure_impl.h: why a motion cannot be followed further, in words.
#ifndef ZWANG_SIMULATE_FAILURE_IMPL_H
#define ZWANG_SIMULATE_FAILURE_IMPL_H

#include "dynamics/dynamics.h"
#include "ode/ode.h"

// ---- failure.c: why a motion cannot be followed further, in words.
// Why there is no rate.
void failure_add_reason(const Equations *eq, const State *state, DynamicsOutcome why, Text *text);
// Why the steps became short.
const char *failure_why_short(const Equations *eq, const State *state, OdeOutcome outcome);
// The part of numbers' state that changes fastest, against its size.
void failure_add_runaway(const Equations *eq, const State *state, Text *text);

#endif
