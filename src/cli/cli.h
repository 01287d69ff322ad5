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

enum {
    CLI_MOST_SETTINGS = 256,
    CLI_MOST_PLOTS = 64,
    CLI_MOST_DRESS = 256,
    CLI_MOST_EQUATIONS = 256,
    CLI_MOST_AXES = 256
};

// A word on how pictures look: an option --plot-… and its value, and for which picture it is.
typedef struct {
    int option;
    const char *value;
    size_t plot; // from 1; 0: for all
} CliDress;

typedef struct {
    const char *command;
    const char *model;
    const char *values[OPTION_COUNT]; // "" for a flag that was given; NULL where it was not
    const char *settings[CLI_MOST_SETTINGS];
    size_t setting_count;
    const char *plots[CLI_MOST_PLOTS];
    size_t plot_count;
    const char *axes[CLI_MOST_AXES]; // of a sweep
    size_t axis_count;
    const char *data[CLI_MOST_PLOTS]; // files of a fit
    size_t data_count;
    const char *equations[CLI_MOST_EQUATIONS];
    size_t equation_count;
    CliDress dress[CLI_MOST_DRESS];
    size_t dress_count;
    int count; // of all words after the program's name, and these
    char *const *all;
} CliWords;

// Reads the words after the program's name. What is wrong is said on stderr; false then.
bool cli_read_words(int count, char *const *words, CliWords *out);

// ---- How pictures look (plots.c).
typedef struct {
    zw_plot_style styles[CLI_MOST_PLOTS];
    const zw_plot_style *each[CLI_MOST_PLOTS];
    const char *labels[]; // of one picture after the other
} CliStyles;
// NULL where nothing was said. What is wrong is said on stderr; false then. The caller frees it.
bool cli_plot_styles(const CliWords *words, CliStyles **styles);

// ---- Commands.
typedef struct {
    const char *name;
    int (*run)(const CliWords *words); // an exit code; NULL: not part of this version yet
    const char *usage, *summary, *example;
} CliCommand;
extern const CliCommand cli_commands[];
extern const int cli_command_count;
const CliCommand *cli_command_find(const char *name);

// ---- Progress on a terminal: a bar with the time left, for work that is long.
typedef struct {
    bool wanted;
    double began, drawn; // seconds: since when, and how long after that it was drawn last
} CliProgress;
CliProgress cli_progress_begin(bool wanted);
void cli_progress_show(CliProgress *progress, double part); // from 0 to 1
void cli_progress_end(CliProgress *progress);               // takes the bar away

// ---- What is printed for people (screen.c): wrapped, in the terminal's characters, in colour.
// Takes --width, --color and --ascii out of the words. What is wrong is said on stderr; false then.
bool cli_screen_words(int *count, char **words);
size_t cli_width(FILE *stream); // columns; 0: lines are as long as they are
void cli_print(FILE *stream, const char *text);

// ---- What was meant (suggestions.c).
int cli_unknown_command(const char *word); // says so; the exit code
// An option of the command, by its meaning; NULL: nothing.
const char *cli_option_meant(const char *word, const char *command);
// Whether the first of these words is an option of the command.
bool cli_has_option(const char *words, const char *command);
bool cli_refuse_letter(const char *word); // -o, -h, -v, -q: says how it is written here

// ---- How long the work may take, and how much memory (limits.c).
bool cli_limits(const CliWords *words); // what is wrong is said on stderr; false then
const char *cli_limit_reached(void);    // what is said where the time is over; NULL: it is not
// What is being done, of which that speaks: a part of the work, how far a run is.
void cli_limit_stage(void *context, const char *what);
void cli_limit_run(double part);
const char *cli_memory_limit(void); // and where the memory that was given is used up; or ""
// (interrupts.c) Asks a run that is under way to end with what it has reached; false: none is.
bool cli_end_run(void);
// (command_models.c) The exit code, once everything is on stdout.
int cli_written(zw_status status);

// ---- Help.
// Whether an option with this list of commands belongs to one; * stands for all of them.
bool cli_takes(const char *commands, const char *command);
// Where help is on what the library calls by this name: "see --plot-size" for plot_size; NULL:
// none.
const char *cli_see_option(const char *name);
void cli_help(FILE *out);
// A script for a shell, on stdout; the exit code.
int cli_completion(const char *shell);
void cli_command_help(const CliCommand *command);

// "zwang: error: …" on stderr; the exit code for wrong input.
// Zeroed; where there is none the program ends, with a message.
void *cli_alloc(size_t bytes);
int cli_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
