// reaction_forces.h: reactions on which forces depend. Plain numbers in, plain numbers out.
//
// Forces κ(λ) stand beside conditions with reactions λ: Γ(λ) = Φλ + gNκ(λ) + Γ⁰ is 0 for equations,
// and 0 ≤ λ ⊥ Γ ≥ 0 for one-sided conditions, whose rows are turned round: Γ = −f''.
#ifndef ZWANG_REACTION_FORCES_H
#define ZWANG_REACTION_FORCES_H

#include "base/memory.h"

typedef struct ReactionProblem {
    size_t count;             // of conditions
    const double *delassus;   // Φ, count × count
    const double *free_rates; // Γ⁰
    const bool *one_sided;    // of each; NULL: none is
    bool affine;              // κ is affine in λ
    // Adds gNκ(λ) to `rates`, and its derivatives to count × count numbers, row after row (all are
    // 0 before). False where it is not defined there.
    bool (*law)(void *context, const double *lambda, double *rates, double *derivatives);
    void *context;
} ReactionProblem;

typedef struct ReactionAnswer {
    const double *guess; // in: reactions of a state nearby, or 0
    double *lambda;      // count numbers for each solution, the one near the guess first
    size_t most;         // in: how many there is room for; more are not looked for
    size_t found;        // solutions
    bool counted;        // there are no others (up to a million times the reactions without κ)
    double determinant; // det(Φ + ∂(gNκ)/∂λ)/det Φ at the first: at 0 solutions join or vanish
} ReactionAnswer;

// Affine: exact. One condition: every change of sign along the line. Else Newton's method from many
// sides, with what was found divided out: there may be others.
void reaction_forces_solve(const ReactionProblem *problem, ReactionAnswer *answer);

#endif
