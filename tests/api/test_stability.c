// test_stability.c: steady motions and what is near them, against closed forms, published numbers,
// differences of accelerations, and runs.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strings.h"
#include "zwang.h"

// ---- Questions and their answers.

static zw_model *open_with(const char *name, const char *setting)
{
    char path[512];
    zw_model *model;
    snprintf(path, sizeof path, "%s/models/%s.zw", ZWANG_SOURCE_DIR, name);
    const char *settings[] = {setting};
    zw_model_options chosen = {.settings = settings, .setting_count = setting ? 1 : 0};
    assert_int_equal(zw_model_open(path, &chosen, &model), ZW_DONE);
    return model;
}

static zw_model *read_text(const char *text, const char *setting)
{
    zw_model *model;
    const char *settings[] = {setting};
    zw_model_options chosen = {.settings = settings, .setting_count = setting ? 1 : 0};
    zw_status status = zw_model_read("m.zw", text, strlen(text), &chosen, &model);
    assert_int_equal(status, ZW_DONE);
    return model;
}

// The JSON answer; the model is freed. The caller frees it.
static char *ask(zw_model *model, zw_stability_options options)
{
    zw_result *result;
    options.as = ZW_JSON;
    zw_status status = zw_stability(model, &options, &result);
    char *messages = zw_messages(model, ZW_ERROR);
    if (messages)
        print_message("%s", messages);
    zw_free(messages);
    assert_int_equal(status, ZW_DONE);
    zw_model_free(model);
    char *report = strdup(zw_result_text(result));
    zw_result_free(result);
    return report;
}

// The numbers behind "key":, up to the bracket that closes what opens there.
static size_t numbers(const char *json, const char *key, double *out, size_t most)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(json, quoted);
    assert_non_null(at);
    at += strlen(quoted);
    size_t count = 0;
    int depth = 0;
    do {
        depth += *at == '[';
        depth -= *at == ']';
        if (strchr("-0123456789", *at)) {
            char *end;
            double value = strtod(at, &end);
            if (count < most)
                out[count] = value;
            count++;
            at = end;
        } else {
            at++;
        }
    } while (depth > 0 && *at);
    return count;
}

static double number(const char *json, const char *key)
{
    double value = NAN;
    assert_int_equal(numbers(json, key, &value, 1), 1);
    return value;
}

static void assert_holds(const char *json, const char *text)
{
    if (!strstr(json, text))
        print_message("no %s in %s\n", text, json);
    assert_non_null(strstr(json, text));
}

static void assert_near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fmax(fabs(expected), 1)))
        print_message("%.17g instead of %.17g\n", value, expected);
    assert_true(fabs(value - expected) <= relative * fmax(fabs(expected), 1));
}

static void assert_verdict(zw_model *model, const char *at, const char *verdict, int family)
{
    char *json = ask(model, (zw_stability_options){.at = at}), text[64];
    snprintf(text, sizeof text, "\"verdict\":\"%s\"", verdict);
    assert_holds(json, text);
    assert_int_equal((int)number(json, "family"), family);
    free(json);
}

// ---- The bicycle: Meijaard, Papadopoulos, Ruina, Schwab (2007), to the digits of the project's
// page of reference values.

static const char straight[] = "phi=0,delta=0,chiR'=-v/rR";

static void test_bicycle_matrices(void **state)
{
    (void)state;
    // Rows and columns for lean and steer; the third is the rear wheel's.
    static const double M[] = {80.81722, 2.319413322087091347748, 2.319413322087091347748,
                               0.2978418819968555299862};
    static const double C1[] = {0, 33.86641391492494388276, -0.8503564145697843703629,
                                1.685403973975596741057};
    static const double K0[] = {-80.95, -2.599516852498716407343, -2.599516852498716407343,
                                -0.8032948845861768808105};
    static const double K2[] = {0, 76.59734589573222151899, 0, 2.654315237946040252254};
    double m[9], c[9], still[6], moving[6];
    char *json = ask(open_with("bicycle", "v=0"), (zw_stability_options){.at = straight});
    assert_int_equal(numbers(json, "K", still, 6), 6);
    free(json);
    json = ask(open_with("bicycle", "v=1"), (zw_stability_options){.at = straight});
    assert_int_equal(numbers(json, "M", m, 9), 9);
    assert_int_equal(numbers(json, "C", c, 9), 9);
    assert_int_equal(numbers(json, "K", moving, 6), 6);
    free(json);
    for (size_t i = 0; i < 4; i++) {
        size_t square = i / 2 * 3 + i % 2, tall = i / 2 * 2 + i % 2;
        assert_near(m[square], M[i], 1e-13);
        assert_near(c[square], C1[i], 1e-13);
        assert_near(still[tall], 9.81 * K0[i], 1e-13);
        assert_near(moving[tall] - still[tall], K2[i], 1e-12);
    }
    // What concerns the wheel stands apart.
    assert_near(m[2], 0, 1e-14);
    assert_near(m[5], 0, 1e-14);
    assert_near(c[6], 0, 1e-12);
    assert_near(c[7], 0, 1e-12);
}

