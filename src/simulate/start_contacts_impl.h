// start_contacts_impl.h: one-sided conditions at the start.
#ifndef ZWANG_SIMULATE_START_CONTACTS_IMPL_H
#define ZWANG_SIMULATE_START_CONTACTS_IMPL_H

#include "contact/contact.h"
#include "dynamics/dynamics.h"
#include "dynamics/system_matrices.h"
#include "dynamics/unilaterals.h"
#include "motion/motion.h"
#include "simulate/contact_set_impl.h"
#include "simulate/instant.h"

// ---- start_contacts.c: one-sided conditions at the start.
typedef struct StartContacts {
    Arena *arena; // NULL where there are neither such conditions nor percussions
    RunSides told;
    RunSide *at;
    double *limits; // of each condition: how far from 0 f counts as 0
    double *sizes;  // and the largest term of f
    Unilaterals unilaterals;
    SystemMatrices matrices;
    ContactSolver *gauss;
    ContactSet all;        // at the start
    ContactSet candidates; // those that are asked
    double *impulse;       // n; NULL where none acts at t = 0
} StartContacts;
// What is wrong with them at the completed start is an error: one that is violated, one without a
// gradient where it touches, a restitution outside [0, 1].
BASE_MUST_USE Status start_contacts_init(StartContacts *contacts, const Equations *eq, State *state,
                                         Motion *motion, Diag *diag);
void start_contacts_clear(StartContacts *contacts);
// After the accelerations without them: lets the velocities jump, then the acceleration and
// multipliers of numbers are those with the conditions that act.
BASE_MUST_USE Status start_contacts_solve(StartContacts *contacts, const Equations *eq,
                                          State *state, Diag *diag);
// After that, for a report: what Ostrogradsky's rule says of those kept.
void start_contacts_rule(StartContacts *contacts, const State *state);
// Adds what they do to every coordinate.
void start_contacts_add_reactions(const StartContacts *contacts, double *forces);

#endif
