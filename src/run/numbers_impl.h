// numbers_impl.h: the motion as numbers at one state, and as one program. Never leaves the room.
#ifndef ZWANG_RUN_NUMBERS_IMPL_H
#define ZWANG_RUN_NUMBERS_IMPL_H

#include "contact/contact.h"
#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "program/native.h"
#include "program/program.h"
#include "run/run.h"

#include <lapacke.h>

// ---- lowered.c: a program with its room.
typedef struct {
    Program *program;
    double *out; // what the last evaluation gave
    double *work;
    size_t outputs; // how many, with those that are 0
    // Where most outputs are 0 the program has the others alone; these are their places in `out`.
    size_t count, *places; // NULL: all of them, in their order
    double *filled;
    const ProgramNative *native; // NULL: interpreted; not owned
    size_t which;                // among the native ones
} Lowered;
// False where an output holds a symbol that is no input; *missing is that symbol.
bool lowered_init(Lowered *lowered, const ExprPool *pool, const Expr *inputs, size_t input_count,
                  const Expr *outputs, size_t output_count, Expr *missing);
void lowered_clear(Lowered *lowered);
void lowered_run(Lowered *lowered, const double *inputs);
// What the program itself gives, into the places of all outputs; those that are 0 are left alone.
void lowered_spread(const Lowered *lowered, const double *given, double *out);
// Whether what the last evaluation gave are numbers.
bool lowered_is_finite(const Lowered *lowered);

// ---- filled.c: which entries of a matrix of expressions are not 0 everywhere.
typedef struct {
    size_t rows;
    size_t *begins; // rows + 1
    size_t *places; // the columns of the entries, row after row
} Filled;
void filled_init(Filled *filled, const ExprPool *pool, const Expr *matrix, size_t rows,
                 size_t columns);
void filled_clear(Filled *filled);
size_t filled_count(const Filled *filled);
// The first `rows` rows of it, column after column: who stands in each of so many columns.
void filled_turn(const Filled *filled, size_t rows, size_t columns, Filled *turned);

// ---- numbers.c: the motion as numbers at one state.
// seconds_impl.h: conditions on accelerations.
typedef struct Seconds Seconds;
typedef struct BranchQuestion BranchQuestion;

typedef enum {
    NUMBERS_FOUND,
    NUMBERS_SPEEDS,        // the conditions and the speeds do not determine the velocities
    NUMBERS_INERTIA,       // no inertia along a free velocity; kkt_witness has it
    NUMBERS_SERVO,         // the forces of the servos cannot keep their conditions here
    NUMBERS_CONTRADICTION, // the conditions ask for different accelerations
    NUMBERS_POSITION,      // the finite conditions cannot be met near here
    NUMBERS_BRANCH,        // the stationary point that is followed ends
    NUMBERS_VELOCITY,      // nor those that are not linear in the velocities
    NUMBERS_VANISHED,      // ∂f/∂q' of a condition vanishes; singular_row is its row
    NUMBERS_ROOT,          // a form drives, and has another root of the velocities; other_root
    NUMBERS_APART,         // a condition no longer follows from others; apart_row is its row
    NUMBERS_NOT_FINITE
} NumbersOutcome;

// ---- driver.c: accelerations from one of the classical forms.
typedef struct {
    Lowered equations; // matrix, right, B, D; without a program where no form drives
    Lowered roots;     // q' by the speeds, where these are not linear and it is known
    size_t size;
    double *matrix, *right;
    lapack_int *pivots;
} Driver;

typedef struct Keeper Keeper;

typedef struct {
    const Motion *motion;
    size_t n, m, k, params; // k = n − needed
    // All velocities are the speeds in use, k = n, and are kept to the conditions by projection:
    // because a condition or a speed is not linear in them, or because no speeds were chosen.
    bool whole, curved;
    Keeper *keeper;      // NULL where it is not so
    size_t singular_row; // the condition that vanished
    size_t other_root;   // the velocity of which a form has another one
    size_t finite;       // how many conditions are finite, those set aside included
    const ModelConstraint **finite_conditions;
    size_t *finite_terms; // finite + 1: where each condition's terms begin
    // One array of inputs; a program takes as many of them as it needs, from the left.
    size_t input_count;
    Expr *symbols;
    double *inputs; // parameters | t | q | v | a | multipliers of all conditions
    double *t, *q, *v, *a, *multipliers;
    double *lambda;     // of the rows (m), then of the conditions on accelerations
    Seconds *seconds;   // these; NULL where there are none
    Lowered positions;  // finite conditions f, their ∂f/∂q, their terms
    Lowered velocities; // b, Y, c, y0; of q' too where something is not linear in them
    Lowered forces;     // 𝓜, W − K for q'' = 0, γ, du/dt for q'' = 0, d where servos are
    // The rows that determine the velocities: all, or those that the others follow from along the
    // motion.
    size_t needed, *needed_rows; // at most m
    size_t *needed_place;        // m: where a row stands among these; m for nowhere
    double *packed;              // these rows, then their drifts, then their directions
    double *shares;              // room for sharing reactions out
    double apart;                // how far, of a unit row, one left out stands off them
    size_t apart_row;            // which
    Basis basis;
    // The speeds in use: the motion's own, or the velocities of k chosen coordinates.
    bool own_speeds;
    size_t *chosen;        // k of at most n
    size_t *former, *best; // the same: room for a change
    double *scale;         // n: a typical size of each velocity
    // Room for the linear algebra.
    double *matrix, *right; // n × n, n
    double *force, *kept;   // n each
    double *work;
    lapack_int *pivots, *columns;
    lapack_int work_size;
    // What is filled of ∂f/∂q, of [b; Y], of 𝓜, and for each coordinate, which rows push along it.
    Filled in_positions, in_velocities, in_inertia, pushes;
    // Large systems with few entries; factors of the velocities' equations, and of least
    // constraint's. Made on first use.
    bool few_in_velocities, few_in_forces;
    // Such a system whose rows, speeds and inertia are constant: only the forces move.
    bool still;
    Lowered loads; // what `forces` gives without 𝓜
    SparseLu of_velocities, of_forces;
    double *both; // n + m
    Kkt *gauss;
    KktReport report; // of the last solve
    Driver driver;
    size_t evaluations;
} Numbers;

