// dense.h: vectors, and rows of numbers one after the other. Knows no expressions and no mechanics.
#ifndef ZWANG_LINALG_DENSE_H
#define ZWANG_LINALG_DENSE_H

#include "base/base.h"

// ---- Vectors.

// Of two finite numbers. fmax would be a call, for the sake of those that are not.
static inline double real_max(double a, double b)
{
    return a > b ? a : b;
}

static inline double real_dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline void real_add_times(double factor, const double *a, size_t count, double *sum)
{
    for (size_t i = 0; i < count; i++)
        sum[i] += factor * a[i];
}

// No number is asked by itself: of all numbers only those that are not finite, times 0, are not 0.
static inline bool real_all_finite(const double *values, size_t count)
{
    double even = 0, odd = 0;
    size_t i = 0;
    for (; i + 2 <= count; i += 2) {
        even += values[i] * 0;
        odd += values[i + 1] * 0;
    }
    if (i < count)
        even += values[i] * 0;
    return even + odd == 0;
}

// ---- basis.c: rows one after the other, made orthogonal (Gram and Schmidt).
typedef struct {
    size_t n, count;
    double *units;   // n × n: the rows taken, made orthogonal
    double *made_of; // n × n: unit i = Σ made_of[i][j]·(row j of those taken)
    double *rest;    // n: what of the row last seen stands off them
    double *parts;   // n: the remainder of it is Σ parts[j]·(row j of those taken)
} Basis;
void basis_init(Basis *basis, size_t n);
void basis_clear(Basis *basis);
// Which part of a row stands off those taken; leaves rest and parts.
double basis_examine(Basis *basis, const double *row);
// The same, and takes the row where that is more than `least`, usually TOL_RANK; else false.
bool basis_take(Basis *basis, const double *row, double least);

#endif
