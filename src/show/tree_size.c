// tree_size.c: how long an expression is when it is written: the nodes of its tree, in which what
// the graph shares stands again and again.
#include "show/tree_size_impl.h"

#include "show/show_impl.h"

#include <assert.h>
#include <string.h>

struct TreeSizes {
    uint32_t *of; // by node index; 0: not counted yet
    size_t count;
    ARRAY(Expr) stack; // while one is counted
};

TreeSizes *tree_sizes_new(void)
{
    return base_alloc(sizeof(TreeSizes));
}

void tree_sizes_free(TreeSizes *sizes)
{
    base_free(sizes->of);
    array_clear(&sizes->stack);
    base_free(sizes);
}

static void reserve_sizes(TreeSizes *sizes, size_t count)
{
    if (count <= sizes->count)
        return;
    size_t grown = count + count / 2, old = sizes->count;
    sizes->of = base_realloc(sizes->of, grown * sizeof *sizes->of);
    memset(sizes->of + old, 0, (grown - old) * sizeof *sizes->of);
    sizes->count = grown;
}

// The size of one node's tree; 0 where a child's is not known, which is put on the stack then.
static uint32_t size_from_children(const ExprPool *pool, TreeSizes *sizes, Expr e)
{
    const uint32_t most = UINT32_C(1) << 31;
    size_t waiting = sizes->stack.count;
    uint32_t size = 1;
    for (size_t i = 0; i < expr_arg_count(pool, e); i++) {
        Expr arg = expr_arg(pool, e, i);
        uint32_t part = sizes->of[arg.at];
        if (part == 0)
            array_push(&sizes->stack, arg);
        size = size < most - part ? size + part : most;
    }
    return sizes->stack.count > waiting ? 0 : size;
}

size_t show_tree_size(const Show *show, Expr e)
{
    assert(!expr_is_none(e));
    TreeSizes *sizes = show->sizes;
    reserve_sizes(sizes, expr_pool_size(show->pool) + 1);
    sizes->stack.count = 0;
    array_push(&sizes->stack, e);
    while (sizes->stack.count > 0) {
        Expr top = sizes->stack.at[sizes->stack.count - 1];
        uint32_t size = sizes->of[top.at];
        if (size == 0)
            size = size_from_children(show->pool, sizes, top);
        if (size == 0)
            continue;
        sizes->of[top.at] = size;
        sizes->stack.count--;
    }
    return sizes->of[e.at];
}

size_t show_graph_size(const Show *show, Expr e)
{
    assert(!expr_is_none(e));
    ExprList nodes = expr_nodes(show->pool, &e, 1);
    size_t count = nodes.count;
    expr_list_free(&nodes);
    return count;
}
