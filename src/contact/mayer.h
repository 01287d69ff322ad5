// mayer.h: Mayer's procedure (1899, §§ 2–3), for those who show it; no motion needs it.
//
// Of r conditions that touch with f' = 0 he assumes that some act, k of them, as equations f'' = 0.
// Then the accelerations (14) are those of the free motion less Σ λ_h·(what a unit of λ_h gives),
//
//     (15) Φ_lh   f'' of l that a unit of λ_h takes away     (17) Σ_h Φ_gh λ_h = Φ⁰_g
//     (16) Φ⁰_l   f'' of l in the free motion                (18) Δ_k, its determinant, not 0
//     (19) Φ_γ^k = Φ⁰_γ − Σ_h Φ_γh λ_h ≤ 0 of the others     (20) λ_h ≥ 0
//
// The assumption is false where (19) or (20) is not fulfilled; then another set is tried. "Free" is
// free but for the equations of the system, which always hold (end of § 4).
#ifndef ZWANG_CONTACT_MAYER_H
#define ZWANG_CONTACT_MAYER_H

#include "base/memory.h"

typedef struct ContactProblem ContactProblem; // contact.h

typedef enum {
    MAYER_TRUE,
    MAYER_DEPENDENT, // Δ_k = 0: an equation is a consequence of the others, and is dropped
    MAYER_BREAKS,    // (19): another condition forbids this motion
    MAYER_PULLS      // (20): a multiplier is negative
} MayerVerdict;

typedef struct {
    const bool *acts; // r
    size_t k;
    double delta;         // Δ_k, 1 for none
    const double *lambda; // r, those that do not act have 0
    const double *rates;  // r: Φ_γ^k, those that act have 0
    MayerVerdict verdict;
    size_t by; // the first condition whose Φ_γ^k or λ_h says so
} MayerTrial;

typedef struct MayerProcedure {
    size_t r;
    const double *phi;        // r × r
    const double *phi0;       // r
    const MayerTrial *trials; // the last is the true one where it was found
    size_t count;
    bool found;
    const double *accelerations; // n, of the last
    double size;                 // of the largest of their terms
} MayerProcedure;

// By plain elimination, without the solver of contact.h. Up to LIMIT_SETS conditions all sets are
// tried, the smallest first. Of more, for which he calls the procedure laborious, the first that
// says no is let go or taken in addition: for independent conditions that comes to an end, and none
// is found where it takes more than LIMIT_EVENTS sets or meets dependent ones.
const MayerProcedure *contact_mayer(Arena *arena, const ContactProblem *problem);

#endif
