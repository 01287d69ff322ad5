// dynamics.h: velocities, accelerations and reactions at a state.
#ifndef ZWANG_DYNAMICS_DYNAMICS_H
#define ZWANG_DYNAMICS_DYNAMICS_H

#include "dynamics/dynamics_outcome.h"
#include "dynamics/equations_types.h"

typedef struct KktProblem KktProblem; // kkt_problem.h

// Velocities at (t, q) from the speeds in use, and the reverse.
DynamicsOutcome dynamics_velocities(const Equations *eq, State *state, double t, const double *q,
                                    const double *u);
void dynamics_speeds(const Equations *eq, const State *state, double *u);
// 𝓜, W − K for q'' = 0, γ, du/dt for q'' = 0, d where servos are; of affine conditions on
// accelerations their rows, then their γ: at the state (dense_forces.c).
const double *state_forces(const Equations *eq, State *state);
// The problem of least constraint at the state whose velocities are there, with all conditions that
// are linear in the accelerations.
KktProblem dynamics_problem(const Equations *eq, State *state);
// Row `row` of this problem: the independent ones, then those on accelerations, the affine ones
// first.
const struct MotionRow *dynamics_row(const Equations *eq, size_t row);
// A stationary point of this problem as the accelerations and the multipliers of its rows.
void dynamics_put_point(const Equations *eq, State *state, const double *x, size_t size);
// The motion's own speeds, whichever are in use, at the velocities last evaluated.
void dynamics_own_speeds(const Equations *eq, const State *state, double *u);
// Whether the motion's own speeds can be in use; orthonormal ones, which may turn fast, for forms.
bool dynamics_can_use_own_speeds(const Equations *eq, bool driven);
// The directions of all reactions, m × n, among what `forces` gave; NULL where they are the rows.
const double *dynamics_directions(const Equations *eq, const double *forces_out);
// The rows of the affine conditions on accelerations, then their γ, among the same.
const double *dynamics_affine_rows(const Equations *eq, const double *forces_out);
// Accelerations, multipliers and the rates of the speeds in use (may be NULL), after velocities.
DynamicsOutcome dynamics_accelerations(const Equations *eq, State *state, double *u_rate);
// The same from the rates of the speeds in use, where another way has found these: q'' from
// [b; Y] q'' = [−γ; u' − …] and λ from [b; Y]ᵀ(λ; μ) = 𝓜q'' + h − K, by the factors of the
// velocities, which are well conditioned. False where μ, the sign that these are the rates of this
// motion, is not 0 but for rounding, and where that does not serve.
bool dynamics_follow_rates(const Equations *eq, State *state, const double *u_rate);
// After DYNAMICS_INERTIA: the velocity that nothing determines.
size_t dynamics_undetermined_velocity(const Equations *eq, const State *state);

#endif
