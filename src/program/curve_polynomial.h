// curve_polynomial.h: a function along a polynomial curve, where it is a polynomial itself.
#ifndef ZWANG_PROGRAM_CURVE_POLYNOMIAL_H
#define ZWANG_PROGRAM_CURVE_POLYNOMIAL_H

#include "program/curve_bounds.h"

// In powers of x; `error` bounds the roundings of its values for 0 ≤ x ≤ 1 and of the curve's
// place.
typedef struct {
    double *coefficients;
    size_t degree;
    double error;
} CurvePolynomial;

// The first output. False where sums and products do not make it, or its degree is large.
bool curve_compose(const Program *program, const ProgramCurve *curve, CurvePolynomial *polynomial);
void curve_polynomial_clear(CurvePolynomial *polynomial);

#endif
