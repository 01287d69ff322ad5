// unit_word.c: units behind numbers. What a unit means is not known here: it is one word without
// blanks, made of letters, '*', '/' and powers.
#include "text/statement_impl.h"

static uint32_t code_at(const Source *source, uint32_t at, uint32_t *bytes)
{
    *bytes = 0;
    return at < source->length ? str_decode((Str){source->at + at, source->length - at}, bytes) : 0;
}

static bool is_letter(uint32_t code)
{
    const char *english;
    return greek_is_letter(code, &english) || code == 0xB5; // the micro sign
}

static bool is_digit(uint32_t code)
{
    return code >= '0' && code <= '9';
}

// Letters, and digits or '_' behind them.
static uint32_t word_end(const Source *source, uint32_t at)
{
    uint32_t bytes, code = code_at(source, at, &bytes);
    if (!is_letter(code))
        return at;
    while (is_letter(code) || is_digit(code) || code == '_') {
        at += bytes;
        code = code_at(source, at, &bytes);
    }
    return at;
}

// ^2, ^-1, ² or ⁻¹.
static uint32_t power_end(const Source *source, uint32_t at)
{
    uint32_t bytes, code = code_at(source, at, &bytes), next = at;
    if (code == '^') {
        next += bytes;
        code = code_at(source, next, &bytes);
        if (code == '-' || code == 0x2212) {
            next += bytes;
            code = code_at(source, next, &bytes);
        }
        if (!is_digit(code))
            return at;
        while (is_digit(code)) {
            next += bytes;
            code = code_at(source, next, &bytes);
        }
        return next;
    }
    while (code == 0x207B || greek_raised_digit(code) >= 0) {
        next += bytes;
        code = code_at(source, next, &bytes);
    }
    return next;
}

static bool is_operator(uint32_t code)
{
    return code == '*' || code == '/' || code == 0xB7 || code == 0x22C5;
}

uint32_t unit_word_end(const Source *source, uint32_t start)
{
    uint32_t end = start, at = start, bytes;
    // 1/s stands alone.
    if (code_at(source, at, &bytes) == '1' && code_at(source, at + 1, &bytes) == '/')
        at += 2;
    for (int open = 0;;) {
        while (at > start && code_at(source, at, &bytes) == '(') {
            open++;
            at += bytes;
        }
        uint32_t word = word_end(source, at);
        if (word == at)
            return end;
        at = power_end(source, word);
        while (open > 0 && code_at(source, at, &bytes) == ')') {
            open--;
            at += bytes;
        }
        if (open == 0)
            end = at;
        if (!is_operator(code_at(source, at, &bytes)))
            return end;
        at += bytes;
    }
}

// Words that go on with a statement behind a number.
static bool goes_on(const Parser *parser)
{
    static const char *const words[] = {"every",   "tolerance", "until",   "method", "paradox",
                                        "from",    "delay",     "while",   "and",    "rising",
                                        "falling", "set",       "impulse", "stop",   "record"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (parser_is(parser, parser->token, words[i]))
            return true;
    return text_is_reserved(parser_text(parser, parser->token));
}

bool parser_at_unit(const Parser *parser)
{
    Token token = parser->token;
    bool number = parser->last.kind == TOKEN_NUMBER || parser->last.kind == TOKEN_CLOSE;
    if (!parser->units || !number || token.kind != TOKEN_NAME || token.first_on_line ||
        goes_on(parser))
        return false;
    // What comes before a number is another word of the statement, and before '=' another name.
    uint32_t at = unit_word_end(parser->source, token.start);
    Token next = lexer_next(parser->source, &at);
    // What has a prime or a value of its own is the next one, and a comma is missing.
    bool named = next.kind == TOKEN_EQUAL || next.kind == TOKEN_PRIME;
    return !named && (next.kind != TOKEN_NUMBER || next.first_on_line);
}

Token parser_take_unit(Parser *parser)
{
    Token unit = parser->token;
    unit.kind = TOKEN_NAME;
    unit.length = unit_word_end(parser->source, unit.start) - unit.start;
    parser->token = unit;
    parser->at = unit.start + unit.length;
    parser_advance(parser);
    return unit;
}