// By falling real part; a pair by its positive imaginary part, then its conjugate.
static const double published[11][8] = {
    {5.53094371765393464, 0, 3.13164324790655567, 0, -3.13164324790655567, 0, -5.53094371765393464,
     0},
    {3.52696170990069417, 0.807740275199310045, 3.52696170990069417, -0.807740275199310045,
     -3.13423125066578423, 0, -7.11008014637440773, 0},
    {2.68234517512745345, 1.68066296590675776, 2.68234517512745345, -1.68066296590675776,
     -3.07158645641514251, 0, -8.67387984831737163, 0},
    {1.70675605663973515, 2.31582447384324357, 1.70675605663973515, -2.31582447384324357,
     -2.63366137253665296, 0, -10.3510146724592282, 0},
    {0.413253315211241321, 3.07910818603205363, 0.413253315211241321, -3.07910818603205363,
     -1.42944427361325745, 0, -12.1586142657644397, 0},
    {-0.322866429004087078, 0, -0.775341882195841925, 4.46486771378822514, -0.775341882195841925,
     -4.46486771378822514, -14.0783896927982472, 0},
    {-0.00406690076970336242, 0, -1.52644486584141715, 5.87673060598708403, -1.52644486584141715,
     -5.87673060598708403, -16.085371230980284, 0},
    {0.102681705747664159, 0, -2.13875644258363428, 7.19525913329804255, -2.13875644258363428,
     -7.19525913329804255, -18.1578846612520209, 0},
    {0.143278797657129498, 0, -2.69348683581094772, 8.4603797139693359, -2.69348683581094772,
     -8.4603797139693359, -20.279408943945663, 0},
    {0.157901840309172982, 0, -3.21675402252490747, 9.69377351531782195, -3.21675402252490747,
     -9.69377351531782195, -22.4378855904085906, 0},
    {0.161053386531715542, 0, -3.72016840437287573, 10.906811394762882, -3.72016840437287573,
     -10.906811394762882, -24.6245963501740002, 0},
};

// Whether an eigenvalue is among them.
static bool is_among(double re, double im, const double *row)
{
    for (size_t i = 0; i < 4; i++)
        if (hypot(row[2 * i] - re, row[2 * i + 1] - im) <= 1e-12 * fmax(hypot(re, im), 1))
            return true;
    return false;
}

static void test_bicycle_curve(void **state)
{
    (void)state;
    char *json = ask(open_with("bicycle", NULL),
                     (zw_stability_options){.at = straight, .vary = "v=0:10:11"});
    static double curve[11 * 11];
    assert_int_equal(numbers(json, "curve", curve, 121), 121);
    for (size_t v = 0; v < 11; v++) {
        // The value, the family's zero, then four branches.
        assert_true(curve[v * 11] == (double)v);
        assert_true(curve[v * 11 + 1] == 0 && curve[v * 11 + 2] == 0);
        for (size_t i = 0; i < 4; i++)
            assert_true(
                is_among(curve[v * 11 + 3 + 2 * i], curve[v * 11 + 4 + 2 * i], published[v]));
    }
    free(json);
    // Weave and capsize, from a range that has neither on its grid.
    json = ask(open_with("bicycle", NULL),
               (zw_stability_options){.at = straight, .vary = "v=0.1:9.9:30"});
    const char *weave = strstr(json, "\"critical\":["), *capsize = strstr(weave, "\"kind\":");
    assert_near(number(weave, "value"), 4.292382536341103958687, 1e-13);
    assert_holds(weave, "\"kind\":\"pair\"");
    assert_near(number(capsize, "value"), 6.024262015388358889874, 1e-13);
    const char *rest = strstr(capsize + 1, "\"kind\":\"zero\"");
    assert_non_null(rest);
    assert_true(strstr(rest + 1, "\"kind\":") == NULL);
    free(json);
}

// Certain digits, as strings; and as many as were published.
static void test_bicycle_digits(void **state)
{
    (void)state;
    for (size_t v = 0; v < 11; v++) {
        char setting[32];
        double enclosed[10];
        snprintf(setting, sizeof setting, "v=%zu", v);
        char *json = ask(open_with("bicycle", setting),
                         (zw_stability_options){.at = straight, .digits = 25});
        char *at = strstr(json, "\"enclosed\":");
        assert_non_null(at);
        // Without quotes they read as numbers.
        for (char *c = at + strlen("\"enclosed\":"); *c && *c != 'm'; c++)
            *c = *c == '"' ? ' ' : *c;
        assert_int_equal(numbers(at, "enclosed", enclosed, 10), 10);
        for (size_t i = 0; i < 8; i++)
            assert_near(enclosed[2 + i], published[v][i], 1e-15);
        free(json);
    }
    char *json =
        ask(open_with("bicycle", "v=5"), (zw_stability_options){.at = straight, .digits = 18});
    assert_holds(json, "[\"-14.0783896927982472\",\"0\"]");
    assert_holds(json, "[\"-0.775341882195841925\",\"4.46486771378822514\"]");
    free(json);
}

// ---- The blade (Hamel 229): stable with its centre of mass ahead of the edge.
static void test_blade(void **state)
{
    (void)state;
    assert_verdict(open_with("blade", "s=0.3"), "v=1", "asymptotically_stable", 1);
    assert_verdict(open_with("blade", "s=-0.3"), "v=1", "unstable", 1);
    assert_verdict(open_with("blade", "s=0.3"), "v=-1", "unstable", 1);
    assert_verdict(open_with("blade", "s=-0.3"), "v=-1", "asymptotically_stable", 1);
    // With the centre on the edge every motion is steady.
    assert_verdict(open_with("blade", "s=0"), "v=1,w=0.5", "stable_first_order", 2);
    // At rest there is nothing that would bring it back.
    assert_verdict(open_with("blade", NULL), "v=0,w=0", "undecided", 1);
    char *json =
        ask(open_with("blade", NULL), (zw_stability_options){.at = "v=2", .vary = "s=-1:1.5:9"});
    assert_near(number(strstr(json, "\"critical\":"), "value"), 0, 1e-12);
    free(json);
}

// ---- The tire (Hamel 244).

// The least and largest |psi| over the last half of a run that begins a little aside.
typedef struct {
    size_t psi;
    double t, to, largest;
} Watch;

