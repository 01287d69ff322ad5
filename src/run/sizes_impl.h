// sizes_impl.h: what the parts of the state are measured by, and why a motion ends. Never leaves
// the room.
#ifndef ZWANG_RUN_SIZES_IMPL_H
#define ZWANG_RUN_SIZES_IMPL_H

#include "ode/ode.h"
#include "run/numbers_impl.h"

// Whether all are finite numbers: an infinity or a NaN times 0 is a NaN. Four sums, so that none
// waits for the one before it.
static inline bool all_finite(const double *values, size_t count)
{
    double sums[4] = {0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t j = 0; j < 4; j++)
            sums[j] += values[i + j] * 0;
    for (; i < count; i++)
        sums[0] += values[i] * 0;
    return (sums[0] + sums[1]) + (sums[2] + sums[3]) == 0;
}

// The larger of two numbers; unlike fmax it is one instruction, and b where a is no number.
static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

// ---- strand.c: why a motion cannot be followed further, in words.
// Why there is no rate.
void strand_add_reason(const Numbers *numbers, NumbersOutcome why, Text *text);
// Why the steps became short.
const char *strand_why_short(const Numbers *numbers, OdeOutcome outcome);
// The part of numbers' state that changes fastest, against its size.
void strand_add_runaway(const Numbers *numbers, Text *text);

// ---- sizes.c: typical sizes of the state's parts, and the errors that these allow.
typedef struct {
    size_t n, k;
    double span; // from a row to the next
    double tolerance;
    double *q, *v, *a, *u; // the largest so far; one block, at q
    double *noise;         // k, in the same block: of the speeds' rates, where it was heard
    double most_v;         // over all velocities
} Sizes;
void sizes_init(Sizes *sizes, const Numbers *numbers, double tolerance, double span);
void sizes_clear(Sizes *sizes);
// With new speeds u. What is 0 at first is measured by how far it gets until the next row.
void sizes_begin(Sizes *sizes, const Numbers *numbers, const double *u, const double *u_rate);
// A state was accepted: numbers' q, v and a, and the speeds u.
void sizes_see(Sizes *sizes, const Numbers *numbers, const double *u);
// The rates of the speeds at a state, and at one that differs from it by roundings.
void sizes_hear(Sizes *sizes, const double *u_rate, const double *other);
// For each part of y = (q, u) the error that counts as 1, in a step about so long; 0: unknown.
void sizes_allow(const Sizes *sizes, const double *y, double step, double *allowance);

#endif
