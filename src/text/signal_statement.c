// signal_statement.c: inputs and functions, whose values may be tables and noise.
#include "text/statement_impl.h"

// Whether a word stands here as the name of a function does.
static bool at_call(const Parser *parser, const char *word)
{
    return parser_next_is_word(parser, word) && parser_peek(parser).kind == TOKEN_OPEN;
}

static void add_word(Parser *parser, PartRole role)
{
    syntax_add_part(parser->syntax, role, (Span){0, 0}, parser->token.start, parser->token.length);
    parser_advance(parser);
}

// What is between two quotes.
static bool parse_quoted(Parser *parser, const char *what)
{
    Token token = parser->token;
    if (token.kind != TOKEN_STRING)
        return parser_fail_expected(parser, what);
    syntax_add_part(parser->syntax, PART_TITLE, (Span){0, 0}, token.start + 1, token.length - 2);
    parser_advance(parser);
    return true;
}

// One of two words in brackets, as far as they are.
static bool parse_table_word(Parser *parser)
{
    static const char *const words[] = {"linear", "cubic", "previous", "hold", "repeat", NULL};
    for (size_t i = 0; words[i]; i++)
        if (parser_next_is_word(parser, words[i])) {
            add_word(parser, PART_TABLE_WORD);
            return true;
        }
    if (parser->token.kind == TOKEN_STRING)
        return parser_fail(parser, parser_place(parser, parser->token),
                           "a table has a file and up to two columns before its words");
    return parser_fail_unexpected(parser, words);
}

// "file"[, "column"[, "column"]][, word[, word]])
static bool parse_table_inside(Parser *parser)
{
    if (!parse_quoted(parser, "a file's name in quotes"))
        return false;
    int quoted = 1;
    while (parser_take(parser, TOKEN_COMMA)) {
        if (parser->token.kind == TOKEN_STRING && quoted < 3 &&
            parser_last_part(parser)->role == PART_TITLE) {
            parse_quoted(parser, NULL);
            quoted++;
        } else if (!parse_table_word(parser)) {
            return false;
        }
    }
    return parser_expect(parser, TOKEN_CLOSE, "')' behind the table");
}

// distribution(a, b), step, seed)
static bool parse_random_inside(Parser *parser)
{
    static const char *const words[] = {"normal", "uniform", NULL};
    if (!at_call(parser, words[0]) && !at_call(parser, words[1]))
        return parser_fail_expected(parser, "'normal(m, s)' or 'uniform(a, b)'");
    add_word(parser, PART_TABLE_WORD);
    parser_advance(parser);
    return parse_part(parser, PART_NUMBER) &&
           parser_expect(parser, TOKEN_COMMA, "a comma with the second number") &&
           parse_part(parser, PART_NUMBER) &&
           parser_expect(parser, TOKEN_CLOSE, "')' behind the distribution") &&
           parser_expect(parser, TOKEN_COMMA, "a comma with the time between two values") &&
           parse_part(parser, PART_NUMBER) &&
           parser_expect(parser, TOKEN_COMMA, "a comma with the seed, a whole number,") &&
           parse_part(parser, PART_NUMBER) &&
           parser_expect(parser, TOKEN_CLOSE, "')' behind the seed");
}

bool parse_signal(Parser *parser)
{
    bool table = at_call(parser, "table");
    if (!table && !at_call(parser, "random"))
        return parse_part(parser, PART_VALUE);
    uint32_t first = (uint32_t)parser->syntax->parts.count, start = parser->token.start;
    add_word(parser, table ? PART_TABLE : PART_RANDOM);
    parser_advance(parser);
    parser->open++;
    bool good = table ? parse_table_inside(parser) : parse_random_inside(parser);
    parser->open = 0;
    parser->syntax->parts.at[first].length = parser->last.start + parser->last.length - start;
    return good;
}

// The name of an input; a function's brackets may follow, which hold the time.
static bool parse_input_name(Parser *parser)
{
    if (parser->token.kind != TOKEN_NAME || parser_peek(parser).kind != TOKEN_OPEN)
        return parse_name(parser, PART_NAME, FORM_PLAIN);
    parser_add_name(parser, PART_NAME);
    parser_advance(parser);
    if (!parser_take_word(parser, "t") || !parser_take(parser, TOKEN_CLOSE))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "an input is a function of the time alone, u or u(t); one of other "
                           "arguments is a 'function'");
    return true;
}

bool parse_input(Parser *parser, StatementKind kind)
{
    (void)kind;
    bool wrong;
    do {
        if (!parse_input_name(parser) || !parse_declared_unit(parser) ||
            (parser_take(parser, TOKEN_EQUAL) && !parse_signal(parser)))
            return false;
    } while (list_goes_on(parser, true, &wrong));
    return !wrong;
}

// NAME(NAME, …) [= VALUE]
bool parse_function(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (!parse_name(parser, PART_NAME, FORM_SETTING))
        return false;
    const Part *part = parser_last_part(parser);
    if (parser->syntax->nodes.at[part->span.root].kind != NODE_CALL)
        return parser_fail(parser, syntax_part_place(parser->syntax, part),
                           "a function is written with its arguments, as in 'function f(t)'");
    return parse_declared_unit(parser) &&
           (!parser_take(parser, TOKEN_EQUAL) || parse_signal(parser));
}

bool parse_settings(Parser *parser)
{
    bool wrong;
    parser->units = parser->intervals = true;
    do {
        if (!parse_name(parser, PART_NAME, FORM_SETTING) ||
            !parser_expect(parser, TOKEN_EQUAL, "'=' with a value") || !parse_signal(parser) ||
            !parse_interval(parser))
            return false;
    } while (list_goes_on(parser, true, &wrong));
    return !wrong;
}
