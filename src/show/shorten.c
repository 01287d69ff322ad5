// shorten.c: short forms for the expressions of a report, within an allowance.
//
// A long equation stays long, and finding that out is what takes time. So a report is gone
// through twice: the first time only to hear what it is going to show. Then those expressions are
// made short, equations before functions, small ones before large ones, until the allowance is
// spent; what is left is shown as it is. The allowance is in steps of work, not in seconds: the
// same input gives the same text. Where the shortest form found is too long to be read and the
// graph has fewer nodes, the graph is what is shown: it shares, and its parts can be named.
#include "show/show_impl.h"

#include <stdlib.h>
#include <string.h>

static const double EFFORT = 2e6;  // for each form; a step takes some tenths of a microsecond
static const double RESERVE = 0.1; // of that, for what was not heard of
static const double NAMING = 1;    // of that, for named quantities

typedef struct {
    Expr e;
    size_t size; // of its tree
    bool last;
} Wish;

// An expression as it was collected.
typedef struct {
    Expr e;
    const Expr *symbols; // the caller's, copied; `count` of them
    size_t count;
    ShowParts parts;
} Collected;

struct Shortening {
    Arena *arena;
    bool listening;
    ARRAY(Wish) wishes;
    ARRAY(Collected) collected; // since the last report began
    size_t next;                // the one that will probably be asked for
    double effort;
    uint32_t *sizes; // of trees, by node index; 0: not counted yet
    size_t size_count;
    ARRAY(uint32_t) shorts; // the short forms of this report, by node index; 0: none yet
    ARRAY(Expr) stack;      // while sizes are counted
};

Shortening *shortening_new(void)
{
    Shortening *shortening = base_alloc(sizeof *shortening);
    shortening->arena = arena_new();
    shortening->effort = EFFORT;
    return shortening;
}

void shortening_free(Shortening *shortening)
{
    arena_free(shortening->arena);
    array_clear(&shortening->wishes);
    array_clear(&shortening->collected);
    base_free(shortening->sizes);
    array_clear(&shortening->stack);
    array_clear(&shortening->shorts);
    base_free(shortening);
}

// ---- Sizes.

static void reserve_sizes(Shortening *shortening, size_t count)
{
    if (count <= shortening->size_count)
        return;
    size_t grown = count + count / 2, old = shortening->size_count;
    shortening->sizes = base_realloc(shortening->sizes, grown * sizeof *shortening->sizes);
    memset(shortening->sizes + old, 0, (grown - old) * sizeof *shortening->sizes);
    shortening->size_count = grown;
}

// The size of one node's tree; 0 where a child's is not known, which is put on the stack then.
static uint32_t size_from_children(const ExprPool *pool, Shortening *shortening, Expr e)
{
    const uint32_t most = UINT32_C(1) << 31;
    size_t waiting = shortening->stack.count;
    uint32_t size = 1;
    for (size_t i = 0; i < expr_arg_count(pool, e); i++) {
        Expr arg = expr_arg(pool, e, i);
        uint32_t part = shortening->sizes[arg.at];
        if (part == 0)
            array_push(&shortening->stack, arg);
        size = size < most - part ? size + part : most;
    }
    return shortening->stack.count > waiting ? 0 : size;
}

size_t show_tree_size(const Show *show, Expr e)
{
    Shortening *shortening = show->shortening;
    reserve_sizes(shortening, expr_pool_size(show->pool) + 1);
    shortening->stack.count = 0;
    array_push(&shortening->stack, e);
    while (shortening->stack.count > 0) {
        Expr top = shortening->stack.at[shortening->stack.count - 1];
        uint32_t size = shortening->sizes[top.at];
        if (size == 0)
            size = size_from_children(show->pool, shortening, top);
        if (size == 0)
            continue;
        shortening->sizes[top.at] = size;
        shortening->stack.count--;
    }
    return shortening->sizes[e.at];
}

size_t show_graph_size(const Show *show, Expr e)
{
    ExprList nodes = expr_nodes(show->pool, &e, 1);
    size_t count = nodes.count;
    expr_list_free(&nodes);
    return count;
}

