// read.c: whole texts. Statement after statement, blocks, and how reading goes on behind an
// error, so that one run reports every independent one.
#include "text/text_impl.h"

#include <string.h>

// ---- Before the first token: is this a text at all?

static bool is_control(uint32_t code)
{
    return (code < ' ' && code != '\t' && code != '\n' && code != '\r') || code == 127;
}

// A text that is no UTF-8 is not read; one with control characters is, behind its error.
static bool check_characters(const Source *source, Diag *diag)
{
    bool clean = true;
    uint32_t bytes;
    for (uint32_t at = 0; at < source->length; at += bytes) {
        uint32_t code = str_decode((Str){source->at + at, source->length - at}, &bytes);
        if (!bytes) {
            diag_add(diag, DIAG_ERROR, place_at(source, at, 1),
                     "byte 0x%02X is not UTF-8 text; save the file in UTF-8",
                     (unsigned)(unsigned char)source->at[at]);
            return false;
        }
        if (is_control(code) && clean) {
            diag_add(diag, DIAG_ERROR, place_at(source, at, 1),
                     "the control character U+%04X stands here; remove it, a model is plain text",
                     (unsigned)code);
            clean = false;
        }
    }
    return true;
}

static bool check_text(const Source *source, Diag *diag)
{
    if (source->length > TEXT_MOST_BYTES) {
        diag_add(diag, DIAG_ERROR, place_none(), "%s is larger than %d MiB; this is no model",
                 source->name, TEXT_MOST_BYTES >> 20);
        return false;
    }
    if (source->length && memchr(source->at, '\0', source->length)) {
        diag_add(diag, DIAG_ERROR, place_none(),
                 "%s is not a text file (it holds zero bytes); a model is UTF-8 text",
                 source->name);
        return false;
    }
    const char *first = source->at + strspn(source->at, " \t\r\n");
    if (first[0] == '<') {
        bool mjcf = strstr(first, "<mujoco") != NULL;
        diag_add(diag, DIAG_ERROR, place_at(source, (uint32_t)(first - source->at), 1),
                 "this is XML, and no model; a model reads a robot's file with 'read %s \"%s\"'",
                 mjcf ? "mjcf" : "urdf", source->name);
        return false;
    }
    return check_characters(source, diag);
}

// ---- Behind an error.

static void follow_brackets(Parser *parser, uint32_t *braces)
{
    switch (parser->token.kind) {
    case TOKEN_OPEN:
    case TOKEN_OPEN_SQUARE: parser->open++; break;
    case TOKEN_CLOSE:
    case TOKEN_CLOSE_SQUARE: parser->open -= parser->open > 0; break;
    case TOKEN_OPEN_BRACE: ++*braces; break;
    case TOKEN_CLOSE_BRACE: --*braces; break;
    default: break;
    }
}

static bool at_reserved(const Parser *parser)
{
    return parser->token.kind == TOKEN_NAME && text_is_reserved(parser_text(parser, parser->token));
}

// Moves to the statement's end. Names on the way may have been declarations and are
// remembered, so that nobody complains that they are unknown. A `for` stops at its brace.
static void skip_statement(Parser *parser, uint32_t start, bool stop_at_brace)
{
    // Inside a bracket that was never closed the next line may have been read already.
    uint32_t braces = 0;
    uint32_t line = parser->token.start;
    while (line > start && parser->source->at[line - 1] != '\n')
        line--;
    if (line > start) {
        Parser again = *parser;
        again.at = line;
        again.token = lexer_next(again.source, &again.at);
        again.token.first_on_line = true;
        if (parser_at_statement(&again))
            parser->at = again.at, parser->token = again.token;
    }
    while (parser->token.kind != TOKEN_END) {
        bool next_statement = parser_at_statement(parser) && parser->token.start > start;
        if (braces == 0 && next_statement)
            break;
        // A line that begins with a word such as `at` was meant to go on.
        if (braces == 0 && parser->token.start > start && parser_at_end(parser) &&
            !at_reserved(parser))
            break;
        if (stop_at_brace && parser->token.kind == TOKEN_OPEN_BRACE)
            break;
        follow_brackets(parser, &braces);
        parser_lose(parser, parser->token);
        parser_advance(parser);
    }
    parser->open = 0;
}

// ---- Statements and blocks.

typedef struct {
    Parser parser;
    uint32_t blocks[TEXT_MOST_BLOCKS]; // the statements whose blocks are open
    uint32_t braces[TEXT_MOST_BLOCKS]; // where their braces stand
    size_t depth;
} Reader;

