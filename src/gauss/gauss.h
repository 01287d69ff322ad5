// gauss.h: the least-constraint solver. Plain numbers in, plain numbers out.
//
// Among the accelerations that the constraints allow, the true one departs least from the free
// motion (Gauss 1829): ½(a − a°)·𝓜(a − a°) is least under g·a = −γ, which is the same as
//
//     𝓜a − gᵀλ = K − h,   g·a = −γ.
//
// The inertia 𝓜 is symmetric and may be singular; only on the velocities that the rows leave
// free it has to be regular. Rows may depend on each other; then the multipliers are those of
// least norm.
#ifndef ZWANG_GAUSS_H
#define ZWANG_GAUSS_H

#include "base/base.h"

// Room for a solve: it is made once, and no solve allocates. One thread at a time.
typedef struct Gauss Gauss;
Gauss *gauss_new(size_t coordinates, size_t most_rows);
void gauss_free(Gauss *gauss);

typedef struct {
    const double *inertia; // 𝓜, n × n, symmetric
    const double *force;   // K − h, n
    const double *rows;    // g, row_count × n, a row after the other
    const double *drift;   // γ, row_count
    size_t row_count;      // at most most_rows
} GaussProblem;

typedef enum {
    GAUSS_SOLVED,
    GAUSS_CONTRADICTION, // rows that depend on each other ask for different accelerations
    GAUSS_SINGULAR,      // no inertia along a velocity that the rows leave free
    GAUSS_NOT_FINITE     // an input is not a finite number
} GaussOutcome;

typedef struct {
    GaussOutcome outcome;
    size_t rank;   // of the rows at this state; below row_count they depend on each other
    bool positive; // solved, and the inertia is positive on the free velocities: a minimum
    size_t row;    // for a contradiction: the last of the rows that contradict each other
} GaussReport;

// The accelerations (n) and multipliers (row_count); unspecified unless GAUSS_SOLVED.
BASE_MUST_USE GaussReport gauss_solve(Gauss *gauss, const GaussProblem *problem,
                                      double *accelerations, double *multipliers);

// Why the last solve failed, until the next one. GAUSS_SINGULAR: n numbers, a velocity that the
// rows leave free and that has no inertia, its largest part 1. GAUSS_CONTRADICTION: row_count
// numbers w with Σ wᵢ·gᵢ = 0 but Σ wᵢ·γᵢ ≠ 0.
const double *gauss_witness(const Gauss *gauss);

// Gauss's measure ½(a − a°)·𝓜(a − a°) of these accelerations, a° = 𝓜⁻¹(K − h) being those
// without reactions; free_accelerations (n, may be NULL) receives a°. False where 𝓜 is not
// positive, so that there is no a°.
bool gauss_constraint(Gauss *gauss, const GaussProblem *problem, const double *accelerations,
                      double *measure, double *free_accelerations);

#endif
