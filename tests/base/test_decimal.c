// The shortest decimals, against strtod, printf and exact powers of ten.
#include "base/decimal.h"
#include "base/strings.h"
#include "test_size.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float float_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The significant digits of a decimal.
static void significant(const char *text, char *out)
{
    size_t length = 0, last = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (*text == '0' && length == 0))
            continue;
        out[length++] = *text;
        last = *text == '0' ? last : length;
    }
    out[last] = '\0';
}

static void write_double(double value, char *out)
{
    size_t length = decimal_write(value, out);
    assert_true(length > 0 && length <= DECIMAL_MOST);
    out[length] = '\0';
}

// The significant digits of the first of %.1g, %.2g, … that reads back.
static void try_digits(double value, char *out)
{
    char tried[40];
    int digits = 0;
    do {
        assert_true(digits < 17);
        snprintf(tried, sizeof tried, "%.*g", ++digits, value);
    } while (strtod(tried, NULL) != value);
    significant(tried, out);
}

// It reads back to the same bits, has the fewest digits, and of these decimals it is the nearest.
static void check(double value)
{
    char text[DECIMAL_ROOM], own[DECIMAL_ROOM], fewest[40], all[40];
    write_double(value, text);
    double back = strtod(text, NULL);
    if (memcmp(&back, &value, sizeof back) != 0)
        fail_msg("%.17g is written %s", value, text);
    significant(text, own);
    if (value != 0)
        try_digits(value, fewest);
    else
        fewest[0] = '\0';
    // The nearest decimal, which alone is tried, may be beyond the nearer neighbour of a power of
    // two, and one a little further reads back.
    int two;
    bool shorter = fabs(frexp(value, &two)) == 0.5 && strlen(own) < strlen(fewest);
    if (!shorter && strcmp(own, fewest) != 0)
        fail_msg("%.17g is written %s, and not %s", value, text, fewest);
    snprintf(all, sizeof all, "%.17g", value);
    assert_int_equal(!strchr(text, 'e'), !strchr(all, 'e'));
    assert_true(strlen(text) <= strlen(all));
}

// So many, times ZWANG_TEST_SIZE where that is set.
static size_t most(size_t usual)
{
    return usual * test_size();
}

static void random_bits_read_back(void **state)
{
    (void)state;
    Random random = random_seed(19);
    for (size_t i = 0, count = most(60000); i < count; i++) {
        double value = from_bits(random_next(&random));
        if (isfinite(value))
            check(value);
    }
}

// As rows have them: sizes about 1, decimals of few digits, sums of these, whole numbers.
static void usual_numbers_are_short(void **state)
{
    (void)state;
    Random random = random_seed(20);
    for (size_t i = 0, count = most(40000) / 4; i < count; i++) {
        double decimal = (double)random_below(&random, 100000) / 1000;
        check(decimal);
        check(decimal + (double)random_below(&random, 1000) * 0.001);
        check((double)(random_next(&random) >> (1 + random_below(&random, 63))));
        check(-ldexp((double)(random_next(&random) >> 11), -(int)random_below(&random, 70)));
    }
}

static void powers_and_edges_read_back(void **state)
{
    (void)state;
    for (int two = -1074; two < 1024; two++) {
        double power = ldexp(1, two);
        check(power);
        check(nextafter(power, 0));
        check(nextafter(power, INFINITY));
    }
    for (int ten = -323; ten <= 308; ten++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", ten);
        double power = strtod(text, NULL);
        check(power);
        check(nextafter(power, 0));
        check(nextafter(power, INFINITY));
    }
    for (uint64_t bits = 1; bits < 2000; bits++)
        check(from_bits(bits));
    for (uint64_t bits = 1; bits < 52; bits++)
        check(from_bits((UINT64_C(1) << bits) - 1));
    check(from_bits(UINT64_C(0x7FEFFFFFFFFFFFFF)));
    check(from_bits(UINT64_C(0x000FFFFFFFFFFFFF)));
    check(0.0);
    check(-0.0);
}

