// expression_brackets.c: the brackets of an expression: ( … ), [ … ], calls, indices and sums.
#include "text/expression_impl.h"

// ---- Beginnings.

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
    builder_top(builder)->pairs = true;
    builder_top(builder)->second = parser_intern(parser, second);
    if (builder_top(builder)->name == builder_top(builder)->second) {
        parser_fail(parser, parser_place(parser, second),
                    "the two variables of pairs are different names");
        return STATE_FAILED;
    }
    builder_top(builder)->start = first.start;
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
    builder_top(builder)->stage = variables > 0 ? STAGE_FIRST : STAGE_TERM;
    if (variables == 0)
        return STATE_WANT;
    Token first = parser->token, last = first;
    builder_top(builder)->name = parser_intern(parser, first);
    builder_top(builder)->start = first.start;
    builder_top(builder)->pairs = false;
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

bool bracket_is_call(const Parser *parser)
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
    Frame *frame = builder_top(builder);
    for (; is_prime(parser->token); parser_advance(parser))
        frame->primes += parser->token.kind == TOKEN_PRIME ? 1 : 2;
    if (parser->token.kind != TOKEN_OPEN_SQUARE)
        return;
    do {
        parser_advance(parser);
        Token token = parser->token;
        builder_leaf(builder, token.kind == TOKEN_NUMBER ? NODE_NUMBER : NODE_NAME,
                     parser_intern(parser, token), token);
        builder_push(builder);
        frame->by++;
        parser_advance(parser);
    } while (parser->token.kind == TOKEN_COMMA);
    parser_advance(parser);
}

// A call without arguments.
static State close_empty(Builder *builder)
{
    Parser *parser = builder->parser;
    Frame frame = *builder_top(builder);
    uint32_t start = builder->operands.at[frame.base].start, end = parser->token.start + 1;
    Node node = {.kind = NODE_CALL, .name = frame.name, .primes = frame.primes, .by = frame.by};
    builder_close(builder);
    builder_parent(builder, node, frame.base + 1, start, end);
    builder->operands.count = frame.base;
    parser_advance(parser);
    return STATE_HAVE;
}

State bracket_open_call(Builder *builder)
{
    Parser *parser = builder->parser;
    Token name = parser->token;
    uint32_t index = parser_intern(parser, name);
    parser_advance(parser);
    Token round = parser->token;
    bool total = parser_is(parser, name, "sum") && round.kind == TOKEN_OPEN;
    FrameKind kind = total ? FRAME_TOTAL : FRAME_CALL;
    if (builder_open(builder, kind, index, total ? round.start : name.start) == STATE_FAILED)
        return STATE_FAILED;
    // The first operand of a bracket is a mark that remembers where it opened.
    builder->have = (Operand){0, name.start, round.start, false};
    builder_push(builder);
    if (!total)
        take_derivative(builder);
    builder->operands.at[builder_top(builder)->base].end = parser->token.start;
    parser_advance(parser);
    if (total) {
        State state = begin_total_item(builder);
        if (builder_top(builder)->stage != STAGE_TERM)
            return state;
        parser_fail(parser, parser_place(parser, name),
                    "'sum' runs over a range; write sum(i in 1..N, …)");
        return STATE_FAILED;
    }
    return parser->token.kind == TOKEN_CLOSE ? close_empty(builder) : STATE_WANT;
}

// ---- Ends.

// Joins the two operands of `P on B` or `a..b` once the second is there.
static void join_pair(Builder *builder, NodeKind kind)
{
    uint32_t base = (uint32_t)builder->operands.count - 1;
    uint32_t start = builder->operands.at[base].start, end = builder->have.end;
    builder_push(builder);
    builder_parent(builder, (Node){.kind = kind}, base, start, end);
}

static State begin_pair(Builder *builder)
{
    builder_push(builder);
    builder_top(builder)->stage = STAGE_SECOND;
    parser_advance(builder->parser);
    return STATE_WANT;
}

