// naming_lines.c: which of the names that were tried are kept, and what is written with them.
#include "show/naming_table_impl.h"

#include "show/show_impl.h"

#include <assert.h>

// ---- What a name saves. Only now is it known how often each would be written.

// Adds how often the names in e are written, where e itself is written `times` times.
static void count_names(Naming *naming, Expr e, double times)
{
    naming->stack.count = 0;
    array_push(&naming->stack, e);
    while (naming->stack.count > 0) {
        Expr top = naming->stack.at[--naming->stack.count];
        Name *name = naming_name(naming, top);
        if (name)
            name->uses += times;
        for (size_t i = 0; i < expr_arg_count(naming->pool, top); i++)
            array_push(&naming->stack, expr_arg(naming->pool, top, i));
    }
}

// From the last name to the first: behind all that could use it.
static void choose_names(Naming *naming)
{
    for (size_t i = 0; i < naming->part_count; i++)
        count_names(naming, naming->parts[i].image, 1);
    for (size_t i = naming->names.count; i-- > 0;) {
        Name *name = &naming->names.at[i];
        double size = (double)naming_size(naming, name->value), saved = (name->uses - 1) * size;
        name->kept = saved >= WORTH_SHARING;
        if (name->uses > 0)
            count_names(naming, name->value, name->kept ? 1 : name->uses);
    }
}

// The expression with the names written out that are not kept.
static Expr written_out(Naming *naming, Expr e)
{
    ExprList symbols = expr_symbols(naming->pool, &e, 1);
    ExprSubst *subst = expr_subst_new(naming->pool);
    for (size_t i = 0; i < symbols.count; i++) {
        const Name *name = naming_name(naming, (Expr){symbols.at[i]});
        if (name && !name->kept)
            expr_subst_set(subst, name->symbol, name->written);
    }
    Expr written = expr_subst(subst, e);
    expr_subst_free(subst);
    expr_list_free(&symbols);
    return written;
}

// The longest of the names in e that are not kept; NULL where none is worth keeping.
static Name *longest_name(const Naming *naming, Expr e)
{
    ExprList symbols = expr_symbols(naming->pool, &e, 1);
    Name *longest = NULL;
    size_t most = WORTH_A_NAME - 1;
    for (size_t i = 0; i < symbols.count; i++) {
        Name *name = naming_name(naming, (Expr){symbols.at[i]});
        if (!name || name->kept || naming_size(naming, name->written) <= most)
            continue;
        most = naming_size(naming, name->written);
        longest = name;
    }
    expr_list_free(&symbols);
    return longest;
}

// A line with as few names as it has room for.
static Expr written_within(Naming *naming, Expr e, size_t room)
{
    Expr written = written_out(naming, e);
    while (naming_size(naming, written) > room) {
        Name *longest = longest_name(naming, e);
        if (!longest)
            break;
        longest->kept = true;
        written = written_out(naming, e);
    }
    return written;
}

// The value of a name without names, from those of the names before it.
static Expr full_value(Naming *naming, const Name *name, const Expr *full)
{
    ExprList nodes = expr_nodes(naming->pool, &name->value, 1);
    size_t places = expr_pool_size(naming->pool) + 1;
    naming->image = base_realloc(naming->image, places * sizeof *naming->image);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]};
        const Name *inner = naming_name(naming, node);
        naming->image[node.at] =
            inner ? full[inner - naming->names.at].at : naming_rebuilt(naming, node).at;
    }
    expr_list_free(&nodes);
    return (Expr){naming->image[name->value.at]};
}

// Names that turn out to be equal, or opposite, or zero, whatever their values look like.
static void merge_names(Naming *naming)
{
    size_t count = naming->names.count;
    Expr *full = base_alloc((count + 1) * sizeof *full);
    AlgebraSame *same = base_alloc((count + 1) * sizeof *same);
    for (size_t i = 0; i < count; i++)
        full[i] = full_value(naming, &naming->names.at[i], full);
    algebra_find_same(naming->show->motion->algebra, full, count, same);
    for (size_t i = 0; i < count; i++) {
        Name *name = &naming->names.at[i];
        Expr sign = expr_int(naming->pool, same[i].sign);
        if (same[i].as != i || same[i].sign == 0)
            name->value = expr_mul(naming->pool, sign, naming->names.at[same[i].as].symbol);
    }
    base_free(full);
    base_free(same);
}

// What a name stands for at last. Where that is short, or has a name already, it is no name.
static void write_name(Naming *naming, Name *name)
{
    name->written = naming_simplify(naming, written_within(naming, name->value, LINE));
    uint32_t same = naming_get(&naming->lines, name->written);
    if (same)
        name->written = naming->names.at[same - 1].symbol;
    if (same || naming_size(naming, name->written) < SHORTEST_SHARED)
        name->kept = false;
    else if (name->kept)
        naming_set(&naming->lines, name->written, (size_t)(name - naming->names.at));
}

