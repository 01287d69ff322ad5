// run_impl.h: the parts of a run. Never leaves the room.
#ifndef ZWANG_RUN_IMPL_H
#define ZWANG_RUN_IMPL_H

#include "gauss/gauss.h"
#include "program/native.h"
#include "program/program.h"
#include "run/run.h"

#include <lapacke.h>

// ---- lowered.c: a program with its room.
typedef struct {
    Program *program;
    double *out; // what the last evaluation gave
    double *work;
    const ProgramNative *native; // NULL: interpreted; not owned
    size_t which;                // among the native ones
} Lowered;
// False where an output holds a symbol that is no input; *missing is that symbol.
bool lowered_init(Lowered *lowered, const ExprPool *pool, const Expr *inputs, size_t input_count,
                  const Expr *outputs, size_t output_count, Expr *missing);
void lowered_clear(Lowered *lowered);
void lowered_run(Lowered *lowered, const double *inputs);

// ---- basis.c: rows of numbers, one after the other.
typedef struct {
    size_t n, count;
    double *units;   // n × n: the rows taken, made orthogonal
    double *made_of; // n × n: unit i = Σ made_of[i][j]·(row j of those taken)
    double *rest;    // n: what of the row last seen stands off them
    double *parts;   // n: the remainder of it is Σ parts[j]·(row j of those taken)
} Basis;
// Of a unit row, what must stand off the rows before it so that it is independent of them.
#define INDEPENDENT 1e-9
void basis_init(Basis *basis, size_t n);
void basis_clear(Basis *basis);
// Which part of a row stands off those taken; leaves rest and parts.
double basis_examine(Basis *basis, const double *row);
// The same, and takes the row where that is more than `least`; else false.
bool basis_take(Basis *basis, const double *row, double least);

// ---- numbers.c: the motion as numbers at one state.
typedef enum {
    NUMBERS_FOUND,
    NUMBERS_SPEEDS,        // the conditions and the speeds do not determine the velocities
    NUMBERS_INERTIA,       // no inertia along a free velocity; gauss_witness has it
    NUMBERS_CONTRADICTION, // the conditions ask for different accelerations
    NUMBERS_POSITION,      // the finite conditions cannot be met near here
    NUMBERS_APART,         // a condition no longer follows from others; apart_row is its row
    NUMBERS_NOT_FINITE
} NumbersOutcome;

// ---- driver.c: accelerations from one of the classical forms.
typedef struct {
    Lowered equations; // matrix, right, B, D; without a program where no form drives
    size_t size;
    double *matrix, *right;
    lapack_int *pivots;
} Driver;

typedef struct {
    const Motion *motion;
    size_t n, m, k, params; // k = n − needed
    size_t finite;          // how many conditions are finite, those set aside included
    const ModelConstraint **finite_conditions;
    size_t *finite_terms; // finite + 1: where each condition's terms begin
    // One array of inputs; a program takes as many of them as it needs, from the left.
    size_t input_count;
    Expr *symbols;
    double *inputs; // parameters | t | q | v | a | multipliers of all conditions
    double *t, *q, *v, *a, *multipliers;
    double *lambda;     // m, of the conditions in force
    Lowered positions;  // finite conditions f, their ∂f/∂q, their terms
    Lowered velocities; // b, c, Y, y0
    Lowered forces;     // 𝓜, W − K for q'' = 0, γ, du/dt for q'' = 0
    // The rows that determine the velocities: all, or those that the others follow from along the
    // motion.
    size_t needed, *needed_rows; // at most m
    double *packed;              // these rows, then their drifts
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
    Gauss *gauss;
    GaussReport report; // of the last solve
    Driver driver;
    size_t evaluations;
} Numbers;

BASE_MUST_USE Status driver_init(Numbers *numbers, Motion *motion, FormKind kind, Diag *diag);
void driver_clear(Driver *driver);
// Puts the form's accelerations in the place of those found; false where there are none.
bool driver_accelerations(Numbers *numbers);

// The terms that a condition is a sum of, by the largest of which its residual is measured; how
// many there are. `terms` may be NULL.
size_t numbers_terms(ExprPool *pool, Expr sum, Expr *terms);
BASE_MUST_USE Status numbers_init(Numbers *numbers, Motion *motion, Diag *diag);
void numbers_clear(Numbers *numbers);

