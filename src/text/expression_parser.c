// expression_parser.c: expressions by operator precedence on an explicit stack, so that depth costs
// memory and no recursion.
//
// A frame is something open: a sign, a power, a product, a sum, or a bracket of some kind
// (expression_brackets.c). The parser either wants an operand or has one. An operator first closes
// the frames that bind tighter; a bracket's end closes everything inside it.
#include "text/expression_impl.h"

// ---- Binary operators.

static State take_operator(Builder *builder, FrameKind kind, bool inverse)
{
    builder_reduce(builder, (FrameKind)(kind - 1));
    if (builder_top(builder)->kind == kind) {
        builder->have.inverse = builder_top(builder)->inverse;
        builder_push(builder);
    } else {
        if (builder_open(builder, kind, 0, builder->have.start) == STATE_FAILED)
            return STATE_FAILED;
        builder_push(builder);
    }
    builder_top(builder)->inverse = inverse;
    parser_advance(builder->parser);
    return STATE_WANT;
}

static State take_power(Builder *builder)
{
    if (builder_open(builder, FRAME_POWER, 0, builder->have.start) == STATE_FAILED)
        return STATE_FAILED;
    builder_push(builder);
    parser_advance(builder->parser);
    return STATE_WANT;
}

// ---- Names.

static bool begins_operand(TokenKind kind)
{
    return kind == TOKEN_NAME || kind == TOKEN_NUMBER || kind == TOKEN_OPEN ||
           kind == TOKEN_OPEN_SQUARE;
}

// T⁺, or T+ with no term behind the sign: the kinetic energy with the conditions in it.
static bool is_reduced_energy(const Parser *parser, Token name, Token sign)
{
    uint32_t after = sign.start + sign.length;
    if (!parser->equation || !parser_is(parser, name, "T") ||
        sign.start != name.start + name.length)
        return false;
    Token next = lexer_next(parser->source, &after);
    bool ends = next.first_on_line || !begins_operand(next.kind);
    return str_is(parser_text(parser, sign), "⁺") || (sign.kind == TOKEN_PLUS && ends);
}

// Goes on behind a name, which grows by the sign of T+.
static uint32_t take_word(Parser *parser, Token *name)
{
    Token sign = parser_peek(parser);
    bool reduced = is_reduced_energy(parser, *name, sign);
    uint32_t index =
        reduced ? syntax_intern(parser->syntax, str_of("T+")) : parser_intern(parser, *name);
    if (reduced) {
        name->length += sign.length;
        parser_advance(parser);
    }
    parser_advance(parser);
    return index;
}

// ---- What can stand behind an operand and belongs to it alone.

static State take_primes(Builder *builder)
{
    Parser *parser = builder->parser;
    uint32_t primes = 0;
    Operand operand = builder->have;
    while (parser->token.kind == TOKEN_PRIME || parser->token.kind == TOKEN_DOUBLE_PRIME) {
        if (parser_at_end(parser))
            break;
        primes += parser->token.kind == TOKEN_PRIME ? 1 : 2;
        operand.end = parser->token.start + parser->token.length;
        parser_advance(parser);
    }
    uint32_t base = (uint32_t)builder->operands.count;
    builder_push(builder);
    Node node = {.kind = NODE_PRIME, .primes = primes};
    builder_parent(builder, node, base, operand.start, operand.end);
    return STATE_HAVE;
}

// x² and x⁻¹, as equations are printed.
static State take_raised(Builder *builder)
{
    Parser *parser = builder->parser;
    Token token = parser->token, digits = token;
    uint32_t start = builder->have.start, base = (uint32_t)builder->operands.count;
    uint32_t first_bytes;
    bool minus = greek_raised_digit(str_decode(parser_text(parser, token), &first_bytes)) < 0;
    if (minus)
        digits.start += first_bytes, digits.length -= first_bytes;
    builder_push(builder);
    builder_leaf(builder, NODE_NUMBER, parser_intern(parser, digits), token);
    builder_push(builder);
    if (minus) {
        builder_parent(builder, (Node){.kind = NODE_NEGATIVE}, base + 1, token.start,
                       token.start + token.length);
        builder_push(builder);
    }
    builder_parent(builder, (Node){.kind = NODE_POWER}, base, start, token.start + token.length);
    parser_advance(parser);
    return STATE_HAVE;
}

static State take_member(Builder *builder)
{
    Parser *parser = builder->parser;
    parser_advance(parser);
    if (parser->token.kind != TOKEN_NAME || parser_at_end(parser)) {
        parser_fail_expected(parser, "the name of a member");
        return STATE_FAILED;
    }
    Token name = parser->token;
    Node node = {.kind = NODE_MEMBER, .name = take_word(parser, &name)};
    uint32_t base = (uint32_t)builder->operands.count;
    builder_push(builder);
    builder_parent(builder, node, base, builder->have.start, name.start + name.length);
    return STATE_HAVE;
}

