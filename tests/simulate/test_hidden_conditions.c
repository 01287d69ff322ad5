// test_hidden_conditions.c: servos of any relative degree, and coordinates without inertia, run
// against closed forms. Those of servos are flat inputs: everything follows from what is kept and
// its derivatives, which are found here by power series that know nothing of the program.
#include "../support.h"
#include "run_case.h"
#include "uniform.h"

// ---- Power series in the time about an instant: at[i] is the i-th derivative over i!.
enum { ORDER = 12 };
typedef struct {
    double at[ORDER];
} Series;

static Series constant(double value)
{
    return (Series){{value}};
}

static Series plus(Series a, double factor, Series b)
{
    for (size_t i = 0; i < ORDER; i++)
        a.at[i] += factor * b.at[i];
    return a;
}

static Series times(Series a, Series b)
{
    Series c = {{0}};
    for (size_t i = 0; i < ORDER; i++)
        for (size_t j = 0; j <= i; j++)
            c.at[i] += a.at[j] * b.at[i - j];
    return c;
}

static Series over(Series a, Series b)
{
    Series c = {{0}};
    for (size_t i = 0; i < ORDER; i++) {
        c.at[i] = a.at[i];
        for (size_t j = 0; j < i; j++)
            c.at[i] -= c.at[j] * b.at[i - j];
        c.at[i] /= b.at[0];
    }
    return c;
}

static Series root(Series a)
{
    Series c = {{sqrt(a.at[0])}};
    for (size_t i = 1; i < ORDER; i++) {
        c.at[i] = a.at[i];
        for (size_t j = 1; j < i; j++)
            c.at[i] -= c.at[j] * c.at[i - j];
        c.at[i] /= 2 * c.at[0];
    }
    return c;
}

static Series rate(Series a)
{
    for (size_t i = 0; i + 1 < ORDER; i++)
        a.at[i] = (double)(i + 1) * a.at[i + 1];
    a.at[ORDER - 1] = 0;
    return a;
}

static Series twice(Series a)
{
    return rate(rate(a));
}

// s = sin a, c = cos a: i·s_i = Σ j·a_j·c_(i−j).
static Series sine(Series a)
{
    Series s = {{sin(a.at[0])}}, c = {{cos(a.at[0])}};
    for (size_t i = 1; i < ORDER; i++)
        for (size_t j = 1; j <= i; j++) {
            s.at[i] += (double)j * a.at[j] * c.at[i - j] / (double)i;
            c.at[i] -= (double)j * a.at[j] * s.at[i - j] / (double)i;
        }
    return s;
}

// ---- What is kept: a polynomial, a sine or a way from rest to rest, as text and as series.
typedef struct {
    int kind;
    double a, b, c;
} Path;

static Path random_path(Random *random, double size)
{
    return (Path){.kind = (int)random_below(random, 3),
                  .a = size * (uniform(random, 0, 1) - 0.5),
                  .b = 0.5 + 1.5 * uniform(random, 0, 1),
                  .c = size * (uniform(random, 0, 1) - 0.5)};
}

static void add_path(Text *text, const Path *path)
{
    switch (path->kind) {
    case 0:
        text_addf(text, "(%.17g*t^5 + %.17g*t + %.17g)", path->a, path->b * path->a, path->c);
        break;
    case 1: text_addf(text, "(%.17g*sin(%.17g*t) + %.17g)", path->a, path->b, path->c); break;
    default: text_addf(text, "(%.17g*tanh(%.17g*(t - 1)) + %.17g)", path->a, path->b, path->c);
    }
}

static Series path_at(const Path *path, double t)
{
    Series time = {{t, 1}}, y = {{0}};
    if (path->kind == 0) {
        Series square = times(time, time);
        y = plus(constant(0), path->a, times(times(square, square), time));
        y = plus(y, path->b * path->a, time);
    } else if (path->kind == 1) {
        y = plus(y, path->a, sine((Series){{path->b * t, path->b}}));
    } else {
        // T' = w(1 − T²).
        Series T = {{tanh(path->b * (t - 1))}};
        for (size_t i = 0; i + 1 < ORDER; i++) {
            double next = i == 0;
            for (size_t j = 0; j <= i; j++)
                next -= T.at[j] * T.at[i - j];
            T.at[i + 1] = path->b * next / (double)(i + 1);
        }
        y = plus(y, path->a, T);
    }
    return plus(y, 1, constant(path->c));
}

