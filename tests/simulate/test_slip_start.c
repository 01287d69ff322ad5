// Sliding that begins from rest in space: the push is chosen so that the motion is known.
//
// With u = ρ(τ)·(cos φ, sin φ), φ = φ0 + b·τ, the push A = u' + c·u/|u| moves a puck on a level
// floor with μg = c so, and |A| < μ_s·g before.
#include "event_case.h"
#include "uniform.h"

#include <stdio.h>

typedef struct {
    double c, s, k, b, phi, begins, length, time; // ρ = s·τ + k·τ²
} Push;

// At a time, or at 0: the three kinds of beginnings.
static Push draw(Random *random, int kind)
{
    Push push = {.c = uniform(random, 1, 8),
                 .k = uniform(random, 0.2, 3),
                 .b = uniform(random, -4, 4),
                 .phi = uniform(random, 0, 6.28),
                 .length = pow(10, uniform(random, -3, 3)),
                 .time = pow(10, uniform(random, -2, 2))};
    push.s = kind == 0 ? 0 : uniform(random, 0.05, 0.5) * push.c;
    // Until then the push is below what holds.
    double square = 4 * push.k * push.k + push.s * push.s * push.b * push.b;
    double most = fmin(0.4, 4 * push.k * (push.c + push.s) / square);
    push.begins = kind == 1 ? 0 : uniform(random, 0.05, 0.5) * most;
    return push;
}

// ∫ ρ·cos φ and ∫ ρ·sin φ up to τ, by Gauss's formula over many parts.
static void path_of(const Push *push, double tau, double *x, double *y)
{
    static const double at[] = {0.0694318442029737, 0.3300094782075719, 0.6699905217924281,
                                0.9305681557970263};
    static const double weight[] = {0.1739274225687269, 0.3260725774312731, 0.3260725774312731,
                                    0.1739274225687269};
    enum { PARTS = 200 };
    *x = *y = 0;
    for (int i = 0; i < PARTS; i++)
        for (int k = 0; k < 4; k++) {
            double t = tau * (i + at[k]) / PARTS, rho = push->s * t + push->k * t * t;
            *x += rho * cos(push->phi + push->b * t) * weight[k] * tau / PARTS;
            *y += rho * sin(push->phi + push->b * t) * weight[k] * tau / PARTS;
        }
}

// In units of length and time as drawn: T is the time in the push's own.
static void write_puck(const Push *push, const char *name, Random *random, double mu, char *text,
                       size_t size)
{
    double m = pow(10, uniform(random, -3, 3)), unit = push->length / (push->time * push->time);
    double hold = push->begins > 0 ? fmax(mu * (push->c + push->s) / push->c, mu) : mu;
    snprintf(text, size,
             "point P%s = [x%s, y%s, z%s]\nmass %.17g at P%s\n"
             "constraint f%s: z%s >= 0 friction %.17g static %.17g at P%s on P%s\n"
             "force %.17g*[(c%s + s + 2*k*T)*cos(b*T + p) - (s*T + k*T^2)*b*sin(b*T + p), "
             "(c%s + s + 2*k*T)*sin(b*T + p) + (s*T + k*T^2)*b*cos(b*T + p), 0] at P%s\n",
             name, name, name, name, m, name, name, name, mu, hold, name, name, m * unit, name,
             name, name);
}

