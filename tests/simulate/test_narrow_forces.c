// Forces that act for a moment, drawn at random: place, width, kind and method. Their impulse is
// known. And functions of the time that switch, at times that are known.
#include "event_case.h"
#include "uniform.h"

// Forces along x whose integral over the time is 1, about the time c and of the width w.
static const char *const pulses[] = {
    "exp(-((t - c)/w)^2)/(w*sqrt(pi))",
    "(1 - tanh((t - c)/w)^2)/(2*w)",
    "max(0, 1 - abs(t - c)/w)/w",
    "(sign(t - c + w) - sign(t - c - w))/(4*w)",
    "1/cosh((t - c)/w)^2/(2*w)",
    "2/(exp((t - c)/w) + exp((c - t)/w))/(pi*w)",
    "exp((t - c)/w)/(1 + exp((t - c)/w))^2/w",
    "1/(1 + cosh(2*(t - c)/w))/w",
    "exp(-abs(t - c)/w)/(2*w)",
    "1/(1 + ((t - c)/w)^2)^2*2/(pi*w)",
    "(tanh((t - c)/w + 1) - tanh((t - c)/w - 1))/(4*w)",
    // Waves in a pulse, and powers of what is a parabola.
    "cos(3*(t - c)/w)*exp(9/4 - ((t - c)/w)^2)/(w*sqrt(pi))",
    "(1 + cos(20*(t - c)/w))*exp(-((t - c)/w)^2)/(w*sqrt(pi))",
    "(1 - tanh((t - c)/w)^2)*(1 + cos(7*(t - c)/w))/(w*(2 + 7*pi/sinh(7*pi/2)))",
    "max(0, 1 - ((t - c)/w)^2)^2*15/(16*w)",
    "max(0, 1 - ((t - c)/w)^2)^5*693/(512*w)",
};
enum { KINDS = sizeof pulses / sizeof *pulses, SEEDS = 5 * KINDS };

// That of the fourth power falls off so slowly that a wide one has not all its impulse in the run.
static double widest_of(uint64_t kind, double widest)
{
    return strstr(pulses[kind], "^2)^2*2") ? fmin(widest, -3) : widest;
}

// `narrowest` and `widest`: of the run, by powers of ten.
static void expect_pulse(uint64_t seed, uint64_t kind, RunMethod method, double narrowest,
                         double widest)
{
    Random random = random_seed(seed);
    double to = pow(10, uniform(&random, 0, 3));
    double power = uniform(&random, narrowest, widest_of(kind, widest));
    double width = fmax(round(to * pow(10, power) * 1e9), 100) / 1e9;
    double place = round(uniform(&random, 0.2, 0.8) * to * 1e9) / 1e9;
    RunOptions options = run_options();
    options.method = method;
    Text text = {0};
    text_addf(&text,
              "coord x\nkinetic x'^2/2\ninitial x = 0, x' = 0\nrun to %.9f every %.9f\n"
              "param c = %.9f, w = %.9f\nforce %s along x\n",
              to, to / 20, place, width, pulses[kind]);
    RunCase kase = case_start(text.at, options);
    case_go(&kase);
    double speed = case_last(&kase, "x'"), x = case_last(&kase, "x");
    double most = method == RUN_TIMESTEPPING ? 2e-3 : 1e-6;
    bool right = fabs(speed - 1) <= most && fabs(x - (to - place)) <= most * to;
    if (kase.status != STATUS_OK || !right)
        fail_msg("seed %d, method %d: x' = %.12g, x = %.12g for %.12g after\n%s", (int)seed,
                 (int)method, speed, x, to - place, text.at);
    text_clear(&text);
    case_free(&kase);
}

static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF, RUN_TIMESTEPPING};

static void test_pulses(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++)
        expect_pulse(seed, seed % KINDS, methods[seed / KINDS % 5], -6, -2);
}

// Forces that set in as a ramp, from rest at 0: where they begin nothing shows their size.
static void test_ramps(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS / 4 * test_size(); seed++)
        expect_pulse(seed, 2, methods[seed % 4], -6, -5.5);
}

