// event_detector_impl.h: the first event within a step.
#ifndef ZWANG_SIMULATE_EVENT_DETECTOR_IMPL_H
#define ZWANG_SIMULATE_EVENT_DETECTOR_IMPL_H

#include "base/memory.h"

typedef struct ContactEvent ContactEvent; // contact_event_impl.h
typedef struct ContactMode ContactMode;   // contact_mode_impl.h
typedef struct Switches Switches;         // switch_functions_impl.h

// ---- event_detector.c
typedef enum {
    DETECTED_IMPACT,
    DETECTED_GRAZE,
    DETECTED_RELEASE,
    DETECTED_SWITCH,
    DETECTED_EVENT,    // of the model
    DETECTED_FRICTION, // what slides comes to rest, or what sticks leaves its cone
    // What nobody has to search for: its time is known before.
    DETECTED_START,
    DETECTED_IMPULSE,
    DETECTED_REST // infinitely many impacts have accumulated
} DetectedKind;
typedef struct DetectedEvent {
    double t;
    size_t index; // of the unilateral condition, the switch function or the model's event;
                  // SIZE_MAX: of none
    DetectedKind what;
    size_t friction; // of DETECTED_FRICTION: which of its functions (friction_watch.c)
    bool turns;      // where f' = 0, not f
    bool inner;      // it has touched since the last event
} DetectedEvent;

// Of a unilateral condition.
typedef struct {
    bool touching;   // since the last event, and has not left since
    bool touched;    // the same before the last step
    double reaction; // the largest λ since the last event
    double noise;    // of its λ since then, as it has been seen
    double let_go;   // when its λ was last seen to go through 0
    double entry;    // f' where it came into its band, if it is there
    double rises_on; // up to here it has not turned within its band
    bool loose;      // it acts, but what counted as 0 there was more than rounding
} WatchedContact;
typedef struct EventDetector {
    const ContactEvent *event; // the last one
    Switches *switches;
    size_t count;
    WatchedContact *sides;   // count
    double *sizes;           // of what is watched of friction: the largest since the last event
    double *noises;          // and what of it is noise, as it has been seen since then
    DetectedEvent undecided; // where it cannot be told whether a condition is violated
    double bounded;          // what f is bounded by where it is above 0, so far
    struct DetectorWorkspace *work;
    struct EventTriggers *triggers; // of the model's events; NULL where it has none
} EventDetector;
EventDetector *detector_new(Arena *arena, const ContactEvent *event, Switches *switches,
                            struct EventTriggers *triggers);
// After an event: what is watched from now on.
void detector_begin(EventDetector *detector);
// The first event within the last step of a mode; false where there is none. *failed where a state
// inside the step cannot be evaluated.
bool detector_step(EventDetector *detector, ContactMode *mode, DetectedEvent *detected,
                   bool *failed);

#endif
