// expression_value.c: the value of an expression, node after node. Children come before their
// parents, so that this is one loop; `sum(…)` jumps back in it and keeps its variables on a
// stack.
#include "model/model_equation.h"
#include "model/model_impl.h"

#include <string.h>

static Value *value_slot(Elaborator *e, uint32_t node)
{
    return &e->values.at[node - e->first_node];
}

static Place node_place(const Elaborator *e, uint32_t node)
{
    return syntax_node_place(e->syntax, node);
}

// ---- Words: names that grow by members, indices and primes before they are a symbol.

static Value make_word(Elaborator *e, Text *text)
{
    Value value = {.kind = VALUE_WORD, .order = -1};
    value.word = arena_copy_text(e->arena, text->at, text->length);
    text_clear(text);
    return value;
}

// Whether a node is the name of a condition in normal(NAME), and not a value.
static bool is_label(const Elaborator *e, uint32_t index)
{
    const Syntax *syntax = e->syntax;
    enum { NEAR = 16 }; // indices are short
    uint32_t end =
        index + NEAR < syntax->nodes.count ? index + NEAR : (uint32_t)syntax->nodes.count;
    for (uint32_t at = index + 1; at < end; at++) {
        const Node *node = &syntax->nodes.at[at];
        bool parent =
            (node->kind == NODE_INDEX || node->kind == NODE_MEMBER || node->kind == NODE_CALL) &&
            node->count > 0 && syntax_children(syntax, node)[0].node == index;
        if (!parent)
            continue;
        if (node->kind == NODE_CALL)
            return node->count == 1 && node->primes == 0 && node->by == 0 &&
                   str_is(syntax_name(syntax, node->name), "normal") &&
                   !names_find(e, str_of("normal"));
        index = at;
    }
    return false;
}

Value elaborate_child(Elaborator *e, uint32_t node)
{
    Value *value = value_slot(e, node);
    if (value->kind == VALUE_WORD)
        *value = elaborate_word(e, *value, node_place(e, node));
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
        return elaborate_fail(e, node_place(e, node),
                              "%s is an integer, and '%s' is a parameter; declare it with 'const'",
                              what, text_shown(name).at);
    return elaborate_fail(e, node_place(e, node),
                          "%s is an integer, in numbers, constants and loop variables", what);
}

// ---- Leaves.

static Value number_value(Elaborator *e, const Node *node, uint32_t index)
{
    Expr number;
    if (expr_number_read(e->pool, syntax_name(e->syntax, node->name), &number)) {
        Value value = value_scalar(number);
        // The numbers of a robot's file are in SI units.
        value.dim.any = expr_is_zero(e->pool, number) || dim_is_of_robot(e, node->start);
        return value;
    }
    elaborate_fail(e, node_place(e, index), "this number is too long or its exponent too large");
    return value_bad();
}

static Value free_name(Elaborator *e, Str name)
{
    Text text = {0};
    text_add_str(&text, name);
    return make_word(e, &text);
}

static Value reserved_value(Elaborator *e, Str name)
{
    Value value = value_bad();
    if (str_is(name, "t")) {
        value = value_scalar(e->model->t);
        value.timed = true;
        value.dim = dim_of(0, 0, 1);
    } else if (str_is(name, "pi")) {
        value = value_scalar(expr_pi(e->pool));
    } else if (str_is(name, "origin")) {
        value = value_zero_vector(e, VALUE_POINT);
        value.dim = dim_of(0, 1, 0);
    } else if (str_is(name, "world")) {
        value = (Value){.kind = VALUE_FRAME, .order = -1};
    }
    return value;
}

// What a name stands for; a point is moved while a condition is read for its places.
static Value entry_value(Elaborator *e, const NameEntry *entry)
{
    Value value = entry->value;
    if (e->quantities && entry->kind == NAME_SPEED &&
        e->quantities->is_speed(e->quantities->context, entry->index)) {
        Dim dim = value.dim;
        value = value_scalar(e->model->speeds.at[entry->index].u);
        value.order = 1;
        value.dim = dim;
    }
    if (e->tracer && entry->kind == NAME_POINT)
        value.vector = trace_point(e, value.vector, entry->name.at);
    value.entry = (uint32_t)(entry - e->names.at);
    return value;
}

