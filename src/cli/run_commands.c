// run_commands.c: commands that follow motions: run, sweep, view.
#include "cli/commands_impl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The command line, to be typed again: words with anything but plain characters in quotes.
static char *command_line(const CliWords *words)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=.,:/@%";
    size_t bytes = sizeof "zwang";
    for (int i = 0; i < words->count; i++)
        bytes += 4 * strlen(words->all[i]) + 3;
    char *line = cli_alloc(bytes), *at = stpcpy(line, "zwang");
    for (int i = 0; i < words->count; i++) {
        const char *word = words->all[i];
        bool quoted = !*word || word[strspn(word, plain)];
        at = stpcpy(at, quoted ? " '" : " ");
        for (; *word; word++)
            at = *word == '\'' ? stpcpy(at, "'\\''") : stpcpy(at, (char[]){*word, '\0'});
        at = stpcpy(at, quoted ? "'" : "");
    }
    return line;
}

static zw_status read_run_numbers(zw_model *model, const CliWords *words, zw_run_options *options)
{
    zw_status status = cli_read_number(model, words, OPTION_TO, "--to", &options->to);
    if (status == ZW_DONE)
        status = cli_read_number(model, words, OPTION_EVERY, "--every", &options->every);
    if (status == ZW_DONE)
        status =
            cli_read_number(model, words, OPTION_TOLERANCE, "--tolerance", &options->tolerance);
    if (status == ZW_DONE)
        status = cli_read_number(model, words, OPTION_STEP, "--step", &options->step);
    return status;
}

static bool read_run_options(const CliWords *words, zw_run_options *options)
{
    *options = (zw_run_options){0};
    options->residuals = words->values[OPTION_RESIDUALS] != NULL;
    options->no_watch = words->values[OPTION_NO_WATCH] != NULL;
    options->fixed = words->values[OPTION_FIXED] != NULL;
    options->paradox = words->values[OPTION_PARADOX];
    options->until = words->values[OPTION_UNTIL];
    options->sensitivity = words->values[OPTION_SENSITIVITY];
    options->integrals = words->values[OPTION_INTEGRALS] != NULL;
    options->audit = words->values[OPTION_AUDIT] != NULL;
    options->out = words->values[OPTION_OUT];
    options->rows = words->values[OPTION_ROWS];
    options->events = words->values[OPTION_EVENTS];
    options->checkpoint = words->values[OPTION_CHECKPOINT];
    options->resume = words->values[OPTION_RESUME];
    if (words->values[OPTION_CHECKPOINT_EVERY] && !options->checkpoint)
        return cli_wrong("--checkpoint-every goes with --checkpoint FILE"), false;
    options->form = words->values[OPTION_FORM];
    options->method = words->values[OPTION_METHOD];
    options->plots = words->plots;
    options->picture = words->values[OPTION_PICTURE];
    options->plot_count = words->plot_count;
    options->engine = words->values[OPTION_ENGINE];
    const char *branch = words->values[OPTION_BRANCH];
    options->branches = branch && strchr(branch, ':') ? branch : NULL;
    const char *seconds = words->values[OPTION_CHECKPOINT_EVERY];
    if (seconds && !cli_is_number(seconds, &options->checkpoint_every))
        return cli_wrong("--checkpoint-every '%s' is not a number", seconds), false;
    if (seconds && options->checkpoint_every == 0)
        options->checkpoint_every = NAN; // 0 would be what was not given
    return cli_read_digits(words, &options->digits);
}

int cli_run(const CliWords *words)
{
    zw_run_options options;
    CliStyles *styles;
    if (!read_run_options(words, &options) || !cli_plot_styles(words, &styles))
        return ZW_WRONG;
    options.plot_styles = styles ? styles->each : NULL;
    zw_model *model;
    zw_result *result = NULL;
    bool quiet = words->values[OPTION_QUIET] != NULL;
    CliProgress progress = cli_progress_begin(!quiet);
    char *command = command_line(words);
    options.command = command;
    options.progress = cli_show_progress;
    options.context = &progress;
    cli_listen_to_signals();
    zw_status status = cli_open_model(words, &model);
    if (status == ZW_DONE)
        status = read_run_numbers(model, words, &options);
    if (status == ZW_DONE)
        status = zw_run(model, &options, &result);
    cli_progress_end(&progress);
    free(command);
    free(styles);
    // A warning says that something may be wrong; nobody asked not to hear that.
    cli_tell(model, quiet ? ZW_WARNING : ZW_NOTE);
    if (cli_is_interrupted() && status == ZW_NEGATIVE && !cli_limit_reached())
        cli_print(stderr, options.out || options.events || options.plot_count || options.picture
                              ? "zwang: interrupted; what was reached has been written\n"
                              : "zwang: interrupted\n");
    // Rows or events are alone on stdout where they were asked for there.
    bool taken = (options.out && strcmp(options.out, "-") == 0) ||
                 (options.events && strcmp(options.events, "-") == 0);
    if (result && !quiet)
        cli_print(taken ? stderr : stdout, zw_result_text(result));
    zw_result_free(result);
    return cli_finish(model, status, ZW_TEXT, NULL);
}

// ---- Sweeps.

// A whole number from 0 on; false where it is none.
static bool read_count(const CliWords *words, CliOption option, const char *name,
                       unsigned long long least, unsigned long long *count)
{
    const char *text = words->values[option];
    char *end;
    if (!text)
        return true;
    errno = 0;
    *count = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *count >= least)
        return true;
    cli_wrong("%s %s: it is a whole number, %llu or more", name, text, least);
    return false;
}

