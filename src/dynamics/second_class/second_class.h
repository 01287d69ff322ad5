// second_class.h: conditions on accelerations (Hamel 252).
#ifndef ZWANG_DYNAMICS_SECOND_CLASS_SECOND_CLASS_H
#define ZWANG_DYNAMICS_SECOND_CLASS_SECOND_CLASS_H

#include "base/place.h"
#include "dynamics/branches.h"
#include "dynamics/dynamics_outcome.h"
#include "dynamics/evaluator.h"
#include "linalg/kkt_problem.h"

typedef struct SecondClass SecondClass;
typedef struct SecondClassPrograms SecondClassPrograms;
typedef struct ModelConstraint ModelConstraint; // constraint.h
typedef struct Motion Motion;                   // motion.h

// ---- acceleration_conditions.c: their rows at a state, and the stationary point that is followed.
//
// Affine ones are rows g·q'' + γ = 0, and stand behind the rows of the other conditions in every
// problem of least constraint. Here are curved ones, those that are not affine: the accelerations
// are a stationary point of Gauss's function on f = 0; Newton's method finds it from one nearby. x
// is then a | μ of all rows | λ of the curved.
//
// An energy of acceleration that is not quadratic adds σ(q'') to Gauss's function, with or without
// such conditions.

// Their programs, which all threads share.
struct SecondClassPrograms {
    size_t curved; // how many
    bool energy;   // there is a σ
    Expr sigma;
    // f, then g, of the curved ones, then H = Σ λ ∂²f/∂q''² − ∂²σ/∂q''², ∂σ/∂q'', σ: in t, q, v,
    // q'', λ
    Evaluator local;
    Evaluator implicit; // f of the curved ones, then Σ λg − ∂σ/∂q''
    // Curved ones and σ that are polynomials in the accelerations, term by term.
    bool polynomial;
    Evaluator coefficients; // of all terms: in t, q, v
    size_t *term_counts;    // of every condition, then of σ
    uint8_t *exponents;     // n of each term
};

struct SecondClass {
    const Equations *eq;
    State *state;
    size_t curved;
    bool energy;
    Evaluator local, implicit, coefficients;
    // The problem last evaluated: what follows speaks of its state.
    KktProblem problem;  // with the affine ones
    const double *given; // parameters, t, q and v count
    double *free;        // n: accelerations without the curved ones
    double *inputs;      // of the last evaluation
    size_t size;         // of x, at most
    double *x;           // what is followed
    bool follows;
    double *trial, *next; // for Newton: where it is, and where it goes
    double *linear;       // the problem there, to first order
};

// Looks at its state: the problem there, and the accelerations without curved ones, in `free`;
// false where there are none.
bool second_class_look(SecondClass *second_class);
// How much more Gauss's function is than there, ½(a − a₀)·𝓜(a − a₀), and σ.
double second_class_measure(SecondClass *second_class, const double *a);
// How far accelerations are from each other, against their size.
double second_class_distance(const SecondClass *second_class, const double *a, const double *b);
// The shortest x of the least residuals of matrix·x = right, in `right`, whatever the units; the
// matrix is written column after column. False where something is not finite.
bool second_class_least_squares(double *matrix, size_t rows, size_t columns, double *right);
// Whether a motion has conditions on accelerations, or a σ.
bool second_class_applies(const Motion *motion);
// The first curved one, which messages name, NULL where there is only σ; where it stands in the
// text, or the energy of acceleration; "x = 1, y = 2": what they hold of the state.
const ModelConstraint *second_class_condition(const SecondClass *second_class);
Place second_class_place(const SecondClass *second_class);
void second_class_add_held(const SecondClass *second_class, Text *text);
size_t second_class_size(const SecondClass *second_class); // of x
// f, g and H for the accelerations and multipliers of x.
void second_class_evaluate(SecondClass *second_class, const double *x);
// The problem to first order about x, until the next: 𝓜 − H is its inertia, and the curved
// conditions are rows of it, the last ones. What solves it is next in Newton's method.
KktProblem second_class_linearize(SecondClass *second_class, const double *x);
// Newton's method from x; false where it does not arrive. The last look is at what was found.
bool second_class_newton(SecondClass *second_class, double *x);
// Given the accelerations in x: the multipliers that fit best, behind them.
void second_class_multipliers(SecondClass *second_class, double *x);

// ---- acceleration_polynomials.c: finds out, once, whether the curved conditions are polynomials.
void branches_prepare(const Equations *eq, SecondClassPrograms *programs, Motion *motion);

// ---- stationary_points.c: all stationary points at a state.
// The multipliers of a branch are in the order of the conditions in force. False where there are no
// accelerations even without the curved ones.
bool branches_find(SecondClass *second_class, RunBranches *branches);
void branches_clear(RunBranches *branches);
// What kind of point x is; *least: the least second derivative in units of the inertia.
RunBranchKind branch_kind(SecondClass *second_class, const double *x, double *least);

#endif
