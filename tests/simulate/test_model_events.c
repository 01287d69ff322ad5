// Events of a model: when they fire, what they set, strike, record and stop, and in which order.
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

static bool is_exact(RunMethod method)
{
    return method == RUN_TAYLOR || method == RUN_ERK;
}

// Bounces written as an event are those of a one-sided condition with restitution.
static void bounces_as_resets(void **state)
{
    (void)state;
    Random random = random_seed(41);
    for (size_t round = 0; round < 4 * test_size(); round++) {
        double g = uniform(&random, 1, 10), e = uniform(&random, 0.4, 0.9),
               h = uniform(&random, 0.5, 3), v = uniform(&random, -2, 2);
        double down = sqrt(v * v + 2 * g * h), t = (v + down) / g;
        for (size_t m = 0; m < METHODS; m++) {
            Text text = {0};
            text_addf(&text,
                      "param e = %.17g\ncoord z\nmass 1 at [0, 0, z]\ngravity [0, 0, -%.17g]\n"
                      "event bounce: z falling { set z' = -e*z' }\n"
                      "initial z = %.17g, z' = %.17g\nrun to %.17g every 0.1\n",
                      e, g, h, v, t + 2 * e * down / g + 0.9 * 2 * e * e * down / g);
            EventCase kase = go_by(methods[m], text.at);
            double most = is_exact(methods[m]) ? 1e-11 : 1e-6;
            assert_int_equal(kase.events.count, 2);
            event_is(&kase, 0, RUN_EVENT, "", t, most);
            event_is(&kase, 1, RUN_EVENT, "", t + 2 * e * down / g, most);
            assert_near(kase.events.at[0].before[0], -down, most * 10);
            assert_near(kase.events.at[0].after[0], e * down, most * 10);
            assert_near(kase.events.at[0].energy_lost, (1 - e * e) * down * down / 2, most * 100);
            event_case_free(&kase);
            text_clear(&text);
        }
    }
}

// Such bounces have an end in time, of infinitely many, beyond which the event says nothing: the
// run ends there.
static void bounces_that_end(void **state)
{
    (void)state;
    Random random = random_seed(53);
    for (size_t round = 0; round < 6 * test_size(); round++) {
        double g = uniform(&random, 1, 10), e = pow(10, uniform(&random, -2.5, -0.1)),
               h = uniform(&random, 0.5, 3), at = uniform(&random, -3, 3);
        double end = sqrt(2 * h / g) * (1 + e) / (1 - e);
        for (size_t m = 0; m < METHODS; m++) {
            Text text = {0};
            text_addf(&text,
                      "param e = %.17g, z0 = %.17g\ncoord z\nmass 1 at [0, 0, z]\n"
                      "gravity [0, 0, -%.17g]\nevent bounce: z = z0 %s{ set z' = -e*z' }\n"
                      "initial z = z0 + %.17g\nrun to %.17g every %.17g\n",
                      e, at, g, round % 2 == 0 ? "falling " : "", h, 2 * end, end);
            RunOptions options = run_options();
            options.method = methods[m];
            EventCase kase = event_case_with(text.at, options);
            case_expect(&kase.run, STATUS_NEGATIVE);
            assert_true(case_says(&kase.run, DIAG_ERROR, "'bounce'"));
            assert_near(kase.run.summary.reached, end, 1e-4 * end);
            event_case_free(&kase);
            text_clear(&text);
        }
    }
}

// A state that no equation holds is counted, and the motion goes on as it was: x' = 1 - c*t.
static void states_that_only_count(void **state)
{
    (void)state;
    Random random = random_seed(47);
    for (size_t round = 0; round < 4 * test_size(); round++) {
        double c = uniform(&random, 0.2, 0.9), at = uniform(&random, 0.2, 0.8);
        for (size_t m = 0; m < METHODS; m++) {
            Text text = {0};
            text_addf(&text,
                      "coord x\nmass 1 at [x, 0, 0]\nstate seen = 0\nforce -%.17g along x\n"
                      "event a: x' <= %.17g { set seen = %s }\ninitial x' = 1\nrun to 9\n",
                      c, at, round % 2 == 0 ? "0" : "seen + 1");
            EventCase kase = go_by(methods[m], text.at);
            double most = is_exact(methods[m]) ? 1e-11 : 1e-6;
            assert_int_equal(kase.events.count, 1);
            event_is(&kase, 0, RUN_EVENT, "", (1 - at) / c, most);
            assert_near(kase.events.at[0].after[0], at, most);
            event_case_free(&kase);
            text_clear(&text);
        }
    }
}

