// contact_set_impl.h: the rows of some unilateral conditions at a state.
#ifndef ZWANG_SIMULATE_CONTACT_SET_IMPL_H
#define ZWANG_SIMULATE_CONTACT_SET_IMPL_H

#include "linalg/sparse_rows.h"

typedef struct ContactProblem ContactProblem; // contact.h
typedef struct SystemMatrices SystemMatrices; // system_matrices.h
typedef struct UnilateralRow UnilateralRow;   // unilaterals.h
typedef struct Unilaterals Unilaterals;

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

#endif
