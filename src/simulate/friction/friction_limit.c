// friction_limit.c: why a motion ends where friction makes a reaction grow without bound (Painlevé
// 1895): Φ̂ = Φ + μΨs, or a principal minor of it, comes to 0.
#include "base/text_builder.h"
#include "dynamics/equations.h"
#include "linalg/tolerances.h"
#include "model/friction.h"
#include "motion/frictions.h"
#include "simulate/module_hooks_impl.h"

// Rows that friction has turned, and no servo.
static bool applies(const Motion *motion)
{
    bool slides = false;
    for (size_t i = 0; i < motion->m; i++)
        if (motion->rows[i].servo)
            return false;
    for (size_t i = 0; i < motion->friction_count && motion->friction_holds && !slides; i++)
        slides = motion_friction_is_pressed(&motion->frictions[i]) &&
                 motion->friction_holds[i].mode >= HOLD_FORWARD;
    return slides;
}

static bool add_reason(const Equations *eq, const State *state, DynamicsOutcome why, Text *text)
{
    const Motion *motion = eq->motion;
    const char *before = "the reaction at ";
    if (why != DYNAMICS_SERVO && !(why == DYNAMICS_FOUND && state->failure.power < TOL_COARSE))
        return false;
    for (size_t i = 0; i < motion->friction_count; i++)
        if (motion_friction_is_pressed(&motion->frictions[i]) &&
            motion->friction_holds[i].mode >= HOLD_FORWARD) {
            text_addf(text, "%s'%s'", before, motion->frictions[i].friction->name);
            before = ", ";
        }
    text_add(text, " grows without bound while it slides (Painlevé): Φ + μΨs, its own acceleration "
                   "by a reaction of 1 with its friction, comes to 0 at ");
    state_add_held(eq, state, motion->q, eq->n, text);
    text_add(text, "; rigid bodies have no motion beyond");
    return true;
}

const SimulationModule module_friction = {.applies = applies, .add_reason = add_reason};