// What is true for a moment, of the time or of the place, is not passed: exp(-((s - c)/w)^2) is
// more than 1/2 from c - w·sqrt(log(2)) on, and x = t.
static void narrow_triggers(void **state)
{
    (void)state;
    Random random = random_seed(43);
    for (size_t round = 0; round < 6 * test_size(); round++) {
        double c = uniform(&random, 1, 9), w = pow(10, uniform(&random, -6, -2));
        const char *of = round % 2 == 0 ? "t" : "x";
        for (size_t m = 0; m < METHODS; m++) {
            Text text = {0};
            text_addf(&text,
                      "coord x\nkinetic x'^2/2\ninitial x' = 1\n"
                      "event p: exp(-((%s - %.17g)/%.17g)^2) >= 0.5 { record }\n"
                      "run to 10 every 5\n",
                      of, c, w);
            EventCase kase = go_by(methods[m], text.at);
            assert_int_equal(kase.events.count, 1);
            event_is(&kase, 0, RUN_EVENT, "", c - w * sqrt(log(2)), 1e-9);
            event_case_free(&kase);
            text_clear(&text);
        }
    }
}

// A harmonic oscillator: x = cos(t). Crossings in one direction, in both, of a touched level, and
// of what is 0 at the start.
static void directions(void **state)
{
    (void)state;
    double pi = acos(-1), quarter = pi / 2;
    static const char *const triggers[] = {"x rising",  "x falling", "x", "x = 1",
                                           "x <= -0.5", "x >= -0.5", "x'"};
    double third = 2 * pi / 3;
    const double expected[][6] = {{3 * quarter, 7 * quarter, 0},
                                  {quarter, 5 * quarter, 9 * quarter, 0},
                                  {quarter, 3 * quarter, 5 * quarter, 7 * quarter, 9 * quarter, 0},
                                  {0},
                                  {third, third + 2 * pi, 0},
                                  {2 * pi - third, 0},
                                  {pi, 2 * pi, 0}};
    for (size_t i = 0; i < sizeof triggers / sizeof *triggers; i++)
        for (size_t m = 0; m < METHODS; m++) {
            Text text = {0};
            text_addf(&text,
                      "coord x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1\n"
                      "event e: %s { record }\nrun to 9 every 3\n",
                      triggers[i]);
            EventCase kase = go_by(methods[m], text.at);
            size_t count = 0;
            for (; expected[i][count] > 0 && expected[i][count] < 9; count++)
                event_is(&kase, count, RUN_EVENT, "", expected[i][count],
                         is_exact(methods[m]) ? 1e-12 : 1e-6);
            assert_int_equal(kase.events.count, count);
            // What only records has no rows of its own.
            assert_int_equal(case_row_count(&kase.run), 4);
            event_case_free(&kase);
            text_clear(&text);
        }
}

// Triggers that have no finite value, for a time or at all, of x = cos(t): sqrt(x - c) >= s where x
// comes back to c + s^2.
static void without_value(void **state)
{
    (void)state;
    Random random = random_seed(20);
    for (size_t i = 0; i < 4 * test_size(); i++)
        for (size_t m = 0; m < METHODS; m++) {
            double c = uniform(&random, -0.8, 0.4), s = uniform(&random, 0.2, 0.6);
            static const char *const never[] = {"x <= k*k", "x >= k*k", "x = sqrt(x - k)",
                                                "x = k*x*k"};
            Text text = {0};
            text_addf(&text,
                      "param k = 1e300\ncoord x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1\n"
                      "event e: sqrt(x - %.17g) >= %.17g { record }\n"
                      "event n: %s { record }\nrun to 9 every 3\n",
                      c, s, never[i % 4]);
            EventCase kase = go_by(methods[m], text.at);
            if (kase.events.count != 1)
                fail_msg("method %d: %s", (int)m, text.at);
            event_is(&kase, 0, RUN_EVENT, "", 2 * acos(-1) - acos(c + s * s),
                     is_exact(methods[m]) ? 1e-11 : 1e-5);
            assert_true(case_says(&kase.run, DIAG_WARNING,
                                  "the trigger of 'n' has no finite value at t = 0"));
            assert_true(case_says(&kase.run, DIAG_WARNING,
                                  "the trigger of 'e' has no finite value since t = "));
            event_case_free(&kase);
            text_clear(&text);
        }
}

