// equations.h: makes the equations of motion as numbers, and states of them.
#ifndef ZWANG_DYNAMICS_EQUATIONS_H
#define ZWANG_DYNAMICS_EQUATIONS_H

#include "dynamics/equations_types.h"

// ---- equations.c
// Equations for a motion, which outlives them; an error where something in them has no value.
BASE_MUST_USE Status equations_init(Equations *eq, Motion *motion, Diag *diag);
void equations_clear(Equations *eq);
// The same equations for one run of several, in several threads: what depends on its start and its
// parameters is its own and in the arena, all else is that of `made`, which outlives it and is not
// written. Not to be cleared.
void equations_share(const Equations *made, Arena *arena, Equations *eq);
// Such equations for another run, with these parameters.
void equations_renew(const Equations *made, const double *parameters, Equations *eq);
// Whether the programs hold no numbers of parameters, or these are the ones of the making.
bool equations_serve(const Equations *made, const double *parameters);
// Whether no form drives, and no condition is rare: of accelerations, not linear in velocities.
bool equations_are_plain(const Equations *eq);
// A program of some expressions in the first so many inputs; an error that begins by `what` ("the
// equations of motion hold") where one of them has no value.
BASE_MUST_USE Status equations_lower(const Equations *eq, const char *what, const Expr *outputs,
                                     size_t count, size_t inputs, Diag *diag, Evaluator *evaluator);
BASE_MUST_USE Status equations_lower_sparse(const Equations *eq, const char *what,
                                            const SparseOutputs *outputs, size_t inputs, Diag *diag,
                                            Evaluator *evaluator);
// A state of these equations, with the parameters' values. One thread at a time may use it; two
// threads may use two states of the same equations.
void state_init(State *state, const Equations *eq);
void state_clear(State *state);
// Room for LAPACK; a large system has none before it needs some.
void state_need_dense(const Equations *eq, State *state);

// "x = 1, x' = 3": the coordinates, velocities and time that these hold, the first ones of many.
void state_add_held(const Equations *eq, const State *state, const Expr *exprs, size_t count,
                    Text *text);

// ---- start_position.c, start_velocity.c: completes the state's q and v at its t.
// Where a given value was moved, by what a rounded one may miss, a note begins so.
#define START_MOVED "start: moved onto the conditions: "
BASE_MUST_USE Status start_complete(const Equations *eq, State *state, Diag *diag);
// The same where the value of one of the model's starts is larger by so much; SIZE_MAX: of none.
BASE_MUST_USE Status start_complete_moved(const Equations *eq, State *state, size_t start,
                                          double by, Diag *diag);
// ---- inertia_check.c: warns of masses and moments of inertia below 0 at the state.
void inertia_check(const Equations *eq, const State *state, Diag *diag);
// `inputs`: the values of parameters, t and coordinates.
void inertia_check_at(const Motion *motion, const double *inputs, Diag *diag);

#endif
