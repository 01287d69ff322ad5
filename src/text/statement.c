// statement.c: the grammar of each statement behind its first word. Each function returns
// false where it has reported an error; the parts read so far stay.
#include "text/text_impl.h"

// ---- Small steps.

static bool next_is(const Parser *parser, TokenKind kind)
{
    return parser->token.kind == kind && !parser_at_end(parser);
}

static bool next_is_word(const Parser *parser, const char *word)
{
    return parser_is(parser, parser->token, word) && !parser_at_end(parser);
}

static bool take(Parser *parser, TokenKind kind)
{
    bool there = next_is(parser, kind);
    if (there)
        parser_advance(parser);
    return there;
}

static bool take_word(Parser *parser, const char *word)
{
    bool there = next_is_word(parser, word);
    if (there)
        parser_advance(parser);
    return there;
}

// `what` is a short phrase such as "'at' with a point".
static bool expect_word(Parser *parser, const char *word, const char *what)
{
    if (take_word(parser, word))
        return true;
    if (parser_at_end(parser))
        return parser_fail_expected(parser, what);
    return parser_fail_unexpected(parser, (const char *const[]){word, NULL});
}

static bool expect(Parser *parser, TokenKind kind, const char *what)
{
    return take(parser, kind) || parser_fail_expected(parser, what);
}

static const Part *last_part(const Parser *parser)
{
    return &parser->syntax->parts.at[parser->syntax->parts.count - 1];
}

// How a name may be written where it is made or set, each way more than the one before:
// NAME or NAME[…]; also names of parts, as a.NAME; one of these with primes; also NAME(NAME, …).
typedef enum { FORM_PLAIN, FORM_REFERENCE, FORM_PRIMED, FORM_SETTING } NameForm;

static bool is_name(const Syntax *syntax, uint32_t root, NameForm form)
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
static bool parse_name(Parser *parser, PartRole role, NameForm form)
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
    const Part *part = last_part(parser);
    if (form == FORM_SETTING && parser->syntax->nodes.at[part->span.root].kind == NODE_CALL)
        return check_head(parser, part);
    if (is_name(parser->syntax, part->span.root, form))
        return check_head(parser, part);
    Place place = syntax_part_place(parser->syntax, part);
    bool points = parser->syntax->nodes.at[part->span.root].kind == NODE_MEMBER;
    parser->syntax->parts.count--;
    parser_lose(parser, token);
    if (points && form == FORM_PLAIN)
        return parser_fail(parser, place,
                           "a name is made without a point; names with points are those of parts");
    return parser_fail(parser, place, "a name is expected here, not an expression");
}

// Behind an item of a list, with or without values: another one after a comma, or the end.
static bool list_goes_on(Parser *parser, bool values, bool *wrong)
{
    *wrong = false;
    if (take(parser, TOKEN_COMMA))
        return true;
    if (parser_at_end(parser) || parser->token.kind != TOKEN_NAME)
        return false;
    Token next = parser_peek(parser);
    bool item = next.kind == TOKEN_EQUAL || next.kind == TOKEN_COMMA || next.first_on_line ||
                next.kind == TOKEN_NAME || next.kind == TOKEN_END || next.kind == TOKEN_SEMICOLON;
    if (values)
        item = next.kind == TOKEN_EQUAL;
    if (!item)
        return false;
    *wrong = true;
    parser_fail(parser, parser_place(parser, parser->token), "a comma is missing before '%s'",
                text_shown(parser_text(parser, parser->token)).at);
    return false;
}

// ---- Lists of definitions.

static bool parse_equations(Parser *parser, PartRole role, NameForm form, bool value_needed)
{
    bool wrong;
    do {
        if (!parse_name(parser, role, form))
            return false;
        if (value_needed || next_is(parser, TOKEN_EQUAL))
            if (!expect(parser, TOKEN_EQUAL, "'=' with a value") || !parse_part(parser, PART_VALUE))
                return false;
    } while (list_goes_on(parser, true, &wrong));
    return !wrong;
}

