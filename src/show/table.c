// table.c: rows of numbers in CSV, JSON, JSON lines or HDF5; the ending of the name decides.
//
// Numbers have the fewest digits that read back bit for bit. A row is written when it comes: the
// memory that a table takes does not grow with its rows.
#include "base/decimal.h"
#include "show/event_records_impl.h"
#include "show/file_formats_impl.h"
#include "show/file_impl.h"
#include "show/hdf5_impl.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

struct ShowTable {
    ShowFormat format;
    ShowFile file;  // of all formats but HDF5
    ShowHdf5 *hdf5; // of that one
    Str *keys;      // what stands before each number of a row
    char *row;      // room for the text of one
    size_t count, rows;
    bool float32; // all but the first column
    int digits;   // of a number; 0: those that read back to the same one
    // Of JSON, where the events come after all rows: until then they are kept in a file.
    EventNames names;
    FILE *events;
    Text facts; // what it ends with
};

// ---- The head.

static void write_head(ShowTable *table, const ShowRun *run)
{
    Text head = {0};
    text_add(&head, table->format == SHOW_JSON ? "{\"columns\":[" : "");
    for (size_t i = 0; i < run->count && table->format != SHOW_JSONL; i++) {
        text_add(&head, i ? "," : "");
        if (table->format == SHOW_CSV)
            show_csv_text(run->columns[i], &head);
        else
            show_json_string(run->columns[i], &head);
    }
    if (table->format == SHOW_JSON)
        text_add(&head, "],\"rows\":[");
    if (table->format == SHOW_CSV)
        text_add(&head, "\n");
    fputs(head.at, table->file.stream);
    text_clear(&head);
}

static void make_keys(ShowTable *table, const ShowRun *run)
{
    table->keys = base_alloc((run->count + 1) * sizeof *table->keys);
    size_t room = sizeof ",\n[]\n" + run->count * DECIMAL_MOST + DECIMAL_ROOM;
    for (size_t i = 0; i < run->count; i++) {
        Text key = {0};
        text_add(&key, i ? "," : table->format == SHOW_JSONL ? "{" : "");
        if (table->format == SHOW_JSONL) {
            show_json_string(run->columns[i], &key);
            text_add(&key, ":");
        }
        table->keys[i] = (Str){key.at, key.length};
        room += key.length;
    }
    table->row = base_alloc(room);
}

static void table_free(ShowTable *table)
{
    for (size_t i = 0; table->keys && i < table->count; i++)
        base_free((char *)table->keys[i].at);
    base_free(table->keys);
    base_free(table->row);
    event_names_clear(&table->names);
    text_clear(&table->facts);
    if (table->events)
        fclose(table->events);
    base_free(table);
}

Status show_table_open(const char *path, const ShowRun *run, Diag *diag, ShowTable **out)
{
    ShowTable *table = base_alloc(sizeof *table);
    *out = NULL;
    table->format = show_format_of(path, SHOW_CSV);
    table->count = run->count;
    table->float32 = run->float32;
    table->digits = (int)(run->digits < DBL_DECIMAL_DIG ? run->digits : DBL_DECIMAL_DIG);
    Status status = table->format == SHOW_HDF5 ? show_hdf5_open(path, run, true, diag, &table->hdf5)
                                               : show_file_open(&table->file, path, diag);
    if (status != STATUS_OK) {
        table_free(table);
        return status;
    }
    if (table->format != SHOW_HDF5) {
        make_keys(table, run);
        event_names_init(&table->names, run);
        write_head(table, run);
    }
    *out = table;
    return STATUS_OK;
}

// ---- Rows.

static char *put(char *at, const char *bytes, size_t length)
{
    memcpy(at, bytes, length);
    return at + length;
}

// JSON has no word for what is not a number; nobody wants to read −0.
static char *put_number(char *at, double value, const ShowTable *table, bool float32)
{
    ShowFormat format = table->format;
    value = float32 ? (double)(float)value : value;
    if (format != SHOW_CSV && !isfinite(value))
        return put(at, "null", 4);
    value = value == 0 ? 0 : value;
    if (table->digits > 0)
        return at + snprintf(at, DECIMAL_ROOM, "%.*g", table->digits, value);
    return at + (float32 ? decimal_write_float((float)value, at) : decimal_write(value, at));
}

static size_t lay_out_row(const ShowTable *table, const double *row)
{
    char *at = table->row;
    if (table->format == SHOW_JSON)
        at = table->rows ? put(at, ",\n[", 3) : put(at, "\n[", 2);
    for (size_t i = 0; i < table->count; i++) {
        Str key = table->keys[i];
        // In most tables it is a comma, or nothing.
        if (key.length == 1)
            *at++ = key.at[0];
        else if (key.length > 1)
            at = put(at, key.at, key.length);
        at = put_number(at, row[i], table, table->float32 && i > 0);
    }
    if (table->format != SHOW_CSV)
        *at++ = table->format == SHOW_JSON ? ']' : '}';
    if (table->format != SHOW_JSON)
        *at++ = '\n';
    return (size_t)(at - table->row);
}

