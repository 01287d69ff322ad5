// contact_event_impl.h: what an event does: shocks, and which conditions act from then on.
#ifndef ZWANG_SIMULATE_CONTACT_EVENT_IMPL_H
#define ZWANG_SIMULATE_CONTACT_EVENT_IMPL_H

#include "contact/contact.h"
#include "dynamics/dynamics.h"
#include "simulate/contact_set_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/impact_law_impl.h"
#include "simulate/simulate.h"
#include "simulate/start_contacts_impl.h"

// ---- contact_event.c: what an event does: shocks, and which conditions act from then on.
typedef struct {
    size_t index;                // of the condition
    double before, after;        // f'
    double impulse;              // of the shock
    bool stays;                  // it has turned within the band: f' counts as 0
    bool fleeting;               // f' < 0 after, but where something presses it comes back at once
    bool kept;                   // f' = 0 after: it may act
    double lambda, acceleration; // of those kept
    double phi;                  // Φ of it alone, without couplings
    double terms;                // f'' is no larger where nothing cancels
    bool tie;                    // neither λ nor f'' is more than rounding
    bool will_push, will_rest;   // what a tie does next: neither where it opens
} TouchingContact;
typedef struct {
    GapFunctions *gaps;
    const Equations *eq; // of the run itself
    State *state;
    StartContacts *contacts; // the run's: its shapes, its inertia and its solver
    // Where it happens: conditions that touch, and their ∂f/∂q.
    double t, *q, *before, *after; // n each: velocities
    ARRAY(TouchingContact) at;
    ContactSet candidates; // the same, with the velocities before
    bool shock;
    double energy_lost;
    bool inner;            // what happens is within what counts as 0
    double *accelerations; // n
    bool *acts;            // of all conditions: those that act from then on, and
    bool *held;            // of these the ones to be held: independent ones
    bool shared;           // others push too, which depend on these
    // Room.
    ContactSet kept;
    ARRAY(double) lambda;
    ARRAY(double) rates;
    ARRAY(bool) acting;
    Islands ties;               // of coordinates, by the inertia, the equations and touching
    double *own, *pull, *sizes; // n each
    JumpReport jump;            // of the shock
    ContactReport report;       // why there is no answer,
    const ContactSet *stop;     // to these
} ContactEvent;
void event_init(ContactEvent *event, GapFunctions *gaps, Run *run);
void event_clear(ContactEvent *event);
// At a state, with no conditions yet.
void event_begin(ContactEvent *event, double t, const double *q, const double *v);
// Adds a condition that touches there, each once only.
void event_add(ContactEvent *event, size_t index);
// Lets the velocities jump; `impulse` may be NULL. False where there is no answer.
bool event_impact(ContactEvent *event, const double *impulse);
// The same by another road: brings the run's inertia and rows there, and takes what it found.
void event_evaluate_before(ContactEvent *event);
void event_jump_to(ContactEvent *event, const double *velocities);
// Which of those kept act; `all`: all are kept. False where there is no answer.
bool event_decide(ContactEvent *event, bool all);
// f'' of one of them after the shock, with these accelerations.
double event_gap_acceleration(ContactEvent *event, size_t i, const double *accelerations);
// How large a reaction of one of them is where nothing cancels.
double event_reaction_size(const ContactEvent *event, const TouchingContact *contact);
// Who acts from then on, ties by what they will do, and who of these is held.
void event_hold(ContactEvent *event);
// Takes away what f' of the held ones is that counted as 0, by the least change of velocities, and
// counts its energy. False where there is no answer.
bool event_stop_held(ContactEvent *event);
// Why there is no answer.
void event_add_reason(const ContactEvent *event, Text *text);

#endif
