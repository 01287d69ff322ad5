// unilaterals.c: one-sided conditions that are alike: N balls have N(N − 1)/2 conditions of one
// shape.
//
// A condition's coordinates are replaced by symbols that count them; what is then the same
// expression is one shape, derived and lowered once, whatever the number of conditions.
#include "dynamics/unilaterals.h"
#include "base/diag.h"
#include "dynamics/equations_types.h"
#include "dynamics/pattern.h"
#include "dynamics/unilateral_pairs.h"
#include "expr/expr.h"
#include "linalg/real.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "program/program.h"

#include <assert.h>
#include <string.h>

// ---- What a condition knows.

// The coordinate of each symbol, by its index in the pool; n for others.
uint32_t *unilaterals_index_symbols(const Motion *motion)
{
    size_t count = expr_pool_size(motion->pool) + 1;
    uint32_t *index = base_alloc(count * sizeof *index);
    for (size_t i = 0; i < count; i++)
        index[i] = (uint32_t)motion->n;
    for (size_t i = 0; i < motion->n; i++)
        index[motion->q[i].at] = (uint32_t)i;
    return index;
}

void unilaterals_make_symbols(Unilaterals *unilaterals, const Motion *motion, size_t coordinates,
                              size_t constants)
{
    while (unilaterals->q.count < coordinates) {
        size_t next = unilaterals->q.count;
        array_push(&unilaterals->q, expr_placeholder(motion->pool, 'q', next));
        array_push(&unilaterals->v, expr_placeholder(motion->pool, 'v', next));
    }
    while (unilaterals->c.count < constants) {
        size_t next = unilaterals->c.count;
        array_push(&unilaterals->c, expr_placeholder(motion->pool, 'c', next));
    }
}

// The condition in the shapes' own symbols; its coordinates, *size of them, join the list.
static Expr generic(Unilaterals *unilaterals, const Motion *motion, const uint32_t *index,
                    Expr position, size_t *size)
{
    ExprList symbols = expr_symbols(motion->pool, &position, 1);
    ARRAY(Expr) own = {0};
    for (size_t i = 0; i < symbols.count; i++) {
        uint32_t coordinate = index[symbols.at[i]];
        if (coordinate == motion->n)
            continue;
        array_push(&unilaterals->coordinates, coordinate);
        array_push(&own, motion->q[coordinate]);
    }
    unilaterals_make_symbols(unilaterals, motion, own.count, 0);
    Expr shape = expr_replace(motion->pool, position, own.at, unilaterals->q.at, own.count);
    *size = own.count;
    array_clear(&own);
    expr_list_free(&symbols);
    return shape;
}

// ---- A shape.

static bool is_alike(const UnilateralShape *shape, const UnilateralShape *other)
{
    return expr_same(shape->position, other->position) &&
           expr_same(shape->restitution, other->restitution);
}

static void derive(const Unilaterals *unilaterals, const Motion *motion,
                   const UnilateralShape *shape, Expr *outputs)
{
    ExprPool *pool = motion->pool;
    size_t size = shape->size;
    ExprRates *along = expr_rates_new(pool);
    expr_rates_set(along, motion->model->t, expr_int(pool, 1));
    for (size_t i = 0; i < size; i++)
        expr_rates_set(along, unilaterals->q.at[i], unilaterals->v.at[i]);
    expr_gradient(pool, shape->position, unilaterals->q.at, size, outputs);
    outputs[size] = shape->position;
    outputs[size + 1] = expr_diff(pool, shape->position, motion->model->t);
    outputs[size + 2] = expr_rate(along, expr_rate(along, shape->position));
    outputs[size + 3] = shape->restitution;
    equations_terms(pool, shape->position, outputs + size + 4);
    expr_rates_free(along);
}

Status unilaterals_fail_missing(const Motion *motion, Expr missing, Diag *diag)
{
    return diag_error(diag, place_none(),
                      "a one-sided condition holds '%s', which has no value in a run",
                      expr_name(motion->pool, missing));
}

