// Where the equations have no finite value, the message names the expression.
#include "run_case.h"
#include "uniform.h"

static void expect(const char *text, const char *expression, double reached)
{
    RunCase kase = case_start(text, run_options());
    if (kase.status == STATUS_OK)
        case_go(&kase);
    assert_true(kase.status != STATUS_OK);
    if (!case_says(&kase, DIAG_ERROR, expression))
        fail_msg("no %s in the message of\n%s", expression, text);
    if (reached > 0)
        assert_near(kase.summary.reached, reached, 1e-6);
    case_free(&kase);
}

static void test_start(void **state)
{
    (void)state;
    expect("coord x\nkinetic x'^2/2\npotential asin(x)\ninitial x = 2, x' = 0\nrun to 1\n",
           ": asin(x) divides", 0);
    expect("coord x, y\nkinetic (x'^2 + y'^2)/2\nforce log(y - 1) along x\n"
           "initial x = 0, y = 0, x' = 0, y' = 0\nrun to 1\n",
           ": log(y - 1) divides", 0);
    // (t/10)^330 is t^330 times a number that is below all doubles, but not 0.
    expect("coord x\nkinetic x'^2/2\nforce (t/10)^330*331/10 along x\n"
           "initial x = 0, x' = 0\nrun to 10\n",
           "t^330/1e3", 0);
    expect("coord x\nkinetic x'^2/2\npotential (x/1000)^200\ninitial x = 0, x' = 1000\nrun to 2\n",
           "x^200/1e6", 0);
    // A product of vectors is written nowhere as a number; along y nothing moves.
    expect("coord x\nmass 1 at [x, 0, 0]\ngravity 1e200*[-1, 1e200, 0]\n"
           "event low: x <= -1 { record }\nrun to 0.5\n",
           "the energy, which is constant, has no finite value", 0);
    expect("coord x\nmass 1 at [x, 0, 0]\ngravity 1e200*[1e200, 0, 0]\nrun to 0.5\n",
           "1e400 is there, in whole or in part, beyond the numbers", 0);
}

// x'' = √(1 − x), from x = 0 with x' = 1: x reaches 1 where the integral of dx/x' ends.
static void test_run(void **state)
{
    (void)state;
    double t = 0;
    const int parts = 200000;
    for (int i = 0; i < parts; i++) {
        double x = (i + 0.5) / parts;
        t += 1 / sqrt(1 + 4.0 / 3 * (1 - pow(1 - x, 1.5))) / parts;
    }
    expect("coord x\nkinetic x'^2/2\nforce sqrt(1 - x) along x\ninitial x = 0, x' = 1\n"
           "run to 10 every 0.1\n",
           "(-x + 1)^(1/2) divides by 0 or leaves the domain", t);
}