static void expect_series(const RunCase *kase, size_t row, const char *name, Series value,
                          double tolerance)
{
    char rate_name[32];
    snprintf(rate_name, sizeof rate_name, "%s'", name);
    double size = 1 + fabs(value.at[0]) + fabs(value.at[1]);
    assert_near(case_value(kase, row, name), value.at[0], tolerance * size);
    assert_near(case_value(kase, row, rate_name), value.at[1], tolerance * size);
}

static void expect_input(const RunCase *kase, size_t row, const char *name, double value,
                         double tolerance)
{
    assert_near(case_value(kase, row, name), value, tolerance * (1 + fabs(value)));
}

static RunCase run_method(const char *text, RunMethod method)
{
    RunOptions options = run_options();
    options.method = method;
    RunCase kase = case_start(text, options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    return kase;
}

// ---- Chains of cars (Altmann and Heiland): a force on the first leads the last.

enum { MOST_CARS = 4 };

static void chain_of_cars(Random *random, RunMethod method)
{
    size_t count = 2 + (size_t)random_below(random, MOST_CARS - 1);
    double m[MOST_CARS], k[MOST_CARS], l[MOST_CARS];
    Path path = random_path(random, 2);
    Text text = {0};
    for (size_t i = 0; i < count; i++) {
        m[i] = 0.5 + uniform(random, 0, 1);
        k[i] = 3 + 10 * uniform(random, 0, 1);
        l[i] = uniform(random, 0, 1);
        text_addf(&text, "coord x%zu\nmass %.17g at [x%zu, 0, 0]\n", i, m[i], i);
    }
    for (size_t i = 0; i + 1 < count; i++)
        text_addf(&text, "potential %.17g/2*(x%zu - x%zu - %.17g)^2\n", k[i], i + 1, i, l[i]);
    text_addf(&text, "servo lead: x%zu = ", count - 1);
    add_path(&text, &path);
    text_add(&text, " by x0\nrun to 2 every 0.25 tolerance 1e-11\n");
    RunCase kase = run_method(text.at, method);
    for (size_t row = 0; row < case_row_count(&kase); row++) {
        // The spring before a car moves all that is behind it.
        Series x = path_at(&path, case_value(&kase, row, "t"));
        Series force = plus(constant(0), m[count - 1], twice(x));
        for (size_t i = count - 1;; i--) {
            char name[8];
            snprintf(name, sizeof name, "x%zu", i);
            expect_series(&kase, row, name, x, 1e-8);
            if (i == 0)
                break;
            x = plus(plus(x, 1 / k[i - 1], force), -1, constant(l[i - 1]));
            force = plus(force, m[i - 1], twice(x));
        }
        expect_input(&kase, row, "lambda.lead", force.at[0], 1e-7);
    }
    case_free(&kase);
    text_clear(&text);
}

static void chains_of_cars_are_led(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (size_t i = 0; i < 8 * test_size(); i++) {
        Random random = random_seed(4100 + i);
        chain_of_cars(&random, methods[i % 4]);
    }
}

// ---- The overhead crane (Blajer): trolley, winch and load, two inputs and a hidden condition.

static void crane(Random *random)
{
    double M = 0.5 + uniform(random, 0, 1), m = 1 + 20 * uniform(random, 0, 1);
    double J = 0.2 + uniform(random, 0, 1), g = 9.81;
    Path across = random_path(random, 1), up = random_path(random, 0.2);
    up.c -= 4;
    Text text = {0};
    text_addf(&text,
              "param M = %.17g, m = %.17g, J = %.17g, g = 9.81\ncoord s, l, phi\n"
              "mass M at [s, 0, 0]\nmass m at [s + l*sin(phi), 0, -l*cos(phi)]\n"
              "kinetic J/2*l'^2\ngravity [0, 0, -g]\nservo across: s + l*sin(phi) = ",
              M, m, J);
    add_path(&text, &across);
    text_add(&text, " by s\nservo up: -l*cos(phi) = ");
    add_path(&text, &up);
    text_add(&text, " by l\ninitial approx l = 4\nrun to 1.5 every 0.25 tolerance 1e-11\n");
    RunCase kase = run_method(text.at, RUN_TAYLOR);
    for (size_t row = 0; row < case_row_count(&kase); row++) {
        double t = case_value(&kase, row, "t");
        Series X = path_at(&across, t), Z = path_at(&up, t), one = constant(1);
        Series lift = plus(twice(Z), g, one);
        Series slope = plus(constant(0), -1, over(twice(X), lift)); // tan φ
        Series s = plus(X, 1, times(Z, slope));
        Series l = plus(constant(0), -1, times(Z, root(plus(one, 1, times(slope, slope)))));
        double pull = m * hypot(twice(X).at[0], lift.at[0]);
        expect_series(&kase, row, "s", s, 1e-8);
        expect_series(&kase, row, "l", l, 1e-8);
        assert_near(case_value(&kase, row, "phi"), atan(slope.at[0]), 1e-8);
        expect_input(&kase, row, "lambda.across", M * twice(s).at[0] + m * twice(X).at[0], 1e-7);
        expect_input(&kase, row, "lambda.up", J * twice(l).at[0] - pull, 1e-7);
    }
    case_free(&kase);
    text_clear(&text);
}

static void cranes_carry_their_loads(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6 * test_size(); i++) {
        Random random = random_seed(4200 + i);
        crane(&random);
    }
}