// The same pulses, and a wave, in other units of length and time: where all is at rest at 0 nothing
// but the force shows how large the motion will be.
static void test_units(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS / 2 * test_size(); seed++) {
        Random random = random_seed(seed);
        double second = pow(10, uniform(&random, -9, 9)), metre = pow(10, uniform(&random, -25, 9));
        uint64_t kind = seed % (KINDS + 1);
        double widest = kind < KINDS ? widest_of(kind, -1) : -1;
        double width = pow(10, uniform(&random, -5, widest)), place = uniform(&random, 2, 8);
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\ninitial x = 0, x' = 0\nrun to %.17g every %.17g\n"
                  "param c = %.17g, w = %.17g, v = %.17g\nforce v*(%s) along x\n",
                  10 * second, second / 2, place * second, width * second, metre / second,
                  kind < KINDS ? pulses[kind] : "sin(t/c)/c");
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        double speed = kind < KINDS ? 1 : 1 - cos(10 / place);
        double x = kind < KINDS ? 10 - place : 10 - place * sin(10 / place);
        double off = fabs(case_last(&kase, "x'") * second / metre - speed) +
                     fabs(case_last(&kase, "x") / metre - x) / 10;
        if (kase.status != STATUS_OK || !(off <= (seed % 4 < 2 ? 1e-6 : 1e-5)))
            fail_msg("seed %d, method %d: off by %g after\n%s", (int)seed, (int)options.method, off,
                     text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// A condition that moves for a moment, as two masses that are driven apart and back: they go on as
// before, though their speeds were many orders larger in between. Numbers and parameters.
static void test_driven_pulses(void **state)
{
    (void)state;
    static const char *const shapes[] = {"exp(-((t - %s)/%s)^2)", "1 - tanh((t - %s)/%s)^2",
                                         "1/cosh((t - %s)/%s)"};
    for (uint64_t seed = 0; seed < 24 * test_size(); seed++) {
        Random random = random_seed(seed);
        char place[32], width[32];
        snprintf(place, sizeof place, "%.3f", uniform(&random, 2, 6));
        snprintf(width, sizeof width, "%.3ge-%d", uniform(&random, 1, 9),
                 4 + (int)random_below(&random, 2));
        RunOptions options = run_options();
        options.tolerance = pow(10, -round(uniform(&random, 8, 13)));
        bool named = seed % 2 == 0;
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nkinetic (x'^2 + y'^2)/2\nparam c = %s, w = %s\n"
                  "initial x = 0, y = 0, x' = 1, y' = 1\nrun to 10 every 1\nconstraint f: x - y = ",
                  place, width);
        text_addf(&text, shapes[seed / 2 % 3], named ? "c" : place, named ? "w" : width);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        double off = fabs(case_last(&kase, "x") - 10) + fabs(case_last(&kase, "x'") - 1) +
                     fabs(case_last(&kase, "y'") - 1);
        if (kase.status != STATUS_OK || !(off <= 1e-8 + 10 * options.tolerance))
            fail_msg("seed %d: off by %g after\n%s", (int)seed, off, text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// High powers of waves, over one turn: ∫ cos^2m = 2√π·Γ(m + 1/2)/Γ(m + 1).
static void test_powers(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 24 * test_size(); seed++) {
        Random random = random_seed(seed);
        double m = round(pow(10, uniform(&random, 0.5, 6))), pi = acos(-1);
        double truth = 2 * sqrt(pi) * exp(lgamma(m + 0.5) - lgamma(m + 1));
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\ninitial x = 0, x' = 0\nrun to 2*pi every pi/10\n"
                  "force %s(t)^%.0f along x\n",
                  seed % 8 < 4 ? "cos" : "sin", 2 * m);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        double off = fabs(case_last(&kase, "x'") / truth - 1);
        if (kase.status != STATUS_OK || !(off <= 1e-6))
            fail_msg("seed %d, method %d: off by %g after\n%s", (int)seed, (int)options.method, off,
                     text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// A step input from rest: the switch has its exact time, the rows there show both sides.
static void test_step_input(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x\nkinetic x'^2/2\nforce (1 + sign(t - 1))/2 along x\n"
                                "output push = sign(t - 1)\ninitial x = 0, x' = 0\n"
                                "run to 2 every 0.5\n");
    assert_int_equal(kase.events.count, 1);
    event_is(&kase, 0, RUN_SWITCH, "", 1, 0);
    assert_int_equal(case_row_count(&kase.run), 6);
    for (size_t row = 2; row < 4; row++) {
        assert_near(case_value(&kase.run, row, "t"), 1, 0);
        assert_near(case_value(&kase.run, row, "push"), row == 2 ? -1 : 1, 0);
    }
    assert_near(case_last(&kase.run, "x"), 0.5, 1e-14);
    event_case_free(&kase);
}

// A switch, an impulse and a row at the same time; a switch at the end.
static void test_coincidence(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x\nkinetic x'^2/2\n"
                                "force (1 + sign(t - 1))/2 + max(0, t - 2) along x\n"
                                "impulse 3 along x when t = 1\ninitial x = 0, x' = 0\n"
                                "run to 2 every 0.5\n");
    assert_near(case_last(&kase.run, "x'"), 4, 1e-13);
    assert_near(case_last(&kase.run, "x"), 3.5, 1e-13);
    event_case_free(&kase);
}

// Many switches, nested functions, and one that only touches 0.
static void test_waves(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x\nkinetic x'^2/2\n"
                                "force sign(sin(20*t)) + abs((t - 1)^2) along x\n"
                                "initial x = 0, x' = 0\nrun to 3.15 every 0.45\n");
    double truth = 0, last = 0, pi = acos(-1);
    for (int i = 1; i <= 21; last = fmin(i * pi / 20, 3.15), i++)
        truth += (i % 2 ? 1 : -1) * (fmin(i * pi / 20, 3.15) - last);
    truth += (pow(2.15, 3) + 1) / 3;
    assert_near(case_last(&kase.run, "x'"), truth, 1e-11);
    event_case_free(&kase);
}

// What is switched off is 0 and no rounding of what it was: a mass comes to rest on a wall and
// stays there, though forces of 4e7 cancel.
static void test_switched_off(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x\nkinetic 116.5*x'^2/2\n"
                                "constraint wall: x >= -4.033252480945889 restitution 0\n"
                                "force -81422376.895*(sign(t - 0.20556) - sign(t - 0.205563))/2 "
                                "along x\nforce 1017.53354*(1 + sign(t - 0.88))/2 along x\n"
                                "initial x = 0, x' = -9.7\nrun to 1 every 0.1\n");
    assert_int_equal(kase.events.count, 5);
    event_is(&kase, 3, RUN_SWITCH, "", 0.88, 0);
    double gained = 1017.53354 / 116.5 * 0.12;
    assert_near(case_last(&kase.run, "x'"), gained, 1e-12);
    assert_near(case_last(&kase.run, "x"), -4.033252480945889 + gained * 0.12 / 2, 1e-12);
    event_case_free(&kase);
}

