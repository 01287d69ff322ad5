// expression_value.c: the value of an expression, node after node. Children come before their
// parents, so that this is one loop; `sum(…)` jumps back in it and keeps its variables on a
// stack.
#include "model/model_equation.h"
#include "model/model_impl.h"

#include <string.h>

Value elaborate_child(Elaborator *e, uint32_t node)
{
    Value *value = elaborate_slot(e, node);
    if (value->kind == VALUE_WORD)
        *value = elaborate_word(e, *value, elaborate_place(e, node));
    return *value;
}

bool elaborate_integer(Elaborator *e, uint32_t node, const char *what, int64_t *integer)
{
    Value value = elaborate_child(e, node);
    if (value.kind == VALUE_BAD)
        return false;
    if (value_integer(e, &value, integer))
        return true;
    const Node *at = &e->syntax->nodes.at[node];
    Str name = at->kind == NODE_NAME ? syntax_name(e->syntax, at->name) : str_of("");
    const NameEntry *entry = names_find(e, name);
    if (entry && entry->kind == NAME_PARAM)
        return elaborate_fail(e, elaborate_place(e, node),
                              "%s is an integer, and '%s' is a parameter; declare it with 'const'",
                              what, text_shown(name).at);
    return elaborate_fail(e, elaborate_place(e, node),
                          "%s is an integer, in numbers, constants and loop variables", what);
}

// ---- Nodes of many children.

typedef Value (*Combine)(Elaborator *, const Value *, const bool *, size_t, const Place *);

static Value many_value(Elaborator *e, const Node *node, Combine combine)
{
    const Child *children = syntax_children(e->syntax, node);
    Value *values = base_alloc(node->count * sizeof *values);
    Place *places = base_alloc(node->count * sizeof *places);
    bool *inverse = base_alloc(node->count * sizeof *inverse);
    for (uint32_t i = 0; i < node->count; i++) {
        values[i] = elaborate_child(e, children[i].node);
        places[i] = elaborate_place(e, children[i].node);
        inverse[i] = children[i].inverse;
    }
    Value value = combine(e, values, inverse, node->count, places);
    base_free(values);
    base_free(places);
    base_free(inverse);
    return value;
}

static Value bracket_value(Elaborator *e, const Value *values, const bool *inverse, size_t count,
                           const Place *places)
{
    (void)inverse;
    return value_bracket(e, values, (uint32_t)count, places);
}

static Value vector_value(Elaborator *e, const Node *node, uint32_t index)
{
    const Child *children = syntax_children(e->syntax, node);
    if (node->count == 0) {
        elaborate_fail(e, elaborate_place(e, index),
                       "a bracket has entries, and there are none here");
        return value_bad();
    }
    Value first = elaborate_child(e, children[0].node);
    if (node->count != 3 || first.kind == VALUE_MATRIX || first.kind == VALUE_VECTOR)
        return many_value(e, node, bracket_value);
    Value parts[3];
    Value vector = {.kind = VALUE_VECTOR, .order = -1};
    bool bad = false;
    for (int i = 0; i < 3; i++) {
        parts[i] = value_as_scalar(e, elaborate_child(e, children[i].node),
                                   elaborate_place(e, children[i].node), "a component");
        bad = bad || parts[i].kind == VALUE_BAD;
        value_mark(&vector, &parts[i]);
    }
    Place places[3];
    for (int i = 0; i < 3; i++)
        places[i] = elaborate_place(e, children[i].node);
    if (bad || !dim_sum(e, parts, 3, places, "this component is %s and %s %s", &vector.dim))
        return value_bad();
    Vec components = {parts[0].scalar, parts[1].scalar, parts[2].scalar};
    vector.vector = vector_of(e->model->vectors, e->brackets, components);
    return vector;
}