// Where the load is weightless, Z'' = −g, the angle is not determined: 10·t³ = g. It is before and
// after that, so that the motion passes, and says so.
static void a_weightless_load_is_passed(void **state)
{
    (void)state;
    RunCase kase = case_run("param m = 3, g = 9.81\ncoord s, l, phi\nmass 1 at [s, 0, 0]\n"
                            "mass m at [s + l*sin(phi), 0, -l*cos(phi)]\nkinetic l'^2/2\n"
                            "gravity [0, 0, -g]\nservo across: s + l*sin(phi) = 1 by s\n"
                            "servo up: -l*cos(phi) = -4 - t^5/2 by l\n"
                            "initial approx l = 4\nrun to 2 every 0.25\n");
    case_expect(&kase, STATUS_OK);
    assert_int_equal(kase.summary.events[RUN_SINGULAR].count, 1);
    assert_near(kase.summary.events[RUN_SINGULAR].first, cbrt(0.981), 1e-9);
    assert_near(case_last(&kase, "lambda.up"), 80 - 3 * (9.81 - 80), 1e-9);
    assert_near(case_last(&kase, "phi"), 0, 1e-12);
    assert_near(case_value(&kase, 2, "lambda.up"), 1.25 - 3 * (9.81 - 1.25), 1e-9);
    case_free(&kase);
}

// ---- An arm on an elastic joint: k(θ − q) moves the arm, the motor turns θ.

static void elastic_joint(Random *random)
{
    double I = 0.5 + uniform(random, 0, 1), J = 0.1 + uniform(random, 0, 1);
    double k = 5 + 20 * uniform(random, 0, 1), w = 3 * uniform(random, 0, 1);
    Path path = random_path(random, 2);
    Text text = {0};
    text_addf(&text,
              "coord q, theta\nkinetic %.17g/2*q'^2 + %.17g/2*theta'^2\n"
              "potential %.17g/2*(theta - q)^2 - %.17g*cos(q)\nservo follow: q = ",
              I, J, k, w);
    add_path(&text, &path);
    text_add(&text, " by theta\nrun to 2 every 0.25 tolerance 1e-11\n");
    RunCase kase = run_method(text.at, RUN_TAYLOR);
    for (size_t row = 0; row < case_row_count(&kase); row++) {
        Series q = path_at(&path, case_value(&kase, row, "t"));
        Series couple = plus(plus(constant(0), I, twice(q)), w, sine(q));
        Series theta = plus(q, 1 / k, couple);
        expect_series(&kase, row, "theta", theta, 1e-8);
        expect_input(&kase, row, "lambda.follow", J * twice(theta).at[0] + couple.at[0], 1e-7);
    }
    case_free(&kase);
    text_clear(&text);
}

static void elastic_joints_follow(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6 * test_size(); i++) {
        Random random = random_seed(4300 + i);
        elastic_joint(&random);
    }
}

// ---- Springs with dampers beside them: relative degree 3, and what the damper forgets is left.

