// What is varied: ranges against exact fractions, random axes against their moments, Sobol's
// sequence against what makes it one, grids and pairs, tables, and what is wrong with them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ensemble/sobol.h"
#include "ensemble/sweep_axes.h"
#include "support.h"

static const char *table; // what every file says

static Status read_table(const char *path, Diag *diag, Text *text)
{
    (void)path;
    (void)diag;
    text_add(text, table);
    return STATUS_OK;
}

enum { MOST_AXES = 8 };
typedef struct {
    Loaded loaded;
    Source *sources[MOST_AXES];
    SweepDesign *design;
    Text messages;
} Read;

static Read read_axes(const char *const *axes, size_t count, bool zip, size_t samples,
                      uint64_t seed)
{
    Read read = {.loaded = load_text("m", "param m = 2, k = 3\ncoord x\nmass m at [x, 0, 0]\n")};
    for (size_t i = 0; i < count; i++)
        read.sources[i] = source_new("vary", axes[i], strlen(axes[i]));
    SweepDesignOptions options = {.axes = read.sources,
                                  .count = count,
                                  .zip = zip,
                                  .samples = samples,
                                  .seed = seed,
                                  .read_file = read_table};
    Diag *diag = diag_new();
    Status status = sweep_design_new(&options, read.loaded.model, diag, &read.design);
    diag_render(diag, DIAG_NOTE, &read.messages);
    assert_int_equal(status == STATUS_OK, read.design != NULL);
    diag_free(diag);
    return read;
}

static void read_free(Read *read)
{
    sweep_design_free(read->design);
    text_clear(&read->messages);
    for (size_t i = 0; i < MOST_AXES; i++)
        source_free(read->sources[i]);
    unload(&read->loaded);
}

#define READ(zip, samples, seed, ...)                                                              \
    read_axes((const char *const[]){__VA_ARGS__},                                                  \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), zip, samples, seed)

// ---- Ranges.

// From 0 to n in m parts: the double nearest to each fraction.
static void test_ranges(void **state)
{
    (void)state;
    Random random = random_seed(24);
    for (int round = 0; round < 200; round++) {
        size_t n = 1 + random_below(&random, 50), m = 1 + random_below(&random, 40);
        char text[64];
        snprintf(text, sizeof text, "x=0:%zu:%zu", n, m + 1);
        Read read = READ(false, 0, 0, text);
        assert_int_equal(read.design->runs, m + 1);
        for (size_t i = 0; i <= m; i++)
            assert_true(sweep_value(read.design, 0, i) == (double)(n * i) / (double)m);
        read_free(&read);
    }
    Read tens = READ(false, 0, 0, "m=1:1e12:13:log");
    for (size_t run = 0; run < 13; run++) {
        char power[8];
        snprintf(power, sizeof power, "1e%zu", run);
        assert_true(sweep_value(tens.design, 0, run) == strtod(power, NULL));
    }
    read_free(&tens);
    Read read = READ(false, 0, 0, "x = 2*k : m^2 : 3", "m=1:1e4:5:log", "k=[1, 2*pi]");
    assert_int_equal(read.design->runs, 30);
    static const double powers[] = {1, 10, 100, 1000, 10000};
    for (size_t run = 0; run < 30; run++) {
        assert_true(sweep_value(read.design, 0, run) == 6 - (double)(run / 10));
        double power = sweep_value(read.design, 1, run);
        assert_true(fabs(power / powers[run / 2 % 5] - 1) < 1e-14);
        assert_true(sweep_value(read.design, 2, run) == (run % 2 ? 2 * acos(-1) : 1));
    }
    read_free(&read);
}

