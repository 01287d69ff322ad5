// compilation.c: which programs of a run are compiled, and when.
#include "dynamics/form_driver.h"
#include "dynamics/stop_request.h"
#include "program/program.h"
#include "simulate/columns_impl.h"
#include "simulate/compilation_impl.h"
#include "simulate/contact_mode_impl.h"
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
static size_t all_programs(ContactMode *mode, Evaluator *all[MOST_PROGRAMS])
{
    State *state = mode->state;
    Evaluator *candidates[MOST_PROGRAMS] = {&state->positions, &state->velocities, &state->forces,
                                            state->driver ? &state->driver->equations : NULL,
                                            &mode->columns->quantities};
    size_t count = 0;
    for (size_t i = 0; i < MOST_PROGRAMS; i++)
        if (candidates[i] && candidates[i]->program)
            all[count++] = candidates[i];
    return count;
}

static void compile(ContactMode *mode, Diag *diag)
{
    Evaluator *all[MOST_PROGRAMS];
    const Program *programs[MOST_PROGRAMS] = {0};
    size_t count = all_programs(mode, all);
    for (size_t i = 0; i < count; i++)
        programs[i] = all[i]->program;
    Text why = {0};
    mode->engine->settled = true;
    mode->engine->native = program_native_new(programs, count, &why);
    bool stopped = mode->run->stop && mode->run->stop->stopped;
    if (!mode->engine->native && !stopped)
        diag_add(diag, DIAG_NOTE, place_none(), "%s: the run goes on interpreted", why.at);
    text_clear(&why);
    for (size_t i = 0; i < count && mode->engine->native; i++) {
        all[i]->native = mode->engine->native;
        all[i]->which = i;
    }
}

void engine_begin(ContactMode *mode, Diag *diag)
{
    Evaluator *all[MOST_PROGRAMS];
    size_t count = all_programs(mode, all);
    if (mode->engine->settled)
        return;
    mode->engine->operations = 0;
    for (size_t i = 0; i < count; i++)
        mode->engine->operations += program_operations(all[i]->program);
    if (mode->run->settings.engine == RUN_NATIVE)
        compile(mode, diag);
    if (mode->run->settings.engine == RUN_INTERPRET)
        mode->engine->settled = true;
}

void engine_consider(ContactMode *mode, size_t steps, double t, Diag *diag)
{
    const Engine *engine = mode->engine;
    if (engine->settled || steps % STEPS_BETWEEN != 0 || !(t > 0))
        return;
    double operations = (double)engine->operations;
    double done = operations * (double)mode->state->evaluations;
    if (done * (mode->run->settings.to - t) / t >
        OPERATIONS_TO_START + OPERATIONS_EACH * operations)
        compile(mode, diag);
}

void engine_clear(Engine *engine)
{
    program_native_free(engine->native);
    *engine = (Engine){0};
}