static bool watch_row(void *context, const double *values, size_t count)
{
    Watch *watch = context;
    assert_true(watch->psi < count);
    if (values[0] > watch->to / 2)
        watch->largest = fmax(watch->largest, fabs(values[watch->psi]));
    return true;
}

static double largest_lean(double m, double r, double A, double C, double v)
{
    char setting[256];
    snprintf(setting, sizeof setting,
             "m=%.17g,r=%.17g,A=%.17g,C=%.17g,v=%.17g,psi=1e-6,theta'=0,psi'=0", m, r, A, C, v);
    zw_model *model = open_with("tire", setting);
    Watch watch = {.to = 20};
    zw_run_options options = {0};
    options.to = watch.to;
    options.every = 0.05;
    options.tolerance = 1e-12;
    zw_result *names;
    assert_int_equal(zw_run_columns(model, &options, &names), ZW_DONE);
    watch.psi = zw_result_find_column(names, "psi");
    zw_result_free(names);
    options.row = watch_row;
    options.context = &watch;
    assert_int_equal(zw_run(model, &options, NULL), ZW_DONE);
    zw_model_free(model);
    return watch.largest;
}

// The number that a critical value's formula has with these parameters.
static double formula_value(const char *critical, const char *setting)
{
    const char *at = strstr(critical, "\"formula\":\"");
    assert_non_null(at);
    at += strlen("\"formula\":\"");
    char text[512];
    zw_result *result;
    snprintf(text, sizeof text,
             "param m, r, A, C, g = 9.81\ncoord x\nmass 1 at [x, 0, 0]\ninitial x = %.*s\n",
             (int)strcspn(at, "\""), at);
    zw_model *model = read_text(text, setting);
    assert_int_equal(zw_at(model, NULL, &result), ZW_DONE);
    double value = zw_result_instant(result)->q[0];
    zw_result_free(result);
    zw_model_free(model);
    return value;
}

