// given_energy.h: what belongs to an energy of acceleration that was given (Appell 14–17).
#ifndef ZWANG_MOTION_GIVEN_ENERGY_H
#define ZWANG_MOTION_GIVEN_ENERGY_H

#include "expr/expr_types.h"

typedef struct Motion Motion; // motion_types.h

typedef struct MotionGiven {
    Expr T;           // what belongs to it; 0 where none does
    const char *no_T; // why none does; NULL where one does
    // Where none does:
    Expr S;        // itself, else 0
    Expr *inertia; // its part of 𝓜, n × n, else NULL
    Expr sigma;    // what of it is neither of that nor linear in q''; 0 where S is quadratic
    Expr *dsigma;  // ∂σ/∂q'', n; NULL where σ is 0
} MotionGiven;

// The same where none was given: 0, or NULL.
Expr motion_T_of_S(const Motion *motion);
const char *motion_no_T(const Motion *motion);
// Why a reaction has another direction than its condition, the beginning of a sentence; NULL: all
// are ideal.
const char *motion_driven(const Motion *motion);
Expr motion_S_without_T(const Motion *motion);
Expr motion_sigma(const Motion *motion);
const Expr *motion_dsigma(const Motion *motion);

#endif
