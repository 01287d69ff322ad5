// A model that runs again with other parameters and from other starts gives what a model gives that
// is opened with them: the same rows, bit for bit, the same report and the same messages, whether
// what was derived before serves or not.
//
// `make test` draws some models; with ZWANG_TEST_SIZE set all of the gallery are run.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/api_impl.h"
#include "base/base.h"
#include "model/system.h"
#include "support.h"
#include "zwang.h"

enum { DRAWN_MODELS = 10, ROUNDS = 4 };

// ---- A run, with all that it gives.

typedef struct {
    zw_status status;
    ARRAY(double) values;
    Text events;
    zw_result *report;
    char *messages;
} Told;

static bool keep_row(void *context, const double *values, size_t count)
{
    Told *told = context;
    for (size_t i = 0; i < count; i++)
        array_push(&told->values, values[i]);
    return true;
}

static void keep_event(void *context, const zw_event *event)
{
    Told *told = context;
    text_addf(&told->events, "%.17g %s %s %.17g\n", event->t, event->kind,
              event->constraint ? event->constraint : "", event->impulse);
}

static Told tell(zw_model *model, zw_run_options options)
{
    Told told = {0};
    options.row = keep_row;
    options.event = keep_event;
    options.context = &told;
    told.status = zw_run(model, &options, &told.report);
    told.messages = zw_messages(model, ZW_NOTE);
    return told;
}

static void told_free(Told *told)
{
    array_clear(&told->values);
    text_clear(&told->events);
    zw_result_free(told->report);
    zw_free(told->messages);
}

static bool same_text(const char *one, const char *other)
{
    return strcmp(one ? one : "", other ? other : "") == 0;
}

static bool are_same(const Told *one, const Told *other)
{
    size_t bytes = one->values.count * sizeof(double);
    return one->status == other->status && one->values.count == other->values.count &&
           (bytes == 0 || memcmp(one->values.at, other->values.at, bytes) == 0) &&
           same_text(one->events.at, other->events.at) &&
           same_text(zw_result_text(one->report), zw_result_text(other->report)) &&
           same_text(one->messages, other->messages);
}

static void assert_same(const Told *one, const Told *other, const char *name, const char *setting)
{
    if (are_same(one, other))
        return;
    print_message("%s with %s: rows %zu and %zu\n--- again:\n%s%s\n--- opened anew:\n%s%s\n", name,
                  setting, one->values.count, other->values.count, zw_result_text(one->report),
                  one->messages ? one->messages : "", zw_result_text(other->report),
                  other->messages ? other->messages : "");
    fail();
}

// ---- Settings at random.

// Some of the parameters and starts that are numbers, near what they are; now and then 0 or 1,
// which change the structure of equations. Nothing of a model that reads files, which is not known
// here (NULL).
static void draw_setting(const Model *model, Random *random, Text *text)
{
    text->length = 0;
    text_add(text, "");
    size_t structural = random_below(random, 40);
    for (size_t i = 0; model && i < model->params.count; i++) {
        const ModelParam *param = &model->params.at[i];
        if (expr_is_none(param->value) || !expr_is_number(model->pool, param->value) ||
            random_below(random, 2) == 0)
            continue;
        double value = fmpz_get_d(&expr_value(model->pool, param->value)->num) /
                       fmpz_get_d(&expr_value(model->pool, param->value)->den);
        value *= 0.9 + 0.2 * (double)random_below(random, 1000) / 1000;
        if (structural-- == 0)
            value = (double)random_below(random, 2);
        text_addf(text, "%s%s=%.15g", text->length ? "," : "", param->name, value);
    }
}

// ---- The gallery.

static zw_run_options options_of(const char *method)
{
    zw_run_options options = {0};
    options.engine = "interpret";
    options.method = method;
    return options;
}

static Told tell_anew(const char *name, const char *setting, const zw_run_options *options)
{
    const char *text = zw_gallery_text(name);
    zw_model *model;
    Told told = {0};
    told.status = zw_model_read(
        name, text, strlen(text),
        &(zw_model_options){.settings = &setting, .setting_count = setting[0] != 0}, &model);
    if (told.status == ZW_DONE)
        told = tell(model, *options);
    zw_model_free(model);
    return told;
}

