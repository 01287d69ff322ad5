// naming.c: which parts of long expressions get a name, so that each line can be read.
//
// One pass over the graph, from the leaves up, writes every node over the images of its
// children. A part gets a name where it stands in several places and is long enough to save
// something, and where the line that holds it would become too long. What a name stands for is
// made short with the earlier names as plain symbols. Nodes that are proved to be equal count as
// one. Then names that save little are written out again as far as the lines have room
// (naming_lines.c), and the rest is numbered in the order in which it is needed.
#include "show/naming_impl.h"

#include "show/naming_table_impl.h"
#include "show/show_impl.h"
#include "show/symbol_class_impl.h"

#include <assert.h>

enum {
    SHARES = 400,         // of the allowance, of which one expression gets one
    MOST_COMPARED = 20000 // nodes of a graph in which equal ones are looked for
};

// ---- Names.

// The symbol that stands for e, or for −e with *minus; a new one where there is none.
static Expr symbol_for(Naming *naming, Expr e, bool *minus)
{
    uint32_t same = naming_get(&naming->known, e);
    uint32_t opposite = naming_get(&naming->known, expr_neg(naming->pool, e));
    *minus = !same && opposite;
    if (same || opposite)
        return naming->names.at[(same ? same : opposite) - 1].symbol;
    Expr symbol = expr_symbol_new(naming->pool, "z");
    naming_set(&naming->owner, symbol, naming->names.count);
    naming_set(&naming->known, e, naming->names.count);
    array_push(&naming->names, ((Name){.symbol = symbol, .value = e}));
    return symbol;
}

// A name for e without its rational factor.
static Expr name_whole(Naming *naming, Expr e)
{
    fmpq_t factor;
    fmpq_init(factor);
    bool minus;
    Expr rest = expr_strip(naming->pool, e, factor);
    Expr symbol = symbol_for(naming, rest, &minus);
    if (minus)
        fmpq_neg(factor, factor);
    symbol = expr_mul(naming->pool, expr_number(naming->pool, factor), symbol);
    fmpq_clear(factor);
    return symbol;
}

// Gives e a name, or the one factor of it that makes it long; what is short goes without.
static Expr named(Naming *naming, Expr e)
{
    ExprPool *pool = naming->pool;
    e = naming_simplify(naming, e);
    size_t size = naming_size(naming, e), count = expr_arg_count(pool, e);
    if (size < WORTH_A_NAME)
        return e;
    if (expr_op(pool, e) != EXPR_PRODUCT)
        return name_whole(naming, e);
    naming->args.count = 0;
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        Expr arg = expr_arg(pool, e, i);
        size_t its = naming_size(naming, arg);
        bool longest = its + WORTH_A_NAME > size && its >= WORTH_A_NAME;
        array_push(&naming->args, longest && !found ? name_whole(naming, arg) : arg);
        found = found || longest;
    }
    return found ? expr_rebuild(pool, e, naming->args.at) : name_whole(naming, e);
}

// ---- Sums of very many terms.

// A term of a sum with its weight.
static Expr term_of(Naming *naming, Expr sum, size_t index)
{
    Expr weight = expr_number(naming->pool, expr_arg_weight(naming->pool, sum, index));
    return expr_mul(naming->pool, weight, expr_arg(naming->pool, sum, index));
}

// The sum in pieces that fit a line, each with a name.
static Expr in_pieces(Naming *naming, Expr sum)
{
    ExprPool *pool = naming->pool;
    Expr whole = expr_number(pool, expr_value(pool, sum)), piece = expr_int(pool, 0);
    size_t count = expr_arg_count(pool, sum);
    for (size_t i = 0; i < count; i++) {
        piece = expr_add(pool, piece, term_of(naming, sum, i));
        if (i + 1 < count && naming_size(naming, piece) < LINE)
            continue;
        whole = expr_add(pool, whole, named(naming, piece));
        piece = expr_int(pool, 0);
    }
    return whole;
}

// The velocities and accelerations in a term: what a reader collects by.
static Expr moving_factor(const Naming *naming, Expr term)
{
    ExprPool *pool = naming->pool;
    Expr moving = expr_int(pool, 1);
    if (expr_is_symbol(pool, term))
        return symbol_class(naming->show->classes, term) >= CLASS_VELOCITY ? term : moving;
    for (size_t i = 0; expr_op(pool, term) == EXPR_PRODUCT && i < expr_arg_count(pool, term); i++) {
        Expr base = expr_arg(pool, term, i);
        if (!expr_is_symbol(pool, base) ||
            symbol_class(naming->show->classes, base) < CLASS_VELOCITY)
            continue;
        Expr exponent = expr_number(pool, expr_arg_weight(pool, term, i));
        moving = expr_mul(pool, moving, expr_pow(pool, base, exponent));
    }
    return moving;
}

typedef struct {
    Expr moving, coefficient;
} Group;

