// setup.c: makes a simulation and frees it.
#include "base/diag.h"
#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "dynamics/form_driver.h"
#include "dynamics/independent_rows.h"
#include "dynamics/inertia_regular.h"
#include "dynamics/projection.h"
#include "dynamics/rates_store.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/contact_modes_impl.h"
#include "simulate/events/event_samples_impl.h"
#include "simulate/events/event_states_impl.h"
#include "simulate/events/event_whiles_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/method_choice_impl.h"
#include "simulate/modules_impl.h"
#include "simulate/run_sides.h"
#include "simulate/sensitivity/sensitivity_impl.h"
#include "simulate/setup_impl.h"
#include "simulate/simulate.h"
#include "simulate/simulation_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <string.h>

// From a complete state of the base mode: what is independent there, what acts, accelerations.
static Status setup_motion(Simulation *sim, Diag *diag)
{
    const RunOptions *settings = &sim->settings;
    Motion *motion = sim->motion;
    Equations *eq = sim->base->eq;
    State *state = sim->base->state;
    TRY(modules_start(sim, START_COMPLETE, diag));
    TRY(independent_rows_find(eq, state, settings->instant, diag));
    // A form's equations are for independent conditions.
    if (settings->driven && eq->independent.count < eq->m)
        return diag_error(diag, place_hint(HINT_FORM),
                          "the form '%s' wants constraints that are independent, which these are "
                          "not; a run without a form takes them",
                          form_name(settings->form));
    TRY(modules_start(sim, START_INDEPENDENT, diag));
    inertia_check(eq, state, diag);
    TRY(start_contacts_init(sim->contacts, eq, state, motion, settings, diag));
    double *u = real_alloc(sim->arena, eq->n);
    TRY(start_state_evaluate(sim, u, diag));
    TRY(start_contacts_solve(sim->contacts, diag));
    if (sim->contacts->told->shock)
        dynamics_own_speeds(eq, state, u);
    start_state_keep(sim, u);
    return STATUS_OK;
}

static Status make(Simulation *sim, const RunOptions *options, Diag *diag)
{
    const RunOptions *settings = &sim->settings;
    Motion *motion = sim->motion;
    if (motion->n == 0)
        return diag_error(diag, place_none(), "the model has no coordinates: nothing can move");
    TRY(inertia_check_regular(motion, diag));
    if (!sim->base) // else it has been looked at
        TRY(places_check(motion, diag));
    TRY(options_resolve(motion, options, diag, &sim->settings));
    if (settings->driven && states_are_in_equations(motion))
        return diag_error(diag, place_hint(HINT_FORM),
                          "a form drives a run with one value of each state in its equations; a "
                          "run without a form takes them as they change");
    sim->settings.undamped = motion_is_undamped(motion);
    TRY(repetition_prepare(sim, diag));
    TRY(whiles_begin(sim, diag));
    TRY(samples_check(sim, diag));
    Equations *eq = sim->base->eq;
    State *state = sim->base->state;
    *state->t = settings->from;
    TRY(start_complete(eq, state, diag));
    TRY(setup_motion(sim, diag));
    return sensitivity_new(sim, diag);
}

// With the base mode of another simulation, or without one.
static Status make_simulation(Motion *motion, ContactMode *base, RatesStore *store,
                              const RunOptions *options, Diag *diag, Simulation **out)
{
    Arena *arena = arena_new();
    Simulation *sim = arena_alloc(arena, sizeof *sim);
    *sim = (Simulation){.arena = arena, .motion = motion, .base = base, .store = store};
    sim->contacts = arena_alloc(arena, sizeof *sim->contacts);
    Status status = make(sim, options, diag);
    if (status != STATUS_OK) {
        run_free(sim);
        sim = NULL;
    }
    *out = sim;
    return status;
}

Status run_new(Motion *motion, const RunOptions *options, Diag *diag, Simulation **out)
{
    assert(motion && options && diag && out);
    return make_simulation(motion, NULL, NULL, options, diag, out);
}

Status simulation_restart(Simulation *sim, double t, const double *q, const double *v, Diag *diag)
{
    State *state = sim->base->state;
    const Equations *eq = sim->base->eq;
    size_t bytes = eq->n * sizeof *q, worst = 0;
    assert(q && v && !sim->base->integrator);
    start_contacts_clear(sim->contacts);
    if (!mode_refresh(sim->base))
        return diag_error(diag, place_none(),
                          "the equations of so large a system are made for one value of each "
                          "state; leave the state out of them");
    sim->settings.from = *state->t = t;
    memcpy(state->q, q, bytes);
    memcpy(state->v, v, bytes);
    positions_evaluate(state);
    double miss = eq->finite > 0 ? positions_miss(eq, state, &worst) : 0;
    if (!(miss <= TOL_CONDITION))
        return diag_error(diag, eq->finite_conditions[worst].constraint->place,
                          "the constraint '%s' jumps at t = %.10g, where a state in it is set: its "
                          "residual is %.6g; set its coordinates too",
                          eq->finite_conditions[worst].constraint->name, t,
                          positions_f(state)[worst]);
    return setup_motion(sim, diag);
}

Status run_repeat(Simulation *former, const RunOptions *options, Diag *diag, Simulation **out)
{
    assert(run_can_repeat(former) && options && diag && out);
    Motion *motion = former->motion;
    ContactMode *base = former->base;
    RatesStore *store = former->store;
    RunOptions settings = former->settings;
    base->settings = &settings;
    former->base = NULL;
    former->store = NULL;
    run_free(former);
    return make_simulation(motion, base, store, options, diag, out);
}

void run_free(Simulation *sim)
{
    if (!sim)
        return;
    start_contacts_clear(sim->contacts);
    modules_clear(sim);
    whiles_clear(sim);
    sensitivity_free(sim->sensitivity);
    mode_free(sim->base);
    rates_store_free(sim->store);
    arena_free(sim->arena);
}