// What comes to rest on a wall at the instant at which a force turns towards it acts from there on.
static void test_pressed_at_switch(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        RunOptions options = run_options();
        options.method = methods[i];
        RunCase kase = case_start("coord z\nkinetic z'^2/2\nforce 3*sign(t - 1) along z\n"
                                  "constraint wall: z <= 0\ninitial z = -3/2, z' = 3\n"
                                  "run to 2 every 0.5\n",
                                  options);
        case_go(&kase);
        assert_int_equal(kase.status, STATUS_OK);
        assert_near(case_last(&kase, "z"), 0, 1e-15);
        assert_near(case_last(&kase, "lambda.wall"), 3, 1e-12);
        size_t rows = case_row_count(&kase), at = 0;
        while (at < rows && case_value(&kase, at, "lambda.wall") == 0)
            at++;
        assert_near(case_value(&kase, at, "t"), 1, 0);
        case_free(&kase);
    }
}

// What a servo moves from rest as t³: nothing shows its size where it begins.
static void test_slow_beginning(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        RunOptions options = run_options();
        options.method = methods[i];
        RunCase kase = case_start("coord x\nmass 20 at [x, 0, 0]\n"
                                  "servo draw: x = 12*(t - sin(t)) by force [1, 0, 0] "
                                  "at [x, 0, 0]\nrun to 2 every 0.05\n",
                                  options);
        case_go(&kase);
        assert_int_equal(kase.status, STATUS_OK);
        assert_near(case_last(&kase, "x"), 12 * (2 - sin(2)), 1e-7);
        assert_near(case_last(&kase, "x'"), 12 * (1 - cos(2)), 1e-7);
        case_free(&kase);
    }
}

