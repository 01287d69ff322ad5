// xml.h: whether a text is well-formed XML, as far as pictures need it: elements that nest, quoted
// attributes, known entities, no stray characters.
#ifndef ZWANG_TESTS_SHOW_XML_H
#define ZWANG_TESTS_SHOW_XML_H

#include <stdbool.h>
#include <string.h>

enum { XML_MOST_DEPTH = 16 };

static inline size_t xml_name(const char *at)
{
    return strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-:");
}

// Text up to one of the characters in `until`; NULL where it holds what it must not.
static inline const char *xml_text(const char *at, const char *until)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (; *at && !strchr(until, *at); at++) {
        bool known = *at != '&';
        for (size_t i = 0; i < 4; i++)
            known = known || strncmp(at, entities[i], strlen(entities[i])) == 0;
        if (!known || *at == '<' || ((unsigned char)*at < 0x20 && *at != '\n' && *at != '\t'))
            return NULL;
    }
    return at;
}

// The attributes of a start tag, up to > or />; NULL where they are wrong.
static inline const char *xml_attributes(const char *at)
{
    while (*at == ' ') {
        size_t name = xml_name(++at);
        if (name == 0 || at[name] != '=' || at[name + 1] != '"')
            return NULL;
        at = xml_text(at + name + 2, "\"");
        if (!at || *at++ != '"')
            return NULL;
    }
    return at;
}

static inline bool xml_is_well_formed(const char *text)
{
    struct {
        const char *name;
        size_t length;
    } open[XML_MOST_DEPTH];
    size_t depth = 0;
    const char *at = text;
    do {
        if (*at != '<')
            return false;
        bool closes = at[1] == '/';
        const char *name = at + 1 + closes;
        size_t length = xml_name(name);
        at = name + length;
        if (closes) {
            if (depth == 0 || open[depth - 1].length != length || *at++ != '>' ||
                strncmp(open[--depth].name, name, length) != 0)
                return false;
        } else {
            at = xml_attributes(at);
            if (!at || length == 0 || depth == XML_MOST_DEPTH)
                return false;
            if (*at == '/')
                at++;
            else
                open[depth].name = name, open[depth++].length = length;
            if (*at++ != '>')
                return false;
        }
        at = xml_text(at, "<");
        if (!at)
            return false;
    } while (*at && depth > 0);
    return depth == 0 && strcmp(at, "") == 0;
}

#endif
