// hdf5_sweep.c: a sweep as HDF5: /axes, /final, /keep, lists of items as groups with the number of
// their run, /run, /status, /steps, /error, /t, /message; on the root what it can be reproduced
// from.
//
// Runs are taken in blocks, and every dataset is written a block at a time. A file that stands for
// a sweep in progress is written beside its place, a few runs at each call, and takes the place of
// the former one when it is whole: what has that name can be read at any time.
#include "show/file_impl.h"
#include "show/hdf5_sweep_impl.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 4096 };

typedef enum { FACT_RUN, FACT_STATUS, FACT_STEPS, FACT_ERROR, FACT_T, FACT_MESSAGE, FACTS } Fact;
static const char *const fact_names[FACTS] = {"run", "status", "steps", "error", "t", "message"};

// A dataset that grows: of doubles, or of texts.
typedef struct {
    hid_t id, type;
    bool texts;
    size_t written;
    ARRAY(double) numbers;
    ARRAY(char *) words; // owned
} Growing;

struct SweepFile {
    const ShowSweep *sweep;
    ShowFile place;
    hid_t file, text;
    Growing *at; // one for each of the datasets
    size_t count;
    size_t next;    // run
    size_t waiting; // what is not written yet
    bool good;
    int error;
};

// ---- Which datasets there are.

// A slash would divide the name.
static void put_name(const char *group, const char *name, Text *path)
{
    path->length = 0;
    text_addf(path, "%s%s", group, group[0] ? "/" : "");
    for (; *name; name++)
        text_add(path, *name == '/' ? "∕" : (char[]){*name, '\0'});
}

static void add_dataset(SweepDatasets *all, const char *group, const char *name, bool texts,
                        size_t key)
{
    Text path = {0};
    put_name(group, name, &path);
    SweepDataset made = {.path = path.at, .texts = texts, .key = key};
    array_push(all, made);
}

void hdf5_sweep_datasets(const ShowSweep *sweep, SweepDatasets *all)
{
    for (size_t i = 0; i < FACTS; i++)
        add_dataset(all, "", fact_names[i], i == FACT_STATUS || i == FACT_MESSAGE, FACT_RUN);
    for (size_t i = 0; i < sweep->design->axis_count; i++)
        add_dataset(all, "axes", sweep->design->axes[i].name, false, FACT_RUN);
    for (size_t i = 0; i < keep_number_count(sweep->plan); i++)
        add_dataset(all, keep_is_final(sweep->plan, i) ? "final" : "keep",
                    keep_number_name(sweep->plan, i), false, FACT_RUN);
    for (size_t i = 0; i < keep_list_count(sweep->plan); i++) {
        const KeepList *list = keep_list(sweep->plan, i);
        size_t key = all->count;
        add_dataset(all, list->word, "run", false, key);
        for (size_t k = 0; k < list->width; k++)
            add_dataset(all, list->word, list->columns[k],
                        list->kind == KEEP_EVENTS && (k == 1 || k == 2), key);
    }
}

void hdf5_sweep_datasets_clear(SweepDatasets *all)
{
    for (size_t i = 0; i < all->count; i++)
        base_free(all->at[i].path);
    array_clear(all);
}

hid_t hdf5_sweep_dataset(hid_t file, const SweepDataset *own, hid_t type, hid_t space,
                         hid_t creation)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_obj_track_times(creation, false);
    H5Pset_create_intermediate_group(links, 1);
    hid_t made = H5Dcreate2(file, own->path, type, space, links, creation, H5P_DEFAULT);
    H5Pclose(links);
    return made;
}

// ---- Datasets.

static void open_datasets(SweepFile *writer)
{
    SweepDatasets all = {0};
    hdf5_sweep_datasets(writer->sweep, &all);
    writer->at = base_alloc((all.count + 1) * sizeof *writer->at);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(1, &(hsize_t){0}, &(hsize_t){H5S_UNLIMITED});
    H5Pset_chunk(creation, 1, &(hsize_t){BLOCK});
    for (size_t i = 0; i < all.count; i++) {
        bool texts = all.at[i].texts;
        Growing made = {.texts = texts, .type = texts ? writer->text : H5T_NATIVE_DOUBLE};
        made.id = hdf5_sweep_dataset(writer->file, &all.at[i], made.type, space, creation);
        writer->good = writer->good && made.id >= 0;
        writer->at[writer->count++] = made;
    }
    H5Sclose(space);
    H5Pclose(creation);
    hdf5_sweep_datasets_clear(&all);
}

