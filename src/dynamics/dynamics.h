// dynamics.h: the equations of motion as numbers: equations, made once, and states of them.
#ifndef ZWANG_DYNAMICS_DYNAMICS_H
#define ZWANG_DYNAMICS_DYNAMICS_H

#include "dynamics/dynamics_outcome.h"
#include "dynamics/evaluator.h"
#include "expr/expr_types.h"

typedef struct Kkt Kkt; // kkt_problem.h
typedef struct KktProblem KktProblem;
typedef struct ModelConstraint ModelConstraint; // model.h
typedef struct Motion Motion;                   // motion.h

typedef struct FormDriver FormDriver;   // form_driver.h
typedef struct SecondClass SecondClass; // second_class/second_class.h
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
    size_t *chosen;        // k of at most n
    size_t *former, *best; // the same: room for a change
} SpeedChoice;

// Of the last evaluation that failed.
typedef struct {
    size_t singular_row;  // the condition whose ∂f/∂q' vanished
    size_t other_root;    // the velocity of which a form has another one
    double apart;         // how far, of a unit row, one left out stands off the independent ones
    size_t apart_row;     // which
    size_t contradicting; // of a contradiction: the row of the problem
    double power;         // of the last solve: how well servos keep their conditions, 1 is best
} StateFailure;

typedef struct State {
    Arena *arena;
    double *inputs; // as Equations says
    double *t, *q, *v, *a, *multipliers;
    double *lambda; // of the rows (m), then of the conditions on accelerations
    double *scale;  // n: a typical size of each velocity
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

// Equations for a motion, which outlives them; an error where something in them has no value.
BASE_MUST_USE Status equations_init(Equations *eq, Motion *motion, Diag *diag);
void equations_clear(Equations *eq);
// Whether no form drives, and no condition is rare: of accelerations, not linear in velocities.
bool equations_are_plain(const Equations *eq);
// A program of some expressions in the first so many inputs; an error that begins by `what` ("the
// equations of motion hold") where one of them has no value.
BASE_MUST_USE Status equations_lower(const Equations *eq, const char *what, const Expr *outputs,
                                     size_t count, size_t inputs, Diag *diag, Evaluator *evaluator);
// A state of these equations, with the parameters' values. One thread at a time may use it; two
// threads may use two states of the same equations.
void state_init(State *state, const Equations *eq);
void state_clear(State *state);

// 𝓜, W − K for q'' = 0, γ, du/dt for q'' = 0, d where servos are; of affine conditions on
// accelerations their rows, then their γ: at the state (dense_forces.c).
const double *state_forces(const Equations *eq, State *state);
// "x = 1, x' = 3": the coordinates, velocities and time that these hold, the first ones of many.
void state_add_held(const Equations *eq, const State *state, const Expr *exprs, size_t count,
                    Text *text);

// ---- start_position.c, start_velocity.c: completes the state's q and v at t = 0.
// Where a given value was moved, by what a rounded one may miss, a note begins so.
#define START_MOVED "start: moved onto the conditions: "
BASE_MUST_USE Status start_complete(const Equations *eq, State *state, Diag *diag);
// ---- inertia_check.c: warns of masses and moments of inertia below 0 at the state.
void inertia_check(const Equations *eq, const State *state, Diag *diag);

// ---- Evaluation.
// Velocities at (t, q) from the speeds in use, and the reverse.
DynamicsOutcome dynamics_velocities(const Equations *eq, State *state, double t, const double *q,
                                    const double *u);
void dynamics_speeds(const Equations *eq, const State *state, double *u);
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
// From λ in the order of dynamics_row: every multiplier to its condition; those of rows left out
// get their share where `shared`.
void dynamics_hand_out_multipliers(const Equations *eq, State *state, bool shared);
// After that: λ of the conditions on accelerations back behind the independent rows.
void dynamics_collect_multipliers(const Equations *eq, State *state);
// Where the multiplier of a condition stands among those of all.
size_t dynamics_multiplier_index(const Equations *eq, const ModelConstraint *constraint);
// The multiplier of a condition in force, counted as the motion counts them.
double *dynamics_multiplier(const Equations *eq, const State *state, size_t condition);
// A unilateral condition, and its multiplier; what does not act has none.
const ModelConstraint *dynamics_side_condition(const Equations *eq, size_t side);
double *dynamics_side_multiplier(const Equations *eq, const State *state, size_t side);
void dynamics_clear_reactions(const Equations *eq, State *state);
// Accelerations, multipliers and the rates of the speeds in use (may be NULL), after velocities.
DynamicsOutcome dynamics_accelerations(const Equations *eq, State *state, double *u_rate);
// After DYNAMICS_INERTIA: the velocity that nothing determines.
size_t dynamics_undetermined_velocity(const Equations *eq, const State *state);

#endif
