// What happens at one instant: events beside samples, impulses and shocks, and what is set to 0. No
// rounding decides whether an event fires, or which comes first.
#include "event_case.h"
#include "uniform.h"

static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_BDF, RUN_ADAMS};
enum { METHODS = sizeof methods / sizeof *methods };

static EventCase go_by(RunMethod method, const char *text)
{
    RunOptions options = run_options();
    options.method = method;
    EventCase kase = event_case_with(text, options);
    case_expect(&kase.run, STATUS_OK);
    return kase;
}

static const char *const triggers[] = {"%s - %.17g", "%s >= %.17g", "%s = %.17g",
                                       "%s - %.17g rising"};

// An event exactly at sample k, written above it or below: u is n from there on, or a period later.
static void beside_samples(void **state)
{
    (void)state;
    Random random = random_seed(61);
    for (size_t round = 0; round < 8 * test_size(); round++) {
        double h = (double)(1 + random_below(&random, 8)) / (random_below(&random, 2) ? 7 : 10);
        double k = (double)(1 + random_below(&random, 4));
        bool above = random_below(&random, 2) == 0, delayed = random_below(&random, 3) == 0;
        const char *of = random_below(&random, 2) == 0 ? "t" : "x";
        size_t trigger = random_below(&random, 4), m = random_below(&random, METHODS);
        Text event = {0}, text = {0};
        text_add(&event, "event a: ");
        text_addf(&event, triggers[trigger], of, k * h);
        text_add(&event, " { set n = n + 1 }\n");
        text_addf(&text,
                  "coord x, y\nkinetic (x'^2 + y'^2)/2\nstate n = 0\n%ssample s: %.17g from %.17g "
                  "delay %.17g { set y' = n }\n%sinitial x' = 1\nrun to %.17g every 1\n",
                  above ? event.at : "", h, delayed ? h / 2 : 0, delayed ? h / 2 : 0,
                  above ? "" : event.at, (k + 2.25) * h);
        EventCase kase = go_by(methods[m], text.at);
        assert_near(case_last(&kase.run, "n"), 1, 0);
        // With a delay what is applied was computed before the event.
        double moves = above && !delayed ? 2.25 * h : 1.25 * h;
        assert_near(case_last(&kase.run, "y"), moves, 1e-7);
        event_case_free(&kase);
        text_clear(&event);
        text_clear(&text);
    }
}

// x = x0 + v·t + a·t²/2 comes to its level exactly at sample k, and not before.
static void levels_at_samples(void **state)
{
    (void)state;
    Random random = random_seed(73);
    static const size_t parts[] = {3, 4, 5, 8, 10};
    for (size_t round = 0; round < 24 * test_size(); round++) {
        size_t part = parts[random_below(&random, 5)], periods = 1 + random_below(&random, 12);
        double h = (double)periods / (double)part, k = (double)(1 + random_below(&random, 4));
        double a = (double)random_below(&random, 17) / 4 - 2, t = k * h;
        double v = (double)(1 + random_below(&random, 12)) / (random_below(&random, 2) ? 4 : -4);
        double again = a == 0 ? INFINITY : -2 * v / a - t;
        if (again > -1e-3 && again < t + 1.5 * h)
            continue;
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\nstate n = 0\nstate m = 0\nforce %g along x\n"
                  "event e: x %s 1 + (%g)*%g*%zu/%zu + (%g)*(%g*%zu/%zu)^2/2 { set n = n + 1 }\n"
                  "sample s: %zu/%zu { set m = m + n }\n"
                  "initial x = 1, x' = %g\nrun to %.17g\n",
                  a, v + a * t > 0 ? ">=" : "<=", v, k, periods, part, a, k, periods, part, periods,
                  part, v, t + 1.25 * h);
        EventCase kase = go_by(methods[round % 2], text.at);
        assert_near(case_last(&kase.run, "n"), 1, 0);
        assert_near(case_last(&kase.run, "m"), 2, 0);
        event_case_free(&kase);
        text_clear(&text);
    }
}

// A condition that begins and ends within one sample, or one event, has met its velocities.
static void begins_and_ends(void **state)
{
    (void)state;
    static const char *const blocks[] = {"sample s: 10 from 1", "event s: t >= 1"};
    for (size_t i = 0; i < 2; i++) {
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nmass 1 at [x, 0, 0]\nmass 3 at [y, 0, 0]\nstate c = 0\n"
                  "constraint bar: x' = y' while c = 1\n%s { set c = 1; set c = 0 }\n"
                  "initial x' = 4\nrun to 2\n",
                  blocks[i]);
        EventCase kase = go_by(RUN_TAYLOR, text.at);
        assert_near(case_last(&kase.run, "x'"), 1, 1e-14);
        assert_near(case_last(&kase.run, "y'"), 1, 1e-14);
        event_case_free(&kase);
        text_clear(&text);
    }
}