static Status lower(const Unilaterals *unilaterals, const Motion *motion, const double *params,
                    UnilateralShape *shape, Diag *diag)
{
    const Model *model = motion->model;
    shape->terms = equations_terms(motion->pool, shape->position, NULL);
    size_t given = unilaterals->params, size = shape->size, count = size + 4 + shape->terms;
    size_t places = given + 1 + size + shape->constants;
    Arena *arena = unilaterals->arena;
    assert(size <= unilaterals->q.count && shape->constants <= unilaterals->c.count);
    Expr *inputs = arena_array(arena, Expr, places + size), missing = {0};
    Expr *outputs = arena_array(arena, Expr, count);
    for (size_t i = 0; i < given; i++)
        inputs[i] = model->params.at[i].symbol;
    inputs[given] = model->t;
    memcpy(inputs + given + 1, unilaterals->q.at, size * sizeof *inputs);
    if (shape->constants > 0)
        memcpy(inputs + given + 1 + size, unilaterals->c.at, shape->constants * sizeof *inputs);
    memcpy(inputs + places, unilaterals->v.at, size * sizeof *inputs);
    derive(unilaterals, motion, shape, outputs);
    bool known =
        evaluator_init(&shape->f, motion->pool, inputs, places, &shape->position, 1, &missing) &&
        evaluator_init(&shape->row, motion->pool, inputs, places + size, outputs, count, &missing);
    if (!known)
        return unilaterals_fail_missing(motion, missing, diag);
    shape->inputs = real_alloc(arena, places + size);
    memcpy(shape->inputs, params, given * sizeof *params);
    shape->lanes = real_alloc(arena, places * PROGRAM_LANES);
    for (size_t i = 0; i < given * PROGRAM_LANES; i++)
        shape->lanes[i] = params[i / PROGRAM_LANES];
    shape->work = real_alloc(arena, program_registers(shape->f.program) * PROGRAM_LANES);
    return STATUS_OK;
}

Status unilaterals_add_shape(Unilaterals *unilaterals, const Motion *motion, const double *params,
                             UnilateralShape *shape, Diag *diag)
{
    array_push(&unilaterals->shapes, *shape);
    return lower(unilaterals, motion, params,
                 &unilaterals->shapes.at[unilaterals->shapes.count - 1], diag);
}

Status unilaterals_init(Unilaterals *unilaterals, Motion *motion, const double *params, Diag *diag)
{
    assert(motion && params && diag);
    *unilaterals = (Unilaterals){.arena = arena_new(),
                                 .motion = motion,
                                 .count = motion->side_count,
                                 .single = motion->side_count,
                                 .params = motion->model->params.count};
    array_reserve(&unilaterals->at, unilaterals->count + 1);
    unilaterals->at.count = unilaterals->count;
    uint32_t *index = unilaterals_index_symbols(motion);
    Status status = STATUS_OK;
    for (size_t i = 0; i < unilaterals->count && status == STATUS_OK; i++) {
        UnilateralShape own = {.restitution = motion->sides[i].constraint->restitution};
        unilaterals->at.at[i] =
            (UnilateralInstance){.first = (uint32_t)unilaterals->coordinates.count};
        own.position = generic(unilaterals, motion, index, motion->sides[i].position, &own.size);
        // Conditions of one loop follow each other.
        size_t shape = unilaterals->shapes.count;
        while (shape > 0 && !is_alike(&unilaterals->shapes.at[shape - 1], &own))
            shape--;
        if (shape == 0) {
            status = unilaterals_add_shape(unilaterals, motion, params, &own, diag);
            shape = unilaterals->shapes.count;
        }
        unilaterals->at.at[i].shape = (uint32_t)(shape - 1);
        array_push(&unilaterals->shapes.at[shape - 1].sides, (uint32_t)i);
    }
    base_free(index);
    return status == STATUS_OK ? unilateral_pairs_new(unilaterals, motion, params, diag) : status;
}

void unilaterals_clear(Unilaterals *unilaterals)
{
    for (size_t i = 0; i < unilaterals->shapes.count; i++) {
        evaluator_clear(&unilaterals->shapes.at[i].f);
        evaluator_clear(&unilaterals->shapes.at[i].row);
        array_clear(&unilaterals->shapes.at[i].sides);
    }
    unilateral_pairs_free(unilaterals->pairs);
    array_clear(&unilaterals->at);
    array_clear(&unilaterals->shapes);
    array_clear(&unilaterals->coordinates);
    array_clear(&unilaterals->constants);
    array_clear(&unilaterals->q);
    array_clear(&unilaterals->v);
    array_clear(&unilaterals->c);
    if (unilaterals->arena)
        arena_free(unilaterals->arena);
    *unilaterals = (Unilaterals){0};
}

