// hdf5_sweep_impl.h: the datasets of a sweep, for files that have them and files that join those of
// several ranks.
#ifndef ZWANG_SHOW_HDF5_SWEEP_IMPL_H
#define ZWANG_SHOW_HDF5_SWEEP_IMPL_H

#include "show/file_impl.h"
#include "show/hdf5_parts_impl.h"
#include "show/show_sweep.h"

typedef struct {
    char *path;
    bool texts;
    size_t key; // which of the datasets has the run of each of its values
} SweepDataset;
typedef ARRAY(SweepDataset) SweepDatasets;
void hdf5_sweep_datasets(const ShowSweep *sweep, SweepDatasets *all);
void hdf5_sweep_datasets_clear(SweepDatasets *all);

// ---- Parts of writing such a file; each bool tells whether it could be written.
hid_t hdf5_sweep_dataset(hid_t file, const SweepDataset *own, hid_t type, hid_t space,
                         hid_t creation);
bool hdf5_sweep_put_facts(hid_t file, const ShowSweep *sweep);
// The file beside its place, for HDF5 to write; into its place, on the disk.
BASE_MUST_USE Status hdf5_sweep_place(ShowFile *place, const char *path, Diag *diag);
BASE_MUST_USE Status hdf5_sweep_put(ShowFile *place, bool good, int error, Diag *diag);

// Between these failures of HDF5 are told by us alone, and errno begins at 0.
typedef struct {
    H5E_auto2_t handler;
    void *context;
} Hdf5Silence;
void hdf5_silence_begin(Hdf5Silence *silence);
void hdf5_silence_end(const Hdf5Silence *silence);

#endif
