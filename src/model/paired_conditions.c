// paired_conditions.c: conditions over very many pairs, read once for each element and not for each
// pair.
//
// In `(x[i] - x[j])^2 >= 4*r[i]*r[j]` what depends on i alone, the largest parts that do, is read
// for every i, and what depends on j alone for every j. The rest is read once, with symbols in
// their place: that is the template. It is the same condition, since the value of an expression
// depends on the values of its parts alone. Where a part depends on both variables in another way
// (an index i + j, say), or is neither a number nor a vector, the pairs are written out as the
// rounds of a loop.
#include "model/paired_conditions.h"
#include "model/model_impl.h"

#include <string.h>

// So many conditions are written out one by one, and each has its multiplier in a column.
enum { WRITTEN_OUT = 1 << 12 };

enum { NO_PART = UINT32_MAX };

// One of the largest parts of a condition that depend on one variable.
typedef struct {
    uint32_t node;
    size_t role;  // 0 for the first variable, 1 for the second
    Value value;  // of the element in hand
    Value stands; // the same for all elements, with symbols in it
    size_t at;    // its first symbol among those of its role
} PairsPart;

struct PairsReading {
    uint32_t variables[2]; // their names
    bool by_element;       // reads the parts of one element, else the template
    uint8_t left_out;      // roles that the element in hand does not have, as bits
    uint32_t from, to;     // the nodes of the condition
    uint8_t *depends;      // of each: on which variables, as bits
    uint32_t *part;        // of each: which part it is, or NO_PART
    ARRAY(PairsPart) parts;
    size_t widths[2]; // symbols of each role
};

// ---- What a node depends on.

// Whether the template can be read with symbols for the children of a node that depends on both.
static bool takes_values(const PairsReading *reading, const Node *node, const Child *children)
{
    switch (node->kind) {
    case NODE_NEGATIVE:
    case NODE_PRODUCT:
    case NODE_SUM:
    case NODE_CALL:
    case NODE_VECTOR: return true;
    case NODE_POWER: return reading->depends[children[1].node - reading->from] == 0;
    default: return false;
    }
}

static void make_part(PairsReading *reading, uint32_t node)
{
    uint8_t depends = reading->depends[node - reading->from];
    if (depends != 1 && depends != 2)
        return;
    reading->part[node - reading->from] = (uint32_t)reading->parts.count;
    array_push(&reading->parts, ((PairsPart){.node = node, .role = depends - 1}));
}

static bool find_parts(const Elaborator *e, PairsReading *reading, uint32_t index)
{
    const Node *node = &e->syntax->nodes.at[index];
    const Child *children = syntax_children(e->syntax, node);
    uint8_t depends = 0;
    for (size_t k = 0; k < 2 && node->kind == NODE_NAME; k++)
        if (node->name == reading->variables[k])
            depends = (uint8_t)(depends | 1 << k);
    for (uint32_t i = 0; i < node->count; i++)
        depends |= reading->depends[children[i].node - reading->from];
    reading->depends[index - reading->from] = depends;
    if (node->kind == NODE_EACH || node->kind == NODE_TOTAL || node->kind == NODE_PRIME)
        return false;
    for (uint32_t i = 0; i < node->count && depends == 3; i++)
        make_part(reading, children[i].node);
    return depends != 3 || takes_values(reading, node, children);
}

static bool find_all_parts(const Elaborator *e, PairsReading *reading, Span span)
{
    for (uint32_t at = span.first; at <= span.root; at++)
        if (!find_parts(e, reading, at))
            return false;
    make_part(reading, span.root);
    return true;
}

// ---- The values of nodes.

bool pairs_has_value(const Elaborator *e, uint32_t node, Value *value)
{
    const PairsReading *reading = e->pairs;
    if (node < reading->from || node > reading->to)
        return false;
    uint8_t depends = reading->depends[node - reading->from];
    uint32_t part = reading->part[node - reading->from];
    *value = value_bad();
    if (reading->by_element)
        return depends == 3 || (depends & reading->left_out);
    if (part != NO_PART)
        *value = reading->parts.at[part].stands;
    return depends == 1 || depends == 2;
}

