// What holds for a while: conditions that begin with a percussion and end, forces, springs,
// friction, one-sided conditions and events that act for a while, by states and by the time.
#include "event_case.h"
#include "forms/forms.h"
#include "uniform.h"

#include <stdio.h>

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

// One relation of two comes to be true, or false, where the other one is not: nothing begins.
static void half_true(void **state)
{
    (void)state;
    const char *text =
        "coord x\nmass 1 at [x, 0, 0]\nforce 1 along x while cos(4*t) <= 0 and t <= 1\n"
        "friction f: 0.25 along x while cos(4*t) <= 0 and t <= 1\n"
        "run to 3 every 0.5\n";
    double begins = acos(-1) / 8, lasts = 1 - begins;
    for (size_t m = 0; m < METHODS; m++) {
        EventCase kase = go_by(methods[m], text);
        expect(&kase, m, "x'", 0.75 * lasts);
        expect(&kase, m, "x", 0.75 * lasts * (lasts / 2 + 2));
        event_case_free(&kase);
    }
}

// Steps of fixed length end where the time and samples begin and end something: without shocks
// errors are of second order, with them of first order, against runs from event to event.
static void by_fixed_steps(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double order;
        size_t percussions;
    } cases[] = {
        {"coord x, y, th\nmass 1 at [x, 0, 0]\nmass 2 at [y, 0, 0]\nkinetic th'^2/2\n"
         "state held = 0, g = 1\nconstraint bar: x' = y' while held = 1\n"
         "constraint roll: th' = g*y' while t >= 0.15\n"
         "sample loop: 0.25 from 0.21 { set held = 1 - held; set g = g + held/2 }\n"
         "spring s: along x stiffness 3 while held = 0\nforce 2 along y\nforce -th along th\n"
         "initial y = 1\nrun to 3 every 0.2\n",
         2, 7},
        {"coord x, z, y\nmass 1 at [x, 0, z]\nmass 2 at [y, 0, 0]\ngravity [0, 0, -9.81]\n"
         "constraint floor: z >= 0 restitution 0.5 friction 0.2 at [x, 0, z] on [x, 0, z]\n"
         "constraint tie: x' = y' while sin(4*t) <= 0 and t <= 1.41\n"
         "force 3 along y while t >= 0.5\nfriction brake: 2 along y while t >= 1.2\n"
         "initial x' = 2, z = 0.3\nrun to 2 every 0.5\n",
         1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        EventCase exact = go_by(RUN_TAYLOR, cases[i].text);
        double apart[2];
        for (int k = 0; k < 2; k++) {
            RunOptions options = run_options();
            options.method = RUN_TIMESTEPPING;
            options.step = k == 0 ? 1e-3 : 1e-4;
            EventCase kase = event_case_with(cases[i].text, options);
            case_expect(&kase.run, STATUS_OK);
            assert_int_equal(kase.run.summary.events[RUN_PERCUSSION].count, cases[i].percussions);
            assert_near(kase.run.summary.events[RUN_PERCUSSION].first,
                        exact.run.summary.events[RUN_PERCUSSION].first, 1e-12);
            apart[k] = fabs(case_last(&kase.run, "x") - case_last(&exact.run, "x")) +
                       fabs(case_last(&kase.run, "y'") - case_last(&exact.run, "y'"));
            event_case_free(&kase);
        }
        assert_true(apart[0] < 1e-2 && apart[1] < 3 * pow(0.1, cases[i].order) * apart[0] + 1e-9);
        event_case_free(&exact);
    }
}

// A row where something begins has what was before; one begins only where its positions fit.
static void fixed_steps_do_not_fit(void **state)
{
    (void)state;
    RunOptions options = run_options();
    options.method = RUN_TIMESTEPPING;
    EventCase kase = event_case_with("coord x, y\nmass 1 at [x, 0, 0]\nmass 1 at [y, 0, 0]\n"
                                     "constraint c: x = y while t >= 0.5\ninitial y = 0.1\n"
                                     "run to 1 every 0.1\n",
                                     options);
    case_expect(&kase.run, STATUS_NEGATIVE);
    assert_true(case_says(&kase.run, DIAG_ERROR, "'c' begins where its residual is -0.1"));
    event_case_free(&kase);
}

// An arm that falls is caught at its end, and let go later.
static char *arm_caught_by(const char *pin, char *text, size_t size)
{
    snprintf(text, size,
             "param l = 1, I = 1/12, g = 9.81\nstate h = 0\ncoord x, z, q\n"
             "frame F = world rotate q about y\npoint G = [x, 0, z]\npoint A = G - l/2*F.x\n"
             "body arm frame F mass 1 at G inertia [I, I, I]\ngravity [0, 0, -g]\n%s while h = 1\n"
             "event catch: t >= 0.3 { set h = 1 }\nevent drop: t >= 1 { set h = 0 }\n"
             "initial x = l/2, z = g*0.3^2/2, q = 0\nrun to 1.5 every 0.5\n",
             pin);
    return text;
}

