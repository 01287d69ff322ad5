// strings.c: views, a builder, widths in a terminal, the nearest word, hashes, name maps
// and random numbers.
#include "base/base.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

Str str_of(const char *text)
{
    return (Str){text, strlen(text)};
}

bool str_equal(Str a, Str b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

Str str_trim(Str text)
{
    while (text.length > 0 && isspace((unsigned char)text.at[0]))
        text.at++, text.length--;
    while (text.length > 0 && isspace((unsigned char)text.at[text.length - 1]))
        text.length--;
    return text;
}

bool str_is(Str a, const char *text)
{
    return str_equal(a, str_of(text));
}

// ---- The builder.

static void text_reserve(Text *text, size_t more)
{
    text->at = base_grow(text->at, &text->capacity, text->length + more + 1, 1);
}

void text_add_str(Text *text, Str piece)
{
    text_reserve(text, piece.length);
    if (piece.length)
        memcpy(text->at + text->length, piece.at, piece.length);
    text->length += piece.length;
    text->at[text->length] = '\0';
}

void text_add(Text *text, const char *piece)
{
    text_add_str(text, str_of(piece));
}

void text_add_char(Text *text, char c)
{
    text_add_str(text, (Str){&c, 1});
}

void text_addv(Text *text, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length > 0) {
        text_reserve(text, (size_t)length);
        vsnprintf(text->at + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void text_addf(Text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_addv(text, format, args);
    va_end(args);
}

void text_clear(Text *text)
{
    base_free(text->at);
    *text = (Text){0};
}

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

uint32_t str_decode(Str text, uint32_t *bytes)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    *bytes = 0;
    if (!text.length)
        return 0;
    const unsigned char *at = (const unsigned char *)text.at;
    uint32_t count = at[0] < 0x80 ? 1 : at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
    if (count == 0 || at[0] > 0xF4 || count > text.length)
        return 0;
    uint32_t code = count == 1 ? at[0] : at[0] & (0x7Fu >> count);
    for (uint32_t i = 1; i < count; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3F);
    }
    if (code < least[count] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        return 0;
    *bytes = count;
    return code;
}

size_t str_hidden(const char *text)
{
    static const uint32_t ranges[][2] = {
        {0x80, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},   {0x180E, 0x180E}, {0x200B, 0x200F},
        {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
    if (!((unsigned char)*text & 0x80))
        return 0;
    // The end of the text is no part of a character.
    uint32_t bytes, code = str_decode((Str){text, 4}, &bytes);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (bytes && ranges[i][0] <= code && code <= ranges[i][1])
            return bytes;
    return 0;
}

size_t text_width(const char *text, size_t length)
{
    size_t width = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        // U+0300…U+036F are the combining marks that our printers use.
        bool combining =
            i + 1 < length && (c == 0xCC || (c == 0xCD && (unsigned char)text[i + 1] < 0xB0));
        if (begins_character(text[i]) && !combining)
            width++;
    }
    return width;
}

// ---- The nearest word: edits (insert, delete, replace, swap neighbours) up to a third of it.

enum { LONGEST_WORD = 64, SHORTEST_BEGINNING = 4 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t edit_distance(Str a, Str b)
{
    size_t rows[3][LONGEST_WORD + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= b.length; j++)
        last[j] = j;
    memcpy(before, last, sizeof rows[0]);
    for (size_t i = 1; i <= a.length; i++) {
        now[0] = i;
        for (size_t j = 1; j <= b.length; j++) {
            size_t replace = last[j - 1] + (a.at[i - 1] != b.at[j - 1]);
            now[j] = smaller(replace, smaller(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1])
                now[j] = smaller(now[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = last, last = now, now = spare;
    }
    return last[b.length];
}

// A word written out, cut short or in capitals is as near as one with a slip: coordinate is coord.
static size_t distance_between(Str a, Str b)
{
    size_t shared = a.length < b.length ? a.length : b.length;
    bool begins = shared >= SHORTEST_BEGINNING && memcmp(a.at, b.at, shared) == 0;
    bool other_case = a.length == b.length && a.length > 1;
    for (size_t i = 0; i < shared && other_case; i++)
        other_case = tolower((unsigned char)a.at[i]) == tolower((unsigned char)b.at[i]);
    return (begins && a.length != b.length) || other_case ? 1 : edit_distance(a, b);
}

// Whether both are the same letter, however often: gg and g.
static bool is_same_letter(Str a, Str b)
{
    bool same = a.length > 0 && b.length > 0 && a.at[0] == b.at[0];
    for (size_t i = 0; i < a.length && same; i++)
        same = a.at[i] == a.at[0];
    for (size_t i = 0; i < b.length && same; i++)
        same = b.at[i] == a.at[0];
    return same;
}

ptrdiff_t str_nearest(Str word, const Str *candidates, size_t count)
{
    ptrdiff_t best = -1;
    size_t best_distance = word.length < 3 ? 2 : word.length / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        if (word.length > LONGEST_WORD || candidates[i].length > LONGEST_WORD)
            continue;
        size_t distance = distance_between(word, candidates[i]);
        bool nearer = distance < best_distance;
        // Of a slip in a long word and another word's beginning the slip is nearer.
        if (distance == best_distance && best >= 0)
            nearer = edit_distance(word, candidates[i]) < edit_distance(word, candidates[best]);
        // A word of which nothing is left is not near.
        bool left = distance < candidates[i].length && distance < word.length;
        if (nearer && (left || is_same_letter(word, candidates[i]))) {
            best = (ptrdiff_t)i;
            best_distance = distance;
        }
    }
    return best;
}

const char *str_synonym(Str word, const Synonym *synonyms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_is(word, synonyms[i].word))
            return synonyms[i].ours;
    return NULL;
}

// ---- Hashes.

uint64_t hash_mix(uint64_t hash, uint64_t value)
{
    hash ^= value + 0x9E3779B97F4A7C15u + (hash << 6) + (hash >> 2);
    hash *= 0xFF51AFD7ED558CCDu;
    return hash ^ (hash >> 32);
}

uint64_t hash_bytes(const void *bytes, size_t count, uint64_t seed)
{
    const unsigned char *at = bytes;
    uint64_t hash = 0xCBF29CE484222325u ^ seed;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * 0x100000001B3u;
    return hash ^ (hash >> 29);
}

// ---- Name maps: open addressing, names copied into an arena.

typedef struct {
    Str name;
    uint32_t value;
    bool used;
} NameSlot;

struct NameMap {
    Arena *arena;
    NameSlot *slots;
    size_t count, capacity; // capacity is a power of two
};

NameMap *name_map_new(void)
{
    NameMap *map = base_alloc(sizeof *map);
    map->arena = arena_new();
    map->capacity = 16;
    map->slots = base_alloc(map->capacity * sizeof *map->slots);
    return map;
}

void name_map_free(NameMap *map)
{
    if (!map)
        return;
    arena_free(map->arena);
    base_free(map->slots);
    base_free(map);
}

static NameSlot *name_slot(const NameMap *map, Str name)
{
    size_t mask = map->capacity - 1;
    size_t i = (size_t)hash_bytes(name.at, name.length, 0) & mask;
    while (map->slots[i].used && !str_equal(map->slots[i].name, name))
        i = (i + 1) & mask;
    return &map->slots[i];
}

static void name_map_double(NameMap *map)
{
    NameSlot *old = map->slots;
    size_t old_capacity = map->capacity;
    map->capacity *= 2;
    map->slots = base_alloc(map->capacity * sizeof *map->slots);
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].used)
            *name_slot(map, old[i].name) = old[i];
    base_free(old);
}

bool name_map_put(NameMap *map, Str name, uint32_t value)
{
    if (name_slot(map, name)->used)
        return false;
    if ((map->count + 1) * 2 > map->capacity)
        name_map_double(map);
    Str copy = {arena_copy_text(map->arena, name.at, name.length), name.length};
    *name_slot(map, name) = (NameSlot){copy, value, true};
    map->count++;
    return true;
}

bool name_map_get(const NameMap *map, Str name, uint32_t *value)
{
    const NameSlot *slot = name_slot(map, name);
    if (slot->used && value)
        *value = slot->value;
    return slot->used;
}

// ---- Random numbers.

Random random_seed(uint64_t seed)
{
    return (Random){seed};
}

uint64_t random_next(Random *random)
{
    uint64_t z = (random->state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

uint64_t random_below(Random *random, uint64_t bound)
{
    // Drawing again above the last whole multiple of the bound keeps all values equally likely.
    uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    uint64_t value;
    do
        value = random_next(random);
    while (value >= limit);
    return value % bound;
}