static State take_index(Builder *builder)
{
    Parser *parser = builder->parser;
    NodeKind kind = builder->syntax->nodes.at[builder->have.node].kind;
    bool whole = parser->last.kind == TOKEN_NAME;
    if ((kind != NODE_NAME && kind != NODE_MEMBER) || !whole) {
        parser_fail(parser, parser_place(parser, parser->token),
                    "only a name can have an index; a component is written v.x, v.y or v.z");
        return STATE_FAILED;
    }
    if (builder_open(builder, FRAME_INDEX, 0, parser->token.start) == STATE_FAILED)
        return STATE_FAILED;
    builder_push(builder);
    parser_advance(parser);
    return STATE_WANT;
}

static State take_in(Builder *builder)
{
    if (builder_open(builder, FRAME_IN, 0, builder->have.start) == STATE_FAILED)
        return STATE_FAILED;
    builder_push(builder);
    parser_advance(builder->parser);
    if (builder->parser->token.kind == TOKEN_NAME && !parser_at_end(builder->parser))
        return STATE_WANT;
    parser_fail_expected(builder->parser, "the name of a frame");
    return STATE_FAILED;
}

// `in upper.frame`, `in front.F`; but `[a, b, c] in F.x` is a component.
static bool in_goes_on(const Parser *parser)
{
    Token next = parser_peek(parser);
    return parser->token.kind == TOKEN_DOT && next.kind == TOKEN_NAME && !parser_at_end(parser) &&
           !parser_is(parser, next, "x") && !parser_is(parser, next, "y") &&
           !parser_is(parser, next, "z");
}

// 0.5 m, (1/2) m. It belongs to the number before it; a divisor and an exponent have none.
static State take_unit(Builder *builder)
{
    Parser *parser = builder->parser;
    const Frame *top = builder_top(builder);
    Operand number = builder->have;
    Token unit = parser_take_unit(parser);
    bool divides = top->kind == FRAME_PRODUCT && top->inverse;
    Shown what = text_shown(parser_text(parser, unit));
    if (divides || top->kind == FRAME_POWER) {
        Token digits = {.start = number.start, .length = number.end - number.start};
        Shown text = text_shown(parser_text(parser, digits));
        parser_fail(parser, parser_place(parser, unit),
                    divides ? "'%s' stands behind a divisor, '/%s %s'; write (…/%s) %s for the "
                              "quotient, or …/(%s %s)"
                            : "'%s' stands behind an exponent, '^%s %s'; write (…^%s) %s",
                    what.at, text.at, what.at, text.at, what.at, text.at, what.at);
        return STATE_FAILED;
    }
    uint32_t base = (uint32_t)builder->operands.count;
    builder_push(builder);
    Node node = {.kind = NODE_UNIT,
                 .name = syntax_intern(parser->syntax, parser_text(parser, unit))};
    builder_parent(builder, node, base, number.start, unit.start + unit.length);
    return STATE_HAVE;
}

// ---- The two states.

static bool is_vector(Builder *builder)
{
    return builder->syntax->nodes.at[builder->have.node].kind == NODE_VECTOR &&
           builder->parser->last.kind == TOKEN_CLOSE_SQUARE;
}

// Whether `[` behind a blank is no index here: `draw line P [1, 0, 0]`.
static bool next_value(const Parser *parser)
{
    return parser->apart && parser->open == 0 &&
           parser->token.start > parser->last.start + parser->last.length;
}

static State have_operand(Builder *builder)
{
    Parser *parser = builder->parser;
    bool ended = parser_at_end(parser);
    TokenKind kind = parser->token.kind;
    if (kind == TOKEN_OPEN_SQUARE && !ended && !next_value(parser))
        return take_index(builder);
    if (builder_top(builder)->kind == FRAME_IN && in_goes_on(parser))
        return take_member(builder);
    // `in F` is complete with a name, its members and its index.
    if (builder_top(builder)->kind == FRAME_IN) {
        builder_reduce_top(builder);
        return STATE_HAVE;
    }
    if (ended)
        return bracket_step(builder);
    if (parser_at_unit(parser))
        return take_unit(builder);
    if (is_vector(builder) && parser_is(parser, parser->token, "in"))
        return take_in(builder);
    switch (kind) {
    case TOKEN_PRIME:
    case TOKEN_DOUBLE_PRIME: return take_primes(builder);
    case TOKEN_DOT: return take_member(builder);
    case TOKEN_RAISED: return take_raised(builder);
    case TOKEN_POWER: return take_power(builder);
    case TOKEN_TIMES: return take_operator(builder, FRAME_PRODUCT, false);
    case TOKEN_OVER: return take_operator(builder, FRAME_PRODUCT, true);
    case TOKEN_PLUS: return take_operator(builder, FRAME_SUM, false);
    case TOKEN_MINUS: return take_operator(builder, FRAME_SUM, true);
    case TOKEN_INTERVAL:
        if (!parser->intervals || parser->open > 0) {
            parser_fail(parser, parser_place(parser, parser->token),
                        "'%s' stands in the value of a parameter or a start",
                        text_shown(parser_text(parser, parser->token)).at);
            return STATE_FAILED;
        }
        return bracket_step(builder);
    default: return bracket_step(builder);
    }
}

