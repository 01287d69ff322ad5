// kkt.h: least constraint under equations: the KKT equations of a quadratic minimum.
//
// Among the accelerations that the constraints allow, the true one departs least from the free
// motion (Gauss 1829): ½(a − a°)·𝓜(a − a°) is least under g·a = −γ, which is the same as
//
//     𝓜a − gᵀλ = K − h,   g·a = −γ.
//
// The inertia 𝓜 is symmetric and may be singular; only on the velocities that the rows leave
// free it has to be regular. Rows may depend on each other; then the multipliers are those of
// least norm.
#ifndef ZWANG_LINALG_KKT_H
#define ZWANG_LINALG_KKT_H

#include "base/base.h"

// How a solve ends, here and where inequalities stand beside the equations.
typedef enum {
    SOLVE_DONE,
    SOLVE_CONTRADICTION,  // rows that depend on each other ask for different accelerations
    SOLVE_SINGULAR,       // no inertia along a velocity that the rows leave free
    SOLVE_UNCONTROLLABLE, // forces along the directions given cannot keep the rows
    SOLVE_NOT_FINITE,     // an input is not a finite number
    // With inequalities only:
    SOLVE_NO_MINIMUM, // the inertia is not positive on the free velocities: nothing is least there
    SOLVE_UNDECIDED,  // rounding hides which of them act
    // And beside equations that active forces keep:
    SOLVE_NO_SOLUTION, // whichever of them act, one pulls or is broken
    SOLVE_SEVERAL,     // more than one motion is possible
    SOLVE_TOO_MANY     // to try which of them act
} SolveOutcome;

// Workspace for a solve: it is made once, and no solve allocates. One thread at a time.
typedef struct Kkt Kkt;
Kkt *kkt_new(size_t coordinates, size_t most_rows);
void kkt_free(Kkt *kkt);
// From now on for so many coordinates and up to so many rows; allocates where these are more than
// ever before.
void kkt_reserve(Kkt *kkt, size_t coordinates, size_t most_rows);

typedef struct {
    const double *inertia; // 𝓜, n × n, symmetric
    const double *force;   // K − h, n
    const double *rows;    // g, row_count × n, a row after the other
    const double *drift;   // γ, row_count
    size_t row_count;      // at most most_rows
    // d, row_count × n: the reactions are dᵀλ in the place of gᵀλ, because active forces keep the
    // rows; NULL where they are ideal. Then nothing is least, and the rows must be independent.
    const double *directions;
} KktProblem;

typedef struct {
    SolveOutcome outcome;
    size_t rank;   // of the rows at this state; below row_count they depend on each other
    bool positive; // solved, and the inertia is positive on the free velocities: a minimum
    size_t row;    // for a contradiction: the last of the rows that contradict each other
    double power;  // with directions: how well they keep the rows, 1 is best and 0 not at all
} KktReport;

// The accelerations (n) and multipliers (row_count); unspecified unless SOLVE_DONE.
BASE_MUST_USE KktReport kkt_solve(Kkt *kkt, const KktProblem *problem, double *accelerations,
                                  double *multipliers);

// Why the last solve failed, until the next one. SOLVE_SINGULAR: n numbers, a velocity that the
// rows leave free and that has no inertia, its largest part 1. SOLVE_CONTRADICTION: row_count
// numbers w with Σ wᵢ·gᵢ = 0 but Σ wᵢ·γᵢ ≠ 0.
const double *kkt_witness(const Kkt *kkt);

// Gauss's measure ½(a − a°)·𝓜(a − a°) of these accelerations, a° = 𝓜⁻¹(K − h) being those
// without reactions; free_accelerations (n, may be NULL) receives a°. False where 𝓜 is not
// positive, so that there is no a°.
bool kkt_gauss_measure(Kkt *kkt, const KktProblem *problem, const double *accelerations,
                       double *measure, double *free_accelerations);

// ---- In steps: for those who have more to ask of the factors.

// The motion under the equations alone; it stays in the axes of the factors.
KktReport kkt_move(Kkt *kkt, const KktProblem *problem);
// That motion as accelerations.
void kkt_accelerations(Kkt *kkt, size_t rank, double *accelerations);
// What the numbers in row·acceleration may be as large as; rounding is a part of that.
void kkt_terms(const Kkt *kkt, const double *rows, size_t count, double *sizes);
// The normals of rows in axes where the inertia is 1 on the velocities that the equations leave
// free: n − rank numbers each. A row that depends on the equations has the normal 0. `work` is
// count × n.
void kkt_normals(Kkt *kkt, size_t rank, const double *rows, size_t count, double *work,
                 double *normals);
// The motion departs by y (n − rank numbers in those axes, overwritten) under the force −pull (n).
void kkt_depart(Kkt *kkt, size_t rank, double *y, const double *pull);
// What the equations push in that motion: multipliers of least norm.
void kkt_multipliers(Kkt *kkt, size_t rank, size_t row_count, double *multipliers);

#endif
