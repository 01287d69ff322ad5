// statement.c: the grammar of each statement behind its first word. Each function returns
// false where it has reported an error; the parts read so far stay.
#include "text/statement_impl.h"

// ---- Lists of definitions.

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
        if (!parse_name(parser, PART_NAME, form) || !parse_declared_unit(parser))
            return false;
    while (list_goes_on(parser, false, &wrong));
    return !wrong;
}

static bool parse_coordinates(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (!parse_names(parser, FORM_PLAIN))
        return false;
    if (parser_next_is(parser, TOKEN_EQUAL))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "a coordinate has no value here; its start is given with 'initial'");
    if (parser_next_is(parser, TOKEN_PRIME) || parser_next_is(parser, TOKEN_DOUBLE_PRIME))
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

static bool parse_initial(Parser *parser, StatementKind kind)
{
    (void)kind;
    // `approx` is a word only before a name; a coordinate may be called so.
    Token next = parser_peek(parser);
    if (parser_next_is_word(parser, "approx") && next.kind == TOKEN_NAME && !next.first_on_line) {
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
    return parse_part(parser, PART_VALUE) &&
           parser_expect_word(parser, "at", "'at' with a point") && parse_part(parser, PART_AT);
}

// The point, and whose particle there is meant: a body's, or the point itself.
static bool parse_load_point(Parser *parser)
{
    return parse_part(parser, PART_AT) &&
           (!parser_take_word(parser, "on") || parse_part(parser, PART_ON));
}

// `load` is "a force" or "an impulse".
static bool parse_along(Parser *parser, const char *load)
{
    if (!parse_name(parser, PART_ALONG, FORM_REFERENCE))
        return false;
    if (parser_next_is_word(parser, "on"))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "%s along a coordinate acts on that coordinate; 'on' belongs to 'at'",
                           load);
    return true;
}

static bool parse_at_or_along(Parser *parser, const char *load)
{
    if (parser_take_word(parser, "along"))
        return parse_along(parser, load);
    if (parser_take_word(parser, "at"))
        return parse_load_point(parser);
    if (parser_at_end(parser))
        return parser_fail_expected(parser, "'at' with a point, or 'along' with a coordinate,");
    if (parser_next_is_word(parser, "on"))
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
    if (parser_next_is_word(parser, "at") || parser_next_is_word(parser, "along"))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "a torque acts 'on' a body; what acts '%s' something is a 'force'",
                           parser_next_is_word(parser, "at") ? "at" : "along");
    return parser_expect_word(parser, "on", "'on' with a body") && parse_part(parser, PART_ON);
}

static bool parse_impulse(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (!parse_part(parser, PART_VALUE) || !parse_at_or_along(parser, "an impulse"))
        return false;
    if (parser->actions && parser_next_is_word(parser, "when"))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "an event's impulse acts at the event; leave out 'when'");
    if (parser->actions)
        return true;
    if (parser_at_end(parser) && parser->last.length > 0)
        return parser_fail(parser, parser_place(parser, parser->last),
                           "'when t =' with an instant is missing after '%s'; at a state the "
                           "impulse stands in an 'event'",
                           text_shown(parser_text(parser, parser->last)).at);
    if (!parser_expect_word(parser, "when", "'when t =' with an instant"))
        return false;
    if (parser_next_is(parser, TOKEN_NAME) && !parser_next_is_word(parser, "t"))
        return parser_fail(
            parser, parser_place(parser, parser->token),
            "an impulse acts at an instant, 'when t = …'; at a state it stands in an "
            "'event NAME: … { impulse … }'");
    if (!parser_take_word(parser, "t") || !parser_take(parser, TOKEN_EQUAL))
        return parser_fail_expected(parser, "'t =' with an instant");
    return parse_part(parser, PART_WHEN);
}

// ---- Frames and bodies.

static bool expect_in_quaternion(Parser *parser, TokenKind kind, const char *what)
{
    if (parser_take(parser, kind))
        return true;
    bool written_otherwise = parser_next_is(parser, TOKEN_OPEN_SQUARE) ||
                             parser_next_is(parser, TOKEN_CLOSE) ||
                             parser_next_is(parser, TOKEN_COMMA);
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
    if (good && parser_next_is_word(parser, "rotate"))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "a quaternion stands alone; turn the frame further in another 'frame' "
                           "statement");
    return good;
}

