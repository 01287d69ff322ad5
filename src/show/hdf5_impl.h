// hdf5_impl.h: what the writers of HDF5 share. Never leaves the room.
#ifndef ZWANG_HDF5_IMPL_H
#define ZWANG_HDF5_IMPL_H

#include "show/show_impl.h"

#include <hdf5.h>

hid_t hdf5_text_type(void); // UTF-8, as long as it is; the caller closes it
// A list of texts as an attribute; whether it could be written.
bool hdf5_put_texts(hid_t at, const char *name, const char *const *values, size_t count);

// ---- hdf5_events.c: the events of a run as a group of datasets. Each tells whether it could be
// written.
typedef struct Hdf5Events Hdf5Events;
// *out is to be closed in any case.
bool hdf5_events_new(hid_t file, const char *name, const ShowRun *run, Hdf5Events **out);
bool hdf5_events_add(Hdf5Events *events, const RunEvent *event);
bool hdf5_events_close(Hdf5Events *events, bool keep); // keep: what is still gathered is written

#endif
