// given_impulses_impl.h: given impulses, in the order of their times.
#ifndef ZWANG_SIMULATE_GIVEN_IMPULSES_IMPL_H
#define ZWANG_SIMULATE_GIVEN_IMPULSES_IMPL_H

#include "base/memory.h"

typedef struct Equations Equations; // dynamics.h
typedef struct State State;         // dynamics.h
typedef struct Motion Motion;       // motion.h

// ---- given_impulses.c
typedef struct GivenImpulse GivenImpulse;
typedef struct GivenImpulses {
    GivenImpulse *at;
    size_t count, next; // which comes next
} GivenImpulses;
// Those of the model, at its start. A copy of the struct counts `next` by itself.
BASE_MUST_USE Status impulses_init(GivenImpulses *impulses, Arena *arena, const Equations *eq,
                                   const State *state, Motion *motion, Diag *diag);
void impulses_clear(GivenImpulses *impulses);
double impulses_time(const GivenImpulses *impulses); // of the next; infinite for none
// Of the next: n parts, and its time; of several at once the first.
const struct Evaluator *impulses_program(const GivenImpulses *impulses);
bool impulses_are_several(const GivenImpulses *impulses); // at the time of the next
// All of this time together, n, at the state where they act.
void impulses_take(GivenImpulses *impulses, const Equations *eq, const State *state,
                   double *impulse);

#endif