// Velocities at (t, q) from the speeds in use, and the reverse.
NumbersOutcome numbers_velocities(Numbers *numbers, double t, const double *q, const double *u);
void numbers_speeds(const Numbers *numbers, double *u);
// Accelerations, multipliers and the rates of the speeds in use (may be NULL), after velocities.
NumbersOutcome numbers_accelerations(Numbers *numbers, double *u_rate);

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

// ---- project.c: finite conditions.
typedef struct {
    double *f, *jacobian, *terms; // where `positions` leaves them
    double *matrix, *right;       // finite × free, max(finite, free)
    double *kept;                 // n, where an iteration stood
    double *residuals;            // finite: room for others than f
    double *work;
    lapack_int *pivots;
    lapack_int work_size;
    size_t *free; // the coordinates that may move
    size_t free_count;
    bool *left_out; // finite: it follows from the others along the motion
} Projector;
void projector_init(Projector *projector, const Numbers *numbers);
void projector_clear(Projector *projector);
void projector_free_all(Projector *projector, const Numbers *numbers);
// From now on by those finite conditions alone that are independent at the present position.
void projector_leave_out(Projector *projector, Numbers *numbers);
// Evaluates the finite conditions at numbers' t and q.
void projector_evaluate(Numbers *numbers);
// The largest term of a condition, by which its residual is measured.
double projector_scale(const Projector *projector, const Numbers *numbers, size_t condition);
// The largest residual in units of its condition's largest term.
double projector_miss(const Projector *projector, const Numbers *numbers, size_t *worst);
// The least change of the free coordinates that the linearized conditions ask for, in `right`.
void projector_least_change(Projector *projector, const Numbers *numbers, const double *residuals);
// Newton's iteration by least changes, from numbers' q; returns the miss that is left.
double projector_newton(Projector *projector, Numbers *numbers, size_t most);

// ---- search.c: from far away, towards the finite conditions; numbers' q is then near them, or as
// near as it can be found.
void projector_search(Projector *projector, Numbers *numbers);

// ---- needed.c: conditions that follow from others where the motion goes.
// At the start. Where conditions depend on each other, there and beside it, the others are taken
// and a note names them; where they do so there alone, it is an error, but for an instant.
BASE_MUST_USE Status needed_begin(Numbers *numbers, Projector *projector, bool instant, Diag *diag);
// The needed ones of all rows and drifts, in `packed`.
void needed_pack(Numbers *numbers, const double *rows, const double *drift);
// From the multipliers of the needed rows to the least ones of all.
void needed_share(Numbers *numbers);
// Of a unit row, what may stand off those that it follows from.
#define NEEDED_APART 1e-6

// ---- masses.c
// Warns of masses and moments of inertia below 0 at numbers' present state.
void masses_check(const Numbers *numbers, Diag *diag);

// ---- start.c, start_contradiction.c, start_velocity.c: starts that satisfy the constraints.
typedef struct {
    Numbers *numbers;
    Projector *projector;
    const Model *model;
    Diag *diag;
    double *values; // of model->starts
    bool *held;     // n: the coordinates with a given value
    bool *said;     // n: the coordinates whose velocities are spoken of already
    double *asked;  // n: where the coordinates would start without conditions
    Text zeros;     // what was not given and became 0
    size_t zero_count;
    Text follows; // what was found
    size_t follow_count;
    double size; // the largest of the values that are being spoken of
} Start;
// Completes numbers' q and v at t = 0.
BASE_MUST_USE Status start_complete(Numbers *numbers, Projector *projector, Diag *diag);
// The second half of it, at the position found.
BASE_MUST_USE Status start_velocities(Start *start);
// Why there is none: an error.
Status start_contradiction(Start *start);
// From numbers' q to the finite conditions, or as near as it goes; the miss that is left.
double start_search(Start *start);
double start_largest(const double *values, size_t count);
void start_say_zero(Start *start, const char *name);
void start_say_follows(Start *start, const char *name, double value);
// "x' = 3", as it was asked for; `index` counts model->starts.
void start_print_given(const Start *start, size_t index, Text *out);

// ---- sides.c: one-sided conditions at the start.
typedef struct {
    Arena *arena; // NULL where there are neither such conditions nor percussions
    RunSides told;
    RunSide *at;
    double *rows, *partial_t, *gamma, *restitution; // count × n; count each
    double *impulse;                                // n; NULL where none acts at t = 0
} Sides;
// What is wrong with them at the completed start is an error: one that is violated, one without a
// gradient where it touches, a restitution outside [0, 1].
BASE_MUST_USE Status sides_init(Sides *sides, Numbers *numbers, Motion *motion, Diag *diag);
void sides_clear(Sides *sides);
// After the accelerations without them: lets the velocities jump, then the acceleration and
// multipliers of numbers are those with the conditions that act.
BASE_MUST_USE Status sides_meet(Sides *sides, Numbers *numbers, Diag *diag);
// Adds what they do to every coordinate.
void sides_add_reactions(const Sides *sides, size_t n, double *forces);