static State fail_operand(Builder *builder)
{
    Parser *parser = builder->parser;
    Token token = parser->token, last = parser->last;
    Token next = parser_peek(parser);
    bool bracket = parser->open > 0;
    if (bracket && (parser_at_end(parser) || parser_at_statement(parser))) {
        while (builder_top(builder)->kind < FRAME_ROOT)
            builder->frames.count--;
        return bracket_fail(builder);
    }
    if (token.kind == TOKEN_TIMES && last.kind == TOKEN_TIMES)
        parser_fail(parser, parser_place(parser, token), "a power is written with '^', not '**'");
    else if (token.kind == TOKEN_OVER && last.kind == TOKEN_OVER)
        parser_fail(parser, parser_place(parser, token), "a comment begins with '#', not '//'");
    else if (token.kind == TOKEN_DOT && next.kind == TOKEN_NUMBER && !next.first_on_line)
        parser_fail(parser, parser_place(parser, token), "a number begins with a digit; write 0.%s",
                    text_shown(parser_text(parser, next)).at);
    else
        parser_fail_expected(parser, "an expression");
    return STATE_FAILED;
}

static State want_name(Builder *builder)
{
    Parser *parser = builder->parser;
    Str text = parser_text(parser, parser->token);
    bool value = str_is(text, "t") || str_is(text, "world") || str_is(text, "origin");
    if (parser_at_statement(parser) || (text_is_reserved(text) && !value && !str_is(text, "pi")))
        return fail_operand(builder);
    if (!value && bracket_is_call(parser))
        return bracket_open_call(builder);
    Token name = parser->token;
    uint32_t index = take_word(parser, &name);
    builder_leaf(builder, NODE_NAME, index, name);
    return STATE_HAVE;
}

// Behind an operator, a comma or a bracket a new line does not matter; behind a word it does.
static bool line_broken(const Parser *parser)
{
    return parser->open == 0 && parser->token.first_on_line && parser->last.kind == TOKEN_NAME;
}

static State want_operand(Builder *builder)
{
    Parser *parser = builder->parser;
    Token token = parser->token;
    if (line_broken(parser))
        return fail_operand(builder);
    switch (token.kind) {
    case TOKEN_NUMBER:
        builder_leaf(builder, NODE_NUMBER, parser_intern(parser, token), token);
        parser_advance(parser);
        return STATE_HAVE;
    case TOKEN_NAME: return want_name(builder);
    case TOKEN_PLUS:
    case TOKEN_MINUS:
        if (builder_open(builder, FRAME_SIGN, 0, token.start) == STATE_FAILED)
            return STATE_FAILED;
        builder_top(builder)->inverse = token.kind == TOKEN_MINUS;
        parser_advance(parser);
        return STATE_WANT;
    case TOKEN_OPEN:
        if (builder_open(builder, FRAME_ROUND, 0, token.start) == STATE_FAILED)
            return STATE_FAILED;
        parser_advance(parser);
        return STATE_WANT;
    case TOKEN_OPEN_SQUARE:
        if (builder_open(builder, FRAME_VECTOR, 0, token.start) == STATE_FAILED)
            return STATE_FAILED;
        builder->have = (Operand){0, token.start, token.start, false};
        builder_push(builder);
        parser_advance(parser);
        return STATE_WANT;
    default: return fail_operand(builder);
    }
}

bool parse_expression(Parser *parser, Span *span)
{
    Builder builder = {.parser = parser, .syntax = parser->syntax};
    span->first = (uint32_t)parser->syntax->nodes.count;
    array_push(&builder.frames, (Frame){.kind = FRAME_ROOT});
    State state = STATE_WANT;
    while (state == STATE_WANT || state == STATE_HAVE)
        state = state == STATE_WANT ? want_operand(&builder) : have_operand(&builder);
    span->root = builder.have.node;
    array_clear(&builder.frames);
    array_clear(&builder.operands);
    return state == STATE_DONE;
}

bool parse_part(Parser *parser, PartRole role)
{
    uint32_t start = parser->token.start;
    Span span;
    if (!parse_expression(parser, &span))
        return false;
    uint32_t end = parser->last.start + parser->last.length;
    syntax_add_part(parser->syntax, role, span, start, end - start);
    return true;
}