static bool parse_definitions(Parser *parser, StatementKind kind)
{
    return parse_equations(parser, kind == STATEMENT_OUTPUT ? PART_LABEL : PART_NAME, FORM_PLAIN,
                           true);
}

static bool parse_parameters(Parser *parser, StatementKind kind)
{
    (void)kind;
    return parse_equations(parser, PART_NAME, FORM_PLAIN, false);
}

static bool parse_names(Parser *parser, NameForm form)
{
    bool wrong;
    do
        if (!parse_name(parser, PART_NAME, form))
            return false;
    while (list_goes_on(parser, false, &wrong));
    return !wrong;
}

static bool parse_coordinates(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (!parse_names(parser, FORM_PLAIN))
        return false;
    if (next_is(parser, TOKEN_EQUAL))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "a coordinate has no value here; its start is given with 'initial'");
    if (next_is(parser, TOKEN_PRIME) || next_is(parser, TOKEN_DOUBLE_PRIME))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "a coordinate is declared without its derivatives");
    return true;
}

static bool parse_independent(Parser *parser, StatementKind kind)
{
    (void)kind;
    return parse_names(parser, FORM_REFERENCE);
}

static bool parse_assignments(Parser *parser)
{
    return parse_equations(parser, PART_NAME, FORM_PRIMED, true);
}

bool parse_settings(Parser *parser)
{
    return parse_equations(parser, PART_NAME, FORM_SETTING, true);
}

// NAME(NAME, …) [= VALUE]
static bool parse_function(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (!parse_name(parser, PART_NAME, FORM_SETTING))
        return false;
    const Part *part = last_part(parser);
    if (parser->syntax->nodes.at[part->span.root].kind != NODE_CALL)
        return parser_fail(parser, syntax_part_place(parser->syntax, part),
                           "a function is written with its arguments, as in 'function f(t)'");
    return !take(parser, TOKEN_EQUAL) || parse_part(parser, PART_VALUE);
}

static bool parse_initial(Parser *parser, StatementKind kind)
{
    (void)kind;
    // `approx` is a word only before a name; a coordinate may be called so.
    Token next = parser_peek(parser);
    if (next_is_word(parser, "approx") && next.kind == TOKEN_NAME && !next.first_on_line) {
        syntax_add_part(parser->syntax, PART_APPROX, (Span){0, 0}, parser->token.start,
                        parser->token.length);
        parser_advance(parser);
    }
    return parse_assignments(parser);
}

// ---- One value, or a value and where it acts.

static bool parse_value(Parser *parser, StatementKind kind)
{
    (void)kind;
    return parse_part(parser, PART_VALUE);
}

static bool parse_mass(Parser *parser, StatementKind kind)
{
    (void)kind;
    return parse_part(parser, PART_VALUE) && expect_word(parser, "at", "'at' with a point") &&
           parse_part(parser, PART_AT);
}

// The point, and whose particle there is meant: a body's, or the point itself.
static bool parse_load_point(Parser *parser)
{
    return parse_part(parser, PART_AT) && (!take_word(parser, "on") || parse_part(parser, PART_ON));
}

// `load` is "a force" or "an impulse".
static bool parse_along(Parser *parser, const char *load)
{
    if (!parse_name(parser, PART_ALONG, FORM_REFERENCE))
        return false;
    if (next_is_word(parser, "on"))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "%s along a coordinate acts on that coordinate; 'on' belongs to 'at'",
                           load);
    return true;
}

static bool parse_at_or_along(Parser *parser, const char *load)
{
    if (take_word(parser, "along"))
        return parse_along(parser, load);
    if (take_word(parser, "at"))
        return parse_load_point(parser);
    if (parser_at_end(parser))
        return parser_fail_expected(parser, "'at' with a point, or 'along' with a coordinate,");
    if (next_is_word(parser, "on"))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "what acts on a body is a 'torque'; %s acts 'at' a point or "
                           "'along' a coordinate",
                           load);
    return parser_fail_unexpected(parser, (const char *const[]){"at", "along", NULL});
}

