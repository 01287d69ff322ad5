// statement_parts.c: what statements are made of: words, names, lists, relations and clauses.
#include "text/statement_impl.h"

// ---- Small steps.

bool parser_next_is(const Parser *parser, TokenKind kind)
{
    return parser->token.kind == kind && !parser_at_end(parser);
}

bool parser_next_is_word(const Parser *parser, const char *word)
{
    return parser_is(parser, parser->token, word) && !parser_at_end(parser);
}

bool parser_take(Parser *parser, TokenKind kind)
{
    bool there = parser_next_is(parser, kind);
    if (there)
        parser_advance(parser);
    return there;
}

bool parser_take_word(Parser *parser, const char *word)
{
    bool there = parser_next_is_word(parser, word);
    if (there)
        parser_advance(parser);
    return there;
}

// `what` is a short phrase such as "'at' with a point".
bool parser_expect_word(Parser *parser, const char *word, const char *what)
{
    if (parser_take_word(parser, word))
        return true;
    if (parser_at_end(parser))
        return parser_fail_expected(parser, what);
    return parser_fail_unexpected(parser, (const char *const[]){word, NULL});
}

bool parser_expect(Parser *parser, TokenKind kind, const char *what)
{
    return parser_take(parser, kind) || parser_fail_expected(parser, what);
}

const Part *parser_last_part(const Parser *parser)
{
    return &parser->syntax->parts.at[parser->syntax->parts.count - 1];
}

bool name_has_form(const Syntax *syntax, uint32_t root, NameForm form)
{
    const Node *node = &syntax->nodes.at[root];
    if (form >= FORM_SETTING && node->kind == NODE_CALL)
        return true;
    if (form >= FORM_PRIMED && node->kind == NODE_PRIME)
        node = &syntax->nodes.at[syntax_children(syntax, node)[0].node];
    while (node->kind == NODE_INDEX || (form >= FORM_REFERENCE && node->kind == NODE_MEMBER)) {
        const Node *child = &syntax->nodes.at[syntax_children(syntax, node)[0].node];
        if (node->kind == NODE_INDEX && child->kind == NODE_INDEX)
            return false;
        node = child;
    }
    return node->kind == NODE_NAME;
}

// A call where a function is made or set: its arguments are names, and it has no derivatives.
static bool check_head(Parser *parser, const Part *part)
{
    const Syntax *syntax = parser->syntax;
    const Node *call = &syntax->nodes.at[part->span.root];
    if (call->kind != NODE_CALL)
        return true;
    if (call->primes || call->count == 0)
        return parser_fail(parser, syntax_part_place(syntax, part),
                           call->primes ? "a function is given without its derivatives"
                                        : "a function has at least one argument, as in f(t)");
    const Child *children = syntax_children(syntax, call);
    for (uint32_t i = 0; i < call->count; i++) {
        const Node *argument = &syntax->nodes.at[children[i].node];
        Place place = syntax_node_place(syntax, children[i].node);
        if (argument->kind != NODE_NAME)
            return parser_fail(parser, place, "an argument of a function is a name here");
        for (uint32_t k = 0; k < i; k++)
            if (syntax->nodes.at[children[k].node].name == argument->name)
                return parser_fail(parser, place, "two arguments have the name '%s'",
                                   text_shown(syntax_name(syntax, argument->name)).at);
    }
    return true;
}

