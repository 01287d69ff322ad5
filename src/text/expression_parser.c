// expression_parser.c: expressions by operator precedence on an explicit stack, so that depth costs
// memory and no recursion.
//
// A frame is something open: a sign, a power, a product, a sum, or a bracket of some kind.
// The parser either wants an operand or has one. An operator first closes the frames that
// bind tighter; a bracket's end closes everything inside it.
#include "text/text_impl.h"

typedef enum {
    FRAME_SIGN,
    FRAME_POWER,
    FRAME_PRODUCT,
    FRAME_SUM,
    FRAME_IN, // [a, b, c] in …
    FRAME_ROOT,
    FRAME_ROUND,  // ( … )
    FRAME_CALL,   // name( … )
    FRAME_INDEX,  // name[ … ]
    FRAME_VECTOR, // [ … ]
    FRAME_TOTAL   // sum( … )
} FrameKind;

typedef enum { STAGE_FIRST, STAGE_SECOND, STAGE_TERM } FrameStage;

typedef struct {
    FrameKind kind;
    FrameStage stage; // behind `on` or `..` a call or an index is in its second stage;
                      // a total reads low, then high, and at last its term
    bool inverse;     // the operand to come is subtracted, divided by, negated
    uint32_t name;    // of a call, or of a total's variable
    uint32_t second;  // of a total: the second variable of pairs, where `pairs`
    bool pairs;
    uint32_t primes; // of a call f''(…)
    uint32_t by;     // of a call U'[1,2](…): how many numbers there are
    uint32_t start;  // where its first character stands
    uint32_t base;   // its first operand on the stack
} Frame;

typedef struct {
    uint32_t node, start, end;
    bool inverse;
} Operand;

typedef enum { STATE_WANT, STATE_HAVE, STATE_DONE, STATE_FAILED } State;

typedef struct {
    Parser *parser;
    Syntax *syntax;
    ARRAY(Frame) frames;
    ARRAY(Operand) operands;
    Operand have; // the newest operand; it is not on the stack
} Builder;

static Frame *top(Builder *builder)
{
    return &builder->frames.at[builder->frames.count - 1];
}

// ---- Frames and nodes.

static State open_frame(Builder *builder, FrameKind kind, uint32_t name, uint32_t start)
{
    Parser *parser = builder->parser;
    if (builder->frames.count >= TEXT_MOST_OPEN) {
        parser_fail(parser, parser_place(parser, parser->token),
                    "this expression is nested deeper than %d levels", TEXT_MOST_OPEN);
        return STATE_FAILED;
    }
    Frame frame = {.kind = kind, .name = name, .start = start};
    frame.base = (uint32_t)builder->operands.count;
    array_push(&builder->frames, frame);
    if (kind > FRAME_ROOT)
        parser->open++;
    return STATE_WANT;
}

static void close_frame(Builder *builder)
{
    if (top(builder)->kind > FRAME_ROOT)
        builder->parser->open--;
    builder->frames.count--;
}

static void have_leaf(Builder *builder, NodeKind kind, uint32_t name, Token token)
{
    Node node = {.kind = kind, .name = name, .start = token.start, .length = token.length};
    uint32_t end = token.start + token.length;
    builder->have = (Operand){syntax_add_node(builder->syntax, node), token.start, end, false};
}

static void push_have(Builder *builder)
{
    array_push(&builder->operands, builder->have);
}

// Makes a node whose children are the operands from `base` on; it becomes the newest operand.
static void have_parent(Builder *builder, Node node, uint32_t base, uint32_t start, uint32_t end)
{
    Syntax *syntax = builder->syntax;
    node.first = (uint32_t)syntax->children.count;
    node.count = (uint32_t)(builder->operands.count - base);
    node.start = start;
    node.length = end - start;
    for (size_t i = base; i < builder->operands.count; i++) {
        Operand operand = builder->operands.at[i];
        array_push(&syntax->children, ((Child){operand.node, operand.inverse}));
    }
    builder->operands.count = base;
    builder->have = (Operand){syntax_add_node(syntax, node), start, end, false};
}