static bool parse_force(Parser *parser, StatementKind kind)
{
    (void)kind;
    return parse_part(parser, PART_VALUE) && parse_at_or_along(parser, "a force");
}

static bool parse_torque(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (!parse_part(parser, PART_VALUE))
        return false;
    if (next_is_word(parser, "at") || next_is_word(parser, "along"))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "a torque acts 'on' a body; what acts '%s' something is a 'force'",
                           next_is_word(parser, "at") ? "at" : "along");
    return expect_word(parser, "on", "'on' with a body") && parse_part(parser, PART_ON);
}

static bool parse_impulse(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (!parse_part(parser, PART_VALUE) || !parse_at_or_along(parser, "an impulse"))
        return false;
    if (parser_at_end(parser) && parser->last.length > 0)
        return parser_fail(parser, parser_place(parser, parser->last),
                           "'when t =' with an instant is missing after '%s'; at a state the "
                           "impulse stands in an 'event'",
                           text_shown(parser_text(parser, parser->last)).at);
    if (!expect_word(parser, "when", "'when t =' with an instant"))
        return false;
    if (!take_word(parser, "t") || !take(parser, TOKEN_EQUAL))
        return parser_fail_expected(parser, "'t =' with an instant");
    return parse_part(parser, PART_WHEN);
}

// ---- Frames and bodies.

static bool expect_in_quaternion(Parser *parser, TokenKind kind, const char *what)
{
    if (take(parser, kind))
        return true;
    bool written_otherwise = next_is(parser, TOKEN_OPEN_SQUARE) || next_is(parser, TOKEN_CLOSE) ||
                             next_is(parser, TOKEN_COMMA);
    if (!written_otherwise)
        return parser_fail_expected(parser, what);
    return parser_fail(parser, parser_place(parser, parser->token),
                       "a quaternion is four coordinates in round brackets, (e0, e1, e2, e3)");
}

static bool parse_quaternion(Parser *parser)
{
    if (!expect_in_quaternion(parser, TOKEN_OPEN, "'(' with four coordinates"))
        return false;
    parser->open++;
    bool good = true;
    for (int i = 0; i < 4 && good; i++)
        good = (i == 0 || expect_in_quaternion(parser, TOKEN_COMMA,
                                               "a comma with the next of four coordinates")) &&
               parse_part(parser, PART_QUATERNION);
    good = good && expect_in_quaternion(parser, TOKEN_CLOSE, "')' after four coordinates");
    parser->open = 0;
    if (good && next_is_word(parser, "rotate"))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "a quaternion stands alone; turn the frame further in another 'frame' "
                           "statement");
    return good;
}

// `frame A = rotate …`: a frame may be called rotate, but is then not followed by an angle.
static bool base_is_missing(const Parser *parser)
{
    Token next = parser_peek(parser);
    bool word = next_is_word(parser, "rotate") || next_is_word(parser, "quaternion");
    bool again = parser_is(parser, next, "rotate") || parser_is(parser, next, "quaternion");
    return word && !again && !next.first_on_line &&
           (next.kind == TOKEN_NAME || next.kind == TOKEN_NUMBER || next.kind == TOKEN_OPEN);
}

static bool parse_frame(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (!parse_name(parser, PART_NAME, FORM_PLAIN) ||
        !expect(parser, TOKEN_EQUAL, "'=' with another frame"))
        return false;
    if (base_is_missing(parser))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "the frame that is turned is missing, as in 'frame B = world rotate …'");
    if (!parse_part(parser, PART_BASE))
        return false;
    if (take_word(parser, "quaternion"))
        return parse_quaternion(parser);
    while (!parser_at_end(parser)) {
        if (!take_word(parser, "rotate"))
            return parser_fail_unexpected(parser,
                                          (const char *const[]){"rotate", "quaternion", NULL});
        if (!parse_part(parser, PART_ROTATE) ||
            !expect_word(parser, "about", "'about' with an axis") ||
            !parse_part(parser, PART_ABOUT))
            return false;
    }
    return true;
}

