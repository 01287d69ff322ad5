// gap_bounds_impl.h: gaps bounded on the polynomial of a step.
#ifndef ZWANG_SIMULATE_GAP_BOUNDS_IMPL_H
#define ZWANG_SIMULATE_GAP_BOUNDS_IMPL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ContactMode ContactMode;     // contact_mode_impl.h
typedef struct EventDetector EventDetector; // event_detector_impl.h

// The first time in a part of the last step at which a condition that does not act is violated by
// more than counts as 0. *t is that time and *which the condition; `undecided` where too many
// subdivisions do not tell whether it is.
typedef enum { GAPS_HOLD, GAPS_VIOLATED, GAPS_UNDECIDED } GapAnswer;
GapAnswer gaps_bound(EventDetector *detector, ContactMode *mode, double from, double to,
                     size_t *which, double *t);

#endif