// e' = (−m₂y'' − k e)/c for the extension e, with y'' = a constant.
static void damped_cars(Random *random)
{
    double m1 = 0.5 + uniform(random, 0, 1), m2 = 0.5 + uniform(random, 0, 1);
    double k = 1 + 4 * uniform(random, 0, 1), c = 0.5 + uniform(random, 0, 1);
    double a = uniform(random, 0, 1) - 0.5, e0 = uniform(random, 0, 1) - 0.5;
    Text text = {0};
    text_addf(&text,
              "coord x1, x2\nmass %.17g at [x1, 0, 0]\nmass %.17g at [x2, 0, 0]\n"
              "potential %.17g/2*(x2 - x1)^2\ndissipation %.17g/2*(x2' - x1')^2\n"
              "servo lead: x2 = %.17g*t^2/2 by x1\ninitial x1 = %.17g\n"
              "run to 2 every 0.25 tolerance 1e-11\n",
              m1, m2, k, c, a, -e0);
    RunCase kase = run_method(text.at, RUN_TAYLOR);
    for (size_t row = 0; row < case_row_count(&kase); row++) {
        double t = case_value(&kase, row, "t"), still = -m2 * a / k, r = k / c;
        double e = still + (e0 - still) * exp(-r * t), e1 = -r * (e - still);
        assert_near(case_value(&kase, row, "x1"), a * t * t / 2 - e, 1e-9);
        assert_near(case_value(&kase, row, "x1'"), a * t - e1, 1e-9);
        assert_near(case_value(&kase, row, "lambda.lead"), m2 * a + m1 * (a + r * e1), 1e-8);
    }
    case_free(&kase);
    text_clear(&text);
}

static void dampers_leave_internal_dynamics(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6 * test_size(); i++) {
        Random random = random_seed(4400 + i);
        damped_cars(&random);
    }
}

// ---- Springs one behind the other with nothing between them: 1/K = Σ 1/k.

static void springs_in_series(Random *random)
{
    enum { MOST = 4 };
    size_t count = 1 + (size_t)random_below(random, MOST);
    double m = 0.5 + uniform(random, 0, 1), k[MOST + 1], softness = 0,
           x0 = 1 + uniform(random, 0, 1);
    Text text = {0};
    text_addf(&text, "coord x\nmass %.17g at [x, 0, 0]\n", m);
    for (size_t i = 0; i <= count; i++) {
        k[i] = 1 + 5 * uniform(random, 0, 1);
        softness += 1 / k[i];
        if (i < count)
            text_addf(&text, "coord u%zu\n", i);
    }
    text_addf(&text, "potential %.17g/2*u0^2 + %.17g/2*(x - u%zu)^2\n", k[0], k[count], count - 1);
    for (size_t i = 1; i < count; i++)
        text_addf(&text, "potential %.17g/2*(u%zu - u%zu)^2\n", k[i], i, i - 1);
    text_addf(&text,
              "initial x = %.17g\nimpulse %.17g along x when t = 0.6\n"
              "run to 2 every 0.25 tolerance 1e-12\n",
              x0, m);
    RunCase kase = run_method(text.at, RUN_TAYLOR);
    double w = sqrt(1 / (softness * m)), jump = 0.6;
    for (size_t row = 0; row < case_row_count(&kase); row++) {
        // From the impulse on a second oscillation of velocity 1 is there.
        double t = case_value(&kase, row, "t"), late = fmax(t - jump, 0), part = 0;
        double x = x0 * cos(w * t) + sin(w * late) / w;
        double v = -x0 * w * sin(w * t) + (t > jump ? cos(w * late) : 0);
        if (t == jump)
            continue;
        assert_near(case_value(&kase, row, "x"), x, 1e-10);
        assert_near(case_value(&kase, row, "x'"), v, 1e-10);
        for (size_t i = 0; i < count; i++) {
            char name[24];
            snprintf(name, sizeof name, "u%zu", i);
            part += 1 / (k[i] * softness);
            assert_near(case_value(&kase, row, name), part * x, 1e-10);
            snprintf(name, sizeof name, "u%zu'", i);
            assert_near(case_value(&kase, row, name), part * v, 1e-10);
        }
    }
    case_free(&kase);
    text_clear(&text);
}

