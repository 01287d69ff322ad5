// What holds for a while: conditions that begin with a percussion and end, forces, springs,
// friction, one-sided conditions and events that act for a while, by states and by the time.
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

static double most_of(RunMethod method)
{
    return method == RUN_TAYLOR || method == RUN_ERK ? 1e-9 : 1e-5;
}

static void expect(const EventCase *kase, size_t m, const char *name, double value)
{
    assert_near(case_last(&kase->run, name), value, most_of(methods[m]) * (1 + fabs(value)));
}

// Two carts couple where they meet, in a spring's field, and come apart at a time: momentum is
// kept, energy lost as in a plastic shock.
static void latch(void **state)
{
    (void)state;
    Random random = random_seed(61);
    for (size_t round = 0; round < 4 * test_size(); round++) {
        double a = uniform(&random, 0.5, 3), b = uniform(&random, 0.5, 3),
               u = uniform(&random, 1, 3), w = uniform(&random, -1, 0.5);
        double meet = 1 / (u - w), v = (a * u + b * w) / (a + b), f = uniform(&random, -2, 2);
        double off = meet + 1, to = off + 0.5, pull = f / (a + b);
        double x1 = u * meet + v + pull / 2, v1 = v + pull;
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nmass %.17g at [x, 0, 0]\nmass %.17g at [y, 0, 0]\n"
                  "state held = 0\nevent meet: x >= y while held = 0 { set held = 1 }\n"
                  "event off: t = %.17g { set held = 2 }\n"
                  "constraint bar: x = y while held = 1\n"
                  "force %.17g along y while held = 1\n"
                  "initial x' = %.17g, y = 1, y' = %.17g\nrun to %.17g every 0.1\n",
                  a, b, off, f, u, w, to);
        for (size_t m = 0; m < METHODS; m++) {
            EventCase kase = go_by(methods[m], text.at);
            assert_int_equal(kase.run.summary.events[RUN_PERCUSSION].count, 1);
            assert_int_equal(kase.events.at[0].kind, RUN_PERCUSSION);
            assert_near(kase.events.at[0].t, meet, most_of(methods[m]));
            assert_near(kase.events.at[0].energy_lost, a * b / (a + b) * (u - w) * (u - w) / 2,
                        most_of(methods[m]) * 10);
            expect(&kase, m, "x", x1 + v1 * 0.5);
            expect(&kase, m, "y", x1 + v1 * 0.5);
            expect(&kase, m, "x'", v1);
            expect(&kase, m, "lambda.bar", 0);
            event_case_free(&kase);
        }
        text_clear(&text);
    }
}

// The reaction while it holds, and the same run twice.
static void repeats(void **state)
{
    (void)state;
    const char *text = "coord x, y\nmass 1 at [x, 0, 0]\nmass 2 at [y, 0, 0]\nstate held = 0\n"
                       "event meet: x >= y while held = 0 { set held = 1 }\n"
                       "constraint bar: x = y while held = 1\nforce 6 along y while held = 1\n"
                       "initial x' = 3, y = 1\nrun to 1 every 0.25\n";
    EventCase kase = event_case(text);
    assert_near(case_last(&kase.run, "lambda.bar"), 2, 1e-9);
    size_t first = kase.run.rows.count;
    RunListener listener = {.row = event_case_row, .event = event_case_event, .context = &kase};
    assert_int_equal(run_go(kase.run.run, &listener, kase.run.diag, &kase.run.summary), STATUS_OK);
    assert_int_equal(kase.run.rows.count, 2 * first);
    assert_memory_equal(kase.run.rows.at, kase.run.rows.at + first, first * sizeof(double));
    event_case_free(&kase);
}

