// intervals.h: a program run in intervals of doubles: quick, and wide.
#ifndef ZWANG_PROGRAM_INTERVALS_H
#define ZWANG_PROGRAM_INTERVALS_H

#include <stddef.h>

typedef struct Program Program; // program.h

typedef struct Interval {
    double low, high; // low ≤ high
} Interval;

// Each output holds every value that the program has, in exact arithmetic, where each input is
// anywhere in its interval. Where nothing is known, or some value does not exist, it is from −∞ to
// ∞. `work` holds program_registers intervals.
void program_run_intervals(const Program *program, const Interval *inputs, Interval *outputs,
                           Interval *work);

#endif
