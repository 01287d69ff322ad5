// stability_plot.c: the eigenvalues over what is varied, drawn: real parts above imaginary ones,
// critical values marked, shaded where no mode grows.
#include "show/curve_impl.h"
#include "show/measured_text_impl.h"
#include "show/plot_file_impl.h"
#include "show/plot_style_impl.h"
#include "show/show_impl.h"
#include "show/svg_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST_BRANCHES = 12 }; // more cannot be told apart

// What is drawn: the real or imaginary parts of an eigenvalue.
typedef struct {
    char *name;
    const double *parts; // of the first value of what is varied
    Curve *curve;
} Branch;

// Branches outside the family, of the imaginary parts only those that are not the negative of
// another's. One more than can be told apart where there are more.
static size_t find_branches(const InquiryCurve *curve, Branch *branches)
{
    size_t count = 0;
    for (int imaginary = 0; imaginary < 2; imaginary++)
        for (size_t j = 0; j < curve->size; j++) {
            const double *parts = imaginary ? curve->im : curve->re;
            bool any = false, below = true;
            for (size_t i = 0; i < curve->count; i++) {
                double part = curve->found[i] ? parts[i * curve->size + j] : 0;
                any = any || part != 0;
                below = below && part <= 0;
            }
            if (!any || (imaginary && below))
                continue;
            if (count == MOST_BRANCHES)
                return count + 1;
            Text name = {0};
            text_addf(&name, "%s λ%zu", imaginary ? "Im" : "Re", j + 1);
            branches[count++] = (Branch){.name = name.at, .parts = parts + j};
        }
    return count;
}

// All that is said of the branches holds for the one axis that they are on.
static CurveRange range_of_all(const PlotName *names, size_t count)
{
    CurveRange all = {NAN, NAN};
    for (size_t i = 0; i < count; i++) {
        all.least = fmin(all.least, names[i].range.least);
        all.most = fmax(all.most, names[i].range.most);
    }
    return all;
}

static Status write_plot(const SvgPlot *plot, const char *path, Diag *diag)
{
    ShowFile file;
    Text text = {0};
    TRY(svg_check_size(plot, diag));
    TRY(show_file_open(&file, path, diag));
    svg_write(plot, &text);
    Status status = plot_file_write(&file, &text, diag);
    text_clear(&text);
    Status closed = show_file_close(&file, status == STATUS_OK, diag);
    return status != STATUS_OK ? status : closed;
}

// ---- Where it is stable, and the critical values.

// A critical value between two points, or the middle.
static double border(const InquiryCurve *curve, size_t before)
{
    double a = curve->values[before], b = curve->values[before + 1];
    for (size_t i = 0; i < curve->critical_count; i++) {
        double value = curve->critical[i].value;
        if (value >= fmin(a, b) && value <= fmax(a, b))
            return value;
    }
    return a / 2 + b / 2;
}

// Ranges of what is varied in which no mode grows.
static size_t find_bands(const InquiryCurve *curve, CurveRange *bands)
{
    size_t count = 0;
    bool open = false;
    for (size_t i = 0; i < curve->count; i++) {
        bool stable = curve->found[i] && curve->growing[i] == 0;
        if (stable && !open)
            bands[count].least = i ? border(curve, i - 1) : curve->values[0];
        if (stable)
            bands[count].most = curve->values[i];
        if (!stable && open)
            bands[count++].most = border(curve, i - 1);
        open = stable;
    }
    return count + open;
}

static void make_lines(const InquiryCurve *curve, const char *across, Arena *arena, SvgLine *lines)
{
    for (size_t i = 0; i < curve->critical_count; i++) {
        Text label = {0};
        text_addf(&label, "%s = %.4g", across, curve->critical[i].value);
        lines[i] =
            (SvgLine){curve->critical[i].value, arena_copy_text(arena, label.at, label.length)};
        text_clear(&label);
    }
}

