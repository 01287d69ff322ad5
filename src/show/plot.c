// plot.c: which columns of a run are drawn, and the file that the picture goes to.
//
// NAME[,NAME…]:FILE.svg, or .png or .pdf. Two names: the second against the first, as the path x,y
// of a point. One name, or more than two: against t, which may also be named first (t,x,y). No
// names: the coordinates against t. Where friction sticks the time is shaded; of a path that part
// is a curve of its own.
#include "show/column_names_impl.h"
#include "show/curve_impl.h"
#include "show/plot_file_impl.h"
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
    char *names[MOST_CURVES], *units[MOST_CURVES];
    char *across_name;
    Curve *curves[MOST_CURVES];
    size_t count;
    bool path;
    CurveRange across_range, up_range; // what is shown where that was asked for
    // Events: their times, or where on the path they were.
    CurvePoint marks[MOST_MARKS];
    size_t mark_count;
    CurvePoint last[MOST_CURVES]; // in the row that came last
    bool has_row, has_dots;
    // Of friction: its columns of modes; when everything stuck.
    ARRAY(size_t) modes;
    CurveRange bands[MOST_MARKS];
    size_t band_count;
    bool sticks;
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
    const char *path = show_plot_path(wanted);
    TRY(plot_file_check(path, diag));
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
        base_free(plot->units[i]);
        curve_free(plot->curves[i]);
    }
    array_clear(&plot->modes);
    plot_style_clear(&plot->style);
    base_free(plot->across_name);
    base_free(plot->about);
    base_free(plot);
}

static char *label_of(const ShowPlot *plot, const ShowRun *run, size_t column)
{
    const char *label = plot->style.names[column].label;
    const char *unit = run->units ? run->units[column] : "";
    if (label || !unit[0])
        return label ? copy_of(label) : shown_name(run->columns[column]);
    Text text = {0};
    show_name(run->columns[column], &text);
    text_addf(&text, " [%s]", unit);
    return text.at;
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
                     .dots = style->points != NULL,
                     .marks = plot->marks,
                     .mark_count = plot->mark_count,
                     .bands = plot->bands,
                     .band_count = plot->path ? 0 : plot->band_count,
                     .style = style,
                     .across_range = plot->across_range,
                     .up_range = plot->up_range,
                     .across_log = style->names[plot->across].log,
                     .up_log = style->names[plot->up[0]].log};
}

// ---- Panels: curves of other sizes have axes of their own, so that none is flattened.

enum { FLAT = 12 }; // a curve so many times smaller than another beside it shows no more

static double extent_of(const Curve *curve)
{
    CurveRange range = curve_range_y(curve);
    double extent = range.most - range.least;
    return isnan(extent) ? 0 : extent;
}

typedef struct {
    size_t panels[MOST_CURVES], count;
    char *axes[SVG_MOST_PANELS];
} PlotPanels;

// What is written at the axis of a panel: the names on it.
static char *panel_axis(const ShowPlot *plot, const PlotPanels *panels, size_t panel)
{
    Text names = {0};
    text_add(&names, "");
    for (size_t i = 0; i < plot->count; i++)
        if (panels->panels[i] == panel)
            text_addf(&names, "%s%s", names.length ? ", " : "", plot->names[i]);
    return names.at;
}

// Whether two curves may stand at one axis: they are of one unit.
static bool same_unit(const ShowPlot *plot, size_t a, size_t b)
{
    const char *one = plot->units[a], *other = plot->units[b];
    return strcmp(one ? one : "", other ? other : "") == 0;
}

// The largest curve that has no panel yet, or `count`; with `beside`, of the same unit as this one.
static size_t largest_left(const ShowPlot *plot, const bool *taken, size_t beside)
{
    size_t next = plot->count;
    for (size_t i = 0; i < plot->count; i++)
        if (!taken[i] && (beside == plot->count || same_unit(plot, i, beside)) &&
            (next == plot->count || extent_of(plot->curves[i]) > extent_of(plot->curves[next])))
            next = i;
    return next;
}

