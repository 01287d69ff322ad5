// A parameter that is 0 and is the inertia of something, or a damper on which it depends what the
// equations hide: the motion is that of the system without it, however the value came to be 0, and
// that of the system with it once it is no longer 0. Against closed forms: x on springs a and b in
// series, whose junction u has the mass m, and a servo.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support.h"
#include "uniform.h"
#include "zwang.h"

enum { TEXT_ROOM = 512 };

typedef struct {
    double a, b, m;
} Junction;

static void write_model(const Junction *junction, const char *mass, char *text)
{
    snprintf(text, TEXT_ROOM,
             "param a = %.17g, b = %.17g, %s\ncoord x, u\nmass 1 at [x, 0, 0]\n"
             "mass M at [u, 0, 0]\npotential a*(x - u)^2/2 + b*u^2/2\n"
             "initial x = 1, u = a/(a + b), x' = 0, u' = 0\nrun to 1 every 1\n",
             junction->a, junction->b, mass);
}

// x at the time t from x = 1, u = a/(a + b) at rest: by its two frequencies, or by one.
static double expected(const Junction *junction, double t)
{
    double a = junction->a, b = junction->b, m = junction->m;
    if (m == 0)
        return cos(sqrt(a * b / (a + b)) * t);
    // u = r·x in each of the two: a(1 − r) = w².
    double half = (a + (a + b) / m) / 2, root = sqrt(half * half - a * b / m);
    double w[2] = {half - root, half + root}, r[2] = {1 - w[0] / a, 1 - w[1] / a};
    double first = (a / (a + b) - r[1]) / (r[0] - r[1]);
    return first * cos(sqrt(w[0]) * t) + (1 - first) * cos(sqrt(w[1]) * t);
}

static double x_at_end(zw_model *model)
{
    zw_result *result;
    if (zw_run(model, &(zw_run_options){.keep = true}, &result) != ZW_DONE)
        fail_msg("%s", zw_messages(model, ZW_ERROR));
    double x = zw_result_column(result, 1)[zw_result_run(result)->rows - 1];
    zw_result_free(result);
    return x;
}

static zw_model *read_model(const char *text)
{
    zw_model *model;
    if (zw_model_read("m", text, strlen(text), NULL, &model) != ZW_DONE)
        fail_msg("%s", zw_messages(model, ZW_ERROR));
    return model;
}

// In the text, by another parameter, and from 1 to 0 and back by settings.
static void values(void **state)
{
    (void)state;
    static const char *const masses[] = {"M = 0", "k = 0, M = 3*k", "M = 1", "k = 1, M = 3*k"};
    for (size_t seed = 1; seed <= 4 * test_size(); seed++) {
        Random random = random_seed(seed);
        Junction junction = {uniform(&random, 2, 20), uniform(&random, 2, 20), 0};
        char text[TEXT_ROOM], setting[64];
        for (size_t i = 0; i < 4; i++) {
            bool by_k = i % 2 == 1;
            write_model(&junction, masses[i], text);
            zw_model *model = read_model(text);
            junction.m = i < 2 ? 0 : by_k ? 3 : 1;
            assert_true(fabs(x_at_end(model) - expected(&junction, 1)) < 1e-9);
            for (size_t round = 0; round < 4; round++) {
                const char *set = setting;
                double value = (round + seed) % 2 ? 0 : uniform(&random, 0.2, 2);
                snprintf(setting, sizeof setting, "%s=%.17g", by_k ? "k" : "M", value);
                assert_int_equal(zw_model_set(model, &set, 1), ZW_DONE);
                junction.m = by_k ? 3 * value : value;
                assert_true(fabs(x_at_end(model) - expected(&junction, 1)) < 1e-9);
            }
            junction.m = 0;
            zw_model_free(model);
        }
    }
}

