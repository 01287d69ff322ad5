// short_forms.c: short forms for the expressions of a report, within an allowance.
//
// A long equation stays long, and finding that out is what takes time. So the expressions of a
// report are first collected (report_passes.c). Then they are made short, equations before
// functions, small ones before large ones, until the allowance is spent; what is left is shown as
// it is. The allowance is in steps of work, not in seconds: the same input gives the same text.
// Where the shortest form found is too long to be read and the graph has fewer nodes, the graph is
// what is shown: it shares, and its parts can be named.
#include "show/short_forms_impl.h"

#include "show/show_impl.h"
#include "show/tree_size_impl.h"

#include <assert.h>
#include <stdlib.h>

// An expression that a report is going to show.
typedef struct {
    Expr e;
    size_t size; // of its tree
    bool last;   // behind all others
} Request;

// An expression as it was collected.
typedef struct {
    Expr e;
    const Expr *symbols; // the caller's, copied; `count` of them
    size_t count;
    LinearParts parts;
} Collected;

struct ShortForms {
    Arena *arena;
    ARRAY(Request) requests;
    ARRAY(Collected) collected; // since the last report began
    size_t next;                // the one that will probably be asked for
    ARRAY(uint32_t) of;         // the short forms of this report, by node index; 0: none yet
};

ShortForms *short_forms_new(void)
{
    ShortForms *forms = base_alloc(sizeof *forms);
    forms->arena = arena_new();
    return forms;
}

void short_forms_free(ShortForms *forms)
{
    arena_free(forms->arena);
    array_clear(&forms->requests);
    array_clear(&forms->collected);
    array_clear(&forms->of);
    base_free(forms);
}

// ---- Collecting. A report asks the second time what it asked the first time, in that order.

static bool is_same(const Collected *known, Expr e, const Expr *symbols, size_t count)
{
    bool same = expr_same(known->e, e) && known->count == count;
    for (size_t i = 0; i < count && same; i++)
        same = expr_same(known->symbols[i], symbols[i]);
    return same;
}

LinearParts show_linear_parts(const Show *show, Expr e, const Expr *symbols, size_t count)
{
    assert(!expr_is_none(e) && (symbols || count == 0));
    ShortForms *forms = show->short_forms;
    for (size_t i = 0; i < forms->collected.count; i++) {
        size_t at = (forms->next + i) % forms->collected.count;
        const Collected *known = &forms->collected.at[at];
        if (is_same(known, e, symbols, count)) {
            forms->next = at + 1;
            return known->parts;
        }
    }
    Collected made = {.e = e, .count = count};
    size_t bytes = (count + 1) * sizeof(Expr);
    Expr *copy = arena_alloc(forms->arena, bytes);
    Expr *coefficients = arena_alloc(forms->arena, bytes);
    for (size_t i = 0; i < count; i++)
        copy[i] = symbols[i];
    made.symbols = copy;
    made.parts.coefficients = coefficients;
    made.parts.linear =
        expr_linear(show->motion->pool, e, symbols, count, coefficients, &made.parts.rest);
    array_push(&forms->collected, made);
    return made.parts;
}

// ---- Short forms.

static Expr shortest(const Show *show, Expr e)
{
    Expr form = algebra_simplify_within(show->motion->algebra, e, &show->report->effort);
    bool readable = show->expand || show_tree_size(show, form) < show->report->readable;
    return readable || show_graph_size(show, form) < show_graph_size(show, e) ? form : e;
}

// While a report is written, the same form each time: the allowance gets less.
static Expr short_form(const Show *show, Expr e, bool last)
{
    assert(!expr_is_none(e));
    ShortForms *forms = show->short_forms;
    if (expr_is_number(show->pool, e) || expr_is_symbol(show->pool, e))
        return e;
    if (show->report->pass == PASS_EXPRESSIONS) {
        array_push(&forms->requests, ((Request){e, show_tree_size(show, e), last}));
        return e;
    }
    while (forms->of.count <= e.at)
        array_push(&forms->of, 0);
    if (!forms->of.at[e.at]) {
        uint32_t form = shortest(show, e).at;
        forms->of.at[e.at] = form;
    }
    return (Expr){forms->of.at[e.at]};
}

Expr show_short(const Show *show, Expr e)
{
    return short_form(show, e, false);
}

Expr show_short_function(const Show *show, Expr e)
{
    return short_form(show, e, true);
}

// ---- All of a report.

static int by_size(const void *a, const void *b)
{
    const Request *left = a, *right = b;
    if (left->last != right->last)
        return left->last ? 1 : -1;
    if (left->size != right->size)
        return left->size < right->size ? -1 : 1;
    return (left->e.at > right->e.at) - (left->e.at < right->e.at);
}

void short_forms_begin(const Show *show)
{
    ShortForms *forms = show->short_forms;
    forms->requests.count = forms->collected.count = forms->next = 0;
    forms->of.count = 0;
}

void short_forms_simplify(const Show *show)
{
    assert(show->report->pass == PASS_WRITE);
    ShortForms *forms = show->short_forms;
    if (forms->requests.count > 0)
        qsort(forms->requests.at, forms->requests.count, sizeof(Request), by_size);
    for (size_t i = 0; i < forms->requests.count && show->report->effort > 0; i++)
        show_short(show, forms->requests.at[i].e);
}
