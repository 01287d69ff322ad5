// series_impl.h: the roads to the rates along a run, as power series too. Never leaves the room.
#ifndef ZWANG_RUN_SERIES_IMPL_H
#define ZWANG_RUN_SERIES_IMPL_H

#include "run/newton_impl.h"

// ---- linear_series.c: A·x = b where A, x and b are power series.
// An entry that moves.
typedef struct {
    uint32_t row, column;
    double value;
} SeriesEntry;
typedef ARRAY(SeriesEntry) SeriesEntries;

typedef struct {
    size_t size, most_order;
    bool few;               // entries: they are listed, and the factors are sparse
    SeriesEntries *entries; // of A_k, k > 0
    Sparse sparse;          // A_0
    double *matrices;       // A_k one after the other, each row after row; none with few
    bool *moves;            // whether A_k has an entry that is not 0
    double *solutions;      // x_k
    double *factors;        // of A_0
    lapack_int *pivots;
} LinearSeries;
void linear_series_init(LinearSeries *series, size_t size, size_t most_order, bool few);
void linear_series_clear(LinearSeries *series);
double *linear_series_matrix(LinearSeries *series, size_t k); // where A_k is to be put
// With few entries: a new A_k, and its entries; those of A_0 row after row, each place once.
void linear_series_begin(LinearSeries *series, size_t k);
void linear_series_push(LinearSeries *series, size_t k, size_t row, size_t column, double value);
// Adds A_i·x to the sums, from this row on; after A_i was used for x_i.
void linear_series_add_rows(const LinearSeries *series, size_t i, size_t first, const double *x,
                            double *sums);
// x_k of a matrix that is still what was last factored, few entries being filled.
void linear_series_still(LinearSeries *series, size_t k, double *right);
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
    // Of a lowered program that leaves out what is 0: it, and room for what it gives.
    const Lowered *lowered;
    double *given;
} SeriesEngine;
void series_engine_open(SeriesEngine *engine, const Program *program, size_t most_order);
// The same for all outputs of a lowered program, which outlives the engine; their room is 0 before.
void series_engine_open_lowered(SeriesEngine *engine, const Lowered *lowered, size_t most_order);
void series_engine_next(const SeriesEngine *engine, size_t k, const double *inputs,
                        double *outputs);
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
    double *flow_at;       // t | y where these were begun last
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
// For an integrator's `sum`.
bool rates_series_sum(const RatesSeries *series, size_t order, const double *ty, double s,
                      double *sums, double *slopes);

// ---- motion_series.c: the motion's rates as power series: by one program where there is one, else
// by linear solves alone, for any motion and any speeds.
typedef struct {
    const Numbers *numbers;
    size_t most_order;
    struct Asker *asker; // NULL: nobody is asked
    RatesSeries one;     // in use where it has rates
    // Made where there is no such program.
    bool settled; // nothing moves but the forces, and the factors are there
    SeriesEngine velocities, forces, driver;
    SeriesEngine seconds, implicit; // of conditions on accelerations
    LinearSeries of_velocities, of_accelerations, of_driver;
    double *inputs; // coefficient k of: parameters | t | q | v
    double *velocity_out, *force_out, *driver_out;
    double *right;         // n + m, or the driver's size
    double *accelerations; // of the orders so far, n each
    double *reductions;    // B of the driver, of the orders so far
    double *second_out, *implicit_out;
    double *whole; // coefficient k of all inputs, accelerations and multipliers included
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
    Newton *newton;      // NULL: the Jacobian is dense
    size_t newtons;      // how many of them were made
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
// As an OdeProblem wants them. A rate that is not found is one to ask numbers for.
bool course_rate(Course *course, double t, const double *y, double *rate);
bool course_series(Course *course, size_t k, const double *ty, double *rate);
size_t course_expand(Course *course, size_t order, double *ty);
bool course_sum(const Course *course, size_t order, const double *ty, double s, double *sums,
                double *slopes);
double course_clear_of_switches(const Course *course, size_t order, double most);
bool course_jacobian(Course *course, double t, const double *y, double *columns);
// Newton's equations with few entries for the speeds in use; NULL: by the Jacobian.
Newton *course_newton(const Course *course);

#endif
