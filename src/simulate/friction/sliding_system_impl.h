// sliding_system_impl.h: the contacts of an instant as a problem in plain numbers.
#ifndef ZWANG_SIMULATE_SLIDING_SYSTEM_IMPL_H
#define ZWANG_SIMULATE_SLIDING_SYSTEM_IMPL_H

#include "contact/friction.h"

typedef struct FrictionContacts FrictionContacts; // friction_contacts_impl.h
typedef struct SystemMatrices SystemMatrices;     // system_matrices.h
typedef struct Kkt Kkt;                           // kkt.h

typedef struct SlidingSystem {
    const FrictionContacts *owner;
    const SystemMatrices *matrices;
    Arena *arena;
    Kkt *kkt;
    size_t n, m, free; // coordinates, equations without friction, n − their rank
    // The equations; two-sided conditions with friction, by friction.
    double *rows, *drift, *multipliers;
    size_t *whose;
    double *pressing, *pressing_drift;
    double *row, *accelerations, *momentum;
    // The contacts, and which friction each is (SIZE_MAX: none); where the rows of each begin.
    ARRAY(FrictionContact) contacts;
    ARRAY(size_t) which;
    ARRAY(size_t) begins;
    size_t row_count;
    ARRAY(double) dense; // rows × n
    ARRAY(double) drifts;
    ARRAY(double) normals;
    ARRAY(double) sizes;
    ARRAY(double) free_rates;
    ARRAY(FrictionState) states;
    ARRAY(double) forces;
    ARRAY(double) rates;
    ARRAY(double) departure;
} SlidingSystem;

// At the state of the matrices, which were evaluated: without contacts. With velocities (else NULL)
// and an impulse that acts (may be NULL) the problem is that of a shock: percussions for forces,
// velocities for accelerations. The drift of the equations is γ, in a shock c, or as given. False
// where the inertia is not positive.
bool sliding_system_begin(SlidingSystem *system, const FrictionContacts *owner,
                          const SystemMatrices *matrices, const double *velocities,
                          const double *impulse, const double *given_drift);
void sliding_system_clear(SlidingSystem *system);
// The next row, then the contact that the rows since the last one belong to.
void sliding_system_add_row(SlidingSystem *system, const double *row, double drift);
void sliding_system_add(SlidingSystem *system, FrictionContact contact, size_t which);
// The rows of a friction (SIZE_MAX: none), with η or, in a shock, c, and its coefficients.
void sliding_system_add_friction(SlidingSystem *system, size_t friction, FrictionContact *contact,
                                 bool shock);
// The rows of the two-sided conditions that press on a friction; none of a law.
void sliding_system_add_pressing(SlidingSystem *system, size_t friction, FrictionContact *contact);
// The problem as it was put together; what it asks for goes to the arrays of the system.
FrictionProblem sliding_system_problem(SlidingSystem *system);
FrictionReport sliding_system_solve(SlidingSystem *system, FrictionSolver *solver, bool all);
// After an answer: the accelerations, or velocities (n), and the multipliers of the equations of
// the matrices (may be NULL).
void sliding_system_motion(SlidingSystem *system, double *accelerations, double *multipliers);
#endif