static Status draw(const char *title, const ShowStability *stability, const char *unit,
                   const char *path, const PlotStyle *style, Branch *branches, size_t count,
                   Diag *diag)
{
    const InquiryCurve *curve = stability->curve;
    const char *names[MOST_BRANCHES] = {0};
    Curve *curves[MOST_BRANCHES] = {0};
    Text across = {0}, name = {0};
    show_name(stability->varied, &name);
    text_add(&across, name.at);
    if (*unit)
        text_addf(&across, " [%s]", unit);
    SvgPlot plot = {.about = title,
                    .title = style->title ? style->title : title,
                    .across = style->names[0].label ? style->names[0].label : across.at,
                    .axis = style->axis,
                    .names = names,
                    .curves = curves,
                    .count = count,
                    .style = style,
                    .across_range = style->names[0].range,
                    .up_range = range_of_all(style->names + 1, count)};
    static const char *const axes[] = {"Re λ", "Im λ"};
    size_t panels[MOST_BRANCHES] = {0};
    for (size_t j = 0; j < count; j++)
        panels[j] = strncmp(branches[j].name, "Im", 2) == 0;
    Arena *arena = arena_new();
    SvgLine *lines = arena_array(arena, SvgLine, curve->critical_count + 1);
    CurveRange *bands = arena_array(arena, CurveRange, curve->count + 1);
    make_lines(curve, name.at, arena, lines);
    plot.panels = panels;
    plot.panel_count = count && panels[count - 1] && !panels[0] ? 2 : 1;
    plot.panel_axes = axes;
    plot.lines = lines;
    plot.line_count = curve->critical_count;
    plot.bands = bands;
    plot.band_count = find_bands(curve, bands);
    for (size_t j = 0; j < count; j++) {
        names[j] = style->names[j + 1].label ? style->names[j + 1].label : branches[j].name;
        curves[j] = branches[j].curve = curve_new(CURVE_GRAPH);
        curve_set_window(curves[j], plot.across_range, plot.up_range);
        for (size_t i = 0; i < curve->count; i++)
            curve_add(curves[j], curve->values[i], branches[j].parts[i * curve->size]);
    }
    Status status = write_plot(&plot, path, diag);
    text_clear(&across);
    text_clear(&name);
    arena_free(arena);
    return status;
}

// ---- The root locus: the eigenvalues in the complex plane.

// Branches that leave 0, each a path.
static size_t find_paths(const InquiryCurve *curve, Branch *branches)
{
    size_t count = 0;
    for (size_t j = 0; j < curve->size; j++) {
        bool any = false;
        for (size_t i = 0; i < curve->count; i++)
            any = any || (curve->found[i] && (curve->re[i * curve->size + j] != 0 ||
                                              curve->im[i * curve->size + j] != 0));
        if (any && count == MOST_BRANCHES)
            return count + 1;
        if (!any)
            continue;
        Text name = {0};
        text_addf(&name, "λ%zu", j + 1);
        branches[count++] = (Branch){.name = name.at, .parts = curve->re + j};
    }
    return count;
}

// Where eigenvalues pass the imaginary axis.
static size_t mark_crossings(const InquiryCurve *curve, CurvePoint *marks)
{
    size_t count = 0;
    for (size_t i = 0; i < curve->critical_count; i++) {
        double frequency = curve->critical[i].frequency;
        bool zero = curve->critical[i].kind == INQUIRY_ZERO_CROSSES;
        marks[count++] = (CurvePoint){0, zero ? 0 : frequency};
        if (!zero)
            marks[count++] = (CurvePoint){0, -frequency};
    }
    return count;
}

