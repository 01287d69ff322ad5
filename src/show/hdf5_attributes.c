// hdf5_attributes.c: texts and numbers as attributes of an HDF5 object.
#include "show/hdf5_parts_impl.h"

static bool put_attribute(hid_t at, const char *name, hid_t type, hid_t space, const void *value)
{
    hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0)
        good = H5Aclose(attribute) >= 0 && good;
    H5Sclose(space);
    return good;
}

// A list of none is an empty one, not a missing attribute; it too needs some address of values.
static hid_t list_space(size_t count)
{
    return H5Screate_simple(1, &(hsize_t){count}, NULL);
}

hid_t hdf5_text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

bool hdf5_put_text(hid_t at, const char *name, const char *value)
{
    hid_t type = hdf5_text_type();
    bool good = put_attribute(at, name, type, H5Screate(H5S_SCALAR), &value);
    H5Tclose(type);
    return good;
}

bool hdf5_put_texts(hid_t at, const char *name, const char *const *values, size_t count)
{
    hid_t type = hdf5_text_type();
    bool good = put_attribute(at, name, type, list_space(count), count ? values : &name);
    H5Tclose(type);
    return good;
}

bool hdf5_put_number(hid_t at, const char *name, double value)
{
    return put_attribute(at, name, H5T_NATIVE_DOUBLE, H5Screate(H5S_SCALAR), &value);
}

bool hdf5_put_numbers(hid_t at, const char *name, const double *values, size_t count)
{
    const double none = 0;
    return put_attribute(at, name, H5T_NATIVE_DOUBLE, list_space(count), count ? values : &none);
}

bool hdf5_put_truth(hid_t at, const char *name, bool value)
{
    int number = value;
    return put_attribute(at, name, H5T_NATIVE_INT, H5Screate(H5S_SCALAR), &number);
}