static void test_tire(void **state)
{
    (void)state;
    static const double cases[][4] = {{2, 0.35, 0.1225, 0.245}, // a ring
                                      {3, 0.4, 0.12, 0.24},     // a disc
                                      {1.7, 0.3, 0.09, 0.1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double m = cases[i][0], r = cases[i][1], A = cases[i][2], C = cases[i][3], g = 9.81;
        double expected = sqrt(A * m * g * r * r * r / (C * (C + m * r * r)));
        char setting[128];
        snprintf(setting, sizeof setting, "m=%.17g,r=%.17g,A=%.17g,C=%.17g", m, r, A, C);
        char *json = ask(open_with("tire", setting),
                         (zw_stability_options){.at = "psi=0,theta'=0,v=5", .vary = "v=0.3:6:20"});
        assert_int_equal((int)number(json, "family"), 2);
        assert_holds(json, "\"family_proved\":true");
        const char *critical = strstr(json, "\"critical\":");
        assert_near(number(critical, "value"), expected, 1e-13);
        assert_near(formula_value(critical, setting), expected, 1e-14);
        free(json);
        // The experiment: it falls, or it does not.
        assert_true(largest_lean(m, r, A, C, 0.9 * expected) > 1e-2);
        assert_true(largest_lean(m, r, A, C, 1.1 * expected) < 1e-4);
    }
    assert_verdict(open_with("tire", "v=3"), "psi=0,theta'=0,v=3", "stable_first_order", 2);
    assert_verdict(open_with("tire", NULL), "psi=0,theta'=0,v=0.5", "unstable", 2);
}

// ---- Tops.

static void test_tops(void **state)
{
    (void)state;
    // The sleeping top: C² n² = 4 A₀ m g a.
    char *json =
        ask(open_with("sleeping_top", NULL),
            (zw_stability_options){.at = "alpha=0,beta=0,phi'=100", .vary = "phi'=10:200:21"});
    double m = 0.5, a = 0.04, g = 9.81, C = 3e-4, A0 = 2e-4 + m * a * a;
    const char *critical = strstr(json, "\"critical\":");
    assert_near(number(critical, "value") / (2 * sqrt(A0 * m * g * a) / C), 1, 1e-13);
    assert_holds(critical, "\"kind\":\"meeting\"");
    free(json);
    // Steady precession Ω: C n = A₀ Ω cos θ + m g a/Ω, and nutations of the frequency
    // √(A₀² Ω⁴ − 2 A₀ m g a Ω² cos θ + (m g a)²)/(A₀ Ω).
    double Omega = 3, theta = 0.5, w = m * g * a;
    double n = (A0 * Omega * cos(theta) + w / Omega) / C;
    double frequency =
        sqrt(pow(A0 * Omega * Omega, 2) - 2 * A0 * w * Omega * Omega * cos(theta) + w * w) /
        (A0 * Omega);
    double eigenvalues[8], speeds[3];
    json = ask(open_with("top", "phi'=200"), (zw_stability_options){.at = "theta=0.5,psi'=3"});
    assert_int_equal(numbers(json, "eigenvalues", eigenvalues, 8), 8);
    assert_true(eigenvalues[4] == 0);
    assert_near(eigenvalues[5], frequency, 1e-11);
    const char *u = strstr(json, "\"u\":{");
    speeds[0] = number(u, "phi'");
    assert_near(speeds[0], n - Omega * cos(theta), 1e-9);
    free(json);
    // Upright in Euler's angles nothing is determined.
    zw_model *model = open_with("top", NULL);
    zw_result *report;
    assert_int_equal(zw_stability(model, &(zw_stability_options){.at = "theta=0"}, &report),
                     ZW_WRONG);
    char *messages = zw_messages(model, ZW_ERROR);
    assert_holds(messages, "singular");
    zw_free(messages);
    zw_model_free(model);
}

// ---- Equilibria.

static void test_pendulums(void **state)
{
    (void)state;
    double e[8];
    char *json =
        ask(open_with("pendulum", "N=2,theta[1]=0.1,theta[2]=0.1"), (zw_stability_options){0});
    assert_int_equal(numbers(json, "eigenvalues", e, 8), 8);
    assert_near(e[1], sqrt(9.81 / 0.5 * (2 + sqrt(2))), 1e-14);
    assert_near(e[5], sqrt(9.81 / 0.5 * (2 - sqrt(2))), 1e-14);
    assert_holds(json, "\"verdict\":\"stable_first_order\",");
    free(json);
    assert_verdict(open_with("pendulum", "N=2"), "theta[1]=0,theta[2]=pi", "unstable", 0);
    // Identical pendulums: eigenvalues coincide, and have modes enough.
    static const char two[] = "coord a, b\npoint P = [sin(a), 0, -cos(a)]\n"
                              "point Q = [3 + sin(b), 0, -cos(b)]\nmass 1 at P\nmass 1 at Q\n"
                              "gravity [0, 0, -9]\ninitial a = 0.1\n";
    json = ask(read_text(two, NULL), (zw_stability_options){0});
    assert_holds(json, "\"verdict\":\"stable_first_order\"");
    assert_int_equal(numbers(json, "eigenvalues", e, 8), 8);
    for (size_t i = 0; i < 4; i++)
        assert_true(e[2 * i] == 0 && e[2 * i + 1] == (i % 2 ? -3 : 3));
    free(json);
    // A resonance without damping: x drives y, which has the same frequency.
    static const char driven[] = "coord x, y\nmass 1 at [x, y, 0]\npotential 2*x^2 + 2*y^2\n"
                                 "force x along y\n";
    assert_verdict(read_text(driven, NULL), NULL, "undecided", 0);
}

// Where the first approximation does not decide; and a valley, along which nothing is decided.
static void test_undecided(void **state)
{
    (void)state;
    assert_verdict(read_text("coord x\nmass 1 at [x, 0, 0]\npotential x^4\n", NULL), NULL,
                   "undecided", 0);
    assert_verdict(read_text("coord x, y\nmass 1 at [x, y, 0]\npotential (x^2 + y^2 - 1)^2\n"
                             "initial x = 0.9\n",
                             NULL),
                   NULL, "undecided", 1);
    // A free particle: every motion is steady.
    assert_verdict(read_text("coord x\nmass 1 at [x, 0, 0]\n", NULL), "x'=3", "stable_first_order",
                   1);
    // A permanent axis of a body: stable about the least moment, unstable about the middle one.
    assert_verdict(open_with("euler", NULL), "p=2,q=0,r=0", "stable_first_order", 1);
    assert_verdict(open_with("euler", NULL), "p=0,q=2,r=0", "unstable", 1);
    assert_verdict(open_with("euler", NULL), "p=0,q=0,r=2", "stable_first_order", 1);
}

// Chains of equal modes, each driven by the next, so that all of them share one, damped or not,
// beside one whose damping is positive, 0 or negative and up to 1e-14: it alone decides where the
// chain is damped, and else that the chain's deviations grow with the time. p = x + a·(the next x).
static void test_shared_modes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        Random random = random_seed(seed);
        unsigned n = 3 + (unsigned)random_below(&random, 3),
                 sign = (unsigned)random_below(&random, 3);
        bool damped = random_below(&random, 3) > 0;
        double k = 1 + (double)random_below(&random, 8),
               tiny = pow(10, -9.0 - 2.5 * (double)random_below(&random, 3));
        double c = sign == 0 ? 0 : sign == 1 ? tiny : -tiny;
        Text text = {0};
        text_addf(&text, "coord x[%u]\n", n);
        for (unsigned i = 1; i <= n; i++) {
            double a = i < n ? (double)random_below(&random, 3) - 1 : 0;
            text_addf(&text, "let p%u = x[%u] + %g*x[%u]\nlet b%u = %g\nkinetic p%u'^2/2\n", i, i,
                      a, i < n ? i + 1 : i, i, a, i);
        }
        for (unsigned i = 1; i <= n; i++) {
            if (i < n)
                text_addf(&text, "let f%u = -%.17g*p%u' - %g*sin(p%u)\n", i, damped ? 2 * k : 0, i,
                          k * k, i);
            else
                text_addf(&text, "let f%u = -(%.17g)*p%u' - 2*p%u\n", i, c, i, i);
            if (i + 1 < n)
                text_addf(&text, "let g%u = f%u + p%u\n", i, i, i + 1);
            else
                text_addf(&text, "let g%u = f%u\n", i, i);
            if (i == 1)
                text_addf(&text, "force g1 along x[1]\n");
            else
                text_addf(&text, "force g%u + b%u*g%u along x[%u]\n", i, i - 1, i - 1, i);
        }
        const char *truth = c < 0       ? "unstable"
                            : !damped   ? "undecided"
                            : sign == 0 ? "stable_first_order"
                                        : "asymptotically_stable";
        assert_verdict(read_text(text.at, NULL), NULL, truth, 0);
        text_clear(&text);
    }
    // More oscillators in a row than doubles tell.
    assert_verdict(read_text("coord q[50]\nkinetic sum(i in 1..50, q[i]'^2/2)\n"
                             "potential q[1]^2/2 + sum(i in 1..49, (q[i] - q[i+1])^2/2)\n",
                             NULL),
                   NULL, "stable_first_order", 0);
}

