// hdf5.c: rows of numbers as HDF5: one dataset a column, by its name, and on the root what the
// result can be reproduced from; the events are a group. docs/commands.md describes the layout.
//
// Rows are gathered until they fill a chunk of every dataset and then written, so that memory does
// not grow with their number. The same run gives the same bytes: no times are kept in the file.
// Where the disk is full, the file has the chunks that there was room for.
#include "show/hdf5_impl.h"

#include "base/guard.h"
#include "show/file_impl.h"
#include "show/hdf5_parts_impl.h"
#include "show/hdf5_room_impl.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_ROWS = 512, LIST_BLOCK = 4096 };

typedef struct {
    int error;        // of the system; 0 where it is not to blame
    char reason[160]; // the innermost one that HDF5 gives; empty before the first
} Failure;

struct ShowHdf5 {
    ShowFile file;
    hid_t id; // of the HDF5 file
    hid_t *datasets;
    size_t columns;
    Hdf5Events *events;
    bool float32;     // all columns but the first
    double *gathered; // a chunk of each column, one after the other; room for doubles in any case
    size_t pending;   // rows of it
    size_t written;   // rows in the file
    Failure failure;
    Hdf5Room room;
    bool full;                 // there is room for no more; what was written can be kept
    bool noting;               // failures, at present
    H5E_auto2_t outer_handler; // of failures, before
    void *outer_context;
    void *reserve; // of memory
    BaseCleanup cleanup;
};

// HDF5 ends the process where the table of its identifiers gets no memory (H5I_register), and is of
// no more use to the process where some others of its own allocations fail. So much is asked for
// before its calls: where memory ends, that is where it is noticed. As much is held as long as a
// file is open, for the calls that close it then.
enum { ROOM = 1 << 20 };

void hdf5_need_memory(void)
{
    void *room = malloc(ROOM);
    if (!room)
        base_no_memory(ROOM);
    free(room);
}

// ---- Failures of HDF5. It reports them at the moment when a call fails; the first one is the
// cause.

static herr_t note_entry(unsigned depth, const H5E_error2_t *entry, void *context)
{
    Failure *failure = context;
    const char *number = entry->desc ? strstr(entry->desc, "errno = ") : NULL;
    if (number)
        failure->error = (int)strtol(number + strlen("errno = "), NULL, 10);
    if (depth == 0)
        snprintf(failure->reason, sizeof failure->reason, "%s",
                 entry->desc ? entry->desc : "nothing");
    return 0;
}

static herr_t note_failure(hid_t stack, void *context)
{
    Failure *failure = context;
    return failure->reason[0] ? 0 : H5Ewalk2(stack, H5E_WALK_UPWARD, note_entry, failure);
}

// Between these two calls failures are noted here; the handler of whoever else uses HDF5 is put
// back.
static void failures_begin(ShowHdf5 *hdf5)
{
    hdf5_need_memory();
    H5Eget_auto2(H5E_DEFAULT, &hdf5->outer_handler, &hdf5->outer_context);
    H5Eset_auto2(H5E_DEFAULT, note_failure, &hdf5->failure);
    hdf5->noting = true;
}

static void failures_end(ShowHdf5 *hdf5)
{
    H5Eset_auto2(H5E_DEFAULT, hdf5->outer_handler, hdf5->outer_context);
    hdf5->noting = false;
}

static Status report_failure(const ShowHdf5 *hdf5, Diag *diag)
{
    const Failure *failure = &hdf5->failure;
    if (failure->error)
        return show_file_error(hdf5->file.path, failure->error, diag);
    diag_error(diag, place_none(), "cannot write '%s': HDF5 says: %s", hdf5->file.path,
               failure->reason);
    return STATUS_FAILED;
}

// Room for so many bytes beside the events that are not written yet. Where there is none, what is
// in the file stays, and nothing more comes to it.
static bool has_room(ShowHdf5 *hdf5, size_t bytes)
{
    size_t events = hdf5->events ? hdf5_events_room(hdf5->events) : 0;
    int error = hdf5->full ? ENOSPC : hdf5_room_take(&hdf5->room, hdf5->id, bytes + events);
    if (error != 0 && !hdf5->full) {
        hdf5->full = true;
        hdf5->failure = (Failure){.error = error};
    }
    return error == 0;
}

