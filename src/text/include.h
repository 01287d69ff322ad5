// include.h: the files that a text includes.
#ifndef ZWANG_TEXT_INCLUDE_H
#define ZWANG_TEXT_INCLUDE_H

#include "base/base.h"

// Who reads files. `read` adds a file's text and returns why it could not, or NULL; `identify` adds
// what is the same for all paths that lead to one file.
typedef struct {
    const char *(*read)(const char *path, Text *text);
    void (*identify)(const char *path, Text *identity);
} TextFiles;

// Replaces a file's text by one in which the texts of all included files stand where they are
// included, each file once; a text without `include` stays. The new one owns the old one, also
// behind an error: messages point into it.
BASE_MUST_USE Status text_include(Source **source, const TextFiles *files, Diag *diag);

#endif
