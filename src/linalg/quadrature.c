// quadrature.c: Gauss's rule on Legendre's nodes.
#include "linalg/quadrature.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

// Half of the nodes of the rule of 8 on (−1, 1), from the middle outwards, and their weights.
static const double nodes[] = {0.18343464249564980494, 0.52553240991632898582,
                               0.79666647741362673959, 0.96028985649753623168};
static const double weights[] = {0.36268378337836198297, 0.31370664587788728734,
                                 0.22238103445337447054, 0.10122853629037625915};

bool quadrature_add(double from, double to, RealFn value, void *context, double *sum)
{
    double middle = (from + to) / 2, half = (to - from) / 2, at;
    assert(value && sum);
    for (size_t i = 0; i < 2 * (sizeof nodes / sizeof *nodes); i++) {
        // Not beyond an end by a rounding.
        double node = fmin(fmax(middle + (i % 2 ? half : -half) * nodes[i / 2], fmin(from, to)),
                           fmax(from, to));
        if (!value(context, node, &at))
            return false;
        *sum += half * weights[i / 2] * at;
    }
    return true;
}
