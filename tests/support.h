// support.h: what tests of the later rooms share: models from text, and failing with the
// messages shown.
#ifndef ZWANG_TESTS_SUPPORT_H
#define ZWANG_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "files.h"
#include "model/model.h"
#include "model/vectors.h"
#include "motion/motion.h"
#include "test_size.h"

typedef struct {
    Diag *diag;
    Source *source;
    Model *model;
    Motion *motion;
    Status status;
} Loaded;

static inline void print_messages(const Diag *diag)
{
    Text text = {0};
    diag_render(diag, DIAG_NOTE, &text);
    if (text.length)
        print_message("%s", text.at);
    text_clear(&text);
}

static inline Loaded load_text(const char *name, const char *text)
{
    Loaded loaded = {.diag = diag_new(), .source = source_new(name, text, strlen(text))};
    loaded.status = model_read(loaded.source, NULL, 0, loaded.diag, &loaded.model);
    if (loaded.status == STATUS_OK)
        loaded.status = motion_new(loaded.model, loaded.diag, &loaded.motion);
    return loaded;
}

// A model that must be right.
static inline Loaded load_good(const char *name, const char *text)
{
    Loaded loaded = load_text(name, text);
    if (loaded.status != STATUS_OK)
        print_messages(loaded.diag);
    assert_int_equal(loaded.status, STATUS_OK);
    return loaded;
}

// A model of the folder models/, by its name without ending.
static inline Loaded load_model(const char *name)
{
    Text text = read_file(ZWANG_SOURCE_DIR "/models/", name, ".zw");
    Loaded loaded = load_good(name, text.at);
    text_clear(&text);
    return loaded;
}

static inline void unload(Loaded *loaded)
{
    motion_free(loaded->motion);
    model_free(loaded->model);
    source_free(loaded->source);
    diag_free(loaded->diag);
}

#endif
