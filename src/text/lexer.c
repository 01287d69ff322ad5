// lexer.c: characters to tokens, one at a time and without memory, so that a parser can look
// ahead by reading again. Exact about numbers: a point belongs to one only before a digit.
#include "text/text_impl.h"

static uint32_t code_at(const Source *source, uint32_t at, uint32_t *bytes)
{
    return str_decode((Str){source->at + at, source->length - at}, bytes);
}

static bool is_digit(const Source *source, uint32_t at)
{
    return at < source->length && source->at[at] >= '0' && source->at[at] <= '9';
}

static bool is_space(uint32_t code)
{
    // Control characters are an error of the whole text and separate words here.
    return code <= ' ' || code == 127 || code == 0xA0 || code == 0xFEFF ||
           (code >= 0x2000 && code <= 0x200B) || code == 0x202F;
}

// Moves behind spaces and comments; says whether a new line began.
static bool skip_space(const Source *source, uint32_t *at)
{
    bool new_line = *at == 0;
    while (*at < source->length) {
        uint32_t bytes;
        uint32_t code = code_at(source, *at, &bytes);
        if (code == '#') {
            while (*at < source->length && source->at[*at] != '\n')
                ++*at;
        } else if (bytes && is_space(code)) {
            new_line = new_line || code == '\n';
            *at += bytes;
        } else {
            break;
        }
    }
    return new_line;
}

static uint32_t name_end(const Source *source, uint32_t at)
{
    for (;;) {
        uint32_t bytes;
        uint32_t code = at < source->length ? code_at(source, at, &bytes) : 0;
        const char *english;
        bool belongs = greek_is_letter(code, &english) || (code >= '0' && code <= '9') ||
                       code == '_' || (code >= 0x2080 && code <= 0x2089);
        if (!belongs)
            return at;
        at += bytes;
    }
}

static uint32_t digits_end(const Source *source, uint32_t at)
{
    while (is_digit(source, at))
        at++;
    return at;
}

static uint32_t number_end(const Source *source, uint32_t at)
{
    at = digits_end(source, at);
    if (at < source->length && source->at[at] == '.' && is_digit(source, at + 1))
        at = digits_end(source, at + 1);
    if (at < source->length && (source->at[at] == 'e' || source->at[at] == 'E')) {
        uint32_t exponent = at + 1;
        if (exponent < source->length &&
            (source->at[exponent] == '+' || source->at[exponent] == '-'))
            exponent++;
        if (is_digit(source, exponent))
            at = digits_end(source, exponent);
    }
    return at;
}

// Digits above the line, with a ⁻ before them or without; empty where there are none.
static uint32_t raised_end(const Source *source, uint32_t start)
{
    uint32_t bytes, at = start, end = start;
    if (code_at(source, at, &bytes) == 0x207B)
        at += bytes;
    while (at < source->length && greek_raised_digit(code_at(source, at, &bytes)) >= 0)
        end = at += bytes;
    return end;
}

static Token string_token(const Source *source, uint32_t start)
{
    uint32_t at = start + 1;
    while (at < source->length && source->at[at] != '"' && source->at[at] != '\n')
        at++;
    bool closed = at < source->length && source->at[at] == '"';
    return (Token){closed ? TOKEN_STRING : TOKEN_UNCLOSED, false, start,
                   at + (closed ? 1 : 0) - start};
}

// Signs of one character, and those of other keyboards that mean the same.
static TokenKind sign_kind(uint32_t code)
{
    switch (code) {
    case '(': return TOKEN_OPEN;
    case ')': return TOKEN_CLOSE;
    case '[': return TOKEN_OPEN_SQUARE;
    case ']': return TOKEN_CLOSE_SQUARE;
    case '{': return TOKEN_OPEN_BRACE;
    case '}': return TOKEN_CLOSE_BRACE;
    case ',': return TOKEN_COMMA;
    case ';': return TOKEN_SEMICOLON;
    case ':': return TOKEN_COLON;
    case '=': return TOKEN_EQUAL;
    case '+': return TOKEN_PLUS;
    case '-':
    case 0x2212: return TOKEN_MINUS;
    case '*':
    case 0xB7:
    case 0x22C5: return TOKEN_TIMES;
    case '/': return TOKEN_OVER;
    case '^': return TOKEN_POWER;
    case '\'':
    case 0x2032: return TOKEN_PRIME;
    case 0x2033: return TOKEN_DOUBLE_PRIME;
    case '.': return TOKEN_DOT;
    case 0xB1: return TOKEN_INTERVAL;
    case 0x2264: return TOKEN_AT_MOST;
    case 0x2265: return TOKEN_AT_LEAST;
    default: return TOKEN_STRANGE;
    }
}

