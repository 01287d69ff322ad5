// keeps.h: what is kept of every run of a sweep.
#ifndef ZWANG_ENSEMBLE_KEEPS_H
#define ZWANG_ENSEMBLE_KEEPS_H

#include "base/memory.h"
#include "base/place.h"
#include "base/text_builder.h"

typedef struct RunListener RunListener; // simulate/run_report.h
typedef struct Simulation Simulation;   // simulate/simulate.h
typedef struct Program Program;         // program/program.h
typedef struct KeepPlan KeepPlan;
typedef struct KeepState KeepState;

// What a run has: its columns, of which the first is t, its parameters, and the names that events
// may go by: conditions, and the labels of events.
typedef struct {
    const char *const *columns;
    const char *const *definitions; // of each column: the expression that it has by the model; or
                                    // NULL
    size_t column_count;
    const char *const *params;
    size_t param_count;
    const char *const *labels;
    size_t label_count;
    const char *const *diffs; // what the times of events are differentiated by: "m", "x(0)"
    size_t diff_count;
} KeepNames;

// A list that a run has of: rows, events, or the states at events. Its columns.
typedef enum { KEEP_ROWS, KEEP_EVENTS, KEEP_SECTION } KeepListKind;
typedef struct {
    KeepListKind kind;
    const char *word;  // as it was asked for: "rows", "section(strike)"
    const char *event; // of a section
    size_t width;
    const char *const *columns; // "time", then those of a run; "time", "kind", "name", …
} KeepList;
// Of events: time, kind and name as numbers (run_event_name; of the labels, 0 for none, from 1),
// impulse, energy lost, then how the time changes with what runs are differentiated by.
enum { KEEP_EVENT_WIDTH = 5 };
// The names behind the comma of every diff(x,NAME) in what is to be kept, as --sensitivity has them
// ("m,x'" of diff(z,m) and diff(z,x'(0))).
void keep_diff_names(const char *wanted, Text *names);

// From "final", "max(x), count(impact)"; NULL: final. All that is kept as one number has a name.
BASE_MUST_USE Status keep_plan_new(const Source *wanted, const KeepNames *names, Diag *diag,
                                   KeepPlan **plan);
void keep_plan_free(KeepPlan *plan);
size_t keep_number_count(const KeepPlan *plan);
const char *keep_number_name(const KeepPlan *plan, size_t number);
bool keep_is_final(const KeepPlan *plan, size_t number); // a column of the last row
size_t keep_list_count(const KeepPlan *plan);
const KeepList *keep_list(const KeepPlan *plan, size_t list);
const char *keep_label(const KeepPlan *plan, size_t label);

// ---- One thread's room, which serves one run after the other.
KeepState *keep_state_new(const KeepPlan *plan, void *owner);
void *keep_owner(const KeepState *state);
void keep_state_free(KeepState *state);
void keep_clear(KeepState *state); // nothing is kept
// Before a run, with the numbers of its parameters; the listener is to be completed and given to
// it.
void keep_begin(KeepState *state, const Simulation *run, const double *params,
                RunListener *listener);
// After it: the numbers, which have none (NAN) where the run has not come to its end.
const double *keep_end(KeepState *state, bool whole);
// The first number that is not told because it changes faster than it was sampled; or NULL.
const char *keep_open(const KeepState *state);
double keep_last_time(const KeepState *state); // of the last row
const double *keep_items(const KeepState *state, size_t list, size_t *count);

#endif
