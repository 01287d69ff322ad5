// suggestions.c: what was probably meant by a command or an option that does not exist: by its
// spelling, then by its meaning.
#include "cli/cli.h"

#include <string.h>

enum { MOST_COMMANDS = 64 };

static const struct {
    const char *word, *command, *hint;
} commands[] = {
#define MEANING(word, command, hint) {word, command, hint},
#include "cli/meanings.def"
#undef MEANING
};

static const struct {
    const char *word, *hint;
} options[] = {
#define MEANING(word, hint) {word, hint},
#include "cli/option_meanings.def"
#undef MEANING
};

// A command that others call `meaning`.
static bool suggest_meaning(const char *word, const char *meaning)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(commands[i].word, meaning) != 0)
            continue;
        const CliCommand *known = cli_command_find(commands[i].command);
        if ((known && known->run) || !*commands[i].command)
            cli_wrong("unknown command '%s'; did you mean 'zwang %s'?", word, commands[i].hint);
        else
            cli_wrong("unknown command '%s'; 'zwang %s', which would be it, is not part of this "
                      "version yet",
                      word, commands[i].command);
        return true;
    }
    return false;
}

int cli_unknown_command(const char *word)
{
    const char *names[MOST_COMMANDS], *meanings[sizeof commands / sizeof *commands];
    size_t length = strlen(word), count = 0, known = sizeof commands / sizeof *commands;
    if (length > 3 && strcmp(word + length - 3, ".zw") == 0)
        return cli_wrong("what about '%s'? For example: zwang derive %s", word, word);
    for (int i = 0; i < cli_command_count && count < MOST_COMMANDS; i++)
        if (cli_commands[i].run)
            names[count++] = cli_commands[i].name;
    for (size_t i = 0; i < known; i++)
        meanings[i] = commands[i].word;
    const char *meant = zw_nearest(word, names, count);
    if (suggest_meaning(word, word))
        return ZW_WRONG;
    if (meant)
        return cli_wrong("unknown command '%s'; did you mean '%s'?", word, meant);
    meant = zw_form_nearest(word, length);
    if (meant)
        return cli_wrong("unknown command '%s'; did you mean 'zwang derive MODEL --form %s'?", word,
                         meant);
    meant = zw_nearest(word, meanings, known);
    if (meant && suggest_meaning(word, meant))
        return ZW_WRONG;
    return cli_wrong("unknown command '%s'; 'zwang --help' lists them", word);
}

const char *cli_option_meant(const char *word, const char *command)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(options[i].word, word) == 0 && cli_has_option(options[i].hint, command))
            return options[i].hint;
    return NULL;
}

bool cli_refuse_letter(const char *word)
{
    static const struct {
        const char *word, *instead;
    } letters[] = {{"-o", "--out FILE"}, {"-h", "--help"}, {"-v", "--version"}, {"-q", "--quiet"}};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (strcmp(word, letters[i].word) == 0) {
            cli_wrong("write '%s' for '%s%s'", letters[i].instead, word,
                      strcmp(word, "-o") == 0 ? " FILE" : "");
            return true;
        }
    return false;
}
