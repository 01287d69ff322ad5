// Friction on coordinates without inertia: sliders between springs and dampers, alone, in parallel
// and in series; against reference values, the play operator, and least energy step by step.
#include "event_case.h"
#include "instant_case.h"
#include "uniform.h"

#include <stdio.h>

static double last_of(const RunCase *kase, const char *column)
{
    return case_value(kase, case_row_count(kase) - 1, column);
}

static const char jenkins[] = "param k = 10, c = 30, S = 2\ncoord x, u\nmass 1 at [x, 0, 0]\n"
                              "potential k*x^2/2 + c*(x - u)^2/2\nfriction slider: S along u\n"
                              "initial x = 1, u = 1 - S/c\nrun to 4 every 1\n";

// Where it turns after it has slid (reference values, problem 18b), by every method.
static void vibration_of_a_slider(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    static const double t[] = {0.9455345970262102, 1.840084814424549, 2.544061049338683},
                        within[] = {1e-13, 1e-10, 1e-7, 1e-7};
    for (size_t i = 0; i < 4; i++) {
        RunOptions options = run_options();
        options.method = methods[i];
        EventCase kase = event_case_with(jenkins, options);
        case_expect(&kase.run, STATUS_OK);
        assert_int_equal(kase.events.count, 6);
        for (size_t k = 0; k < 3; k++) {
            assert_int_equal(kase.events.at[2 * k].kind, RUN_SLIP);
            assert_int_equal(kase.events.at[2 * k + 1].kind, RUN_STICK);
            assert_near(kase.events.at[2 * k + 1].t, t[k], within[i]);
        }
        // Then it vibrates about the centre with this amplitude: (x − centre)² + x'²/(k + c).
        double x = last_of(&kase.run, "x") - 0.01398620413032835, v = last_of(&kase.run, "x'");
        assert_near(sqrt(x * x + v * v / 40), 0.06200459862322388, 10 * within[i]);
        event_case_free(&kase);
    }
}

// A path of several frequencies, and where it was last.
typedef struct {
    double a[3], w[3];
} Path;

static double path_at(const Path *path, double t)
{
    double x = 0;
    for (size_t i = 0; i < 3; i++)
        x += path->a[i] * sin(path->w[i] * t);
    return x;
}

static Path draw_path(Random *random, char *text, size_t size)
{
    Path path;
    for (size_t i = 0; i < 3; i++) {
        path.a[i] = uniform(random, 0.1, 0.5);
        path.w[i] = uniform(random, 0.5, 4);
    }
    snprintf(text, size, "%.17g*sin(%.17g*t) + %.17g*sin(%.17g*t) + %.17g*sin(%.17g*t)", path.a[0],
             path.w[0], path.a[1], path.w[1], path.a[2], path.w[2]);
    return path;
}

enum { SAMPLES = 40000 };

// Sliders in parallel on a path: each follows within its play S/k.
static void sliders_in_parallel(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 4 * test_size(); seed++) {
        Random random = random_seed(seed);
        char way[256], text[1024];
        Path path = draw_path(&random, way, sizeof way);
        double k[3], S[3], u[3] = {0}, to = 6;
        for (size_t i = 0; i < 3; i++) {
            k[i] = uniform(&random, 1, 20);
            S[i] = k[i] * uniform(&random, 0.05, 0.4);
        }
        snprintf(text, sizeof text,
                 "coord x, u[3]\nmass 1 at [x, 0, 0]\nconstraint drive: x = %s\n"
                 "potential %.17g*(x - u[1])^2/2 + %.17g*(x - u[2])^2/2 + %.17g*(x - u[3])^2/2\n"
                 "friction a: %.17g along u[1]\nfriction b: %.17g along u[2]\n"
                 "friction c: %.17g along u[3]\nrun to %.17g every 1\n",
                 way, k[0], k[1], k[2], S[0], S[1], S[2], to);
        RunCase kase = case_run(text);
        case_expect(&kase, STATUS_OK);
        for (size_t step = 0; step <= SAMPLES; step++)
            for (size_t i = 0; i < 3; i++) {
                double x = path_at(&path, to * (double)step / SAMPLES), play = S[i] / k[i];
                u[i] = fmax(x - play, fmin(x + play, u[i]));
            }
        for (size_t i = 0; i < 3; i++) {
            char name[16];
            snprintf(name, sizeof name, "u[%zu]", i + 1);
            assert_near(last_of(&kase, name), u[i], 1e-6);
        }
        case_free(&kase);
    }
}

