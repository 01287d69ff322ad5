// Percussions at given times, on free systems, under equations and against one-sided conditions.
#include "event_case.h"
#include "uniform.h"

static void several_times(void **state)
{
    (void)state;
    EventCase kase = event_case("param p = 2\ncoord x, y\nmass 2 at [x, y, 0]\n"
                                "impulse p along x when t = 1\n"
                                "impulse [0, 4, 0] at [x, y, 0] when t = 0\n"
                                "impulse -4 along y when t = 1\n"
                                "run to 2 every 0.5\n");
    assert_int_equal(kase.events.count, 2);
    event_is(&kase, 0, RUN_IMPULSE, "", 0, 0);
    event_is(&kase, 1, RUN_IMPULSE, "", 1, 0);
    assert_near(kase.events.at[0].before[1], 0, 0);
    assert_near(kase.events.at[0].after[1], 2, 1e-15);
    assert_near(kase.events.at[1].after[0], 1, 1e-15);
    assert_near(kase.events.at[1].after[1], 0, 1e-15);
    // Two rows at 0 and at 1: 0, 0, ½, 1, 1, 3⁄2, 2.
    assert_int_equal(case_row_count(&kase.run), 7);
    assert_near(case_value(&kase.run, 0, "y'"), 0, 0);
    assert_near(case_value(&kase.run, 1, "y'"), 2, 1e-15);
    assert_near(case_value(&kase.run, 3, "t"), 1, 0);
    assert_near(case_value(&kase.run, 4, "t"), 1, 0);
    assert_near(case_last(&kase.run, "x"), 1, 1e-14);
    assert_near(case_last(&kase.run, "y"), 2, 1e-14);
    event_case_free(&kase);
}

// A blade (Hamel 229 with s = 0): of a percussion across the edge nothing is left (Appell 23).
static void blade(void **state)
{
    (void)state;
    EventCase kase =
        event_case("param m = 2\ncoord x, y, theta\n"
                   "kinetic m*(x'^2 + y'^2)/2 + theta'^2/4\n"
                   "constraint edge: y'*cos(theta) - x'*sin(theta) = 0\n"
                   "speed v = x'*cos(theta) + y'*sin(theta)\nspeed w = theta'\n"
                   "initial theta = 0.3, v = 1, w = 0\n"
                   "impulse 4 along x when t = 1\nimpulse 0.25 along theta when t = 1\n"
                   "run to 2 every 1\n");
    assert_int_equal(kase.events.count, 1);
    size_t after = 2;
    assert_near(case_value(&kase.run, after, "t"), 1, 0);
    assert_near(case_value(&kase.run, after, "v"), 1 + 2 * cos(0.3), 1e-14);
    assert_near(case_value(&kase.run, after, "w"), 0.5, 1e-15);
    assert_near(case_last(&kase.run, "theta"), 0.8, 1e-14);
    event_case_free(&kase);
}

// A ball at rest on the floor is struck down: with e it flies up; with e = 0 nothing happens.
static void against_the_floor(void **state)
{
    (void)state;
    EventCase kase = event_case("coord z\nmass 2 at [0, 0, z]\ngravity [0, 0, -10]\n"
                                "constraint floor: z >= 0 restitution 0.5\n"
                                "impulse [0, 0, -4] at [0, 0, z] when t = 1\n"
                                "run to 1.1 every 0.1\n");
    event_is(&kase, 0, RUN_IMPULSE, "", 1, 0);
    assert_near(kase.events.at[0].after[0], 1, 1e-15);
    assert_near(kase.events.at[0].energy_lost, 3, 1e-14);
    assert_near(case_last(&kase.run, "z"), 0.05, 1e-14);
    event_case_free(&kase);
    kase = event_case("coord z\nmass 2 at [0, 0, z]\ngravity [0, 0, -10]\n"
                      "constraint floor: z >= 0\n"
                      "impulse [0, 0, -4] at [0, 0, z] when t = 1\n"
                      "run to 2 every 1\n");
    assert_int_equal(kase.events.count, 1);
    assert_near(case_last(&kase.run, "z"), 0, 1e-15);
    assert_near(case_last(&kase.run, "lambda.floor"), 20, 1e-13);
    event_case_free(&kase);
}

static void wrong_times(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x\nmass 1 at [x, 0, 0]\nimpulse 1 along x when t = -1\n"
                                "run to 1 every 1\n");
    assert_true(case_says(&kase.run, DIAG_WARNING, "before the start: it does nothing"));
    assert_int_equal(kase.events.count, 0);
    event_case_free(&kase);
    kase = event_case_with("coord x\nmass 1 at [x, 0, 0]\nimpulse 1 along x when t = 1/0.0\n",
                           run_options());
    assert_int_not_equal(kase.run.status, STATUS_OK);
    event_case_free(&kase);
}

