// svg.c: a picture of curves, as an SVG that stands alone: light or dark as the reader's screen
// is, without scripts, the same bytes for the same curves.
//
// Curves differ by colour (Okabe and Ito's, which the colour-blind can tell apart) and by dashes
// (so that they differ in grey too). Lines are as thick as fits the letters.
#include "show/svg_impl.h"

#include "show/axes_impl.h"
#include "show/curve_impl.h"
#include "show/svg_layout_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { COLOURS = 8, DASHES = 5 };

static const char *const light[COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#a8478a",
                                           "#b07d00", "#2b9fd8", "#5b5b5b", "#7a3b10"};
static const char *const dark[COLOURS] = {"#56b4e9", "#ff8b3d", "#2fd6a3", "#e39cc6",
                                          "#f0c040", "#8fd0ff", "#c8c8c8", "#d8a070"};
// In parts of the letters' size; drawn and left out in turn, 0 behind the last.
static const double dashes[DASHES][5] = {
    {0}, {0.64, 0.29}, {0.18, 0.25}, {0.71, 0.29, 0.18, 0.29}, {1.14, 0.36}};
// What does not fit becomes so much smaller, and then shorter.
#define SMALLEST 0.75
// Events nearer to each other than this, on the average, are drawn fainter.
#define MANY_MARKS 0.5

// ---- Text.

