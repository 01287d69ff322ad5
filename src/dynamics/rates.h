// rates.h: the motion as y' = f(t, y), y = (q, u), in one program.
#ifndef ZWANG_DYNAMICS_RATES_H
#define ZWANG_DYNAMICS_RATES_H

#include "dynamics/evaluator.h"

typedef struct Equations Equations; // dynamics.h
typedef struct Motion Motion;       // motion.h
typedef struct State State;

typedef struct Rates {
    // Inputs: t | q (n) | u (k); parameters have their numbers already. Outputs: q' (n) | u' (k),
    // or where unsolved > 0: q' (n) | matrix (unsolved × unsolved, symmetric, row after row) |
    // right (unsolved), u' = matrix⁻¹·right. That matrix is positive unless a Lagrangian makes it
    // otherwise.
    Program *program;
    size_t n, k, unsolved;
    Evaluator pivots; // of every pivot that moves: its size, and what that is measured by
    double least;     // the least pivot at the state where they were made
} Rates;
// For the speeds in use, with pivots that are good at the present state. False where there is no
// such program.
bool rates_init(Rates *rates, const Equations *eq, State *state, Motion *motion);
void rates_clear(Rates *rates);
// The least pivot at a state, each against the largest entry of its row or against its diagonal:
// 1 is best. Far below what it was at first, the rates want to be made anew.
double rates_least_pivot(Rates *rates, const double *inputs);

#endif
