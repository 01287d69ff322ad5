// start_numbers.h: numbers at the start of a motion, for signs and preferences; no proof rests on
// them.
#ifndef ZWANG_MOTION_START_NUMBERS_H
#define ZWANG_MOTION_START_NUMBERS_H

#include "expr/expr_types.h"

#include <stddef.h>

typedef struct Motion Motion; // motion_types.h

// The numbers of `count` expressions in q, q' and t at the start, as far as it is given; false
// where they hold more.
bool motion_numbers_at_start(const Motion *motion, const Expr *exprs, size_t count,
                             double *numbers);

#endif
