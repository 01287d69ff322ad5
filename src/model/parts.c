// parts.c: templates, and what is made of them.
//
// A use reads the statements of its template inside a scope: names that are made there have the
// use's name before them, and names that are used there are looked for among these first, then
// among what is declared above the template.
#include "model/model_impl.h"

#include <assert.h>
#include <string.h>

enum { MOST_SCOPES = 64, MOST_ARGUMENTS = 64 };

// ---- Templates.

bool parts_is_template(const Elaborator *e, const Statement *statement)
{
    const Part *parts = &e->file_syntax->parts.at[statement->first];
    bool use = false;
    for (uint32_t i = 0; i < statement->count && statement->kind == STATEMENT_PART; i++)
        use = use || parts[i].role == PART_BASE;
    return statement->kind == STATEMENT_PART && !use;
}

uint32_t parts_read_template(Elaborator *e, uint32_t index)
{
    const Statement *statement = e->statement = &e->syntax->statements.at[index];
    const Part *name = statement_part(e, PART_NAME);
    NameEntry *entry = NULL;
    if (!statement->broken && name) {
        Str word = syntax_name(e->syntax, e->syntax->nodes.at[name->span.root].name);
        entry = names_declare(e, NAME_TEMPLATE, word, NULL, 0, syntax_part_place(e->syntax, name));
    }
    if (entry)
        entry->index = index;
    else
        names_lose_statement(e, statement);
    return statement->end;
}

// ---- Arguments.

// What a use gives for the arguments of its template, or their defaults.
typedef struct {
    const Part *names[MOST_ARGUMENTS], *values[MOST_ARGUMENTS]; // of the template; NULL: no default
    const Part *given[MOST_ARGUMENTS];
    Value bound[MOST_ARGUMENTS]; // of those that are given
    size_t count;
    Shown part; // the template's name
    Place place;
} Arguments;

static Str name_of(const Elaborator *e, const Part *part)
{
    return syntax_name(e->syntax, e->syntax->nodes.at[part->span.root].name);
}

static bool read_formal(Elaborator *e, const Statement *statement, Arguments *arguments)
{
    const Part *parts = &e->syntax->parts.at[statement->first];
    for (uint32_t i = 0; i < statement->count; i++) {
        if (parts[i].role != PART_ARGUMENT)
            continue;
        if (arguments->count == MOST_ARGUMENTS)
            return elaborate_fail(e, syntax_part_place(e->syntax, &parts[i]),
                                  "a part has at most %d arguments", MOST_ARGUMENTS);
        bool valued = i + 1 < statement->count && parts[i + 1].role == PART_VALUE;
        arguments->names[arguments->count] = &parts[i];
        arguments->values[arguments->count++] = valued ? &parts[i + 1] : NULL;
    }
    return true;
}

static bool fail_no_argument(Elaborator *e, const Arguments *arguments, const Part *part)
{
    Text list = {0};
    for (size_t i = 0; i < arguments->count; i++)
        text_addf(&list, "%s%s", i ? ", " : "", name_of(e, arguments->names[i]).at);
    elaborate_fail(e, syntax_part_place(e->syntax, part),
                   "the part '%s' has no argument '%s'; it has %s", arguments->part.at,
                   text_shown(name_of(e, part)).at, list.at ? list.at : "none");
    text_clear(&list);
    return false;
}

static bool give(Elaborator *e, Arguments *arguments, const Part *name, const Part *value,
                 size_t *next)
{
    size_t at = *next;
    Place place = syntax_part_place(e->syntax, name ? name : value);
    if (name) {
        for (at = 0; at < arguments->count; at++)
            if (str_equal(name_of(e, arguments->names[at]), name_of(e, name)))
                break;
        if (at == arguments->count)
            return fail_no_argument(e, arguments, name);
    }
    if (at >= arguments->count)
        return elaborate_fail(e, place, "the part '%s' takes %zu argument%s, and this is one more",
                              arguments->part.at, arguments->count,
                              arguments->count == 1 ? "" : "s");
    if (arguments->given[at])
        return elaborate_fail(e, place, "the argument '%s' is given twice",
                              text_shown(name_of(e, arguments->names[at])).at);
    arguments->given[at] = value;
    *next = at + 1;
    return true;
}