// ---- Collecting. A report asks the second time what it asked the first time, in that order.

static bool is_same(const Collected *known, Expr e, const Expr *symbols, size_t count)
{
    bool same = expr_same(known->e, e) && known->count == count;
    for (size_t i = 0; i < count && same; i++)
        same = expr_same(known->symbols[i], symbols[i]);
    return same;
}

ShowParts show_parts(const Show *show, Expr e, const Expr *symbols, size_t count)
{
    Shortening *shortening = show->shortening;
    for (size_t i = 0; i < shortening->collected.count; i++) {
        size_t at = (shortening->next + i) % shortening->collected.count;
        const Collected *known = &shortening->collected.at[at];
        if (is_same(known, e, symbols, count)) {
            shortening->next = at + 1;
            return known->parts;
        }
    }
    Collected made = {.e = e, .count = count};
    size_t bytes = (count + 1) * sizeof(Expr);
    Expr *copy = arena_alloc(shortening->arena, bytes);
    Expr *coefficients = arena_alloc(shortening->arena, bytes);
    for (size_t i = 0; i < count; i++)
        copy[i] = symbols[i];
    made.symbols = copy;
    made.parts.coefficients = coefficients;
    made.parts.linear =
        expr_linear(show->motion->pool, e, symbols, count, coefficients, &made.parts.rest);
    array_push(&shortening->collected, made);
    return made.parts;
}

// ---- Short forms.

bool show_listens(const Show *show)
{
    return show->shortening->listening;
}

static Expr shortest(const Show *show, Expr e)
{
    Expr form = algebra_simplify_within(show->motion->algebra, e, &show->shortening->effort);
    bool readable = show->expand || show_tree_size(show, form) < quantities_readable(show);
    return readable || show_graph_size(show, form) < show_graph_size(show, e) ? form : e;
}

// While a report is written, the same form each time: the allowance gets less.
static Expr short_form(const Show *show, Expr e, bool last)
{
    Shortening *shortening = show->shortening;
    if (expr_is_number(show->pool, e) || expr_is_symbol(show->pool, e))
        return e;
    if (!shortening->listening) {
        while (shortening->shorts.count <= e.at)
            array_push(&shortening->shorts, 0);
        if (!shortening->shorts.at[e.at]) {
            uint32_t form = shortest(show, e).at;
            shortening->shorts.at[e.at] = form;
        }
        return (Expr){shortening->shorts.at[e.at]};
    }
    array_push(&shortening->wishes, ((Wish){e, show_tree_size(show, e), last}));
    return e;
}

Expr show_short(const Show *show, Expr e)
{
    return short_form(show, e, false);
}

Expr show_short_function(const Show *show, Expr e)
{
    return short_form(show, e, true);
}

static int by_size(const void *a, const void *b)
{
    const Wish *left = a, *right = b;
    if (left->last != right->last)
        return left->last ? 1 : -1;
    if (left->size != right->size)
        return left->size < right->size ? -1 : 1;
    return (left->e.at > right->e.at) - (left->e.at < right->e.at);
}

void show_in_short(const Show *show, Report report, Form *const *forms, size_t count, bool naive,
                   Text *out)
{
    Shortening *shortening = show->shortening;
    Text unread = {0};
    shortening->wishes.count = shortening->collected.count = shortening->next = 0;
    shortening->shorts.count = 0;
    shortening->listening = true;
    report(show, forms, count, naive, &unread);
    shortening->listening = false;
    text_clear(&unread);
    if (shortening->wishes.count > 0)
        qsort(shortening->wishes.at, shortening->wishes.count, sizeof(Wish), by_size);
    shortening->effort = EFFORT * (double)count;
    for (size_t i = 0; i < shortening->wishes.count && shortening->effort > 0; i++)
        show_short(show, shortening->wishes.at[i].e);
    shortening->effort += RESERVE * EFFORT;
    quantities_hear(show);
    report(show, forms, count, naive, &unread);
    text_clear(&unread);
    shortening->effort += NAMING * EFFORT;
    if (quantities_choose(show, &shortening->effort))
        report(show, forms, count, naive, out);
    quantities_forget(show);
}