// ---- integrate.c: one interface, several methods (integrators.def).
typedef enum {
    INTEGRATOR_STEPPED,
    INTEGRATOR_RATE,     // the rate cannot be evaluated, however short the step
    INTEGRATOR_VANISHED, // the steps became shorter than rounding in t
    INTEGRATOR_STALLED,  // the steps became so short that the next row is out of reach
    INTEGRATOR_FAILED    // the machine failed
} IntegratorOutcome;
typedef struct {
    size_t count;
    double tolerance;
    double longest; // step, for methods that see no more of it than its ends
    void *context;
    // False where there is no rate at this state.
    bool (*rate)(void *context, double t, const double *y, double *rate);
    // Coefficient k of the rates along the motion from coefficient k of (t, y), for k = 0, 1, … in
    // turn, below `order`; false where there is none.
    bool (*series)(void *context, size_t k, const double *ty, double *rate);
    // Rows 1 … order of the table of (t, y) from its row 0, all at once; returns how many of them
    // are finite. NULL, or at any time none: then by `series`. Rows as program_flow_rows says.
    size_t (*expand)(void *context, size_t order, double *ty);
    size_t order;
    size_t expand_order; // where `expand` does it; 0: the same
    // How far, at most `most`, nothing switches by the coefficients up to `order`: infinite, or
    // just beyond the first switch, or as far as they can tell. The branches are those of the
    // coefficients of order 0.
    double (*clear)(void *context, size_t order, double most);
    // ∂(rate)/∂y, column after column; false where there is none.
    bool (*jacobian)(void *context, double t, const double *y, double *columns);
    // Moves an accepted state onto the conditions; NULL where there is nothing to do.
    bool (*settle)(void *context, double t, double *y);
    // What error counts as 1 in each part.
    void (*allowance)(void *context, const double *y, double *allowance);
} IntegratorProblem;
typedef struct {
    size_t steps, rejected;
    size_t order; // of the method
} IntegratorCounts;

// What a method is; each function has the contract of the integrator_… of its name below.
typedef struct {
    void *(*create)(const IntegratorProblem *problem);
    void (*destroy)(void *self);
    bool (*start)(void *self, double t, const double *y, double step);
    IntegratorOutcome (*step)(void *self, double until, double *t, double *y);
    void (*between)(const void *self, double t, double *y,
                    double *rate); // NULL: it has no dense output
    double (*next_step)(const void *self);
    IntegratorCounts (*counts)(const void *self);
    const char *(*message)(const void *self);
} IntegratorMethod;
#define METHOD(NAME, word, method) extern const IntegratorMethod method;
#include "run/integrators.def"
#undef METHOD

typedef struct Integrator Integrator;
// NULL: the machine failed.
Integrator *integrator_new(RunMethod method, const IntegratorProblem *problem);
void integrator_free(Integrator *integrator);
// From here; `step` is a first guess, 0 for none.
bool integrator_start(Integrator *integrator, double t, const double *y, double step);
// One accepted step, not beyond `until`; t and y are then the new state, or are kept.
IntegratorOutcome integrator_step(Integrator *integrator, double until, double *t, double *y);
// Whether it knows the states inside a step; else the steps must end where a state is wanted.
bool integrator_is_dense(const Integrator *integrator);
// The state and its rate at a time within the last step, as far as the method is exact: the state
// is not settled, and the velocities in the rate owe nothing to the speeds.
void integrator_between(const Integrator *integrator, double t, double *y, double *rate);
// How long the next step would be.
double integrator_next_step(const Integrator *integrator);
IntegratorCounts integrator_counts(const Integrator *integrator);
const char *integrator_message(const Integrator *integrator); // what went wrong, "" for nothing

// The order that integrate_taylor.c takes for a tolerance: where work grows with its square, and
// where whole blocks of orders are compiled, so that it grows little faster than the order.
size_t taylor_order(double tolerance);
size_t taylor_compiled_order(double tolerance);