// Closes the topmost sign, power, product, sum or `in`.
static void reduce_top(Builder *builder)
{
    static const NodeKind kinds[] = {[FRAME_SIGN] = NODE_NEGATIVE,
                                     [FRAME_POWER] = NODE_POWER,
                                     [FRAME_PRODUCT] = NODE_PRODUCT,
                                     [FRAME_SUM] = NODE_SUM,
                                     [FRAME_IN] = NODE_IN};
    Frame frame = *top(builder);
    close_frame(builder);
    if (frame.kind == FRAME_SIGN && !frame.inverse) {
        builder->have.start = frame.start;
        return;
    }
    builder->have.inverse = frame.inverse && frame.kind != FRAME_SIGN;
    push_have(builder);
    uint32_t start = frame.start, end = builder->have.end;
    have_parent(builder, (Node){.kind = kinds[frame.kind]}, frame.base, start, end);
}

static void reduce(Builder *builder, FrameKind loosest)
{
    while (top(builder)->kind <= loosest)
        reduce_top(builder);
}

// ---- Binary operators.

static State take_operator(Builder *builder, FrameKind kind, bool inverse)
{
    reduce(builder, (FrameKind)(kind - 1));
    if (top(builder)->kind == kind) {
        builder->have.inverse = top(builder)->inverse;
        push_have(builder);
    } else {
        if (open_frame(builder, kind, 0, builder->have.start) == STATE_FAILED)
            return STATE_FAILED;
        push_have(builder);
    }
    top(builder)->inverse = inverse;
    parser_advance(builder->parser);
    return STATE_WANT;
}

static State take_power(Builder *builder)
{
    if (open_frame(builder, FRAME_POWER, 0, builder->have.start) == STATE_FAILED)
        return STATE_FAILED;
    push_have(builder);
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
    push_have(builder);
    Node node = {.kind = NODE_PRIME, .primes = primes};
    have_parent(builder, node, base, operand.start, operand.end);
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
    push_have(builder);
    have_leaf(builder, NODE_NUMBER, parser_intern(parser, digits), token);
    push_have(builder);
    if (minus) {
        have_parent(builder, (Node){.kind = NODE_NEGATIVE}, base + 1, token.start,
                    token.start + token.length);
        push_have(builder);
    }
    have_parent(builder, (Node){.kind = NODE_POWER}, base, start, token.start + token.length);
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
    push_have(builder);
    have_parent(builder, node, base, builder->have.start, name.start + name.length);
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
    if (open_frame(builder, FRAME_INDEX, 0, parser->token.start) == STATE_FAILED)
        return STATE_FAILED;
    push_have(builder);
    parser_advance(parser);
    return STATE_WANT;
}

static State take_in(Builder *builder)
{
    if (open_frame(builder, FRAME_IN, 0, builder->have.start) == STATE_FAILED)
        return STATE_FAILED;
    push_have(builder);
    parser_advance(builder->parser);
    if (builder->parser->token.kind == TOKEN_NAME && !parser_at_end(builder->parser))
        return STATE_WANT;
    parser_fail_expected(builder->parser, "the name of a frame");
    return STATE_FAILED;
}

// ---- Brackets.

// How many names stand here with commas between them and `in` behind the last; else 0.
static size_t count_variables(const Parser *parser)
{
    Parser ahead = *parser; // reads no further than its own copy
    for (size_t count = 1; ahead.token.kind == TOKEN_NAME; count++) {
        parser_advance(&ahead);
        if (parser_is(&ahead, ahead.token, "in"))
            return count;
        if (ahead.token.kind != TOKEN_COMMA)
            return 0;
        parser_advance(&ahead);
    }
    return 0;
}

