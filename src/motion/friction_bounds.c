// friction_bounds.c: reactions in the bounds of frictions: what presses on a law.
#include "motion/frictions.h"
#include "motion/motion_impl.h"

Expr friction_with_normals(const Motion *motion, Expr e)
{
    ExprList symbols = expr_symbols(motion->pool, &e, 1);
    for (size_t k = 0; k < symbols.count; k++)
        for (size_t i = 0; i < motion->friction_count; i++) {
            const MotionFriction *friction = &motion->frictions[i];
            Expr symbol = friction->friction->normal;
            if (friction->friction->kind != FRICTION_ON_CONDITION || symbol.at != symbols.at[k])
                continue;
            Expr size = expr_call(motion->pool, EXPR_ABS, friction->constraint->lambda, (Expr){0});
            Expr value = expr_mul(motion->pool, friction->pressure, size);
            e = expr_replace(motion->pool, e, &symbol, &value, 1);
        }
    expr_list_free(&symbols);
    return e;
}

// The conditions whose reactions an expression holds; how many, or more than there is room for.
static size_t find_reactions(const Motion *motion, Expr e, const ModelConstraint **found)
{
    const Model *model = motion->model;
    ExprList symbols = expr_symbols(motion->pool, &e, 1);
    size_t count = 0;
    for (size_t i = 0; i < model->constraints.count; i++)
        for (size_t k = 0; k < symbols.count; k++)
            if (model->constraints.at[i].lambda.at == symbols.at[k]) {
                if (count < FRICTION_NORMALS)
                    found[count] = &model->constraints.at[i];
                count++;
            }
    expr_list_free(&symbols);
    return count;
}

// The factor of |λ| in a bound, λ being the reactions of all that press: of one that is one-sided
// λ itself may stand, as it is 0 or more. False where it has another form.
static bool find_factor(Motion *motion, const MotionFriction *out, Expr e, Expr *factor)
{
    ExprPool *pool = motion->pool;
    const ModelConstraint *first = out->constraint;
    Expr lambda = first->lambda, length = out->friction->normal, rest;
    if (out->also_count == 0) {
        Expr size = expr_call(pool, EXPR_ABS, lambda, (Expr){0});
        e = expr_replace(pool, e, &size, &length, 1);
        if (out->side != SIZE_MAX)
            e = expr_replace(pool, e, &lambda, &length, 1);
        return expr_linear(pool, e, &length, 1, factor, &rest) && motion_is_zero(motion, rest) &&
               !expr_holds(pool, *factor, lambda) && !expr_holds(pool, *factor, length);
    }
    // E² = factor²·(λ₁² + …): it is compared with that.
    Expr one = expr_int(pool, 1), zero = expr_int(pool, 0), squares[FRICTION_NORMALS];
    *factor = expr_replace(pool, e, &lambda, &one, 1);
    squares[0] = expr_pow_int(pool, lambda, 2);
    for (size_t i = 0; i < out->also_count; i++) {
        *factor = expr_replace(pool, *factor, &out->also[i]->lambda, &zero, 1);
        squares[i + 1] = expr_pow_int(pool, out->also[i]->lambda, 2);
    }
    *factor = algebra_simplify(motion->algebra, *factor);
    Expr length2 = expr_sum(pool, squares, out->also_count + 1);
    Expr square = expr_mul(pool, expr_pow_int(pool, *factor, 2), length2);
    return motion_is_zero(motion, expr_sub(pool, expr_pow_int(pool, e, 2), square));
}

static Status refuse_bound(const MotionFriction *out, const char *why, Diag *diag)
{
    return diag_error(diag, out->friction->bound_place, "the bound of '%s' %s", out->friction->name,
                      why);
}

