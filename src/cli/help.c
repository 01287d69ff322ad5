// help.c: what the program and each command say about themselves.
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word, *value, *commands, *help;
} options[] = {
#define OPTION(NAME, word, value, commands, help) {word, value, commands, help},
#include "cli/options.def"
#undef OPTION
};

enum { NAME_COLUMN = 12, OPTION_COLUMN = 27, NARROW_COLUMN = 8, NARROW = 70 };

// Text that grows; a program that has no memory left ends.
typedef struct {
    char *at;
    size_t length, capacity;
} Page;

static void add(Page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(Page *page, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t more = (size_t)vsnprintf(NULL, 0, format, args) + 1;
    if (page->length + more > page->capacity) {
        page->capacity = 2 * (page->length + more);
        char *larger = cli_alloc(page->capacity);
        memcpy(larger, page->at ? page->at : "", page->length);
        free(page->at);
        page->at = larger;
    }
    vsnprintf(page->at + page->length, more, format, again);
    page->length += more - 1;
    va_end(again);
    va_end(args);
}

// The columns of UTF-8 text.
static int columns_of(const char *text, size_t bytes)
{
    int count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

// The bytes before the next space outside of brackets.
static size_t word_bytes(const char *text)
{
    size_t bytes = 0;
    for (int depth = 0; text[bytes] && (depth > 0 || text[bytes] != ' '); bytes++)
        depth += text[bytes] == '[' ? 1 : text[bytes] == ']' ? -1 : 0;
    return bytes;
}

// Adds a text from column `at` on; lines that follow begin at column `indent`, behind `end` of the
// line before.
static void add_wrapped(Page *page, const char *text, int at, int indent, const char *end)
{
    size_t width = cli_width(stdout);
    for (bool first = true; *text; first = false) {
        size_t bytes = word_bytes(text);
        int columns = columns_of(text, bytes);
        size_t room = (size_t)(at + 1 + columns) + strlen(end);
        if (!first && width && room > width) {
            add(page, "%s\n%*s", end, indent, "");
            at = indent;
        } else if (!first) {
            add(page, " ");
            at++;
        }
        add(page, "%.*s", (int)bytes, text);
        at += columns;
        text += bytes;
        text += *text == ' ';
    }
    add(page, "\n");
}

static void print_page(Page *page, FILE *out)
{
    cli_print(out, page->at);
    free(page->at);
}

void cli_help(FILE *out)
{
    Page page = {0};
    add(&page, "zwang: equations of motion in classical forms, proved equal, and run\n\n"
               "Commands (zwang COMMAND --help says more):\n");
    for (int i = 0; i < cli_command_count; i++) {
        if (!cli_commands[i].run)
            continue;
        add(&page, "  %-10s", cli_commands[i].name);
        add_wrapped(&page, cli_commands[i].summary, NAME_COLUMN, NAME_COLUMN, "");
    }
    add(&page,
        "\nA model is a text file; 'zwang gallery' lists examples, and makes a file of one:\n"
        "  zwang gallery blade > blade.zw\n"
        "  zwang derive blade.zw --form multipliers,appell\n"
        "  zwang run blade.zw --out blade.csv\n"
        "\nExit codes: 0 done; 1 the answer is negative, or a run stopped early; 2 the input "
        "is wrong; 3 the machine failed.\n"
        "Manual: docs/README.md\n");
    print_page(&page, out);
}

// An option and what it does beside it; below it where the terminal is narrow or the word long.
static void add_option(Page *page, size_t which)
{
    const char *value = options[which].value;
    size_t width = cli_width(stdout);
    int column = width && width < NARROW ? NARROW_COLUMN : OPTION_COLUMN;
    Page left = {0};
    add(&left, "  %s%s%s", options[which].word, value ? " " : "", value ? value : "");
    int columns = columns_of(left.at, left.length);
    if (columns + 1 < column)
        add(page, "%s%*s", left.at, column - columns, "");
    else
        add(page, "%s\n%*s", left.at, column, "");
    add_wrapped(page, options[which].help, column, column, "");
    free(left.at);
}

void cli_command_help(const CliCommand *command)
{
    Page page = {0};
    bool any = false;
    add_wrapped(&page, command->usage, 0, 4, "");
    add(&page, "\nThis command ");
    add_wrapped(&page, command->summary, (int)strlen("This command "), 0, "");
    // The end of its sentence.
    page.length--;
    add(&page, ".\n");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (!cli_takes(options[i].commands, command->name))
            continue;
        add(&page, any ? "" : "\nOptions:\n");
        any = true;
        add_option(&page, i);
    }
    add(&page, "\nExample:\n  ");
    add_wrapped(&page, command->example, 2, 4, " \\");
    add(&page, "\nManual: docs/commands.md#%s\n", command->name);
    print_page(&page, stdout);
}
