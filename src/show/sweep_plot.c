// sweep_plot.c: a sweep as a picture: curves over one axis, a heat map or basins over two, a
// histogram of random draws, dots for the items of a list (a bifurcation diagram).
#include "linalg/tolerances.h"
#include "show/plot_file_impl.h"
#include "show/show_sweep.h"
#include "show/svg_impl.h"
#include "show/sweep_picture_impl.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { MOST_CURVES = 12, MOST_KINDS = 6, MOST_BINS = 60, LEAST_BINS = 8 };

typedef enum { PLOT_CURVES, PLOT_DOTS, PLOT_ITEMS, PLOT_HISTOGRAM, PLOT_MAP } PlotKind;

typedef struct {
    const ShowSweep *sweep;
    PlotKind kind;
    size_t count; // of what is drawn: numbers that are kept, or columns of the first list
    size_t drawn[MOST_CURVES];
    const char *names[MOST_CURVES + 2]; // across, (up,) then these
    size_t across, up;                  // axes
    Curve *curves[MOST_CURVES];
} SweepPlot;

// ---- What is drawn.

static Status find_name(SweepPlot *plot, Str name, Diag *diag)
{
    const KeepPlan *plan = plot->sweep->plan;
    size_t numbers = keep_number_count(plan);
    Text all = {0};
    if (plot->count == MOST_CURVES)
        return diag_error(diag, place_hint(HINT_PLOT), "more than %d curves cannot be told apart",
                          MOST_CURVES);
    for (size_t i = 0; i < numbers; i++) {
        if (str_is(name, keep_number_name(plan, i))) {
            plot->names[2 + plot->count] = keep_number_name(plan, i);
            plot->drawn[plot->count++] = i;
            return STATUS_OK;
        }
        text_addf(&all, "%s%s", all.length ? ", " : "", keep_number_name(plan, i));
    }
    const KeepList *list = keep_list_count(plan) > 0 ? keep_list(plan, 0) : NULL;
    for (size_t i = 0; list && i < list->width; i++) {
        if (str_is(name, list->columns[i])) {
            plot->names[2 + plot->count] = list->columns[i];
            plot->drawn[plot->count++] = numbers + i;
            return STATUS_OK;
        }
        text_addf(&all, "%s%s", all.length ? ", " : "", list->columns[i]);
    }
    diag_error(diag, place_hint(HINT_PLOT), "'%.*s' is not kept of the runs; there are %s",
               (int)name.length, name.at, all.at ? all.at : "none");
    text_clear(&all);
    return STATUS_WRONG;
}

static Status read_names(SweepPlot *plot, const char *wanted, Diag *diag)
{
    const KeepPlan *plan = plot->sweep->plan;
    const char *path = show_plot_path(wanted);
    if (path == wanted)
        return find_name(plot,
                         str_of(keep_number_count(plan) > 0 ? keep_number_name(plan, 0)
                                                            : keep_list(plan, 0)->columns[1]),
                         diag);
    int depth = 0;
    const char *start = wanted;
    for (const char *at = wanted; at < path; at++) {
        depth += (*at == '(') - (*at == ')');
        if (at + 1 < path && (*at != ',' || depth > 0))
            continue;
        while (start < at && *start == ' ')
            start++;
        TRY(find_name(plot, (Str){start, (size_t)(at - start)}, diag));
        start = at + 1;
    }
    return STATUS_OK;
}

static bool is_item(const SweepPlot *plot, size_t i)
{
    return plot->drawn[i] >= keep_number_count(plot->sweep->plan);
}

static size_t first_axis(const SweepDesign *design, size_t group)
{
    size_t i = 0;
    while (i < design->axis_count &&
           (design->axes[i].kind >= SWEEP_NORMAL || design->axes[i].group != group))
        i++;
    return i;
}

