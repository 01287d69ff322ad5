// plot_style.c: how a picture is to look: its size, its font, its words, its axes, as a person
// writes them.
#include "show/plot_style_impl.h"

#include "show/column_names_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    double pixels;
} units[] = {{"mm", 96 / 25.4}, {"cm", 960 / 25.4}, {"in", 96}, {"pt", 96.0 / 72}, {"px", 1}};
enum { UNITS = sizeof units / sizeof *units };

// Pictures are no smaller, and no larger, than these; fonts likewise.
#define LEAST_SIDE 40.0
#define MOST_SIDE  20000.0
#define LEAST_FONT 4.0
#define MOST_FONT  200.0
// The height of a picture of which only the width is given.
#define SHAPE 0.66
// The size of the letters in a picture whose size is given.
#define PRINTED (8 * 96.0 / 72)

static const char *const legend_words[LEGEND_PLACES] = {
#define SVG_PLACE(NAME, word) word,
#include "show/legend_places.def"
#undef SVG_PLACE
};

// ---- Sizes.

// The unit at the end of a text; NULL where there is none.
static const char *unit_at(const char *text, double *pixels)
{
    for (size_t i = 0; i < UNITS; i++)
        if (strncmp(text, units[i].word, 2) == 0)
            return *pixels = units[i].pixels, units[i].word;
    return NULL;
}

static Status wrong_size(const char *text, Diag *diag)
{
    return diag_error(diag, place_hint(HINT_PLOT_SIZE),
                      "the size '%s': it is WIDTHxHEIGHT or WIDTH with one of the units mm, cm, "
                      "in, pt, px, as in 86x60mm",
                      text);
}

static Status read_size(const char *text, Diag *diag, PlotStyle *style)
{
    char *end;
    double pixels = 0, sides[2] = {strtod(text, &end), 0};
    const char *x = *end == 'x' ? end : NULL;
    bool number = end != text;
    if (x) {
        sides[1] = strtod(x + 1, &end);
        number = number && end != x + 1;
    }
    const char *unit = unit_at(end, &pixels);
    if (!number || !unit || end[2] || !isfinite(sides[0]) || !isfinite(sides[1]))
        return wrong_size(text, diag);
    if (!x)
        sides[1] = SHAPE * sides[0];
    style->width = sides[0] * pixels;
    style->height = sides[1] * pixels;
    for (size_t i = 0; i < 2; i++) {
        if (!(sides[i] * pixels >= LEAST_SIDE && sides[i] * pixels <= MOST_SIDE))
            return diag_error(diag, place_hint(HINT_PLOT_SIZE),
                              "the size '%s': a side of a picture is between %.3g and %.4g %s",
                              text, LEAST_SIDE / pixels, MOST_SIDE / pixels, unit);
        snprintf(style->size[i], sizeof style->size[i], "%.6g%s", sides[i], unit);
    }
    return STATUS_OK;
}

static char *copy_of(const char *text)
{
    char *copy = base_alloc(strlen(text) + 1);
    return strcpy(copy, text);
}

// A family goes into the picture's style: letters, digits, blanks, commas and hyphens.
static bool is_family(const char *text)
{
    for (; *text; text++) {
        bool letter = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
        bool digit = *text >= '0' && *text <= '9';
        if (!letter && !digit && !strchr(" ,-", *text))
            return false;
    }
    return true;
}

static Status read_font(const char *text, Diag *diag, PlotStyle *style)
{
    char *end;
    double pixels = 0, size = strtod(text, &end);
    const char *unit = unit_at(end, &pixels), *family = unit ? end + 2 : "?";
    bool good = end != text && unit && (*family == '\0' || *family == ' ');
    while (*family == ' ')
        family++;
    if (!good || !is_family(family))
        return diag_error(diag, place_hint(HINT_PLOT_FONT),
                          "the font '%s': it is the size of the letters and, where you like, "
                          "their family, as in 8pt or \"8pt Latin Modern Roman\"",
                          text);
    style->font = size * pixels;
    if (!(style->font >= LEAST_FONT && style->font <= MOST_FONT))
        return diag_error(diag, place_hint(HINT_PLOT_FONT),
                          "the font '%s': letters are between %.3g and %.3g %s high", text,
                          LEAST_FONT / pixels, MOST_FONT / pixels, unit);
    style->family = *family ? copy_of(family) : NULL;
    return STATUS_OK;
}

// ---- Words of a list.

