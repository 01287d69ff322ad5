// repetition.c: the equations of a simulation, kept for one with other numbers of the model.
#include "dynamics/equations.h"
#include "dynamics/rates_store.h"
#include "expr/expr.h"
#include "model/system.h"
#include "model/whiles.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/contact_modes_impl.h"
#include "simulate/modules_impl.h"
#include "simulate/setup_impl.h"
#include "simulate/simulate.h"
#include "simulate/simulation_impl.h"

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

Status repetition_prepare(Simulation *sim, Diag *diag)
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
    rates_store_begin(sim->store, sim->motion->pool);
    if (!same || !rates_store_serves(sim->store, sim->base->eq, sim->base->state))
        rates_store_fail(sim->store);
    return rates_store_fails(sim->store) ? STATUS_NEGATIVE : STATUS_OK;
}

// With steps of fixed length modes are made otherwise; conditions over pairs have many shapes.
bool run_can_repeat(const Simulation *sim)
{
    const Motion *motion = sim->motion;
    return sim->store && !rates_store_fails(sim->store) && motion->model->pairs.count == 0 &&
           sim->settings.method != RUN_TIMESTEPPING && !sim->settings.until && !sim->origin;
}

bool run_is_served(const Simulation *sim)
{
    return !sim->store || (!rates_store_fails(sim->store) && rates_store_is_sound(sim->store));
}
