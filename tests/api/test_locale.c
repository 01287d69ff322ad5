// A host with a decimal comma, also one that changes it meanwhile in another thread, gets the same
// bytes as one without.
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "zwang.h"

static char folder[] = "/tmp/zwang-locale-XXXXXX";

// German numbers, made for this test; false where the machine does not know them.
static bool make_locale(void)
{
    char command[300];
    if (!mkdtemp(folder))
        return false;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1",
             folder, folder);
    int unused = system(command);
    (void)unused;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void add_file(const char *name, Text *all)
{
    char path[200], block[4096];
    size_t count;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    while ((count = fread(block, 1, sizeof block, file)) > 0)
        text_add_str(all, (Str){block, count});
    fclose(file);
}

static void add_result(zw_status status, zw_result **result, Text *all)
{
    assert_true(status == ZW_DONE || status == ZW_NEGATIVE);
    text_add(all, zw_result_text(*result));
    zw_result_free(*result);
}

// What a function of the caller sees is the caller's own locale.
static bool comma_in_row;
static bool look(void *context, const double *values, size_t count)
{
    (void)context, (void)values, (void)count;
    char text[20];
    snprintf(text, sizeof text, "%.1f", 0.5);
    comma_in_row = text[1] == ',';
    return true;
}

// Everything that is written with numbers: reports, JSON, LaTeX, CSV, events, SVG, code, settings.
static Text everything(const char *name)
{
    Text all = {0};
    const char *text = zw_gallery_text(name), *setting = "m=2.5";
    zw_model *model;
    zw_result *result;
    zw_model_options chosen = {.settings = &setting, .setting_count = 1};
    assert_int_equal(zw_model_read(name, text, strlen(text), &chosen, &model), ZW_DONE);
    char out[200], events[200], svg[200];
    snprintf(out, sizeof out, "%s/rows.csv", folder);
    snprintf(events, sizeof events, "%s/events.json", folder);
    snprintf(svg, sizeof svg, "%s/plot.svg", folder);
    const char *plots[] = {svg};
    zw_plot_style style = {.extent = "86.5x60.5mm", .font = "8.5pt", .range = "t=0.1:0.45"};
    const zw_plot_style *styles[] = {&style};
    zw_run_options run = {.to = 0.5,
                          .every = 0.05,
                          .out = out,
                          .events = events,
                          .plots = plots,
                          .plot_count = 1,
                          .plot_styles = styles,
                          .engine = "interpret",
                          .row = look};
    add_result(zw_run(model, &run, &result), &result, &all);
    add_file("rows.csv", &all);
    add_file("events.json", &all);
    add_file("plot.svg", &all);
    add_result(zw_at(model, NULL, &result), &result, &all);
    add_result(zw_at(model, &(zw_at_options){.as = ZW_JSON}, &result), &result, &all);
    add_result(zw_derive(model, &(zw_derive_options){.as = ZW_LATEX}, &result), &result, &all);
    add_result(zw_export(model, &(zw_export_options){.to = "c", .smooth = true}, &result), &result,
               &all);
    zw_sim *sim;
    char *saved;
    size_t count;
    assert_int_equal(zw_sim_new(model, NULL, &sim), ZW_DONE);
    assert_int_equal(zw_sim_set_parameter(sim, "m", 2.75), ZW_DONE);
    assert_int_equal(zw_sim_to(sim, 0.125), ZW_DONE);
    assert_int_equal(zw_sim_save(sim, &saved, &count), ZW_DONE);
    assert_int_equal(zw_sim_restore(sim, saved, count), ZW_DONE);
    text_add(&all, saved);
    zw_free(saved);
    zw_sim_free(sim);
    zw_model_free(model);
    return all;
}

static void compare(const Text *one, const Text *other, const char *name)
{
    size_t at = 0;
    while (at < one->length && at < other->length && one->at[at] == other->at[at])
        at++;
    if (one->length != other->length || at < one->length)
        fail_msg("%s differs: %.80s\nand %.80s", name, one->at + at, other->at + at);
}

static void german(void **state)
{
    (void)state;
    static const char *const names[] = {"bouncing_ball", "hoop"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        setlocale(LC_ALL, "C");
        Text plain = everything(names[i]);
        assert_false(comma_in_row);
        assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
        Text other = everything(names[i]);
        assert_true(comma_in_row);
        compare(&plain, &other, names[i]);
        assert_string_equal(setlocale(LC_ALL, NULL), "de_DE.UTF-8");
        text_clear(&plain);
        text_clear(&other);
    }
}

static atomic_bool stop;

static void *change(void *unused)
{
    while (!atomic_load(&stop)) {
        setlocale(LC_ALL, "de_DE.UTF-8");
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
        setlocale(LC_ALL, "C");
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
    return unused;
}

static void another_thread(void **state)
{
    (void)state;
    setlocale(LC_ALL, "C");
    Text plain = everything("bouncing_ball");
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, change, NULL), 0);
    for (int i = 0; i < 5; i++) {
        Text other = everything("bouncing_ball");
        compare(&plain, &other, "bouncing_ball");
        text_clear(&other);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    text_clear(&plain);
}

int main(void)
{
    if (!make_locale()) {
        printf("skipped: no German locale can be made here (package locales)\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(german), cmocka_unit_test(another_thread)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[200];
    snprintf(command, sizeof command, "rm -r %s", folder);
    int unused = system(command);
    (void)unused;
    return failed;
}
