// run_journal.c: the rows and events of a run, kept beside its checkpoints.
#include "api/api_impl.h"
#include "api/run_journal_impl.h"
#include "base/diag.h"
#include "dynamics/tangent_cone.h"
#include "show/show.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void close_file(void *object)
{
    Journal *journal = object;
    if (journal->file)
        fclose(journal->file);
    journal->file = NULL;
}

static void name_file(const char *checkpoint, Text *path)
{
    text_addf(path, "%s.rows", checkpoint);
}

Status journal_open(Journal *journal, const char *checkpoint, Diag *diag)
{
    name_file(checkpoint, &journal->path);
    const char *path = journal->path.at;
    // What goes on is cut back to what the checkpoint knows of it.
    journal->file = fopen(path, journal->length > 0 ? "r+be" : "wbe");
    bool good = journal->file && ftruncate(fileno(journal->file), (off_t)journal->length) == 0 &&
                fseek(journal->file, 0, SEEK_END) == 0;
    if (journal->file)
        base_cleanup_add(&journal->cleanup, close_file, journal);
    return good ? STATUS_OK : show_file_error(path, errno, diag);
}

void journal_close(Journal *journal)
{
    if (journal->file)
        base_cleanup_remove(&journal->cleanup);
    close_file(journal);
    text_clear(&journal->path);
    text_clear(&journal->record);
}

// ---- Writing.

static void put_bytes(Journal *journal, const void *bytes, size_t count)
{
    text_add_str(&journal->record, (Str){bytes, count});
}

static void put_number(Journal *journal, double value)
{
    put_bytes(journal, &value, sizeof value);
}

// NULL is none, which is not an empty text.
static void put_text(Journal *journal, const char *text)
{
    put_number(journal, text ? (double)strlen(text) : -1);
    put_bytes(journal, text ? text : "", text ? strlen(text) + 1 : 0);
}

static void put_numbers(Journal *journal, const double *values, size_t count)
{
    put_number(journal, values ? (double)count : -1);
    put_bytes(journal, values, values ? count * sizeof *values : 0);
}

static void put_texts(Journal *journal, const char *const *texts, size_t count)
{
    put_number(journal, texts ? (double)count : -1);
    for (size_t i = 0; texts && i < count; i++)
        put_text(journal, texts[i]);
}

static void begin(Journal *journal, JournalKind kind)
{
    journal->record.length = 0;
    put_number(journal, kind);
}

static void end(Journal *journal)
{
    uint64_t length = journal->record.length;
    errno = 0;
    bool good = fwrite(&length, sizeof length, 1, journal->file) == 1 &&
                fwrite(journal->record.at, 1, length, journal->file) == length;
    if (!good && !journal->error)
        journal->error = errno ? errno : EIO;
    journal->length += sizeof length + length;
    journal->hash = hash_bytes(journal->record.at, length, journal->hash);
}

void journal_add_row(Journal *journal, JournalKind kind, const double *row)
{
    begin(journal, kind);
    put_bytes(journal, row, journal->columns * sizeof *row);
    end(journal);
}

static void put_cone(Journal *journal, const TangentCone *cone)
{
    put_number(journal, cone ? 1 : 0);
    if (!cone)
        return;
    const double numbers[] = {(double)cone->before, (double)cone->at, (double)cone->dimension,
                              (double)cone->found, cone->most};
    put_bytes(journal, numbers, sizeof numbers);
    put_numbers(journal, cone->branches, cone->found * journal->n);
}

void journal_add_event(Journal *journal, const RunEvent *event)
{
    size_t n = journal->n;
    const double numbers[] = {event->t,           event->kind,     event->impulse,
                              event->energy_lost, event->doubtful, event->uncertainty};
    begin(journal, JOURNAL_EVENT);
    put_bytes(journal, numbers, sizeof numbers);
    put_text(journal, event->constraint ? event->constraint->name : NULL);
    put_text(journal, event->what);
    put_numbers(journal, event->before, n);
    put_numbers(journal, event->after, n);
    put_numbers(journal, event->impulses, n);
    put_numbers(journal, event->state, journal->columns);
    put_texts(journal, event->from, event->speed_count);
    put_texts(journal, event->to, event->speed_count);
    put_cone(journal, event->cone);
    end(journal);
}

Status journal_write(Journal *journal, Diag *diag)
{
    if (!journal->error && (fflush(journal->file) != 0 || fdatasync(fileno(journal->file)) != 0))
        journal->error = errno;
    return journal->error ? show_file_error(journal->path.at, journal->error, diag) : STATUS_OK;
}

// ---- Reading: what its hash vouches for was written above.

typedef struct {
    const char *at, *end;
    Arena *arena;
    size_t n;
    bool good;
} Reader;

static const void *take(Reader *reader, size_t bytes)
{
    reader->good = reader->good && (size_t)(reader->end - reader->at) >= bytes;
    const char *at = reader->at;
    reader->at += reader->good ? bytes : 0;
    return reader->good ? at : NULL;
}

static double take_number(Reader *reader)
{
    double value = 0;
    const void *bytes = take(reader, sizeof value);
    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return value;
}

