// text_builder.h: text that grows piece by piece.
#ifndef ZWANG_BASE_TEXT_BUILDER_H
#define ZWANG_BASE_TEXT_BUILDER_H

#include "base/memory.h"

#include <stdarg.h>

// A string builder; `at` is always NUL-terminated once something was added.
typedef struct Text {
    char *at;
    size_t length, capacity;
} Text;
void text_add(Text *text, const char *piece);
void text_add_char(Text *text, char c);
void text_addf(Text *text, const char *format, ...) BASE_PRINTF(2, 3);
void text_addv(Text *text, const char *format, va_list args) BASE_PRINTF(2, 0);
void text_clear(Text *text);

#endif
