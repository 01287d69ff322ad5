// command_line.c: the words of a command line.
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *word, *value, *commands;
    const char *see; // what stands behind a message that is about it
} options[OPTION_COUNT] = {
#define OPTION(NAME, word, value, commands, help) {word, value, commands, "see " word},
#include "cli/options.def"
#undef OPTION
};

// Whether `word` is one of the words in `list`, separated by blanks.
static bool is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

bool cli_takes(const char *commands, const char *command)
{
    return strcmp(commands, "*") == 0 || is_listed(commands, command);
}

// The option of a word such as --to or --to=3, that of this command where several have the word;
// *value is what stands behind its =.
static int find_option(const char *word, const char *command, const char **value)
{
    int found = -1;
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    *value = equals ? equals + 1 : NULL;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strlen(options[i].word) == length && strncmp(options[i].word, word, length) == 0 &&
            (found < 0 || cli_takes(options[i].commands, command)))
            found = i;
    return found;
}

bool cli_has_option(const char *word, const char *command)
{
    size_t length = strcspn(word, " ");
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strlen(options[i].word) == length && strncmp(options[i].word, word, length) == 0 &&
            cli_takes(options[i].commands, command))
            return true;
    return false;
}

const char *cli_see_option(const char *name)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const char *word = options[i].word + strlen("--");
        size_t at = 0;
        while (word[at] && (word[at] == '-' ? '_' : word[at]) == name[at])
            at++;
        if (!word[at] && !name[at])
            return options[i].see;
    }
    return NULL;
}

// Options that may be repeated.
static bool keep_among(const char **list, size_t most, size_t *count, int option, const char *value)
{
    if (*count == most)
        return cli_wrong("%s is given more than %zu times%s", options[option].word, most,
                         option == OPTION_SET ? "; join them with commas" : ""),
               false;
    list[(*count)++] = value;
    return true;
}

// An option --plot-… is for the picture named before it, or for all.
static bool keep_dress(CliWords *out, int option, const char *value)
{
    if (out->dress_count == CLI_MOST_DRESS)
        return cli_wrong("there are more than %d options --plot-…", CLI_MOST_DRESS), false;
    for (size_t i = 0; i < out->dress_count && option != OPTION_PLOT_LABEL; i++)
        if (out->dress[i].option == option && out->dress[i].plot == out->plot_count)
            return cli_wrong("%s is given twice for one picture", options[option].word), false;
    out->dress[out->dress_count++] =
        (CliDress){.option = option, .value = value, .plot = out->plot_count};
    return true;
}

static bool keep_value(CliWords *out, int option, const char *value)
{
    if (option >= OPTION_PLOT_SIZE && option <= OPTION_PLOT_COLOURS)
        return keep_dress(out, option, value);
    if (option == OPTION_SET)
        return keep_among(out->settings, CLI_MOST_SETTINGS, &out->setting_count, option, value);
    if (option == OPTION_EQUATION)
        return keep_among(out->equations, CLI_MOST_EQUATIONS, &out->equation_count, option, value);
    if (option == OPTION_AXIS)
        return keep_among(out->axes, CLI_MOST_AXES, &out->axis_count, option, value);
    if (option == OPTION_PLOT)
        return keep_among(out->plots, CLI_MOST_PLOTS, &out->plot_count, option, value);
    if (out->values[option])
        return cli_wrong("%s is given twice", options[option].word), false;
    out->values[option] = value;
    return true;
}

// The command's one option that this word, --tol, is the beginning of; NULL where there is none,
// or several.
static const char *continued(const char *word, const char *command)
{
    const char *found = NULL;
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (strncmp(options[i].word, word, strlen(word)) != 0 ||
            !cli_takes(options[i].commands, command))
            continue;
        if (found)
            return NULL;
        found = options[i].word;
    }
    return found;
}

// The option of a command with which this word begins or that begins with it: --form for --forms.
static const char *alike(const char *word, const char *command)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        size_t length = strlen(options[i].word);
        if (cli_takes(options[i].commands, command) && length > strlen("--") + 2 &&
            strncmp(options[i].word, word, length) == 0)
            return options[i].word;
    }
    return continued(word, command);
}

// What of the command's options was meant: by its beginning, its spelling, its meaning; or NULL.
static const char *meant_option(const char *word, const char *command)
{
    const char *names[OPTION_COUNT], *meant = continued(word, command);
    size_t count = 0;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (cli_takes(options[i].commands, command))
            names[count++] = options[i].word;
    meant = meant ? meant : cli_option_meant(word, command);
    return meant ? meant : zw_nearest(word, names, count);
}

static bool refuse_option(const char *word, const char *command)
{
    const char *meant = meant_option(word, command);
    if (meant)
        cli_wrong("unknown option '%s'; did you mean '%s'?", word, meant);
    else
        cli_wrong("unknown option '%s'; 'zwang %s --help' lists them", word, command);
    return false;
}

static bool read_option(int count, char *const *words, int *at, CliWords *out)
{
    const char *value;
    int option = find_option(words[*at], out->command, &value);
    if (option < 0)
        return refuse_option(words[*at], out->command);
    bool taken = cli_takes(options[option].commands, out->command);
    const char *near = taken ? NULL : alike(options[option].word, out->command);
    if (!taken && !near)
        near = cli_option_meant(options[option].word, out->command);
    if (near)
        return cli_wrong("'zwang %s' does not take %s; did you mean '%s'?", out->command,
                         options[option].word, near),
               false;
    if (!taken)
        return cli_wrong("'zwang %s' does not take %s; 'zwang %s --help' lists what it takes",
                         out->command, options[option].word, out->command),
               false;
    if (!options[option].value) {
        if (value)
            return cli_wrong("%s takes no value", options[option].word), false;
        return keep_value(out, option, "");
    }
    if (!value && *at + 1 < count)
        value = words[++*at];
    if (!value)
        return cli_wrong("%s needs a value: %s %s", options[option].word, options[option].word,
                         options[option].value),
               false;
    return keep_value(out, option, value);
}

bool cli_read_words(int count, char *const *words, CliWords *out)
{
    for (int i = 0; i < count; i++) {
        if (cli_refuse_letter(words[i]))
            return false;
        if (words[i][0] == '-' && words[i][1]) {
            if (!read_option(count, words, &i, out))
                return false;
        } else if (out->model && strcmp(out->command, "fit") == 0) {
            if (out->data_count == CLI_MOST_PLOTS)
                return cli_wrong("there are more than %d files of data", CLI_MOST_PLOTS), false;
            out->data[out->data_count++] = words[i];
        } else if (out->model) {
            return cli_wrong("one model at a time: '%s' and '%s'", out->model, words[i]), false;
        } else {
            out->model = words[i];
        }
    }
    if (!out->model && strcmp(out->command, "gallery") != 0)
        return cli_wrong("which model? Name its file: zwang %s blade.zw", out->command), false;
    return true;
}
