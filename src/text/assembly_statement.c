// assembly_statement.c: the grammar of what larger models are put together of: parts, joints,
// springs, dampers and bushings.
#include "text/statement_impl.h"

// ---- Parts.

static bool parse_formal(Parser *parser)
{
    Token token = parser->token;
    if (token.kind != TOKEN_NAME)
        return parser_fail_expected(parser, "the name of an argument");
    if (text_is_reserved(parser_text(parser, token)))
        return parser_fail(parser, parser_place(parser, token),
                           "'%s' is a reserved word; choose another name",
                           text_shown(parser_text(parser, token)).at);
    parser_add_name(parser, PART_ARGUMENT);
    return !parser_take(parser, TOKEN_EQUAL) || parse_part(parser, PART_VALUE);
}

static bool parse_given(Parser *parser)
{
    if (parser->token.kind == TOKEN_NAME && parser_peek(parser).kind == TOKEN_EQUAL) {
        parser_add_name(parser, PART_ARGUMENT);
        parser_advance(parser);
    }
    return parse_part(parser, PART_VALUE);
}

// ( … ) behind the name of a template, where it is described or used.
static bool parse_arguments(Parser *parser, bool (*parse)(Parser *))
{
    if (!parser_expect(parser, TOKEN_OPEN, "'(' with the arguments of the part"))
        return false;
    parser->open++;
    bool good = true;
    if (parser->token.kind != TOKEN_CLOSE)
        do
            good = parse(parser);
        while (good && parser_take(parser, TOKEN_COMMA));
    good = good && (parser->token.kind == TOKEN_CLOSE ||
                    parser_fail_expected(parser, "')' behind the arguments of the part"));
    parser->open = 0;
    if (good)
        parser_advance(parser);
    return good;
}

// NAME(NAME [= VALUE], …) { … } describes a part; NAME = NAME([NAME =] VALUE, …) makes one.
bool parse_part_statement(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (parser->token.kind != TOKEN_NAME || parser_at_end(parser))
        return parser_fail_expected(parser, "the name of a part");
    if (parser_peek(parser).kind == TOKEN_OPEN) {
        parser_add_name(parser, PART_NAME);
        if (!parse_arguments(parser, parse_formal))
            return false;
        return parser->token.kind == TOKEN_OPEN_BRACE ||
               parser_fail_expected(parser, "'{' with the statements of the part");
    }
    if (!parse_name(parser, PART_NAME, FORM_PLAIN) ||
        !parser_expect(parser, TOKEN_EQUAL, "'=' with what the part is made from"))
        return false;
    if (parser->token.kind != TOKEN_NAME)
        return parser_fail_expected(parser, "the name of what the part is made from");
    parser_add_name(parser, PART_BASE);
    return parse_arguments(parser, parse_given);
}

// ---- Springs, dampers, bushings.

// `NAME:` before what the statement says, where it is there.
static bool parse_label(Parser *parser, const char *what)
{
    Token next = parser_peek(parser);
    // A bracket may be an index, or the first of the ends.
    bool indexed = next.kind == TOKEN_OPEN_SQUARE && !parser_is(parser, parser->token, "between");
    bool named = next.kind == TOKEN_COLON || indexed;
    if (parser->token.kind != TOKEN_NAME || parser_at_end(parser) || !named)
        return true;
    return parse_name(parser, PART_LABEL, FORM_PLAIN) && parser_expect(parser, TOKEN_COLON, what);
}

static bool parse_between(Parser *parser)
{
    return parse_part(parser, PART_BETWEEN) &&
           parser_expect_word(parser, "and", "'and' with the other end") &&
           parse_part(parser, PART_AND);
}

static bool parse_ends(Parser *parser, const char *what)
{
    if (!parse_label(parser, "':' behind the name"))
        return false;
    if (parser_take_word(parser, "along"))
        return parse_name(parser, PART_ALONG, FORM_REFERENCE);
    return parser_expect_word(parser, "between", what) && parse_between(parser);
}

// Clauses one after the other; the second of two behind `and` has a role of its own.
typedef struct {
    const char *word;
    PartRole role, second;
} PairClause;

static bool parse_pair_clauses(Parser *parser, const PairClause *clauses, size_t count)
{
    bool seen[PARSER_MOST_CLAUSES] = {false};
    const char *words[PARSER_MOST_CLAUSES + 1] = {NULL};
    for (size_t i = 0; i < count; i++)
        words[i] = clauses[i].word;
    while (!parser_at_end(parser) && !parser_next_is_word(parser, "while")) {
        size_t i = 0;
        while (i < count && !parser_is(parser, parser->token, clauses[i].word))
            i++;
        if (i == count)
            return parser_fail_unexpected(parser, words);
        if (seen[i])
            return parser_fail(parser, parser_place(parser, parser->token),
                               "'%s' stands twice in one statement", clauses[i].word);
        seen[i] = true;
        parser_advance(parser);
        if (clauses[i].role == PART_BY) {
            do
                if (!parse_name(parser, PART_BY, FORM_REFERENCE))
                    return false;
            while (parser_take(parser, TOKEN_COMMA));
            continue;
        }
        if (!parse_part(parser, clauses[i].role))
            return false;
        if (clauses[i].second != clauses[i].role && parser_take_word(parser, "and") &&
            !parse_part(parser, clauses[i].second))
            return false;
    }
    return true;
}

static const PairClause spring_clauses[] = {{"damping", PART_DAMPING, PART_DAMPING},
                                            {"stiffness", PART_STIFFNESS, PART_STIFFNESS},
                                            {"rest", PART_REST, PART_REST}};

bool parse_spring(Parser *parser, StatementKind kind)
{
    (void)kind;
    return parse_ends(parser, "'between' with two points, or 'along' with a coordinate,") &&
           parse_pair_clauses(parser, spring_clauses, 3);
}

bool parse_damper(Parser *parser, StatementKind kind)
{
    (void)kind;
    return parse_ends(parser, "'between' with two points, or 'along' with a coordinate,") &&
           parse_pair_clauses(parser, spring_clauses, 1);
}

bool parse_bushing(Parser *parser, StatementKind kind)
{
    (void)kind;
    static const PairClause clauses[] = {{"at", PART_AT, PART_AT_OTHER},
                                         {"stiffness", PART_STIFFNESS, PART_STIFFNESS},
                                         {"damping", PART_DAMPING, PART_DAMPING},
                                         {"torsion", PART_TORSION, PART_TORSION}};
    return parse_label(parser, "':' behind the name") &&
           parser_expect_word(parser, "between", "'between' with two bodies") &&
           parse_between(parser) && parse_pair_clauses(parser, clauses, 4);
}

// ---- Joints.

bool parse_joint(Parser *parser, StatementKind kind)
{
    (void)kind;
    static const PairClause clauses[] = {{"at", PART_AT, PART_AT_OTHER},
                                         {"axis", PART_AXIS, PART_AXIS_OTHER},
                                         {"by", PART_BY, PART_BY},
                                         {"friction", PART_FRICTION, PART_FRICTION},
                                         {"static", PART_STATIC, PART_STATIC},
                                         {"radius", PART_RADIUS, PART_RADIUS}};
    if (!parse_label(parser, "':' behind the name"))
        return false;
    if (parser->token.kind != TOKEN_NAME || parser_at_end(parser))
        return parser_fail_expected(parser, "the kind of the joint");
    parser_add_name(parser, PART_SHAPE);
    return parser_expect_word(parser, "between", "'between' with two bodies") &&
           parse_between(parser) && parse_pair_clauses(parser, clauses, 6);
}
