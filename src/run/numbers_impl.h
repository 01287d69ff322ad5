// numbers_impl.h: the motion as numbers at one state, and as one program. Never leaves the room.
#ifndef ZWANG_RUN_NUMBERS_IMPL_H
#define ZWANG_RUN_NUMBERS_IMPL_H

#include "gauss/gauss.h"
#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "program/native.h"
#include "program/program.h"
#include "run/run.h"

#include <lapacke.h>

// ---- lowered.c: a program with its room.
typedef struct {
    Program *program;
    size_t outputs; // how many, with those that are 0
    // Where most outputs are 0 the program has the others alone; these are their places in `out`.
    size_t count, *places; // NULL: all of them, in their order
    bool shared;           // program and places belong to another
    // The workspace of one thread; NULL where only others evaluate.
    double *out; // what the last evaluation gave
    double *work;
    double *filled;
    const ProgramNative *native; // NULL: interpreted; not owned
    size_t which;                // among the native ones
} Evaluator;
// False where an output holds a symbol that is no input; *missing is that symbol.
bool evaluator_init(Evaluator *evaluator, const ExprPool *pool, const Expr *inputs,
                    size_t input_count, const Expr *outputs, size_t output_count, Expr *missing);
// The same without a workspace: for those who share it.
bool evaluator_prepare(Evaluator *evaluator, const ExprPool *pool, const Expr *inputs,
                       size_t input_count, const Expr *outputs, size_t output_count, Expr *missing);
// The same program with a workspace of its own; `of`, which may be without a program, outlives it.
void evaluator_share(const Evaluator *of, Evaluator *evaluator);
void evaluator_clear(Evaluator *evaluator);
void evaluator_run(Evaluator *evaluator, const double *inputs);
// What the program itself gives, into the places of all outputs; those that are 0 are left alone.
void evaluator_scatter(const Evaluator *evaluator, const double *given, double *out);
// Whether what the last evaluation gave are numbers.
bool evaluator_is_finite(const Evaluator *evaluator);

// ---- filled.c: which entries of a matrix of expressions are not 0 everywhere.
typedef struct {
    size_t rows;
    size_t *begins; // rows + 1
    size_t *places; // the columns of the entries, row after row
} Pattern;
void pattern_init(Pattern *filled, const ExprPool *pool, const Expr *matrix, size_t rows,
                  size_t columns);
void pattern_clear(Pattern *filled);
size_t pattern_count(const Pattern *filled);
// The first `rows` rows of it, column after column: who stands in each of so many columns.
void pattern_transpose(const Pattern *filled, size_t rows, size_t columns, Pattern *turned);

// Of a unit row, what must stand off the rows before it so that it is independent of them.
#define INDEPENDENT 1e-9

// ---- numbers.c: the motion as numbers at one state.
// seconds_impl.h: conditions on accelerations.
typedef struct SecondClass SecondClass;
typedef struct BranchQuestion BranchQuestion;

typedef enum {
    DYNAMICS_FOUND,
    DYNAMICS_SPEEDS,        // the conditions and the speeds do not determine the velocities
    DYNAMICS_INERTIA,       // no inertia along a free velocity; kkt_witness has it
    DYNAMICS_SERVO,         // the forces of the servos cannot keep their conditions here
    DYNAMICS_CONTRADICTION, // the conditions ask for different accelerations
    DYNAMICS_POSITION,      // the finite conditions cannot be met near here
    DYNAMICS_BRANCH,        // the stationary point that is followed ends
    DYNAMICS_VELOCITY,      // nor those that are not linear in the velocities
    DYNAMICS_VANISHED,      // ∂f/∂q' of a condition vanishes; singular_row is its row
    DYNAMICS_ROOT,          // a form drives, and has another root of the velocities; other_root
    DYNAMICS_APART,         // a condition no longer follows from others; apart_row is its row
    DYNAMICS_NOT_FINITE
} DynamicsOutcome;

// ---- driver.c: accelerations from one of the classical forms.
typedef struct {
    Evaluator equations; // matrix, right, B, D; without a program where no form drives
    Evaluator roots;     // q' by the speeds, where these are not linear and it is known
    size_t size;
    double *matrix, *right;
    lapack_int *pivots;
} FormDriver;

typedef struct VelocityProjector VelocityProjector;

// ---- Equations of motion: programs, patterns and sizes. Made once, then the same for all threads.

// The rows that determine the velocities: all, or those that the others follow from along the
// motion.
typedef struct {
    size_t count, *rows; // at most m
    size_t *place;       // m: where a row stands among these; m for nowhere
} IndependentRows;