static void check(Random *random, int kind, size_t pucks, RunMethod method, double within)
{
    Push push = draw(random, kind);
    double end = uniform(random, 0.3, 1.2), mu = uniform(random, 0.1, 0.8), x, y;
    double unit = push.length / (push.time * push.time), g = push.c * unit / mu;
    char text[4096], part[2048];
    int used =
        snprintf(text, sizeof text,
                 "param c0 = %.17g, c1 = c0, s = %.17g, k = %.17g, b = %.17g, p = %.17g\n"
                 "coord x0, y0, z0%s\ngravity [0, 0, -%.17g]\n",
                 push.c, push.s, push.k, push.b, push.phi, pucks > 1 ? ", x1, y1, z1" : "", g);
    for (size_t i = 0; i < pucks; i++) {
        write_puck(&push, i == 0 ? "0" : "1", random, mu, part, sizeof part);
        for (char *at = part; *at; at++) { // T as it is in the units of the run
            if (*at == 'T')
                used += snprintf(text + used, sizeof text - (size_t)used, "(t/%.17g - %.17g)",
                                 push.time, push.begins);
            else
                text[used++] = *at;
        }
    }
    snprintf(text + used, sizeof text - (size_t)used, "run to %.17g every %.17g\n",
             (push.begins + end) * push.time, (push.begins + end) * push.time / 4);
    RunOptions options = run_options();
    options.method = method;
    EventCase kase = event_case_with(text, options);
    case_expect(&kase.run, STATUS_OK);
    if (kase.events.count != (kind == 1 ? 0 : pucks))
        fail_msg("%zu events, kind %d\n%s", kase.events.count, kind, text);
    for (size_t i = 0; i < kase.events.count; i++) {
        assert_int_equal(kase.events.at[i].kind, RUN_SLIP);
        assert_near(kase.events.at[i].t / push.time, push.begins, 1e-8);
    }
    size_t last = case_row_count(&kase.run) - 1;
    path_of(&push, end, &x, &y);
    double size = within * hypot(x, y) * push.length;
    for (size_t i = 0; i < pucks; i++) {
        assert_near(case_value(&kase.run, last, i == 0 ? "x0" : "x1"), x * push.length, size);
        assert_near(case_value(&kase.run, last, i == 0 ? "y0" : "y1"), y * push.length, size);
    }
    // Friction has all of its bound wherever it slides, also where it begins.
    for (size_t row = 0; row <= last; row++) {
        double force = hypot(case_value(&kase.run, row, "friction.f0.x"),
                             case_value(&kase.run, row, "friction.f0.y"));
        double most = mu * case_value(&kase.run, row, "lambda.f0");
        if (case_value(&kase.run, row, "mode.f0") == 2)
            assert_near(force / most, 1, 1e-6);
    }
    event_case_free(&kase);
}

static void pushes(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 12 * test_size(); seed++) {
        Random random = random_seed(seed);
        check(&random, (int)(seed % 3), 1, RUN_TAYLOR, 1e-9);
    }
}

static void pushes_by_every_method(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (size_t seed = 1; seed <= 6 * test_size(); seed++) {
        Random random = random_seed(1000 + seed);
        check(&random, (int)(seed % 3), 1, methods[seed % 3], 1e-6);
    }
}

static void two_at_once(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 6 * test_size(); seed++) {
        Random random = random_seed(2000 + seed);
        check(&random, (int)(seed % 3), 2, RUN_TAYLOR, 1e-9);
    }
}

// The puck on the turntable that begins to turn: values by a second formulation in 20 digits.
static void turntable(void **state)
{
    (void)state;
    EventCase kase = event_case_with(
        "coord X, Y, z\nframe T = world rotate 0.75*t^2 about z\n"
        "body table frame T mass 1 at origin inertia [1, 1, 1]\npoint P = [X, Y, z]\nmass 1 at P\n"
        "gravity [0, 0, -9.81]\nconstraint top: z >= 0 friction 0.3 at P on P and table\n"
        "initial X = 0.5\nrun to 3 every 0.1\n",
        run_options());
    case_expect(&kase.run, STATUS_OK);
    size_t last = case_row_count(&kase.run) - 1;
    assert_int_equal(kase.events.count, 1);
    assert_near(kase.events.at[0].t, 1.590480041404026, 1e-10);
    assert_near(case_value(&kase.run, last, "X"), 0.3072205831062773, 1e-10);
    assert_near(case_value(&kase.run, last, "Y"), -1.581399038700122, 1e-10);
    assert_near(case_value(&kase.run, last, "X'"), 2.237481379615188, 1e-10);
    assert_near(case_value(&kase.run, last, "Y'"), -1.405183779652566, 1e-10);
    event_case_free(&kase);
}

