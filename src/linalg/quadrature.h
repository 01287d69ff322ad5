// quadrature.h: integrals of functions of one number.
#ifndef ZWANG_LINALG_QUADRATURE_H
#define ZWANG_LINALG_QUADRATURE_H

#include <stdbool.h>

// A function's value; false where it has none.
typedef bool (*RealFn)(void *context, double x, double *value);
// Adds its integral from one place to another, by Gauss's rule of eight nodes.
bool quadrature_add(double from, double to, RealFn value, void *context, double *sum);

#endif
