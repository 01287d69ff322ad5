// command_models.c: the model of a command, its numbers, and what is said of it.
#include "cli/commands_impl.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Says on stderr what there is to say.
void cli_tell(zw_model *model, zw_level least)
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

zw_status cli_open_model(const CliWords *words, zw_model **model)
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

bool cli_read_format(const CliWords *words, bool latex, zw_format *format)
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
int cli_finish(zw_model *model, zw_status status, zw_format as, zw_result *result)
{
    cli_tell(model, ZW_NOTE);
    if (result && as == ZW_TEXT)
        cli_print(stdout, zw_result_text(result));
    else if (result)
        fputs(zw_result_text(result), stdout);
    zw_result_free(result);
    zw_model_free(model);
    return cli_written(status);
}

bool cli_read_digits(const CliWords *words, size_t *digits)
{
    const char *given = words->values[OPTION_DIGITS];
    char *end = NULL;
    long count = given ? strtol(given, &end, 10) : 0;
    if (given && (end == given || *end || count < 1))
        return cli_wrong("--digits '%s' is not a number of digits", given), false;
    *digits = (size_t)count;
    return true;
}

bool cli_is_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return *text && *end == '\0' && isfinite(*value);
}

// A number, or an expression in the model's parameters.
zw_status cli_read_number(zw_model *model, const CliWords *words, CliOption option,
                          const char *name, double *value)
{
    const char *text = words->values[option];
    zw_status status = ZW_DONE;
    if (text && !cli_is_number(text, value))
        status = zw_model_number(model, name, text, value);
    // The library takes 0 as what was not given, and refuses a NAN.
    if (text && status == ZW_DONE && *value == 0)
        *value = NAN;
    return status;
}
