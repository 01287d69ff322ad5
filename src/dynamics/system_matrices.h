// system_matrices.h: inertia, forces and conditions as sparse matrices.
#ifndef ZWANG_DYNAMICS_SYSTEM_MATRICES_H
#define ZWANG_DYNAMICS_SYSTEM_MATRICES_H

#include "dynamics/dynamics.h"
#include "dynamics/evaluator.h"
#include "linalg/sparse.h"
#include "motion/motion.h"

// ---- system_matrices.c: the inertia, the forces and the equations as sparse numbers.
//
// The equations are those that are needed, then the affine ones on accelerations; those that servos
// keep come last.
typedef struct {
    const Equations *eq;
    State *state;
    size_t n, m;
    size_t ideal; // how many of the m, the first ones, no servo keeps
    // Of each: the row of the problem of least constraint that it is (dynamics_condition).
    size_t *which;
    // Whether 𝓜 or an ideal row holds velocities, so that it changes while these jump; which rows
    // do.
    bool bent, *bent_rows;
    uint32_t *inertia_first, *inertia_column;     // of 𝓜
    uint32_t *row_first, *row_column;             // of b
    uint32_t *direction_first, *direction_column; // of d, where servos are
    Evaluator program;                            // 𝓜, b, d, W − K for q'' = 0, c, γ
    SparseRows inertia, rows;
    SparseRows directions; // its `first` is NULL where no servo is
    const double *bias, *given, *gamma;
    double *c;     // as given; of what holds accelerations: that which keeps b·v as it is
    double *force; // K − W for q'' = 0: −bias
} SystemMatrices;
BASE_MUST_USE Status matrices_init(SystemMatrices *matrices, const Equations *eq, State *state,
                                   Motion *motion, Diag *diag);
void matrices_clear(SystemMatrices *matrices);
// At numbers' t, q and v.
void matrices_evaluate(SystemMatrices *matrices);
// Whether equations may do work in a shock: those that hold velocities or accelerations may.
bool matrices_do_work(const SystemMatrices *matrices);
// Whose row it is.
const ModelConstraint *matrices_condition(const SystemMatrices *matrices, size_t row);
// b·v of one of the rows; *terms is the sum of what it is a sum of, |c| included.
double matrices_row_times(const SystemMatrices *matrices, size_t row, const double *v,
                          double *terms);
// sum += 𝓜v
void matrices_add_momentum(const SystemMatrices *matrices, const double *v, double *sum);

#endif