// A rod that falls is caught at its end, beside a joint: I + m·l² about the catch from the angular
// momentum there. The rod's centre moves with v, its end is held by a pin at the time 1.
static void catch_a_rod(void **state)
{
    (void)state;
    Random random = random_seed(62);
    for (size_t round = 0; round < 4 * test_size(); round++) {
        double m = uniform(&random, 0.5, 3), I = uniform(&random, 0.1, 1), l = 1;
        double vx = uniform(&random, -1, 1), vz = uniform(&random, -1, 1),
               w = uniform(&random, -2, 2), a = 0.3 + w;
        // Angular momentum about the end at l·(sin a, cos a) from the centre, rotation about y.
        double rx = -l * sin(a), rz = -l * cos(a), L = I * w + m * (rz * vx - rx * vz);
        double after = L / (I + m * l * l);
        Text text = {0};
        text_addf(&text,
                  "param m = %.17g, I = %.17g\ncoord x, z, a\nframe F = world rotate a about y\n"
                  "point G = [x, 0, z]\npoint E = G + F.z\n"
                  "body rod frame F mass m at G inertia [I, I, I]\nstate px = 0, pz = 0\n"
                  "event grip: t = 1 { set px = E.x, pz = E.z }\n"
                  "constraint pin_x: E.x = px while t >= 1\n"
                  "constraint pin_z: E.z = pz while t >= 1\n"
                  "initial x' = %.17g, z' = %.17g, a = 0.3, a' = %.17g\nrun to 1.5 every 0.5\n",
                  m, I, vx, vz, w);
        for (size_t k = 0; k < METHODS; k++) {
            EventCase kase = go_by(methods[k], text.at);
            expect(&kase, k, "a'", after);
            expect(&kase, k, "a", a + after / 2);
            event_case_free(&kase);
        }
        text_clear(&text);
    }
}

// A brake by a condition on the velocity, a servo that holds a speed, damping for a while.
static void velocities(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        EventCase kase = go_by(methods[m], "coord x, y, z\nkinetic x'^2/2 + y'^2/2 + z'^2/2\n"
                                           "constraint brake: x' = 0 while t >= 1\n"
                                           "servo drive: y' = 3 by y while t <= 1\n"
                                           "damper along z damping 2 while t >= 1\n"
                                           "force 1 along y\ninitial x' = 2, y' = 3, z' = 1\n"
                                           "run to 2 every 1\n");
        expect(&kase, m, "x", 2);
        expect(&kase, m, "x'", 0);
        expect(&kase, m, "y", 3 + 3 + 0.5);
        expect(&kase, m, "y'", 4);
        expect(&kase, m, "z'", exp(-2));
        event_case_free(&kase);
    }
}

// A trap door: the ball rests on it, falls when it opens, and is stopped by a floor below; sliding
// friction acts for a while.
static void sides_and_friction(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        EventCase kase = go_by(methods[m], "coord z, x\nmass 1 at [0, 0, z]\nkinetic x'^2/2\n"
                                           "gravity [0, 0, -10]\n"
                                           "constraint door: z >= 1 while t <= 1\n"
                                           "constraint floor: z >= 0 restitution 0.5\n"
                                           "friction brake: 2 along x while t >= 0.5 and t <= 1\n"
                                           "initial z = 1, x' = 5\nrun to 1.8 every 0.6\n");
        // Falls at 1, reaches the floor after sqrt(0.2), bounces with half its speed.
        double down = sqrt(0.2), v = 5 * down, left = 0.8 - down;
        expect(&kase, m, "z", v * left - 5 * left * left);
        expect(&kase, m, "x'", 4);
        expect(&kase, m, "x", 2.5 + 2.25 + 3.2);
        event_case_free(&kase);
    }
}

static void wrong_starts(void **state)
{
    (void)state;
    RunCase kase = case_run("coord x, y\nmass 1 at [x, 0, 0]\nmass 2 at [y, 0, 0]\nstate held = 0\n"
                            "event early: t = 0.2 { set held = 1 }\n"
                            "constraint bar: x = y while held = 1\ninitial x' = 3, y = 1\n"
                            "run to 2\n");
    case_expect(&kase, STATUS_NEGATIVE);
    assert_true(case_says(&kase, DIAG_ERROR, "'bar' begins"));
    assert_true(case_says(&kase, DIAG_ERROR, "positions fit"));
    case_free(&kase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latch),
        cmocka_unit_test(repeats),
        cmocka_unit_test(catch_a_rod),
        cmocka_unit_test(velocities),
        cmocka_unit_test(sides_and_friction),
        cmocka_unit_test(wrong_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
