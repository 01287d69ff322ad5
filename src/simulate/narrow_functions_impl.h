// narrow_functions_impl.h: functions of the state that change within a small part of a step.
#ifndef ZWANG_SIMULATE_NARROW_FUNCTIONS_IMPL_H
#define ZWANG_SIMULATE_NARROW_FUNCTIONS_IMPL_H

#include "base/memory.h"
#include "expr/expr_types.h"

typedef struct ContactMode ContactMode; // contact_mode_impl.h
typedef struct Equations Equations;     // dynamics.h
typedef struct State State;             // dynamics.h

// ---- narrow_functions.c
typedef struct NarrowFunctions NarrowFunctions;
// Of everything that the roots hold; NULL where there are none. The last are `speeds`: their poles
// are met by their conditioning. `state` has the parameters' values.
NarrowFunctions *narrow_new(Arena *arena, ExprPool *pool, const Expr *roots, size_t count,
                            size_t speeds, const Equations *eq, const State *state);
void narrow_clear(NarrowFunctions *narrow);
// A parameter has another value from now on.
void narrow_put(NarrowFunctions *narrow, size_t param, double value);
// Before a step of the mode. And after it: where it should have ended, so that the next one begins
// close enough to what lies in it; infinite where the step is good. `series`: states inside a step
// cost no rates. `narrow` may be NULL.
// In between: whether bounds prove that nothing rises too far on the way of the integrator's
// series, from the state before the step to `end`.
bool narrow_is_level(NarrowFunctions *narrow, ContactMode *mode, double from, double until,
                     const double *end);
void narrow_begin_step(NarrowFunctions *narrow, const double *q);
double narrow_step_end(NarrowFunctions *narrow, ContactMode *mode, bool series);
// The same of a straight way to q, in the step's time, from where narrow_begin_step or the last of
// these was; and the function that was found there.
double narrow_on_way(NarrowFunctions *narrow, ContactMode *mode, const double *q);
Expr narrow_function(const NarrowFunctions *narrow);
// Whether the last step has passed a pole: what a power or logarithm is taken of has changed its
// sign, and rates grow beyond all bounds towards the place. A rate that stays finite there, as
// sin(x)/x, has none. Velocities in its argument are not looked at.
bool narrow_passes_pole(NarrowFunctions *narrow, ContactMode *mode);
// Whether a power or a logarithm is about where its argument is 0, as against a time `ahead`: it
// has no power series there.
bool narrow_is_singular(NarrowFunctions *narrow, const State *state, double ahead, Expr *whole);

#endif