// `i, j in pairs(` is read up to its range.
static State begin_pairs(Builder *builder, Token first, Token second)
{
    Parser *parser = builder->parser;
    top(builder)->pairs = true;
    top(builder)->second = parser_intern(parser, second);
    if (top(builder)->name == top(builder)->second) {
        parser_fail(parser, parser_place(parser, second),
                    "the two variables of pairs are different names");
        return STATE_FAILED;
    }
    top(builder)->start = first.start;
    parser_advance(parser);
    parser_advance(parser);
    parser->open++;
    return STATE_WANT;
}

// `sum(`: reads `i in` where it stands here and prepares for a range, else for the term.
static State begin_total_item(Builder *builder)
{
    Parser *parser = builder->parser;
    size_t variables = count_variables(parser);
    top(builder)->stage = variables > 0 ? STAGE_FIRST : STAGE_TERM;
    if (variables == 0)
        return STATE_WANT;
    Token first = parser->token, last = first;
    top(builder)->name = parser_intern(parser, first);
    top(builder)->start = first.start;
    top(builder)->pairs = false;
    for (size_t i = 0; i < variables; i++) {
        last = parser->token;
        parser_advance(parser);
        parser_advance(parser);
    }
    PairsMistake mistake = parser_check_pairs(parser, variables);
    if (mistake != PAIRS_GOOD) {
        parser_fail_pairs(parser, mistake, true);
        return STATE_FAILED;
    }
    return variables == 2 ? begin_pairs(builder, first, last) : STATE_WANT;
}

static bool is_prime(Token token)
{
    return token.kind == TOKEN_PRIME || token.kind == TOKEN_DOUBLE_PRIME;
}

// Whether a call begins here: f(…), f''(…) or U'[1,2](…).
static bool at_call(const Parser *parser)
{
    Parser ahead = *parser; // reads no further than its own copy
    bool primes = false, numbers = false;
    parser_advance(&ahead);
    for (; is_prime(ahead.token) && !parser_at_end(&ahead); primes = true)
        parser_advance(&ahead);
    if (primes && ahead.token.kind == TOKEN_OPEN_SQUARE && !parser_at_end(&ahead)) {
        do {
            parser_advance(&ahead);
            numbers = ahead.token.kind == TOKEN_NUMBER || ahead.token.kind == TOKEN_NAME;
            if (numbers)
                parser_advance(&ahead);
        } while (numbers && ahead.token.kind == TOKEN_COMMA);
        if (!numbers || ahead.token.kind != TOKEN_CLOSE_SQUARE)
            return false;
        parser_advance(&ahead);
    }
    return ahead.token.kind == TOKEN_OPEN && !parser_at_end(&ahead);
}

// Reads the primes of a call, and the numbers behind them as operands of its own; at_call has seen
// that they are there.
static void take_derivative(Builder *builder)
{
    Parser *parser = builder->parser;
    Frame *frame = top(builder);
    for (; is_prime(parser->token); parser_advance(parser))
        frame->primes += parser->token.kind == TOKEN_PRIME ? 1 : 2;
    if (parser->token.kind != TOKEN_OPEN_SQUARE)
        return;
    do {
        parser_advance(parser);
        Token token = parser->token;
        have_leaf(builder, token.kind == TOKEN_NUMBER ? NODE_NUMBER : NODE_NAME,
                  parser_intern(parser, token), token);
        push_have(builder);
        frame->by++;
        parser_advance(parser);
    } while (parser->token.kind == TOKEN_COMMA);
    parser_advance(parser);
}

// A call without arguments.
static State close_empty(Builder *builder)
{
    Parser *parser = builder->parser;
    Frame frame = *top(builder);
    uint32_t start = builder->operands.at[frame.base].start, end = parser->token.start + 1;
    Node node = {.kind = NODE_CALL, .name = frame.name, .primes = frame.primes, .by = frame.by};
    close_frame(builder);
    have_parent(builder, node, frame.base + 1, start, end);
    builder->operands.count = frame.base;
    parser_advance(parser);
    return STATE_HAVE;
}