void pairs_keep_value(Elaborator *e, uint32_t node, Value value)
{
    PairsReading *reading = e->pairs;
    if (!reading->by_element || node < reading->from || node > reading->to)
        return;
    uint32_t part = reading->part[node - reading->from];
    if (part != NO_PART)
        reading->parts.at[part].value = value;
}

// ---- One condition.

typedef struct {
    const Part *left, *right, *restitution;
} PairsSpans;

typedef enum { PAIRS_KEPT, PAIRS_WRITTEN_OUT, PAIRS_WRONG } PairsOutcome;

static PairsSpans find_spans(const Elaborator *e)
{
    const Part *at_most = statement_part(e, PART_AT_MOST);
    return (PairsSpans){.left = statement_part(e, PART_LEFT),
                        .right = at_most ? at_most : statement_part(e, PART_AT_LEAST),
                        .restitution = statement_part(e, PART_RESTITUTION)};
}

// Both sides, and the restitution, which is 0 where none is given.
static bool read_spans(Elaborator *e, const PairsSpans *spans, Value values[3])
{
    size_t errors = e->errors;
    values[0] = elaborate_span(e, spans->left->span);
    values[1] = elaborate_span(e, spans->right->span);
    values[2] = value_scalar(expr_int(e->pool, 0));
    if (spans->restitution)
        values[2] = elaborate_span(e, spans->restitution->span);
    return e->errors == errors;
}

static bool reading_begin(Elaborator *e, PairsReading *reading, const PairsSpans *spans)
{
    const Part *last = spans->restitution ? spans->restitution : spans->right;
    reading->from = spans->left->span.first;
    reading->to = last->span.root;
    size_t count = reading->to - reading->from + 1;
    reading->depends = base_alloc(count);
    reading->part = base_alloc(count * sizeof *reading->part);
    for (size_t i = 0; i < count; i++)
        reading->part[i] = NO_PART;
    return find_all_parts(e, reading, spans->left->span) &&
           find_all_parts(e, reading, spans->right->span) &&
           (!spans->restitution || find_all_parts(e, reading, spans->restitution->span));
}

static void reading_clear(PairsReading *reading)
{
    base_free(reading->depends);
    base_free(reading->part);
    array_clear(&reading->parts);
}

// ---- Elements.

static size_t width_of(const Value *value)
{
    return value->kind == VALUE_SCALAR ? 1 : 3;
}

// Whether the value of a part is of the kind that all elements have.
static bool join_value(PairsPart *part)
{
    const Value *value = &part->value;
    bool vector = value->kind == VALUE_VECTOR || value->kind == VALUE_POINT;
    if ((!vector && value->kind != VALUE_SCALAR) || value->order > 0 || value->multiplier)
        return false;
    if (part->stands.kind == VALUE_BAD) {
        part->stands = *value;
        return true;
    }
    value_mark(&part->stands, value);
    return part->stands.kind == value->kind;
}

static void put_values(Elaborator *e, const PairsPart *part, Expr *values)
{
    if (part->value.kind == VALUE_SCALAR) {
        values[0] = part->value.scalar;
        return;
    }
    Vec in_world = vector_in(e->model->vectors, part->value.vector, (Frame){0});
    values[0] = in_world.x;
    values[1] = in_world.y;
    values[2] = in_world.z;
}

// Reads what one element has, in the roles that it may have.
static PairsOutcome read_element(Elaborator *e, const PairsSpans *spans, const ModelPairs *pairs,
                                 size_t element)
{
    PairsReading *reading = e->pairs;
    Loop *loops = e->loops.at + e->loops.count - 2;
    Value ignored[3];
    loops[0].value = loops[1].value = pairs->low + (int64_t)element;
    reading->by_element = true;
    reading->left_out =
        (uint8_t)((element + 1 == pairs->elements ? 1 : 0) | (element == 0 ? 2 : 0));
    if (!read_spans(e, spans, ignored))
        return PAIRS_WRONG;
    for (size_t i = 0; i < reading->parts.count; i++) {
        PairsPart *part = &reading->parts.at[i];
        bool asked = !(reading->left_out & (1u << part->role));
        if (asked && !join_value(part))
            return PAIRS_WRITTEN_OUT;
        if (asked && pairs->values)
            put_values(e, part,
                       pairs->values + element * (pairs->first + pairs->second) +
                           (part->role ? pairs->first : 0) + part->at);
    }
    return PAIRS_KEPT;
}

