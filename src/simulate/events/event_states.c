// event_states.c: discrete states along a run. They are parameters of all programs; an event that
// sets one gives it another number in all of them. Where the equations hold it, what was derived
// and measured for the run is made anew from the state reached.
#include "simulate/events/event_states_impl.h"

#include "base/diag.h"
#include "dynamics/equations_types.h"
#include "dynamics/pattern.h"
#include "dynamics/switch_arguments.h"
#include "model/events.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "simulate/contact_events_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/contact_modes_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/run_carry.h"
#include "simulate/run_carry_impl.h"
#include "simulate/run_report.h"
#include "simulate/run_sides.h"
#include "simulate/setup_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/start_contacts_impl.h"
#include "simulate/switch_functions_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void put(ContactMode *mode, size_t param, double value)
{
    mode->eq->param_values[param] = value;
    mode->state->inputs[param] = value;
    if (mode->probe)
        mode->probe->inputs[param] = value;
}

// Whether the motion depends on a state: its equations, its one-sided conditions, its friction.
static bool is_in_equations(const Motion *motion, size_t param)
{
    Arena *arena = arena_new();
    size_t count;
    Expr symbol = motion->model->params.at[param].symbol;
    Expr *roots = motion_roots(arena, motion, &count);
    bool holds = equations_hold_any(motion->pool, roots, count, &symbol, 1);
    arena_free(arena);
    return holds;
}

bool states_are_in_equations(const Motion *motion)
{
    const Model *model = motion->model;
    for (size_t i = 0; i < model->params.count && model->state_count > 0; i++)
        if (model->params.at[i].is_state && is_in_equations(motion, i))
            return true;
    return false;
}

// The start of the simulation.
struct RunOrigin {
    double from;
    double *params, *q, *v;
};

// Before the first state is set.
static void keep_origin(Simulation *sim)
{
    const Equations *eq = sim->base->eq;
    if (sim->origin)
        return;
    struct RunOrigin *origin = sim->origin = arena_array(sim->arena, struct RunOrigin, 1);
    origin->from = sim->settings.from;
    origin->params = arena_array(sim->arena, double, eq->params + 2 * eq->n);
    origin->q = origin->params + eq->params;
    origin->v = origin->q + eq->n;
    memcpy(origin->params, eq->param_values, eq->params * sizeof(double));
    memcpy(origin->q, sim->start.q, eq->n * sizeof(double));
    const double *before = sim->contacts->told->before;
    memcpy(origin->v, before ? before : sim->start.v, eq->n * sizeof(double));
}

bool states_set(Simulation *sim, const ContactModes *modes, const ModelAction *action,
                const double *values)
{
    bool renew = false;
    keep_origin(sim);
    for (size_t i = 0; i < action->set_count; i++) {
        size_t param = action->sets[i].target;
        if (action->sets[i].of != SET_STATE || sim->base->eq->param_values[param] == values[i])
            continue;
        put(sim->base, param, values[i]);
        for (size_t k = 0; k < modes->count; k++)
            put(modes->at[k], param, values[i]);
        renew = renew || is_in_equations(sim->motion, param);
    }
    return renew;
}

void states_share(const Simulation *sim, ContactMode *mode)
{
    const Model *model = sim->motion->model;
    for (size_t i = 0; i < model->params.count && model->state_count > 0; i++)
        if (model->params.at[i].is_state)
            put(mode, i, sim->base->eq->param_values[i]);
}

// What has been a start once is one again.
static void return_to_origin(Simulation *sim, Diag *diag)
{
    const struct RunOrigin *origin = sim->origin;
    memcpy(sim->base->eq->param_values, origin->params, sim->base->eq->params * sizeof(double));
    Diag *unread = diag_new();
    Status status = simulation_restart(sim, origin->from, origin->q, origin->v, unread);
    assert(status == STATUS_OK);
    if (status != STATUS_OK)
        diag_copy(diag, unread, 0);
    diag_free(unread);
}

void states_restore(Simulation *sim, Diag *diag)
{
    assert(sim->origin);
    return_to_origin(sim, diag);
    sim->origin = NULL;
}

// The same run from a state on: all that is made for a run is made anew, and what was counted and
// watched goes on.
RunResult states_renew(SimulationRun *run, const double *q, const double *v)
{
    Simulation *sim = run->sim;
    ContactModes *modes = run->modes;
    StopRequest *stop = sim->stop;
    RunCarry carry = {0};
    double t = run->mode->t;
    carry_begin(&carry, false);
    carry_run(&carry, run);
    switches_add_counts(run->switches, run->summary);
    sim->triggers = run->detector->triggers;
    run->detector->triggers = NULL;
    pass_close(run);
    carry_summary(&carry, run->summary);
    run->arena = NULL;
    run->mode = NULL;
    Diag *notes = diag_new();
    Status status = simulation_restart(sim, t, q, v, notes);
    for (size_t i = 0; i < diag_total(notes); i++) {
        DiagKind kind;
        Place place;
        const char *text = diag_message(notes, i, &kind, &place);
        if (kind != DIAG_NOTE)
            diag_add(run->diag, kind, place, "%s", text);
    }
    diag_free(notes);
    if (status != STATUS_OK)
        return_to_origin(sim, run->diag);
    pass_open(run, modes, stop);
    carry_begin(&carry, true);
    carry_run(&carry, run);
    carry_summary(&carry, run->summary);
    carry_clear(&carry);
    run->summary->reached = t;
    return status == STATUS_OK ? events_resume(run) : RESULT_UNDECIDED;
}
