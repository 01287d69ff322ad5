// Piles from event to event: more conditions touch than there are freedoms, against closed forms.
#include "event_case.h"
#include "files.h"

#define G 9.81

static size_t count_events(const EventCase *kase, RunEventKind kind, const char *constraint)
{
    size_t count = 0;
    for (size_t i = 0; i < kase->events.count; i++)
        count += kase->events.at[i].kind == kind &&
                 (!constraint || strcmp(kase->events.at[i].constraint, constraint) == 0);
    return count;
}

static double time_of(const EventCase *kase, RunEventKind kind, const char *constraint)
{
    for (size_t i = 0; i < kase->events.count; i++)
        if (kase->events.at[i].kind == kind &&
            strcmp(kase->events.at[i].constraint, constraint) == 0)
            return kase->events.at[i].t;
    return NAN;
}

// ---- A block on five supports that is pushed harder and harder above its centre tips about the
// last one when F·y = m·g·b. Nothing holds it back: m·x' = c·t²/2 all along.

static void block_tips(void **state)
{
    (void)state;
    EventCase kase =
        event_case("param m = 2, b = 0.3, h = 0.5, c = 4, y = 0.4, g = 9.81\ncoord x, z, theta\n"
                   "kinetic m*(x'^2 + z'^2)/2 + m*(b^2 + h^2)*theta'^2/6\npotential m*g*z\n"
                   "force c*t along x\nforce -c*t*y*cos(theta) along theta\n"
                   "for i in 1..5 {\n"
                   "  constraint s[i]: z + (i - 3)/2*b*sin(theta) - h*cos(theta) >= 0\n}\n"
                   "initial z = h\nrun to 4 every 0.1\n");
    double tips = 2 * G * 0.3 / (4 * 0.4);
    static const char *const names[] = {"s[1]", "s[2]", "s[3]", "s[4]"};
    for (size_t i = 0; i < 4; i++) {
        assert_true(count_events(&kase, RUN_RELEASE, names[i]) > 0);
        assert_true(time_of(&kase, RUN_RELEASE, names[i]) <= tips + 1e-10);
    }
    assert_near(time_of(&kase, RUN_RELEASE, "s[4]"), tips, 1e-9);
    assert_int_equal(count_events(&kase, RUN_IMPACT, NULL), 0);
    assert_true(isnan(time_of(&kase, RUN_RELEASE, "s[5]")));
    assert_near(case_last(&kase.run, "x"), 4.0 * 64 / 12, 1e-9);
    double z = case_last(&kase.run, "z"), theta = case_last(&kase.run, "theta");
    assert_true(theta < -0.01);
    assert_near(z + 0.3 * sin(theta) - 0.5 * cos(theta), 0, 1e-12);
    event_case_free(&kase);
    // Until it tips the reactions carry the weight and the moment, whichever supports bear them.
    kase = event_case("param m = 2, b = 0.3, h = 0.5, c = 4, y = 0.4, g = 9.81\ncoord x, z, theta\n"
                      "kinetic m*(x'^2 + z'^2)/2 + m*(b^2 + h^2)*theta'^2/6\npotential m*g*z\n"
                      "force c*t along x\nforce -c*t*y*cos(theta) along theta\n"
                      "for i in 1..5 {\n"
                      "  constraint s[i]: z + (i - 3)/2*b*sin(theta) - h*cos(theta) >= 0\n}\n"
                      "initial z = h\nrun to 3.6 every 0.1\n");
    for (size_t row = 0; row < case_row_count(&kase.run); row++) {
        double t = case_value(&kase.run, row, "t"), sum = 0, moment = 0;
        for (int i = 1; i <= 5; i++) {
            char name[32];
            snprintf(name, sizeof name, "lambda.s[%d]", i);
            double lambda = case_value(&kase.run, row, name);
            assert_true(lambda > -1e-9);
            sum += lambda;
            moment += lambda * (i - 3) / 2.0 * 0.3;
        }
        assert_near(sum, 2 * G, 1e-8);
        assert_near(moment, 4 * t * 0.4, 1e-8);
        assert_near(case_value(&kase.run, row, "theta"), 0, 1e-13);
    }
    event_case_free(&kase);
}

// ---- A ball in a groove that three planes make, two of which would do. A force across it grows;
// where it is the weight the ball leaves two of them and goes up the third:
// 2m·y'' = c·t − m·g.

