// rates_parameters.c: parameters as inputs of a program: what they determine gets names, so that it
// is worked out once a run, and multiplies as one number does.
#include "dynamics/rates_impl.h"
#include "expr/expr.h"
#include "model/system.h"

#include <assert.h>
#include <string.h>

// ---- What is constant.

static bool has_constant_args(const ExprPool *pool, const bool *constant, Expr e)
{
    size_t count = expr_arg_count(pool, e);
    for (size_t i = 0; i < count; i++)
        if (!constant[expr_arg(pool, e, i).at])
            return false;
    return count > 0 || expr_is_number(pool, e) || expr_op(pool, e) == EXPR_PI;
}

// A child's index is below its parent's, so that a pass over all nodes is enough.
static const bool *find_constants(RatesBuilder *builder)
{
    const Model *model = builder->motion->model;
    size_t size = expr_pool_size(builder->pool) + 1, known = builder->parameters.constant_count;
    if (size <= known)
        return builder->parameters.constant;
    if (size > builder->parameters.constant_room) {
        bool *constant = arena_array(builder->arena, bool, 2 * size);
        for (size_t i = 0; i < known; i++)
            constant[i] = builder->parameters.constant[i];
        builder->parameters.constant = constant;
        builder->parameters.constant_room = 2 * size;
    }
    for (size_t i = 0; i < model->params.count && known == 0; i++)
        builder->parameters.constant[model->params.at[i].symbol.at] = true;
    for (size_t i = 0; i < builder->n && known == 0; i++)
        builder->parameters.constant[builder->parameters.scales[i].at] = true;
    // So are their names.
    for (size_t i = 0; i < builder->parameters.names.count; i++)
        builder->parameters.constant[builder->parameters.names.at[i].symbol.at] = true;
    for (size_t i = known > 0 ? known : 1; i < size; i++)
        builder->parameters.constant[i] =
            builder->parameters.constant[i] ||
            has_constant_args(builder->pool, builder->parameters.constant, (Expr){(uint32_t)i});
    builder->parameters.constant_count = size;
    return builder->parameters.constant;
}

bool builder_is_constant(RatesBuilder *builder, Expr e)
{
    if (!builder->recipe.inputs)
        return expr_is_number(builder->pool, e);
    return find_constants(builder)[e.at];
}

// ---- Names.

static Expr constant_name(RatesBuilder *builder, Expr e)
{
    ExprPool *pool = builder->pool;
    fmpq_t factor;
    if (expr_is_number(pool, e) || expr_is_symbol(pool, e))
        return e;
    fmpq_init(factor);
    Expr rest = expr_strip(pool, e, factor);
    if (!expr_is_symbol(pool, rest) && !expr_is_number(pool, rest))
        rest = builder_name_constant(builder, rest);
    e = expr_mul(pool, expr_number(pool, factor), rest);
    fmpq_clear(factor);
    return e;
}

static bool has_constant_factor(RatesBuilder *builder, Expr product)
{
    for (size_t i = 0; i < expr_arg_count(builder->pool, product); i++)
        if (builder_is_constant(builder, expr_arg(builder->pool, product, i)))
            return true;
    return false;
}

// constant·rest
void builder_take_constant(RatesBuilder *builder, Expr e, Expr *constant, Expr *rest)
{
    assert(!expr_is_none(e) && constant != rest);
    ExprPool *pool = builder->pool;
    *constant = expr_int(pool, 1);
    *rest = e;
    if (builder_is_constant(builder, e)) {
        *constant = e;
        *rest = expr_int(pool, 1);
    } else if (expr_op(pool, e) == EXPR_PRODUCT && has_constant_factor(builder, e)) {
        *rest = *constant;
        *constant = expr_number(pool, expr_value(pool, e));
        for (size_t i = 0; i < expr_arg_count(pool, e); i++) {
            Expr arg = expr_arg(pool, e, i);
            Expr power = expr_pow(pool, arg, expr_number(pool, expr_arg_weight(pool, e, i)));
            Expr *into = builder_is_constant(builder, arg) ? constant : rest;
            *into = expr_mul(pool, *into, power);
        }
    }
}

