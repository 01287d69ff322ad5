// diag.c: sources, places and messages.
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

Source *source_new(const char *name, const char *text, size_t length)
{
    Source *source = base_alloc(sizeof *source);
    size_t name_length = strlen(name);
    source->name = base_alloc(name_length + 1);
    memcpy(source->name, name, name_length);
    source->at = base_alloc(length + 1);
    if (length)
        memcpy(source->at, text, length);
    source->length = length;
    return source;
}

static const Source *same_file(const Source *source, const Source *copy, const Source *file)
{
    for (size_t i = 0; i < source->file_count; i++)
        if (source->files[i] == file)
            return copy->files[i];
    return NULL;
}

Source *source_copy(const Source *source)
{
    Source *copy = source_new(source->name, source->at, source->length);
    if (source->file_count == 0)
        return copy;
    copy->files = base_alloc(source->file_count * sizeof *copy->files);
    for (; copy->file_count < source->file_count; copy->file_count++)
        copy->files[copy->file_count] = source_copy(source->files[copy->file_count]);
    copy->pieces = base_alloc(source->piece_count * sizeof *copy->pieces);
    for (; copy->piece_count < source->piece_count; copy->piece_count++) {
        SourcePiece piece = source->pieces[copy->piece_count];
        piece.from = same_file(source, copy, piece.from);
        copy->pieces[copy->piece_count] = piece;
    }
    return copy;
}

void source_free(Source *source)
{
    if (!source)
        return;
    for (size_t i = 0; i < source->file_count; i++)
        source_free(source->files[i]);
    base_free(source->files);
    base_free(source->pieces);
    base_free(source->name);
    base_free(source->at);
    base_free(source);
}

Place place_none(void)
{
    return (Place){0};
}

Place place_at(const Source *source, uint32_t start, uint32_t length)
{
    return (Place){.source = source, .start = start, .length = length};
}

Place place_hint(Hint hint)
{
    return (Place){.hint = hint};
}

Place place_with_hint(Place place, Hint hint)
{
    place.hint = hint;
    return place;
}

Place place_between(Place first, Place last)
{
    if (!first.source || first.source != last.source)
        return first;
    uint32_t end = last.start + last.length;
    if (end > first.start + first.length)
        first.length = end - first.start;
    return first;
}

Place place_origin(Place place)
{
    const Source *source = place.source;
    if (!source || source->piece_count == 0)
        return place;
    size_t low = 0, high = source->piece_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(source->pieces[middle].start <= place.start ? &low : &high) = middle;
    }
    const SourcePiece *piece = &source->pieces[low];
    size_t end = low + 1 < source->piece_count ? piece[1].start : source->length;
    size_t left = end > place.start ? end - place.start : 0;
    place.source = piece->from;
    place.start = piece->from_start + (piece->whole ? 0 : place.start - piece->start);
    if (place.length > left)
        place.length = (uint32_t)left;
    return place;
}

static size_t line_start(const Source *source, size_t at)
{
    while (at > 0 && source->at[at - 1] != '\n')
        at--;
    return at;
}

void place_position(Place place, uint32_t *line, uint32_t *column)
{
    *line = *column = 1;
    place = place_origin(place);
    if (!place.source)
        return;
    size_t start = place.start < place.source->length ? place.start : place.source->length;
    for (size_t i = 0; i < start; i++)
        if (place.source->at[i] == '\n')
            ++*line;
    size_t first = line_start(place.source, start);
    *column = (uint32_t)text_width(place.source->at + first, start - first) + 1;
}

// ---- Messages.

typedef struct {
    DiagKind kind;
    Place place;
    const char *message;
} DiagEntry;

struct Diag {
    Arena *arena;
    ARRAY(DiagEntry) entries;
};

Diag *diag_new(void)
{
    Diag *diag = base_alloc(sizeof *diag);
    diag->arena = arena_new();
    return diag;
}

void diag_free(Diag *diag)
{
    if (!diag)
        return;
    array_clear(&diag->entries);
    arena_free(diag->arena);
    base_free(diag);
}

static void add_message(Diag *diag, DiagKind kind, Place place, const char *format, va_list args)
{
    Text text = {0};
    text_addv(&text, format, args);
    const char *message = arena_copy_text(diag->arena, text.at ? text.at : "", text.length);
    text_clear(&text);
    array_push(&diag->entries, ((DiagEntry){kind, place_origin(place), message}));
}

void diag_add(Diag *diag, DiagKind kind, Place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_message(diag, kind, place, format, args);
    va_end(args);
}

Status diag_error(Diag *diag, Place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_message(diag, DIAG_ERROR, place, format, args);
    va_end(args);
    return STATUS_WRONG;
}

void diag_copy(Diag *diag, const Diag *from, size_t first)
{
    for (size_t i = first; i < diag_total(from); i++) {
        DiagKind kind;
        Place place;
        const char *message = diag_message(from, i, &kind, &place);
        diag_add(diag, kind, place, "%s", message);
    }
}

void diag_replace_hint(Diag *diag, size_t first, Hint from, Hint to)
{
    for (size_t i = first; i < diag->entries.count; i++)
        if (diag->entries.at[i].place.hint == from)
            diag->entries.at[i].place.hint = to;
}