static void groove(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, y, z\nmass 2 at [x, y, z]\ngravity [0, 0, -9.81]\n"
                                "force 10*t along y\n"
                                "constraint right: z >= y\nconstraint left: z >= -y\n"
                                "constraint bottom: z >= 0\n"
                                "initial x' = 1\nrun to 3 every 0.25\n");
    double leaves = 2 * G / 10;
    assert_near(time_of(&kase, RUN_RELEASE, "bottom"), leaves, 1e-9);
    assert_true(time_of(&kase, RUN_RELEASE, "left") <= leaves + 1e-10);
    assert_near(case_last(&kase.run, "y"), 10 * pow(3 - leaves, 3) / 24, 1e-9);
    assert_near(case_last(&kase.run, "z"), case_last(&kase.run, "y"), 1e-12);
    assert_near(case_last(&kase.run, "x"), 3, 1e-12);
    event_case_free(&kase);
}

// ---- Balls.

// The box of the gallery, with other values.
static EventCase box(const char *settings, double to)
{
    Text text = read_file(ZWANG_SOURCE_DIR "/models/", "box", ".zw");
    text_add(&text, settings);
    RunOptions options = run_options();
    options.to = to;
    EventCase kase = event_case_with(text.at, options);
    case_expect(&kase.run, STATUS_OK);
    text_clear(&text);
    return kase;
}

// Packed without gaps they touch each other and the walls, and all of that depends on each other.
static void packed_balls_rest(void **state)
{
    (void)state;
    EventCase kase = box("", 5);
    assert_int_equal(kase.events.count, 0);
    for (size_t i = 1; i <= 9; i++) {
        char name[32];
        snprintf(name, sizeof name, "z[%zu]", i);
        assert_near(case_last(&kase.run, name), 0.05 + 0.1 * (double)((i - 1) / 3), 1e-14);
    }
    assert_near(case_last(&kase.run, "lambda.floor[2]"), 0.6 * G, 1e-12);
    event_case_free(&kase);
}

// A model's text with something more behind the first place where it says `what`.
static void insert_after(Text *to, const char *text, const char *what, const char *more)
{
    const char *at = strstr(text, what);
    assert_non_null(at);
    at += strlen(what);
    text_add_str(to, (Str){text, (size_t)(at - text)});
    text_add(to, more);
    text_add(to, at);
}

// A heap falls together: nothing sinks in, and the energy is what the shocks leave of it.
static void heap_falls_together(void **state)
{
    (void)state;
    // The last one is pressed again where it is about to leave, on its way down and still within
    // what counts as 0.
    static const struct {
        const char *gap, *shift, *more;
        double to;
    } starts[] = {
        {"0.001", "", "initial x[4]' = 0.1\n", 1},
        {"0.01", "", "initial z[2]' = 1, x[5]' = 0.5\n", 1},
        {"0.02", " + 0.003*sin(3*i)", "", 0.58},
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        Text text = read_file(ZWANG_SOURCE_DIR "/models/", "box", ".zw"), gapped = {0}, model = {0};
        insert_after(&gapped, text.at, "gap = 0", starts[i].gap + 1);
        insert_after(&model, gapped.at, "(mod(i - 1, C) + 1/2)", starts[i].shift);
        text_add(&model, starts[i].more);
        RunOptions options = run_options();
        options.to = starts[i].to;
        EventCase kase = event_case_with(model.at, options);
        case_expect(&kase.run, STATUS_OK);
        assert_true(kase.events.count > 100);
        assert_true(kase.run.summary.deepest < 1e-10);
        assert_true(kase.run.summary.energy_drift < 1e-10);
        // What is lost is what was there, where all is at rest.
        double lost = 0, last = -1;
        for (size_t k = 0; k < kase.events.count; k++)
            if (kase.events.at[k].t != last) {
                last = kase.events.at[k].t;
                lost += kase.events.at[k].energy_lost;
            }
        assert_near(lost, kase.run.summary.energy_lost, 1e-9);
        assert_near(case_value(&kase.run, 0, "energy") - lost, case_last(&kase.run, "energy"),
                    1e-9);
        event_case_free(&kase);
        text_clear(&text);
        text_clear(&gapped);
        text_clear(&model);
    }
}