Value elaborate_entry(Elaborator *e, const NameEntry *entry)
{
    Value family = {.kind = VALUE_FAMILY, .order = -1};
    family.family = (uint32_t)(entry - e->names.at);
    return entry->family ? family : entry_value(e, entry);
}

// A function's body is made of its arguments, constants and parameters.
static bool check_in_body(Elaborator *e, Str name, Place place)
{
    const NameEntry *entry = names_find(e, name);
    const Value *value = entry ? &entry->value : NULL;
    bool moves = value && (value->kind != VALUE_SCALAR || value->order >= 0 || value->timed);
    if (!str_is(name, "t") && !str_is(name, "origin") && !str_is(name, "world") &&
        (!moves || entry->family || entry->kind == NAME_FUNCTION))
        return true;
    Shown shown = text_shown(name);
    return elaborate_fail(
        e, place, "a function knows its arguments and parameters alone; make %s an argument",
        shown.at);
}

// A body has axes once a joint has placed it.
static Value check_placed_body(Elaborator *e, Value value, Place place)
{
    if (value.kind != VALUE_BODY || e->placing || !e->model->bodies.at[value.body].unplaced)
        return value;
    elaborate_fail(e, place, "nothing places the body '%s' above this line; put its joint above it",
                   e->model->bodies.at[value.body].name);
    return value_bad();
}

static Value name_value(Elaborator *e, const Node *node, uint32_t index)
{
    Str name = syntax_name(e->syntax, node->name);
    for (size_t i = 0; i < e->arguments.count; i++)
        if (str_equal(e->arguments.at[i].name, name)) {
            Value argument = value_scalar(e->arguments.at[i].symbol);
            argument.dim = e->arguments.at[i].dim;
            return argument;
        }
    const Loop *loop = names_find_loop(e, name);
    if (loop)
        return value_scalar(expr_int(e->pool, loop->value));
    if (e->free_symbols)
        return free_name(e, name);
    bool in_body = e->arguments.count > 0 && e->statement->kind != STATEMENT_DRAW;
    if (in_body && !check_in_body(e, name, node_place(e, index)))
        return value_bad();
    if (text_is_reserved(name))
        return reserved_value(e, name);
    if (e->statement && !e->free_symbols && is_label(e, index)) {
        Text text = {0};
        text_add(&text, "normal.");
        text_add_str(&text, name);
        return make_word(e, &text);
    }
    const NameEntry *entry = names_find(e, name);
    if (entry && entry->kind == NAME_FUNCTION) {
        elaborate_fail(e, node_place(e, index), "'%s' is a function; write %s(…)",
                       text_shown(name).at, text_shown(name).at);
        return value_bad();
    }
    if (entry && entry->kind == NAME_TEMPLATE) {
        elaborate_fail(e, node_place(e, index),
                       "'%s' is a part; one is made with 'part NAME = %s(…)'", text_shown(name).at,
                       text_shown(name).at);
        return value_bad();
    }
    if (entry)
        return check_placed_body(e, elaborate_entry(e, entry), node_place(e, index));
    if (str_is(name, "lambda") || str_is(name, "spring") || str_is(name, "slip") || e->quantities)
        return free_name(e, name);
    names_fail_unknown(e, node_place(e, index), name);
    return value_bad();
}

// ---- Indices, members, primes.

static bool read_indices(Elaborator *e, const Node *node, int64_t *indices)
{
    const Child *children = syntax_children(e->syntax, node);
    if (node->count - 1 > MODEL_MOST_INDICES)
        return elaborate_fail(e, node_place(e, children[0].node), "a name has at most %d indices",
                              MODEL_MOST_INDICES);
    for (uint32_t i = 1; i < node->count; i++) {
        uint32_t child = children[i].node;
        if (e->syntax->nodes.at[child].kind == NODE_RANGE)
            return elaborate_fail(e, node_place(e, child),
                                  "a range of indices stands only where an array is made");
        if (!elaborate_integer(e, child, "an index", &indices[i - 1]))
            return false;
    }
    return true;
}

