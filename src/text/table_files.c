// table_files.c: the files that the tables of a text are read from, kept in it as comments:
//
//     #= table "road.csv"
//     #|s,z
//     #|0,0.1
#include "text/table_files.h"

#include "text/text_impl.h"

#include <string.h>

typedef struct {
    const TextFiles *files;
    Diag *diag;
    Source *own; // the text as it was
    Text text;   // as it becomes
    ARRAY(SourcePiece) pieces;
    ARRAY(Source *) sources;
} Adding;

// ---- Reading them.

static void add_head(Str file, Text *out)
{
    text_add(out, "\n#= table \"");
    text_add_str(out, file);
    text_add(out, "\"\n");
}

static bool find_head(Str text, Str file, size_t *at)
{
    Text head = {0};
    add_head(file, &head);
    bool found = false;
    for (size_t i = 0; i + head.length <= text.length && !found; i++) {
        const char *next = memchr(text.at + i, '\n', text.length - i - head.length + 1);
        if (!next)
            break;
        i = (size_t)(next - text.at);
        found = memcmp(next, head.at, head.length) == 0;
        *at = i + head.length;
    }
    text_clear(&head);
    return found;
}

bool text_find_table(const Source *source, Str file, size_t *at)
{
    return find_head((Str){source->at, source->length}, file, at);
}

bool text_table_line(const Source *source, size_t *at, Str *line)
{
    if (*at + 2 > source->length || source->at[*at] != '#' || source->at[*at + 1] != '|')
        return false;
    const char *first = source->at + *at + 2;
    const char *end = memchr(first, '\n', source->length - *at - 2);
    size_t length = end ? (size_t)(end - first) : source->length - *at - 2;
    *line = (Str){first, length};
    *at += 2 + length + (end != NULL);
    return true;
}

// ---- Adding them.

// As comments, each line of its own.
static void add_lines(Adding *adding, const Source *from)
{
    const char *at = from->at, *end = from->at + from->length;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t length = line_end ? (size_t)(line_end - at) : (size_t)(end - at);
        text_add(&adding->text, "#|");
        SourcePiece piece = {(uint32_t)adding->text.length, from, (uint32_t)(at - from->at), false};
        array_push(&adding->pieces, piece);
        bool ended = length > 0 && at[length - 1] == '\r';
        text_add_str(&adding->text, (Str){at, length - ended});
        text_add_char(&adding->text, '\n');
        at += length + 1;
    }
}

static Status add_file(Adding *adding, Str written, const Source *in, Place place)
{
    size_t at;
    Text path = {0}, content = {0};
    if (find_head((Str){adding->text.at, adding->text.length}, written, &at))
        return STATUS_OK;
    text_find_path(in, written, &path);
    const char *why = adding->files->read(path.at ? path.at : "", &content);
    Source *file = source_new(path.at ? path.at : "", content.at ? content.at : "", content.length);
    array_push(&adding->sources, file);
    Status status = STATUS_OK;
    if (why)
        status = diag_error(adding->diag, place, "cannot read '%s' beside the model: %s",
                            text_shown(written).at, why);
    else if (content.length && memchr(content.at, '\0', content.length))
        status = diag_error(adding->diag, place,
                            "'%s' is not a text file (it holds zero bytes); a table is text, with "
                            "a column for each quantity",
                            text_shown(written).at);
    else if (adding->text.length + 3 * content.length > TEXT_MOST_BYTES)
        status = diag_error(adding->diag, place, "with '%s' the model is larger than %d MiB",
                            text_shown(written).at, TEXT_MOST_BYTES >> 20);
    text_clear(&path);
    text_clear(&content);
    if (status != STATUS_OK)
        return status;
    // The byte order mark is no part of the first name.
    bool marked = file->length >= 3 && memcmp(file->at, "\xEF\xBB\xBF", 3) == 0;
    if (marked)
        memset(file->at, ' ', 3);
    SourcePiece piece = {(uint32_t)adding->text.length, file, 0, true};
    array_push(&adding->pieces, piece);
    add_head(written, &adding->text);
    add_lines(adding, file);
    return STATUS_OK;
}

// Every table("…" of a text.
static Status add_all(Adding *adding, const Source *source, bool setting)
{
    uint32_t at = 0;
    Status status = STATUS_OK;
    Token before = {0}, last = {0}, token = lexer_next(source, &at);
    for (; token.kind != TOKEN_END; token = lexer_next(source, &at)) {
        Str word = {source->at + before.start, before.length};
        if (token.kind == TOKEN_STRING && last.kind == TOKEN_OPEN && before.kind == TOKEN_NAME &&
            str_is(word, "table")) {
            Place place = place_at(source, token.start, token.length);
            Str written = {source->at + token.start + 1, token.length - 2};
            const Source *in = setting ? adding->own : place_origin(place).source;
            Status added = add_file(adding, written, in, place);
            status = status == STATUS_OK ? added : status;
        }
        before = last;
        last = token;
    }
    return status;
}

static void finish(Adding *adding, Source **source)
{
    Source *own = adding->own, *whole = source_new(own->name, adding->text.at, adding->text.length);
    bool pieced = own->piece_count > 0;
    whole->file_count = (pieced ? own->file_count : 1) + adding->sources.count;
    whole->files = base_alloc(whole->file_count * sizeof(Source *));
    whole->piece_count = (pieced ? own->piece_count : 1) + adding->pieces.count;
    whole->pieces = base_alloc(whole->piece_count * sizeof *whole->pieces);
    size_t files = pieced ? own->file_count : 1, pieces = pieced ? own->piece_count : 1;
    if (pieced) {
        memcpy(whole->files, own->files, files * sizeof(Source *));
        memcpy(whole->pieces, own->pieces, pieces * sizeof *whole->pieces);
        own->file_count = 0; // they are the new one's
        source_free(own);
    } else {
        whole->files[0] = own;
        whole->pieces[0] = (SourcePiece){0, own, 0, false};
    }
    memcpy(whole->files + files, adding->sources.at, adding->sources.count * sizeof(Source *));
    for (size_t i = 0; i < adding->pieces.count; i++) // of files without rows there is none
        whole->pieces[pieces + i] = adding->pieces.at[i];
    *source = whole;
}

Status text_add_tables(Source **source, Source *const *settings, size_t count,
                       const TextFiles *files, Diag *diag)
{
    Adding adding = {.files = files, .diag = diag, .own = *source};
    if ((*source)->length > TEXT_MOST_BYTES)
        return STATUS_OK;
    text_add_str(&adding.text, (Str){(*source)->at, (*source)->length});
    Status status = add_all(&adding, *source, false);
    for (size_t i = 0; i < count; i++) {
        Status added = add_all(&adding, settings[i], true);
        status = status == STATUS_OK ? added : status;
    }
    if (adding.sources.count > 0)
        finish(&adding, source);
    text_clear(&adding.text);
    array_clear(&adding.pieces);
    array_clear(&adding.sources);
    return status;
}
