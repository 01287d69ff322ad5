// run_store.c: records of runs, one after the other.
//
//     file    "zwang sweep 1\n", words of the signature, the signature, then records
//     record  words of 64 bits: how many, run, status, steps, error, t, bytes of the message; how
//             many items each list has; numbers; items; the message; a checksum of all before it
#include "ensemble/run_store.h"
#include "base/diag.h"
#include "base/guard.h"
#include "base/strings.h"
#include "base/text_builder.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static const char *const status_names[SWEEP_STATUS_COUNT] = {"ok", "stopped", "failed", "limit"};

const char *sweep_status_name(SweepStatus status)
{
    assert(status < SWEEP_STATUS_COUNT);
    return status_names[status];
}

static const char magic[16] = "zwang sweep 1\n";
enum { W_COUNT, W_RUN, W_STATUS, W_STEPS, W_ERROR, W_T, W_MESSAGE, W_HEAD };

typedef struct {
    char *path;
    size_t rank;
    int file;
    uint64_t end; // of the records that were read
} RankFile;

// A place is one in a file, its number above these bits: 0 is the store's own.
enum { PLACE_BITS = 48, MOST_FILES = 1 << 14, MOST_MISSING = 16 };

struct RunStore {
    char *path;
    int file;               // -1: in memory
    ARRAY(RankFile) others; // of other ranks, which are read
    RunWords **held;        // of each run, in memory
    uint64_t *offsets;      // of each run in the file; 0: it is not there
    uint64_t end;           // of the file
    size_t runs, done, numbers, lists;
    size_t *widths;
    bool dirty;
    ARRAY(uint64_t) read;
    ARRAY(const double *) items;
    ARRAY(size_t) counts;
    BaseCleanup cleanup;
};

// ---- Records.

