// simulate.h: a motion in time: starts that satisfy the constraints, integration, rows of numbers.
//
// The state that a run carries is (q, u), u being k independent speeds, so that velocity
// conditions hold by construction; positions are projected onto finite conditions after every step.
// Where the speeds become singular, the run takes others and goes on; no column shows it.
//
// run_report.h: what its listener gets. instant.h: everything about the start. run_audit.h: how far
// the numbers can be trusted.
#ifndef ZWANG_SIMULATE_H
#define ZWANG_SIMULATE_H

#include "base/memory.h"
#include "expr/expr_types.h"
#include "simulate/run_options.h"
#include "simulate/run_start.h"

typedef struct Motion Motion;           // motion.h
typedef struct RunFormulas RunFormulas; // motion_formulas.h
typedef struct RatesBuilder RunFormulasRoom;
typedef struct SystemFunctions SystemFunctions; // system_functions.h
typedef struct RunListener RunListener;         // run_report.h
typedef struct RunSummary RunSummary;

typedef struct Simulation Simulation;

// Checks options and inertia, evaluates the parameters and completes the start. What was filled
// in is a note; an option or start that is wrong is an error. The motion must outlive the run.
BASE_MUST_USE Status run_new(Motion *motion, const RunOptions *options, Diag *diag,
                             Simulation **sim);
void run_free(Simulation *sim);
// The same with the equations of a simulation, which is freed in any case: it was made with
// `repeats`, of this motion, whose model may have other parameters and starts since; all options
// but the end and the rows are the same. STATUS_NEGATIVE where its equations are not those that
// would be derived now.
BASE_MUST_USE Status run_repeat(Simulation *former, const RunOptions *options, Diag *diag,
                                Simulation **sim);
bool run_can_repeat(const Simulation *sim); // whether it may be asked for
// Whether all that was derived serves this run. Where it becomes false, after run_repeat or while
// rows are told, nothing from there on is to be used: a simulation of a motion that is made anew is
// to take the place of this one.
bool run_is_served(const Simulation *sim);

// The options as they are in force, all numbers given.
RunOptions run_settings(const Simulation *sim);

// ---- Columns: t; coordinates; velocities; all declared speeds; lambda.NAME of the conditions
// that were not set aside; energy; residual.NAME of every condition, as it is written, where
// asked for; outputs.
size_t run_column_count(const Simulation *sim);
const char *run_column_name(const Simulation *sim, size_t column);
// Positions and velocities of a row of the run's own, n each: continuous states are the last.
void run_row_state(const Simulation *sim, const double *row, double *q, double *v);

RunStart run_start(const Simulation *sim);

// Always from the start. STATUS_NEGATIVE where the end was not reached: an error says where and
// why, unless the listener stopped the run.
BASE_MUST_USE Status run_go(Simulation *sim, const RunListener *listener, Diag *diag,
                            RunSummary *summary);

// ---- Everything known at the last row, for those who evaluate more there: symbols
// and numbers of parameters | t | q | q' | q'' | multipliers of all conditions.
typedef struct {
    const Expr *symbols;
    const double *values;
    size_t count;
} RunState;
RunState run_state(const Simulation *sim);

// The motion as formulas (motion_formulas.h). The room owns what they point to. An error where the
// motion is no set of formulas.
BASE_MUST_USE Status run_formulas(Simulation *sim, bool fixed, bool whole, Diag *diag,
                                  RunFormulasRoom **room, RunFormulas *formulas);

// The motion while no one-sided condition acts as functions of its state, with the speeds in use at
// the start or with all velocities (system_functions.h). The simulation outlives them, and is not
// run meanwhile.
BASE_MUST_USE Status run_functions(Simulation *sim, bool velocities, Diag *diag,
                                   SystemFunctions **functions);

#endif
