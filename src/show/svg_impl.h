// svg_impl.h: a picture of curves.
#ifndef ZWANG_SHOW_SVG_IMPL_H
#define ZWANG_SHOW_SVG_IMPL_H

#include "show/plot_style_impl.h"

enum { SVG_MOST_PANELS = 4 };

typedef struct {
    double x;
    const char *label;
} SvgLine;

typedef struct {
    const char *about;        // what it is, for those who cannot see it
    const char *title;        // "": none
    const char *across;       // the name of the axis across
    const char *axis;         // of the axis up; NULL: that of a curve that is alone
    const char *const *names; // of the curves
    Curve *const *curves;
    size_t count;
    bool path; // one curve, which goes anywhere
    bool dots; // curves are single points
    // Events: times, or the places of a path.
    const CurvePoint *marks;
    size_t mark_count;
    const PlotStyle *style;
    CurveRange across_range, up_range; // NAN: as the curves are
    // Panels below each other, with an axis up of their own: the panel of each curve, or NULL where
    // all are in one, and what is written at their axes.
    const size_t *panels;
    size_t panel_count;
    const char *const *panel_axes;
    // Values across that are marked and labelled, and ranges that are shaded.
    const SvgLine *lines;
    size_t line_count;
    const CurveRange *bands;
    size_t band_count;
    bool across_log, up_log;     // the curves are logarithms
    const char *image;           // behind the curves, "data:image/png;base64,…", or NULL;
    CurveRange image_x, image_y; // where it lies
    const char *const *fills;    // colours of cells, that names are of; NULL: names are of curves
} SvgPlot;
const char *svg_colour(size_t curve); // on light paper, "#0072b2"
void svg_write(const SvgPlot *plot, Text *out);
// ---- svg_layout.c
// An error where what is to be written at it does not fit into its size.
BASE_MUST_USE Status svg_check_size(const SvgPlot *plot, Diag *diag);

#endif