// Through a pole a trigger comes to its other side without being 0: no event. Of x = t, tan and the
// cosine over the sine, of odd order, and quotients.
static void poles(void **state)
{
    (void)state;
    Random random = random_seed(21);
    const double pi = acos(-1);
    for (size_t i = 0; i < 4 * test_size(); i++)
        for (size_t m = 0; m < METHODS; m++) {
            double k = uniform(&random, 0.5, 3), s = uniform(&random, -2, 2);
            double c = uniform(&random, 0.1, 0.9);
            double first[] = {fmod(pi + atan(s), pi) / k, fmod(pi + atan2(1, s), pi) / k, 3 + c};
            Text text = {0};
            text_addf(&text, "param k = %.17g, s = %.17g, c = %.17g\ncoord x\nkinetic x'^2/2\n", k,
                      s, c);
            static const char *const triggers[] = {"tan(k*x) = s", "cos(k*x)/sin(k*x + 0) = s",
                                                   "1/(x - 3) = 1/c"};
            text_addf(&text, "initial x = 1e-3, x' = 1\nevent e: %s { record }\n", triggers[i % 3]);
            text_addf(&text, "run to 6 every 1\n");
            EventCase kase = go_by(methods[m], text.at);
            size_t count = 0;
            for (double t = first[i % 3] - 1e-3; t < 6; t += i % 3 == 2 ? 10 : pi / k)
                if (t > 0)
                    event_is(&kase, count++, RUN_EVENT, "", t, is_exact(methods[m]) ? 1e-11 : 1e-5);
            assert_int_equal(kase.events.count, count);
            event_case_free(&kase);
            text_clear(&text);
        }
}

// The function of the phase of x = A·cos(wt + p) that is 0 where the trigger is, without its poles.
typedef struct {
    double a, w, phase, k, s, c;
    size_t kind;
} Swing;

static double without_pole(const Swing *swing, double t)
{
    double x = swing->a * cos(swing->w * t + swing->phase), k = swing->k, s = swing->s,
           c = swing->c;
    switch (swing->kind) {
    case 0: return sin(k * x) - s * cos(k * x);
    case 1: return cos(k * x) - s * sin(k * x);
    case 2: return c - (x - 3);
    case 3: return 2 * x - 7 - s * (x - 3) * (x - 4);
    case 4: return sin(k * x) - cbrt(s) * cos(k * x);
    case 5: return pow(1 + c, -3) - fabs(x - s);
    case 6: return fabs(x) - c * sqrt(log(1e8));
    default: return 1 - (1 + c) * (x - s) * (x - s);
    }
}

// How often it is 0 up to the end, and where; false where it may only touch 0, or is 0 at an end.
static bool find_instants(const Swing *swing, double end, double *instants, size_t *count)
{
    enum { PARTS = 60000 };
    double before = without_pole(swing, 0);
    *count = 0;
    for (size_t i = 1; i <= PARTS; i++) {
        double low = end * (double)(i - 1) / PARTS, high = end * (double)i / PARTS;
        double now = without_pole(swing, high);
        if (fabs(now) < 1e-3 && fabs(sin(swing->w * high + swing->phase)) < 0.01)
            return false;
        for (int k = 0; k < 60 && before * now < 0; k++) {
            double middle = (low + high) / 2;
            *(without_pole(swing, middle) * before > 0 ? &low : &high) = middle;
        }
        if (before * now < 0 && *count < 64)
            instants[(*count)++] = low;
        before = now;
    }
    return *count < 64 &&
           (*count == 0 || (instants[0] > 1e-3 && instants[*count - 1] < end - 1e-3));
}

