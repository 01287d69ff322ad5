// Sampled controllers: their instants, what they compute and apply, against the exact
// discretization of linear systems and against closed forms with impacts and dry friction.
#include "event_case.h"
#include "uniform.h"

static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_BDF, RUN_ADAMS};
enum { METHODS = sizeof methods / sizeof *methods, ORDER = 5 };

// With formulas for all values of the parameters, or for these alone.
static EventCase go_as(RunMethod method, bool fixed, const char *text)
{
    RunOptions options = run_options();
    options.method = method;
    options.fixed = fixed;
    EventCase kase = event_case_with(text, options);
    case_expect(&kase.run, STATUS_OK);
    return kase;
}

static EventCase go_by(RunMethod method, const char *text)
{
    return go_as(method, false, text);
}

static double allowed(RunMethod method)
{
    return method == RUN_TAYLOR || method == RUN_ERK ? 1e-11 : 3e-6;
}

// ---- Linear systems: z' = A·z + b·u, z of ORDER − 1 numbers; the last one is u.

typedef struct {
    long double at[ORDER][ORDER];
} Matrix;

static Matrix product(const Matrix *a, const Matrix *b)
{
    Matrix c = {0};
    for (int i = 0; i < ORDER; i++)
        for (int j = 0; j < ORDER; j++)
            for (int k = 0; k < ORDER; k++)
                c.at[i][j] += a->at[i][k] * b->at[k][j];
    return c;
}

// exp(A·h) by its series on a small part of h, squared again.
static Matrix exponential(const Matrix *a, long double h)
{
    Matrix sum = {0}, term = {0};
    enum { SQUARES = 10, TERMS = 20 };
    for (int i = 0; i < ORDER; i++)
        sum.at[i][i] = term.at[i][i] = 1;
    for (int k = 1; k <= TERMS; k++) {
        term = product(&term, a);
        for (int i = 0; i < ORDER; i++)
            for (int j = 0; j < ORDER; j++) {
                term.at[i][j] *= h / (1 << SQUARES) / k;
                sum.at[i][j] += term.at[i][j];
            }
    }
    for (int k = 0; k < SQUARES; k++)
        sum = product(&sum, &sum);
    return sum;
}

static void advance(const Matrix *a, long double h, long double *z)
{
    long double next[ORDER] = {0};
    Matrix e = exponential(a, h);
    for (int i = 0; i < ORDER; i++)
        for (int j = 0; j < ORDER; j++)
            next[i] += e.at[i][j] * z[j];
    memcpy(z, next, sizeof next);
}

// Two masses with springs, dampers and one force, which a sampled feedback holds. Times in
// thousandths, so that they are whole numbers here.
static void linear_loops(void **state)
{
    (void)state;
    Random random = random_seed(231);
    for (size_t round = 0; round < 6 * test_size(); round++) {
        double k[4], d = uniform(&random, 0, 1), gain[4];
        for (int i = 0; i < 4; i++) {
            k[i] = uniform(&random, -2, 4);
            gain[i] = uniform(&random, -1, 1);
        }
        long h = 10 + (long)uniform(&random, 0, 90), from = (long)uniform(&random, 0, 100),
             delay = round % 2 ? (long)uniform(&random, 1, (double)h - 1) : 0, to = 3000;
        Text text = {0};
        text_addf(&text,
                  "coord x, y; kinetic x'^2/2 + y'^2/2; state u = 0.5\n"
                  "force -(%.17g)*x - (%.17g)*y - %.17g*x' + u along x\n"
                  "force -(%.17g)*x - (%.17g)*y along y\n"
                  "sample 0.%03ld from 0.%03ld delay 0.%03ld {\n"
                  "  set u = %.17g*x + %.17g*y + %.17g*x' + %.17g*y'\n}\n"
                  "initial x = 1, y = -0.3, y' = 0.2\nrun to 3 every 3\n",
                  k[0], k[1], d, k[2], k[3], h, from, delay, gain[0], gain[1], gain[2], gain[3]);
        Matrix a = {{{0, 0, 1, 0, 0},
                     {0, 0, 0, 1, 0},
                     {-k[0], -k[1], -d, 0, 1},
                     {-k[2], -k[3], 0, 0, 0},
                     {0, 0, 0, 0, 0}}};
        long double z[ORDER] = {1, -0.3L, 0, 0.2L, 0.5L};
        long t = 0;
        double computed = 0;
        for (long s = from; s < to; s += h) {
            advance(&a, (s - t) / 1000.0L, z);
            computed = 0;
            for (int i = 0; i < 4; i++)
                computed += gain[i] * (double)z[i];
            t = s;
            if (s + delay > to)
                break;
            advance(&a, delay / 1000.0L, z);
            z[4] = computed;
            t = s + delay;
        }
        advance(&a, (to - t) / 1000.0L, z);
        for (size_t m = 0; m < METHODS; m++) {
            EventCase kase = go_as(methods[m], round % 3 == 2, text.at);
            double most = allowed(methods[m]);
            assert_int_equal(kase.events.count, 0);
            assert_int_equal(case_row_count(&kase.run), 2);
            assert_near(case_last(&kase.run, "x"), (double)z[0], most * (1 + fabs((double)z[0])));
            assert_near(case_last(&kase.run, "y"), (double)z[1], most * (1 + fabs((double)z[1])));
            assert_near(case_last(&kase.run, "y'"), (double)z[3], most * (1 + fabs((double)z[3])));
            event_case_free(&kase);
        }
        text_clear(&text);
    }
}

