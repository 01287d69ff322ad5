// servo_conditions.c: conditions that servos keep (Appell 1911, Béghin 1922): why a motion ends
// where their forces cannot.
#include "base/text_builder.h"
#include "dynamics/dynamics.h"
#include "dynamics/start.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/module_hooks_impl.h"
#include "simulate/simulation_impl.h"

static bool applies(const Motion *motion)
{
    return motion->servos > 0;
}

static bool add_reason(const Equations *eq, const State *state, DynamicsOutcome why, Text *text)
{
    bool hardly = why == DYNAMICS_FOUND && state->failure.power < TOL_COARSE;
    if (why == DYNAMICS_SERVO)
        servos_add_reason(eq, state, text);
    else if (hardly)
        text_add(text, "a servo can hardly keep its condition there: its force grows without bound "
                       "(g·M⁻¹·d becomes singular)");
    return why == DYNAMICS_SERVO || hardly;
}

static Status start_fails(const Simulation *sim, DynamicsOutcome why, Diag *diag)
{
    return why == DYNAMICS_SERVO ? servos_fail(sim->base->eq, sim->base->state, diag) : STATUS_OK;
}

const SimulationModule module_servo = {
    .applies = applies, .add_reason = add_reason, .start_fails = start_fails};
