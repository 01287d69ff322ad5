// compile_progress.c: programs that are compiled beside the run that they are for.
//
// First they are looked for in the cache, where that is likely to pay; what is not there is
// compiled, where that is, by processes of their own. Interpreted and compiled programs give the
// same numbers, so that it does not matter when a run goes over.
#include "dynamics/compile_progress.h"
#include "linalg/tolerances.h"
#include "program/native.h"

#include <assert.h>

// Now and then: what a look costs is little against the steps until then.
static bool looks(size_t steps)
{
    bool doubled = (steps & (steps - 1)) == 0;
    return steps >= LIMIT_PATIENCE && (doubled || steps % LIMIT_STEPS == 0);
}

static void start(CompileProgress *progress, const Compilable *what)
{
    progress->jobs = native_jobs_new();
    progress->stage = COMPILE_STARTED;
    if (what->start(what->context, progress->jobs))
        return;
    // Where nothing can be compiled beside the run, and kept, the run waits.
    compile_progress_clear(progress);
    what->compile(what->context, false);
    progress->stage = COMPILE_ENDED;
}

bool compile_progress_is_over(const CompileProgress *progress)
{
    return progress->stage == COMPILE_ENDED;
}

void compile_progress(CompileProgress *progress, const Compilable *what, double operations,
                      double done, size_t steps, double part_left)
{
    assert(operations >= 0 && done >= 0);
    double left = done * part_left, takes = COMPILE_START + COMPILE_EACH * operations;
    if (progress->stage == COMPILE_STARTED && native_jobs_ended(progress->jobs)) {
        compile_progress_clear(progress);
        what->compile(what->context, true);
        progress->stage = COMPILE_ENDED;
    }
    if (progress->stage >= COMPILE_STARTED || !looks(steps))
        return;
    if (progress->stage == COMPILE_UNSEEN && left > NATIVE_LOAD_PART * takes)
        progress->stage = what->compile(what->context, true) ? COMPILE_ENDED : COMPILE_MISSING;
    if (progress->stage == COMPILE_MISSING && left > takes)
        start(progress, what);
}

void compile_progress_clear(CompileProgress *progress)
{
    native_jobs_free(progress->jobs);
    *progress = (CompileProgress){0};
}
