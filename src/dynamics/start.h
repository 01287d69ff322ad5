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

// Names for a message: LIMIT_SETS of them, then how many more there are.
typedef struct {
    Text text;
    size_t count;
} NameList;
void name_list_add(NameList *list, const char *format, ...) BASE_PRINTF(2, 3);
// The whole of it, once; "" for no names.
const char *name_list_end(NameList *list);

typedef struct {
    const Equations *eq;
    State *state;
    const Model *model;
    Diag *diag;
    Arena *arena;
    double *values;     // of model->starts
    bool *held;         // n: the coordinates with a given value
    double *candidates; // n: where the coordinates would start without conditions
    NameList zeros;     // what was not given and became 0
    NameList follows;   // what was found
    bool branch;        // the velocities are those that were found first, from guesses
} Start;
// Completes numbers' q and v at t = 0.
BASE_MUST_USE Status start_complete(const Equations *eq, State *state, Diag *diag);
// The second half of it, at the position found.
BASE_MUST_USE Status start_velocities(Start *start);
// Why there is none: an error.
Status start_contradiction(Start *start);
// From numbers' q to the finite conditions, or as near as it goes; the miss that is left.
double start_search(Start *start);
// A value that was found; against `size`, the largest of its kind, rounding is 0.
void start_say_follows(Start *start, const char *name, double value, double size);
// "x' = 3", as it was asked for; `index` counts model->starts.
void start_list_given(const Start *start, size_t index, NameList *list);
// Expressions in the first so many inputs as numbers at the state; false where one of them holds
// another symbol, which is then *missing.
bool start_evaluate(const Equations *eq, const State *state, const Expr *exprs, size_t count,
                    size_t inputs, double *values, Expr *missing);

#endif
