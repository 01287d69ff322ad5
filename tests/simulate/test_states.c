// Continuous states: filters, integrals and controllers, alone and beside places, energies, events
// and contacts. The truth is a closed form, or Runge and Kutta's method in small steps.
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
    return method == RUN_TAYLOR || method == RUN_ERK ? 1e-8 : 1e-5;
}

// ---- A second road.

typedef void Rates(const double *p, double t, const double *y, double *rate);

static void runge_kutta(Rates *rates, const double *p, size_t n, double to, double *y)
{
    enum { STEPS = 4000, MOST = 8 };
    double h = to / STEPS, k[4][MOST], z[MOST];
    for (size_t s = 0; s < STEPS; s++) {
        double t = (double)s * h;
        for (size_t stage = 0; stage < 4; stage++) {
            double part = stage == 0 ? 0 : stage == 3 ? h : h / 2;
            for (size_t i = 0; i < n; i++)
                z[i] = y[i] + (stage > 0 ? part * k[stage - 1][i] : 0);
            rates(p, t + part, z, k[stage]);
        }
        for (size_t i = 0; i < n; i++)
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

static void draw(Random *random, double *p, size_t count, Text *text)
{
    for (size_t i = 0; i < count; i++) {
        p[i] = uniform(random, -1, 1);
        text_addf(text, "%s p%zu = %.17g", i ? "," : "param", i, p[i]);
    }
    text_add(text, "\n");
}

static void expect(const EventCase *kase, RunMethod method, const char *const *names, size_t count,
                   const double *y)
{
    for (size_t i = 0; i < count; i++)
        assert_near(case_last(&kase->run, names[i]), y[i], most_of(method) * (1 + fabs(y[i])));
}

// ---- Families.

// T·y' + y = sin(w·t) and the integral of y, with a mass that neither touches.
static void low_pass(void **state)
{
    (void)state;
    Random random = random_seed(51);
    for (size_t round = 0; round < 4 * test_size(); round++) {
        double T = uniform(&random, 0.1, 2), w = uniform(&random, 0.5, 5), to = 3;
        double y0 = uniform(&random, -1, 1), a = 1 / (1 + w * w * T * T);
        double c = y0 + a * w * T, y = a * (sin(w * to) - w * T * cos(w * to)) + c * exp(-to / T);
        double sum = a * ((1 - cos(w * to)) / w - T * sin(w * to)) + c * T * (1 - exp(-to / T));
        Text text = {0};
        text_addf(&text,
                  "param T = %.17g, w = %.17g\ncoord x\nmass 1 at [x, 0, 0]\n"
                  "state y' = (sin(w*t) - y)/T, s' = y\ninitial y = %.17g\nrun to 3 every 1\n",
                  T, w, y0);
        for (size_t m = 0; m < METHODS; m++) {
            EventCase kase = go_by(methods[m], text.at);
            expect(&kase, methods[m], (const char *const[]){"y", "s", "x"}, 3,
                   (const double[]){y, sum, 0});
            event_case_free(&kase);
        }
        text_clear(&text);
    }
}

// Two masses under forces of two states, whose rates hold everything there is.
static void coupled_rates(const double *p, double t, const double *y, double *rate)
{
    double q = y[0], r = y[1], q1 = y[2], r1 = y[3], a = y[4], b = y[5];
    rate[0] = q1;
    rate[1] = r1;
    rate[2] = -4 * q + p[0] * a + p[1] * b * q - 0.3 * q1;
    rate[3] = (-3 * (r - q) + p[2] * a * b - 0.5 * r1) / 2;
    rate[4] = p[3] * q + p[4] * r1 * q1 - a + p[5] * sin(t);
    rate[5] = p[6] * a - b + p[7] * rate[4];
}

static void coupled(void **state)
{
    (void)state;
    Random random = random_seed(52);
    for (size_t round = 0; round < 6 * test_size(); round++) {
        Text text = {0};
        double p[8], y[6] = {0.4, -0.3, 0.5, 0.1, 0.2, -0.1};
        draw(&random, p, 8, &text);
        text_add(&text, "coord q, r\n"
                        "state a' = p3*q + p4*r'*q' - a + p5*sin(t), b' = p6*a - b + p7*a'\n"
                        "mass 1 at [q, 0, 0]\nmass 2 at [r, 0, 0]\n"
                        "force -4*q + p0*a + p1*b*q - 0.3*q' along q\n"
                        "force -3*(r - q) + p2*a*b - 0.5*r' along r\n"
                        "initial q = 0.4, r = -0.3, q' = 0.5, r' = 0.1, a = 0.2, b = -0.1\n"
                        "run to 4 every 2\n");
        runge_kutta(coupled_rates, p, 6, 4, y);
        for (size_t m = 0; m < METHODS; m++) {
            EventCase kase = go_by(methods[m], text.at);
            expect(&kase, methods[m], (const char *const[]){"q", "r", "q'", "r'", "a", "b"}, 6, y);
            event_case_free(&kase);
        }
        text_clear(&text);
    }
}

// A state in the potential: it has no displacement, whatever its rate holds.
static void stored_rates(const double *p, double t, const double *y, double *rate)
{
    (void)t;
    rate[0] = y[1];
    rate[1] = -(3 + y[2]) * y[0];
    rate[2] = p[0] * y[1] + p[1] * y[0] - y[2];
}

static void in_energies(void **state)
{
    (void)state;
    Random random = random_seed(53);
    for (size_t round = 0; round < 4 * test_size(); round++) {
        Text text = {0};
        double p[2], y[3] = {0.5, -0.2, 0.3};
        draw(&random, p, 2, &text);
        text_add(&text, "coord x\nkinetic x'^2/2\nstate w' = p0*x' + p1*x - w\n"
                        "potential (3 + w)*x^2/2\n"
                        "initial x = 0.5, x' = -0.2, w = 0.3\nrun to 3 every 1\n");
        runge_kutta(stored_rates, p, 3, 3, y);
        for (size_t m = 0; m < METHODS; m++) {
            EventCase kase = go_by(methods[m], text.at);
            expect(&kase, methods[m], (const char *const[]){"x", "x'", "w"}, 3, y);
            event_case_free(&kase);
        }
        text_clear(&text);
    }
}

// A support that a filter moves: places, a condition and a wall hold the state.
static void carried_rates(const double *p, double t, const double *y, double *rate)
{
    (void)t;
    double s1 = (p[0] * sin(y[0]) + p[1] - y[2]) / 0.5;
    rate[0] = y[1];
    rate[2] = s1;
    rate[1] = -9.81 * sin(y[0]) - cos(y[0]) * (p[0] * cos(y[0]) * y[1] - s1) / 0.5;
}

static void in_places(void **state)
{
    (void)state;
    Random random = random_seed(54);
    for (size_t round = 0; round < 4 * test_size(); round++) {
        Text text = {0};
        double p[2], y[3] = {0.8, 0, 0.1};
        draw(&random, p, 2, &text);
        text_addf(&text,
                  "coord th%s\nstate s' = (p0*sin(th) + p1 - s)/0.5\n%s"
                  "mass 1 at [s + sin(th), 0, %s - cos(th)]\ngravity [0, 0, -9.81]\n"
                  "initial th = 0.8, s = 0.1\nrun to 2 every 1\n",
                  round % 2 ? ", h" : "", round % 2 ? "constraint lift: h = s - s\n" : "",
                  round % 2 ? "h" : "0");
        runge_kutta(carried_rates, p, 3, 2, y);
        for (size_t m = 0; m < METHODS; m++) {
            EventCase kase = go_by(methods[m], text.at);
            expect(&kase, methods[m], (const char *const[]){"th", "th'", "s"}, 3, y);
            event_case_free(&kase);
        }
        text_clear(&text);
    }
}

// A cart that a condition carries along a state: x = s², s' = 1 − s; its reaction is x''.
static void in_a_condition(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        EventCase kase = go_by(methods[m], "coord x\nstate s' = 1 - s\nmass 2 at [x, 0, 0]\n"
                                           "constraint carried: x = s^2\nrun to 2 every 1\n");
        double e = exp(-2), s = 1 - e;
        expect(&kase, methods[m], (const char *const[]){"s", "x", "x'", "lambda.carried"}, 4,
               (const double[]){s, s * s, 2 * s * e, 2 * (2 * e * e - 2 * s * e)});
        event_case_free(&kase);
    }
}

// An integral that is emptied where the ball passes a level, and goes on through bounces: z falls
// from h, s' = z − 1, and s is set to 0 at z = 1.
static void events_and_contacts(void **state)
{
    (void)state;
    Random random = random_seed(55);
    for (size_t round = 0; round < 3 * test_size(); round++) {
        double g = uniform(&random, 5, 10), h = uniform(&random, 1.5, 3);
        double down = sqrt(2 * h / g), level = sqrt(2 * (h - 1) / g), to = 1.4 * down,
               up = 0.4 * down;
        double v = 0.8 * g * down;
        // The integrals of z − 1 down from the level, and up from the floor.
        double fall = (h - 1) * (down - level) - g * (pow(down, 3) - pow(level, 3)) / 6;
        double rise = v * up * up / 2 - g * pow(up, 3) / 6 - up;
        Text text = {0};
        text_addf(&text,
                  "coord z\nstate s' = z - 1, d' = abs(z')\nmass 1 at [0, 0, z]\n"
                  "gravity [0, 0, -%.17g]\n"
                  "constraint floor: z >= 0 restitution 0.8\n"
                  "event level: z = 1 falling { set s = 0 }\n"
                  "initial z = %.17g\nrun to %.17g\n",
                  g, h, to);
        if (v * up - g * up * up / 2 < 1)
            for (size_t m = 0; m < METHODS; m++) {
                EventCase kase = go_by(methods[m], text.at);
                double rows[] = {fall + rise, h + v * up - g * up * up / 2};
                expect(&kase, methods[m], (const char *const[]){"s", "d"}, up < v / g ? 2 : 1,
                       rows);
                event_case_free(&kase);
            }
        text_clear(&text);
    }
}

// What is constant stays proved and watched beside a state that energies do not hold.
static void energy_is_watched(void **state)
{
    (void)state;
    RunCase kase = case_run("coord x\nkinetic x'^2/2\npotential x^2/2\nstate s' = x'^2 - s\n"
                            "initial x = 1\nrun to 10\n");
    case_expect(&kase, STATUS_OK);
    assert_true(motion_keeps_energy(kase.motion));
    case_free(&kase);
    kase = case_run("coord x\nkinetic x'^2/2\npotential (1 + s^2)*x^2/2\nstate s' = x'^2 - s\n"
                    "initial x = 1\nrun to 10\n");
    assert_int_equal(kase.status, STATUS_WRONG); // s is used above its declaration
    case_free(&kase);
    kase = case_run("coord x\nstate s' = x'^2 - s\nkinetic x'^2/2\npotential (1 + s^2)*x^2/2\n"
                    "initial x = 1\nrun to 10\n");
    case_expect(&kase, STATUS_OK);
    assert_false(motion_keeps_energy(kase.motion));
    case_free(&kase);
}

// Rates may hold discrete states of the same statement, wherever these stand in it.
static void beside_discrete_ones(void **state)
{
    (void)state;
    static const char *const written[] = {"state a' = b + n, n = 2, b' = -a\n",
                                          "state n = 2, a' = b + n, b' = -a\n",
                                          "state a' = b + n, b' = -a, n = 2\n"};
    for (size_t i = 0; i < 3; i++) {
        Text text = {0};
        text_addf(&text, "%scoord x\nmass 1 at [x, 0, 0]\nrun to 1 every 1\n", written[i]);
        RunCase kase = case_run(text.at);
        case_expect(&kase, STATUS_OK);
        assert_near(case_last(&kase, "a"), 2 * sin(1), 1e-12);
        assert_near(case_last(&kase, "b"), 2 * cos(1) - 2, 1e-12);
        text_clear(&text);
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beside_discrete_ones),
        cmocka_unit_test(low_pass),
        cmocka_unit_test(coupled),
        cmocka_unit_test(in_energies),
        cmocka_unit_test(in_places),
        cmocka_unit_test(in_a_condition),
        cmocka_unit_test(events_and_contacts),
        cmocka_unit_test(energy_is_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