static void layout_is_that_of_printf(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {0.2, "0.2"},
                 {-2.0999999999999996, "-2.0999999999999996"},
                 {1e-4, "0.0001"},
                 {1.5e-5, "1.5e-05"},
                 {1e16, "10000000000000000"},
                 {1e17, "1e+17"},
                 {123456, "123456"},
                 {5e-324, "5e-324"},
                 {1.7976931348623157e308, "1.7976931348623157e+308"},
                 {9007199254740992, "9007199254740992"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, "nan"},
                 {-NAN, "nan"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[DECIMAL_ROOM];
        write_double(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
    Text text = {0};
    text_add(&text, "x=");
    text_add_decimal(&text, 0.1);
    assert_string_equal(text.at, "x=0.1");
    text_clear(&text);
}

// Floats, by the same means: strtof, and %.9g at most.
static void floats_read_back(void **state)
{
    (void)state;
    Random random = random_seed(21);
    for (size_t i = 0, count = most(50000); i < count; i++) {
        uint32_t bits = (uint32_t)random_next(&random);
        if (i < 6000) // powers of two and their neighbours, denormals
            bits = i < 765 ? (uint32_t)(i / 3 << 23) + (uint32_t)(i % 3) - 1 : (uint32_t)i;
        float value = float_from_bits(bits);
        char text[DECIMAL_ROOM], own[DECIMAL_ROOM], tried[40], fewest[40];
        if (!isfinite(value) || value == 0)
            continue;
        text[decimal_write_float(value, text)] = '\0';
        if (strtof(text, NULL) != value)
            fail_msg("%.9g is written %s", (double)value, text);
        int digits = 0;
        do
            snprintf(tried, sizeof tried, "%.*g", ++digits, (double)value);
        while (strtof(tried, NULL) != value);
        significant(text, own);
        significant(tried, fewest);
        bool shorter = (bits & 0x7FFFFF) == 0 && strlen(own) < strlen(fewest);
        if (!shorter && strcmp(own, fewest) != 0)
            fail_msg("%.9g is written %s, and not %s", (double)value, text, fewest);
    }
}

// ---- The powers, by long arithmetic: words of 32 bits, the lowest first.

enum { WORDS = 80 };
typedef struct {
    uint32_t at[WORDS];
} Long;

static Long times(Long a, uint32_t factor, uint32_t add)
{
    uint64_t carry = add;
    for (size_t i = 0; i < WORDS; i++) {
        carry += (uint64_t)a.at[i] * factor;
        a.at[i] = (uint32_t)carry;
        carry >>= 32;
    }
    assert_true(carry == 0);
    return a;
}

static Long shifted(Long a, int bits)
{
    for (; bits >= 31; bits -= 31)
        a = times(a, UINT32_C(1) << 31, 0);
    return times(a, UINT32_C(1) << bits, 0);
}

static int compare(const Long *a, const Long *b)
{
    for (size_t i = WORDS; i-- > 0;)
        if (a->at[i] != b->at[i])
            return a->at[i] < b->at[i] ? -1 : 1;
    return 0;
}

static Long product_of_tens(Long a, int count)
{
    for (; count > 0; count--)
        a = times(a, 10, 0);
    return a;
}

// (g − 1)·2^(e − 127) ≤ 10^p < g·2^(e − 127), both sides brought to whole numbers.
static void powers_are_those_of_ten(void **state)
{
    (void)state;
    static const struct {
        uint64_t high, low;
    } powers[] = {
#define POWER(high, low) {high, low},
#include "base/powers_of_ten.def"
#undef POWER
    };
    assert_int_equal(sizeof powers / sizeof *powers, 324 + 292 + 1);
    for (int p = -292; p <= 324; p++) {
        uint64_t high = powers[p + 292].high, low = powers[p + 292].low;
        assert_true(high >> 63 == 1 && low > 0);
        int e = (int)floor(p * log2(10) + (p == 0 ? 0 : 1e-12));
        Long above = {
            {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};
        Long below = above, one = {{1}};
        low--;
        below.at[0] = (uint32_t)low;
        below.at[1] = (uint32_t)(low >> 32);
        Long power = product_of_tens(one, p > 0 ? p : 0);
        above = product_of_tens(above, p < 0 ? -p : 0);
        below = product_of_tens(below, p < 0 ? -p : 0);
        int shift = e - 127;
        power = shifted(power, shift < 0 ? -shift : 0);
        above = shifted(above, shift > 0 ? shift : 0);
        below = shifted(below, shift > 0 ? shift : 0);
        assert_true(compare(&below, &power) <= 0 && compare(&power, &above) < 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bits_read_back),      cmocka_unit_test(usual_numbers_are_short),
        cmocka_unit_test(powers_and_edges_read_back), cmocka_unit_test(layout_is_that_of_printf),
        cmocka_unit_test(floats_read_back),           cmocka_unit_test(powers_are_those_of_ten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
