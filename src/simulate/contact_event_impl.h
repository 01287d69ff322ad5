// contact_event_impl.h: what happens where unilateral conditions touch: an impact, and which of
// them act from then on.
#ifndef ZWANG_SIMULATE_CONTACT_EVENT_IMPL_H
#define ZWANG_SIMULATE_CONTACT_EVENT_IMPL_H

#include "simulate/contact_set_impl.h"

typedef struct ContactAnswer ContactAnswer; // contact.h
typedef struct ContactReport ContactReport;
typedef struct ContactSolver ContactSolver;
typedef struct ModelConstraint ModelConstraint; // model/constraint.h
typedef struct Islands Islands;                 // islands.h
typedef struct GapFunctions GapFunctions;       // gap_functions_impl.h
typedef struct StartContacts StartContacts;     // start_contacts_impl.h
typedef struct VelocityJump VelocityJump;       // impact_law_impl.h

// What a condition does that touches. Where neither λ nor f'' is more than rounding it rests, for
// all that is known: it is degenerate.
typedef enum { CONTACT_OPENS, CONTACT_PUSHES, CONTACT_RESTS } ContactOutcome;
typedef struct {
    size_t index;                // of the condition
    double before, after;        // f'
    double impulse;              // of the impact
    bool acted;                  // before the event
    bool loose;                  // nothing presses it, and no digit shows whether it is closed
    bool stays;                  // it has turned within the band: f' counts as 0
    bool fleeting;               // f' < 0 after, but where something presses it comes back at once
    bool kept;                   // f' = 0 after: it may act
    double lambda, acceleration; // of those kept: λ and f''
    double phi;                  // Φ of it alone, without couplings
    double terms;                // f'' is no larger where nothing cancels
    ContactOutcome outcome;      // from then on
} TouchingContact;
typedef struct ContactEvent {
    StartContacts *contacts; // the conditions, the matrices of the base mode and the solver
    GapFunctions *gaps;
    // Where it happens, and the conditions that touch there.
    double t, *q, *before, *after; // n each: velocities
    ARRAY(TouchingContact) at;
    ContactSet touching; // the same, with the velocities before
    bool inner;          // what happens is within what counts as 0
    bool keep_all;       // all are kept
    // The impact.
    bool impact;
    double energy_lost;
    VelocityJump *jump;
    // After it.
    ContactAnswer *answer;   // of those kept; of the equations and f'' without contacts where asked
    bool *acts;              // of all conditions: those that act from then on, and
    bool *held;              // of these the ones to be held: independent ones
    bool shared;             // others push too, which depend on these
    ContactReport *report;   // of the last contact problem,
    const ContactSet *asked; // of these
    // Workspace.
    ContactSet kept;                // those kept
    Islands *islands;               // of coordinates, by the inertia, the equations and contact
    double *own, *pull, *sizes;     // n each; `own`: the inertia of each coordinate by itself
    struct FrictionEvent *friction; // friction/friction_contacts_impl.h; NULL where there is none
} ContactEvent;
ContactEvent *event_new(Arena *arena, StartContacts *contacts, GapFunctions *gaps);
void event_clear(ContactEvent *event);
const ModelConstraint *event_constraint(const ContactEvent *event, size_t side);
// At a state, with no conditions yet.
void event_begin(ContactEvent *event, double t, const double *q, const double *v);
// Adds a condition that touches there, each once only.
void event_add(ContactEvent *event, size_t index);
// From the velocities before: the impact where `strikes`, by the conditions and a given impulse
// (may be NULL), and which of the conditions act after it. False where there is no solution.
bool contact_event(ContactEvent *event, bool strikes, const double *impulse);
// For an impact in another way: brings the matrices to the event, with these velocities; takes the
// velocities after it.
void event_evaluate(const ContactEvent *event, const double *v);
void event_set_after(ContactEvent *event, const double *velocities);
// Whether the energy may change by more than the event says.
bool event_may_do_work(const ContactEvent *event);
// Accelerations and reactions with the conditions in `kept`, where the matrices were evaluated.
bool event_solve_kept(ContactEvent *event);
// How large a reaction of one of them is where nothing cancels.
double event_reaction_size(const ContactEvent *event, const TouchingContact *contact);
// Who acts from then on, and who of these is held.
void event_hold(ContactEvent *event);
// Takes away what f' of the held ones is that counted as 0, by the least change of velocities, and
// counts its energy. False where there is no solution.
bool event_stop_held(ContactEvent *event);
// The multipliers of the last problem, of the equations too, which were asked for: over h those of
// the state of the matrices.
void event_keep_multipliers(const ContactEvent *event, double h);
// Why there is no solution. Of conditions that exclude each other, a least set: "the one-sided
// constraint 'b' cannot hold together with 'a'".
void event_add_reason(const ContactEvent *event, Text *text);
// The place of such a message: none, with a hint where something may be set.
struct Place event_hint(const ContactEvent *event);

#endif
