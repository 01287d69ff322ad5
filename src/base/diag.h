// diag.h: diagnostics: what is wrong, and where in which text.
#ifndef ZWANG_BASE_DIAG_H
#define ZWANG_BASE_DIAG_H

#include "base/memory.h"
#include "base/place.h"

typedef enum { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR } DiagKind;
Diag *diag_new(void);
void diag_free(Diag *diag);
void diag_add(Diag *diag, DiagKind kind, Place place, const char *format, ...) BASE_PRINTF(4, 5);
// An error; the value is for `return diag_error(…)`.
Status diag_error(Diag *diag, Place place, const char *format, ...) BASE_PRINTF(3, 4);
// The messages of another one, from the first that is wanted on, behind those that are there.
void diag_copy(Diag *diag, const Diag *from, size_t first);
// What is about one thing is about another, from a message on.
void diag_replace_hint(Diag *diag, size_t first, Hint from, Hint to);
size_t diag_count(const Diag *diag, DiagKind kind);
size_t diag_total(const Diag *diag);
const char *diag_message(const Diag *diag, size_t index, DiagKind *kind, Place *place);
// The name of what a message is about; NULL for nothing.
const char *diag_hint_name(Hint hint);
// All messages of at least this kind, in the order of their places, as a person reads them:
// file:line:column: error: …, the line, and a caret under the spot.
void diag_render(const Diag *diag, DiagKind least, Text *out);
// The same; what `hint` returns for the name of a message's hint, unless that is NULL, follows the
// message in parentheses; `spell` writes a note or warning as people read it. Either may be NULL.
typedef struct {
    const char *(*hint)(const char *name);
    void (*spell)(const void *context, const char *message, Text *out);
    const void *context;
} DiagWords;
void diag_render_with(const Diag *diag, DiagKind least, DiagWords words, Text *out);

#endif
