// Impacts that follow each other faster than any digit of the time or of a gap shows: a mass
// between a wall and a heavier one that comes along with it. Forces part the two behind each of
// their impacts, so that the wall strikes the first alone, which throws it back onto the other.
// Their gaps shrink with the square of one another, their velocities by a constant factor: both
// come to rest at the wall, where one impact of all would throw them back.
#include "event_case.h"
#include "uniform.h"

static size_t draws(void)
{
    return 40 * test_size();
}

// Returns the unit of lengths.
static double write_model(uint64_t seed, Text *text)
{
    Random random = random_seed(seed);
    double wall = uniform(&random, 0.1, 0.9), mass = uniform(&random, 2, 5);
    double force = uniform(&random, 0.2, 2), weight = seed % 3 ? 0 : force * mass / 2;
    double speed = uniform(&random, 1, 2), x = uniform(&random, 0.1, 0.3);
    double unit = pow(10, uniform(&random, -6, 6));
    text_addf(text,
              "param u = %.17g\ncoord x, y\nkinetic x'^2/2 + %.17g*y'^2/2\n"
              "potential u*(%.17g*x + %.17g*y)\nconstraint wall: x >= 0 restitution %.17g\n"
              "constraint pair: y - x >= 0.1*u restitution 0\n"
              "initial x = %.17g*u, y = %.17g*u, x' = -%.17g*u, y' = -%.17g*u\n"
              "run to 2 every 0.1\n",
              unit, mass, force, weight, wall, x, x + 0.101, speed, speed + 0.2);
    return unit;
}

// How far both are from where they come to rest.
static double off(const RunCase *kase, double unit)
{
    return fabs(case_last(kase, "x") / unit) + fabs(case_last(kase, "y") / unit - 0.1);
}

static void both_come_to_rest(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < draws(); seed++) {
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        double unit = write_model(seed, &text);
        EventCase kase = event_case_with(text.at, options);
        case_expect(&kase.run, STATUS_OK);
        if (!(off(&kase.run, unit) < 1e-5))
            fail_msg("seed %d: off by %g: %s", (int)seed, off(&kase.run, unit), text.at);
        text_clear(&text);
        event_case_free(&kase);
    }
}

// Steps of fixed length strike at once what they reach: where that is another motion, they say so.
static void steps_are_loud(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < draws(); seed++) {
        RunOptions options = run_options();
        options.method = RUN_TIMESTEPPING;
        Text text = {0};
        double unit = write_model(seed, &text);
        EventCase kase = event_case_with(text.at, options);
        if (kase.run.status == STATUS_OK && !(off(&kase.run, unit) < 0.3))
            fail_msg("seed %d: off by %g: %s", (int)seed, off(&kase.run, unit), text.at);
        text_clear(&text);
        event_case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_come_to_rest),
                                       cmocka_unit_test(steps_are_loud)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
