// table.c: rows of numbers in CSV, JSON or JSON lines.
//
// A regular file is written beside its place and renamed when it is whole; anything else (a
// device, a pipe, standard output) is written directly. Numbers have 17 significant digits, so
// that they read back bit for bit.
#include "show/show.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum { TABLE_CSV, TABLE_JSON, TABLE_JSONL } TableFormat;

struct ShowTable {
    FILE *file;
    char *path;      // what was asked for
    char *temporary; // what is written; NULL where it is the same
    char **columns;
    size_t count, rows;
    TableFormat format;
};

static TableFormat format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".json") == 0)
        return TABLE_JSON;
    return dot && strcmp(dot, ".jsonl") == 0 ? TABLE_JSONL : TABLE_CSV;
}

static Status cannot_write(const ShowTable *table, Diag *diag)
{
    bool user = errno == ENOENT || errno == EACCES || errno == EISDIR || errno == ENOTDIR ||
                errno == EROFS || errno == ENAMETOOLONG || errno == EPERM;
    diag_error(diag, place_none(), "cannot write '%s': %s", table->path, strerror(errno));
    return user ? STATUS_WRONG : STATUS_FAILED;
}

static char *copy_of(const char *text, const char *ending)
{
    char *copy = base_alloc(strlen(text) + strlen(ending) + 1);
    strcpy(copy, text);
    return strcat(copy, ending);
}

// Opens the temporary file beside the place, with the rights a new file would have.
static FILE *open_beside(ShowTable *table)
{
    table->temporary = copy_of(table->path, ".XXXXXX");
    int descriptor = mkstemp(table->temporary);
    if (descriptor < 0) {
        base_free(table->temporary);
        table->temporary = NULL;
        return NULL;
    }
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(descriptor, 0666 & ~mask) != 0)
        errno = 0; // the file is private then, and still whole
    return fdopen(descriptor, "w");
}

static FILE *open_file(ShowTable *table)
{
    if (strcmp(table->path, "-") == 0)
        return stdout;
    struct stat there;
    if (stat(table->path, &there) != 0)
        return open_beside(table);
    if (S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        return NULL;
    }
    if (S_ISREG(there.st_mode)) {
        if (access(table->path, W_OK) != 0)
            return NULL;
        return open_beside(table);
    }
    return fopen(table->path, "w");
}

static void table_free(ShowTable *table)
{
    for (size_t i = 0; i < table->count; i++)
        base_free(table->columns[i]);
    base_free(table->columns);
    base_free(table->path);
    base_free(table->temporary);
    base_free(table);
}

static void write_name(FILE *file, const char *name)
{
    if (!strpbrk(name, ",\"\n")) {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (; *name; name++) {
        if (*name == '"')
            fputc('"', file);
        fputc(*name, file);
    }
    fputc('"', file);
}

static void write_head(const ShowTable *table)
{
    Text text = {0};
    switch (table->format) {
    case TABLE_CSV:
        for (size_t i = 0; i < table->count; i++) {
            if (i)
                fputc(',', table->file);
            write_name(table->file, table->columns[i]);
        }
        fputc('\n', table->file);
        break;
    case TABLE_JSON:
        text_add(&text, "{\"columns\":[");
        for (size_t i = 0; i < table->count; i++) {
            text_add(&text, i ? "," : "");
            show_json_string(table->columns[i], &text);
        }
        text_add(&text, "],\"rows\":[");
        fputs(text.at, table->file);
        break;
    case TABLE_JSONL: break;
    }
    text_clear(&text);
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), count = strlen(ending);
    return length >= count && strcmp(text + length - count, ending) == 0;
}

Status show_table_open(const char *path, const char *const *columns, size_t count, Diag *diag,
                       ShowTable **out)
{
    *out = NULL;
    if (ends_with(path, ".h5") || ends_with(path, ".hdf5"))
        return diag_error(diag, place_none(),
                          "cannot write '%s': this version cannot write HDF5 yet; .csv, .json and "
                          ".jsonl work",
                          path);
    ShowTable *table = base_alloc(sizeof *table);
    *table = (ShowTable){.path = copy_of(path, ""), .count = count, .format = format_of(path)};
    table->columns = base_alloc((count + 1) * sizeof *table->columns);
    for (size_t i = 0; i < count; i++)
        table->columns[i] = copy_of(columns[i], "");
    table->file = open_file(table);
    if (!table->file) {
        Status status = cannot_write(table, diag);
        table_free(table);
        return status;
    }
    write_head(table);
    *out = table;
    return STATUS_OK;
}

// JSON has no word for what is not a number; nobody wants to read −0.
static void write_number(FILE *file, double value, TableFormat format)
{
    value = value == 0 ? 0 : value;
    if (format != TABLE_CSV && !isfinite(value))
        fputs("null", file);
    else
        fprintf(file, "%.17g", value);
}

Status show_table_row(ShowTable *table, const double *row, Diag *diag)
{
    FILE *file = table->file;
    if (table->format == TABLE_JSON)
        fputs(table->rows ? ",\n[" : "\n[", file);
    if (table->format == TABLE_JSONL)
        fputc('{', file);
    for (size_t i = 0; i < table->count; i++) {
        if (i)
            fputc(',', file);
        if (table->format == TABLE_JSONL) {
            Text name = {0};
            show_json_string(table->columns[i], &name);
            fprintf(file, "%s:", name.at);
            text_clear(&name);
        }
        write_number(file, row[i], table->format);
    }
    fputs(table->format == TABLE_JSON ? "]" : table->format == TABLE_JSONL ? "}\n" : "\n", file);
    table->rows++;
    return ferror(file) ? cannot_write(table, diag) : STATUS_OK;
}

Status show_table_close(ShowTable *table, bool keep, Diag *diag)
{
    Status status = STATUS_OK;
    if (table->format == TABLE_JSON)
        fputs("\n]}\n", table->file);
    bool failed = fflush(table->file) != 0 || ferror(table->file);
    if (table->file != stdout)
        failed = fclose(table->file) != 0 || failed;
    if (table->temporary && keep && !failed)
        failed = rename(table->temporary, table->path) != 0;
    if (failed && keep)
        status = cannot_write(table, diag);
    if (table->temporary && (failed || !keep))
        unlink(table->temporary);
    table_free(table);
    return status;
}