static Status find_sides(Motion *motion, MotionFriction *out, Diag *diag)
{
    for (size_t k = 0; k <= out->also_count; k++) {
        const ModelConstraint *constraint = motion_friction_presses(out, k);
        for (size_t i = 0; i < motion->side_count; i++)
            if (motion->sides[i].constraint == constraint)
                out->side = i;
        bool two_sided = motion_row_of(motion, constraint);
        if (out->also_count > 0 && !two_sided)
            return refuse_bound(out,
                                "holds reactions of several conditions, which have to be "
                                "equations that do not follow from each other",
                                diag);
        if (out->side == SIZE_MAX && !two_sided)
            return refuse_bound(out,
                                "holds the reaction of a condition that follows from the "
                                "others, so that it is not determined",
                                diag);
    }
    return STATUS_OK;
}

// Whether a condition presses on another friction too, in another way than both alone and this one
// along one velocity.
static bool presses_twice(const Motion *motion, const MotionFriction *out)
{
    for (size_t i = 0; i < motion->friction_count; i++)
        for (size_t k = 0; k < FRICTION_NORMALS; k++)
            for (size_t h = 0; h < FRICTION_NORMALS; h++) {
                const MotionFriction *other = &motion->frictions[i];
                const ModelConstraint *own = motion_friction_presses(out, k);
                bool alone = out->also_count + other->also_count == 0 && out->rows == 1;
                if (other != out && own && own == motion_friction_presses(other, h) && !alone)
                    return true;
            }
    return false;
}

Status friction_take_reactions(Motion *motion, MotionFriction *out, Diag *diag)
{
    const ModelConstraint *found[FRICTION_NORMALS];
    // Most are like the one before.
    const MotionFriction *last = out > motion->frictions ? out - 1 : NULL;
    if (last && last->free && expr_same(last->friction->bound, out->friction->bound) &&
        expr_same(last->friction->hold, out->friction->hold)) {
        out->bound = out->friction->bound;
        out->hold = out->friction->hold;
        out->free = true;
        return STATUS_OK;
    }
    Expr slide = friction_with_normals(motion, out->friction->bound),
         stick = friction_with_normals(motion, out->friction->hold);
    size_t count = find_reactions(motion, expr_add(motion->pool, slide, stick), found);
    out->bound = slide;
    out->hold = stick;
    out->free = count == 0;
    if (out->free)
        return STATUS_OK;
    if (out->friction->kind == FRICTION_ON_CONDITION)
        return refuse_bound(out, "is a coefficient, which may not hold reactions", diag);
    if (count > FRICTION_NORMALS)
        return refuse_bound(out, "holds the reactions of more than three conditions", diag);
    out->constraint = found[0];
    out->also_count = count - 1;
    for (size_t i = 1; i < count; i++)
        out->also[i - 1] = found[i];
    TRY(find_sides(motion, out, diag));
    if (presses_twice(motion, out))
        return refuse_bound(out,
                            "holds a reaction that presses on another friction too, which this "
                            "version solves only where no length of several reactions is among "
                            "them and this friction acts along one velocity",
                            diag);
    if (!find_factor(motion, out, slide, &out->bound) ||
        !find_factor(motion, out, stick, &out->hold))
        return refuse_bound(out,
                            "holds reactions in another way than as multiples of abs(lambda."
                            "NAME), or of one sqrt(lambda.A^2 + lambda.B^2); of a sum write one "
                            "friction for each",
                            diag);
    return STATUS_OK;
}

const ModelConstraint *motion_friction_presses(const MotionFriction *friction, size_t which)
{
    if (which == 0)
        return friction->constraint;
    return which <= friction->also_count ? friction->also[which - 1] : NULL;
}

bool motion_friction_has_norm(const MotionFriction *friction, FrictionHold state)
{
    return friction->also_count > 0 && state.mode >= HOLD_FORWARD;
}

bool motion_has_curved_reactions(const Motion *motion)
{
    bool any = motion->bends;
    for (size_t i = 0; i < motion->friction_count && motion->friction_holds && !any; i++)
        any = motion_friction_has_norm(&motion->frictions[i], motion->friction_holds[i]);
    return any;
}
