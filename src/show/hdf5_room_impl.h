// hdf5_room_impl.h: room on the disk for an HDF5 file. Functions return 0 or an error of the
// system.
#ifndef ZWANG_SHOW_HDF5_ROOM_IMPL_H
#define ZWANG_SHOW_HDF5_ROOM_IMPL_H

#include "base/base.h"

#include <hdf5.h>
#include <sys/types.h>

typedef struct {
    off_t taken; // the file has blocks so far
} Hdf5Room;
// So many bytes more than the file has now, and what closing it needs, have their blocks.
int hdf5_room_take(Hdf5Room *room, hid_t file, uint64_t bytes);
// Of a file that is closed: what it does not use.
int hdf5_room_give_back(const Hdf5Room *room, const char *path);

#endif
