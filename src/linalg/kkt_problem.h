// kkt_problem.h: the problem of least constraint under equations, and how its solution ends.
//
// Among the accelerations that the constraints allow, the true one departs least from the free
// motion (Gauss 1829): ½(a − a°)·𝓜(a − a°) is least under g·a = −γ, which is the same as
//
//     𝓜a − gᵀλ = K − h,   g·a = −γ.
//
// The inertia 𝓜 is symmetric and may be singular; only on the velocities that the rows leave
// free it has to be regular. Rows may depend on each other; then the multipliers are those of
// least norm.
#ifndef ZWANG_LINALG_KKT_PROBLEM_H
#define ZWANG_LINALG_KKT_PROBLEM_H

#include "base/memory.h"

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

typedef struct Kkt Kkt; // what solves it; kkt.h

typedef struct KktProblem {
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

#endif
