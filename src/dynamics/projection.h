// projection.h: positions and velocities that meet the conditions.
#ifndef ZWANG_DYNAMICS_PROJECTION_H
#define ZWANG_DYNAMICS_PROJECTION_H

#include "dynamics/equations_types.h"

// Positions onto the finite conditions, velocities onto all, by least changes.
//
// A state has the workspace, and what is said here of its positions: which coordinates may move,
// and which of the finite conditions count.
void projection_new(const Equations *eq, State *state);
void projection_clear(State *state);

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
// From now on by as many others, those that stand off each other most at another state's position;
// false where fewer do.
bool positions_choose(const Equations *eq, State *state, State *at);
void positions_choose_first(State *state); // those that were left at the start, again
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
// The same among coordinates of these sizes: residuals are measured at least by a small part of
// what these would make of them.
double positions_project_among(const Equations *eq, State *state, size_t most, const double *sizes);
// The same for the velocities and all conditions, at the state's t and q; false where they are too
// far away.
bool velocities_project(const Equations *eq, State *state);
// Of continuous states alone, from the other velocities: behind a jump of these.
void velocities_follow_states(const Equations *eq, State *state);

#endif