static State open_call(Builder *builder)
{
    Parser *parser = builder->parser;
    Token name = parser->token;
    uint32_t index = parser_intern(parser, name);
    parser_advance(parser);
    Token round = parser->token;
    bool total = parser_is(parser, name, "sum") && round.kind == TOKEN_OPEN;
    FrameKind kind = total ? FRAME_TOTAL : FRAME_CALL;
    if (open_frame(builder, kind, index, total ? round.start : name.start) == STATE_FAILED)
        return STATE_FAILED;
    // The first operand of a bracket is a mark that remembers where it opened.
    builder->have = (Operand){0, name.start, round.start, false};
    push_have(builder);
    if (!total)
        take_derivative(builder);
    builder->operands.at[top(builder)->base].end = parser->token.start;
    parser_advance(parser);
    if (total) {
        State state = begin_total_item(builder);
        if (top(builder)->stage != STAGE_TERM)
            return state;
        parser_fail(parser, parser_place(parser, name),
                    "'sum' runs over a range; write sum(i in 1..N, …)");
        return STATE_FAILED;
    }
    return parser->token.kind == TOKEN_CLOSE ? close_empty(builder) : STATE_WANT;
}

// Joins the two operands of `P on B` or `a..b` once the second is there.
static void join_pair(Builder *builder, NodeKind kind)
{
    uint32_t base = (uint32_t)builder->operands.count - 1;
    uint32_t start = builder->operands.at[base].start, end = builder->have.end;
    push_have(builder);
    have_parent(builder, (Node){.kind = kind}, base, start, end);
}

static State begin_pair(Builder *builder)
{
    push_have(builder);
    top(builder)->stage = STAGE_SECOND;
    parser_advance(builder->parser);
    return STATE_WANT;
}

// `low..high,` of a sum is complete: its EACH node opens a loop in the list of nodes; with pairs
// another one inside it, to the same end.
static State close_each(Builder *builder)
{
    Frame *frame = top(builder);
    uint32_t base = (uint32_t)builder->operands.count - 1;
    Node node = {.kind = NODE_EACH, .name = frame->name};
    Operand high = builder->have;
    push_have(builder);
    have_parent(builder, node, base, frame->start, high.end);
    push_have(builder);
    if (frame->pairs) {
        node.name = frame->second;
        array_push(&builder->operands, high);
        have_parent(builder, node, base + 1, frame->start, high.end);
        push_have(builder);
    }
    parser_advance(builder->parser);
    return begin_total_item(builder);
}

// The `)` behind the range of pairs; a comma follows.
static State close_pairs(Builder *builder)
{
    Parser *parser = builder->parser;
    parser->open--;
    parser_advance(parser);
    if (parser->token.kind == TOKEN_COMMA)
        return close_each(builder);
    parser_fail_expected(parser, "a comma with the term of the sum");
    return STATE_FAILED;
}

static State close_total(Builder *builder)
{
    Parser *parser = builder->parser;
    Frame frame = *top(builder);
    uint32_t end = parser->token.start + parser->token.length;
    uint32_t start = builder->operands.at[frame.base].start;
    close_frame(builder);
    push_have(builder);
    have_parent(builder, (Node){.kind = NODE_TOTAL}, frame.base + 1, start, end);
    builder->operands.count = frame.base;
    const Node *total = &builder->syntax->nodes.at[builder->have.node];
    const Child *children = syntax_children(builder->syntax, total);
    for (uint32_t i = 0; i + 1 < total->count; i++)
        builder->syntax->nodes.at[children[i].node].total = builder->have.node;
    parser_advance(parser);
    return STATE_HAVE;
}

static State close_round(Builder *builder)
{
    Parser *parser = builder->parser;
    builder->have.start = top(builder)->start;
    builder->have.end = parser->token.start + parser->token.length;
    close_frame(builder);
    parser_advance(parser);
    return STATE_HAVE;
}