// The first two elements show how wide each part is.
static PairsOutcome read_elements(Elaborator *e, const PairsSpans *spans, ModelPairs *pairs)
{
    PairsReading *reading = e->pairs;
    PairsOutcome outcome = PAIRS_KEPT;
    for (size_t element = 0; element < 2 && outcome == PAIRS_KEPT; element++)
        outcome = read_element(e, spans, pairs, element);
    for (size_t i = 0; i < reading->parts.count; i++) {
        PairsPart *part = &reading->parts.at[i];
        part->at = reading->widths[part->role];
        reading->widths[part->role] += width_of(&part->stands);
    }
    pairs->first = reading->widths[0];
    pairs->second = reading->widths[1];
    size_t width = pairs->first + pairs->second;
    pairs->values = arena_array(e->arena, Expr, pairs->elements * width + 1);
    for (size_t element = 0; element < pairs->elements && outcome == PAIRS_KEPT; element++)
        outcome = read_element(e, spans, pairs, element);
    return outcome;
}

// ---- The template.

// Messages of what is only tried are not heard.
typedef struct {
    Diag *diag;
    size_t errors;
} Quiet;

static Quiet quiet_begin(Elaborator *e)
{
    Quiet quiet = {e->diag, e->errors};
    e->diag = diag_new();
    return quiet;
}

// Whether there was none.
static bool quiet_end(Elaborator *e, Quiet quiet)
{
    bool good = e->errors == quiet.errors;
    diag_free(e->diag);
    e->diag = quiet.diag;
    e->errors = quiet.errors;
    return good;
}

static void make_symbols(Elaborator *e, PairsReading *reading, ModelPairs *pairs)
{
    size_t count = pairs->first + pairs->second;
    pairs->symbols = arena_array(e->arena, Expr, count + 1);
    for (size_t i = 0; i < count; i++)
        pairs->symbols[i] = expr_symbol_new(e->pool, i < pairs->first ? "i" : "j");
    for (size_t i = 0; i < reading->parts.count; i++) {
        PairsPart *part = &reading->parts.at[i];
        const Expr *own = pairs->symbols + (part->role ? pairs->first : 0) + part->at;
        if (part->stands.kind == VALUE_SCALAR)
            part->stands.scalar = own[0];
        else
            part->stands.vector =
                vector_of(e->model->vectors, (Frame){0}, (Vec){own[0], own[1], own[2]});
    }
}

static bool read_template(Elaborator *e, const PairsSpans *spans, ModelPairs *pairs)
{
    Value values[3];
    make_symbols(e, e->pairs, pairs);
    e->pairs->by_element = false;
    Quiet quiet = quiet_begin(e);
    bool read = read_spans(e, spans, values);
    if (!quiet_end(e, quiet) || !read)
        return false;
    for (size_t i = 0; i < 3; i++)
        if (values[i].kind != VALUE_SCALAR || values[i].order > 0 || values[i].multiplier)
            return false;
    if (e->units && (!dim_fits(values[0].dim, values[1].dim) || !dim_is_pure(values[2].dim)))
        return false;
    Expr e_min = expr_call(e->pool, EXPR_MIN, values[2].scalar, expr_int(e->pool, 1));
    Expr within = expr_call(e->pool, EXPR_MAX, e_min, expr_int(e->pool, 0));
    pairs->residual = expr_sub(e->pool, values[0].scalar, values[1].scalar);
    pairs->restitution = values[2].scalar;
    return (values[0].order == 0 || values[1].order == 0) && values[2].order < 0 &&
           !values[2].timed &&
           (!expr_is_number(e->pool, values[2].scalar) || expr_same(within, values[2].scalar));
}

// ---- Coordinates of their own.

enum { OWNED_BY_NONE = 1, OWNED_BY_TEMPLATE, OWNED_BY_ELEMENT };

