// main.c: from the first word to a command, and what is said when there is none.
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *cli_alloc(size_t bytes)
{
    void *block = calloc(1, bytes);
    if (block)
        return block;
    fputs("zwang: error: the memory ended\n", stderr);
    exit(ZW_FAILED);
}

static void cli_say(const char *before, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    size_t length = strlen(before) + (size_t)vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = cli_alloc(length + 2);
    char *end = stpcpy(text, before);
    end += vsprintf(end, format, args);
    stpcpy(end, "\n");
    cli_print(stderr, text);
    free(text);
}

int cli_wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cli_say("zwang: error: ", format, args);
    va_end(args);
    return ZW_WRONG;
}

// The matrices here are small: threads would only wait for each other.
#ifdef ZWANG_LAZY_LIBRARIES
extern void libraries_begin(void); // base/loading

static void begin_libraries(void)
{
    libraries_begin();
    setenv("OPENBLAS_NUM_THREADS", "1", 1); // read when it is loaded
}
#else
extern void openblas_set_num_threads(int count) __attribute__((weak)); // not in every BLAS

static void begin_libraries(void)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
}
#endif

static bool asks_help(const char *word)
{
    return strcmp(word, "--help") == 0;
}

static int run_command(const CliCommand *command, int count, char **words)
{
    for (int i = 2; i < count; i++)
        if (asks_help(words[i]))
            return cli_command_help(command), cli_written(ZW_DONE);
    CliWords read = {.command = command->name, .count = count - 1, .all = words + 1};
    if (!cli_read_words(count - 2, words + 2, &read))
        return ZW_WRONG;
    return cli_limits(&read) ? command->run(&read) : ZW_WRONG;
}

int main(int count, char **words)
{
    begin_libraries();
    if (!cli_screen_words(&count, words))
        return ZW_WRONG;
    if (count < 2) {
        cli_help(stderr);
        return ZW_WRONG;
    }
    if (strcmp(words[1], "help") == 0 && count > 2 && cli_command_find(words[2]))
        return cli_command_help(cli_command_find(words[2])), cli_written(ZW_DONE);
    if (asks_help(words[1]) || strcmp(words[1], "help") == 0)
        return cli_help(stdout), cli_written(ZW_DONE);
    if (strcmp(words[1], "--version") == 0)
        return printf("zwang %s\n", zw_version()), cli_written(ZW_DONE);
    if (strcmp(words[1], "--completion") == 0)
        return cli_completion(words[2]); // NULL where there is none
    const CliCommand *command = cli_command_find(words[1]);
    if (!command)
        return cli_refuse_letter(words[1]) ? ZW_WRONG : cli_unknown_command(words[1]);
    if (!command->run)
        return cli_wrong("'zwang %s' is not part of this version yet", words[1]);
    return run_command(command, count, words);
}
