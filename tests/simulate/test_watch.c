// What is constant is watched: no motion of the system sets the alarm off, whatever the method, and
// what is no motion does.
#include "event_case.h"
#include "simulate/run_energy.h"
#include "uniform.h"

enum { SEEDS = 40 };

// A spherical pendulum with a spring for a thread, on a cart or not, with a wall or not.
static void write_model(Text *text, Random *random)
{
    bool cart = random_below(random, 2), wall = random_below(random, 2);
    text_addf(text, "coord r, theta, phi%s\n", cart ? ", X" : "");
    text_addf(text, "kinetic (r'^2 + r^2*theta'^2 + r^2*sin(theta)^2*phi'^2)/2%s\n",
              cart ? " + X'^2" : "");
    text_addf(text, "potential %.6f*(r - 1)^2 - %.6f*r*cos(theta)\n", uniform(random, 5, 500),
              uniform(random, 1, 20));
    if (wall)
        text_add(text, "constraint wall: r <= 1.5 restitution 0.7\n");
    text_addf(text,
              "initial r = %.6f, theta = %.6f, phi = 0, r' = %.6f, theta' = 0.3, phi' = "
              "%.6f%s\nrun to 5 every 0.1\n",
              uniform(random, 0.9, 1.2), uniform(random, 0.4, 1.2), uniform(random, -1, 1),
              uniform(random, 1, 6), cart ? ", X = 0, X' = 1" : "");
}

static void test_motions(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        options.tolerance = pow(10, -uniform(&random, 5, options.method == RUN_TAYLOR ? 13 : 11));
        Text text = {0};
        write_model(&text, &random);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        if (kase.status != STATUS_OK || !kase.summary.is_conservative || !kase.summary.is_watched)
            fail_msg("seed %d, method %d, tolerance %g:\n%s", (int)seed, (int)options.method,
                     options.tolerance, text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// A blow where the energy that stays constant is not T + U: d(x' + x'³) = 2 gives x' = 1, and
// T with a linear term.
static void test_blow(void **state)
{
    (void)state;
    static const char *const models[] = {
        "coord x\nkinetic x'^2/2 + x'^4/4\nimpulse 2 along x when t = 1\nrun to 2 every 0.5\n",
        "coord x, y\nkinetic (x'^2 + y'^2)/2 + x'*(3 + y)\nimpulse 1 along x when t = 1\n"
        "run to 2 every 0.5\n",
    };
    for (size_t i = 0; i < 2; i++) {
        RunCase kase = case_start(models[i], run_options());
        case_go(&kase);
        assert_int_equal(kase.status, STATUS_OK);
        assert_true(kase.summary.is_conservative && kase.summary.is_watched);
        assert_near(case_last(&kase, "x'"), i ? cos(1) : 1, 1e-9);
        case_free(&kase);
    }
}

// On a turntable that is driven, T + U changes and Σ q' ∂T/∂q' − T + U does not: the summary speaks
// of the one that is constant. Its value is taken from the rows, as the textbook has it.
static void test_turntable(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS / 4; seed++) {
        Random random = random_seed(seed);
        double W = uniform(&random, 0.5, 3), a = uniform(&random, 10, 20);
        double b = uniform(&random, 20, 40);
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nframe F = world rotate %.6f*t about z\nmass 1 at [x, y, 0] in F\n"
                  "potential %.6f*x^2/2 + %.6f*y^2/2\ninitial x = 1, y = 0.3, x' = 0, y' = 1\n"
                  "run to 5 every 0.1\n",
                  W, a, b);
        RunCase kase = case_start(text.at, run_options());
        case_go(&kase);
        assert_int_equal(kase.status, STATUS_OK);
        assert_true(kase.summary.is_conservative && kase.summary.energy->is_apart);
        double x = case_last(&kase, "x"), y = case_last(&kase, "y");
        double u = case_last(&kase, "x'"), v = case_last(&kase, "y'");
        double E = (u * u + v * v - W * W * (x * x + y * y) + a * x * x + b * y * y) / 2;
        assert_near(E, (1 - W * W * 1.09 + a + b * 0.09) / 2, 1e-4); // digits of the text
        assert_true(kase.summary.energy->apart_change < 1e-8);
        assert_true(kase.summary.energy_drift > 1e-3);
        text_clear(&text);
        case_free(&kase);
    }
}

