// motion_series.h: the rates of a motion as power series.
#ifndef ZWANG_DYNAMICS_MOTION_SERIES_H
#define ZWANG_DYNAMICS_MOTION_SERIES_H

#include "dynamics/dynamics.h"
#include "dynamics/evaluator.h"
#include "dynamics/rates.h"
#include "dynamics/stop_request.h"
#include "linalg/linear_series.h"
#include "program/native.h"

// ---- rates_series.c: the same as power series.
// Whatever runs a program in power series.
typedef struct {
    void *context;
    // As program_series_next and program_series_clear; the latter NULL where nothing switches.
    void (*next)(void *context, size_t k, const double *inputs, double *outputs);
    double (*clear)(void *context, size_t order, double most);
    void (*release)(void *context);
    // Of a lowered program that leaves out what is 0: it, and room for what it gives.
    const Evaluator *evaluator;
    double *given;
} SeriesEngine;
void series_engine_open(SeriesEngine *engine, const Program *program, size_t most_order);
// The same for all outputs of a lowered program, which outlives the engine; their room is 0 before.
void series_engine_open_evaluator(SeriesEngine *engine, const Evaluator *evaluator,
                                  size_t most_order);
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
    const Equations *eq;
    const State *state;
    size_t most_order;
    struct StopRequest *stop; // NULL: nobody is asked
    RatesSeries one;          // in use where it has rates
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
void motion_series_init(MotionSeries *series, const Equations *eq, const State *state,
                        size_t most_order);
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

#endif
