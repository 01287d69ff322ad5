// include.c: puts the texts of included files where they are included, and robots where they are
// read. What comes out is one
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
    Token format, name; // of `read`; of length 0 where there is none
    bool free;
} Include;

static bool ends_statement(Token token)
{
    return token.first_on_line || token.kind == TOKEN_SEMICOLON ||
           token.kind == TOKEN_CLOSE_BRACE || token.kind == TOKEN_END;
}

static bool is_word(const Source *source, Token token, const char *word)
{
    return token.kind == TOKEN_NAME && str_is((Str){source->at + token.start, token.length}, word);
}

// `urdf "robot.urdf" [as NAME] [free]` behind `read`; *at is moved up to the path, and behind it
// where it ends the statement.
static Token take_robot(const Source *source, uint32_t *at, Include *found)
{
    uint32_t behind = *at;
    Token format = lexer_next(source, &behind);
    if (format.first_on_line ||
        !(is_word(source, format, "urdf") || is_word(source, format, "mjcf")))
        return (Token){0};
    found->format = format;
    *at = behind;
    return lexer_next(source, at);
}

static void take_robot_clauses(const Source *source, uint32_t *at, Include *found)
{
    uint32_t behind = *at;
    Token token = lexer_next(source, &behind);
    if (is_word(source, token, "as") && !token.first_on_line) {
        found->name = lexer_next(source, &behind);
        if (found->name.kind != TOKEN_NAME || found->name.first_on_line)
            return;
        *at = behind;
        token = lexer_next(source, &behind);
    }
    found->free = is_word(source, token, "free") && !token.first_on_line;
    if (found->free)
        *at = behind;
}

// What stands behind the word that begins a statement; false where it is not complete.
static bool take_statement(const Source *source, Token word, uint32_t at, Include *found)
{
    bool robot = is_word(source, word, "read");
    *found = (Include){.start = word.start};
    found->path = robot ? take_robot(source, &at, found) : lexer_next(source, &at);
    if (found->path.kind != TOKEN_STRING || found->path.first_on_line)
        return false;
    if (robot)
        take_robot_clauses(source, &at, found);
    found->end = at;
    return ends_statement(lexer_next(source, &at));
}

// The next `include "…"` or `read urdf "…"` from the level's place on. Anything else that begins so
// is left for the parser to complain about.
static bool find_include(Level *level, uint32_t from, Include *found)
{
    const Source *source = level->source;
    uint32_t at = from;
    bool begins = true;
    for (;;) {
        Token token = lexer_next(source, &at);
        if (token.kind == TOKEN_END)
            return false;
        begins = begins || token.first_on_line;
        if (begins && (is_word(source, token, "include") || is_word(source, token, "read")) &&
            take_statement(source, token, at, found)) {
            found->in_block = level->braces > 0;
            return true;
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
void text_find_path(const Source *including, Str written, Text *path)
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

// ---- Robots.

static Str text_of(const Level *level, Token token)
{
    return (Str){level->source->at + token.start, token.length};
}

// The templates, and `part NAME = NAME__file()`, whose NAME is that of the text where it has one.
static void add_robot(Splicer *splicer, const Level *level, const Include *include,
                      const Text *name, const Text *templates)
{
    add_comment(splicer, level, include, "read");
    add_piece(splicer, level->source, include->path.start, true);
    text_add_str(&splicer->text, (Str){templates->at, templates->length});
    text_add(&splicer->text, "part ");
    if (include->name.length)
        add_piece(splicer, level->source, include->name.start, false);
    text_add(&splicer->text, name->at);
    add_piece(splicer, level->source, include->path.start, true);
    text_addf(&splicer->text, " = %s__file()\n", name->at);
}

static Status read_robot(Splicer *splicer, const Include *include, const TextRobot *robot,
                         Place place)
{
    Text name = {0}, templates = {0}, note = {0};
    const Level *level = &splicer->levels[splicer->depth - 1];
    Status status = STATUS_OK;
    if (!splicer->files->robot(robot, &name, &templates, &note))
        status = diag_error(splicer->diag, place, "%s", note.at);
    else if (splicer->text.length + templates.length > TEXT_MOST_BYTES)
        status = diag_error(splicer->diag, place, "with '%s' the model is larger than %d MiB",
                            robot->path, TEXT_MOST_BYTES >> 20);
    else
        add_robot(splicer, level, include, &name, &templates);
    if (status == STATUS_OK && note.length)
        diag_add(splicer->diag, DIAG_NOTE, place, "%s: %s", short_name(robot->path), note.at);
    text_clear(&name);
    text_clear(&templates);
    text_clear(&note);
    return status;
}

static Status take_robot_file(Splicer *splicer, const Include *include, const char *path,
                              Place place)
{
    const Level *level = &splicer->levels[splicer->depth - 1];
    Text content = {0};
    const char *why = splicer->files->read(path, &content);
    Str written = text_of(level, include->path);
    TextRobot robot = {.format = text_of(level, include->format),
                       .path = path,
                       .written = {written.at + 1, written.length - 2},
                       .name = text_of(level, include->name),
                       .free = include->free,
                       .content = {content.at ? content.at : "", content.length}};
    Status status =
        why ? diag_error(splicer->diag, place, "cannot read '%s' beside the model: %s", path, why)
            : read_robot(splicer, include, &robot, place);
    text_clear(&content);
    return status;
}

// ---- Either of them.

static Status take_include(Splicer *splicer, const Include *include)
{
    Level *level = &splicer->levels[splicer->depth - 1];
    Place place = place_at(level->source, include->path.start, include->path.length);
    bool robot = include->format.length > 0;
    add_text(splicer, level, include->start);
    level->at = include->end;
    if (include->in_block)
        return diag_error(splicer->diag, place_at(level->source, include->start, robot ? 4 : 7),
                          "'%s' stands outside of blocks; put it above",
                          robot ? "read" : "include");
    if (robot && !splicer->files->robot)
        return diag_error(splicer->diag, place, "robots' files are not read here");
    Text path = {0};
    text_find_path(level->source,
                   (Str){level->source->at + include->path.start + 1, include->path.length - 2},
                   &path);
    text_add(&path, "");
    Status status = robot ? take_robot_file(splicer, include, path.at, place)
                          : enter(splicer, include, path.at, place);
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
