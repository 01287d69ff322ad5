// walk.c: passes over a graph, children before parents, with a stack of our own instead of
// recursion, so that depth costs memory and nothing else.
#include "expr/expr_impl.h"

#include <stdlib.h>

typedef struct {
    uint32_t node, next_child;
} Step;

void walk_children_first(const ExprPool *pool, Scratch *done, Expr root, NodeVisit visit,
                         void *context)
{
    if (scratch_has(done, root.at))
        return;
    ARRAY(Step) stack = {0};
    array_push(&stack, ((Step){root.at, 0}));
    while (stack.count > 0) {
        Step *top = &stack.at[stack.count - 1];
        const Node *node = &pool->nodes.at[top->node];
        uint32_t child = 0;
        while (top->next_child < node->count && child == 0) {
            uint32_t arg = pool->links.at[node->first + top->next_child++].arg;
            if (!scratch_has(done, arg))
                child = arg;
        }
        if (child) {
            array_push(&stack, ((Step){child, 0}));
            continue;
        }
        uint32_t index = top->node;
        stack.count--;
        scratch_set(done, index, visit(context, index));
    }
    array_clear(&stack);
}

typedef struct {
    ARRAY(uint32_t) nodes;
} NodeGather;

static uint32_t gather_node(void *context, uint32_t node)
{
    NodeGather *gather = context;
    array_push(&gather->nodes, node);
    return 0;
}

ExprList expr_nodes(const ExprPool *pool, const Expr *roots, size_t count)
{
    NodeGather gather = {0};
    Scratch *seen = scratch_take(pool);
    for (size_t i = 0; i < count; i++)
        walk_children_first(pool, seen, roots[i], gather_node, &gather);
    scratch_give(pool, seen);
    return (ExprList){gather.nodes.at, gather.nodes.count};
}

void expr_list_free(ExprList *list)
{
    base_free(list->at);
    *list = (ExprList){0};
}

static int index_order(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

ExprList expr_symbols(const ExprPool *pool, const Expr *roots, size_t count)
{
    ExprList nodes = expr_nodes(pool, roots, count);
    size_t kept = 0;
    for (size_t i = 0; i < nodes.count; i++)
        if (expr_is_symbol(pool, (Expr){nodes.at[i]}))
            nodes.at[kept++] = nodes.at[i];
    nodes.count = kept;
    if (kept)
        qsort(nodes.at, kept, sizeof *nodes.at, index_order);
    return nodes;
}

bool expr_holds(const ExprPool *pool, Expr e, Expr symbol)
{
    return expr_holds_any(pool, e, &symbol, 1);
}

bool expr_holds_any(const ExprPool *pool, Expr e, const Expr *symbols, size_t count)
{
    Scratch *wanted = scratch_take(pool);
    for (size_t i = 0; i < count; i++)
        scratch_set(wanted, symbols[i].at, 1);
    ExprList nodes = expr_nodes(pool, &e, 1);
    bool found = false;
    for (size_t i = 0; i < nodes.count && !found; i++)
        found = scratch_has(wanted, nodes.at[i]);
    expr_list_free(&nodes);
    scratch_give(pool, wanted);
    return found;
}
