// text_colours.c: where a text tells of errors, places and verdicts.
#include "show/terminal_text_impl.h"

#include <ctype.h>
#include <string.h>

// Where on a line words are looked for.
typedef enum { ANYWHERE, AT_BEGINNING } Where;

static const struct {
    const char *words;
    Where where;
    TextColour colour;
} verdicts[] = {
    {"unstable", AT_BEGINNING, COLOUR_BAD},
    {"asymptotically stable", AT_BEGINNING, COLOUR_GOOD},
    {"stable", AT_BEGINNING, COLOUR_GOOD},
    {"undecided", AT_BEGINNING, COLOUR_OPEN},
    {"yes", AT_BEGINNING, COLOUR_GOOD},
    {"no:", AT_BEGINNING, COLOUR_BAD},
    {"each pair of the", AT_BEGINNING, COLOUR_GOOD},
    {"stopped by", AT_BEGINNING, COLOUR_OPEN},
    {"this is not the motion", ANYWHERE, COLOUR_BAD},
    {"this is the motion", ANYWHERE, COLOUR_GOOD},
    {"not the same motion", ANYWHERE, COLOUR_BAD},
    {"disagree", ANYWHERE, COLOUR_BAD},
    {"undecided", ANYWHERE, COLOUR_OPEN},
    {"(wrong:", ANYWHERE, COLOUR_BAD},
    {"(another motion:", ANYWHERE, COLOUR_BAD},
    {"proved exactly", ANYWHERE, COLOUR_GOOD},
    {"proved in a prime field", ANYWHERE, COLOUR_GOOD},
};

static const struct {
    const char *word;
    TextColour colour;
} levels[] = {{"error:", COLOUR_ERROR}, {"warning:", COLOUR_WARNING}, {"note:", COLOUR_NOTE}};

static bool starts(Str line, size_t at, const char *words)
{
    size_t length = strlen(words);
    return line.length - at >= length && memcmp(line.at + at, words, length) == 0;
}

static void add_coloured(TextColour colour, Str text, Text *out)
{
    text_add_char(out, (char)colour);
    text_add_str(out, text);
    text_add_char(out, (char)COLOUR_NONE);
}

// NAME:3:14: and zwang: may stand before a level. The bytes before it, and the level.
static bool find_level(Str line, size_t *at, size_t *which)
{
    for (*which = 0; *which < sizeof levels / sizeof *levels; ++*which) {
        const char *word = levels[*which].word;
        for (*at = 0; *at + strlen(word) <= line.length; ++*at) {
            bool placed =
                *at == 0 ||
                (*at > 2 && line.at[*at - 1] == ' ' && line.at[*at - 2] == ':' &&
                 (isdigit((unsigned char)line.at[*at - 3]) || starts(line, 0, "zwang: ")));
            if (placed && starts(line, *at, word))
                return true;
        }
    }
    return false;
}

static bool mark_message(Str line, Text *out)
{
    size_t at, which;
    if (line.length == 0 || line.at[0] == ' ' || !find_level(line, &at, &which))
        return false;
    size_t end = at + strlen(levels[which].word);
    if (at > 0)
        add_coloured(COLOUR_PLACE, (Str){line.at, at - 1}, out), text_add_char(out, ' ');
    add_coloured(levels[which].colour, (Str){line.at + at, end - at}, out);
    text_add_str(out, (Str){line.at + end, line.length - end});
    return true;
}

// The verdict that begins here; its words that are coloured.
static bool find_verdict(Str line, size_t at, size_t *length, TextColour *colour)
{
    bool inside = at > 0 && isalnum((unsigned char)line.at[at - 1]);
    for (size_t i = 0; !inside && i < sizeof verdicts / sizeof *verdicts; i++) {
        if ((verdicts[i].where == AT_BEGINNING && at > 0) || !starts(line, at, verdicts[i].words))
            continue;
        *length = strlen(verdicts[i].words);
        *colour = verdicts[i].colour;
        return true;
    }
    return false;
}

static void mark_verdicts(Str line, Text *out)
{
    size_t length;
    TextColour colour;
    for (size_t at = 0; at < line.length;)
        if (find_verdict(line, at, &length, &colour)) {
            add_coloured(colour, (Str){line.at + at, length}, out);
            at += length;
        } else {
            text_add_char(out, line.at[at++]);
        }
}

void colours_mark(const char *text, Text *out)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        Str line = {text, length};
        if (!mark_message(line, out))
            mark_verdicts(line, out);
        text += length;
        if (*text)
            text_add_char(out, *text++);
    }
}

// The colour that goes on behind this line.
static unsigned char write_line(Str line, unsigned char now, Text *out)
{
    static const char *const codes[] = {"\033[0m", "\033[1;31m", "\033[1;35m", "\033[1;36m",
                                        "\033[1m", "\033[32m",   "\033[31m",   "\033[33m"};
    if (is_caret_line(line))
        now = COLOUR_GOOD;
    if (now != COLOUR_NONE)
        text_add(out, codes[now - COLOUR_NONE]);
    for (size_t i = 0; i < line.length; i++) {
        unsigned char c = (unsigned char)line.at[i];
        if (c >= COLOUR_NONE)
            text_add(out, codes[(now = c) - COLOUR_NONE]);
        else
            text_add_char(out, (char)c);
    }
    if (now != COLOUR_NONE)
        text_add(out, codes[0]);
    return is_caret_line(line) ? COLOUR_NONE : now;
}

void colours_write(const char *marked, Text *out)
{
    unsigned char now = COLOUR_NONE;
    while (*marked) {
        Str line = {marked, strcspn(marked, "\n")};
        now = write_line(line, now, out);
        marked += line.length;
        if (*marked)
            text_add_char(out, *marked++);
    }
}