static State close_list(Builder *builder)
{
    Parser *parser = builder->parser;
    Frame frame = *top(builder);
    Operand mark = builder->operands.at[frame.base];
    uint32_t end = parser->token.start + parser->token.length;
    close_frame(builder);
    push_have(builder);
    if (frame.kind == FRAME_INDEX) {
        have_parent(builder, (Node){.kind = NODE_INDEX}, frame.base, mark.start, end);
    } else {
        Node node = {.kind = frame.kind == FRAME_CALL ? NODE_CALL : NODE_VECTOR};
        node.name = frame.name;
        node.primes = frame.primes;
        node.by = frame.by;
        have_parent(builder, node, frame.base + 1, mark.start, end);
        builder->operands.count = frame.base;
    }
    parser_advance(parser);
    return STATE_HAVE;
}

// ---- What is wrong with a bracket.

static Place bracket_place(Builder *builder)
{
    const Frame *frame = top(builder);
    uint32_t start = frame->start;
    if (frame->kind == FRAME_CALL || frame->kind == FRAME_TOTAL)
        start = builder->operands.at[frame->base].end;
    return place_at(builder->parser->source, start, 1);
}

// Signs that never stand inside brackets.
static bool ends_bracket(TokenKind kind)
{
    return kind == TOKEN_END || kind == TOKEN_SEMICOLON || kind == TOKEN_OPEN_BRACE ||
           kind == TOKEN_CLOSE_BRACE || kind == TOKEN_EQUAL || kind == TOKEN_AT_MOST ||
           kind == TOKEN_AT_LEAST || kind == TOKEN_COLON;
}

static State fail_bracket(Builder *builder)
{
    Parser *parser = builder->parser;
    bool square = top(builder)->kind == FRAME_INDEX || top(builder)->kind == FRAME_VECTOR;
    const char *open = square ? "[" : "(", *close = square ? "]" : ")";
    Token token = parser->token;
    TokenKind kind = token.kind;
    Place place = bracket_place(builder);
    if (kind == TOKEN_CLOSE || kind == TOKEN_CLOSE_SQUARE)
        parser_fail(parser, parser_place(parser, token), "'%s' is closed by '%s', not by '%s'",
                    open, close, square ? ")" : "]");
    else if (kind == TOKEN_COMMA && top(builder)->kind == FRAME_ROUND)
        parser_fail(parser, parser_place(parser, token),
                    "a comma cannot stand in '(…)'; a vector is written [a, b, c]");
    else if (kind == TOKEN_COMMA || kind == TOKEN_DOTS)
        parser_fail_unexpected(parser, NULL);
    else if (parser_at_word(parser) || ends_bracket(kind) ||
             (parser->equation && token.first_on_line)) {
        parser_fail(parser, place, "this '%s' is not closed; a '%s' is missing", open, close);
        parser->open = 0;
    } else
        parser_fail_unexpected(parser, NULL);
    return STATE_FAILED;
}

static State fail_total(Builder *builder)
{
    Parser *parser = builder->parser;
    if (top(builder)->stage == STAGE_FIRST && top(builder)->pairs)
        parser_fail_pairs(parser, PAIRS_NO_RANGE, true);
    else if (top(builder)->stage == STAGE_FIRST)
        parser_fail_expected(parser, "'..' with the last value of the range");
    else if (parser->token.kind == TOKEN_CLOSE)
        parser_fail_expected(parser, "a comma with the term of the sum");
    else
        return fail_bracket(builder);
    return STATE_FAILED;
}

// ---- One step inside each kind of bracket, with a complete operand before it.

static State step_total(Builder *builder)
{
    TokenKind kind = builder->parser->token.kind;
    FrameStage stage = top(builder)->stage;
    if (kind == TOKEN_DOTS && stage == STAGE_FIRST)
        return begin_pair(builder);
    if (kind == TOKEN_CLOSE && stage == STAGE_SECOND && top(builder)->pairs)
        return close_pairs(builder);
    if (kind == TOKEN_COMMA && stage == STAGE_SECOND && !top(builder)->pairs)
        return close_each(builder);
    if (kind == TOKEN_CLOSE && stage == STAGE_TERM)
        return close_total(builder);
    return stage == STAGE_TERM ? fail_bracket(builder) : fail_total(builder);
}