// A name that is made here, with its indices.
bool parse_name(Parser *parser, PartRole role, NameForm form)
{
    Token token = parser->token;
    bool comma = parser->last.kind == TOKEN_COMMA;
    if (token.kind != TOKEN_NAME || (parser_at_end(parser) && !comma) ||
        parser_at_statement(parser))
        return parser_fail_expected(parser, "a name");
    Str name = syntax_name(parser->syntax, parser_intern(parser, token));
    if (text_is_reserved(name))
        return parser_fail(parser, parser_place(parser, token),
                           "'%s' is a reserved word; choose another name", text_shown(name).at);
    if (!parse_part(parser, role)) {
        parser_lose(parser, token);
        return false;
    }
    const Part *part = parser_last_part(parser);
    if (form == FORM_SETTING && parser->syntax->nodes.at[part->span.root].kind == NODE_CALL)
        return check_head(parser, part);
    if (name_has_form(parser->syntax, part->span.root, form))
        return check_head(parser, part);
    Place place = syntax_part_place(parser->syntax, part);
    bool points = parser->syntax->nodes.at[part->span.root].kind == NODE_MEMBER;
    parser->syntax->parts.count--;
    parser_lose(parser, token);
    if (points && form == FORM_PLAIN)
        return parser_fail(parser, place,
                           "a name is made without a point; names with points are those of parts");
    if (form == FORM_PRIMED)
        return parser_fail(
            parser, place,
            "coordinates, velocities and speeds are given here, as in x = 1, x' = 2; "
            "for another quantity declare a 'speed' that is it");
    return parser_fail(parser, place, "a name is expected here, not an expression");
}

// ---- Lists, relations and blocks.

// ---- Units of what is declared, and intervals.

bool parse_declared_unit(Parser *parser)
{
    if (!parser->declares || !parser_next_is_word(parser, "in"))
        return true;
    parser_advance(parser);
    if (parser_at_end(parser) ||
        unit_word_end(parser->source, parser->token.start) == parser->token.start)
        return parser_fail_expected(parser, "a unit, as in 'N/m',");
    Token unit = parser_take_unit(parser);
    syntax_add_part(parser->syntax, PART_UNIT, (Span){0, 0}, unit.start, unit.length);
    return true;
}

static bool fail_percent(Parser *parser)
{
    return parser_fail(parser, parser_place(parser, parser->token),
                       "a radius is a number in the same unit, not a percentage");
}

bool parse_interval(Parser *parser)
{
    if (!parser_take(parser, TOKEN_INTERVAL))
        return true;
    if (!parse_part(parser, PART_INTERVAL))
        return false;
    bool percent =
        parser->token.kind == TOKEN_STRANGE && str_is(parser_text(parser, parser->token), "%");
    return percent ? fail_percent(parser) : true;
}

bool list_goes_on(Parser *parser, bool values, bool *wrong)
{
    *wrong = false;
    if (parser_take(parser, TOKEN_COMMA))
        return true;
    if (parser_at_end(parser) || parser->token.kind != TOKEN_NAME)
        return false;
    Token next = parser_peek(parser);
    bool item = next.kind == TOKEN_EQUAL || next.kind == TOKEN_COMMA || next.first_on_line ||
                next.kind == TOKEN_NAME || next.kind == TOKEN_END || next.kind == TOKEN_SEMICOLON;
    if (values)
        item = next.kind == TOKEN_EQUAL || next.kind == TOKEN_PRIME;
    if (!item)
        return false;
    *wrong = true;
    parser_fail(parser, parser_place(parser, parser->token), "a comma is missing before '%s'",
                text_shown(parser_text(parser, parser->token)).at);
    return false;
}

bool parse_equations(Parser *parser, PartRole role, NameForm form, bool value_needed)
{
    bool wrong;
    do {
        if (!parse_name(parser, role, form))
            return false;
        if (form == FORM_PRIMED && parser_next_is(parser, TOKEN_NAME) &&
            str_is(parser_text(parser, parser->last), "approx"))
            return parser_fail(parser, parser_place(parser, parser->last),
                               "'approx' stands behind 'initial': initial approx %s = …",
                               text_shown(parser_text(parser, parser->token)).at);
        if (!parse_declared_unit(parser))
            return false;
        if (parser_next_is(parser, TOKEN_NUMBER))
            return parser_fail_expected(parser, "'=' before the value");
        if (value_needed || parser_next_is(parser, TOKEN_EQUAL))
            if (!parser_expect(parser, TOKEN_EQUAL, "'=' with a value") ||
                !parse_part(parser, PART_VALUE) || !parse_interval(parser))
                return false;
    } while (list_goes_on(parser, true, &wrong));
    return !wrong;
}

