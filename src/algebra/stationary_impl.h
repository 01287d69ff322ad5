// stationary_impl.h: the search for stationary points of Gauss's function, on its way.
#ifndef ZWANG_ALGEBRA_STATIONARY_IMPL_H
#define ZWANG_ALGEBRA_STATIONARY_IMPL_H

#include "algebra/ideal_impl.h"

typedef struct StationarySearch {
    const StationaryProblem *problem;
    size_t n, s, p;    // unknowns, conditions, independent accelerations that occur
    size_t *occurring; // those that do, I
    size_t occurring_count;
    size_t *chosen;   // p of them, J
    fmpq_mat_t free;  // a₀, n × 1
    fmpq_mat_t push;  // R for forces on the chosen, n × p
    fmpq_mat_t stiff; // R_JJ⁻¹, p × p
    fmpq_mat_t lead;  // R_:J R_JJ⁻¹, n × p: a = a₀ + lead·(w − w₀)
    fmpz_mpoly_ctx_t ctx;
    fmpz_mpoly_struct *f;        // s
    fmpq_mpoly_ctx_t rational;   // the same unknowns
    fmpq_mpoly_t energy;         // σ in them
    fmpz_mpoly_struct *jacobian; // (s + 1) × p: R_JJ⁻¹(w − w₀), then the gradients of f
    bool whole;                  // nothing became too large
    ARRAY(StationaryPoint) found;
    arb_ptr places; // p of each of them
    Arena *arena;
} StationarySearch;

// ---- stationary_equations.c
// The accelerations that occur, an independent part of them, and all others by these. False where
// the inertia and the rows do not determine them.
bool stationary_choose(StationarySearch *search);
// The conditions and the energy as polynomials in the chosen ones; the gradients that depend on
// each other at a stationary point.
void stationary_make_polynomials(StationarySearch *search);

#endif
