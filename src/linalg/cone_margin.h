// cone_margin.h: how much room some circular cones leave together.
#ifndef ZWANG_LINALG_CONE_MARGIN_H
#define ZWANG_LINALG_CONE_MARGIN_H

#include <stddef.h>

// Cones |F(y)| ≤ b(y), b and the `forces` components of F affine in `count` numbers y. Of cone i
// there are 1 + forces[i] functions, b first, each a constant and `count` slopes.
typedef struct {
    size_t cones, count;
    const size_t *forces;
    const double *functions; // of all cones
} ConeProblem;

// The largest over y of the least b − |F|, to some 1e-10 of the largest constant, or INFINITY where
// that is very much more or nothing is asked; y where it is (0 in the second case).
double cone_margin(const ConeProblem *problem, double *y);
// The least b − |F| at y.
double cone_margin_at(const ConeProblem *problem, const double *y);

#endif