// States have roundings, and steps end next to poles: these make no event, and what is large there
// hides none later.
static void poles_of_swings(void **state)
{
    (void)state;
    static const char *const triggers[] = {"tan(k*x) = s",          "cos(k*x)/sin(k*x + 0) = s",
                                           "1/(x - 3) = 1/c",       "1/(x - 3) + 1/(x - 4) = s",
                                           "tan(k*x)^3 = s",        "abs(x - s)^(-1/3) = 1 + c",
                                           "1e8*exp(-(x/c)^2) = 1", "1/(x - s)^2 = 1 + c"};
    for (uint64_t seed = 0; seed < 48 * test_size(); seed++) {
        Random random = random_seed(seed);
        Swing swing = {.kind = seed % 8,
                       .a = uniform(&random, 1, 8),
                       .w = uniform(&random, 0.3, 1.5),
                       .phase = uniform(&random, 0, 6.28),
                       .k = uniform(&random, 0.5, 3),
                       .s = uniform(&random, -2, 2),
                       .c = uniform(&random, 0.1, 0.9)};
        double instants[64];
        size_t count;
        if (!find_instants(&swing, 6, instants, &count))
            continue;
        Text text = {0};
        text_addf(&text,
                  "param k = %.17g, s = %.17g, c = %.17g\ncoord x\nkinetic x'^2/2\n"
                  "potential %.17g*x^2/2\ninitial x = %.17g, x' = %.17g\n"
                  "event e: %s { record }\nrun to 6 every 1\n",
                  swing.k, swing.s, swing.c, swing.w * swing.w, swing.a * cos(swing.phase),
                  -swing.a * swing.w * sin(swing.phase), triggers[swing.kind]);
        for (size_t m = 0; m < METHODS; m++) {
            EventCase kase = go_by(methods[m], text.at);
            if (kase.events.count != count)
                fail_msg("seed %zu, method %zu: %zu events, not %zu\n%s", (size_t)seed, m,
                         kase.events.count, count, text.at);
            for (size_t i = 0; i < count; i++)
                event_is(&kase, i, RUN_EVENT, "", instants[i], 1e-5);
            event_case_free(&kase);
        }
        text_clear(&text);
    }
}

// All right sides are taken before; a second `set` sees the first; one event makes another true.
static void order_of_actions(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, y\nmass 1 at [x, y, 0]\nstate n = 0, k = 0, late = 0\n"
                                "event first: n >= 1 { set k = 10*k + 1 }\n"
                                "event swap: x = 1 rising {\n"
                                "    set x' = y', y' = x'; set x = 0, n = n + 1\n}\n"
                                "event same: x = 1 rising { set k = 10*k + 2, late = x }\n"
                                "initial x' = 1, y' = 3\nrun to 1.2 every 0.5\n");
    assert_int_equal(kase.events.count, 3);
    assert_near(kase.events.at[0].t, 1, 1e-15);
    assert_near(kase.events.at[0].after[0], 3, 0);
    assert_near(kase.events.at[0].after[1], 1, 0);
    // swap and same were found together, first comes after them.
    assert_near(case_last(&kase.run, "k"), 21, 0);
    assert_near(case_last(&kase.run, "late"), 0, 0);
    assert_near(case_last(&kase.run, "n"), 1, 0);
    event_case_free(&kase);
}

static void stops(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x\nmass 1 at [x, 0, 0]\ninitial x' = 2\n"
                                "event far: x >= 3 { stop \"far away\" }\nrun to 10 every 1\n");
    assert_near(kase.run.summary.reached, 1.5, 1e-15);
    assert_string_equal(kase.run.summary.stop.event, "far");
    assert_string_equal(kase.run.summary.stop.text, "far away");
    assert_near(case_last(&kase.run, "t"), 1.5, 1e-15);
    assert_int_equal(case_row_count(&kase.run), 3);
    event_case_free(&kase);
    kase =
        event_case("coord x\nmass 1 at [x, 0, 0]\ninitial x' = 2\nrun to 10 every 1 until x = 4\n");
    assert_near(kase.run.summary.reached, 2, 1e-15);
    assert_int_equal(case_row_count(&kase.run), 3);
    event_case_free(&kase);
    kase = event_case("coord x\nmass 1 at [x, 0, 0]\ninitial x' = 2\nrun to 1 until x >= 4\n");
    assert_null(kase.run.summary.stop.event);
    event_case_free(&kase);
}

