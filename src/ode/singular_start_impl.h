// singular_start_impl.h: such a step as the integrator has it. Never leaves the room.
#ifndef ZWANG_ODE_SINGULAR_START_IMPL_H
#define ZWANG_ODE_SINGULAR_START_IMPL_H

#include "ode/integrator_impl.h"

struct OdeFirstStep {
    double from, length;
    bool pending; // it is the next step
    bool taken;   // it was the last step
    double *y0;
    double *slopes; // ODE_START_NODES × count: the rate's coefficients in Legendre's polynomials
};

// The state and its rate at a time within it; either may be NULL.
void first_step_interpolate(const OdeIntegrator *integrator, double t, double *y, double *rate);
// In powers of t − from: rows, and their degree.
size_t first_step_expand(const OdeIntegrator *integrator, double *rows);
// Takes it, not beyond `until`, and begins the method where it ends.
OdeOutcome first_step_take(OdeIntegrator *integrator, double until, double *t, double *y);

#endif