// From the largest to the smallest; a panel takes what is not flat beside its largest, and has one
// unit. What is constant stands with the first of its unit.
static void find_panels(const ShowPlot *plot, PlotPanels *panels)
{
    const PlotStyle *style = &plot->style;
    bool asked =
        plot->path || style->axis || style->names[plot->up[0]].log || !isnan(plot->up_range.least);
    bool taken[MOST_CURVES] = {false};
    *panels = (PlotPanels){.count = asked ? 1 : 0};
    for (size_t first; !asked && (first = largest_left(plot, taken, plot->count)) < plot->count;) {
        size_t begun = panels->count;
        panels->count += panels->count < SVG_MOST_PANELS;
        double largest = INFINITY;
        for (size_t next; (next = largest_left(plot, taken, first)) < plot->count;) {
            double extent = extent_of(plot->curves[next]);
            taken[next] = true;
            if (isinf(largest))
                largest = extent;
            if (extent > 0 && FLAT * extent < largest && panels->count < SVG_MOST_PANELS) {
                panels->count++;
                largest = extent;
            }
            bool with_first = extent <= 0 && begun < panels->count;
            panels->panels[next] = with_first ? begun : panels->count - 1;
        }
    }
    for (size_t i = 0; i < panels->count; i++)
        panels->axes[i] = panel_axis(plot, panels, i);
}

static void panels_clear(PlotPanels *panels)
{
    for (size_t i = 0; i < panels->count; i++)
        base_free(panels->axes[i]);
}

// Lines that go anywhere, or break where an angle jumps or there are dots alone.
static bool is_broken(const ShowPlot *plot, size_t curve)
{
    const PlotStyle *style = &plot->style;
    return plot->path || style->points || style->names[plot->up[curve]].wraps ||
           style->names[plot->across].wraps;
}

// The columns that tell how friction is; a path has a second curve then.
static void find_modes(const ShowRun *run, ShowPlot *plot)
{
    static const char prefix[] = "mode.";
    for (size_t i = 0; i < run->count; i++)
        if (strncmp(run->columns[i], prefix, sizeof prefix - 1) == 0)
            array_push(&plot->modes, i);
    if (plot->modes.count > 0 && plot->path && plot->count == 1 && !plot->style.points) {
        plot->up[1] = plot->up[0];
        plot->count = 2;
    }
}