static void test_pairs_and_tables(void **state)
{
    (void)state;
    table = "\xEF\xBB\xBF" // as spreadsheets write it
            "x, \"m\"\n1,2\n\n3 , 4e-1\r\n-5,6";
    Read read = READ(false, 0, 0, "runs.csv", "k=[7, 8]");
    assert_int_equal(read.design->runs, 6);
    assert_string_equal(read.design->axes[0].name, "x");
    static const double x[] = {1, 3, -5}, m[] = {2, 0.4, 6}, k[] = {7, 8};
    for (size_t run = 0; run < 6; run++) {
        assert_true(sweep_value(read.design, 0, run) == x[run / 2]);
        assert_true(sweep_value(read.design, 1, run) == m[run / 2]);
        assert_true(sweep_value(read.design, 2, run) == k[run % 2]);
    }
    read_free(&read);
    read = READ(true, 0, 0, "runs.csv", "k=[7, 8, 9]");
    assert_int_equal(read.design->runs, 3);
    assert_true(sweep_value(read.design, 1, 1) == 0.4 && sweep_value(read.design, 2, 1) == 8);
    read_free(&read);
}

// ---- Random axes.

enum { DRAWS = 20000 };

// Mean and deviation of an axis, and its correlation with another one, within five deviations.
static void check_moments(const SweepDesign *design, size_t axis, double mean, double deviation)
{
    double sum = 0, square = 0, product = 0;
    size_t other = (axis + 1) % design->axis_count;
    for (size_t i = 0; i < DRAWS; i++) {
        double x = sweep_value(design, axis, i) - mean;
        sum += x;
        square += x * x;
        product += x * sweep_value(design, other, i);
    }
    assert_true(fabs(sum) < 5 * deviation * sqrt(DRAWS));
    assert_true(fabs(square / DRAWS / (deviation * deviation) - 1) < 5 * sqrt(2. / DRAWS));
    assert_true(fabs(product) < 5 * deviation * sqrt(DRAWS) * 3);
}

static void test_random(void **state)
{
    (void)state;
    Read read = READ(false, DRAWS, 7, "x=normal(1, 0.5)", "m=uniform(-1, 2)", "k=uniform(-1, 2)");
    check_moments(read.design, 0, 1, 0.5);
    check_moments(read.design, 1, 0.5, sqrt(0.75));
    check_moments(read.design, 2, 0.5, sqrt(0.75));
    Read more = READ(false, DRAWS / 2, 7, "x=normal(1, 0.5)", "m=uniform(-1, 2)");
    Read other = READ(false, DRAWS / 2, 8, "x=normal(1, 0.5)", "m=uniform(-1, 2)");
    size_t same = 0;
    for (size_t i = 0; i < DRAWS / 2; i++) {
        assert_true(sweep_value(read.design, 0, i) == sweep_value(more.design, 0, i));
        assert_true(sweep_value(read.design, 1, i) == sweep_value(more.design, 1, i));
        same += sweep_value(read.design, 0, i) == sweep_value(other.design, 0, i);
    }
    assert_int_equal(same, 0);
    read_free(&read);
    read_free(&more);
    read_free(&other);
}

// Of 2^m points from a multiple of that on, each of 2^m equal parts of an axis holds one; of the
// first two axes, each of 2^m equal boxes of any shape.
static void test_sobol(void **state)
{
    (void)state;
    Random random = random_seed(5);
    bool seen[256];
    for (size_t dimension = 0; dimension < SOBOL_DIMENSIONS; dimension++) {
        uint64_t shift = dimension % 2 ? random_next(&random) : 0;
        uint64_t first = 256 * random_below(&random, 1000);
        memset(seen, 0, sizeof seen);
        for (uint64_t k = 0; k < 256; k++) {
            double x = sobol_point(dimension, first + k, shift);
            assert_true(0 < x && x < 1);
            assert_false(seen[(size_t)(256 * x)]);
            seen[(size_t)(256 * x)] = true;
        }
    }
    for (size_t wide = 1; wide <= 256; wide *= 2) {
        memset(seen, 0, sizeof seen);
        for (uint64_t k = 0; k < 256; k++) {
            size_t i = (size_t)((double)wide * sobol_point(0, k, 0));
            size_t j = (size_t)(256 / (double)wide * sobol_point(1, k, 0));
            assert_false(seen[i * (256 / wide) + j]);
            seen[i * (256 / wide) + j] = true;
        }
    }
    Read read = READ(false, 1024, 3, "x=sobol(2, 3)", "m=sobol(0, 1)");
    double sum = 0;
    for (size_t i = 0; i < 1024; i++)
        sum += (sweep_value(read.design, 0, i) - 2) * sweep_value(read.design, 1, i);
    assert_true(fabs(sum / 1024 - 0.25) < 0.002); // of random draws 0.007 is to be expected
    read_free(&read);
}

