// compilation.h: which programs of a run are compiled, and when. Compiled programs give the same
// numbers as interpreted ones, so that it does not matter when a run changes from one to the other.
#ifndef ZWANG_DYNAMICS_COMPILATION_H
#define ZWANG_DYNAMICS_COMPILATION_H

#include "base/memory.h"
#include "dynamics/run_engine.h"

typedef struct CompileProgress CompileProgress; // compile_progress.h
typedef struct Evaluator Evaluator;             // evaluator.h
typedef struct ProgramNative ProgramNative;     // native.h
typedef struct StopRequest StopRequest;         // stop_request.h

typedef struct {
    RunEngine engine;
    double to;         // the time that the run goes to, from 0
    double known;      // so many evaluations are known to come
    double uses;       // and so many runs after this one
    StopRequest *stop; // NULL where nobody can stop it
    Diag *diag;        // where a note says that nothing can be compiled
} CompileOptions;

typedef struct Compilation {
    CompileOptions options;
    ARRAY(Evaluator *) programs;
    size_t operations;     // of one evaluation of all of them
    ProgramNative *native; // NULL: interpreted
    bool decided;          // nothing is left to decide
    CompileProgress *progress;
} Compilation;
// At the beginning of a run, or of a part of it. Programs may be NULL, or have nothing to evaluate.
void compilation_begin(Compilation *compilation, CompileOptions options, Evaluator *const *programs,
                       size_t count);
// After a step to t, with so many evaluations until then: compiles where that pays.
void compilation_consider(Compilation *compilation, size_t evaluations, size_t steps, double t);
void compilation_clear(Compilation *compilation);
// Whether to wait for the compiler is asked of this from now on; NULL: of nobody.
void compilation_wait(StopRequest *stop);
// Notes why the run goes on interpreted, unless it was stopped.
void compilation_note(const Compilation *compilation, const char *why);

#endif
