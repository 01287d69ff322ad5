// layout.c: lines that fit a terminal, and JSON strings.
#include "show/show_impl.h"

#include <string.h>

// The byte length of the longest prefix that ends before a + − or = and fits; 0 where none.
static size_t break_before(const char *line, size_t room)
{
    static const char *const marks[] = {" + ", " − ", " = ", ", "};
    size_t best = 0, length = strlen(line);
    for (size_t i = 1; i < length; i++) {
        for (size_t j = 0; j < sizeof marks / sizeof *marks; j++) {
            if (strncmp(line + i, marks[j], strlen(marks[j])) != 0)
                continue;
            size_t end = i + (marks[j][0] == ','); // a comma stays on its line
            if (text_width(line, end) <= room)
                best = end;
        }
    }
    return best;
}

void show_wrapped(const Show *show, const char *line, size_t indent, Text *out)
{
    size_t room = show->width > indent + 20 ? show->width - indent : 20;
    while (show->width && text_width(line, strlen(line)) > room) {
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