// Thrown up a slope that does not hold it, and a table that slides on four legs, by closed form; in
// space, though along a line.
static void down_a_slope(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 4 * test_size(); seed++) {
        Random random = random_seed(3000 + seed);
        double alpha = uniform(&random, 0.4, 0.8), mu = uniform(&random, 0.1, 0.35);
        double v = uniform(&random, 0.5, 2), g = 9.81, phi = uniform(&random, 0, 6.28);
        double up = g * (sin(alpha) + mu * cos(alpha)), down = g * (sin(alpha) - mu * cos(alpha));
        double stop = v / up, rest = 1 - stop, path = down * rest * rest / 2 - v * stop / 2;
        char text[1024];
        snprintf(text, sizeof text,
                 "coord x, y, z\npoint P = [x, y, z]\nmass 1 at P\n"
                 "gravity 9.81*[%.17g, %.17g, -%.17g]\nconstraint f: z >= 0 friction %.17g at P on "
                 "P\ninitial x' = %.17g, y' = %.17g\nrun to 1 every 0.1\n",
                 sin(alpha) * cos(phi), sin(alpha) * sin(phi), cos(alpha), mu, -v * cos(phi),
                 -v * sin(phi));
        EventCase kase = event_case_with(text, run_options());
        case_expect(&kase.run, STATUS_OK);
        assert_int_equal(kase.events.count, 1);
        assert_int_equal(kase.events.at[0].kind, RUN_REVERSE);
        assert_near(kase.events.at[0].t, stop, 1e-9);
        size_t last = case_row_count(&kase.run) - 1;
        assert_near(case_value(&kase.run, last, "x"), path * cos(phi), 1e-9);
        assert_near(case_value(&kase.run, last, "y"), path * sin(phi), 1e-9);
        event_case_free(&kase);
        snprintf(text, sizeof text,
                 "param a = 0.3, h = 0.1\ncoord x, y, z, p, q, r\n"
                 "frame A = world rotate p about z\nframe B = A rotate q about x\n"
                 "frame F = B rotate r about y\npoint G = [x, y, z]\n"
                 "body tab frame F mass 1 at G inertia [0.02, 0.03, 0.04]\n"
                 "gravity 9.81*[%.17g, 0, -%.17g]\ninitial z = h\nrun to 1 every 0.5\n"
                 "for i in 0..1 { for j in 0..1 { point L[i,j] = G + [a*(2*i-1), a*(2*j-1), -h] in "
                 "F; constraint l[i,j]: L[i,j].z >= 0 friction %.17g at L[i,j] on tab } }\n",
                 sin(alpha), cos(alpha), mu);
        RunCase table = case_run(text);
        case_expect(&table, STATUS_OK);
        last = case_row_count(&table) - 1;
        assert_near(case_value(&table, last, "x"), down / 2, 1e-9);
        assert_near(case_value(&table, last, "y"), 0, 1e-12);
        case_free(&table);
    }
}

// The angle of the sliding that begins under a force F, where the inertia is [a b; b c]: there
// [a b; b c]⁻¹·(F − r·d) is along d. By bisection, about the direction of F.
static double angle_of(double a, double b, double c, const double *force, double r)
{
    double middle = atan2(force[1], force[0]), low = middle - 1, high = middle + 1;
    for (int i = 0; i < 100; i++) {
        double angle = (low + high) / 2, x = force[0] - r * cos(angle),
               y = force[1] - r * sin(angle);
        double across = (a * y - b * x) * cos(angle) - (c * x - b * y) * sin(angle);
        *(across > 0 ? &low : &high) = angle;
    }
    return (low + high) / 2;
}

