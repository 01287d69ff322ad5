// Sweeps: every run has the numbers of a single run with its values, bit for bit, whatever acts in
// it and however many threads there are; what is kept of the whole motion against closed forms.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/decimal.h"
#include "support.h"
#include "test_size.h"
#include "zwang.h"

// Bilateral, impacts, friction, events, discrete states, switches, conditions on velocities alone,
// velocities that become singular; and an axis that changes the structure (0 and 1).
static const struct {
    const char *model, *axes[2];
    double to;
} cases[] = {
    {"hoop", {"psi=0.1:0.6:4", "r=[0.3, 1]"}, 3},
    {"bouncing_ball", {"h=0.5:2:4", "e=[0, 0.5, 1]"}, 1.5},
    {"friction_belt", {"V=0.2:0.6:3", "mu=[0, 0.3]"}, 3},
    {"friction_slope", {"mu=normal(0.3, 0.1)", "g=uniform(5, 10)"}, 1},
    {"event_section", {"y=0.05:0.2:4", "y'=0:0.1:2"}, 20},
    {"event_ratchet", {"p=[0.5, 0.6]", NULL}, 2},
    {"blade_wall", {"m=[1, 2]", NULL}, 3},
    {"string_pendulum", {"m=[1, 3]", "g=[5, 9.81]"}, 2},
    {"bicycle", {"g=uniform(9, 10)", NULL}, 1},
    {"table", {"m=[1, 2, 3]", NULL}, 1},
};

static zw_model *open_gallery(const char *name, const char *setting)
{
    const char *text = zw_gallery_text(name);
    zw_model *model;
    assert_non_null(text);
    assert_int_equal(
        zw_model_read(name, text, strlen(text),
                      &(zw_model_options){.settings = &setting, .setting_count = setting != NULL},
                      &model),
        ZW_DONE);
    return model;
}

static zw_result *sweep(zw_model *model, zw_sweep_options options)
{
    zw_result *result = NULL;
    options.numbers = true;
    zw_status status = zw_sweep(model, &options, &result);
    char *messages = zw_messages(model, ZW_ERROR);
    if (status > ZW_NEGATIVE || !result)
        fail_msg("status %d: %s", status, messages ? messages : "");
    zw_free(messages);
    return result;
}

static zw_result *sweep_case(size_t i, size_t threads)
{
    zw_model *model = open_gallery(cases[i].model, NULL);
    bool random = strchr(cases[i].axes[0], '(');
    zw_sweep_options options = {.vary = cases[i].axes,
                                .vary_count = cases[i].axes[1] ? 2 : 1,
                                .samples = random ? 5 : 0,
                                .seed = 3,
                                .threads = threads,
                                .run = &(zw_run_options){.to = cases[i].to}};
    zw_result *result = sweep(model, options);
    zw_model_free(model);
    return result;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

// ---- Against single runs.

static void compare_with_run(size_t i, const zw_sweep_facts *facts, size_t run)
{
    Text setting = {0};
    size_t axes = cases[i].axes[1] ? 2 : 1;
    for (size_t k = 0; k < axes; k++) {
        text_addf(&setting, "%s%.*s=", k ? "," : "", (int)strcspn(cases[i].axes[k], "="),
                  cases[i].axes[k]);
        text_add_decimal(&setting, facts->numbers[k][run]);
    }
    zw_model *model = open_gallery(cases[i].model, setting.at);
    zw_result *result;
    zw_status status = zw_run(model, &(zw_run_options){.to = cases[i].to, .keep = true}, &result);
    bool whole = status == ZW_DONE;
    if (whole != (strcmp(facts->statuses[run], "ok") == 0))
        fail_msg("%s with %s: %s", cases[i].model, setting.at, facts->statuses[run]);
    const zw_run_facts *told = whole ? zw_result_run(result) : NULL;
    for (size_t k = axes; k < facts->columns && whole; k++) {
        size_t column = zw_result_find_column(result, facts->names[k]);
        double value = zw_result_column(result, column)[told->rows - 1];
        if (!same_bits(value, facts->numbers[k][run]))
            fail_msg("%s with %s: %s is %.17g and not %.17g", cases[i].model, setting.at,
                     facts->names[k], facts->numbers[k][run], value);
    }
    if (whole) {
        assert_int_equal(told->steps, facts->steps[run]);
        assert_true(facts->reached[run] == zw_result_column(result, 0)[told->rows - 1]);
    }
    zw_result_free(result);
    zw_model_free(model);
    text_clear(&setting);
}

static void test_single_runs(void **state)
{
    (void)state;
    size_t compared = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zw_result *result = sweep_case(i, 1 + i % 3);
        const zw_sweep_facts *facts = zw_result_sweep(result);
        assert_int_equal(facts->done, facts->runs);
        for (size_t run = 0; run < facts->runs; run++)
            compare_with_run(i, facts, run);
        compared += facts->ok;
        zw_result_free(result);
    }
    assert_true(compared > 50);
}

