// singular_start.h: the first step from a state at which the rate is not defined, though it is just
// behind it: where a body begins to slide, and friction has the direction of the sliding.
#ifndef ZWANG_ODE_SINGULAR_START_H
#define ZWANG_ODE_SINGULAR_START_H

#include <stdbool.h>
#include <stddef.h>

typedef struct OdeIntegrator OdeIntegrator; // ode.h

enum { ODE_START_NODES = 9 };

typedef struct OdeSingularStart {
    void *context;
    // Of a first step as long as `length`: the state at a time after its beginning, near enough for
    // Newton's method where the step is short; and what is small against what the rate depends on
    // there. False where there is none.
    bool (*guess)(void *context, double length, double after, double *y, double *size);
} OdeSingularStart;

// From such a state, whose solution is smooth from there on: a polynomial that has the rates at
// the nodes of Radau's right formula, none of which is the beginning. The next step of the
// integrator is the one that is found here, as long as the tolerance allows, not longer than
// `longest`. False where none was found.
bool ode_integrator_start_singular(OdeIntegrator *integrator, double t, const double *y,
                                   double longest, const OdeSingularStart *start);
// Whether the next step, or the last one, is such a step; then its nodes: the times from its
// beginning on as parts of its length, and the state at one of them.
bool ode_integrator_is_singular_start(const OdeIntegrator *integrator);
void ode_integrator_start_node(const OdeIntegrator *integrator, size_t node, double *t, double *y);

#endif
