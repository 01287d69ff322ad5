// no_hdf5.c: takes the place of hdf5.c in a library that is built without HDF5: opening a file is
// refused, so that nothing else is ever called.
#include "show/hdf5_impl.h"
#include "show/show_sweep.h"

#include <assert.h>

Status show_hdf5_open(const char *path, const ShowRun *run, bool rows, Diag *diag, ShowHdf5 **out)
{
    (void)run, (void)rows;
    *out = NULL;
    return diag_error(diag, place_none(),
                      "cannot write '%s': this library was built without HDF5; .csv, .json and "
                      ".jsonl hold the same rows",
                      path);
}

Status show_hdf5_row(ShowHdf5 *hdf5, const double *row, Diag *diag)
{
    (void)row, (void)diag;
    assert(!hdf5);
    return STATUS_FAILED;
}

Status show_hdf5_event(ShowHdf5 *hdf5, const RunEvent *event, Diag *diag)
{
    (void)event, (void)diag;
    assert(!hdf5);
    return STATUS_FAILED;
}

Status show_hdf5_json(ShowHdf5 *hdf5, const char *name, const char *json, Diag *diag)
{
    (void)name, (void)json, (void)diag;
    assert(!hdf5);
    return STATUS_FAILED;
}

bool show_hdf5_can_be_cut(const ShowHdf5 *hdf5)
{
    assert(!hdf5);
    return false;
}

Status show_hdf5_close(ShowHdf5 *hdf5, ShowEnd end, Diag *diag)
{
    (void)end, (void)diag;
    assert(!hdf5);
    return STATUS_FAILED;
}

Status show_sweep_hdf5(const char *path, const ShowSweep *sweep, Diag *diag)
{
    (void)sweep;
    return diag_error(diag, place_none(),
                      "cannot write '%s': this library was built without HDF5; .csv holds the "
                      "same numbers",
                      path);
}

Status show_sweep_file_begin(const char *path, const ShowSweep *sweep, Diag *diag, SweepFile **out)
{
    *out = NULL;
    return show_sweep_hdf5(path, sweep, diag);
}

bool show_sweep_file_go_on(SweepFile *file, size_t most)
{
    (void)most;
    assert(!file);
    return false;
}

Status show_sweep_file_end(SweepFile *file, bool keep, Diag *diag)
{
    (void)keep, (void)diag;
    assert(!file);
    return STATUS_FAILED;
}

Status show_sweep_join(const char *path, const ShowSweep *sweep, const char *const *paths,
                       size_t count, Diag *diag)
{
    (void)paths, (void)count;
    return show_sweep_hdf5(path, sweep, diag);
}
