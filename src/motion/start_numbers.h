// start_numbers.h: numbers at the start of a motion, for signs and preferences; no proof rests on
// them.
#ifndef ZWANG_MOTION_START_NUMBERS_H
#define ZWANG_MOTION_START_NUMBERS_H

#include "expr/expr_types.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Motion Motion; // motion_types.h

// The numbers of `count` expressions in q, q' and t at the start, as far as it is given; false
// where they hold more.
bool motion_numbers_at_start(const Motion *motion, const Expr *exprs, size_t count,
                             double *numbers);
// Such numbers decide something: `decide` makes an outcome, which is 0 before, from the numbers,
// and may use these up. False where they hold more.
typedef void StartDecide(size_t n, size_t count, double *numbers, size_t *outcome);
bool motion_decide_at_start(const Motion *motion, const Expr *exprs, size_t count,
                            StartDecide *decide, size_t *outcome, size_t outcome_count);
// Whether all that was decided so, and all numbers that were asked for, are as they were, where the
// model has other parameters or starts since.
bool motion_start_stands(const Motion *motion);

#endif
