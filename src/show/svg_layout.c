// svg_layout.c: where everything in a picture stands, so that nothing written lies over another
// thing, whatever the size of the picture and its letters.
//
// A picture does not know the reader's font. Widths are those of common ones, rather more than
// less.
#include "show/svg_layout_impl.h"

#include "show/axes_impl.h"
#include "show/curve_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// A picture without a size of its own.
#define WIDTH       720.0
#define PLOT_HEIGHT 400.0
// Of each of several panels, and between them, the latter in letters' sizes.
#define SEVERAL_HEIGHT 220.0
#define PANEL_GAP      1.9
#define LETTERS        14.0

#define MARGIN     0.04 // of the range, beside the curves
#define MOST_TICKS 8.0
// Ranges of a path that differ by less than this factor are drawn to one scale.
#define ALIKE 4.0
// The least plot, and what the numbers at the axis up take at most, in letters' sizes.
#define LEAST_WIDE   6.0
#define LEAST_HIGH   4.0
#define WIDEST_LABEL 5.0

// ---- Widths.

static double letter_width(unsigned char c)
{
    if (c >= 0x80)
        return (c & 0xC0) == 0x80 ? 0 : 0.62;
    if (strchr("ijl.,:;'|!()[] ftI", c))
        return 0.36;
    if (strchr("mwMW@%", c))
        return 0.9;
    return c >= 'A' && c <= 'Z' ? 0.68 : 0.58;
}

double svg_text_width(const char *text, size_t length)
{
    double width = 0;
    for (size_t i = 0; i < length; i++)
        width += letter_width((unsigned char)text[i]);
    return width;
}

static double width_of(const Drawing *drawing, const char *text)
{
    return drawing->em * svg_text_width(text, strlen(text));
}

// ---- The title, in lines.

static void break_title(Drawing *drawing)
{
    const char *at = drawing->plot->title;
    double room = (drawing->width / drawing->em - 2 * SVG_PAD) / SVG_BOLD;
    drawing->title_lines = 0;
    while (*at && drawing->title_lines < SVG_TITLE_LINES) {
        size_t length = strlen(at), next = 0;
        bool last = drawing->title_lines + 1 == SVG_TITLE_LINES;
        // As many words as there is room for, and one in any case.
        for (size_t i = 1; i <= length && !last; i++)
            if ((at[i] == ' ' || !at[i]) && (next == 0 || svg_text_width(at, i) <= room))
                next = i;
        size_t taken = last ? length : next;
        drawing->title[drawing->title_lines++] = (Str){at, taken};
        at += taken;
        while (*at == ' ')
            at++;
    }
}

// ---- The legend.

bool svg_legend_inside(const SvgPlot *plot)
{
    return plot->count > 1 && plot->style->legend > LEGEND_NONE;
}

LegendPosition svg_legend_position(const Drawing *drawing, size_t curve)
{
    assert(curve < drawing->plot->count);
    const SvgPlot *plot = drawing->plot;
    LegendPosition spot = {drawing->left, 1};
    if (plot->count < 2 || plot->style->legend != LEGEND_ABOVE)
        return (LegendPosition){0, 0};
    for (size_t i = 0;; i++) {
        double wide = (SVG_KEY + SVG_KEY_GAP) * drawing->em + width_of(drawing, plot->names[i]);
        if (spot.x > drawing->left && spot.x + wide > drawing->right)
            spot = (LegendPosition){drawing->left, spot.line + 1};
        if (i == curve)
            return spot;
        spot.x += wide + SVG_ENTRY_GAP * drawing->em;
    }
}

double svg_legend_width(const Drawing *drawing)
{
    double widest = 0;
    for (size_t i = 0; i < drawing->plot->count; i++)
        widest = fmax(widest, width_of(drawing, drawing->plot->names[i]));
    widest += (SVG_KEY + SVG_KEY_GAP + 2 * SVG_PAD) * drawing->em;
    return fmin(widest, 0.6 * (drawing->right - drawing->left));
}

static size_t legend_lines(const Drawing *drawing)
{
    return drawing->plot->count ? svg_legend_position(drawing, drawing->plot->count - 1).line : 0;
}

// ---- The axes.

size_t svg_panel_of(const Drawing *drawing, size_t curve)
{
    return drawing->panel_count > 1 ? drawing->plot->panels[curve] : 0;
}

enum { ALL_PANELS = SVG_MOST_PANELS };

