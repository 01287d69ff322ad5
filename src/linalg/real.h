// real.h: numbers one after the other.
#ifndef ZWANG_LINALG_REAL_H
#define ZWANG_LINALG_REAL_H

#include "base/memory.h"

#include <math.h>

// Of two numbers. fmax and fmin would be calls, for the sake of what is no number.
static inline double real_max(double a, double b)
{
    return a > b ? a : b;
}

static inline double real_min(double a, double b)
{
    return a < b ? a : b;
}

static inline double real_dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline double real_length(const double *a, size_t count)
{
    return sqrt(real_dot(a, a, count));
}

static inline double real_largest(const double *a, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = real_max(most, fabs(a[i]));
    return most;
}

static inline void real_add_times(double factor, const double *a, size_t count, double *sum)
{
    for (size_t i = 0; i < count; i++)
        sum[i] += factor * a[i];
}

// No number is asked by itself: of all numbers only those that are not finite, times 0, are not 0.
static inline bool real_all_finite(const double *values, size_t count)
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

// An array of doubles, all 0; one for no elements, so that it may be pointed to.
static inline double *real_alloc(Arena *arena, size_t count)
{
    return arena_alloc(arena, (count + 1) * sizeof(double));
}

// The same for several pointers: `real_alloc_each(arena, n, &x, &y);`
#define real_alloc_each(arena, count, ...)                                                         \
    real_alloc_list((arena), (count), (double **[]){__VA_ARGS__, NULL})
static inline void real_alloc_list(Arena *arena, size_t count, double **const *each)
{
    for (; *each; each++)
        **each = real_alloc(arena, count);
}

#endif
