// contact_event_impl.h: what happens where unilateral conditions touch: an impact, and which of
// them act from then on.
#ifndef ZWANG_SIMULATE_CONTACT_EVENT_IMPL_H
#define ZWANG_SIMULATE_CONTACT_EVENT_IMPL_H

#include "linalg/sparse_rows.h"

typedef struct ContactAnswer ContactAnswer; // contact.h
typedef struct ContactProblem ContactProblem;
typedef struct ContactReport ContactReport;
typedef struct ContactSolver ContactSolver;
typedef struct ModelConstraint ModelConstraint; // model/constraint.h
typedef struct Islands Islands;                 // islands.h
typedef struct SystemMatrices SystemMatrices;   // system_matrices.h
typedef struct UnilateralRow UnilateralRow;     // unilaterals.h
typedef struct Unilaterals Unilaterals;
typedef struct StartContacts StartContacts; // start_contacts_impl.h
typedef struct VelocityJump VelocityJump;   // impact_law_impl.h

// ---- contact_set.c: the rows of some unilateral conditions at a state.
typedef struct ContactSet {
    ARRAY(uint32_t) which;   // the conditions, and
    SparseStore rows;        // their ∂f/∂q,
    ARRAY(double) partial_t; // ∂f/∂t, γ and e
    ARRAY(double) gamma;
    ARRAY(double) restitution;
} ContactSet;
void contact_set_begin(ContactSet *set); // without conditions
void contact_set_clear(ContactSet *set);
// One more, with its numbers at a state.
UnilateralRow contact_set_add(ContactSet *set, Unilaterals *unilaterals, size_t side, double t,
                              const double *q, const double *v);
// One more, as another set has it.
void contact_set_copy(ContactSet *set, const ContactSet *from, size_t i);
// f' of one of them with these velocities, f'' with these accelerations; *terms (may be NULL) is
// the sum of the sizes of what it is a sum of.
double contact_set_rate(const ContactSet *set, size_t i, const double *v, double *terms);
double contact_set_acceleration(const ContactSet *set, size_t i, const double *a, double *terms);
// The contact problem at acceleration level, at the state where the matrices were evaluated: which
// of them act.
ContactProblem contact_set_problem(const ContactSet *set, const SystemMatrices *matrices);

// ---- start_contacts.c: the gaps of the unilateral conditions: f of all of them, and what each is
// measured by. f counts as 0 within a
// part of that, in any units.
typedef struct GapFunctions {
    Unilaterals *unilaterals;
    size_t count, room; // conditions, and for how many there is room
    double tolerance;   // what part of its size counts as 0
    double interval;    // from a row to the next
    double length;      // the largest coordinate so far, and on the way to the second row
    bool *by_motion;    // of each: it is measured by how far it came so far,
    double *sizes;      // which is this; else by its largest term at the start
    double *band;       // f counts as 0 within so much
    double *f, *pushes; // of all, for who evaluates them; λ in the last step of fixed length
} GapFunctions;
// The same gaps, to be measured further by themselves.
GapFunctions *gaps_copy(Arena *arena, const GapFunctions *from);
// f of all of them.
void gaps_evaluate(const GapFunctions *gaps, double t, const double *q, double *f);
// What one of them is measured by at a place where it is about 0: by what coordinates as
// large as they were so far make of it there, and by the roundings of its terms. Far from there it
// may be many times as large: 1 - ((x - c)/w)^2.
double gaps_size_at(const GapFunctions *gaps, size_t i, double t, const double *q);
// Measures one of them by a size where that is below this part of what it was measured by. False
// where it is not.
bool gaps_narrow(GapFunctions *gaps, size_t i, double size, double part);
// Whether ∂f/∂q of one vanishes where it touches, against what it is where f
// is clearly off 0: x^3 >= 0.
bool gaps_are_flat(const GapFunctions *gaps, size_t i, double t, const double *q, const double *v,
                   size_t n);
// What was seen of the motion of one of them where it touches: f' and f''; and Σ |∂f/∂q·q|, whose
// roundings count as 0 from there on.
void gaps_note_motion(GapFunctions *gaps, size_t i, double rate, double acceleration, double terms);

// ---- contact_event.c
// What a condition does that touches. Where neither λ nor f'' is more than rounding it rests, for
// all that is known: it is degenerate.
typedef enum { CONTACT_OPENS, CONTACT_PUSHES, CONTACT_RESTS } ContactOutcome;
typedef struct {
    size_t index;                // of the condition
    double before, after;        // f'
    double impulse;              // of the impact
    bool acted;                  // before the event
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
    ContactSet kept;            // those kept
    Islands *islands;           // of coordinates, by the inertia, the equations and contact
    double *own, *pull, *sizes; // n each; `own`: the inertia of each coordinate by itself
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

#endif
