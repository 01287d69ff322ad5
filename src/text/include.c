// include.c: puts the texts of included files where they are included. What comes out is one
// text, a model of its own, that knows of each piece in which file it stood.
#include "text/include.h"

#include "text/text_impl.h"

#include <assert.h>
#include <string.h>

enum { MOST_OPEN_FILES = 64 };

// A file that is being read, and where to go on in it.
typedef struct {
    const Source *source;
    const char *identity;
    uint32_t at;     // what is before it has been put in
    uint32_t braces; // open around `at`
} Level;

typedef struct {
    const TextFiles *files;
    Diag *diag;
    Arena *arena; // of identities
    NameMap *seen;
    Source *whole;
    Text text;
    ARRAY(SourcePiece) pieces;
    ARRAY(Source *) sources;
    Level levels[MOST_OPEN_FILES];
    size_t depth;
} Splicer;

// ---- Finding the statements.

typedef struct {
    uint32_t start, end; // of the statement
    Token path;          // with its quotes
    bool in_block;
} Include;

static bool ends_statement(Token token)
{
    return token.first_on_line || token.kind == TOKEN_SEMICOLON ||
           token.kind == TOKEN_CLOSE_BRACE || token.kind == TOKEN_END;
}

// The next `include "…"` from the level's place on. Anything else that begins so is left for the
// parser to complain about.
static bool find_include(Level *level, uint32_t from, Include *found)
{
    const Source *source = level->source;
    uint32_t at = from;
    bool begins = true;
    for (;;) {
        Token token = lexer_next(source, &at);
        Str word = {source->at + token.start, token.length};
        if (token.kind == TOKEN_END)
            return false;
        begins = begins || token.first_on_line;
        if (begins && token.kind == TOKEN_NAME && str_is(word, "include")) {
            uint32_t behind = at;
            Token path = lexer_next(source, &behind);
            uint32_t end = behind;
            if (path.kind == TOKEN_STRING && !path.first_on_line &&
                ends_statement(lexer_next(source, &behind))) {
                *found = (Include){token.start, end, path, level->braces > 0};
                return true;
            }
        }
        level->braces += token.kind == TOKEN_OPEN_BRACE;
        level->braces -= token.kind == TOKEN_CLOSE_BRACE && level->braces > 0;
        begins = token.kind == TOKEN_SEMICOLON || token.kind == TOKEN_OPEN_BRACE ||
                 token.kind == TOKEN_CLOSE_BRACE;
    }
}

// ---- Putting together.

static void add_piece(Splicer *splicer, const Source *from, uint32_t start, bool whole)
{
    SourcePiece piece = {(uint32_t)splicer->text.length, from, start, whole};
    array_push(&splicer->pieces, piece);
}

static void add_text(Splicer *splicer, const Level *level, uint32_t end)
{
    add_piece(splicer, level->source, level->at, false);
    text_add_str(&splicer->text, (Str){level->source->at + level->at, end - level->at});
}

// A line of its own about the statement, which stays readable as a comment.
static void add_comment(Splicer *splicer, const Level *level, const Include *include,
                        const char *before)
{
    add_piece(splicer, level->source, include->start, true);
    text_addf(&splicer->text, "\n# %s ", before);
    text_add_str(&splicer->text,
                 (Str){level->source->at + include->path.start, include->path.length});
    text_add_char(&splicer->text, '\n');
}

// ---- Opening a file.

static const char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static Status fail_cycle(Splicer *splicer, Place place, const char *identity)
{
    Text chain = {0};
    size_t first = 0;
    while (strcmp(splicer->levels[first].identity, identity) != 0)
        first++;
    for (size_t i = first; i < splicer->depth; i++)
        text_addf(&chain, "%s → ", short_name(splicer->levels[i].source->name));
    const char *name = short_name(splicer->levels[first].source->name);
    Status status =
        diag_error(splicer->diag, place, "'%s' includes itself (%s%s)", name, chain.at, name);
    text_clear(&chain);
    return status;
}

static bool is_open(const Splicer *splicer, const char *identity)
{
    for (size_t i = 0; i < splicer->depth; i++)
        if (strcmp(splicer->levels[i].identity, identity) == 0)
            return true;
    return false;
}

static const char *identity_of(Splicer *splicer, const char *path)
{
    Text identity = {0};
    splicer->files->identify(path, &identity);
    const char *same =
        arena_copy_text(splicer->arena, identity.at ? identity.at : "", identity.length);
    text_clear(&identity);
    return same;
}

