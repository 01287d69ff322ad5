// reduce.c: finite relations, solved for coordinates, so that fewer are left (Hamel 234).
//
// Only what needs no choice is done: a coordinate that a relation holds linearly, with a factor
// that is constant. The last such is taken, and it must be made of coordinates that are declared
// before it or on the same line, so that all of them are there when it is used. What a servo keeps
// stays: its force has a direction of its own, and a coordinate less would make it ideal. So does
// a condition whose reaction presses on a friction or stands in a force, and every coordinate in
// which something rubs, so that its normal and its sliding are found as in the whole system.
#include "inquiry/inquiry_impl.h"
#include "motion/frictions.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    Motion *motion;
    InquiryReduction *out;
    bool *kept; // coordinates that the model names where no abbreviation can stand
} Reducer;

// ---- Friction, and forces that hold reactions.

static void keep_held(Reducer *reducer, Expr e)
{
    const Motion *motion = reducer->motion;
    for (size_t nu = 0; nu < motion->n; nu++)
        if (expr_holds(motion->pool, e, motion->q[nu]) ||
            expr_holds(motion->pool, e, motion->v[nu]))
            reducer->kept[nu] = true;
}

// Where it presses and slides.
static void keep_rubbing(Reducer *reducer, const MotionFriction *friction)
{
    const Motion *motion = reducer->motion;
    for (size_t k = 0; k < friction->rows; k++)
        keep_held(reducer, friction->sticks[k].velocity);
    for (size_t i = 0; i < motion->side_count; i++)
        if (motion_friction_presses(friction, motion->sides[i].constraint))
            keep_held(reducer, motion_side(motion, i)->velocity);
    for (size_t i = 0; i < motion->m; i++)
        if (motion_friction_presses(friction, motion->rows[i].constraint))
            keep_held(reducer, motion->rows[i].velocity);
}

// Whether the reaction of a row does more than to keep it.
static bool acts(const Motion *motion, const MotionRow *row)
{
    const ModelConstraint *constraint = row->constraint;
    for (size_t i = 0; i < motion->friction_count; i++)
        if (motion_friction_presses(&motion->frictions[i], constraint))
            return true;
    for (size_t nu = 0; nu < motion->n && motion->model->reactions_act; nu++)
        if (expr_holds(motion->pool, motion->whole_K[nu], constraint->lambda))
            return true;
    return row->servo != NULL;
}

static void mark_kept(Reducer *reducer)
{
    const Model *model = reducer->motion->model;
    for (size_t i = 0; i < model->independent.count; i++)
        reducer->kept[model->independent.at[i]] = true;
    for (size_t i = 0; i < model->forces_along.count; i++)
        if (!model->forces_along.at[i].on_speed)
            reducer->kept[model->forces_along.at[i].target] = true;
    for (size_t i = 0; i < model->servos.count; i++)
        if (model->servos.at[i].by == SERVO_ALONG)
            reducer->kept[model->servos.at[i].target] = true;
    for (size_t i = 0; i < model->impulses.count; i++)
        if (model->impulses.at[i].along && !model->impulses.at[i].on_speed)
            reducer->kept[model->impulses.at[i].target] = true;
    for (size_t i = 0; i < model->starts.count; i++)
        if (model->starts.at[i].of == START_VELOCITY)
            reducer->kept[model->starts.at[i].target] = true;
    for (size_t i = 0; i < reducer->motion->friction_count; i++)
        keep_rubbing(reducer, &reducer->motion->frictions[i]);
}

// f with the coordinates that were replaced before put in.
static Expr with_replaced(const Reducer *reducer, Expr f)
{
    const InquiryReduction *out = reducer->out;
    for (size_t i = out->at.count; i-- > 0;)
        f = expr_replace(reducer->motion->pool, f, &reducer->motion->q[out->at.at[i].coordinate],
                         &out->at.at[i].value, 1);
    return f;
}

static bool on_one_line(const Motion *motion, size_t first, size_t last)
{
    Place from = motion->model->coords.at[first].place, to = motion->model->coords.at[last].place;
    if (!from.source || from.source != to.source)
        return false;
    for (uint32_t i = from.start; i < to.start; i++)
        if (strchr("\n;#", from.source->at[i]))
            return false;
    return true;
}

// The rate of what jumps would be 0 there; as a condition it ends the run.
static bool may_jump(const ExprPool *pool, Expr e)
{
    ExprList nodes = expr_nodes(pool, &e, 1);
    bool jumps = false;
    for (size_t i = 0; i < nodes.count; i++)
        jumps = jumps || expr_op(pool, (Expr){nodes.at[i]}) == EXPR_SIGN;
    expr_list_free(&nodes);
    return jumps;
}

