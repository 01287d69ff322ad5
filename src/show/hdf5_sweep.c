// hdf5_sweep.c: a sweep as HDF5: /axes, /final, /keep, lists of items as groups with the number of
// their run, /run, /status, /steps, /error, /t, /message; on the root what it can be reproduced
// from.
//
// Runs are taken in blocks, and every dataset is written a block at a time.
#include "show/file_impl.h"
#include "show/hdf5_parts_impl.h"
#include "show/show_sweep.h"

#include <errno.h>
#include <string.h>

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

typedef struct {
    const ShowSweep *sweep;
    hid_t file, text;
    Growing *at; // facts, axes, numbers, then of each list its run and its columns
    size_t count;
    bool good;
} Writer;

// ---- Datasets.

// A slash would divide the name.
static void put_name(const char *group, const char *name, Text *path)
{
    path->length = 0;
    text_addf(path, "%s%s", group, group[0] ? "/" : "");
    for (; *name; name++)
        text_add(path, *name == '/' ? "∕" : (char[]){*name, '\0'});
}

static void open_dataset(Writer *writer, const char *group, const char *name, bool texts)
{
    Text path = {0};
    put_name(group, name, &path);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_chunk(creation, 1, &(hsize_t){BLOCK});
    H5Pset_obj_track_times(creation, false);
    H5Pset_create_intermediate_group(links, 1);
    hid_t space = H5Screate_simple(1, &(hsize_t){0}, &(hsize_t){H5S_UNLIMITED});
    Growing made = {.texts = texts, .type = texts ? writer->text : H5T_NATIVE_DOUBLE};
    made.id = H5Dcreate2(writer->file, path.at, made.type, space, links, creation, H5P_DEFAULT);
    writer->good = writer->good && made.id >= 0;
    writer->at[writer->count++] = made;
    H5Sclose(space);
    H5Pclose(creation);
    H5Pclose(links);
    text_clear(&path);
}

static void write_block(Writer *writer, Growing *growing)
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

static void add_number(Writer *writer, size_t at, double value)
{
    array_push(&writer->at[at].numbers, value);
}

static void add_text(Writer *writer, size_t at, const char *word)
{
    Text copy = {0};
    text_add(&copy, word);
    array_push(&writer->at[at].words, copy.at);
}

// ---- Runs.

static void open_datasets(Writer *writer)
{
    const ShowSweep *sweep = writer->sweep;
    for (size_t i = 0; i < FACTS; i++)
        open_dataset(writer, "", fact_names[i], i == FACT_STATUS || i == FACT_MESSAGE);
    for (size_t i = 0; i < sweep->design->axis_count; i++)
        open_dataset(writer, "axes", sweep->design->axes[i].name, false);
    for (size_t i = 0; i < keep_number_count(sweep->plan); i++)
        open_dataset(writer, keep_is_final(sweep->plan, i) ? "final" : "keep",
                     keep_number_name(sweep->plan, i), false);
    for (size_t i = 0; i < keep_list_count(sweep->plan); i++) {
        const KeepList *list = keep_list(sweep->plan, i);
        open_dataset(writer, list->word, "run", false);
        for (size_t k = 0; k < list->width; k++)
            open_dataset(writer, list->word, list->columns[k],
                         list->kind == KEEP_EVENTS && (k == 1 || k == 2));
    }
}

static void add_items(Writer *writer, const SweepRecord *record, size_t list, size_t at)
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

static void add_run(Writer *writer, const SweepRecord *record)
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

static void write_blocks(Writer *writer)
{
    for (size_t i = 0; i < writer->count; i++)
        write_block(writer, &writer->at[i]);
}

static void write_runs(Writer *writer)
{
    const ShowSweep *sweep = writer->sweep;
    size_t waiting = 0;
    for (size_t run = 0; run < sweep->design->runs && writer->good; run++) {
        SweepRecord record;
        if (!run_store_has(sweep->store, run))
            continue;
        writer->good = run_store_read(sweep->store, run, &record);
        if (!writer->good)
            break;
        add_run(writer, &record);
        // Lists may be long: a block is as many numbers, not runs.
        for (size_t i = 0; i < keep_list_count(sweep->plan); i++)
            waiting += record.counts[i];
        if (++waiting < BLOCK)
            continue;
        write_blocks(writer);
        waiting = 0;
    }
    write_blocks(writer);
}

static void put_facts(Writer *writer)
{
    const ShowSweep *sweep = writer->sweep;
    const SweepDesign *design = sweep->design;
    const char **names = base_alloc((design->axis_count + 1) * sizeof *names);
    for (size_t i = 0; i < design->axis_count; i++)
        names[i] = design->axes[i].name;
    Text seed = {0};
    text_addf(&seed, "%llu", (unsigned long long)design->seed);
    bool whole = run_store_done(sweep->store) == design->runs;
    writer->good = writer->good && hdf5_put_origin(writer->file, &sweep->run) &&
                   hdf5_put_texts(writer->file, "axes", names, design->axis_count) &&
                   hdf5_put_text(writer->file, "seed", seed.at) &&
                   hdf5_put_number(writer->file, "runs", (double)design->runs) &&
                   hdf5_put_number(writer->file, "samples", (double)design->samples) &&
                   hdf5_put_text(writer->file, "sampling", sweep->sampling) &&
                   hdf5_put_text(writer->file, "device", sweep->device) &&
                   hdf5_put_truth(writer->file, "complete", whole);
    text_clear(&seed);
    base_free(names);
}

static bool fill_file(const char *path, const ShowSweep *sweep)
{
    size_t most = FACTS + sweep->design->axis_count + keep_number_count(sweep->plan);
    for (size_t i = 0; i < keep_list_count(sweep->plan); i++)
        most += 1 + keep_list(sweep->plan, i)->width;
    Writer writer = {.sweep = sweep, .good = true, .text = hdf5_text_type()};
    writer.at = base_alloc((most + 1) * sizeof *writer.at);
    writer.file = hdf5_new_file(path);
    writer.good = writer.file >= 0;
    if (writer.good) {
        put_facts(&writer);
        open_datasets(&writer);
        write_runs(&writer);
    }
    for (size_t i = 0; i < writer.count; i++) {
        writer.good = (writer.at[i].id < 0 || H5Dclose(writer.at[i].id) >= 0) && writer.good;
        array_clear(&writer.at[i].numbers);
        array_clear(&writer.at[i].words);
    }
    H5Tclose(writer.text);
    if (writer.file >= 0)
        writer.good = H5Fclose(writer.file) >= 0 && writer.good;
    base_free(writer.at);
    return writer.good;
}

Status show_sweep_hdf5(const char *path, const ShowSweep *sweep, Diag *diag)
{
    ShowFile file;
    TRY(show_file_open(&file, path, diag));
    // The temporary file is there already; HDF5 writes into it by its name.
    fclose(file.stream);
    file.stream = NULL;
    H5E_auto2_t handler;
    void *context;
    H5dont_atexit();
    hdf5_need_memory();
    H5Eget_auto2(H5E_DEFAULT, &handler, &context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0;
    bool good = fill_file(file.temporary, sweep);
    int error = errno;
    H5Eset_auto2(H5E_DEFAULT, handler, context);
    Status status = STATUS_OK;
    if (!good) {
        show_file_error(path, error ? error : EIO, diag);
        status = STATUS_FAILED;
    }
    Status closed = show_file_close(&file, good, diag);
    return status != STATUS_OK ? status : closed;
}