// An event at the instant of an impulse, or of the shock of another coordinate, is not lost.
static void beside_shocks(void **state)
{
    (void)state;
    Random random = random_seed(67);
    for (size_t round = 0; round < 8 * test_size(); round++) {
        double at = (double)(1 + random_below(&random, 30)) / 8;
        bool wall = random_below(&random, 2) == 0;
        Text text = {0};
        text_addf(&text, "coord x, y\nkinetic (x'^2 + y'^2)/2\nstate n = 0\n"
                         "initial x' = 1, y' = 1\nrun to 5 every 1\nevent a: ");
        text_addf(&text, triggers[random_below(&random, 4)],
                  random_below(&random, 2) == 0 ? "t" : "x", at);
        text_add(&text, " { set n = n + 1 }\n");
        text_addf(&text,
                  wall ? "constraint w: y <= %.17g restitution 0.5\n"
                       : "impulse -1.5 along y when t = %.17g\n",
                  at);
        EventCase kase = go_by(methods[random_below(&random, METHODS)], text.at);
        assert_near(case_last(&kase.run, "n"), 1, 0);
        assert_near(case_last(&kase.run, "y"), at - 0.5 * (5 - at), 1e-7);
        event_case_free(&kase);
        text_clear(&text);
    }
}

// What comes to a wall with a velocity passes 0 there, also where the wall throws it back: an event
// on the same surface fires as often as there are impacts, however it is written.
static void on_the_wall(void **state)
{
    (void)state;
    Random random = random_seed(71);
    static const char *const falling[] = {"z <= 0", "z falling", "z = 0", "-3*z rising"};
    for (size_t round = 0; round < 10 * test_size(); round++) {
        double h = uniform(&random, 0.5, 2), e = random_below(&random, 2) == 0 ? 0 : 0.5;
        double first = sqrt(2 * h / 9.81), end = uniform(&random, 0.1, 2.4) * first;
        size_t hits = end < first ? 0 : e == 0 || end < 2 * first ? 1 : 2;
        Text text = {0};
        text_addf(&text,
                  "coord z\nmass 1 at [0, 0, z]\ngravity [0, 0, -9.81]\nstate n = 0\n"
                  "constraint f: z >= 0 restitution %g\nevent a: %s { set n = n + 1 }\n"
                  "initial z = %.17g\nrun to %.17g\n",
                  e, falling[round % 4], h, end);
        if (fabs(end - first) < 1e-6 || fabs(end - 2 * first) < 1e-6)
            continue;
        EventCase kase = go_by(methods[random_below(&random, METHODS)], text.at);
        assert_near(case_last(&kase.run, "n"), (double)hits, 0);
        event_case_free(&kase);
        text_clear(&text);
    }
}

// n = 0.1, 0.2, … by sums whose roundings may be on either side of k/10.
static void set_to_the_level(void **state)
{
    (void)state;
    for (size_t k = 2; k < 10 + test_size(); k++) {
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\nstate n = 0\nsample s: 1 { set n = n + 0.1 }\n"
                  "initial x' = 1\nrun to 100 until n >= %zu/10\n",
                  k);
        EventCase kase = go_by(RUN_TAYLOR, text.at);
        assert_near(case_last(&kase.run, "t"), (double)(k - 1), 0);
        event_case_free(&kase);
        text_clear(&text);
    }
}

// What becomes true at the last instant of a run happens; what does so just behind it does not.
static void at_the_end(void **state)
{
    (void)state;
    Random random = random_seed(83);
    for (size_t round = 0; round < 24 * test_size(); round++) {
        double v = (double)(1 + random_below(&random, 12)) / 8,
               a = (double)random_below(&random, 9) / 8,
               to = (double)(1 + random_below(&random, 16)) / 4, level = (v + a * to / 2) * to;
        for (size_t late = 0; late < 2; late++) {
            Text text = {0};
            text_addf(&text,
                      "coord x\nkinetic x'^2/2\nstate n = 0\nstate m = 0\nforce %g along x\n"
                      "event e: x >= %.17g { set n = n + 1 }\n"
                      "event f: x = %.17g rising { set m = m + 1, x' = 0 }\n"
                      "initial x' = %g\nrun to %g every %g\n",
                      a, level * (late ? 1 + 1e-9 : 1), level * (late ? 1 + 1e-9 : 1), v, to,
                      to * (double)(1 + random_below(&random, 4)) / 3);
            EventCase kase = go_by(methods[round % 2], text.at);
            assert_near(case_last(&kase.run, "n"), late ? 0 : 1, 0);
            assert_near(case_last(&kase.run, "m"), late ? 0 : 1, 0);
            assert_near(case_last(&kase.run, "t"), to, 0);
            assert_near(case_last(&kase.run, "x'"), late ? v + a * to : 0, 1e-12 * (v + a * to));
            event_case_free(&kase);
            text_clear(&text);
        }
    }
}

