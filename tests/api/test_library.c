// The library as a caller sees it: defaults, a run that its listener stops, and wrong input.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "zwang.h"

static zw_model *model_of(const char *text)
{
    zw_model *model;
    (void)zw_model_read("m", text, strlen(text), NULL, 0, &model);
    return model;
}

#define SPRING                                                                                     \
    "coord x\nmass 1 at [x, 0, 0]\npotential x^2/2\ninitial x = 1\nrun to 3 every 1 "              \
    "tolerance 1e-8\n"

static void null_options_are_the_defaults(void **state)
{
    (void)state;
    zw_model *model = model_of(SPRING);
    zw_run_options defaults = zw_run_defaults();
    char *one, *other;
    assert_int_equal(zw_run(model, &defaults, &one), ZW_DONE);
    assert_int_equal(zw_run(model, NULL, &other), ZW_DONE);
    assert_string_equal(one, other);
    zw_free(one);
    zw_free(other);
    char **names;
    size_t count;
    assert_int_equal(zw_run_columns(model, NULL, &names, &count), ZW_DONE);
    assert_int_equal(count, 4);
    assert_string_equal(names[3], "energy");
    zw_free(names);
    assert_int_equal(zw_derive(model, NULL, &one), ZW_DONE);
    assert_int_equal(zw_derive(model, &(zw_derive_options){0}, &other), ZW_DONE);
    assert_string_equal(one, other);
    zw_free(one);
    zw_free(other);
    zw_model_free(model);
}

static bool until_two(void *context, const double *values, size_t count)
{
    assert_int_equal(count, 4);
    ++*(size_t *)context;
    return values[0] < 2;
}

static void a_listener_stops_a_run(void **state)
{
    (void)state;
    zw_model *model = model_of(SPRING);
    size_t rows = 0;
    zw_run_options options = zw_run_defaults();
    options.row = until_two;
    options.context = &rows;
    assert_int_equal(zw_run(model, &options, NULL), ZW_NEGATIVE);
    assert_int_equal(rows, 3);
    zw_model_free(model);
}

// A wrong model answers every question, with what is wrong with it said once.
static void wrong_models_answer(void **state)
{
    (void)state;
    zw_model *model = model_of("coord x\nkinetic m*x'^2/2\n");
    char *messages = zw_messages(model, ZW_NOTE), *report;
    assert_non_null(strstr(messages, "m:2:9: error: unknown name 'm'"));
    zw_free(messages);
    assert_int_equal(zw_run(model, NULL, &report), ZW_WRONG);
    assert_null(report);
    assert_int_equal(zw_derive(model, NULL, &report), ZW_WRONG);
    assert_int_equal(zw_check(model, NULL, ZW_TEXT, 0, &report), ZW_WRONG);
    assert_int_equal(zw_at(model, ZW_TEXT, 0, &report), ZW_WRONG);
    assert_null(report);
    zw_model_free(model);
    zw_model_free(NULL);
    zw_free(NULL);
}

// Options that were zeroed and not taken from zw_run_defaults ask for a run to 0.
static void zeroed_options_are_refused(void **state)
{
    (void)state;
    zw_model *model = model_of(SPRING);
    assert_int_equal(zw_run(model, &(zw_run_options){0}, NULL), ZW_WRONG);
    char *messages = zw_messages(model, ZW_ERROR);
    assert_non_null(strstr(messages, "the end time must be positive"));
    zw_free(messages);
    zw_model_free(model);
}

// The first row of a run, of two coordinates x and z, one of which may be an output.
typedef struct {
    size_t x, z;
    double first[2];
    bool known;
} FirstRow;

static bool keep_first(void *context, const double *values, size_t count)
{
    FirstRow *row = context;
    (void)count;
    if (!row->known) {
        row->first[0] = values[row->x];
        row->first[1] = values[row->z];
    }
    row->known = true;
    return true;
}

static FirstRow first_row(const char *text, bool reduce)
{
    zw_model *model = model_of(text);
    if (reduce)
        assert_int_equal(zw_model_reduce(model), ZW_DONE);
    FirstRow row = {0};
    zw_run_options options = zw_run_defaults();
    char **names, *said;
    size_t count;
    assert_int_equal(zw_run_columns(model, NULL, &names, &count), ZW_DONE);
    for (size_t i = 0; i < count; i++) {
        row.x = strcmp(names[i], "x") == 0 ? i : row.x;
        row.z = strcmp(names[i], "z") == 0 ? i : row.z;
    }
    zw_free(names);
    options.row = keep_first;
    options.context = &row;
    assert_int_equal(zw_run(model, &options, &said), ZW_DONE);
    zw_free(said);
    zw_model_free(model);
    return row;
}

static void fewer_coordinates_start_alike(void **state)
{
    (void)state;
    const char *const ends[] = {"constraint c: z = x + 1\ninitial z = 3\n",
                                "constraint c: z = x + 1\n",
                                "constraint c: z = x + 1\ninitial approx z = 5\n",
                                "constraint c: z = x + 1\ninitial z = 3, y = 2*z\n",
                                "constraint c: 2*x + z = 4*t + 1\ninitial y' = 1\n"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "coord x, y, z\nkinetic (x'^2 + 3*y'^2 + 2*z'^2)/2\nrun to 1 every 1\n%s",
                 ends[i]);
        FirstRow whole = first_row(text, false), fewer = first_row(text, true);
        for (size_t j = 0; j < 2; j++)
            assert_true(fabs(whole.first[j] - fewer.first[j]) < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_options_are_the_defaults), cmocka_unit_test(a_listener_stops_a_run),
        cmocka_unit_test(fewer_coordinates_start_alike), cmocka_unit_test(wrong_models_answer),
        cmocka_unit_test(zeroed_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
