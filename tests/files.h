// files.h: whole files for tests.
#ifndef ZWANG_TESTS_FILES_H
#define ZWANG_TESTS_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>

#include "base/base.h"
#include "robots/robots.h"
#include "text/table_files.h"

// The caller clears it.
static inline Text read_whole_file(const char *folder, const char *name, const char *ending)
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

static inline const char *files_read(const char *path, Text *text)
{
    *text = read_whole_file(path, "", "");
    return NULL;
}

static inline void files_identify(const char *path, Text *identity)
{
    text_add(identity, path);
}

// Units of robots' files, which count only where the model that reads them has some, as blanks: a
// text alone does not tell which of its lines are of such a file.
static inline void files_blank_units(const Source *source)
{
    for (size_t i = 0; i < source->piece_count; i++) {
        size_t end = i + 1 < source->piece_count ? source->pieces[i + 1].start : source->length;
        char *stop = source->at + end, *at = source->at + source->pieces[i].start;
        while (source->pieces[i].whole && (at = strstr(at, " in ")) && at < stop) {
            size_t length =
                4 + strspn(at + 4, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                   "0123456789*/^");
            if (strchr(" ,\n", at[length]))
                memset(at, ' ', length);
            at += 4;
        }
    }
}

// The same; what a model reads stands in its place. The caller clears it.
static inline Text read_file(const char *folder, const char *name, const char *ending)
{
    static const TextFiles files = {files_read, files_identify, robot_write_read};
    Text text = read_whole_file(folder, name, ending), path = {0};
    if (strcmp(ending, ".zw") != 0 || (!strstr(text.at, "\nread ") && !strstr(text.at, "table(\"")))
        return text;
    text_addf(&path, "%s%s%s", folder, name, ending);
    Diag *diag = diag_new();
    Source *source = source_new(path.at, text.at, text.length);
    assert_int_equal(text_include(&source, &files, diag), STATUS_OK);
    assert_int_equal(text_add_tables(&source, NULL, 0, &files, diag), STATUS_OK);
    files_blank_units(source);
    text.length = 0;
    text_add_str(&text, (Str){source->at, source->length});
    source_free(source);
    diag_free(diag);
    text_clear(&path);
    return text;
}

// The models of a folder by their names without ending, sorted.
enum { MODELS_MOST = 1000, MODEL_NAME = 128 };
typedef struct {
    size_t count;
    char at[MODELS_MOST][MODEL_NAME];
} ModelNames;

static inline int files_by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static inline const ModelNames *model_names(const char *folder)
{
    static ModelNames names;
    names.count = 0;
    DIR *open = opendir(folder);
    assert_non_null(open);
    for (const struct dirent *entry; (entry = readdir(open));) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 3, ".zw") != 0)
            continue;
        assert_true(length - 3 < MODEL_NAME && names.count < MODELS_MOST);
        snprintf(names.at[names.count++], MODEL_NAME, "%.*s", (int)(length - 3), entry->d_name);
    }
    closedir(open);
    qsort(names.at, names.count, sizeof *names.at, files_by_name);
    return &names;
}

#endif
