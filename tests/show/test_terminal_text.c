// test_terminal_text.c: lines that fit, columns, stacked tables, carets, ASCII, colours.
#include "support.h"

#include "base/base.h"
#include "show/show.h"

static Text fitted(const char *text, size_t width, bool ascii, bool colour)
{
    Text out = {0};
    show_for_terminal(text, &(ShowTerminal){.width = width, .ascii = ascii, .colour = colour},
                      &out);
    text_add(&out, "");
    return out;
}

static void assert_fitted(const char *text, size_t width, const char *expected)
{
    Text out = fitted(text, width, false, false);
    assert_string_equal(out.at, expected);
    text_clear(&out);
}

static void test_words(void **state)
{
    (void)state;
    assert_fitted("", 40, "");
    assert_fitted("short\n", 40, "short\n");
    assert_fitted("a sentence that is longer than its line, as many are\n", 30,
                  "a sentence that is longer than\n  its line, as many are\n");
    // A word that is too long stays whole; nothing is dropped.
    assert_fitted("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz after\n", 20,
                  "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\n  after\n");
    assert_fitted("one two three\n\nfour\n", 0, "one two three\n\nfour\n");
}

// Formulas are broken before a sign, outside of brackets where that is near.
static void test_formulas(void **state)
{
    (void)state;
    assert_fitted("  v:    m·v′ + cos(θ)·(a + b + c) − m·s·w² = Z\n", 36,
                  "  v:    m·v′ + cos(θ)·(a + b + c)\n          − m·s·w² = Z\n");
    Text out =
        fitted("  T = a + b + c + d + e + f + g + h + i + j + k + l + m + n\n", 24, false, false);
    for (const char *end = strchr(out.at, '\n'); end; end = strchr(end + 1, '\n'))
        assert_true(end == out.at || (end[-1] != '+' && end[-1] != ' '));
    text_clear(&out);
}

static void test_tables(void **state)
{
    (void)state;
    const char *table = "        value        speed\n"
                        "x       0.5          1        acts\n"
                        "y       0.25         2        acts\n";
    assert_fitted(table, 60, table);
    // Drawn together.
    assert_fitted(table, 24, "   value  speed\nx  0.5    1      acts\ny  0.25   2      acts\n");
    // Stacked: a line for each value.
    assert_fitted(table, 20,
                  "x\n  value  0.5\n  speed  1\n  acts\ny\n  value  0.25\n  speed  2\n  acts\n");
}

static void test_carets(void **state)
{
    (void)state;
    assert_fitted("m.zw:1:9: error: unknown name\n    force k*x + banana*y along x\n"
                  "                ^~~~~~\n",
                  24,
                  "m.zw:1:9: error: unknown\n  name\n    force k*x + banana*y\n"
                  "                ^~~~~~\n    along x\n");
    // A wide line stays with its caret where nothing is broken.
    const char *message = "m.zw:1:3: error: no\n    a b\n      ^\n";
    assert_fitted(message, 80, message);
}

static void test_ascii(void **state)
{
    (void)state;
    const struct {
        const char *text, *spelled;
    } pairs[] = {{"m·θ′² − φ₁″", "m*theta'^2 - phi1''"},
                 {"x¹² ≤ ½·√2 … Tzénoff", "x^12 <= 1/2*sqrt2 ... Tzenoff"},
                 {"λ.edge, T⁺, R_θ, ∂x′/∂θ", "lambda.edge, T+, R_theta, dx'/dtheta"},
                 {"κόσμος 漢\xff", "kappa?sigmamuosigma"}};
    for (size_t i = 0; i < 3; i++) {
        Text out = fitted(pairs[i].text, 0, true, false);
        assert_int_equal(strncmp(out.at, pairs[i].spelled, strlen(pairs[i].spelled)), 0);
        text_clear(&out);
    }
    // Every code point becomes ASCII, and columns that grow push the next ones.
    Text all = {0};
    for (uint32_t code = 0x80; code < 0x3000; code++) {
        char bytes[5] = {0};
        if (code < 0x800) {
            bytes[0] = (char)(0xC0 | code >> 6);
            bytes[1] = (char)(0x80 | (code & 0x3F));
        } else {
            bytes[0] = (char)(0xE0 | code >> 12);
            bytes[1] = (char)(0x80 | (code >> 6 & 0x3F));
            bytes[2] = (char)(0x80 | (code & 0x3F));
        }
        text_addf(&all, "%s ", bytes);
    }
    Text out = fitted(all.at, 80, true, false);
    for (size_t i = 0; i < out.length; i++)
        assert_true((unsigned char)out.at[i] < 0x80);
    text_clear(&out);
    text_clear(&all);
    out = fitted("θ     1\nψ     2\n", 80, true, false);
    assert_string_equal(out.at, "theta  1\npsi    2\n");
    text_clear(&out);
}

