// file_impl.h: a file that appears under its name when it is whole.
#ifndef ZWANG_SHOW_FILE_IMPL_H
#define ZWANG_SHOW_FILE_IMPL_H

#include "base/base.h"
#include "base/guard.h"
#include "base/strings.h"

#include <stdio.h>

typedef struct {
    char *path;      // what was asked for; "-" is standard output
    char *target;    // the file that this leads to, past symbolic links; NULL as temporary
    char *temporary; // what is written; NULL where it is written directly
    FILE *stream;    // a writer of its own may close it and write `temporary`; NULL then
    BaseCleanup cleanup;
} ShowFile;
// An open one is not to be moved.
BASE_MUST_USE Status show_file_open(ShowFile *file, const char *path, Diag *diag);
// Written beside its place with this ending: who is killed leaves one such file at most, which the
// next one writes over. The caller sees to it that there is one writer.
BASE_MUST_USE Status show_file_open_as(ShowFile *file, const char *path, const char *ending,
                                       Diag *diag);
// Puts the file in its place; without keep it is taken away, and nothing is said.
BASE_MUST_USE Status show_file_close(ShowFile *file, bool keep, Diag *diag);
// The same of a file that could not be written to its end, for want of room: what it has is cut
// back to before the last `mark` that leaves room for `ending`, which follows there. False where
// there is nothing to keep; it is closed in any case.
bool show_file_close_cut(ShowFile *file, const char *mark, Str ending);
// Whether the path is no regular file, nor to become one: written directly, from front to back.
bool show_file_is_direct(const char *path);

#endif
