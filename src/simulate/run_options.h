// run_options.h: what a run is asked for.
#ifndef ZWANG_SIMULATE_RUN_OPTIONS_H
#define ZWANG_SIMULATE_RUN_OPTIONS_H

#include "dynamics/run_engine.h"
#include "forms/form_kinds.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Str Str; // strings.h

typedef enum {
#define METHOD(NAME, word, method) RUN_##NAME,
#include "ode/integrators.def"
#undef METHOD
    RUN_TIMESTEPPING, // steps of fixed length, by no integrator
    RUN_METHOD_COUNT
} RunMethod;
const char *run_method_name(RunMethod method);
bool run_method_find(Str name, RunMethod *method);

// By its name: auto, interpret, native.
bool run_engine_find(Str name, RunEngine *engine);

typedef struct ModelEvent ModelEvent; // model/events.h
typedef struct RunLeave RunLeave;     // run_leave.h
typedef struct RunOptions {
    double to, every, tolerance; // NAN: what the model's `run` line says, else the defaults
    double from;        // the time of the start; impulses up to it, if it is not 0, have acted
    double length;      // the largest coordinate before `from`, whose rounding counts; 0
    double denominator; // of `every` as a fraction of whole numbers; 0: none is known
    double step;        // of RUN_TIMESTEPPING alone; NAN: a tenth of `every` or less
    bool chooses_step;  // by its own error; it was not given
    bool residuals;     // with columns residual.NAME
    bool driven;        // by this form; else by least constraint, the cheapest
    FormKind form;
    RunMethod method;
    bool chooses_method; // another one than this where that is quicker; afterwards: it did
    RunEngine engine;
    bool fixed;    // parameters are numbers of the formulas
    bool repeats;  // what is derived is kept for run_repeat
    double uses;   // how many runs will take it over, as far as is known
    size_t branch; // which stationary point is the motion, from 1; 0: the one of least constraint
    const ModelEvent *until; // ends the run; NULL: what the model's `run` line says
    const RunLeave *leaves;  // at singular positions
    size_t leave_count;
    bool instant;          // only the start is asked for: conditions may depend on each other there
    bool jumps;            // where no contact forces exist: by an impact without collision
    bool unwatched;        // what is known to be constant may change
    const char *instead;   // why another method than the one asked for is taken; NULL: it is not
    bool smooth, undamped; // of the model: no step can pass over anything; no part decays alone
    size_t operations;     // in its energies, forces and conditions
    const char *sensitivity; // by which parameters and start values: "m,x'"; NULL: none
    bool dense;              // Jacobians are solved as dense ones, however few entries they have
} RunOptions;
RunOptions run_options(void); // nothing given
// The time of a row: the double nearest to its number times `every`, a decimal or a fraction.
double run_options_row_time(const RunOptions *options, size_t row);
// Into how many equal steps of timestepping, no longer than asked for, a span is divided.
double run_options_steps(const RunOptions *options, double span);

#endif
