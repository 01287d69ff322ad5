// servo_conditions.c: conditions that servos keep (Appell 1911, Béghin 1922): why a motion ends
// where their forces cannot.
#include "dynamics/start.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_module_impl.h"

// Servos that keep their conditions no better than this, 1 being best, are why a motion ends there.
#define HARDLY 1e-3

static bool applies(const Motion *motion)
{
    return motion->servos > 0;
}

static bool add_reason(const Equations *eq, const State *state, DynamicsOutcome why, Text *text)
{
    if (why != DYNAMICS_SERVO)
        return false;
    servos_add_reason(eq, state, text);
    return true;
}

static const char *short_steps(const Equations *eq, const State *state)
{
    (void)eq;
    return state->failure.report.power < HARDLY
               ? "a servo can hardly keep its condition there: its force grows without bound "
                 "(g·M⁻¹·d becomes singular)"
               : NULL;
}

static Status start_fails(const Simulation *sim, DynamicsOutcome why, Diag *diag)
{
    return why == DYNAMICS_SERVO ? servos_fail(sim->base->eq, sim->base->state, diag) : STATUS_OK;
}

const SimulationModule module_servo = {.applies = applies,
                                       .add_reason = add_reason,
                                       .short_steps = short_steps,
                                       .start_fails = start_fails};
