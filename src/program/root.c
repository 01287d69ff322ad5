// root.c: the first root of a polynomial, isolated and not guessed.
//
// An interval holds no root where, expanded about its middle, the constant term outweighs all
// others together. An interval for which that cannot be said is halved, the left half first, until
// what is left is too short to matter.
#include "program/program_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_DEGREE = 63 };

// Σ c_k·(m + s)^k in powers of s, by Horner's scheme.
static void expand_about(const double *c, size_t degree, double m, double *shifted)
{
    memcpy(shifted, c, (degree + 1) * sizeof *c);
    for (size_t i = 0; i < degree; i++)
        for (size_t k = degree; k-- > i;)
            shifted[k] += m * shifted[k + 1];
}

// Roundings are not taken for a gap between the curve and the axis: a root may lie where two
// intervals meet.
static bool has_no_root(const double *c, size_t degree, double from, double width)
{
    double shifted[MOST_DEGREE + 1], others = 0, size = 0;
    expand_about(c, degree, from + width / 2, shifted);
    for (size_t k = degree; k > 0; k--) {
        others = (others + fabs(shifted[k])) * (width / 2);
        size = (size + fabs(c[k])) * (from + width);
    }
    double rounding = 4 * (double)(degree + 1) * DBL_EPSILON * (size + fabs(c[0]));
    return fabs(shifted[0]) > others + rounding;
}

static double value(const double *c, size_t degree, double x)
{
    double sum = c[degree];
    for (size_t k = degree; k-- > 0;)
        sum = sum * x + c[k];
    return sum;
}

// Between two signs there is a root, which is not asked again: along the way to it, half of the
// intervals are so.
static bool has_root(const double *c, size_t degree, double from, double width, double rounding)
{
    double first = value(c, degree, from), last = value(c, degree, from + width);
    return (first > rounding && last < -rounding) || (first < -rounding && last > rounding);
}

static double rounding_of(const double *c, size_t degree, double most)
{
    double size = fabs(c[degree]);
    for (size_t k = degree; k-- > 0;)
        size = size * most + fabs(c[k]);
    return 4 * (double)(degree + 1) * DBL_EPSILON * size;
}

double program_first_root(const double *coefficients, size_t degree, double most)
{
    assert(degree <= MOST_DEGREE);
    // A root at 0 is where it begins.
    while (degree > 0 && coefficients[0] == 0) {
        coefficients++;
        degree--;
    }
    while (degree > 0 && coefficients[degree] == 0)
        degree--;
    if (degree == 0)
        return INFINITY;
    double rounding = rounding_of(coefficients, degree, most);
    // The interval from index·most/2^level, of the length most/2^level.
    uint64_t index = 0;
    for (int level = 0;;) {
        double width = ldexp(most, -level), from = (double)index * width;
        if (!has_root(coefficients, degree, from, width, rounding) &&
            has_no_root(coefficients, degree, from, width)) {
            for (index++; level > 0 && index % 2 == 0; level--)
                index /= 2;
            if (level == 0)
                return INFINITY;
        } else if (level == PROGRAM_POINT_LEVEL) {
            return (double)(index + 1) * width;
        } else {
            level++;
            index *= 2;
        }
    }
}
