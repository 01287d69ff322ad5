// base64_impl.h: numbers as text: short, and read at once.
#ifndef ZWANG_SHOW_BASE64_IMPL_H
#define ZWANG_SHOW_BASE64_IMPL_H

#include "base/text_builder.h"

// Every stride-th number, the lowest byte of each first: as doubles, as floats; indices of so many
// bytes each.
void base64_add_doubles(const double *values, size_t count, size_t stride, Text *out);
void base64_add_floats(const double *values, size_t count, Text *out);
void base64_add_bytes(const unsigned char *bytes, size_t count, Text *out);
void base64_add_indices(const uint32_t *values, size_t count, size_t size, Text *out);

#endif