// A text of the model may hold anything; an attribute ends at the first NUL.
static bool put_model(hid_t file, Str text)
{
    Text copy = {0};
    text_add(&copy, "");
    text_add_str(&copy, text);
    bool good = hdf5_put_text(file, "model", copy.at);
    text_clear(&copy);
    return good;
}

bool hdf5_put_origin(hid_t file, const ShowRun *run)
{
    return hdf5_put_text(file, "title", run->title) && hdf5_put_text(file, "file", run->file) &&
           put_model(file, run->text) && hdf5_put_text(file, "version", run->version) &&
           hdf5_put_text(file, "command", run->command) &&
           hdf5_put_texts(file, "settings", run->settings, run->setting_count) &&
           hdf5_put_texts(file, "parameters", run->param_names, run->param_count) &&
           hdf5_put_numbers(file, "parameter_values", run->params, run->param_count) &&
           (!run->si || hdf5_put_texts(file, "units", run->si, run->count)) &&
           hdf5_put_number(file, "to", run->to) && hdf5_put_number(file, "every", run->every) &&
           hdf5_put_number(file, "tolerance", run->tolerance) &&
           hdf5_put_text(file, "method", run->method);
}

// ---- Datasets.

// HDF5 locks what it writes. A process that inherited the descriptor, such as the compiler, would
// keep the lock after the run has ended, and nobody could read the file.
static void close_on_exec(hid_t file)
{
    void *descriptor = NULL;
    if (file >= 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, &descriptor) >= 0 && descriptor)
        fcntl(*(int *)descriptor, F_SETFD, FD_CLOEXEC);
}

hid_t hdf5_new_file(const char *path)
{
    hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
    unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    H5Pset_link_creation_order(creation, order);
    H5Pset_attr_creation_order(creation, order);
    H5Pset_obj_track_times(creation, false);
    // Readers as old as HDF5 1.10 can read it. Before that, the index of the chunks took memory
    // that grew with their number, and long lists of attributes had no room.
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    H5Pclose(creation);
    H5Pclose(access);
    close_on_exec(file);
    return file;
}

static hid_t new_dataset(hid_t file, const char *name, bool float32)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk(creation, 1, &(hsize_t){CHUNK_ROWS});
    H5Pset_obj_track_times(creation, false);
    // Whole chunks are written: nothing is gained by keeping them, or by filling them before.
    H5Pset_chunk_cache(access, 1, 0, 0);
    H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    hid_t space = H5Screate_simple(1, &(hsize_t){0}, &(hsize_t){H5S_UNLIMITED});
    hid_t dataset = H5Dcreate2(file, name, float32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE, space,
                               H5P_DEFAULT, creation, access);
    H5Sclose(space);
    H5Pclose(creation);
    H5Pclose(access);
    return dataset;
}

// Writes a chunk, of which `count` values count. Chunks go to the disk as they are.
static bool append(hid_t dataset, size_t written, const void *values, size_t value, size_t count)
{
    hsize_t start = written, size = written + count;
    return H5Dset_extent(dataset, &size) >= 0 &&
           H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &start, CHUNK_ROWS * value, values) >= 0;
}

static bool is_float32(const ShowHdf5 *hdf5, size_t column)
{
    return hdf5->float32 && column > 0;
}

// What a chunk of every column may take: the numbers, and of the list of chunks one block, which is
// never more than a quarter of that list.
static size_t chunk_room(const ShowHdf5 *hdf5)
{
    size_t chunks = hdf5->written / CHUNK_ROWS;
    return hdf5->columns *
           (CHUNK_ROWS * sizeof(double) + chunks * sizeof(haddr_t) / 4 + LIST_BLOCK);
}