// ---- Instants.

// Exact multiples: as many as there are, and none is missed at the end or added.
static void counts(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x; kinetic x'^2/2; state n = 0, late = 0, seen = 0\n"
                                "sample 0.1 { set n = n + 1 }\n"
                                "sample 0.1 from 0.3 delay 0.05 { set late = n, seen = t }\n"
                                "run to 3000 every 0.1\n");
    assert_int_equal(case_row_count(&kase.run), 30001);
    for (size_t i = 0; i < 30001; i += 7) {
        assert_int_equal((size_t)case_value(&kase.run, i, "n"), i + 1);
        assert_int_equal((size_t)case_value(&kase.run, i, "late"), i < 4 ? 0 : i);
    }
    // The time of the sample, not of its application, as the nearest double.
    assert_true(case_last(&kase.run, "seen") == 2999.9);
    event_case_free(&kase);
}

// At one time in the order of the text; what a `set` makes true comes after them.
static void order(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x; kinetic x'^2/2; state a = 1, b = 1, hit = 0\n"
                                "sample 0.5 { set a = 2*a }\n"
                                "sample 0.25 { set b = a + b; set b = b + 1 }\n"
                                "event e: b >= 30 { set hit = t }\n"
                                "run to 1 every 1\n");
    // t = 0: a 2, b 4; 0.25: b 7; 0.5: a 4, b 12; 0.75: b 17; 1: a 8, b 26
    assert_near(case_last(&kase.run, "b"), 26, 0);
    assert_near(case_last(&kase.run, "hit"), 0, 0);
    event_case_free(&kase);
}

// For a while: what was computed while it held is applied.
static void whiles(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x; kinetic x'^2/2; state n = 0, k = 0, acts = 1\n"
                                "sample 0.1 while t <= 0.45 { set n = n + 1 }\n"
                                "sample 0.1 delay 0.04 while acts = 1 { set k = k + 1 }\n"
                                "event off: t >= 0.72 { set acts = 0 }\nrun to 2\n");
    assert_near(case_last(&kase.run, "n"), 5, 0);
    assert_near(case_last(&kase.run, "k"), 8, 0);
    event_case_free(&kase);
}

// Impulses and resets of velocities have rows before and after, and records where they are asked.
static void loud_samples(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        EventCase kase = go_by(methods[m], "coord x; kinetic x'^2; state n = 0\n"
                                           "sample kick: 0.25 from 0.1 { impulse 1 along x }\n"
                                           "sample 0.5 from 0.2 { set n = n + 1; record }\n"
                                           "run to 1 every 0.5\n");
        assert_int_equal(kase.events.count, 6);
        event_is(&kase, 0, RUN_EVENT, "", 0.1, 0);
        event_is(&kase, 3, RUN_EVENT, "", 0.6, 0);
        assert_int_equal(case_row_count(&kase.run), 3 + 2 * 6);
        assert_near(case_last(&kase.run, "x"), (0.9 + 0.65 + 0.4 + 0.15) / 2, 1e-12);
        event_case_free(&kase);
    }
}

// ---- Beside contacts, friction, tables.

// A ball with a sampled thrust on a floor: parabolas between samples and impacts.
static void impacts(void **state)
{
    (void)state;
    Random random = random_seed(233);
    for (size_t round = 0; round < 3 * test_size(); round++) {
        double c = uniform(&random, 0.2, 1), e = uniform(&random, 0.5, 0.8), g = 9, h = 0.05;
        double z = 1, v = 0, u = 0;
        size_t struck = 0;
        Text text = {0};
        text_addf(&text,
                  "coord z; mass 1 at [0, 0, z]; gravity [0, 0, -9]; state u = 0\n"
                  "force u along z\nsample 0.05 { set u = -%.17g*z' }\n"
                  "constraint floor: z >= 0 restitution %.17g\ninitial z = 1\n"
                  "run to 1.2 every 1.2\n",
                  c, e);
        for (int k = 0; k < 24; k++) {
            double left = h;
            u = -c * v;
            while (left > 0) {
                double a = u - g, t = (-v - sqrt(v * v - 2 * a * z)) / a;
                double part = t > 1e-12 && t < left ? t : left;
                z += v * part + a * part * part / 2;
                v += a * part;
                left -= part;
                if (left > 0) {
                    z = 0;
                    v = -e * v;
                    struck++;
                }
            }
        }
        for (size_t m = 0; m < METHODS; m++) {
            EventCase kase = go_by(methods[m], text.at);
            assert_int_equal(kase.events.count, struck);
            assert_near(case_last(&kase.run, "z"), z, 10 * allowed(methods[m]));
            assert_near(case_last(&kase.run, "z'"), v, 10 * allowed(methods[m]));
            event_case_free(&kase);
        }
        text_clear(&text);
    }
}

