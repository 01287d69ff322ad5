// equations_types.h: what equations of motion as numbers consist of, and a state of them.
#ifndef ZWANG_DYNAMICS_EQUATIONS_TYPES_H
#define ZWANG_DYNAMICS_EQUATIONS_TYPES_H

#include "dynamics/evaluator.h"

typedef struct Kkt Kkt;                         // kkt.h
typedef struct ModelConstraint ModelConstraint; // model/constraint.h
typedef struct Motion Motion;                   // motion_types.h
typedef struct FormDriver FormDriver;           // form_driver.h
typedef struct SecondClass SecondClass;         // second_class/second_class.h
typedef struct SecondClassPrograms SecondClassPrograms;
typedef struct EquationModule EquationModule;     // equation_modules.h
typedef struct EquationPatterns EquationPatterns; // pattern.h
typedef struct DenseForces DenseForces;           // dense_forces.c
typedef struct Projection Projection;             // projection.c
typedef struct Nonlinear Nonlinear;               // nonlinear/vanishing_rows.c

// ---- Equations of motion: programs, patterns and sizes. Made once, then the same for all threads.

// The rows that determine the velocities: all, or those that the others follow from along the
// motion.
typedef struct {
    size_t count, *rows; // at most m
    size_t *place;       // m: where a row stands among these; m for nowhere
    size_t *first;       // m: those of the start, where others were chosen along the way
    bool changed;        // they were
} IndependentRows;

typedef struct {
    const ModelConstraint *constraint;
    size_t terms; // where its terms begin
} FiniteCondition;

typedef struct Equations {
    Arena *arena;
    const Motion *motion;
    size_t n, m, k, params; // k = n − independent rows
    // All velocities are the speeds in use, k = n, and are kept to the conditions by projection:
    // because a condition or a speed is not linear in them, or because no speeds were chosen.
    bool all_velocities, nonlinear;
    size_t finite;                      // how many conditions are finite, those set aside included
    FiniteCondition *finite_conditions; // finite + 1: the last is the end of their terms
    // One array of inputs; a program takes as many of them as it needs, from the left: parameters |
    // t | q | v | a | multipliers of all conditions.
    size_t input_count;
    Expr *symbols;
    Evaluator positions;  // finite conditions f, their ∂f/∂q, their terms
    Evaluator velocities; // b, Y, c, y0; of q' too where something is not linear in them
    Evaluator spares;     // b, c of conditions set aside (spare_rows.c); nothing without such
    DenseForces *dense;   // of state_forces
    Evaluator direct;     // of t | q | v, in large systems: q'', λ, du/dt for q'' = 0, pivots
    const EquationModule *modules[4];  // rare conditions; the last is NULL
    SecondClassPrograms *second_class; // conditions that are curved in accelerations; or NULL
    FormDriver *driver;                // a classical form that drives; NULL for none
    double *param_values;
    IndependentRows independent;
    EquationPatterns *patterns;
    bool sparse_velocities, sparse_forces; // large systems with few entries
    // Such a system whose rows, speeds and inertia are constant: only the forces move.
    bool constant_matrices;
} Equations;

// ---- State: t, q, v, a, λ, and the workspace of one thread.

// The speeds in use: the motion's own, or the velocities of k chosen coordinates.
typedef struct SpeedChoice {
    bool own;
    // Judged beside the conditions, and by the largest inertias so far. Series, whose steps end
    // before speeds are poor, judge them by themselves.
    bool relative;
    size_t *chosen;        // k of at most n
    size_t *former, *best; // the same, before the last change; and room for one
    bool former_own;
    double *first, *most; // k: the size of each own speed's row at first, and at most so far
} SpeedChoice;

// Of the last evaluation that failed.
typedef struct {
    size_t singular_row;  // the condition whose ∂f/∂q' vanished
    double apart;         // how far, of a unit row, one left out stands off the independent ones
    size_t apart_row;     // which
    size_t contradicting; // of a contradiction: the row of the problem
    double power;         // of the last solve: how well servos keep their conditions, 1 is best
    size_t reactions;     // sets of reactions that were found to fit at first; 0: nobody asked
} StateFailure;

typedef struct State {
    Arena *arena;
    double *inputs; // as Equations says
    double *t, *q, *v, *a, *multipliers;
    double *lambda;   // of the rows (m), then of the conditions on accelerations
    double *scale;    // n: a typical size of each velocity
    double *inertias; // n: by which it was measured, the largest so far
    SpeedChoice speeds;
    Evaluator positions, velocities, direct, forces, loads; // programs; the last two when needed
    Projection *projection;
    Nonlinear *nonlinear;      // of what is not linear in the velocities; NULL for none
    SecondClass *second_class; // conditions that are curved in accelerations; NULL for none
    FormDriver *driver;        // a classical form that drives; NULL for none
    double *force;             // n: K − h, after accelerations were found by the dense solver
    Kkt *kkt;                  // that solver; NULL before it is needed
    struct Workspace *work;
    struct StopRequest *stop; // of the run that uses it; NULL for none
    StateFailure failure;
    size_t evaluations;
} State;

#endif
