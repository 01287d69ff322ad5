// Views, the builder, widths, the nearest word, hashes, name maps and random numbers.
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void views_compare_by_bytes(void **state)
{
    (void)state;
    Str word = {"theta", 5}, begin = {"thetaX", 5};
    assert_true(str_equal(word, begin));
    assert_true(str_is(begin, "theta"));
    assert_false(str_is(begin, "thet"));
    assert_false(str_is(begin, "thetaX"));
    assert_true(str_equal((Str){NULL, 0}, str_of("")));
}

// The builder against one big buffer.
static void text_is_what_was_added(void **state)
{
    (void)state;
    static char expected[200000];
    size_t length = 0;
    Text text = {0};
    Random random = random_seed(5);
    while (length < sizeof expected - 100) {
        int value = (int)random_below(&random, 100000);
        switch (random_below(&random, 4)) {
        case 0:
            text_addf(&text, "%d:%s", value, "abc");
            length += (size_t)sprintf(expected + length, "%d:%s", value, "abc");
            break;
        case 1:
            text_add(&text, "ϑ' = ω");
            length += (size_t)sprintf(expected + length, "ϑ' = ω");
            break;
        case 2:
            text_add_str(&text, (Str){"xyz", 2});
            length += (size_t)sprintf(expected + length, "xy");
            break;
        default:
            text_add_char(&text, '#');
            expected[length++] = '#';
            expected[length] = '\0';
        }
        assert_int_equal(text.at[text.length], '\0');
    }
    assert_int_equal(text.length, length);
    assert_string_equal(text.at, expected);
    text_clear(&text);
    assert_null(text.at);
    text_add(&text, "");
    assert_string_equal(text.at, "");
    text_clear(&text);
}

static void width_counts_characters(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t width;
    } cases[] = {
        {"", 0},
        {"abc", 3},
        {"θ", 1},
        {"ϑ' = ω₁", 7},
        {"r²·θ′", 5},
        {"q\u0307", 1},
        {"θ\u0308", 1},
        {"−½", 2},
        {"𝛿x", 2},
        {"a\u0307b\u036Fc", 3},
        // U+0370 is the first letter behind the combining marks.
        {"\u0370x", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(text_width(cases[i].text, strlen(cases[i].text)), cases[i].width);
}

// Width is additive over characters, whatever is put together.
static void width_adds_up(void **state)
{
    (void)state;
    static const char *pieces[] = {"a", "θ", "q\u0307", "𝛿", " ", "₂", "x'"};
    Random random = random_seed(9);
    Text text = {0};
    size_t width = 0;
    for (size_t i = 0; i < 500; i++) {
        const char *piece = pieces[random_below(&random, sizeof pieces / sizeof *pieces)];
        width += text_width(piece, strlen(piece));
        text_add(&text, piece);
        assert_int_equal(text_width(text.at, text.length), width);
    }
    text_clear(&text);
}

static const char *nearest(const char *word)
{
    static const char *names[] = {"theta", "phi", "omega1", "velocity", "x", "y", "constraint"};
    Str candidates[sizeof names / sizeof *names];
    size_t count = sizeof names / sizeof *names;
    for (size_t i = 0; i < count; i++)
        candidates[i] = str_of(names[i]);
    ptrdiff_t at = str_nearest(str_of(word), candidates, count);
    return at < 0 ? "" : names[at];
}

static void nearest_word_is_meant(void **state)
{
    (void)state;
    assert_string_equal(nearest("thetta"), "theta");
    assert_string_equal(nearest("tehta"), "theta");
    assert_string_equal(nearest("theta"), "theta");
    assert_string_equal(nearest("heta"), "theta");
    assert_string_equal(nearest("omega2"), "omega1");
    assert_string_equal(nearest("velocty"), "velocity");
    assert_string_equal(nearest("contraint"), "constraint");
    assert_string_equal(nearest("constriant"), "constraint");
    assert_string_equal(nearest("phj"), "phi");
    assert_string_equal(nearest("constr"), "constraint");
    assert_string_equal(nearest("velocities"), "velocity");
    assert_string_equal(nearest("theta_front"), "theta");
    Str options[] = {str_of("--to"), str_of("--tolerance"), str_of("--every")};
    assert_int_equal(str_nearest(str_of("--tolerence"), options, 3), 1);
    assert_int_equal(str_nearest(str_of("--tolerance_of"), options, 3), 1);
}

static void far_words_are_not_meant(void **state)
{
    (void)state;
    assert_string_equal(nearest("z"), "");
    assert_string_equal(nearest(""), "");
    assert_string_equal(nearest("mass"), "");
    assert_string_equal(nearest("gravity"), "");
    assert_string_equal(nearest("psx"), "");
    assert_string_equal(nearest("potential"), "");
    assert_int_equal(str_nearest(str_of("theta"), NULL, 0), -1);
}

static void long_words_are_left_alone(void **state)
{
    (void)state;
    char word[201];
    memset(word, 'w', 200);
    word[200] = '\0';
    Str candidates[] = {str_of(word), str_of("theta")};
    assert_int_equal(str_nearest(str_of("thetta"), candidates, 2), 1);
    assert_int_equal(str_nearest(str_of(word), candidates, 2), -1);
}

// One random edit in a word of length six or more leads back to it.
static void one_edit_leads_back(void **state)
{
    (void)state;
    static const char *words[] = {"inertia", "potential", "velocity", "coordinate", "reaction"};
    Str candidates[5];
    for (size_t i = 0; i < 5; i++)
        candidates[i] = str_of(words[i]);
    for (uint64_t seed = 0; seed < 500; seed++) {
        Random random = random_seed(seed);
        size_t which = (size_t)random_below(&random, 5);
        char edited[32];
        size_t length = candidates[which].length;
        memcpy(edited, words[which], length);
        size_t at = (size_t)random_below(&random, length - 1);
        char letter = (char)('a' + random_below(&random, 26)), other = edited[at + 1];
        switch (random_below(&random, 3)) {
        case 0: edited[at] = letter; break;
        case 1: memmove(edited + at, edited + at + 1, --length - at); break;
        default: edited[at + 1] = edited[at], edited[at] = other; break;
        }
        if (str_nearest((Str){edited, length}, candidates, 5) != (ptrdiff_t)which)
            fail_msg("seed %llu: %.*s", (unsigned long long)seed, (int)length, edited);
    }
}

static void name_map_holds_thousands(void **state)
{
    (void)state;
    enum { NAMES = 20000 };
    NameMap *map = name_map_new();
    char name[32];
    for (uint32_t i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "q[%u,%u]'", i % 131, i);
        assert_true(name_map_put(map, str_of(name), i));
        assert_false(name_map_put(map, str_of(name), i + 1));
    }
    uint32_t value = 0;
    for (uint32_t i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "q[%u,%u]'", i % 131, i);
        assert_true(name_map_get(map, str_of(name), &value));
        assert_int_equal(value, i);
        // The same name without its prime is another one.
        assert_false(name_map_get(map, (Str){name, strlen(name) - 1}, &value));
    }
    assert_true(name_map_get(map, str_of("q[0,0]'"), NULL));
    assert_true(name_map_put(map, (Str){NULL, 0}, 7));
    assert_true(name_map_get(map, str_of(""), &value));
    assert_int_equal(value, 7);
    name_map_free(map);
    name_map_free(NULL);
}

