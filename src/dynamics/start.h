// start.h: starts that satisfy the conditions.
#ifndef ZWANG_DYNAMICS_START_H
#define ZWANG_DYNAMICS_START_H

#include "base/strings.h"
#include "dynamics/dynamics.h"

typedef struct Model Model; // model.h

// ---- servo_failure.c: the forces of servos cannot keep their conditions at numbers' state.
void servos_add_reason(const Equations *eq, const State *state, Text *text);
Status servos_fail(const Equations *eq, const State *state, Diag *diag);

// ---- inertia_check.c
// Warns of masses and moments of inertia below 0 at numbers' present state.
void inertia_check(const Equations *eq, const State *state, Diag *diag);

// ---- start_position.c, start_contradiction.c, start_velocity.c: starts that satisfy the
// constraints.
typedef struct {
    const Equations *eq;
    State *state;
    const Model *model;
    Diag *diag;
    double *values;     // of model->starts
    bool *held;         // n: the coordinates with a given value
    bool *said;         // n: the coordinates whose velocities are spoken of already
    double *candidates; // n: where the coordinates would start without conditions
    Text zeros;         // what was not given and became 0
    size_t zero_count;
    Text follows; // what was found
    size_t follow_count;
    double size; // the largest of the values that are being spoken of
    bool branch; // the velocities are those that were found first, from guesses
} Start;
// Completes numbers' q and v at t = 0.
BASE_MUST_USE Status start_complete(const Equations *eq, State *state, Diag *diag);
// The second half of it, at the position found.
BASE_MUST_USE Status start_velocities(Start *start);
// Why there is none: an error.
Status start_contradiction(Start *start);
// From numbers' q to the finite conditions, or as near as it goes; the miss that is left.
double start_search(Start *start);
double start_largest(const double *values, size_t count);
void start_say_zero(Start *start, const char *name);
void start_say_follows(Start *start, const char *name, double value);
// "x' = 3", as it was asked for; `index` counts model->starts.
void start_print_given(const Start *start, size_t index, Text *out);

#endif
