// layout.c: lines that fit a terminal, numbers in them, columns.
#include "show/layout_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- Long lines.

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

void show_wrapped(size_t width, const char *line, size_t indent, Text *out)
{
    assert(line && out);
    size_t room = width > indent + 20 ? width - indent : 20;
    const char *last = line + strlen(line);
    while (width && !fits(line, (size_t)(last - line), room)) {
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

// ---- Numbers and columns.

// What is this much below its neighbours is rounding, and is shown as 0.
#define ROUNDING 1e-14

double show_largest(const double *values, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(values[i]));
    return largest;
}

double show_without_rounding(double value, double largest)
{
    return fabs(value) <= ROUNDING * largest ? 0 : value;
}

void show_number(double value, Text *out)
{
    if (isnan(value))
        text_add(out, "not determined");
    else
        text_addf(out, "%.10g", value == 0 ? 0 : value);
}

void show_padded(const char *text, size_t width, Text *out)
{
    assert(text && out);
    size_t own = text_width(text, strlen(text));
    text_addf(out, "%s%*s", text, own < width ? (int)(width - own) : 1, "");
}

void show_cell(double value, size_t width, Text *out)
{
    Text cell = {0};
    show_number(value, &cell);
    show_padded(cell.at, width, out);
    text_clear(&cell);
}

void show_end_line(Text *out)
{
    while (out->length > 0 && out->at[out->length - 1] == ' ')
        out->length--;
    text_add_char(out, '\n');
}
