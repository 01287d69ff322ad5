// compilation.c: which programs of a run are compiled, and when.
#include "dynamics/compilation.h"
#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/evaluator.h"
#include "dynamics/stop_request.h"
#include "linalg/tolerances.h"
#include "program/native.h"

#include <assert.h>

void compilation_note(const Compilation *compilation, const char *why)
{
    const CompileOptions *options = &compilation->options;
    if (!options->stop || !options->stop->stopped)
        diag_add(options->diag, DIAG_NOTE, place_none(), "%s: the run goes on interpreted", why);
}

static void compile(Compilation *compilation)
{
    Text why = {0};
    compilation->decided = true;
    compilation->native =
        evaluators_compile(compilation->programs.at, compilation->programs.count, &why);
    if (!compilation->native)
        compilation_note(compilation, why.at);
    text_clear(&why);
}

void compilation_begin(Compilation *compilation, CompileOptions options, Evaluator *const *programs,
                       size_t count)
{
    assert(options.diag && options.to >= 0);
    compilation->options = options;
    if (compilation->decided)
        return;
    compilation->operations = compilation->programs.count = 0;
    for (size_t i = 0; i < count; i++)
        if (programs[i] && programs[i]->program) {
            array_push(&compilation->programs, programs[i]);
            compilation->operations += program_operations(programs[i]->program);
        }
    double operations = (double)compilation->operations;
    bool pays = operations * options.known > COMPILE_START + COMPILE_EACH * operations;
    if (options.engine == RUN_NATIVE || (options.engine == RUN_AUTO && pays))
        compile(compilation);
    if (options.engine == RUN_INTERPRET)
        compilation->decided = true;
}

bool compilation_pays(double operations, double done, size_t steps, double part_left)
{
    assert(operations >= 0 && done >= 0);
    return steps % LIMIT_STEPS == 0 && done * part_left > COMPILE_START + COMPILE_EACH * operations;
}

void compilation_consider(Compilation *compilation, size_t evaluations, size_t steps, double t)
{
    double operations = (double)compilation->operations;
    if (!compilation->decided && t > 0 &&
        compilation_pays(operations, operations * (double)evaluations, steps,
                         (compilation->options.to - t) / t))
        compile(compilation);
}

void compilation_clear(Compilation *compilation)
{
    program_native_free(compilation->native);
    array_clear(&compilation->programs);
    *compilation = (Compilation){0};
}

void compilation_wait(StopRequest *stop)
{
    program_native_wait(stop ? stop_not_requested : NULL, stop);
}
