// files.h: whole files for tests.
#ifndef ZWANG_TESTS_FILES_H
#define ZWANG_TESTS_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>

#include "base/base.h"

// The caller clears it.
static inline Text read_file(const char *folder, const char *name, const char *ending)
{
    Text path = {0}, text = {0};
    text_addf(&path, "%s%s%s", folder, name, ending);
    FILE *file = fopen(path.at, "rb");
    if (!file)
        print_message("%s is missing\n", path.at);
    assert_non_null(file);
    char block[4096];
    size_t length;
    text_add(&text, "");
    while ((length = fread(block, 1, sizeof block, file)) > 0)
        text_add_str(&text, (Str){block, length});
    fclose(file);
    text_clear(&path);
    return text;
}

#endif
