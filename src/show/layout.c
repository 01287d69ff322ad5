// layout.c: lines that fit a terminal, and JSON strings.
#include "show/show_impl.h"

#include <string.h>

// Whether a + − = or a comma stands here, where a line may end; *kept is what of it stays.
static bool is_mark(const char *at, size_t *kept)
{
    static const char *const marks[] = {" + ", " − ", " = ", ", "};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(at, marks[i], strlen(marks[i])) == 0) {
            *kept = marks[i][0] == ',';
            return true;
        }
    return false;
}

// The byte length of the longest prefix that ends before a + − or =, or after a comma, and fits;
// 0 where none.
static size_t break_before(const char *line, size_t room)
{
    size_t best = 0, measured = 0, width = 0, kept;
    for (size_t i = 1; line[0] && line[i]; i++) {
        if (!is_mark(line + i, &kept))
            continue;
        size_t end = i + kept;
        width += text_width(line + measured, end - measured);
        measured = end;
        if (width > room)
            break;
        best = end;
    }
    return best;
}

// Whether the rest of a line, so many bytes of it, fits. No more is looked at than has to be.
static bool fits(const char *line, size_t length, size_t room)
{
    const size_t longest_character = 8; // with its marks
    size_t enough = longest_character * (room + 1);
    return length <= enough && text_width(line, length) <= room;
}

void show_wrapped(const Show *show, const char *line, size_t indent, Text *out)
{
    size_t room = show->width > indent + 20 ? show->width - indent : 20;
    const char *last = line + strlen(line);
    while (show->width && !fits(line, (size_t)(last - line), room)) {
        size_t end = break_before(line, room);
        if (end == 0)
            break;
        text_add_str(out, (Str){line, end});
        text_addf(out, "\n%*s", (int)indent, "");
        line += end;
        while (*line == ' ')
            line++;
    }
    text_add(out, line);
    text_add_char(out, '\n');
}

void show_json_string(const char *text, Text *out)
{
    text_add_char(out, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            text_addf(out, "\\%c", c);
        else if (c == '\n')
            text_add(out, "\\n");
        else if (c < 0x20)
            text_addf(out, "\\u%04x", c);
        else
            text_add_char(out, (char)c);
    }
    text_add_char(out, '"');
}
