// ball_series.h: a program run in power series of balls (Arb): every coefficient is enclosed.
//
// Apart from program.h because only rooms that know Arb may include it.
#ifndef ZWANG_PROGRAM_BALL_SERIES_H
#define ZWANG_PROGRAM_BALL_SERIES_H

#include "program/balls.h"

// Which branch abs, sign, min, max and tables take, one number for each of these instructions in
// the order of the program: the sign of the argument, or of the difference of both; of a table a
// number of the piece that is not 0. 0: by the enclosure.
typedef struct {
    int64_t *signs;      // program_switches of them; what the enclosures show is put in
    ptrdiff_t unknown;   // the first whose enclosure holds 0; −1 for none
    int64_t first, last; // of a table that is unknown: between these; else 0
    arb_ptr difference;  // `length` coefficients of that argument
} ProgramBallBranches;

// Coefficients 0 … length − 1 of every output, for inputs that are constant but for the last
// `moving` ones, which are series: `inputs` has a ball for each of the former and `length` balls
// for each of the latter. If these are enclosed about all points of an interval, so is every
// output. `outputs` has `length` balls for each. Where a branch is unknown the slopes of outputs
// that need it are indeterminate.
void program_run_ball_series(const Program *program, slong precision, slong length,
                             arb_srcptr inputs, size_t moving, ProgramBallBranches *branches,
                             arb_ptr outputs);

#endif
