// events.h: events of a model, and what they do, as checked data.
#ifndef ZWANG_MODEL_EVENTS_H
#define ZWANG_MODEL_EVENTS_H

#include "base/memory.h"
#include "base/place.h"
#include "expr/expr_types.h"
#include "model/vector_types.h"

typedef struct ModelImpulse ModelImpulse; // model.h

// What is set: a coordinate, its velocity, a declared speed, or a state.
typedef enum { SET_COORD, SET_VELOCITY, SET_SPEED, SET_STATE } SetOf;
typedef struct {
    SetOf of;
    size_t target;    // counts coordinates, speeds, or (a state) parameters
    const char *name; // "theta'"
    Expr value;
    Place place;
} ModelAssignment;

typedef enum { ACTION_SET, ACTION_IMPULSE, ACTION_STOP, ACTION_RECORD } ActionKind;
typedef struct ModelAction {
    ActionKind kind;
    ModelAssignment *sets; // of ACTION_SET
    size_t set_count;
    ModelImpulse *impulse; // of ACTION_IMPULSE; its time is none
    const char *text;      // of ACTION_STOP; "" for none
} ModelAction;

// When an event fires: where an expression crosses 0, where a relation becomes true, or where a
// record of a condition is written.
typedef enum {
    TRIGGER_CROSSES, // in the direction
    TRIGGER_BECOMES, // the expression becomes 0 or more
    TRIGGER_IMPACT,
    TRIGGER_CONTACT,
    TRIGGER_RELEASE,
    TRIGGER_STICK,
    TRIGGER_SLIP,
    TRIGGER_SAMPLE // at times that are known before
} TriggerKind;

// When a sample acts: at from, from + period, …; what it computes holds a delay later. In numbers
// and parameters.
typedef enum { SAMPLE_PERIOD, SAMPLE_FROM, SAMPLE_DELAY, SAMPLE_TIMES } SampleTime;
typedef struct ModelSampling {
    Expr times[SAMPLE_TIMES];
    Place places[SAMPLE_TIMES];
} ModelSampling;

typedef struct ModelEvent {
    const char *name; // "strike"; "e1" … where none was given; "until"
    TriggerKind trigger;
    Expr value;              // what crosses 0; may hold multipliers
    int direction;           // 1: rising, −1: falling, 0: both
    bool hidden;             // no one has written it: a `while` may end or begin there
    bool equation;           // it was written a = b: true where it is exactly 0
    const char *label;       // of the condition or friction whose records count
    ModelSampling *sampling; // of TRIGGER_SAMPLE; else NULL
    const char *text;        // the trigger as it is written
    size_t waits;            // its `while` among the model's + 1; 0: it always fires
    ModelAction *actions;    // in the order of the text
    size_t action_count;
    Place place; // of its trigger
} ModelEvent;

// Whether what it does changes the state: a `set` or an impulse.
bool model_event_jumps(const ModelEvent *event);
// Whether it waits for the record of a condition or friction.
bool model_event_is_record(const ModelEvent *event);
// A sample that sets discrete states alone: it has no records and no rows.
bool model_event_is_quiet(const ModelEvent *event);

// ---- samples.c
// The times of a sample for these numbers of the parameters, which are checked.
typedef struct Diag Diag;
typedef struct Model Model;
BASE_MUST_USE Status model_sample_times(const Model *model, const ModelEvent *sample,
                                        const double *params, Diag *diag,
                                        double times[SAMPLE_TIMES]);

// Reads the relation that ends a run, in the names of a finished model, which owns it; the source
// outlives it. NULL where it is wrong, which has been said.
typedef struct Source Source;
ModelEvent *model_read_until(Model *model, const Source *source, Diag *diag);

#endif
