// sobol.c: Sobol's sequence, one coordinate of one point at a time.
#include "ensemble/sobol.h"

#include <assert.h>

enum { BITS = 52, MOST_DEGREE = 6 };

// Of the coordinates after the first: degree and inner coefficients of the polynomial, first
// direction numbers.
static const struct {
    unsigned degree, coefficients, first[MOST_DEGREE];
} table[SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
};

// Direction numbers, scaled to whole numbers of BITS digits.
static void find_directions(size_t dimension, uint64_t *v)
{
    for (unsigned i = 0; i < BITS && dimension == 0; i++)
        v[i] = UINT64_C(1) << (BITS - 1 - i);
    if (dimension == 0)
        return;
    unsigned degree = table[dimension - 1].degree;
    for (unsigned i = 0; i < degree; i++)
        v[i] = (uint64_t)table[dimension - 1].first[i] << (BITS - 1 - i);
    for (unsigned i = degree; i < BITS; i++) {
        v[i] = v[i - degree] ^ (v[i - degree] >> degree);
        for (unsigned k = 1; k < degree; k++)
            if (table[dimension - 1].coefficients >> (degree - 1 - k) & 1)
                v[i] ^= v[i - k];
    }
}

double sobol_point(size_t dimension, uint64_t k, uint64_t shift)
{
    assert(dimension < SOBOL_DIMENSIONS && k >> BITS == 0);
    uint64_t v[BITS], x = shift >> (64 - BITS), gray = k ^ (k >> 1);
    find_directions(dimension, v);
    for (unsigned i = 0; i < BITS; i++)
        if (gray >> i & 1)
            x ^= v[i];
    return ((double)x + 0.5) * 0x1p-52;
}
