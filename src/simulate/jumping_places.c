// jumping_places.c: masses whose place jumps, as at [x + sign(t - 1), 0, 0].
//
// Velocities are the rates of places, and sign has the rate 0: such a mass would be elsewhere all
// at once, at no cost. A place that holds sign is followed where it does not jump, as x*sign(x):
// where the argument is 0 the places of both sides are the same.
#include "algebra/algebra.h"
#include "base/diag.h"
#include "base/text_builder.h"
#include "expr/arithmetic.h"
#include "expr/expr.h"
#include "model/model.h"
#include "model/system.h"
#include "model/vectors.h"
#include "motion/motion_types.h"
#include "simulate/setup_impl.h"

// With a function as it is on one side.
static Expr on_side(ExprPool *pool, Expr e, Expr call, int side)
{
    ExprSubst *subst = expr_subst_new(pool);
    expr_subst_set(subst, call, expr_int(pool, side));
    Expr value = expr_subst(subst, e);
    expr_subst_free(subst);
    return value;
}

// Whether e vanishes where the argument does, which is solved for one of the symbols.
static bool vanishes_with(const Motion *motion, Expr e, Expr argument)
{
    ExprPool *pool = motion->pool;
    for (size_t i = 0; i <= motion->n; i++) {
        Expr symbol = i < motion->n ? motion->q[i] : motion->model->t, factor, rest;
        if (!expr_holds(pool, argument, symbol) ||
            !expr_linear(pool, argument, &symbol, 1, &factor, &rest))
            continue;
        Expr root = expr_neg(pool, expr_div(pool, rest, factor));
        return algebra_vanishes(motion->algebra, expr_replace(pool, e, &symbol, &root, 1));
    }
    return false;
}

// The function with which a place jumps; false where it does not.
static bool find_jump(const Motion *motion, Vector position, Expr *jumps)
{
    ExprPool *pool = motion->pool;
    Vec place = vector_in(motion->model->vectors, position, (Frame){0});
    Expr parts[3] = {place.x, place.y, place.z};
    ExprList nodes = expr_nodes(pool, parts, 3);
    bool found = false;
    for (size_t i = 0; i < nodes.count && !found; i++) {
        *jumps = (Expr){nodes.at[i]};
        Expr argument = expr_switch_argument(pool, *jumps);
        bool moves = expr_op(pool, *jumps) == EXPR_SIGN &&
                     (expr_holds(pool, argument, motion->model->t) ||
                      expr_holds_any(pool, argument, motion->q, motion->n));
        for (size_t k = 0; k < 3 && moves && !found; k++)
            found = !vanishes_with(motion,
                                   expr_sub(pool, on_side(pool, parts[k], *jumps, 1),
                                            on_side(pool, parts[k], *jumps, -1)),
                                   argument);
    }
    expr_list_free(&nodes);
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
