// statement_impl.h: what statements are made of.
#ifndef ZWANG_TEXT_STATEMENT_IMPL_H
#define ZWANG_TEXT_STATEMENT_IMPL_H

#include "text/text_impl.h"

// ---- Small steps.
bool parser_next_is(const Parser *parser, TokenKind kind);
bool parser_next_is_word(const Parser *parser, const char *word);
bool parser_take(Parser *parser, TokenKind kind);
bool parser_take_word(Parser *parser, const char *word);
// `what` is a short phrase such as "'at' with a point".
bool parser_expect_word(Parser *parser, const char *word, const char *what);
bool parser_expect(Parser *parser, TokenKind kind, const char *what);
const Part *parser_last_part(const Parser *parser);

// ---- Names.
// How a name may be written where it is made or set, each way more than the one before:
// NAME or NAME[…]; also names of parts, as a.NAME; one of these with primes; also NAME(NAME, …).
typedef enum { FORM_PLAIN, FORM_REFERENCE, FORM_PRIMED, FORM_SETTING } NameForm;

bool name_has_form(const Syntax *syntax, uint32_t root, NameForm form);
// A name that is made here, or meant, with its indices.
bool parse_name(Parser *parser, PartRole role, NameForm form);

// ---- Clauses in any order, each at most once, up to the statement's end.
enum { PARSER_MOST_CLAUSES = 8 };
typedef struct {
    const char *word;
    PartRole role;
} Clause;

bool parse_clauses(Parser *parser, const Clause *clauses, size_t count);

// NAME = VALUE, …; where a value may be missing, NAME, ….
bool parse_equations(Parser *parser, PartRole role, NameForm form, bool value_needed);
// Behind an item of a list, with or without values: another one after a comma, or the end.
bool list_goes_on(Parser *parser, bool values, bool *wrong);
// The relation behind a left side; `only` says that an equation is meant, and is NULL where
// one-sided relations may stand too.
bool parse_relation(Parser *parser, const char *only);
bool parser_at_relation(const Parser *parser);
bool token_is_relation(TokenKind kind);

// ---- signal_statement.c: inputs and functions.
bool parse_input(Parser *parser, StatementKind kind);
bool parse_function(Parser *parser, StatementKind kind);
// What stands behind '=' there: a table, noise or an expression.
bool parse_signal(Parser *parser);

// ---- event_statement.c: events, what they do, and states.
bool parse_event(Parser *parser, StatementKind kind);
bool parse_sample(Parser *parser, StatementKind kind);
bool parse_state(Parser *parser, StatementKind kind);
bool parse_assign(Parser *parser, StatementKind kind);
bool parse_stop(Parser *parser, StatementKind kind);
bool parse_record(Parser *parser, StatementKind kind);
// run to … every … tolerance … until …
bool parse_run(Parser *parser, StatementKind kind);

// ---- assembly_statement.c
bool parse_part_statement(Parser *parser, StatementKind kind);
bool parse_spring(Parser *parser, StatementKind kind);
bool parse_damper(Parser *parser, StatementKind kind);
bool parse_bushing(Parser *parser, StatementKind kind);
bool parse_joint(Parser *parser, StatementKind kind);

#endif