// The innermost expression of the text that has no value, or whose derivative has none, with its
// place, by methods of every kind: the line, and what stands there.
static void test_places(void **state)
{
    (void)state;
    static const struct {
        const char *line, *written;
    } cases[] = {
        {"potential 3*sqrt(2 - x)", "sqrt(2 - x)"},
        {"force log(2 - x) + 5 along x", "log(2 - x)"},
        {"let q = asin(x/2)\nforce 2*q + 3 along x", "asin(x/2)"},
        {"function f(u) = (2 - u)^0.3\nforce 4*f(x)*x along x", "f(x)"},
        {"kinetic acos(x/2)*x'^2/4", "acos(x/2)"},
        {"output r = sqrt(-x)\npotential (2 - x)^0.5*3", "(2 - x)^0.5"},
        {"force 3 + 2*log(1.3 - t) along x", "log(1.3 - t)"},
        {"let q = 1/sin(t - 2)\nforce x/(4 + x^2) + q*x along x", "1/sin(t - 2)"},
        {"input w = (1 - t)^1.5\nforce w/3 along x", "(1 - t)^1.5"},
    };
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (size_t i = 0; i < 4 * sizeof cases / sizeof *cases; i++) {
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\n%s\ninitial x = 1, x' = 2\nrun to 10 every 0.1\n",
                  cases[i / 4].line);
        RunOptions options = run_options();
        options.method = methods[i % 4];
        options.unwatched = true;
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        bool found = false;
        const char *at = strstr(text.at, cases[i / 4].written);
        for (size_t k = 0; k < diag_total(kase.diag); k++) {
            DiagKind kind;
            Place place;
            diag_message(kase.diag, k, &kind, &place);
            found = found || (kind == DIAG_ERROR && place.start == (size_t)(at - text.at) &&
                              place.length == strlen(cases[i / 4].written));
        }
        if (!found)
            fail_msg("method %d, no error at %s of\n%s", (int)options.method, cases[i / 4].written,
                     text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// Powers that have no value from a known time on, which no method may follow further, nor look at
// for ever. `k`: of the wave whose sign changes at π/k.
static void test_ends(void **state)
{
    (void)state;
    static const char *const bases[] = {"sign(sin(k*t))", "sin(k*t)", "(1 - k*t/pi)"};
    static const char *const exponents[] = {"-abs(x)", "x", "x/3 + 1/7", "-x^2"};
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF, RUN_TIMESTEPPING};
    for (uint64_t seed = 0; seed < 30 * test_size(); seed++) {
        Random random = random_seed(seed);
        double k = round(uniform(&random, 5, 40)), end = acos(-1) / k;
        // Steps of fixed length end up to one of them behind it.
        double margin = seed % 5 == 4 ? 0.01 : 1e-6 * end;
        RunOptions options = run_options();
        options.method = methods[seed % 5];
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\nparam k = %g\nforce %s^(%s) along x\n"
                  "initial x = %.3f, x' = %.3f\nrun to 1 every 0.1\n",
                  k, bases[random_below(&random, 3)], exponents[random_below(&random, 4)],
                  uniform(&random, 0, 0.2), uniform(&random, 0, 1));
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        if (kase.status == STATUS_OK || kase.summary.reached > end + margin)
            fail_msg("seed %d, method %d: up to t = %.12g, beyond %.12g\n%s", (int)seed,
                     (int)options.method, kase.summary.reached, end, text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// A pole at any time ends every method before it: steps become as short as the roundings of the
// time.
static void test_poles(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 24 * test_size(); seed++) {
        Random random = random_seed(seed);
        double pole = seed % 3 == 0 ? 1 : uniform(&random, 0.5, 3.5);
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\nforce %.3f/(t - %.17g)^%d along x\n"
                  "initial x = 0, x' = 0\nrun to 4 every 0.5\n",
                  uniform(&random, -1, 1), pole, 1 + (int)random_below(&random, 3));
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        if (kase.status == STATUS_OK || kase.summary.reached > pole * (1 + 1e-12))
            fail_msg("seed %d, method %d: up to t = %.12g\n%s", (int)seed, (int)options.method,
                     kase.summary.reached, text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// Waves that follow each other ever faster up to a time end the run shortly before it, by each
// method; where that time is behind the end of the run they are followed.
// A pole in what a condition on velocities asks for, or in the rate of a state, is passed by no
// method, at the time at which x = v·t comes there or to an earlier one. What is finite is passed.
static void test_poles_of_rates(void **state)
{
    (void)state;
    static const char *const poles[] = {
        "1/u",   "1/u^2",     "1/sin(u)",           "tan(u + pi/2)", "1/(exp(u) - 1)",
        "1/u^3", "1/tanh(u)", "(1 + u)/(u*(2 + u))"};
    static const char *const finite[] = {"sin(u)/u", "tanh(u)/u", "log(1 + u^2)/u", "1/(u + 1/u)"};
    static const char *const places[] = {"state s' = k*(%s)\n", "constraint y' = k*(%s)\n"};
    static const RunMethod methods[] = {RUN_ADAMS, RUN_BDF, RUN_ERK, RUN_TAYLOR};
    for (uint64_t seed = 0; seed < 48 * test_size(); seed++) {
        Random random = random_seed(seed);
        bool pole = seed % 4 > 0;
        double v = uniform(&random, 0.5, 2), at = uniform(&random, 0.5, 3.5);
        const char *function = pole ? poles[random_below(&random, sizeof poles / sizeof *poles)]
                                    : finite[random_below(&random, sizeof finite / sizeof *finite)];
        Text text = {0}, place = {0};
        const char *form = places[random_below(&random, 2)], *mark = strstr(form, "%s");
        text_addf(&place, "%.*s%s%s", (int)(mark - form), form, function, mark + 2);
        text_addf(&text,
                  "param k = %.17g\ncoord x, y\nmass 1 at [x, y, 0]\nlet u = x - %.17g\n%s"
                  "initial x' = %.17g\nrun to 4 every 1\n",
                  pow(10, uniform(&random, -5, 2)), v * at, place.at, v);
        RunOptions options = run_options();
        options.method = methods[pole ? seed % 3 : random_below(&random, 3)];
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        if (kase.status != (pole ? STATUS_NEGATIVE : STATUS_OK) ||
            (pole && !(kase.summary.reached < at + 1e-2)))
            fail_msg("seed %d, method %d, status %d at %.12g:\n%s", (int)seed, (int)options.method,
                     (int)kase.status, kase.summary.reached, text.at);
        case_free(&kase);
        text_clear(&text);
        text_clear(&place);
    }
}

static void test_waves(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 4 * test_size(); seed++) {
        Random random = random_seed(seed);
        double time = uniform(&random, 0.6, 1.4), k = uniform(&random, 0.5, 3);
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\nforce abs(t - %.17g)*sin(%.3f/(t - %.17g)) along x\n"
                  "initial x = 0, x' = 1\nrun to 2 every 0.1\n",
                  time, k, time);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        double left = time - kase.summary.reached;
        if (kase.status == STATUS_OK || !(left > 0 && left < 1e-3))
            fail_msg("seed %d: up to t = %.12g\n%s", (int)seed, kase.summary.reached, text.at);
        assert_true(case_says(&kase, DIAG_ERROR, "changes faster there than can be resolved"));
        text_clear(&text);
        case_free(&kase);
    }
    // Waves that end at 2.02, followed up to 2: x' is the integral of 400*sin(u)/u^2.
    RunCase kase = case_start("coord x\nkinetic x'^2/2\nforce sin(400/(2.02 - t)) along x\n"
                              "initial x = 0, x' = 0\nrun to 2 every 0.5\n",
                              run_options());
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    double from = 400 / 2.02, to = 400 / 0.02, sum = 0;
    enum { PARTS = 2000000 }; // by Simpson's rule
    for (int i = 0; i <= 2 * PARTS; i++) {
        double u = from + (to - from) * i / (2 * PARTS);
        int weight = i == 0 || i == 2 * PARTS ? 1 : i % 2 ? 4 : 2;
        sum += weight * sin(u) * 400 / (u * u) * (to - from) / (6. * PARTS);
    }
    assert_near(case_last(&kase, "x'"), sum, 1e-10);
    case_free(&kase);
}

// Angles between what turns: where they are 0 or π the slope of acos is 0/0, and the force has a
// kink or none. With a spring of ½·k·φ² the way is a cosine, with k·φ it is made of parabolas.
static void test_angles(void **state)
{
    (void)state;
    static const char *const angles[] = {
        "acos(dot(F.x, G.x))", "acos(cos(q - c))",       "acos(cos(q)*cos(c) + sin(c)*sin(q))",
        "asin(sin(q - c))",    "acos(-cos(c - q + pi))", "asin(sin(q)*cos(c) - sin(c)*cos(q))"};
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 24 * test_size(); seed++) {
        Random random = random_seed(seed);
        double c = uniform(&random, -2, 2), far = uniform(&random, 0.2, 1.4);
        double k = uniform(&random, 0.5, 4), to = uniform(&random, 2, 6);
        bool square = seed % 2 == 0;
        // From rest at φ = far: a quarter of the way back and forth takes √(2·far/k).
        double quarter = sqrt(2 * far / k), part = fmod(to / quarter, 4);
        double side = part < 1 || part >= 3 ? 1 : -1, s = part < 1   ? part
                                                          : part < 3 ? 2 - part
                                                                     : 4 - part;
        double phi = square ? far * cos(sqrt(k) * to) : side * far * (1 - s * s);
        const char *angle = angles[random_below(&random, square ? 6 : 3)];
        RunOptions options = run_options();
        options.method = methods[seed / 2 % 4];
        options.to = to;
        Text text = {0};
        text_addf(&text,
                  "param c = %.17g, k = %.17g\ncoord q\nframe F = world rotate q about z\n"
                  "frame G = world rotate c about z\nkinetic q'^2/2\npotential k*%s%s\n"
                  "initial q = c + %.17g\n",
                  c, k, angle, square ? "^2/2" : "", far);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        if (!(fabs(case_last(&kase, "q") - c - phi) < 1e-6))
            fail_msg("seed %d, method %d: %.12g for %.12g\n%s", (int)seed, (int)options.method,
                     case_last(&kase, "q") - c, phi, text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// What is too large for a double is not told to divide by 0, nor the other way round; what is told
// is written as it is read.
static void test_overflow(void **state)
{
    (void)state;
    static const struct {
        const char *force;
        bool large;
    } cases[] = {
        {"(1 + x^2)^%d/(2 + x^2)^%d", true},
        {"exp(x*%d) + 1/%d", true},
        {"cosh(%d*x)^%d", true},
        {"(x*1e%d)^4*1e-%d", true},
        {"(x - x0)^(-%d) + %d", false},
        {"log(x0 - x - %d)*%d", false},
    };
    for (uint64_t seed = 0; seed < 24 * test_size(); seed++) {
        Random random = random_seed(seed);
        size_t kind = seed % (sizeof cases / sizeof *cases);
        int power = 160 + (int)random_below(&random, 140);
        double x = round(uniform(&random, 40, 99));
        Text text = {0};
        text_addf(&text, "coord x\nparam x0 = %g\nkinetic x'^2/2\ninitial x = %g, x' = 1\nforce ",
                  x, x);
        text_addf(&text, cases[kind].force, power, power);
        text_add(&text, " along x\nrun to 1 every 0.1\n");
        RunCase kase = case_start(text.at, run_options());
        case_go(&kase);
        if (kase.status == STATUS_OK ||
            case_says(&kase, DIAG_ERROR, "beyond the numbers") != cases[kind].large ||
            case_says(&kase, DIAG_ERROR, "divides by 0") == cases[kind].large ||
            case_says(&kase, DIAG_ERROR, "000000000000000000000000000000"))
            fail_msg("seed %d: it runs, or gives another reason\n%s", (int)seed, text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// x'' has a derivative without bound where x or x' is 0, and the motion goes on: series mostly do,
// by a step that ends just beyond, or say that they cannot.
static void test_no_series(void **state)
{
    (void)state;
    size_t finished = 0;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    static const char *const forces[] = {"potential abs(x)^p",
                                         "force -p*abs(x)^(p - 1)*sign(x) along x",
                                         "potential x^2/2\nforce -x'*abs(x')^(p - 1) along x"};
    for (uint64_t seed = 0; seed < 24 * test_size(); seed++) {
        Random random = random_seed(seed);
        double p = round(uniform(&random, 1.2, 1.8) * 100) / 100, x = uniform(&random, 0.5, 2);
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\nparam p = %g\n%s\ninitial x = %.6f, x' = 0.5\n"
                  "run to 6 every 0.1\n",
                  p, forces[seed / 4 % 3], -x);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        if (kase.status != STATUS_OK &&
            (options.method != RUN_TAYLOR || !case_says(&kase, DIAG_ERROR, "no power series")))
            fail_msg("seed %d, method %d: it ends, or gives another reason\n%s", (int)seed,
                     (int)options.method, text.at);
        options.method = options.method == RUN_TAYLOR ? RUN_ERK : RUN_TAYLOR;
        RunCase other = case_start(text.at, options);
        case_go(&other);
        finished += other.status == STATUS_OK && kase.status == STATUS_OK;
        if (other.status == STATUS_OK && kase.status == STATUS_OK &&
            fabs(case_last(&kase, "x") - case_last(&other, "x")) > 1e-5)
            fail_msg("seed %d: x = %.9g and %.9g\n%s", (int)seed, case_last(&kase, "x"),
                     case_last(&other, "x"), text.at);
        case_free(&other);
        text_clear(&text);
        case_free(&kase);
    }
    assert_true(10 * finished > 9 * 24 * test_size());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),          cmocka_unit_test(test_run),
        cmocka_unit_test(test_places),         cmocka_unit_test(test_ends),
        cmocka_unit_test(test_poles_of_rates), cmocka_unit_test(test_poles),
        cmocka_unit_test(test_waves),          cmocka_unit_test(test_angles),
        cmocka_unit_test(test_overflow),       cmocka_unit_test(test_no_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