// Whether all are finite numbers: an infinity or a NaN times 0 is a NaN. Four sums, so that none
// waits for the one before it.
static inline bool all_finite(const double *values, size_t count)
{
    double sums[4] = {0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t j = 0; j < 4; j++)
            sums[j] += values[i + j] * 0;
    for (; i < count; i++)
        sums[0] += values[i] * 0;
    return (sums[0] + sums[1]) + (sums[2] + sums[3]) == 0;
}

// The larger of two numbers; unlike fmax it is one instruction, and b where a is no number.
static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

// ---- strand.c: why a motion cannot be followed further, in words.
// Why there is no rate.
void strand_add_reason(const Numbers *numbers, NumbersOutcome why, Text *text);
// Why the steps became short.
const char *strand_why_short(const Numbers *numbers, IntegratorOutcome outcome);
// The part of numbers' state that changes fastest, against its size.
void strand_add_runaway(const Numbers *numbers, Text *text);

// ---- linear_series.c: A·x = b where A, x and b are power series.
typedef struct {
    size_t size, most_order;
    double *matrices;  // A_k one after the other, each row after row
    bool *moves;       // whether A_k has an entry that is not 0
    double *solutions; // x_k
    double *factors;   // of A_0
    lapack_int *pivots;
} LinearSeries;
void linear_series_init(LinearSeries *series, size_t size, size_t most_order);
void linear_series_clear(LinearSeries *series);
double *linear_series_matrix(LinearSeries *series, size_t k); // where A_k is to be put
// x_k, from A_k put there and from b_k, which it overwrites; false where A_0 is singular.
bool linear_series_next(LinearSeries *series, size_t k, double *right);

// ---- rates_series.c: the same as power series.
// Whatever runs a program in power series.
typedef struct {
    void *context;
    // As program_series_next and program_series_clear; the latter NULL where nothing switches.
    void (*next)(void *context, size_t k, const double *inputs, double *outputs);
    double (*clear)(void *context, size_t order, double most);
    void (*release)(void *context);
} SeriesEngine;
void series_engine_open(SeriesEngine *engine, const Program *program, size_t most_order);
void series_engine_close(SeriesEngine *engine);
double series_engine_clear(const SeriesEngine *engine, size_t order, double most);

typedef struct {
    SeriesEngine engine;
    LinearSeries system;
    const Rates *rates;
    size_t most_order;
    double *out, *right, *work;
    bool begun;            // the interpreter has coefficient 0
    ProgramNative *native; // the rates (0) and their watch (1), and
    ProgramFlow *flow;     // their series, where these are compiled
} RatesSeries;
void rates_series_init(RatesSeries *series, const Rates *rates, size_t most_order);
void rates_series_clear(RatesSeries *series);
// Coefficient k of (q', u') from coefficient k of t | q | u; false where there is none.
bool rates_series_next(RatesSeries *series, size_t k, const double *ty, double *rate);
// The rates alone, at a state; false where there are none.
bool rates_series_rate(RatesSeries *series, const double *ty, double *rate);
// Compiles the rates, and their series where these can be; what cannot be is a line of `why`. False
// where nothing was compiled. The rates keep their numbers, the series round in their own way.
// The series up to flow_order; 0 for none.
bool rates_series_compile(RatesSeries *series, size_t flow_order, Text *why);
// Whether their series can be compiled at all: a program that solves all, without switches.
bool rates_series_can_flow(const Rates *rates);
// For an integrator's `expand`; 0 where they are not compiled.
size_t rates_series_expand(RatesSeries *series, size_t order, double *ty);

// ---- motion_series.c: the motion's rates as power series: by one program where there is one, else
// by linear solves alone, for any motion and any speeds.
typedef struct {
    const Numbers *numbers;
    size_t most_order;
    RatesSeries one; // in use where it has rates
    // Made where there is no such program.
    SeriesEngine velocities, forces, driver;
    LinearSeries of_velocities, of_accelerations, of_driver;
    double *inputs; // coefficient k of: parameters | t | q | v
    double *velocity_out, *force_out, *driver_out;
    double *right;         // n + m, or the driver's size
    double *accelerations; // of the orders so far, n each
    double *reductions;    // B of the driver, of the orders so far
} MotionSeries;
void motion_series_init(MotionSeries *series, const Numbers *numbers, size_t most_order);
void motion_series_clear(MotionSeries *series);
// From now on by these rates, which are for the speeds that numbers has in use and outlive their
// use here; NULL: by linear solves.
void motion_series_take(MotionSeries *series, const Rates *rates);
// As rates_series_next, u being the speeds that numbers has in use.
bool motion_series_next(MotionSeries *series, size_t k, const double *ty, double *rate);
// How far no abs, sign, min or max switches: as program_series_clear.
double motion_series_clear_of_switches(const MotionSeries *series, size_t order, double most);

