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
// The same on the straight way from a place to another close by.
GapAnswer gaps_bound_line(EventDetector *detector, double from, const double *q, double to,
                          const double *q_to, size_t n, size_t *which);

// f of a condition between neighbouring times, about one of the last step.
typedef struct {
    bool rises;      // before that time and after it
    bool turns;      // it rises before, and falls after
    double most;     // of its values
    double tangents; // where the tangents of both sides meet, and what rounding makes of it
    double size;     // what it is measured by there
} GapTurn;
bool gaps_turn(EventDetector *detector, ContactMode *mode, size_t side, double t, GapTurn *turn);

#endif