// What the event of a slip tells: its time, the force and the normal force. Where both coefficients
// are the same, that is what has held it.
static void forces_told(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 6 * test_size(); seed++) {
        Random random = random_seed(4000 + seed);
        double m = uniform(&random, 1, 4), a = m + uniform(&random, 0, 3),
               b = uniform(&random, 0, 1), c = m + uniform(&random, 0, 3),
               mu = uniform(&random, 0.1, 0.6);
        double hold = seed % 2 == 0 ? mu : mu * uniform(&random, 1.05, 1.5);
        double p[] = {uniform(&random, -3, 3), uniform(&random, 1, 5)}, low = 0, high = 10;
        char text[1024];
        snprintf(text, sizeof text,
                 "coord x, y, z\npoint P = [x, y, z]\nmass %.17g at P\ngravity [0, 0, -9.81]\n"
                 "kinetic %.17g*x'^2/2 + %.17g*y'^2/2 + %.17g*x'*y'\n"
                 "constraint f: z >= 0 friction %.17g static %.17g at P on P\n"
                 "force [%.17g*t, %.17g*t^2, 0] at P\nrun to 10 every 10\n",
                 m, a - m, c - m, b, mu, hold, p[0], p[1]);
        for (int i = 0; i < 100; i++) {
            double t = (low + high) / 2;
            *(hypot(p[0] * t, p[1] * t * t) < hold * m * 9.81 ? &low : &high) = t;
        }
        double force[] = {p[0] * low, p[1] * low * low}, r = mu * m * 9.81;
        double angle = hold > mu ? angle_of(a, b, c, force, r) : atan2(force[1], force[0]);
        RunOptions options = run_options();
        options.method = (RunMethod[]){RUN_TAYLOR, RUN_ERK, RUN_ADAMS}[seed / 2 % 3];
        EventCase kase = event_case_with(text, options);
        case_expect(&kase.run, STATUS_OK);
        event_is(&kase, 0, RUN_SLIP, "f", low, 1e-12 * low);
        assert_near(kase.events.at[0].force[0], -r * cos(angle), 1e-11 * r);
        assert_near(kase.events.at[0].force[1], -r * sin(angle), 1e-11 * r);
        assert_near(kase.events.at[0].normal, m * 9.81, 1e-12 * m * 9.81);
        event_case_free(&kase);
    }
}

// Kicked across a slope that holds it: with k = μ·cot α and φ the angle of the velocity from the
// line of fall, v·(k + cos φ) falls linearly with the rate g·sin α·(k² − 1).
static void stops_on_a_slope(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 6 * test_size(); seed++) {
        Random random = random_seed(5000 + seed);
        double alpha = uniform(&random, 0.2, 0.7), k = 1 + pow(10, uniform(&random, -1, 0.6));
        double v = pow(10, uniform(&random, -3, 3)), phi = uniform(&random, 0.2, 2.9);
        double a = 9.81 * sin(alpha), stop = v * (k + cos(phi)) / (a * (k * k - 1));
        RunOptions options = run_options();
        options.method = (RunMethod[]){RUN_ADAMS, RUN_BDF, RUN_ERK, RUN_TAYLOR}[seed % 4];
        options.tolerance = seed / 4 % 2 == 0 ? 1e-8 : 1e-10;
        char text[1024];
        snprintf(text, sizeof text,
                 "coord x, y, z\npoint P = [x, y, z]\nmass 1 at P\n"
                 "gravity [%.17g, 0, -%.17g]\nconstraint f: z >= 0 friction %.17g at P on P\n"
                 "initial x' = %.17g, y' = %.17g\nrun to %.17g every %.17g\n",
                 a, 9.81 * cos(alpha), k * tan(alpha), v * cos(phi), v * sin(phi), 1.5 * stop,
                 stop / 8);
        EventCase kase = event_case_with(text, options);
        case_expect(&kase.run, STATUS_OK);
        assert_int_equal(kase.events.count, 1);
        event_is(&kase, 0, RUN_STICK, "f", stop, 100 * options.tolerance * stop);
        event_case_free(&kase);
    }
}

