// event_detector_impl.h: reactions where more conditions act than are independent.
#ifndef ZWANG_SIMULATE_EVENT_DETECTOR_IMPL_H
#define ZWANG_SIMULATE_EVENT_DETECTOR_IMPL_H

#include "dynamics/unilaterals.h"
#include "linalg/dense.h"
#include "ode/ode.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/gap_functions_impl.h"

// ---- reaction_sharing.c: reactions where more conditions act than are independent.
typedef struct {
    Unilaterals *unilaterals;
    ARRAY(uint32_t) which; // those that act and are not held
    // Room.
    ARRAY(double) parts;
    ARRAY(double) normal;
    Basis basis;
    double *row;
} ReactionSharing;
void reaction_sharing_begin(ReactionSharing *share, const ContactEvent *event);
void reaction_sharing_clear(ReactionSharing *share);
// From the λ that the leg has, at the state where it was evaluated, to those of least norm.
void reaction_sharing_apply(ReactionSharing *share, const ContactMode *mode, double *lambda);

// ---- event_detector.c: what happens first within a step.
typedef enum { DETECTED_IMPACT, DETECTED_GRAZE, DETECTED_RELEASE } DetectedKind;
typedef struct {
    double t;
    size_t index; // of the one-sided condition
    DetectedKind what;
    bool turns; // where f' = 0, not f
    bool inner; // it has touched since the last event
} DetectedEvent;
typedef struct {
    GapFunctions *gaps;
    OdeInterpolantBasis basis;
    const bool *acts; // since the last event
    ReactionSharing share;
    bool *touching;   // since the last event, and has not left since
    double *reaction; // the largest λ since the last event
    double *noise;    // of its λ since then, as it has been seen
    double *samples;  // f, or λ of those that act: ODE_INTERPOLANT_SAMPLES rows of all conditions
    OdeInterpolant *interpolants; // of all conditions
    double spans[2];              // of stretches that are good, of f and of λ; 0 where all were
    bool *touched;                // room: who was touching before the last step
} EventDetector;
void detector_init(EventDetector *detector, GapFunctions *gaps, const bool *acts);
void detector_clear(EventDetector *detector);
// The first event within the last step of a leg; false where there is none. *failed where a state
// inside the step has no reactions.
bool detector_step(EventDetector *detector, ContactMode *mode, DetectedEvent *detected,
                   bool *failed);

#endif