// `frame A = rotate …`: a frame may be called rotate, but is then not followed by an angle.
static bool base_is_missing(const Parser *parser)
{
    Token next = parser_peek(parser);
    bool word = parser_next_is_word(parser, "rotate") || parser_next_is_word(parser, "quaternion");
    bool again = parser_is(parser, next, "rotate") || parser_is(parser, next, "quaternion");
    return word && !again && !next.first_on_line &&
           (next.kind == TOKEN_NAME || next.kind == TOKEN_NUMBER || next.kind == TOKEN_OPEN);
}

static bool parse_frame(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (!parse_name(parser, PART_NAME, FORM_PLAIN) ||
        !parser_expect(parser, TOKEN_EQUAL, "'=' with another frame"))
        return false;
    if (base_is_missing(parser))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "the frame that is turned is missing, as in 'frame B = world rotate …'");
    if (!parse_part(parser, PART_BASE))
        return false;
    if (parser_take_word(parser, "quaternion"))
        return parse_quaternion(parser);
    while (!parser_at_end(parser)) {
        if (!parser_take_word(parser, "rotate"))
            return parser_fail_unexpected(parser,
                                          (const char *const[]){"rotate", "quaternion", NULL});
        if (!parse_part(parser, PART_ROTATE) ||
            !parser_expect_word(parser, "about", "'about' with an axis") ||
            !parse_part(parser, PART_ABOUT))
            return false;
    }
    return true;
}

static bool parse_body(Parser *parser, StatementKind kind)
{
    (void)kind;
    static const Clause clauses[] = {{"frame", PART_FRAME},   {"mass", PART_MASS},
                                     {"at", PART_AT},         {"inertia", PART_INERTIA},
                                     {"center", PART_CENTER}, {"centre", PART_CENTER}};
    return parse_name(parser, PART_NAME, FORM_PLAIN) && parse_clauses(parser, clauses, 6);
}

// ---- Conditions.