static void add_escaped(Str text, Text *out)
{
    for (size_t i = 0, hidden; i < text.length; i += hidden ? hidden : 1) {
        unsigned char c = (unsigned char)text.at[i];
        hidden = str_hidden(text.at + i);
        if (hidden)
            text_add_char(out, ' ');
        else if (c == '&')
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

// As much of a text as fits, whole characters.
static Str shortened(Str text, double room)
{
    double width = svg_text_width("…", strlen("…"));
    size_t length = 0;
    for (size_t i = 0; i < text.length; i++) {
        bool ends = i + 1 == text.length || ((unsigned char)text.at[i + 1] & 0xC0) != 0x80;
        width += svg_text_width(text.at + i, 1);
        if (width > room)
            break;
        if (ends)
            length = i + 1;
    }
    return (Str){text.at, length};
}

// A text that begins, ends or has its middle at (x, y), made to fit into `room`, in pixels.
static void add_fitted(const Drawing *drawing, double x, double y, const char *kind, Str text,
                       double room)
{
    double em = drawing->em, width = em * svg_text_width(text.at, text.length);
    if (text.length == 0)
        return;
    double scale = width > room ? fmax(room / width, SMALLEST) : 1;
    bool is_short = scale * width > room * 1.001;
    text_addf(drawing->out, "<text class=\"%s\"", kind);
    if (strcmp(kind, "turned") == 0)
        text_addf(drawing->out, " transform=\"translate(%.1f,%.1f)rotate(-90)\"", x, y);
    else
        text_addf(drawing->out, " x=\"%.1f\" y=\"%.1f\"", x, y);
    if (scale < 1)
        text_addf(drawing->out, " style=\"font-size:%.1fpx\"", scale * em);
    text_add(drawing->out, ">");
    add_escaped(is_short ? shortened(text, room / (scale * em)) : text, drawing->out);
    text_add(drawing->out, is_short ? "…</text>\n" : "</text>\n");
}

static void add_label(const Drawing *drawing, double x, double y, const char *kind,
                      const char *text)
{
    add_fitted(drawing, x, y, kind, str_of(text), INFINITY);
}

// ---- Styles.

static void add_colours(const SvgPlot *plot, const char *const *colours, Text *out)
{
    for (size_t i = 0; i < plot->count && i < COLOURS; i++)
        text_addf(out, ".c%zu{stroke:%s}", i, colours[i]);
}

static void add_light(const SvgPlot *plot, Text *out)
{
    text_add(out, "text{fill:#222}.back{fill:#fff}.grid{stroke:#ddd}.frame{stroke:#555}\n"
                  ".event{stroke:#888}.place{fill:#888}.band{fill:#e7f4ea}"
                  ".critical{stroke:#a33}\n");
    add_colours(plot, light, out);
    text_add(out, "\n");
}

static void add_dark(const SvgPlot *plot, Text *out)
{
    text_add(out, "text{fill:#e4e4e4}.back{fill:#16181c}.grid{stroke:#363a40}"
                  ".frame{stroke:#9aa0a8}\n.event{stroke:#999}.place{fill:#999}"
                  ".band{fill:#1d2c22}.critical{stroke:#e88}\n");
    add_colours(plot, dark, out);
    text_add(out, "\n");
}

static void add_dashes(const Drawing *drawing)
{
    for (size_t i = 1; i < drawing->plot->count && i < DASHES; i++) {
        text_addf(drawing->out, ".d%zu{stroke-dasharray:", i);
        for (size_t j = 0; dashes[i][j] > 0; j++)
            text_addf(drawing->out, "%s%.1f", j ? " " : "", dashes[i][j] * drawing->em);
        text_add(drawing->out, "}");
    }
    text_add(drawing->out, "\n");
}

static void add_style(const Drawing *drawing)
{
    const SvgPlot *plot = drawing->plot;
    const PlotStyle *style = plot->style;
    Text *out = drawing->out;
    double em = drawing->em, thin = em / 14;
    text_addf(out,
              "<style>\n"
              "text{font-size:%.4gpx;font-family:%s%ssystem-ui,sans-serif}\n"
              ".title{font-size:%.4gpx;font-weight:600}\n"
              ".middle,.title,.turned{text-anchor:middle}.end{text-anchor:end}\n"
              ".grid,.frame,.curve,.event,.critical{fill:none;stroke-width:%.3g}\n"
              ".curve{stroke-width:%.3g;stroke-linejoin:round;stroke-linecap:round}\n"
              ".dot{stroke-width:%.3g}.event{stroke-dasharray:%.3g %.3g}\n",
              em, style->family ? style->family : "", style->family ? "," : "", SVG_TITLE * em,
              thin, 1.8 * thin, 4 * thin, 1.5 * thin, 3 * thin);
    if (style->colours != COLOURS_DARK)
        add_light(plot, out);
    add_dashes(drawing);
    if (style->colours == COLOURS_AUTO)
        text_add(out, "@media (prefers-color-scheme:dark){\n");
    if (style->colours != COLOURS_LIGHT)
        add_dark(plot, out);
    text_add(out, style->colours == COLOURS_AUTO ? "}\n</style>\n" : "</style>\n");
}

// ---- Places.

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

static bool is_lowest(const Drawing *drawing)
{
    return drawing->panel + 1 == drawing->panel_count;
}

static void draw_ticks(const Drawing *drawing)
{
    Text label = {0};
    double em = drawing->em;
    for (size_t i = 0; is_lowest(drawing) && i < axis_tick_count(&drawing->across); i++) {
        double tick = axis_tick(&drawing->across, i);
        axis_tick_text(&drawing->across, tick, &label);
        // The last one stays inside of the picture.
        double half = em * svg_text_width(label.at, label.length) / 2;
        double x = fmin(place_x(drawing, tick), drawing->width - half - 0.2 * em);
        add_label(drawing, x, drawing->bottom + 1.3 * em, "middle", label.at);
        text_clear(&label);
    }
    for (size_t i = 0; i < axis_tick_count(&drawing->up); i++) {
        double tick = axis_tick(&drawing->up, i);
        axis_tick_text(&drawing->up, tick, &label);
        add_label(drawing, drawing->left - 0.5 * em, place_y(drawing, tick) + 0.35 * em, "end",
                  label.at);
        text_clear(&label);
    }
}

static void draw_title(const Drawing *drawing)
{
    double em = drawing->em, room = drawing->width - 2 * SVG_PAD * em;
    for (size_t i = 0; i < drawing->title_lines; i++) {
        Str line = drawing->title[i];
        Str fits = shortened(line, room / (SVG_BOLD * em));
        bool whole = svg_text_width(line.at, line.length) * SVG_BOLD * em <= room;
        text_addf(drawing->out, "<text class=\"title\" x=\"%.1f\" y=\"%.1f\">", drawing->width / 2,
                  (SVG_PAD + SVG_TITLE_LINE * (double)i + 1) * em);
        add_escaped(whole ? line : fits, drawing->out);
        text_add(drawing->out, whole ? "</text>\n" : "…</text>\n");
    }
}

// The names of the axes, and what is said there once for all numbers.
static void draw_names(const Drawing *drawing)
{
    double em = drawing->em, y = drawing->bottom + 2.8 * em;
    double middle = (drawing->left + drawing->right) / 2;
    Text rest = {0};
    axis_factor_text(&drawing->across, &rest);
    double taken = rest.length ? em * (svg_text_width(rest.at, rest.length) + 1) : 0;
    double wide = em * svg_text_width(drawing->plot->across, strlen(drawing->plot->across));
    // Where both do not fit the name goes to the left.
    if (!is_lowest(drawing))
        ;
    else if (middle + wide / 2 > drawing->right - taken)
        add_fitted(drawing, SVG_PAD * em, y, "start", str_of(drawing->plot->across),
                   drawing->right - SVG_PAD * em - taken);
    else
        add_label(drawing, middle, y, "middle", drawing->plot->across);
    if (rest.length && is_lowest(drawing))
        add_label(drawing, drawing->right, y, "end", rest.at);
    text_clear(&rest);
    axis_factor_text(&drawing->up, &rest);
    if (rest.length)
        add_label(drawing, drawing->left, drawing->top - 0.4 * em, "start", rest.at);
    text_clear(&rest);
    if (drawing->axis)
        add_fitted(drawing, (SVG_PAD + 0.8) * em, (drawing->top + drawing->bottom) / 2, "turned",
                   str_of(drawing->axis), drawing->bottom - drawing->top);
}

static void add_classes(size_t index, Text *out)
{
    text_addf(out, "curve c%zu", index % COLOURS);
    if (index % DASHES)
        text_addf(out, " d%zu", index % DASHES);
}

static void draw_entry(const Drawing *drawing, size_t curve, double x, double y, double room)
{
    double em = drawing->em;
    if (drawing->plot->fills)
        text_addf(drawing->out,
                  "<rect fill=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                  drawing->plot->fills[curve], x, y - 0.8 * em, SVG_KEY * em, 0.9 * em);
    else {
        text_add(drawing->out, "<path class=\"");
        add_classes(curve, drawing->out);
        text_addf(drawing->out, "\" d=\"M%.1f,%.1fh%.1f\"/>\n", x, y - 0.35 * em, SVG_KEY * em);
    }
    add_fitted(drawing, x + (SVG_KEY + SVG_KEY_GAP) * em, y, "start",
               str_of(drawing->plot->names[curve]), room - (SVG_KEY + SVG_KEY_GAP) * em);
}

static void draw_legend_above(const Drawing *drawing)
{
    double em = drawing->em;
    double top = (SVG_PAD + SVG_TITLE_LINE * (double)drawing->title_lines) * em;
    for (size_t i = 0; i < drawing->plot->count; i++) {
        LegendPosition spot = svg_legend_position(drawing, i);
        if (spot.line > 0)
            draw_entry(drawing, i, spot.x, top + (SVG_LEGEND_LINE * (double)spot.line - 0.5) * em,
                       drawing->right - spot.x);
    }
}

static void draw_legend_inside(const Drawing *drawing)
{
    const SvgPlot *plot = drawing->plot;
    LegendPlace place = plot->style->legend;
    double em = drawing->em, gap = 0.5 * em, wide = svg_legend_width(drawing);
    double high = (SVG_LEGEND_LINE * (double)plot->count + 0.4) * em;
    bool left = place == LEGEND_TOP_LEFT || place == LEGEND_BOTTOM_LEFT;
    bool top = place == LEGEND_TOP_LEFT || place == LEGEND_TOP_RIGHT;
    double x = left ? drawing->left + gap : drawing->right - gap - wide;
    double y = top ? drawing->top + gap : drawing->bottom - gap - high;
    text_addf(drawing->out,
              "<rect class=\"back\" fill-opacity=\"0.85\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
              "height=\"%.1f\"/>\n",
              x, y, wide, high);
    for (size_t i = 0; i < plot->count; i++)
        draw_entry(drawing, i, x + SVG_PAD * em, y + (SVG_LEGEND_LINE * (double)i + 1.3) * em,
                   wide - 2 * SVG_PAD * em);
}

static void draw_curve(const Drawing *drawing, size_t index)
{
    Text *out = drawing->out;
    CurvePoints points = {0};
    curve_points(drawing->plot->curves[index], &points);
    text_add(out, "<path class=\"");
    if (drawing->plot->dots)
        text_addf(out, "dot curve c%zu", index % COLOURS);
    else
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
    double gap = (drawing->right - drawing->left) / (double)plot->mark_count / drawing->em;
    double strength = gap < MANY_MARKS ? fmax(0.25, gap / MANY_MARKS) : 1;
    if (plot->mark_count == 0)
        return;
    text_add(out, plot->path ? "<g class=\"place\">\n" : "<path class=\"event\" d=\"");
    for (size_t i = 0; i < plot->mark_count; i++) {
        double x = place_x(drawing, plot->marks[i].x);
        if (isnan(x) || isnan(plot->marks[i].y))
            continue;
        if (plot->path)
            text_addf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.3g\"/>\n", x,
                      place_y(drawing, plot->marks[i].y), 0.25 * drawing->em);
        else
            text_addf(out, "M%.2f,%.1fV%.1f", x, drawing->top, drawing->bottom);
    }
    if (plot->path)
        text_add(out, "</g>\n");
    else
        text_addf(out, "\" stroke-opacity=\"%.2g\"/>\n", strength);
}

const char *svg_colour(size_t curve)
{
    return light[curve % COLOURS];
}

// Pixels stay as they are, however large they become.
static void draw_image(const Drawing *drawing)
{
    const SvgPlot *plot = drawing->plot;
    if (!plot->image)
        return;
    double left = place_x(drawing, plot->image_x.least), top = place_y(drawing, plot->image_y.most);
    text_addf(drawing->out,
              "<image x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
              "preserveAspectRatio=\"none\" "
              "style=\"image-rendering:optimizeSpeed;image-rendering:pixelated\" href=\"",
              left, top, place_x(drawing, plot->image_x.most) - left,
              place_y(drawing, plot->image_y.least) - top);
    text_add(drawing->out, plot->image);
    text_add(drawing->out, "\"/>\n");
}

// Ranges that are shaded, behind all else.
static void draw_bands(const Drawing *drawing)
{
    for (size_t i = 0; i < drawing->plot->band_count; i++) {
        double from = fmax(place_x(drawing, drawing->plot->bands[i].least), drawing->left);
        double to = fmin(place_x(drawing, drawing->plot->bands[i].most), drawing->right);
        if (to > from)
            text_addf(drawing->out,
                      "<rect class=\"band\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                      "height=\"%.1f\"/>\n",
                      from, drawing->top, to - from, drawing->bottom - drawing->top);
    }
}

// Values across that are marked; above the first panel they are labelled, as far as there is room.
static void draw_lines(const Drawing *drawing)
{
    double free = 0, em = drawing->em;
    for (size_t i = 0; i < drawing->plot->line_count; i++) {
        const SvgLine *line = &drawing->plot->lines[i];
        double x = place_x(drawing, line->x);
        if (x < drawing->left || x > drawing->right)
            continue;
        text_addf(drawing->out, "<path class=\"critical\" d=\"M%.2f,%.1fV%.1f\"/>\n", x,
                  drawing->top, drawing->bottom);
        double half = em * svg_text_width(line->label, strlen(line->label)) / 2;
        double at = fmin(fmax(x, half), drawing->width - half);
        if (drawing->panel == 0 && at - half > free) {
            add_label(drawing, at, drawing->top - 0.4 * em, "middle", line->label);
            free = at + half + 0.5 * em;
        }
    }
}

static void draw_panel(const Drawing *drawing)
{
    const SvgPlot *plot = drawing->plot;
    draw_bands(drawing);
    draw_grid(drawing);
    draw_image(drawing);
    draw_marks(drawing);
    draw_lines(drawing);
    for (size_t i = 0; i < plot->count; i++)
        if (svg_panel_of(drawing, i) == drawing->panel)
            draw_curve(drawing, i);
    text_addf(drawing->out,
              "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
              drawing->left, drawing->top, drawing->right - drawing->left,
              drawing->bottom - drawing->top);
    draw_ticks(drawing);
    draw_names(drawing);
}

static void begin_picture(const Drawing *drawing)
{
    const PlotStyle *style = drawing->plot->style;
    Text *out = drawing->out;
    text_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    if (style->width > 0)
        text_addf(out, " width=\"%s\" height=\"%s\"", style->size[0], style->size[1]);
    text_addf(out, " viewBox=\"0 0 %.6g %.6g\" role=\"img\">\n<title>", drawing->width,
              drawing->height);
    add_escaped(str_of(drawing->plot->about), out);
    text_add(out, "</title>\n");
    add_style(drawing);
    text_addf(out, "<rect class=\"back\" width=\"%.6g\" height=\"%.6g\"/>\n", drawing->width,
              drawing->height);
}

void svg_write(const SvgPlot *plot, Text *out)
{
    assert(plot->style && (plot->curves || plot->count == 0));
    Drawing drawing = {.plot = plot, .out = out};
    svg_lay_out(&drawing);
    begin_picture(&drawing);
    for (size_t i = 0; i < drawing.panel_count; i++) {
        svg_take_panel(&drawing, i);
        draw_panel(&drawing);
    }
    svg_take_panel(&drawing, 0);
    draw_title(&drawing);
    if (svg_legend_inside(plot))
        draw_legend_inside(&drawing);
    else
        draw_legend_above(&drawing);
    text_add(out, "</svg>\n");
}
