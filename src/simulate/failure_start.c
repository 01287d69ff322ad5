// failure_start.c: why a motion has no start, in words.
#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/dynamics.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/modules_impl.h"
#include "simulate/simulation_impl.h"

#include <assert.h>

Status failure_at_start(const Simulation *sim, DynamicsOutcome why, Diag *diag)
{
    const Equations *eq = sim->base->eq;
    const State *state = sim->base->state;
    assert(sim->base && diag);
    TRY(modules_start_fails(sim, why, diag));
    const char *name = failure_names(eq, state, why);
    switch (why) {
    case DYNAMICS_FOUND: return STATUS_OK;
    case DYNAMICS_INERTIA:
        return diag_error(
            diag, sim->motion->model->coords.at[dynamics_undetermined_velocity(eq, state)].place,
            "at the start nothing determines how %s changes: the inertia is singular there on the "
            "velocities that the constraints leave free; a constraint or another start may "
            "determine it, or a mass (mass, kinetic), which makes another system",
            name);
    case DYNAMICS_SPEEDS:
        return diag_error(diag, place_none(),
                          "at the start the constraints depend on each other, so that the "
                          "velocities are not determined; start beside this position");
    case DYNAMICS_CONTRADICTION:
        return diag_error(diag, dynamics_row(eq, state->failure.contradicting)->constraint->place,
                          "at the start the constraint '%s' asks for another acceleration than "
                          "the constraints before it",
                          name);
    default: break;
    }
    Text cause = {0};
    Place place = place_none();
    if (!failure_add_expression(eq, state, &cause, &place))
        text_add(&cause, "something");
    Status status =
        diag_error(diag, place,
                   "at the start the equations of motion have no finite values: %s divides by 0 or "
                   "is outside the domain of its function there",
                   cause.at);
    text_clear(&cause);
    return status;
}
