// intervals.h: a program run in intervals of doubles, for bounds that are asked for very often.
#ifndef ZWANG_PROGRAM_INTERVALS_H
#define ZWANG_PROGRAM_INTERVALS_H

typedef struct Program Program; // program.h

typedef struct Interval {
    double low, high; // low ≤ high; where something is not a number it is the whole line
} Interval;

// Each output holds every value that the program has, in exact arithmetic, for inputs inside their
// intervals; it is the whole line where one of these values does not exist. `work` holds
// program_registers intervals.
void program_run_intervals(const Program *program, const Interval *inputs, Interval *outputs,
                           Interval *work);

#endif
