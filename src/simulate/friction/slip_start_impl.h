// slip_start_impl.h: a sliding that begins from rest in two directions at once.
//
// Its direction is not defined where it begins: u = t·(…) or t²·(…), the direction of the bracket
// being smooth. The first step goes from there to where the direction is known (ode,
// singular_start.h); before the first node of it accelerations and reactions are extrapolated.
#ifndef ZWANG_SIMULATE_SLIP_START_IMPL_H
#define ZWANG_SIMULATE_SLIP_START_IMPL_H

#include "base/memory.h"

typedef struct ContactEvent ContactEvent; // contact_event_impl.h
typedef struct ContactMode ContactMode;   // contact_mode_impl.h
typedef struct SlipStart SlipStart;

// Where friction begins to slide so at the event, the mode that follows it begins so; else as
// usual.
void slip_start_prepare(ContactMode *mode, const ContactEvent *event);
// Whether the mode, which is about to begin at its time, begins so.
bool slip_start_is_due(const ContactMode *mode);
// Finds its first step, with the speeds in use, from the state y of the mode; its end and the
// state there. False where none is found.
bool slip_start_begin(ContactMode *mode, double *end, double *y);
// Whether the state of the mode is before the first node of that step, in its present speeds; then
// accelerations and multipliers are brought there.
bool slip_start_accelerate(ContactMode *mode);
// Whether the last step was such a step.
bool slip_start_was_taken(const ContactMode *mode);

#endif
