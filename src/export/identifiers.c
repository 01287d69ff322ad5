// identifiers.c: names that a programming language allows, and lists of them.
//
// theta' becomes theta_dot, q[2] q_2, roll.x roll_x; what is a word of the language, or is taken
// already, gets a line behind it.
#include "export/export_impl.h"

#include <ctype.h>
#include <string.h>

// A letter, digit or line of ASCII stays; a prime and everything else become what can stand there.
static void add_character(char c, Text *out)
{
    bool plain = (c & 0x80) == 0 && (isalnum((unsigned char)c) || c == '_');
    if (plain)
        text_add_char(out, c);
    else if (c == '\'')
        text_add(out, "_dot");
    else if (c != ']')
        text_add_char(out, '_');
}

static bool is_word(const Language *language, const char *name)
{
    for (size_t i = 0; language->words[i]; i++)
        if (strcmp(language->words[i], name) == 0)
            return true;
    return false;
}

static bool is_taken(const NameSet *taken, const char *name)
{
    for (size_t i = 0; i < taken->count; i++)
        if (strcmp(taken->at[i], name) == 0)
            return true;
    return false;
}

const char *name_identifier(Arena *arena, const Language *language, const char *name,
                            NameSet *taken)
{
    Text text = {0};
    if (!isalpha((unsigned char)*name))
        text_add(&text, "x_");
    for (const char *at = name; *at; at++)
        add_character(*at, &text);
    while (is_word(language, text.at) || is_taken(taken, text.at))
        text_add_char(&text, '_');
    const char *identifier = arena_copy_text(arena, text.at, text.length);
    text_clear(&text);
    array_push(taken, identifier);
    return identifier;
}

// What stands for inputs in C, behind the $ that `mark` begins with; returns its last character.
static const char *add_inputs(const Exported *exported, const char *mark, Text *out)
{
    bool there = exported->inputs > 0;
    size_t length = 1, depth = mark[1] == '(';
    while (depth > 0) {
        length++;
        depth += mark[length] == '(';
        depth -= mark[length] == ')';
    }
    if (there && mark[1] == '*')
        text_addf(out, ", const %s_inputs *u", exported->system);
    else if (there && mark[1] == 'v')
        text_add(out, ", (void)u");
    else if (there && mark[1] == 'u')
        text_add(out, ", u");
    else if (there)
        text_addf(out, ", signals_at(p, %.*s)", (int)length - 2, mark + 2);
    return mark + length;
}

void name_template(const Exported *exported, const char *template, Text *out)
{
    for (; *template; template ++)
        if (*template == '@')
            text_add(out, exported->system);
        else if (*template == '$')
            template = add_inputs(exported, template, out);
        else
            text_add_char(out, *template);
}

// ---- Lists.

static void add_text(NameList *names, Text *text)
{
    array_push(&names->at, arena_copy_text(names->arena, text->at, text->length));
    text_clear(text);
}

void names_add(NameList *names, const char *name)
{
    Text text = {0};
    text_add(&text, name);
    add_text(names, &text);
}

void names_add_members(NameList *names, const char *before, const char *const *members,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        Text text = {0};
        text_addf(&text, "%s%s", before, members[i]);
        add_text(names, &text);
    }
}

void names_add_places(const Exported *exported, NameList *names, const char *array, size_t from,
                      size_t count)
{
    const Language *language = exported->language;
    for (size_t i = 0; i < count; i++) {
        Text text = {0};
        text_addf(&text, "%s%s%zu%s", array, language->open, from + i + language->first,
                  language->close);
        add_text(names, &text);
    }
}

void names_statements(const Exported *exported, const Program *program, NameList *inputs,
                      NameList *outputs, Text *out)
{
    program_print(program, &exported->language->tongue, inputs->at.at, outputs->at.at, out);
    array_clear(&inputs->at);
    array_clear(&outputs->at);
}
