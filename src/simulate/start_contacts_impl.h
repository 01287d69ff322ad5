// start_contacts_impl.h: the unilateral conditions of a motion, and what they do at the start.
#ifndef ZWANG_SIMULATE_START_CONTACTS_IMPL_H
#define ZWANG_SIMULATE_START_CONTACTS_IMPL_H

#include "base/memory.h"

typedef struct ContactEvent ContactEvent; // contact_event_impl.h
typedef struct ContactSet ContactSet;
typedef struct GapFunctions GapFunctions;
typedef struct GivenImpulses GivenImpulses; // given_impulses_impl.h
typedef struct ContactSolver ContactSolver; // contact.h
typedef struct Equations Equations;         // dynamics.h
typedef struct State State;                 // dynamics.h
typedef struct Motion Motion;               // motion.h
typedef struct RunOptions RunOptions;       // run_options.h
typedef struct RunSide RunSide;             // run_sides.h
typedef struct RunSides RunSides;
typedef struct SystemMatrices SystemMatrices; // system_matrices.h
typedef struct Unilaterals Unilaterals;       // unilaterals.h

// ---- start_contacts.c
typedef struct StartContacts {
    Arena *arena; // NULL before there is a start
    // For the start and for a run: the conditions, and what solves for their reactions.
    Unilaterals *unilaterals;
    SystemMatrices *matrices; // of the base mode's state
    ContactSolver *solver;
    GapFunctions *gaps; // before they are measured: the largest terms, the roundings of f
    GivenImpulses *impulses;
    struct FrictionContacts *friction; // NULL where there is none
    // At the start.
    ContactEvent *event; // NULL before it is solved
    RunSides *told;
    RunSide *at;     // of each condition, as told
    ContactSet *all; // the rows of all conditions
    double *impulse; // n; NULL where none acts at t = 0
} StartContacts;
// What is wrong with them at the completed start is an error: one that is violated, one without a
// gradient where it touches, a restitution outside [0, 1].
BASE_MUST_USE Status start_contacts_init(StartContacts *contacts, const Equations *eq, State *state,
                                         Motion *motion, const RunOptions *settings, Diag *diag);
void start_contacts_clear(StartContacts *contacts);
// After the accelerations without contacts: lets the velocities jump, then the acceleration and the
// multipliers of the state are those with the conditions that act.
BASE_MUST_USE Status start_contacts_solve(StartContacts *contacts, Diag *diag);
// ---- start_rules.c
// After that, for a report: what Ostrogradsky's rule says of those kept.
void start_contacts_rule(StartContacts *contacts);
// The same by Mayer's procedure, which must come to the accelerations that were found: else an
// error.
BASE_MUST_USE Status start_contacts_mayer(StartContacts *contacts, Diag *diag);

#endif
