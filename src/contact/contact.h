// contact.h: the unilateral problem. Plain numbers in, plain numbers out.
//
// Contacts are conditions f ≤ 0 that touch, f = 0. At acceleration level (Mayer 1899, §§ 1–3),
// beside equations b·a = −γ,
//
//     𝓜a − bᵀμ + gᵀλ = K − h,   0 ≤ λ ⊥ −f'' ≥ 0,   f'' = g·a + γ of their own:
//
// the motion that departs least from the free one. With Φ⁰ for f'' in the motion that is free of
// contacts, f'' = Φ⁰ − Φλ, a linear complementarity problem (LCP). The motion is unique. Where
// conditions depend on each other λ may not be; then it is the λ of least norm, and the report says
// so.
//
// Coordinates that no inertia and no condition ties together are islands apart. A small one is
// solved by dense factors, in a large one the inertia and Φ stay sparse: the cost grows with the
// numbers that are given, and with the fill of Φ's factors.
#ifndef ZWANG_CONTACT_H
#define ZWANG_CONTACT_H

#include "linalg/kkt_problem.h"
#include "linalg/sparse_rows.h"

// Owns the workspace of its solves, which grows where it must. One thread at a time.
typedef struct ContactSolver ContactSolver;
ContactSolver *contact_solver_new(size_t coordinates);
void contact_solver_free(ContactSolver *solver);

typedef struct ContactProblem {
    SparseRows inertia; // 𝓜, n rows, both halves
    const double *force;
    SparseRows equations; // b
    const double *equation_drift;
    // d of each equation, where active forces keep some: their reactions are dᵀμ, and the motion is
    // no least one. `first` is NULL where all are ideal.
    SparseRows directions;
    SparseRows unilateral; // g of the conditions that touch
    const double *unilateral_drift;
    // Where λ is not unique, one that is nearly of least norm will do, and f'' to TOL_RATE of its
    // terms (TOL_RANK where conditions are dependent but for their last digits); then `unique` may
    // be false where it is not known.
    bool any_lambda, guessed; // the latter: then the answer's λ is one of a state nearby
} ContactProblem;

// Where the answer goes; any but `acting` may be NULL.
typedef struct ContactAnswer {
    double *accelerations; // n
    double *multipliers;   // μ of the equations: of least norm for this λ
    double *lambda;        // of the unilateral conditions
    double *free_rates;    // Φ⁰: f'' in the motion that only the equations restrict
    double *rates;         // f''
    bool *acting; // in: the conditions to begin from, of a state nearby, or none; out: who pushes
} ContactAnswer;

typedef struct ContactReport {
    SolveOutcome outcome;
    size_t acting;        // how many push: λ > 0
    bool unique;          // no other λ gives the same motion
    double constraint;    // ½ λ·Φλ, Gauss's measure of the departure that the conditions cause
    size_t row;           // for a contradiction: a condition that others exclude
    bool row_is_equation; // `row` counts the equations, not the unilateral conditions
    size_t rank;          // of the equations
    size_t islands;       // of how many it was made
    size_t sparse;        // how many of them were large ones
} ContactReport;

// Unspecified unless solved. For a contradiction of unilateral conditions λ says how the others
// exclude the row: λ ≥ 0 with Σ λ·(normal) = 0 but Σ λΦ⁰ > 0. Where a large island's conditions
// depend on each other, λ is of least norm up to about a millionth of it.
BASE_MUST_USE ContactReport contact_accelerations(ContactSolver *solver,
                                                  const ContactProblem *problem,
                                                  const ContactAnswer *answer);

// Ostrogradsky's rule, which Mayer refutes: the conditions with Φ⁰ > 0 act, as equations, and no
// others. λ may be negative here, f'' positive, and there may be a contradiction. *differs says
// whether its accelerations are not the true ones, `actual`. The answer: accelerations, λ, f'' and
// who acts, nothing else, none of them NULL. For those who show it; no motion needs it.
BASE_MUST_USE ContactReport contact_ostrogradsky(ContactSolver *solver,
                                                 const ContactProblem *problem,
                                                 const double *actual, const ContactAnswer *answer,
                                                 bool *differs);

// ---- Impacts and impulses: velocities jump (Mayer § 4, Appell 23, Moreau).
//
// First the given impulse I acts, the equations b·v + c = 0 being kept. Then, while a touching
// condition has f' > 0, ½(v⁺ − v⁻)·𝓜(v⁺ − v⁻) is made least under them and f'⁺ ≤ −e f'⁻. Where that
// does not end, or several e exclude each other, the last pass is with e = 0.
typedef struct ImpactProblem {
    ContactProblem system;     // drifts are c and ∂f/∂t; its force is not looked at
    const double *velocities;  // v⁻, n
    const double *impulse;     // I, n, or NULL
    const double *restitution; // e of each unilateral condition, within [0, 1]
} ImpactProblem;

// Where the answer goes; any may be NULL.
typedef struct ImpactAnswer {
    double *velocities;  // v⁺
    double *multipliers; // impulses of the equations, +μb
    double *lambda; // impulses of the conditions, −λ ∂f/∂q; for a contradiction that is not
                    // one of the equations: λ ≥ 0 with Σ λ·(normal) = 0 but Σ λ ∂f/∂t > 0
    double *rates_before; // f'⁻, before the given impulse
    double *rates_after;  // f'⁺
} ImpactAnswer;

typedef struct ImpactReport {
    ContactReport contact; // of the last pass; `acting`: how many have pushed in some pass
    size_t passes;         // 0: nothing was struck, the given impulse at most acted
    bool ended;            // false: the last pass had to be with e = 0
    double energy_lost; // in the impact: Σ over the passes of ½ Σ λ(f'⁻ + f'⁺ − 2 ∂f/∂t) + Σ μc
} ImpactReport;

BASE_MUST_USE ImpactReport contact_impact(ContactSolver *solver, const ImpactProblem *problem,
                                          const ImpactAnswer *answer);

#endif
