// commands.c: what each command does with the library.
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Says on stderr what there is to say.
static void tell(zw_model *model, zw_level least)
{
    static bool memory_ended; // a model says it whenever it is asked
    if (memory_ended)
        return;
    char *messages = model ? zw_messages_with(model, least, cli_see_option) : NULL;
    if (messages)
        cli_print(stderr, messages);
    memory_ended = messages && strstr(messages, "the memory ended");
    if (memory_ended)
        cli_print(stderr, cli_memory_limit());
    zw_free(messages);
}

// Digits of a seed.
enum { MOST_SEED = 15 };

// The number behind --branch; false where it is none.
static bool read_branch(const char *text, size_t *number)
{
    char *end;
    long value = strtol(text, &end, 10);
    *number = (size_t)value;
    if (*text && !*end && value > 0 && value <= 1000000)
        return true;
    cli_wrong("--branch %s: it is the number of a stationary point, 1 for the first", text);
    return false;
}

// A file that is missing and has the name of a model of the gallery: says how to get it.
static bool is_only_in_gallery(const char *path)
{
    char name[64];
    const char *last = strrchr(path, '/');
    snprintf(name, sizeof name, "%s", last ? last + 1 : path);
    char *ending = strrchr(name, '.');
    if (ending && strcmp(ending, ".zw") == 0)
        *ending = 0;
    if (access(path, F_OK) == 0 || strchr(name, '.') || !zw_gallery_text(name))
        return false;
    cli_wrong("there is no file '%s'; 'zwang gallery %s > %s.zw' makes one", path, name, name);
    return true;
}

// All settings, that of --seed among them, which is one of the name 'random'; false where that is
// no number.
static bool add_seed(const CliWords *words, const char **settings, char *seed, size_t room)
{
    const char *given = words->values[OPTION_SEED];
    for (size_t i = 0; i < words->setting_count; i++)
        settings[i] = words->settings[i];
    if (!given)
        return true;
    if (strspn(given, "0123456789") != strlen(given) || !*given || strlen(given) > MOST_SEED) {
        cli_wrong("--seed %s: a seed is a whole number, 0 or more", given);
        return false;
    }
    snprintf(seed, room, "random=%s", given);
    settings[words->setting_count] = seed;
    return true;
}

static zw_status open_model(const CliWords *words, zw_model **model)
{
    size_t branch = 0;
    *model = NULL;
    const char *given = words->values[OPTION_BRANCH];
    // T:N belongs to a run.
    bool later = given && strchr(given, ':') && strcmp(words->command, "run") == 0;
    if (given && !later && !read_branch(given, &branch))
        return ZW_WRONG;
    if (is_only_in_gallery(words->model))
        return ZW_WRONG;
    char seed[32];
    const char **settings = cli_alloc((words->setting_count + 1) * sizeof *settings);
    if (!add_seed(words, settings, seed, sizeof seed)) {
        free(settings);
        return ZW_WRONG;
    }
    zw_model_options options = {.settings = settings,
                                .setting_count =
                                    words->setting_count + (words->values[OPTION_SEED] != NULL),
                                .reduce = words->values[OPTION_REDUCE] != NULL,
                                .independent = words->values[OPTION_INDEPENDENT],
                                .speeds = words->values[OPTION_SPEEDS],
                                .acting = words->values[OPTION_ACTING],
                                .branch = branch,
                                .stage = cli_limit_stage};
    zw_status status = zw_model_open(words->model, &options, model);
    free(settings);
    return status;
}

static bool read_format(const CliWords *words, bool latex, zw_format *format)
{
    const char *as = words->values[OPTION_AS];
    *format = ZW_TEXT;
    if (!as || strcmp(as, "text") == 0)
        return true;
    *format = strcmp(as, "json") == 0 ? ZW_JSON : ZW_LATEX;
    if (*format == ZW_JSON || (latex && strcmp(as, "latex") == 0))
        return true;
    if (latex && (strcmp(as, "tex") == 0 || strcmp(as, "pdf") == 0 || strcmp(as, "LaTeX") == 0))
        return cli_wrong("unknown format '%s'; did you mean 'latex'?", as), false;
    cli_wrong("unknown format '%s'; there are text%s and json", as, latex ? ", latex" : "");
    return false;
}

int cli_written(zw_status status)
{
    if (status != ZW_DONE && cli_limit_reached())
        cli_print(stderr, cli_limit_reached());
    if (fflush(stdout) != 0 || ferror(stdout)) {
        // What the library has failed to write there it has told.
        if (status != ZW_FAILED)
            cli_wrong("cannot write the answer: %s", strerror(errno));
        return ZW_FAILED;
    }
    return (int)status;
}

