// plot_file_impl.h: pictures in files: SVG as it is, PNG and PDF by rsvg-convert where that is
// there.
#ifndef ZWANG_SHOW_PLOT_FILE_IMPL_H
#define ZWANG_SHOW_PLOT_FILE_IMPL_H

#include "show/file_impl.h"

// An error where the file's ending is none of a picture, or what makes such pictures is missing.
BASE_MUST_USE Status plot_file_check(const char *path, Diag *diag);
// Whether a reader's screen says if it is light or dark: SVG alone.
bool plot_file_follows_screen(const char *path);
BASE_MUST_USE Status plot_file_write(const ShowFile *file, const Text *svg, Diag *diag);

#endif
