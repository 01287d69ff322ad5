// simulation_module.c: the hooks of all kinds of rare conditions that a motion has, in turn.
#include "dynamics/dynamics.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/modules_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"

#include <assert.h>

static const SimulationModule *const modules[MODULE_COUNT] = {
    [MODULE_SECOND_CLASS] = &module_second_class,
    [MODULE_NONLINEAR] = &module_nonlinear,
    [MODULE_SERVO] = &module_servo};

// The index of the next module from `at` on that applies; MODULE_COUNT for none.
static size_t next_of(const Motion *motion, size_t at)
{
    while (at < MODULE_COUNT && !modules[at]->applies(motion))
        at++;
    return at;
}

#define EACH(i, motion)                                                                            \
    size_t i = next_of(motion, 0);                                                                 \
    i < MODULE_COUNT;                                                                              \
    i = next_of(motion, i + 1)

bool modules_apply(const Motion *motion)
{
    return next_of(motion, 0) < MODULE_COUNT;
}

bool modules_need_speeds(const Motion *motion)
{
    for (EACH(i, motion))
        if (modules[i]->needs_speeds)
            return true;
    return false;
}

Status modules_start(Simulation *sim, StartStage stage, Diag *diag)
{
    assert(sim && stage < START_STAGES && diag);
    for (EACH(i, sim->motion))
        if (modules[i]->start[stage])
            TRY(modules[i]->start[stage](sim, diag));
    return STATUS_OK;
}

void modules_clear(Simulation *sim)
{
    for (EACH(i, sim->motion))
        if (modules[i]->clear)
            modules[i]->clear(sim);
}

void modules_begin(SimulationRun *run)
{
    for (EACH(i, run->sim->motion))
        if (modules[i]->begin)
            run->module_data[i] = modules[i]->begin(run);
}

void modules_end(SimulationRun *run)
{
    for (EACH(i, run->sim->motion))
        if (modules[i]->end)
            modules[i]->end(run->module_data[i]);
}

void modules_mode_begin(ContactMode *mode)
{
    assert(mode && mode->eq);
    for (EACH(i, mode->motion))
        if (modules[i]->mode_begin)
            modules[i]->mode_begin(mode);
}

bool modules_step_is_valid(ContactMode *mode)
{
    for (EACH(i, mode->motion))
        if (modules[i]->step_is_valid && !modules[i]->step_is_valid(mode))
            return false;
    return true;
}

bool modules_event(SimulationRun *run, bool stepped, RunResult *result)
{
    assert(run->mode && result);
    for (EACH(i, run->sim->motion))
        if (modules[i]->event && modules[i]->event(run, run->module_data[i], stepped, result))
            return true;
    return false;
}

bool modules_are_reason(ContactMode *mode)
{
    for (EACH(i, mode->motion))
        if (modules[i]->is_reason && modules[i]->is_reason(mode))
            return true;
    return false;
}

bool modules_add_reason(const Equations *eq, const State *state, DynamicsOutcome why, Text *text)
{
    assert(text);
    for (EACH(i, eq->motion))
        if (modules[i]->add_reason && modules[i]->add_reason(eq, state, why, text))
            return true;
    return false;
}

Status modules_start_fails(const Simulation *sim, DynamicsOutcome why, Diag *diag)
{
    for (EACH(i, sim->motion))
        if (modules[i]->start_fails)
            TRY(modules[i]->start_fails(sim, why, diag));
    return STATUS_OK;
}