static void junctions_of_springs_follow(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6 * test_size(); i++) {
        Random random = random_seed(4500 + i);
        springs_in_series(&random);
    }
}

// ---- Maxwell's element, a spring and a damper in series: u' = k(x − u)/c.

// Taylor series of the linear equations, in short steps.
static void maxwell_step(const double *p, double h, double *y)
{
    double term[3] = {y[0], y[1], y[2]};
    for (int i = 1; i < 30; i++) {
        double pull = p[1] * (term[0] - term[2]);
        double next[3] = {term[1], -pull / p[0], pull / p[2]};
        for (int j = 0; j < 3; j++) {
            term[j] = next[j] * h / i;
            y[j] += term[j];
        }
    }
}

static void dampers_in_series_creep(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6 * test_size(); i++) {
        Random random = random_seed(4600 + i);
        double p[] = {0.5 + uniform(&random, 0, 1), 1 + 4 * uniform(&random, 0, 1),
                      0.5 + 2 * uniform(&random, 0, 1)};
        double y[] = {1 + uniform(&random, 0, 1), uniform(&random, 0, 1), uniform(&random, 0, 1)};
        Text text = {0};
        text_addf(&text,
                  "coord x, u\nmass %.17g at [x, 0, 0]\npotential %.17g/2*(x - u)^2\n"
                  "dissipation %.17g/2*u'^2\ninitial x = %.17g, x' = %.17g, u = %.17g\n"
                  "run to 2 every 0.25 tolerance 1e-12\n",
                  p[0], p[1], p[2], y[0], y[1], y[2]);
        RunCase kase = run_method(text.at, RUN_TAYLOR);
        for (size_t row = 0; row < case_row_count(&kase); row++) {
            assert_near(case_value(&kase, row, "x"), y[0], 1e-10);
            assert_near(case_value(&kase, row, "x'"), y[1], 1e-10);
            assert_near(case_value(&kase, row, "u"), y[2], 1e-10);
            assert_near(case_value(&kase, row, "u'"), p[1] * (y[0] - y[2]) / p[2], 1e-9);
            maxwell_step(p, 0.25, y);
        }
        case_free(&kase);
        text_clear(&text);
    }
}

// ---- Springs and dampers one behind the other in any order: as one of each, 1/K = Σ 1/k and 1/C =
// Σ 1/c. Two ends of one damper are in balance by one velocity.

static void chain_of_elements(Random *random)
{
    enum { MOST = 5 };
    size_t count = 2 + (size_t)random_below(random, MOST - 1), spring = count;
    double p[] = {0.5 + uniform(random, 0, 1), 0, 0}, softness = 0, slackness = 0;
    double y[] = {1 + uniform(random, 0, 1), uniform(random, 0, 1), 0};
    double value[MOST], length[MOST], place = 0;
    bool damps[MOST];
    spring = (size_t)random_below(random, count);
    for (size_t i = 0; i < count; i++) {
        damps[i] = i != spring && random_below(random, 3) > 0;
        value[i] = 1 + 4 * uniform(random, 0, 1);
        length[i] = damps[i] ? 0.3 * uniform(random, 0, 1) : 0;
        *(damps[i] ? &slackness : &softness) += 1 / value[i];
        y[2] += length[i];
    }
    p[1] = 1 / softness;
    double force = p[1] * (y[0] - y[2]);
    Text text = {0};
    text_addf(&text, "coord x\nmass %.17g at [x, 0, 0]\ninitial x = %.17g, x' = %.17g\n", p[0],
              y[0], y[1]);
    for (size_t i = 0; i + 1 < count; i++) {
        place += damps[i] ? length[i] : force / value[i];
        text_addf(&text, "coord u%zu\ninitial u%zu = %.17g\n", i, i, place);
    }
    for (size_t i = 0; i < count; i++) {
        char near[24] = "0", far[24];
        const char *prime = damps[i] ? "'" : "";
        if (i > 0)
            snprintf(near, sizeof near, "u%zu%s", i - 1, prime);
        snprintf(far, sizeof far, "x%s", prime);
        if (i + 1 < count)
            snprintf(far, sizeof far, "u%zu%s", i, prime);
        text_addf(&text, "%s %.17g/2*(%s - %s)^2\n", damps[i] ? "dissipation" : "potential",
                  value[i], far, near);
    }
    text_add(&text, "run to 2 every 0.25 tolerance 1e-12\n");
    RunCase kase = run_method(text.at, RUN_TAYLOR);
    p[2] = slackness > 0 ? 1 / slackness : INFINITY;
    for (size_t row = 0; row < case_row_count(&kase); row++) {
        assert_near(case_value(&kase, row, "x"), y[0], 1e-9);
        assert_near(case_value(&kase, row, "x'"), y[1], 1e-9);
        maxwell_step(p, 0.25, y);
    }
    case_free(&kase);
    text_clear(&text);
}