// What others call the statements.
static const Synonym statement_synonyms[] = {
    {"parameter", "param"},
    {"parameters", "param"},
    {"variable", "coord"},
    {"variables", "coord"},
    {"coordinate", "coord"},
    {"coordinates", "coord"},
    {"generalized", "coord"},
    {"constant", "const"},
    {"define", "let"},
    {"def", "let"},
    {"particle", "mass"},
    {"bob", "mass"},
    {"rigid", "body"},
    {"rigidbody", "body"},
    {"link", "body"},
    {"condition", "constraint"},
    {"rolling", "constraint"},
    {"contact", "constraint"},
    {"velocity", "speed"},
    {"quasivelocity", "speed"},
    {"energy", "kinetic"},
    {"ke", "kinetic"},
    {"pe", "potential"},
    {"damping", "dissipation"},
    {"couple", "torque"},
    {"moment", "torque"},
    {"load", "force"},
    {"start", "initial"},
    {"begin", "initial"},
    {"ic", "initial"},
    {"simulate", "run"},
    {"integrate", "run"},
    {"print", "output"},
    {"measure", "output"},
    {"show", "draw"},
    {"model", "system"},
    {"name", "system"},
    {"repeat", "for"},
    {"kick", "impulse"},
    {"actuator", "servo"},
    {"control", "servo"},
    {"reference", "frame"},
    {"motor", "input"},
    {"signal", "input"},
    {"table", "input"},
    {"reset", "event"},
    {"pivot", "joint"},
    {"revolute", "joint"},
    {"prismatic", "joint"},
    {"bearing", "joint"},
    {"equation", "constraint"},
    {"eqn", "constraint"},
    {"constrain", "constraint"},
    {"import", "include"},
    {"component", "part"},
    {"submodel", "part"},
    {"robot", "read"},
    {"urdf", "read"},
    {"mjcf", "read"},
    {"plot", "output"},
    {"unit", "param NAME in UNIT"},
    {"units", "param NAME in UNIT"},
    {"hinge", "joint NAME: hinge"},
    {"slider", "joint NAME: slider"},
    {"cylinder", "joint NAME: cylinder"},
    {"universal", "joint NAME: universal"},
    {"ball", "joint NAME: ball"},
    {"planar", "joint NAME: planar"},
    {"free", "joint NAME: free"},
    {"fixed", "joint NAME: fixed"},
    {"weld", "joint NAME: fixed"},
    {"spherical", "joint NAME: ball"},
    {"lagrange", "lagrangian"},
    {"var", "coord"},
    {"dof", "coord"},
    {"pointmass", "mass"},
    {"bodies", "body"},
    {"wheel", "body"},
    {"sensor", "output"},
    {"controller", "sample"},
    {"every", "sample"},
    {"if", "event"},
    {"while", "event"},
    {"random", "input NAME = random(…)"},
    {"noise", "input NAME = random(…)"},
    {"data", "input NAME = table(…)"},
    {"loop", "for"},
    {"foreach", "for"},
    {"use", "part NAME = …"},
    {"class", "part"},
    {"time", "run to"},
    {"until", "run to … until"},
    {"tolerance", "run tolerance"},
};

// A statement that begins with a name, for example an equation.
static bool fail_name(Parser *parser, Str word, TokenKind next)
{
    static const Synonym energies[] = {
        {"L", "lagrangian"}, {"T", "kinetic"}, {"U", "potential"}, {"V", "potential"}};
    Place place = parser_place(parser, parser->token);
    const char *energy = str_synonym(word, energies, sizeof energies / sizeof *energies);
    Shown shown = text_shown(word);
    if (next != TOKEN_EQUAL)
        return parser_fail(parser, place,
                           "a statement cannot begin with a name; motion follows from masses, "
                           "energies and forces; a condition is a 'constraint', an equation of "
                           "the first order a 'state %s' = …', a start 'initial %s' = …'",
                           shown.at, shown.at);
    if (energy)
        return parser_fail(parser, place,
                           "a statement cannot begin with a name; write '%s …' for this energy, "
                           "'let %s = …' for an abbreviation, 'param %s = …' for a parameter",
                           energy, shown.at, shown.at);
    return parser_fail(parser, place,
                       "a statement cannot begin with a name; write 'let %s = …' for an "
                       "abbreviation, 'param %s = …' for a parameter, 'initial %s = …' for a start",
                       shown.at, shown.at, shown.at);
}