static Value index_value(Elaborator *e, const Node *node, uint32_t index)
{
    uint32_t base_node = syntax_children(e->syntax, node)[0].node;
    Value base = *value_slot(e, base_node);
    int64_t indices[MODEL_MOST_INDICES];
    if (base.kind == VALUE_BAD || !read_indices(e, node, indices))
        return value_bad();
    size_t rank = node->count - 1;
    if (base.kind == VALUE_WORD) {
        Str full = names_full(e, str_of(base.word), indices, rank);
        base.word = full.at;
        return base;
    }
    if (base.kind != VALUE_FAMILY) {
        Str text = syntax_text(e->syntax, e->syntax->nodes.at[base_node].start,
                               e->syntax->nodes.at[base_node].length);
        elaborate_fail(e, node_place(e, index), "'%s' is no array and has no index",
                       text_shown(text).at);
        return value_bad();
    }
    const NameEntry *family = &e->names.at[base.family];
    const NameEntry *element = names_find_full(e, names_full(e, family->name, indices, rank));
    if (element)
        return check_placed_body(e, entry_value(e, element), node_place(e, index));
    names_fail_element(e, node_place(e, index), family, indices, rank);
    return value_bad();
}

static Value axis_vector(Elaborator *e, const Value *frame, int axis)
{
    Expr zero = expr_int(e->pool, 0), one = expr_int(e->pool, 1);
    Vec unit = {axis == 0 ? one : zero, axis == 1 ? one : zero, axis == 2 ? one : zero};
    Vector vector = vector_of(e->model->vectors, frame->frame, unit);
    if (e->tracer)
        vector = trace_carried(e, vector, frame->frame);
    Value value = value_of_vector(VALUE_VECTOR, vector);
    value_mark(&value, frame);
    return value;
}

static Value fail_member(Elaborator *e, const Value *base, Str member, Place place)
{
    Shown shown = text_shown(member);
    if (base->kind == VALUE_FAMILY) {
        Shown name = text_shown(e->names.at[base->family].name);
        elaborate_fail(e, place, "'%s' is an array; an element's member is written %s[1].%s",
                       name.at, name.at, shown.at);
    } else if (base->kind == VALUE_SCALAR && (str_is(member, "dt") || str_is(member, "dot"))) {
        foreign_diff_fail(
            e, place_at(place.source, place.start, place.length - 1 - (uint32_t)member.length));
    } else {
        elaborate_fail(e, place,
                       base->kind == VALUE_SCALAR ? "%s has no member '%s'"
                                                  : "%s has the members x, y and z, not '%s'",
                       value_kind_name(base->kind), shown.at);
    }
    return value_bad();
}

static Value member_value(Elaborator *e, const Node *node, uint32_t index)
{
    uint32_t child = syntax_children(e->syntax, node)[0].node;
    Value base = *value_slot(e, child);
    Str name = syntax_name(e->syntax, node->name);
    if (base.kind == VALUE_BAD)
        return base;
    if (base.kind == VALUE_PART)
        return check_placed_body(e, part_member(e, base.word, name, node_place(e, index)),
                                 node_place(e, index));
    // A parameter may be called lambda; lambda.NAME is a multiplier all the same.
    const Node *child_node = &e->syntax->nodes.at[child];
    Str own = child_node->kind == NODE_NAME ? syntax_name(e->syntax, child_node->name) : (Str){0};
    bool lambda = (str_is(own, "lambda") || str_is(own, "spring")) &&
                  (base.kind == VALUE_SCALAR || base.kind == VALUE_FAMILY);
    if (base.kind == VALUE_WORD || lambda) {
        Text text = {0};
        text_add(&text, lambda ? own.at : base.word);
        text_add_char(&text, '.');
        text_add_str(&text, name);
        return make_word(e, &text);
    }
    if (base.kind == VALUE_BODY)
        return body_member(e, &base, name, node_place(e, index));
    int axis = str_is(name, "x") ? 0 : str_is(name, "y") ? 1 : str_is(name, "z") ? 2 : -1;
    bool has_axes =
        base.kind == VALUE_VECTOR || base.kind == VALUE_POINT || base.kind == VALUE_FRAME;
    if (!has_axes || axis < 0)
        return fail_member(e, &base, name, node_place(e, index));
    if (base.kind == VALUE_FRAME)
        return axis_vector(e, &base, axis);
    Vec parts = vector_in(e->model->vectors, base.vector, (Frame){0});
    Value part = value_scalar(axis == 0 ? parts.x : axis == 1 ? parts.y : parts.z);
    part.dim = base.dim;
    value_mark(&part, &base);
    return part;
}