static void elements_in_series_creep(void **state)
{
    (void)state;
    for (size_t i = 0; i < 8 * test_size(); i++) {
        Random random = random_seed(4700 + i);
        chain_of_elements(&random);
    }
}

// ---- Several balances, and where one ends.

// u² = 1 − t: the start picks the root, and both end at t = 1.
static void the_start_picks_a_balance(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        Text text = {0};
        text_addf(&text,
                  "coord x, u\nmass 1 at [x, 0, 0]\npotential u^3/3 - (1 - t)*u + x^2/2\n"
                  "initial x = 1\ninitial approx u = %d\nrun to 2 every 0.25\n",
                  2 * sign);
        RunCase kase = case_run(text.at);
        case_expect(&kase, STATUS_NEGATIVE);
        assert_true(case_row_count(&kase) >= 4);
        for (size_t row = 0; row < 4; row++) {
            double t = case_value(&kase, row, "t");
            assert_near(case_value(&kase, row, "u"), sign * sqrt(1 - t), 1e-9);
            assert_near(case_value(&kase, row, "u'"), -sign / (2 * sqrt(1 - t)), 1e-8);
        }
        assert_near(kase.summary.reached, 1, 1e-6);
        assert_true(case_says(&kase, DIAG_ERROR, "snap"));
        case_free(&kase);
        text_clear(&text);
    }
}

// u = ±√(x + c) while a spring and u draw x down; it ends where x + c does, by each method, told
// with the time and with what ends. x″ = −k·x ± √(x + c) in own steps, shorter towards the end.
static void a_balance_of_the_motion_ends(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (size_t i = 0; i < 12 * test_size(); i++) {
        Random random = random_seed(4800 + i);
        double k = uniform(&random, 1, 5), c = uniform(&random, 0, 0.3),
               x = uniform(&random, 0.5, 1.5), v = uniform(&random, -4, -3),
               sign = random_below(&random, 2) ? 1 : -1, t = 0;
        Text text = {0};
        text_addf(&text,
                  "coord x, u\nmass 1 at [x, 0, 0]\n"
                  "potential %.17g*x^2/2 + u^3/3 - u*(x + %.17g)\n"
                  "initial x = %.17g, x' = %.17g\ninitial approx u = %.17g\n"
                  "run to 3 every 0.1\n",
                  k, c, x, v, sign * sqrt(x + c));
        for (double left = x + c; left > 1e-9; left = x + c) {
            double h = fmin(1e-4, -left / v / 4), at[4][2], y = x, w = v;
            for (size_t stage = 0; stage < 4; stage++) {
                at[stage][0] = w;
                at[stage][1] = -k * y + sign * sqrt(fmax(y + c, 0));
                double part = stage < 2 ? h / 2 : h;
                y = x + part * at[stage][0];
                w = v + part * at[stage][1];
            }
            x += h / 6 * (at[0][0] + 2 * at[1][0] + 2 * at[2][0] + at[3][0]);
            v += h / 6 * (at[0][1] + 2 * at[1][1] + 2 * at[2][1] + at[3][1]);
            t += h;
        }
        RunOptions options = run_options();
        options.method = methods[i % 4];
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        case_expect(&kase, STATUS_NEGATIVE);
        if (!case_says(&kase, DIAG_ERROR,
                       "balance of the forces on u, which has no inertia, ends") ||
            !(fabs(kase.summary.reached - t) < 1e-5))
            fail_msg("method %d, t = %.9g for %.9g\n%s", (int)options.method, kase.summary.reached,
                     t, text.at);
        case_free(&kase);
        text_clear(&text);
    }
}

// ---- What is refused.

