// strings.h: strings, names, hashes, random numbers.
#ifndef ZWANG_BASE_STRINGS_H
#define ZWANG_BASE_STRINGS_H

#include "base/memory.h"
#include "base/text_builder.h"

// ---- Strings.
typedef struct Str {
    const char *at;
    size_t length;
} Str; // a view, not NUL-terminated

Str str_of(const char *text);
bool str_equal(Str a, Str b);
bool str_is(Str a, const char *text);
Str str_trim(Str text); // without spaces at its ends
void text_add_str(Text *text, Str piece);

// The first character of UTF-8 text and the number of its bytes: 0 bytes where it is not valid.
uint32_t str_decode(Str text, uint32_t *bytes);
// How many bytes the character at `text` has, if nothing of it is seen but it changes how other
// characters are read: controls beyond ASCII, directions of writing (bidi), marks of no width,
// other ends of lines, tags. 0 for all others.
size_t str_hidden(const char *text);
// How many columns a terminal gives to UTF-8 text (a combining mark takes none).
size_t text_width(const char *text, size_t length);

// The candidate nearest to `word` in edits, or that begins or continues it, or -1 where none is
// near enough to be meant.
ptrdiff_t str_nearest(Str word, const Str *candidates, size_t count);

// What we call that which others call `word`: the second of the pair that begins with it, or NULL.
typedef struct {
    const char *word, *ours;
} Synonym;
const char *str_synonym(Str word, const Synonym *synonyms, size_t count);

uint64_t hash_bytes(const void *bytes, size_t count, uint64_t seed);
uint64_t hash_mix(uint64_t hash, uint64_t value);

// A set of names: from a string to a number.
typedef struct NameMap NameMap;
NameMap *name_map_new(void);
void name_map_free(NameMap *map);
bool name_map_put(NameMap *map, Str name, uint32_t value); // false where the name was there
bool name_map_get(const NameMap *map, Str name, uint32_t *value);

// ---- Random numbers: the same sequence for the same seed everywhere (splitmix64).
typedef struct Random {
    uint64_t state;
} Random;
Random random_seed(uint64_t seed);
uint64_t random_next(Random *random);
uint64_t random_below(Random *random, uint64_t bound);

#endif