// What the statement in hand gives, read where it stands.
static bool read_given(Elaborator *e, Arguments *arguments)
{
    const Part *parts = &e->syntax->parts.at[e->statement->first];
    size_t next = 0;
    for (uint32_t i = 0; i < e->statement->count; i++) {
        bool named = i > 0 && parts[i - 1].role == PART_ARGUMENT;
        if (parts[i].role == PART_VALUE &&
            !give(e, arguments, named ? &parts[i - 1] : NULL, &parts[i], &next))
            return false;
    }
    bool good = true;
    for (size_t i = 0; i < arguments->count; i++) {
        if (!arguments->given[i] && !arguments->values[i])
            return elaborate_fail(e, arguments->place, "the part '%s' needs a value for %s",
                                  arguments->part.at,
                                  text_shown(name_of(e, arguments->names[i])).at);
        if (!arguments->given[i])
            continue;
        arguments->bound[i] = elaborate_span(e, arguments->given[i]->span);
        good = good && arguments->bound[i].kind != VALUE_BAD;
    }
    return good;
}

// Whether an expression is a number as it stands, without names.
static bool is_number(const Elaborator *e, const Part *part)
{
    for (uint32_t i = part->span.first; i <= part->span.root; i++) {
        const Node *node = &e->syntax->nodes.at[i];
        bool name = node->kind == NODE_NAME || node->kind == NODE_CALL || node->kind == NODE_EACH;
        if (name && !str_is(syntax_name(e->syntax, node->name), "pi"))
            return false;
    }
    return true;
}

// Whether it is a name alone, which is then another one for the same thing.
static bool is_reference(const Elaborator *e, const Part *part)
{
    NodeKind kind = e->syntax->nodes.at[part->span.root].kind;
    return kind == NODE_NAME || kind == NODE_INDEX || kind == NODE_MEMBER;
}

static NameKind kind_for(ValueKind kind)
{
    switch (kind) {
    case VALUE_POINT: return NAME_POINT;
    case VALUE_FRAME: return NAME_FRAME;
    case VALUE_BODY: return NAME_BODY;
    default: return NAME_LET;
    }
}

static bool bind(Elaborator *e, const Part *name, const Part *part, Value value)
{
    Str formal = name_of(e, name);
    Place place = syntax_part_place(e->syntax, part);
    uint32_t entry = value.kind == VALUE_FAMILY ? value.family : value.entry;
    if (value.kind == VALUE_BAD)
        return false;
    if (is_reference(e, part) && entry) {
        name_map_put(e->name_map, names_own(e, formal, NULL, 0), entry);
        return true;
    }
    if (value.kind == VALUE_SCALAR && is_number(e, part))
        return declare_parameter(e, formal, &value, place);
    if (value.kind == VALUE_WORD || value.kind == VALUE_FAMILY || value.multiplier)
        return elaborate_fail(e, place, "an argument of a part cannot be %s",
                              value_kind_name(VALUE_WORD));
    NameEntry *made = names_declare(e, kind_for(value.kind), formal, NULL, 0, place);
    if (!made)
        return false;
    made->value = value;
    made->value.entry = 0;
    if (value.kind == VALUE_POINT) {
        made->index = (uint32_t)e->model->points.count;
        ModelPoint point = {made->name.at, value.vector, place};
        array_push(&e->model->points, point);
    }
    return true;
}

static bool bind_all(Elaborator *e, Arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        const Part *given = arguments->given[i], *own = arguments->values[i];
        Value value = given ? arguments->bound[i] : elaborate_span(e, own->span);
        if (!bind(e, arguments->names[i], given ? given : own, value))
            return false;
    }
    return true;
}

// ---- Uses.

static size_t scope_depth(const Elaborator *e)
{
    size_t depth = 0;
    for (const Scope *scope = e->scope; scope; scope = scope->around)
        depth++;
    return depth;
}

static bool read_inside(Elaborator *e, Arguments *arguments, Scope *scope)
{
    const Statement *statement = &e->syntax->statements.at[scope->statement];
    // Loops around the use are not around what it reads.
    Loop *loops = e->loops.at;
    size_t count = e->loops.count, room = e->loops.capacity;
    e->loops.at = NULL;
    e->loops.count = e->loops.capacity = 0;
    e->scope = scope;
    bool good = bind_all(e, arguments);
    if (good)
        read_statement_range(e, scope->statement + 1, statement->end);
    else
        for (uint32_t i = scope->statement + 1; i < statement->end; i++)
            names_lose_statement(e, &e->syntax->statements.at[i]);
    e->scope = scope->around;
    array_clear(&e->loops);
    e->loops.at = loops;
    e->loops.count = count;
    e->loops.capacity = room;
    return good;
}