static void expect_error(const char *text, const char *piece)
{
    RunCase kase = case_start(text, run_options());
    if (kase.status == STATUS_OK || !case_says(&kase, DIAG_ERROR, piece))
        fail_msg("'%s' is not said of\n%s", piece, text);
    case_free(&kase);
}

#define CARS "coord x1, x2\nmass 1 at [x1, 0, 0]\nmass 2 at [x2, 0, 0]\nrun to 1 every 1\n"

// Not a servo: the inertia along an axis has none across it.
static void unsaid_balances_are_no_servos(void **state)
{
    (void)state;
    static const char axes[][2] = {"xy", "yx", "xz", "zx", "yz", "zy"};
    for (uint64_t seed = 1; seed <= 20 * test_size(); seed++) {
        Random random = random_seed(500 + seed);
        size_t pair = random_below(&random, 6), of = (size_t)axes[pair][1] - 'x';
        // About the axis of neither turn, or of the first.
        size_t at = random_below(&random, 2) ? (size_t)axes[pair][0] - 'x'
                                             : 3 - of - ((size_t)axes[pair][0] - 'x');
        char text[300];
        snprintf(text, sizeof text,
                 "coord a, b\nframe F = world rotate a about %c rotate b about %c\n"
                 "body top frame F mass 1 at [0, 0, 0] inertia [%d, %d, %d]\nrun to 1 every 1\n",
                 axes[pair][0], axes[pair][1], at == 0, at == 1, at == 2);
        expect_error(text, "nothing determines how b' changes");
    }
}

static void the_impossible_is_refused(void **state)
{
    (void)state;
    expect_error(CARS "servo a: x2 = sin(t) by x1\n", "reaches it in no derivative");
    expect_error(CARS "potential 3*x2^2\nservo a: x2 = sin(t) by x1\n",
                 "reaches it in no derivative");
    // Its own motion, whatever the force on the other one is.
    expect_error(CARS "potential x2^2\nservo a: x2 = sin(t) by x1\n",
                 "nothing determines the force of the servo 'a'");
    expect_error(CARS "potential (x1 - x2)^2\nservo a: x2 = t by x1\nservo b: x1 = t^3 by x1\n",
                 "cannot be told apart");
    expect_error(CARS "potential (x1 - x2 + 1)^2\nservo a: x2 = 1 + t by x1\ninitial x1 = 3\n",
                 "'a.hidden' (which the equations of motion hide)");
    // What sticks or slips without inertia (Jenkins), and a mass that a parameter makes 0.
    expect_error("coord x, u\nmass 1 at [x, 0, 0]\npotential 5*x^2 + 15*(x - u)^2\n"
                 "friction slider: 2 along u\ninitial x = 1\nrun to 1 every 1\n",
                 "what has no inertia would jump there");
    expect_error("param m = 0\ncoord x, u\nmass 1 at [x, 0, 0]\nmass m at [u, 0, 0]\n"
                 "potential x^2 + (x - u)^2\ninitial x = 1\nrun to 1 every 1\n",
                 "because m, which is its inertia, is 0; write the model without that mass");
    expect_error("coord x, u\nmass 1 at [x, 0, 0]\npotential x^2\nrun to 1 every 1\n",
                 "nothing determines how u' changes");
    expect_error("coord x, y, u\nmass 1 at [x, y, 0]\npotential u*(x^2 + y^2 - 1)\n"
                 "initial x = 1, y' = 8\n",
                 "u has no inertia and is a multiplier");
    expect_error("coord x, u\nmass 1 at [x, 0, 0]\npotential x^2 + 3*u\nrun to 1 every 1\n",
                 "must be free of force");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_of_cars_are_led),
        cmocka_unit_test(cranes_carry_their_loads),
        cmocka_unit_test(a_weightless_load_is_passed),
        cmocka_unit_test(elastic_joints_follow),
        cmocka_unit_test(dampers_leave_internal_dynamics),
        cmocka_unit_test(junctions_of_springs_follow),
        cmocka_unit_test(dampers_in_series_creep),
        cmocka_unit_test(elements_in_series_creep),
        cmocka_unit_test(the_start_picks_a_balance),
        cmocka_unit_test(a_balance_of_the_motion_ends),
        cmocka_unit_test(unsaid_balances_are_no_servos),
        cmocka_unit_test(the_impossible_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
