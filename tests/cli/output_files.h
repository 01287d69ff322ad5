// output_files.h: the files that a run leaves behind.
#ifndef ZWANG_TESTS_CLI_OUTPUT_FILES_H
#define ZWANG_TESTS_CLI_OUTPUT_FILES_H

#include "cli/program.h"

#include <hdf5.h>

// Nothing that was begun and not finished lies about.
static inline void assert_no_parts(void)
{
    char command[256];
    snprintf(command, sizeof command, "! ls -A %s | grep -q '\\.part\\.'", folder);
    assert_int_equal(system(command), 0);
}

static inline const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline hid_t open_hdf5(const char *name)
{
    hid_t file = H5Fopen(in_folder(name), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static inline size_t rows_of(hid_t file, const char *column)
{
    hid_t dataset = H5Dopen2(file, column, H5P_DEFAULT);
    assert_true(dataset >= 0);
    hid_t space = H5Dget_space(dataset);
    hssize_t rows = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    H5Dclose(dataset);
    return (size_t)rows;
}

static inline int is_complete(hid_t file)
{
    int complete = -1;
    hid_t attribute = H5Aopen(file, "complete", H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_INT, &complete) >= 0);
    H5Aclose(attribute);
    return complete;
}

#endif