// Three balls that just fit into their box: the last one comes down between the others, where the
// reactions grow beyond all bounds and lose their digits. The run goes on to its end all the same.
static void row_that_just_fits(void **state)
{
    (void)state;
    static const char *const restitution[] = {"0", "0.5", "0.9"};
    for (size_t i = 0; i < sizeof restitution / sizeof *restitution; i++) {
        char text[640];
        snprintf(text, sizeof text,
                 "const N = 3\nparam m = 1, r = 1, g = 9.81, e = %s\ncoord x[N], z[N]\n"
                 "for i in 1..N {\n  mass m at [x[i], 0, z[i]]\n"
                 "  constraint floor[i]: z[i] >= r restitution e\n"
                 "  constraint left[i]: x[i] >= r restitution e\n"
                 "  constraint right[i]: x[i] <= 2*N*r - r restitution e\n  for j in 1..i-1 {\n"
                 "    constraint pair[i,j]: (x[i] - x[j])^2 + (z[i] - z[j])^2 >= 4*r^2 "
                 "restitution e\n  }\n}\ngravity [0, 0, -g]\n"
                 "initial x[1] = 1.05, x[2] = 4.98, x[3] = 3.04, z[1] = 1, z[2] = 1, z[3] = 3.5\n"
                 "run to 3 every 0.02\n",
                 restitution[i]);
        EventCase kase = event_case(text);
        assert_true(kase.run.summary.deepest < 1e-10);
        // f is 4r² less the square of the distance: what counts as 0 is this high.
        assert_near(case_last(&kase.run, "z[3]"), 1, sqrt(1e-11));
        assert_near(case_last(&kase.run, "x[3]"), 3, 1e-10);
        assert_near(case_last(&kase.run, "z[3]'"), 0, 1e-9);
        event_case_free(&kase);
    }
}

// A column of balls that touch falls on the floor: for e = 0 it stops at once; for e = 1 all of it
// goes up again as it came.
static void column_falls(void **state)
{
    (void)state;
    for (int e = 0; e < 2; e++) {
        char text[400];
        snprintf(text, sizeof text,
                 "coord z[5]\ngravity [0, 0, -9.81]\n"
                 "for i in 1..5 { mass 0.5 at [0, 0, z[i]]; initial z[i] = 1 + 0.2*(i - 1) }\n"
                 "constraint floor: z[1] >= 0 restitution %d\n"
                 "for i in 2..5 { constraint c[i]: z[i] >= z[i-1] + 0.2 restitution %d }\n"
                 "run to 0.8 every 0.1\n",
                 e, e);
        EventCase kase = event_case(text);
        double hit = sqrt(2 / G), left = 0.8 - hit;
        assert_near(time_of(&kase, RUN_IMPACT, "floor"), hit, 1e-12);
        assert_near(kase.run.summary.energy_lost, e ? 0 : 2.5 * G, 1e-10);
        double up = e ? G * hit * left - G * left * left / 2 : 0;
        for (int i = 0; i < 5; i++) {
            char name[32];
            snprintf(name, sizeof name, "z[%d]", i + 1);
            assert_near(case_last(&kase.run, name), up + 0.2 * i, 1e-12);
        }
        assert_true(kase.run.summary.energy_drift < 1e-10);
        event_case_free(&kase);
    }
}

// With small gaps a row of balls with e = 1 hands the velocity on, one to the next.
static void cradle(void **state)
{
    (void)state;
    EventCase kase =
        event_case("coord x[6]\n"
                   "for i in 1..6 { mass 1 at [x[i], 0, 0]; initial x[i] = 1.001*i }\n"
                   "for i in 2..6 { constraint c[i]: x[i] >= x[i-1] + 1 restitution 1 }\n"
                   "initial x[1]' = 1\nrun to 1 every 1\n");
    assert_int_equal(kase.events.count, 5);
    for (int i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "c[%d]", i + 2);
        event_is(&kase, (size_t)i, RUN_IMPACT, name, 0.001 * (i + 1), 1e-13);
    }
    assert_near(case_last(&kase.run, "x[6]'"), 1, 1e-14);
    assert_near(case_last(&kase.run, "x[1]'"), 0, 1e-14);
    event_case_free(&kase);
}

// ---- Bounces from wall to wall. The flights are parabolas, so that the next impact is a root of a
// quadratic equation: the time at which all are over is summed up here impact after impact.

static long double wedge_rests(double slope_a, double slope_b, double e, double x0, double z0)
{
    // f = s·x − z of each wall, s = slope_a and −slope_b; then f'' = g.
    long double f[2] = {slope_a * (long double)x0 - z0, -slope_b * (long double)x0 - z0};
    long double v[2] = {0, 0}, t = 0, s[2] = {slope_a, -slope_b}, g = G;
    for (int k = 0; k < 4000; k++) {
        long double first = INFINITY;
        int wall = 0;
        for (int i = 0; i < 2; i++) {
            // The root behind 0, f ≤ 0 being there; after an impact it is 2v/g.
            long double root = (-v[i] + sqrtl(v[i] * v[i] - 2 * g * f[i])) / g;
            if (root < first) {
                first = root;
                wall = i;
            }
        }
        t += first;
        for (int i = 0; i < 2; i++) {
            f[i] = i == wall ? 0 : f[i] + first * (v[i] + g * first / 2);
            v[i] += g * first;
        }
        // −(1 + e)f' along the wall's normal (s, −1), as the other wall sees it.
        long double jump = -(1 + (long double)e) * v[wall] / (s[wall] * s[wall] + 1);
        long double other = jump * (s[0] * s[1] + 1);
        v[wall] *= -(long double)e;
        v[1 - wall] += other;
        if (hypotl(v[0], v[1]) < 1e-13L)
            return t;
    }
    fail_msg("the wedge %g, %g does not come to rest", slope_a, slope_b);
    return 0;
}

