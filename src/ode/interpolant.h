// interpolant.h: functions of time over an interval, and where they cross levels.
#ifndef ZWANG_ODE_INTERPOLANT_H
#define ZWANG_ODE_INTERPOLANT_H

#include "linalg/tolerances.h"

#include <stdbool.h>
#include <stddef.h>

// ---- interpolant.c: a function of time over an interval, as the polynomial through samples of it,
// and where it crosses levels.
enum {
    ODE_INTERPOLANT_NODES = ODE_DEGREE + 1,
    ODE_INTERPOLANT_SAMPLES = ODE_INTERPOLANT_NODES + 2
};
typedef struct {
    double at[ODE_INTERPOLANT_SAMPLES]; // where to sample, in units of an interval, in order
    double cosines[ODE_INTERPOLANT_NODES * ODE_INTERPOLANT_NODES];
} OdeInterpolantBasis;
typedef struct {
    double from, length;                        // of the interval
    double chebyshev[ODE_INTERPOLANT_NODES];    // its coefficients, and
    double coefficients[ODE_INTERPOLANT_NODES]; // in powers of (t − from)/length, once asked for
    bool expanded;
    bool accurate;     // it is the function, but for the noise that is allowed
    double error;      // about how much it differs from the function
    double resolution; // how much the function changes in the last digits of the time
} OdeInterpolant;
void ode_interpolant_basis_init(OdeInterpolantBasis *basis);
// From samples at those times; `noise` is how much they may be off.
OdeInterpolant ode_interpolant_fit(const OdeInterpolantBasis *basis, double from, double length,
                                   const double *samples, double noise);
// No value of it is larger, or smaller for sign < 0, than this.
double ode_interpolant_bound(const OdeInterpolant *interpolant, int sign);
double ode_interpolant_value(const OdeInterpolant *interpolant, double t);
double ode_interpolant_slope(OdeInterpolant *interpolant, double t);
// The first time from `after` on where it reaches `level` from below (sign > 0) or above (< 0);
// infinite where it does not.
double ode_interpolant_first_crossing(OdeInterpolant *interpolant, double after, double level,
                                      int sign);
// The last time before `until` where it, or its slope, was 0; where there is none its beginning, or
// `until` where it is nearer to 0 than at the beginning.
double ode_interpolant_last_root(OdeInterpolant *interpolant, double until, bool slope);
// Whether it passes 0 where it ends, up to `margin`, from the side of `sign` to the other one.
bool ode_interpolant_passes_end(OdeInterpolant *interpolant, double margin, int sign);
// The first time after `after` where its slope is 0; infinite where there is none.
double ode_interpolant_first_extremum(OdeInterpolant *interpolant, double after);

#endif
