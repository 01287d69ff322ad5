// hdf5_room.c: room on the disk for an HDF5 file, taken before HDF5 writes.
//
// HDF5 keeps the places of rows in memory until its file is closed: where the disk is full in
// between, the file cannot be closed and nothing in it can be read. So whatever is to be written
// next has its blocks beforehand, with some for the end; where they cannot be had, what is there
// can still be closed as a whole file.
#include "show/hdf5_room_impl.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    END = 32 << 10, // what closing may add: attributes and the lists that lead to them
    AHEAD = 1 << 20 // taken at once where the disk has it
};

int hdf5_room_take(Hdf5Room *room, hid_t file, uint64_t bytes)
{
    void *descriptor = NULL;
    haddr_t used;
    assert(room && file >= 0);
    if (H5Fget_vfd_handle(file, H5P_DEFAULT, &descriptor) < 0 || !descriptor ||
        H5Fget_eoa(file, &used) < 0)
        return EIO;
    off_t wanted = (off_t)(used + bytes + END);
    if (wanted <= room->taken)
        return 0;
    for (off_t ahead = AHEAD;; ahead = 0) {
        int error = posix_fallocate(*(int *)descriptor, room->taken, wanted + ahead - room->taken);
        if (error == 0)
            room->taken = wanted + ahead;
        if (error == 0 || ahead == 0)
            return error;
    }
}

// HDF5 gives the rest back when it closes a file, except where it has written the last byte of
// what it uses: it does not know that there is more.
int hdf5_room_give_back(const Hdf5Room *room, const char *path)
{
    struct stat there;
    haddr_t used;
    if (stat(path, &there) != 0)
        return errno;
    if (room->taken == 0 || there.st_size < room->taken)
        return 0;
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    bool known = file >= 0 && H5Fget_eoa(file, &used) >= 0;
    if (file >= 0)
        H5Fclose(file);
    if (!known)
        return EIO;
    return truncate(path, (off_t)used) == 0 ? 0 : errno;
}