// A long sum collected by its velocities, with names before them.
static Expr in_groups(Naming *naming, Expr sum)
{
    ExprPool *pool = naming->pool;
    ARRAY(Group) groups = {0};
    for (size_t i = 0; i < expr_arg_count(pool, sum); i++) {
        Expr term = term_of(naming, sum, i), moving = moving_factor(naming, term);
        size_t at = 0;
        while (at < groups.count && !expr_same(groups.at[at].moving, moving))
            at++;
        if (at == groups.count)
            array_push(&groups, ((Group){moving, expr_int(pool, 0)}));
        Expr part = expr_div(pool, term, moving);
        groups.at[at].coefficient = expr_add(pool, groups.at[at].coefficient, part);
    }
    Expr whole = expr_number(pool, expr_value(pool, sum));
    for (size_t i = 0; i < groups.count; i++) {
        Expr coefficient = naming_simplify(naming, groups.at[i].coefficient);
        bool large = naming_size(naming, coefficient) > 2 * LINE;
        if (large && expr_op(pool, coefficient) == EXPR_SUM)
            coefficient = in_pieces(naming, coefficient);
        whole =
            expr_add(pool, whole, expr_mul(pool, named(naming, coefficient), groups.at[i].moving));
    }
    array_clear(&groups);
    return whole;
}

// ---- The pass over the graph.

// The child of a node with the longest image below a size; none where no more is worth a name.
static Expr longest_child(const Naming *naming, Expr node, size_t below, size_t *size)
{
    Expr longest = {0};
    *size = WORTH_A_NAME - 1;
    for (size_t i = 0; i < expr_arg_count(naming->pool, node); i++) {
        Expr arg = expr_arg(naming->pool, node, i);
        size_t its = naming_size(naming, (Expr){naming->image[arg.at]});
        if (its < below && its > *size) {
            *size = its;
            longest = arg;
        }
    }
    return longest;
}

// A node that is equal to an earlier one, or opposite to it, or zero, is written as that.
typedef struct {
    Expr of;
    int sign;
} Duplicate;

static bool is_duplicate(const Duplicate *duplicate, Expr node)
{
    return duplicate->sign == 0 || !expr_same(duplicate->of, node);
}

static Duplicate *find_duplicates(Naming *naming, const ExprList *nodes)
{
    Duplicate *duplicates = base_alloc((nodes->count + 1) * sizeof *duplicates);
    Expr *exprs = base_alloc((nodes->count + 1) * sizeof *exprs);
    AlgebraSame *same = base_alloc((nodes->count + 1) * sizeof *same);
    for (size_t i = 0; i < nodes->count; i++)
        duplicates[i] = (Duplicate){exprs[i] = (Expr){nodes->at[i]}, 1};
    if (nodes->count <= MOST_COMPARED) {
        algebra_find_same(naming->show->motion->algebra, exprs, nodes->count, same);
        for (size_t i = 0; i < nodes->count; i++)
            duplicates[i] = (Duplicate){exprs[same[i].as], same[i].sign};
    }
    base_free(exprs);
    base_free(same);
    return duplicates;
}

// The node over the images of its children, of which the longest get names until it fits.
static Expr fitted(Naming *naming, Expr node, size_t room)
{
    Expr e = naming_rebuilt(naming, node);
    size_t below = SIZE_MAX;
    while (naming_size(naming, e) > room) {
        Expr child = longest_child(naming, node, below, &below);
        if (expr_is_none(child))
            break;
        naming->image[child.at] = named(naming, (Expr){naming->image[child.at]}).at;
        e = naming_rebuilt(naming, node);
        below = naming_size(naming, (Expr){naming->image[child.at]}) < below ? below + 1 : below;
    }
    bool large = naming_size(naming, e) > 2 * LINE && expr_op(naming->pool, e) == EXPR_SUM;
    return large ? in_groups(naming, e) : e;
}

static void name_nodes(Naming *naming, const ExprList *nodes, const Duplicate *duplicates)
{
    ExprPool *pool = naming->pool;
    for (size_t i = 0; i < nodes->count; i++) {
        Expr node = {nodes->at[i]};
        if (is_duplicate(&duplicates[i], node)) {
            Expr image = {naming->image[duplicates[i].of.at]},
                 sign = expr_int(pool, duplicates[i].sign);
            if (duplicates[i].sign == 0)
                naming->image[node.at] = sign.at;
            else if (!expr_is_none(image))
                naming->image[node.at] = expr_mul(pool, sign, image).at;
            continue;
        }
        if (naming->uses[node.at] == 0)
            continue; // only duplicates use it
        Expr e = fitted(naming, node, LINE);
        size_t uses = naming->uses[node.at], size = naming_size(naming, e);
        if (uses > 1 && size >= WORTH_A_NAME && (uses - 1) * size >= WORTH_TRYING)
            e = named(naming, e);
        naming->image[node.at] = e.at;
    }
}

