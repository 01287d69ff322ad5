// contact_event_parts_impl.h: parts of an event, for laws of impact of their own.
#ifndef ZWANG_SIMULATE_CONTACT_EVENT_PARTS_IMPL_H
#define ZWANG_SIMULATE_CONTACT_EVENT_PARTS_IMPL_H

#include "simulate/contact_event_impl.h"

// ---- contact_event.c
// The inertia of each coordinate by itself, in `own`, where the matrices were evaluated; Φ of one
// condition by it, as it would be without couplings.
void event_find_inertia(ContactEvent *event);
double event_phi(const ContactEvent *event, size_t i);
// The island of one of them, counted below n: what inertia, equations and contact couple.
size_t event_island(const ContactEvent *event, size_t i);
// The velocities nearest to these, by inertia, with b·v + drift = 0 for these rows, in their place,
// where the matrices were evaluated. False where there are none.
bool event_project(ContactEvent *event, const SparseRows *rows, const double *drift,
                   double *velocities);

// ---- servo_contact.c: why a contact problem with servos has no solution.
void servo_add_contact_reason(const ContactEvent *event, const ContactReport *report, Text *text);

#endif