size_t diag_count(const Diag *diag, DiagKind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < diag->entries.count; i++)
        count += diag->entries.at[i].kind == kind;
    return count;
}

size_t diag_total(const Diag *diag)
{
    return diag->entries.count;
}

const char *diag_message(const Diag *diag, size_t index, DiagKind *kind, Place *place)
{
    const DiagEntry *entry = &diag->entries.at[index];
    if (kind)
        *kind = entry->kind;
    if (place)
        *place = entry->place;
    return entry->message;
}

// ---- Rendering.

enum { LONGEST_SHOWN_LINE = 160 };

static bool is_continuation(const Source *source, size_t at)
{
    return at < source->length && ((unsigned char)source->at[at] & 0xC0) == 0x80;
}

// The part of the line around the place that is worth showing.
static void shown_part(Place place, size_t *first, size_t *last)
{
    const Source *source = place.source;
    size_t start = place.start < source->length ? place.start : source->length;
    *first = line_start(source, start);
    *last = start;
    while (*last < source->length && source->at[*last] != '\n')
        ++*last;
    if (*last - *first > LONGEST_SHOWN_LINE) {
        if (start - *first > LONGEST_SHOWN_LINE / 2)
            *first = start - LONGEST_SHOWN_LINE / 2;
        if (*last - *first > LONGEST_SHOWN_LINE)
            *last = *first + LONGEST_SHOWN_LINE;
        while (is_continuation(source, *first))
            ++*first;
        while (*last > *first && is_continuation(source, *last))
            --*last;
    }
    if (*last > *first && source->at[*last - 1] == '\r')
        --*last;
}

// Adds a part of a line as a terminal can show it: a tab is a space, and what is no character or
// would move the cursor is U+FFFD. Returns how many columns it takes.
static size_t add_shown(const Source *source, size_t first, size_t last, Text *out)
{
    size_t before = out->length;
    for (size_t at = first; at < last;) {
        uint32_t bytes;
        uint32_t code = str_decode((Str){source->at + at, last - at}, &bytes);
        bool control = code < 32 || (code >= 127 && code < 0xA0);
        if (code == '\t')
            text_add_char(out, ' ');
        else if (!bytes || control)
            text_add(out, "\uFFFD");
        else
            text_add_str(out, (Str){source->at + at, bytes});
        at += bytes ? bytes : 1;
    }
    return text_width(out->at + before, out->length - before);
}

static void render_line_with_caret(Place place, Text *out)
{
    size_t first, last;
    shown_part(place, &first, &last);
    size_t start = place.start < last ? place.start : last;
    size_t end = start + place.length < last ? start + place.length : last;
    start = start < first ? first : start;
    end = end < start ? start : end;
    text_add(out, "    ");
    size_t before = add_shown(place.source, first, start, out);
    size_t under = add_shown(place.source, start, end, out);
    add_shown(place.source, end, last, out);
    text_add(out, "\n    ");
    while (before-- > 0)
        text_add_char(out, ' ');
    text_add_char(out, '^');
    while (under-- > 1)
        text_add_char(out, '~');
    text_add_char(out, '\n');
}

static const char *const hint_names[HINT_COUNT] = {
#define HINT(NAME, name) [HINT_##NAME] = name,
#include "base/hints.def"
#undef HINT
};

const char *diag_hint_name(Hint hint)
{
    return hint_names[hint];
}

static void render_entry(const DiagEntry *entry, DiagWords words, Text *out)
{
    static const char *const kinds[] = {"note", "warning", "error"};
    const char *name = hint_names[entry->place.hint],
               *hint = words.hint && name ? words.hint(name) : NULL;
    if (entry->place.source) {
        uint32_t line, column;
        place_position(entry->place, &line, &column);
        text_addf(out, "%s:%u:%u: ", entry->place.source->name, line, column);
    }
    text_addf(out, "%s: ", kinds[entry->kind]);
    // An error has names as they are typed: its reader will type them.
    if (words.spell && entry->kind != DIAG_ERROR)
        words.spell(words.context, entry->message, out);
    else
        text_add(out, entry->message);
    if (hint)
        text_addf(out, " (%s)", hint);
    text_add_char(out, '\n');
    if (entry->place.source && entry->place.source->length)
        render_line_with_caret(entry->place, out);
}

void diag_render(const Diag *diag, DiagKind least, Text *out)
{
    diag_render_with(diag, least, (DiagWords){0}, out);
}

void diag_render_with(const Diag *diag, DiagKind least, DiagWords words, Text *out)
{
    // In the order of their places within each source; messages without a place stay where
    // they were said. An insertion sort keeps the order of equals.
    size_t count = diag->entries.count;
    const DiagEntry **order = base_alloc(count * sizeof *order);
    for (size_t i = 0; i < count; i++) {
        const DiagEntry *entry = &diag->entries.at[i];
        size_t j = i;
        while (j > 0 && entry->place.source && order[j - 1]->place.source == entry->place.source &&
               order[j - 1]->place.start > entry->place.start) {
            order[j] = order[j - 1];
            j--;
        }
        order[j] = entry;
    }
    for (size_t i = 0; i < count; i++)
        if (order[i]->kind >= least)
            render_entry(order[i], words, out);
    base_free(order);
}