static Value in_value(Elaborator *e, const Node *node)
{
    const Child *children = syntax_children(e->syntax, node);
    Value vector = elaborate_child(e, children[0].node);
    Value frame = elaborate_child(e, children[1].node);
    if (vector.kind == VALUE_BAD || frame.kind == VALUE_BAD)
        return value_bad();
    vector =
        value_as_vector(e, vector, elaborate_place(e, children[0].node), "what stands before 'in'");
    if (vector.kind == VALUE_BAD)
        return vector;
    if (frame.kind != VALUE_FRAME)
        return value_fail_kind(e, &frame, elaborate_place(e, children[1].node), "what follows 'in'",
                               VALUE_FRAME);
    // The bracket was read as a bare one; its components are meant along the frame's axes.
    Vec components = vector_in(e->model->vectors, vector.vector, e->brackets);
    vector.vector = vector_of(e->model->vectors, frame.frame, components);
    if (e->tracer)
        vector.vector = trace_carried(e, vector.vector, frame.frame);
    value_mark(&vector, &frame);
    return vector;
}

static Value node_value(Elaborator *e, const Node *node, uint32_t index)
{
    const Child *children = syntax_children(e->syntax, node);
    Place place = elaborate_place(e, index);
    switch (node->kind) {
    case NODE_NUMBER: return elaborate_number(e, node, index);
    case NODE_NAME: return elaborate_name(e, node, index);
    case NODE_INDEX: return elaborate_index(e, node, index);
    case NODE_MEMBER: return elaborate_member(e, node, index);
    case NODE_PRIME: return elaborate_prime(e, node, index);
    case NODE_NEGATIVE: return value_negative(e, elaborate_child(e, children[0].node), place);
    case NODE_POWER:
        return value_power(e, elaborate_child(e, children[0].node),
                           elaborate_child(e, children[1].node), place);
    case NODE_PRODUCT: return many_value(e, node, value_product);
    case NODE_SUM: return many_value(e, node, value_sum);
    case NODE_CALL: return elaborate_call(e, node, index);
    case NODE_VECTOR: return vector_value(e, node, index);
    case NODE_IN: return in_value(e, node);
    case NODE_UNIT: return elaborate_in_unit(e, node, elaborate_child(e, children[0].node), place);
    default: return value_bad(); // ON and RANGE have a meaning only to their parents
    }
}

// ---- Where it stands.

// A loop may write out very many.
enum { MOST_PLACES = 65536 };

static void note_place(Elaborator *e, const Node *node, uint32_t index, const Value *value)
{
    const Child *children = syntax_children(e->syntax, node);
    bool partial = node->kind == NODE_POWER || node->kind == NODE_CALL;
    // What is only looked at, or comes before and after, moves nothing.
    if (!e->statement || e->statement->kind >= STATEMENT_IMPULSE)
        return;
    for (size_t i = 0; node->kind == NODE_PRODUCT && i < node->count; i++)
        partial = partial || children[i].inverse;
    if (partial && value->kind == VALUE_SCALAR && e->text_places.count < MOST_PLACES)
        array_push(&e->text_places, ((TextPlace){value->scalar, elaborate_place(e, index)}));
}

const TextPlace *model_text_places(const Model *model, size_t *count)
{
    *count = model->names->text_places.count;
    return model->names->text_places.at;
}

// ---- Loops of sum(…).

static bool is_of_total(const Loop *loop, uint32_t total)
{
    return loop->of_sum && loop->owner == total;
}

// A sum that is running keeps its terms above `terms_base`, remembered in the first loop.
static size_t terms_base(const Elaborator *e, uint32_t total)
{
    size_t base = e->terms.count;
    for (size_t i = e->loops.count; i-- > 0 && is_of_total(&e->loops.at[i], total);)
        base = e->loops.at[i].terms;
    return base;
}

static bool in_total(const Elaborator *e, uint32_t total)
{
    return e->loops.count > 0 && is_of_total(&e->loops.at[e->loops.count - 1], total);
}