// Two in series: each step of the path goes to the least of energy and what friction takes.
static void sliders_in_series(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 4 * test_size(); seed++) {
        Random random = random_seed(100 + seed);
        char way[256], text[1024];
        Path path = draw_path(&random, way, sizeof way);
        double k = uniform(&random, 5, 20), c = uniform(&random, 5, 20), to = 4;
        double S = uniform(&random, 0.5, 2), R = uniform(&random, 0.3, 1.5), u = 0, v = 0;
        snprintf(text, sizeof text,
                 "coord x, u, v\nmass 1 at [x, 0, 0]\nconstraint drive: x = %s\n"
                 "potential %.17g*(x - u)^2/2 + %.17g*(u - v)^2/2\n"
                 "friction a: %.17g along u\nfriction b: %.17g along v\nrun to %.17g every 1\n",
                 way, k, c, S, R, to);
        RunCase kase = case_run(text);
        case_expect(&kase, STATUS_OK);
        for (size_t step = 1; step <= SAMPLES; step++) {
            double x = path_at(&path, to * (double)step / SAMPLES), from = u, last = v;
            for (int turn = 0; turn < 40; turn++) {
                double high = (k * x + c * v - S) / (k + c), low = (k * x + c * v + S) / (k + c);
                u = fmax(high, fmin(low, from));
                v = fmax(u - R / c, fmin(u + R / c, last));
            }
        }
        assert_near(last_of(&kase, "u"), u, 1e-6);
        assert_near(last_of(&kase, "v"), v, 1e-6);
        case_free(&kase);
    }
}

// With a damper the force of sliding may be below the static one: k·x = c·u' + S and no jump.
static void damped_sliders(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 4 * test_size(); seed++) {
        Random random = random_seed(200 + seed);
        double k = uniform(&random, 1, 5), c = uniform(&random, 0.2, 2);
        double S = uniform(&random, 0.5, 2), start = 2 * S / k, t = uniform(&random, 0.1, 2);
        char text[512];
        snprintf(text, sizeof text,
                 "coord u\npotential %.17g*u^2/2\ndissipation %.17g*u'^2/2\n"
                 "friction f: %.17g static %.17g along u\ninitial u = %.17g\nrun to %.17g\n",
                 k, c, S, 1.5 * S, start, t);
        RunCase kase = case_run(text);
        case_expect(&kase, STATUS_OK);
        double u = S / k + (start - S / k) * exp(-k * t / c);
        assert_near(last_of(&kase, "u"), u, 1e-9 * start);
        case_free(&kase);
    }
}

static void check_refusal(const char *text, const char *said)
{
    RunCase kase = case_run(text);
    assert_true(kase.status != STATUS_OK);
    assert_true(case_says(&kase, DIAG_ERROR, said));
    case_free(&kase);
}

static void refusals(void **state)
{
    (void)state;
    check_refusal("coord x, u\nmass 1 at [x, 0, 0]\npotential (x - u)^2/2\n"
                  "friction f: 1 static 2 along u\n",
                  "would jump where it begins to slide");
    check_refusal("coord x, u\nmass 1 at [x, 0, 0]\npotential (x - u)^2/2\nfriction f: 1 along u\n"
                  "initial x = 2\n",
                  "begin where it is in balance");
    check_refusal("coord x, u\nmass 1 at [x, 0, 0]\nforce 2 along u\nfriction f: 1 along u\n",
                  "nothing determines how it slides");
    check_refusal("coord x, u\nmass 1 at [x, 0, 0]\npotential (x - u)^2/2\nfriction f: 1 along u\n"
                  "friction g: 1 along u\n",
                  "so does another friction");
}

// What slides at an instant has the velocity of its balance: that of the mass behind a spring, less
// by S/d behind a damper.
static void instants_of_sliders(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        Random random = random_seed(seed);
        double c = uniform(&random, 1, 50), S = uniform(&random, 0.1, 3),
               v = uniform(&random, 1, 3);
        bool spring = seed % 2, back = seed / 2 % 2;
        double sign = back ? -1 : 1, d = 2 * S / v;
        char text[400];
        snprintf(text, sizeof text,
                 "coord x, u\nmass 1 at [x, 0, 0]\n%s %.17g*(%s)^2/2\nfriction f: %.17g along u\n"
                 "initial x = %.17g, u = 0, x' = %.17g\n",
                 spring ? "potential" : "dissipation", spring ? c : d, spring ? "x - u" : "x' - u'",
                 S, spring ? sign * S / c : 0, sign * v);
        Instant at = instant_of(text);
        assert_near(at.start.v[1], sign * (spring ? v : v - S / d), 1e-12);
        assert_near(at.instant.sides.frictions[0].slip[0], at.start.v[1], 1e-12);
        assert_near(at.start.v[0], sign * v, 1e-12);
        instant_free(&at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vibration_of_a_slider), cmocka_unit_test(sliders_in_parallel),
        cmocka_unit_test(sliders_in_series),     cmocka_unit_test(damped_sliders),
        cmocka_unit_test(instants_of_sliders),   cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