// ---- Numbers.

UnilateralShape *unilaterals_shape(const Unilaterals *unilaterals, size_t side)
{
    assert(side < unilaterals->count);
    return &unilaterals->shapes.at[unilaterals->at.at[side].shape];
}

const ModelConstraint *unilaterals_condition(const Unilaterals *unilaterals, size_t side)
{
    assert(side < unilaterals->count);
    return side < unilaterals->single ? unilaterals->motion->sides[side].constraint
                                      : unilateral_pairs_condition(unilaterals->pairs, side);
}

// f of some conditions of a shape, as many as there are lanes; free lanes repeat the last.
static void find_positions(const Unilaterals *unilaterals, const UnilateralShape *shape,
                           size_t from, const double *q, double *positions)
{
    double *lanes = shape->lanes + (unilaterals->params + 1) * PROGRAM_LANES, found[PROGRAM_LANES];
    size_t last = shape->sides.count - 1;
    assert(from <= last);
    for (size_t lane = 0; lane < PROGRAM_LANES; lane++) {
        size_t side = shape->sides.at[from + lane < last ? from + lane : last];
        const UnilateralInstance *at = &unilaterals->at.at[side];
        const uint32_t *which = unilaterals->coordinates.at + at->first;
        for (size_t i = 0; i < shape->size; i++)
            lanes[i * PROGRAM_LANES + lane] = q[which[i]];
        for (size_t k = 0; k < shape->constants; k++)
            lanes[(shape->size + k) * PROGRAM_LANES + lane] =
                unilaterals->constants.at[at->first_constant + k];
    }
    program_run_lanes(shape->f.program, shape->lanes, found, shape->work);
    for (size_t lane = 0; lane < PROGRAM_LANES && from + lane <= last; lane++)
        positions[shape->sides.at[from + lane]] = found[lane];
}

void unilaterals_gaps(Unilaterals *unilaterals, double t, const double *q, double *positions)
{
    for (size_t s = 0; s < unilaterals->shapes.count; s++) {
        const UnilateralShape *shape = &unilaterals->shapes.at[s];
        for (size_t lane = 0; lane < PROGRAM_LANES; lane++)
            shape->lanes[unilaterals->params * PROGRAM_LANES + lane] = t;
        for (size_t from = 0; from < shape->sides.count; from += PROGRAM_LANES)
            find_positions(unilaterals, shape, from, q, positions);
    }
}

UnilateralRow unilaterals_row(Unilaterals *unilaterals, size_t side, double t, const double *q,
                              const double *v)
{
    assert(side < unilaterals->count && q && v);
    UnilateralShape *shape = unilaterals_shape(unilaterals, side);
    const uint32_t *which = unilaterals->coordinates.at + unilaterals->at.at[side].first;
    size_t size = shape->size, constants = shape->constants;
    double *inputs = shape->inputs + unilaterals->params;
    double *velocities = inputs + 1 + size + constants;
    inputs[0] = t;
    if (constants > 0)
        memcpy(inputs + 1 + size,
               unilaterals->constants.at + unilaterals->at.at[side].first_constant,
               constants * sizeof *inputs);
    for (size_t i = 0; i < size; i++) {
        inputs[1 + i] = q[which[i]];
        velocities[i] = v[which[i]];
    }
    evaluator_run(&shape->row, shape->inputs);
    const double *out = shape->row.out;
    UnilateralRow numbers = {.f = out[size],
                             .partial_t = out[size + 1],
                             .gamma = out[size + 2],
                             .restitution = out[size + 3],
                             .rate = out[size + 1],
                             .size = size,
                             .coordinates = which,
                             .gradient = out,
                             .terms = out + size + 4,
                             .term_count = shape->terms};
    for (size_t i = 0; i < size; i++)
        numbers.rate += out[i] * velocities[i];
    return numbers;
}
