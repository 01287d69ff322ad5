// start_state.c: the state at which a simulation starts.
#include "dynamics/condition_multipliers.h"
#include "dynamics/dynamics.h"
#include "dynamics/form_driver.h"
#include "dynamics/speed_choice.h"
#include "linalg/real.h"
#include "motion/motion_types.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/modules_impl.h"
#include "simulate/setup_impl.h"
#include "simulate/simulation_impl.h"

#include <assert.h>
#include <string.h>

static double *copy(const Simulation *sim, const double *values, size_t count)
{
    assert(values);
    return memcpy(real_alloc(sim->arena, count), values, count * sizeof *values);
}

Status start_state_evaluate(Simulation *sim, double *u, Diag *diag)
{
    Equations *eq = sim->base->eq;
    State *state = sim->base->state;
    bool all = eq->independent.count == eq->m;
    assert(eq->independent.count <= eq->m);
    dynamics_own_speeds(eq, state, u);
    DynamicsOutcome outcome = all ? dynamics_velocities(eq, state, sim->settings.from, state->q,
                                                        eq->all_velocities ? state->v : u)
                                  : DYNAMICS_SPEEDS;
    // Speeds that are singular here are no mistake: the run takes others.
    if (outcome == DYNAMICS_SPEEDS && conditioning_improve(eq, state, 0)) {
        if (all)
            singular_speeds_report(eq, state, diag);
        outcome = DYNAMICS_FOUND;
    }
    if (outcome == DYNAMICS_SPEEDS && eq->k == 0)
        outcome = dynamics_velocities(eq, state, sim->settings.from, state->q, u);
    // An instant needs no speeds: the velocities are there.
    if (outcome == DYNAMICS_SPEEDS && sim->settings.instant)
        outcome = DYNAMICS_FOUND;
    if (outcome == DYNAMICS_FOUND)
        outcome = dynamics_accelerations(eq, state, NULL);
    if (outcome == DYNAMICS_NOT_FINITE && form_driver_improve(eq, state, true))
        outcome = dynamics_accelerations(eq, state, NULL);
    if (outcome == DYNAMICS_FOUND)
        conditioning_measure(eq, state);
    TRY(failure_at_start(sim, outcome, diag));
    return modules_start(sim, START_ACCELERATED, diag);
}

void start_state_keep(Simulation *sim, const double *u)
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
                            .params = sim->base->eq->param_values,
                            .lambda = lambda,
                            .energy = columns_fill(sim->base->columns, sim->base->eq, state).energy,
                            .row = sim->base->columns->row};
}