typedef struct {
    const char *word;
    PartRole role;
} Clause;

// Clauses in any order, each at most once, up to the statement's end.
static bool parse_clauses(Parser *parser, const Clause *clauses, size_t count)
{
    bool seen[8] = {false};
    const char *words[8] = {NULL};
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
        if (!parse_part(parser, clauses[i].role))
            return false;
    }
    return true;
}

static bool parse_body(Parser *parser, StatementKind kind)
{
    (void)kind;
    static const Clause clauses[] = {
        {"frame", PART_FRAME}, {"mass", PART_MASS}, {"at", PART_AT}, {"inertia", PART_INERTIA}};
    return parse_name(parser, PART_NAME, FORM_PLAIN) && parse_clauses(parser, clauses, 4);
}

static bool parse_run(Parser *parser, StatementKind kind)
{
    (void)kind;
    static const Clause clauses[] = {
        {"to", PART_TO}, {"every", PART_EVERY}, {"tolerance", PART_TOLERANCE}};
    return parse_clauses(parser, clauses, 3);
}

// ---- Conditions.

// `NAME:` before a condition: read as an expression and recognized by the colon.
static bool parse_label_and_left(Parser *parser)
{
    if (!parse_part(parser, PART_LEFT))
        return false;
    Part *part = &parser->syntax->parts.at[parser->syntax->parts.count - 1];
    bool plain = is_name(parser->syntax, part->span.root, FORM_PLAIN);
    Str name = syntax_text(parser->syntax, part->start, part->length);
    if (next_is(parser, TOKEN_COLON)) {
        if (!plain || text_is_reserved(name))
            return parser_fail(parser, syntax_part_place(parser->syntax, part),
                               "a condition's name stands before ':', and this cannot be one");
        part->role = PART_LABEL;
        parser_advance(parser);
        return parse_part(parser, PART_LEFT);
    }
    bool colon_missing = plain && !parser_at_end(parser) &&
                         (parser->token.kind == TOKEN_NAME || parser->token.kind == TOKEN_NUMBER);
    if (colon_missing)
        return parser_fail(parser, parser_place(parser, parser->token),
                           "a ':' is missing after the condition's name '%s'", text_shown(name).at);
    return true;
}

static bool is_relation(TokenKind kind)
{
    return kind == TOKEN_EQUAL || kind == TOKEN_AT_MOST || kind == TOKEN_AT_LEAST;
}

// `only` says that an equation is meant; NULL where one-sided relations may stand too.
static bool parse_relation(Parser *parser, const char *only)
{
    if (take(parser, TOKEN_EQUAL))
        return parse_part(parser, PART_EQUAL);
    if (!only && take(parser, TOKEN_AT_MOST))
        return parse_part(parser, PART_AT_MOST);
    if (!only && take(parser, TOKEN_AT_LEAST))
        return parse_part(parser, PART_AT_LEAST);
    if (is_relation(parser->token.kind))
        return parser_fail(parser, parser_place(parser, parser->token), "%s", only);
    if (parser_at_end(parser))
        return parser_fail_expected(parser, "'=' with the other side");
    return parser_fail_unexpected(parser, NULL);
}

static bool parse_constraint(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (!parse_label_and_left(parser) || !parse_relation(parser, NULL))
        return false;
    if (is_relation(parser->token.kind))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "a condition has one '%s'; write two constraints",
                           text_shown(parser_text(parser, parser->token)).at);
    bool one_sided = last_part(parser)->role != PART_EQUAL;
    if (!one_sided && next_is_word(parser, "restitution"))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "'restitution' belongs to a one-sided condition, with '<=' or '>='");
    if (take_word(parser, "restitution"))
        return parse_part(parser, PART_RESTITUTION);
    if (one_sided && !parser_at_end(parser))
        return parser_fail_unexpected(parser, (const char *const[]){"restitution", NULL});
    return true;
}

