// compilation.c: which programs of a run are compiled, and when.
#include "dynamics/compilation.h"
#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/compile_progress.h"
#include "dynamics/evaluators_native.h"
#include "dynamics/stop_request.h"
#include "linalg/tolerances.h"

#include <assert.h>

void compilation_note(const Compilation *compilation, const char *why)
{
    const CompileOptions *options = &compilation->options;
    if (!options->stop || !options->stop->stopped)
        diag_add(options->diag, DIAG_NOTE, place_none(), "%s: the run goes on interpreted", why);
}

static bool compile(void *context, bool find)
{
    Compilation *compilation = context;
    Text why = {0};
    compilation->native = evaluators_compile(compilation->programs.at, compilation->programs.count,
                                             find ? NATIVE_FIND : NATIVE_COMPILE, &why);
    if (why.length && compilation->options.engine == RUN_NATIVE)
        compilation_note(compilation, why.at);
    text_clear(&why);
    return compilation->native;
}

static bool start_programs(void *context, NativeJobs *jobs)
{
    const Compilation *compilation = context;
    return evaluators_start(compilation->programs.at, compilation->programs.count, jobs);
}

static void progress(Compilation *compilation, double evaluations, size_t steps, double part_left)
{
    const Compilable what = {compilation, compile, start_programs};
    double operations = (double)compilation->operations;
    if (!compilation->decided)
        compile_progress(compilation->progress, &what, operations, operations * evaluations, steps,
                         part_left);
}

void compilation_begin(Compilation *compilation, CompileOptions options, Evaluator *const *programs,
                       size_t count)
{
    assert(options.diag && options.to >= 0);
    compilation->options = options;
    if (compilation->decided)
        return;
    compilation->operations = compilation->programs.count = 0;
    if (!compilation->progress)
        compilation->progress = base_alloc(sizeof *compilation->progress);
    for (size_t i = 0; i < count; i++)
        if (programs[i] && programs[i]->program) {
            array_push(&compilation->programs, programs[i]);
            compilation->operations += program_operations(programs[i]->program);
        }
    // What takes long is compiled where that pays, in any case.
    bool quick = compilation->operations <= NATIVE_QUICK;
    compilation->decided =
        options.engine == RUN_INTERPRET || (options.engine == RUN_NATIVE && quick);
    if (options.engine == RUN_NATIVE && quick)
        compile(compilation, false);
    else
        progress(compilation, options.known, LIMIT_STEPS, 1 + options.uses);
}

void compilation_consider(Compilation *compilation, size_t evaluations, size_t steps, double t)
{
    const CompileOptions *options = &compilation->options;
    if (compilation->decided || compile_progress_is_over(compilation->progress))
        return;
    double way = options->to - t + options->uses * options->to;
    if (t > 0)
        progress(compilation, (double)evaluations, steps, way / t);
}

void compilation_clear(Compilation *compilation)
{
    if (compilation->progress)
        compile_progress_clear(compilation->progress);
    base_free(compilation->progress);
    program_native_free(compilation->native);
    array_clear(&compilation->programs);
    *compilation = (Compilation){0};
}

void compilation_wait(StopRequest *stop)
{
    program_native_wait(stop ? stop_not_requested : NULL, stop);
}
