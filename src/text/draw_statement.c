// draw_statement.c: the grammar of `draw`: a word of draw_shapes.def, what stands behind it, and
// clauses in any order.
#include "text/draw_shapes.h"
#include "text/text_impl.h"

#include <string.h>

typedef enum { NOTHING, POINT, TWO_POINTS, POINTS, HEIGHT, RELATION, TEXT } Head;
enum {
    AT = 1 << 0,
    AXIS = 1 << 1,
    RADIUS = 1 << 2,
    LENGTH = 1 << 3,
    FRAME = 1 << 4,
    SIZE = 1 << 5,
    SCALE = 1 << 6,
    TURNS = 1 << 7,
    ALONG = 1 << 8,
    FOR = 1 << 9,
    COLOUR = 1 << 10,
    OPACITY = 1 << 11,
    WIDTH = 1 << 12,
    WHILE = 1 << 13,
    ALWAYS = COLOUR | OPACITY | WIDTH | WHILE
};

static const struct {
    const char *word;
    Head head;
    unsigned needs, may;
} shapes[] = {
#define DRAWN(NAME, word, head, needs, may) [DRAW_##NAME] = {word, head, needs, may},
#include "text/draw_shapes.def"
#undef DRAWN
};
enum { SHAPES = DRAW_COUNT };

static const struct {
    const char *word;
    unsigned bit;
    PartRole role;
} clauses[] = {
    {"at", AT, PART_AT},
    {"axis", AXIS, PART_AXIS},
    {"radius", RADIUS, PART_RADIUS},
    {"length", LENGTH, PART_LENGTH},
    {"frame", FRAME, PART_FRAME},
    {"size", SIZE, PART_SIZE},
    {"scale", SCALE, PART_SCALE},
    {"turns", TURNS, PART_TURNS},
    {"along", ALONG, PART_ALONG},
    {"for", FOR, PART_NAME},
    {"colour", COLOUR, PART_COLOUR},
    {"color", COLOUR, PART_COLOUR},
    {"opacity", OPACITY, PART_OPACITY},
    {"width", WIDTH, PART_WIDTH},
    {"while", WHILE, PART_WHILE},
};
enum { CLAUSES = sizeof clauses / sizeof *clauses };

const char *draw_shape_word(DrawShape shape)
{
    return shapes[shape].word;
}

// ---- Small steps.

static bool take(Parser *parser, TokenKind kind)
{
    bool there = parser->token.kind == kind && !parser_at_end(parser);
    if (there)
        parser_advance(parser);
    return there;
}

// "a ring", "an arrow", "axes".
static const char *article(const char *word)
{
    return strcmp(word, "axes") == 0 ? "" : strchr("aeiou", word[0]) ? "an " : "a ";
}

static bool parse_string(Parser *parser, PartRole role, const char *what)
{
    Token token = parser->token;
    if (token.kind != TOKEN_STRING || parser_at_end(parser))
        return parser_fail_expected(parser, what);
    syntax_add_part(parser->syntax, role, (Span){0, 0}, token.start + 1, token.length - 2);
    parser_advance(parser);
    return true;
}

static bool parse_relation(Parser *parser)
{
    static const struct {
        TokenKind token;
        PartRole role;
    } relations[] = {
        {TOKEN_EQUAL, PART_EQUAL}, {TOKEN_AT_MOST, PART_AT_MOST}, {TOKEN_AT_LEAST, PART_AT_LEAST}};
    for (size_t i = 0; i < 3; i++)
        if (take(parser, relations[i].token))
            return parse_part(parser, relations[i].role);
    return parser_fail_expected(parser, "'=', '<=' or '>='");
}

// ---- Heads.

static bool parse_points(Parser *parser)
{
    size_t count = 0;
    do {
        if (!parse_part(parser, PART_VALUE))
            return false;
        count++;
    } while (take(parser, TOKEN_COMMA));
    return count > 2 || parser_fail_expected(parser, "',' with one more point of the polygon");
}

static bool parse_two(Parser *parser, const char *word)
{
    parser->apart = true;
    bool first = parse_part(parser, PART_VALUE);
    parser->apart = false;
    if (!first)
        return false;
    take(parser, TOKEN_COMMA); // it may stand between them
    if (!parser_at_end(parser))
        return parse_part(parser, PART_VALUE);
    return parser_fail_expected(parser, strcmp(word, "line") == 0
                                            ? "the second point of the line"
                                            : "the second point of the spring");
}

// The name of a condition, or a relation of x, y and z.
static bool parse_surface(Parser *parser)
{
    if (!parse_part(parser, PART_LEFT))
        return false;
    TokenKind next = parser->token.kind;
    bool relation = next == TOKEN_EQUAL || next == TOKEN_AT_MOST || next == TOKEN_AT_LEAST;
    return !relation || parse_relation(parser);
}

static bool parse_head(Parser *parser, DrawShape shape)
{
    switch (shapes[shape].head) {
    case NOTHING: return true;
    case POINT: return parse_part(parser, PART_VALUE);
    case TWO_POINTS: return parse_two(parser, shapes[shape].word);
    case POINTS: return parse_points(parser);
    case RELATION: return parse_surface(parser);
    case TEXT:
        return parse_string(parser, PART_TITLE,
                            shape == DRAW_MESH ? "a file in quotes" : "a text in quotes");
    case HEIGHT:
        if (!parse_part(parser, PART_LEFT))
            return false;
        if (!take(parser, TOKEN_EQUAL))
            return parser_fail_expected(parser, "'=' with a height");
        return parse_part(parser, PART_EQUAL);
    }
    return false;
}

