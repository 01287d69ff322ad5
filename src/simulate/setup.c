// setup.c: makes a simulation and frees it; the state at which it starts.
#include "base/diag.h"
#include "dynamics/condition_multipliers.h"
#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "dynamics/form_driver.h"
#include "dynamics/independent_rows.h"
#include "dynamics/inertia_regular.h"
#include "dynamics/motion_formulas.h"
#include "dynamics/rates_store.h"
#include "dynamics/speed_choice.h"
#include "expr/expr.h"
#include "linalg/real.h"
#include "model/system.h"
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

// Whether what is derived for a run is so for another one, but for numbers of the model.
static bool are_alike(const RunOptions *one, const RunOptions *other)
{
    return one->tolerance == other->tolerance && one->residuals == other->residuals &&
           one->driven == other->driven && one->form == other->form &&
           one->method == other->method && one->engine == other->engine &&
           one->branch == other->branch && one->instant == other->instant &&
           one->smooth == other->smooth && one->undamped == other->undamped &&
           one->dense == other->dense;
}

// The equations, made now or for a simulation before.
static Status prepare_base(Simulation *sim, Diag *diag)
{
    bool same = true;
    if (sim->base && !are_alike(sim->base->settings, &sim->settings))
        rates_store_fail(sim->store);
    if (sim->base)
        TRY(mode_renew(sim->base, &sim->settings, diag, &same));
    else
        TRY(mode_new(&sim->settings, sim->motion, sim->motion, NULL, diag, &sim->base));
    if (sim->settings.repeats && !sim->store)
        sim->store = rates_store_new();
    sim->base->store = sim->store;
    if (!sim->store)
        return STATUS_OK;
    rates_store_begin(sim->store);
    sim->pool_size = expr_pool_size(sim->motion->pool);
    if (!same || !rates_store_serves(sim->store, sim->base->eq, sim->base->state))
        rates_store_fail(sim->store);
    return rates_store_fails(sim->store) ? STATUS_NEGATIVE : STATUS_OK;
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
    TRY(prepare_base(sim, diag));
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

// Rare conditions and unilateral ones derive more than a store has.
bool run_can_repeat(const Simulation *sim)
{
    const Motion *motion = sim->motion;
    bool bilateral = motion->side_count + motion->model->pairs.count == 0;
    return sim->store && !rates_store_fails(sim->store) && bilateral && !modules_apply(motion) &&
           equations_are_plain(sim->base->eq);
}

bool run_is_served(const Simulation *sim)
{
    // A store that is full makes no expression more.
    return !sim->store || (!rates_store_fails(sim->store) &&
                           (!rates_store_is_filled(sim->store) ||
                            expr_pool_size(sim->motion->pool) == sim->pool_size));
}

void run_free(Simulation *sim)
{
    if (!sim)
        return;
    start_contacts_clear(sim->contacts);
    modules_clear(sim);
    mode_free(sim->base);
    rates_store_free(sim->store);
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
