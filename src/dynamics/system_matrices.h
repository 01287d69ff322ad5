// system_matrices.h: inertia, forces and conditions as sparse matrices, for contacts.
#ifndef ZWANG_DYNAMICS_SYSTEM_MATRICES_H
#define ZWANG_DYNAMICS_SYSTEM_MATRICES_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"
#include "linalg/sparse_rows.h"

typedef struct ModelConstraint ModelConstraint; // constraint.h

// ---- system_matrices.c: the problem of least constraint at a state (dynamics_problem), by what is
// in it: a view, without a program of its own.
//
// The equations are those that are needed, then the affine ones on accelerations; those whose
// reactions forces hold come behind them, and those that servos keep last.
typedef struct SystemMatrices {
    const Equations *eq;
    State *state;
    Arena *arena;
    size_t n, m;
    size_t plain; // how many of the m, the first ones, have reactions along their own rows
    size_t ideal; // and how many no servo keeps: forces may hold their reactions
    // Of each: the row of the problem of least constraint that it is (dynamics_row).
    size_t *which;
    // Whether 𝓜 or an ideal row holds velocities, so that it changes while these jump; which rows
    // do.
    bool bent, *bent_rows;
    SparseRows inertia, rows; // 𝓜, b
    SparseRows directions;    // d; its `first` is NULL where all reactions are along the rows
    double *inertia_values, *row_values, *direction_values;
    double *c; // as given; of what holds accelerations: that which keeps b·v as it is
    double *gamma;
    const double *force; // K − W for q'' = 0
} SystemMatrices;
// What takes n² entries is made by the first evaluation.
void matrices_init(SystemMatrices *matrices, const Equations *eq, State *state);
void matrices_clear(SystemMatrices *matrices);
// At the state's t, q and v, whose programs are run.
void matrices_evaluate(SystemMatrices *matrices);
// Whether equations may do work in a shock: those that hold velocities or accelerations may.
bool matrices_do_work(SystemMatrices *matrices);
// Whose row it is.
const ModelConstraint *matrices_condition(const SystemMatrices *matrices, size_t row);
// sum += 𝓜v
void matrices_add_momentum(const SystemMatrices *matrices, const double *v, double *sum);

#endif
