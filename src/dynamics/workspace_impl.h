// workspace_impl.h: the workspace of a state. Never leaves the room.
#ifndef ZWANG_DYNAMICS_WORKSPACE_IMPL_H
#define ZWANG_DYNAMICS_WORKSPACE_IMPL_H

#include "linalg/dense.h"
#include "linalg/linear_series.h"

#include <lapacke.h>

typedef struct Workspace {
    double *right, *kept; // n each
    double *lapack;
    lapack_int *columns, lapack_size;
    double *packed; // independent rows, then their drifts, then their directions
    double *shares; // for sharing reactions out
    Basis basis;
    // The velocities' equations, and least constraint's where these are sparse, with their factors.
    LinearSeries velocities, accelerations;
    double *both; // n + m
} Workspace;

#endif