static CurveRange range_of_all(const Drawing *drawing, size_t panel,
                               CurveRange (*range_of)(const Curve *))
{
    const SvgPlot *plot = drawing->plot;
    CurveRange all = {NAN, NAN};
    for (size_t i = 0; i < plot->count; i++) {
        if (panel != ALL_PANELS && svg_panel_of(drawing, i) != panel)
            continue;
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

// A path keeps its shape where its two ranges are alike, and nobody asked for others.
static void make_scales_equal(Drawing *drawing)
{
    const SvgPlot *plot = drawing->plot;
    Axis *across = &drawing->across, *up = &drawing->up;
    double wide = across->high - across->low, high = up->high - up->low;
    bool asked = !isnan(plot->across_range.least) || !isnan(plot->up_range.least) ||
                 plot->across_log || plot->up_log;
    if (!plot->path || asked || wide > ALIKE * high || high > ALIKE * wide)
        return;
    double ratio = (drawing->right - drawing->left) / (drawing->bottom - drawing->top);
    if (wide < ratio * high)
        axis_widen(across, ratio * high);
    else
        axis_widen(up, wide / ratio);
}

static void show_axis(Axis *axis, bool log, double ticks)
{
    size_t count = (size_t)fmax(2, fmin(ticks, MOST_TICKS));
    if (log)
        axis_set_log_range(axis, axis->low, axis->high, count);
    else
        axis_set_range(axis, axis->low, axis->high, count);
}

static double widest_tick(const Drawing *drawing, const Axis *axis)
{
    double widest = 0;
    for (size_t i = 0; i < axis_tick_count(axis); i++) {
        Text label = {0};
        axis_tick_text(axis, axis_tick(axis, i), &label);
        widest = fmax(widest, width_of(drawing, label.at));
        text_clear(&label);
    }
    return widest;
}

static bool has_rest(const Axis *axis)
{
    Text rest = {0};
    axis_factor_text(axis, &rest);
    bool any = rest.length > 0;
    text_clear(&rest);
    return any;
}

// As many numbers as stand beside each other; on a logarithmic axis some are nearer than others.
static void show_across(Drawing *drawing)
{
    bool log = drawing->plot->across_log;
    double room = (drawing->right - drawing->left) / (log ? 1.6 : 1), ticks = MOST_TICKS;
    show_axis(&drawing->across, log, ticks);
    while (ticks > 2 && (widest_tick(drawing, &drawing->across) + 0.8 * drawing->em) * ticks > room)
        show_axis(&drawing->across, log, --ticks);
}

// ---- Everything.

static void take_margins(Drawing *drawing)
{
    double em = drawing->em;
    drawing->left = (SVG_PAD + (drawing->axis ? 1.6 : 0) + 0.5) * em;
    drawing->right = drawing->width - (SVG_PAD + 0.5) * em;
    drawing->top = (SVG_PAD + SVG_TITLE_LINE * (double)drawing->title_lines) * em;
    drawing->bottom = drawing->height - 3.6 * em;
}

static void begin(Drawing *drawing)
{
    const SvgPlot *plot = drawing->plot;
    const PlotStyle *style = plot->style;
    drawing->width = style->width > 0 ? style->width : WIDTH;
    drawing->height = style->height;
    drawing->em = style->font > 0 ? style->font : LETTERS;
    drawing->panel_count = plot->panels && plot->panel_count > 1 ? plot->panel_count : 1;
    drawing->axis = plot->axis                 ? plot->axis
                    : drawing->panel_count > 1 ? plot->panel_axes[0]
                    : plot->count == 1         ? plot->names[0]
                                               : NULL;
    if (drawing->axis && !*drawing->axis)
        drawing->axis = NULL;
    break_title(drawing);
    take_margins(drawing);
}

// The axis up of a panel, with so many ticks.
static void show_up(Drawing *drawing, size_t panel, double ticks)
{
    const SvgPlot *plot = drawing->plot;
    Axis *up = &drawing->panels[panel].up;
    *up = axis_around(range_of_all(drawing, panel, curve_range_y), MARGIN);
    if (!isnan(plot->up_range.least))
        *up = axis_around(plot->up_range, 0);
    show_axis(up, plot->up_log, ticks);
}

// The height of a panel of a picture without a size.
static double panel_height(const Drawing *drawing)
{
    return drawing->panel_count > 1 ? SEVERAL_HEIGHT : PLOT_HEIGHT;
}

void svg_take_panel(Drawing *drawing, size_t panel)
{
    drawing->panel = panel;
    drawing->up = drawing->panels[panel].up;
    drawing->top = drawing->panels[panel].top;
    drawing->bottom = drawing->panels[panel].bottom;
    drawing->axis = drawing->panels[panel].axis;
}

// Panels share the height, with room for what is said once above each axis.
static void share_height(Drawing *drawing)
{
    double count = (double)drawing->panel_count, gap = PANEL_GAP * drawing->em;
    double each = (drawing->bottom - drawing->top - (count - 1) * gap) / count;
    for (size_t i = 0; i < drawing->panel_count; i++) {
        drawing->panels[i].top = drawing->top + (double)i * (each + gap);
        drawing->panels[i].bottom = drawing->panels[i].top + each;
        drawing->panels[i].axis =
            i == 0 || drawing->plot->axis ? drawing->axis : drawing->plot->panel_axes[i];
    }
}

void svg_lay_out(Drawing *drawing)
{
    const SvgPlot *plot = drawing->plot;
    Axis *across = &drawing->across;
    begin(drawing);
    *across =
        axis_around(range_of_all(drawing, ALL_PANELS, curve_range_x), plot->path ? MARGIN : 0);
    if (!isnan(plot->across_range.least))
        *across = axis_around(plot->across_range, 0);
    // Where panels would be too low, all is in one.
    double room = drawing->height > 0 ? drawing->bottom - drawing->top : INFINITY;
    if (room / (double)drawing->panel_count < 2 * LEAST_HIGH * drawing->em)
        drawing->panel_count = 1;
    room = drawing->height > 0 ? room / (double)drawing->panel_count : panel_height(drawing);
    double ticks = room / (2.4 * drawing->em), widest = 0;
    bool rest = false;
    for (size_t i = 0; i < drawing->panel_count; i++) {
        show_up(drawing, i, ticks);
        widest = fmax(widest, widest_tick(drawing, &drawing->panels[i].up));
        rest = rest || has_rest(&drawing->panels[i].up);
    }
    drawing->left += widest;
    drawing->top += (SVG_LEGEND_LINE * (double)legend_lines(drawing) +
                     (rest || plot->line_count > 0 ? 1.5 : 0.3)) *
                    drawing->em;
    if (drawing->height == 0) {
        double below = -drawing->bottom, count = (double)drawing->panel_count; // counted from 0
        drawing->bottom =
            drawing->top + count * panel_height(drawing) + (count - 1) * PANEL_GAP * drawing->em;
        drawing->height = drawing->bottom + below;
    }
    share_height(drawing);
    svg_take_panel(drawing, 0);
    make_scales_equal(drawing);
    drawing->panels[0].up = drawing->up;
    for (size_t i = 0; i < drawing->panel_count; i++)
        show_axis(&drawing->panels[i].up, plot->up_log,
                  (drawing->panels[i].bottom - drawing->panels[i].top) / (2.4 * drawing->em));
    svg_take_panel(drawing, 0);
    show_across(drawing);
}

Status svg_check_size(const SvgPlot *plot, Diag *diag)
{
    Drawing drawing = {.plot = plot};
    const PlotStyle *style = plot->style;
    begin(&drawing);
    drawing.left += WIDEST_LABEL * drawing.em;
    drawing.top += (SVG_LEGEND_LINE * (double)legend_lines(&drawing) + 1.5) * drawing.em;
    double inside = svg_legend_inside(plot) ? SVG_LEGEND_LINE * ((double)plot->count + 1) : 0;
    double lacks_wide = LEAST_WIDE * drawing.em - (drawing.right - drawing.left);
    double lacks_high = fmax(LEAST_HIGH, inside) * drawing.em - (drawing.bottom - drawing.top);
    if (style->width == 0 || (lacks_wide <= 0 && lacks_high <= 0))
        return STATUS_OK;
    return diag_error(diag, place_hint(HINT_PLOT_SIZE),
                      "%s by %s is too small for what is written at the plot; it needs about %.0f "
                      "by %.0f mm, or smaller letters, no title or no legend",
                      style->size[0], style->size[1],
                      ceil((style->width + fmax(lacks_wide, 0)) * 25.4 / 96),
                      ceil((style->height + fmax(lacks_high, 0)) * 25.4 / 96));
}