// ---- Clauses.

static bool parse_colour(Parser *parser)
{
    if (parser->token.kind == TOKEN_STRING && !parser_at_end(parser))
        return parse_string(parser, PART_COLOUR, "a colour");
    if (parser->token.kind != TOKEN_NAME || parser_at_end(parser))
        return parser_fail_expected(parser, "a colour, such as red or \"#c00\",");
    parser_add_name(parser, PART_COLOUR);
    return true;
}

// `for s in a..b` of a curve.
static bool parse_variable(Parser *parser)
{
    if (parser->token.kind != TOKEN_NAME || parser_at_end(parser))
        return parser_fail_expected(parser, "the variable of the curve");
    if (text_is_reserved(parser_text(parser, parser->token)))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "'%s' is a reserved word; choose another name",
                           text_shown(parser_text(parser, parser->token)).at);
    parser_add_name(parser, PART_NAME);
    if (!parser_is(parser, parser->token, "in") || parser_at_end(parser))
        return parser_fail_expected(parser, "'in' with a range");
    parser_advance(parser);
    if (!parse_part(parser, PART_LOW))
        return false;
    if (!take(parser, TOKEN_DOTS))
        return parser_fail_expected(parser, "'..' with the last value");
    return parse_part(parser, PART_HIGH);
}

static bool parse_clause(Parser *parser, size_t which)
{
    parser_advance(parser);
    switch (clauses[which].bit) {
    case COLOUR: return parse_colour(parser);
    case FOR: return parse_variable(parser);
    case WHILE: return parse_while(parser);
    default: return parse_part(parser, clauses[which].role);
    }
}

static bool fail_clause(Parser *parser, unsigned allowed)
{
    const char *words[9] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < CLAUSES && count < 8; i++)
        if (clauses[i].bit & allowed)
            words[count++] = clauses[i].word;
    return parser_fail_unexpected(parser, words);
}

static bool parse_draw_clauses(Parser *parser, DrawShape shape, Place place)
{
    unsigned seen = 0, allowed = shapes[shape].needs | shapes[shape].may | ALWAYS;
    const char *word = shapes[shape].word;
    while (!parser_at_end(parser)) {
        size_t i = 0;
        while (i < CLAUSES && !parser_is(parser, parser->token, clauses[i].word))
            i++;
        if (i == CLAUSES)
            return fail_clause(parser, allowed);
        if (!(clauses[i].bit & allowed))
            return parser_fail(parser, parser_place(parser, parser->token), "%s%s ha%s no '%s'",
                               article(word), word, shape == DRAW_AXES ? "ve" : "s",
                               clauses[i].word);
        if (seen & clauses[i].bit)
            return parser_fail(parser, parser_place(parser, parser->token),
                               "'%s' stands twice in one statement", clauses[i].word);
        seen |= clauses[i].bit;
        if (!parse_clause(parser, i))
            return false;
    }
    for (size_t i = 0; i < CLAUSES; i++)
        if (clauses[i].bit & shapes[shape].needs & ~seen)
            return parser_fail(parser, place, "'%s' is missing in the drawing of %s%s",
                               clauses[i].word, article(word), word);
    return true;
}

// ---- The whole.

static bool fail_shape(Parser *parser)
{
    Str word = parser_text(parser, parser->token), candidates[SHAPES];
    for (size_t i = 0; i < SHAPES; i++)
        candidates[i] = str_of(shapes[i].word);
    ptrdiff_t nearest = str_nearest(word, candidates, SHAPES);
    Place place = parser_place(parser, parser->token);
    if (nearest >= 0)
        return parser_fail(parser, place, "'%s' cannot be drawn; did you mean '%s'?",
                           text_shown(word).at, shapes[nearest].word);
    Text list = {0};
    for (size_t i = DRAW_TRACE; i < SHAPES; i++)
        text_addf(&list, "%s%s",
                  i == DRAW_TRACE   ? ""
                  : i + 1 == SHAPES ? " and "
                                    : ", ",
                  shapes[i].word);
    parser_fail(parser, place, "'%s' cannot be drawn; there are %s", text_shown(word).at, list.at);
    text_clear(&list);
    return false;
}

bool parse_draw(Parser *parser, StatementKind kind)
{
    (void)kind;
    Token token = parser->token;
    Place place = parser_place(parser, token);
    if (token.kind != TOKEN_NAME || parser_at_end(parser))
        return parser_fail_expected(parser, "what to draw (trace, line, disc, sphere, box, …)");
    size_t shape = 0;
    while (shape < SHAPES && !parser_is(parser, token, shapes[shape].word))
        shape++;
    if (shape == SHAPES)
        return fail_shape(parser);
    parser_add_name(parser, PART_SHAPE);
    if (shape == DRAW_NONE)
        return true;
    return parse_head(parser, (DrawShape)shape) &&
           parse_draw_clauses(parser, (DrawShape)shape, place);
}