static Status choose_kind(SweepPlot *plot, Diag *diag)
{
    const SweepDesign *design = plot->sweep->design;
    bool zipped = strcmp(plot->sweep->sampling, "zip") == 0;
    size_t axes =
        design->group_count == 0 || zipped ? design->group_count > 0 : design->group_count;
    plot->across = axes > 0 ? first_axis(design, 0) : 0;
    if (is_item(plot, 0) && axes <= 1)
        plot->kind = PLOT_ITEMS;
    else if (axes == 0)
        plot->kind = PLOT_HISTOGRAM;
    else if (axes == 1)
        plot->kind = design->random ? PLOT_DOTS : PLOT_CURVES;
    else if (axes == 2 && !design->random && plot->count == 1 && !is_item(plot, 0)) {
        plot->kind = PLOT_MAP;
        plot->up = first_axis(design, 1);
        if (design->axes[plot->across].kind == SWEEP_LIST ||
            design->axes[plot->up].kind == SWEEP_LIST)
            return diag_error(diag, place_hint(HINT_PLOT),
                              "a map is drawn over two ranges, FROM:TO:COUNT, and not over lists");
    } else
        return diag_error(diag, place_hint(HINT_PLOT),
                          "a plot shows one axis, or one number over two ranges, or random draws; "
                          "these are %zu axes%s",
                          axes, design->random ? " with random ones" : "");
    for (size_t i = 1; i < plot->count; i++)
        if (is_item(plot, i) != is_item(plot, 0))
            return diag_error(diag, place_hint(HINT_PLOT),
                              "numbers of runs and items of lists are drawn in two pictures");
    return STATUS_OK;
}

static Status open_plot(const char *wanted, const ShowSweep *sweep, Diag *diag, SweepPlot *plot)
{
    *plot = (SweepPlot){.sweep = sweep};
    TRY(plot_file_check(show_plot_path(wanted), diag));
    TRY(read_names(plot, wanted, diag));
    TRY(choose_kind(plot, diag));
    plot->names[0] = plot->kind == PLOT_HISTOGRAM ? plot->names[2] : sweep->axes[plot->across];
    plot->names[1] = plot->kind == PLOT_MAP ? sweep->axes[plot->up] : "";
    return STATUS_OK;
}

Status show_sweep_plot_check(const char *wanted, const ShowPlotStyle *style, const ShowSweep *sweep,
                             Diag *diag)
{
    SweepPlot plot;
    PlotStyle read;
    TRY(open_plot(wanted, sweep, diag, &plot));
    TRY(plot_style_read(style, plot.names, plot.count + 2, diag, &read));
    plot_style_clear(&read);
    return STATUS_OK;
}

// ---- Curves, dots, bars.

typedef struct {
    SweepPlot *plot;
    const PlotStyle *style;
    ARRAY(double) values[MOST_CURVES]; // of histograms
    double *map;                       // of a map, a number a run
} Drawn;

static void add_run(Drawn *drawn, const SweepRecord *record)
{
    SweepPlot *plot = drawn->plot;
    const SweepDesign *design = plot->sweep->design;
    size_t numbers = keep_number_count(plot->sweep->plan);
    const PlotName *names = drawn->style->names;
    double x = plot_scaled(&names[0], sweep_value(design, plot->across, record->run));
    if (record->status > SWEEP_STOPPED && plot->kind != PLOT_CURVES)
        return;
    for (size_t i = 0; i < plot->count; i++) {
        const PlotName *name = &names[2 + i];
        size_t at = plot->drawn[i];
        double value = at < numbers ? record->numbers[at] : NAN;
        if (plot->kind == PLOT_HISTOGRAM && isfinite(value))
            array_push(&drawn->values[i], value);
        if (plot->kind == PLOT_MAP)
            drawn->map[record->run] = value;
        if (plot->kind == PLOT_CURVES || plot->kind == PLOT_DOTS)
            curve_add(plot->curves[i], x, plot_scaled(name, value));
        if (plot->kind == PLOT_DOTS)
            curve_add(plot->curves[i], NAN, NAN);
        for (size_t k = 0; plot->kind == PLOT_ITEMS && k < record->counts[0]; k++) {
            double item = record->items[0][k * record->widths[0] + at - numbers];
            curve_add(plot->curves[i], x, plot_scaled(name, item));
            curve_add(plot->curves[i], NAN, NAN);
        }
    }
}

