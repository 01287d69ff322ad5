// Tables and noise in runs, drawn at random, by every method: forces in time against their
// integrals, also with pieces far shorter than a step; functions of the place against the same
// functions as sums of max; noise against its numbers; what happens at the ends.
#include "base/counter_random.h"
#include "base/text_builder.h"
#include "run_case.h"
#include "test_size.h"
#include "uniform.h"

static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
enum { METHODS = sizeof methods / sizeof *methods, MOST_KNOTS = 16 };

typedef struct {
    size_t count;
    double at[MOST_KNOTS], value[MOST_KNOTS];
} Knots;

static void add_table(const Knots *knots, Text *text)
{
    text_add(text, "\n#= table \"u.csv\"\n#|s,u\n");
    for (size_t i = 0; i < knots->count; i++)
        text_addf(text, "#|%.17g,%.17g\n", knots->at[i], knots->value[i]);
}

// From `from` to `to`, with some pieces that are very short, as short as that.
static Knots draw_knots(Random *random, double from, double to, double shortest)
{
    Knots knots = {.count = 3 + random_below(random, MOST_KNOTS - 3)};
    double gaps[MOST_KNOTS], sum = 0;
    for (size_t i = 1; i < knots.count; i++)
        sum += gaps[i] = random_below(random, 4) == 0 ? pow(10, uniform(random, shortest, -1))
                                                      : uniform(random, 0.3, 1);
    knots.at[0] = from;
    for (size_t i = 1; i < knots.count; i++)
        knots.at[i] = knots.at[i - 1] + gaps[i] * (to - from) / sum;
    knots.at[knots.count - 1] = to;
    for (size_t i = 0; i < knots.count; i++)
        knots.value[i] = uniform(random, -3, 3);
    return knots;
}

static RunCase run_by(const Text *text, RunMethod method, double tolerance)
{
    RunOptions options = run_options();
    options.method = method;
    options.tolerance = tolerance;
    RunCase kase = case_start(text->at, options);
    case_go(&kase);
    return kase;
}

// ---- In time.

// x'' = u, u a line or a step between knots: x and x' at the last knot, from rest.
static void integrate(const Knots *knots, bool previous, double *x, double *v)
{
    *x = *v = 0;
    for (size_t i = 0; i + 1 < knots->count; i++) {
        double h = knots->at[i + 1] - knots->at[i], a = knots->value[i];
        double b = previous ? a : knots->value[i + 1];
        *x += *v * h + h * h * (2 * a + b) / 6;
        *v += h * (a + b) / 2;
    }
}

static void test_forces_in_time(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40 * test_size(); seed++) {
        Random random = random_seed(seed);
        Knots knots = draw_knots(&random, 0, 5, -6);
        bool previous = seed % 3 == 0;
        Text text = {0};
        text_addf(&text,
                  "input u = table(\"u.csv\"%s)\ncoord x\nkinetic x'^2/2\nforce u along x\n"
                  "run to 5 every 2.5\n",
                  previous ? ", previous" : "");
        add_table(&knots, &text);
        double x, v;
        integrate(&knots, previous, &x, &v);
        RunCase kase = run_by(&text, methods[seed % METHODS], 1e-10);
        case_expect(&kase, STATUS_OK);
        if (fabs(case_last(&kase, "x") - x) > 1e-7 || fabs(case_last(&kase, "x'") - v) > 1e-7)
            fail_msg("seed %d: x = %.12g and not %.12g, x' = %.12g and not %.12g\n%s", (int)seed,
                     case_last(&kase, "x"), x, case_last(&kase, "x'"), v, text.at);
        case_free(&kase);
        text_clear(&text);
    }
}

// A cubic through some of its points is itself, and so are its integrals.
static void test_cubics_in_time(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20 * test_size(); seed++) {
        Random random = random_seed(seed);
        Knots knots = draw_knots(&random, 0, 2, -3);
        double c[4], x = 0, v = 0;
        if (knots.count < 4)
            continue;
        for (int j = 0; j < 4; j++) {
            c[j] = uniform(&random, -2, 2);
            v += c[j] * pow(2, j + 1) / (j + 1);
            x += c[j] * pow(2, j + 2) / ((j + 1) * (j + 2));
        }
        for (size_t i = 0; i < knots.count; i++) {
            double t = knots.at[i];
            knots.value[i] = c[0] + t * (c[1] + t * (c[2] + t * c[3]));
        }
        Text text = {0};
        text_add(&text, "function u(s) = table(\"u.csv\", \"s\", \"u\", cubic)\ncoord x\n"
                        "kinetic x'^2/2\nforce u(t) along x\noutput slope = u'(t), bend = u''(t)\n"
                        "run to 2\n");
        add_table(&knots, &text);
        RunCase kase = run_by(&text, methods[seed % METHODS], 1e-10);
        case_expect(&kase, STATUS_OK);
        // Very short pieces leave few digits to a spline.
        assert_near(case_last(&kase, "x"), x, 1e-6);
        assert_near(case_last(&kase, "x'"), v, 1e-6);
        assert_near(case_value(&kase, 0, "slope"), c[1], 1e-3);
        case_free(&kase);
        text_clear(&text);
    }
}

// ---- Over the place.