// ∂(q', u')/∂(q, u), exactly, by a series of order 1 along each part; column after column. `room`
// holds 2(1 + n + k) numbers. False where there is none.
bool motion_series_jacobian(MotionSeries *series, double t, const double *y, double *columns,
                            double *room);

// ---- course.c: by which road a run finds its rates.
typedef struct {
    Run *run;
    Numbers *numbers;
    Diag *diag;
    bool taylor;
    size_t flow_order; // of compiled series; 0 where these are not wanted
    bool ready;        // by rates in one program; else by linear solves
    Rates rates;
    MotionSeries series; // of Taylor's order, or of order 1
    MotionSeries slopes; // of order 1, where the others are in use
    double pivot;        // the least, when the rates were made
    double present;      // … and when last looked at
    double *ty;
    size_t made, steps, evaluations; // how often rates were made; steps of the run; plain rates
    // When the last ones were: the step, the time, the plain rates until then.
    size_t made_step, made_evaluations;
    double made_t;
    bool compiled, said; // nothing more to be had from the compiler; why was said
    bool given_up;       // no more rates
} Course;
void course_init(Course *course, Run *run, Diag *diag);
void course_clear(Course *course);
// At numbers' present state, for the speeds in use; t and y are the same state.
void course_make(Course *course, double t, const double *y);
// After a step: whether the rates have become poor. Then numbers is to be brought to that state and
// the course renewed; series begin anew.
bool course_is_poor(Course *course, double t, const double *y);
void course_renew(Course *course, double t, const double *y);
// From now on by linear solves; false where it was so already.
bool course_give_up(Course *course);
// After a step to t: compiles the rates where what is left is likely to take longer than compiling
// does. Counts decide and not the clock.
void course_consider(Course *course, double t);
// As an IntegratorProblem wants them. A rate that is not found is one to ask numbers for.
bool course_rate(Course *course, double t, const double *y, double *rate);
bool course_series(Course *course, size_t k, const double *ty, double *rate);
size_t course_expand(Course *course, size_t order, double *ty);
double course_clear_of_switches(const Course *course, size_t order, double most);
bool course_jacobian(Course *course, double t, const double *y, double *columns);

// ---- stiffness.c: whether a run is held up by what has long died away.
typedef struct {
    size_t looks, seen; // how often it was looked for, and seen in a row
    double fastest;     // the decay that holds the steps down, 1/s
    bool stiff;
} Stiffness;
// After `steps` accepted steps, the next one `step` long: whether it is time to look.
bool stiffness_is_due(size_t steps);
// From ∂(rate)/∂y, which is used up; `limit` is how many decays long a step is that stability holds
// down; `room` holds 8·count numbers.
void stiffness_look(Stiffness *stiffness, double *jacobian, size_t count, double step, double limit,
                    double *room);

// ---- sizes.c: typical sizes of the state's parts, and the errors that these allow.
typedef struct {
    size_t n, k;
    double span; // from a row to the next
    double tolerance;
    double *q, *v, *a, *u; // the largest so far; one block, at q
    double most_v;         // over all velocities
} Sizes;
void sizes_init(Sizes *sizes, const Numbers *numbers, double tolerance, double span);
void sizes_clear(Sizes *sizes);
// With new speeds u. What is 0 at first is measured by how far it gets until the next row.
void sizes_begin(Sizes *sizes, const Numbers *numbers, const double *u, const double *u_rate);
// A state was accepted: numbers' q, v and a, and the speeds u.
void sizes_see(Sizes *sizes, const Numbers *numbers, const double *u);
// For each part of y = (q, u) the error that counts as 1.
void sizes_allow(const Sizes *sizes, const double *y, double *allowance);

// ---- columns.c: names of columns, and their numbers.
typedef struct {
    Arena *arena;
    size_t count;
    const char **names;
    size_t speeds_at, lambdas_at, energy_at, residuals_at, outputs_at;
    bool has_energy;    // not with an energy of acceleration
    bool residuals;     // whether there are residual columns
    Lowered quantities; // declared speeds, energy, residuals of all conditions, outputs
    double *row;
} Columns;
BASE_MUST_USE Status columns_init(Columns *columns, const Numbers *numbers, bool residuals,
                                  Diag *diag);