// Without its escape sequences a text is what it is without colours.
static void test_colours(void **state)
{
    (void)state;
    const char *text = "m.zw:3:1: error: a message that goes on over the end of its line\n"
                       "    coord x, x\n             ^\n"
                       "zwang: error: none\nnote: said\n"
                       "hamel and appell give the same motion: proved exactly, by forms\n"
                       "unstable: it grows\n";
    Text plain = fitted(text, 40, false, false), coloured = fitted(text, 40, false, true);
    Text without = {0};
    size_t sequences = 0;
    for (const char *at = coloured.at; *at;) {
        if (*at == '\033') {
            at = strchr(at, 'm') + 1;
            sequences++;
        } else {
            text_add_char(&without, *at++);
        }
    }
    assert_string_equal(without.at, plain.at);
    assert_true(sequences >= 16);
    assert_non_null(strstr(coloured.at, "\033[1;31merror:\033[0m"));
    assert_non_null(strstr(coloured.at, "\033[31munstable\033[0m"));
    text_clear(&plain);
    text_clear(&coloured);
    text_clear(&without);
}

// Random words at random widths: none is lost, no line is wider unless it is one word.
static void test_random(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        Random random = random_seed(seed);
        Text text = {0};
        static const char *const words[] = {"θ′", "+",   "−",     "(a", "b)", "long·word·here",
                                            "=",  "0.5", "acts,", "x:", "  ", "\n"};
        for (size_t i = 0, count = random_below(&random, 120); i < count; i++)
            text_addf(&text, "%s%s", words[random_below(&random, sizeof words / sizeof *words)],
                      random_below(&random, 5) ? " " : "    ");
        text_add(&text, "");
        size_t width = 20 + random_below(&random, 60);
        Text out = fitted(text.at, width, random_below(&random, 2), false);
        Text again = fitted(text.at, 0, false, false);
        char *save = NULL, *copy = out.at;
        size_t counted = 0, wanted = 0;
        for (const char *line = out.at; *line;) {
            size_t length = strcspn(line, "\n");
            Str trimmed = {line, length};
            while (trimmed.length && *trimmed.at == ' ')
                trimmed.at++, trimmed.length--;
            if (text_width(line, length) > width && memchr(trimmed.at, ' ', trimmed.length)) {
                // Only a sign that must not end a line may keep two words together.
                if (text_width(line, length) > width + 16)
                    print_message("seed %zu, width %zu: %.*s\n", (size_t)seed, width, (int)length,
                                  line);
                assert_true(text_width(line, length) <= width + 16);
            }
            line += length + (line[length] == '\n');
        }
        for (char *word = strtok_r(copy, " \n", &save); word; word = strtok_r(NULL, " \n", &save))
            counted++;
        save = NULL;
        for (char *word = strtok_r(again.at, " \n", &save); word;
             word = strtok_r(NULL, " \n", &save))
            wanted++;
        assert_int_equal(counted, wanted);
        text_clear(&text);
        text_clear(&out);
        text_clear(&again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),  cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_tables), cmocka_unit_test(test_carets),
        cmocka_unit_test(test_ascii),  cmocka_unit_test(test_colours),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
