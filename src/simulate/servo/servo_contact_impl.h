// servo_contact_impl.h: contacts of systems with servos, in words.
#ifndef ZWANG_SIMULATE_SERVO_SERVO_CONTACT_IMPL_H
#define ZWANG_SIMULATE_SERVO_SERVO_CONTACT_IMPL_H

#include "linalg/kkt_problem.h"
#include "simulate/contact_set_impl.h"

// ---- servo_contact.c: why a contact problem with servos has no solution.
void servo_add_contact_reason(const ContactSet *set, const SystemMatrices *matrices,
                              SolveOutcome outcome, Text *text);

#endif
