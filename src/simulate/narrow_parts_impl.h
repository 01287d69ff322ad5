// narrow_parts_impl.h: what narrow_functions.c and narrow_bounds.c share, and nobody else.
#ifndef ZWANG_SIMULATE_NARROW_PARTS_IMPL_H
#define ZWANG_SIMULATE_NARROW_PARTS_IMPL_H

#include "dynamics/evaluator.h"
#include "ode/interpolant.h"
#include "program/intervals.h"
#include "program/narrow_levels.h"

// Where bounds have proved that nothing rises too far; over how many parts of the step, and how
// often they were asked.
typedef struct {
    double from, until;
    size_t parts, steps;
} LevelStretch;

// A box of t and q over which nothing rises too far: it holds this step's and some ahead, in times
// of the step; 0: none does.
typedef struct {
    Interval *at;
    double ahead;
    size_t tries;
    bool known;
} LevelBox;

struct NarrowFunctions {
    size_t count;
    NarrowFunction *at;
    Evaluator arguments;
    double *inputs; // parameters | t | q | v
    size_t params, n;
    bool of_velocities;
    double *before;      // q at the beginning of the step, or of a straight way
    double *last;        // … of a part of it
    const double *after; // at the end of such a way; NULL: the way is that of the integrator
    double *samples;     // SAMPLES rows of all arguments
    double *lowest;      // levels, in the step so far, and
    double *lower;       // with the interval at hand
    double *rises;       // from the lowest of a straight way to its end
    size_t narrowest;    // the function that a step passed over
    OdeInterpolant *fits;
    OdeInterpolantBasis basis;
    double *bends;          // of the step, at most
    Interval *box, *bounds; // of the inputs, and of the arguments
    Interval *all, *work;   // of what the levels depend on, over all parts so far; workspace
    LevelStretch level;
    LevelBox held;
    bool poles; // some function has one with values on both of its sides
};

#endif
