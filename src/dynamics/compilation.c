// compilation.c: which programs of a run are compiled, and when.
#include "dynamics/compilation.h"
#include "base/base.h"
#include "dynamics/evaluator.h"
#include "dynamics/stop_request.h"
#include "program/native.h"

#include <assert.h>

// What a run must still have before it, in operations, so that compiling pays: a fixed part for
// the compiler to start, and a part for every operation that it compiles. An operation takes near
// 4 ns when interpreted and a quarter of a millisecond to compile.
#define OPERATIONS_TO_START 1e8
#define OPERATIONS_EACH     1e5
// Looked at every so many steps.
#define STEPS_BETWEEN 64

void compilation_note(const Compilation *compilation, const char *why)
{
    const CompileOptions *options = &compilation->options;
    if (!options->stop || !options->stop->stopped)
        diag_add(options->diag, DIAG_NOTE, place_none(), "%s: the run goes on interpreted", why);
}

static void compile(Compilation *compilation)
{
    const Program *programs[COMPILE_MOST_PROGRAMS] = {0};
    for (size_t i = 0; i < compilation->count; i++)
        programs[i] = compilation->programs[i]->program;
    Text why = {0};
    compilation->decided = true;
    compilation->native = program_native_new(programs, compilation->count, &why);
    if (!compilation->native)
        compilation_note(compilation, why.at);
    text_clear(&why);
    for (size_t i = 0; i < compilation->count && compilation->native; i++) {
        compilation->programs[i]->native = compilation->native;
        compilation->programs[i]->which = i;
    }
}

void compilation_begin(Compilation *compilation, CompileOptions options, Evaluator *const *programs,
                       size_t count)
{
    assert(count <= COMPILE_MOST_PROGRAMS);
    compilation->options = options;
    if (compilation->decided)
        return;
    compilation->operations = compilation->count = 0;
    for (size_t i = 0; i < count; i++)
        if (programs[i] && programs[i]->program) {
            compilation->programs[compilation->count++] = programs[i];
            compilation->operations += program_operations(programs[i]->program);
        }
    if (options.engine == RUN_NATIVE)
        compile(compilation);
    if (options.engine == RUN_INTERPRET)
        compilation->decided = true;
}

void compilation_consider(Compilation *compilation, size_t evaluations, size_t steps, double t)
{
    if (compilation->decided || steps % STEPS_BETWEEN != 0 || !(t > 0))
        return;
    double operations = (double)compilation->operations, done = operations * (double)evaluations;
    if (done * (compilation->options.to - t) / t >
        OPERATIONS_TO_START + OPERATIONS_EACH * operations)
        compile(compilation);
}

void compilation_clear(Compilation *compilation)
{
    program_native_free(compilation->native);
    *compilation = (Compilation){0};
}
