// jumping_places.c: masses whose place jumps, as at [x + sign(t - 1), 0, 0], and bodies whose frame
// does.
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

// Whether anything can jump: places of long chains are not written out for nothing.
static bool any_jumps(const ExprPool *pool)
{
    size_t size = expr_pool_size(pool);
    for (uint32_t i = 1; i < size; i++)
        if (expr_op(pool, (Expr){i}) == EXPR_SIGN)
            return true;
    return false;
}

// The function with which a place or a direction jumps; false where it does not.
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

// The axes of a body.
static bool frame_jumps(const Motion *motion, Frame frame, Expr *jumps)
{
    Vectors *vectors = motion->model->vectors;
    Expr none = expr_int(motion->pool, 0), one = expr_int(motion->pool, 1);
    return find_jump(motion, vector_of(vectors, frame, (Vec){one, none, none}), jumps) ||
           find_jump(motion, vector_of(vectors, frame, (Vec){none, one, none}), jumps) ||
           find_jump(motion, vector_of(vectors, frame, (Vec){none, none, one}), jumps);
}

static Status refuse(const Motion *motion, Expr jumps, Place place, Diag *diag)
{
    Text name = {0};
    expr_print(motion->pool, jumps, &name);
    Status status =
        diag_error(diag, place,
                   "a mass cannot be followed whose place or frame jumps, here with %s; "
                   "velocities do not know of it",
                   name.at);
    text_clear(&name);
    return status;
}

Status places_check(const Motion *motion, Diag *diag)
{
    const Model *model = motion->model;
    Expr jumps;
    if (!any_jumps(motion->pool))
        return STATUS_OK;
    for (size_t i = 0; i < model->masses.count; i++)
        if (find_jump(motion, model->masses.at[i].position, &jumps))
            return refuse(motion, jumps, model->masses.at[i].place, diag);
    for (size_t i = 0; i < model->bodies.count; i++)
        if ((model->bodies.at[i].has_position &&
             find_jump(motion, model->bodies.at[i].position, &jumps)) ||
            (model->bodies.at[i].has_inertia &&
             frame_jumps(motion, model->bodies.at[i].frame, &jumps)))
            return refuse(motion, jumps, model->bodies.at[i].place, diag);
    return STATUS_OK;
}
