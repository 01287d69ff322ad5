// start_impl.h: what start_position.c, start_contradiction.c and start_velocity.c share.
#ifndef ZWANG_DYNAMICS_START_IMPL_H
#define ZWANG_DYNAMICS_START_IMPL_H

#include "base/memory.h"
#include "base/strings.h"
#include "dynamics/dynamics_outcome.h"
#include "expr/expr_types.h"
#include "model/model.h"

// Names for a message: LIMIT_SETS of them, then how many more there are.
typedef struct {
    Text text;
    size_t count;
} NameList;
void name_list_add(NameList *list, const char *format, ...) BASE_PRINTF(2, 3);
// The whole of it, once; "" for no names.
const char *name_list_end(NameList *list);

typedef struct Motion Motion; // motion_types.h

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
    NameList moved;     // what was given and missed the conditions by rounding
    bool branch;        // the velocities are those that were found first, from guesses
} Start;
// From far away, onto the finite conditions, or as near as it can be found; returns the miss that
// is left. `gently` begins with small steps.
double positions_search(const Equations *eq, State *state, bool gently);
// Exactly on a switch of abs, sign, min or max: to the side to which the given velocities lead, by
// less than can be told from the position found. An error where the text has no value there.
BASE_MUST_USE Status start_leave_switches(Start *start);
// The second half of it, at the position found.
BASE_MUST_USE Status start_velocities(Start *start);
// Which velocities the conditions are written for, so that these follow from the others: those on
// one side alone of a condition, and those that are the only ones in it with a constant factor.
void start_find_dependent(const Motion *motion, bool *dependent);
// Why there is none: an error.
Status start_contradiction(Start *start);
// Of a coordinate, its velocity or a declared speed.
const char *start_name(const Model *model, StartOf of, size_t target);
// A value that was found; against `size`, the largest of its kind, rounding is 0.
void start_say_follows(Start *start, const char *name, double value, double size);
// Where a coordinate stands by its name, those that are held last: whatever a search does with one
// coordinate and not with another goes by this, not by the order of the declarations.
size_t start_place(const Start *start, size_t coordinate);
// A given value that was moved onto the conditions, by more than rounding against `size`.
void start_say_moved(Start *start, size_t index, double value, double size);
// "x' = 3", as it was asked for; `index` counts model->starts.
void start_list_given(const Start *start, size_t index, NameList *list);
// Expressions in the first so many inputs as numbers at the state; false where one of them holds
// another symbol, which is then *missing.
bool start_evaluate(const Equations *eq, const State *state, const Expr *exprs, size_t count,
                    size_t inputs, double *values, Expr *missing);

#endif