static bool find_word(Parser *parser, StatementKind *kind)
{
    Str candidates[STATEMENT_SET];
    Str word = parser_text(parser, parser->token);
    for (int i = 0; i < STATEMENT_SET; i++) {
        candidates[i] = str_of(statement_word((StatementKind)i));
        if (str_equal(word, candidates[i])) {
            *kind = (StatementKind)i;
            return true;
        }
    }
    *kind = STATEMENT_UNKNOWN;
    Place place = parser_place(parser, parser->token);
    TokenKind next = parser_peek(parser).kind;
    ptrdiff_t nearest = str_nearest(word, candidates, STATEMENT_SET);
    if (next == TOKEN_EQUAL || next == TOKEN_PRIME || next == TOKEN_DOUBLE_PRIME)
        return fail_name(parser, word, next);
    if (text_is_reserved(word))
        return parser_fail(parser, place,
                           "'%s' cannot begin a statement; does it belong to the "
                           "line above?",
                           text_shown(word).at);
    const char *meant = str_synonym(word, statement_synonyms,
                                    sizeof statement_synonyms / sizeof *statement_synonyms);
    if (meant || nearest >= 0)
        return parser_fail(parser, place, "unknown statement '%s'; did you mean '%s'?",
                           text_shown(word).at,
                           meant ? meant : statement_word((StatementKind)nearest));
    return parser_fail(parser, place, "unknown statement '%s'", text_shown(word).at);
}

// Whether a statement may stand here: actions in events, and nothing else in these.
static bool check_action(const Reader *reader, Parser *parser, StatementKind kind)
{
    bool action = kind == STATEMENT_ASSIGN || kind == STATEMENT_STOP || kind == STATEMENT_RECORD;
    const char *word = statement_word(kind);
    uint32_t block = reader->depth > 0 ? reader->blocks[reader->depth - 1] : 0;
    parser->actions =
        reader->depth > 0 && statement_has_actions(parser->syntax->statements.at[block].kind);
    if (parser->actions == action || (parser->actions && kind == STATEMENT_IMPULSE))
        return true;
    Place place = parser_place(parser, parser->token);
    if (parser->actions)
        return parser_fail(parser, place,
                           "'%s' stands outside of events and samples; in these there are set, "
                           "impulse, stop and record",
                           word);
    return parser_fail(parser, place, "'%s' stands in an 'event' or 'sample' block%s", word,
                       kind == STATEMENT_ASSIGN ? "; a start is given with 'initial'" : "");
}

static void open_block(Reader *reader, uint32_t statement)
{
    Parser *parser = &reader->parser;
    if (reader->depth == TEXT_MOST_BLOCKS) {
        parser_fail(parser, parser_place(parser, parser->token),
                    "blocks are nested deeper than %d levels", TEXT_MOST_BLOCKS);
        parser->at = (uint32_t)parser->source->length; // nothing behind it can be trusted
        reader->depth = 0;
    } else {
        reader->blocks[reader->depth] = statement;
        reader->braces[reader->depth++] = parser->token.start;
    }
    parser_advance(parser);
}

static void close_block(Reader *reader)
{
    Parser *parser = &reader->parser;
    if (reader->depth == 0) {
        parser_fail(parser, parser_place(parser, parser->token), "this '}' closes no '{'");
    } else {
        Syntax *syntax = parser->syntax;
        uint32_t statement = reader->blocks[--reader->depth];
        syntax->statements.at[statement].end = (uint32_t)syntax->statements.count;
    }
    parser_advance(parser);
}

static void read_statement(Reader *reader)
{
    Parser *parser = &reader->parser;
    Syntax *syntax = parser->syntax;
    Token word = parser->token;
    Statement statement = {.start = word.start, .word_length = word.length};
    statement.first = (uint32_t)syntax->parts.count;
    statement.kind = STATEMENT_UNKNOWN;
    bool good = false;
    if (word.kind == TOKEN_NAME) {
        good = find_word(parser, &statement.kind) && check_action(reader, parser, statement.kind);
        if (!good)
            parser_lose(parser, word); // perhaps meant as a name
        parser_advance(parser);
        good = good && parse_statement(parser, statement.kind);
    } else if (word.kind == TOKEN_STRANGE || word.kind == TOKEN_UNCLOSED) {
        parser_fail_unexpected(parser, NULL);
    } else {
        parser_fail(parser, parser_place(parser, word), "a statement cannot begin with '%s'",
                    text_shown(parser_text(parser, word)).at);
    }
    bool loop = statement_has_block(statement.kind);
    if (good && statement.kind == STATEMENT_PART && reader->depth > 0 &&
        parser->token.kind == TOKEN_OPEN_BRACE)
        good = parser_fail(parser, parser_place(parser, word),
                           "a part is described outside of blocks, and made in them");
    if (!good)
        skip_statement(parser, word.start, loop);
    uint32_t end = parser->last.start + parser->last.length;
    statement.length = end > word.start ? end - word.start : word.length;
    statement.broken = !good;
    statement.count = (uint32_t)syntax->parts.count - statement.first;
    statement.end = (uint32_t)syntax->statements.count + 1;
    array_push(&syntax->statements, statement);
    if (loop && parser->token.kind == TOKEN_OPEN_BRACE)
        open_block(reader, statement.end - 1);
}

