// error_scale_impl.h: typical sizes of the state's parts, and the errors that these allow.
#ifndef ZWANG_SIMULATE_ERROR_SCALE_IMPL_H
#define ZWANG_SIMULATE_ERROR_SCALE_IMPL_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"

// ---- error_scale.c: typical sizes of the state's parts, and the errors that these allow.
typedef struct ErrorScale {
    size_t n, k;
    double span; // from a row to the next
    double tolerance;
    double *q, *v, *a, *u; // the largest so far; one block, at q
    double *noise;         // k, in the same block: of the speeds' rates, where it was heard
    double most_v;         // over all velocities
} ErrorScale;
void error_scale_init(ErrorScale *sizes, const Equations *eq, double tolerance, double span);
void error_scale_clear(ErrorScale *sizes);
// With new speeds u. What is 0 at first is measured by how far it gets until the next row.
void error_scale_begin(ErrorScale *sizes, const State *state, const double *u,
                       const double *u_rate);
// A state was accepted: numbers' q, v and a, and the speeds u.
void error_scale_update(ErrorScale *sizes, const State *state, const double *u);
// After the rates have jumped: what they make of it until they jump again, after this time.
void error_scale_jump(ErrorScale *sizes, const State *state, const double *u_rate, double length);
// The rates of the speeds at a state, and at one that differs from it by roundings.
void error_scale_noise(ErrorScale *sizes, const double *u_rate, const double *other);
// For each part of y = (q, u) the error that counts as 1, in a step about so long; 0: unknown.
void error_scale_weights(const ErrorScale *sizes, const double *y, double step, double *allowance);

#endif