typedef struct {
    Arena *arena;
    const Motion *motion;
    size_t n, m, k, params; // k = n − independent rows
    // All velocities are the speeds in use, k = n, and are kept to the conditions by projection:
    // because a condition or a speed is not linear in them, or because no speeds were chosen.
    bool all_velocities, nonlinear;
    size_t finite; // how many conditions are finite, those set aside included
    const ModelConstraint **finite_conditions;
    size_t *finite_terms; // finite + 1: where each condition's terms begin
    // One array of inputs; a program takes as many of them as it needs, from the left: parameters |
    // t | q | v | a | multipliers of all conditions.
    size_t input_count;
    Expr *symbols;
    Evaluator positions;  // finite conditions f, their ∂f/∂q, their terms
    Evaluator velocities; // b, Y, c, y0; of q' too where something is not linear in them
    Evaluator forces;     // 𝓜, W − K for q'' = 0, γ, du/dt for q'' = 0, d where servos are
    Evaluator loads;      // what `forces` gives without 𝓜
    IndependentRows independent;
    // What is filled of ∂f/∂q, of [b; Y], of 𝓜, and for each coordinate, which rows push along it.
    Pattern position_pattern, velocity_pattern, inertia_pattern, reaction_pattern;
    bool sparse_velocities, sparse_forces; // large systems with few entries
    // Such a system whose rows, speeds and inertia are constant: only the forces move.
    bool constant_matrices;
} Equations;

// ---- State: t, q, v, a, λ, and the workspace of one thread.

// The speeds in use: the motion's own, or the velocities of k chosen coordinates.
typedef struct {
    bool own;
    size_t *chosen;        // k of at most n
    size_t *former, *best; // the same: room for a change
} SpeedChoice;

// Of the last evaluation that failed.
typedef struct {
    size_t singular_row; // the condition whose ∂f/∂q' vanished
    size_t other_root;   // the velocity of which a form has another one
    double apart;        // how far, of a unit row, one left out stands off the independent ones
    size_t apart_row;    // which
    KktReport report;  // of the last solve, failed or not
} StateFailure;

typedef struct {
    double *matrix, *right; // n × n, n
    double *force, *kept;   // n each
    double *lapack;
    lapack_int *pivots, *columns, lapack_size;
    double *packed; // independent rows, then their drifts, then their directions
    double *shares; // for sharing reactions out
    Basis basis;
    // Factors of the velocities' equations, and of least constraint's. Made on first use.
    SparseLu of_velocities, of_forces;
    double *both; // n + m
    Kkt *kkt;
} Workspace;

typedef struct {
    Arena *arena;
    double *inputs; // as Equations says
    double *t, *q, *v, *a, *multipliers;
    double *lambda; // of the rows (m), then of the conditions on accelerations
    double *scale;  // n: a typical size of each velocity
    SpeedChoice speeds;
    Evaluator positions, velocities, forces, loads; // the programs of the equations
    VelocityProjector *velocity_projector;          // NULL but with all velocities
    SecondClass *second_class;                      // conditions on accelerations; NULL for none
    FormDriver driver;
    Workspace work;
    StateFailure failure;
    size_t evaluations;
} State;

BASE_MUST_USE Status form_driver_init(const Equations *eq, State *state, Motion *motion,
                                      FormKind kind, Diag *diag);
void form_driver_clear(FormDriver *driver);
// From q, u and t to q, q' and t: speeds that were declared are what they stand for.
void form_driver_speeds_to_velocities(Motion *motion, Expr *exprs, size_t count);
// Whether the velocities that a form puts in have another root than those at hand, and which.
bool form_driver_has_other_root(const Equations *eq, State *state, size_t *which);
// Puts the form's accelerations in the place of those found; false where there are none.
bool form_driver_accelerations(const Equations *eq, State *state);

// The terms that a condition is a sum of, by the largest of which its residual is measured; how
// many there are. `terms` may be NULL.
size_t equations_terms(ExprPool *pool, Expr sum, Expr *terms);
// Equations for a motion, which outlives them; an error where something in them has no value.
BASE_MUST_USE Status equations_init(Equations *eq, Motion *motion, Diag *diag);
void equations_clear(Equations *eq);
// A state of these equations, with the parameters' values; one thread at a time may use it.
BASE_MUST_USE Status state_init(State *state, const Equations *eq, Diag *diag);
void state_clear(State *state);
// Room for LAPACK; a large system has none before it needs some.
void state_need_dense(const Equations *eq, State *state);

