// transform.c: substitution, and the coefficients of expressions that are linear to the eye.
#include "expr/expr_impl.h"

#include <assert.h>

// ---- Substitution.

struct ExprSubst {
    ExprPool *pool;
    Scratch *image; // of every node met so far
    ARRAY(Expr) args;
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

void expr_subst_set(ExprSubst *subst, Expr symbol, Expr value)
{
    assert(expr_is_symbol(subst->pool, symbol));
    scratch_set(subst->image, symbol.at, value.at);
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
    return changed ? expr_rebuild(subst->pool, (Expr){index}, subst->args.at).at : index;
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

// ---- Linear coefficients. Every node that holds one of the symbols gets a form
// Σ coefficient·symbol + rest, as a run of entries; others are their own rest.

typedef struct {
    uint32_t symbol; // counts the caller's symbols
    Expr coefficient;
} LinearEntry;

typedef struct {
    size_t first, count; // entries, ordered by symbol
    Expr rest;
} LinearForm;

typedef struct {
    ExprPool *pool;
    Scratch *form_of; // node → form, 0 means that the node holds no symbol
    ARRAY(LinearForm) forms;
    ARRAY(LinearEntry) entries;
    ARRAY(LinearEntry) gather;
    ARRAY(Expr) rests;
    Expr *sums; // one gathering place for each symbol
    bool linear;
} LinearPass;

static uint32_t form_of(const LinearPass *pass, uint32_t node)
{
    return scratch_has(pass->form_of, node) ? pass->form_of->value[node] : 0;
}

static void add_form(LinearPass *pass, uint32_t node, size_t first, Expr rest)
{
    LinearForm form = {first, pass->entries.count - first, rest};
    array_push(&pass->forms, form);
    scratch_set(pass->form_of, node, (uint32_t)pass->forms.count - 1);
}

static void scale_entries(LinearPass *pass, const LinearForm *form, Expr factor)
{
    for (size_t j = 0; j < form->count; j++) {
        LinearEntry entry = pass->entries.at[form->first + j];
        entry.coefficient = expr_mul(pass->pool, factor, entry.coefficient);
        array_push(&pass->gather, entry);
    }
}

// Merges the gathered entries by symbol, in the order of first appearance.
static void settle_entries(LinearPass *pass)
{
    size_t first = pass->entries.count;
    for (size_t i = 0; i < pass->gather.count; i++) {
        LinearEntry entry = pass->gather.at[i];
        if (expr_is_none(pass->sums[entry.symbol])) {
            array_push(&pass->entries, entry);
            pass->sums[entry.symbol] = entry.coefficient;
        } else {
            Expr *sum = &pass->sums[entry.symbol];
            *sum = expr_add(pass->pool, *sum, entry.coefficient);
        }
    }
    for (size_t i = first; i < pass->entries.count; i++) {
        LinearEntry *entry = &pass->entries.at[i];
        entry->coefficient = pass->sums[entry->symbol];
        pass->sums[entry->symbol] = (Expr){0};
    }
}

static void linear_sum(LinearPass *pass, uint32_t index)
{
    ExprPool *pool = pass->pool;
    const Node node = pool->nodes.at[index];
    pass->gather.count = pass->rests.count = 0;
    array_push(&pass->rests, expr_number(pool, number_value(pool, node.value)));
    for (size_t i = 0; i < node.count; i++) {
        Link link = pool->links.at[node.first + i];
        uint32_t form = form_of(pass, link.arg);
        Expr rest = form ? pass->forms.at[form].rest : (Expr){link.arg};
        array_push(&pass->rests, build_scaled(pool, link.weight, rest));
        if (form)
            scale_entries(pass, &pass->forms.at[form],
                          expr_number(pool, number_value(pool, link.weight)));
    }
    size_t first = pass->entries.count;
    settle_entries(pass);
    add_form(pass, index, first, expr_sum(pool, pass->rests.at, pass->rests.count));
}

// Linear where exactly one base holds symbols, to the first power.
static void linear_product(LinearPass *pass, uint32_t index, size_t holding, size_t which)
{
    ExprPool *pool = pass->pool;
    const Node node = pool->nodes.at[index];
    Link held = pool->links.at[node.first + which];
    if (holding != 1 || held.weight != NUMBER_ONE) {
        pass->linear = false;
        return;
    }
    Link *others = base_alloc(node.count * sizeof *others);
    size_t count = 0;
    for (size_t i = 0; i < node.count; i++)
        if (i != which)
            others[count++] = pool->links.at[node.first + i];
    Expr factor = build_product(pool, node.value, others, count);
    base_free(others);
    LinearForm form = pass->forms.at[form_of(pass, held.arg)];
    pass->gather.count = 0;
    scale_entries(pass, &form, factor);
    size_t first = pass->entries.count;
    settle_entries(pass);
    add_form(pass, index, first, expr_mul(pool, factor, form.rest));
}

static void linear_node(LinearPass *pass, uint32_t index)
{
    const Node *node = &pass->pool->nodes.at[index];
    size_t holding = 0, which = 0;
    for (size_t i = 0; i < node->count; i++)
        if (form_of(pass, pass->pool->links.at[node->first + i].arg)) {
            which = i;
            holding++;
        }
    if (holding == 0)
        return;
    if (node->op == EXPR_SUM)
        linear_sum(pass, index);
    else if (node->op == EXPR_PRODUCT)
        linear_product(pass, index, holding, which);
    else
        pass->linear = false;
}

bool expr_linear(ExprPool *pool, Expr e, const Expr *symbols, size_t count, Expr *coefficients,
                 Expr *rest)
{
    LinearPass pass = {.pool = pool, .form_of = scratch_take(pool), .linear = true};
    pass.sums = base_alloc(count * sizeof *pass.sums);
    array_push(&pass.forms, ((LinearForm){0}));
    Expr zero = expr_int(pool, 0), one = expr_int(pool, 1);
    for (size_t i = 0; i < count; i++) {
        array_push(&pass.entries, ((LinearEntry){(uint32_t)i, one}));
        add_form(&pass, symbols[i].at, pass.entries.count - 1, zero);
        coefficients[i] = zero;
    }
    ExprList nodes = expr_nodes(pool, &e, 1);
    for (size_t i = 0; i < nodes.count && pass.linear; i++)
        if (!form_of(&pass, nodes.at[i]))
            linear_node(&pass, nodes.at[i]);
    *rest = e;
    uint32_t form = form_of(&pass, e.at);
    if (pass.linear && form) {
        *rest = pass.forms.at[form].rest;
        for (size_t i = 0; i < pass.forms.at[form].count; i++) {
            LinearEntry entry = pass.entries.at[pass.forms.at[form].first + i];
            coefficients[entry.symbol] = entry.coefficient;
        }
    }
    expr_list_free(&nodes);
    scratch_give(pool, pass.form_of);
    array_clear(&pass.forms);
    array_clear(&pass.entries);
    array_clear(&pass.gather);
    array_clear(&pass.rests);
    base_free(pass.sums);
    return pass.linear;
}