// x'' = ω²·(s·sin(w·t) − x) − μ·g from the slip on, in closed form up to the stop. What has just
// begun to slide has no speed in the first steps of a multistep method.
static void slips_in_one_row(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 6 * test_size(); seed++) {
        Random random = random_seed(6000 + seed);
        double w = uniform(&random, 1, 4), k = uniform(&random, 10, 40), p = sqrt(k);
        double mu = uniform(&random, 0.1, 0.3), hold = mu * uniform(&random, 1, 1.3);
        double A = uniform(&random, 1.05, 1.5) * hold * 9.81, from = asin(hold * 9.81 / A) / w;
        double c = A / (k - w * w), x0 = c * sin(w * from) - mu * 9.81 / k,
               v0 = c * w * cos(w * from), low = 0, high = 0, v = 1;
        if (fabs(k - w * w) < 1)
            continue;
        while (high == 0 || v > 0) {
            low = high;
            high += 0.001;
            v = c * w * cos(w * (from + high)) + x0 * p * sin(p * high) - v0 * cos(p * high);
        }
        for (int i = 0; i < 60; i++) {
            double s = (low + high) / 2;
            v = c * w * cos(w * (from + s)) + x0 * p * sin(p * s) - v0 * cos(p * s);
            *(v > 0 ? &low : &high) = s;
        }
        char text[1024];
        snprintf(text, sizeof text,
                 "coord x, z\npoint P = [x, 0, z]\nmass 1 at P\ngravity [0, 0, -9.81]\n"
                 "constraint f: z >= 0 friction %.17g static %.17g at P on P\n"
                 "force [%.17g*sin(%.17g*t), 0, 0] at P\npotential %.17g*x^2/2\n"
                 "run to %.17g every 0.1\n",
                 mu, hold, A, w, k, from + low + 0.01);
        RunOptions options = run_options();
        options.method = (RunMethod[]){RUN_ADAMS, RUN_BDF, RUN_ERK}[seed % 3];
        EventCase kase = event_case_with(text, options);
        case_expect(&kase.run, STATUS_OK);
        event_is(&kase, 0, RUN_SLIP, "f", from, 1e-10);
        assert_near(kase.events.at[1].t, from + low, 1e-7);
        event_case_free(&kase);
    }
}

// ---- A block that a pulse J/w·(1 − u²)², u = (t − c)/w, sets free: far more than its friction in
// the middle, 0 where it begins. Where it comes to rest again is known.
static double pulse_place(double base, double bound, double J, double w)
{
    double A = J / w, push = base - bound; // while it slides
    double u = -sqrt(1 - sqrt(-push / A)), rest = 1 - u;
    double P = u - 2 * pow(u, 3) / 3 + pow(u, 5) / 5;
    double Q = u * u / 2 - pow(u, 4) / 6 + pow(u, 6) / 30;
    double speed = w * (A * (8.0 / 15 - P) + push * rest);
    double length = w * w * (A * (11.0 / 30 - Q - P * rest) + push * rest * rest / 2);
    return length + speed * speed / (-2 * push);
}

static void set_free_by_pulses(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 40 * test_size(); seed++) {
        Random random = random_seed(seed);
        double w = round(pow(10, uniform(&random, -7, -2)) * 1e9) / 1e9;
        double bound = uniform(&random, 0.2, 1.5), base = uniform(&random, -0.9, 0.9) * bound;
        double c = round(uniform(&random, 0.05, 0.5) * 1e4) / 1e4, J = uniform(&random, 0.2, 1);
        int sign = seed % 2 ? -1 : 1;
        RunOptions options = run_options();
        options.method = methods[random_below(&random, 5)];
        Text text = {0};
        text_addf(&text,
                  "coord x\nmass 1 at [x, 0, 0]\n"
                  "force %.17g + %.17g*max(0, 1 - ((t - %.4f)/%.9f)^2)^2 along x\n"
                  "friction dry: %.17g along x\nrun to 60\n",
                  sign * base, sign * J / w, c, w, bound);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        double right = sign * pulse_place(base, bound, J, w);
        if (kase.status != STATUS_OK || !(fabs(case_last(&kase, "x") - right) < 1e-6) ||
            case_last(&kase, "x'") != 0)
            fail_msg("seed %d, method %d: status %d, x = %.12g for %.12g\n%s", (int)seed,
                     (int)options.method, (int)kase.status, case_last(&kase, "x"), right, text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forces_told),
                                       cmocka_unit_test(slips_in_one_row),
                                       cmocka_unit_test(stops_on_a_slope),
                                       cmocka_unit_test(pushes),
                                       cmocka_unit_test(pushes_by_every_method),
                                       cmocka_unit_test(two_at_once),
                                       cmocka_unit_test(turntable),
                                       cmocka_unit_test(down_a_slope),
                                       cmocka_unit_test(set_free_by_pulses)};
    return cmocka_run_group_tests_name("simulate/slip start", tests, NULL, NULL);
}
