// instant_impl.h: the parts of an instant that only some systems have.
#ifndef ZWANG_SHOW_INSTANT_IMPL_H
#define ZWANG_SHOW_INSTANT_IMPL_H

#include "show/show.h"

// ---- instant_contacts.c: one-sided conditions at an instant; nothing where there are none.
void show_start_impact_text(const Show *show, const RunStart *start, const RunSides *sides,
                            Text *out);
void show_contacts_text(const Show *show, const RunSides *sides, Text *out);
void show_contacts_json_active(const RunSides *sides, Text *out);
void show_contacts_json(const Show *show, const RunSides *sides, Text *out);
void show_friction_text(const RunSides *sides, Text *out);
void show_friction_json(const Show *show, const RunSides *sides, Text *out);

// ---- instant_events.c: the events of a model; nothing where there are none.
void show_instant_events_text(const Show *show, const RunInstant *instant, Text *out);
void show_instant_events_json(const Show *show, const RunInstant *instant, Text *out);

// ---- instant_mayer.c: Mayer's procedure; nothing where it was not asked for.
void show_mayer_text(const Show *show, const RunSides *sides, Text *out);
void show_mayer_json(const RunSides *sides, Text *out);

// ---- instant_trials.c: combinations of stick and slip; nothing where they were not asked for.
void show_trials_text(const RunSides *sides, Text *out);
void show_trials_json(const RunSides *sides, Text *out);

// ---- instant_branches.c: stationary points at an instant; no text where there are none.
void show_branches_text(const Show *show, const RunBranches *branches, Text *out);
void show_branches_json(const Show *show, const RunBranches *branches, Text *out);

#endif
