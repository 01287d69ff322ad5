// Whole texts: sizes without harm, recovery behind errors, settings.
#include "test_size.h"
#include "tree.h"

typedef struct {
    Source *source;
    Diag *diag;
    Syntax *syntax;
    Text messages;
} Reading;

static Reading read_text(Text *text)
{
    Reading reading = {.source = source_new("m.zw", text->at ? text->at : "", text->length)};
    text_clear(text);
    reading.diag = diag_new();
    reading.syntax = syntax_read(reading.source, reading.diag);
    write_messages(reading.diag, &reading.messages);
    return reading;
}

static Reading read_words(const char *words)
{
    Text text = {0};
    text_add(&text, words);
    return read_text(&text);
}

static void finish(Reading *reading)
{
    text_clear(&reading->messages);
    syntax_free(reading->syntax);
    diag_free(reading->diag);
    source_free(reading->source);
}

static void add_times(Text *text, const char *piece, size_t times)
{
    for (size_t i = 0; i < times; i++)
        text_add(text, piece);
}

// With a larger size a million levels and ten megabytes.
static size_t levels_read(void)
{
    return test_size() > 1 ? 1000000 : 100000;
}

static void many_levels_are_read(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"(", ")"}, {"-(", ")"}, {"1+x*(", ")"}, {"sin(", ")"},
                                           {"[", "]"}, {"2^", ""},  {"q[", "]"}};
    const size_t levels = levels_read();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        Text text = {0};
        text_add(&text, "kinetic ");
        add_times(&text, pairs[i][0], levels);
        text_add(&text, "x");
        add_times(&text, pairs[i][1], levels);
        Reading reading = read_text(&text);
        assert_string_equal(reading.messages.at, "");
        assert_int_equal(reading.syntax->statements.count, 1);
        assert_false(reading.syntax->statements.at[0].broken);
        finish(&reading);
    }
}

static size_t errors_of(const char *start, const char *piece, size_t times)
{
    Text text = {0};
    text_add(&text, start);
    add_times(&text, piece, times);
    Reading reading = read_text(&text);
    size_t errors = diag_count(reading.diag, DIAG_ERROR);
    finish(&reading);
    return errors;
}

static void megabytes_of_brackets_are_one_error(void **state)
{
    (void)state;
    const size_t bytes = 10 * levels_read();
    assert_int_equal(errors_of("", "(", bytes), 1);
    assert_int_equal(errors_of("kinetic ", "(", bytes), 1);
    assert_int_equal(errors_of("let a = sin(1) + ", "[", bytes), 1);
    assert_int_equal(errors_of("kinetic ", ")", bytes), 1);
    assert_int_equal(errors_of("kinetic ", "{", bytes), 1);
    assert_int_equal(errors_of("kinetic ", "-", bytes), 1);
    assert_int_equal(errors_of("kinetic x", "'", bytes), 0);
    assert_in_range(errors_of("", "}(", bytes / 2), 1, 102);
}

static void many_terms_are_one_node(void **state)
{
    (void)state;
    Text text = {0};
    text_add(&text, "kinetic ");
    add_times(&text, "x*y-", 100000);
    text_add(&text, "z");
    Reading reading = read_text(&text);
    const Part *part = &reading.syntax->parts.at[0];
    assert_int_equal(reading.syntax->nodes.at[part->span.root].kind, NODE_SUM);
    assert_int_equal(reading.syntax->nodes.at[part->span.root].count, 100001);
    finish(&reading);
}

static void children_stand_below_parents(void **state)
{
    (void)state;
    Reading reading = read_words("let a = sum(i in 1..N, q[i]'^2*(b - c.x)) + f(x, -y) in_\n"
                                 "let b = [1, 2, f(3)] in F[2] + velocity(P on B)");
    const Syntax *syntax = reading.syntax;
    for (uint32_t i = 1; i < syntax->nodes.count; i++)
        for (uint32_t c = 0; c < syntax->nodes.at[i].count; c++)
            assert_in_range(syntax_children(syntax, &syntax->nodes.at[i])[c].node, 1, i - 1);
    finish(&reading);
}

static void what_is_no_text_is_one_error(void **state)
{
    (void)state;
    Text text = {0};
    text_add_str(&text, (Str){"coord x\n\0\0\0", 11});
    Reading reading = read_text(&text);
    assert_string_equal(reading.messages.at, "error: m.zw is not a text file (it holds zero "
                                             "bytes); a model is UTF-8 text\n");
    finish(&reading);
    static const char *const wrong[] = {
        "\xFF", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x82"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        text_addf(&text, "coord x # %s\n", wrong[i]);
        reading = read_text(&text);
        assert_int_equal(diag_count(reading.diag, DIAG_ERROR), 1);
        finish(&reading);
    }
}

