// setup.c: makes a simulation and frees it; the state at which it starts.
#include "base/diag.h"
#include "dynamics/condition_multipliers.h"
#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "dynamics/form_driver.h"
#include "dynamics/independent_rows.h"
#include "dynamics/inertia_regular.h"
#include "dynamics/motion_formulas.h"
#include "dynamics/speed_choice.h"
#include "linalg/real.h"
#include "motion/motion_types.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/contact_modes_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/method_choice_impl.h"
#include "simulate/modules_impl.h"
#include "simulate/run_sides.h"
#include "simulate/simulate.h"
#include "simulate/simulation_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static double *copy(const Simulation *sim, const double *values, size_t count)
{
    assert(values);
    return memcpy(real_alloc(sim->arena, count), values, count * sizeof *values);
}

// From the completed q and v: speeds in use, accelerations, multipliers.
static Status evaluate_start(Simulation *sim, double *u, Diag *diag)
{
    const Equations *eq = sim->base->eq;
    State *state = sim->base->state;
    bool all = eq->independent.count == eq->m;
    assert(eq->independent.count <= eq->m);
    dynamics_own_speeds(eq, state, u);
    DynamicsOutcome outcome =
        all ? dynamics_velocities(eq, state, 0, state->q, eq->all_velocities ? state->v : u)
            : DYNAMICS_SPEEDS;
    // Speeds that are singular here are no mistake: the run takes others.
    if (outcome == DYNAMICS_SPEEDS && conditioning_improve(eq, state, 0)) {
        if (all)
            singular_speeds_report(eq, state, diag);
        outcome = DYNAMICS_FOUND;
    }
    if (outcome == DYNAMICS_SPEEDS && eq->k == 0)
        outcome = dynamics_velocities(eq, state, 0, state->q, u);
    // An instant needs no speeds: the velocities are there.
    if (outcome == DYNAMICS_SPEEDS && sim->settings.instant)
        outcome = DYNAMICS_FOUND;
    if (outcome == DYNAMICS_FOUND)
        outcome = dynamics_accelerations(eq, state, NULL);
    if (outcome == DYNAMICS_FOUND)
        conditioning_measure(eq, state);
    TRY(failure_at_start(sim, outcome, diag));
    return modules_start(sim, START_ACCELERATED, diag);
}

static void keep_start(Simulation *sim, const double *u)
{
    const Motion *motion = sim->motion;
    const State *state = sim->base->state;
    double *lambda = real_alloc(sim->arena, motion->in_force_count);
    for (size_t i = 0; i < motion->in_force_count; i++)
        lambda[i] = *dynamics_multiplier(sim->base->eq, state, i);
    sim->start = (RunStart){.n = motion->n,
                            .m = motion->in_force_count,
                            .k = motion->k,
                            .q = copy(sim, state->q, motion->n),
                            .v = copy(sim, state->v, motion->n),
                            .u = u,
                            .a = copy(sim, state->a, motion->n),
                            .lambda = lambda,
                            .energy = columns_fill(sim->base->columns, sim->base->eq, state).energy,
                            .row = sim->base->columns->row};
}

static Status make(Simulation *sim, const RunOptions *options, Diag *diag)
{
    const RunOptions *settings = &sim->settings;
    Motion *motion = sim->motion;
    if (motion->n == 0)
        return diag_error(diag, place_none(), "the model has no coordinates: nothing can move");
    TRY(inertia_check_regular(motion, diag));
    TRY(options_resolve(motion, options, diag, &sim->settings));
    sim->settings.undamped = motion_is_undamped(motion);
    TRY(mode_new(settings, motion, motion, NULL, diag, &sim->base));
    Equations *eq = sim->base->eq;
    State *state = sim->base->state;
    TRY(start_complete(eq, state, diag));
    TRY(modules_start(sim, START_COMPLETE, diag));
    TRY(independent_rows_find(eq, state, settings->instant, diag));
    // A form's equations are for independent conditions.
    if (settings->driven && eq->independent.count < eq->m)
        return diag_error(diag, place_hint(HINT_FORM),
                          "the form '%s' wants constraints that are independent, which these are "
                          "not; a run without a form takes them",
                          form_name(settings->form));
    TRY(modules_start(sim, START_INDEPENDENT, diag));
    if (form_driver_has_other_root(eq, state, &state->failure.other_root))
        return failure_at_start(sim, DYNAMICS_ROOT, diag);
    inertia_check(eq, state, diag);
    TRY(start_contacts_init(sim->contacts, eq, state, motion, settings, diag));
    double *u = real_alloc(sim->arena, eq->n);
    TRY(evaluate_start(sim, u, diag));
    TRY(start_contacts_solve(sim->contacts, diag));
    if (sim->contacts->told->shock)
        dynamics_own_speeds(eq, state, u);
    keep_start(sim, u);
    return STATUS_OK;
}

Status run_new(Motion *motion, const RunOptions *options, Diag *diag, Simulation **out)
{
    assert(motion && options && diag && out);
    Arena *arena = arena_new();
    Simulation *sim = arena_alloc(arena, sizeof *sim);
    *sim = (Simulation){.arena = arena, .motion = motion};
    sim->contacts = arena_alloc(arena, sizeof *sim->contacts);
    Status status = make(sim, options, diag);
    if (status != STATUS_OK) {
        run_free(sim);
        sim = NULL;
    }
    *out = sim;
    return status;
}

void run_free(Simulation *sim)
{
    if (!sim)
        return;
    start_contacts_clear(sim->contacts);
    modules_clear(sim);
    mode_free(sim->base);
    arena_free(sim->arena);
}

RunOptions run_settings(const Simulation *sim)
{
    return sim->settings;
}

size_t run_column_count(const Simulation *sim)
{
    return sim->base->columns->count;
}

const char *run_column_name(const Simulation *sim, size_t column)
{
    assert(column < sim->base->columns->count);
    return sim->base->columns->names[column];
}

RunStart run_start(const Simulation *sim)
{
    return sim->start;
}

RunState run_state(const Simulation *sim)
{
    // What holds unilateral conditions has the same symbols in the same order.
    const State *told = sim->told ? sim->told : sim->base->state;
    return (RunState){sim->base->eq->symbols, told->inputs, sim->base->eq->input_count};
}

Status run_formulas(Simulation *sim, bool fixed, bool whole, Diag *diag, RunFormulasRoom **room,
                    RunFormulas *formulas)
{
    return motion_formulas(sim->base->eq, sim->base->state, sim->motion, fixed, whole, diag, room,
                           formulas);
}
