// parser.c: the token stream with one token of look-ahead, where statements end, and the
// sentences that say what is wrong.
#include "text/text_impl.h"

void parser_init(Parser *parser, Syntax *syntax, const Source *source, Diag *diag)
{
    *parser = (Parser){.syntax = syntax, .source = source, .diag = diag};
    parser_advance(parser);
}

void parser_clear(Parser *parser)
{
    text_clear(&parser->spelling);
}

void parser_advance(Parser *parser)
{
    parser->last = parser->token;
    parser->token = lexer_next(parser->source, &parser->at);
}

Token parser_peek(const Parser *parser)
{
    uint32_t at = parser->at;
    return lexer_next(parser->source, &at);
}

Str parser_text(const Parser *parser, Token token)
{
    return (Str){parser->source->at + token.start, token.length};
}

Place parser_place(const Parser *parser, Token token)
{
    return place_at(parser->source, token.start, token.length);
}

bool parser_is(const Parser *parser, Token token, const char *word)
{
    return token.kind == TOKEN_NAME && str_is(parser_text(parser, token), word);
}

uint32_t parser_intern(Parser *parser, Token name)
{
    parser->spelling.length = 0;
    greek_spell(parser_text(parser, name), &parser->spelling);
    return syntax_intern(parser->syntax, (Str){parser->spelling.at, parser->spelling.length});
}

void parser_lose(Parser *parser, Token token)
{
    if (token.kind != TOKEN_NAME || text_is_reserved(parser_text(parser, token)))
        return;
    Node node = {.kind = NODE_NAME, .start = token.start, .length = token.length};
    node.name = parser_intern(parser, token);
    uint32_t at = syntax_add_node(parser->syntax, node);
    syntax_add_part(parser->syntax, PART_LOST, (Span){at, at}, token.start, token.length);
}

void parser_add_name(Parser *parser, PartRole role)
{
    Token token = parser->token;
    Node node = {.kind = NODE_NAME, .start = token.start, .length = token.length};
    node.name = parser_intern(parser, token);
    uint32_t at = syntax_add_node(parser->syntax, node);
    syntax_add_part(parser->syntax, role, (Span){at, at}, token.start, token.length);
    parser_advance(parser);
}

static bool continues_line(TokenKind kind)
{
    switch (kind) {
    case TOKEN_PLUS:
    case TOKEN_MINUS:
    case TOKEN_TIMES:
    case TOKEN_OVER:
    case TOKEN_POWER:
    case TOKEN_EQUAL:
    case TOKEN_AT_MOST:
    case TOKEN_AT_LEAST:
    case TOKEN_CLOSE:
    case TOKEN_CLOSE_SQUARE: return true;
    default: return false;
    }
}