static void read_all(Reader *reader)
{
    Parser *parser = &reader->parser;
    while (parser->token.kind != TOKEN_END) {
        if (parser->errors >= TEXT_MOST_ERRORS) {
            diag_add(parser->diag, DIAG_ERROR, parser_place(parser, parser->token),
                     "too many errors; the rest of the file was not read");
            return;
        }
        if (parser->token.kind == TOKEN_SEMICOLON)
            parser_advance(parser);
        else if (parser->token.kind == TOKEN_CLOSE_BRACE)
            close_block(reader);
        else
            read_statement(reader);
    }
    while (reader->depth > 0) {
        Place brace = place_at(parser->source, reader->braces[reader->depth - 1], 1);
        parser_fail(parser, brace, "this '{' is not closed; a '}' is missing");
        uint32_t statement = reader->blocks[--reader->depth];
        parser->syntax->statements.at[statement].end = (uint32_t)parser->syntax->statements.count;
        parser->syntax->statements.at[statement].broken = true;
    }
}

Syntax *syntax_read(const Source *source, Diag *diag)
{
    Syntax *syntax = syntax_new(source);
    if (!check_text(source, diag))
        return syntax;
    Reader reader = {0};
    parser_init(&reader.parser, syntax, source, diag);
    read_all(&reader);
    parser_clear(&reader.parser);
    return syntax;
}

// ---- Texts of one statement.

static Syntax *read_single(const Source *source, Diag *diag, StatementKind kind, bool units)
{
    Syntax *syntax = syntax_new(source);
    if (!check_text(source, diag))
        return syntax;
    Parser parser;
    parser_init(&parser, syntax, source, diag);
    parser.token.first_on_line = false; // a line begins here, but no statement ended before it
    parser.units = units;
    bool good = kind == STATEMENT_SET   ? parse_settings(&parser)
                : kind == STATEMENT_RUN ? parse_until(&parser)
                                        : parse_part(&parser, PART_VALUE);
    if (good && parser.token.kind != TOKEN_END)
        good = parser_fail_unexpected(&parser, NULL);
    Statement statement = {.kind = kind, .broken = !good, .end = 1};
    statement.count = (uint32_t)syntax->parts.count;
    statement.length = (uint32_t)source->length;
    array_push(&syntax->statements, statement);
    parser_clear(&parser);
    return syntax;
}

// The first byte behind this line.
static uint32_t next_line(const Source *source, uint32_t at)
{
    while (at < source->length && source->at[at] != '\n')
        at++;
    return at < source->length ? at + 1 : at;
}

Syntax *syntax_read_equation(const Source *source, uint32_t *at, Diag *diag)
{
    Syntax *syntax = syntax_new(source);
    Parser parser = {.syntax = syntax, .source = source, .diag = diag, .at = *at, .equation = true};
    if (*at == 0 && !check_text(source, diag)) {
        *at = (uint32_t)source->length;
        return syntax;
    }
    parser_advance(&parser);
    if (parser.token.kind == TOKEN_END) {
        syntax_free(syntax);
        return NULL;
    }
    Statement statement = {.kind = STATEMENT_EQUATION, .end = 1, .start = parser.token.start};
    parser.token.first_on_line = false;
    bool good = parse_equation(&parser);
    if (good && !parser_at_end(&parser))
        good = parser_fail_unexpected(&parser, NULL);
    uint32_t end = good ? parser.token.start : next_line(source, statement.start);
    statement.broken = !good;
    statement.count = (uint32_t)syntax->parts.count;
    statement.length = parser.last.start + parser.last.length - statement.start;
    array_push(&syntax->statements, statement);
    *at = end > *at ? end : (uint32_t)source->length;
    parser_clear(&parser);
    return syntax;
}

Syntax *syntax_read_settings(const Source *source, Diag *diag)
{
    return read_single(source, diag, STATEMENT_SET, true);
}

Syntax *syntax_read_until(const Source *source, Diag *diag)
{
    return read_single(source, diag, STATEMENT_RUN, true);
}

Syntax *syntax_read_expression(const Source *source, Diag *diag)
{
    return read_single(source, diag, STATEMENT_EXPRESSION, false);
}

Syntax *syntax_read_datum(const Source *source, Diag *diag)
{
    return read_single(source, diag, STATEMENT_EXPRESSION, true);
}
