// plot.c: which columns of a run are drawn, and the file that the picture goes to.
//
// NAME[,NAME…]:FILE.svg. Two names: the second against the first, as the path x,y of a point. One
// name, or more than two: against t, which may also be named first (t,x,y). No names: the
// coordinates against t.
#include "show/column_names_impl.h"
#include "show/curve_impl.h"
#include "show/file_impl.h"
#include "show/plot_style_impl.h"
#include "show/svg_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST_CURVES = 12 }; // more cannot be told apart
enum { MOST_MARKS = 500 }; // more events would hide the curves

struct ShowPlot {
    ShowFile file;
    char *about;
    PlotStyle style;
    size_t across;          // the column across
    size_t up[MOST_CURVES]; // the columns drawn against it
    char *names[MOST_CURVES];
    char *across_name;
    Curve *curves[MOST_CURVES];
    size_t count;
    bool path;
    CurveRange across_range, up_range; // what is shown where that was asked for
    // Events: their times, or where on the path they were.
    CurvePoint marks[MOST_MARKS];
    size_t mark_count;
    CurvePoint last; // of the first curve, in the row that came last
    bool has_row;
};

const char *show_plot_path(const char *wanted)
{
    const char *colon = strchr(wanted, ':');
    return colon ? colon + 1 : wanted;
}

// ---- Reading what is wanted.

static Status unknown_column(const ShowRun *run, Str name, Diag *diag)
{
    Str *columns = base_alloc(run->count * sizeof *columns);
    Text all = {0};
    for (size_t i = 0; i < run->count; i++) {
        columns[i] = str_of(run->columns[i]);
        text_addf(&all, "%s%s", i ? ", " : "", run->columns[i]);
    }
    ptrdiff_t near = str_nearest(name, columns, run->count);
    if (near >= 0)
        diag_error(diag, place_hint(HINT_PLOT), "this run has no column '%.*s'; did you mean '%s'?",
                   (int)name.length, name.at, run->columns[near]);
    else
        diag_error(diag, place_hint(HINT_PLOT), "this run has no column '%.*s'; it has %s",
                   (int)name.length, name.at, all.at);
    base_free(columns);
    text_clear(&all);
    return STATUS_WRONG;
}

static Status find_column(const ShowRun *run, Str name, Diag *diag, size_t *column)
{
    for (*column = 0; *column < run->count; ++*column)
        if (show_is_column(run->columns[*column], name))
            return STATUS_OK;
    return unknown_column(run, name, diag);
}

// Several names: the columns up, and what they are drawn against.
static Status arrange(const size_t *columns, size_t count, const ShowRun *run, Diag *diag,
                      ShowPlot *plot)
{
    bool first_across = count == 2 || columns[0] == 0;
    plot->across = first_across ? columns[0] : 0;
    plot->path = plot->across != 0;
    if (count == 1 && first_across)
        return diag_error(diag, place_hint(HINT_PLOT),
                          "what is to be drawn against t? For example '%s:FILE.svg'",
                          run->count > 1 ? run->columns[1] : "x");
    for (size_t i = first_across ? 1 : 0; i < count; i++) {
        if (columns[i] == 0 && !plot->path)
            return diag_error(diag, place_hint(HINT_PLOT),
                              "t is what the others are drawn against; "
                              "name it first or not at all");
        if (plot->count == MOST_CURVES)
            return diag_error(diag, place_hint(HINT_PLOT),
                              "more than %d curves in one picture cannot be told apart; draw "
                              "several pictures",
                              MOST_CURVES);
        plot->up[plot->count++] = columns[i];
    }
    return STATUS_OK;
}

static Status read_names(Str names, const ShowRun *run, Diag *diag, ShowPlot *plot)
{
    ARRAY(size_t) columns = {0};
    Status status = STATUS_OK;
    do {
        size_t column;
        status = find_column(run, show_next_column(&names), diag, &column);
        array_push(&columns, column);
    } while (names.length && status == STATUS_OK);
    if (status == STATUS_OK)
        status = arrange(columns.at, columns.count, run, diag, plot);
    array_clear(&columns);
    return status;
}

static void take_coordinates(const char *path, const ShowRun *run, Diag *diag, ShowPlot *plot)
{
    for (size_t i = 0; i < run->coordinates && i < MOST_CURVES; i++)
        plot->up[plot->count++] = i + 1;
    if (run->coordinates > MOST_CURVES)
        diag_add(diag, DIAG_NOTE, place_hint(HINT_PLOT),
                 "'%s' shows the first %d of %zu coordinates; NAME,NAME,…:FILE.svg draws "
                 "others",
                 path, MOST_CURVES, run->coordinates);
}

static Status read_wanted(const char *wanted, const ShowRun *run, Diag *diag, ShowPlot *plot)
{
    const char *path = show_plot_path(wanted), *dot = strrchr(path, '.');
    if (!dot || strcmp(dot, ".svg") != 0)
        return diag_error(diag, place_hint(HINT_PLOT),
                          "'%s' is no place for a plot: name a file that ends in .svg, as in "
                          "FILE.svg or x,y:FILE.svg",
                          path);
    if (path != wanted) {
        Str names = {wanted, (size_t)(path - wanted) - 1};
        TRY(read_names(names, run, diag, plot));
    } else {
        take_coordinates(path, run, diag, plot);
    }
    return STATUS_OK;
}

// ---- The life of a plot.

static char *copy_of(const char *text)
{
    char *copy = base_alloc(strlen(text) + 1);
    return strcpy(copy, text);
}

