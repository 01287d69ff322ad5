// sweep_table.c: a sweep as CSV: a line a run, or a line for each item of a list that is kept.
#include "base/decimal.h"
#include "show/file_formats_impl.h"
#include "show/file_impl.h"
#include "show/show_sweep.h"

#include <errno.h>
#include <float.h>
#include <string.h>

// ---- What CSV can hold.

static const KeepList *list_of(const ShowSweep *sweep)
{
    return keep_list_count(sweep->plan) > 0 ? keep_list(sweep->plan, 0) : NULL;
}

Status show_sweep_check(const char *path, const ShowSweep *sweep, Diag *diag)
{
    ShowFormat format = show_format_of(path, SHOW_CSV);
    const KeepList *list = list_of(sweep);
    if (format == SHOW_HDF5 && show_file_is_direct(path))
        return diag_error(diag, place_hint(HINT_OUT), "HDF5 needs a regular file, '%s' is none",
                          path);
    if (format == SHOW_HDF5)
        return STATUS_OK;
    if (format != SHOW_CSV)
        return diag_error(diag, place_hint(HINT_OUT),
                          "a sweep is written as .csv or .h5, '%s' is neither", path);
    if (keep_list_count(sweep->plan) > 1)
        return diag_error(diag, place_hint(HINT_KEEP),
                          "CSV has a line for each item of one list, and '%s' and '%s' are two; "
                          "keep one of them, or write .h5",
                          list->word, keep_list(sweep->plan, 1)->word);
    for (size_t i = 0; i < keep_number_count(sweep->plan) && list; i++)
        if (keep_is_final(sweep->plan, i))
            return diag_error(diag, place_hint(HINT_KEEP),
                              "'final' and '%s' have columns of the same names, which CSV cannot "
                              "tell apart; keep last(…) of what is wanted, or write .h5",
                              list->word);
    return STATUS_OK;
}

// ---- Lines.

typedef struct {
    const ShowSweep *sweep;
    const KeepList *list;
    int digits;
    Text line;
} Writer;

static void add_number(Writer *writer, double value)
{
    text_add_char(&writer->line, ',');
    value = value == 0 ? 0 : value; // nobody wants to read −0
    if (writer->digits > 0)
        text_addf(&writer->line, "%.*g", writer->digits, value);
    else
        text_add_decimal(&writer->line, value);
}

static void add_text(Writer *writer, const char *text)
{
    text_add_char(&writer->line, ',');
    show_csv_text(text, &writer->line);
}

static bool is_column(const Writer *writer, const char *name)
{
    const ShowSweep *sweep = writer->sweep;
    bool found = false;
    for (size_t i = 0; i < keep_number_count(sweep->plan) && !found; i++)
        found = strcmp(name, keep_number_name(sweep->plan, i)) == 0;
    for (size_t i = 0; writer->list && i < writer->list->width && !found; i++)
        found = strcmp(name, writer->list->columns[i]) == 0;
    return found;
}

// A column of the sweep itself: `steps`, or `sweep.steps` where the model has one of this name.
static void add_own_name(Writer *writer, const char *name)
{
    Text own = {0};
    text_add(&own, name);
    while (is_column(writer, own.at)) {
        Text longer = {0};
        text_addf(&longer, "sweep.%s", own.at);
        text_clear(&own);
        own = longer;
    }
    show_csv_text(own.at, &writer->line);
    text_clear(&own);
}

static void add_head(Writer *writer)
{
    static const char *const last[] = {"status", "steps", "error", "t", "message"};
    const ShowSweep *sweep = writer->sweep;
    add_own_name(writer, "run");
    for (size_t i = 0; i < sweep->design->axis_count; i++)
        add_text(writer, sweep->axes[i]);
    for (size_t i = 0; i < keep_number_count(sweep->plan); i++)
        add_text(writer, keep_number_name(sweep->plan, i));
    for (size_t i = 0; writer->list && i < writer->list->width; i++)
        add_text(writer, writer->list->columns[i]);
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
        text_add_char(&writer->line, ',');
        add_own_name(writer, last[i]);
    }
    text_add_char(&writer->line, '\n');
}

// An item of the list; NULL: there is none.
static void add_item(Writer *writer, const double *item)
{
    const KeepList *list = writer->list;
    for (size_t i = 0; i < list->width; i++)
        if (!item)
            text_add_char(&writer->line, ',');
        else if (list->kind == KEEP_EVENTS && i == 1)
            add_text(writer, run_event_name((RunEventKind)item[i]));
        else if (list->kind == KEEP_EVENTS && i == 2)
            add_text(writer, keep_label(writer->sweep->plan, (size_t)item[i]));
        else
            add_number(writer, item[i]);
}

static void add_line(Writer *writer, const SweepRecord *record, const double *item)
{
    const ShowSweep *sweep = writer->sweep;
    text_addf(&writer->line, "%zu", record->run);
    for (size_t i = 0; i < sweep->design->axis_count; i++)
        add_number(writer, sweep_value(sweep->design, i, record->run));
    for (size_t i = 0; i < keep_number_count(sweep->plan); i++)
        add_number(writer, record->numbers[i]);
    if (writer->list)
        add_item(writer, item);
    add_text(writer, sweep_status_name(record->status));
    text_addf(&writer->line, ",%zu", record->steps);
    add_number(writer, record->error);
    add_number(writer, record->t);
    add_text(writer, record->message);
    text_add_char(&writer->line, '\n');
}

static Status write_runs(Writer *writer, const ShowFile *file, Diag *diag)
{
    const ShowSweep *sweep = writer->sweep;
    add_head(writer);
    for (size_t run = 0; run < sweep->design->runs; run++) {
        SweepRecord record;
        if (!run_store_has(sweep->store, run))
            continue;
        if (!run_store_read(sweep->store, run, &record))
            return show_file_error(file->path, EIO, diag);
        size_t lines = writer->list ? record.counts[0] : 0;
        for (size_t i = 0; i < (lines > 0 ? lines : 1); i++)
            add_line(writer, &record, lines > 0 ? record.items[0] + i * record.widths[0] : NULL);
        fwrite(writer->line.at, 1, writer->line.length, file->stream);
        writer->line.length = 0;
        if (ferror(file->stream))
            return show_file_error(file->path, errno, diag);
    }
    fwrite(writer->line.at, 1, writer->line.length, file->stream); // where there is no run
    return ferror(file->stream) ? show_file_error(file->path, errno, diag) : STATUS_OK;
}

bool show_sweep_is_hdf5(const char *path)
{
    return show_format_of(path, SHOW_CSV) == SHOW_HDF5;
}

Status show_sweep_write(const char *path, const ShowSweep *sweep, Diag *diag)
{
    if (show_sweep_is_hdf5(path))
        return show_sweep_hdf5(path, sweep, diag);
    ShowFile file;
    size_t digits = sweep->run.digits;
    Writer writer = {.sweep = sweep,
                     .list = list_of(sweep),
                     .digits = (int)(digits < DBL_DECIMAL_DIG ? digits : DBL_DECIMAL_DIG)};
    TRY(show_file_open(&file, path, diag));
    Status status = write_runs(&writer, &file, diag);
    text_clear(&writer.line);
    Status closed = show_file_close(&file, status == STATUS_OK, diag);
    return status != STATUS_OK ? status : closed;
}
