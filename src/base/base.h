// base.h: what every room stands on. Memory, arrays, text, status, diagnostics.
//
// Nothing here knows mathematics. Nothing here prints or exits: where memory
// ends, one hook is called (base_on_no_memory), and it does not return.
#ifndef ZWANG_BASE_H
#define ZWANG_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BASE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define BASE_MUST_USE            __attribute__((warn_unused_result))
#define BASE_NO_RETURN           __attribute__((noreturn))
#else
#define BASE_PRINTF(text, first)
#define BASE_MUST_USE
#define BASE_NO_RETURN
#endif

// ---- Status: how a stage ended. Details are in a Diag.
typedef enum {
    STATUS_OK = 0,
    STATUS_NEGATIVE = 1, // the question has a negative answer; what was reached stands
    STATUS_WRONG = 2,    // the user's mistake; the Diag says which
    STATUS_FAILED = 3    // the machine failed: memory, disk
} Status;

// Returns early from the calling function unless the call succeeded.
#define TRY(call)                                                                                  \
    do {                                                                                           \
        Status try_status_ = (call);                                                               \
        if (try_status_ != STATUS_OK)                                                              \
            return try_status_;                                                                    \
    } while (0)

// ---- Answer: what mathematics can say of a question.
typedef enum { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN } Answer;

// ---- Memory. The allocators below never return NULL.
typedef void (*BaseNoMemoryHook)(size_t bytes);
void base_on_no_memory(BaseNoMemoryHook hook); // the default aborts
void *base_alloc(size_t bytes);                // zeroed
void *base_realloc(void *old, size_t bytes);
void base_free(void *block);

// An arena: allocations that are freed together.
typedef struct Arena Arena;
Arena *arena_new(void);
void arena_free(Arena *arena);
void *arena_alloc(Arena *arena, size_t bytes); // zeroed, aligned for any type
#define arena_array(arena, T, count) ((T *)arena_alloc((arena), (count) * sizeof(T)))
char *arena_copy_text(Arena *arena, const char *text, size_t length); // NUL-terminated

// A growable array of T: `ARRAY(int) a = {0}; array_push(&a, 3); array_clear(&a);`
#define ARRAY(T)                                                                                   \
    struct {                                                                                       \
        T *at;                                                                                     \
        size_t count, capacity;                                                                    \
    }
#define array_reserve(a, wanted)                                                                   \
    ((a)->at = base_grow((a)->at, &(a)->capacity, (wanted), sizeof *(a)->at))
#define array_push(a, value) (array_reserve((a), (a)->count + 1), (a)->at[(a)->count++] = (value))
#define array_clear(a)       (base_free((a)->at), (a)->at = NULL, (a)->count = (a)->capacity = 0)
void *base_grow(void *old, size_t *capacity, size_t wanted, size_t item_bytes);

// ---- Strings.
typedef struct {
    const char *at;
    size_t length;
} Str; // a view, not NUL-terminated

Str str_of(const char *text);
bool str_equal(Str a, Str b);
bool str_is(Str a, const char *text);

// A string builder; `at` is always NUL-terminated once something was added.
typedef struct {
    char *at;
    size_t length, capacity;
} Text;
void text_add(Text *text, const char *piece);
void text_add_str(Text *text, Str piece);
void text_add_char(Text *text, char c);
void text_addf(Text *text, const char *format, ...) BASE_PRINTF(2, 3);
void text_addv(Text *text, const char *format, va_list args) BASE_PRINTF(2, 0);
void text_clear(Text *text);

// The first character of UTF-8 text and the number of its bytes: 0 bytes where it is not valid.
uint32_t str_decode(Str text, uint32_t *bytes);
// How many columns a terminal gives to UTF-8 text (a combining mark takes none).
size_t text_width(const char *text, size_t length);

// The candidate nearest to `word` in edits, or that begins or continues it, or -1 where none is
// near enough to be meant.
ptrdiff_t str_nearest(Str word, const Str *candidates, size_t count);

uint64_t hash_bytes(const void *bytes, size_t count, uint64_t seed);
uint64_t hash_mix(uint64_t hash, uint64_t value);

// A set of names: from a string to a number.
typedef struct NameMap NameMap;
NameMap *name_map_new(void);
void name_map_free(NameMap *map);
bool name_map_put(NameMap *map, Str name, uint32_t value); // false where the name was there
bool name_map_get(const NameMap *map, Str name, uint32_t *value);

// ---- Random numbers: the same sequence for the same seed everywhere (splitmix64).
typedef struct {
    uint64_t state;
} Random;
Random random_seed(uint64_t seed);
uint64_t random_next(Random *random);
uint64_t random_below(Random *random, uint64_t bound);

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
typedef struct Diag Diag;
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