// Prints a report and the messages, and frees everything. Data is printed as it is.
static int finish(zw_model *model, zw_status status, zw_format as, zw_result *result)
{
    tell(model, ZW_NOTE);
    if (result && as == ZW_TEXT)
        cli_print(stdout, zw_result_text(result));
    else if (result)
        fputs(zw_result_text(result), stdout);
    zw_result_free(result);
    zw_model_free(model);
    return cli_written(status);
}

static int derive(const CliWords *words)
{
    zw_format format;
    zw_model *model;
    zw_result *result = NULL;
    if (!read_format(words, true, &format))
        return ZW_WRONG;
    zw_status status = open_model(words, &model);
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
    return finish(model, status, format, result);
}

static int check(const CliWords *words)
{
    zw_format format;
    zw_model *model;
    zw_result *result = NULL;
    const char *file = words->values[OPTION_EQUATIONS];
    bool equations = words->equation_count > 0 || file;
    if (!read_format(words, false, &format))
        return ZW_WRONG;
    if (equations && words->values[OPTION_ONLY])
        return cli_wrong("--only names questions about the system; ask about equations without it");
    zw_status status = open_model(words, &model);
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
    return finish(model, status, format, result);
}

static bool read_digits(const CliWords *words, size_t *digits)
{
    const char *given = words->values[OPTION_DIGITS];
    char *end = NULL;
    long count = given ? strtol(given, &end, 10) : 0;
    if (given && (end == given || *end || count < 1))
        return cli_wrong("--digits '%s' is not a number of digits", given), false;
    *digits = (size_t)count;
    return true;
}

static bool is_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return *text && *end == '\0' && isfinite(*value);
}

// A number, or an expression in the model's parameters.
static zw_status read_number(zw_model *model, const CliWords *words, CliOption option,
                             const char *name, double *value)
{
    const char *text = words->values[option];
    zw_status status = ZW_DONE;
    if (text && !is_number(text, value))
        status = zw_model_number(model, name, text, value);
    // The library takes 0 as what was not given, and refuses a NAN.
    if (text && status == ZW_DONE && *value == 0)
        *value = NAN;
    return status;
}

static int at(const CliWords *words)
{
    zw_format format;
    zw_model *model;
    zw_result *result = NULL;
    zw_at_options options = {.steps = words->values[OPTION_STEPS] != NULL};
    if (words->values[OPTION_TO] && !words->values[OPTION_TIME])
        return cli_wrong("'zwang at' takes --to with --time: the end of the run that is followed");
    if (!read_format(words, false, &format) || !read_digits(words, &options.digits))
        return ZW_WRONG;
    options.as = format;
    zw_status status = open_model(words, &model);
    if (status == ZW_DONE)
        status = read_number(model, words, OPTION_TIME, "--time", &options.time);
    if (status == ZW_DONE)
        status = read_number(model, words, OPTION_TO, "--to", &options.to);
    if (words->values[OPTION_TIME] && isnan(options.time))
        options.time = 0; // the start
    if (status == ZW_DONE)
        status = zw_at(model, &options, &result);
    return finish(model, status, format, result);
}

static int fit(const CliWords *words)
{
    zw_format format;
    zw_model *model;
    zw_result *result = NULL;
    if (!read_format(words, false, &format))
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
    zw_status status = open_model(words, &model);
    if (status == ZW_DONE)
        status = read_number(model, words, OPTION_TOLERANCE, "--tolerance", &options.tolerance);
    if (status == ZW_DONE)
        status = zw_fit(model, &options, &result);
    return finish(model, status, format, result);
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
    return read_digits(words, &options->digits);
}

static int stability(const CliWords *words)
{
    zw_stability_options options;
    zw_model *model;
    CliStyles *styles;
    zw_result *result = NULL;
    if (!cli_plot_styles(words, &styles))
        return ZW_WRONG;
    if (!read_stability_options(words, styles, &options))
        return free(styles), ZW_WRONG;
    zw_status status = open_model(words, &model);
    if (status == ZW_DONE)
        status = zw_stability(model, &options, &result);
    free(styles);
    return finish(model, status, options.as, result);
}

// ---- Running.

static volatile sig_atomic_t interrupted, under_way;
static const int heard[] = {SIGINT, SIGTERM, SIGHUP};

