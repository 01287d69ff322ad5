// workspace_impl.h: the workspace of a state. Never leaves the room.
#ifndef ZWANG_DYNAMICS_WORKSPACE_IMPL_H
#define ZWANG_DYNAMICS_WORKSPACE_IMPL_H

#include "linalg/dense.h"
#include "linalg/sparse.h"

#include <lapacke.h>

typedef struct Workspace {
    double *matrix, *right; // n × n, n
    double *kept;           // n
    double *lapack;
    lapack_int *pivots, *columns, lapack_size;
    double *packed; // independent rows, then their drifts, then their directions
    double *shares; // for sharing reactions out
    Basis basis;
    // Factors of the velocities' equations, and of least constraint's. Made on first use.
    SparseLu of_velocities, of_forces;
    double *both; // n + m
} Workspace;

#endif
