// file_formats.c: the formats of a table of numbers, and text in a CSV cell.
#include "show/file_formats_impl.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *ending;
    ShowFormat format;
} endings[] = {
    {".csv", SHOW_CSV}, {".json", SHOW_JSON}, {".jsonl", SHOW_JSONL},
    {".h5", SHOW_HDF5}, {".hdf5", SHOW_HDF5},
};

ShowFormat show_format_of(const char *path, ShowFormat otherwise)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i].ending) == 0)
            return endings[i].format;
    return otherwise;
}

void show_csv_text(const char *text, Text *out)
{
    assert(text && out);
    if (!strpbrk(text, ",\"\n")) {
        text_add(out, text);
        return;
    }
    text_add_char(out, '"');
    for (; *text; text++)
        text_add(out, *text == '"' ? "\"\"" : (char[]){*text, '\0'});
    text_add_char(out, '"');
}
