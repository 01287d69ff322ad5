// event_list_impl.h: the events of a model with what they do.
#ifndef ZWANG_SHOW_EVENT_LIST_IMPL_H
#define ZWANG_SHOW_EVENT_LIST_IMPL_H

#include "base/memory.h"

typedef struct ModelEvent ModelEvent; // model/events.h
typedef struct Show Show;             // show.h

// "strike: θ − γ − α rises through 0: θ → γ − α; record".
void show_event_line(const Show *show, const ModelEvent *event, Text *out);
// `,"states":[…]` and `,"events":[…]`, where there are such.
void show_states_json(const Show *show, Text *out);
void show_events_json(const Show *show, Text *out);

#endif