// How many of the runs were served by what the first one had derived.
static size_t repeat(const char *name, const zw_run_options *options, size_t rounds, uint64_t seed)
{
    const char *text = zw_gallery_text(name);
    Random random = random_seed(seed);
    Text setting = {0};
    zw_model *model;
    assert_int_equal(zw_model_read(name, text, strlen(text), NULL, &model), ZW_DONE);
    Loaded defaults = load_text(name, text);
    for (size_t round = 0; round < rounds; round++) {
        draw_setting(defaults.model, &random, &setting);
        const char *given = setting.at;
        zw_status set = zw_model_set(model, &given, given[0] != 0);
        Told again = {.status = set}, anew = tell_anew(name, given, options);
        if (set == ZW_DONE)
            again = tell(model, *options);
        // What was said of a file when it was read is said once.
        for (size_t i = 0; i < 2 && !defaults.model; i++) {
            zw_free(i ? again.messages : anew.messages);
            *(i ? &again.messages : &anew.messages) = NULL;
        }
        assert_same(&again, &anew, name, given);
        told_free(&again);
        told_free(&anew);
    }
    unload(&defaults);
    text_clear(&setting);
    size_t served = model->served;
    zw_model_free(model);
    return served;
}

static void test_gallery(void **state)
{
    (void)state;
    bool all = getenv("ZWANG_TEST_SIZE") != NULL;
    uint64_t seed = 23;
    Random random = random_seed(seed);
    size_t count = zw_gallery_count(), served = 0, runs = 0;
    for (size_t i = 0; i < (all ? count : DRAWN_MODELS); i++) {
        const char *name = zw_gallery_name(all ? i : random_below(&random, count));
        static const char *const methods[] = {NULL, NULL, "erk", "adams", "bdf"};
        zw_run_options options = options_of(methods[random_below(&random, 5)]);
        size_t now = repeat(name, &options, ROUNDS, random_next(&random));
        if (all)
            print_message("%s by %s: %zu of %d served\n", name,
                          options.method ? options.method : "auto", now, ROUNDS - 1);
        served += now;
        runs += ROUNDS - 1;
    }
    print_message("%zu of %zu runs were served by what was derived before\n", served, runs);
}

// ---- What serves, and what does not.

static void set_and_run(zw_model *model, const char *setting, zw_status expected)
{
    zw_run_options options = options_of(NULL);
    options.to = 0.5;
    assert_int_equal(zw_model_set(model, &setting, setting[0] != 0), expected);
    Told told = tell(model, options);
    assert_int_equal(told.status, expected);
    told_free(&told);
}

// Numbers serve; what has another structure is derived anew, and serves from then on.
static void test_what_serves(void **state)
{
    (void)state;
    static const struct {
        const char *setting;
        bool serves;
    } steps[] = {{"m=3", false},           {"m=2.5,r=0.4", true}, {"psi=0.21,phi'=5", true},
                 {"g=0", false},           {"g=0,m=5", true},     {"", false},
                 {"m=4,theta'=0.4", true}, {"C=0.3", false},      {"C=0.3,r=0.3", true},
                 {"m=1", false},           {"m=1", true}};
    const char *text = zw_gallery_text("hoop");
    zw_model *model;
    size_t served = 0;
    assert_int_equal(zw_model_read("hoop", text, strlen(text), NULL, &model), ZW_DONE);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        set_and_run(model, steps[i].setting, ZW_DONE);
        served += steps[i].serves;
        assert_int_equal(model->served, served);
    }
    zw_model_free(model);
}

// A constant is a part of the text; the next setting is without it.
static void test_constants(void **state)
{
    (void)state;
    static const char text[] = "const N = 2\nparam k = 3\ncoord x[N]\n"
                               "kinetic sum(i in 1..N, x[i]'^2)/2\n"
                               "potential sum(i in 1..N, k*x[i]^2)/2\ninitial x[1] = 1\nrun to 1\n";
    const char *setting = "N=3,k=5";
    zw_model *model;
    zw_result *names;
    assert_int_equal(zw_model_read("chain", text, strlen(text), NULL, &model), ZW_DONE);
    set_and_run(model, "k=4", ZW_DONE);
    assert_int_equal(zw_model_set(model, &setting, 1), ZW_DONE);
    assert_int_equal(zw_run_columns(model, NULL, &names), ZW_DONE);
    assert_int_equal(zw_result_run(names)->columns, 1 + 3 + 3 + 1);
    zw_result_free(names);
    set_and_run(model, "k=6", ZW_DONE);
    assert_int_equal(zw_run_columns(model, NULL, &names), ZW_DONE);
    assert_int_equal(zw_result_run(names)->columns, 1 + 2 + 2 + 1);
    zw_result_free(names);
    zw_model_free(model);
}

