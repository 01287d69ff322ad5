// event_samples_impl.h: sampled controllers along a run: their times, and what waits to be applied.
#ifndef ZWANG_SIMULATE_EVENT_SAMPLES_IMPL_H
#define ZWANG_SIMULATE_EVENT_SAMPLES_IMPL_H

#include "base/memory.h"

typedef struct EventSamples EventSamples;
typedef struct EventTriggers EventTriggers; // event_triggers_impl.h
typedef struct Simulation Simulation;       // simulation_impl.h

// ---- event_samples.c
// The sampling times of the model are in order; else an error.
BASE_MUST_USE Status samples_check(const Simulation *sim, Diag *diag);
// NULL where the model has none.
EventSamples *samples_new(Arena *arena, const Simulation *sim, const EventTriggers *triggers);
// The next instant of one of them; infinite for none. `samples` may be NULL.
double samples_time(const EventSamples *samples);
// The instant, if a time is the same but for roundings; else that time.
double samples_snap(const EventSamples *samples, double t, double length);
// Those at times up to t are due, and their next instants are told from then on; false where none
// is: each waits for its `while`.
bool samples_take(const EventSamples *samples, EventTriggers *triggers, double t);
// What an event that is due and has a delay does now: it computes (true) or applies.
bool samples_is_computing(const EventSamples *samples, size_t event);
bool samples_has_delay(const EventSamples *samples, size_t event);
// What was computed waits until it is applied.
void samples_hold(const EventSamples *samples, size_t event);

#endif
