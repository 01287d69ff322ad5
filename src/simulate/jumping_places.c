// jumping_places.c: masses whose place jumps, as at [x + sign(t - 1), 0, 0].
//
// Velocities are the rates of places, and sign has the rate 0: such a mass would be elsewhere all
// at once, at no cost. A place that holds sign is followed where it does not jump, as x*sign(x):
// where the argument is 0 the places of both sides are the same.
#include "base/diag.h"
#include "base/text_builder.h"
#include "expr/arithmetic.h"
#include "expr/expr.h"
#include "model/model.h"
#include "model/system.h"
#include "model/vectors.h"
#include "motion/motion_types.h"
#include "simulate/setup_impl.h"

// The function with which a place jumps; false where it does not.
static bool find_jump(const Motion *motion, Vector position, Expr *jumps)
{
    Vec place = vector_in(motion->model->vectors, position, (Frame){0});
    Expr parts[3] = {place.x, place.y, place.z};
    bool found = false;
    for (size_t k = 0; k < 3 && !found; k++)
        found = expr_jumps(motion->pool, parts[k], &motion->model->t, 1, jumps) ||
                expr_jumps(motion->pool, parts[k], motion->q, motion->n, jumps);
    return found;
}

static Status refuse(const Motion *motion, Expr jumps, Place place, Diag *diag)
{
    Text name = {0};
    expr_print(motion->pool, jumps, &name);
    Status status = diag_error(diag, place,
                               "a mass cannot be followed whose place jumps, here with %s; "
                               "velocities do not know of it",
                               name.at);
    text_clear(&name);
    return status;
}

Status places_check(const Motion *motion, Diag *diag)
{
    const Model *model = motion->model;
    Expr jumps;
    for (size_t i = 0; i < model->masses.count; i++)
        if (find_jump(motion, model->masses.at[i].position, &jumps))
            return refuse(motion, jumps, model->masses.at[i].place, diag);
    for (size_t i = 0; i < model->bodies.count; i++)
        if (model->bodies.at[i].has_position &&
            find_jump(motion, model->bodies.at[i].position, &jumps))
            return refuse(motion, jumps, model->bodies.at[i].place, diag);
    return STATUS_OK;
}
