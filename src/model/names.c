// names.c: the one set of names. Arrays are families: the bare name, and an entry for each
// element under its full spelling.
#include "model/model_impl.h"

#include <string.h>

const char *names_kind(NameKind kind)
{
    static const char *const kinds[] = {
        [NAME_CONST] = "a constant", [NAME_PARAM] = "a parameter",   [NAME_LET] = "an abbreviation",
        [NAME_INPUT] = "an input",   [NAME_STATE] = "a state",       [NAME_COORD] = "a coordinate",
        [NAME_SPEED] = "a speed",    [NAME_POINT] = "a point",       [NAME_FRAME] = "a frame",
        [NAME_BODY] = "a body",      [NAME_FUNCTION] = "a function", [NAME_TEMPLATE] = "a part",
        [NAME_PART] = "a part"};
    return kinds[kind];
}

const NameEntry *names_find_full(const Elaborator *e, Str full)
{
    uint32_t index;
    return name_map_get(e->name_map, full, &index) ? &e->names.at[index] : NULL;
}

// A number by this name inside the part in hand.
static bool find_own(const Elaborator *e, const NameMap *map, Str name, uint32_t *number)
{
    Text full = {0};
    text_add_str(&full, e->scope->prefix);
    text_add_str(&full, name);
    bool found = name_map_get(map, (Str){full.at, full.length}, number);
    text_clear(&full);
    return found;
}

const NameEntry *names_find(const Elaborator *e, Str name)
{
    uint32_t index;
    if (!e->scope)
        return names_find_full(e, name);
    if (find_own(e, e->name_map, name, &index))
        return &e->names.at[index];
    const NameEntry *entry = names_find_full(e, name);
    const Statement *template = &e->file_syntax->statements.at[e->scope->statement];
    // What is declared below the template is not seen in it.
    return entry && entry->place.start < template->start ? entry : NULL;
}

static bool is_lost(const Elaborator *e, Str name)
{
    return (e->scope && find_own(e, e->lost, name, NULL)) || name_map_get(e->lost, name, NULL);
}

const Loop *names_find_loop(const Elaborator *e, Str name)
{
    for (size_t i = e->loops.count; i-- > 0;)
        if (str_equal(e->loops.at[i].name, name))
            return &e->loops.at[i];
    return NULL;
}

static void add_full(Text *text, Str base, const int64_t *indices, size_t rank)
{
    text_add_str(text, base);
    for (size_t i = 0; i < rank; i++)
        text_addf(text, "%s%lld", i == 0 ? "[" : ",", (long long)indices[i]);
    if (rank > 0)
        text_add_char(text, ']');
}

Str names_full(Elaborator *e, Str base, const int64_t *indices, size_t rank)
{
    Text text = {0};
    add_full(&text, base, indices, rank);
    Str full = {arena_copy_text(e->arena, text.at, text.length), text.length};
    text_clear(&text);
    return full;
}

Str names_own(Elaborator *e, Str base, const int64_t *indices, size_t rank)
{
    if (!e->scope)
        return names_full(e, base, indices, rank);
    Text text = {0};
    text_add_str(&text, e->scope->prefix);
    add_full(&text, base, indices, rank);
    Str full = {arena_copy_text(e->arena, text.at, text.length), text.length};
    text_clear(&text);
    return full;
}

// ---- Declaring.

static bool fail_twice(Elaborator *e, Place place, Str name, const NameEntry *old)
{
    Shown shown = text_shown(name);
    if (old->place.start == place.start && e->loops.count > 0)
        return elaborate_fail(e, place,
                              "'%s' is made once more in the next round of the loop; give it an "
                              "index that changes, as in %s[%s]",
                              shown.at, shown.at,
                              text_shown(e->loops.at[e->loops.count - 1].name).at);
    return elaborate_fail(e, place, "'%s' is already declared as %s, in %s", shown.at,
                          names_kind(old->kind), elaborate_line(old->place).at);
}

static NameEntry *add_entry(Elaborator *e, NameKind kind, Str full, Place place)
{
    NameEntry entry = {.name = full, .kind = kind, .place = place};
    entry.start = entry.start_velocity = NO_START;
    name_map_put(e->name_map, full, (uint32_t)e->names.count);
    array_push(&e->names, entry);
    return &e->names.at[e->names.count - 1];
}