// Before the run is under way nothing was reached, and there is no file yet. Then the first signal
// asks it to end with what was reached; a second one ends it at once.
static void note_interrupt(int signal_number)
{
    static const char said[] = "zwang: interrupted\n";
    (void)signal_number;
    if (!under_way) {
        ssize_t written = write(STDERR_FILENO, said, sizeof said - 1);
        _exit(written < 0 ? ZW_FAILED : ZW_NEGATIVE);
    }
    interrupted = 1;
    for (size_t i = 0; i < sizeof heard / sizeof *heard; i++)
        signal(heard[i], SIG_DFL);
}

bool cli_end_run(void)
{
    interrupted = under_way;
    return under_way;
}

static void listen_to_signals(void)
{
    struct sigaction note = {.sa_handler = note_interrupt, .sa_flags = SA_RESTART};
    sigemptyset(&note.sa_mask);
    for (size_t i = 0; i < sizeof heard / sizeof *heard; i++) {
        struct sigaction before;
        // What is to outlive its terminal has been told so.
        if (sigaction(heard[i], NULL, &before) != 0 || before.sa_handler != SIG_IGN)
            sigaction(heard[i], &note, NULL);
    }
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of writing, which is told
}

static bool show_progress(void *context, double part)
{
    under_way = 1;
    cli_progress_show(context, part);
    cli_limit_run(part);
    return !interrupted;
}

// What comes after the run is written at its very end: until then a signal ends the program at
// once.
static bool show_viewing(void *context, double part)
{
    bool goes_on = show_progress(context, part);
    under_way = part < 1;
    return goes_on;
}

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
    zw_status status = read_number(model, words, OPTION_TO, "--to", &options->to);
    if (status == ZW_DONE)
        status = read_number(model, words, OPTION_EVERY, "--every", &options->every);
    if (status == ZW_DONE)
        status = read_number(model, words, OPTION_TOLERANCE, "--tolerance", &options->tolerance);
    if (status == ZW_DONE)
        status = read_number(model, words, OPTION_STEP, "--step", &options->step);
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
    if (seconds && !is_number(seconds, &options->checkpoint_every))
        return cli_wrong("--checkpoint-every '%s' is not a number", seconds), false;
    if (seconds && options->checkpoint_every == 0)
        options->checkpoint_every = NAN; // 0 would be what was not given
    return read_digits(words, &options->digits);
}

static int run(const CliWords *words)
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
    options.progress = show_progress;
    options.context = &progress;
    listen_to_signals();
    zw_status status = open_model(words, &model);
    if (status == ZW_DONE)
        status = read_run_numbers(model, words, &options);
    if (status == ZW_DONE)
        status = zw_run(model, &options, &result);
    cli_progress_end(&progress);
    free(command);
    free(styles);
    // A warning says that something may be wrong; nobody asked not to hear that.
    tell(model, quiet ? ZW_WARNING : ZW_NOTE);
    if (interrupted && status == ZW_NEGATIVE && !cli_limit_reached())
        cli_print(stderr, options.out || options.events || options.plot_count || options.picture
                              ? "zwang: interrupted; what was reached has been written\n"
                              : "zwang: interrupted\n");
    // Rows or events are alone on stdout where they were asked for there.
    bool taken = (options.out && strcmp(options.out, "-") == 0) ||
                 (options.events && strcmp(options.events, "-") == 0);
    if (result && !quiet)
        cli_print(taken ? stderr : stdout, zw_result_text(result));
    zw_result_free(result);
    return finish(model, status, ZW_TEXT, NULL);
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
    if (limit && (!is_number(limit, &options->limit_each) || options->limit_each <= 0))
        return cli_wrong("--limit-each %s: it is a number of seconds, above 0", limit), false;
    return true;
}

static int sweep(const CliWords *words)
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
    options.progress = show_progress;
    options.context = &progress;
    listen_to_signals();
    zw_status status = open_model(words, &model);
    if (status == ZW_DONE)
        status = read_run_numbers(model, words, &run);
    if (status == ZW_DONE)
        status = zw_sweep(model, &options, &result);
    cli_progress_end(&progress);
    free(command);
    free(styles);
    tell(model, quiet ? ZW_WARNING : ZW_NOTE);
    if (interrupted && status == ZW_NEGATIVE && !cli_limit_reached())
        cli_print(stderr, options.out ? "zwang: interrupted; what was done has been written\n"
                                      : "zwang: interrupted\n");
    bool taken = options.out && strcmp(options.out, "-") == 0;
    if (result && !quiet)
        cli_print(taken ? stderr : stdout, zw_result_text(result));
    zw_result_free(result);
    return finish(model, status, ZW_TEXT, NULL);
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

