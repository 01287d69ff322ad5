// run_start.h: the completed start of a run.
#ifndef ZWANG_SIMULATE_RUN_START_H
#define ZWANG_SIMULATE_RUN_START_H

#include <stddef.h>

// ---- The completed start, with the accelerations and multipliers there.
typedef struct {
    size_t n, m, k;       // coordinates, conditions in force, speeds: as in the motion
    const double *q, *v;  // n each
    const double *u;      // k, the motion's speeds
    const double *a;      // n
    const double *params; // of all parameters, discrete states among them
    const double *lambda; // of the conditions in force, in their order
    double energy;
    const double *row; // all columns there, until the run goes
} RunStart;

#endif