// `NAME:` before a condition: read as an expression and recognized by the colon.
static bool parse_label_and_left(Parser *parser)
{
    if (!parse_part(parser, PART_LEFT))
        return false;
    Part *part = &parser->syntax->parts.at[parser->syntax->parts.count - 1];
    bool plain = name_has_form(parser->syntax, part->span.root, FORM_PLAIN);
    Str name = syntax_text(parser->syntax, part->start, part->length);
    if (parser_next_is(parser, TOKEN_COLON)) {
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

// ---- Friction.

// `at K on B [and A]`, behind 'at'.
static bool parse_touching(Parser *parser)
{
    return parse_part(parser, PART_AT) && parser_expect_word(parser, "on", "'on' with the body") &&
           parse_part(parser, PART_ON) &&
           (!parser_take_word(parser, "and") || parse_part(parser, PART_AND));
}

static bool parse_static(Parser *parser)
{
    return !parser_take_word(parser, "static") || parse_part(parser, PART_STATIC);
}

static bool parse_law_of_shocks(Parser *parser)
{
    Token token = parser->token;
    if (!parser_take_word(parser, "newton") && !parser_take_word(parser, "poisson"))
        return parser_fail_expected(parser, "'newton' or 'poisson'");
    syntax_add_part(parser->syntax, PART_LAW, (Span){0, 0}, token.start, token.length);
    return true;
}

// One of the clauses behind a condition, whose word was read.
static bool parse_condition_clause(Parser *parser, PartRole role)
{
    if (role == PART_LAW)
        return parse_law_of_shocks(parser);
    bool read = parse_part(parser, role);
    if (!read || role != PART_FRICTION)
        return read;
    return parse_static(parser) && (!parser_take_word(parser, "at") || parse_touching(parser));
}

// `restitution`, `law` and `friction` in any order, each at most once.
static bool parse_condition_clauses(Parser *parser, bool one_sided)
{
    static const Clause clauses[] = {
        {"restitution", PART_RESTITUTION}, {"law", PART_LAW}, {"friction", PART_FRICTION}};
    static const char *const words[] = {"restitution", "law", "friction", NULL};
    bool seen[3] = {false};
    while (!parser_at_end(parser) && !parser_next_is_word(parser, "while")) {
        size_t i = 0;
        while (i < 3 && !parser_next_is_word(parser, clauses[i].word))
            i++;
        if (i == 3)
            return parser_fail_unexpected(parser, one_sided ? words : words + 2);
        Place place = parser_place(parser, parser->token);
        if (!one_sided && i < 2)
            return parser_fail(parser, place,
                               "'%s' belongs to a one-sided condition, with '<=' or '>='",
                               clauses[i].word);
        if (seen[i])
            return parser_fail(parser, place, "'%s' stands twice in one statement",
                               clauses[i].word);
        seen[i] = true;
        parser_advance(parser);
        if (!parse_condition_clause(parser, clauses[i].role))
            return false;
    }
    return true;
}

// friction [NAME:] bound [static b] (along x | against s | at K on B [and A])
static bool parse_friction(Parser *parser, StatementKind kind)
{
    (void)kind;
    static const char *const words[] = {"along", "against", "at", "static", NULL};
    if (!parse_part(parser, PART_VALUE))
        return false;
    if (parser_next_is(parser, TOKEN_COLON)) {
        Part *part = &parser->syntax->parts.at[parser->syntax->parts.count - 1];
        Str name = syntax_text(parser->syntax, part->start, part->length);
        if (!name_has_form(parser->syntax, part->span.root, FORM_PLAIN) || text_is_reserved(name))
            return parser_fail(parser, syntax_part_place(parser->syntax, part),
                               "the name of a friction stands before ':', and this cannot be one");
        part->role = PART_LABEL;
        parser_advance(parser);
        if (!parse_part(parser, PART_VALUE))
            return false;
    }
    if (!parse_static(parser))
        return false;
    if (parser_take_word(parser, "along"))
        return parse_along(parser, "a friction");
    if (parser_take_word(parser, "against"))
        return parse_part(parser, PART_AGAINST);
    if (parser_take_word(parser, "at"))
        return parse_touching(parser);
    if (parser_at_end(parser))
        return parser_fail_expected(parser, "'along', 'against' or 'at' with what it acts on");
    return parser_fail_unexpected(parser, words);
}

static bool parse_constraint(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (!parse_label_and_left(parser) || !parse_relation(parser, NULL))
        return false;
    if (token_is_relation(parser->token.kind))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "a condition has one '%s'; write two constraints",
                           text_shown(parser_text(parser, parser->token)).at);
    return parse_condition_clauses(parser, parser_last_part(parser)->role != PART_EQUAL);
}

bool parse_equation(Parser *parser)
{
    static const char only[] = "an equation is written with one '='";
    if (!parse_label_and_left(parser) || !parse_relation(parser, only))
        return false;
    return !token_is_relation(parser->token.kind) ||
           parser_fail(parser, parser_place(parser, parser->token), "%s", only);
}

static bool parse_servo(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (!parse_label_and_left(parser) ||
        !parse_relation(parser, "a servo keeps an equation, written with '='"))
        return false;
    // `by` is a name where an operand is expected: here it was meant as the word.
    if (str_is(parser_text(parser, parser->last), "by") && !parser_next_is_word(parser, "by"))
        return parser_fail(parser, parser_place(parser, parser->last),
                           "an expression is expected before 'by'");
    if (!parser_expect_word(parser, "by", "'by' with what keeps the condition"))
        return false;
    // `force` and `torque` are words here unless they stand alone as a coordinate's name.
    Token next = parser_peek(parser);
    bool alone = next.first_on_line || next.kind == TOKEN_END || next.kind == TOKEN_SEMICOLON ||
                 next.kind == TOKEN_CLOSE_BRACE || parser_is(parser, next, "while");
    if (!alone && parser_take_word(parser, "force"))
        return parse_part(parser, PART_BY_FORCE) &&
               parser_expect_word(parser, "at", "'at' with a point") && parse_load_point(parser);
    if (!alone && parser_take_word(parser, "torque"))
        return parse_part(parser, PART_BY_TORQUE) &&
               parser_expect_word(parser, "on", "'on' with a body") && parse_part(parser, PART_ON);
    return parse_name(parser, PART_BY, FORM_REFERENCE);
}

// ---- The rest.

static bool parse_system(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (!parse_name(parser, PART_LABEL, FORM_PLAIN))
        return false;
    if (parser_next_is(parser, TOKEN_STRING)) {
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
    if (!parser_next_is(parser, TOKEN_STRING))
        return parser_fail_expected(parser, "a file's name in quotes");
    syntax_add_part(parser->syntax, PART_TITLE, (Span){0, 0}, path.start, path.length);
    parser_advance(parser);
    return true;
}

// What is complete was read before; what comes here is not, or is in no file.
static bool parse_read(Parser *parser, StatementKind kind)
{
    (void)kind;
    if (parser_at_end(parser))
        return parser_fail_expected(parser, "'urdf' or 'mjcf' with a robot's file");
    if (!parser_take_word(parser, "urdf") && !parser_take_word(parser, "mjcf"))
        return parser_fail(parser, parser_place(parser, parser->token),
                           "a robot's file is read with its kind before it: read urdf "
                           "\"robot.urdf\", or read mjcf \"robot.xml\"");
    if (!parse_include(parser, kind))
        return false;
    if (parser_take_word(parser, "as") && !parse_name(parser, PART_NAME, FORM_PLAIN))
        return false;
    return parser_take_word(parser, "free") || parser_at_end(parser) ||
           parser_fail_unexpected(parser, (const char *const[]){"as", "free", NULL});
}

static bool parse_range(Parser *parser)
{
    return parse_part(parser, PART_LOW) &&
           parser_expect(parser, TOKEN_DOTS, "'..' with the last value") &&
           parse_part(parser, PART_HIGH);
}

// `(LOW..HIGH)` behind `pairs`, for the two names read last: the second is given the same end.
static bool parse_pairs(Parser *parser)
{
    Syntax *syntax = parser->syntax;
    Part second = *parser_last_part(parser);
    syntax->parts.count--;
    Part first = *parser_last_part(parser);
    parser_advance(parser);
    bool ranged =
        parse_part(parser, PART_LOW) &&
        (parser_next_is(parser, TOKEN_DOTS) || parser_fail_pairs(parser, PAIRS_NO_RANGE, false)) &&
        parser_take(parser, TOKEN_DOTS) && parse_part(parser, PART_HIGH) &&
        parser_expect(parser, TOKEN_CLOSE, "')' behind the range of pairs");
    if (!ranged)
        return false;
    Part high = *parser_last_part(parser);
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
        bool bare = token_is_relation(parser_peek(parser).kind);
        if (!parse_name(parser, PART_NAME, FORM_PLAIN))
            return false;
        if (bare)
            return parser_fail(parser, parser_place(parser, parser->token),
                               "a loop is written 'for i in 1..N { … }'");
        count++;
    } while (parser_take(parser, TOKEN_COMMA));
    if (!parser_expect_word(parser, "in", "'in' with a range"))
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
    } while (parser_take(parser, TOKEN_COMMA));
    if (parser->token.kind == TOKEN_OPEN_BRACE)
        return true;
    if (parser_at_end(parser))
        return parser_fail_expected(parser, "'{'");
    return parser_fail_unexpected(parser, NULL);
}

