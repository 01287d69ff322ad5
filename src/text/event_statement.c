// event_statement.c: events and samples with what they do, states, and what a run is to do.
#include "text/statement_impl.h"

// ---- Events.

// `NAME:` before a trigger or a period: read as an expression and recognized by the colon.
static bool parse_trigger(Parser *parser, const char *whose)
{
    if (!parse_part(parser, PART_LEFT))
        return false;
    Part *part = &parser->syntax->parts.at[parser->syntax->parts.count - 1];
    if (!parser_next_is(parser, TOKEN_COLON))
        return true;
    Str name = syntax_text(parser->syntax, part->start, part->length);
    if (!name_has_form(parser->syntax, part->span.root, FORM_PLAIN) || text_is_reserved(name))
        return parser_fail(parser, syntax_part_place(parser->syntax, part),
                           "%s name stands before ':', and this cannot be one", whose);
    part->role = PART_LABEL;
    parser_advance(parser);
    return parse_part(parser, PART_LEFT);
}

// `rising` or `falling` behind an expression or an equation.
static bool parse_direction(Parser *parser)
{
    PartRole relation = parser_last_part(parser)->role;
    bool one_sided = relation == PART_AT_MOST || relation == PART_AT_LEAST;
    Token token = parser->token;
    bool rising = parser_take_word(parser, "rising");
    if (!rising && !parser_take_word(parser, "falling"))
        return true;
    if (one_sided)
        return parser_fail(parser, parser_place(parser, token),
                           "'%s' says already when it fires; '%s' belongs to an expression or '='",
                           relation == PART_AT_MOST ? "<=" : ">=", rising ? "rising" : "falling");
    syntax_add_part(parser->syntax, rising ? PART_RISING : PART_FALLING, (Span){0, 0}, token.start,
                    token.length);
    return true;
}

bool parse_event(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (!parse_trigger(parser, "an event's") ||
        (parser_at_relation(parser) && !parse_relation(parser, NULL)) || !parse_direction(parser) ||
        (parser_take_word(parser, "while") && !parse_while(parser)))
        return false;
    if (parser->token.kind == TOKEN_OPEN_BRACE)
        return true;
    if (parser_at_end(parser))
        return parser_fail_expected(parser, "'{' with what the event does");
    return parser_fail_unexpected(parser,
                                  (const char *const[]){"rising", "falling", "while", NULL});
}

// ---- Samples.

// What stands in a block, without one.
static bool at_action(const Parser *parser)
{
    return parser_is(parser, parser->token, "set") || parser_is(parser, parser->token, "impulse") ||
           parser_is(parser, parser->token, "stop") || parser_is(parser, parser->token, "record");
}

bool parse_sample(Parser *parser, StatementKind kind)
{
    (void)kind;
    static const Clause clauses[] = {{"from", PART_FROM}, {"delay", PART_DELAY}};
    if (!parse_trigger(parser, "a sample's"))
        return false;
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
        if (parser_take_word(parser, clauses[i].word) && !parse_part(parser, clauses[i].role))
            return false;
    if (parser_take_word(parser, "while") && !parse_while(parser))
        return false;
    if (parser->token.kind == TOKEN_OPEN_BRACE)
        return true;
    if (parser_at_end(parser) || parser_at_statement(parser) || at_action(parser))
        return parser_fail(parser, parser_place(parser, parser->last),
                           "a sample needs a block: sample 0.01 { set u = … }");
    return parser_fail_unexpected(parser, (const char *const[]){"from", "delay", "while", NULL});
}

// ---- Actions.

bool parse_assign(Parser *parser, StatementKind kind)
{
    (void)kind;
    return parse_equations(parser, PART_NAME, FORM_PRIMED, true);
}

bool parse_stop(Parser *parser, StatementKind kind)
{
    (void)kind;
    Token text = parser->token;
    if (parser_take(parser, TOKEN_STRING))
        syntax_add_part(parser->syntax, PART_TITLE, (Span){0, 0}, text.start + 1, text.length - 2);
    return true;
}

bool parse_record(Parser *parser, StatementKind kind)
{
    (void)parser;
    (void)kind;
    return true;
}

// ---- States.

bool parse_state(Parser *parser, StatementKind kind)
{
    (void)kind;
    return parse_equations(parser, PART_NAME, FORM_PRIMED, true);
}

// ---- Runs.

bool parse_run(Parser *parser, StatementKind kind)
{
    (void)kind;
    static const Clause clauses[] = {
        {"to", PART_TO},       {"every", PART_EVERY},   {"tolerance", PART_TOLERANCE},
        {"until", PART_UNTIL}, {"method", PART_METHOD}, {"paradox", PART_PARADOX}};
    if (parser->token.kind == TOKEN_NUMBER && !parser_at_end(parser))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "a run goes to its end: write 'run to %s'",
                           text_shown(parser_text(parser, parser->token)).at);
    return parse_clauses(parser, clauses, sizeof clauses / sizeof *clauses);
}
