// interpolant.c: a function of time over an interval, as a polynomial, and where it crosses levels.
//
// It interpolates at Chebyshev's nodes. Where the function is analytic as far around the interval
// as steps of a series reach, its coefficients fall so fast that the last ones are rounding; where
// they are not, or where two more samples do not lie on it, the interval is too long for it. Roots
// are isolated (program_first_root) and not guessed.
#include "ode/interpolant.h"
#include "program/program.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { NODES = ODE_INTERPOLANT_NODES, SAMPLES = ODE_INTERPOLANT_SAMPLES };
// Two samples test it; they lie between nodes 4 and 5, 8 and 9.
static const struct {
    size_t index;
    double at;
} tests[2] = {{5, 0.33}, {10, 0.79}};

void ode_interpolant_basis_init(OdeInterpolantBasis *basis)
{
    const double pi = acos(-1);
    for (size_t j = 0; j < NODES; j++) {
        double angle = pi * ((double)j + 0.5) / NODES;
        size_t index = j + (j >= tests[0].index) + (j + 1 >= tests[1].index);
        basis->at[index] = (1 - cos(angle)) / 2;
        for (size_t k = 0; k < NODES; k++)
            basis->cosines[k * NODES + j] = (k == 0 ? 1.0 : 2.0) / NODES * cos((double)k * angle);
    }
    for (size_t i = 0; i < 2; i++)
        basis->at[tests[i].index] = tests[i].at;
}

// Σ c_k·T_k(1 − 2x), by Clenshaw's scheme.
static double chebyshev_value(const OdeInterpolant *interpolant, double x)
{
    double z = 1 - 2 * x, b1 = 0, b2 = 0;
    for (size_t k = NODES; k-- > 1;) {
        double b0 = interpolant->chebyshev[k] + 2 * z * b1 - b2;
        b2 = b1;
        b1 = b0;
    }
    return interpolant->chebyshev[0] + z * b1 - b2;
}

OdeInterpolant ode_interpolant_fit(const OdeInterpolantBasis *basis, double from, double length,
                                   const double *samples, double noise)
{
    assert(length > 0 && noise >= 0);
    OdeInterpolant fit = {.from = from, .length = length};
    double nodes[NODES], size = 0, highest = -INFINITY, lowest = INFINITY;
    for (size_t i = 0, j = 0; i < SAMPLES; i++) {
        highest = fmax(highest, samples[i]);
        lowest = fmin(lowest, samples[i]);
        if (i != tests[0].index && i != tests[1].index)
            nodes[j++] = samples[i];
    }
    for (size_t k = 0; k < NODES; k++) {
        for (size_t j = 0; j < NODES; j++)
            fit.chebyshev[k] += basis->cosines[k * NODES + j] * nodes[j];
        double part = fabs(fit.chebyshev[k]);
        size = fmax(size, part);
        if (k + 3 >= NODES)
            fit.error = fmax(fit.error, part);
    }
    for (size_t i = 0; i < 2; i++) {
        double miss = chebyshev_value(&fit, tests[i].at) - samples[tests[i].index];
        fit.error = fmax(fit.error, fabs(miss) / 4);
    }
    double resolved = TOL_STATE * (from + length);
    fit.resolution = resolved * (highest - lowest) / length;
    fit.accurate = fit.error <= fmax(TOL_SUM * size, fmax(noise, fit.resolution));
    return fit;
}

double ode_interpolant_bound(const OdeInterpolant *interpolant, int sign)
{
    assert(sign != 0);
    double sum = 0;
    for (size_t k = 1; k < NODES; k++)
        sum += fabs(interpolant->chebyshev[k]);
    return interpolant->chebyshev[0] + (sign > 0 ? sum : -sum);
}

// ---- In powers.

// Clenshaw's scheme on polynomials in x.
static void expand(OdeInterpolant *interpolant)
{
    if (interpolant->expanded)
        return;
    interpolant->expanded = true;
    double b1[NODES] = {0}, b2[NODES] = {0}, b0[NODES];
    for (size_t k = NODES; k-- > 0;) {
        double twice = k > 0 ? 2 : 1;
        for (size_t i = 0; i < NODES; i++)
            b0[i] = twice * (b1[i] - (i > 0 ? 2 * b1[i - 1] : 0)) - b2[i];
        b0[0] += interpolant->chebyshev[k];
        memcpy(b2, b1, sizeof b2);
        memcpy(b1, b0, sizeof b1);
    }
    memcpy(interpolant->coefficients, b1, sizeof b1);
}