static bool is_discrete(const Elaborator *e, Expr symbol)
{
    const Model *model = e->model;
    for (size_t i = 0; i < model->params.count && model->state_count > 0; i++)
        if (model->params.at[i].is_state && expr_same(model->params.at[i].symbol, symbol))
            return true;
    return false;
}

static bool is_continuous(const Elaborator *e, Expr symbol)
{
    for (size_t i = 0; i < e->rated.count; i++)
        if (expr_same(e->rated.at[i].q, symbol))
            return true;
    return false;
}

static Value prime_value(Elaborator *e, const Node *node, uint32_t index)
{
    uint32_t child = syntax_children(e->syntax, node)[0].node;
    Value value = *value_slot(e, child);
    if (value.kind == VALUE_WORD && e->free_symbols) {
        Text text = {0};
        text_add(&text, value.word);
        for (uint32_t i = 0; i < node->primes && i < 3; i++)
            text_add_char(&text, '\'');
        return make_word(e, &text);
    }
    value = elaborate_child(e, child);
    if (value.kind == VALUE_SCALAR && !e->free_symbols && is_discrete(e, value.scalar)) {
        elaborate_fail(e, node_place(e, index), "'%s' is a discrete state and has no derivative",
                       expr_name(e->pool, value.scalar));
        return value_bad();
    }
    if (value.kind == VALUE_SCALAR && node->primes > 1 && is_continuous(e, value.scalar)) {
        elaborate_fail(e, node_place(e, index),
                       "a state has a first derivative alone; write two states");
        return value_bad();
    }
    if (e->free_symbols) {
        elaborate_fail(e, node_place(e, index), "only a name can have a prime here");
        return value_bad();
    }
    return value_prime(e, value, node->primes, node_place(e, index));
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
        places[i] = node_place(e, children[i].node);
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
        elaborate_fail(e, node_place(e, index), "a bracket has entries, and there are none here");
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
                                   node_place(e, children[i].node), "a component");
        bad = bad || parts[i].kind == VALUE_BAD;
        value_mark(&vector, &parts[i]);
    }
    Place places[3];
    for (int i = 0; i < 3; i++)
        places[i] = node_place(e, children[i].node);
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
    vector = value_as_vector(e, vector, node_place(e, children[0].node), "what stands before 'in'");
    if (vector.kind == VALUE_BAD)
        return vector;
    if (frame.kind != VALUE_FRAME)
        return value_fail_kind(e, &frame, node_place(e, children[1].node), "what follows 'in'",
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
    Place place = node_place(e, index);
    switch (node->kind) {
    case NODE_NUMBER: return number_value(e, node, index);
    case NODE_NAME: return name_value(e, node, index);
    case NODE_INDEX: return index_value(e, node, index);
    case NODE_MEMBER: return member_value(e, node, index);
    case NODE_PRIME: return prime_value(e, node, index);
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
        array_push(&e->text_places, ((TextPlace){value->scalar, node_place(e, index)}));
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
        places[i] = node_place(e, term);
    Value value = bad ? value_bad() : value_sum(e, e->terms.at + base, NULL, count, places);
    base_free(places);
    e->terms.count = base;
    *value_slot(e, total) = value;
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
        names_check_loop(e, loop.name, node_place(e, index));
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
        if (!elaborate_step(e, 1, node_place(e, at))) {
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
                    !nesting_check(e, value.scalar, node_place(e, at)))
                    value = value_bad();
                note_place(e, node, at, &value);
                if (e->pairs)
                    pairs_keep_value(e, at, value);
            }
            *value_slot(e, at) = value;
            at++;
        }
    }
    return true;
}

