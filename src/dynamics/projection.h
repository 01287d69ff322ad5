// projection.h: positions and velocities that meet the conditions.
#ifndef ZWANG_DYNAMICS_PROJECTION_H
#define ZWANG_DYNAMICS_PROJECTION_H

#include "dynamics/dynamics.h"

// ---- projection.c: positions onto the finite conditions, velocities onto all, by least changes.
//
// A state has the workspace, and what is said here of its positions: which coordinates may move,
// and which of the finite conditions count.

// Where the last evaluation left the finite conditions: f, ∂f/∂q (n each), their terms.
static inline const double *positions_f(const State *state)
{
    return state->positions.out;
}
static inline const double *positions_jacobian(const Equations *eq, const State *state)
{
    return state->positions.out + eq->finite;
}
static inline const double *positions_terms(const Equations *eq, const State *state)
{
    return state->positions.out + eq->finite * (eq->n + 1);
}

// n: 1 for each coordinate that may move, 0 where it is held. At first, and again, all may.
double *positions_moves(State *state);
void positions_free_all(const Equations *eq, State *state);
// From now on by those finite conditions alone that are independent at the present position.
void positions_leave_out(const Equations *eq, State *state);
// What the residual of a condition is measured by at least; 0 at first.
void positions_measure_at_least(State *state, size_t condition, double size);

// Evaluates the finite conditions at the state's t and q.
void positions_evaluate(State *state);
// The largest term of a condition, by which its residual is measured.
double positions_scale(const Equations *eq, const State *state, size_t condition);
// The largest residual in units of its condition's largest term.
double positions_miss(const Equations *eq, const State *state, size_t *worst);
// The least change (n), in units of `scale`, with ∂f/∂q·change = residuals.
void positions_least_change(const Equations *eq, State *state, const double *residuals,
                            const double *scale, double *change);
// Newton's iteration by least changes, from the state's q; returns the miss that is left.
double positions_project(const Equations *eq, State *state, size_t most);
// The same for the velocities and all conditions, at the state's t and q; false where they are too
// far away.
bool velocities_project(const Equations *eq, State *state);

// ---- independent_rows.c: conditions that follow from others where the motion goes.
// At the start. Where conditions depend on each other, there and beside it, the others are taken
// and a note names them; where they do so there alone, it is an error, but for an instant.
BASE_MUST_USE Status independent_rows_find(Equations *eq, State *state, bool instant, Diag *diag);
// Whether no condition was left out or set aside. Where some follow from others, the rows that
// stand for all of them may become dependent at positions that are not singular.
bool independent_rows_are_all(const Equations *eq);
// The needed row that is nearest to dependence on those before it.
typedef struct {
    size_t row;      // which of the needed ones
    double distance; // what is left of it without those before it, as a part of its size
    double size;     // the largest that it has been
} DependentRow;
// Among the first so many, at the state's t, q and v; `longest` keeps their sizes, 0 at first, and
// `left` gets what is left of each.
DependentRow independent_rows_nearest(const Equations *eq, State *state, size_t count,
                                      double *longest, double *left);
// What the finite conditions are measured by, and how long their rows are, at the state's t and q;
// the largest size.
double finite_rows_measure(const Equations *eq, State *state, double *sizes, double *lengths);
// How far combinations of them are broken whose rows have vanished at the state's t and q, against
// what they were elsewhere: as a part of the way, the root of what is left of them. 0 within
// rounding.
double finite_rows_gap(const Equations *eq, State *state, const double *sizes,
                       const double *lengths);
// After that: 'a', 'b', the constraints that it is made of and its own.
void independent_rows_add_names(const Equations *eq, State *state, const DependentRow *dependent,
                                Text *text);

#endif
