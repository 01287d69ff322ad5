// hdf5_parts_impl.h: attributes and the group of events in an HDF5 file. Each function that returns
// a bool tells whether it could be written.
#ifndef ZWANG_SHOW_HDF5_PARTS_IMPL_H
#define ZWANG_SHOW_HDF5_PARTS_IMPL_H

#include "show/show.h"

#include <hdf5.h>

// ---- hdf5_attributes.c
hid_t hdf5_text_type(void); // UTF-8, as long as it is; the caller closes it
bool hdf5_put_text(hid_t at, const char *name, const char *value);
bool hdf5_put_texts(hid_t at, const char *name, const char *const *values, size_t count);
bool hdf5_put_number(hid_t at, const char *name, double value);
bool hdf5_put_numbers(hid_t at, const char *name, const double *values, size_t count);
bool hdf5_put_truth(hid_t at, const char *name, bool value); // as an int

// ---- hdf5.c: a file, and on it what the result can be reproduced from.
// Before calls of HDF5: ends the call of ours where memory is about to end.
void hdf5_need_memory(void);
hid_t hdf5_new_file(const char *path);
bool hdf5_put_origin(hid_t file, const ShowRun *run);

// ---- hdf5_events.c: the events of a run as a group of datasets.
typedef struct Hdf5Events Hdf5Events;
// *out is to be closed in any case.
bool hdf5_events_new(hid_t file, const char *name, const ShowRun *run, Hdf5Events **out);
// Gathers an event; a chunk of them is written when there are enough. In between the last one can
// be taken back.
void hdf5_events_add(Hdf5Events *events, const RunEvent *event);
void hdf5_events_drop_last(Hdf5Events *events);
bool hdf5_events_write_chunk(Hdf5Events *events);
size_t hdf5_events_count(const Hdf5Events *events);
size_t hdf5_events_room(const Hdf5Events *events); // bytes that what is gathered takes in a file
bool hdf5_events_close(Hdf5Events *events, bool keep); // keep: what is still gathered is written

#endif
