// friction_step.h: velocities of many bodies in contact with dry friction, as a timestep asks for
// them. Plain numbers in, plain numbers out.
//
//     𝓜v⁺ = p + bᵀμ − Σ gᵀλ + Σ wᵀF,   b·v⁺ + c = 0,   0 ≤ λ ⊥ −(g·v⁺ + ∂f/∂t + e·f'⁻) ≥ 0,
//
//     |F| ≤ μλ, opposite to u⁺ = w·v⁺ + (its drift) where u⁺ ≠ 0: the circular cone (Moreau, Jean).
//
// Everything stays sparse: the cost grows with the contacts, and with the fill of Φ's factors.
#ifndef ZWANG_FRICTION_STEP_H
#define ZWANG_FRICTION_STEP_H

#include "linalg/kkt_problem.h"
#include "linalg/sparse_rows.h"

typedef struct FrictionStepProblem {
    SparseRows inertia;    // 𝓜, n rows, both halves, of which each block is positive
    const double *impulse; // p = 𝓜v⁻ + (impulse of the forces in the step), n
    SparseRows equations;  // b
    const double *equation_drift;
    size_t contacts;
    SparseRows normals;         // g
    const double *normal_drift; // ∂f/∂t, and e·f'⁻ where a contact is struck
    size_t tangents;            // rows of w of each contact: 1 in the plane, 2 in space
    SparseRows sliding;         // w, contact after contact
    const double *sliding_drift;
    const double *friction; // μ of each contact
    // Where to begin, as of the step before: λ of each contact, and F of each row w. NULL: at 0.
    const double *lambda_guess, *friction_guess;
    double accuracy; // asked for; 0: as near as rounding lets it come
} FrictionStepProblem;

typedef struct FrictionStepAnswer { // any may be NULL
    double *velocities;             // v⁺, n
    double *multipliers;            // of the equations
    double *lambda;                 // of each contact
    double *friction;               // F of each row w
} FrictionStepAnswer;

typedef struct FrictionStepReport {
    SolveOutcome outcome; // SOLVE_DONE; SOLVE_UNDECIDED: not as accurate as TOL_COARSE;
                          // SOLVE_NO_MINIMUM: the inertia is not positive; SOLVE_NOT_FINITE
    size_t iterations;
    // Of the largest velocity, rows being of length 1 in axes where the inertia is 1: by how much
    // the law is missed, |x − Proj_K(x − ũ)| at its largest, ũ = (−f' + μ|u|, u), x the reactions.
    double accuracy;
} FrictionStepReport;

// Contact after contact, accelerated. Contacts may depend on each other; forces are then some of
// those that give the same motion.
BASE_MUST_USE FrictionStepReport friction_step(const FrictionStepProblem *problem,
                                               const FrictionStepAnswer *answer);

#endif