static double position(const OdeInterpolant *interpolant, double t)
{
    return fmin(fmax((t - interpolant->from) / interpolant->length, 0), 1);
}

double ode_interpolant_value(const OdeInterpolant *interpolant, double t)
{
    return chebyshev_value(interpolant, position(interpolant, t));
}

double ode_interpolant_slope(OdeInterpolant *interpolant, double t)
{
    double x = position(interpolant, t), sum = 0;
    expand(interpolant);
    for (size_t k = NODES; k-- > 1;)
        sum = sum * x + (double)k * interpolant->coefficients[k];
    return sum / interpolant->length;
}

// ---- Roots.

// It, or its slope, in powers of s = x − x0.
static void expand_about(OdeInterpolant *interpolant, double x0, bool slope, double *shifted)
{
    expand(interpolant);
    memcpy(shifted, interpolant->coefficients, sizeof interpolant->coefficients);
    for (size_t i = 0; i < ODE_DEGREE; i++)
        for (size_t k = ODE_DEGREE; k-- > i;)
            shifted[k] += x0 * shifted[k + 1];
    if (!slope)
        return;
    for (size_t k = 1; k < NODES; k++)
        shifted[k - 1] = (double)k * shifted[k];
    shifted[ODE_DEGREE] = 0;
}

// The first root behind x0, in powers about it; infinite for none.
static double next_root(const OdeInterpolant *interpolant, const double *shifted, double x0)
{
    double root = x0 < 1 ? program_first_root(shifted, ODE_DEGREE, 1 - x0) : INFINITY;
    return isinf(root) ? root : interpolant->from + fmin(x0 + root, 1) * interpolant->length;
}

double ode_interpolant_first_crossing(OdeInterpolant *interpolant, double after, double level,
                                      int sign)
{
    assert(sign != 0);
    double x0 = position(interpolant, after), shifted[NODES];
    if (sign * (ode_interpolant_value(interpolant, after) - level) >= 0)
        return after;
    if (sign * (ode_interpolant_bound(interpolant, sign) - level) < 0)
        return INFINITY;
    expand_about(interpolant, x0, false, shifted);
    shifted[0] -= level;
    return next_root(interpolant, shifted, x0);
}

// The first root of the reflected polynomial. A time at which a level was crossed may lie before
// the root, by roundings.
double ode_interpolant_last_root(OdeInterpolant *interpolant, double until, bool slope)
{
    double x0 = position(interpolant, until), shifted[NODES];
    if (!slope)
        x0 = fmin(x0 + TOL_AGREEMENT, 1);
    expand_about(interpolant, x0, slope, shifted);
    for (size_t k = 1; k < NODES; k += 2)
        shifted[k] = -shifted[k];
    double root = x0 > 0 ? program_first_root(shifted, ODE_DEGREE, x0) : INFINITY;
    // Where roundings hide a root at one of the ends, it is where the values are nearest to 0.
    if (isinf(root) && !slope &&
        fabs(chebyshev_value(interpolant, x0)) < fabs(chebyshev_value(interpolant, 0)))
        return until;
    return interpolant->from + (isinf(root) ? 0 : fmax(x0 - root, 0) * interpolant->length);
}

// As a polynomial it goes on: what is as far behind the end as it was clearly on its side before.
bool ode_interpolant_passes_end(OdeInterpolant *interpolant, double margin, int sign)
{
    double shifted[NODES];
    if (!(fabs(chebyshev_value(interpolant, 1)) <= margin))
        return false;
    expand_about(interpolant, 1, false, shifted);
    for (double s = DBL_EPSILON; s < TOL_COARSE; s *= 2) {
        double even = 0, odd = 0;
        for (size_t k = NODES; k-- > 0;)
            *(k % 2 == 0 ? &even : &odd) += shifted[k] * pow(s, (double)k);
        if (sign * (even - odd) > 2 * margin)
            return sign * (even + odd) < -margin;
    }
    return false;
}

double ode_interpolant_first_extremum(OdeInterpolant *interpolant, double after)
{
    double x0 = position(interpolant, after), shifted[NODES];
    expand_about(interpolant, x0, true, shifted);
    return next_root(interpolant, shifted, x0);
}