// ---- Sums and products with one constant for each term.

static Expr gather_sum(RatesBuilder *builder, Expr e)
{
    ExprPool *pool = builder->pool;
    assert(expr_op(pool, e) == EXPR_SUM);
    size_t count = expr_arg_count(pool, e), groups = 1;
    Expr *constants = base_alloc(2 * (count + 1) * sizeof *constants);
    Expr *rests = constants + count + 1;
    constants[0] = expr_number(pool, expr_value(pool, e));
    rests[0] = expr_int(pool, 1);
    for (size_t i = 0; i < count; i++) {
        Expr constant, rest;
        size_t at = 0;
        builder_take_constant(builder, expr_arg(pool, e, i), &constant, &rest);
        constant = expr_mul(pool, expr_number(pool, expr_arg_weight(pool, e, i)), constant);
        while (at < groups && !expr_same(rests[at], rest))
            at++;
        constants[at] = at < groups ? expr_add(pool, constants[at], constant) : constant;
        rests[at] = rest;
        groups += at == groups;
    }
    for (size_t i = 0; i < groups; i++)
        constants[i] = expr_mul(pool, constant_name(builder, constants[i]), rests[i]);
    e = expr_sum(pool, constants, groups);
    base_free(constants);
    return e;
}

static Expr gather(RatesBuilder *builder, Expr e)
{
    ExprPool *pool = builder->pool;
    Expr constant, rest;
    if (!builder_is_constant(builder, e) && expr_op(pool, e) == EXPR_SUM)
        return gather_sum(builder, e);
    if (builder_is_constant(builder, e) || expr_op(pool, e) != EXPR_PRODUCT)
        return e;
    builder_take_constant(builder, e, &constant, &rest);
    return expr_mul(pool, constant_name(builder, constant), rest);
}

// Room for every node of the pool; what was found stays.
static Expr *reserve_gathered(RatesBuilder *builder)
{
    size_t size = expr_pool_size(builder->pool) + 1;
    if (size > builder->parameters.gathered_room) {
        Expr *gathered = arena_array(builder->arena, Expr, 2 * size);
        if (builder->parameters.gathered_room)
            memcpy(gathered, builder->parameters.gathered,
                   builder->parameters.gathered_room * sizeof *gathered);
        builder->parameters.gathered = gathered;
        builder->parameters.gathered_room = 2 * size;
    }
    return builder->parameters.gathered;
}

// Children first; each node once in the builder's life.
static Expr gather_node(RatesBuilder *builder, Expr e)
{
    ExprPool *pool = builder->pool;
    size_t count = expr_arg_count(pool, e);
    // What is constant as a whole gets its name where it meets something that moves.
    if (count == 0 || builder_is_constant(builder, e))
        return e;
    Expr *args = base_alloc(count * sizeof *args);
    bool changed = false;
    for (size_t i = 0; i < count; i++) {
        args[i] = builder->parameters.gathered[expr_arg(pool, e, i).at];
        changed = changed || !expr_same(args[i], expr_arg(pool, e, i));
    }
    if (changed)
        e = expr_rebuild(pool, e, args);
    base_free(args);
    return gather(builder, e);
}

void builder_gather_constants(RatesBuilder *builder, Expr *exprs, size_t count)
{
    assert(builder->recipe.inputs);
    reserve_gathered(builder);
    ExprList nodes = expr_nodes(builder->pool, exprs, count);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr e = {nodes.at[i]};
        if (expr_is_none(builder->parameters.gathered[e.at]))
            builder->parameters.gathered[e.at] = gather_node(builder, e);
    }
    for (size_t i = 0; i < count; i++)
        exprs[i] = builder->parameters.gathered[exprs[i].at];
    expr_list_free(&nodes);
}