// ---- Any number of threads.

static void test_threads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zw_result *one = sweep_case(i, 1), *more = sweep_case(i, 2 + i % 2);
        const zw_sweep_facts *a = zw_result_sweep(one), *b = zw_result_sweep(more);
        assert_int_equal(a->columns, b->columns);
        for (size_t run = 0; run < a->runs; run++) {
            for (size_t k = 0; k < a->columns; k++)
                assert_true(same_bits(a->numbers[k][run], b->numbers[k][run]));
            assert_string_equal(a->statuses[run], b->statuses[run]);
            assert_string_equal(a->messages[run], b->messages[run]);
            assert_int_equal(a->steps[run], b->steps[run]);
            assert_true(same_bits(a->errors[run], b->errors[run]));
        }
        zw_result_free(one);
        zw_result_free(more);
    }
}

// ---- What is kept.

static zw_model *read_model(const char *text)
{
    zw_model *model;
    assert_int_equal(zw_model_read("m", text, strlen(text), NULL, &model), ZW_DONE);
    return model;
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fmax(1, fabs(expected))))
        fail_msg("%.17g, expected %.17g", value, expected);
}

// An oscillator x = a cos t + b sin t, and what it does up to t = T.
static void test_extrema(void **state)
{
    (void)state;
    zw_model *model = read_model("coord x\nmass 1 at [x, 0, 0]\npotential x^2/2\nrun to 5\n");
    zw_result *result =
        sweep(model, (zw_sweep_options){
                         .vary = (const char *const[]){"x=1:2:3", "x'=0.5:1.5:3"},
                         .vary_count = 2,
                         .keep = "max(x), min(x), time(max(x)), time(min(x)), mean(x^2), last(x), "
                                 "max(x'*x + energy), max(abs(x))"});
    const zw_sweep_facts *facts = zw_result_sweep(result);
    assert_int_equal(facts->ok, 9);
    for (size_t i = 0; i < 9; i++) {
        double a = facts->numbers[0][i], b = facts->numbers[1][i], r = hypot(a, b);
        double p = atan2(b, a), T = 5, pi = acos(-1);
        const double expected[] = {
            r,
            -r,
            p,
            p + pi,
            r * r / 2 * (1 + (sin(2 * (T - p)) + sin(2 * p)) / (2 * T)),
            r * cos(T - p),
            r * r,
            r,
        };
        for (size_t k = 0; k < 8; k++)
            assert_near(facts->numbers[2 + k][i], expected[k], 1e-9);
    }
    zw_result_free(result);
    zw_model_free(model);
}

// How much of the time x = a cos t is above a level, be it ever so short; x·sign(x') has its
// largest value at a jump; nested kinks. What jumps too often is not told.
static void test_jumps(void **state)
{
    (void)state;
    zw_model *model = read_model("param a = 1, c = 0.9\ncoord x\nmass 1 at [x, 0, 0]\n"
                                 "potential x^2/2\ninitial x = a\nrun to 8*pi\n");
    zw_result *result = sweep(
        model, (zw_sweep_options){
                   .vary = (const char *const[]){"c=[0.5, 0.9, 0.999, 0.999999]", "a=1:1.9:2"},
                   .vary_count = 2,
                   .keep = "mean((1 + sign(x - a*c))/2), max(x*sign(x')), "
                           "mean(abs(abs(x) - a*c)), mean(max(x, a*c)), "
                           "mean(sign(sin(1e5*x)))"});
    const zw_sweep_facts *facts = zw_result_sweep(result);
    assert_int_equal(facts->ok, 8);
    for (size_t i = 0; i < 8; i++) {
        double c = facts->numbers[0][i], a = facts->numbers[1][i], pi = acos(-1);
        double h = acos(c), top = sin(h) - c * h;
        assert_near(facts->numbers[2][i], h / pi, 1e-11);
        assert_near(facts->numbers[3][i], a, 1e-11);
        assert_near(facts->numbers[4][i], a * 2 / pi * (top + c * (pi / 2 - h) - 1 + sin(h)),
                    1e-11);
        assert_near(facts->numbers[5][i], a * (c + top / pi), 1e-11);
        assert_true(isnan(facts->numbers[6][i]));
        assert_non_null(strstr(facts->messages[i], "mean(sign(sin(1e5*x))) changes too often"));
    }
    zw_result_free(result);
    zw_model_free(model);
}

