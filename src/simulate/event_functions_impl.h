// event_functions_impl.h: functions of time whose roots are events, and what happens to one of
// them.
#ifndef ZWANG_SIMULATE_EVENT_FUNCTIONS_IMPL_H
#define ZWANG_SIMULATE_EVENT_FUNCTIONS_IMPL_H

#include "ode/interpolant.h"
#include "simulate/event_detector_impl.h"

// Functions of time whose roots are events: f of the conditions that do not act, λ of those that
// act, what decides the branches of switch functions, what friction does (friction_watch.c), and
// what the model's events wait for (events/event_triggers.c).
typedef enum {
    WATCH_GAPS,
    WATCH_REACTIONS,
    WATCH_SWITCHES,
    WATCH_FRICTION,
    WATCH_EVENTS,
    WATCH_KINDS
} WatchKind;
typedef struct {
    size_t count;
    double *samples; // ODE_INTERPOLANT_SAMPLES rows of all functions
    OdeInterpolant *interpolants;
    double *noise; // of what decides branches: what roundings of the coordinates make of it
    double span;   // of intervals that were short enough; 0 where all were
} WatchedFunctions;
typedef struct DetectorWorkspace {
    WatchedFunctions watched[WATCH_KINDS];
    OdeInterpolantBasis basis;
} DetectorWorkspace;

// ---- event_functions.c
// An event of a kind, at a time; always true.
bool event_detect(DetectedEvent *detected, DetectedKind what, size_t index, double t);
// Whether something happens to a function within its interpolant, and what.
extern bool (*const event_sees[WATCH_KINDS])(EventDetector *detector, size_t i, OdeInterpolant *fit,
                                             DetectedEvent *detected);
// Whether what decides a branch comes so near to 0 that roundings of what it is elsewhere in the
// interval hide whether it changes its sign.
bool event_hides_switch(OdeInterpolant *fit, double own_noise, int sign);
// The first time from `after` on where what decides a branch changes its sign; infinite for none.
// *back: where it has its own sign again.
double event_next_switch(EventDetector *detector, size_t i, OdeInterpolant *fit, double after,
                         double *back);

#endif
