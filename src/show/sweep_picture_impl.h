// sweep_picture_impl.h: a table of colours as a PNG in a text.
#ifndef ZWANG_SHOW_SWEEP_PICTURE_IMPL_H
#define ZWANG_SHOW_SWEEP_PICTURE_IMPL_H

#include "base/text_builder.h"

// Rows of cells, and of how many pixels each of them is.
typedef struct {
    size_t width, height;
    size_t across, up;
} PngSize;

// "data:image/png;base64,…" of rows of cells, three bytes each, from the top.
void png_data_uri(const unsigned char *cells, const PngSize *size, Text *out);

#endif