static void write_block(SweepFile *writer, Growing *growing)
{
    hsize_t count = growing->texts ? growing->words.count : growing->numbers.count;
    hsize_t start = growing->written, size = start + count;
    if (count > 0 && writer->good) {
        const void *values =
            growing->texts ? (void *)growing->words.at : (void *)growing->numbers.at;
        hid_t memory = H5Screate_simple(1, &count, NULL), space = H5I_INVALID_HID;
        writer->good =
            H5Dset_extent(growing->id, &size) >= 0 && (space = H5Dget_space(growing->id)) >= 0 &&
            H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
            H5Dwrite(growing->id, growing->type, memory, space, H5P_DEFAULT, values) >= 0;
        if (space >= 0)
            H5Sclose(space);
        H5Sclose(memory);
    }
    for (size_t i = 0; i < growing->words.count; i++)
        base_free(growing->words.at[i]);
    growing->written = size;
    growing->numbers.count = growing->words.count = 0;
}

static void add_number(SweepFile *writer, size_t at, double value)
{
    array_push(&writer->at[at].numbers, value);
}

static void add_text(SweepFile *writer, size_t at, const char *word)
{
    Text copy = {0};
    text_add(&copy, word);
    array_push(&writer->at[at].words, copy.at);
}

// ---- Runs.

static void add_items(SweepFile *writer, const SweepRecord *record, size_t list, size_t at)
{
    const KeepList *kept = keep_list(writer->sweep->plan, list);
    for (size_t i = 0; i < record->counts[list]; i++) {
        const double *item = record->items[list] + i * kept->width;
        add_number(writer, at, (double)record->run);
        for (size_t k = 0; k < kept->width; k++)
            if (kept->kind == KEEP_EVENTS && k == 1)
                add_text(writer, at + 1 + k, run_event_name((RunEventKind)item[k]));
            else if (kept->kind == KEEP_EVENTS && k == 2)
                add_text(writer, at + 1 + k, keep_label(writer->sweep->plan, (size_t)item[k]));
            else
                add_number(writer, at + 1 + k, item[k]);
    }
}

static void add_run(SweepFile *writer, const SweepRecord *record)
{
    const ShowSweep *sweep = writer->sweep;
    size_t at = FACTS;
    add_number(writer, FACT_RUN, (double)record->run);
    add_text(writer, FACT_STATUS, sweep_status_name(record->status));
    add_number(writer, FACT_STEPS, (double)record->steps);
    add_number(writer, FACT_ERROR, record->error);
    add_number(writer, FACT_T, record->t);
    add_text(writer, FACT_MESSAGE, record->message);
    for (size_t i = 0; i < sweep->design->axis_count; i++)
        add_number(writer, at++, sweep_value(sweep->design, i, record->run));
    for (size_t i = 0; i < keep_number_count(sweep->plan); i++)
        add_number(writer, at++, record->numbers[i]);
    for (size_t i = 0; i < keep_list_count(sweep->plan); i++) {
        add_items(writer, record, i, at);
        at += 1 + keep_list(sweep->plan, i)->width;
    }
}

static void write_blocks(SweepFile *writer)
{
    for (size_t i = 0; i < writer->count; i++)
        write_block(writer, &writer->at[i]);
}

// Whether the file is to have the run: those of ranks that write one themselves stand there.
static bool is_own(const ShowSweep *sweep, size_t run)
{
    return run_store_has(sweep->store, run) && (run_store_rank(sweep->store, run) == 0 ||
                                                run_store_rank(sweep->store, run) >= sweep->ranks);
}

static void write_runs(SweepFile *writer, size_t most)
{
    const ShowSweep *sweep = writer->sweep;
    for (; writer->next < sweep->design->runs && writer->good && most > 0; writer->next++) {
        SweepRecord record;
        if (!is_own(sweep, writer->next))
            continue;
        most--;
        writer->good = run_store_read(sweep->store, writer->next, &record);
        if (!writer->good)
            break;
        add_run(writer, &record);
        // Lists may be long: a block is as many numbers, not runs.
        for (size_t i = 0; i < keep_list_count(sweep->plan); i++)
            writer->waiting += record.counts[i];
        if (++writer->waiting < BLOCK)
            continue;
        write_blocks(writer);
        writer->waiting = 0;
    }
}

