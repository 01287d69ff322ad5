// transform.c: substitution, and the coefficients of expressions that are linear to the eye.
#include "expr/expr_impl.h"

#include <assert.h>

// ---- Substitution.

struct ExprSubst {
    ExprPool *pool;
    Scratch *image; // of every node met so far
    ARRAY(Expr) args;
    bool bounds; // products of exponentials
};

ExprSubst *expr_subst_new(ExprPool *pool)
{
    ExprSubst *subst = base_alloc(sizeof *subst);
    subst->pool = pool;
    subst->image = scratch_take(pool);
    return subst;
}

void expr_subst_free(ExprSubst *subst)
{
    if (!subst)
        return;
    scratch_give(subst->pool, subst->image);
    array_clear(&subst->args);
    base_free(subst);
}

void expr_subst_set(ExprSubst *subst, Expr part, Expr value)
{
    assert(!expr_is_none(part));
    scratch_set(subst->image, part.at, value.at);
}

void expr_subst_bound(ExprSubst *subst)
{
    subst->bounds = true;
}

static uint32_t image_of_node(void *context, uint32_t index)
{
    ExprSubst *subst = context;
    const Node node = subst->pool->nodes.at[index];
    bool changed = false;
    subst->args.count = 0;
    for (size_t i = 0; i < node.count; i++) {
        uint32_t arg = subst->pool->links.at[node.first + i].arg;
        Expr image = {subst->image->value[arg]};
        changed = changed || image.at != arg;
        array_push(&subst->args, image);
    }
    Expr image = {index};
    if (changed)
        image = expr_rebuild(subst->pool, image, subst->args.at);
    return subst->bounds ? expr_bounded_node(subst->pool, image).at : image.at;
}

Expr expr_subst(ExprSubst *subst, Expr e)
{
    walk_children_first(subst->pool, subst->image, e, image_of_node, subst);
    return (Expr){subst->image->value[e.at]};
}

Expr expr_replace(ExprPool *pool, Expr e, const Expr *symbols, const Expr *values, size_t count)
{
    ExprSubst *subst = expr_subst_new(pool);
    for (size_t i = 0; i < count; i++)
        expr_subst_set(subst, symbols[i], values[i]);
    Expr image = expr_subst(subst, e);
    expr_subst_free(subst);
    return image;
}

void expr_bounded(ExprPool *pool, const Expr *from, size_t count, Expr *to)
{
    ExprSubst *subst = expr_subst_new(pool);
    expr_subst_bound(subst);
    for (size_t i = 0; i < count; i++)
        to[i] = expr_subst(subst, from[i]);
    expr_subst_free(subst);
}

// ---- Linear coefficients.

// Where no partial derivative holds a symbol they are the coefficients, and what is left for
// symbols that are 0 is the rest: one sweep backward, one pass forward, however many symbols.
bool expr_linear(ExprPool *pool, Expr e, const Expr *symbols, size_t count, Expr *coefficients,
                 Expr *rest)
{
    expr_gradient(pool, e, symbols, count, coefficients);
    Expr zero = expr_int(pool, 0);
    Scratch *wanted = scratch_take(pool);
    ExprSubst *without = expr_subst_new(pool);
    for (size_t i = 0; i < count; i++) {
        scratch_set(wanted, symbols[i].at, 1);
        expr_subst_set(without, symbols[i], zero);
    }
    ExprList nodes = expr_nodes(pool, coefficients, count);
    bool linear = true;
    for (size_t i = 0; i < nodes.count && linear; i++)
        linear = !scratch_has(wanted, nodes.at[i]);
    *rest = linear ? expr_subst(without, e) : e;
    expr_list_free(&nodes);
    expr_subst_free(without);
    scratch_give(pool, wanted);
    return linear;
}