// Gives the coordinates in an expression to their owner; false where one has another.
static bool own_coordinates(const Elaborator *e, Expr value, uint32_t *owner, uint32_t by)
{
    ExprList symbols = expr_symbols(e->pool, &value, 1);
    bool own = true;
    for (size_t i = 0; i < symbols.count && own; i++) {
        uint32_t *of = &owner[symbols.at[i]];
        own = *of == 0 || *of == OWNED_BY_NONE || *of == by;
        *of = *of == OWNED_BY_NONE ? by : *of;
    }
    expr_list_free(&symbols);
    return own;
}

static bool have_own_coordinates(const Elaborator *e, const ModelPairs *pairs)
{
    const Model *model = e->model;
    uint32_t *owner = base_alloc((expr_pool_size(e->pool) + 1) * sizeof *owner);
    for (size_t i = 0; i < model->coords.count; i++)
        owner[model->coords.at[i].q.at] = OWNED_BY_NONE;
    size_t width = pairs->first + pairs->second;
    bool own = own_coordinates(e, pairs->residual, owner, OWNED_BY_TEMPLATE);
    for (size_t k = 0; k < pairs->elements * width && own; k++)
        if (!expr_is_none(pairs->values[k]))
            own = own_coordinates(e, pairs->values[k], owner,
                                  OWNED_BY_ELEMENT + (uint32_t)(k / width));
    base_free(owner);
    return own;
}

// ---- One statement, and the loop.

// NAME[i,j] or NAME[j,i].
static bool read_label(const Elaborator *e, const PairsReading *reading, ModelPairs *pairs)
{
    const Part *part = statement_part(e, PART_LABEL);
    const Node *node = part ? &e->syntax->nodes.at[part->span.root] : NULL;
    if (!node || node->kind != NODE_INDEX || node->count != 3)
        return false;
    const Child *children = syntax_children(e->syntax, node);
    const Node *first = &e->syntax->nodes.at[children[1].node];
    const Node *second = &e->syntax->nodes.at[children[2].node];
    if (first->kind != NODE_NAME || second->kind != NODE_NAME || first->name == second->name)
        return false;
    pairs->swapped = first->name == reading->variables[1];
    Str name = syntax_name(e->syntax, e->syntax->nodes.at[children[0].node].name);
    pairs->label = arena_copy_text(e->arena, name.at, name.length);
    return first->name == reading->variables[pairs->swapped] &&
           second->name == reading->variables[!pairs->swapped];
}

static PairsOutcome read_condition(Elaborator *e, PairsReading *reading, ModelPairs *pairs)
{
    PairsSpans spans = find_spans(e);
    if (!read_label(e, reading, pairs) || !reading_begin(e, reading, &spans))
        return PAIRS_WRITTEN_OUT;
    pairs->at_least = statement_part(e, PART_AT_LEAST) != NULL;
    pairs->place = place_between(syntax_part_place(e->syntax, spans.left),
                                 syntax_part_place(e->syntax, spans.right));
    e->pairs = reading;
    PairsOutcome outcome = read_elements(e, &spans, pairs);
    if (outcome == PAIRS_KEPT && !read_template(e, &spans, pairs))
        outcome = PAIRS_WRITTEN_OUT;
    e->pairs = NULL;
    return outcome == PAIRS_KEPT && !have_own_coordinates(e, pairs) ? PAIRS_WRITTEN_OUT : outcome;
}

// A loop over pairs, by itself, of one-sided conditions alone.
static bool is_of_sides(const Elaborator *e, const Statement *loop, uint32_t index)
{
    const Part *parts = &e->syntax->parts.at[loop->first];
    if (e->loops.count > 0 || loop->broken || loop->count != 6 || parts[4].role != PART_PAIRED)
        return false;
    for (uint32_t i = index + 1; i < loop->end; i++) {
        const Statement *inner = &e->syntax->statements.at[i];
        bool sided = false;
        for (uint32_t k = 0; k < inner->count; k++) {
            PartRole role = e->syntax->parts.at[inner->first + k].role;
            sided = sided || role == PART_AT_MOST || role == PART_AT_LEAST;
            if (role == PART_FRICTION || role == PART_LAW || role == PART_WHILE)
                return false;
        }
        if (inner->kind != STATEMENT_CONSTRAINT || inner->broken || !sided)
            return false;
    }
    return loop->end > index + 1;
}

