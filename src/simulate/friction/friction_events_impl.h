// friction_events_impl.h: friction at the events of a run.
#ifndef ZWANG_SIMULATE_FRICTION_EVENTS_IMPL_H
#define ZWANG_SIMULATE_FRICTION_EVENTS_IMPL_H

#include <stddef.h>

typedef struct ContactEvent ContactEvent;   // contact_event_impl.h
typedef struct SimulationRun SimulationRun; // simulation_run_impl.h

// ---- friction_events.c
// Before an event is solved: what was found by one of the functions that are watched; SIZE_MAX: by
// none.
void friction_begin(ContactEvent *event, size_t found);
// Of a speed in several rows, which was followed down to a small part of it: the event is moved to
// where it is 0, as the state of the mode that ends has it. False where the speed is not small: it
// has turned by a right angle within the step.
typedef struct ContactMode ContactMode; // contact_mode_impl.h
BASE_MUST_USE bool friction_finish_stop(ContactEvent *event, const ContactMode *mode, size_t found);
// After it: a record for each friction that sticks, slides or turns round since.
void friction_record(SimulationRun *run);
// What friction of a condition does a little later is what it does.
void friction_take_later(ContactEvent *event, const ContactEvent *later, size_t side);

#endif
