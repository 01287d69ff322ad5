// rates.h: the motion as y' = f(t, y), y = (q, u), in one program.
#ifndef ZWANG_DYNAMICS_RATES_H
#define ZWANG_DYNAMICS_RATES_H

#include "dynamics/compile_progress.h"
#include "dynamics/evaluator.h"

typedef struct Equations Equations; // dynamics.h
typedef struct Motion Motion;       // motion.h
typedef struct NativeJobs NativeJobs;
typedef struct Program Program;
typedef struct ProgramFlow ProgramFlow;
typedef struct State State;

typedef struct Rates {
    // Inputs: t | q (n) | u (k); parameters have their numbers. Outputs: q' (n) | u' (k),
    // or where unsolved > 0: q' (n) | matrix (unsolved × unsolved, symmetric, row after row) |
    // right (unsolved), u' = matrix⁻¹·right. That matrix is positive unless a Lagrangian makes it
    // otherwise.
    Evaluator program;
    size_t n, k, unsolved;
    bool eliminated;  // by elimination on the definitions: other pivots cannot be had
    Evaluator pivots; // of every pivot that moves: its size, and what that is measured by
    double least;     // the least pivot at the state where they were made
    // As power series.
    struct LinearSeries *system; // what the program leaves unsolved
    double *right;
    bool switches; // the program holds abs, sign, min or max
    size_t most_order;
    ProgramNative *native; // the rates (0) and their pivots (1), where these are compiled
    // Of series that solve for accelerations and multipliers (elimination.h): the program, with
    // these as `guesses` more inputs and outputs; NULL: series are those of the rates' program.
    Program *solving;
    size_t guesses;
    ProgramFlow *flow; // their series, where they can flow
    double *flow_at;   // t | y where these were begun last
    double *flow_out;  // the outputs there
    CompileProgress progress;
    size_t stored; // the place in a store that has lent them, from 1; 0: none
} Rates;
// For the speeds in use, with pivots that are good at the present state. False where there is no
// such program.
bool rates_init(Rates *rates, const Equations *eq, State *state, Motion *motion);
// The same in other ways.
typedef struct {
    bool fixed; // the parameters' numbers may be part of the formulas; else the instructions are
                // the same for all parameters that are neither 0 nor 1, as far as numbers decide
                // nothing:
    struct RatesDecisions *decisions; // takes down what they decide; NULL: nobody wants to know
    bool brief;  // no time is spent on making rates short that are soon left again
    bool series; // they will be asked for as power series
} RatesWish;
bool rates_init_as(Rates *rates, const Equations *eq, State *state, Motion *motion, RatesWish wish);
void rates_clear(Rates *rates);
// The same rates for other parameters, with typical sizes of the velocities behind them; series
// begin anew. Not for rates that have numbers in their formulas.
void rates_set_parameters(Rates *rates, const double *parameters);
// The least pivot at a state, each against the largest entry of its row or against its diagonal:
// 1 is best. Far below what it was at first, the rates want to be made anew.
double rates_least_pivot(Rates *rates, const double *inputs);

// ---- rates_series.c: what they give at a state, and as power series once these are opened.
// Those that can flow up to flow_order where that is not 0, the others up to most_order.
void rates_open_series(Rates *rates, size_t most_order, size_t flow_order);
void rates_close_series(Rates *rates);
void rates_renew_series(Rates *rates); // after their constants have changed
// Whether the speeds are the velocities of the coordinates, so that their rates are accelerations.
bool rates_have_velocities(const Rates *rates);
// Whether the accelerations depend on velocities, as far as the instructions tell.
bool rates_hold_velocities(const Rates *rates);
// Before rates_open_series, where many rates are asked for: sines and cosines several at a time,
// and each divisor once.
void rates_shorten(Rates *rates);
// The rates alone, at a state; false where there are none.
bool rates_at(Rates *rates, const double *ty, double *rate);
// The same for somebody beside the integration: series do not begin there.
bool rates_aside(Rates *rates, const double *ty, double *rate);
// Coefficient k of (q', u') from coefficient k of t | q | u, by the interpreter; false where there
// is none.
bool rates_next(Rates *rates, size_t k, const double *ty, double *rate);
// How far no abs, sign, min or max switches: as program_series_clear.
double rates_switch_distance(const Rates *rates, size_t order, double most);
// Compiles the rates, and their series where these can flow; `find`: from the cache alone. Whether
// all is compiled; what is not is a line of `why`. All numbers stay the same.
bool rates_compile(Rates *rates, bool find, Text *why);
bool rates_start(const Rates *rates, NativeJobs *jobs); // starts what that needs
// Whether their series can flow, all orders at once: a program that solves all, without switches.
bool rates_can_flow(const Rates *rates);
// For an integrator's `expand`; 0 where they do not flow.
size_t rates_expand(Rates *rates, size_t order, double unit, double *ty);
// For an integrator's `sum`.
bool rates_sum(const Rates *rates, size_t order, const double *ty, double s, double *sums,
               double *slopes);

#endif