BASE_MUST_USE Status driver_init(Numbers *numbers, Motion *motion, FormKind kind, Diag *diag);
void driver_clear(Driver *driver);
// From q, u and t to q, q' and t: speeds that were declared are what they stand for.
void driver_speeds_to_velocities(Motion *motion, Expr *exprs, size_t count);
// Whether the velocities that a form puts in have another root than those at hand, and which.
bool driver_has_other_root(Numbers *numbers, size_t *which);
// Puts the form's accelerations in the place of those found; false where there are none.
bool driver_accelerations(Numbers *numbers);

// The terms that a condition is a sum of, by the largest of which its residual is measured; how
// many there are. `terms` may be NULL.
size_t numbers_terms(ExprPool *pool, Expr sum, Expr *terms);
BASE_MUST_USE Status numbers_init(Numbers *numbers, Motion *motion, Diag *diag);
void numbers_clear(Numbers *numbers);
// Room for LAPACK; a large system has none before it needs some.
void numbers_need_dense(Numbers *numbers);

// Velocities at (t, q) from the speeds in use, and the reverse.
NumbersOutcome numbers_velocities(Numbers *numbers, double t, const double *q, const double *u);
void numbers_speeds(const Numbers *numbers, double *u);
// The problem of least constraint at the state whose velocities are there, with all conditions that
// are linear in the accelerations.
KktProblem numbers_problem(Numbers *numbers);
// The condition that row `row` of this problem belongs to.
const ModelConstraint *numbers_condition(const Numbers *numbers, size_t row);
// A stationary point of this problem as the accelerations and multipliers (seconds_impl.h).
void numbers_take(Numbers *numbers, const KktProblem *problem, const double *x);
// The motion's own speeds, whichever are in use, at the velocities last evaluated.
void numbers_own_speeds(const Numbers *numbers, double *u);
// Whether the motion's own speeds can be in use.
bool numbers_can_own(const Numbers *numbers);
// The directions of all reactions, m × n, among what `forces` gave; NULL where they are the rows.
const double *numbers_directions(const Numbers *numbers, const double *forces_out);
// Accelerations, multipliers and the rates of the speeds in use (may be NULL), after velocities.
NumbersOutcome numbers_accelerations(Numbers *numbers, double *u_rate);

// ---- keeper.c: all velocities, kept to the conditions.
Keeper *keeper_new(const Numbers *numbers);
void keeper_free(Keeper *keeper);
// Forgets the states that were kept so far.
void keeper_begin(Numbers *numbers);
// Moves numbers' velocities onto the conditions; false where they are too far away.
bool keeper_meet(Numbers *numbers);
// Whether a row has turned too far since the last state for which it had not.
bool keeper_turns(Numbers *numbers);
// Whether ∂f/∂q' of a condition vanishes at the velocities last evaluated.
bool keeper_find_singular(Numbers *numbers);
// Whether it is on the point of vanishing: where a motion goes no further, that is why.
bool keeper_find_vanishing(Numbers *numbers);
// "x' = 0, y' = 0": what the row of that condition holds.
void keeper_add_state(const Numbers *numbers, Text *text);

// ---- conditioning.c: which speeds to use.
// Reciprocal condition of the velocities' equations at the present state, in units of `scale`.
double conditioning_now(Numbers *numbers);
// Takes the scale of velocities from the inertia last evaluated.
void conditioning_measure(Numbers *numbers);
// Below this other speeds are looked for. A lower limit lets accuracy go before a change.
#define CONDITIONING_POOR 0.05
// Goes over to better speeds where there are some; true where it did. v is kept.
bool conditioning_improve(Numbers *numbers, double now);

// ---- singular.c: a choice of speeds that fails at the start is named in a note; the speeds in
// use are those taken instead.
void singular_say(const Numbers *numbers, Diag *diag);
// The same where something is not linear in the velocities, and all of these are in use: an error
// only where a form drives the run, which needs the velocities as functions of its speeds.
BASE_MUST_USE Status singular_check_curved(const Numbers *numbers, bool driven, Diag *diag);
void singular_add_state(const Numbers *numbers, const Expr *row, Text *text);

// ---- rates.c: the motion as y' = f(t, y), y = (q, u), in one program.
typedef struct {
    // Inputs: t | q (n) | u (k); parameters have their numbers already. Outputs: q' (n) | u' (k),
    // or where unsolved > 0: q' (n) | matrix (unsolved × unsolved, symmetric, row after row) |
    // right (unsolved), u' = matrix⁻¹·right. That matrix is positive unless a Lagrangian makes it
    // otherwise.
    Program *program;
    size_t n, k, unsolved;
    Lowered watch; // of every pivot that moves: its size, and what that is measured by
} Rates;
// For the speeds in use, with pivots that are good at numbers' present state. False where there is
// no such program.
bool rates_init(Rates *rates, Numbers *numbers, Motion *motion);
void rates_clear(Rates *rates);
// The least pivot at a state, each against the largest entry of its row or against its diagonal:
// 1 is best. Far below what it was at first, the rates want to be made anew.
double rates_least_pivot(Rates *rates, const double *inputs);

#endif