static char *shown_name(const char *name)
{
    Text text = {0};
    show_name(name, &text);
    return text.at;
}

static void plot_free(ShowPlot *plot)
{
    for (size_t i = 0; i < plot->count; i++) {
        base_free(plot->names[i]);
        curve_free(plot->curves[i]);
    }
    plot_style_clear(&plot->style);
    base_free(plot->across_name);
    base_free(plot->about);
    base_free(plot);
}

static char *label_of(const ShowPlot *plot, const ShowRun *run, size_t column)
{
    const char *label = plot->style.names[column].label;
    return label ? copy_of(label) : shown_name(run->columns[column]);
}

// An axis shows what was asked for of any column on it, and has logarithms where one was to.
static Status take_axis(const size_t *columns, size_t count, PlotName *names, Diag *diag,
                        CurveRange *range)
{
    bool log = false;
    *range = (CurveRange){NAN, NAN};
    for (size_t i = 0; i < count; i++) {
        const PlotName *name = &names[columns[i]];
        log = log || name->log;
        range->least = fmin(range->least, name->range.least);
        range->most = fmax(range->most, name->range.most);
    }
    if (log && range->least <= 0)
        return diag_error(diag, place_hint(HINT_PLOT_RANGE),
                          "a logarithmic axis shows numbers above 0 alone; begin "
                          "above %g",
                          range->least);
    for (size_t i = 0; i < count; i++)
        names[columns[i]].log = log;
    range->least = plot_scaled(&names[columns[0]], range->least);
    range->most = plot_scaled(&names[columns[0]], range->most);
    return STATUS_OK;
}

static SvgPlot picture_of(const ShowPlot *plot)
{
    const PlotStyle *style = &plot->style;
    return (SvgPlot){.about = plot->about,
                     .title = style->title ? style->title : plot->about,
                     .across = plot->across_name,
                     .axis = style->axis,
                     .names = (const char *const *)plot->names,
                     .curves = plot->curves,
                     .count = plot->count,
                     .path = plot->path,
                     .marks = plot->marks,
                     .mark_count = plot->mark_count,
                     .style = style,
                     .across_range = plot->across_range,
                     .up_range = plot->up_range,
                     .across_log = style->names[plot->across].log,
                     .up_log = style->names[plot->up[0]].log};
}

// Before the file is opened: what is wrong leaves nothing behind.
static Status dress(const ShowPlotStyle *style, const ShowRun *run, Diag *diag, ShowPlot *plot)
{
    TRY(plot_style_read(style, run->columns, run->count, diag, &plot->style));
    plot->about = copy_of(run->title);
    plot->across_name = label_of(plot, run, plot->across);
    TRY(take_axis(&plot->across, 1, plot->style.names, diag, &plot->across_range));
    TRY(take_axis(plot->up, plot->count, plot->style.names, diag, &plot->up_range));
    for (size_t i = 0; i < plot->count; i++) {
        plot->names[i] = label_of(plot, run, plot->up[i]);
        plot->curves[i] = curve_new(plot->path ? CURVE_PATH : CURVE_GRAPH);
        curve_set_window(plot->curves[i], plot->across_range, plot->up_range);
    }
    SvgPlot picture = picture_of(plot);
    return svg_check_size(&picture, diag);
}

Status show_plot_open(const char *wanted, const ShowPlotStyle *style, const ShowRun *run,
                      Diag *diag, ShowPlot **out)
{
    ShowPlot *plot = base_alloc(sizeof *plot);
    *out = NULL;
    Status status = read_wanted(wanted, run, diag, plot);
    if (status == STATUS_OK)
        status = dress(style, run, diag, plot);
    if (status == STATUS_OK)
        status = show_file_open(&plot->file, show_plot_path(wanted), diag);
    if (status != STATUS_OK) {
        plot_free(plot);
        return status;
    }
    *out = plot;
    return STATUS_OK;
}

// ---- Rows.

void show_plot_row(ShowPlot *plot, const double *row)
{
    assert(row);
    const PlotName *names = plot->style.names;
    double x = plot_scaled(&names[plot->across], row[plot->across]);
    for (size_t i = 0; i < plot->count; i++) {
        double y = plot_scaled(&names[plot->up[i]], row[plot->up[i]]);
        curve_add(plot->curves[i], x, y);
        if (i == 0)
            plot->last = (CurvePoint){x, y};
    }
    plot->has_row = true;
}

// The row before an event comes first, so that a path knows where it was.
void show_plot_event(ShowPlot *plot, double t)
{
    CurvePoint time = {plot_scaled(&plot->style.names[plot->across], t), 0};
    CurvePoint mark = plot->path ? plot->last : time;
    bool again = plot->mark_count > 0 && plot->marks[plot->mark_count - 1].x == mark.x &&
                 plot->marks[plot->mark_count - 1].y == mark.y;
    bool outside = mark.x < plot->across_range.least || mark.x > plot->across_range.most ||
                   (plot->path && (mark.y < plot->up_range.least || mark.y > plot->up_range.most));
    if (plot->has_row && !again && !outside && plot->mark_count < MOST_MARKS)
        plot->marks[plot->mark_count++] = mark;
}

Status show_plot_close(ShowPlot *plot, ShowEnd end, Diag *diag)
{
    Text text = {0};
    if (end != SHOW_DROPPED) {
        SvgPlot picture = picture_of(plot);
        svg_write(&picture, &text);
        fputs(text.at, plot->file.stream);
    }
    text_clear(&text);
    Status status = show_file_close(&plot->file, end != SHOW_DROPPED, diag);
    plot_free(plot);
    return status;
}