// The family of this name, made where there is none. 0 after a message.
static uint32_t find_family(Elaborator *e, NameKind kind, Str base, size_t rank, Place place)
{
    const NameEntry *old = names_find_full(e, base);
    if (!old) {
        NameEntry *family = add_entry(e, kind, names_full(e, base, NULL, 0), place);
        family->family = true;
        family->rank = (uint32_t)rank;
        return (uint32_t)(family - e->names.at);
    }
    if (!old->family || old->kind != kind) {
        fail_twice(e, place, base, old);
        return 0;
    }
    if (old->rank != rank) {
        elaborate_fail(e, place, "'%s' has %u %s in %s, and %zu here", text_shown(base).at,
                       old->rank, old->rank == 1 ? "index" : "indices",
                       elaborate_line(old->place).at, rank);
        return 0;
    }
    return (uint32_t)(old - e->names.at);
}

NameEntry *names_declare(Elaborator *e, NameKind kind, Str base, const int64_t *indices,
                         size_t rank, Place place)
{
    if (names_find_loop(e, base)) {
        elaborate_fail(e, place, "'%s' is the variable of the loop around it; choose another name",
                       text_shown(base).at);
        return NULL;
    }
    if (e->names.count > MODEL_MOST_NAMES) {
        elaborate_fail(e, place, "a model has at most %d names, each element of an array counted",
                       MODEL_MOST_NAMES);
        return NULL;
    }
    base = names_own(e, base, NULL, 0);
    uint32_t family = rank > 0 ? find_family(e, kind, base, rank, place) : 0;
    if (rank > 0 && family == 0)
        return NULL;
    Str full = names_full(e, base, indices, rank);
    const NameEntry *old = names_find_full(e, full);
    if (old) {
        fail_twice(e, place, full, old);
        return NULL;
    }
    NameEntry *entry = add_entry(e, kind, full, place);
    uint32_t index = (uint32_t)(entry - e->names.at);
    if (family) {
        NameEntry *head = &e->names.at[family];
        if (head->last)
            e->names.at[head->last].next = index;
        else
            head->first = index;
        head->last = index;
    }
    return entry;
}

bool names_check_loop(Elaborator *e, Str name, Place place)
{
    const NameEntry *old = names_find(e, name);
    if (old)
        return fail_twice(e, place, name, old);
    if (names_find_loop(e, name))
        return elaborate_fail(e, place, "'%s' is already the variable of a loop around it",
                              text_shown(name).at);
    if (text_is_reserved(name))
        return elaborate_fail(e, place, "'%s' is a reserved word; choose another name",
                              text_shown(name).at);
    return true;
}

// ---- Names whose declaration had an error.

void names_lose(Elaborator *e, Str base)
{
    name_map_put(e->lost, names_own(e, base, NULL, 0), 1);
}

Str names_base(const Syntax *syntax, uint32_t root)
{
    const Node *node = &syntax->nodes.at[root];
    while (node->kind == NODE_PRIME || node->kind == NODE_INDEX)
        node = &syntax->nodes.at[syntax_children(syntax, node)[0].node];
    bool named = node->kind == NODE_NAME || node->kind == NODE_CALL;
    return named ? syntax_name(syntax, node->name) : str_of("");
}

static bool declares(StatementKind kind)
{
    switch (kind) {
    case STATEMENT_CONST:
    case STATEMENT_PARAM:
    case STATEMENT_LET:
    case STATEMENT_INPUT:
    case STATEMENT_FUNCTION:
    case STATEMENT_COORD:
    case STATEMENT_SPEED:
    case STATEMENT_STATE:
    case STATEMENT_FRAME:
    case STATEMENT_POINT:
    case STATEMENT_PART:
    case STATEMENT_BODY: return true;
    default: return false;
    }
}

// Whether a good item of a bad statement has declared this name all the same. An index that is
// no array's own means one element, and says nothing of the others.
static bool stands(const Elaborator *e, const Statement *statement, const Part *part, Str base)
{
    bool whole = statement->kind == STATEMENT_COORD || statement->kind == STATEMENT_PARAM ||
                 e->file_syntax->nodes.at[part->span.root].kind == NODE_NAME;
    return whole && names_find(e, base);
}