static int view(const CliWords *words)
{
    zw_view_options options = {.method = words->values[OPTION_METHOD],
                               .forms = words->values[OPTION_FORMS],
                               .proofs = words->values[OPTION_PROOFS] != NULL};
    if (!are_forms(options.forms))
        return ZW_WRONG;
    char *name = page_name(words->model);
    CliProgress progress = cli_progress_begin(true);
    options.out = words->values[OPTION_OUT] ? words->values[OPTION_OUT] : name;
    options.progress = show_viewing;
    options.context = &progress;
    listen_to_signals();
    zw_model *model;
    zw_result *result = NULL;
    zw_status status = open_model(words, &model);
    zw_run_options run = {0};
    if (status == ZW_DONE)
        status = read_run_numbers(model, words, &run);
    options.to = run.to, options.every = run.every, options.tolerance = run.tolerance;
    if (status == ZW_DONE)
        status = zw_view(model, &options, &result);
    cli_progress_end(&progress);
    free(name);
    return finish(model, status, ZW_TEXT, result);
}

static int export(const CliWords *words)
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
    zw_status status = open_model(words, &model);
    if (status == ZW_DONE)
        status = zw_export(model, &options, &result);
    // The report is the code, but an FMU is always a file.
    bool direct = (!options.out || strcmp(options.out, "-") == 0) &&
                  !(options.to && strcmp(options.to, "fmu") == 0);
    return finish(model, status, direct ? ZW_JSON : ZW_TEXT, result);
}

// ---- The gallery.

static void list_gallery(void)
{
    size_t width = 0, bytes = 1;
    for (size_t i = 0; i < zw_gallery_count(); i++) {
        size_t length = strlen(zw_gallery_name(i));
        width = length > width ? length : width;
        bytes += strlen(zw_gallery_title(i)) + sizeof "  \n";
    }
    bytes += zw_gallery_count() * width;
    char *list = cli_alloc(bytes), *end = list;
    for (size_t i = 0; i < zw_gallery_count(); i++)
        end += sprintf(end, "%-*s  %s\n", (int)width, zw_gallery_name(i), zw_gallery_title(i));
    cli_print(stdout, list);
    free(list);
}

// Every file is written whole at its end, so that a signal ends the program at once.
static bool show_writing(void *context, double part)
{
    cli_progress_show(context, part);
    return true;
}

typedef zw_status GalleryWriter(const char *path, const zw_gallery_options *options,
                                zw_result **result);

static int gallery_written(GalleryWriter *write, const char *path)
{
    CliProgress progress = cli_progress_begin(true);
    zw_result *result = NULL;
    listen_to_signals();
    zw_gallery_options options = {.progress = show_writing, .context = &progress};
    zw_status status = write(path, &options, &result);
    cli_progress_end(&progress);
    cli_print(status == ZW_DONE ? stdout : stderr, zw_result_text(result));
    zw_result_free(result);
    return cli_written(status);
}

// A model's text is printed; the files that it reads are named, each with what prints it.
static void name_files(const char *text)
{
    for (const char *start = strchr(text, '"'); start;) {
        const char *end = strchr(start + 1, '"');
        char name[64];
        if (!end)
            return;
        snprintf(name, sizeof name, "%.*s", (int)(end - start - 1), start + 1);
        if ((size_t)(end - start) < sizeof name && strchr(name, '.') && zw_gallery_text(name))
            fprintf(stderr, "note: it reads %s: 'zwang gallery %s > %s'\n", name, name, name);
        start = strchr(end + 1, '"');
    }
}

static int gallery(const CliWords *words)
{
    const char *site = words->values[OPTION_HTML], *sheet = words->values[OPTION_PICTURE];
    if (site && words->model)
        return cli_wrong("--html writes the whole gallery; for one model there is 'zwang view'");
    if (sheet && words->model)
        return cli_wrong("--picture draws the whole gallery; for one model there is 'zwang run'");
    if (site && sheet)
        return cli_wrong("give --html or --picture, one of them");
    if (site || sheet)
        return gallery_written(site ? zw_gallery_site : zw_gallery_sheet, site ? site : sheet);
    if (!words->model) {
        list_gallery();
        return cli_written(ZW_DONE);
    }
    const char *text = zw_gallery_text(words->model);
    if (text) {
        fputs(text, stdout);
        name_files(text);
        return cli_written(ZW_DONE);
    }
    const char *meant = zw_gallery_nearest(words->model);
    if (meant)
        return cli_wrong("the gallery has no '%s'; did you mean '%s'?", words->model, meant);
    return cli_wrong("the gallery has no '%s'; 'zwang gallery' lists what it has", words->model);
}