bool token_is_relation(TokenKind kind)
{
    return kind == TOKEN_EQUAL || kind == TOKEN_AT_MOST || kind == TOKEN_AT_LEAST;
}

bool parser_at_relation(const Parser *parser)
{
    return token_is_relation(parser->token.kind) && !parser_at_end(parser);
}

bool parse_relation(Parser *parser, const char *only)
{
    if (parser_take(parser, TOKEN_EQUAL))
        return parse_part(parser, PART_EQUAL);
    if (!only && parser_take(parser, TOKEN_AT_MOST))
        return parse_part(parser, PART_AT_MOST);
    if (!only && parser_take(parser, TOKEN_AT_LEAST))
        return parse_part(parser, PART_AT_LEAST);
    if (token_is_relation(parser->token.kind))
        return parser_fail(parser, parser_place(parser, parser->token), "%s", only);
    if (parser_at_end(parser))
        return parser_fail_expected(parser, "'=' with the other side");
    return parser_fail_unexpected(parser, NULL);
}

bool parse_while(Parser *parser)
{
    do {
        if (!parse_part(parser, PART_WHILE))
            return false;
        if (!parser_at_relation(parser))
            return parser_fail(parser, syntax_part_place(parser->syntax, parser_last_part(parser)),
                               "behind 'while' stands a relation with '=', '<=' or '>=', as in "
                               "'while mode = 1'");
        if (!parse_relation(parser, NULL))
            return false;
        Part *right = &parser->syntax->parts.at[parser->syntax->parts.count - 1];
        right->role = right->role == PART_EQUAL     ? PART_WHILE_EQUAL
                      : right->role == PART_AT_MOST ? PART_WHILE_AT_MOST
                                                    : PART_WHILE_AT_LEAST;
    } while (parser_take_word(parser, "and"));
    return true;
}

bool parse_until(Parser *parser)
{
    if (!parse_part(parser, PART_UNTIL))
        return false;
    if (!parser_at_relation(parser))
        return parser_fail(parser, syntax_part_place(parser->syntax, parser_last_part(parser)),
                           "a relation is written with '=', '<=' or '>=', as in \"x >= 5\"");
    return parse_relation(parser, NULL);
}

bool statement_has_actions(StatementKind kind)
{
    return kind == STATEMENT_EVENT || kind == STATEMENT_SAMPLE;
}

bool statement_has_block(StatementKind kind)
{
    return kind == STATEMENT_FOR || kind == STATEMENT_PART || statement_has_actions(kind);
}

// ---- Clauses.

// The name of one thing among several, which this room does not know.
static bool parse_choice(Parser *parser, const Clause *clause)
{
    Token name = parser->token;
    if (name.kind != TOKEN_NAME)
        return parser_fail(parser, parser_place(parser, parser->last),
                           "a name is missing after '%s'", clause->word);
    syntax_add_part(parser->syntax, clause->role, (Span){0, 0}, name.start, name.length);
    parser_advance(parser);
    return true;
}

// Clauses in any order, each at most once, up to the statement's end.
bool parse_clauses(Parser *parser, const Clause *clauses, size_t count)
{
    bool seen[PARSER_MOST_CLAUSES] = {false};
    const char *words[PARSER_MOST_CLAUSES] = {NULL};
    for (size_t i = 0; i < count; i++)
        words[i] = clauses[i].word;
    while (!parser_at_end(parser)) {
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
        PartRole role = clauses[i].role;
        if (!(role == PART_UNTIL                            ? parse_until(parser)
              : role == PART_METHOD || role == PART_PARADOX ? parse_choice(parser, &clauses[i])
                                                            : parse_part(parser, role)))
            return false;
    }
    return true;
}
