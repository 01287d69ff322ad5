// friction_shapes.c: frictions that differ only in which coordinates they speak of are derived
// once: N balls have N(N − 1)/2 of one shape.
//
// What a derivation depends on is written in symbols that count its coordinates, in their order. If
// the same was derived before, its result is taken, with these coordinates in it.
#include "motion/definitions.h"
#include "motion/frictions.h"
#include "motion/motion_impl.h"

#include <assert.h>
#include <string.h>

typedef struct {
    size_t coordinates, given_count, rows;
    Expr *given;  // what it was derived from, and
    Expr *result; // the result, both in the shapes' own symbols
} FrictionShape;

struct FrictionShapes {
    Motion *motion;
    uint32_t *index; // of each symbol in the pool, when there were so many: its coordinate
    size_t index_count;
    ARRAY(Expr) own; // symbols: coordinates and velocities in turn
    ARRAY(FrictionShape) at;
    // Of the friction in hand: its coordinates, what it is derived from in own symbols, and the
    // symbols that these stand for.
    ARRAY(uint32_t) coordinates;
    ARRAY(Expr) given;
    ARRAY(Expr) symbols;
};

FrictionShapes *friction_shapes_new(Motion *motion)
{
    FrictionShapes *shapes = base_alloc(sizeof *shapes);
    *shapes = (FrictionShapes){.motion = motion, .index_count = expr_pool_size(motion->pool) + 1};
    shapes->index = base_alloc(shapes->index_count * sizeof *shapes->index);
    for (size_t i = 0; i < motion->n; i++)
        shapes->index[motion->q[i].at] = shapes->index[motion->v[i].at] = (uint32_t)(i + 1);
    return shapes;
}

void friction_shapes_free(FrictionShapes *shapes)
{
    base_free(shapes->index);
    array_clear(&shapes->own);
    array_clear(&shapes->at);
    array_clear(&shapes->coordinates);
    array_clear(&shapes->given);
    array_clear(&shapes->symbols);
    base_free(shapes);
}

// In their place.
static void replace_all(ExprPool *pool, Expr *list, size_t count, const Expr *from, const Expr *to,
                        size_t symbols)
{
    ExprSubst *subst = expr_subst_new(pool);
    for (size_t i = 0; i < symbols; i++)
        expr_subst_set(subst, from[i], to[i]);
    for (size_t i = 0; i < count; i++)
        list[i] = expr_subst(subst, list[i]);
    expr_subst_free(subst);
}

// ---- What a friction is derived from.

static bool moves(const FrictionSource *source, ExprPool *pool, size_t nu)
{
    return !vec_is_zero(pool, source->columns[nu]) ||
           (source->b && !expr_is_zero(pool, source->b[nu]));
}

// Its coordinates: those that it moves with, and all that stand in what it is derived from.
static void find_coordinates(FrictionShapes *shapes, const FrictionSource *source)
{
    const Motion *motion = shapes->motion;
    bool *known = base_alloc(motion->n + 1);
    shapes->given.count = shapes->coordinates.count = 0;
    for (size_t nu = 0; nu < motion->n; nu++) {
        known[nu] = moves(source, motion->pool, nu);
        if (!known[nu])
            continue;
        const Vec *column = &source->columns[nu];
        array_push(&shapes->given, source->b ? source->b[nu] : expr_int(motion->pool, 0));
        array_push(&shapes->given, column->x);
        array_push(&shapes->given, column->y);
        array_push(&shapes->given, column->z);
    }
    for (size_t i = 0; i < source->vector_count; i++) {
        array_push(&shapes->given, source->vectors[i].x);
        array_push(&shapes->given, source->vectors[i].y);
        array_push(&shapes->given, source->vectors[i].z);
    }
    ExprList symbols = expr_symbols(motion->pool, shapes->given.at, shapes->given.count);
    for (size_t i = 0; i < symbols.count; i++)
        if (symbols.at[i] < shapes->index_count && shapes->index[symbols.at[i]] > 0)
            known[shapes->index[symbols.at[i]] - 1] = true;
    expr_list_free(&symbols);
    for (size_t nu = 0; nu < motion->n; nu++)
        if (known[nu])
            array_push(&shapes->coordinates, (uint32_t)nu);
    // A coordinate that stands in it and does not move it: that is a part of the shape.
    for (size_t i = 0; i < shapes->coordinates.count; i++)
        array_push(&shapes->given,
                   expr_int(motion->pool, moves(source, motion->pool, shapes->coordinates.at[i])));
    base_free(known);
}

