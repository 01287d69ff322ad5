// table.c: rows of numbers in CSV, JSON, JSON lines or HDF5; the ending of the name decides.
//
// Numbers have 17 significant digits, so that they read back bit for bit. A row is written when
// it comes: the memory that a table takes does not grow with its rows.
#include "show/show_impl.h"

#include <errno.h>
#include <math.h>
#include <string.h>

typedef enum { TABLE_CSV, TABLE_JSON, TABLE_JSONL, TABLE_HDF5 } TableFormat;

static const struct {
    const char *ending;
    TableFormat format;
} endings[] = {
    {".json", TABLE_JSON},
    {".jsonl", TABLE_JSONL},
    {".h5", TABLE_HDF5},
    {".hdf5", TABLE_HDF5},
};

struct ShowTable {
    TableFormat format;
    ShowFile file;  // of all formats but HDF5
    ShowHdf5 *hdf5; // of that one
    char **keys;    // what stands before each number of a row
    size_t count, rows;
};

static TableFormat format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i].ending) == 0)
            return endings[i].format;
    return TABLE_CSV;
}

// ---- The head.

static void add_csv_name(const char *name, Text *out)
{
    if (!strpbrk(name, ",\"\n")) {
        text_add(out, name);
        return;
    }
    text_add_char(out, '"');
    for (; *name; name++)
        text_add(out, *name == '"' ? "\"\"" : (char[]){*name, '\0'});
    text_add_char(out, '"');
}

static void write_head(ShowTable *table, const ShowRun *run)
{
    Text head = {0};
    text_add(&head, table->format == TABLE_JSON ? "{\"columns\":[" : "");
    for (size_t i = 0; i < run->count && table->format != TABLE_JSONL; i++) {
        text_add(&head, i ? "," : "");
        if (table->format == TABLE_CSV)
            add_csv_name(run->columns[i], &head);
        else
            show_json_string(run->columns[i], &head);
    }
    if (table->format == TABLE_JSON)
        text_add(&head, "],\"rows\":[");
    if (table->format == TABLE_CSV)
        text_add(&head, "\n");
    fputs(head.at, table->file.stream);
    text_clear(&head);
}

static void make_keys(ShowTable *table, const ShowRun *run)
{
    table->keys = base_alloc((run->count + 1) * sizeof *table->keys);
    for (size_t i = 0; i < run->count; i++) {
        Text key = {0};
        text_add(&key, i ? "," : table->format == TABLE_JSONL ? "{" : "");
        if (table->format == TABLE_JSONL) {
            show_json_string(run->columns[i], &key);
            text_add(&key, ":");
        }
        table->keys[i] = key.at;
    }
}

static void table_free(ShowTable *table)
{
    for (size_t i = 0; table->keys && i < table->count; i++)
        base_free(table->keys[i]);
    base_free(table->keys);
    base_free(table);
}

Status show_table_open(const char *path, const ShowRun *run, Diag *diag, ShowTable **out)
{
    ShowTable *table = base_alloc(sizeof *table);
    *out = NULL;
    table->format = format_of(path);
    table->count = run->count;
    Status status = table->format == TABLE_HDF5 ? show_hdf5_open(path, run, diag, &table->hdf5)
                                                : show_file_open(&table->file, path, diag);
    if (status != STATUS_OK) {
        table_free(table);
        return status;
    }
    if (table->format != TABLE_HDF5) {
        make_keys(table, run);
        write_head(table, run);
    }
    *out = table;
    return STATUS_OK;
}

// ---- Rows.

// JSON has no word for what is not a number; nobody wants to read −0.
static void write_number(FILE *file, double value, TableFormat format)
{
    value = value == 0 ? 0 : value;
    if (format != TABLE_CSV && !isfinite(value))
        fputs("null", file);
    else if (isnan(value))
        fputs("nan", file); // some have a sign, which says nothing
    else
        fprintf(file, "%.17g", value);
}

Status show_table_row(ShowTable *table, const double *row, Diag *diag)
{
    if (table->hdf5)
        return show_hdf5_row(table->hdf5, row, diag);
    FILE *file = table->file.stream;
    if (table->format == TABLE_JSON)
        fputs(table->rows ? ",\n[" : "\n[", file);
    for (size_t i = 0; i < table->count; i++) {
        fputs(table->keys[i], file);
        write_number(file, row[i], table->format);
    }
    fputs(table->format == TABLE_JSON ? "]" : table->format == TABLE_JSONL ? "}\n" : "\n", file);
    table->rows++;
    return ferror(file) ? show_file_error(table->file.path, errno, diag) : STATUS_OK;
}

Status show_table_audit(ShowTable *table, const char *json, Diag *diag)
{
    return table->hdf5 ? show_hdf5_audit(table->hdf5, json, diag) : STATUS_OK;
}

Status show_table_close(ShowTable *table, ShowEnd end, Diag *diag)
{
    Status status;
    if (table->hdf5) {
        status = show_hdf5_close(table->hdf5, end, diag);
    } else {
        if (table->format == TABLE_JSON)
            fputs("\n]}\n", table->file.stream);
        status = show_file_close(&table->file, end != SHOW_DROPPED, diag);
    }
    table_free(table);
    return status;
}