static Status draw_locus(const char *title, const InquiryCurve *curve, const char *path,
                         const PlotStyle *style, Branch *branches, size_t count, Diag *diag)
{
    const char *names[MOST_BRANCHES] = {0};
    Curve *curves[MOST_BRANCHES] = {0};
    CurvePoint *marks = base_alloc((2 * curve->critical_count + 1) * sizeof *marks);
    for (size_t j = 0; j < count; j++) {
        names[j] = style->names[j + 1].label ? style->names[j + 1].label : branches[j].name;
        curves[j] = branches[j].curve = curve_new(CURVE_PATH);
        const double *im = curve->im + (branches[j].parts - curve->re);
        for (size_t i = 0; i < curve->count; i++)
            curve_add(curves[j], branches[j].parts[i * curve->size], im[i * curve->size]);
    }
    SvgPlot plot = {.about = title,
                    .title = style->title ? style->title : title,
                    .across = "Re λ",
                    .axis = style->axis ? style->axis : "Im λ",
                    .names = names,
                    .curves = curves,
                    .count = count,
                    .path = true,
                    .marks = marks,
                    .mark_count = mark_crossings(curve, marks),
                    .style = style,
                    .across_range = {NAN, NAN},
                    .up_range = range_of_all(style->names + 1, count)};
    Status status = write_plot(&plot, path, diag);
    base_free(marks);
    return status;
}

static Status draw_plot(const Show *show, const ShowStability *stability, const char *unit,
                        const char *path, const ShowPlotStyle *wanted, Diag *diag)
{
    assert(stability->curve && stability->varied && path);
    Branch branches[MOST_BRANCHES] = {0};
    const char *names[MOST_BRANCHES + 1] = {stability->varied};
    TRY(plot_file_check(path, diag));
    bool locus = stability->root_locus;
    size_t count = (locus ? find_paths : find_branches)(stability->curve, branches);
    if (count > MOST_BRANCHES) {
        count = MOST_BRANCHES;
        diag_add(diag, DIAG_NOTE, place_hint(HINT_AS),
                 "'%s' shows the first %d branches; CSV holds all of them", path, MOST_BRANCHES);
    }
    for (size_t i = 0; i < count; i++)
        names[i + 1] = branches[i].name;
    PlotStyle style;
    Text title = {0};
    text_addf(&title, locus ? "%s: root locus, %s = %.4g … %.4g%s%s" : "%s: eigenvalues",
              show->motion->model->name, stability->varied, stability->curve->values[0],
              stability->curve->values[stability->curve->count - 1], *unit ? " " : "", unit);
    Status status = plot_style_read(wanted, names, count + 1, diag, &style);
    if (status == STATUS_OK) {
        if (!plot_file_follows_screen(path) && style.colours == COLOURS_AUTO)
            style.colours = COLOURS_LIGHT;
        status = locus ? draw_locus(title.at, stability->curve, path, &style, branches, count, diag)
                       : draw(title.at, stability, unit, path, &style, branches, count, diag);
        plot_style_clear(&style);
    }
    for (size_t i = 0; i < count; i++) {
        base_free(branches[i].name);
        curve_free(branches[i].curve);
    }
    text_clear(&title);
    return status;
}

// The curve over values in the unit in which they are shown.
static InquiryCurve in_unit(const InquiryCurve *curve, double scale, Arena *arena)
{
    double *values = arena_array(arena, double, curve->count + 1);
    InquiryCritical *critical = arena_array(arena, InquiryCritical, curve->critical_count + 1);
    for (size_t i = 0; i < curve->count; i++)
        values[i] = curve->values[i] / scale;
    for (size_t i = 0; i < curve->critical_count; i++) {
        critical[i] = curve->critical[i];
        critical[i].value /= scale;
    }
    InquiryCurve shown = *curve;
    shown.values = values;
    shown.critical = critical;
    return shown;
}

Status show_stability_plot(const Show *show, const ShowStability *given, const char *path,
                           const ShowPlotStyle *wanted, Diag *diag)
{
    double scale;
    const char *unit = show_column_unit(show->motion->model, given->varied, &scale);
    Arena *arena = arena_new();
    InquiryCurve curve = in_unit(given->curve, scale, arena);
    ShowStability stability = *given;
    stability.curve = &curve;
    Status status = draw_plot(show, &stability, unit, path, wanted, diag);
    arena_free(arena);
    return status;
}
