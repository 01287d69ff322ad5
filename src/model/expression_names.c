// expression_names.c: names and numbers in an expression, with their indices, members and primes.
#include "model/model_impl.h"

#include <string.h>

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

// ---- Leaves.

Value elaborate_number(Elaborator *e, const Node *node, uint32_t index)
{
    Expr number;
    if (expr_number_read(e->pool, syntax_name(e->syntax, node->name), &number)) {
        Value value = value_scalar(number);
        // The numbers of a robot's file are in SI units.
        value.dim.any = expr_is_zero(e->pool, number) || dim_is_of_robot(e, node->start);
        return value;
    }
    elaborate_fail(e, elaborate_place(e, index),
                   "this number is too long or its exponent too large");
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

Value elaborate_name(Elaborator *e, const Node *node, uint32_t index)
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
    if (in_body && !check_in_body(e, name, elaborate_place(e, index)))
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
        elaborate_fail(e, elaborate_place(e, index), "'%s' is a function; write %s(…)",
                       text_shown(name).at, text_shown(name).at);
        return value_bad();
    }
    if (entry && entry->kind == NAME_TEMPLATE) {
        elaborate_fail(e, elaborate_place(e, index),
                       "'%s' is a part; one is made with 'part NAME = %s(…)'", text_shown(name).at,
                       text_shown(name).at);
        return value_bad();
    }
    if (entry)
        return check_placed_body(e, elaborate_entry(e, entry), elaborate_place(e, index));
    if (str_is(name, "lambda") || str_is(name, "spring") || str_is(name, "slip") || e->quantities)
        return free_name(e, name);
    names_fail_unknown(e, elaborate_place(e, index), name);
    return value_bad();
}

// ---- Indices, members, primes.

static bool read_indices(Elaborator *e, const Node *node, int64_t *indices)
{
    const Child *children = syntax_children(e->syntax, node);
    if (node->count - 1 > MODEL_MOST_INDICES)
        return elaborate_fail(e, elaborate_place(e, children[0].node),
                              "a name has at most %d indices", MODEL_MOST_INDICES);
    for (uint32_t i = 1; i < node->count; i++) {
        uint32_t child = children[i].node;
        if (e->syntax->nodes.at[child].kind == NODE_RANGE)
            return elaborate_fail(e, elaborate_place(e, child),
                                  "a range of indices stands only where an array is made");
        if (!elaborate_integer(e, child, "an index", &indices[i - 1]))
            return false;
    }
    return true;
}

Value elaborate_index(Elaborator *e, const Node *node, uint32_t index)
{
    uint32_t base_node = syntax_children(e->syntax, node)[0].node;
    Value base = *elaborate_slot(e, base_node);
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
        elaborate_fail(e, elaborate_place(e, index), "'%s' is no array and has no index",
                       text_shown(text).at);
        return value_bad();
    }
    const NameEntry *family = &e->names.at[base.family];
    const NameEntry *element = names_find_full(e, names_full(e, family->name, indices, rank));
    if (element)
        return check_placed_body(e, entry_value(e, element), elaborate_place(e, index));
    names_fail_element(e, elaborate_place(e, index), family, indices, rank);
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

Value elaborate_member(Elaborator *e, const Node *node, uint32_t index)
{
    uint32_t child = syntax_children(e->syntax, node)[0].node;
    Value base = *elaborate_slot(e, child);
    Str name = syntax_name(e->syntax, node->name);
    if (base.kind == VALUE_BAD)
        return base;
    if (base.kind == VALUE_PART)
        return check_placed_body(e, part_member(e, base.word, name, elaborate_place(e, index)),
                                 elaborate_place(e, index));
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
        return body_member(e, &base, name, elaborate_place(e, index));
    int axis = str_is(name, "x") ? 0 : str_is(name, "y") ? 1 : str_is(name, "z") ? 2 : -1;
    bool has_axes =
        base.kind == VALUE_VECTOR || base.kind == VALUE_POINT || base.kind == VALUE_FRAME;
    if (!has_axes || axis < 0)
        return fail_member(e, &base, name, elaborate_place(e, index));
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

Value elaborate_prime(Elaborator *e, const Node *node, uint32_t index)
{
    uint32_t child = syntax_children(e->syntax, node)[0].node;
    Value value = *elaborate_slot(e, child);
    if (value.kind == VALUE_WORD && e->free_symbols) {
        Text text = {0};
        text_add(&text, value.word);
        for (uint32_t i = 0; i < node->primes && i < 3; i++)
            text_add_char(&text, '\'');
        return make_word(e, &text);
    }
    value = elaborate_child(e, child);
    if (value.kind == VALUE_SCALAR && !e->free_symbols && is_discrete(e, value.scalar)) {
        elaborate_fail(e, elaborate_place(e, index),
                       "'%s' is a discrete state and has no derivative",
                       expr_name(e->pool, value.scalar));
        return value_bad();
    }
    if (value.kind == VALUE_SCALAR && node->primes > 1 && is_continuous(e, value.scalar)) {
        elaborate_fail(e, elaborate_place(e, index),
                       "a state has a first derivative alone; write two states");
        return value_bad();
    }
    if (e->free_symbols) {
        elaborate_fail(e, elaborate_place(e, index), "only a name can have a prime here");
        return value_bad();
    }
    return value_prime(e, value, node->primes, elaborate_place(e, index));
}
