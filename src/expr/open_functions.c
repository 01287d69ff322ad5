// open_functions.c: functions left open: smooth, and otherwise unknown.
//
// A derivative of one is another open function of the same arguments. The order of differentiation
// does not matter (Schwarz), so that it is kept ascending: U'[2,1] is U'[1,2].
#include "expr/expr_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

// f, f', f'' of one argument; U, U'[1], U'[1,2] of more.
static void spell(const ExprOpen *open, Text *out)
{
    text_add(out, open->name);
    for (uint32_t i = 0; open->arity == 1 && i < open->order; i++)
        text_add_char(out, '\'');
    if (open->arity == 1 || open->order == 0)
        return;
    for (uint32_t i = 0; i < open->order; i++)
        text_addf(out, "%s%u", i == 0 ? "'[" : ",", open->by[i] + 1);
    text_add_char(out, ']');
}

// The function of this spelling and number of arguments, made where there is none.
static uint32_t intern(ExprPool *pool, const ExprOpen *wanted)
{
    Text text = {0};
    spell(wanted, &text);
    size_t length = text.length;
    text_addf(&text, "/%u", wanted->arity);
    uint32_t index;
    if (!name_map_get(pool->open_spellings, (Str){text.at, text.length}, &index)) {
        index = (uint32_t)pool->open.count;
        ExprOpen *open = arena_alloc(pool->arena, sizeof *open);
        *open = *wanted;
        open->spelling = arena_copy_text(pool->arena, text.at, length);
        open->name = arena_copy_text(pool->arena, wanted->name, strlen(wanted->name));
        uint32_t *by = arena_alloc(pool->arena, (wanted->order + 1) * sizeof *by);
        for (uint32_t i = 0; i < wanted->order; i++)
            by[i] = wanted->by[i];
        open->by = by;
        array_push(&pool->open, open);
        name_map_put(pool->open_spellings, (Str){text.at, text.length}, index);
    }
    text_clear(&text);
    return index;
}

void expr_open_declare(ExprPool *pool, const char *name, const char *const *arguments, size_t arity)
{
    uint32_t index = intern(pool, &(ExprOpen){.name = name, .arity = (uint32_t)arity});
    ExprOpen *open = pool->open.at[index];
    const char **kept = arena_alloc(pool->arena, arity * sizeof *kept);
    for (size_t i = 0; i < arity; i++)
        kept[i] = arena_copy_text(pool->arena, arguments[i], strlen(arguments[i]));
    open->arguments = kept;
}

void open_bind(ExprPool *pool, const char *name, const ExprTable *table)
{
    uint32_t index = intern(pool, &(ExprOpen){.name = name, .arity = 1});
    pool->open.at[index]->table = table;
}

// The node of the function `wanted`, whose `by` may be in any order and is sorted here.
static Expr value_of(ExprPool *pool, const char *name, uint32_t *by, size_t order, const Expr *args,
                     size_t arity)
{
    assert(arity > 0);
    if (order > 1)
        qsort(by, order, sizeof *by, by_number);
    ExprOpen plain = {.name = name, .arity = (uint32_t)arity};
    uint32_t function = intern(pool, &plain);
    plain.arguments = pool->open.at[function]->arguments;
    plain.table = pool->open.at[function]->table;
    plain.order = (uint32_t)order;
    plain.by = by;
    function = intern(pool, &plain);
    Link *links = base_alloc(arity * sizeof *links);
    for (size_t i = 0; i < arity; i++)
        links[i] = (Link){args[i].at, 0};
    Expr value = node_intern(pool, EXPR_OPEN, function, links, arity);
    base_free(links);
    return value;
}

Expr expr_open(ExprPool *pool, const char *name, const uint32_t *by, size_t order, const Expr *args,
               size_t arity)
{
    uint32_t *sorted = base_alloc((order + 1) * sizeof *sorted);
    for (size_t i = 0; i < order; i++) {
        assert(by[i] < arity);
        sorted[i] = by[i];
    }
    Expr value = value_of(pool, name, sorted, order, args, arity);
    base_free(sorted);
    return value;
}

const ExprOpen *expr_open_of(const ExprPool *pool, Expr e)
{
    assert(expr_op(pool, e) == EXPR_OPEN);
    return pool->open.at[node_of(pool, e)->value];
}

Expr open_rebuild(ExprPool *pool, Expr e, const Expr *args)
{
    const ExprOpen *open = expr_open_of(pool, e);
    return expr_open(pool, open->name, open->by, open->order, args, open->arity);
}

Expr open_partial(ExprPool *pool, Expr e, size_t by)
{
    const ExprOpen *open = expr_open_of(pool, e);
    uint32_t *more = base_alloc((open->order + 1) * sizeof *more);
    for (uint32_t i = 0; i < open->order; i++)
        more[i] = open->by[i];
    more[open->order] = (uint32_t)by;
    Expr *args = base_alloc(open->arity * sizeof *args);
    for (uint32_t i = 0; i < open->arity; i++)
        args[i] = expr_arg(pool, e, i);
    Expr partial = value_of(pool, open->name, more, open->order + 1, args, open->arity);
    base_free(args);
    base_free(more);
    return partial;
}

Expr expr_find_open(const ExprPool *pool, const Expr *roots, size_t count)
{
    if (pool->open.count == 0)
        return (Expr){0};
    ExprList nodes = expr_nodes(pool, roots, count);
    Expr found = {0};
    for (size_t i = 0; i < nodes.count && expr_is_none(found); i++)
        if (pool->nodes.at[nodes.at[i]].op == EXPR_OPEN &&
            !expr_open_of(pool, (Expr){nodes.at[i]})->table)
            found = (Expr){nodes.at[i]};
    expr_list_free(&nodes);
    return found;
}
