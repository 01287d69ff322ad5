// hdf5_impl.h: rows as datasets, where there are `rows`, and events as a group.
#ifndef ZWANG_SHOW_HDF5_IMPL_H
#define ZWANG_SHOW_HDF5_IMPL_H

#include "show/show.h"

typedef struct ShowHdf5 ShowHdf5;
BASE_MUST_USE Status show_hdf5_open(const char *path, const ShowRun *run, bool rows, Diag *diag,
                                    ShowHdf5 **out);
BASE_MUST_USE Status show_hdf5_row(ShowHdf5 *hdf5, const double *row, Diag *diag);
BASE_MUST_USE Status show_hdf5_event(ShowHdf5 *hdf5, const RunEvent *event, Diag *diag);
BASE_MUST_USE Status show_hdf5_json(ShowHdf5 *hdf5, const char *name, const char *json, Diag *diag);
// Whether the disk was full, so that what is there can be kept.
bool show_hdf5_can_be_cut(const ShowHdf5 *hdf5);
BASE_MUST_USE Status show_hdf5_close(ShowHdf5 *hdf5, ShowEnd end, Diag *diag);

#endif