// A joint that closes a loop is its conditions.
static void joints(void **state)
{
    (void)state;
    static const char *const pins[] = {
        "joint j: ball between world and arm at origin and A",
        "joint j: hinge between world and arm at origin and A axis [0, 1, 0]"};
    char text[1024];
    for (size_t m = 0; m < METHODS; m++) {
        EventCase plain =
            go_by(methods[m], arm_caught_by("constraint j: A = origin", text, sizeof text));
        for (size_t i = 0; i < 2; i++) {
            EventCase kase = go_by(methods[m], arm_caught_by(pins[i], text, sizeof text));
            expect(&kase, m, "x", case_last(&plain.run, "x"));
            expect(&kase, m, "q'", case_last(&plain.run, "q'"));
            event_case_free(&kase);
        }
        event_case_free(&plain);
    }
    RunCase placed = case_run("body arm center [1, 0, 0] mass 1 inertia [1, 1, 1]\nstate h = 1\n"
                              "joint j: hinge between world and arm at origin axis [0, 1, 0] "
                              "while h = 1\nrun to 1\n");
    assert_true(case_says(&placed, DIAG_ERROR, "this joint places the body"));
    case_free(&placed);
}

// Forces by the length of reactions, which series cannot follow, are not in the motion of the
// start.
static void lengths(void **state)
{
    (void)state;
    static const char hinge[] = "joint j: hinge between world and arm at origin and A "
                                "axis [0, 1, 0] friction 0.2 radius 0.05";
    char text[1024];
    EventCase rubs = go_by(RUN_TAYLOR, arm_caught_by(hinge, text, sizeof text));
    EventCase adams = go_by(RUN_ADAMS, text);
    assert_near(case_last(&rubs.run, "q"), case_last(&adams.run, "q"), 1e-7);
    event_case_free(&rubs);
    event_case_free(&adams);
    arm_caught_by("constraint p: A = origin while h = 1\n"
                  "force -0.01*sqrt(lambda.p.x^2 + lambda.p.z^2)*tanh(q') along q",
                  text, sizeof text);
    RunCase series = case_run(text);
    case_expect(&series, STATUS_NEGATIVE);
    assert_true(case_says(&series, DIAG_ERROR, "holds reactions not linearly"));
    case_free(&series);
}

// Each form drives the same motion, through conditions, forces and springs that begin and end.
static void forms(void **state)
{
    (void)state;
    static const char *const names[] = {"multipliers", "korteweg", "maggi",    "lagrange",
                                        "appell",      "kane",     "voronets", "hamel",
                                        "action",      "gauss",    "canonical"};
    Random random = random_seed(14);
    Text text = {0};
    text_addf(&text,
              "coord x, y\nmass %.17g at [x, 0, 0]\nmass 1 at [0, y, 0]\nstate n = 0\n"
              "spring along x stiffness %.17g while t <= 1.3\nspring along y stiffness 3\n"
              "event e: x <= 0 { set n = n + 1 }\n"
              "constraint tie: x' = %.17g*y' while n >= 1 and t <= 2\n"
              "force 1 along y while n = 1 and t <= 1.7\n"
              "initial x = 1, y = 0.2, x' = 0, y' = 1\nrun to 3 every 1\n",
              uniform(&random, 1, 2), uniform(&random, 4, 6), uniform(&random, 0.5, 1));
    EventCase plain = go_by(RUN_TAYLOR, text.at);
    assert_int_equal(plain.run.summary.events[RUN_PERCUSSION].count, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t m = 0; m < METHODS; m++) {
            RunOptions options = run_options();
            options.method = methods[m];
            options.driven = true;
            assert_true(form_find(str_of(names[i]), &options.form));
            EventCase kase = event_case_with(text.at, options);
            case_expect(&kase.run, STATUS_OK);
            expect(&kase, m, "x", case_last(&plain.run, "x"));
            expect(&kase, m, "y'", case_last(&plain.run, "y'"));
            event_case_free(&kase);
        }
    event_case_free(&plain);
    text_clear(&text);
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
        cmocka_unit_test(half_true),
        cmocka_unit_test(by_fixed_steps),
        cmocka_unit_test(fixed_steps_do_not_fit),
        cmocka_unit_test(joints),
        cmocka_unit_test(lengths),
        cmocka_unit_test(forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
