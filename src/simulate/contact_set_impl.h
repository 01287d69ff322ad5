// contact_set_impl.h: unilateral conditions that touch, as rows for the contact problem.
#ifndef ZWANG_SIMULATE_CONTACT_SET_IMPL_H
#define ZWANG_SIMULATE_CONTACT_SET_IMPL_H

#include "linalg/sparse_rows.h"

typedef struct ContactAnswer ContactAnswer; // contact.h
typedef struct ContactProblem ContactProblem;
typedef struct ContactReport ContactReport;
typedef struct ContactSolver ContactSolver;
typedef struct ImpactAnswer ImpactAnswer;
typedef struct ImpactReport ImpactReport;
typedef struct Equations Equations;           // dynamics.h
typedef struct SystemMatrices SystemMatrices; // system_matrices.h
typedef struct Text Text;                     // strings.h
typedef struct UnilateralRow UnilateralRow;   // unilaterals.h
typedef struct Unilaterals Unilaterals;

// ---- contact_set.c: the rows of some unilateral conditions at a state.
typedef struct ContactSet {
    ARRAY(uint32_t) which; // the conditions, and
    SparseStore rows;      // their ∂f/∂q,
    ARRAY(double) rate;    // f', ∂f/∂t, γ and e
    ARRAY(double) partial_t;
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
// One more row, of any sparse rows.
void contact_set_add_row(ContactSet *set, const SparseRows *rows, size_t row, double partial_t);
// rest + ∂f/∂q·x of one of them; *terms is the sum of what it is a sum of.
double contact_set_rate(const ContactSet *set, size_t i, const double *x, double rest,
                        double *terms);

// ---- The contact problem at the state where the matrices were evaluated.
// At acceleration level: which of them act.
ContactProblem contact_set_problem(const ContactSet *set, const SystemMatrices *matrices);
// At velocity level: the impact by the rows as they are (Moreau's law), without impulses of servos.
// `impulse` may be NULL.
ImpactReport contact_set_impact(const ContactSet *set, const SystemMatrices *matrices,
                                ContactSolver *solver, const double *velocities,
                                const double *impulse, const ImpactAnswer *answer);
// The velocities nearest to these, by inertia, with b·v + drift = 0 for these rows, in their place.
// `momentum` is room for n numbers.
ContactReport contact_set_project(const SparseRows *rows, const double *drift,
                                  const SystemMatrices *matrices, ContactSolver *solver,
                                  double *momentum, double *velocities);
// Why there is no solution, λ being the report's. Of conditions that exclude each other, a least
// set: "the one-sided constraint 'b' cannot hold together with 'a'".
void contact_set_add_reason(const ContactSet *set, const SystemMatrices *matrices,
                            const ContactReport *report, const double *lambda, Text *text);

// ---- servo_contact.c: why a contact problem with servos has no solution.
void servo_add_contact_reason(const ContactSet *set, const SystemMatrices *matrices,
                              const ContactReport *report, Text *text);

#endif