static Status read_choice(Hint hint, const char *what, const char *word, const char *const *words,
                          size_t count, Diag *diag, int *choice)
{
    Text all = {0};
    for (*choice = 0; *choice < (int)count; ++*choice)
        if (strcmp(words[*choice], word) == 0)
            return STATUS_OK;
    for (size_t i = 0; i < count; i++)
        text_addf(&all, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", words[i]);
    Status status = diag_error(diag, place_hint(hint), "%s '%s': it is %s", what, word, all.at);
    text_clear(&all);
    return status;
}

static Status read_choices(const ShowPlotStyle *wanted, Diag *diag, PlotStyle *style)
{
    static const char *const colours[] = {"auto", "light", "dark"};
    int choice = 0;
    if (wanted->legend)
        TRY(read_choice(HINT_PLOT_LEGEND, "the place of the legend", wanted->legend, legend_words,
                        LEGEND_PLACES, diag, &choice));
    style->legend = (LegendPlace)choice;
    choice = 0;
    if (wanted->colours)
        TRY(read_choice(HINT_PLOT_COLOURS, "the colours", wanted->colours, colours, 3, diag,
                        &choice));
    style->colours = (PlotColours)choice;
    return STATUS_OK;
}

// ---- What is said of a name.

static Status find_name(Hint hint, Str name, const char *const *names, size_t count, Diag *diag,
                        size_t *at)
{
    for (*at = 0; *at < count; ++*at)
        if (show_is_column(names[*at], name))
            return STATUS_OK;
    Str *candidates = base_alloc((count + 1) * sizeof *candidates);
    for (size_t i = 0; i < count; i++)
        candidates[i] = str_of(names[i]);
    ptrdiff_t near = str_nearest(name, candidates, count);
    base_free(candidates);
    return diag_error(diag, place_hint(hint), "nothing here is called '%.*s'%s%s%s",
                      (int)name.length, name.at, near >= 0 ? "; did you mean '" : "",
                      near >= 0 ? names[near] : "", near >= 0 ? "'?" : "");
}

static Status read_label(const char *text, const char *const *names, size_t count, Diag *diag,
                         PlotStyle *style)
{
    const char *equals = strchr(text, '=');
    size_t at;
    if (!equals)
        return diag_error(diag, place_hint(HINT_PLOT_LABEL),
                          "the label '%s': it is NAME=TEXT, as in \"x=position x [m]\"", text);
    Str name = {text, (size_t)(equals - text)};
    TRY(find_name(HINT_PLOT_LABEL, name, names, count, diag, &at));
    base_free(style->names[at].label);
    style->names[at].label = copy_of(equals + 1);
    return STATUS_OK;
}

static Status wrong_range(Str range, Diag *diag)
{
    return diag_error(diag, place_hint(HINT_PLOT_RANGE),
                      "the range '%.*s': it is NAME=LOW:HIGH with LOW < HIGH, as in t=0:5",
                      (int)range.length, range.at);
}

static Status read_range(Str range, const char *const *names, size_t count, Diag *diag,
                         PlotStyle *style)
{
    const char *equals = memchr(range.at, '=', range.length);
    if (!equals)
        return wrong_range(range, diag);
    char *end, *last;
    double low = strtod(equals + 1, &end);
    if (end == equals + 1 || *end != ':')
        return wrong_range(range, diag);
    double high = strtod(end + 1, &last);
    if (last == end + 1 || last != range.at + range.length || !(low < high) ||
        !isfinite(high - low))
        return wrong_range(range, diag);
    size_t at;
    Str name = {range.at, (size_t)(equals - range.at)};
    TRY(find_name(HINT_PLOT_RANGE, name, names, count, diag, &at));
    style->names[at].range = (CurveRange){low, high};
    return STATUS_OK;
}

static Status read_names(const ShowPlotStyle *wanted, const char *const *names, size_t count,
                         Diag *diag, PlotStyle *style)
{
    for (size_t i = 0; i < wanted->label_count; i++)
        TRY(read_label(wanted->labels[i], names, count, diag, style));
    for (Str rest = str_of(wanted->log ? wanted->log : ""); rest.length > 0;) {
        size_t at;
        TRY(find_name(HINT_PLOT_LOG, show_next_column(&rest), names, count, diag, &at));
        style->names[at].log = true;
    }
    for (Str rest = str_of(wanted->wrap ? wanted->wrap : ""); rest.length > 0;) {
        size_t at;
        TRY(find_name(HINT_PLOT_WRAP, show_next_column(&rest), names, count, diag, &at));
        style->names[at].wraps = true;
    }
    for (Str rest = str_of(wanted->ranges ? wanted->ranges : ""); rest.length > 0;)
        TRY(read_range(show_next_column(&rest), names, count, diag, style));
    return STATUS_OK;
}

double plot_scaled(const PlotName *name, double value)
{
    if (name->wraps)
        value = remainder(value, 2 * acos(-1));
    if (name->unit > 0)
        value /= name->unit;
    return !name->log ? value : value > 0 ? log10(value) : NAN;
}

// ---- All of it.

static Status read_all(const ShowPlotStyle *wanted, const char *const *names, size_t count,
                       Diag *diag, PlotStyle *style)
{
    if (wanted->size)
        TRY(read_size(wanted->size, diag, style));
    style->font = wanted->size ? PRINTED : 0;
    if (wanted->font)
        TRY(read_font(wanted->font, diag, style));
    TRY(read_choices(wanted, diag, style));
    style->title = wanted->title ? copy_of(wanted->title) : NULL;
    style->axis = wanted->axis ? copy_of(wanted->axis) : NULL;
    style->points = wanted->points ? copy_of(wanted->points) : NULL;
    return read_names(wanted, names, count, diag, style);
}

Status plot_style_read(const ShowPlotStyle *wanted, const char *const *names, size_t count,
                       Diag *diag, PlotStyle *style)
{
    assert(names || count == 0);
    *style = (PlotStyle){.names = base_alloc((count + 1) * sizeof *style->names), .count = count};
    for (size_t i = 0; i < count; i++)
        style->names[i].range = (CurveRange){NAN, NAN};
    Status status = wanted ? read_all(wanted, names, count, diag, style) : STATUS_OK;
    if (status != STATUS_OK)
        plot_style_clear(style);
    return status;
}

void plot_style_clear(PlotStyle *style)
{
    for (size_t i = 0; i < style->count; i++)
        base_free(style->names[i].label);
    base_free(style->names);
    base_free(style->family);
    base_free(style->title);
    base_free(style->axis);
    base_free(style->points);
    *style = (PlotStyle){0};
}