// A block that a sampled force pushes over a rough floor: 5 for 0.2, 1.5, which does not keep it
// moving, for 0.4; the bound is 3.
static void friction(void **state)
{
    (void)state;
    double v = 0, x = 0;
    size_t stops = 0;
    for (int k = 0; k < 20; k++) {
        double u = k % 6 < 2 ? 5 : 1.5, left = 0.1, a = u - 3;
        if (v == 0 && a <= 0)
            continue;
        double part = a < 0 ? fmin(left, -v / a) : left;
        x += v * part + a * part * part / 2;
        stops += part < left;
        v = part < left ? 0 : v + a * part;
    }
    for (size_t m = 0; m < METHODS; m++) {
        EventCase kase =
            go_by(methods[m], "coord x, z; point P = [x, 0, z]; mass 1 at P; gravity [0, 0, -10]\n"
                              "state k = 5, u = 0; force u along x\n"
                              "constraint floor: z >= 0 friction 0.3 at P on P\n"
                              "sample 0.1 {\n"
                              "  set k = k + 1 - 6*max(0, min(1, k - 4))\n"
                              "  set u = 1.5 + 3.5*max(0, min(1, 2 - k))\n}\n"
                              "run to 2 every 2\n");
        size_t sticks = 0;
        for (size_t i = 0; i < kase.events.count; i++)
            sticks += kase.events.at[i].kind == RUN_STICK;
        assert_int_equal(sticks, stops);
        assert_near(case_last(&kase.run, "x"), x, 10 * allowed(methods[m]));
        event_case_free(&kase);
    }
}

// The same noise as an input and as a state that a sample reads.
static void noise(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        EventCase kase = go_by(methods[m], "coord x, y; kinetic x'^2/2 + y'^2/2; state u = 0\n"
                                           "input w = random(normal(0, 1), 0.01, 5)\n"
                                           "force w - x along x; force u - y along y\n"
                                           "sample 0.01 { set u = w }\nrun to 2 every 2\n");
        assert_near(case_last(&kase.run, "y"), case_last(&kase.run, "x"), allowed(methods[m]));
        event_case_free(&kase);
    }
}

// A state in a condition and one in a function of the time: the run is made anew at each sample.
static void in_conditions(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, y; kinetic x'^2/2 + y'^2/2; state v = 1, w = 0\n"
                                "constraint drive: x' = v\nforce w*sin(3*t) along y\n"
                                "sample 0.5 from 0.5 { set v = v + 1, w = w + 1; set x' = v }\n"
                                "run to 2 every 2\n");
    assert_near(case_last(&kase.run, "x"), 0.5 * (1 + 2 + 3 + 4), 1e-11);
    double y = 0, s = 0;
    for (int k = 1; k < 4; k++) { // y'' = k·sin(3t) from t0 to t0 + h
        double t0 = 0.5 * k, h = 0.5;
        y += s * h + k * (cos(3 * t0) * h / 3 - (sin(3 * (t0 + h)) - sin(3 * t0)) / 9);
        s += k * (cos(3 * t0) - cos(3 * (t0 + h))) / 3;
    }
    assert_near(case_last(&kase.run, "y"), y, 1e-11);
    event_case_free(&kase);
}

// A blow at t = 0, the first sample of that instant, and a force that switches at x = c.
static void blows_at_the_first_sample(void **state)
{
    (void)state;
    Random random = random_seed(399);
    for (size_t round = 0; round < 6 * test_size(); round++) {
        double J = uniform(&random, 0.2, 2), u = uniform(&random, 1, 3), F = uniform(&random, 0, 1),
               c = uniform(&random, 0.05, 0.5), h = uniform(&random, 0.03, 0.4);
        Text text = {0};
        text_addf(&text,
                  "coord x; kinetic x'^2/2; state u = 0\nimpulse %.17g along x when t = 0\n"
                  "sample %.17g { set u = %.17g }\nforce u + %.17g*sign(x - %.17g) along x\n"
                  "run to 2 every 2\n",
                  J, h, u, F, c);
        double at_c = (sqrt(J * J + 2 * (u - F) * c) - J) / (u - F), v = J + (u - F) * at_c;
        double left = 2 - at_c, x = c + v * left + (u + F) * left * left / 2;
        for (size_t m = 0; m < METHODS; m++) {
            EventCase kase = go_by(methods[m], text.at);
            assert_near(case_last(&kase.run, "x"), x, allowed(methods[m]) * x);
            event_case_free(&kase);
        }
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_loops),  cmocka_unit_test(counts),
        cmocka_unit_test(order),         cmocka_unit_test(whiles),
        cmocka_unit_test(loud_samples),  cmocka_unit_test(impacts),
        cmocka_unit_test(friction),      cmocka_unit_test(noise),
        cmocka_unit_test(in_conditions), cmocka_unit_test(blows_at_the_first_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