// Parents before children; who has a duplicate passes its uses on to it.
static void count_uses(Naming *naming, const ExprList *nodes, const Duplicate *duplicates)
{
    for (size_t i = 0; i < naming->part_count; i++)
        naming->uses[naming->parts[i].e.at]++;
    for (size_t i = nodes->count; i-- > 0;) {
        Expr node = {nodes->at[i]};
        if (is_duplicate(&duplicates[i], node)) {
            if (duplicates[i].sign != 0)
                naming->uses[duplicates[i].of.at] += naming->uses[node.at];
            naming->uses[node.at] = 0;
        }
        if (naming->uses[node.at] == 0)
            continue;
        for (size_t k = 0; k < expr_arg_count(naming->pool, node); k++)
            naming->uses[expr_arg(naming->pool, node, k).at]++;
    }
}

static void write_parts(Naming *naming)
{
    for (size_t i = 0; i < naming->part_count; i++) {
        ShowPart *part = &naming->parts[i];
        Expr image = {naming->image[part->e.at]};
        bool is_repeated = naming->uses[part->e.at] == 0;
        bool settled = is_repeated || naming_size(naming, image) < WORTH_A_NAME;
        part->image =
            settled ? image
                    : naming_simplify(naming, fitted(naming, part->e, naming_size_limit(part)));
    }
}

// ---- Numbers.

// Puts the names in an expression that have no number yet on the stack. Returns how many.
static size_t push_names(Naming *naming, Expr e, const bool *has_number)
{
    ExprList symbols = expr_symbols(naming->pool, &e, 1);
    size_t pushed = 0;
    for (size_t k = symbols.count; k-- > 0;) {
        Expr symbol = {symbols.at[k]};
        const Name *name = naming_name(naming, symbol);
        if (!name || has_number[name - naming->names.at])
            continue;
        array_push(&naming->stack, symbol);
        pushed++;
    }
    expr_list_free(&symbols);
    return pushed;
}

// The names in the order in which they are needed: for each part those that it adds, and each
// behind those that it uses. Returns how many there are.
static size_t order_names(Naming *naming, size_t *order)
{
    size_t ordered = 0;
    bool *has_number = base_alloc(naming->names.count + 1);
    for (size_t i = 0; i < naming->part_count; i++) {
        naming->stack.count = 0;
        push_names(naming, naming->parts[i].image, has_number);
        while (naming->stack.count > 0) {
            const Name *name = naming_name(naming, naming->stack.at[naming->stack.count - 1]);
            size_t at = (size_t)(name - naming->names.at);
            if (!has_number[at] && push_names(naming, name->written, has_number) > 0)
                continue;
            naming->stack.count--;
            if (!has_number[at])
                order[ordered++] = at;
            has_number[at] = true;
        }
    }
    base_free(has_number);
    return ordered;
}

static void number_names(Naming *naming, const char *letter, ShowQuantities *made)
{
    size_t *order = base_alloc((naming->names.count + 1) * sizeof *order);
    size_t count = order_names(naming, order);
    ExprSubst *numbered = expr_subst_new(naming->pool);
    for (size_t i = 0; i < count; i++) {
        Text name = {0};
        text_addf(&name, "%s%zu", letter, i + 1);
        Expr symbol = expr_symbol(naming->pool, name.at);
        expr_subst_set(numbered, naming->names.at[order[i]].symbol, symbol);
        array_push(made, ((ShowQuantity){.symbol = symbol}));
        text_clear(&name);
    }
    for (size_t i = 0; i < count; i++)
        made->at[i].value = expr_subst(numbered, naming->names.at[order[i]].written);
    for (size_t i = 0; i < naming->part_count; i++)
        naming->parts[i].image = expr_subst(numbered, naming->parts[i].image);
    expr_subst_free(numbered);
    base_free(order);
}

// ---- All of it.

static void naming_clear(Naming *naming)
{
    base_free(naming->image);
    base_free(naming->uses);
    array_clear(&naming->names);
    array_clear(&naming->owner);
    array_clear(&naming->known);
    array_clear(&naming->lines);
    array_clear(&naming->args);
    array_clear(&naming->stack);
}

void show_name_parts(const Show *show, ShowPart *parts, size_t count, const char *letter,
                     double *effort, ShowQuantities *made)
{
    assert((parts || count == 0) && letter && effort && made->count == 0);
    ExprPool *pool = show->motion->pool;
    Naming naming = {.show = show,
                     .pool = pool,
                     .parts = parts,
                     .part_count = count,
                     .effort = effort,
                     .share = *effort / SHARES};
    size_t nodes_before = expr_pool_size(pool) + 1;
    naming.image = base_alloc(nodes_before * sizeof *naming.image);
    naming.uses = base_alloc(nodes_before * sizeof *naming.uses);
    Expr *roots = base_alloc((count + 1) * sizeof *roots);
    for (size_t i = 0; i < count; i++)
        roots[i] = parts[i].e;
    ExprList nodes = expr_nodes(pool, roots, count);
    Duplicate *duplicates = find_duplicates(&naming, &nodes);
    count_uses(&naming, &nodes, duplicates);
    name_nodes(&naming, &nodes, duplicates);
    base_free(duplicates);
    write_parts(&naming);
    naming_write_lines(&naming);
    naming_share_short_sums(&naming);
    number_names(&naming, letter, made);
    expr_list_free(&nodes);
    base_free(roots);
    naming_clear(&naming);
}
