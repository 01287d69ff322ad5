// place.h: places in texts, and what a message is about.
#ifndef ZWANG_BASE_PLACE_H
#define ZWANG_BASE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A text that is put together of files knows, piece after piece, where each stood.
typedef struct {
    uint32_t start;            // of the piece, which reaches to the next one
    const struct Source *from; // a file
    uint32_t from_start;       // where it begins there
    bool whole;                // all of it stands for what is at from_start
} SourcePiece;

typedef struct Source {
    char *name; // as the user calls it: a path, "setting"
    char *at;
    size_t length;
    SourcePiece *pieces; // rising
    size_t piece_count;
    struct Source **files; // that the pieces are of, the model's own first; owned
    size_t file_count;
} Source;
Source *source_new(const char *name, const char *text, size_t length);
// With copies of its files, in the same order.
Source *source_copy(const Source *source);
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
// The same place in the file where it stands, of a text that is put together of files.
Place place_origin(Place place);
void place_position(Place place, uint32_t *line,
                    uint32_t *column); // both from 1, columns in characters

#endif
