// reading.h: models read from a few lines, and expressions compared by how they print.
#ifndef ZWANG_TESTS_READING_H
#define ZWANG_TESTS_READING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expr/expr.h"
#include "model/model.h"

enum { MOST_SETTINGS = 8 };

typedef struct {
    Source *source, *set[MOST_SETTINGS];
    size_t set_count;
    Diag *diag;
    Model *model;
    Status status;
} Reading;

// `settings` ends with NULL; it may be NULL itself.
static inline Reading read_with(const char *text, const char *const *settings)
{
    Reading reading = {.source = source_new("m.zw", text, strlen(text)), .diag = diag_new()};
    ModelSetting set[MOST_SETTINGS];
    while (settings && settings[reading.set_count]) {
        const char *words = settings[reading.set_count];
        Source *source = source_new("setting", words, strlen(words));
        set[reading.set_count].source = source;
        reading.set[reading.set_count++] = source;
    }
    reading.status =
        model_read(reading.source, set, reading.set_count, reading.diag, &reading.model);
    return reading;
}

static inline void finish(Reading *reading)
{
    model_free(reading->model);
    diag_free(reading->diag);
    source_free(reading->source);
    for (size_t i = 0; i < reading->set_count; i++)
        source_free(reading->set[i]);
}

static inline void assert_messages(const Reading *reading, const char *expected)
{
    Text said = {0};
    text_add(&said, "");
    diag_render(reading->diag, DIAG_NOTE, &said);
    assert_string_equal(said.at, expected);
    text_clear(&said);
}

static inline Reading read_good_with(const char *text, const char *const *settings)
{
    Reading reading = read_with(text, settings);
    assert_messages(&reading, "");
    assert_int_equal(reading.status, STATUS_OK);
    return reading;
}

static inline Reading read_good(const char *text)
{
    return read_good_with(text, NULL);
}

static inline void assert_wrong_with(const char *text, const char *const *settings,
                                     const char *expected)
{
    Reading reading = read_with(text, settings);
    assert_messages(&reading, expected);
    assert_int_equal(reading.status, STATUS_WRONG);
    assert_null(reading.model);
    finish(&reading);
}

// The expression is the one that this text means, with every name a symbol.
static inline void assert_means(const Reading *reading, Expr value, const char *text)
{
    Source *source = source_new("expected", text, strlen(text));
    Diag *diag = diag_new();
    Expr expected;
    assert_int_equal(model_read_expression(reading->model->pool, source, diag, &expected),
                     STATUS_OK);
    Text printed = {0}, wanted = {0};
    expr_print(reading->model->pool, value, &printed);
    expr_print(reading->model->pool, expected, &wanted);
    assert_string_equal(printed.at, wanted.at);
    assert_true(expr_same(value, expected));
    text_clear(&printed);
    text_clear(&wanted);
    diag_free(diag);
    source_free(source);
}

static inline Expr output_of(const Reading *reading, const char *name)
{
    for (size_t i = 0; i < reading->model->outputs.count; i++)
        if (strcmp(reading->model->outputs.at[i].name, name) == 0)
            return reading->model->outputs.at[i].value;
    print_message("no output %s\n", name);
    fail();
    return (Expr){0};
}

#endif
