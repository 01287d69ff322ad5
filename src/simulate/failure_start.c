// failure_start.c: why a motion has no start, in words.
#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/dynamics.h"
#include "expr/expr.h"
#include "model/constraint.h"
#include "model/model.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/modules_impl.h"
#include "simulate/simulation_impl.h"

#include <assert.h>

static bool is_held(const ExprPool *pool, const Expr *exprs, size_t count, Expr symbol)
{
    for (size_t i = 0; i < count; i++)
        if (!expr_is_none(exprs[i]) && expr_holds(pool, exprs[i], symbol))
            return true;
    return false;
}

// Where a parameter makes a mass or a moment of inertia 0: the statement left out says the same,
// and is solved for (hidden_conditions.h).
static bool tell_zero_mass(const Equations *eq, const State *state, const char *velocity,
                           Diag *diag)
{
    const Model *model = eq->motion->model;
    ARRAY(Expr) inertias = {0};
    for (size_t i = 0; i < model->masses.count; i++)
        array_push(&inertias, model->masses.at[i].mass);
    for (size_t i = 0; i < model->bodies.count; i++) {
        array_push(&inertias, model->bodies.at[i].mass);
        for (size_t k = 0; k < 6 && model->bodies.at[i].has_inertia; k++)
            array_push(&inertias, model->bodies.at[i].inertia[k]);
    }
    array_push(&inertias, model->kinetic);
    size_t zero = 0;
    while (zero < model->params.count &&
           (state->inputs[zero] != 0 ||
            !is_held(model->pool, inertias.at, inertias.count, model->params.at[zero].symbol)))
        zero++;
    array_clear(&inertias);
    if (zero == model->params.count)
        return false;
    diag_error(diag, model->params.at[zero].place,
               "at the start nothing determines how %s changes, because %s, which is its inertia, "
               "is 0; write the model without that mass ('mass', 'body', 'kinetic' left out), so "
               "that forces may determine what has no inertia",
               velocity, model->params.at[zero].name);
    return true;
}

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
        if (tell_zero_mass(eq, state, name, diag))
            return STATUS_WRONG;
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
    failure_add_expression(eq, state, &cause, &place);
    Status status = diag_error(
        diag, place, "at the start the equations of motion have no finite values: %s", cause.at);
    text_clear(&cause);
    return status;
}
