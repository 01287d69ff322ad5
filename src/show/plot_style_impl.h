// plot_style_impl.h: how a picture is to look.
#ifndef ZWANG_SHOW_PLOT_STYLE_IMPL_H
#define ZWANG_SHOW_PLOT_STYLE_IMPL_H

#include "show/curve_impl.h"
#include "show/show.h"

#define SVG_PLACE(NAME, word) NAME,
typedef enum {
#include "show/legend_places.def"
    LEGEND_PLACES
} LegendPlace;
#undef SVG_PLACE
typedef enum { COLOURS_AUTO, COLOURS_LIGHT, COLOURS_DARK } PlotColours;
typedef struct {
    char *label;      // in the place of its name; NULL
    CurveRange range; // of its axis; NAN where it follows from the curves
    bool log;
    bool wraps;  // an angle, shown between −π and π
    double unit; // that it is shown in; 0: as it is
} PlotName;
typedef struct {
    double width, height; // pixels, 96 an inch; 0: as they need to be
    char size[2][32];     // the same as they were given: "86mm"
    double font;          // its size in pixels; 0: as it fits the picture
    char *family;         // NULL: the reader's
    char *title, *axis;   // NULL: none was given
    char *points;         // the event at which there are dots; NULL
    LegendPlace legend;
    PlotColours colours;
    PlotName *names; // of what can be named
    size_t count;
} PlotStyle;
// `names` are what labels, ranges and logarithms may speak of. On an error nothing is to be
// cleared. `wanted` may be NULL.
BASE_MUST_USE Status plot_style_read(const ShowPlotStyle *wanted, const char *const *names,
                                     size_t count, Diag *diag, PlotStyle *style);
void plot_style_clear(PlotStyle *style);
// The number that is drawn for a value: itself, or its logarithm.
double plot_scaled(const PlotName *name, double value);

#endif
