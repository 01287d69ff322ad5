// levenberg_marquardt.h: least squares of functions that are not linear, by MINPACK (cminpack's
// lmder; Moré 1978). Knows no expressions and no mechanics.
#ifndef ZWANG_LINALG_LEVENBERG_MARQUARDT_H
#define ZWANG_LINALG_LEVENBERG_MARQUARDT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    size_t residuals, unknowns;
    void *context;
    // The residuals at x, or (rows NULL) else their derivatives, column after column; false ends
    // the search.
    bool (*evaluate)(void *context, const double *x, double *rows, double *columns);
    double accuracy; // of the sum of squares and of x
    size_t most;     // evaluations
} LeastSquaresProblem;
typedef enum {
    LEAST_FOUND,  // no step makes the sum smaller
    LEAST_ENDED,  // there were too many evaluations
    LEAST_REFUSED // an evaluation said so
} LeastOutcome;
// From x, which becomes the best that was found; *steps of it.
LeastOutcome levenberg_marquardt(const LeastSquaresProblem *problem, double *x, size_t *steps);

// The probability that |T| is larger than t, of Student's distribution with this freedom, is
// 1 − level there.
double student_quantile(double level, double freedom);

#endif