bool parse_equation(Parser *parser)
{
    static const char only[] = "an equation is written with one '='";
    if (!parse_label_and_left(parser) || !parse_relation(parser, only))
        return false;
    return !is_relation(parser->token.kind) ||
           parser_fail(parser, parser_place(parser, parser->token), "%s", only);
}

static bool parse_servo(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (!parse_label_and_left(parser) ||
        !parse_relation(parser, "a servo keeps an equation, written with '='") ||
        !expect_word(parser, "by", "'by' with what keeps the condition"))
        return false;
    // `force` and `torque` are words here unless they stand alone as a coordinate's name.
    Token next = parser_peek(parser);
    bool alone = next.first_on_line || next.kind == TOKEN_END || next.kind == TOKEN_SEMICOLON ||
                 next.kind == TOKEN_CLOSE_BRACE;
    if (!alone && take_word(parser, "force"))
        return parse_part(parser, PART_BY_FORCE) &&
               expect_word(parser, "at", "'at' with a point") && parse_load_point(parser);
    if (!alone && take_word(parser, "torque"))
        return parse_part(parser, PART_BY_TORQUE) &&
               expect_word(parser, "on", "'on' with a body") && parse_part(parser, PART_ON);
    return parse_name(parser, PART_BY, FORM_REFERENCE);
}

// ---- The rest.

static bool parse_system(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (!parse_name(parser, PART_LABEL, FORM_PLAIN))
        return false;
    if (next_is(parser, TOKEN_STRING)) {
        Token title = parser->token;
        syntax_add_part(parser->syntax, PART_TITLE, (Span){0, 0}, title.start + 1,
                        title.length - 2);
        parser_advance(parser);
    }
    return true;
}

static bool parse_include(Parser *parser, StatementKind kind)
{
    (void)kind;
    Token path = parser->token;
    if (!next_is(parser, TOKEN_STRING))
        return parser_fail_expected(parser, "a file's name in quotes");
    syntax_add_part(parser->syntax, PART_TITLE, (Span){0, 0}, path.start, path.length);
    parser_advance(parser);
    return true;
}

// ---- Parts.

static bool parse_formal(Parser *parser)
{
    Token token = parser->token;
    if (token.kind != TOKEN_NAME)
        return parser_fail_expected(parser, "the name of an argument");
    if (text_is_reserved(parser_text(parser, token)))
        return parser_fail(parser, parser_place(parser, token),
                           "'%s' is a reserved word; choose another name",
                           text_shown(parser_text(parser, token)).at);
    parser_add_name(parser, PART_ARGUMENT);
    return !take(parser, TOKEN_EQUAL) || parse_part(parser, PART_VALUE);
}

static bool parse_given(Parser *parser)
{
    if (parser->token.kind == TOKEN_NAME && parser_peek(parser).kind == TOKEN_EQUAL) {
        parser_add_name(parser, PART_ARGUMENT);
        parser_advance(parser);
    }
    return parse_part(parser, PART_VALUE);
}

// ( … ) behind the name of a template, where it is described or used.
static bool parse_arguments(Parser *parser, bool (*parse)(Parser *))
{
    if (!expect(parser, TOKEN_OPEN, "'(' with the arguments of the part"))
        return false;
    parser->open++;
    bool good = true;
    if (parser->token.kind != TOKEN_CLOSE)
        do
            good = parse(parser);
        while (good && take(parser, TOKEN_COMMA));
    good = good && (parser->token.kind == TOKEN_CLOSE ||
                    parser_fail_expected(parser, "')' behind the arguments of the part"));
    parser->open = 0;
    if (good)
        parser_advance(parser);
    return good;
}