// An event's impulse is the given one of the same time.
static void impulses(void **state)
{
    (void)state;
    static const char body[] =
        "param l = 0.6, m = 2\ncoord x, y, theta\nframe F = world rotate theta about z\n"
        "point G = [x, y, 0]\nbody rod frame F mass m at G inertia [0, 0, m*l^2/12]\n"
        "constraint guide: y = x^2/2\ninitial x' = 1, theta' = 0.5\nrun to 1 every 0.5\n";
    Text one = {0}, other = {0};
    text_addf(&one, "%simpulse [1, 3, 0] at G + l/2*F.x when t = 0.25\n", body);
    text_addf(&other, "%sevent e: t = 0.25 { impulse [1, 3, 0] at G + l/2*F.x }\n", body);
    EventCase a = event_case(one.at), b = event_case(other.at);
    static const char *const names[] = {"x", "y", "theta", "x'", "y'", "theta'"};
    for (size_t i = 0; i < 6; i++)
        assert_near(case_last(&b.run, names[i]), case_last(&a.run, names[i]), 1e-13);
    event_case_free(&a);
    event_case_free(&b);
    text_clear(&one);
    text_clear(&other);
}

// A state in a force: least time to rest at 0 (Pontryagin's example), for random starts.
static void bang_bang(void **state)
{
    (void)state;
    Random random = random_seed(41);
    for (size_t round = 0; round < 4 * test_size(); round++) {
        double x = uniform(&random, 0.5, 4), v = uniform(&random, 0, 1),
               a = uniform(&random, 0.5, 3);
        double least = v / a + 2 * sqrt(x / a + v * v / (2 * a * a));
        for (size_t m = 0; m < METHODS; m++) {
            Text text = {0};
            text_addf(&text,
                      "param a = %.17g\ncoord x\nmass 1 at [x, 0, 0]\nstate u = -1\n"
                      "force u*a along x\nevent turn: x = x'^2/(2*a) falling { set u = 1 }\n"
                      "event rest: x' = 0 rising { stop }\n"
                      "initial x = %.17g, x' = %.17g\nrun to 20 every 0.5\n",
                      a, x, v);
            EventCase kase = go_by(methods[m], text.at);
            double most = is_exact(methods[m]) ? 1e-12 : 1e-6;
            assert_near(kase.run.summary.reached, least, 10 * most);
            assert_near(case_last(&kase.run, "x"), 0, 10 * most);
            assert_near(case_last(&kase.run, "u"), 1, 0);
            event_case_free(&kase);
            text_clear(&text);
        }
    }
}

// A run begins anew from its start, whatever states it has left behind.
static void runs_again(void **state)
{
    (void)state;
    EventCase kase = {.run = case_start("coord x\nmass 1 at [x, 0, 0]\nstate u = -1, n = 0\n"
                                        "force u along x\n"
                                        "event flip: x = 0 { set u = -u, n = n + 1 }\n"
                                        "initial x = 1\nrun to 9 every 1\n",
                                        run_options())};
    RunListener listener = {.row = event_case_row, .event = event_case_event, .context = &kase};
    double last[2];
    for (int pass = 0; pass < 2; pass++) {
        case_expect(&kase.run, STATUS_OK);
        kase.run.status = run_go(kase.run.run, &listener, kase.run.diag, &kase.run.summary);
        case_expect(&kase.run, STATUS_OK);
        last[pass] = case_last(&kase.run, "x");
    }
    assert_near(last[1], last[0], 0);
    event_case_free(&kase);
}

