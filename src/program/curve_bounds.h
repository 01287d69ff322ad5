// curve_bounds.h: a function along a polynomial curve, bounded between all samples.
#ifndef ZWANG_PROGRAM_CURVE_BOUNDS_H
#define ZWANG_PROGRAM_CURVE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Program Program; // program.h

// The inputs of a program over 0 ≤ x ≤ 1: the first ones are constant, the others polynomials.
typedef struct {
    size_t constant_count, count;
    const double *constants;
    const double *coefficients; // of the others: `count` rows, in powers of x
    size_t degree;
    double resolution; // what lies between two x so close is one instant
} ProgramCurve;

typedef enum { CURVE_BELOW, CURVE_ABOVE, CURVE_UNDECIDED } CurveAnswer;
// Whether the first output stays at or below a level: *highest is raised to a bound of it, where
// that is above. Else *at is the first x that is above the level, to the resolution, or from which
// on neither too many subdivisions nor the shortest ones could decide it.
CurveAnswer curve_stays_below(const Program *program, const ProgramCurve *curve, double level,
                              double *highest, double *at);
// The same, but what is above by its roundings alone may count as above.
CurveAnswer curve_stays_clearly_below(const Program *program, const ProgramCurve *curve,
                                      double level, double *at);

#endif