void names_lose_statement(Elaborator *e, const Statement *statement)
{
    for (uint32_t i = 0; i < statement->count; i++) {
        const Part *part = &e->file_syntax->parts.at[statement->first + i];
        bool named = part->role == PART_NAME && declares(statement->kind);
        bool label = part->role == PART_LABEL;
        if (!named && !label && part->role != PART_LOST)
            continue;
        Str base = names_base(e->file_syntax, part->span.root);
        if (!label && !stands(e, statement, part, base))
            names_lose(e, base);
        if (label && statement->kind == STATEMENT_JOINT)
            names_lose(e, base);
        if (!named)
            name_map_put(e->lost_labels, names_own(e, base, NULL, 0), 1);
    }
}

// ---- Unknown names.

static bool is_element(Str name)
{
    return name.length > 0 && name.at[name.length - 1] == ']';
}

// The place below where the name is declared, if it is.
static bool declared_below(const Elaborator *e, Str name, Place *place)
{
    const Syntax *syntax = e->file_syntax; // not kept behind the end of the file
    for (size_t s = 0; syntax && s < syntax->statements.count; s++) {
        const Statement *statement = &syntax->statements.at[s];
        // What stands in a template is its own.
        if (parts_is_template(e, statement) && (!e->scope || e->scope->statement != s))
            s = statement->end - 1;
        for (uint32_t i = 0; i < statement->count && declares(statement->kind); i++) {
            const Part *part = &syntax->parts.at[statement->first + i];
            if (part->role == PART_NAME && str_equal(names_base(syntax, part->span.root), name)) {
                *place = syntax_part_place(syntax, part);
                return true;
            }
        }
    }
    return false;
}