// What holds for a while alone; a drawing and an event read it themselves.
static bool statement_may_wait(StatementKind kind)
{
    return kind == STATEMENT_CONSTRAINT || kind == STATEMENT_SERVO || kind == STATEMENT_FORCE ||
           kind == STATEMENT_TORQUE || kind == STATEMENT_FRICTION || kind == STATEMENT_SPRING ||
           kind == STATEMENT_DAMPER || kind == STATEMENT_BUSHING || kind == STATEMENT_JOINT;
}

// Numbers have units where data stand; names that are declared may have one.
static bool statement_has_data(StatementKind kind)
{
    return kind == STATEMENT_PARAM || kind == STATEMENT_INITIAL || kind == STATEMENT_STATE ||
           kind == STATEMENT_INPUT || kind == STATEMENT_RUN || kind == STATEMENT_PART ||
           kind == STATEMENT_SAMPLE;
}

static bool statement_declares_units(StatementKind kind)
{
    return kind == STATEMENT_PARAM || kind == STATEMENT_COORD || kind == STATEMENT_SPEED ||
           kind == STATEMENT_STATE || kind == STATEMENT_INPUT || kind == STATEMENT_OUTPUT ||
           kind == STATEMENT_FUNCTION;
}

bool parse_statement(Parser *parser, StatementKind kind)
{
    static bool (*const parsers[])(Parser *, StatementKind) = {
#define STATEMENT(NAME, word, parse) [STATEMENT_##NAME] = parse_##parse,
#include "text/statements.def"
#undef STATEMENT
    };
    parser->units = statement_has_data(kind);
    parser->declares = statement_declares_units(kind);
    parser->intervals = kind == STATEMENT_PARAM || kind == STATEMENT_INITIAL;
    bool read = parsers[kind](parser, kind);
    parser->units = parser->declares = parser->intervals = false;
    if (!read)
        return false;
    if (statement_may_wait(kind) && parser_take_word(parser, "while") && !parse_while(parser))
        return false;
    if ((statement_has_block(kind) && parser->token.kind == TOKEN_OPEN_BRACE) ||
        parser_at_end(parser))
        return true;
    return parser_fail_unexpected(parser, NULL);
}