// The last row of a run that an event ends has what the event has set, also where that makes
// another one true.
static void set_and_stop(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x\nkinetic x'^2/2\nstate n = 0\n"
                                "event a: x >= 1 { stop; set x = -5 }\n"
                                "event b: x <= -2 { set n = 1 }\n"
                                "initial x' = 1\nrun to 3\n");
    assert_near(case_last(&kase.run, "t"), 1, 1e-14);
    assert_near(case_last(&kase.run, "x"), -5, 0);
    assert_near(case_last(&kase.run, "n"), 0, 0);
    event_case_free(&kase);
}

// Turns of a shaft are counted, each once, however many there are and in whatever units: where the
// angle is large its sine is known to some roundings of that.
static void turns(void **state)
{
    (void)state;
    static const RunMethod by[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    static const char *const written[] = {"sin(x) = 0.3 rising", "sin(x) falling", "cos(x)",
                                          "sin(x) >= 0.3"};
    double pi = acos(-1);
    const double first[] = {asin(0.3), pi, pi / 2, asin(0.3)},
                 period[] = {2 * pi, 2 * pi, pi, 2 * pi};
    for (uint64_t seed = 0; seed < 16 * test_size(); seed++) {
        Random random = random_seed(seed);
        double v = pow(10, uniform(&random, -3, 6)), way = uniform(&random, 100, 1000);
        size_t kind = seed % 4;
        double count = floor((way - first[kind]) / period[kind]) + 1;
        RunOptions options = run_options();
        options.method = by[seed / 4 % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nkinetic (x'^2 + y'^2)/2\nstate n = 0\n"
                  "event e: %s { set n = n + 1%s }\ninitial x' = %.17g\nrun to %.17g every %.17g\n",
                  written[kind], random_below(&random, 2) ? ", y' = y' + 1" : "", v, way / v,
                  way / v / (double)(1 + random_below(&random, 20)));
        EventCase kase = event_case_with(text.at, options);
        case_expect(&kase.run, STATUS_OK);
        if (case_last(&kase.run, "n") != count)
            fail_msg("seed %d: %g for %g\n%s", (int)seed, case_last(&kase.run, "n"), count,
                     text.at);
        event_case_free(&kase);
        text_clear(&text);
    }
}

// An event that throws back what it speaks of, at the instant of a switch beside it: this moves the
// state by some last digits, and the way back over them is no second event. Rows lie there too.
static void thrown_back_at_switches(void **state)
{
    (void)state;
    Random random = random_seed(97);
    static const char *const beside[] = {
        "constraint y = max(0, z - %.17g)\n", "constraint y + z = abs(t - %.17g)\n",
        "kinetic sign(t - %.17g)*z'^2/4\n", "potential -sign(z - %.17g)\n",
        "force max(0, z - %.17g) along y\n"};
    for (size_t round = 0; round < 20 * test_size(); round++) {
        double v = (double)(1 + random_below(&random, 12)) / 4, t = uniform(&random, 1, 2);
        if (random_below(&random, 2))
            t = (double)(1 + random_below(&random, 8)) / 4;
        double back = (double)(1 + random_below(&random, 8)) / 2;
        Text text = {0};
        text_add(&text, "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n");
        text_addf(&text, beside[round % 5], t);
        text_addf(&text,
                  "event e: %s { set x' = -%g*x' }\ninitial x = %.17g, x' = %.17g%s\n"
                  "run to %.17g every %.17g\n",
                  random_below(&random, 2) ? "x = 0" : "x >= 0", back, -v * t, v,
                  round % 5 == 1 ? "" : ", z' = 1", 1.5 * t, t / 4);
        EventCase kase = go_by(methods[random_below(&random, METHODS)], text.at);
        if (fabs(case_last(&kase.run, "x") + back * v * t / 2) > 1e-6)
            fail_msg("round %zu: %g\n%s", round, case_last(&kase.run, "x"), text.at);
        event_case_free(&kase);
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_at_samples), cmocka_unit_test(begins_and_ends),
        cmocka_unit_test(beside_samples),    cmocka_unit_test(beside_shocks),
        cmocka_unit_test(on_the_wall),       cmocka_unit_test(set_to_the_level),
        cmocka_unit_test(set_and_stop),      cmocka_unit_test(thrown_back_at_switches),
        cmocka_unit_test(at_the_end),        cmocka_unit_test(turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
