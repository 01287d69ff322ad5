// place.h: places in texts, and what a message is about.
#ifndef ZWANG_BASE_PLACE_H
#define ZWANG_BASE_PLACE_H

#include <stddef.h>
#include <stdint.h>

typedef struct Source {
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
typedef struct Place {
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

#endif