// Potentials whose lowest terms are of degree 3 to 12, ±, damped or not, and beside a spring in
// other coordinates: equilibria that are alone, and that the first approximation does not decide.
static void test_degenerate(void **state)
{
    (void)state;
    static const char *const models[] = {
        "coord q\nkinetic q'^2/2\npotential %g*q^%d\ndissipation %g*q'^2/2\n",
        "coord x, y\nmass 1 at [x, y, 0]\npotential 3*(x - y)^2 + %g*(x + y)^%d\n"
        "dissipation %g*(x'^2 + y'^2)/2\n",
        "coord x, y\nmass 1 at [x, y, 0]\npotential 3*(y - x^2)^2 + %g*x^%d\n"
        "dissipation %g*(x'^2 + y'^2)/2\n"};
    static const double factors[] = {-1, 1, -30, 0.02}, dampings[] = {0.1, 0, 2};
    char text[256];
    size_t drawn = 0;
    for (size_t i = 0; i < 3; i++)
        for (int degree = 3; degree <= 12; degree++, drawn++) {
            snprintf(text, sizeof text, models[i], factors[drawn % 4], degree, dampings[drawn % 3]);
            assert_verdict(read_text(text, NULL), NULL, "undecided", 0);
        }
    // A column at its critical load P = c/l.
    assert_verdict(read_text("param c = 3, l = 0.7, P = c/l\ncoord a\nmass 1 at [l*sin(a), 0, "
                             "l*cos(a)]\npotential c*a^2/2 + P*l*cos(a)\n"
                             "dissipation 0.1*a'^2/2\n",
                             NULL),
                   NULL, "undecided", 0);
    // Floors of valleys, straight and curved, are families.
    assert_verdict(read_text("coord x, y\nmass 1 at [x, y, 0]\npotential (x^2 + y^2 - 1)^2\n"
                             "dissipation 0.1*(x'^2 + y'^2)\ninitial x = 0.9\n",
                             NULL),
                   NULL, "asymptotically_stable", 1);
    assert_verdict(read_text("coord x, y, z\nmass 1 at [x, y, z]\npotential (z - sin(x)*y)^2\n"
                             "dissipation 0.1*(x'^2 + y'^2 + z'^2)\ninitial x = 0.4, y = 0.3\n",
                             NULL),
                   NULL, "asymptotically_stable", 2);
}

// Two continuous states y' = A·y that no force holds, and one that only sums up, beside a damped
// spring: their eigenvalues decide too.
static void test_states(void **state)
{
    (void)state;
    static const double drawn[][4] = {{1, 0, 0, -1},   {-1, 2, 0, -3}, {0, 1, 1, 0},
                                      {-1, 3, -3, -1}, {1, 3, -3, 1},  {-2, 1, 1, -2}};
    char text[256];
    for (size_t i = 0; i < 6; i++) {
        const double *A = drawn[i];
        snprintf(text, sizeof text,
                 "coord p\nmass 1 at [p, 0, 0]\nspring along p stiffness 1 damping 1\n"
                 "state y' = %g*y + %g*z, z' = %g*y + %g*z + p, s' = y + p + 1\n",
                 A[0], A[1], A[2], A[3]);
        double trace = A[0] + A[3], det = A[0] * A[3] - A[1] * A[2];
        bool decays = trace < 0 && det > 0;
        char *json = ask(read_text(text, NULL), (zw_stability_options){0});
        assert_holds(json,
                     decays ? "\"verdict\":\"asymptotically_stable\"" : "\"verdict\":\"unstable\"");
        assert_holds(json, "\"variables\":[\"p\",\"y\",\"z\",\"p'\"]");
        free(json);
    }
}

// A finite condition kept as an equation, and one in velocities that could be integrated.
static void test_conditions(void **state)
{
    (void)state;
    static const char finite[] = "param L = 0.5, g = 9.81, c = 0.3\ncoord x, z\n"
                                 "mass 2 at [x, 0, z]\ngravity [0, 0, -g]\nforce -c*x' along x\n"
                                 "constraint rod: x^2 + z^2 = L^2\n"
                                 "initial x = 0.1\ninitial approx z = -0.4\n";
    double e[6];
    char *json = ask(read_text(finite, NULL), (zw_stability_options){.at = "x=0"});
    assert_int_equal(numbers(json, "eigenvalues", e, 6), 4);
    assert_near(e[0], -0.3 / 4, 1e-13);
    assert_near(e[1], sqrt(9.81 / 0.5 - 0.0225 / 4), 1e-13);
    assert_holds(json, "\"variables\":[\"x\",\"x'\"]");
    assert_int_equal((int)number(json, "family"), 0);
    free(json);
    // The length is now a matter of the start: one more coordinate, one more in the family.
    static const char velocities[] = "param g = 9.81, c = 0.3\ncoord x, z\nmass 2 at [x, 0, z]\n"
                                     "gravity [0, 0, -g]\nforce -c*x' along x\n"
                                     "constraint rod: x*x' + z*z' = 0\nindependent x\n"
                                     "initial z = -0.5\n";
    json = ask(read_text(velocities, NULL), (zw_stability_options){.at = "x=0,z=-0.5"});
    assert_int_equal(numbers(json, "eigenvalues", e, 6), 6);
    assert_near(e[2], -0.3 / 4, 1e-13);
    assert_near(e[3], sqrt(9.81 / 0.5 - 0.0225 / 4), 1e-13);
    assert_int_equal((int)number(json, "family"), 1);
    assert_holds(json, "\"verdict\":\"asymptotically_stable\"");
    free(json);
}