static Status write_pending(ShowHdf5 *hdf5, Diag *diag)
{
    if (hdf5->pending == 0 || hdf5->full)
        return STATUS_OK;
    failures_begin(hdf5);
    bool good = has_room(hdf5, chunk_room(hdf5));
    for (size_t i = 0; i < hdf5->columns && good; i++)
        good = append(hdf5->datasets[i], hdf5->written, hdf5->gathered + i * CHUNK_ROWS,
                      is_float32(hdf5, i) ? sizeof(float) : sizeof(double), hdf5->pending);
    failures_end(hdf5);
    hdf5->written += good ? hdf5->pending : 0;
    hdf5->pending = 0;
    return good ? STATUS_OK : report_failure(hdf5, diag);
}

// ---- The life of a file.

static bool make_columns(ShowHdf5 *hdf5, const ShowRun *run)
{
    if (!hdf5_put_texts(hdf5->id, "columns", run->columns, run->count))
        return false;
    hdf5->float32 = run->float32;
    hdf5->datasets = base_alloc(run->count * sizeof *hdf5->datasets);
    for (; hdf5->columns < run->count; hdf5->columns++) {
        hid_t dataset =
            new_dataset(hdf5->id, run->columns[hdf5->columns], is_float32(hdf5, hdf5->columns));
        if (dataset < 0)
            return false;
        hdf5->datasets[hdf5->columns] = dataset;
    }
    hdf5->gathered = base_alloc(run->count * CHUNK_ROWS * sizeof *hdf5->gathered);
    return true;
}

// A column may be called as the group of events would be.
static const char *events_group(const ShowRun *run, bool rows)
{
    for (size_t i = 0; i < run->count && rows; i++)
        if (strcmp(run->columns[i], "events") == 0)
            return "run.events";
    return "events";
}

static bool make_contents(ShowHdf5 *hdf5, const ShowRun *run, bool rows)
{
    hdf5->id = hdf5_new_file(hdf5->file.temporary);
    if (hdf5->id < 0 || !hdf5_put_origin(hdf5->id, run) || (rows && !make_columns(hdf5, run)))
        return false;
    return hdf5_events_new(hdf5->id, events_group(run, rows), run, &hdf5->events);
}

// The temporary file is there already; HDF5 writes into it by its name.
static Status fill_file(ShowHdf5 *hdf5, const ShowRun *run, bool rows, Diag *diag)
{
    fclose(hdf5->file.stream);
    hdf5->file.stream = NULL;
    H5dont_atexit(); // which would try again what a full disk has refused
    hdf5->reserve = malloc(ROOM);
    failures_begin(hdf5);
    bool made = make_contents(hdf5, run, rows) && has_room(hdf5, 0);
    failures_end(hdf5);
    return made ? STATUS_OK : report_failure(hdf5, diag);
}

// Closing writes what the library has kept back.
static bool close_all(ShowHdf5 *hdf5, bool keep)
{
    bool good = !hdf5->events || hdf5_events_close(hdf5->events, keep);
    for (size_t i = 0; i < hdf5->columns; i++)
        good = H5Dclose(hdf5->datasets[i]) >= 0 && good;
    return (hdf5->id < 0 || H5Fclose(hdf5->id) >= 0) && good;
}