static const NameEntry *find_template(Elaborator *e, const Part *base)
{
    const NameEntry *entry = names_find(e, name_of(e, base));
    Place place = syntax_part_place(e->syntax, base);
    Shown shown = text_shown(name_of(e, base));
    if (entry && entry->kind == NAME_TEMPLATE)
        return entry;
    if (entry)
        elaborate_fail(e, place,
                       "'%s' is %s, not a part; a part is described with 'part %s(…) { … }'",
                       shown.at, names_kind(entry->kind), shown.at);
    else
        names_fail_unknown(e, place, name_of(e, base));
    return NULL;
}

bool read_part(Elaborator *e)
{
    const Part *base = statement_part(e, PART_BASE);
    Target target;
    if (!elaborate_target(e, statement_part(e, PART_NAME), &target))
        return false;
    const NameEntry *template = find_template(e, base);
    if (!template)
        return false;
    if (scope_depth(e) >= MOST_SCOPES)
        return elaborate_fail(e, target.place, "parts are nested deeper than %d levels",
                              MOST_SCOPES);
    const Statement *statement = e->statement;
    Arguments arguments = {.part = text_shown(template->name),
                           .place = place_between(syntax_part_place(e->syntax, base),
                                                  syntax_statement_place(e->syntax, statement))};
    Scope scope = {.statement = template->index, .around = e->scope, .use = target.place};
    if (!read_formal(e, &e->syntax->statements.at[scope.statement], &arguments) ||
        !read_given(e, &arguments))
        return false;
    NameEntry *entry = declare_single(e, NAME_PART, &target);
    if (!entry)
        return false;
    entry->value = (Value){.kind = VALUE_PART, .order = -1, .word = entry->name.at};
    Text prefix = {0};
    text_addf(&prefix, "%s.", entry->name.at);
    scope.prefix = (Str){arena_copy_text(e->arena, prefix.at, prefix.length), prefix.length};
    text_clear(&prefix);
    bool good = read_inside(e, &arguments, &scope);
    e->statement = statement;
    return good;
}

// ---- Names inside.

// Whether a template labels or makes something of this name.
static bool labels(const Elaborator *e, uint32_t template, Str name)
{
    const Syntax *syntax = e->file_syntax;
    for (uint32_t s = template + 1; s < syntax->statements.at[template].end; s++) {
        const Statement *statement = &syntax->statements.at[s];
        for (uint32_t i = 0; i < statement->count; i++) {
            const Part *part = &syntax->parts.at[statement->first + i];
            bool named = part->role == PART_LABEL ||
                         (part->role == PART_NAME && (statement->kind == STATEMENT_PART ||
                                                      statement->kind == STATEMENT_FRAME));
            if (named && str_equal(names_base(syntax, part->span.root), name))
                return true;
        }
    }
    return false;
}

const char *parts_label(Elaborator *e, const char *label)
{
    Str first = {label, strcspn(label, ".[")};
    if (!e->scope || !labels(e, e->scope->statement, first))
        return label;
    return names_own(e, str_of(label), NULL, 0).at;
}

Value part_member(Elaborator *e, const char *part, Str member, Place place)
{
    Text full = {0};
    text_addf(&full, "%s.", part);
    size_t prefix = full.length;
    text_add_str(&full, member);
    const NameEntry *entry = names_find_full(e, (Str){full.at, full.length});
    Value value = value_bad();
    if (entry)
        value = elaborate_entry(e, entry);
    else if (!name_map_get(e->lost, (Str){full.at, full.length}, NULL)) {
        ARRAY(Str) candidates = {0};
        for (size_t i = 1; i < e->names.count; i++) {
            Str name = e->names.at[i].name;
            bool own = name.length > prefix && memcmp(name.at, full.at, prefix) == 0 &&
                       !memchr(name.at + prefix, '.', name.length - prefix) &&
                       name.at[name.length - 1] != ']';
            if (own)
                array_push(&candidates, ((Str){name.at + prefix, name.length - prefix}));
        }
        ptrdiff_t nearest = str_nearest(member, candidates.at, candidates.count);
        Shown meant = nearest < 0 ? text_shown(str_of("")) : text_shown(candidates.at[nearest]);
        elaborate_fail(e, place, "the part '%s' has no '%s'%s%s%s", text_shown(str_of(part)).at,
                       text_shown(member).at, nearest < 0 ? "" : "; did you mean '", meant.at,
                       nearest < 0 ? "" : "'?");
        array_clear(&candidates);
    }
    text_clear(&full);
    return value;
}