// `low..high,` of a sum is complete: its EACH node opens a loop in the list of nodes; with pairs
// another one inside it, to the same end.
static State close_each(Builder *builder)
{
    Frame *frame = builder_top(builder);
    uint32_t base = (uint32_t)builder->operands.count - 1;
    Node node = {.kind = NODE_EACH, .name = frame->name};
    Operand high = builder->have;
    builder_push(builder);
    builder_parent(builder, node, base, frame->start, high.end);
    builder_push(builder);
    if (frame->pairs) {
        node.name = frame->second;
        array_push(&builder->operands, high);
        builder_parent(builder, node, base + 1, frame->start, high.end);
        builder_push(builder);
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
    Frame frame = *builder_top(builder);
    uint32_t end = parser->token.start + parser->token.length;
    uint32_t start = builder->operands.at[frame.base].start;
    builder_close(builder);
    builder_push(builder);
    builder_parent(builder, (Node){.kind = NODE_TOTAL}, frame.base + 1, start, end);
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
    builder->have.start = builder_top(builder)->start;
    builder->have.end = parser->token.start + parser->token.length;
    builder_close(builder);
    parser_advance(parser);
    return STATE_HAVE;
}

static State close_list(Builder *builder)
{
    Parser *parser = builder->parser;
    Frame frame = *builder_top(builder);
    Operand mark = builder->operands.at[frame.base];
    uint32_t end = parser->token.start + parser->token.length;
    builder_close(builder);
    builder_push(builder);
    if (frame.kind == FRAME_INDEX) {
        builder_parent(builder, (Node){.kind = NODE_INDEX}, frame.base, mark.start, end);
    } else {
        Node node = {.kind = frame.kind == FRAME_CALL ? NODE_CALL : NODE_VECTOR};
        node.name = frame.name;
        node.primes = frame.primes;
        node.by = frame.by;
        builder_parent(builder, node, frame.base + 1, mark.start, end);
        builder->operands.count = frame.base;
    }
    parser_advance(parser);
    return STATE_HAVE;
}

// ---- What is wrong with a bracket.

static Place bracket_place(Builder *builder)
{
    const Frame *frame = builder_top(builder);
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

State bracket_fail(Builder *builder)
{
    Parser *parser = builder->parser;
    bool square =
        builder_top(builder)->kind == FRAME_INDEX || builder_top(builder)->kind == FRAME_VECTOR;
    const char *open = square ? "[" : "(", *close = square ? "]" : ")";
    Token token = parser->token;
    TokenKind kind = token.kind;
    Place place = bracket_place(builder);
    if (kind == TOKEN_CLOSE || kind == TOKEN_CLOSE_SQUARE)
        parser_fail(parser, parser_place(parser, token), "'%s' is closed by '%s', not by '%s'",
                    open, close, square ? ")" : "]");
    else if (kind == TOKEN_COMMA && builder_top(builder)->kind == FRAME_ROUND)
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
    if (builder_top(builder)->stage == STAGE_FIRST && builder_top(builder)->pairs)
        parser_fail_pairs(parser, PAIRS_NO_RANGE, true);
    else if (builder_top(builder)->stage == STAGE_FIRST)
        parser_fail_expected(parser, "'..' with the last value of the range");
    else if (parser->token.kind == TOKEN_CLOSE)
        parser_fail_expected(parser, "a comma with the term of the sum");
    else
        return bracket_fail(builder);
    return STATE_FAILED;
}

// ---- One step inside each kind of bracket, with a complete operand before it.

static State step_total(Builder *builder)
{
    TokenKind kind = builder->parser->token.kind;
    FrameStage stage = builder_top(builder)->stage;
    if (kind == TOKEN_DOTS && stage == STAGE_FIRST)
        return begin_pair(builder);
    if (kind == TOKEN_CLOSE && stage == STAGE_SECOND && builder_top(builder)->pairs)
        return close_pairs(builder);
    if (kind == TOKEN_COMMA && stage == STAGE_SECOND && !builder_top(builder)->pairs)
        return close_each(builder);
    if (kind == TOKEN_CLOSE && stage == STAGE_TERM)
        return close_total(builder);
    return stage == STAGE_TERM ? bracket_fail(builder) : fail_total(builder);
}

static State step_list(Builder *builder)
{
    Parser *parser = builder->parser;
    Frame *frame = builder_top(builder);
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
        builder_push(builder);
        parser_advance(parser);
        return STATE_WANT;
    }
    if (kind == (call ? TOKEN_CLOSE : TOKEN_CLOSE_SQUARE))
        return close_list(builder);
    return bracket_fail(builder);
}

State bracket_step(Builder *builder)
{
    builder_reduce(builder, FRAME_SUM);
    switch (builder_top(builder)->kind) {
    case FRAME_ROOT: return STATE_DONE;
    case FRAME_ROUND:
        return builder->parser->token.kind == TOKEN_CLOSE ? close_round(builder)
                                                          : bracket_fail(builder);
    case FRAME_TOTAL: return step_total(builder);
    default: return step_list(builder);
    }
}