// How many of the values are in each of so many equal parts, about the square root of their number.
static void make_bars(Drawn *drawn)
{
    double low = INFINITY, high = -INFINITY;
    size_t most = 0;
    for (size_t i = 0; i < drawn->plot->count; i++) {
        most = drawn->values[i].count > most ? drawn->values[i].count : most;
        for (size_t k = 0; k < drawn->values[i].count; k++) {
            low = fmin(low, drawn->values[i].at[k]);
            high = fmax(high, drawn->values[i].at[k]);
        }
    }
    size_t bins = (size_t)sqrt((double)most);
    bins = bins < LEAST_BINS ? LEAST_BINS : bins > MOST_BINS ? MOST_BINS : bins;
    if (!(high > low))
        low -= 0.5, high += 0.5;
    for (size_t i = 0; i < drawn->plot->count; i++) {
        size_t counts[MOST_BINS] = {0};
        Curve *curve = drawn->plot->curves[i];
        for (size_t k = 0; k < drawn->values[i].count; k++) {
            double part = (drawn->values[i].at[k] - low) / (high - low) * (double)bins;
            counts[part < (double)bins ? (size_t)part : bins - 1]++;
        }
        curve_add(curve, low, 0);
        for (size_t k = 0; k < bins; k++) {
            double width = (high - low) / (double)bins;
            curve_add(curve, low + width * (double)k, (double)counts[k]);
            curve_add(curve, low + width * (double)(k + 1), (double)counts[k]);
        }
        curve_add(curve, high, 0);
    }
}

// ---- Maps.

typedef struct {
    double kinds[MOST_KINDS]; // the values, where these are few
    size_t kind_count;        // more than MOST_KINDS: very many
    bool missing;             // some have none
    double low, high;
} MapRange;

static MapRange range_of(const double *map, size_t count)
{
    MapRange range = {.low = INFINITY, .high = -INFINITY};
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        range.missing = range.missing || !isfinite(map[i]);
        if (!isfinite(map[i]))
            continue;
        range.low = fmin(range.low, map[i]);
        range.high = fmax(range.high, map[i]);
        while (k < range.kind_count && k < MOST_KINDS && range.kinds[k] != map[i])
            k++;
        if (k == range.kind_count && k < MOST_KINDS)
            range.kinds[k] = map[i];
        range.kind_count += k == range.kind_count && k <= MOST_KINDS;
    }
    // In their order.
    for (size_t i = 1; i < range.kind_count && range.kind_count <= MOST_KINDS; i++)
        for (size_t k = i; k > 0 && range.kinds[k] < range.kinds[k - 1]; k--) {
            double kind = range.kinds[k];
            range.kinds[k] = range.kinds[k - 1];
            range.kinds[k - 1] = kind;
        }
    return range;
}

