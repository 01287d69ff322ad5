// levenberg_marquardt.c: cminpack's lmder, and Student's distribution.
#include "linalg/levenberg_marquardt.h"

#include "base/memory.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <cminpack.h>
#include <float.h>
#include <math.h>

static int evaluate(void *context, int m, int n, const double *x, double *rows, double *columns,
                    int stride, int what)
{
    const LeastSquaresProblem *problem = context;
    assert(m == stride && (size_t)n == problem->unknowns);
    (void)m;
    (void)n;
    bool found =
        problem->evaluate(problem->context, x, what == 1 ? rows : NULL, what == 2 ? columns : NULL);
    return found ? 0 : -1;
}

LeastOutcome levenberg_marquardt(const LeastSquaresProblem *problem, double *x, size_t *steps)
{
    size_t m = problem->residuals, n = problem->unknowns;
    assert(m >= n && n > 0);
    *steps = 0;
    double *room = base_alloc((m * n + 2 * m + 5 * n) * sizeof *room);
    double *rows = room + m * n, *diag = rows + 2 * m;
    int *pivots = base_alloc(n * sizeof *pivots), evaluations = 0, derivatives = 0;
    int info = lmder(evaluate, (void *)(size_t)problem, (int)m, (int)n, x, rows, room, (int)m,
                     problem->accuracy, problem->accuracy, 0, (int)problem->most, diag, 1, 100, 0,
                     &evaluations, &derivatives, pivots, diag + n, diag + 2 * n, diag + 3 * n,
                     diag + 4 * n, rows + m);
    base_free(room);
    base_free(pivots);
    *steps = (size_t)derivatives;
    // 1 to 4: it is found; 6 to 8: to the last digits.
    return info < 0 ? LEAST_REFUSED : info == 0 || info == 5 ? LEAST_ENDED : LEAST_FOUND;
}

// ---- Student's distribution.

// The incomplete beta function by its continued fraction (Lentz; Press et al., § 6.4).
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), value = d;
    for (int m = 1; m < LIMIT_EVENTS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        value *= c * d;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        value *= c * d;
        if (fabs(c * d - 1) < DBL_EPSILON)
            break;
    }
    return value;
}

// The probability that |T| is larger than t.
static double student_outside(double t, double freedom)
{
    double x = freedom / (freedom + t * t), a = freedom / 2, b = 0.5;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_quantile(double level, double freedom)
{
    assert(level > 0 && level < 1 && freedom > 0);
    double low = 0, high = 1;
    while (student_outside(high, freedom) > 1 - level)
        high *= 2;
    for (int i = 0; i < 2 * DBL_MANT_DIG; i++) {
        double middle = (low + high) / 2;
        *(student_outside(middle, freedom) > 1 - level ? &low : &high) = middle;
    }
    return high;
}