Value elaborate_span(Elaborator *e, Span span)
{
    if (!run_nodes(e, span.first, span.root + 1))
        return value_bad();
    return elaborate_child(e, span.root);
}

bool elaborate_below_root(Elaborator *e, Span span)
{
    return run_nodes(e, span.first, span.root);
}

// ---- Parts of statements.

bool elaborate_scalar(Elaborator *e, const Part *part, Level level, const char *what, Expr *out)
{
    Place place = syntax_part_place(e->syntax, part);
    Value value = value_as_scalar(e, elaborate_span(e, part->span), place, what);
    *out = value.scalar;
    return value.kind != VALUE_BAD && value_within(e, &value, level, place, what);
}

bool elaborate_vector(Elaborator *e, const Part *part, Level level, const char *what, Vector *out)
{
    Place place = syntax_part_place(e->syntax, part);
    Value value = value_as_vector(e, elaborate_span(e, part->span), place, what);
    *out = value.vector;
    return value.kind != VALUE_BAD && value_within(e, &value, level, place, what);
}

bool elaborate_measure(Elaborator *e, const Part *part, Level level, const char *what, Dim want,
                       Expr *out, Dim *dim)
{
    Place place = syntax_part_place(e->syntax, part);
    Value value = value_as_scalar(e, elaborate_span(e, part->span), place, what);
    *out = value.scalar;
    if (dim)
        *dim = value.dim;
    return value.kind != VALUE_BAD && value_within(e, &value, level, place, what) &&
           dim_check(e, value.dim, want, place, what);
}

bool elaborate_datum(Elaborator *e, const Part *part, const char *what, Dim want, Expr *out)
{
    Dim dim;
    if (!elaborate_measure(e, part, LEVEL_PARAM, what, dim_any(), out, &dim))
        return false;
    Place place = syntax_part_place(e->syntax, part);
    bool bare = e->units && !dim.any && dim_is_pure(dim) && !dim_is_pure(want) &&
                is_bare_number(e, part->span);
    return bare ? dim_fail_bare(e, what, want, place) : dim_check(e, dim, want, place, what);
}

bool elaborate_directed(Elaborator *e, const Part *part, Level level, const char *what, Dim want,
                        Vector *out, Dim *dim)
{
    Place place = syntax_part_place(e->syntax, part);
    Value value = value_as_vector(e, elaborate_span(e, part->span), place, what);
    *out = value.vector;
    if (dim)
        *dim = value.dim;
    return value.kind != VALUE_BAD && value_within(e, &value, level, place, what) &&
           dim_check(e, value.dim, want, place, what);
}

bool elaborate_point(Elaborator *e, const Part *part, Level level, const char *what, Vector *out)
{
    Place place = syntax_part_place(e->syntax, part);
    Value value = value_as_point(e, elaborate_span(e, part->span), place, what);
    *out = value.vector;
    return value.kind != VALUE_BAD && value_within(e, &value, level, place, what);
}

bool elaborate_frame(Elaborator *e, const Part *part, const char *what, Value *out)
{
    *out = elaborate_span(e, part->span);
    if (out->kind != VALUE_FRAME)
        *out = value_fail_kind(e, out, syntax_part_place(e->syntax, part), what, VALUE_FRAME);
    return out->kind == VALUE_FRAME;
}

bool elaborate_body(Elaborator *e, const Part *part, const char *what, size_t *out)
{
    Value value = elaborate_span(e, part->span);
    *out = value.body;
    if (value.kind != VALUE_BODY)
        value = value_fail_kind(e, &value, syntax_part_place(e->syntax, part), what, VALUE_BODY);
    return value.kind == VALUE_BODY;
}
