// stability_plot.c: the eigenvalues over what is varied, drawn: real and imaginary parts.
#include "show/curve_impl.h"
#include "show/file_impl.h"
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
    fputs(text.at, file.stream);
    text_clear(&text);
    return show_file_close(&file, true, diag);
}

static Status draw(const char *title, const ShowStability *stability, const char *path,
                   const PlotStyle *style, Branch *branches, size_t count, Diag *diag)
{
    const InquiryCurve *curve = stability->curve;
    const char *names[MOST_BRANCHES] = {0};
    Curve *curves[MOST_BRANCHES] = {0};
    Text across = {0};
    show_name(stability->varied, &across);
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
    for (size_t j = 0; j < count; j++) {
        names[j] = style->names[j + 1].label ? style->names[j + 1].label : branches[j].name;
        curves[j] = branches[j].curve = curve_new(CURVE_GRAPH);
        curve_set_window(curves[j], plot.across_range, plot.up_range);
        for (size_t i = 0; i < curve->count; i++)
            curve_add(curves[j], curve->values[i], branches[j].parts[i * curve->size]);
    }
    Status status = write_plot(&plot, path, diag);
    text_clear(&across);
    return status;
}

Status show_stability_plot(const Show *show, const ShowStability *stability, const char *path,
                           const ShowPlotStyle *wanted, Diag *diag)
{
    assert(stability->curve && stability->varied && path);
    Branch branches[MOST_BRANCHES] = {0};
    const char *names[MOST_BRANCHES + 1] = {stability->varied}, *dot = strrchr(path, '.');
    if (!dot || strcmp(dot, ".svg") != 0)
        return diag_error(diag, place_hint(HINT_PLOT),
                          "'%s' is no place for a plot: name a file that ends in .svg", path);
    size_t count = find_branches(stability->curve, branches);
    if (count > MOST_BRANCHES) {
        count = MOST_BRANCHES;
        diag_add(diag, DIAG_NOTE, place_hint(HINT_AS),
                 "'%s' shows the first %d branches; CSV holds all of them", path, MOST_BRANCHES);
    }
    for (size_t i = 0; i < count; i++)
        names[i + 1] = branches[i].name;
    PlotStyle style;
    Text title = {0};
    text_addf(&title, "%s: eigenvalues", show->motion->model->name);
    Status status = plot_style_read(wanted, names, count + 1, diag, &style);
    if (status == STATUS_OK) {
        status = draw(title.at, stability, path, &style, branches, count, diag);
        plot_style_clear(&style);
    }
    for (size_t i = 0; i < count; i++) {
        base_free(branches[i].name);
        curve_free(branches[i].curve);
    }
    text_clear(&title);
    return status;
}