// An impulse p where a potential rises by u: exactly there nothing tells which comes first, and the
// run ends and says so; before it the point goes on with √((v + p)² − 2u), behind it with
// √(v² − 2u) + p.
static void at_a_step(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 36 * test_size(); seed++) {
        Random random = random_seed(seed);
        double v = 1 + (double)random_below(&random, 1000) / 1e3,
               place = 0.5 + (double)random_below(&random, 1000) / 1e3,
               u = 0.1 + (double)random_below(&random, 300) / 1e3,
               p = 0.1 + (double)random_below(&random, 1000) / 1e3;
        int when = (int)(seed % 3) - 1;
        RunOptions options = run_options();
        options.method = methods[seed / 3 % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\npotential %.17g*(1 + sign(x - %.17g))/2\nimpulse %.17g "
                  "along x when t = %.17g\ninitial x = 0, x' = %.17g\nrun to 3 every 0.1\n",
                  u, place, p, place / v * (1 + 0.01 * when), v);
        EventCase kase = event_case_with(text.at, options);
        if (when == 0) {
            assert_int_equal(kase.run.status, STATUS_NEGATIVE);
            assert_true(case_says(&kase.run, DIAG_ERROR, "an impulse acts exactly where"));
            assert_near(kase.run.summary.reached, place / v, 1e-9);
        } else {
            case_expect(&kase.run, STATUS_OK);
            double before = when < 0 ? p : 0, after = p - before;
            assert_near(case_last(&kase.run, "x'"), sqrt(pow(v + before, 2) - 2 * u) + after, 1e-7);
        }
        text_clear(&text);
        event_case_free(&kase);
    }
}

// ---- A block on a floor with friction.

// Slides, until it rests.
static void slide(double time, double rate, double *x, double *v)
{
    double length = fmin(time, fabs(*v) / rate);
    *x += *v * length - copysign(rate, *v) * length * length / 2;
    *v = length < time ? 0 : *v - copysign(rate, *v) * length;
}

// Of a blow along the floor, or of a velocity, so much is left behind a blow into it.
static double rub(double v, double most)
{
    return fabs(v) <= most ? 0 : v - copysign(most, v);
}

// It is driven into the floor, or off it and falls back.
static void blows_with_friction(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 240 * test_size(); seed++) {
        Random random = random_seed(600 + seed);
        double mass = pow(10, uniform(&random, -1, 1)), mu = uniform(&random, 0.05, 1.2), g = 9.81;
        double v = seed % 3 ? 0 : uniform(&random, -3, 3), at = uniform(&random, 0.05, 1), x = 0;
        double along = uniform(&random, -5, 5), up = uniform(&random, -3, 1.5);
        double left = uniform(&random, 0.1, 1), y = 0;
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x, y\npoint P = [x, 0, y]\nmass %.17g at P\ngravity [0, 0, -9.81]\n"
                  "constraint floor: y >= 0 friction %.17g at P on P\n"
                  "impulse [%.17g, 0, %.17g] at P when t = %.17g\n"
                  "initial x = 0, y = 0, x' = %.17g, y' = 0\nrun to %.17g every %.17g\n",
                  mass, mu, along * mass, up * mass, at, v, at + left, (at + left) / 4);
        slide(at, mu * g, &x, &v);
        double flight = fmin(fmax(2 * up / g, 0), left);
        v = rub(v + along, mu * fmax(-up, 0));
        x += v * flight;
        if (flight < left) {
            v = rub(v, mu * fmax(up, 0));
            slide(left - flight, mu * g, &x, &v);
        } else {
            y = up * left - g * left * left / 2;
        }
        EventCase kase = event_case_with(text.at, options);
        case_expect(&kase.run, STATUS_OK);
        double off = fabs(case_last(&kase.run, "x") - x) + fabs(case_last(&kase.run, "y") - y) +
                     fabs(case_last(&kase.run, "x'") - v);
        if (!(off < 1e-6))
            fail_msg("seed %d: off by %g: %s", (int)seed, off, text.at);
        text_clear(&text);
        event_case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_times),     cmocka_unit_test(blade),
        cmocka_unit_test(against_the_floor), cmocka_unit_test(wrong_times),
        cmocka_unit_test(at_a_step),         cmocka_unit_test(blows_with_friction),
    };
    return cmocka_run_group_tests_name("simulate/impulse", tests, NULL, NULL);
}
