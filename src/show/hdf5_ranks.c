// hdf5_ranks.c: the sweep of several ranks as one HDF5 file: datasets in the order of the runs that
// have no values themselves, and say in which rank's file each value stands (virtual datasets).
//
// Runs come to ranks in blocks, and a rank's file has them in their order: a few selections say
// where they belong.
#include "show/hdf5_sweep_impl.h"

#include <errno.h>
#include <string.h>

typedef struct {
    const ShowSweep *sweep;
    const char *const *paths; // of the ranks' files
    size_t ranks;
    hid_t *files; // opened
    hid_t file, text;
    bool good;
} Join;

// Where the values of one key stand, in each of the files and in all of them.
typedef struct {
    double **runs;  // of each file: the run of each value
    hsize_t *sizes; // how many
    hsize_t total;
    hid_t *selections; // of the whole, of each file
} Rows;

// ---- Where values stand.

static bool read_runs(hid_t file, const char *key, double **runs, hsize_t *size)
{
    hid_t dataset = H5Dopen2(file, key, H5P_DEFAULT);
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : H5I_INVALID_HID;
    bool good = space >= 0 && H5Sget_simple_extent_dims(space, size, NULL) == 1;
    if (good) {
        *runs = base_alloc((*size + 1) * sizeof **runs);
        good = H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *runs) >= 0;
    }
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
    return good;
}

// The first place of each run; false where one stands in two files.
static bool count_places(const Join *join, Rows *rows, hsize_t *first)
{
    size_t runs = join->sweep->design->runs;
    uint32_t *owner = base_alloc((runs + 1) * sizeof *owner);
    bool good = true;
    for (size_t r = 0; r < join->ranks; r++)
        for (hsize_t i = 0; i < rows->sizes[r] && good; i++) {
            size_t run = (size_t)rows->runs[r][i];
            good = run < runs && (owner[run] == 0 || owner[run] == r + 1);
            if (!good)
                break;
            owner[run] = (uint32_t)r + 1;
            first[run + 1]++;
        }
    for (size_t run = 0; run < runs; run++)
        first[run + 1] += first[run];
    rows->total = first[runs];
    base_free(owner);
    return good;
}

// Stretches of values that follow each other here and there.
static bool select_rows(const double *runs, hsize_t size, hsize_t *next, hid_t space)
{
    bool good = H5Sselect_none(space) >= 0;
    hsize_t from = 0, count = 0;
    for (hsize_t i = 0; i <= size && good; i++) {
        hsize_t place = i < size ? next[(size_t)runs[i]]++ : 0;
        if (i < size && count > 0 && place == from + count) {
            count++;
            continue;
        }
        if (count > 0)
            good = H5Sselect_hyperslab(space, H5S_SELECT_OR, &from, NULL, &count, NULL) >= 0;
        from = place;
        count = 1;
    }
    return good;
}

static bool find_rows(const Join *join, const char *key, Rows *rows)
{
    hsize_t *next = base_alloc((join->sweep->design->runs + 2) * sizeof *next);
    bool good = true;
    for (size_t r = 0; r < join->ranks && good; r++)
        good = read_runs(join->files[r], key, &rows->runs[r], &rows->sizes[r]);
    good = good && count_places(join, rows, next);
    for (size_t r = 0; r < join->ranks && good; r++) {
        rows->selections[r] = H5Screate_simple(1, &rows->total, NULL);
        good = rows->selections[r] >= 0 &&
               select_rows(rows->runs[r], rows->sizes[r], next, rows->selections[r]);
    }
    base_free(next);
    return good;
}

static void rows_init(const Join *join, Rows *rows)
{
    rows->runs = base_alloc((join->ranks + 1) * sizeof *rows->runs);
    rows->sizes = base_alloc((join->ranks + 1) * sizeof *rows->sizes);
    rows->selections = base_alloc((join->ranks + 1) * sizeof *rows->selections);
    rows->total = 0;
}

static void rows_clear(const Join *join, Rows *rows)
{
    for (size_t r = 0; r < join->ranks; r++) {
        base_free(rows->runs[r]);
        if (rows->selections[r] > 0)
            H5Sclose(rows->selections[r]);
    }
    base_free(rows->runs);
    base_free(rows->sizes);
    base_free(rows->selections);
}

// ---- Datasets.

// The files lie beside the one that joins them, and can be moved with it.
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool join_dataset(const Join *join, const SweepDataset *own, const Rows *rows)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &rows->total, NULL);
    bool good = creation >= 0 && space >= 0;
    for (size_t r = 0; r < join->ranks && good; r++) {
        if (rows->sizes[r] == 0)
            continue;
        hid_t source = H5Screate_simple(1, &rows->sizes[r], NULL);
        good = source >= 0 && H5Pset_virtual(creation, rows->selections[r], name_of(join->paths[r]),
                                             own->path, source) >= 0;
        if (source >= 0)
            H5Sclose(source);
    }
    hid_t made =
        good ? hdf5_sweep_dataset(join->file, own, own->texts ? join->text : H5T_NATIVE_DOUBLE,
                                  space, creation)
             : H5I_INVALID_HID;
    good = good && made >= 0 && H5Dclose(made) >= 0;
    H5Sclose(space);
    H5Pclose(creation);
    return good;
}

static void join_datasets(Join *join)
{
    SweepDatasets all = {0};
    Rows rows;
    hdf5_sweep_datasets(join->sweep, &all);
    for (size_t i = 0; i < all.count && join->good; i++) {
        // A key comes before all that have it.
        if (all.at[i].key == i) {
            if (i > 0)
                rows_clear(join, &rows);
            rows_init(join, &rows);
            join->good = find_rows(join, all.at[i].path, &rows);
        }
        join->good = join->good && join_dataset(join, &all.at[i], &rows);
    }
    if (all.count > 0)
        rows_clear(join, &rows);
    hdf5_sweep_datasets_clear(&all);
}

static void fill(Join *join, const char *path)
{
    join->files = base_alloc((join->ranks + 1) * sizeof *join->files);
    join->text = hdf5_text_type();
    join->file = hdf5_new_file(path);
    join->good = join->file >= 0 && hdf5_sweep_put_facts(join->file, join->sweep);
    size_t opened = 0;
    for (; opened < join->ranks && join->good; opened++) {
        join->files[opened] = H5Fopen(join->paths[opened], H5F_ACC_RDONLY, H5P_DEFAULT);
        join->good = join->files[opened] >= 0;
    }
    if (join->good)
        join_datasets(join);
    for (size_t r = 0; r < opened; r++)
        if (join->files[r] >= 0)
            H5Fclose(join->files[r]);
    if (join->file >= 0)
        join->good = H5Fclose(join->file) >= 0 && join->good;
    H5Tclose(join->text);
    base_free(join->files);
}

Status show_sweep_join(const char *path, const ShowSweep *sweep, const char *const *paths,
                       size_t count, Diag *diag)
{
    ShowFile place;
    Hdf5Silence silence;
    Join join = {.sweep = sweep, .paths = paths, .ranks = count};
    TRY(hdf5_sweep_place(&place, path, diag));
    hdf5_silence_begin(&silence);
    fill(&join, place.temporary);
    int error = errno;
    hdf5_silence_end(&silence);
    return hdf5_sweep_put(&place, join.good, error, diag);
}
