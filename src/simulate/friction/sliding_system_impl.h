// sliding_system_impl.h: the contacts of an instant as a problem in plain numbers.
#ifndef ZWANG_SIMULATE_SLIDING_SYSTEM_IMPL_H
#define ZWANG_SIMULATE_SLIDING_SYSTEM_IMPL_H

#include "contact/friction.h"

typedef struct FrictionContacts FrictionContacts; // friction_contacts_impl.h
typedef struct ModelConstraint ModelConstraint;
typedef struct SystemMatrices SystemMatrices; // system_matrices.h
typedef struct Kkt Kkt;                       // kkt.h

// Equations of the instant: rows × n, what each is in the matrices, and the reaction of each.
typedef struct {
    size_t count;
    double *rows, *directions, *drift, *multipliers;
    size_t *whose;
} SlidingEquations;

// Reactions of other directions than their rows (sliding_directions.c): of equations that servos
// keep, or whose reactions forces hold, and of contacts, likewise.
typedef struct {
    bool any;
    SlidingEquations kept;
    double *row_normals, *normals; // of b and of d, in the axes of the factors
    double *matrix, *free;         // b·N·dᵀ, factored; b·a + γ without these reactions
    int *pivots;
    ARRAY(double) pushes;  // rows × n: of each contact's row, the direction of its force
    ARRAY(double) departs; // rows × free: by what a force of 1 departs, all that is kept being so,
    ARRAY(double) answers; // and minus the reactions of these, rows × their count
    ARRAY(double) delassus; // rows × rows
} SlidingDirections;

// What is handed to the solver.
typedef struct {
    ARRAY(double) normals;
    ARRAY(double) sizes;
    ARRAY(double) free_rates;
} SlidingNumbers;

typedef struct SlidingSystem {
    const FrictionContacts *owner;
    const SystemMatrices *matrices;
    Arena *arena;
    Kkt *kkt;
    size_t n, free;             // coordinates, and those less the rank of the equations
    SlidingEquations equations; // without friction, along their rows
    SlidingEquations pressing;  // two-sided conditions with friction, by what presses
    SlidingDirections directions;
    double *row, *accelerations, *momentum;
    // The contacts, and which friction each is (SIZE_MAX: none); where the rows of each begin.
    ARRAY(FrictionContact) contacts;
    ARRAY(size_t) which;
    ARRAY(size_t) begins;
    ARRAY(const ModelConstraint *) by; // what presses at each, the first of them; NULL: nothing
    ARRAY(FrictionPress) presses;
    ARRAY(size_t) press_terms; // of each: the term of its friction
    size_t row_count;
    ARRAY(double) dense; // rows × n
    ARRAY(double) drifts;
    SlidingNumbers numbers;
    ARRAY(FrictionState) states;
    ARRAY(double) forces;
    ARRAY(double) rates;
    ARRAY(double) departure;
} SlidingSystem;

// At the state of the matrices, which were evaluated: without contacts. With velocities (else NULL)
// and an impulse that acts (may be NULL) the problem is that of a shock: percussions for forces,
// velocities for accelerations; servos do nothing in it. The drift of the equations is γ, in a
// shock c, or as given. SOLVE_NO_MINIMUM where the inertia is not positive, SOLVE_UNCONTROLLABLE
// where reactions of other directions cannot keep what they should.
SolveOutcome sliding_system_begin(SlidingSystem *system, const FrictionContacts *owner,
                                  const SystemMatrices *matrices, const double *velocities,
                                  const double *impulse, const double *given_drift);
void sliding_system_clear(SlidingSystem *system);
// The next row with the direction of its force (NULL: the row itself), then the contact that the
// rows since the last one belong to.
void sliding_system_add_row(SlidingSystem *system, const double *row, const double *push,
                            double drift);
void sliding_system_add(SlidingSystem *system, FrictionContact contact, size_t which,
                        const ModelConstraint *by);
// The rows of a friction (SIZE_MAX: none), with η or, in a shock, c, and its coefficients.
void sliding_system_add_friction(SlidingSystem *system, size_t friction, FrictionContact *contact,
                                 bool shock);
// The rows of the equations that press at the contact of a friction, and the next contact itself
// with its rows; a law has none, and the law of the contact says so.
void sliding_system_add_law(SlidingSystem *system, size_t friction, FrictionContact *contact,
                            bool shock);
// Behind all contacts: those of equations that press elsewhere, and on what all of them do.
void sliding_system_add_presses(SlidingSystem *system);
// The contact at which a term's reactions press; the count of contacts where there is none.
size_t sliding_system_presser(const SlidingSystem *system, const ModelConstraint *by);
// Σ |λ| of the terms of the friction of a contact.
double sliding_system_pressing(const SlidingSystem *system, size_t at);
// The problem as it was put together; what it asks for goes to the arrays of the system.
FrictionProblem sliding_system_problem(SlidingSystem *system);
FrictionReport sliding_system_solve(SlidingSystem *system, FrictionSolver *solver, bool all);
// After an answer: the accelerations, or velocities (n), and the multipliers of the equations of
// the matrices (may be NULL).
void sliding_system_motion(SlidingSystem *system, double *accelerations, double *multipliers);

// ---- sliding_directions.c
// What the reactions of other directions do without contacts. False where they cannot.
bool sliding_directions_factor(SlidingSystem *system);
// The problem with them: free rates and WWᵀ change.
void sliding_directions_problem(SlidingSystem *system, FrictionProblem *problem);
// After an answer: the departure, and the reactions themselves.
void sliding_directions_depart(SlidingSystem *system);
#endif
