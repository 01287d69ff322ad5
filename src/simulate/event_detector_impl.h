// event_detector_impl.h: the first event within a step.
#ifndef ZWANG_SIMULATE_EVENT_DETECTOR_IMPL_H
#define ZWANG_SIMULATE_EVENT_DETECTOR_IMPL_H

#include "linalg/dense.h"
#include "ode/interpolant.h"
#include "ode/ode.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/switch_functions_impl.h"

// ---- reaction_sharing.c: reactions where more conditions act than are independent.
typedef struct {
    Unilaterals *unilaterals;
    ARRAY(uint32_t) which; // those that act and are not held
    // Workspace.
    ARRAY(double) parts;
    ARRAY(double) normal;
    Basis basis;
    double *row;
} ReactionSharing;
void reaction_sharing_begin(ReactionSharing *share, const ContactEvent *event);
void reaction_sharing_clear(ReactionSharing *share);
// From the λ that the mode has, at the state where it was evaluated, to those of least norm.
void reaction_sharing_apply(ReactionSharing *share, const ContactMode *mode, double *lambda);

// ---- event_detector.c
typedef enum { DETECTED_IMPACT, DETECTED_GRAZE, DETECTED_RELEASE, DETECTED_SWITCH } DetectedKind;
typedef struct {
    double t;
    size_t index; // of the unilateral condition, or of the switch function
    DetectedKind what;
    bool turns; // where f' = 0, not f
    bool inner; // it has touched since the last event
} DetectedEvent;

// Functions of time whose roots are events: f of the conditions that do not act, λ of those that
// act, and what decides the branches of switch functions.
typedef enum { WATCH_GAPS, WATCH_REACTIONS, WATCH_SWITCHES, WATCH_KINDS } WatchKind;
typedef struct {
    size_t count;
    double *samples; // ODE_INTERPOLANT_SAMPLES rows of all functions
    OdeInterpolant *interpolants;
    double span; // of intervals that were short enough; 0 where all were
} WatchedFunctions;
typedef struct {
    GapFunctions *gaps;
    const bool *acts; // since the last event
    Switches *switches;
    WatchedFunctions watched[WATCH_KINDS];
    OdeInterpolantBasis basis;
    ReactionSharing share;
    bool *touching;   // since the last event, and has not left since
    bool *touched;    // the same before the last step
    double *reaction; // the largest λ since the last event
    double *noise;    // of its λ since then, as it has been seen
} EventDetector;
// `switches` is NULL where steps end at switches.
void detector_init(EventDetector *detector, Arena *arena, GapFunctions *gaps, const bool *acts,
                   Switches *switches);
void detector_clear(EventDetector *detector);
// The first event within the last step of a mode; false where there is none. *failed where a state
// inside the step cannot be evaluated.
bool detector_step(EventDetector *detector, ContactMode *mode, DetectedEvent *detected,
                   bool *failed);

#endif