// splitmix64 as published (Steele, Lea, Flood 2014): the first numbers from the seed 1234567.
static void random_numbers_are_splitmix(void **state)
{
    (void)state;
    static const uint64_t known[] = {6457827717110365317u, 3203168211198807973u,
                                     9817491932198370423u, 4593380528125082431u,
                                     16408922859458223821u};
    Random random = random_seed(1234567);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(random_next(&random) == known[i]);
}

static void random_below_is_reproducible(void **state)
{
    (void)state;
    Random one = random_seed(42), two = random_seed(42), other = random_seed(43);
    size_t same = 0;
    for (uint64_t i = 1; i < 2000; i++) {
        uint64_t value = random_below(&one, i);
        assert_true(value < i);
        assert_true(value == random_below(&two, i));
        same += value == random_below(&other, i);
    }
    assert_true(same < 100);
    for (int i = 0; i < 100; i++)
        assert_true(random_below(&one, UINT64_MAX) < UINT64_MAX);
    assert_true(random_below(&one, 1) == 0);
}

// Pearson's test; with k − 1 degrees of freedom χ² stays below k − 1 + 6√(2(k − 1)).
static void random_below_is_uniform(void **state)
{
    (void)state;
    enum { CLASSES = 37, DRAWS = 37 * 2000 };
    size_t hits[CLASSES] = {0};
    Random random = random_seed(7);
    for (size_t i = 0; i < DRAWS; i++)
        hits[random_below(&random, CLASSES)]++;
    double expected = (double)DRAWS / CLASSES, chi = 0;
    for (size_t i = 0; i < CLASSES; i++) {
        double off = (double)hits[i] - expected;
        chi += off * off / expected;
    }
    assert_true(chi < 36 + 6 * 8.5);
    assert_true(chi > 36 - 4 * 8.5);
}

// A bound just above half of the range: without drawing again, low values come twice as often.
static void random_below_has_no_bias_for_large_bounds(void **state)
{
    (void)state;
    const uint64_t bound = 3ull << 62;
    size_t low = 0;
    Random random = random_seed(11);
    for (size_t i = 0; i < 30000; i++)
        low += random_below(&random, bound) < bound / 3;
    assert_in_range(low, 9500, 10500);
}

static void hashes_see_every_byte(void **state)
{
    (void)state;
    unsigned char bytes[16] = {0};
    uint64_t plain = hash_bytes(bytes, sizeof bytes, 0);
    assert_true(plain == hash_bytes(bytes, sizeof bytes, 0));
    assert_true(plain != hash_bytes(bytes, sizeof bytes, 1));
    assert_true(plain != hash_bytes(bytes, sizeof bytes - 1, 0));
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = 1;
        assert_true(plain != hash_bytes(bytes, sizeof bytes, 0));
        bytes[i] = 0;
    }
    assert_true(hash_mix(hash_mix(0, 1), 2) != hash_mix(hash_mix(0, 2), 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_compare_by_bytes),
        cmocka_unit_test(text_is_what_was_added),
        cmocka_unit_test(width_counts_characters),
        cmocka_unit_test(width_adds_up),
        cmocka_unit_test(nearest_word_is_meant),
        cmocka_unit_test(far_words_are_not_meant),
        cmocka_unit_test(long_words_are_left_alone),
        cmocka_unit_test(one_edit_leads_back),
        cmocka_unit_test(name_map_holds_thousands),
        cmocka_unit_test(random_numbers_are_splitmix),
        cmocka_unit_test(random_below_is_reproducible),
        cmocka_unit_test(random_below_is_uniform),
        cmocka_unit_test(random_below_has_no_bias_for_large_bounds),
        cmocka_unit_test(hashes_see_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
