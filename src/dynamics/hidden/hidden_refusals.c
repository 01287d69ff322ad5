// hidden_refusals.c: what the equations of motion leave open, or ask in vain, in words.
#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/hidden/hidden_impl.h"
#include "expr/arithmetic.h"
#include "model/model.h"
#include "motion/motion_types.h"

#include <assert.h>

size_t hidden_coordinate(const Motion *motion, size_t at, const Expr *z)
{
    if (at < motion->n)
        return at;
    size_t nu = 0;
    while (nu + 1 < motion->n && expr_is_zero(motion->pool, z[nu]))
        nu++;
    return nu;
}

const ModelConstraint *hidden_servo_in(const Motion *motion, const HiddenSystem *system,
                                       const Expr *z)
{
    const ModelConstraint *last = NULL, *all = motion->model->constraints.at;
    for (size_t i = motion->n; i < system->size; i++)
        if (all[system->conditions[i]].kind == CONSTRAINT_SERVO &&
            !expr_is_zero(motion->pool, z[i]))
            last = &all[system->conditions[i]];
    if (last && last->hidden && last->hidden->servo_count > 0)
        last = &all[last->hidden->servos[0]];
    return last;
}

static Status refuse_servo(const ModelConstraint *servo, HiddenOutcome outcome, Diag *diag)
{
    if (outcome == HIDDEN_NOTHING)
        return diag_error(diag, servo->place,
                          "nothing determines the force of the servo '%s': what it keeps follows "
                          "from the equations of motion without it; remove it, or let it keep "
                          "something else",
                          servo->name);
    return diag_error(diag, servo->place,
                      "the servo '%s' cannot keep its condition: its force reaches it in no "
                      "derivative, because nothing passes it on (no condition, no spring, no "
                      "inertia in common). The condition would hold for certain functions of the "
                      "time alone; give the force another direction or place, or keep something "
                      "else by it",
                      servo->name);
}

// What has no inertia in some coordinates is in balance by itself.
static Status refuse_balance(const Motion *motion, const ModelConstraint *balance, Diag *diag)
{
    const ModelCoord *coord = &motion->model->coords.at[balance->hidden->coordinate];
    return diag_error(diag, coord->place,
                      "nothing determines how %s' changes: the inertia does not, and the balance "
                      "of the forces on what has none follows from the other equations of motion. "
                      "Give it an inertia, fix it by a constraint, or leave it out",
                      coord->name);
}

Status hidden_refuse(const Motion *motion, const HiddenSystem *system, const HiddenCondition *found,
                     const Expr *z, Diag *diag)
{
    const ModelConstraint *servo = hidden_servo_in(motion, system, z);
    assert(found->outcome == HIDDEN_NOTHING || found->outcome == HIDDEN_IMPOSSIBLE);
    bool balance = servo && servo->hidden && servo->hidden->servo_count == 0;
    if (servo && !balance)
        return refuse_servo(servo, found->outcome, diag);
    if (balance && found->outcome == HIDDEN_NOTHING)
        return refuse_balance(motion, servo, diag);
    const ModelCoord *coord = &motion->model->coords.at[hidden_coordinate(motion, found->at, z)];
    size_t count = 0;
    for (size_t nu = 0; nu < motion->n; nu++)
        count += !expr_is_zero(motion->pool, z[nu]);
    if (found->outcome == HIDDEN_NOTHING && count > 1)
        return diag_error(diag, coord->place,
                          "the inertia is singular on the velocities that the constraints leave "
                          "free: it does not tell %s' from the others, and no force does. Fix one "
                          "of them by a constraint",
                          coord->name);
    if (found->outcome == HIDDEN_NOTHING)
        return diag_error(diag, coord->place,
                          "nothing determines how %s' changes: it has no inertia, and neither a "
                          "constraint nor a force fixes it; there are fewer equations than "
                          "unknowns. Fix it by a constraint, or leave it out",
                          coord->name);
    return diag_error(diag, coord->place,
                      "no motion exists: what has no inertia must be free of force, and along %s "
                      "the force is another than 0 whatever the state is; let something take it "
                      "up (a spring, a constraint)",
                      coord->name);
}

Status hidden_refuse_multiplier(const Motion *motion, const HiddenSystem *system,
                                const HiddenCondition *found, Diag *diag)
{
    ExprPool *pool = motion->pool;
    for (size_t nu = 0; nu < motion->n && found->outcome == HIDDEN_VELOCITY; nu++) {
        Expr force = system->right[nu];
        bool light = expr_holds(pool, found->psi, motion->q[nu]) &&
                     !expr_holds(pool, found->psi, motion->v[nu]) &&
                     !expr_holds(pool, force, motion->q[nu]) &&
                     !expr_holds_any(pool, force, motion->v, motion->n);
        for (size_t j = 0; j < motion->n && light; j++)
            light = expr_is_zero(pool, system->matrix[nu * system->size + j]);
        if (!light)
            continue;
        const ModelCoord *coord = &motion->model->coords.at[nu];
        Text condition = {0};
        expr_print(pool, force, &condition);
        Status status = diag_error(diag, coord->place,
                                   "%s has no inertia and is a multiplier: what it multiplies in "
                                   "the energies has to vanish. Leave it out, and write "
                                   "'constraint c: %s = 0', whose reaction lambda.c it is",
                                   coord->name, condition.at);
        text_clear(&condition);
        return status;
    }
    return STATUS_OK;
}

Status hidden_undecided(const Motion *motion, Diag *diag)
{
    (void)motion;
    return diag_error(diag, place_none(),
                      "inertia, forces and conditions do not determine the accelerations, and the "
                      "conditions that they hide cannot be decided exactly; give each free motion "
                      "an inertia or a constraint");
}

Status hidden_fruitless(const Model *model, Diag *diag)
{
    const ModelConstraint *last = &model->constraints.at[model->constraints.count - 1];
    assert(last->hidden);
    if (last->hidden->servo_count > 0)
        return refuse_servo(&model->constraints.at[last->hidden->servos[0]], HIDDEN_IMPOSSIBLE,
                            diag);
    return diag_error(diag, last->place,
                      "no motion exists: %s has no inertia, and the balance of the forces on it "
                      "contradicts the constraints",
                      model->coords.at[last->hidden->coordinate].name);
}