static uint32_t finish_total(Elaborator *e, uint32_t total, size_t base, bool bad)
{
    while (in_total(e, total))
        e->loops.count--;
    size_t count = e->terms.count - base;
    Place *places = base_alloc((count + 1) * sizeof *places);
    const Node *node = &e->syntax->nodes.at[total];
    uint32_t term = syntax_children(e->syntax, node)[node->count - 1].node;
    for (size_t i = 0; i < count; i++)
        places[i] = elaborate_place(e, term);
    Value value = bad ? value_bad() : value_sum(e, e->terms.at + base, NULL, count, places);
    base_free(places);
    e->terms.count = base;
    *elaborate_slot(e, total) = value;
    return total + 1;
}

// The next round of the innermost variable that has one, or the end of the sum.
static uint32_t next_round(Elaborator *e, uint32_t total, size_t base)
{
    while (in_total(e, total)) {
        Loop *loop = &e->loops.at[e->loops.count - 1];
        if (loop->value < loop->high) {
            loop->value++;
            return loop->at + 1;
        }
        e->loops.count--;
    }
    return finish_total(e, total, base, false);
}

static uint32_t begin_each(Elaborator *e, const Node *node, uint32_t index)
{
    const Child *children = syntax_children(e->syntax, node);
    uint32_t total = node->total;
    size_t base = terms_base(e, total);
    Loop loop = {.name = syntax_name(e->syntax, node->name), .of_sum = true, .owner = total};
    loop.at = index;
    loop.terms = (uint32_t)e->terms.count;
    loop.paired = node->count == 1;
    loop.low_node = children[0].node;
    loop.high_node = children[node->count - 1].node;
    if (loop.paired)
        loop.value = e->loops.at[e->loops.count - 1].value + 1;
    bool good =
        (loop.paired || elaborate_integer(e, loop.low_node, "the end of a range", &loop.value)) &&
        elaborate_integer(e, loop.high_node, "the end of a range", &loop.high) &&
        names_check_loop(e, loop.name, elaborate_place(e, index));
    if (!good)
        return finish_total(e, total, base, true);
    if (loop.value > loop.high)
        return next_round(e, total, base);
    array_push(&e->loops, loop);
    return index + 1;
}

static uint32_t end_round(Elaborator *e, const Node *node, uint32_t index)
{
    size_t base = terms_base(e, index);
    Value term = elaborate_child(e, syntax_children(e->syntax, node)[node->count - 1].node);
    if (term.kind == VALUE_BAD)
        return finish_total(e, index, base, true);
    array_push(&e->terms, term);
    return next_round(e, index, base);
}

static bool run_nodes(Elaborator *e, uint32_t first, uint32_t end)
{
    e->first_node = first;
    e->values.count = 0;
    array_reserve(&e->values, (size_t)(end - first) + 1);
    e->values.count = (size_t)(end - first) + 1;
    for (uint32_t at = first; at < end;) {
        if (!elaborate_step(e, 1, elaborate_place(e, at))) {
            e->loops.count = 0;
            e->terms.count = 0;
            return false;
        }
        const Node *node = &e->syntax->nodes.at[at];
        if (node->kind == NODE_EACH) {
            at = begin_each(e, node, at);
        } else if (node->kind == NODE_TOTAL) {
            at = end_round(e, node, at);
        } else {
            Value value;
            if (!e->pairs || !pairs_has_value(e, at, &value)) {
                value = node_value(e, node, at);
                if (value.kind == VALUE_SCALAR &&
                    !nesting_check(e, value.scalar, elaborate_place(e, at)))
                    value = value_bad();
                note_place(e, node, at, &value);
                domains_note(e, node, at, &value);
                if (e->pairs)
                    pairs_keep_value(e, at, value);
            }
            *elaborate_slot(e, at) = value;
            at++;
        }
    }
    return true;
}

Value elaborate_span(Elaborator *e, Span span)
{
    if (!run_nodes(e, span.first, span.root + 1))
        return value_bad();
    Value value = elaborate_child(e, span.root);
    domains_use(e, &value);
    return value;
}

bool elaborate_below_root(Elaborator *e, Span span)
{
    return run_nodes(e, span.first, span.root);
}
