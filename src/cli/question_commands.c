// question_commands.c: commands that ask a model something: derive, check, at, fit, stability,
// export.
#include "cli/commands_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int cli_derive(const CliWords *words)
{
    zw_format format;
    zw_model *model;
    zw_result *result = NULL;
    if (!cli_read_format(words, true, &format))
        return ZW_WRONG;
    zw_status status = cli_open_model(words, &model);
    if (status == ZW_DONE)
        status =
            zw_derive(model,
                      &(zw_derive_options){.forms = words->values[OPTION_FORM],
                                           .as = format,
                                           .naive = words->values[OPTION_NAIVE] != NULL,
                                           .steps = words->values[OPTION_STEPS] != NULL,
                                           .reactions = words->values[OPTION_REACTIONS] != NULL,
                                           .expand = words->values[OPTION_EXPAND] != NULL},
                      &result);
    return cli_finish(model, status, format, result);
}

int cli_check(const CliWords *words)
{
    zw_format format;
    zw_model *model;
    zw_result *result = NULL;
    const char *file = words->values[OPTION_EQUATIONS];
    bool equations = words->equation_count > 0 || file;
    if (!cli_read_format(words, false, &format))
        return ZW_WRONG;
    if (equations && words->values[OPTION_ONLY])
        return cli_wrong("--only names questions about the system; ask about equations without it");
    zw_status status = cli_open_model(words, &model);
    if (status == ZW_DONE && equations)
        status = zw_equations(model,
                              &(zw_equation_options){.equations = words->equations,
                                                     .count = words->equation_count,
                                                     .file = file,
                                                     .as = format},
                              &result);
    else if (status == ZW_DONE)
        status = zw_check(
            model, &(zw_check_options){.only = words->values[OPTION_ONLY], .as = format}, &result);
    return cli_finish(model, status, format, result);
}

int cli_at(const CliWords *words)
{
    zw_format format;
    zw_model *model;
    zw_result *result = NULL;
    zw_at_options options = {.steps = words->values[OPTION_STEPS] != NULL};
    if (words->values[OPTION_TO] && !words->values[OPTION_TIME])
        return cli_wrong("'zwang at' takes --to with --time: the end of the run that is followed");
    if (!cli_read_format(words, false, &format) || !cli_read_digits(words, &options.digits))
        return ZW_WRONG;
    options.as = format;
    zw_status status = cli_open_model(words, &model);
    if (status == ZW_DONE)
        status = cli_read_number(model, words, OPTION_TIME, "--time", &options.time);
    if (status == ZW_DONE)
        status = cli_read_number(model, words, OPTION_TO, "--to", &options.to);
    if (words->values[OPTION_TIME] && isnan(options.time))
        options.time = 0; // the start
    if (status == ZW_DONE)
        status = zw_at(model, &options, &result);
    return cli_finish(model, status, format, result);
}

int cli_fit(const CliWords *words)
{
    zw_format format;
    zw_model *model;
    zw_result *result = NULL;
    if (!cli_read_format(words, false, &format))
        return ZW_WRONG;
    zw_fit_options options = {.data = words->data,
                              .data_count = words->data_count,
                              .vary = words->values[OPTION_FIT_VARY],
                              .initial = words->values[OPTION_INITIAL],
                              .use = words->values[OPTION_USE],
                              .sigma = words->values[OPTION_SIGMA],
                              .loss = words->values[OPTION_LOSS],
                              .out = words->values[OPTION_OUT],
                              .method = words->values[OPTION_METHOD],
                              .as = format};
    zw_status status = cli_open_model(words, &model);
    if (status == ZW_DONE)
        status = cli_read_number(model, words, OPTION_TOLERANCE, "--tolerance", &options.tolerance);
    if (status == ZW_DONE)
        status = zw_fit(model, &options, &result);
    return cli_finish(model, status, format, result);
}

static bool read_stability_options(const CliWords *words, const CliStyles *styles,
                                   zw_stability_options *options)
{
    const char *as = words->values[OPTION_AS];
    *options = (zw_stability_options){.at = words->values[OPTION_AT],
                                      .vary = words->values[OPTION_VARY],
                                      .inputs = words->values[OPTION_INPUTS],
                                      .root_locus = words->values[OPTION_ROOT_LOCUS] != NULL,
                                      .slow = words->values[OPTION_SLOW] != NULL};
    if (words->plot_count > 1)
        return cli_wrong("'zwang stability' draws one picture; give --plot once"), false;
    options->plot = words->plot_count ? words->plots[0] : NULL;
    options->plot_style = styles ? styles->styles : NULL;
    options->as = !as || strcmp(as, "text") == 0 ? ZW_TEXT
                  : strcmp(as, "json") == 0      ? ZW_JSON
                                                 : ZW_CSV;
    if (options->as == ZW_CSV && strcmp(as, "csv") != 0)
        return cli_wrong("unknown format '%s'; there are text, json and csv", as), false;
    return cli_read_digits(words, &options->digits);
}

int cli_stability(const CliWords *words)
{
    zw_stability_options options;
    zw_model *model;
    CliStyles *styles;
    zw_result *result = NULL;
    if (!cli_plot_styles(words, &styles))
        return ZW_WRONG;
    if (!read_stability_options(words, styles, &options))
        return free(styles), ZW_WRONG;
    zw_status status = cli_open_model(words, &model);
    if (status == ZW_DONE)
        status = zw_stability(model, &options, &result);
    free(styles);
    return cli_finish(model, status, options.as, result);
}

int cli_export(const CliWords *words)
{
    zw_model *model;
    zw_result *result = NULL;
    zw_export_options options = {.to = words->values[OPTION_TO],
                                 .forms = words->values[OPTION_FORM],
                                 .fixed = words->values[OPTION_FIXED] != NULL,
                                 .velocities = words->values[OPTION_VELOCITIES] != NULL,
                                 .smooth = words->values[OPTION_SMOOTH] != NULL,
                                 .sources_only = words->values[OPTION_SOURCES_ONLY] != NULL,
                                 .out = words->values[OPTION_OUT]};
    zw_status status = cli_open_model(words, &model);
    if (status == ZW_DONE)
        status = zw_export(model, &options, &result);
    // The report is the code, but an FMU is always a file.
    bool direct = (!options.out || strcmp(options.out, "-") == 0) &&
                  !(options.to && strcmp(options.to, "fmu") == 0);
    return cli_finish(model, status, direct ? ZW_JSON : ZW_TEXT, result);
}
