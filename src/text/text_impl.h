// text_impl.h: tokens and the parser's state. Never leaves this room.
#ifndef ZWANG_TEXT_IMPL_H
#define ZWANG_TEXT_IMPL_H

#include "text/text.h"

// A file above this size is no model; places count bytes in 32 bits.
enum { TEXT_MOST_BYTES = 64 << 20 };
// Braces inside braces; more is a generator gone wrong.
enum { TEXT_MOST_BLOCKS = 64 };
// Brackets, signs and operators open at once in one expression; each takes 24 bytes.
enum { TEXT_MOST_OPEN = 1 << 22 };
// After so many errors the rest of the file is not read.
enum { TEXT_MOST_ERRORS = 100 };

typedef enum {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_STRING,   // with its quotes
    TOKEN_UNCLOSED, // a string without its second quote
    TOKEN_OPEN,     // (
    TOKEN_CLOSE,    // )
    TOKEN_OPEN_SQUARE,
    TOKEN_CLOSE_SQUARE,
    TOKEN_OPEN_BRACE,
    TOKEN_CLOSE_BRACE,
    TOKEN_COMMA,
    TOKEN_SEMICOLON,
    TOKEN_COLON,
    TOKEN_EQUAL,
    TOKEN_AT_MOST,
    TOKEN_AT_LEAST,
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_TIMES,
    TOKEN_OVER,
    TOKEN_POWER,
    TOKEN_PRIME,
    TOKEN_DOUBLE_PRIME,
    TOKEN_RAISED, // digits above the line, with or without a ⁻ before them
    TOKEN_DOT,
    TOKEN_DOTS,     // ..
    TOKEN_INTERVAL, // +/- or ±
    TOKEN_STRANGE   // a character that is no part of the language
} TokenKind;

typedef struct {
    TokenKind kind;
    bool first_on_line;
    uint32_t start, length;
} Token;

// Reads the token at or behind `*at` and moves `*at` behind it.
Token lexer_next(const Source *source, uint32_t *at);
// One sentence about a strange character, for a student.
void lexer_explain_strange(Str character, Text *out);

// Adds the plain spelling of a name or a number: Greek letters by their names, digits above and
// below the line as digits.
void greek_spell(Str written, Text *out);

typedef struct {
    Syntax *syntax;
    const Source *source;
    Diag *diag;
    Token token, last; // the one to be read, and the one read before it
    uint32_t at;       // behind `token`
    uint32_t open;     // brackets open around `token`, inside an expression
    size_t errors;
    bool equation;  // of a reader's: T+ may be a name
    bool actions;   // inside the block of an event
    bool units;     // a unit may stand behind a number here: these are data
    bool intervals; // '+/-' may stand behind a value here
    bool apart;     // a bracket behind a blank begins the next value
    bool declares;  // names that may have a unit are made here
    Text spelling;  // scratch for names
} Parser;

void parser_init(Parser *parser, Syntax *syntax, const Source *source, Diag *diag);
void parser_clear(Parser *parser);
void parser_advance(Parser *parser);
Token parser_peek(const Parser *parser); // the token behind `token`
Str parser_text(const Parser *parser, Token token);
Place parser_place(const Parser *parser, Token token);
bool parser_is(const Parser *parser, Token token, const char *word);
// Whether the statement ends before `token`: a new line outside brackets, `;`, `}` or the end.
bool parser_at_end(const Parser *parser);
// Whether `token` begins a line and is spelled like a statement's word.
bool parser_at_word(const Parser *parser);
// Whether it does, and what follows shows that it is one.
bool parser_at_statement(const Parser *parser);

// Takes `token`, a name that is no expression of its own, as a part of the statement.
void parser_add_name(Parser *parser, PartRole role);

// Messages; all return false, so that `return parser_fail(…)` reads well.
bool parser_fail(Parser *parser, Place place, const char *format, ...) BASE_PRINTF(3, 4);
// What was expected is missing: names what stands there instead, or what it is missing behind.
bool parser_fail_expected(Parser *parser, const char *what);
// `token` cannot follow what was read; the words (NULL-terminated) might have.
bool parser_fail_unexpected(Parser *parser, const char *const *words);

// What is wrong where variables stand before `in`: `for` and `sum` speak of it alike.
typedef enum { PAIRS_GOOD, PAIRS_BOTH, PAIRS_TWO, PAIRS_MISSING, PAIRS_NO_RANGE } PairsMistake;
// Behind `in` with so many variables before it: two have pairs, and pairs has two.
PairsMistake parser_check_pairs(const Parser *parser, size_t variables);
bool parser_fail_pairs(Parser *parser, PairsMistake mistake, bool in_sum);

// Building the tree.
Syntax *syntax_new(const Source *source);
uint32_t syntax_intern(Syntax *syntax, Str english);
uint32_t parser_intern(Parser *parser, Token name);
uint32_t syntax_add_node(Syntax *syntax, Node node);
// A name that stood in a broken statement and may have been declared there.
void parser_lose(Parser *parser, Token token);
void syntax_add_part(Syntax *syntax, PartRole role, Span span, uint32_t start, uint32_t length);

// unit_word.c: the end of the unit that begins at `start`; `start` itself where none does.
uint32_t unit_word_end(const Source *source, uint32_t start);
// Whether `token` begins a unit behind a number or a bracket, where data stand.
bool parser_at_unit(const Parser *parser);
// Takes it: the token that it is as a whole.
Token parser_take_unit(Parser *parser);
// statement_parts.c: `in UNIT` behind a name that is declared; true where there is none.
bool parse_declared_unit(Parser *parser);
// +/- and the radius behind a value.
bool parse_interval(Parser *parser);

// expression_parser.c: reads the longest expression from `token` on.
bool parse_expression(Parser *parser, Span *span);
// The same, as a part of the current statement.
bool parse_part(Parser *parser, PartRole role);
// statement.c: reads one statement behind its word; false where it is broken.
bool parse_statement(Parser *parser, StatementKind kind);
// statement_parts.c: whether a block in braces may follow it.
bool statement_has_block(StatementKind kind);
// draw_statement.c: what follows `draw`.
bool parse_draw(Parser *parser, StatementKind kind);
// a = b or NAME: a = b, as a question.
bool parse_equation(Parser *parser);
// The relation that ends a run.
bool parse_until(Parser *parser);
bool parse_while(Parser *parser); // rel { and rel } behind 'while'
// NAME = VALUE, …, where a function is set as NAME(NAME, …) = VALUE.
bool parse_settings(Parser *parser);

#endif