// What is set and what the conditions say of it.
static void resets_under_conditions(void **state)
{
    (void)state;
    static const char rod[] = "coord x, y\nmass 1 at [x, y, 0]\nconstraint rod: x^2 + y^2 = 1\n"
                              "initial x = 0, y = 1, x' = 1\nrun to 2\n";
    static const struct {
        const char *event, *says;
    } wrong[] = {
        {"event e: x = 0.5 { set x = 0.2 }", "contradicts the constraint 'rod': its residual is"},
        {"event e: x = 0.5 { set x' = 1, y' = 1 }", "contradicts the constraint 'rod'"},
        {"event e: x = 0.5 { set x = sqrt(x - 1) }", "no finite value"},
        {"state n = 0\nevent e: x >= 0.5 { set n = 1 }\nevent a: n >= 1 { set n = 0 }\n"
         "event b: n <= 0 { set n = 1 }",
         "100 events have followed each other"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Text text = {0};
        text_addf(&text, "%s%s\n", rod, wrong[i].event);
        RunCase kase = case_run(text.at);
        case_expect(&kase, STATUS_NEGATIVE);
        assert_true(case_says(&kase, DIAG_ERROR, wrong[i].says));
        assert_near(kase.summary.reached, asin(0.5), 1e-12);
        case_free(&kase);
        text_clear(&text);
    }
    // x' follows from y', whichever of them is the speed of the state.
    for (int other = 0; other < 2; other++) {
        Text text = {0};
        text_addf(&text, "%sindependent %s\nevent e: x = 0.5 { set y' = 0.2 }\n", rod,
                  other ? "y" : "x");
        EventCase kase = event_case(text.at);
        assert_near(kase.events.at[0].after[1], 0.2, 1e-15);
        assert_near(kase.events.at[0].after[0], -0.2 * sqrt(0.75) / 0.5, 1e-13);
        event_case_free(&kase);
        text_clear(&text);
    }
    RunCase kase = case_run("coord x, y\nmass 1 at [x, y, 0]\nspeed v = x' + y', w = x' - y'\n"
                            "event e: x = 0.5 { set x' = 2 }\ninitial x' = 1\nrun to 2\n");
    case_expect(&kase, STATUS_NEGATIVE);
    assert_true(case_says(&kase, DIAG_ERROR, "one of several that could give way"));
    case_free(&kase);
}

// What is set is so behind it, where declared speeds depend on coordinates and states that are set
// with them, or are not linear, and where conditions are not; the other speeds are as before.
static void what_is_set_is_so(void **state)
{
    (void)state;
    Random random = random_seed(47);
    for (size_t round = 0; round < 12 * test_size(); round++) {
        double k = uniform(&random, 0.3, 3), c = uniform(&random, -1, 1),
               x1 = uniform(&random, -2, 2), v1 = uniform(&random, -2, 2),
               E = uniform(&random, 1, 2), a1 = uniform(&random, -0.9, 0.9);
        Text text = {0};
        text_addf(&text,
                  "coord x, y; kinetic x'^2/2 + y'^2/2; state s = 1\n"
                  "speed v = s*(2 + sin(%.17g*x))*x', w = y' - (%.17g)*x*x'\n"
                  "event e: t = 0.5 { set x = %.17g, s = 3, v = %.17g }\n"
                  "initial x' = 1, y' = 0.5\nrun to 1\n",
                  k, c, x1, v1);
        double vx = v1 / (3 * (2 + sin(k * x1)));
        EventCase kase = event_case(text.at);
        assert_near(kase.events.at[0].after[0], vx, 1e-14);
        assert_near(kase.events.at[0].after[1], 0.5 - 0.5 * c + c * x1 * vx, 1e-14);
        event_case_free(&kase);
        text_clear(&text);
        text_addf(&text,
                  "coord x, y, z; kinetic x'^2/2 + y'^2/2 + z'^2/2\n"
                  "constraint n: x'^2 + %.17g*z'^2 = %.17g\n"
                  "event e: t = 0.5 { set x' = %.17g }\n"
                  "initial x' = 0.5, y' = 1; initial approx z' = 1\nrun to 1\n",
                  k, E, a1);
        kase = event_case(text.at);
        assert_near(kase.events.at[0].after[0], a1, 1e-14);
        assert_near(kase.events.at[0].after[1], 1, 1e-14);
        assert_near(kase.events.at[0].after[2], sqrt((E - a1 * a1) / k), 1e-13);
        event_case_free(&kase);
        text_clear(&text);
        text_addf(&text,
                  "coord x, y; kinetic x'^2/2 + y'^2/2; speed v = x'^3 + %.17g*x'\n"
                  "event e: t = 0.5 { set v = %.17g }\ninitial x' = 1, y' = 0.5\nrun to 1\n",
                  k, v1);
        kase = event_case(text.at);
        vx = kase.events.at[0].after[0];
        assert_near(vx * vx * vx + k * vx, v1, 1e-13);
        assert_near(kase.events.at[0].after[1], 0.5, 1e-14);
        event_case_free(&kase);
        text_clear(&text);
    }
    // No velocities are so.
    RunCase kase = case_run("coord x, z; kinetic x'^2/2 + z'^2/2\nconstraint n: x'^2 + z'^2 = 1\n"
                            "event e: t = 0.5 { set x' = 2 }\ninitial x' = 0.6, z' = 0.8\n");
    case_expect(&kase, STATUS_NEGATIVE);
    assert_true(case_says(&kase, DIAG_ERROR, "contradicts the constraint 'n'"));
    case_free(&kase);
}

// A declared speed is kept before a velocity that was chosen: whichever that is by the order of the
// coordinates, x' is 0.2 and p = x' + c·z' stays.
static void declared_speeds_are_kept_first(void **state)
{
    (void)state;
    static const char *const orders[] = {"x, y, z", "z, x, y", "y, z, x", "z, y, x"};
    Random random = random_seed(48);
    for (size_t round = 0; round < 8 * test_size(); round++) {
        double c = uniform(&random, 0.5, 2), g = uniform(&random, -1, 1);
        Text text = {0};
        text_addf(&text,
                  "coord %s\nkinetic x'^2/2 + y'^2/2 + z'^2/2\nconstraint k: y' = (%.17g)*x'\n"
                  "speed p = x' + %.17g*z'\nevent e: t = 0.5 { set x' = 0.2 }\n"
                  "initial x' = 1, z' = 0.4\nrun to 1 every 1\n",
                  orders[round % 4], g, c);
        EventCase kase = event_case(text.at);
        assert_near(case_last(&kase.run, "x'"), 0.2, 1e-14);
        assert_near(case_last(&kase.run, "y'"), 0.2 * g, 1e-14);
        assert_near(case_last(&kase.run, "p"), 1 + 0.4 * c, 1e-13);
        event_case_free(&kase);
        text_clear(&text);
    }
}

// Records of contacts fire events, and a reset may lift off or strike.
static void contacts(void **state)
{
    (void)state;
    EventCase kase = event_case("coord z\nmass 1 at [0, 0, z]\ngravity [0, 0, -10]\nstate n = 0\n"
                                "constraint floor: z >= 0\n"
                                "event jump: contact(floor) { set z' = 2 }\n"
                                "event up: impact(floor) { set n = n + 1, z' = 3 }\n"
                                "initial z = 0.8\nrun to 1.5 every 0.5\n");
    // An impact without rebound, a release by what is set, the event.
    event_is(&kase, 0, RUN_IMPACT, "floor", 0.4, 1e-14);
    event_is(&kase, 1, RUN_RELEASE, "floor", 0.4, 1e-14);
    event_is(&kase, 2, RUN_EVENT, "", 0.4, 1e-14);
    assert_near(kase.events.at[2].after[0], 3, 0);
    event_is(&kase, 5, RUN_EVENT, "", 1, 1e-13);
    assert_near(case_last(&kase.run, "n"), 2, 0);
    assert_near(case_last(&kase.run, "z"), 3 * 0.5 - 5 * 0.25, 1e-13);
    event_case_free(&kase);
    // At rest on the floor it is thrown up; into the floor it strikes and springs back.
    kase = event_case("coord z\nmass 1 at [0, 0, z]\ngravity [0, 0, -10]\n"
                      "constraint floor: z >= 0 restitution 0.5\n"
                      "event up: t = 0.5 { set z' = 2 }\nevent down: t = 0.6 { set z' = -2 }\n"
                      "run to 0.7 every 0.7\n");
    double high = 0.2 - 0.05, hit = (-2 + sqrt(4 + 20 * high)) / 10;
    assert_near(case_last(&kase.run, "t"), 0.7, 0);
    for (size_t i = 0; i < kase.events.count; i++)
        if (kase.events.at[i].kind == RUN_IMPACT)
            assert_near(kase.events.at[i].t, 0.6 + hit, 1e-13);
    event_case_free(&kase);
}

// A form has its equations for one value of each state.
static void no_form(void **state)
{
    (void)state;
    RunOptions options = run_options();
    options.driven = true;
    options.form = FORM_LAGRANGE;
    RunCase kase = case_start("coord x\nmass 1 at [x, 0, 0]\nstate u = 1\nforce u along x\n"
                              "event e: x = 1 { set u = 2 }\n",
                              options);
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, "one value of each state"));
    case_free(&kase);
}

