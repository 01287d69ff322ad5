// speed_events.c: the records of other independent speeds, which are no event of the motion.
#include "dynamics/equations_types.h"
#include "expr/arithmetic.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/mode_integration_impl.h"
#include "simulate/recording_impl.h"
#include "simulate/run_report.h"
#include "simulate/simulation_run_impl.h"

static const char **speed_names(const ContactMode *mode, bool own, const size_t *chosen)
{
    const Motion *motion = mode->eq->motion;
    const char **told = base_alloc((mode->eq->k + 1) * sizeof *told);
    for (size_t i = 0; i < mode->eq->k; i++)
        told[i] =
            own ? motion->state.speeds[i].name : expr_name(motion->pool, motion->v[chosen[i]]);
    return told;
}

void events_tell_speeds(SimulationRun *run)
{
    ContactMode *mode = run->mode;
    bool taken = mode->review.taken;
    mode->review.taken = false;
    if (!taken || !run->listener->speeds || !mode_evaluate_at(mode, mode->t, mode->y))
        return;
    const State *state = mode->state;
    const SpeedChoice *speeds = &state->speeds;
    const char **from = speed_names(mode, speeds->former_own, speeds->former);
    const char **to = speed_names(mode, speeds->own, speeds->chosen);
    run->listener->event(run->listener->context, &(RunEvent){.t = mode->t,
                                                             .kind = RUN_OTHER_SPEEDS,
                                                             .before = state->v,
                                                             .after = state->v,
                                                             .state = record_state(run),
                                                             .from = from,
                                                             .to = to,
                                                             .speed_count = mode->eq->k});
    base_free(from);
    base_free(to);
}