// ---- What is wrong.

static void assert_refused(Read read, const char *message)
{
    if (read.design || !strstr(read.messages.at, message))
        fail_msg("expected '%s', was '%s'", message, read.messages.at ? read.messages.at : "");
    read_free(&read);
}

static void test_wrong(void **state)
{
    (void)state;
    assert_refused(READ(false, 0, 0, "x=0:10"), "a range is FROM:TO:COUNT");
    assert_refused(READ(false, 0, 0, "x=0:10:3:lin"), "a range is FROM:TO:COUNT");
    assert_refused(READ(false, 0, 0, "x=0:10:3:log:4"), "a range is FROM:TO:COUNT");
    assert_refused(READ(false, 0, 0, "x=3"), "a range is FROM:TO:COUNT");
    assert_refused(READ(false, 0, 0, "x=0:10:2.5"), "a whole number");
    assert_refused(READ(false, 0, 0, "x=0:10:0"), "a whole number");
    assert_refused(READ(false, 0, 0, "x=0:w:3"), "vary:1:5: error: unknown name 'w'");
    assert_refused(READ(false, 0, 0, "x=0:1/0:3"), "vary:1:7");
    assert_refused(READ(false, 0, 0, "x=-1:1:3:log"), "does not reach or pass 0");
    assert_refused(READ(false, 0, 0, "x=[ ]"), "at least one value");
    assert_refused(READ(false, 0, 0, "x=[1,,2]"), "vary:1:");
    assert_refused(READ(false, 0, 0, "x"), "has no interval");
    assert_refused(READ(false, 0, 0, "=0:1:2"), "has no name");
    assert_refused(READ(false, 0, 0, "x=0:1:2", " x =[1]"), "'x' is varied twice");
    assert_refused(READ(false, 5, 0, "x=0:1:2"), "belongs to a random axis");
    assert_refused(READ(false, 0, 0, "x=normal(0, 1)"), "needs a number of samples");
    assert_refused(READ(false, 5, 0, "x=normal(0)"), "two numbers are expected");
    assert_refused(READ(false, 5, 0, "x=normal(0, 1, 2)"), "no third one");
    assert_refused(READ(false, 5, 0, "x=normal(0, -1)"), "not below 0");
    assert_refused(READ(false, 5, 0, "x=uniform(1, 0)"), "the least value");
    assert_refused(READ(true, 0, 0, "x=0:1:10", "m=0:1:9"), "x has 10 values and m has 9");
    assert_refused(READ(false, 0, 0, "x=0:1:100000000", "m=0:1:100000000"), "too many");
    table = "x,m\n1,2\n3,abc\n";
    assert_refused(READ(false, 0, 0, "runs.csv"), "row 2 of runs.csv: 'abc' is no number");
    table = "x,m\n1,2\n3,nan\n";
    assert_refused(READ(false, 0, 0, "runs.csv"), "row 2 of runs.csv: 'nan' is no number");
    table = "x,m\n1,2\n3\n";
    assert_refused(READ(false, 0, 0, "runs.csv"), "row 2 of runs.csv has 1 values for 2 columns");
    table = "x,\n1,2\n";
    assert_refused(READ(false, 0, 0, "runs.csv"), "column 2 has no name");
    table = "x,m\n";
    assert_refused(READ(false, 0, 0, "runs.csv"), "runs.csv has no rows");
    table = "";
    assert_refused(READ(false, 0, 0, "runs.csv"), "column 1 has no name");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges), cmocka_unit_test(test_pairs_and_tables),
        cmocka_unit_test(test_random), cmocka_unit_test(test_sobol),
        cmocka_unit_test(test_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