// Solves f = 0 for the last coordinate that allows it. One coordinate stays, as in a motion that is
// a function of the time.
static bool solve_relation(Reducer *reducer, Expr f)
{
    Motion *motion = reducer->motion;
    ExprPool *pool = motion->pool;
    if (reducer->out->at.count + 1 >= motion->n)
        return false;
    f = with_replaced(reducer, f);
    for (size_t nu = motion->n; nu-- > 0;) {
        Expr factor, rest;
        bool last = expr_holds(pool, f, motion->q[nu]);
        if (!last || reducer->kept[nu])
            continue;
        for (size_t later = nu + 1; later < motion->n && last; later++)
            last = !expr_holds(pool, f, motion->q[later]) || on_one_line(motion, nu, later);
        if (!last || !expr_linear(pool, f, &motion->q[nu], 1, &factor, &rest) ||
            expr_holds_any(pool, factor, motion->q, motion->n) ||
            expr_holds(pool, factor, motion->model->t) || inquiry_vanishes(motion, factor))
            continue;
        InquiryReplaced replaced = {nu, expr_neg(pool, expr_div(pool, rest, factor))};
        replaced.value = inquiry_short(motion, replaced.value);
        if (may_jump(pool, replaced.value))
            continue;
        // What was replaced before may hold it.
        for (size_t i = 0; i < reducer->out->at.count; i++) {
            InquiryReplaced *earlier = &reducer->out->at.at[i];
            earlier->value = expr_replace(pool, earlier->value, &motion->q[nu], &replaced.value, 1);
        }
        array_push(&reducer->out->at, replaced);
        return true;
    }
    return false;
}

// ---- Conditions that stay.

// Whether the ideal conditions alone keep a function constant that has this gradient (by q and t).
static bool is_kept_by_ideal_conditions(Motion *motion, const Expr *gradient)
{
    size_t width = motion->n + 1, rows = 0;
    bool *independent = base_alloc((motion->m + 1) * sizeof *independent);
    Expr *matrix = base_alloc((motion->m + 1) * width * sizeof *matrix);
    for (size_t i = 0; i < motion->m; i++) {
        if (acts(motion, &motion->rows[i]))
            continue;
        memcpy(matrix + rows * width, motion->rows[i].b, motion->n * sizeof *matrix);
        matrix[rows++ * width + motion->n] = motion->rows[i].c;
    }
    memcpy(matrix + rows++ * width, gradient, width * sizeof *matrix);
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, rows, width, NULL, independent, NULL);
    bool kept = rank >= 0 && !independent[rows - 1];
    base_free(matrix);
    base_free(independent);
    return kept;
}

// ---- The value of a hidden relation.

static bool finite_condition_holds(const Motion *motion, Expr q)
{
    for (size_t i = 0; i < motion->m; i++)
        if (!expr_is_none(motion->rows[i].position) &&
            expr_holds(motion->pool, motion->rows[i].position, q))
            return true;
    return false;
}

// f at the start as the model gives it, coordinates that are not given being 0. False where a
// coordinate may be moved to meet a finite condition, so that its start is not known here.
static bool value_at_start(const Motion *motion, Expr f, Expr *value)
{
    const Model *model = motion->model;
    Expr *starts = base_alloc((motion->n + 1) * sizeof *starts);
    bool *given = base_alloc((motion->n + 1) * sizeof *given);
    for (size_t nu = 0; nu < motion->n; nu++)
        starts[nu] = expr_int(motion->pool, 0);
    for (size_t i = 0; i < model->starts.count; i++) {
        const ModelStart *start = &model->starts.at[i];
        if (start->of != START_COORD)
            continue;
        starts[start->target] = start->value;
        given[start->target] = !start->approx;
    }
    bool known = true;
    for (size_t nu = 0; nu < motion->n; nu++)
        if (expr_holds(motion->pool, f, motion->q[nu]) && !given[nu])
            known = known && !finite_condition_holds(motion, motion->q[nu]);
    Expr zero = expr_int(motion->pool, 0);
    *value = expr_replace(motion->pool, f, motion->q, starts, motion->n);
    *value = expr_replace(motion->pool, *value, &model->t, &zero, 1);
    base_free(starts);
    base_free(given);
    return known;
}

static int by_coordinate(const void *a, const void *b)
{
    const InquiryReplaced *left = a, *right = b;
    return (left->coordinate > right->coordinate) - (left->coordinate < right->coordinate);
}

void inquiry_reduce(Motion *motion, const InquiryKind *kind, InquiryReduction *reduction)
{
    *reduction = (InquiryReduction){0};
    Reducer reducer = {.motion = motion, .out = reduction};
    reducer.kept = base_alloc((motion->n + 1) * sizeof *reducer.kept);
    mark_kept(&reducer);
    for (size_t i = 0; i < motion->m; i++)
        if (!expr_is_none(motion->rows[i].position) && !acts(motion, &motion->rows[i]))
            reduction->left += !solve_relation(&reducer, motion->rows[i].position);
    bool all = motion->servos == 0 && motion->friction_count == 0 && !motion->model->reactions_act;
    for (size_t i = 0; i < kind->relations.count; i++) {
        Expr f = kind->relations.at[i].value, start;
        if (!all && !is_kept_by_ideal_conditions(motion, kind->relations.at[i].gradient))
            continue;
        bool solved = value_at_start(motion, f, &start) &&
                      solve_relation(&reducer, expr_sub(motion->pool, f, start));
        reduction->left += !solved;
    }
    reduction->left += kind->hidden - kind->relations.count;
    if (reduction->at.count > 1)
        qsort(reduction->at.at, reduction->at.count, sizeof *reduction->at.at, by_coordinate);
    base_free(reducer.kept);
}

void inquiry_reduction_clear(InquiryReduction *reduction)
{
    array_clear(&reduction->at);
}