// A needed coordinate x that conditions fix by way of others, which nothing else needs: chains of
// so many coordinates, the last of which is given, or free.
static void test_chains(void **state)
{
    (void)state;
    for (int length = 1; length <= 4; length++)
        for (int given = 0; given < 2; given++) {
            char text[512] = "coord z, x";
            for (int i = 1; i <= length; i++)
                sprintf(text + strlen(text), ", y%d", i);
            strcat(text, "\nmass 1 at [x, 0, z]\nforce -2*(z - x) - z'/5 along z\n");
            for (int i = 1; i <= length; i++)
                sprintf(text + strlen(text), "mass 1 at [0, y%d, 0]\n", i);
            strcat(text, "constraint c0: x = 2*y1\n");
            for (int i = 1; i < length; i++)
                sprintf(text + strlen(text), "constraint c%d: y%d = 2*y%d\n", i, i, i + 1);
            if (given)
                sprintf(text + strlen(text), "constraint last: y%d = 0.3\n", length);
            assert_verdict(read_text(text, NULL), given ? NULL : "x'=0",
                           given ? "asymptotically_stable" : "undecided", given ? 0 : 1);
        }
}

// The hoop that turns as a given function of the time: the equations do not need it.
static void test_governor(void **state)
{
    (void)state;
    static const char text[] = "param r = 0.5, g = 9.81, w = 6\ncoord a\n"
                               "frame H = world rotate w*t about z\n"
                               "mass 1 at r*sin(a)*H.x - [0, 0, r*cos(a)]\n"
                               "gravity [0, 0, -g]\ninitial a = 1\n";
    double e[4], cosine = 9.81 / (36 * 0.5);
    char *json = ask(read_text(text, NULL), (zw_stability_options){0});
    assert_near(number(strstr(json, "\"q\":{"), "a"), acos(cosine), 1e-12);
    assert_int_equal(numbers(json, "eigenvalues", e, 4), 4);
    assert_near(e[1], 6 * sqrt(1 - cosine * cosine), 1e-12);
    free(json);
    json = ask(read_text(text, NULL), (zw_stability_options){.at = "a=0", .vary = "w=1:10:10"});
    assert_near(number(strstr(json, "\"critical\":"), "value"), sqrt(9.81 / 0.5), 1e-13);
    assert_holds(json, "\"formula\":\"(g/r)^(1/2)\"");
    free(json);
}

// ---- Against differences of accelerations, which come by another road.

enum { MOST_VARIABLES = 5 };

typedef struct {
    const char *model, *at;
    size_t coordinates, speeds; // of the variables
    const char *variables[MOST_VARIABLES];
    const char *of[MOST_VARIABLES]; // the coordinates whose velocities are the speeds
} Case;

// The accelerations with one variable moved aside.
static void accelerations(const Case *test, const double *steady, size_t moved, double by,
                          double *out)
{
    char setting[512] = "";
    zw_result *result;
    for (size_t i = 0; i < test->coordinates + test->speeds; i++)
        snprintf(setting + strlen(setting), sizeof setting - strlen(setting), "%s%s=%.17g",
                 i ? "," : "", test->variables[i], steady[i] + (i == moved ? by : 0));
    zw_model *model = open_with(test->model, setting);
    assert_int_equal(zw_at(model, &(zw_at_options){.as = ZW_JSON}, &result), ZW_DONE);
    for (size_t i = 0; i < test->speeds; i++)
        out[i] = number(strstr(zw_result_text(result), "\"a\":{"), test->of[i]);
    zw_result_free(result);
    zw_model_free(model);
}

static void compare_with_differences(const Case *test)
{
    size_t size = test->coordinates + test->speeds;
    double A[MOST_VARIABLES * MOST_VARIABLES], steady[MOST_VARIABLES];
    char *json = ask(open_with(test->model, NULL), (zw_stability_options){.at = test->at});
    assert_int_equal(numbers(json, "A", A, size * size), size * size);
    for (size_t i = 0; i < size; i++)
        steady[i] =
            number(strstr(json, i < test->coordinates ? "\"q\":{" : "\"u\":{"), test->variables[i]);
    free(json);
    const double h = 1e-4;
    for (size_t j = 0; j < size; j++) {
        double up[MOST_VARIABLES], down[MOST_VARIABLES];
        accelerations(test, steady, j, h, up);
        accelerations(test, steady, j, -h, down);
        for (size_t i = 0; i < test->speeds; i++)
            assert_near((up[i] - down[i]) / (2 * h), A[(test->coordinates + i) * size + j], 1e-5);
    }
}

