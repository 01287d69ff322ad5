// Any bytes are read as a bundle of files: the text up to the first line "=" is the model, and what
// follows are the files a.zw, b.csv … that it may include or read tables from, one line "=" apart.
// Either a model comes back, or an error says why not, in a text that is there.
#include "model/model.h"
#include "text/include.h"
#include "text/table_files.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { MOST_FILES = 8 };
static Str files[MOST_FILES];
static size_t file_count;

// "a.zw", also by "./a.zw" and "sub/../a.zw": the letter before the ending says which.
static size_t index_of(const char *file)
{
    const char *dot = strrchr(file, '.');
    return !dot || dot == file ? MOST_FILES : (size_t)(unsigned char)dot[-1] - 'a';
}

static const char *read_file(const char *file, Text *text)
{
    size_t index = index_of(file) + 1;
    if (index == 0 || index >= file_count)
        return "there is no such file";
    text_add_str(text, files[index]);
    return NULL;
}

static void identify(const char *file, Text *identity)
{
    text_addf(identity, "%zu", index_of(file));
}

static void split(const char *at, const char *end)
{
    file_count = 0;
    while (file_count < MOST_FILES) {
        const char *cut = at;
        while (cut < end && !(end - cut >= 3 && memcmp(cut, "\n=\n", 3) == 0))
            cut++;
        files[file_count++] = (Str){at, (size_t)(cut - at)};
        if (cut == end)
            return;
        at = cut + 3;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    split((const char *)bytes, (const char *)bytes + count);
    Source *source = source_new("fuzz.zw", files[0].at, files[0].length);
    Diag *diag = diag_new();
    Text said = {0};
    Model *model = NULL;
    const TextFiles reader = {.read = read_file, .identify = identify};
    Status status = text_include(&source, &reader, diag);
    if (status == STATUS_OK)
        status = text_add_tables(&source, NULL, 0, &reader, diag);
    if (status == STATUS_OK)
        status = model_read(source, NULL, 0, diag, &model);
    diag_render(diag, DIAG_NOTE, &said);
    bool refused = diag_count(diag, DIAG_ERROR) > 0;
    if ((status == STATUS_OK) == refused || (model == NULL) != refused)
        abort();
    if (model != NULL)
        model_free(model);
    text_clear(&said);
    diag_free(diag);
    source_free(source);
    return 0;
}
