// svg.c: a picture of curves, as an SVG that stands alone: light or dark as the reader's screen
// is, without scripts, the same bytes for the same curves.
//
// Curves differ by colour (Okabe and Ito's, which the colour-blind can tell apart) and by dashes
// (so that they differ in grey too).
#include "show/show_impl.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 720,
    PLOT_HEIGHT = 400,
    RIGHT = 24,      // beside the plot
    TITLE_LINE = 30, // above it
    LEGEND_LINE = 22,
    BELOW = 52, // tick labels and the name of the axis
    COLOURS = 8,
    DASHES = 5,
    TICKS_ACROSS = 8,
    TICKS_UP = 8
};
#define LETTER     7.6 // the width of a letter, about
#define LEGEND_KEY 34.0
#define MARGIN     0.04
// Ranges of a path that differ by less than this factor are drawn to one scale.
#define ALIKE 4.0

static const char *const light[COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#a8478a",
                                           "#b07d00", "#2b9fd8", "#5b5b5b", "#7a3b10"};
static const char *const dark[COLOURS] = {"#56b4e9", "#ff8b3d", "#2fd6a3", "#e39cc6",
                                          "#f0c040", "#8fd0ff", "#c8c8c8", "#d8a070"};
static const char *const dashes[DASHES] = {"none", "9 4", "2.5 3.5", "10 4 2.5 4", "16 5"};

typedef struct {
    const SvgPlot *plot;
    Axis across, up;
    double left, top, right, bottom; // of the plot
    Text *out;
} Drawing;

// ---- Text.

static void add_escaped(const char *text, Text *out)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&')
            text_add(out, "&amp;");
        else if (c == '<')
            text_add(out, "&lt;");
        else if (c == '>')
            text_add(out, "&gt;");
        else if (c == '"')
            text_add(out, "&quot;");
        else if (c >= 0x20 || c == '\t')
            text_add_char(out, (char)c);
    }
}

static double width_of(const char *text)
{
    return LETTER * (double)text_width(text, strlen(text));
}