static void test_differences(void **state)
{
    (void)state;
    // The hoop and the bicycle in a circle, leaning; the bicycle has a finite condition.
    static const Case cases[] = {{"hoop",
                                  "psi=0.2,phi'=6",
                                  1,
                                  3,
                                  {"psi", "theta'", "psi'", "phi'"},
                                  {"theta", "psi", "phi"}},
                                 {"bicycle",
                                  "phi=0.1",
                                  2,
                                  3,
                                  {"phi", "delta", "phi'", "delta'", "chiR'"},
                                  {"phi", "delta", "chiR"}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        compare_with_differences(&cases[i]);
}

// ---- Inputs.

static void test_inputs(void **state)
{
    (void)state;
    // A pole on a cart that a force F pushes, and a couple at the joint; R is made of F.
    static const char text[] = "param M = 2, m = 0.5, l = 0.7, g = 9.81, F = 0, tau = 0, R = 3*F\n"
                               "coord x, q\npoint P = [x, 0, 0]\nmass M at P\n"
                               "mass m at P + l*[sin(q), 0, cos(q)]\ngravity [0, 0, -g]\n"
                               "force F + R along x\nforce tau along q\n";
    double B[4], state_B[6];
    char *json = ask(read_text(text, NULL), (zw_stability_options){.at = "q=0", .inputs = "F,tau"});
    assert_int_equal(numbers(json, "B", B, 4), 4);
    assert_true(B[0] == 4 && B[1] == 0 && B[2] == 0 && B[3] == 1);
    assert_holds(json, "\"variables\":[\"q\",\"x'\",\"q'\"]");
    // x'' = (4 F − m l q'')/(M + m), …: for the upright pole l q'' = g q − x'' + τ/(m l).
    assert_int_equal(numbers(json, "B_state", state_B, 6), 6);
    double M = 2, m = 0.5, l = 0.7;
    assert_near(state_B[2], 4 / M, 1e-14);
    assert_near(state_B[3], -1 / (M * l), 1e-14);
    assert_near(state_B[4], -4 / (M * l), 1e-14);
    assert_near(state_B[5], (M + m) / (M * m * l * l), 1e-14);
    assert_holds(json, "\"verdict\":\"unstable\"");
    free(json);
}

// ---- Very slow motions (Appell 24): the hoop's equations without products of velocities.
static void test_slow(void **state)
{
    (void)state;
    char *json = ask(open_with("hoop", NULL),
                     (zw_stability_options){.at = "psi=0,theta'=0,phi'=6", .slow = true});
    assert_holds(json, "{\"for\":\"psi'\",\"left\":\"");
    // No velocity is left, and no acceleration stands on the right.
    const char *slow = strstr(json, "\"slow\":[");
    size_t rights = 0;
    for (const char *at = strstr(slow, "\"left\":"); at; at = strstr(at + 1, "\"left\":")) {
        const char *right = strstr(at, "\"right\":\""), *end = strchr(right + 9, '}');
        for (const char *c = at; c < end; c++) {
            bool prime = *c == '\'' && c[-1] != '\'' && c[1] != '\'';
            assert_false(prime || (*c == '\'' && c > right));
        }
        rights++;
    }
    assert_int_equal(rights, 3);
    assert_holds(slow, "\"right\":\"m*r*g*sin(psi)\"");
    free(json);
}

// What zw_model_set gives counts as what a model is opened with, also where values are held.
static void test_settings(void **state)
{
    (void)state;
    const char *text =
        "param g = 9.81, l = 2\ncoord q\nkinetic l^2*q'^2/2\npotential -g*l*cos(q)\n";
    zw_model *model = read_text(text, NULL);
    const char *setting = "l=8";
    assert_int_equal(zw_model_set(model, &setting, 1), ZW_DONE);
    char *json = ask(model, (zw_stability_options){.at = "q=0"});
    double values[4];
    assert_int_equal(numbers(json, "eigenvalues", values, 4), 4);
    assert_true(fabs(fabs(values[1]) - sqrt(9.81 / 8)) < 1e-12);
    free(json);
}

// ---- Dry friction: the mode of the start.

static double drawn(unsigned *seed, double from, double to)
{
    *seed = *seed * 1103515245u + 12345u;
    return from + (to - from) * (double)(*seed >> 16 & 0x7fff) / 32768;
}

// What is said of a model whose linearization is refused, which holds a piece.
static void refuses(const char *text, zw_stability_options options, const char *piece)
{
    zw_model *model = read_text(text, NULL);
    zw_result *result;
    assert_int_equal(zw_stability(model, &options, &result), ZW_WRONG);
    char *said = zw_messages(model, ZW_ERROR), plain[2048] = "";
    // Lines are broken where they are long.
    for (size_t i = 0, at = 0; said && said[i] && at + 1 < sizeof plain; i++)
        if (said[i] != '\n' && !(said[i] == ' ' && at > 0 && plain[at - 1] == ' '))
            plain[at++] = said[i];
        else if (said[i] == '\n' && at > 0 && plain[at - 1] != ' ')
            plain[at++] = ' ';
    if (!strstr(plain, piece))
        fail_msg("looked for: %s\nsaid: %s", piece, plain);
    zw_free(said);
    zw_result_free(result);
    zw_model_free(model);
}

static void test_friction(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 6; seed++) {
        unsigned at = seed;
        char text[1024];
        double values[8], m = drawn(&at, 0.5, 3), g = drawn(&at, 1, 20), l = drawn(&at, 0.3, 2);
        // A pendulum on a cart that sticks swings as one on the ground.
        snprintf(text, sizeof text,
                 "coord x, z, phi\npoint C = [x, 0, z]\npoint P = C + %.17g*[sin(phi), 0, "
                 "-cos(phi)]\nmass 2 at C\nmass %.17g at P\ngravity [0, 0, -%.17g]\n"
                 "constraint floor: z >= 0 friction 0.4 at C on C\nrun to 1\n",
                 l, m, g);
        char *json = ask(read_text(text, NULL), (zw_stability_options){0});
        assert_int_equal(numbers(json, "eigenvalues", values, 8), 4);
        assert_true(fabs(values[0]) < 1e-12 && fabs(fabs(values[1]) - sqrt(g / l)) < 1e-10);
        free(json);
        // Down a wet slope: m s'' = m g (sin a − mu cos a) − c s'.
        double a = drawn(&at, 0.4, 0.9), mu = drawn(&at, 0, 0.3), c = drawn(&at, 1, 5);
        snprintf(text, sizeof text,
                 "coord s, n\nframe F = world rotate %.17g about y\npoint P = [s, 0, n] in F\n"
                 "mass %.17g at P\ngravity [0, 0, -%.17g]\nforce -%.17g*velocity(P) at P\n"
                 "constraint floor: n >= 0 friction %.17g at P on P\ninitial s' = %.17g\n"
                 "run to 1\n",
                 a, m, g, c, mu, m * g * (sin(a) - mu * cos(a)) / c);
        json = ask(read_text(text, NULL), (zw_stability_options){0});
        assert_int_equal(numbers(json, "eigenvalues", values, 8), 2);
        assert_true(fabs(values[0] + c / m) < 1e-10 && values[1] == 0);
        free(json);
        // On a belt, with a force that falls with the speed: damping c − R f e^(−f V).
        double k = drawn(&at, 5, 30), V = drawn(&at, 0.5, 2), R = drawn(&at, 1, 3), f = 0.8;
        double damping = c - R * f * exp(-f * V);
        snprintf(text, sizeof text,
                 "coord x\nmass %.17g at [x, 0, 0]\npotential %.17g*x^2/2\n"
                 "force -%.17g*x' along x\nfriction belt: %.17g*exp(-0.8*slip.belt) static 9 "
                 "against x' - %.17g\ninitial x = %.17g\nrun to 1\n",
                 m, k, c, R, V, R * exp(-f * V) / k);
        json = ask(read_text(text, NULL), (zw_stability_options){0});
        assert_int_equal(numbers(json, "eigenvalues", values, 8), 4);
        // Sum and product of both: −damping/m and k/m.
        double product =
            values[1] == 0 ? values[0] * values[2] : values[0] * values[0] + values[1] * values[1];
        assert_true(fabs(values[0] + values[2] + damping / m) < 1e-9);
        assert_true(fabs(product - k / m) < 1e-9 * k / m);
        free(json);
    }
    refuses("param a = 0.5\ncoord s, n\nframe F = world rotate a about y\n"
            "point P = [s, 0, n] in F\nmass 1 at P\ngravity [0, 0, -9.81]\n"
            "constraint floor: n >= 0 friction tan(a) at P on P\nrun to 1\n",
            (zw_stability_options){0}, "'floor' is on the edge of its cone");
    const char *belt = "param V = 1\ncoord x\nmass 1 at [x, 0, 0]\npotential 5*x^2\n"
                       "friction belt: 2 against x' - V\ninitial x = 0.05\nrun to 1\n";
    refuses(belt, (zw_stability_options){0}, "found near it has x = 0.2: start there");
    refuses(belt, (zw_stability_options){.vary = "V=1:2:5"}, "leave out the range");
}

// A bead on z = a x²/2 with a spring, braked by its normal force: near x = 0 the force of the guide
// is m g, so that m x'' + mu f(m g) x' + (k + m g a) x = 0.
static void test_reactions(void **state)
{
    (void)state;
    static const char *const laws[] = {"lambda.rail", "abs(lambda.rail)",
                                       "sqrt(lambda.rail^2 + 4)"};
    for (unsigned seed = 1; seed <= 9; seed++) {
        unsigned at = seed;
        char text[1024];
        double values[8], m = drawn(&at, 0.5, 3), g = drawn(&at, 1, 20), a = drawn(&at, 0.3, 2);
        double mu = drawn(&at, 0.01, 0.1), k = drawn(&at, 5, 30);
        double f = seed % 3 == 2 ? sqrt(m * m * g * g + 4) : m * g;
        snprintf(text, sizeof text,
                 "coord x, z\nmass %.17g at [x, 0, z]\ngravity [0, 0, -%.17g]\n"
                 "potential %.17g*x^2/2\nconstraint rail: z = %.17g*x^2/2\n"
                 "force -%.17g*%s*x' along x\ninitial x = 0.2\nrun to 1\n",
                 m, g, k, a, mu, laws[seed % 3]);
        char *json = ask(read_text(text, NULL), (zw_stability_options){0});
        assert_int_equal(numbers(json, "eigenvalues", values, 8), 4);
        assert_near(values[0], -mu * f / m / 2, 1e-9);
        assert_near(values[0] * values[0] + values[1] * values[1], (k + m * g * a) / m, 1e-9);
        free(json);
    }
    refuses("param mu = 0.1\ncoord x, z\nmass 1 at [x, 0, z]\ngravity [0, 0, -9]\n"
            "constraint rail: z = x^2\nforce -mu*abs(lambda.rail)*x' along x\nrun to 1\n",
            (zw_stability_options){.vary = "mu=0.1:1:5"}, "leave out the range");
}

// Inputs have their values at t = 0, with columns of their own.
static void test_signals(void **state)
{
    (void)state;
    zw_model *model = read_text("coord x\nmass 2 at [x, 0, 0]\npotential 4*x^2\n"
                                "input push = 3*cos(t), gust = random(uniform(1, 1), 0.1, 7)\n"
                                "force push + 2*gust along x\nrun to 1\n",
                                NULL);
    zw_result *result;
    zw_stability_options options = {.as = ZW_JSON, .inputs = "push,gust"};
    assert_int_equal(zw_stability(model, &options, &result), ZW_DONE);
    double values[4];
    assert_near(number(strstr(zw_result_text(result), "\"q\":{"), "x"), 5. / 8, 1e-13);
    assert_int_equal(numbers(zw_result_text(result), "B", values, 4), 2);
    assert_true(values[0] == 1 && values[1] == 2);
    zw_result_free(result);
    char *said = zw_messages(model, ZW_NOTE);
    assert_non_null(strstr(said, "held at t = 0"));
    zw_free(said);
    // And afterwards they are signals again.
    assert_int_equal(zw_at(model, &(zw_at_options){.as = ZW_JSON}, &result), ZW_DONE);
    zw_result_free(result);
    zw_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bicycle_matrices),
        cmocka_unit_test(test_bicycle_curve),
        cmocka_unit_test(test_bicycle_digits),
        cmocka_unit_test(test_blade),
        cmocka_unit_test(test_tire),
        cmocka_unit_test(test_tops),
        cmocka_unit_test(test_pendulums),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_undecided),
        cmocka_unit_test(test_shared_modes),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_governor),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_slow),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_reactions),
        cmocka_unit_test(test_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