const CliCommand cli_commands[] = {
    {"derive", derive,
     "zwang derive MODEL [--form F[,F…]|all] [--steps] [--naive] [--reactions] "
     "[--expand] [--acting NAME[,…]|all|none] [--as text|latex|json]",
     "prints the equations of motion in the forms asked for",
     "zwang derive models/blade.zw --form multipliers,appell"},
    {"check", check,
     "zwang check MODEL [--only forms,kind,integrals,jacobi] [--equation \"a = b\"] "
     "[--equations FILE] [--as text|json]",
     "says what kind of system it is, what stays constant, whether Jacobi's theorem extends, and "
     "proves that all forms give the same motion; or whether published equations follow from it",
     "zwang check models/cart.zw"},
    {"run", run,
     "zwang run MODEL [--to T] [--every DT] [--tolerance E] [--method M] [--step H] "
     "[--form F] [--engine E] [--fixed] [--out FILE|-] [--rows float32] [--digits D] [--events "
     "FILE|-] [--plot "
     "[NAMES:]FILE.svg "
     "[--plot-size WxHmm] …] [--picture [T,…:]FILE.svg] "
     "[--residuals] [--integrals] [--branch N|T:N[,…]] "
     "[--sensitivity NAME,…] [--until REL] [--paradox stop|impact] [--no-watch] [--audit] "
     "[--quiet]",
     "integrates the motion, writes it as rows of numbers and draws it",
     "zwang run models/blade.zw --to 5 --out blade.csv --plot x,y:track.svg"},
    {"sweep", sweep,
     "zwang sweep MODEL --vary AXIS [--vary AXIS …] [--zip] [--samples N] [--seed N] "
     "[--keep WHAT,…] [--out FILE.csv|FILE.h5|-] [--plot [NAMES:]FILE] [--resume] [--threads N] "
     "[--limit-each S] "
     "[--allow-failures] [--set a=b] [--to T] [--tolerance E] [--method M] [--until REL] [--quiet]",
     "makes many runs over ranges, lists, random draws or a table of parameters and starts, and "
     "keeps of each what is asked for",
     "zwang sweep models/hoop.zw --vary psi=0.1:0.5:5 --out hoop.csv"},
    {"fit", fit,
     "zwang fit MODEL DATA.csv [DATA.csv …] --vary NAME[=LOW:HIGH],… [--initial NAME,…] "
     "[--use NAME[=EXPR],…] [--sigma NAME=S,…] [--loss huber] [--out FILE.csv] [--as text|json]",
     "finds parameters and start values by least squares of runs to data, with their confidence, "
     "and says what the data cannot tell apart",
     "zwang run models/top.zw --out -|zwang fit models/top.zw - --vary g --use psi"},
    {"at", at, "zwang at MODEL [--steps] [--branch N] [--digits D] [--as text|json]",
     "gives accelerations, multipliers, reactions and energies at the start, which one-sided "
     "conditions act, and all stationary points of conditions on accelerations",
     "zwang at models/hoop.zw --set psi=0.3"},
    {"stability", stability,
     "zwang stability MODEL [--at a=b,…] [--vary p=a:b:n] [--inputs p,…] [--digits D] [--slow] "
     "[--root-locus] "
     "[--as text|json|csv] [--plot F.svg [--plot-size WxHmm] …]",
     "linearizes about an equilibrium or a steady motion, gives the eigenvalues, and over a range "
     "of a parameter finds the critical values",
     "zwang stability models/blade.zw --at v=1,w=0 --vary s=-0.5:0.5:100"},
    {"export", export,
     "zwang export MODEL --to c|python|julia|matlab|fmu|latex [--fixed] [--velocities] [--smooth] "
     "[--form F[,F…]] [--out FILE]",
     "writes the motion as source code, or its derivation as a document, that stands alone",
     "zwang export models/hoop.zw --to c --out hoop.c"},
    {"view", view,
     "zwang view MODEL [--out FILE.html] [--to T] [--every DT] [--tolerance E] [--method M] "
     "[--forms F,…|all] [--proofs]",
     "writes one HTML page: the system moving in three dimensions, plots, equations",
     "zwang view models/hoop.zw --out hoop.html"},
    {"gallery", gallery, "zwang gallery [NAME] [--html DIR] [--picture FILE.svg]",
     "lists the models that come with the program, prints one, or writes a site of all",
     "zwang gallery hoop > hoop.zw"},
};
const int cli_command_count = sizeof cli_commands / sizeof *cli_commands;

const CliCommand *cli_command_find(const char *name)
{
    for (int i = 0; i < cli_command_count; i++)
        if (strcmp(cli_commands[i].name, name) == 0)
            return &cli_commands[i];
    return NULL;
}