// Where memory ends: what stays open in HDF5 could not be opened again.
static void abandon(void *object)
{
    ShowHdf5 *hdf5 = object;
    free(hdf5->reserve);
    if (hdf5->id < 0)
        return; // HDF5 may not even have begun
    // Memory may have ended between failures_begin and failures_end.
    if (!hdf5->noting)
        H5Eget_auto2(H5E_DEFAULT, &hdf5->outer_handler, &hdf5->outer_context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    close_all(hdf5, false);
    failures_end(hdf5);
}

Status show_hdf5_open(const char *path, const ShowRun *run, bool rows, Diag *diag, ShowHdf5 **out)
{
    *out = NULL;
    if (show_file_is_direct(path))
        return diag_error(diag, place_none(),
                          "cannot write '%s': HDF5 goes back and forth in its file, which a "
                          "device or pipe does not allow; name a regular file",
                          path);
    ShowHdf5 *hdf5 = base_alloc(sizeof *hdf5);
    hdf5->id = H5I_INVALID_HID;
    Status status = show_file_open(&hdf5->file, path, diag);
    if (status != STATUS_OK) {
        base_free(hdf5);
        return status;
    }
    base_cleanup_add(&hdf5->cleanup, abandon, hdf5);
    status = fill_file(hdf5, run, rows, diag);
    if (status == STATUS_OK) {
        *out = hdf5;
        return STATUS_OK;
    }
    Status dropped = show_hdf5_close(hdf5, SHOW_DROPPED, diag);
    return dropped > status ? dropped : status;
}

Status show_hdf5_row(ShowHdf5 *hdf5, const double *row, Diag *diag)
{
    assert(hdf5->pending < CHUNK_ROWS);
    for (size_t i = 0; i < hdf5->columns; i++) {
        double *chunk = hdf5->gathered + i * CHUNK_ROWS;
        float value = (float)row[i];
        if (is_float32(hdf5, i))
            memcpy((char *)chunk + hdf5->pending * sizeof value, &value, sizeof value);
        else
            chunk[hdf5->pending] = row[i];
    }
    return ++hdf5->pending == CHUNK_ROWS ? write_pending(hdf5, diag) : STATUS_OK;
}

Status show_hdf5_event(ShowHdf5 *hdf5, const RunEvent *event, Diag *diag)
{
    assert(hdf5->events);
    failures_begin(hdf5);
    hdf5_events_add(hdf5->events, event);
    bool good = has_room(hdf5, 0);
    if (good)
        good = hdf5_events_write_chunk(hdf5->events);
    else
        hdf5_events_drop_last(hdf5->events);
    failures_end(hdf5);
    return good ? STATUS_OK : report_failure(hdf5, diag);
}

Status show_hdf5_json(ShowHdf5 *hdf5, const char *name, const char *json, Diag *diag)
{
    failures_begin(hdf5);
    bool good = has_room(hdf5, strlen(json)) && hdf5_put_text(hdf5->id, name, json);
    failures_end(hdf5);
    return good ? STATUS_OK : report_failure(hdf5, diag);
}

bool show_hdf5_can_be_cut(const ShowHdf5 *hdf5)
{
    return hdf5->full;
}

// Rows or events that are worth a file.
static bool has_some(const ShowHdf5 *hdf5)
{
    return hdf5->written > 0 || (hdf5->events && hdf5_events_count(hdf5->events) > 0);
}

// What is whole is kept, though the disk was full before the end.
static void note_cut(const ShowHdf5 *hdf5, Diag *diag)
{
    diag_add(diag, DIAG_NOTE, place_none(), "'%s' has the whole rows that there was room for",
             hdf5->file.path);
}

Status show_hdf5_close(ShowHdf5 *hdf5, ShowEnd end, Diag *diag)
{
    bool keep = end != SHOW_DROPPED;
    Status status = keep ? write_pending(hdf5, diag) : STATUS_OK;
    bool good = keep && (hdf5->full ? has_some(hdf5) : status == STATUS_OK);
    failures_begin(hdf5);
    good = good && hdf5_put_truth(hdf5->id, "complete", end == SHOW_COMPLETE && !hdf5->full);
    // After a failure of HDF5 this fails too, and what the library holds is lost with the file.
    good = close_all(hdf5, good) && good;
    int error = good ? hdf5_room_give_back(&hdf5->room, hdf5->file.temporary) : 0;
    failures_end(hdf5);
    base_cleanup_remove(&hdf5->cleanup);
    free(hdf5->reserve);
    if (error) {
        good = false;
        hdf5->failure.error = error;
    }
    if (keep && !good && status == STATUS_OK && !hdf5->full)
        status = report_failure(hdf5, diag);
    if (good && hdf5->full)
        note_cut(hdf5, diag);
    Status placed = show_file_close(&hdf5->file, good, diag);
    base_free(hdf5->datasets);
    base_free(hdf5->gathered);
    base_free(hdf5);
    return status != STATUS_OK ? status : placed;
}
