// tolerances.h: the numbers that decide numerical questions in the simulation core, all of them.
#ifndef ZWANG_LINALG_TOLERANCES_H
#define ZWANG_LINALG_TOLERANCES_H

#include <float.h>

// ---- Thresholds. Each is a part of the size of what it is compared with, never absolute in the
// user's units. Said of each: what it is a part of, and what breaks.

// Of the largest term: a few roundings. Larger: what differs counts as the same. Smaller: what is
// the same but for the order of a sum differs.
#define TOL_ROUNDING 1e-14

// Of the sum of the sizes of all terms: what rounding may leave of a sum that is 0, so that its
// sign says nothing. Larger: small reactions are lost. Smaller: rounding passes for a reaction, and
// searches for the active set go in circles.
#define TOL_SUM 1e-13

// Of its largest term, what counts as 0: a gap, a residual, a multiplier; of the largest pivot,
// eigenvalue or row: one that is none, so that the matrix is singular. Larger: a body that hovers
// counts as in contact, light bodies beside heavy ones count as massless. Smaller: rounding along a
// motion counts as a gap, rounding passes for inertia.
#define TOL_ZERO 1e-12

// Of the terms of a rate f'' or f': up to this it counts as 0, and the contact stays closed.
// Larger: neighbours share a push that belongs to one. Smaller: rounding opens contacts.
#define TOL_RATE 1e-11

// Of a row's length: what must stand off the rows before it so that it is independent of them; of
// the diagonal that a pivot began as: below it Cholesky's factors are not trusted. Larger: states
// near a singular one are called singular, nearly parallel contacts are taken for one. Smaller:
// rounding of positions passes for a direction, digits are lost.
#define TOL_RANK 1e-9

// Of its terms, what a condition may miss after projection. Larger: a motion leaves its conditions.
// Smaller: rounding ends a run.
#define TOL_CONDITION 1e-9

// Of the accelerations at hand: by this much results that should be the same may differ. Above
// TOL_RANK, for rows that count as dependent differ by that. Larger: contradictions are overlooked.
// Smaller: rounding passes for one.
#define TOL_AGREEMENT 1e-8

// Of Φ's largest diagonal entry: what is added to the diagonal at first where contacts depend on
// each other; then less and less. Larger: nearly dependent contacts deceive the search. Smaller:
// rounding does, by 1e-16 of it.
#define TOL_REGULARIZATION 1e-7

// Negligible against what it is a part of. Larger: what is felt is neglected.
#define TOL_SMALL 1e-6

// Clearly felt, against what it is a part of: of a row's length, what must stand off others for it
// to be a good choice among several. Larger: no choice is good. Smaller: a choice is kept that
// amplifies rounding.
#define TOL_COARSE 1e-3

// Poor conditioning: a cosine, a ratio of what is left. Larger: good choices are given up. Smaller:
// poor ones are kept.
#define TOL_POOR 0.05

// Of a part of the state, some roundings: smaller errors of a step cannot be asked for. Larger:
// digits of a run are given away. Smaller: steps hunt after rounding.
#define TOL_STATE (16 * DBL_EPSILON)

// Of the tolerance: what a step of a multistep method may add, whose errors lean to one side and
// add up over thousands of steps. Larger: long motions are off by thousands of tolerances. Smaller:
// steps are paid for and not needed.
#define TOL_MULTISTEP 1e-3

// Of the best conditioning: speeds below it tell the velocities worse than the slope of the last
// step does. Larger: digits of the slope are lost. Smaller: those of the speeds are.
#define TOL_SPEEDS 0.005

// Of the time that as many steps covered before: steps that cover less, each time that their number
// has doubled, lead to a time and not beyond it. Larger: runs whose waves become faster end.
// Smaller: runs that lead nowhere do not.
#define STEPS_FALL 0.75

// Two orders of magnitude: between what an event is located by and what counts as 0, and between
// what belongs to a sequence of impacts and what is far from it. Larger: events within a step of a
// low tolerance count as contact. Smaller: the error of dense output counts as a gap.
#define EVENT_MARGIN 100

// ---- Sizes from which another method is quicker. They change the speed, and results by rounding.
#define SIZE_UNROLLED 8  // written out: unknowns of a linear solve in a program, parts of a sum
#define SIZE_SMALL    24 // below: plain loops and dense factors; above: LAPACK, BLAS, sparse factors
// Operations: of a product of series, which then takes what its terms take; of each unknown of an
// elimination, which has then filled up.
#define SIZE_LONG   512
#define SIZE_SPARSE 128 // unknowns, from which sparse factors pay in the place of formulas

// ---- dynamics: what compiling a program takes, in operations of the interpreter (a few ns each).
// Larger: long runs stay interpreted. Smaller: short runs wait for the compiler.
#define COMPILE_START 5e7 // for the compiler to start
#define COMPILE_EACH  1e5 // for every operation compiled; as much is spent on simplifying rates

// ---- ode: polynomials along a step.
// By how much the order of a Taylor series is above the one of least products. Less, more: longer
// runs, for an order costs more than its products.
#define ODE_ORDER_FACTOR 1.1
// The highest order; and into so many parts a step is cut that is looked at inside. Less: steps of
// a low tolerance get short, a force that acts only for a while is stepped over. More: room.
#define ODE_MAX_ORDER 32
// Of the length of a step, the binary exponent, either way, up to which its series are in the units
// of the model's time. Less: compiled series are given up. More: coefficients overflow, or vanish.
#define ODE_UNIT_RANGE 20
// Of the polynomial of an interpolated function. Less: short intervals. More: many samples.
#define ODE_DEGREE 12

// ---- How often.
#define LIMIT_PATIENCE 4    // steps of a search that may fail to improve, in a row
#define LIMIT_SETS     12   // conditions of which all subsets are tried; what a message lists
#define LIMIT_STEPS    40   // of an iteration; more mean that it does not converge
#define LIMIT_SEARCH   300  // steps of a damped search, passes of an impact
#define LIMIT_EVENTS   2000 // events without progress of time
#define LIMIT_START    4096 // unknowns of a first step by collocation, a dense matrix

#endif
