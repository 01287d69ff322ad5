// cli.h: the program's face: words in, exit codes out. Everything else is the library's.
#ifndef ZWANG_CLI_H
#define ZWANG_CLI_H

#include "zwang.h"

#include <stdio.h>

// ---- Options.
typedef enum {
#define OPTION(NAME, word, value, commands, help) OPTION_##NAME,
#include "cli/options.def"
#undef OPTION
    OPTION_COUNT
} CliOption;

enum { CLI_MOST_SETTINGS = 256 };

typedef struct {
    const char *command;
    const char *model;
    const char *values[OPTION_COUNT]; // "" for a flag that was given; NULL where it was not
    const char *settings[CLI_MOST_SETTINGS];
    size_t setting_count;
} CliWords;

// Reads the words after the program's name. What is wrong is said on stderr; false then.
bool cli_read_words(int count, char *const *words, CliWords *out);

// ---- Commands.
typedef struct {
    const char *name;
    int (*run)(const CliWords *words); // an exit code; NULL: not part of this version yet
    const char *usage, *summary, *example;
} CliCommand;
extern const CliCommand cli_commands[];
extern const int cli_command_count;
const CliCommand *cli_command_find(const char *name);

// ---- Help.
void cli_help(FILE *out);
void cli_command_help(const CliCommand *command);

// "zwang: error: …" on stderr; the exit code for wrong input.
int cli_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
