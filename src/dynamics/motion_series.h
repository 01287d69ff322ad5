// motion_series.h: the rates of a motion as power series.
#ifndef ZWANG_DYNAMICS_MOTION_SERIES_H
#define ZWANG_DYNAMICS_MOTION_SERIES_H

#include "linalg/linear_series.h"

typedef struct Equations Equations; // dynamics.h
typedef struct Evaluator Evaluator; // evaluator.h
typedef struct ProgramFlow ProgramFlow;
typedef struct ProgramNative ProgramNative; // native.h
typedef struct ProgramSeries ProgramSeries; // program.h
typedef struct Rates Rates;                 // rates.h
typedef struct State State;
typedef struct StopRequest StopRequest; // stop_request.h

// ---- rates_series.c: those of rates in one program.
typedef struct {
    Arena *arena;
    const Rates *rates; // NULL: none
    ProgramSeries *series;
    LinearSeries system; // what the program leaves unsolved
    double *out, *right, *work;
    bool switches;         // the program holds abs, sign, min or max
    bool begun;            // the interpreter has coefficient 0
    ProgramNative *native; // the rates (0) and their pivots (1), and
    ProgramFlow *flow;     // their series, where these are compiled
    double *flow_at;       // t | y where these were begun last
} RatesSeries;
// The rates outlive their series.
void rates_series_init(RatesSeries *series, const Rates *rates, size_t most_order);
void rates_series_clear(RatesSeries *series);
// Coefficient k of (q', u') from coefficient k of t | q | u; false where there is none.
bool rates_series_next(RatesSeries *series, size_t k, const double *ty, double *rate);
// The rates alone, at a state; false where there are none.
bool rates_series_rate(RatesSeries *series, const double *ty, double *rate);
// How far no abs, sign, min or max switches: as program_series_clear.
double rates_series_switch_distance(const RatesSeries *series, size_t order, double most);
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

// ---- motion_series.c: those of any motion and any speeds: by one program where there is one, else
// by linear solves alone.

// A program of the equations, in power series.
typedef struct {
    const Evaluator *evaluator;
    ProgramSeries *series; // NULL: there is no such program
    double *given;         // what the program gives, where it leaves out what is 0
    double *out;           // coefficient k of all outputs
} EvaluatorSeries;

enum {
    SERIES_VELOCITIES,
    SERIES_FORCES,
    SERIES_DRIVER,   // of a form that drives the run
    SERIES_IMPLICIT, // of conditions that are curved in accelerations
    SERIES_COUNT
};

typedef struct {
    Arena *arena;
    const Equations *eq;
    const State *state;
    size_t most_order;
    StopRequest *stop; // NULL: nobody is asked
    RatesSeries rates; // in use where it has rates
    // Made on first use where there is no such program.
    EvaluatorSeries programs[SERIES_COUNT];
    LinearSeries velocities, accelerations, driver;
    bool constant;  // nothing moves but the forces, and the factors are there
    double *inputs; // coefficient k of: parameters | t | q | v
    double *right;  // n + m, or the driver's size
    double *a;      // accelerations of the orders so far, n each
    double *B;      // of the driver, of the orders so far
    double *whole;  // coefficient k of all inputs, accelerations and multipliers included
    double *work;   // 2(1 + n + k), for Jacobians
} MotionSeries;
// Equations and state outlive the series.
void motion_series_init(MotionSeries *series, const Equations *eq, const State *state,
                        size_t most_order);
void motion_series_clear(MotionSeries *series);
// From now on by these rates, which are for the speeds that the state has in use and outlive their
// use here; NULL: by linear solves.
void motion_series_take(MotionSeries *series, const Rates *rates);
// As rates_series_next, u being the speeds that the state has in use.
bool motion_series_next(MotionSeries *series, size_t k, const double *ty, double *rate);
double motion_series_switch_distance(const MotionSeries *series, size_t order, double most);
// ∂(q', u')/∂(q, u), exactly, by a series of order 1 along each part; column after column. False
// where there is none.
bool motion_series_jacobian(MotionSeries *series, double t, const double *y, double *columns);

#endif