static uint64_t checksum(const uint64_t *words, size_t count)
{
    return hash_bytes(words, count * sizeof *words, 1);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double number_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

RunWords *run_store_words(const RunStore *store, const SweepRecord *record)
{
    size_t bytes = strlen(record->message), words = (bytes + 7) / 8, items = 0;
    for (size_t i = 0; i < store->lists; i++)
        items += record->counts[i] * store->widths[i];
    size_t count = W_HEAD + store->lists + store->numbers + items + words + 1;
    RunWords *made = base_alloc_apart(sizeof *made + count * sizeof *made->words);
    uint64_t *all = made->words, *at = all + W_HEAD;
    made->count = count;
    all[W_COUNT] = count;
    all[W_RUN] = record->run;
    all[W_STATUS] = record->status;
    all[W_STEPS] = record->steps;
    all[W_ERROR] = bits_of(record->error);
    all[W_T] = bits_of(record->t);
    all[W_MESSAGE] = bytes;
    for (size_t i = 0; i < store->lists; i++)
        *at++ = record->counts[i];
    for (size_t i = 0; i < store->numbers; i++)
        *at++ = bits_of(record->numbers[i]);
    for (size_t i = 0; i < store->lists; i++) {
        size_t size = record->counts[i] * store->widths[i];
        if (size > 0)
            memcpy(at, record->items[i], size * sizeof *at);
        at += size;
    }
    memcpy(at, record->message, bytes);
    all[count - 1] = checksum(all, count - 1);
    return made;
}

static void take_apart(RunStore *store, const uint64_t *words, SweepRecord *record)
{
    const uint64_t *at = words + W_HEAD;
    store->items.count = store->counts.count = 0;
    for (size_t i = 0; i < store->lists; i++)
        array_push(&store->counts, (size_t)*at++);
    const double *numbers = (const double *)at;
    at += store->numbers;
    for (size_t i = 0; i < store->lists; i++) {
        array_push(&store->items, (const double *)at);
        at += store->counts.at[i] * store->widths[i];
    }
    *record = (SweepRecord){.run = words[W_RUN],
                            .status = (SweepStatus)words[W_STATUS],
                            .steps = words[W_STEPS],
                            .error = number_of(words[W_ERROR]),
                            .t = number_of(words[W_T]),
                            .message = words[W_MESSAGE] ? (const char *)at : "",
                            .numbers = numbers,
                            .items = store->items.at,
                            .counts = store->counts.at,
                            .widths = store->widths};
}

// ---- The file.

static Status cannot(const char *path, const char *what, Diag *diag)
{
    diag_error(diag, place_hint(HINT_OUT), "cannot %s '%s': %s", what, path, strerror(errno));
    return STATUS_FAILED;
}

static bool write_all(int file, const void *bytes, size_t count, uint64_t at)
{
    const char *from = bytes;
    while (count > 0) {
        ssize_t written = pwrite(file, from, count, (off_t)at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        from += written;
        count -= (size_t)written;
        at += (uint64_t)written;
    }
    return true;
}

static bool read_all(int file, void *bytes, size_t count, uint64_t at)
{
    char *to = bytes;
    while (count > 0) {
        ssize_t got = pread(file, to, count, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        count -= (size_t)got;
        at += (uint64_t)got;
    }
    return true;
}

// The words of the record at a place, with one more 0 behind them so that a message ends; false
// where it is not whole.
static bool read_record(RunStore *store, uint64_t place)
{
    uint64_t count, at = place & ((1ULL << PLACE_BITS) - 1), which = place >> PLACE_BITS;
    int file = which == 0 ? store->file : store->others.at[which - 1].file;
    if (!read_all(file, &count, sizeof count, at) ||
        count < W_HEAD + store->lists + store->numbers + 1 || count > UINT32_MAX)
        return false;
    // A length that the file does not have is no reason to ask for so much memory.
    off_t size = lseek(file, 0, SEEK_END);
    if (size < 0 || at + count * sizeof count > (uint64_t)size)
        return false;
    array_reserve(&store->read, count + 1);
    store->read.count = count;
    store->read.at[count] = 0;
    const uint64_t *words = store->read.at;
    return read_all(file, store->read.at, count * sizeof count, at) &&
           words[count - 1] == checksum(words, count - 1) && words[W_RUN] < store->runs &&
           words[W_STATUS] < SWEEP_STATUS_COUNT;
}

// The first line in which two signatures differ, of each.
static void tell_difference(const char *here, const char *there, Text *out)
{
    while (*here && *there) {
        size_t a = strcspn(here, "\n"), b = strcspn(there, "\n");
        if (a != b || memcmp(here, there, a) != 0) {
            text_addf(out, "it was made with '%.*s', and this sweep has '%.*s'", (int)b, there,
                      (int)a, here);
            return;
        }
        here += a + (here[a] == '\n');
        there += b + (there[b] == '\n');
    }
    text_add(out, "it was made by another command");
}

static Status check_signature(int file, const char *path, const char *signature, Diag *diag,
                              uint64_t *end)
{
    char head[sizeof magic];
    uint64_t bytes = 0;
    bool good = read_all(file, head, sizeof head, 0) && memcmp(head, magic, sizeof magic) == 0 &&
                read_all(file, &bytes, sizeof bytes, sizeof magic) && bytes < UINT32_MAX;
    *end = sizeof magic + sizeof bytes + (bytes + 7) / 8 * 8;
    if (!good || (off_t)*end > lseek(file, 0, SEEK_END))
        return diag_error(diag, place_hint(HINT_RESUME),
                          "'%s' is no sweep that was broken off, or is spoiled; take it away to "
                          "begin anew",
                          path);
    char *text = base_alloc(bytes + 1);
    Status status = STATUS_OK;
    if (!read_all(file, text, bytes, sizeof magic + sizeof bytes))
        status = cannot(path, "read", diag);
    Text differs = {0};
    if (status == STATUS_OK && strcmp(text, signature) != 0) {
        tell_difference(signature, text, &differs);
        status = diag_error(diag, place_hint(HINT_RESUME), "'%s' is of another sweep: %s", path,
                            differs.at);
    }
    text_clear(&differs);
    base_free(text);
    return status;
}

static Status begin_file(RunStore *store, const RunStoreOptions *options, Diag *diag)
{
    uint64_t bytes = strlen(options->signature), padding = 0;
    store->end = sizeof magic + sizeof bytes + (bytes + 7) / 8 * 8;
    // The first bytes come last: with them the head is whole.
    if (ftruncate(store->file, (off_t)store->end) != 0 ||
        !write_all(store->file, &bytes, sizeof bytes, sizeof magic) ||
        !write_all(store->file, &padding, sizeof padding, store->end - 8) ||
        !write_all(store->file, options->signature, bytes, sizeof magic + sizeof bytes) ||
        fdatasync(store->file) != 0 || !write_all(store->file, magic, sizeof magic, 0))
        return cannot(store->path, "write", diag);
    store->dirty = true;
    return run_store_sync(store, diag);
}

// All records up to the first that is not whole, which is cut off.
static Status take_records(RunStore *store, Diag *diag)
{
    while (read_record(store, store->end)) {
        size_t run = store->read.at[W_RUN];
        store->done += store->offsets[run] == 0;
        store->offsets[run] = store->end;
        store->end += store->read.count * sizeof(uint64_t);
    }
    return ftruncate(store->file, (off_t)store->end) == 0 ? STATUS_OK
                                                          : cannot(store->path, "write", diag);
}

static void close_file(void *object)
{
    const RunStore *store = object;
    if (store->file >= 0)
        close(store->file);
    for (size_t i = 0; i < store->others.count; i++)
        close(store->others.at[i].file);
}

// One that was killed a moment ago may not have let go of it yet.
static bool lock(int file)
{
    enum { LOOKS = 20 };
    const struct timespec between = {.tv_nsec = 50000000};
    for (int i = 0; i < LOOKS; i++) {
        if (flock(file, LOCK_EX | LOCK_NB) == 0)
            return true;
        nanosleep(&between, NULL);
    }
    return false;
}

static Status open_file(RunStore *store, const RunStoreOptions *options, Diag *diag)
{
    store->file = open(store->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (store->file < 0)
        return cannot(store->path, "write", diag);
    base_cleanup_add(&store->cleanup, close_file, store);
    if (!lock(store->file))
        return diag_error(diag, place_hint(HINT_OUT), "another sweep is writing '%s'", store->path);
    char first[sizeof magic] = {0};
    bool there = lseek(store->file, 0, SEEK_END) > 0 &&
                 !(read_all(store->file, first, sizeof first, 0) && first[0] == 0);
    if (there && !options->resume)
        return diag_error(diag, place_hint(HINT_RESUME),
                          "'%s' has the runs of a sweep that was broken off; go on with it, or "
                          "take it away to begin anew",
                          store->path);
    if (!there)
        return begin_file(store, options, diag);
    TRY(check_signature(store->file, store->path, options->signature, diag, &store->end));
    return take_records(store, diag);
}

Status run_store_open(const RunStoreOptions *options, Diag *diag, RunStore **out)
{
    RunStore *store = base_alloc(sizeof *store);
    store->file = -1;
    store->runs = options->runs;
    store->numbers = options->numbers;
    store->lists = options->lists;
    store->widths = base_alloc((options->lists + 1) * sizeof *store->widths);
    for (size_t i = 0; i < options->lists; i++)
        store->widths[i] = options->widths[i];
    if (options->path) {
        Text path = {0};
        text_add(&path, options->path);
        store->path = path.at;
        store->offsets = base_alloc((options->runs + 1) * sizeof *store->offsets);
    } else {
        store->held = base_alloc((options->runs + 1) * sizeof *store->held);
    }
    Status status = options->path ? open_file(store, options, diag) : STATUS_OK;
    *out = store;
    if (status == STATUS_OK)
        return STATUS_OK;
    run_store_close(store, false);
    *out = NULL;
    return status;
}

void run_store_close(RunStore *store, bool complete)
{
    if (!store)
        return;
    if (store->file >= 0) {
        base_cleanup_remove(&store->cleanup);
        close_file(store);
        if (complete)
            unlink(store->path);
    }
    for (size_t i = 0; i < store->others.count; i++) {
        if (complete)
            unlink(store->others.at[i].path);
        base_free(store->others.at[i].path);
    }
    array_clear(&store->others);
    for (size_t i = 0; i < store->runs && store->held; i++)
        base_free(store->held[i]);
    base_free(store->held);
    base_free(store->offsets);
    base_free(store->widths);
    base_free(store->path);
    array_clear(&store->read);
    array_clear(&store->items);
    array_clear(&store->counts);
    base_free(store);
}

// ---- Files of other ranks.

void run_store_rank_path(const char *path, size_t rank, Text *out)
{
    out->length = 0;
    text_add(out, path);
    if (rank > 0)
        text_addf(out, ".%zu", rank);
}

// What has been written there since it was last read.
static void read_on(RunStore *store, size_t which)
{
    RankFile *other = &store->others.at[which];
    uint64_t base = (uint64_t)(which + 1) << PLACE_BITS;
    while (read_record(store, base | other->end)) {
        size_t run = store->read.at[W_RUN];
        store->done += store->offsets[run] == 0;
        if (store->offsets[run] == 0)
            store->offsets[run] = base | other->end;
        other->end += store->read.count * sizeof(uint64_t);
    }
}

static bool is_joined(const RunStore *store, size_t rank)
{
    for (size_t i = 0; i < store->others.count; i++)
        if (store->others.at[i].rank == rank)
            return true;
    return false;
}

size_t run_store_missing(const RunStore *store, size_t ranks)
{
    for (size_t rank = 1; rank < ranks; rank++)
        if (!is_joined(store, rank))
            return rank;
    return 0;
}

size_t run_store_ranks(const RunStore *store)
{
    size_t ranks = 0;
    for (size_t i = 0; i < store->others.count; i++)
        if (store->others.at[i].rank >= ranks)
            ranks = store->others.at[i].rank + 1;
    return ranks;
}

size_t run_store_rank(const RunStore *store, size_t run)
{
    assert(run_store_has(store, run));
    uint64_t which = store->held ? 0 : store->offsets[run] >> PLACE_BITS;
    return which == 0 ? 0 : store->others.at[which - 1].rank;
}

Status run_store_join(RunStore *store, const char *signature, size_t ranks, Diag *diag)
{
    Text path = {0};
    Status status = STATUS_OK;
    assert(store->file >= 0 && ranks <= MOST_FILES);
    // Those of a sweep before may have been more.
    for (size_t rank = 1, missing = 0;
         (rank < ranks || missing < MOST_MISSING) && rank < MOST_FILES && status == STATUS_OK;
         rank++) {
        run_store_rank_path(store->path, rank, &path);
        int file = is_joined(store, rank) ? -1 : open(path.at, O_RDONLY | O_CLOEXEC);
        if (file < 0) {
            missing++;
            continue;
        }
        missing = 0;
        RankFile other = {.rank = rank, .file = file};
        char first = 0;
        // One that was killed before its head was whole has nothing.
        bool begun = read_all(file, &first, 1, 0) && first != 0;
        if (begun)
            status = check_signature(file, path.at, signature, diag, &other.end);
        if (!begun || status != STATUS_OK) {
            close(file);
            continue;
        }
        Text name = {0};
        text_add(&name, path.at);
        other.path = name.at;
        array_push(&store->others, other);
    }
    for (size_t i = 0; i < store->others.count && status == STATUS_OK; i++)
        read_on(store, i);
    text_clear(&path);
    return status;
}

Status run_store_add(RunStore *store, RunWords *record, Diag *diag)
{
    size_t run = record->words[W_RUN];
    assert(run < store->runs && !run_store_has(store, run));
    store->done++;
    if (store->held) {
        store->held[run] = record;
        return STATUS_OK;
    }
    size_t bytes = record->count * sizeof *record->words;
    bool written = write_all(store->file, record->words, bytes, store->end);
    base_free(record);
    if (!written) {
        store->done--;
        return cannot(store->path, "write", diag);
    }
    store->offsets[run] = store->end;
    store->end += bytes;
    store->dirty = true;
    return STATUS_OK;
}

Status run_store_sync(RunStore *store, Diag *diag)
{
    if (!store->dirty || store->file < 0)
        return STATUS_OK;
    store->dirty = false;
    return fdatasync(store->file) == 0 ? STATUS_OK : cannot(store->path, "write", diag);
}

size_t run_store_done(const RunStore *store)
{
    return store->done;
}

bool run_store_has(const RunStore *store, size_t run)
{
    assert(run < store->runs);
    return store->held ? store->held[run] != NULL : store->offsets[run] != 0;
}

bool run_store_read(RunStore *store, size_t run, SweepRecord *record)
{
    assert(run_store_has(store, run));
    if (!store->held && !read_record(store, store->offsets[run]))
        return false;
    // In memory a message ends by the bytes of its last word, or by the checksum behind it: it is
    // copied to where a 0 follows.
    if (store->held) {
        const uint64_t *words = store->held[run]->words;
        array_reserve(&store->read, words[W_COUNT] + 1);
        memcpy(store->read.at, words, words[W_COUNT] * sizeof *words);
        store->read.at[words[W_COUNT] - 1] = 0;
    } else {
        store->read.at[store->read.count - 1] = 0;
    }
    take_apart(store, store->read.at, record);
    return true;
}
