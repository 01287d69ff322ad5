// workspace_impl.h: the workspace of a state, and its linear equations. Never leaves the room.
#ifndef ZWANG_DYNAMICS_WORKSPACE_IMPL_H
#define ZWANG_DYNAMICS_WORKSPACE_IMPL_H

#include "linalg/dense.h"
#include "linalg/echelon.h"
#include "linalg/linear_series.h"

typedef struct Workspace {
    double *right, *kept; // n each
    double *largest;      // n: what the rows of the velocities' dense equations are divided by
    double *lapack;
    size_t lapack_size;
    int *columns;
    double *packed; // rows of the problem, then their drifts, then their directions
    double *shares; // for sharing reactions out
    Basis basis;
    Echelon echelon; // of rows as they stand off each other; empty before it is needed
    // The velocities' equations, and least constraint's where these are sparse, with their factors.
    LinearSeries velocities, accelerations;
    double *both; // n + m
} Workspace;

typedef struct Equations Equations; // dynamics.h
typedef struct SpeedChoice SpeedChoice;

// ---- linear_equations.c: these equations at a state, or coefficient k of their power series.
// Where the matrix is kept it is what was factored last, and constant: only right sides are made.

// [b; Y] q' = [−c; u − y0], from what the program of the velocities gave.
void linear_equations_velocities(const Equations *eq, const SpeedChoice *speeds, const double *out,
                                 const double *u, size_t k, bool keep, LinearSeries *system,
                                 double *right);
// [𝓜 −dᵀ; b 0](q''; λ) = (K − h; −γ) with the independent rows, from what the programs gave;
// `loads` is that of the forces from W − K on. A matrix of more unknowns has its other rows and
// columns empty.
void linear_equations_accelerations(const Equations *eq, const double *velocities,
                                    const double *forces, const double *loads, size_t k, bool keep,
                                    LinearSeries *system, double *right);

#endif