static void an_empty_text_has_no_statements(void **state)
{
    (void)state;
    static const char *const empty[] = {"", "\n\n", "# only a comment", ";;;", "\xEF\xBB\xBF"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        Reading reading = read_words(empty[i]);
        assert_string_equal(reading.messages.at, "");
        assert_int_equal(reading.syntax->statements.count, 0);
        finish(&reading);
    }
}

static void each_broken_statement_is_reported_once(void **state)
{
    (void)state;
    Reading reading = read_words("cord x\n"
                                 "param m = 1 k = 2\n"
                                 "kinetic m*(x'^2 + y'^2\n"
                                 "constraint edge: y' = 0\n"
                                 "mass m att P\n"
                                 "for i in 1..2 { coord ; let b = } let c = 1\n"
                                 "run to 10");
    assert_string_equal(reading.messages.at,
                        "m.zw:1:1: error: unknown statement 'cord'; did you mean 'coord'?\n"
                        "    cord x\n"
                        "    ^~~~\n"
                        "m.zw:2:13: error: a comma is missing before 'k'\n"
                        "    param m = 1 k = 2\n"
                        "                ^\n"
                        "m.zw:3:11: error: this '(' is not closed; a ')' is missing\n"
                        "    kinetic m*(x'^2 + y'^2\n"
                        "              ^\n"
                        "m.zw:5:8: error: unexpected 'att'; did you mean 'at'?\n"
                        "    mass m att P\n"
                        "           ^~~\n"
                        "m.zw:6:17: error: a name is missing after 'coord'\n"
                        "    for i in 1..2 { coord ; let b = } let c = 1\n"
                        "                    ^~~~~\n"
                        "m.zw:6:31: error: an expression is missing after '='\n"
                        "    for i in 1..2 { coord ; let b = } let c = 1\n"
                        "                                  ^\n");
    assert_int_equal(reading.syntax->statements.count, 10);
    assert_false(reading.syntax->statements.at[3].broken);
    assert_false(reading.syntax->statements.at[9].broken);
    finish(&reading);
}

static void blocks_are_closed(void **state)
{
    (void)state;
    Reading reading = read_words("for i in 1..2 {\ncoord x");
    assert_string_equal(reading.messages.at,
                        "m.zw:1:15: error: this '{' is not closed; a '}' is missing\n"
                        "    for i in 1..2 {\n"
                        "                  ^\n");
    finish(&reading);
    reading = read_words("coord x }");
    assert_string_equal(reading.messages.at, "m.zw:1:9: error: this '}' closes no '{'\n"
                                             "    coord x }\n"
                                             "            ^\n");
    finish(&reading);
    Text text = {0};
    add_times(&text, "for i in 1..2 {", 1000);
    reading = read_text(&text);
    assert_int_equal(diag_count(reading.diag, DIAG_ERROR), 1);
    finish(&reading);
}

static void errors_have_an_end(void **state)
{
    (void)state;
    Text text = {0};
    add_times(&text, "$\n", 100000);
    Reading reading = read_text(&text);
    assert_int_equal(diag_count(reading.diag, DIAG_ERROR), 101);
    finish(&reading);
}

static void settings_are_assignments(void **state)
{
    (void)state;
    const char *text = "N=40,x'=2,q[2]'=[1,2],θ=pi/4";
    Source *source = source_new("setting", text, strlen(text));
    Diag *diag = diag_new();
    Syntax *syntax = syntax_read_settings(source, diag);
    Text out = {0};
    write_messages(diag, &out);
    for (size_t i = 0; i < syntax->parts.count; i++) {
        write_node(syntax, syntax->parts.at[i].span.root, &out);
        text_add(&out, i % 2 ? "; " : " = ");
    }
    assert_string_equal(out.at, "N = 40; (' 1 x) = 2; (' 1 q[2]) = (vec 1 2); "
                                "theta = (* pi /4); ");
    text_clear(&out);
    syntax_free(syntax);
    diag_free(diag);
    source_free(source);
}

static void greek_letters_have_names(void **state)
{
    (void)state;
    assert_string_equal(text_greek_letter(str_of("theta")), "θ");
    assert_string_equal(text_greek_letter(str_of("Omega")), "Ω");
    assert_null(text_greek_letter(str_of("theta1")));
    assert_true(text_is_reserved(str_of("along")));
    assert_false(text_is_reserved(str_of("mass")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_levels_are_read),
        cmocka_unit_test(megabytes_of_brackets_are_one_error),
        cmocka_unit_test(many_terms_are_one_node),
        cmocka_unit_test(children_stand_below_parents),
        cmocka_unit_test(what_is_no_text_is_one_error),
        cmocka_unit_test(an_empty_text_has_no_statements),
        cmocka_unit_test(each_broken_statement_is_reported_once),
        cmocka_unit_test(blocks_are_closed),
        cmocka_unit_test(errors_have_an_end),
        cmocka_unit_test(settings_are_assignments),
        cmocka_unit_test(greek_letters_have_names),
    };
    return cmocka_run_group_tests_name("text/read", tests, NULL, NULL);
}
