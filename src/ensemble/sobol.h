// sobol.h: a sequence of low discrepancy: points that fill a cube more evenly than random ones.
#ifndef ZWANG_ENSEMBLE_SOBOL_H
#define ZWANG_ENSEMBLE_SOBOL_H

#include <stddef.h>
#include <stdint.h>

// I. M. Sobol' (1967); primitive polynomials and first direction numbers of S. Joe and F. Y. Kuo,
// SIAM J. Sci. Comput. 30 (2008) 2635. So many coordinates.
enum { SOBOL_DIMENSIONS = 16 };
// Coordinate `dimension` of point k, in (0, 1): the binary digits of the sequence, of which each
// is flipped where `shift` has a 1 (a digital shift; it keeps the discrepancy).
double sobol_point(size_t dimension, uint64_t k, uint64_t shift);

#endif