// No statement begins with these words, so that a line that does belongs to the one above.
static bool continues_statement(const Parser *parser)
{
    static const char *const words[] = {"at", "on", "to", "about", "along", "when"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (parser_is(parser, parser->token, words[i]))
            return true;
    return false;
}

bool parser_at_end(const Parser *parser)
{
    switch (parser->token.kind) {
    case TOKEN_END:
    case TOKEN_SEMICOLON:
    case TOKEN_CLOSE_BRACE: return true;
    default:
        return parser->open == 0 && parser->token.first_on_line &&
               !continues_line(parser->token.kind) && !continues_statement(parser);
    }
}

static bool is_statement_word(Str word)
{
    for (int kind = 0; kind < STATEMENT_SET; kind++)
        if (str_is(word, statement_word((StatementKind)kind)))
            return true;
    return false;
}

bool parser_at_word(const Parser *parser)
{
    return parser->token.kind == TOKEN_NAME && parser->token.first_on_line &&
           is_statement_word(parser_text(parser, parser->token));
}

bool parser_at_statement(const Parser *parser)
{
    if (!parser_at_word(parser))
        return false;
    // A name may be spelled like a statement's word, but is never followed by another word or
    // number, and hardly by a bracket at a distance.
    Token next = parser_peek(parser);
    bool apart = next.start > parser->token.start + parser->token.length;
    bool bracket = next.kind == TOKEN_OPEN || next.kind == TOKEN_OPEN_SQUARE;
    return !next.first_on_line &&
           (next.kind == TOKEN_NAME || next.kind == TOKEN_NUMBER || (bracket && apart));
}

// ---- Messages.

bool parser_fail(Parser *parser, Place place, const char *format, ...)
{
    Text text = {0};
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    parser->errors++;
    Status wrong = diag_error(parser->diag, place, "%s", text.at ? text.at : "");
    text_clear(&text);
    return wrong == STATUS_OK;
}

// Characters that are wrong wherever they stand have their own sentences.
static bool fail_strange(Parser *parser)
{
    Text text = {0};
    if (parser->token.kind == TOKEN_UNCLOSED)
        text_add(&text, "this quote is not closed on its line");
    else
        lexer_explain_strange(parser_text(parser, parser->token), &text);
    Place place = parser_place(parser, parser->token);
    if (parser->token.kind == TOKEN_UNCLOSED)
        place.length = 1;
    parser_fail(parser, place, "%s", text.at);
    text_clear(&text);
    return false;
}

static bool is_strange(Token token)
{
    return token.kind == TOKEN_STRANGE || token.kind == TOKEN_UNCLOSED;
}

bool parser_fail_expected(Parser *parser, const char *what)
{
    Token token = parser->token, last = parser->last;
    Shown found = text_shown(parser_text(parser, token));
    Shown before = text_shown(parser_text(parser, last));
    if (is_strange(token) && !(token.first_on_line && parser->open == 0))
        return fail_strange(parser);
    bool ended = parser_at_end(parser) || parser_at_statement(parser);
    if (ended && last.length == 0)
        return parser_fail(parser, parser_place(parser, token), "%s is missing", what);
    if (ended)
        return parser_fail(parser, parser_place(parser, last), "%s is missing after '%s'", what,
                           before.at);
    return parser_fail(parser, parser_place(parser, token), "%s is expected here, not '%s'", what,
                       found.at);
}

static bool is_operand(TokenKind kind)
{
    return kind == TOKEN_NAME || kind == TOKEN_NUMBER || kind == TOKEN_OPEN ||
           kind == TOKEN_CLOSE || kind == TOKEN_CLOSE_SQUARE || kind == TOKEN_PRIME ||
           kind == TOKEN_DOUBLE_PRIME || kind == TOKEN_RAISED;
}

// What others call the words of our clauses.
static const Synonym clause_synonyms[] = {
    {"step", "every"}, {"dt", "every"},       {"tol", "tolerance"}, {"k", "stiffness"},
    {"c", "damping"},  {"length", "rest"},    {"natural", "rest"},  {"r", "radius"},
    {"about", "axis"}, {"moment", "inertia"}, {"I", "inertia"},     {"m", "mass"},
    {"com", "center"}, {"position", "at"},    {"color", "colour"},  {"alpha", "opacity"},
};

// Which of the words is meant by this one, or −1.
static ptrdiff_t word_meant(Str word, const Str *words, size_t count)
{
    const char *ours =
        str_synonym(word, clause_synonyms, sizeof clause_synonyms / sizeof *clause_synonyms);
    for (size_t i = 0; i < count && ours; i++)
        if (str_is(words[i], ours))
            return (ptrdiff_t)i;
    return str_nearest(word, words, count);
}

// Whether a word behind a number was probably meant as its unit; which ones there are a later room
// knows.
static bool looks_like_unit(Str word)
{
    static const char *const units[] = {"m",   "kg",  "s",   "N",   "J",   "W",  "Pa",  "Hz", "V",
                                        "A",   "K",   "mm",  "cm",  "km",  "ms", "g",   "kN", "kW",
                                        "MPa", "deg", "rad", "rpm", "min", "h",  "bar", "Nm"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (str_is(word, units[i]))
            return true;
    return false;
}

bool parser_fail_unexpected(Parser *parser, const char *const *words)
{
    Token token = parser->token, last = parser->last;
    Shown found = text_shown(parser_text(parser, token));
    Shown before = text_shown(parser_text(parser, last));
    Place place = parser_place(parser, token);
    if (is_strange(token))
        return fail_strange(parser);
    if (parser_is(parser, token, "in"))
        return parser_fail(parser, place, "'in' stands behind a bracket, as in [a, b, c] in F");
    bool reserved = text_is_reserved(parser_text(parser, token));
    Str candidates[8];
    size_t count = 0;
    while (words && words[count] && count < 8) {
        candidates[count] = str_of(words[count]);
        count++;
    }
    ptrdiff_t nearest = -1;
    if (token.kind == TOKEN_NAME && !reserved)
        nearest = word_meant(parser_text(parser, token), candidates, count);
    if (nearest >= 0)
        return parser_fail(parser, place, "unexpected '%s'; did you mean '%s'?", found.at,
                           words[nearest]);
    if (parser_is(parser, token, "and"))
        return parser_fail(parser, place,
                           "unexpected 'and'; it joins what stands behind 'while', as in "
                           "while n = 1 and t <= 5");
    if (last.kind == TOKEN_NUMBER && parser_is(parser, token, "t"))
        return parser_fail(parser, place,
                           "'t' cannot follow '%s' directly; a tonne is 'Mg', and a product with "
                           "the time is written with '*'",
                           before.at);
    if (parser->open == 0 && last.kind == TOKEN_NAME && last.first_on_line &&
        token.kind == TOKEN_NAME && !reserved)
        return parser_fail(parser, place,
                           "'%s' cannot follow '%s' directly; a name has a ':' behind it, as in "
                           "%s %s: …",
                           found.at, before.at, before.at, found.at);
    bool side_by_side =
        is_operand(last.kind) && !reserved &&
        (token.kind == TOKEN_NAME || token.kind == TOKEN_NUMBER || token.kind == TOKEN_OPEN);
    if (side_by_side && last.kind == TOKEN_NAME && token.kind != TOKEN_OPEN)
        return parser_fail(parser, place,
                           "'%s' cannot follow '%s' directly; a product is written with '*', a "
                           "function with '(…)'",
                           found.at, before.at);
    if (side_by_side && last.kind == TOKEN_NUMBER && looks_like_unit(parser_text(parser, token)))
        return parser_fail(parser, place,
                           "'%s' cannot follow '%s' directly; a product is written with '*', and a "
                           "number with a unit is made a 'param'",
                           found.at, before.at);
    if (side_by_side)
        return parser_fail(parser, place,
                           "'%s' cannot follow '%s' directly; a product is written with '*'",
                           found.at, before.at);
    if (token.kind == TOKEN_CLOSE || token.kind == TOKEN_CLOSE_SQUARE)
        return parser_fail(parser, place, "this '%s' closes no bracket", found.at);
    return parser_fail(parser, place, "unexpected '%s' after '%s'", found.at, before.at);
}

// ---- Pairs.

PairsMistake parser_check_pairs(const Parser *parser, size_t variables)
{
    bool pairs = parser_is(parser, parser->token, "pairs") && !parser_at_end(parser) &&
                 parser_peek(parser).kind == TOKEN_OPEN;
    if (pairs && variables != 2)
        return variables == 1 ? PAIRS_BOTH : PAIRS_TWO;
    return !pairs && variables > 1 ? PAIRS_MISSING : PAIRS_GOOD;
}

bool parser_fail_pairs(Parser *parser, PairsMistake mistake, bool in_sum)
{
    Place place = parser_place(parser, parser->token);
    const char *whole = in_sum ? "sum(i, j in pairs(1..N), …)" : "for i, j in pairs(1..N)";
    switch (mistake) {
    case PAIRS_BOTH: return parser_fail(parser, place, "pairs gives both variables: %s", whole);
    case PAIRS_TWO: return parser_fail(parser, place, "pairs has two variables");
    case PAIRS_NO_RANGE: return parser_fail(parser, place, "pairs runs over a range: pairs(1..N)");
    default:
        return parser_fail(parser, place,
                           "two variables run over pairs: %s; else each has its own range", whole);
    }
}