// NAME(NAME [= VALUE], …) { … } describes a part; NAME = NAME([NAME =] VALUE, …) makes one.
static bool parse_part_statement(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (parser->token.kind != TOKEN_NAME || parser_at_end(parser))
        return parser_fail_expected(parser, "the name of a part");
    if (parser_peek(parser).kind == TOKEN_OPEN) {
        parser_add_name(parser, PART_NAME);
        if (!parse_arguments(parser, parse_formal))
            return false;
        return parser->token.kind == TOKEN_OPEN_BRACE ||
               parser_fail_expected(parser, "'{' with the statements of the part");
    }
    if (!parse_name(parser, PART_NAME, FORM_PLAIN) ||
        !expect(parser, TOKEN_EQUAL, "'=' with what the part is made from"))
        return false;
    if (parser->token.kind != TOKEN_NAME)
        return parser_fail_expected(parser, "the name of what the part is made from");
    parser_add_name(parser, PART_BASE);
    return parse_arguments(parser, parse_given);
}

static bool parse_range(Parser *parser)
{
    return parse_part(parser, PART_LOW) && expect(parser, TOKEN_DOTS, "'..' with the last value") &&
           parse_part(parser, PART_HIGH);
}

// `(LOW..HIGH)` behind `pairs`, for the two names read last: the second is given the same end.
static bool parse_pairs(Parser *parser)
{
    Syntax *syntax = parser->syntax;
    Part second = *last_part(parser);
    syntax->parts.count--;
    Part first = *last_part(parser);
    parser_advance(parser);
    bool ranged =
        parse_part(parser, PART_LOW) &&
        (next_is(parser, TOKEN_DOTS) || parser_fail_pairs(parser, PAIRS_NO_RANGE, false)) &&
        take(parser, TOKEN_DOTS) && parse_part(parser, PART_HIGH) &&
        expect(parser, TOKEN_CLOSE, "')' behind the range of pairs");
    if (!ranged)
        return false;
    Part high = *last_part(parser);
    const Node *one = &syntax->nodes.at[first.span.root],
               *other = &syntax->nodes.at[second.span.root];
    if (one->kind == NODE_NAME && other->kind == NODE_NAME && one->name == other->name)
        return parser_fail(parser, syntax_part_place(syntax, &second),
                           "the two variables of pairs are different names");
    array_push(&syntax->parts, second);
    syntax_add_part(syntax, PART_PAIRED, high.span, high.start, high.length);
    syntax_add_part(syntax, PART_HIGH, high.span, high.start, high.length);
    return true;
}

// One variable with its range, or two with pairs.
static bool parse_variables(Parser *parser)
{
    size_t count = 0;
    do {
        bool bare = is_relation(parser_peek(parser).kind);
        if (!parse_name(parser, PART_NAME, FORM_PLAIN))
            return false;
        if (bare)
            return parser_fail(parser, parser_place(parser, parser->token),
                               "a loop is written 'for i in 1..N { … }'");
        count++;
    } while (take(parser, TOKEN_COMMA));
    if (!expect_word(parser, "in", "'in' with a range"))
        return false;
    PairsMistake mistake = parser_check_pairs(parser, count);
    if (mistake != PAIRS_GOOD)
        return parser_fail_pairs(parser, mistake, false);
    if (count == 1)
        return parse_range(parser);
    parser_advance(parser);
    return parse_pairs(parser);
}

static bool parse_for(Parser *parser, StatementKind kind)
{
    (void)kind;
    do {
        if (!parse_variables(parser))
            return false;
    } while (take(parser, TOKEN_COMMA));
    if (parser->token.kind == TOKEN_OPEN_BRACE)
        return true;
    if (parser_at_end(parser))
        return parser_fail_expected(parser, "'{'");
    return parser_fail_unexpected(parser, NULL);
}

bool parse_statement(Parser *parser, StatementKind kind)
{
    static bool (*const parsers[])(Parser *, StatementKind) = {
#define STATEMENT(NAME, word, parse) [STATEMENT_##NAME] = parse_##parse,
#include "text/statements.def"
#undef STATEMENT
    };
    if (!parsers[kind](parser, kind))
        return false;
    bool block = kind == STATEMENT_FOR || kind == STATEMENT_PART;
    if ((block && parser->token.kind == TOKEN_OPEN_BRACE) || parser_at_end(parser))
        return true;
    return parser_fail_unexpected(parser, NULL);
}