// A simulation that is set to 0 on its way goes on from u = a/(a + b)·x, and one that is not 0 any
// more from its state.
static void simulations(void **state)
{
    (void)state;
    Junction junction = {5, 9, 0};
    char text[TEXT_ROOM];
    write_model(&junction, "M = 0", text);
    zw_model *model = read_model(text);
    zw_sim *sim;
    double t, q[2], v[2];
    assert_int_equal(zw_sim_new(model, NULL, &sim), ZW_DONE);
    assert_int_equal(zw_sim_to(sim, 0.5), ZW_DONE);
    assert_int_equal(zw_sim_state(sim, &t, q, v), ZW_DONE);
    assert_true(fabs(q[0] - expected(&junction, 0.5)) < 1e-9);
    assert_true(fabs(q[1] - 5.0 / 14 * q[0]) < 1e-9);
    assert_int_equal(zw_sim_set_parameter(sim, "M", 0.5), ZW_DONE);
    assert_int_equal(zw_sim_to(sim, 1), ZW_DONE);
    double x = q[0], w = v[0], h = 1e-5, u = q[1], s = v[1];
    for (int i = 0; i < 50000; i++) { // Störmer and Verlet
        w -= h / 2 * 5 * (x - u);
        s += h / 2 * (5 * (x - u) - 9 * u) / 0.5;
        x += h * w;
        u += h * s;
        w -= h / 2 * 5 * (x - u);
        s += h / 2 * (5 * (x - u) - 9 * u) / 0.5;
    }
    assert_int_equal(zw_sim_state(sim, &t, q, v), ZW_DONE);
    assert_true(fabs(q[0] - x) < 1e-7 && fabs(q[1] - u) < 1e-7);
    // u is where the springs balance, and x where it was.
    assert_int_equal(zw_sim_set_parameter(sim, "M", 0), ZW_DONE);
    assert_int_equal(zw_sim_state(sim, &t, q, v), ZW_DONE);
    assert_true(fabs(q[0] - x) < 1e-7 && fabs(q[1] - 5.0 / 14 * x) < 1e-7);
    zw_sim_free(sim);
    zw_model_free(model);
}

// A servo that acts through a spring and a damper, x - y = d with c·d' + a·d = y'' from d = 0; and
// a damper beside the spring a of the junction without a mass. A damper that is 0 changes what the
// equations hide, however it came to be 0.
static void dampers(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 4 * test_size(); seed++) {
        Random random = random_seed(seed);
        Junction junction = {uniform(&random, 2, 20), uniform(&random, 2, 20), 0};
        char texts[2][TEXT_ROOM], setting[64];
        double a = junction.a, start = uniform(&random, 0, 1) < 0.5 ? 0 : 1;
        snprintf(texts[0], TEXT_ROOM,
                 "param c = %g, half = c/2\ncoord x, y\nmass 1 at [x, 0, 0]\nmass 1 at [y, 0, 0]\n"
                 "potential %.17g*(x - y)^2/2\ndissipation half*(x' - y')^2\n"
                 "servo course: y = sin(t) by x\nrun to 1 every 1\n",
                 start, a);
        write_model(&junction, "M = 0, c = 0", texts[1]);
        strcat(texts[1], "dissipation c*(x' - u')^2/2\n");
        for (size_t i = 0; i < 2; i++) {
            zw_model *model = read_model(texts[i]);
            for (size_t round = 0; round < 4; round++) {
                const char *set = setting;
                double c = (round + seed) % 2 ? 0 : uniform(&random, 0.2, 2), all = a * a + c * c;
                double d = -a / all * sin(1) + c / all * cos(1);
                d -= c > 0 ? c / all * exp(-a / c) : 0;
                snprintf(setting, sizeof setting, "c=%.17g", c);
                assert_int_equal(zw_model_set(model, &set, 1), ZW_DONE);
                double x = x_at_end(model);
                if (i == 0)
                    assert_true(fabs(x - sin(1) - d) < 1e-9);
                else if (c == 0)
                    assert_true(fabs(x - expected(&junction, 1)) < 1e-9);
            }
            zw_model_free(model);
        }
    }
}

// The damping of a junction without mass, in the text or by a setting: while it is 0 the springs
// tell where the junction is.
static void dampings(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 4 * test_size(); seed++) {
        Random random = random_seed(seed);
        Junction junction = {uniform(&random, 2, 20), uniform(&random, 2, 20), 0};
        char text[TEXT_ROOM];
        const char *set = "d=0";
        snprintf(text, sizeof text,
                 "param a = %.17g, b = %.17g, d = %d\ncoord x, u\nmass 1 at [x, 0, 0]\n"
                 "potential a*(x - u)^2/2 + b*u^2/2\ndissipation d*u'^2/2\n"
                 "initial x = 1, x' = 0\nrun to 1 every 1\n",
                 junction.a, junction.b, (int)(seed % 2));
        zw_model *model = read_model(text);
        if (seed % 2)
            assert_int_equal(zw_model_set(model, &set, 1), ZW_DONE);
        assert_true(fabs(x_at_end(model) - expected(&junction, 1)) < 1e-9);
        zw_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(simulations),
                                       cmocka_unit_test(dampers), cmocka_unit_test(dampings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