static void put_colour(const MapRange *range, double value, unsigned char *pixel)
{
    // From dark to light, even to the eye, and told apart by all eyes.
    static const unsigned char scale[][3] = {
        {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    enum { STEPS = sizeof scale / sizeof *scale - 1 };
    const unsigned char none[] = {128, 128, 128};
    memcpy(pixel, none, sizeof none);
    if (!isfinite(value))
        return;
    if (range->kind_count <= MOST_KINDS)
        for (size_t i = 0; i < range->kind_count; i++) {
            unsigned red, green, blue;
            if (value == range->kinds[i] &&
                sscanf(svg_colour(i), "#%2x%2x%2x", &red, &green, &blue) == 3) {
                pixel[0] = (unsigned char)red;
                pixel[1] = (unsigned char)green;
                pixel[2] = (unsigned char)blue;
            }
        }
    else {
        double part = STEPS * (value - range->low) / (range->high - range->low);
        size_t step = part < STEPS - 1 ? (size_t)part : STEPS - 1;
        for (size_t k = 0; k < 3; k++)
            pixel[k] = (unsigned char)lround(
                scale[step][k] + (part - (double)step) * (scale[step + 1][k] - scale[step][k]));
    }
}

// Programs that show SVG leave cells as they are, however large they become. The converter smooths
// them into each other: for it they are so many pixels that nothing of that is seen.
static void paint(const Drawn *drawn, const MapRange *range, bool converts, Text *uri)
{
    enum { PIXELS = 1500 };
    const SweepDesign *design = drawn->plot->sweep->design;
    size_t width = design->groups[0].count, height = design->groups[1].count;
    PngSize size = {width, height, converts ? 1 + PIXELS / width : 1,
                    converts ? 1 + PIXELS / height : 1};
    unsigned char *pixels = base_alloc(3 * width * height + 1);
    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j < height; j++) {
            double value = drawn->map[i * design->groups[0].stride + j * design->groups[1].stride];
            put_colour(range, value, pixels + 3 * ((height - 1 - j) * width + i));
        }
    png_data_uri(pixels, &size, uri);
    base_free(pixels);
}

// The ends of an axis of cells: half a cell beyond the first and last value, or their logarithms.
static CurveRange cells(const SweepDesign *design, size_t axis, bool *log)
{
    const SweepAxis *of = &design->axes[axis];
    *log = of->kind == SWEEP_LOG_RANGE;
    double a = *log ? log10(fabs(of->a)) : of->a, b = *log ? log10(fabs(of->b)) : of->b;
    size_t count = design->groups[of->group].count;
    double half = count > 1 ? (b - a) / (double)(count - 1) / 2 : 0.5;
    return (CurveRange){a - half, b + half};
}

// ---- The picture.

static Status take_runs(Drawn *drawn, Diag *diag)
{
    const ShowSweep *sweep = drawn->plot->sweep;
    for (size_t run = 0; run < sweep->design->runs; run++) {
        SweepRecord record;
        if (!run_store_has(sweep->store, run))
            continue;
        if (!run_store_read(sweep->store, run, &record))
            return show_file_error(sweep->run.file, EIO, diag);
        add_run(drawn, &record);
    }
    return STATUS_OK;
}

static Status write_picture(const SvgPlot *picture, const char *path, Diag *diag)
{
    ShowFile file;
    Text svg = {0};
    TRY(svg_check_size(picture, diag));
    TRY(show_file_open(&file, path, diag));
    svg_write(picture, &svg);
    Status status = plot_file_write(&file, &svg, diag);
    text_clear(&svg);
    Status closed = show_file_close(&file, status == STATUS_OK, diag);
    return status != STATUS_OK ? status : closed;
}

static const char *label_of(const PlotStyle *style, size_t name, const char *otherwise, Text *room)
{
    if (style->names[name].label)
        return style->names[name].label;
    show_name(otherwise, room);
    return room->at ? room->at : "";
}

// What a map's colours stand for: its few values; else five even to the eye. And what has no value.
typedef struct {
    size_t count;
    Text names[MOST_KINDS + 1], colours[MOST_KINDS + 1];
    const char *entries[MOST_KINDS + 1], *fills[MOST_KINDS + 1];
    Curve *curves[MOST_KINDS + 1]; // without points
} MapLegend;

static void add_entry(MapLegend *legend, const MapRange *range, double value)
{
    unsigned char pixel[3];
    Text *name = &legend->names[legend->count], *colour = &legend->colours[legend->count];
    put_colour(range, value, pixel);
    // Between two ends a rounding is 0.
    if (fabs(value) < TOL_ZERO * fmax(fabs(range->low), fabs(range->high)))
        value = 0;
    text_addf(colour, "#%02x%02x%02x", (unsigned)pixel[0], (unsigned)pixel[1], (unsigned)pixel[2]);
    if (isfinite(value))
        text_addf(name, "%s%.*g", value < 0 ? "−" : "", range->kind_count <= MOST_KINDS ? 6 : 4,
                  fabs(value));
    else
        text_add(name, "no value");
    legend->curves[legend->count] = curve_new(CURVE_GRAPH);
    legend->fills[legend->count] = colour->at;
    legend->entries[legend->count++] = name->at;
}

static MapLegend map_legend(const MapRange *range)
{
    enum { STEPS = 4 };
    MapLegend legend = {0};
    for (size_t i = 0; i < range->kind_count && range->kind_count <= MOST_KINDS; i++)
        add_entry(&legend, range, range->kinds[i]);
    for (int i = 0; i <= STEPS && range->kind_count > MOST_KINDS; i++)
        add_entry(&legend, range, range->low + (range->high - range->low) * i / STEPS);
    if (range->missing)
        add_entry(&legend, range, NAN);
    return legend;
}

static void map_legend_clear(MapLegend *legend)
{
    for (size_t i = 0; i < legend->count; i++) {
        text_clear(&legend->names[i]);
        text_clear(&legend->colours[i]);
        curve_free(legend->curves[i]);
    }
}

static Status draw_map(Drawn *drawn, SvgPlot *picture, const char *path, Diag *diag)
{
    SweepPlot *plot = drawn->plot;
    const SweepDesign *design = plot->sweep->design;
    MapRange range = range_of(drawn->map, design->runs);
    Text uri = {0}, title = {0}, up = {0}, what = {0};
    MapLegend legend = map_legend(&range);
    picture->count = legend.count;
    paint(drawn, &range, !plot_file_follows_screen(path), &uri);
    label_of(drawn->style, 2, plot->names[2], &what);
    text_addf(&title, "%s: %s", plot->sweep->run.title,
              drawn->style->names[2].label ? drawn->style->names[2].label : what.at);
    picture->names = legend.entries;
    picture->fills = legend.fills;
    picture->curves = legend.curves;
    picture->title = drawn->style->title ? drawn->style->title : title.at;
    picture->axis =
        drawn->style->axis ? drawn->style->axis : label_of(drawn->style, 1, plot->names[1], &up);
    picture->image = uri.at;
    picture->across_range = picture->image_x = cells(design, plot->across, &picture->across_log);
    picture->up_range = picture->image_y = cells(design, plot->up, &picture->up_log);
    Status status = write_picture(picture, path, diag);
    map_legend_clear(&legend);
    text_clear(&uri);
    text_clear(&title);
    text_clear(&up);
    text_clear(&what);
    return status;
}

static Status draw(Drawn *drawn, const char *path, Diag *diag)
{
    SweepPlot *plot = drawn->plot;
    const PlotStyle *style = drawn->style;
    Text across = {0};
    const char *names[MOST_CURVES];
    Text shown[MOST_CURVES] = {{0}};
    for (size_t i = 0; i < plot->count; i++)
        names[i] = label_of(style, 2 + i, plot->names[2 + i], &shown[i]);
    SvgPlot picture = {.about = plot->sweep->run.title,
                       .title = style->title ? style->title : plot->sweep->run.title,
                       .across = label_of(style, 0, plot->names[0], &across),
                       .axis = style->axis                    ? style->axis
                               : plot->kind == PLOT_HISTOGRAM ? "runs"
                                                              : NULL,
                       .names = names,
                       .curves = plot->curves,
                       .count = plot->count,
                       .dots = plot->kind == PLOT_DOTS || plot->kind == PLOT_ITEMS,
                       .style = style,
                       .across_range = style->names[0].range,
                       .up_range = style->names[2].range,
                       .across_log = style->names[0].log,
                       .up_log = style->names[2].log};
    if (plot->kind == PLOT_HISTOGRAM)
        make_bars(drawn);
    Status status = plot->kind == PLOT_MAP ? draw_map(drawn, &picture, path, diag)
                                           : write_picture(&picture, path, diag);
    for (size_t i = 0; i < plot->count; i++)
        text_clear(&shown[i]);
    text_clear(&across);
    return status;
}

Status show_sweep_plot(const char *wanted, const ShowPlotStyle *style, const ShowSweep *sweep,
                       Diag *diag)
{
    SweepPlot plot;
    PlotStyle read;
    TRY(open_plot(wanted, sweep, diag, &plot));
    TRY(plot_style_read(style, plot.names, plot.count + 2, diag, &read));
    Drawn drawn = {.plot = &plot, .style = &read};
    bool graph = plot.kind == PLOT_HISTOGRAM || plot.kind == PLOT_CURVES;
    for (size_t i = 0; i < plot.count; i++) {
        plot.curves[i] = curve_new(graph ? CURVE_GRAPH : CURVE_PATH);
        curve_set_window(plot.curves[i], read.names[0].range, read.names[2].range);
    }
    if (plot.kind == PLOT_MAP)
        drawn.map = base_alloc((sweep->design->runs + 1) * sizeof *drawn.map);
    for (size_t i = 0; drawn.map && i < sweep->design->runs; i++)
        drawn.map[i] = NAN;
    Status status = take_runs(&drawn, diag);
    if (status == STATUS_OK)
        status = draw(&drawn, show_plot_path(wanted), diag);
    for (size_t i = 0; i < plot.count; i++) {
        curve_free(plot.curves[i]);
        array_clear(&drawn.values[i]);
    }
    base_free(drawn.map);
    plot_style_clear(&read);
    return status;
}