// What is kept alone is what it is beside everything else.
static void test_kept_alone(void **state)
{
    (void)state;
    static const char *const words[] = {"max(x)",       "min(x)",  "time(max(x))", "time(min(x))",
                                        "mean(x + x')", "last(x)", "count(up)"};
    enum { WORDS = sizeof words / sizeof *words, RUNS = 3 };
    double together[WORDS][RUNS];
    zw_model *model = read_model("coord x\nmass 1 at [x, 0, 0]\npotential x^2/2\n"
                                 "event up: x = 0.5 rising { record }\nrun to 5\n");
    char all[256] = "";
    for (size_t k = 0; k < WORDS; k++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? "," : "", words[k]);
    for (size_t k = 0; k <= WORDS; k++) {
        zw_result *result =
            sweep(model, (zw_sweep_options){.vary = (const char *const[]){"x=1:2:3"},
                                            .vary_count = 1,
                                            .keep = k ? words[k - 1] : all});
        const zw_sweep_facts *facts = zw_result_sweep(result);
        assert_int_equal(facts->ok, RUNS);
        for (size_t i = 0; i < RUNS && k > 0; i++)
            assert_near(facts->numbers[1][i], together[k - 1][i], 1e-12);
        for (size_t j = 0; j < WORDS && k == 0; j++)
            memcpy(together[j], facts->numbers[1 + j], sizeof together[j]);
        zw_result_free(result);
    }
    zw_model_free(model);
}

// A ball that falls from h and bounces: v = √(2gh), impacts at v/g·(1 + 2e + 2e² + …).
static void test_impacts(void **state)
{
    (void)state;
    zw_model *model = read_model("param h = 1, e = 0.5, g = 10\ncoord z\nmass 1 at [0, 0, z]\n"
                                 "gravity [0, 0, -g]\nconstraint floor: z >= 0 restitution e\n"
                                 "event low: z = 0.1 falling { record }\n"
                                 "initial z = h\nrun to 1.2\n");
    zw_result *result =
        sweep(model, (zw_sweep_options){.vary = (const char *const[]){"h=0.5:2:9", "e=0.3:0.8:3"},
                                        .vary_count = 2,
                                        .keep = "count(impact), count(floor), count(low), mean(z), "
                                                "max(z'), time(max(z'))"});
    const zw_sweep_facts *facts = zw_result_sweep(result);
    assert_int_equal(facts->ok, 27);
    for (size_t i = 0; i < 27; i++) {
        double h = facts->numbers[0][i], e = facts->numbers[1][i], g = 10, T = 1.2;
        double v = sqrt(2 * g * h), first = v / g, at = first, area = 2 * h * first / 3;
        size_t impacts = 1, low = h > 0.1;
        while (at + 2 * e * v / g < T && impacts < 30) {
            v *= e;
            at += 2 * v / g;
            area += 2 * v * v * v / (3 * g * g);
            impacts++;
            low += v * v / (2 * g) > 0.1;
        }
        if (impacts == 30 || facts->numbers[2][i] > 20)
            continue; // at rest
        double rest = T - at;
        v *= e;
        area += v * rest * rest / 2 - g * rest * rest * rest / 6;
        // On its way down once more, without an impact.
        double height = v * v / (2 * g) - 0.1;
        low += height > 0 && v / g + sqrt(2 * height / g) < rest;
        assert_true(facts->numbers[2][i] == (double)impacts);
        assert_true(facts->numbers[3][i] == (double)impacts);
        assert_true(facts->numbers[4][i] == (double)low);
        assert_near(facts->numbers[5][i], area / T, 1e-9);
        assert_near(facts->numbers[6][i], e * sqrt(2 * g * h), 1e-9);
        assert_near(facts->numbers[7][i], first, 1e-9);
    }
    zw_result_free(result);
    zw_model_free(model);
}

