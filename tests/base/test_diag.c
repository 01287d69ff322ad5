// Places and messages: what a person reads, to the byte.
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static Source *source_of(const char *text)
{
    return source_new("m.zw", text, strlen(text));
}

// The place of the first `what` in the source.
static Place place_of(const Source *source, const char *what)
{
    const char *found = strstr(source->at, what);
    assert_non_null(found);
    return place_at(source, (uint32_t)(found - source->at), (uint32_t)strlen(what));
}

static void assert_renders(const Diag *diag, DiagKind least, const char *expected)
{
    Text text = {0};
    text_add(&text, "");
    diag_render(diag, least, &text);
    assert_string_equal(text.at, expected);
    text_clear(&text);
}

// One error at the first `what` in `source`, rendered.
static void assert_error_renders(const char *text, const char *what, const char *expected)
{
    Source *source = source_of(text);
    Diag *diag = diag_new();
    assert_int_equal(diag_error(diag, place_of(source, what), "no %s", "good"), STATUS_WRONG);
    assert_renders(diag, DIAG_NOTE, expected);
    diag_free(diag);
    source_free(source);
}

static void error_has_line_and_caret(void **state)
{
    (void)state;
    assert_error_renders("let a = thetta\n", "thetta",
                         "m.zw:1:9: error: no good\n"
                         "    let a = thetta\n"
                         "            ^~~~~~\n");
    assert_error_renders("coord x\ncoord y\nkinetic x'^2 + z\ncoord u", "z",
                         "m.zw:3:16: error: no good\n"
                         "    kinetic x'^2 + z\n"
                         "                   ^\n");
}

static void columns_are_characters(void **state)
{
    (void)state;
    assert_error_renders("let ω₁ = ϑ' + zz", "zz",
                         "m.zw:1:15: error: no good\n"
                         "    let ω₁ = ϑ' + zz\n"
                         "                  ^~\n");
    assert_error_renders("a = ϑϑϑ + b", "ϑϑϑ",
                         "m.zw:1:5: error: no good\n"
                         "    a = ϑϑϑ + b\n"
                         "        ^~~\n");
}

static void what_no_terminal_shows_is_replaced(void **state)
{
    (void)state;
    assert_error_renders("\tx \x1b[31m z", "z",
                         "m.zw:1:10: error: no good\n"
                         "     x \uFFFD[31m z\n"
                         "             ^\n");
    assert_error_renders("a\xFF\x80 = b\xC3", "b",
                         "m.zw:1:6: error: no good\n"
                         "    a\uFFFD\uFFFD = b\uFFFD\n"
                         "          ^\n");
}

static void carriage_returns_are_not_shown(void **state)
{
    (void)state;
    assert_error_renders("coord x\r\ncoord zz\r\ncoord y\r\n", "zz",
                         "m.zw:2:7: error: no good\n"
                         "    coord zz\n"
                         "          ^~\n");
    // A place that runs over the end of the line stops there.
    assert_error_renders("coord x\r\ncoord y\r\n", "x\r\ncoord",
                         "m.zw:1:7: error: no good\n"
                         "    coord x\n"
                         "          ^\n");
}

static void place_over_several_lines_marks_the_first(void **state)
{
    (void)state;
    assert_error_renders("let v = [a,\n  b,\n  c]\n", "[a,\n  b,\n  c]",
                         "m.zw:1:9: error: no good\n"
                         "    let v = [a,\n"
                         "            ^~~\n");
}

static void end_of_text_is_a_place(void **state)
{
    (void)state;
    Source *source = source_of("coord x +");
    Diag *diag = diag_new();
    diag_add(diag, DIAG_ERROR, place_at(source, 9, 0), "something is missing");
    diag_add(diag, DIAG_ERROR, place_at(source, 500, 3), "beyond the end");
    assert_renders(diag, DIAG_NOTE,
                   "m.zw:1:10: error: something is missing\n"
                   "    coord x +\n"
                   "             ^\n"
                   "m.zw:1:10: error: beyond the end\n"
                   "    coord x +\n"
                   "             ^\n");
    diag_free(diag);
    source_free(source);
}

