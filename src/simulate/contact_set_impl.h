// contact_set_impl.h: one-sided conditions that touch, asked together.
#ifndef ZWANG_SIMULATE_CONTACT_SET_IMPL_H
#define ZWANG_SIMULATE_CONTACT_SET_IMPL_H

#include "contact/contact.h"
#include "dynamics/dynamics.h"
#include "dynamics/system_matrices.h"
#include "dynamics/unilaterals.h"

// ---- contact_set.c: one-sided conditions that touch, asked together.
typedef struct {
    ARRAY(uint32_t) which; // the conditions, and their ∂f/∂q: rows of few numbers
    ARRAY(uint32_t) first;
    ARRAY(uint32_t) column;
    ARRAY(double) value;
    ARRAY(double) rate; // f', ∂f/∂t, γ and e
    ARRAY(double) partial_t;
    ARRAY(double) gamma;
    ARRAY(double) restitution;
} ContactSet;
void contact_set_begin(ContactSet *candidates); // with nobody
void contact_set_clear(ContactSet *candidates);
// One more, with its numbers at a state.
UnilateralRow contact_set_add(ContactSet *candidates, Unilaterals *unilaterals, size_t side,
                              double t, const double *q, const double *v);
// One more, as another has it.
void contact_set_copy(ContactSet *candidates, const ContactSet *from, size_t i);
SparseRows contact_set_rows(const ContactSet *candidates);
// rest + ∂f/∂q·x of one of them; *terms is the sum of what it is a sum of.
double contact_set_rate(const ContactSet *candidates, size_t i, const double *x, double rest,
                        double *terms);
// Σ |∂f/∂q| of one of them.
double contact_set_slope(const ContactSet *candidates, size_t i);
// Which of them act, at the state where many was evaluated.
ContactProblem contact_set_problem(const ContactSet *candidates, const SystemMatrices *matrices);
// How the velocities jump there by the equations' and conditions' rows as they are before (Moreau's
// rule), servos giving no impulse; `impulse` may be NULL.
ImpactReport contact_set_impact(const ContactSet *candidates, const SystemMatrices *matrices,
                                ContactSolver *gauss, const double *velocities,
                                const double *impulse, const ImpactAnswer *answer);
// Why there is no answer, λ being the report's. Of conditions that exclude each other, a least set:
// "the one-sided constraint 'b' cannot hold together with 'a'".
void contact_set_add_reason(const ContactSet *candidates, const SystemMatrices *matrices,
                            const ContactReport *report, const double *lambda, Text *text);
void contact_set_add_clash(const ContactSet *candidates, const Equations *eq, size_t row,
                           const double *lambda, Text *text);

#endif