// Before the file is opened: what is wrong leaves nothing behind.
static Status dress(const ShowPlotStyle *style, const ShowRun *run, bool follows_screen, Diag *diag,
                    ShowPlot *plot)
{
    TRY(plot_style_read(style, run->columns, run->count, diag, &plot->style));
    if (!follows_screen && plot->style.colours == COLOURS_AUTO)
        plot->style.colours = COLOURS_LIGHT;
    for (size_t i = 0; i < run->count && run->scales; i++)
        plot->style.names[i].unit = run->scales[i];
    plot->about = copy_of(run->title);
    find_modes(run, plot);
    plot->across_name = label_of(plot, run, plot->across);
    TRY(take_axis(&plot->across, 1, plot->style.names, diag, &plot->across_range));
    TRY(take_axis(plot->up, plot->count, plot->style.names, diag, &plot->up_range));
    for (size_t i = 0; i < plot->count; i++) {
        bool repeated = plot->path && i == 1;
        plot->names[i] = repeated ? copy_of("sticks") : label_of(plot, run, plot->up[i]);
        plot->units[i] = run->units ? copy_of(run->units[plot->up[i]]) : NULL;
        plot->curves[i] = curve_new(is_broken(plot, i) ? CURVE_PATH : CURVE_GRAPH);
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
        status = dress(style, run, plot_file_follows_screen(show_plot_path(wanted)), diag, plot);
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

// Whether an angle has jumped from −π to π or back.
static bool has_jumped(const PlotName *name, double before, double now)
{
    double unit = name->unit > 0 ? name->unit : 1;
    return name->wraps && fabs(now - before) * unit > acos(-1);
}

// Whether something sticks and nothing slips.
static bool all_stick(const ShowPlot *plot, const double *row)
{
    double freest = 0;
    for (size_t i = 0; i < plot->modes.count; i++)
        freest = fmax(freest, row[plot->modes.at[i]]);
    return freest == 1;
}

static void shade(ShowPlot *plot, double x, bool sticks)
{
    if (sticks && !plot->sticks && plot->band_count < MOST_MARKS)
        plot->bands[plot->band_count++] = (CurveRange){x, x};
    else if (plot->sticks && plot->band_count > 0)
        plot->bands[plot->band_count - 1].most = x;
    plot->sticks = sticks;
}

void show_plot_row(ShowPlot *plot, const double *row)
{
    assert(row);
    const PlotName *names = plot->style.names;
    double x = plot_scaled(&names[plot->across], row[plot->across]);
    bool sticks = all_stick(plot, row);
    shade(plot, x, sticks);
    for (size_t i = 0; i < plot->count; i++) {
        const PlotName *name = &names[plot->up[i]];
        double y = plot_scaled(name, row[plot->up[i]]);
        CurvePoint before = plot->last[i];
        if (plot->has_row &&
            (has_jumped(name, before.y, y) || has_jumped(&names[plot->across], before.x, x)))
            curve_add(plot->curves[i], NAN, NAN);
        bool repeated = plot->path && i == 1;
        if (repeated && !sticks)
            curve_add(plot->curves[i], NAN, NAN);
        else if (!plot->style.points)
            curve_add(plot->curves[i], x, y);
        plot->last[i] = (CurvePoint){x, y};
    }
    plot->has_row = true;
}

// A dot for each curve: at the state that the record of an event has, else where the row before it
// was.
static void add_dots(ShowPlot *plot, const RunEvent *event)
{
    const char *wanted = plot->style.points;
    bool meant = strcmp(run_event_name(event->kind), wanted) == 0 ||
                 (event->constraint && strcmp(event->constraint->name, wanted) == 0) ||
                 (event->event && strcmp(event->event, wanted) == 0);
    const PlotName *names = plot->style.names;
    bool recorded = event->event && event->state;
    for (size_t i = 0; meant && (plot->has_row || recorded) && i < plot->count; i++) {
        CurvePoint at = plot->last[i];
        if (recorded)
            at = (CurvePoint){plot_scaled(&names[plot->across], event->state[plot->across]),
                              plot_scaled(&names[plot->up[i]], event->state[plot->up[i]])};
        curve_add(plot->curves[i], at.x, at.y);
        curve_add(plot->curves[i], NAN, NAN);
        plot->has_dots = true;
    }
}

// The row before an event comes first, so that a path knows where it was.
void show_plot_event(ShowPlot *plot, const RunEvent *event)
{
    if (plot->style.points) {
        add_dots(plot, event);
        return;
    }
    CurvePoint time = {plot_scaled(&plot->style.names[plot->across], event->t), 0};
    CurvePoint mark = plot->path ? plot->last[0] : time;
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
    Status status = STATUS_OK;
    if (end != SHOW_DROPPED && plot->style.points && !plot->has_dots)
        diag_add(diag, DIAG_NOTE, place_hint(HINT_PLOT_POINTS),
                 "there was no event '%s', so that '%s' is empty", plot->style.points,
                 plot->file.path);
    if (end != SHOW_DROPPED) {
        SvgPlot picture = picture_of(plot);
        PlotPanels panels;
        find_panels(plot, &panels);
        picture.panels = panels.panels;
        picture.panel_count = panels.count;
        picture.panel_axes = (const char *const *)panels.axes;
        svg_write(&picture, &text);
        panels_clear(&panels);
        status = plot_file_write(&plot->file, &text, diag);
    }
    text_clear(&text);
    bool keep = end != SHOW_DROPPED && status == STATUS_OK;
    Status closed = show_file_close(&plot->file, keep, diag);
    plot_free(plot);
    return status != STATUS_OK ? status : closed;
}