Status show_table_row(ShowTable *table, const double *row, Diag *diag)
{
    assert(table->hdf5 || table->file.stream);
    if (table->hdf5)
        return show_hdf5_row(table->hdf5, row, diag);
    FILE *file = table->file.stream;
    fwrite(table->row, 1, lay_out_row(table, row), file);
    table->rows++;
    return ferror(file) ? show_file_error(table->file.path, errno, diag) : STATUS_OK;
}

bool show_table_can_be_cut(const ShowTable *table)
{
    return !table->hdf5 || show_hdf5_can_be_cut(table->hdf5);
}

// ---- Events.

bool show_table_keeps_events(const ShowTable *table)
{
    return table->hdf5 || table->format == SHOW_JSON;
}

Status show_table_event(ShowTable *table, const RunEvent *event, Diag *diag)
{
    assert(table->hdf5 || table->file.stream);
    if (table->hdf5)
        return show_hdf5_event(table->hdf5, event, diag);
    if (!show_table_keeps_events(table))
        return STATUS_OK;
    Text record = {0};
    text_add(&record, table->events ? ",\n" : "\n");
    event_add_json(&table->names, event, &record);
    if (!table->events)
        table->events = tmpfile();
    bool good = table->events && fputs(record.at, table->events) >= 0;
    text_clear(&record);
    return good ? STATUS_OK : show_file_error(table->file.path, errno, diag);
}

Status show_table_facts(ShowTable *table, const char *json, Diag *diag)
{
    assert(json[0] == ',');
    table->facts.length = 0;
    if (!table->hdf5) {
        text_add(&table->facts, json);
        return STATUS_OK;
    }
    text_addf(&table->facts, "{%s}", json + 1);
    return show_hdf5_json(table->hdf5, "facts", table->facts.at, diag);
}

// The end of a JSON table: ,"events":[…]}; false where what was kept cannot be read again.
static bool add_json_end(ShowTable *table, Text *ending)
{
    char block[4096];
    size_t length;
    text_add(ending, "\n],\"events\":[");
    if (table->events) {
        rewind(table->events);
        while ((length = fread(block, 1, sizeof block, table->events)) > 0)
            text_add_str(ending, (Str){block, length});
        text_add(ending, "\n");
    }
    text_addf(ending, "]%s}\n", table->facts.at ? table->facts.at : "");
    return !table->events || !ferror(table->events);
}

// ---- The end.

Status show_table_audit(ShowTable *table, const char *json, Diag *diag)
{
    return table->hdf5 ? show_hdf5_json(table->hdf5, "audit", json, diag) : STATUS_OK;
}

// Whole rows, though there was no room for all.
static void keep_rows(ShowTable *table, Text *ending, Diag *diag)
{
    Text path = {0};
    bool json = table->format == SHOW_JSON;
    text_add(&path, table->file.path);
    if (!json)
        text_add(ending, "\n");
    if (show_file_close_cut(&table->file, json ? ",\n[" : "\n", (Str){ending->at, ending->length}))
        diag_add(diag, DIAG_NOTE, place_none(), "'%s' has the whole rows that there was room for",
                 path.at);
    text_clear(&path);
}

// Of all formats but HDF5.
static Status close_text(ShowTable *table, bool keep, Diag *diag)
{
    Text ending = {0};
    FILE *stream = table->file.stream;
    Status status = STATUS_OK;
    if (keep && table->format == SHOW_JSON && !add_json_end(table, &ending))
        status = show_file_error(table->file.path, errno, diag);
    bool told = ferror(stream) != 0;
    if (keep && !told && ending.length)
        fwrite(ending.at, 1, ending.length, stream);
    bool full = keep && (told || fflush(stream) != 0 || ferror(stream));
    if (full) {
        if (!told)
            status = show_file_error(table->file.path, errno, diag);
        keep_rows(table, &ending, diag);
    } else {
        Status closed = show_file_close(&table->file, keep && status == STATUS_OK, diag);
        status = closed > status ? closed : status;
    }
    text_clear(&ending);
    return status;
}

Status show_table_close(ShowTable *table, ShowEnd end, Diag *diag)
{
    Status status = table->hdf5 ? show_hdf5_close(table->hdf5, end, diag)
                                : close_text(table, end != SHOW_DROPPED, diag);
    table_free(table);
    return status;
}
