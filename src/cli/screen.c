// screen.c: everything that people read goes through here: wrapped at the width of the terminal, in
// its characters, with colours where it has them. Data (CSV, JSON, LaTeX, code) does not.
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_WIDTH = 80, LEAST_WIDTH = 20, MOST_WIDTH = 1000000 };

typedef enum { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER } Colour;

static struct {
    bool has_width, ascii;
    size_t width;
    Colour colour;
} screen;

static bool read_columns(const char *text, size_t *width)
{
    char *end;
    long value = strtol(text, &end, 10);
    *width = (size_t)value;
    return *text && !*end && (value == 0 || value >= LEAST_WIDTH) && value <= MOST_WIDTH;
}

static bool read_colour(const char *text)
{
    static const char *const names[] = {"auto", "always", "never"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            screen.colour = (Colour)i;
            return true;
        }
    cli_wrong("--color %s: it is auto, always or never", text);
    return false;
}

static bool read_width(const char *text)
{
    screen.has_width = read_columns(text, &screen.width);
    if (!screen.has_width)
        cli_wrong("--width %s: it is a number of columns, at least %d, or 0 for lines as long as "
                  "they are",
                  text, LEAST_WIDTH);
    return screen.has_width;
}

// The value of an option that needs one, NULL where this word is another; *missing: it has none.
static const char *value_of(const char *option, int count, char **words, int *at, bool *missing)
{
    size_t length = strlen(option);
    if (strncmp(words[*at], option, length) != 0)
        return NULL;
    if (words[*at][length] == '=')
        return words[*at] + length + 1;
    if (words[*at][length])
        return NULL;
    *missing = *at + 1 == count;
    return *missing ? "" : words[++*at];
}

bool cli_screen_words(int *count, char **words)
{
    const char *locale = getenv("LC_ALL");
    int kept = 0;
    bool good = true, missing = false;
    screen.ascii = locale && (strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0);
    for (int i = 0; i < *count; i++) {
        const char *width = value_of("--width", *count, words, &i, &missing);
        const char *colour = width ? NULL : value_of("--color", *count, words, &i, &missing);
        if (missing)
            return cli_wrong("%s needs a value", words[i]), false;
        if (width)
            good = good && read_width(width);
        else if (colour)
            good = good && read_colour(colour);
        else if (strcmp(words[i], "--ascii") == 0)
            screen.ascii = true;
        else
            words[kept++] = words[i];
    }
    *count = kept;
    return good;
}

size_t cli_width(FILE *stream)
{
    struct winsize size;
    size_t columns;
    const char *told = getenv("COLUMNS");
    if (screen.has_width)
        return screen.width;
    if (isatty(fileno(stream)) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col > LEAST_WIDTH ? size.ws_col : LEAST_WIDTH;
    return told && read_columns(told, &columns) ? columns : USUAL_WIDTH;
}

static bool has_colour(FILE *stream)
{
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (screen.colour != COLOUR_AUTO)
        return screen.colour == COLOUR_ALWAYS;
    return !(refused && *refused) && isatty(fileno(stream)) &&
           !(terminal && strcmp(terminal, "dumb") == 0);
}

void cli_print(FILE *stream, const char *text)
{
    char *shown = zw_for_terminal(text, &(zw_terminal){.width = cli_width(stream),
                                                       .ascii = screen.ascii,
                                                       .colour = has_colour(stream)});
    // Where memory has ended lines stay as long as they are.
    fputs(shown ? shown : text, stream);
    zw_free(shown);
}
