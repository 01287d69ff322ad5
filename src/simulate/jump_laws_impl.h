// jump_laws_impl.h: the velocities behind a jump of the equations, from those before it.
#ifndef ZWANG_SIMULATE_JUMP_LAWS_IMPL_H
#define ZWANG_SIMULATE_JUMP_LAWS_IMPL_H

#include "simulate/velocity_jumps_impl.h"

typedef struct Kkt Kkt; // kkt.h

// The equations on one side of the switch, at the velocities before it.
typedef struct {
    double *inertia;  // n × n
    double *rows;     // m × n, of the independent conditions
    double *drift;    // c of b·q' + c = 0
    double *momentum; // ∂T/∂q'
    double potential; // of the energy Σ q'·∂T/∂q' − T + U, what it is at rest
} SwitchSide;

typedef struct {
    Arena *arena;
    Kkt *kkt;
    size_t n, m;
    const double *v; // before
    SwitchSide sides[2];
    const double *farther; // the drift behind the switch, twice as far from the side before it
    const bool *rates;     // of the m conditions: gives the rate of a state, and moves nothing
    const double *slope;   // ∂s/∂t, ∂s/∂q of what decides the switch
} JumpProblem;

// ---- jump_laws.c
// What differs on both sides.
typedef struct {
    bool kinetic, potential;
    bool drift;       // it jumps, and has not merely a kink
    size_t rows, row; // how many; the last
} JumpChanges;
JumpChanges jump_changes(const JumpProblem *problem);
// The velocities behind the jump (n); or none, or it is refused.
JumpKind jump_by_law(JumpProblem *problem, const JumpChanges *changes, double *after);

#endif