// Which velocities are independent is chosen by the numbers of the start: where others would be,
// all is derived anew.
static void test_choice_of_speeds(void **state)
{
    (void)state;
    static const char text[] = "param m = 2, I = 0.3\ncoord x, y, theta\n"
                               "kinetic m*(x'^2 + y'^2)/2 + I*theta'^2/2\n"
                               "constraint edge: y'*cos(theta) - x'*sin(theta) = 0\n"
                               "initial theta = 0.1, theta' = 0.5\nrun to 1 every 0.1\n";
    static const char *const settings[] = {"theta=0.1,x'=1", "theta=0.12,x'=1", "theta=1.5,y'=1",
                                           "theta=1.4,y'=1", "theta=-0.1,x'=1"};
    static const size_t served[] = {0, 1, 1, 2, 2};
    zw_model *model, *anew;
    zw_run_options options = options_of(NULL);
    assert_int_equal(zw_model_read("blade", text, strlen(text), NULL, &model), ZW_DONE);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        assert_int_equal(zw_model_set(model, &settings[i], 1), ZW_DONE);
        Told again = tell(model, options);
        zw_model_options chosen = {.settings = &settings[i], .setting_count = 1};
        zw_model_read("blade", text, strlen(text), &chosen, &anew);
        Told other = tell(anew, options);
        assert_same(&again, &other, "blade", settings[i]);
        assert_int_equal(model->served, served[i]);
        told_free(&again);
        told_free(&other);
        zw_model_free(anew);
    }
    zw_model_free(model);
}

static void test_mistakes(void **state)
{
    (void)state;
    const char *text = zw_gallery_text("hoop");
    zw_model *model;
    assert_int_equal(zw_model_read("hoop", text, strlen(text), NULL, &model), ZW_DONE);
    set_and_run(model, "m=3", ZW_DONE);
    set_and_run(model, "M=3", ZW_WRONG);
    set_and_run(model, "m=", ZW_WRONG);
    set_and_run(model, "m=A", ZW_WRONG);
    set_and_run(model, "m=3", ZW_DONE);
    set_and_run(model, "m=1/0", ZW_WRONG);
    set_and_run(model, "m=3.5", ZW_DONE);
    zw_model_free(model);
}

// Exports read the inputs as a host's; runs behind them have them as the model says, whether the
// export was made, left one as it is (its rate is needed), or was refused.
static void test_runs_behind_exports(void **state)
{
    (void)state;
    static const char text[] = "coord x\nkinetic x'^2/2\ninput u = sin(t), r = t^2\n"
                               "dissipation (x' - r')^2/2\nforce u along x\nrun to 1 every 0.5\n";
    zw_model *model;
    zw_result *code;
    assert_int_equal(zw_model_read("m.zw", text, strlen(text), NULL, &model), ZW_DONE);
    Told first = tell(model, (zw_run_options){0});
    for (int i = 0; i < 2; i++) {
        zw_export_options options = {.to = i ? "c" : "fmu", .sources_only = true};
        assert_int_equal(zw_export(model, &options, &code), i ? ZW_DONE : ZW_WRONG);
        zw_result_free(code);
        Told again = tell(model, (zw_run_options){0});
        assert_int_equal(again.values.count, first.values.count);
        assert_memory_equal(again.values.at, first.values.at, first.values.count * sizeof(double));
        told_free(&again);
    }
    told_free(&first);
    zw_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_serves),         cmocka_unit_test(test_constants),
        cmocka_unit_test(test_choice_of_speeds),    cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_runs_behind_exports), cmocka_unit_test(test_gallery),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
