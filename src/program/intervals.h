// intervals.h: a program run in intervals of doubles: quick, and wide.
#ifndef ZWANG_PROGRAM_INTERVALS_H
#define ZWANG_PROGRAM_INTERVALS_H

#include <stddef.h>

typedef struct Program Program; // program.h

typedef struct {
    double low, high;
} Interval;

// What the outputs can be, but for a few roundings, where each input is anywhere in its interval.
// Where nothing is known an output is from −∞ to ∞. `work` holds program_registers intervals.
void program_run_intervals(const Program *program, const Interval *inputs, Interval *outputs,
                           Interval *work);

#endif