bool hdf5_sweep_put_facts(hid_t file, const ShowSweep *sweep)
{
    const SweepDesign *design = sweep->design;
    const char **names = base_alloc((design->axis_count + 1) * sizeof *names);
    for (size_t i = 0; i < design->axis_count; i++)
        names[i] = design->axes[i].name;
    Text seed = {0};
    text_addf(&seed, "%llu", (unsigned long long)design->seed);
    bool good = hdf5_put_origin(file, &sweep->run) &&
                hdf5_put_texts(file, "axes", names, design->axis_count) &&
                hdf5_put_text(file, "seed", seed.at) &&
                hdf5_put_number(file, "runs", (double)design->runs) &&
                hdf5_put_number(file, "samples", (double)design->samples) &&
                hdf5_put_text(file, "sampling", sweep->sampling) &&
                hdf5_put_text(file, "device", sweep->device) &&
                hdf5_put_truth(file, "complete", sweep->complete);
    text_clear(&seed);
    base_free(names);
    return good;
}

// ---- The file.

void hdf5_silence_begin(Hdf5Silence *silence)
{
    hdf5_need_memory();
    H5Eget_auto2(H5E_DEFAULT, &silence->handler, &silence->context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0;
}

// The handler of whoever else uses it is put back.
void hdf5_silence_end(const Hdf5Silence *silence)
{
    H5Eset_auto2(H5E_DEFAULT, silence->handler, silence->context);
}

Status hdf5_sweep_place(ShowFile *place, const char *path, Diag *diag)
{
    TRY(show_file_open_as(place, path, SHOW_SWEEP_UNFINISHED, diag));
    // The temporary file is there already; HDF5 writes into it by its name.
    fclose(place->stream);
    place->stream = NULL;
    H5dont_atexit();
    return STATUS_OK;
}

// It is on the disk before it takes its place.
Status hdf5_sweep_put(ShowFile *place, bool good, int error, Diag *diag)
{
    int written = good ? open(place->temporary, O_RDONLY | O_CLOEXEC) : -1;
    if (good && (written < 0 || fsync(written) != 0)) {
        error = errno;
        good = false;
    }
    if (written >= 0)
        close(written);
    Status status = STATUS_OK;
    if (!good) {
        show_file_error(place->path, error ? error : EIO, diag);
        status = STATUS_FAILED;
    }
    Status closed = show_file_close(place, good, diag);
    return status != STATUS_OK ? status : closed;
}

Status show_sweep_file_begin(const char *path, const ShowSweep *sweep, Diag *diag, SweepFile **out)
{
    SweepFile *writer = base_alloc(sizeof *writer);
    Hdf5Silence silence;
    *writer = (SweepFile){.sweep = sweep, .file = H5I_INVALID_HID, .good = true};
    *out = NULL;
    Status status = hdf5_sweep_place(&writer->place, path, diag);
    if (status != STATUS_OK) {
        base_free(writer);
        return status;
    }
    hdf5_silence_begin(&silence);
    writer->text = hdf5_text_type();
    writer->file = hdf5_new_file(writer->place.temporary);
    writer->good = writer->file >= 0 && hdf5_sweep_put_facts(writer->file, sweep);
    if (writer->file >= 0)
        open_datasets(writer);
    writer->error = writer->good ? 0 : errno;
    hdf5_silence_end(&silence);
    *out = writer;
    return STATUS_OK;
}

bool show_sweep_file_go_on(SweepFile *writer, size_t most)
{
    Hdf5Silence silence;
    if (!writer->good)
        return false;
    hdf5_silence_begin(&silence);
    write_runs(writer, most);
    writer->error = writer->good ? 0 : errno;
    hdf5_silence_end(&silence);
    return writer->good && writer->next < writer->sweep->design->runs;
}

Status show_sweep_file_end(SweepFile *writer, bool keep, Diag *diag)
{
    Hdf5Silence silence;
    hdf5_silence_begin(&silence);
    if (writer->good && keep)
        write_blocks(writer);
    for (size_t i = 0; i < writer->count; i++) {
        Growing *own = &writer->at[i];
        writer->good = (own->id < 0 || H5Dclose(own->id) >= 0) && writer->good;
        for (size_t k = 0; k < own->words.count; k++)
            base_free(own->words.at[k]);
        array_clear(&own->numbers);
        array_clear(&own->words);
    }
    H5Tclose(writer->text);
    if (writer->file >= 0)
        writer->good = H5Fclose(writer->file) >= 0 && writer->good;
    if (!writer->good && writer->error == 0)
        writer->error = errno;
    hdf5_silence_end(&silence);
    Status status = keep ? hdf5_sweep_put(&writer->place, writer->good, writer->error, diag)
                         : show_file_close(&writer->place, false, diag);
    base_free(writer->at);
    base_free(writer);
    return status;
}

Status show_sweep_hdf5(const char *path, const ShowSweep *sweep, Diag *diag)
{
    SweepFile *writer;
    TRY(show_sweep_file_begin(path, sweep, diag, &writer));
    show_sweep_file_go_on(writer, SIZE_MAX);
    return show_sweep_file_end(writer, true, diag);
}