// Very many values, of which every one is a number of the model's pool: x = x₀·cos t.
static void test_many(void **state)
{
    (void)state;
    enum { MANY = 6000, AGAIN = 5900 };
    zw_model *model = read_model("coord x\nmass 1 at [x, 0, 0]\npotential x^2/2\nrun to 0.1\n");
    zw_sweep_options options = {.vary = (const char *const[]){"x=uniform(1, 2)"},
                                .vary_count = 1,
                                .samples = MANY,
                                .threads = 1,
                                .keep = "last(x)",
                                .run = &(zw_run_options){.every = 0.1}};
    zw_result *result = sweep(model, options), *one;
    const zw_sweep_facts *facts = zw_result_sweep(result);
    assert_int_equal(facts->ok, MANY);
    for (size_t i = 0; i < MANY; i++)
        assert_near(facts->numbers[1][i], facts->numbers[0][i] * cos(0.1), 1e-12);
    Text axis = {0};
    text_add(&axis, "x=[");
    text_add_decimal(&axis, facts->numbers[0][AGAIN]);
    text_add(&axis, "]");
    options.vary = (const char *const[]){axis.at};
    options.samples = 0;
    one = sweep(model, options);
    assert_true(same_bits(zw_result_sweep(one)->numbers[1][0], facts->numbers[1][AGAIN]));
    text_clear(&axis);
    zw_result_free(one);
    zw_result_free(result);
    zw_model_free(model);
}

// ---- Runs that fail, and those that are stopped.

static void test_statuses(void **state)
{
    (void)state;
    zw_model *model = read_model("param k = 1, m = 1\ncoord x\nmass m at [x, 0, 0]\n"
                                 "force -k/(1 - x) along x\ninitial x' = 1\nrun to 2\n");
    zw_result *result =
        sweep(model, (zw_sweep_options){.vary = (const char *const[]){"k=[1, 0, -1]"},
                                        .vary_count = 1,
                                        .threads = 2,
                                        .run = &(zw_run_options){.until = "x >= 0.9"}});
    const zw_sweep_facts *facts = zw_result_sweep(result);
    assert_string_equal(facts->statuses[0], "ok");
    assert_string_equal(facts->statuses[1], "stopped");
    assert_near(facts->reached[1], 0.9, 1e-9); // the time of a row, too
    assert_near(facts->numbers[1][1], 0.9, 1e-9);
    zw_result_free(result);
    result = sweep(model, (zw_sweep_options){.vary = (const char *const[]){"m=[1, 0]", "k=[1, -1]"},
                                             .vary_count = 2});
    facts = zw_result_sweep(result);
    assert_int_equal(facts->runs, 4);
    assert_string_equal(facts->statuses[0], "ok");
    assert_string_equal(facts->statuses[1], "failed"); // x reaches 1
    assert_true(facts->reached[1] > 0 && facts->reached[1] < 2);
    assert_string_equal(facts->statuses[2], "failed"); // no inertia
    for (size_t i = 1; i < 4; i++) {
        assert_true(isnan(facts->numbers[2][i]));
        assert_true(strlen(facts->messages[i]) > 10);
    }
    zw_result_free(result);
    zw_model_free(model);
}

static bool stop_soon(void *context, double part)
{
    (void)part;
    return --*(int *)context > 0;
}

static void test_ended(void **state)
{
    (void)state;
    zw_model *model = open_gallery("hoop", NULL);
    int looks = 3;
    zw_result *result =
        sweep(model, (zw_sweep_options){.vary = (const char *const[]){"psi=uniform(0.1, 0.5)"},
                                        .vary_count = 1,
                                        .samples = 1000000,
                                        .threads = 2,
                                        .progress = stop_soon,
                                        .context = &looks});
    const zw_sweep_facts *facts = zw_result_sweep(result);
    assert_true(facts->done < facts->runs);
    assert_int_equal(facts->ok, facts->done);
    zw_result_free(result);
    // The limit of each run ends them, and no other one.
    result = sweep(model, (zw_sweep_options){.vary = (const char *const[]){"psi=[0.2, 0.3]"},
                                             .vary_count = 1,
                                             .limit_each = 0.05,
                                             .run = &(zw_run_options){.to = 1e6, .every = 100}});
    facts = zw_result_sweep(result);
    assert_int_equal(facts->limited, 2);
    assert_non_null(strstr(facts->messages[0], "the limit of 0.05 s"));
    zw_result_free(result);
    zw_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_runs), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_extrema),     cmocka_unit_test(test_jumps),
        cmocka_unit_test(test_impacts),     cmocka_unit_test(test_many),
        cmocka_unit_test(test_statuses),    cmocka_unit_test(test_ended),
        cmocka_unit_test(test_kept_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
