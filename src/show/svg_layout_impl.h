// svg_layout_impl.h: where everything in a picture stands.
#ifndef ZWANG_SHOW_SVG_LAYOUT_IMPL_H
#define ZWANG_SHOW_SVG_LAYOUT_IMPL_H

#include "show/axes_impl.h"
#include "show/svg_impl.h"

// Lengths in parts of the letters' size.
#define SVG_PAD         0.7                // around all
#define SVG_TITLE       1.15               // the size of the title's letters
#define SVG_BOLD        (1.15 * SVG_TITLE) // the same as it widens: it is bold
#define SVG_TITLE_LINE  1.5
#define SVG_LEGEND_LINE 1.5
#define SVG_KEY         2.0 // the piece of line before a name
#define SVG_KEY_GAP     0.45
#define SVG_ENTRY_GAP   1.3

enum { SVG_TITLE_LINES = 3 };

typedef struct {
    const SvgPlot *plot;
    double em;            // the size of the letters
    double width, height; // of the picture
    Axis across;
    double left, right; // of the plot
    // Of the panel that is drawn, and of all of them.
    size_t panel, panel_count;
    Axis up;
    double top, bottom;
    const char *axis; // the name at the axis up, or NULL
    struct {
        Axis up;
        double top, bottom;
        const char *axis;
    } panels[SVG_MOST_PANELS];
    Str title[SVG_TITLE_LINES]; // its lines
    size_t title_lines;
    Text *out;
} Drawing;

// The width of a text, about, in parts of the letters' size.
double svg_text_width(const char *text, size_t length);

// Everything gets its place; then the first panel is the one that is drawn.
void svg_lay_out(Drawing *drawing);
void svg_take_panel(Drawing *drawing, size_t panel);
size_t svg_panel_of(const Drawing *drawing, size_t curve);

// The names of the curves above the plot, one after the other, in lines: where each stands. The
// line is 0 where there are none.
typedef struct {
    double x;
    size_t line;
} LegendPosition;
LegendPosition svg_legend_position(const Drawing *drawing, size_t curve);
// Whether they stand in a corner of the plot, a line each, in a box of this width.
bool svg_legend_inside(const SvgPlot *plot);
double svg_legend_width(const Drawing *drawing);

#endif
