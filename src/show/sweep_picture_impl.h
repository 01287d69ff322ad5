// sweep_picture_impl.h: a table of colours as a PNG in a text.
#ifndef ZWANG_SHOW_SWEEP_PICTURE_IMPL_H
#define ZWANG_SHOW_SWEEP_PICTURE_IMPL_H

#include "base/text_builder.h"

// "data:image/png;base64,…" of rows of pixels, three bytes each, from the top.
void png_data_uri(const unsigned char *pixels, size_t width, size_t height, Text *out);

#endif
