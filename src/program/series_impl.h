// series_impl.h: between the files that run programs in power series; only for this room.
#ifndef ZWANG_PROGRAM_SERIES_IMPL_H
#define ZWANG_PROGRAM_SERIES_IMPL_H

#include "program/flow_impl.h"

// Numbers of a sum: what the orders of a block have so far, and room to share beyond.
enum { SERIES_SUM = 2 * FLOW_BLOCK };

// A series as far as it is known.
typedef struct {
    double *at;  // coefficients
    size_t last; // none after this one differs from 0, so far
} Row;

typedef struct {
    const Row *left; // as they are swept
    Row *right;
    const double *first, *second; // as the step has them
    double *at;                   // what each order of the block has so far
} SeriesSum;

typedef struct {
    uint32_t kind, op;
    uint32_t a, b, c, r, partner; // values; that of 0 where there is none
    uint32_t left, right;         // of its (first) sum
    uint32_t kept, below;         // as the flow has it, and the power
    double power;
    const double *left_row, *right_row;
    double *sum;
    Row *row, *partner_row; // NULL where no later order reads it
    const Row *operands[2]; // a row of zeros where there is none
    Row *helpers;
    uint32_t helper_count;
} SeriesStep;

struct ProgramSeries {
    const Program *program;
    Flow flow;
    size_t most_order, length; // of a row
    size_t reached;            // the order at hand
    SeriesStep *steps;
    SeriesSum *sums; // those of squares first, and as many more as fill the last four
    size_t sum_count, squares;
    Row *rows;          // of every value; without `at` where it is not kept
    Row *helpers;       // of all steps
    Row zero;           // a row of zeros
    double *block;      // all coefficients
    double *totals;     // of the sums
    double *now;        // every value's coefficient of the order at hand; the last is 0
    double *fixed;      // of every value: what is constant; of quotients and roots what they keep
    bool *moved;        // of every value: a coefficient above 0 was not 0. Looked at where:
    bool careful;       // something is no number at order 0
    double *difference; // room for one row
};

// ---- series_plain.c, series_fused.c. The same numbers by both.
typedef struct {
    // What order k > 0 has of every sum by the orders before.
    void (*prepare)(ProgramSeries *series, size_t k);
    // The order itself, the inputs being there.
    void (*order)(ProgramSeries *series, size_t k);
    // A step that is FLOW_OTHER.
    double (*other)(const ProgramSeries *series, const SeriesStep *at, size_t k);
    // As program_flow_sum, of rows with so many numbers, from `first` on, as program_flow_summed.
    void (*sum)(const double *table, size_t width, size_t first, size_t order, double s,
                double *sums, double *slopes);
    // As program_bends.
    void (*bends)(const double *table, size_t width, size_t count, size_t order, double s,
                  double *most);
    // Sines and cosines of so many angles; the arrays are as long as whole fours.
    void (*waves)(const double *x, double *sines, double *cosines, long count);
} SeriesKernels;
extern const SeriesKernels series_plain, series_fused;
// Those for the processor at hand.
const SeriesKernels *series_kernels(void);

// ---- series.c
// Of y' = f(y), as program_flow_new; with the operations of compiled series, or quotients rounded
// once.
ProgramSeries *series_new(const Program *program, const int *rates, size_t most_order,
                          bool compiles);
// As program_series_next; an output of the order reached.
void series_next(ProgramSeries *series, size_t k, const double *inputs);
double series_output(const ProgramSeries *series, size_t output);

#endif