static void empty_text_has_no_line(void **state)
{
    (void)state;
    Source *source = source_of("");
    Diag *diag = diag_new();
    diag_add(diag, DIAG_ERROR, place_at(source, 0, 0), "the file is empty");
    diag_add(diag, DIAG_NOTE, place_none(), "nothing was done");
    assert_renders(diag, DIAG_NOTE,
                   "m.zw:1:1: error: the file is empty\n"
                   "note: nothing was done\n");
    diag_free(diag);
    source_free(source);
}

static void messages_come_in_the_order_of_places(void **state)
{
    (void)state;
    Source *source = source_of("a b c\nd e\n");
    Diag *diag = diag_new();
    diag_add(diag, DIAG_ERROR, place_of(source, "e"), "fourth");
    diag_add(diag, DIAG_WARNING, place_of(source, "a"), "first");
    diag_add(diag, DIAG_ERROR, place_of(source, "c"), "second");
    diag_add(diag, DIAG_NOTE, place_of(source, "c"), "third");
    assert_renders(diag, DIAG_NOTE,
                   "m.zw:1:1: warning: first\n    a b c\n    ^\n"
                   "m.zw:1:5: error: second\n    a b c\n        ^\n"
                   "m.zw:1:5: note: third\n    a b c\n        ^\n"
                   "m.zw:2:3: error: fourth\n    d e\n      ^\n");
    assert_renders(diag, DIAG_WARNING,
                   "m.zw:1:1: warning: first\n    a b c\n    ^\n"
                   "m.zw:1:5: error: second\n    a b c\n        ^\n"
                   "m.zw:2:3: error: fourth\n    d e\n      ^\n");
    diag_free(diag);
    source_free(source);
}

static void messages_are_counted_and_kept(void **state)
{
    (void)state;
    Source *source = source_of("a b");
    Diag *diag = diag_new();
    assert_renders(diag, DIAG_NOTE, "");
    for (int i = 0; i < 100; i++)
        diag_add(diag, i % 3 ? DIAG_ERROR : DIAG_NOTE, place_of(source, "b"), "number %d", i);
    assert_int_equal(diag_total(diag), 100);
    assert_int_equal(diag_count(diag, DIAG_NOTE), 34);
    assert_int_equal(diag_count(diag, DIAG_WARNING), 0);
    assert_int_equal(diag_count(diag, DIAG_ERROR), 66);
    DiagKind kind;
    Place place;
    assert_string_equal(diag_message(diag, 7, &kind, &place), "number 7");
    assert_int_equal(kind, DIAG_ERROR);
    assert_int_equal(place.start, 2);
    assert_string_equal(diag_message(diag, 99, NULL, NULL), "number 99");
    diag_free(diag);
    diag_free(NULL);
    source_free(source);
    source_free(NULL);
}

// What stands in the caret line above the caret: the shown line's part from there on.
static void assert_caret_is_under(const char *rendered, const char *what)
{
    const char *line = strchr(rendered, '\n') + 1;
    const char *carets = strchr(line, '\n') + 1;
    size_t shown = (size_t)(carets - line) - 1;
    const char *found = strstr(line, what), *caret = strchr(carets, '^');
    assert_non_null(found);
    assert_non_null(caret);
    assert_true(text_width(line, shown) <= 4 + 160);
    assert_int_equal(text_width(line, (size_t)(found - line)), caret - carets);
    assert_true(text_width(line, shown) >= (size_t)(caret - carets));
}

// The line shown is cut around the spot, wherever that is, and never inside a character.
static void long_lines_are_cut_around_the_spot(void **state)
{
    (void)state;
    static const char *fillers[] = {"a", "θ", "𝛿"};
    for (size_t f = 0; f < 3; f++) {
        for (size_t before = 0; before < 400; before += 13) {
            Text text = {0};
            text_add(&text, "first line\n");
            for (size_t i = 0; i < before; i++)
                text_add(&text, fillers[f]);
            text_add(&text, "!?");
            for (size_t i = before; i < 400; i++)
                text_add(&text, fillers[f]);
            Source *source = source_of(text.at);
            Diag *diag = diag_new();
            diag_add(diag, DIAG_ERROR, place_of(source, "!?"), "here");
            Text rendered = {0};
            diag_render(diag, DIAG_NOTE, &rendered);
            Text head = {0};
            text_addf(&head, "m.zw:2:%zu: error: here\n", before + 1);
            assert_memory_equal(rendered.at, head.at, head.length);
            assert_caret_is_under(rendered.at, "!?");
            // Cut between characters: the first shown is whole, and so is the last.
            assert_memory_equal(rendered.at + head.length + 4, before ? fillers[f] : "!?", 1);
            text_clear(&head);
            text_clear(&rendered);
            text_clear(&text);
            diag_free(diag);
            source_free(source);
        }
    }
}