static void expect_alarm(const char *text, const char *what, double t)
{
    RunOptions options = run_options();
    RunCase kase = case_start(text, options);
    case_go(&kase);
    assert_int_equal(kase.status, STATUS_NEGATIVE);
    assert_int_equal(kase.summary.end, RUN_STRANDED);
    assert_true(case_says(&kase, DIAG_ERROR, what));
    assert_near(kase.summary.reached, t, 1e-9);
    case_free(&kase);
    options.unwatched = true;
    kase = case_start(text, options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    assert_false(kase.summary.is_watched);
    case_free(&kase);
}

// An angle by atan2 jumps by a whole turn, which no derivative shows.
static void test_alarms(void **state)
{
    (void)state;
    expect_alarm("coord x\nkinetic x'^2/2\npotential atan2(sin(x), cos(x))\n"
                 "initial x = 3, x' = 1\nrun to 1 every 0.1\n",
                 "the energy, which is constant, has changed by 6.3 since t = 0.1 ", 0.2);
    expect_alarm("coord x\nkinetic (2 + atan2(sin(t), cos(t))/10)*x'^2/2\n"
                 "initial x = 0, x' = 1\nrun to 5 every 0.5\n",
                 "the momentum of x, which is constant, has changed by 0.", 3.5);
}

// A one-sided condition that jumps is violated without an impact: the run ends at the jump.
static void test_violation(void **state)
{
    (void)state;
    RunCase kase = case_start("coord x\nkinetic x'^2/2\nconstraint c: atan2(sin(x), cos(x)) >= -3\n"
                              "initial x = 2.9, x' = 1\nrun to 2 every 0.1\n",
                              run_options());
    case_go(&kase);
    assert_int_equal(kase.status, STATUS_NEGATIVE);
    assert_true(case_says(&kase, DIAG_ERROR, "'c' changes faster than can be resolved there"));
    assert_near(kase.summary.reached, acos(-1) - 2.9, 1e-12);
    case_free(&kase);
}

// Forces, the time, servos and friction: nothing is promised there.
static void test_not_constant(void **state)
{
    (void)state;
    static const char *const models[] = {
        "coord x\nkinetic x'^2/2\nforce -x' along x\ninitial x = 0, x' = 1\nrun to 1\n",
        "coord x\nkinetic x'^2/2\npotential t*x\ninitial x = 0, x' = 1\nrun to 1\n",
        ("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint turn: y = x*t\n"
         "initial x = 1, x' = 0, y' = 1\nrun to 1\n"),
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        RunCase kase = case_run(models[i]);
        assert_false(kase.summary.is_conservative);
        case_free(&kase);
    }
}

// A potential with a step, on which the start, a row, the last row or an impulse at t = 0 lies: the
// energy has no value there, and the speeds are those of the closed form.
static void test_on_a_step(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        double height = uniform(&random, 0.05, 0.4), from = -(double)(seed / 4 % 4) / 2;
        // At the end where it begins 1.5 before.
        double to = from == -1.5 ? 1.5 : 2, sign = from == 0 && seed % 3 == 0 ? -1 : 1;
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\npotential %.17g*(1 + sign(x))/2\n"
                  "initial x = %.17g, x' = %.17g\nrun to %.17g every 0.25\n%s",
                  height, from, seed % 5 && from == 0 ? 0 : sign, to,
                  seed % 5 && from == 0 ? sign > 0 ? "impulse 1 along x when t = 0\n"
                                                   : "impulse -1 along x when t = 0\n"
                                        : "");
        EventCase kase = event_case_with(text.at, options);
        bool crosses = from < 0 && from > -1.5;
        double speed = crosses ? sqrt(1 - 2 * height) : sign, x = (to + from) * speed;
        // The last row may be the one behind the step.
        if (from == -1.5 && case_last(&kase.run, "x'") < 1)
            speed = sqrt(1 - 2 * height);
        if (kase.run.status != STATUS_OK || kase.run.summary.energy_drift > 1e-12 ||
            fabs(case_last(&kase.run, "x'") - speed) > 1e-10 ||
            fabs(case_last(&kase.run, "x") - x) > 1e-10)
            fail_msg("seed %d: x = %g for %g, x' = %g for %g, energy changes by %g\n%s", (int)seed,
                     case_last(&kase.run, "x"), x, case_last(&kase.run, "x'"), speed,
                     kase.run.summary.energy_drift, text.at);
        text_clear(&text);
        event_case_free(&kase);
    }
}

// Thousands of oscillations: what ends well has the energy to a thousand tolerances; by multistep
// methods some end early.
static void test_long(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    size_t early = 0;
    for (uint64_t seed = 0; seed < 8 * test_size(); seed++) {
        Random random = random_seed(seed);
        double w = uniform(&random, 0.1, 10);
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        options.tolerance = pow(10, -uniform(&random, 5, 8));
        options.to = 10000 / w;
        options.every = options.to / 500;
        Text text = {0};
        text_addf(&text, "coord x\nkinetic x'^2/2\npotential %.17g*x^2/2\ninitial x = 1, x' = 0\n",
                  w * w);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        double x = case_last(&kase, "x"), v = case_last(&kase, "x'") / w;
        bool multistep = options.method == RUN_ADAMS || options.method == RUN_BDF;
        early += kase.status != STATUS_OK;
        if (kase.status != STATUS_OK ? !multistep
                                     : !(fabs(x * x + v * v - 1) <= 1e3 * options.tolerance))
            fail_msg("seed %d: x^2 + (x'/w)^2 - 1 = %g", (int)seed, x * x + v * v - 1);
        text_clear(&text);
        case_free(&kase);
    }
    assert_true(early > 0);
}

// Potentials whose slope has a value where they have none end a run that is watched; others do not.
static void test_without_value(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF, RUN_TIMESTEPPING};
    static const char *const kinds[] = {"log(x)", "log(cos(x))", "log(x^3)", "log(atan(x))"};
    for (uint64_t seed = 0; seed < 20 * test_size(); seed++) {
        Random random = random_seed(seed);
        RunOptions options = run_options();
        options.method = methods[seed % 5];
        bool finite = random_below(&random, 4) == 0;
        Text text = {0};
        text_addf(&text, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y^2 + %.6f*%s\n",
                  uniform(&random, 0.1, 0.5),
                  finite ? "log(x^2)" : kinds[random_below(&random, 4)]);
        text_addf(&text, "initial x = %.6f, y = %.6f, x' = 0\nrun to 1 every 0.125\n",
                  uniform(&random, -3.5, -2.5), uniform(&random, 0.1, 1));
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        bool said = case_says(&kase, DIAG_ERROR, "has no finite value since t = 0");
        if (said == finite || said == (kase.status == STATUS_OK))
            fail_msg("seed %d, method %d:\n%s", (int)seed, (int)options.method, text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motions),       cmocka_unit_test(test_blow),
        cmocka_unit_test(test_turntable),     cmocka_unit_test(test_alarms),
        cmocka_unit_test(test_not_constant),  cmocka_unit_test(test_violation),
        cmocka_unit_test(test_on_a_step),     cmocka_unit_test(test_long),
        cmocka_unit_test(test_without_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