// Opens both loops quietly, to be filled with the elements; false where the loop itself is wrong.
static bool open_loops(Elaborator *e, uint32_t index, PairsReading *reading, ModelPairs *pairs)
{
    const Part *parts = &e->syntax->parts.at[e->syntax->statements.at[index].first];
    int64_t low = 0, high = 0;
    Quiet quiet = quiet_begin(e);
    for (size_t k = 0; k < 2; k++) {
        const Node *node = &e->syntax->nodes.at[parts[3 * k].span.root];
        Loop loop = {.owner = index, .at = (uint32_t)k, .paired = k == 1};
        loop.name = syntax_name(e->syntax, node->name);
        loop.low_node = parts[1].span.root;
        loop.high_node = parts[2].span.root;
        reading->variables[k] = node->name;
        if (node->kind != NODE_NAME ||
            !names_check_loop(e, loop.name, syntax_part_place(e->syntax, parts + 3 * k)))
            e->errors++;
        if (k == 0 && (!loops_read_bound(e, parts + 1, &low) ||
                       !loops_read_bound(e, parts + 2, &high) || high <= low))
            e->errors++;
        array_push(&e->loops, loop);
    }
    pairs->low = low;
    pairs->elements = (size_t)(high - low) + 1;
    return quiet_end(e, quiet) && high - low < MODEL_MOST_NAMES;
}

static void fail_many(Elaborator *e, double count)
{
    e->failed.at[e->statement - e->syntax->statements.at] = true;
    const Part *left = statement_part(e, PART_LEFT);
    elaborate_fail(e, place_with_hint(syntax_part_place(e->syntax, left), HINT_METHOD),
                   "there are %.0f conditions over pairs, and at most %d one-sided ones can be "
                   "written out; only a run by timestepping takes more, of conditions NAME[i,j] "
                   "in which no two elements share a coordinate",
                   count, MODEL_MOST_SIDES);
}

bool pairs_read(Elaborator *e, uint32_t index)
{
    const Statement *loop = &e->syntax->statements.at[index];
    if (!is_of_sides(e, loop, index))
        return false;
    size_t had = e->model->pairs.count, loops = e->loops.count;
    PairsOutcome outcome = PAIRS_WRITTEN_OUT;
    PairsReading range = {0};
    ModelPairs first = {0};
    double count = 0;
    if (open_loops(e, index, &range, &first)) {
        double n = (double)first.elements, conditions = loop->end - index - 1;
        count = n * (n - 1) / 2 * conditions;
        outcome = e->keep_pairs && count > WRITTEN_OUT ? PAIRS_KEPT : PAIRS_WRITTEN_OUT;
    }
    for (uint32_t i = index + 1; i < loop->end && outcome == PAIRS_KEPT; i++) {
        PairsReading reading = {.variables = {range.variables[0], range.variables[1]}};
        ModelPairs pairs = first;
        e->statement = &e->syntax->statements.at[i];
        outcome = read_condition(e, &reading, &pairs);
        reading_clear(&reading);
        array_push(&e->model->pairs, pairs);
    }
    e->loops.count = loops;
    if (outcome != PAIRS_KEPT)
        e->model->pairs.count = had;
    e->statement = &e->syntax->statements.at[index + 1];
    if (outcome == PAIRS_WRITTEN_OUT && count + (double)e->side_count > MODEL_MOST_SIDES) {
        fail_many(e, count);
        outcome = PAIRS_WRONG;
    }
    if (outcome == PAIRS_WRONG)
        for (uint32_t i = index + 1; i < loop->end; i++)
            names_lose_statement(e, &e->syntax->statements.at[i]);
    return outcome != PAIRS_WRITTEN_OUT;
}

// ---- Names.

bool pairs_name(Elaborator *e, Str name)
{
    bool any = false;
    for (size_t i = 0; i < e->model->pairs.count; i++) {
        ModelPairs *pairs = &e->model->pairs.at[i];
        Str label = str_of(pairs->label);
        bool own = name.length > label.length && name.at[label.length] == '[' &&
                   str_equal((Str){name.at, label.length}, label);
        pairs->named = pairs->named || own;
        any = any || own;
    }
    return any;
}
