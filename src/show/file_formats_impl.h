// file_formats_impl.h: the formats of a table of numbers, and text in a CSV cell.
#ifndef ZWANG_SHOW_FILE_FORMATS_IMPL_H
#define ZWANG_SHOW_FILE_FORMATS_IMPL_H

#include "base/base.h"

typedef enum { SHOW_CSV, SHOW_JSON, SHOW_JSONL, SHOW_HDF5 } ShowFormat;
// What the ending says; `otherwise` where it says nothing.
ShowFormat show_format_of(const char *path, ShowFormat otherwise);
void show_csv_text(const char *text, Text *out); // quoted where it must be

#endif