static void add_label(const Drawing *drawing, double x, double y, const char *kind,
                      const char *text)
{
    text_addf(drawing->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", kind, x, y);
    add_escaped(text, drawing->out);
    text_add(drawing->out, "</text>\n");
}

// ---- Styles.

static void add_colours(const SvgPlot *plot, const char *const *colours, Text *out)
{
    for (size_t i = 0; i < plot->count && i < COLOURS; i++)
        text_addf(out, ".c%zu{stroke:%s}", i, colours[i]);
}

static void add_style(const SvgPlot *plot, Text *out)
{
    text_add(out, "<style>\n"
                  "text{font-size:14px;font-family:system-ui,sans-serif;fill:#222}\n"
                  ".title{font-size:16px;font-weight:600}\n"
                  ".middle,.title,.turned{text-anchor:middle}.end{text-anchor:end}\n"
                  ".back{fill:#fff}.grid{stroke:#ddd;fill:none}.frame{stroke:#555;fill:none}\n"
                  ".curve{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}\n"
                  ".event{fill:none;stroke:#888;stroke-dasharray:1.5 3}.place{fill:#888}\n");
    add_colours(plot, light, out);
    text_add(out, "\n");
    for (size_t i = 1; i < plot->count && i < DASHES; i++)
        text_addf(out, ".d%zu{stroke-dasharray:%s}", i, dashes[i]);
    text_add(out, "\n@media (prefers-color-scheme:dark){\n"
                  "text{fill:#e4e4e4}.back{fill:#16181c}.grid{stroke:#363a40}"
                  ".frame{stroke:#9aa0a8}\n");
    add_colours(plot, dark, out);
    text_add(out, "}\n</style>\n");
}

// ---- Layout.

// Where the name of a curve stands in the legend; how many lines there are up to it.
typedef struct {
    double x;
    size_t line;
} LegendPlace;

static LegendPlace legend_next(const Drawing *drawing, LegendPlace place, const char *name)
{
    double width = LEGEND_KEY + width_of(name) + 18;
    if (place.x > drawing->left && place.x + width > drawing->right)
        place = (LegendPlace){drawing->left, place.line + 1};
    place.x += width;
    return place;
}

static size_t legend_lines(const Drawing *drawing)
{
    LegendPlace place = {drawing->left, 1};
    if (drawing->plot->count < 2)
        return 0;
    for (size_t i = 0; i < drawing->plot->count; i++)
        place = legend_next(drawing, place, drawing->plot->names[i]);
    return place.line;
}

static CurveRange range_of_all(const SvgPlot *plot, CurveRange (*range_of)(const Curve *))
{
    CurveRange all = {NAN, NAN};
    for (size_t i = 0; i < plot->count; i++) {
        CurveRange range = range_of(plot->curves[i]);
        all.least = fmin(all.least, range.least);
        all.most = fmax(all.most, range.most);
    }
    return all;
}

// Widens the axis about its middle to `extent`.
static void axis_widen(Axis *axis, double extent)
{
    double middle = axis->low / 2 + axis->high / 2;
    axis->low = middle - extent / 2;
    axis->high = middle + extent / 2;
}

// A path keeps its shape where its two ranges are alike.
static void make_scales_equal(Drawing *drawing)
{
    Axis *across = &drawing->across, *up = &drawing->up;
    double wide = across->high - across->low, high = up->high - up->low;
    if (wide > ALIKE * high || high > ALIKE * wide)
        return;
    double ratio = (drawing->right - drawing->left) / (drawing->bottom - drawing->top);
    if (wide < ratio * high)
        axis_widen(across, ratio * high);
    else
        axis_widen(up, wide / ratio);
}

static double widest_tick(const Axis *axis)
{
    double widest = 0;
    for (size_t i = 0; i < axis_tick_count(axis); i++) {
        Text label = {0};
        axis_tick_text(axis, axis_tick(axis, i), &label);
        widest = fmax(widest, width_of(label.at));
        text_clear(&label);
    }
    return widest;
}

static void lay_out(Drawing *drawing)
{
    const SvgPlot *plot = drawing->plot;
    Axis *across = &drawing->across, *up = &drawing->up;
    *across = axis_around(range_of_all(plot, curve_range_x), plot->path ? MARGIN : 0);
    *up = axis_around(range_of_all(plot, curve_range_y), MARGIN);
    axis_show(up, up->low, up->high, TICKS_UP);
    drawing->left = 18 + widest_tick(up) + (plot->count == 1 ? 24 : 0);
    drawing->right = WIDTH - RIGHT;
    drawing->top = TITLE_LINE + 16 + (double)(legend_lines(drawing) * LEGEND_LINE);
    drawing->bottom = drawing->top + PLOT_HEIGHT;
    if (plot->path)
        make_scales_equal(drawing);
    axis_show(up, up->low, up->high, TICKS_UP);
    axis_show(across, across->low, across->high, TICKS_ACROSS);
}

static double place_x(const Drawing *drawing, double x)
{
    const Axis *axis = &drawing->across;
    double part = (x - axis->low) / (axis->high - axis->low);
    return drawing->left + part * (drawing->right - drawing->left);
}

static double place_y(const Drawing *drawing, double y)
{
    const Axis *axis = &drawing->up;
    double part = (y - axis->low) / (axis->high - axis->low);
    return drawing->bottom - part * (drawing->bottom - drawing->top);
}

// ---- Drawing.

static void draw_grid(const Drawing *drawing)
{
    Text *out = drawing->out;
    text_add(out, "<path class=\"grid\" d=\"");
    for (size_t i = 0; i < axis_tick_count(&drawing->across); i++)
        text_addf(out, "M%.1f,%.1fV%.1f", place_x(drawing, axis_tick(&drawing->across, i)),
                  drawing->top, drawing->bottom);
    for (size_t i = 0; i < axis_tick_count(&drawing->up); i++)
        text_addf(out, "M%.1f,%.1fH%.1f", drawing->left,
                  place_y(drawing, axis_tick(&drawing->up, i)), drawing->right);
    text_add(out, "\"/>\n");
}

static void draw_ticks(const Drawing *drawing)
{
    Text label = {0};
    for (size_t i = 0; i < axis_tick_count(&drawing->across); i++) {
        double value = axis_tick(&drawing->across, i);
        axis_tick_text(&drawing->across, value, &label);
        add_label(drawing, place_x(drawing, value), drawing->bottom + 18, "middle", label.at);
        text_clear(&label);
    }
    for (size_t i = 0; i < axis_tick_count(&drawing->up); i++) {
        double value = axis_tick(&drawing->up, i);
        axis_tick_text(&drawing->up, value, &label);
        add_label(drawing, drawing->left - 7, place_y(drawing, value) + 5, "end", label.at);
        text_clear(&label);
    }
}

static void draw_names(const Drawing *drawing)
{
    const SvgPlot *plot = drawing->plot;
    Text rest = {0};
    add_label(drawing, WIDTH / 2.0, 24, "title", plot->title);
    add_label(drawing, (drawing->left + drawing->right) / 2, drawing->bottom + 40, "middle",
              plot->across);
    axis_rest_text(&drawing->across, &rest);
    if (rest.length)
        add_label(drawing, drawing->right, drawing->bottom + 40, "end", rest.at);
    text_clear(&rest);
    axis_rest_text(&drawing->up, &rest);
    if (rest.length)
        add_label(drawing, drawing->left, drawing->top - 6, "start", rest.at);
    text_clear(&rest);
    if (plot->count != 1)
        return;
    double y = (drawing->top + drawing->bottom) / 2;
    text_addf(drawing->out, "<text class=\"turned\" transform=\"translate(18,%.1f)rotate(-90)\">",
              y);
    add_escaped(plot->names[0], drawing->out);
    text_add(drawing->out, "</text>\n");
}

static void add_classes(size_t index, Text *out)
{
    text_addf(out, "curve c%zu", index % COLOURS);
    if (index % DASHES)
        text_addf(out, " d%zu", index % DASHES);
}

static void draw_legend(const Drawing *drawing)
{
    const SvgPlot *plot = drawing->plot;
    LegendPlace place = {drawing->left, 1};
    for (size_t i = 0; i < plot->count && plot->count > 1; i++) {
        LegendPlace next = legend_next(drawing, place, plot->names[i]);
        double x = next.line > place.line ? drawing->left : place.x;
        double y = TITLE_LINE + (double)(next.line * LEGEND_LINE) - 4;
        text_add(drawing->out, "<path class=\"");
        add_classes(i, drawing->out);
        text_addf(drawing->out, "\" d=\"M%.1f,%.1fh28\"/>\n", x, y - 5);
        add_label(drawing, x + LEGEND_KEY, y, "start", plot->names[i]);
        place = next;
    }
}

static void draw_curve(const Drawing *drawing, size_t index)
{
    Text *out = drawing->out;
    CurvePoints points = {0};
    curve_points(drawing->plot->curves[index], &points);
    text_add(out, "<path class=\"");
    add_classes(index, out);
    text_add(out, "\" d=\"");
    bool starts = true;
    for (size_t i = 0; i < points.count; i++) {
        if (isnan(points.at[i].x)) {
            starts = true;
            continue;
        }
        bool alone = starts && (i + 1 == points.count || isnan(points.at[i + 1].x));
        text_addf(out, "%s%.2f,%.2f%s", starts ? "M" : " ", place_x(drawing, points.at[i].x),
                  place_y(drawing, points.at[i].y), alone ? "h0" : "");
        starts = false;
    }
    text_add(out, "\"/>\n");
    array_clear(&points);
}

// Events as lines across time, or as dots on a path.
static void draw_marks(const Drawing *drawing)
{
    const SvgPlot *plot = drawing->plot;
    Text *out = drawing->out;
    if (plot->mark_count == 0)
        return;
    text_add(out, plot->path ? "<g class=\"place\">\n" : "<path class=\"event\" d=\"");
    for (size_t i = 0; i < plot->mark_count; i++) {
        double x = place_x(drawing, plot->marks[i].x);
        if (plot->path)
            text_addf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.5\"/>\n", x,
                      place_y(drawing, plot->marks[i].y));
        else
            text_addf(out, "M%.2f,%.1fV%.1f", x, drawing->top, drawing->bottom);
    }
    text_add(out, plot->path ? "</g>\n" : "\"/>\n");
}

void svg_write(const SvgPlot *plot, Text *out)
{
    Drawing drawing = {.plot = plot, .out = out};
    lay_out(&drawing);
    double height = drawing.bottom + BELOW;
    text_addf(out,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" role=\"img\">\n"
              "<title>",
              WIDTH, height);
    add_escaped(plot->title, out);
    text_add(out, "</title>\n");
    add_style(plot, out);
    text_addf(out, "<rect class=\"back\" width=\"%d\" height=\"%.0f\"/>\n", WIDTH, height);
    draw_grid(&drawing);
    draw_marks(&drawing);
    for (size_t i = 0; i < plot->count; i++)
        draw_curve(&drawing, i);
    text_addf(out, "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
              drawing.left, drawing.top, drawing.right - drawing.left,
              drawing.bottom - drawing.top);
    draw_ticks(&drawing);
    draw_names(&drawing);
    draw_legend(&drawing);
    text_add(out, "</svg>\n");
}