void columns_clear(Columns *columns);
// The row of numbers' present state, accelerations and multipliers.
typedef struct {
    double energy, residual; // and the largest residual there, whether it has a column or not
} ColumnsCheck;
ColumnsCheck columns_fill(Columns *columns, const Numbers *numbers);

// ---- ledger.c: what should stay as it is, looked at along a run.
typedef enum {
    CHECK_BY_TERMS,  // the largest of the terms that it is a sum of
    CHECK_BY_PARTS,  // the largest of ∂f/∂q'_ν·q'_ν
    CHECK_BY_CHANGE, // how it changes over the size of the coordinates or velocities
} LedgerMeasure;
typedef struct {
    const ModelConstraint *constraint;
    LedgerMeasure measure;
    size_t at, count;       // among the outputs: its residual, and the terms or derivatives
    double residual, scale; // the largest so far
} LedgerCheck;
typedef struct {
    MotionPower power;
    RunDrift energy;
    RunDrift *integrals;
    size_t integral_count;
    LedgerCheck *checks; // of positions, then of velocities
    size_t position_count, check_count;
    Lowered quantities; // energy, T, U, integrals, checks
    Lowered rate;       // the power, where it is not 0
    bool follows;       // the power is integrated along
    double until, work; // up to when, and what it came to
    size_t rows;
} Ledger;
BASE_MUST_USE Status ledger_init(Ledger *ledger, const Numbers *numbers, Motion *motion,
                                 Diag *diag);
void ledger_clear(Ledger *ledger);
// A run begins; `dense` where states inside steps can be had.
void ledger_begin(Ledger *ledger, bool dense);
// The power is wanted at these times, one after the other, to integrate it up to `until`.
#define LEDGER_NODES 8
double ledger_node(const Ledger *ledger, double until, size_t node);
// Its value at a node: the state that numbers has.
void ledger_add(Ledger *ledger, double until, size_t node, const Numbers *numbers);
void ledger_row(Ledger *ledger, const Numbers *numbers);

// ---- growth.c: how the difference of two runs grows.
typedef struct {
    double t, d; // d > 0, never less than before
} GrowthPoint;
typedef struct {
    double e_fold; // as exp(t/e_fold); NAN where it does not
    double power;  // else as t^power; NAN where too little is known
} Growth;
Growth growth_fit(const GrowthPoint *points, size_t count);

// ---- audit.c: the run as asked is watched, and its rows are kept, as many as there is room for,
// to be compared with those of another.
typedef struct {
    double least, most; // over all rows
    double so_far;      // the largest of the rows that were compared
    double difference, at, at_end;
} AuditColumn;
struct RunAudit {
    Run *run;
    Ledger ledger;
    size_t width; // columns that are compared, t first
    AuditColumn *columns;
    ARRAY(double) kept; // every row whose number is a multiple of `stride`
    size_t stride;
    double *last; // row, wherever it is
    size_t rows;
    // While a second run goes.
    size_t row;
    ARRAY(GrowthPoint) points;
    const RunListener *listener;
    RunAuditReport report;
};
// A row of the run as asked.
void audit_row(RunAudit *audit, const Numbers *numbers, const double *row);

// ---- engine.c: interpreted or compiled. Both give the same numbers, so that it does not matter
// when a run goes over.
typedef struct {
    ProgramNative *native; // NULL: interpreted
    bool settled;          // nothing is left to decide
    size_t operations;     // of one evaluation
} Engine;
// At the beginning of a run. Where nothing can be compiled a note says so, once.
void engine_begin(Run *run, Diag *diag);
// After a step to t: compiles where what is left is likely to take longer than compiling does.
// Counts decide and not the clock.
void engine_consider(Run *run, size_t steps, double t, Diag *diag);
void engine_clear(Engine *engine);

// ---- options.c
BASE_MUST_USE Status options_resolve(const Motion *motion, const RunOptions *given,
                                     const double *params, Diag *diag, RunOptions *settings);

struct Run {
    Motion *motion;
    RunOptions settings;
    Numbers numbers;
    Projector projector;
    Columns columns;
    Engine engine;
    Sides sides;
    RunAudit *audit; // NULL where nobody asked for one; not owned
    // The start, kept.
    double *q, *v, *u, *a, *lambda;
    double energy;
};

#endif
