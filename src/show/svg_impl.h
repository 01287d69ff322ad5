// svg_impl.h: a picture of curves.
#ifndef ZWANG_SHOW_SVG_IMPL_H
#define ZWANG_SHOW_SVG_IMPL_H

#include "show/plot_style_impl.h"

typedef struct {
    const char *about;        // what it is, for those who cannot see it
    const char *title;        // "": none
    const char *across;       // the name of the axis across
    const char *axis;         // of the axis up; NULL: that of a curve that is alone
    const char *const *names; // of the curves
    Curve *const *curves;
    size_t count;
    bool path; // one curve, which goes anywhere
    // Events: times, or the places of a path.
    const CurvePoint *marks;
    size_t mark_count;
    const PlotStyle *style;
    CurveRange across_range, up_range; // NAN: as the curves are
    bool across_log, up_log;           // the curves are logarithms
} SvgPlot;
void svg_write(const SvgPlot *plot, Text *out);
// ---- svg_layout.c
// An error where what is to be written at it does not fit into its size.
BASE_MUST_USE Status svg_check_size(const SvgPlot *plot, Diag *diag);

#endif
