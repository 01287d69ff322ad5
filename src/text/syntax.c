// syntax.c: the tree's storage and the looks at it.
#include "text/text_impl.h"

#include <string.h>

static const char *const words[] = {
#define STATEMENT(NAME, word, parse) [STATEMENT_##NAME] = word,
#include "text/statements.def"
#undef STATEMENT
    [STATEMENT_SET] = "setting",
    [STATEMENT_EXPRESSION] = "expression",
    [STATEMENT_EQUATION] = "equation",
    [STATEMENT_UNKNOWN] = "unknown",
};

const char *statement_word(StatementKind kind)
{
    return words[kind];
}

static const char *const reserved[] = {"t",  "pi", "world", "origin", "in",  "at",
                                       "on", "to", "about", "along",  "when"};

bool text_is_reserved(Str name)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (str_is(name, reserved[i]))
            return true;
    return false;
}

Syntax *syntax_new(const Source *source)
{
    Syntax *syntax = base_alloc(sizeof *syntax);
    syntax->source = source;
    syntax->arena = arena_new();
    syntax->name_map = name_map_new();
    array_push(&syntax->nodes, (Node){0});
    return syntax;
}

void syntax_free(Syntax *syntax)
{
    if (!syntax)
        return;
    array_clear(&syntax->nodes);
    array_clear(&syntax->children);
    array_clear(&syntax->parts);
    array_clear(&syntax->statements);
    array_clear(&syntax->names);
    name_map_free(syntax->name_map);
    arena_free(syntax->arena);
    base_free(syntax);
}

uint32_t syntax_intern(Syntax *syntax, Str english)
{
    uint32_t index;
    if (name_map_get(syntax->name_map, english, &index))
        return index;
    index = (uint32_t)syntax->names.count;
    Str copy = {arena_copy_text(syntax->arena, english.at, english.length), english.length};
    array_push(&syntax->names, copy);
    name_map_put(syntax->name_map, copy, index);
    return index;
}

uint32_t syntax_add_node(Syntax *syntax, Node node)
{
    array_push(&syntax->nodes, node);
    return (uint32_t)(syntax->nodes.count - 1);
}

void syntax_add_part(Syntax *syntax, PartRole role, Span span, uint32_t start, uint32_t length)
{
    array_push(&syntax->parts, ((Part){role, span, start, length}));
}

Str syntax_name(const Syntax *syntax, uint32_t name)
{
    return syntax->names.at[name];
}

const Child *syntax_children(const Syntax *syntax, const Node *node)
{
    return node->count > 0 ? syntax->children.at + node->first : NULL;
}

Place syntax_node_place(const Syntax *syntax, uint32_t node)
{
    const Node *at = &syntax->nodes.at[node];
    return place_at(syntax->source, at->start, at->length);
}

Place syntax_part_place(const Syntax *syntax, const Part *part)
{
    return place_at(syntax->source, part->start, part->length);
}

Place syntax_statement_place(const Syntax *syntax, const Statement *statement)
{
    return place_at(syntax->source, statement->start, statement->length);
}

Place syntax_word_place(const Syntax *syntax, const Statement *statement)
{
    return place_at(syntax->source, statement->start, statement->word_length);
}

Str syntax_text(const Syntax *syntax, uint32_t start, uint32_t length)
{
    return (Str){syntax->source->at + start, length};
}

Shown text_shown(Str text)
{
    Shown shown = {{0}};
    size_t most = sizeof shown.at - 4;
    if (text.length <= most) {
        if (text.length)
            memcpy(shown.at, text.at, text.length);
        return shown;
    }
    // Cut between characters, not inside one.
    while (most > 0 && ((unsigned char)text.at[most] & 0xC0) == 0x80)
        most--;
    memcpy(shown.at, text.at, most);
    memcpy(shown.at + most, "…", sizeof "…" - 1);
    return shown;
}
