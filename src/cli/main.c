// main.c: from the first word to a command, and what is said when there is none.
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cli_wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("zwang: error: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return ZW_WRONG;
}

// The matrices here are small: threads would only wait for each other.
#ifdef ZWANG_LAZY_LIBRARIES
static void use_one_thread(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 1); // read when it is loaded
}
#else
extern void openblas_set_num_threads(int count) __attribute__((weak)); // not in every BLAS

static void use_one_thread(void)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
}
#endif

static void memory_ended(size_t bytes)
{
    fprintf(stderr, "zwang: error: the memory ended (%zu bytes more were wanted)\n", bytes);
    exit(ZW_FAILED);
}

static const struct {
    const char *word, *value, *commands, *help;
} options[] = {
#define OPTION(NAME, word, value, commands, help) {word, value, commands, help},
#include "cli/options.def"
#undef OPTION
};

enum { HELP_COLUMN = 24, HELP_WIDTH = 96 };

// Bytes that take no column of their own.
static int continuation_bytes(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) == 0x80;
    return count;
}

// The columns of what stands before the next space outside of brackets, and its bytes.
static int word_columns(const char *text, size_t *bytes)
{
    int columns = 0, depth = 0;
    for (*bytes = 0; text[*bytes] && (depth > 0 || text[*bytes] != ' '); (*bytes)++) {
        depth += text[*bytes] == '[' ? 1 : text[*bytes] == ']' ? -1 : 0;
        columns += ((unsigned char)text[*bytes] & 0xC0) != 0x80;
    }
    return columns;
}

// Prints a text from column `at` on; lines that follow begin at column `indent`.
static void print_wrapped(FILE *out, const char *text, int at, int indent)
{
    for (bool first = true; *text; first = false) {
        size_t bytes;
        int columns = word_columns(text, &bytes);
        if (!first && at + 1 + columns > HELP_WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            fputc(' ', out);
            at++;
        }
        fprintf(out, "%.*s", (int)bytes, text);
        at += columns;
        text += bytes;
        text += *text == ' ';
    }
}

void cli_help(FILE *out)
{
    fputs("zwang: equations of motion in classical forms, proved equal, and run\n\n"
          "Commands (zwang COMMAND --help says more):\n",
          out);
    for (int i = 0; i < cli_command_count; i++)
        if (cli_commands[i].run) {
            fprintf(out, "  %-10s", cli_commands[i].name);
            print_wrapped(out, cli_commands[i].summary, 12, 12);
            fputc('\n', out);
        }
    fputs("\nA model is a text file; 'zwang gallery' lists examples, and makes a file of one:\n"
          "  zwang gallery blade > blade.zw\n"
          "  zwang derive blade.zw --form multipliers,appell\n"
          "  zwang run blade.zw --out blade.csv\n"
          "\nExit codes: 0 done; 1 the answer is negative, or a run stopped early;\n"
          "2 the input is wrong; 3 the machine failed.\n",
          out);
}

void cli_command_help(const CliCommand *command)
{
    bool any = false;
    print_wrapped(stdout, command->usage, 0, 4);
    fputs("\n\nThis command ", stdout);
    print_wrapped(stdout, command->summary, 13, 0);
    puts(".");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (!strstr(options[i].commands, command->name))
            continue;
        if (!any)
            puts("\nOptions:");
        any = true;
        char left[64];
        int bytes = snprintf(left, sizeof left, "%s %s", options[i].word,
                             options[i].value ? options[i].value : "");
        int columns = bytes - continuation_bytes(left);
        int gap = columns < HELP_COLUMN ? HELP_COLUMN - columns : 0;
        printf("  %s%*s ", left, gap, "");
        print_wrapped(stdout, options[i].help, 3 + columns + gap, HELP_COLUMN + 3);
        putchar('\n');
    }
    printf("\nExample:\n  %s\n", command->example);
}

static bool asks_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int unknown_command(const char *word)
{
    size_t length = strlen(word);
    if (length > 3 && strcmp(word + length - 3, ".zw") == 0)
        return cli_wrong("what about '%s'? For example: zwang derive %s", word, word);
    return cli_wrong("unknown command '%s'; 'zwang --help' lists them", word);
}

int main(int count, char **words)
{
    use_one_thread();
    zw_on_no_memory(memory_ended);
    if (count < 2) {
        cli_help(stderr);
        return ZW_WRONG;
    }
    if (strcmp(words[1], "help") == 0 && count > 2 && cli_command_find(words[2]))
        return cli_command_help(cli_command_find(words[2])), ZW_DONE;
    if (asks_help(words[1]) || strcmp(words[1], "help") == 0)
        return cli_help(stdout), ZW_DONE;
    if (strcmp(words[1], "--version") == 0)
        return printf("zwang %s\n", zw_version()), ZW_DONE;
    const CliCommand *command = cli_command_find(words[1]);
    if (!command)
        return unknown_command(words[1]);
    if (!command->run)
        return cli_wrong("'zwang %s' is not part of this version yet", words[1]);
    for (int i = 2; i < count; i++)
        if (asks_help(words[i]))
            return cli_command_help(command), ZW_DONE;
    CliWords read = {.command = command->name, .count = count - 1, .all = words + 1};
    if (!cli_read_words(count - 2, words + 2, &read))
        return ZW_WRONG;
    return command->run(&read);
}
