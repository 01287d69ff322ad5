// Random numbers by their index: the generator of its paper, and numbers of the right distribution,
// independent from index to index and from stream to stream.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/counter_random.h"

// The known answers that the authors publish beside their code (kat_vectors).
static void test_paper(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed, stream, k;
        uint32_t word[4];
    } known[] = {
        {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {0x299f31d0a4093822,
         0x0370734413198a2e,
         0x85a308d3243f6a88,
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        CounterBits bits = counter_bits(known[i].seed, known[i].stream, known[i].k);
        for (size_t j = 0; j < 4; j++)
            assert_int_equal(bits.word[j], known[i].word[j]);
    }
}

enum { DRAWS = 200000, BINS = 50 };

// Mean, variance and fourth moment to within five deviations of the mean of so many.
static void check_moments(double (*draw)(uint64_t, uint64_t, uint64_t), double mean, double square,
                          double fourth, double eighth)
{
    double sums[3] = {0}, next = 0, across = 0;
    for (uint64_t k = 0; k < DRAWS; k++) {
        double x = draw(7, 3, k) - mean;
        sums[0] += x;
        sums[1] += x * x;
        sums[2] += x * x * x * x;
        next += x * (draw(7, 3, k + 1) - mean);
        across += x * (draw(7, 4, k) - mean);
    }
    double root = sqrt(DRAWS);
    assert_true(fabs(sums[0] / DRAWS) < 5 * sqrt(square) / root);
    assert_true(fabs(sums[1] / DRAWS - square) < 5 * sqrt(fourth - square * square) / root);
    assert_true(fabs(sums[2] / DRAWS - fourth) < 5 * sqrt(eighth - fourth * fourth) / root);
    assert_true(fabs(next / DRAWS) < 5 * square / root);
    assert_true(fabs(across / DRAWS) < 5 * square / root);
}

static void test_uniform(void **state)
{
    (void)state;
    size_t bins[BINS] = {0};
    check_moments(counter_uniform, 0.5, 1. / 12, 1. / 80, 1. / 2304);
    for (uint64_t k = 0; k < DRAWS; k++) {
        double x = counter_uniform(1, 0, k);
        assert_true(0 < x && x < 1);
        bins[(size_t)(x * BINS)]++;
    }
    // χ² of 49 degrees: mean 49, deviation 9.9.
    double expected = (double)DRAWS / BINS, chi = 0;
    for (size_t i = 0; i < BINS; i++)
        chi += ((double)bins[i] - expected) * ((double)bins[i] - expected) / expected;
    assert_true(10 < chi && chi < 100);
}

static void test_normal(void **state)
{
    (void)state;
    check_moments(counter_normal, 0, 1, 3, 105);
    size_t below = 0, beyond = 0;
    for (uint64_t k = 0; k < DRAWS; k++) {
        double x = counter_normal(2, 0, k);
        assert_true(isfinite(x));
        below += x < -1;
        beyond += fabs(x) > 3;
    }
    // Φ(−1) and 2Φ(−3).
    const double part = 0.158655253931457, tail = 0.00269979606326019;
    assert_true(fabs((double)below - DRAWS * part) < 5 * sqrt(DRAWS * part * (1 - part)));
    assert_true(fabs((double)beyond - DRAWS * tail) < 5 * sqrt(DRAWS * tail));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