// The coordinate or speed that xdot, x_dot, xddot or dx are the derivatives of, and how often; NULL
// where the name is no such one.
static const NameEntry *derivative_meant(const Elaborator *e, Str name, const char **primes)
{
    static const struct {
        const char *before, *after, *primes;
    } ways[] = {{"", "_ddot", "''"}, {"", "_dot", "'"}, {"", "ddot", "''"},
                {"", "dot", "'"},    {"dd", "", "''"},  {"d", "", "'"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        Str before = str_of(ways[i].before), after = str_of(ways[i].after);
        size_t around = before.length + after.length;
        if (name.length <= around || !str_equal((Str){name.at, before.length}, before) ||
            !str_equal((Str){name.at + name.length - after.length, after.length}, after))
            continue;
        Str base = {name.at + before.length, name.length - around};
        const NameEntry *entry = names_find(e, base);
        *primes = ways[i].primes;
        if (entry && (entry->kind == NAME_COORD || entry->kind == NAME_SPEED))
            return entry;
    }
    return NULL;
}

bool names_explain(Elaborator *e, Place place, Str name)
{
    Shown shown = text_shown(name);
    Place below;
    if (is_lost(e, name))
        return true;
    if (!declared_below(e, name, &below))
        return false;
    bool file = e->syntax == e->file_syntax;
    // A setting is read where what it sets is declared.
    if (!file && !e->statement)
        return false;
    Place own = file ? place : syntax_statement_place(e->file_syntax, e->statement);
    uint32_t end = own.start + own.length;
    if (below.start < end)
        elaborate_fail(e, place, "'%s' cannot be used in its own declaration", shown.at);
    else
        elaborate_fail(e, place, "'%s' is used above its declaration in %s", shown.at,
                       elaborate_line(below).at);
    return true;
}

// The names of parts that end so.
static bool fail_in_parts(Elaborator *e, Place place, Str name)
{
    const char *found[2] = {NULL};
    size_t count = 0;
    for (size_t i = 1; i < e->names.count; i++) {
        Str full = e->names.at[i].name;
        bool ends = full.length > name.length + 1 &&
                    full.at[full.length - name.length - 1] == '.' &&
                    memcmp(full.at + full.length - name.length, name.at, name.length) == 0;
        if (ends && count++ < 2)
            found[count - 1] = full.at;
    }
    if (count == 0)
        return false;
    Shown shown = text_shown(name);
    if (count == 1)
        elaborate_fail(e, place, "unknown name '%s'; there is %s", shown.at, found[0]);
    else
        elaborate_fail(e, place, "unknown name '%s'; there are %s and %s%s", shown.at, found[0],
                       found[1], count > 2 ? ", and more" : "");
    return true;
}

// What others call it, or leave out, and what is written here.
static const Synonym foreign_names[] = {
    {"PI", "the number is written pi"},
    {"Pi", "the number is written pi"},
    {"e", "the exponential function is exp(…)"},
    {"E", "the exponential function is exp(…)"},
    {"time", "the time is t"},
    {"T", "the time is t, and a parameter is declared, as in 'param T = 2'"},
    {"g", "nothing is known beforehand: declare it, as in 'param g = 9.81'"},
    {"G", "nothing is known beforehand: declare it, as in 'param G = 6.674e-11'"},
};

const char *names_in_part(const Elaborator *e, const NameEntry *part)
{
    Text text = {0};
    size_t count = 0;
    for (size_t i = 0; i < e->model->coords.count && part->kind == NAME_PART; i++) {
        const char *name = e->model->coords.at[i].name;
        if (strncmp(name, part->name.at, part->name.length) != 0 || name[part->name.length] != '.')
            continue;
        if (count++ < 3)
            text_addf(&text, "%s%s", count == 1 ? "; in it there are the coordinates " : ", ",
                      name);
    }
    text_add(&text, count > 3 ? ", …" : "");
    const char *own = arena_copy_text(e->arena, text.at, text.length);
    text_clear(&text);
    return own;
}

bool names_fail_unknown(Elaborator *e, Place place, Str name)
{
    Shown shown = text_shown(name);
    const char *foreign =
        str_synonym(name, foreign_names, sizeof foreign_names / sizeof *foreign_names);
    if (names_explain(e, place, name) || fail_in_parts(e, place, name))
        return false;
    if (calls_is_function(name))
        return elaborate_fail(e, place, "'%s' is a function; write %s(…)", shown.at, shown.at);
    const char *primes;
    const NameEntry *base = derivative_meant(e, name, &primes);
    if (base)
        return elaborate_fail(e, place, "'%s' is unknown; the derivative of %s is %s%s", shown.at,
                              base->name.at, base->name.at, primes);
    if (foreign)
        return elaborate_fail(e, place, "unknown name '%s'; %s", shown.at, foreign);
    ARRAY(Str) candidates = {0};
    for (size_t i = 1; i < e->names.count; i++)
        if (!is_element(e->names.at[i].name))
            array_push(&candidates, e->names.at[i].name);
    for (size_t i = 0; i < e->loops.count; i++)
        array_push(&candidates, e->loops.at[i].name);
    array_push(&candidates, str_of("origin"));
    array_push(&candidates, str_of("world"));
    elaborate_fail_unknown(e, place, "name", name, candidates.at, candidates.count);
    array_clear(&candidates);
    return false;
}

// The first loop of the pairs that this index comes from, or NULL.
static const Loop *find_pairs(const Elaborator *e, int64_t index)
{
    for (size_t i = e->loops.count; i-- > 1;) {
        const Loop *second = &e->loops.at[i], *first = second - 1;
        if (second->paired && (second->value == index || first->value == index))
            return first;
    }
    return NULL;
}

static Shown shown_node(const Elaborator *e, uint32_t node)
{
    const Node *at = &e->syntax->nodes.at[node];
    return text_shown(syntax_text(e->syntax, at->start, at->length));
}

bool names_fail_element(Elaborator *e, Place place, const NameEntry *family, const int64_t *indices,
                        size_t rank)
{
    if (name_map_get(e->lost, family->name, NULL)) // a full name
        return false;
    Shown name = text_shown(family->name);
    if (family->rank != rank)
        return elaborate_fail(e, place, "'%s' has %u %s, not %zu", name.at, family->rank,
                              family->rank == 1 ? "index" : "indices", rank);
    for (size_t i = 0; i < rank && family->low; i++)
        if (indices[i] < family->low[i] || indices[i] > family->high[i])
            return elaborate_fail(e, place, "the index %lld is outside %lld..%lld of '%s'",
                                  (long long)indices[i], (long long)family->low[i],
                                  (long long)family->high[i], name.at);
    Text full = {0};
    add_full(&full, family->name, indices, rank);
    Shown element = text_shown((Str){full.at, full.length});
    text_clear(&full);
    const Loop *pairs = rank == 1 ? find_pairs(e, indices[0]) : NULL;
    if (!pairs)
        return elaborate_fail(e, place, "there is no '%s' above this line", element.at);
    Shown low = shown_node(e, pairs->low_node), high = shown_node(e, pairs->high_node);
    return elaborate_fail(e, place,
                          "'%s' is not declared; pairs(%s..%s) needs all of %s[%s] … %s[%s]",
                          element.at, low.at, high.at, name.at, low.at, name.at, high.at);
}

// ---- Targets: a name with indices and primes where it is made or meant.

static bool read_indices(Elaborator *e, const Node *node, Target *target)
{
    const Child *children = syntax_children(e->syntax, node);
    if (node->count - 1 > MODEL_MOST_INDICES)
        return elaborate_fail(e, target->place, "a name has at most %d indices",
                              MODEL_MOST_INDICES);
    target->rank = node->count - 1;
    for (size_t i = 0; i < target->rank; i++) {
        const Node *child = &e->syntax->nodes.at[children[i + 1].node];
        if (child->kind == NODE_RANGE) {
            const Child *ends = syntax_children(e->syntax, child);
            target->ranges = true;
            if (!elaborate_integer(e, ends[0].node, "an index", &target->low[i]) ||
                !elaborate_integer(e, ends[1].node, "an index", &target->high[i]))
                return false;
        } else {
            if (!elaborate_integer(e, children[i + 1].node, "an index", &target->low[i]))
                return false;
            target->high[i] = target->low[i];
        }
    }
    return true;
}

static bool has_points(const Syntax *syntax, const Node *node)
{
    while (node->kind == NODE_INDEX)
        node = &syntax->nodes.at[syntax_children(syntax, node)[0].node];
    return node->kind == NODE_MEMBER;
}

// A name with points is that of something that is there.
static bool find_pointed(Elaborator *e, const Part *part, uint32_t node, Target *target)
{
    Value value = elaborate_span(e, (Span){part->span.first, node});
    target->entry = value.kind == VALUE_FAMILY ? value.family : value.entry;
    if (value.kind == VALUE_BAD)
        return false;
    if (!target->entry)
        return elaborate_fail(e, target->place, "this is no name of a coordinate or a parameter");
    target->base = e->names.at[target->entry].name;
    return true;
}

bool elaborate_target(Elaborator *e, const Part *part, Target *target)
{
    const Syntax *syntax = e->syntax;
    *target = (Target){.place = syntax_part_place(syntax, part)};
    const Node *node = &syntax->nodes.at[part->span.root];
    if (node->kind == NODE_PRIME) {
        target->primes = node->primes;
        node = &syntax->nodes.at[syntax_children(syntax, node)[0].node];
    }
    if (has_points(syntax, node))
        return find_pointed(e, part, (uint32_t)(node - syntax->nodes.at), target);
    Place unit;
    target->base = names_base(syntax, part->span.root);
    if (node->kind != NODE_INDEX || bracket_unit(syntax, e->statement, part, &unit))
        return true;
    // The indices stand between the name, which comes first, and the index node.
    uint32_t index_node = (uint32_t)(node - syntax->nodes.at);
    Span indices = {part->span.first + 1, index_node};
    return elaborate_below_root(e, indices) && read_indices(e, node, target);
}

NameEntry *names_find_target(Elaborator *e, const Target *target)
{
    if (target->entry)
        return &e->names.at[target->entry];
    const NameEntry *found = names_find(e, target->base);
    if (!found) {
        names_fail_unknown(e, target->place, target->base);
        return NULL;
    }
    uint32_t index = (uint32_t)(found - e->names.at);
    if (target->rank == 0)
        return &e->names.at[index];
    const NameEntry *family = &e->names.at[index];
    if (!family->family) {
        elaborate_fail(e, target->place, "'%s' is no array and has no index",
                       text_shown(target->base).at);
        return NULL;
    }
    if (target->ranges) {
        elaborate_fail(e, target->place, "a range of indices stands only where an array is made");
        return NULL;
    }
    Str full = names_full(e, family->name, target->low, target->rank);
    if (name_map_get(e->name_map, full, &index))
        return &e->names.at[index];
    names_fail_element(e, target->place, family, target->low, target->rank);
    return NULL;
}