void naming_write_lines(Naming *naming)
{
    assert(naming->parts || naming->part_count == 0);
    merge_names(naming);
    choose_names(naming);
    for (size_t i = 0; i < naming->names.count; i++)
        if (naming->names.at[i].uses > 0)
            write_name(naming, &naming->names.at[i]);
    for (size_t i = 0; i < naming->part_count; i++) {
        ShowPart *part = &naming->parts[i];
        part->image = written_within(naming, part->image, naming_size_limit(part));
    }
}

// ---- Short sums that stand in very many places. They come last: a name hides what it stands
// for from whoever makes the lines short.

typedef ARRAY(Expr *) Lines;

static Lines all_lines(Naming *naming)
{
    Lines lines = {0};
    for (size_t i = 0; i < naming->names.count; i++)
        if (naming->names.at[i].kept && naming->names.at[i].uses > 0)
            array_push(&lines, &naming->names.at[i].written);
    for (size_t i = 0; i < naming->part_count; i++)
        array_push(&lines, &naming->parts[i].image);
    return lines;
}

// How often each sum stands in the lines, by its index.
static void count_sums(Naming *naming, const Lines *lines, uint32_t *counts)
{
    for (size_t i = 0; i < lines->count; i++) {
        naming->stack.count = 0;
        array_push(&naming->stack, *lines->at[i]);
        while (naming->stack.count > 0) {
            Expr top = naming->stack.at[--naming->stack.count];
            bool inside = !expr_same(top, *lines->at[i]);
            counts[top.at] += inside && expr_op(naming->pool, top) == EXPR_SUM;
            for (size_t k = 0; k < expr_arg_count(naming->pool, top); k++)
                array_push(&naming->stack, expr_arg(naming->pool, top, k));
        }
    }
}

// The sum whose name would save most; none where none saves enough.
static Expr most_repeated(Naming *naming, const Lines *lines)
{
    size_t nodes = expr_pool_size(naming->pool) + 1, most = WORTH_SHARING_SHORT - 1;
    uint32_t *counts = base_alloc(nodes * sizeof *counts);
    count_sums(naming, lines, counts);
    Expr best = {0};
    for (uint32_t at = 1; at < nodes; at++) {
        if (counts[at] < 2 || naming_size(naming, (Expr){at}) < SHORTEST_SHARED)
            continue;
        size_t saved = (counts[at] - 1) * (naming_size(naming, (Expr){at}) - 1);
        if (saved > most) {
            most = saved;
            best = (Expr){at};
        }
    }
    base_free(counts);
    return best;
}

// The line with another expression in the place of a part.
static Expr replaced(Naming *naming, Expr line, Expr part, Expr by)
{
    ExprList nodes = expr_nodes(naming->pool, &line, 1);
    size_t places = expr_pool_size(naming->pool) + 1;
    naming->image = base_realloc(naming->image, places * sizeof *naming->image);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]};
        naming->image[node.at] = expr_same(node, part) ? by.at : naming_rebuilt(naming, node).at;
    }
    expr_list_free(&nodes);
    return (Expr){naming->image[line.at]};
}

// The name that is written with just this sum; none where there is none.
static Expr symbol_written(const Naming *naming, Expr sum)
{
    for (size_t i = 0; i < naming->names.count; i++) {
        const Name *name = &naming->names.at[i];
        if (name->kept && name->uses > 0 && expr_same(name->written, sum))
            return name->symbol;
    }
    return (Expr){0};
}

static void add_name(Naming *naming, Expr symbol, Expr sum)
{
    Name name = {.symbol = symbol, .value = sum, .written = sum, .uses = 2, .kept = true};
    naming_set(&naming->owner, symbol, naming->names.count);
    array_push(&naming->names, name);
}

void naming_share_short_sums(Naming *naming)
{
    for (;;) {
        Lines lines = all_lines(naming);
        Expr sum = most_repeated(naming, &lines);
        if (!expr_is_none(sum)) {
            Expr symbol = symbol_written(naming, sum);
            bool is_new = expr_is_none(symbol);
            if (is_new)
                symbol = expr_symbol_new(naming->pool, "z");
            for (size_t i = 0; i < lines.count; i++)
                if (!expr_same(*lines.at[i], sum))
                    *lines.at[i] = replaced(naming, *lines.at[i], sum, symbol);
            if (is_new)
                add_name(naming, symbol, sum);
        }
        array_clear(&lines);
        if (expr_is_none(sum))
            break;
    }
}
