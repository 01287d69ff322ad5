// base.h: what every room stands on. Memory, arrays, text, status, diagnostics.
//
// Nothing here knows mathematics. A header takes memory.h in its place, which has what
// declarations need.
#ifndef ZWANG_BASE_H
#define ZWANG_BASE_H

#include "base/memory.h"
#include "base/strings.h"

// ---- Diagnostics: what is wrong, and where in which text.
typedef struct {
    char *name; // as the user calls it: a path, "setting"
    char *at;
    size_t length;
} Source;
Source *source_new(const char *name, const char *text, size_t length);
void source_free(Source *source);

// What a message is about, of all that a caller can set.
typedef enum {
    HINT_NONE,
#define HINT(NAME, name) HINT_##NAME,
#include "base/hints.def"
#undef HINT
    HINT_COUNT
} Hint;

// A place in a source: `length` bytes from `start`. A place without source is allowed.
typedef struct {
    const Source *source;
    uint32_t start, length;
    Hint hint;
} Place;
Place place_none(void);
Place place_at(const Source *source, uint32_t start, uint32_t length);
Place place_hint(Hint hint); // in no source
Place place_with_hint(Place place, Hint hint);
Place place_between(Place first, Place last); // from the start of one to the end of the other
void place_position(Place place, uint32_t *line,
                    uint32_t *column); // both from 1, columns in characters

typedef enum { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR } DiagKind;
Diag *diag_new(void);
void diag_free(Diag *diag);
void diag_add(Diag *diag, DiagKind kind, Place place, const char *format, ...) BASE_PRINTF(4, 5);
// An error; the value is for `return diag_error(…)`.
Status diag_error(Diag *diag, Place place, const char *format, ...) BASE_PRINTF(3, 4);
size_t diag_count(const Diag *diag, DiagKind kind);
size_t diag_total(const Diag *diag);
const char *diag_message(const Diag *diag, size_t index, DiagKind *kind, Place *place);
// All messages of at least this kind, in the order of their places, as a person reads them:
// file:line:column: error: …, the line, and a caret under the spot.
void diag_render(const Diag *diag, DiagKind least, Text *out);
// The same; what `words` returns for the name of a message's hint, unless that is NULL, follows the
// message in parentheses.
typedef const char *(*HintWords)(const char *name);
void diag_render_with(const Diag *diag, DiagKind least, HintWords words, Text *out);

#endif
