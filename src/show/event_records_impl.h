// event_records_impl.h: what is written of one event.
#ifndef ZWANG_SHOW_EVENT_RECORDS_IMPL_H
#define ZWANG_SHOW_EVENT_RECORDS_IMPL_H

#include "show/show.h"

typedef struct {
    char **keys;  // the columns, as JSON strings
    size_t count; // of the velocities,
    size_t width; // and of the columns
    size_t diffs; // derivatives of its time
    bool rubs;    // some of which are those of friction: so are some of events
} EventNames;
void event_names_init(EventNames *names, const ShowRun *run);
void event_names_clear(EventNames *names);
// The names of speeds, with spaces between them.
void event_add_speeds(const char *const *names, size_t count, Text *out);
// How friction was and is, with a space between; nothing where the event is none of friction.
void event_add_modes(const RunFriction *friction, Text *out);
// A list of objects, at most twelve.
void event_add_branches(const EventNames *names, const struct TangentCone *cone, Text *out);
void event_add_json(const EventNames *names, const RunEvent *event, Text *out);  // an object
void event_add_csv_head(const EventNames *names, const ShowRun *run, Text *out); // a line
void event_add_csv(const EventNames *names, const RunEvent *event, Text *out);   // a line

#endif