static void wedges(void **state)
{
    (void)state;
    static const struct {
        double a, b, e, x;
    } cases[] = {
        {2, 2, 0.5, 0.05},
        {3, 3, 0.6, 0.1},
        {4, 4, 0.5, 0.1},
        {2.5, 2.5, 0.5, 0.1},
        {2.86, 1.77, 0.7, -0.058},
        {4.67, 4.73, 0.7, 0.004},
        // Here the last impacts follow each other faster than the time has digits.
        {3.23, 3.79, 0.2, 0.102},
        {3.23, 4.79, 0.2, 0.077},
        {1.86, 4.14, 0.2, 0.029},
        {4.82, 2.83, 0.5, -0.095},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "coord x, z\nmass 1 at [x, 0, z]\ngravity [0, 0, -9.81]\n"
                 "constraint a: z >= %g*x restitution %g\n"
                 "constraint b: z >= -%g*x restitution %g\n"
                 "initial x = %g, z = 1\nrun to 20 every 1\n",
                 cases[i].a, cases[i].e, cases[i].b, cases[i].e, cases[i].x);
        EventCase kase = event_case(text);
        double expected = (double)wedge_rests(cases[i].a, cases[i].b, cases[i].e, cases[i].x, 1);
        size_t rests = 0;
        for (size_t k = 0; k < kase.events.count; k++)
            if (kase.events.at[k].kind == RUN_REST) {
                assert_near(kase.events.at[k].t, expected, 1e-9);
                assert_true(kase.events.at[k].uncertainty < 1e-10);
                rests++;
            }
        assert_int_equal(rests, 2);
        assert_near(case_last(&kase.run, "z"), 0, 1e-10);
        event_case_free(&kase);
    }
}

// Every method goes on behind a rest: there the ball slides.
static void methods_go_on(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_BDF, RUN_ADAMS};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        RunOptions options = run_options();
        options.method = methods[i];
        EventCase kase = event_case_with("coord x, z\nmass 2 at [x, 0, z]\n"
                                         "gravity [0, 0, -9.81]\nforce -x along x\n"
                                         "constraint floor: z >= 0 restitution 0.2\n"
                                         "initial z = 0.1, x = 1\nrun to 1.5 every 0.25\n",
                                         options);
        case_expect(&kase.run, STATUS_OK);
        // What counts as 0 is more for these, and so are the times left out.
        bool rough = methods[i] == RUN_BDF || methods[i] == RUN_ADAMS;
        double tolerance = rough ? 1e-6 : 1e-9;
        assert_near(time_of(&kase, RUN_REST, "floor"), sqrt(0.2 / G) * 1.5, rough ? 1e-4 : 1e-9);
        assert_near(case_last(&kase.run, "x"), cos(1.5 / sqrt(2)), tolerance);
        assert_near(case_last(&kase.run, "z"), 0, tolerance);
        event_case_free(&kase);
    }
}

// ---- What is wrong.

// Of all that touch, those that exclude each other are named, and no others.
static void least_clash(void **state)
{
    (void)state;
    EventCase kase = event_case_with("coord x, z\nmass 1 at [x, 0, z]\ngravity [0, 0, -9.81]\n"
                                     "constraint ground: z >= 0\nconstraint ramp: z >= x/2 - 5\n"
                                     "constraint a: x >= t - 1\nconstraint b: x <= 1 - t\n"
                                     "constraint wide: x <= 2 - t\n",
                                     run_options());
    assert_int_equal(kase.run.status, STATUS_NEGATIVE);
    assert_true(case_says(&kase.run, DIAG_ERROR,
                          "beyond t = 1: the one-sided constraint 'b' cannot hold together with "
                          "'a'. "));
    event_case_free(&kase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_tips),
        cmocka_unit_test(groove),
        cmocka_unit_test(packed_balls_rest),
        cmocka_unit_test(heap_falls_together),
        cmocka_unit_test(row_that_just_fits),
        cmocka_unit_test(column_falls),
        cmocka_unit_test(cradle),
        cmocka_unit_test(wedges),
        cmocka_unit_test(methods_go_on),
        cmocka_unit_test(least_clash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