static const char *take_text(Reader *reader)
{
    double length = take_number(reader);
    return length >= 0 ? take(reader, (size_t)length + 1) : NULL;
}

static const double *take_numbers(Reader *reader)
{
    double count = take_number(reader);
    const void *bytes = count >= 0 ? take(reader, (size_t)count * sizeof(double)) : NULL;
    if (!bytes)
        return NULL;
    double *values = arena_array(reader->arena, double, (size_t)count + 1);
    return memcpy(values, bytes, (size_t)count * sizeof *values);
}

static const char *const *take_texts(Reader *reader, size_t *number)
{
    double count = take_number(reader);
    if (!(count >= 0 && count <= (double)(reader->end - reader->at)))
        return NULL;
    const char **texts = arena_array(reader->arena, const char *, (size_t)count + 1);
    for (size_t i = 0; i < (size_t)count; i++)
        texts[i] = take_text(reader);
    *number = (size_t)count;
    return texts;
}

static const TangentCone *take_cone(Reader *reader)
{
    if (take_number(reader) == 0)
        return NULL;
    TangentCone *cone = arena_array(reader->arena, TangentCone, 1);
    cone->before = (size_t)take_number(reader);
    cone->at = (size_t)take_number(reader);
    cone->dimension = (size_t)take_number(reader);
    cone->found = (size_t)take_number(reader);
    cone->most = take_number(reader);
    cone->branches = (double *)take_numbers(reader);
    return cone;
}

static bool give_event(Reader *reader, const JournalReader *to)
{
    RunEvent event = {.t = take_number(reader), .kind = (RunEventKind)take_number(reader)};
    event.impulse = take_number(reader);
    event.energy_lost = take_number(reader);
    event.doubtful = take_number(reader) != 0;
    event.uncertainty = take_number(reader);
    const char *constraint = take_text(reader);
    event.what = take_text(reader);
    event.before = take_numbers(reader);
    event.after = take_numbers(reader);
    event.impulses = take_numbers(reader);
    event.state = take_numbers(reader);
    event.from = take_texts(reader, &event.speed_count);
    event.to = take_texts(reader, &event.speed_count);
    event.cone = take_cone(reader);
    bool good = reader->good && reader->at == reader->end && event.kind < RUN_EVENT_COUNT &&
                event.before && event.after;
    if (good)
        to->event(to->context, &event, constraint);
    return good;
}

static bool give(const Journal *journal, const char *bytes, size_t length, const JournalReader *to)
{
    Reader reader = {bytes, bytes + length, arena_new(), journal->n, true};
    JournalKind kind = (JournalKind)take_number(&reader);
    bool good = false;
    if (kind == JOURNAL_EVENT) {
        good = give_event(&reader, to);
    } else if ((size_t)(reader.end - reader.at) == journal->columns * sizeof(double)) {
        double *row = arena_array(reader.arena, double, journal->columns + 1);
        memcpy(row, reader.at, journal->columns * sizeof *row);
        to->row(to->context, kind, row);
        good = true;
    }
    arena_free(reader.arena);
    return good;
}

// From the beginning, so many bytes; whether they are what was written. `to` may be NULL.
static bool read_all(const Journal *journal, FILE *file, Text *record, const JournalReader *to)
{
    uint64_t hash = 0, length;
    size_t done = 0;
    while (done < journal->length) {
        if (fread(&length, sizeof length, 1, file) != 1 || length > journal->length - done)
            return false;
        record->length = 0;
        for (char part[4096]; record->length < length;) {
            size_t left = length - record->length, most = left < sizeof part ? left : sizeof part;
            size_t count = fread(part, 1, most, file);
            if (count == 0)
                return false;
            text_add_str(record, (Str){part, count});
        }
        hash = hash_bytes(record->at, length, hash);
        done += sizeof length + length;
        if (to && !give(journal, record->at, length, to))
            return false;
    }
    return hash == journal->hash && done == journal->length;
}

Status journal_read(const Journal *journal, const char *checkpoint, const JournalReader *reader,
                    Diag *diag)
{
    if (journal->length == 0)
        return STATUS_OK;
    Text path = {0}, record = {0};
    name_file(checkpoint, &path);
    FILE *file = api_open_to_read(path.at);
    Journal open = {.file = file};
    if (file)
        base_cleanup_add(&open.cleanup, close_file, &open);
    // All is looked at before any of it is used.
    bool good = file && read_all(journal, file, &record, NULL);
    if (good)
        rewind(file);
    good = good && (!reader || read_all(journal, file, &record, reader));
    Status status = STATUS_OK;
    if (!file)
        status = diag_error(diag, place_hint(HINT_RESUME),
                            "'%s', which belongs to '%s', cannot be read: %s", path.at, checkpoint,
                            strerror(errno));
    else if (!good)
        status = diag_error(diag, place_hint(HINT_RESUME),
                            "'%s' does not belong to '%s', or is damaged: it has other rows than "
                            "the run had when it was saved",
                            path.at, checkpoint);
    if (file)
        base_cleanup_remove(&open.cleanup);
    close_file(&open);
    text_clear(&path);
    text_clear(&record);
    return status;
}
