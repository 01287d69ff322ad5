// plots.c: which of the options --plot-… each picture has.
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

// Where the value of an option goes; NULL for labels, of which there are several.
static const char **place_of(zw_plot_style *style, int option)
{
    switch (option) {
    case OPTION_PLOT_SIZE: return &style->extent;
    case OPTION_PLOT_FONT: return &style->font;
    case OPTION_PLOT_TITLE: return &style->title;
    case OPTION_PLOT_AXIS: return &style->axis;
    case OPTION_PLOT_LEGEND: return &style->legend;
    case OPTION_PLOT_RANGE: return &style->range;
    case OPTION_PLOT_LOG: return &style->log;
    case OPTION_PLOT_WRAP: return &style->wrap;
    case OPTION_PLOT_POINTS: return &style->points;
    case OPTION_PLOT_COLOURS: return &style->colours;
    default: return NULL;
    }
}

// What is said for one picture comes after what is said for all, and replaces it.
static size_t dress(const CliWords *words, size_t plot, const char **labels, zw_plot_style *style)
{
    size_t count = 0;
    for (int own = 0; own < 2; own++)
        for (size_t i = 0; i < words->dress_count; i++) {
            const CliDress *word = &words->dress[i];
            const char **place = place_of(style, word->option);
            if (word->plot != (own ? plot + 1 : 0))
                continue;
            if (place)
                *place = word->value;
            else
                labels[count++] = word->value;
        }
    style->labels = labels;
    style->label_count = count;
    return count;
}

bool cli_plot_styles(const CliWords *words, CliStyles **out)
{
    *out = NULL;
    if (words->dress_count == 0)
        return true;
    if (words->plot_count == 0)
        return cli_wrong("there is no --plot that an option --plot-… could be for; for example "
                         "--plot x,y:FILE.svg"),
               false;
    size_t labels = words->plot_count * words->dress_count;
    CliStyles *styles = cli_alloc(sizeof *styles + labels * sizeof *styles->labels);
    for (size_t i = 0, at = 0; i < words->plot_count; i++) {
        at += dress(words, i, styles->labels + at, &styles->styles[i]);
        styles->each[i] = &styles->styles[i];
    }
    *out = styles;
    return true;
}
