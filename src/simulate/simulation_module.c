// simulation_module.c: the hooks of all kinds of rare conditions that a motion has, in turn.
#include "dynamics/equations_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/module_hooks_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"

#include <assert.h>

static const SimulationModule *const modules[] = {&module_second_class, &module_nonlinear,
                                                  &module_friction, &module_servo};

// Those that apply and have this hook, one after the other.
#define EACH(hook, motion)                                                                         \
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)                                  \
        if (modules[i]->hook && modules[i]->applies(motion))

bool modules_apply(const Motion *motion)
{
    EACH (applies, motion)
        return true;
    return false;
}

bool modules_need_speeds(const Motion *motion)
{
    EACH (needs_speeds, motion)
        return true;
    return false;
}

Status modules_start(Simulation *sim, StartStage stage, Diag *diag)
{
    assert(sim && stage < START_STAGES && diag);
    EACH (start[stage], sim->motion)
        TRY(modules[i]->start[stage](sim, diag));
    return STATUS_OK;
}

void modules_clear(Simulation *sim)
{
    EACH (clear, sim->motion)
        modules[i]->clear(sim);
}

void modules_begin(SimulationRun *run)
{
    EACH (begin, run->sim->motion)
        modules[i]->begin(run);
}

void modules_end(SimulationRun *run)
{
    EACH (end, run->sim->motion)
        modules[i]->end(run);
}

void modules_mode_begin(ContactMode *mode)
{
    assert(mode && mode->eq);
    EACH (mode_begin, mode->motion)
        modules[i]->mode_begin(mode);
}

bool modules_step_is_valid(ContactMode *mode)
{
    EACH (step_is_valid, mode->motion)
        if (!modules[i]->step_is_valid(mode))
            return false;
    return true;
}

bool modules_event(SimulationRun *run, bool stepped, RunResult *result)
{
    assert(run->mode && result);
    EACH (event, run->sim->motion)
        if (modules[i]->event(run, stepped, result))
            return true;
    return false;
}

bool modules_are_reason(ContactMode *mode)
{
    EACH (is_reason, mode->motion)
        if (modules[i]->is_reason(mode))
            return true;
    return false;
}

bool modules_add_reason(const Equations *eq, const State *state, DynamicsOutcome why, Text *text)
{
    assert(text);
    EACH (add_reason, eq->motion)
        if (modules[i]->add_reason(eq, state, why, text))
            return true;
    return false;
}

Status modules_start_fails(const Simulation *sim, DynamicsOutcome why, Diag *diag)
{
    EACH (start_fails, sim->motion)
        TRY(modules[i]->start_fails(sim, why, diag));
    return STATUS_OK;
}