// The path beside the including file.
static void find_path(const Source *including, Str written, Text *path)
{
    const char *slash = strrchr(including->name, '/');
    if (slash && !(written.length > 0 && written.at[0] == '/'))
        text_add_str(path, (Str){including->name, (size_t)(slash - including->name) + 1});
    text_add_str(path, written);
}

static Status open_level(Splicer *splicer, const char *path, const char *identity,
                         const Text *content, Place place)
{
    Source *source = source_new(path, content->at ? content->at : "", content->length);
    array_push(&splicer->sources, source);
    if (content->length && memchr(content->at, '\0', content->length))
        return diag_error(splicer->diag, place,
                          "'%s' is not a text file (it holds zero bytes); a model is UTF-8 text",
                          path);
    if (splicer->text.length + content->length > TEXT_MOST_BYTES)
        return diag_error(splicer->diag, place, "with '%s' the model is larger than %d MiB", path,
                          TEXT_MOST_BYTES >> 20);
    splicer->levels[splicer->depth++] = (Level){.source = source, .identity = identity};
    return STATUS_OK;
}

// Goes on in the included file, unless it has been read already.
static Status enter(Splicer *splicer, const Include *include, const char *path, Place place)
{
    const Level *level = &splicer->levels[splicer->depth - 1];
    uint32_t line, column;
    place_position(place_at(level->source, include->start, 0), &line, &column);
    Text content = {0};
    const char *why = splicer->files->read(path, &content), *same = identity_of(splicer, path);
    Status status = STATUS_OK;
    if (why)
        status = diag_error(splicer->diag, place, "cannot read '%s', included in line %u: %s", path,
                            line, why);
    else if (is_open(splicer, same))
        status = fail_cycle(splicer, place, same);
    else if (splicer->depth == MOST_OPEN_FILES)
        status = diag_error(splicer->diag, place, "files include each other deeper than %d levels",
                            MOST_OPEN_FILES);
    else if (name_map_put(splicer->seen, str_of(same), 1)) {
        add_comment(splicer, level, include, "include");
        status = open_level(splicer, path, same, &content, place);
    } else {
        add_comment(splicer, level, include, "included above:");
    }
    text_clear(&content);
    return status;
}

static Status take_include(Splicer *splicer, const Include *include)
{
    Level *level = &splicer->levels[splicer->depth - 1];
    Place place = place_at(level->source, include->path.start, include->path.length);
    add_text(splicer, level, include->start);
    level->at = include->end;
    if (include->in_block)
        return diag_error(splicer->diag, place_at(level->source, include->start, 7),
                          "'include' stands outside of blocks; put it above");
    Text path = {0};
    find_path(level->source,
              (Str){level->source->at + include->path.start + 1, include->path.length - 2}, &path);
    Status status = enter(splicer, include, path.at, place);
    text_clear(&path);
    return status;
}

static Status splice(Splicer *splicer)
{
    while (splicer->depth > 0) {
        Level *level = &splicer->levels[splicer->depth - 1];
        Include include;
        if (find_include(level, level->at, &include)) {
            TRY(take_include(splicer, &include));
        } else {
            add_text(splicer, level, (uint32_t)level->source->length);
            text_add_char(&splicer->text, '\n');
            splicer->depth--;
        }
    }
    return STATUS_OK;
}

static Source *finish(Splicer *splicer, const char *name)
{
    Source *whole = source_new(name, splicer->text.at, splicer->text.length);
    whole->file_count = splicer->sources.count;
    whole->files = base_alloc(whole->file_count * sizeof *whole->files);
    memcpy(whole->files, splicer->sources.at, whole->file_count * sizeof *whole->files);
    whole->piece_count = splicer->pieces.count;
    whole->pieces = base_alloc(whole->piece_count * sizeof *whole->pieces);
    memcpy(whole->pieces, splicer->pieces.at, whole->piece_count * sizeof *whole->pieces);
    return whole;
}

Status text_include(Source **source, const TextFiles *files, Diag *diag)
{
    assert(*source && (*source)->file_count == 0);
    Source *own = *source;
    Splicer splicer = {.files = files, .diag = diag};
    Level level = {.source = own};
    Include first;
    if (own->length > TEXT_MOST_BYTES || !find_include(&level, 0, &first))
        return STATUS_OK;
    splicer.arena = arena_new();
    splicer.seen = name_map_new();
    array_push(&splicer.sources, own);
    level.braces = 0;
    level.identity = identity_of(&splicer, own->name);
    splicer.levels[splicer.depth++] = level;
    Status status = splice(&splicer);
    *source = finish(&splicer, own->name);
    text_clear(&splicer.text);
    array_clear(&splicer.pieces);
    array_clear(&splicer.sources);
    name_map_free(splicer.seen);
    arena_free(splicer.arena);
    return status;
}
