// naming_table.c: the table of the names that are tried, and what their parts cost.
#include "show/naming_table_impl.h"

#include "show/show_impl.h"
#include "show/tree_size_impl.h"

#include <assert.h>

enum { LONGEST_SIMPLIFIED = 600 }; // nodes of what is made short

size_t naming_size(const Naming *naming, Expr e)
{
    return show_tree_size(naming->show, e);
}

uint32_t naming_get(const Places *places, Expr e)
{
    return e.at < places->count ? places->at[e.at] : 0;
}

void naming_set(Places *places, Expr e, size_t place)
{
    assert(!expr_is_none(e));
    while (places->count <= e.at)
        array_push(places, 0);
    places->at[e.at] = (uint32_t)place + 1;
}

Name *naming_name(const Naming *naming, Expr symbol)
{
    uint32_t place = naming_get(&naming->owner, symbol);
    return place ? &naming->names.at[place - 1] : NULL;
}

// No single one may use up the allowance.
Expr naming_simplify(Naming *naming, Expr e)
{
    assert(naming->effort);
    if (naming_size(naming, e) > LONGEST_SIMPLIFIED || *naming->effort <= 0)
        return e;
    double before = *naming->effort < naming->share ? *naming->effort : naming->share;
    double left = before;
    Expr form = algebra_simplify_within(naming->show->motion->algebra, e, &left);
    *naming->effort -= before - left;
    return form;
}

Expr naming_rebuilt(Naming *naming, Expr node)
{
    assert(naming->image);
    bool changed = false;
    naming->args.count = 0;
    for (size_t i = 0; i < expr_arg_count(naming->pool, node); i++) {
        Expr arg = expr_arg(naming->pool, node, i), image = {naming->image[arg.at]};
        changed = changed || !expr_same(arg, image);
        array_push(&naming->args, image);
    }
    return changed ? expr_rebuild(naming->pool, node, naming->args.at) : node;
}

// How long a part may be: a line has room for all of its parts.
size_t naming_size_limit(const ShowPart *part)
{
    size_t parts = part->in_line ? part->in_line : 1, share = 2 * LINE / parts;
    return share > LINE ? LINE : share < SHORTEST_PART ? SHORTEST_PART : share;
}