// Forces of fixed steps find no events.
static void no_timestepping(void **state)
{
    (void)state;
    RunOptions options = run_options();
    options.method = RUN_TIMESTEPPING;
    RunCase kase = case_start("coord x\nmass 1 at [x, 0, 0]\nevent e: x = 1 { stop }\n", options);
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, "finds no events"));
    case_free(&kase);
}

// Of x = a·cos(w·t + p), how often it passes a level up and down to t = end, at (level, a) where
// rows do not lie.
static void count_crossings(double a, double w, double p, double level, double end, size_t *counts)
{
    double turn = 2 * acos(-1), down = acos(level / a), up = turn - down;
    counts[0] = (size_t)(floor((w * end + p - up) / turn) - floor((p - up) / turn));
    counts[1] = (size_t)(floor((w * end + p - down) / turn) - floor((p - down) / turn));
}

// A long step passes a level several times; each time counts in its own direction alone.
static void one_direction_only(void **state)
{
    (void)state;
    Random random = random_seed(46);
    for (size_t round = 0; round < 300 * test_size(); round++) {
        double a = uniform(&random, 0.5, 2), w = uniform(&random, 0.5, 3),
               p = uniform(&random, 0, 6), level = a * uniform(&random, -0.8, 0.8),
               end = uniform(&random, 3, 10);
        size_t counts[2];
        Text text = {0};
        count_crossings(a, w, p, level, end, counts);
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\nforce -%.17g*x along x\nstate up = 0, down = 0\n"
                  "event a: x = %.17g rising { set up = up + 1 }\n"
                  "event b: x = %.17g falling { set down = down + 1 }\n"
                  "initial x = %.17g, x' = %.17g\nrun to %.17g every %.17g\n",
                  w * w, level, level, a * cos(p), -a * w * sin(p), end, end / 4);
        EventCase kase = go_by(round % 10 < 7 ? RUN_TAYLOR : methods[round % METHODS], text.at);
        double nearest = fabs(a * cos(w * end + p) - level);
        if (nearest > 1e-6 && fabs(a * cos(p) - level) > 1e-6) {
            assert_int_equal((size_t)case_last(&kase.run, "up"), counts[0]);
            assert_int_equal((size_t)case_last(&kase.run, "down"), counts[1]);
        }
        event_case_free(&kase);
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounces_as_resets),
        cmocka_unit_test(bounces_that_end),
        cmocka_unit_test(directions),
        cmocka_unit_test(order_of_actions),
        cmocka_unit_test(stops),
        cmocka_unit_test(impulses),
        cmocka_unit_test(bang_bang),
        cmocka_unit_test(runs_again),
        cmocka_unit_test(resets_under_conditions),
        cmocka_unit_test(what_is_set_is_so),
        cmocka_unit_test(declared_speeds_are_kept_first),
        cmocka_unit_test(no_form),
        cmocka_unit_test(contacts),
        cmocka_unit_test(no_timestepping),
        cmocka_unit_test(narrow_triggers),
        cmocka_unit_test(states_that_only_count),
        cmocka_unit_test(one_direction_only),
        cmocka_unit_test(without_value),
        cmocka_unit_test(poles),
        cmocka_unit_test(poles_of_swings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
