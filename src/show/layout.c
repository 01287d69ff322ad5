// layout.c: lines, numbers in them, columns.
#include "show/layout_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void show_line(const char *line, Text *out)
{
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