static bool read_sweep_options(const CliWords *words, zw_sweep_options *options)
{
    unsigned long long samples = 0, threads = 0;
    *options = (zw_sweep_options){.vary = words->axes,
                                  .vary_count = words->axis_count,
                                  .zip = words->values[OPTION_ZIP] != NULL,
                                  .keep = words->values[OPTION_KEEP],
                                  .out = words->values[OPTION_OUT],
                                  .resume = words->values[OPTION_GO_ON] != NULL,
                                  .allow_failures = words->values[OPTION_ALLOW_FAILURES] != NULL,
                                  .device = words->values[OPTION_DEVICE],
                                  .ranks = true};
    if (!read_count(words, OPTION_SAMPLES, "--samples", 1, &samples) ||
        !read_count(words, OPTION_THREADS, "--threads", 1, &threads) ||
        !read_count(words, OPTION_SEED, "--seed", 0, &options->seed))
        return false;
    options->samples = (size_t)samples;
    options->threads = (size_t)threads;
    const char *limit = words->values[OPTION_LIMIT_EACH];
    if (limit && (!cli_is_number(limit, &options->limit_each) || options->limit_each <= 0))
        return cli_wrong("--limit-each %s: it is a number of seconds, above 0", limit), false;
    return true;
}

int cli_sweep(const CliWords *words)
{
    zw_sweep_options options;
    zw_run_options run;
    CliStyles *styles;
    if (!read_sweep_options(words, &options) || !read_run_options(words, &run) ||
        !cli_plot_styles(words, &styles))
        return ZW_WRONG;
    options.plots = words->plots;
    options.plot_count = words->plot_count;
    options.plot_styles = styles ? styles->each : NULL;
    zw_model *model;
    zw_result *result = NULL;
    bool quiet = words->values[OPTION_QUIET] != NULL;
    CliProgress progress = cli_progress_begin(!quiet);
    char *command = command_line(words);
    run.command = command;
    run.out = NULL; // these are the sweep's
    run.plot_count = 0;
    options.run = &run;
    options.progress = cli_show_progress;
    options.context = &progress;
    cli_listen_to_signals();
    zw_status status = cli_open_model(words, &model);
    if (status == ZW_DONE)
        status = read_run_numbers(model, words, &run);
    if (status == ZW_DONE)
        status = zw_sweep(model, &options, &result);
    cli_progress_end(&progress);
    free(command);
    free(styles);
    cli_tell(model, quiet ? ZW_WARNING : ZW_NOTE);
    if (cli_is_interrupted() && status == ZW_NEGATIVE && !cli_limit_reached())
        cli_print(stderr, options.out ? "zwang: interrupted; what was done has been written\n"
                                      : "zwang: interrupted\n");
    bool taken = options.out && strcmp(options.out, "-") == 0;
    if (result && !quiet)
        cli_print(taken ? stderr : stdout, zw_result_text(result));
    zw_result_free(result);
    return cli_finish(model, status, ZW_TEXT, NULL);
}

// NAME.html for the model NAME.zw, here.
static char *page_name(const char *model)
{
    const char *slash = strrchr(model, '/');
    const char *name = slash ? slash + 1 : model, *dot = strrchr(name, '.');
    size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    char *path = cli_alloc(length + sizeof ".html");
    memcpy(path, name, length);
    strcpy(path + length, ".html");
    return path;
}

// Whether these are names of forms, with commas between them; a message where one is not.
static bool are_forms(const char *words)
{
    bool empty = words && !*words;
    for (const char *at = words; at && *at;) {
        size_t length = strcspn(at, ",");
        const char *nearest = zw_form_nearest(at, length);
        bool known = nearest && strlen(nearest) == length && strncmp(nearest, at, length) == 0;
        if (length == 0)
            empty = true;
        else if (!known && nearest)
            return cli_wrong("--forms %.*s: did you mean '%s'?", (int)length, at, nearest), false;
        else if (!known)
            return cli_wrong(
                       "--forms %.*s: there is no such form; 'zwang derive --help' lists them",
                       (int)length, at),
                   false;
        at += length + (at[length] == ',');
    }
    if (empty)
        cli_wrong("--forms: no form is named; 'all' means every one");
    return !empty;
}

int cli_view(const CliWords *words)
{
    zw_view_options options = {.method = words->values[OPTION_METHOD],
                               .forms = words->values[OPTION_FORMS],
                               .proofs = words->values[OPTION_PROOFS] != NULL};
    if (!are_forms(options.forms))
        return ZW_WRONG;
    char *name = page_name(words->model);
    CliProgress progress = cli_progress_begin(true);
    options.out = words->values[OPTION_OUT] ? words->values[OPTION_OUT] : name;
    options.progress = cli_show_viewing;
    options.context = &progress;
    cli_listen_to_signals();
    zw_model *model;
    zw_result *result = NULL;
    zw_status status = cli_open_model(words, &model);
    zw_run_options run = {0};
    if (status == ZW_DONE)
        status = read_run_numbers(model, words, &run);
    options.to = run.to, options.every = run.every, options.tolerance = run.tolerance;
    if (status == ZW_DONE)
        status = zw_view(model, &options, &result);
    cli_progress_end(&progress);
    free(name);
    return cli_finish(model, status, ZW_TEXT, result);
}