// Forces that are cut off where they have a pole. What cannot be resolved at the pole ends there,
// in every method; never before it, and never elsewhere.
static void test_cut_poles(void **state)
{
    (void)state;
    static const char *const poles[] = {"1/asin(%s/20)^2",        "1/(%s)^2",  "1/sin(%s)^2",
                                        "abs(tan(%s + acos(0)))", "1/abs(%s)", "-log(abs(%s))"};
    for (uint64_t seed = 0; seed < 12 * test_size(); seed++) {
        Random random = random_seed(seed);
        double at = uniform(&random, 0.4, 1.6), part = pow(10, -uniform(&random, 0, 6));
        Text text = {0}, argument = {0};
        RunOptions options = run_options();
        options.method = (RunMethod[]){RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF}[seed % 4];
        text_addf(&argument, "(t - %.9f)", at);
        text_addf(&text, "coord x\nkinetic x'^2/2\nforce min(1, %.3g*", part);
        text_addf(&text, poles[random_below(&random, 6)], argument.at);
        text_add(&text, ") along x\ninitial x = 0, x' = 0\nrun to 2 every 0.1\n");
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        if (kase.status != STATUS_OK && fabs(kase.summary.reached - at) > 1e-6)
            fail_msg("seed %d ends at %g: %s", (int)seed, kase.summary.reached, text.at);
        text_clear(&text);
        text_clear(&argument);
        case_free(&kase);
    }
}

// A high power in a moving condition: x + y = f moves x by half of f. It is in every part of f''.
static void test_moving_powers(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8 * test_size(); seed++) {
        Random random = random_seed(seed);
        double power = floor(pow(10, uniform(&random, 2, 5.5))), a = uniform(&random, 0.01, 0.1);
        RunOptions options = run_options();
        options.method = methods[seed % 2];
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                  "constraint c: x + y = %.9f*t*sin(t)^%.0f\n"
                  "initial x = 0, y = 0, x' = 0, y' = 0\nrun to 2 every 0.1\n",
                  a, power);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        for (size_t i = 0; i < case_row_count(&kase); i++) {
            double t = case_value(&kase, i, "t");
            assert_near(case_value(&kase, i, "x"), a * t * pow(sin(t), power) / 2, 1e-9);
        }
        text_clear(&text);
        case_free(&kase);
    }
}

// Narrow functions of a shifted time in a moving condition, which lose their digits where somebody
// multiplies them out: x + y = f, and x goes half of f's way.
static void test_moving_shifts(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 24 * test_size(); seed++) {
        Random random = random_seed(seed);
        double c = (double)(1 + random_below(&random, 200)) / 128, w;
        w = (double)(100 + random_below(&random, 900)) * pow(10, -uniform(&random, 4, 9));
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        bool root = random_below(&random, 2);
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x + y = %.17g*%s(%s((t - "
                  "%.17g)/%.17g)%s)\ninitial x = 1, x' = -1\nrun to 2 every 0.125\n",
                  w, root ? "sqrt" : "atan", root ? "1 + " : "", c, w, root ? "^2" : "");
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        double u0 = -c / w, f0 = root ? hypot(w, c) : w * atan(u0);
        double rate0 = root ? u0 / hypot(1, u0) : 1 / (1 + u0 * u0);
        for (size_t i = 0; i < case_row_count(&kase); i++) {
            double t = case_value(&kase, i, "t"), u = (t - c) / w;
            double f = root ? w * hypot(1, u) : w * atan(u), x = case_value(&kase, i, "x");
            double truth = 1 + (f - f0) / 2 + (-1 - rate0 / 2) * t;
            if (fabs(x - truth) > (seed % 4 < 2 ? 1e-8 : 1e-6))
                fail_msg("seed %d: off by %g: %s", (int)seed, x - truth, text.at);
        }
        text_clear(&text);
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pulses),         cmocka_unit_test(test_ramps),
        cmocka_unit_test(test_units),          cmocka_unit_test(test_driven_pulses),
        cmocka_unit_test(test_powers),         cmocka_unit_test(test_step_input),
        cmocka_unit_test(test_coincidence),    cmocka_unit_test(test_waves),
        cmocka_unit_test(test_switched_off),   cmocka_unit_test(test_pressed_at_switch),
        cmocka_unit_test(test_slow_beginning), cmocka_unit_test(test_cut_poles),
        cmocka_unit_test(test_moving_powers),  cmocka_unit_test(test_moving_shifts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