// The same function as a sum of max(0, x − knot).
static void add_sum(const Knots *knots, Text *text)
{
    double last = 0;
    text_addf(text, "%.17g", knots->value[0]);
    for (size_t i = 0; i < knots->count; i++) {
        double slope = i + 1 < knots->count ? (knots->value[i + 1] - knots->value[i]) /
                                                  (knots->at[i + 1] - knots->at[i])
                                            : 0;
        text_addf(text, " + (%.17g)*max(0, x - (%.17g))", slope - last, knots->at[i]);
        last = slope;
    }
}

static void add_place_model(bool condition, Text *text)
{
    if (condition)
        text_add(text, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint wire: y = f\n"
                       "force -0.1*x' along x\ninitial x = -2.5, x' = 3\n");
    else
        text_add(text, "coord x\nkinetic x'^2/2\npotential x^2\nforce f along x\n"
                       "initial x = -2.5, x' = 1\n");
    text_add(text, "run to 3 every 0.5\n");
}

static void test_places_against_max(void **state)
{
    (void)state;
    size_t compared = 0;
    for (uint64_t seed = 0; seed < 24 * test_size(); seed++) {
        Random random = random_seed(seed);
        bool condition = seed % 2 == 1, series = seed / 2 % METHODS == 0;
        Knots knots = draw_knots(&random, -2, 2, condition && !series ? -1 : -6);
        for (size_t i = 0; i < knots.count; i++)
            knots.value[i] = knots.at[i] * uniform(&random, -1, 1);
        Text by_table = {0}, by_sum = {0};
        text_add(&by_table, "function g(x) = table(\"u.csv\", hold)\nparam a = 1\n");
        Text model = {0};
        add_place_model(condition, &model);
        const char *f = strstr(model.at, condition ? "= f\n" : "force f") + (condition ? 2 : 6);
        text_add_str(&by_table, (Str){model.at, (size_t)(f - model.at)});
        text_add(&by_table, "g(x)");
        text_add(&by_table, f + 1);
        add_table(&knots, &by_table);
        text_add_str(&by_sum, (Str){model.at, (size_t)(f - model.at)});
        add_sum(&knots, &by_sum);
        text_add(&by_sum, f + 1);
        RunCase one = run_by(&by_table, methods[seed / 2 % METHODS], 1e-10);
        RunCase other = run_by(&by_sum, RUN_TAYLOR, 1e-12);
        // Kinks that a method does not locate well enough end a run, and say so.
        bool both = one.status == STATUS_OK && other.status == STATUS_OK;
        compared += both;
        if (!condition) {
            case_expect(&one, STATUS_OK);
            case_expect(&other, STATUS_OK);
        }
        if (both && fabs(case_last(&one, "x") - case_last(&other, "x")) > 2e-6)
            fail_msg("seed %d: x = %.12g and not %.12g\n%s", (int)seed, case_last(&one, "x"),
                     case_last(&other, "x"), by_table.at);
        case_free(&one);
        case_free(&other);
        text_clear(&model);
        text_clear(&by_table);
        text_clear(&by_sum);
    }
    assert_true(compared >= 18 * test_size());
}

// ---- Beyond the ends.

static void test_ends(void **state)
{
    (void)state;
    Knots saw = {.count = 3, .at = {0, 0.25, 1}, .value = {0, 1, 0}};
    static const char *const words[] = {"", ", hold", ", repeat"};
    for (int i = 0; i < 3; i++) {
        Text text = {0};
        text_addf(&text,
                  "input u(t) = table(\"u.csv\"%s)\ncoord x\nkinetic x'^2/2\nforce u along x\n"
                  "run to 3.25 every 0.25\n",
                  words[i]);
        add_table(&saw, &text);
        RunCase kase = case_run(text.at);
        if (i == 0) {
            case_expect(&kase, STATUS_NEGATIVE);
            assert_true(case_says(&kase, DIAG_ERROR,
                                  "'u.csv' ends at s = 1 and is asked beyond; make it longer, or "
                                  "write 'hold' or 'repeat'"));
        } else {
            case_expect(&kase, STATUS_OK);
            // A tooth has the area ½, its first quarter ⅛.
            assert_near(case_last(&kase, "x'"), i == 1 ? 0.5 : 3 * 0.5 + 0.125, 1e-9);
            assert_near(case_last(&kase, "u"), i == 1 ? 0 : 1, 1e-12);
        }
        case_free(&kase);
        text_clear(&text);
    }
}

// ---- Noise.

static void test_noise(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8 * test_size(); seed++) {
        Random random = random_seed(seed);
        double m = uniform(&random, -1, 1), s = uniform(&random, 0.1, 3);
        bool normal = seed % 2 == 0;
        Text text = {0};
        text_addf(&text,
                  "param k = 1\ninput u = random(%s(%.17g, %.17g), 0.01*k, %d)\ncoord x\n"
                  "kinetic x'^2/2\nforce u along x\nrun to 1 every 0.01\n",
                  normal ? "normal" : "uniform", m, s, (int)seed);
        RunCase kase = run_by(&text, methods[seed / 2 % METHODS], 1e-10);
        case_expect(&kase, STATUS_OK);
        double v = 0;
        for (uint64_t k = 0; k < 100; k++) {
            double u = normal ? m + s * counter_normal(seed, 0, k)
                              : m + (s - m) * counter_uniform(seed, 0, k);
            assert_near(case_value(&kase, k, "u"), u, 1e-14);
            assert_near(case_value(&kase, k, "x'"), v, 1e-8);
            v += 0.01 * u;
        }
        case_free(&kase);
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces_in_time),
        cmocka_unit_test(test_cubics_in_time),
        cmocka_unit_test(test_places_against_max),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
