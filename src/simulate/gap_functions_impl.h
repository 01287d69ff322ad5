// gap_functions_impl.h: the one-sided conditions along a run, as numbers.
#ifndef ZWANG_SIMULATE_GAP_FUNCTIONS_IMPL_H
#define ZWANG_SIMULATE_GAP_FUNCTIONS_IMPL_H

#include "base/base.h"
#include "dynamics/dynamics.h"
#include "dynamics/evaluator.h"
#include "simulate/simulate.h"

// ---- gap_functions.c: the one-sided conditions along a run, as numbers.
typedef struct {
    const Equations *eq; // of the run itself: for symbols and parameters
    const State *state;
    size_t n, count;
    Evaluator positions; // f of all
    double *inputs;      // parameters | t | q
    double tolerance;    // what part of its size counts as 0
    double interval;     // from a row to the next
    double *sizes;       // what f is measured by: its largest term at the start, or
    bool *by_motion;     // how far it came so far
    double *band;        // f is 0 within so much
    double *slow;        // and f' where f does not leave its band from a row to the next
    double *f;
} GapFunctions;
BASE_MUST_USE Status gaps_init(GapFunctions *gaps, const Run *run, Diag *diag);
void gaps_clear(GapFunctions *gaps);
// What was seen of the motion of one of them: f' and f''.
void gaps_note_motion(GapFunctions *gaps, size_t i, double rate, double acceleration);
// f of all of them, in gaps->f.
void gaps_evaluate(GapFunctions *gaps, double t, const double *q);

#endif
