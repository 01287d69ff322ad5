// servo_conditions.c: conditions that servos keep (Appell 1911, Béghin 1922): why a motion ends
// where their forces cannot.
#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/equations.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/module_hooks_impl.h"
#include "simulate/simulation_impl.h"

#include <assert.h>

static bool applies(const Motion *motion)
{
    return motion->servos > 0;
}

static bool has_servo(const Motion *motion)
{
    for (size_t i = 0; i < motion->m; i++)
        if (motion->rows[i].servo)
            return true;
    return false;
}

// Of forces that hold reactions.
static void add_reactions(const Equations *eq, const State *state, DynamicsOutcome why, Text *text)
{
    size_t count = state->failure.reactions;
    if (why == DYNAMICS_SERVO)
        text_add(text, "the forces that hold reactions do not determine these (det(Φ + C) = 0)");
    else if (count > 1)
        text_addf(text, "%zu sets of reactions satisfy the forces that hold them", count);
    else
        text_add(text, "no set of reactions that satisfies the forces which hold them was found");
    text_add(text, " at ");
    state_add_held(eq, state, eq->motion->q, eq->n, text);
    text_add(text, count > 1 ? "; the motion is not determined" : "");
}

// Why they cannot, in words.
static void add_why(const Equations *eq, const State *state, Text *text)
{
    assert(eq->motion->servos > 0);
    const Motion *motion = eq->motion;
    size_t count = 0;
    for (size_t i = 0; i < eq->m; i++)
        count += motion->rows[i].servo && !motion->rows[i].constraint->hidden;
    bool several = count > 1;
    const char *before = several ? "the servos " : "the servo ";
    for (size_t i = 0; i < eq->m; i++)
        if (motion->rows[i].servo && !motion->rows[i].constraint->hidden) {
            text_addf(text, "%s'%s'", before, motion->rows[i].constraint->name);
            before = ", ";
        }
    text_addf(text, " cannot keep %s at ", several ? "their conditions" : "its condition");
    state_add_held(eq, state, motion->q, eq->n, text);
    text_addf(text,
              ": the acceleration that %s asked for is one that the force%s cannot give there, the "
              "other conditions being respected (g·M⁻¹·d is singular)",
              several ? "they are" : "it is", several ? "s" : "");
}

static bool add_reason(const Equations *eq, const State *state, DynamicsOutcome why, Text *text)
{
    bool hardly = why == DYNAMICS_FOUND && state->failure.power < TOL_COARSE;
    bool servo = has_servo(eq->motion);
    if (why == DYNAMICS_REACTIONS || (why == DYNAMICS_SERVO && !servo))
        add_reactions(eq, state, why, text);
    else if (why == DYNAMICS_SERVO)
        add_why(eq, state, text);
    else if (hardly)
        text_add(text, servo ? "a servo can hardly keep its condition there: its force grows "
                               "without bound (g·M⁻¹·d becomes singular)"
                             : "the reactions that forces hold grow there without bound "
                               "(det(Φ + C) comes to 0)");
    return why == DYNAMICS_SERVO || why == DYNAMICS_REACTIONS || hardly;
}

static Status start_fails(const Simulation *sim, DynamicsOutcome why, Diag *diag)
{
    Text text = {0};
    const MotionRow *first = sim->motion->rows;
    if (why != DYNAMICS_SERVO && why != DYNAMICS_REACTIONS)
        return STATUS_OK;
    add_reason(sim->base->eq, sim->base->state, why, &text);
    while (has_servo(sim->motion) && !first->servo)
        first++;
    if (first->servo)
        diag_error(diag, first->constraint->place,
                   "at the start %s; start elsewhere, or give the force another direction or place",
                   text.at);
    else
        diag_error(diag, place_none(), "at the start %s", text.at);
    text_clear(&text);
    return STATUS_WRONG;
}

const SimulationModule module_servo = {
    .applies = applies, .add_reason = add_reason, .start_fails = start_fails};