static State step_list(Builder *builder)
{
    Parser *parser = builder->parser;
    Frame *frame = top(builder);
    bool call = frame->kind == FRAME_CALL;
    TokenKind kind = parser->token.kind;
    bool first = frame->stage == STAGE_FIRST;
    if (first && call && parser_is(parser, parser->token, "on"))
        return begin_pair(builder);
    if (first && frame->kind == FRAME_INDEX && kind == TOKEN_DOTS)
        return begin_pair(builder);
    if (!first)
        join_pair(builder, call ? NODE_ON : NODE_RANGE);
    frame->stage = STAGE_FIRST;
    if (kind == TOKEN_COMMA) {
        push_have(builder);
        parser_advance(parser);
        return STATE_WANT;
    }
    if (kind == (call ? TOKEN_CLOSE : TOKEN_CLOSE_SQUARE))
        return close_list(builder);
    return fail_bracket(builder);
}

static State step_bracket(Builder *builder)
{
    reduce(builder, FRAME_SUM);
    switch (top(builder)->kind) {
    case FRAME_ROOT: return STATE_DONE;
    case FRAME_ROUND:
        return builder->parser->token.kind == TOKEN_CLOSE ? close_round(builder)
                                                          : fail_bracket(builder);
    case FRAME_TOTAL: return step_total(builder);
    default: return step_list(builder);
    }
}

// ---- The two states.

static bool is_vector(Builder *builder)
{
    return builder->syntax->nodes.at[builder->have.node].kind == NODE_VECTOR &&
           builder->parser->last.kind == TOKEN_CLOSE_SQUARE;
}

static State have_operand(Builder *builder)
{
    Parser *parser = builder->parser;
    bool ended = parser_at_end(parser);
    TokenKind kind = parser->token.kind;
    if (kind == TOKEN_OPEN_SQUARE && !ended)
        return take_index(builder);
    // `in F` is complete with a name and its index.
    if (top(builder)->kind == FRAME_IN) {
        reduce_top(builder);
        return STATE_HAVE;
    }
    if (ended)
        return step_bracket(builder);
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
    default: return step_bracket(builder);
    }
}

static State fail_operand(Builder *builder)
{
    Parser *parser = builder->parser;
    Token token = parser->token, last = parser->last;
    Token next = parser_peek(parser);
    bool bracket = parser->open > 0;
    if (bracket && (parser_at_end(parser) || parser_at_statement(parser))) {
        while (top(builder)->kind < FRAME_ROOT)
            builder->frames.count--;
        return fail_bracket(builder);
    }
    if (token.kind == TOKEN_TIMES && last.kind == TOKEN_TIMES)
        parser_fail(parser, parser_place(parser, token), "a power is written with '^', not '**'");
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
    if (!value && at_call(parser))
        return open_call(builder);
    Token name = parser->token;
    uint32_t index = take_word(parser, &name);
    have_leaf(builder, NODE_NAME, index, name);
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
        have_leaf(builder, NODE_NUMBER, parser_intern(parser, token), token);
        parser_advance(parser);
        return STATE_HAVE;
    case TOKEN_NAME: return want_name(builder);
    case TOKEN_PLUS:
    case TOKEN_MINUS:
        if (open_frame(builder, FRAME_SIGN, 0, token.start) == STATE_FAILED)
            return STATE_FAILED;
        top(builder)->inverse = token.kind == TOKEN_MINUS;
        parser_advance(parser);
        return STATE_WANT;
    case TOKEN_OPEN:
        if (open_frame(builder, FRAME_ROUND, 0, token.start) == STATE_FAILED)
            return STATE_FAILED;
        parser_advance(parser);
        return STATE_WANT;
    case TOKEN_OPEN_SQUARE:
        if (open_frame(builder, FRAME_VECTOR, 0, token.start) == STATE_FAILED)
            return STATE_FAILED;
        builder->have = (Operand){0, token.start, token.start, false};
        push_have(builder);
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