// Velocities at (t, q) from the speeds in use, and the reverse.
DynamicsOutcome dynamics_velocities(const Equations *eq, State *state, double t, const double *q,
                                    const double *u);
void dynamics_speeds(const Equations *eq, const State *state, double *u);
// The problem of least constraint at the state whose velocities are there, with all conditions that
// are linear in the accelerations.
KktProblem dynamics_problem(const Equations *eq, State *state);
// The condition that row `row` of this problem belongs to.
const ModelConstraint *dynamics_condition(const Equations *eq, size_t row);
// A stationary point of this problem as the accelerations and multipliers (seconds_impl.h).
void dynamics_take_point(const Equations *eq, State *state, const KktProblem *problem,
                         const double *x);
// The motion's own speeds, whichever are in use, at the velocities last evaluated.
void dynamics_own_speeds(const Equations *eq, const State *state, double *u);
// Whether the motion's own speeds can be in use.
bool dynamics_can_use_own_speeds(const Equations *eq);
// The directions of all reactions, m × n, among what `forces` gave; NULL where they are the rows.
const double *dynamics_directions(const Equations *eq, const double *forces_out);
// Accelerations, multipliers and the rates of the speeds in use (may be NULL), after velocities.
DynamicsOutcome dynamics_accelerations(const Equations *eq, State *state, double *u_rate);

// ---- keeper.c: all velocities, kept to the conditions.
VelocityProjector *velocity_projector_new(const Equations *eq);
void velocity_projector_free(VelocityProjector *velocity_projector);
// Forgets the states that were kept so far.
void velocity_projector_begin(const Equations *eq, State *state);
// Moves numbers' velocities onto the conditions; false where they are too far away.
bool velocity_projector_project(const Equations *eq, State *state);
// Whether a row has turned too far since the last state for which it had not.
bool velocity_projector_row_turned(const Equations *eq, State *state);
// Whether ∂f/∂q' of a condition vanishes at the velocities last evaluated.
bool velocity_projector_find_singular(const Equations *eq, State *state);
// Whether it is on the point of vanishing: where a motion goes no further, that is why.
bool velocity_projector_find_vanishing(const Equations *eq, State *state);
// "x' = 0, y' = 0": what the row of that condition holds.
void velocity_projector_add_state(const Equations *eq, const State *state, Text *text);

// ---- conditioning.c: which speeds to use.
// Reciprocal condition of the velocities' equations at the present state, in units of `scale`.
double conditioning_now(const Equations *eq, State *state);
// Takes the scale of velocities from the inertia last evaluated.
void conditioning_measure(const Equations *eq, State *state);
// Below this other speeds are looked for. A lower limit lets accuracy go before a change.
#define CONDITIONING_POOR 0.05
// Goes over to better speeds where there are some; true where it did. v is kept.
bool conditioning_improve(const Equations *eq, State *state, double now);

// ---- singular.c: a choice of speeds that fails at the start is named in a note; the speeds in
// use are those taken instead.
void singular_speeds_report(const Equations *eq, const State *state, Diag *diag);
// The same where something is not linear in the velocities, and all of these are in use: an error
// only where a form drives the run, which needs the velocities as functions of its speeds.
BASE_MUST_USE Status singular_speeds_check_nonlinear(const Equations *eq, const State *state,
                                                     bool driven, Diag *diag);
void singular_speeds_add_state(const Equations *eq, const State *state, const Expr *row,
                               Text *text);

// ---- rates.c: the motion as y' = f(t, y), y = (q, u), in one program.
typedef struct {
    // Inputs: t | q (n) | u (k); parameters have their numbers already. Outputs: q' (n) | u' (k),
    // or where unsolved > 0: q' (n) | matrix (unsolved × unsolved, symmetric, row after row) |
    // right (unsolved), u' = matrix⁻¹·right. That matrix is positive unless a Lagrangian makes it
    // otherwise.
    Program *program;
    size_t n, k, unsolved;
    Evaluator pivots; // of every pivot that moves: its size, and what that is measured by
} Rates;
// For the speeds in use, with pivots that are good at numbers' present state. False where there is
// no such program.
bool rates_init(Rates *rates, const Equations *eq, State *state, Motion *motion);
void rates_clear(Rates *rates);
// The least pivot at a state, each against the largest entry of its row or against its diagonal:
// 1 is best. Far below what it was at first, the rates want to be made anew.
double rates_least_pivot(Rates *rates, const double *inputs);

#endif