static void make_generic(FrictionShapes *shapes, const FrictionSource *source)
{
    const Motion *motion = shapes->motion;
    find_coordinates(shapes, source);
    shapes->symbols.count = 0;
    for (size_t i = 0; i < shapes->coordinates.count; i++) {
        array_push(&shapes->symbols, motion->q[shapes->coordinates.at[i]]);
        array_push(&shapes->symbols, motion->v[shapes->coordinates.at[i]]);
    }
    while (shapes->own.count < shapes->symbols.count) {
        Expr own = expr_placeholder(motion->pool, shapes->own.count % 2 ? 'v' : 'q',
                                    shapes->own.count / 2);
        array_push(&shapes->own, own);
    }
    replace_all(motion->pool, shapes->given.at, shapes->given.count, shapes->symbols.at,
                shapes->own.at, shapes->symbols.count);
}

// ---- The result as a list.

static size_t result_size(size_t coordinates, size_t rows)
{
    return 4 + rows * (6 + coordinates);
}

// Every expression of a result, by turns, so that it can be read and written.
static void visit(MotionFriction *friction, const FrictionShapes *shapes, Expr *list, bool write)
{
    size_t at = 0;
    Expr *head[] = {&friction->pressure, &friction->normal.x, &friction->normal.y,
                    &friction->normal.z};
    for (size_t i = 0; i < 4; i++, at++)
        *(write ? head[i] : &list[at]) = write ? list[at] : *head[i];
    for (size_t k = 0; k < friction->rows; k++) {
        MotionRow *row = &friction->sticks[k];
        Expr *own[] = {&friction->axes[k].x,
                       &friction->axes[k].y,
                       &friction->axes[k].z,
                       &row->velocity,
                       &row->c,
                       &row->gamma};
        for (size_t i = 0; i < 6; i++, at++)
            *(write ? own[i] : &list[at]) = write ? list[at] : *own[i];
        for (size_t i = 0; i < shapes->coordinates.count; i++, at++) {
            Expr *b = &row->b[shapes->coordinates.at[i]];
            *(write ? b : &list[at]) = write ? list[at] : *b;
        }
    }
}

static void take_result(const FrictionShapes *shapes, const FrictionShape *shape,
                        MotionFriction *friction)
{
    const Motion *motion = shapes->motion;
    size_t count = result_size(shape->coordinates, shape->rows);
    Expr *list = base_alloc(count * sizeof *list);
    memcpy(list, shape->result, count * sizeof *list);
    replace_all(motion->pool, list, count, shapes->own.at, shapes->symbols.at,
                shapes->symbols.count);
    friction->rows = shape->rows;
    for (size_t k = 0; k < shape->rows; k++) {
        MotionRow *row = &friction->sticks[k];
        *row = (MotionRow){.constraint = &motion->model->sticks.at[friction->friction->stick + k],
                           .linear = true};
        row->b = row->d = arena_alloc(motion->arena, motion->n * sizeof(Expr));
        for (size_t nu = 0; nu < motion->n; nu++)
            row->b[nu] = expr_int(motion->pool, 0);
    }
    visit(friction, shapes, list, true);
    base_free(list);
}

bool friction_shapes_find(FrictionShapes *shapes, const FrictionSource *source,
                          MotionFriction *friction)
{
    make_generic(shapes, source);
    for (size_t i = shapes->at.count; i-- > 0;) {
        const FrictionShape *shape = &shapes->at.at[i];
        if (shape->coordinates == shapes->coordinates.count &&
            shape->given_count == shapes->given.count &&
            memcmp(shape->given, shapes->given.at, shape->given_count * sizeof(Expr)) == 0) {
            take_result(shapes, shape, friction);
            return true;
        }
    }
    return false;
}

void friction_shapes_keep(FrictionShapes *shapes, MotionFriction *friction)
{
    const Motion *motion = shapes->motion;
    size_t count = result_size(shapes->coordinates.count, friction->rows);
    FrictionShape shape = {.coordinates = shapes->coordinates.count,
                           .given_count = shapes->given.count,
                           .rows = friction->rows,
                           .given = arena_array(motion->arena, Expr, shapes->given.count + 1),
                           .result = arena_array(motion->arena, Expr, count + 1)};
    memcpy(shape.given, shapes->given.at, shape.given_count * sizeof(Expr));
    visit(friction, shapes, shape.result, false);
    replace_all(motion->pool, shape.result, count, shapes->symbols.at, shapes->own.at,
                shapes->symbols.count);
    array_push(&shapes->at, shape);
}
