// compilation.c: which programs of a run are compiled, and when.
#include "dynamics/form_driver.h"
#include "simulate/simulation_impl.h"

// What a run must still have before it, in operations, so that compiling pays: a fixed part for
// the compiler to start, and a part for every operation that it compiles. An operation takes near
// 4 ns when interpreted and a quarter of a millisecond to compile.
#define OPERATIONS_TO_START 1e8
#define OPERATIONS_EACH     1e5
// Looked at every so many steps.
#define STEPS_BETWEEN 64

bool run_engine_find(Str name, RunEngine *engine)
{
    static const char *const names[] = {
        [RUN_AUTO] = "auto", [RUN_INTERPRET] = "interpret", [RUN_NATIVE] = "native"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (str_is(name, names[i])) {
            *engine = (RunEngine)i;
            return true;
        }
    }
    return false;
}

enum { MOST_PROGRAMS = 5 };

// The programs that there are, and how many.
static size_t all_programs(Run *run, Evaluator *all[MOST_PROGRAMS])
{
    State *state = &run->state;
    Evaluator *candidates[MOST_PROGRAMS] = {&state->positions, &state->velocities, &state->forces,
                                            state->driver ? &state->driver->equations : NULL,
                                            &run->columns.quantities};
    size_t count = 0;
    for (size_t i = 0; i < MOST_PROGRAMS; i++)
        if (candidates[i] && candidates[i]->program)
            all[count++] = candidates[i];
    return count;
}

static void compile(Run *run, Diag *diag)
{
    Evaluator *all[MOST_PROGRAMS];
    const Program *programs[MOST_PROGRAMS] = {0};
    size_t count = all_programs(run, all);
    for (size_t i = 0; i < count; i++)
        programs[i] = all[i]->program;
    Text why = {0};
    run->engine.settled = true;
    run->engine.native = program_native_new(programs, count, &why);
    bool stopped = run->stop && run->stop->stopped;
    if (!run->engine.native && !stopped)
        diag_add(diag, DIAG_NOTE, place_none(), "%s: the run goes on interpreted", why.at);
    text_clear(&why);
    for (size_t i = 0; i < count && run->engine.native; i++) {
        all[i]->native = run->engine.native;
        all[i]->which = i;
    }
}

void engine_begin(Run *run, Diag *diag)
{
    Evaluator *all[MOST_PROGRAMS];
    size_t count = all_programs(run, all);
    if (run->engine.settled)
        return;
    run->engine.operations = 0;
    for (size_t i = 0; i < count; i++)
        run->engine.operations += program_operations(all[i]->program);
    if (run->settings.engine == RUN_NATIVE)
        compile(run, diag);
    if (run->settings.engine == RUN_INTERPRET)
        run->engine.settled = true;
}

void engine_consider(Run *run, size_t steps, double t, Diag *diag)
{
    const Engine *engine = &run->engine;
    if (engine->settled || steps % STEPS_BETWEEN != 0 || !(t > 0))
        return;
    double operations = (double)engine->operations;
    double done = operations * (double)run->state.evaluations;
    if (done * (run->settings.to - t) / t > OPERATIONS_TO_START + OPERATIONS_EACH * operations)
        compile(run, diag);
}

void engine_clear(Engine *engine)
{
    program_native_free(engine->native);
    *engine = (Engine){0};
}