static void place_between_spans(void **state)
{
    (void)state;
    Source *source = source_of("alpha beta gamma"), *other = source_of("delta");
    Place alpha = place_of(source, "alpha"), gamma = place_of(source, "gamma");
    Place span = place_between(alpha, gamma);
    assert_ptr_equal(span.source, source);
    assert_int_equal(span.start, 0);
    assert_int_equal(span.length, 16);
    // A last one that ends before changes nothing; nor does one in another text.
    Place whole = place_between(span, place_of(source, "beta"));
    assert_int_equal(whole.length, 16);
    assert_int_equal(place_between(alpha, place_of(other, "delta")).length, 5);
    assert_int_equal(place_between(alpha, place_none()).length, 5);
    assert_null(place_between(place_none(), alpha).source);
    source_free(source);
    source_free(other);
}

// Line and column against counting character by character.
// ---- Hints.

static const char *words_for(const char *name)
{
    return strcmp(name, "plot_size") == 0 ? "see --plot-size" : NULL;
}

static void a_hint_follows_its_message(void **state)
{
    (void)state;
    Source *source = source_of("x = 1\n");
    Diag *diag = diag_new();
    Text text = {0};
    diag_add(diag, DIAG_NOTE, place_hint(HINT_PLOT_SIZE), "too small");
    diag_add(diag, DIAG_NOTE, place_hint(HINT_TOLERANCE), "too large");
    diag_add(diag, DIAG_NOTE, place_none(), "so it is");
    diag_add(diag, DIAG_NOTE, place_with_hint(place_of(source, "1"), HINT_PLOT_SIZE), "here");
    assert_renders(diag, DIAG_NOTE,
                   "note: too small\nnote: too large\nnote: so it is\n"
                   "m.zw:1:5: note: here\n    x = 1\n        ^\n");
    diag_render_with(diag, DIAG_NOTE, (DiagWords){.hint = words_for}, &text);
    assert_string_equal(text.at, "note: too small (see --plot-size)\nnote: too large\n"
                                 "note: so it is\nm.zw:1:5: note: here (see --plot-size)\n"
                                 "    x = 1\n        ^\n");
    text_clear(&text);
    diag_free(diag);
    source_free(source);
}

static void position_is_counted(void **state)
{
    (void)state;
    Source *source = source_of("ab\nθϑx\n\nlast 𝛿 line");
    uint32_t line = 1, column = 1;
    for (uint32_t i = 0; i <= source->length; i++) {
        if (((unsigned char)source->at[i] & 0xC0) == 0x80)
            continue;
        uint32_t found_line, found_column;
        place_position(place_at(source, i, 1), &found_line, &found_column);
        assert_int_equal(found_line, line);
        assert_int_equal(found_column, column);
        column++;
        if (source->at[i] == '\n')
            line++, column = 1;
    }
    place_position(place_none(), &line, &column);
    assert_int_equal(line, 1);
    assert_int_equal(column, 1);
    source_free(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_has_line_and_caret),
        cmocka_unit_test(columns_are_characters),
        cmocka_unit_test(what_no_terminal_shows_is_replaced),
        cmocka_unit_test(carriage_returns_are_not_shown),
        cmocka_unit_test(place_over_several_lines_marks_the_first),
        cmocka_unit_test(end_of_text_is_a_place),
        cmocka_unit_test(empty_text_has_no_line),
        cmocka_unit_test(messages_come_in_the_order_of_places),
        cmocka_unit_test(messages_are_counted_and_kept),
        cmocka_unit_test(long_lines_are_cut_around_the_spot),
        cmocka_unit_test(place_between_spans),
        cmocka_unit_test(a_hint_follows_its_message),
        cmocka_unit_test(position_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
