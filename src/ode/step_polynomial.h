// step_polynomial.h: dense output of the last step of an integrator as a polynomial.
#ifndef ZWANG_ODE_STEP_POLYNOMIAL_H
#define ZWANG_ODE_STEP_POLYNOMIAL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct OdeIntegrator OdeIntegrator; // ode.h

// Of all parts of the state, in powers of (t − from)/length for a part of the last
// step: rows of the orders 0 … the degree, which it returns; at most ODE_MAX_ORDER.
size_t ode_integrator_polynomial(OdeIntegrator *integrator, double from, double length,
                                 double *rows);
// Of the first parts of the state: how large the second derivative of that polynomial is at most
// over a part of the last step from its beginning, for the length 1. False where that cannot be
// said at little cost.
bool ode_integrator_bends(const OdeIntegrator *integrator, double from, double length, size_t count,
                          double *bends);

#endif
