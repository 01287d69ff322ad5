// chain_text.h: the models of any length that bench/chains prints.
#ifndef ZWANG_TESTS_CHAIN_TEXT_H
#define ZWANG_TESTS_CHAIN_TEXT_H

#include "base/text_builder.h"
#include "support.h"

// The text of a model, as "planar 40"; the caller clears it.
static inline Text chain_text(const char *words)
{
    char command[512], line[4096];
    snprintf(command, sizeof command, "python3 %s/bench/chains %s", ZWANG_SOURCE_DIR, words);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    Text text = {0};
    while (fgets(line, sizeof line, pipe))
        text_add(&text, line);
    assert_int_equal(pclose(pipe), 0);
    return text;
}

static inline Loaded load_chain(const char *words)
{
    Text text = chain_text(words);
    Loaded loaded = load_good(words, text.at);
    text_clear(&text);
    return loaded;
}

#endif
