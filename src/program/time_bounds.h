// time_bounds.h: functions of time alone, bounded between all samples by proof.
//
// An integrator sees a force at some instants only. Here the Taylor coefficients of every function
// are enclosed over whole intervals of time, which are halved where the enclosure is too wide. So
// it is proved how far a Taylor polynomial about an instant is the function, and when abs, sign,
// min and max change their branch; a pulse of any width is found. An interval that was bounded once
// serves all later questions inside it.
#ifndef ZWANG_PROGRAM_TIME_BOUNDS_H
#define ZWANG_PROGRAM_TIME_BOUNDS_H

#include "expr/expr_types.h"
#include "program/time_switch.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct TimeBounds TimeBounds;

// The order of those who take a force by its value in the middle of a step, which is right for
// lines: what they miss is a parabola.
enum { TIME_BOUNDS_MIDDLE = 2 };

// The functions are all that the roots hold of the time alone, functions of functions included;
// polynomials need no bounds. `symbols` are `params` parameters, with their values, and the time.
// Bounds are asked for up to `to`, for degrees up to `order`. NULL where there are none.
TimeBounds *time_bounds_new(ExprPool *pool, const Expr *roots, size_t root_count,
                            const Expr *symbols, const double *values, size_t params, double to,
                            size_t order);
void time_bounds_free(TimeBounds *bounds);
// Whether a function holds this symbol.
bool time_bounds_hold(const TimeBounds *bounds, const ExprPool *pool, Expr symbol);

// The first time after t at which a function may change its branch: the argument of an abs or a
// sign, or the difference of a min or a max, is 0 there. False where there is none up to `to`.
bool time_bounds_next_switch(TimeBounds *bounds, double t, TimeSwitch *found);

// How far from t on, at most `step` and not beyond the next switch, every function differs from its
// Taylor polynomial of this degree about t by no more than `tolerance` of its size. 0 where no step
// is so short: time_bounds_narrow is then a function that changes too fast.
double time_bounds_reach(TimeBounds *bounds, double t, double step, size_t degree,
                         double tolerance);
Expr time_bounds_narrow(const TimeBounds *bounds);
// About when a function, of `time_bounds_functions` many, is largest, and how long it stays so.
size_t time_bounds_functions(const TimeBounds *bounds);
double time_bounds_peak(TimeBounds *bounds, size_t which, double *lasting);
// How many intervals were bounded, and the shortest of them.
size_t time_bounds_count(const TimeBounds *bounds, double *shortest);

#endif