static Token sign_token(const Source *source, uint32_t start, uint32_t code, uint32_t bytes)
{
    char next = '\0';
    if (start + 1 < source->length)
        next = source->at[start + 1];
    if (code == '<' && next == '=')
        return (Token){TOKEN_AT_MOST, false, start, 2};
    if (code == '>' && next == '=')
        return (Token){TOKEN_AT_LEAST, false, start, 2};
    if (code == '.' && next == '.') {
        bool third = start + 2 < source->length && source->at[start + 2] == '.';
        return (Token){third ? TOKEN_STRANGE : TOKEN_DOTS, false, start, third ? 3 : 2};
    }
    if (code == '+' && next == '/' && start + 2 < source->length && source->at[start + 2] == '-')
        return (Token){TOKEN_INTERVAL, false, start, 3};
    if ((code == '=' || code == '!') && next == '=')
        return (Token){TOKEN_STRANGE, false, start, 2};
    return (Token){sign_kind(code), false, start, bytes};
}

Token lexer_next(const Source *source, uint32_t *at)
{
    bool first_on_line = skip_space(source, at);
    uint32_t start = *at, bytes;
    Token token = {TOKEN_END, first_on_line, start, 0};
    if (start < source->length) {
        uint32_t code = code_at(source, start, &bytes);
        const char *english;
        if (greek_is_letter(code, &english))
            token = (Token){TOKEN_NAME, false, start, name_end(source, start) - start};
        else if (code >= '0' && code <= '9')
            token = (Token){TOKEN_NUMBER, false, start, number_end(source, start) - start};
        else if (code == '"')
            token = string_token(source, start);
        else if (code > 0x7F && raised_end(source, start) > start)
            token = (Token){TOKEN_RAISED, false, start, raised_end(source, start) - start};
        else
            token = sign_token(source, start, code, bytes ? bytes : 1);
        token.first_on_line = first_on_line;
    }
    *at = token.start + token.length;
    return token;
}

// ---- What a strange character was meant to be.

typedef struct {
    const char *character, *advice;
} Strange;

static const Strange strangers[] = {
    {"==", "an equation is written with one '='"},
    {"!=", "a condition is written with '=', '<=' or '>='"},
    {"<", "a one-sided condition is written with '<='"},
    {">", "a one-sided condition is written with '>='"},
    {"⁻", "digits follow a raised minus, as in x⁻¹"},
    {"×", "write '*' for '×', or cross(u, v) for vectors"},
    {"÷", "write '/' for '÷'"},
    {"√", "write sqrt(…) for '√'"},
    {"½", "write '1/2' for '½'"},
    {"–", "this dash is no minus sign; write '-'"},
    {"—", "this dash is no minus sign; write '-'"},
    {"’", "this quotation mark is no prime; write \"'\""},
    {"‘", "this quotation mark is no prime; write \"'\""},
    {"´", "this accent is no prime; write \"'\""},
    {"`", "this accent is no prime; write \"'\""},
    {"“", "a title stands between straight quotes, \"…\""},
    {"”", "a title stands between straight quotes, \"…\""},
    {"...", "a range is written with two points, 1..N"},
    {"…", "a range is written with two points, 1..N"},
    {"|", "write abs(e) for an absolute value, norm(v) for a length"},
    {"\\", "a statement goes on by itself behind an operator or a comma; '\\' is not needed"},
    {"_", "a name begins with a letter, not with '_'"},
    {"%", "a comment begins with '#'"},
    {"∞", "there is no infinity in the language"},
    {"∂", "partial derivatives are not written in a model; the program takes them"},
    {"∫", "integrals are not part of the language"},
    {"∑", "a sum is written sum(i in 1..N, …)"},
};

void lexer_explain_strange(Str character, Text *out)
{
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (str_is(character, strangers[i].character)) {
            text_add(out, strangers[i].advice);
            return;
        }
    uint32_t bytes;
    uint32_t code = str_decode(character, &bytes);
    text_add(out, "'");
    text_add_str(out, character);
    text_add(out, "' is not part of the language");
    if (code >= 0xC0 && code < 0x2000)
        text_add(out, "; a name is made of Latin and Greek letters, digits and '_'");
}
