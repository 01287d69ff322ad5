// Friction whose bound holds reactions: guides with one and two normals, pins, a brake; against the
// same systems with the reactions written out. And masses that rub on each other.
#include "event_case.h"
#include "uniform.h"

#include <stdio.h>

static double last_of(const RunCase *kase, const char *column)
{
    return case_value(kase, case_row_count(kase) - 1, column);
}

// The last rows of two models agree in these columns; and both end well.
static void compare(const char *text, const char *other, const char *const *columns, double within)
{
    RunCase kase = case_run(text), second = case_run(other);
    if (kase.status != STATUS_OK)
        print_error("%s", text);
    case_expect(&kase, STATUS_OK);
    case_expect(&second, STATUS_OK);
    for (; *columns; columns++) {
        double value = last_of(&second, *columns);
        assert_near(last_of(&kase, *columns), value, within * fmax(fabs(value), 1));
    }
    case_free(&kase);
    case_free(&second);
}

// A bead on a rod that turns, across gravity or not: N² = (2Ωmr')² + (mg)².
static void beads_on_turning_rods(void **state)
{
    (void)state;
    static const char *const columns[] = {"r", "r'", NULL};
    for (size_t seed = 1; seed <= 6 * test_size(); seed++) {
        Random random = random_seed(seed);
        char data[256], text[1024], other[1024];
        double g = seed % 2 == 0 ? 0 : uniform(&random, 1, 10);
        snprintf(data, sizeof data, "param mu = %.17g, g = %.17g, O = %.17g, m = %.17g\ncoord r",
                 uniform(&random, 0.05, 0.5), g, uniform(&random, 1, 3), uniform(&random, 0.1, 10));
        double r = uniform(&random, 0.5, 1.5), v = uniform(&random, -1, 1);
        snprintf(text, sizeof text,
                 "%s, u, w\nframe R = world rotate O*t about z\npoint P = [r, u, w] in R\n"
                 "mass m at P\ngravity [0, 0, -g]\nconstraint a: u = 0\nconstraint b: w = 0\n"
                 "friction f: %s along r\ninitial r = %.17g, r' = %.17g\nrun to 1 every 0.25\n",
                 data, g == 0 ? "mu*abs(lambda.a)" : "mu*sqrt(lambda.a^2 + lambda.b^2)", r, v);
        // Without gravity |λ|·r'/|r'| is 2Ωm·r'.
        snprintf(other, sizeof other,
                 "%s\nkinetic m*r'^2/2\npotential -m*O^2*r^2/2\n%s"
                 "initial r = %.17g, r' = %.17g\nrun to 1 every 0.25\n",
                 data,
                 g == 0 ? "force -2*mu*m*O*r' along r\n"
                        : "friction f: mu*m*sqrt((2*O*r')^2 + g^2) along r\n",
                 r, v);
        compare(text, other, columns, 1e-8);
    }
}

// A pendulum on a pin of radius ρ, of a mass or a body: R = m|lθ'² + g cos θ|/√(1 − (k/l)²) for the
// mass.
static void pins(void **state)
{
    (void)state;
    static const char *const columns[] = {"th", "th'", "mode.pin", NULL};
    for (size_t seed = 1; seed <= 4 * test_size(); seed++) {
        Random random = random_seed(100 + seed);
        char data[256], text[1024], other[1024];
        double l = uniform(&random, 0.5, 2), k = uniform(&random, 0.01, 0.2) * l;
        snprintf(data, sizeof data, "param m = %.17g, l = %.17g, g = 9.81, k = %.17g\n",
                 uniform(&random, 0.1, 10), l, k);
        double theta = uniform(&random, 0.3, 1.5);
        snprintf(text, sizeof text,
                 "%scoord x, z, th\nframe B = world rotate -th about y\npoint P = [x, 0, z]\n"
                 "mass m at P - l*B.z\ngravity [0, 0, -g]\nconstraint p: P = origin\n"
                 "friction pin: k*sqrt(lambda.p.x^2 + lambda.p.z^2) along th\n"
                 "initial th = %.17g\nrun to 5 every 0.5\n",
                 data, theta);
        snprintf(other, sizeof other,
                 "%scoord th\nkinetic m*l^2*th'^2/2\npotential -m*g*l*cos(th)\n"
                 "let R = m*abs(l*th'^2 + g*cos(th))/sqrt(1 - (k/l)^2)\n"
                 "friction pin: k*R static k*max(R, m*g) along th\n"
                 "initial th = %.17g\nrun to 5 every 0.5\n",
                 data, theta);
        RunCase kase = case_run(text);
        case_expect(&kase, STATUS_OK);
        bool rests = last_of(&kase, "mode.pin") == 1;
        // Where it stays the force is that of rest, k·mg, and |sin θ| ≤ k/l.
        if (rests)
            assert_true(fabs(sin(last_of(&kase, "th"))) <= k / l);
        case_free(&kase);
        if (!rests)
            compare(text, other, columns, 1e-7);
    }
    // k > l: there is no force while it turns, and it stays where it is at rest.
    RunCase none = case_run("coord x, z, th\nframe B = world rotate -th about y\n"
                            "point P = [x, 0, z]\nmass 1 at P - B.z\ngravity [0, 0, -9.81]\n"
                            "constraint p: P = origin\ninitial th = 1, th' = 2\nrun to 1\n"
                            "friction pin: 1.1*sqrt(lambda.p.x^2 + lambda.p.z^2) along th\n");
    assert_true(none.status != STATUS_OK);
    assert_true(case_says(&none, DIAG_ERROR, "no consistent contact forces exist"));
    case_free(&none);
}

// A hinge with friction is the same written out; a sleeve on a bar by closed form; and energy only
// falls in a double pendulum whose hinges both rub.
static void joints(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 3 * test_size(); seed++) {
        Random random = random_seed(400 + seed);
        char data[256], text[1024];
        snprintf(data, sizeof data,
                 "param m = %.17g, l = %.17g, I = %.17g, k = %.17g, h = %.17g\n"
                 "gravity [0, 0, -9.81]\n",
                 uniform(&random, 0.1, 5), uniform(&random, 0.3, 2), uniform(&random, 0.01, 0.5),
                 uniform(&random, 0.1, 0.5), uniform(&random, 0.5, 0.8));
        snprintf(
            text, sizeof text,
            "%sbody bob center [0, 0, -l] mass m inertia [I, I, I]\n"
            "joint pin: hinge between world and bob at origin axis [0, 1, 0] friction k static "
            "h radius 0.05\ninitial pin.angle = 1.2\nrun to 3 every 1\n",
            data);
        RunCase joint = case_run(text);
        snprintf(
            text, sizeof text,
            "%scoord x, z, th\nframe B = world rotate th about y\npoint P = [x, 0, z]\n"
            "body bob frame B mass m at P - l*B.z inertia [I, I, I]\nconstraint p: P = origin\n"
            "friction pin: 0.05*k*sqrt(lambda.p.x^2 + lambda.p.z^2) static "
            "0.05*h*sqrt(lambda.p.x^2 + lambda.p.z^2) along th\n"
            "initial th = 1.2\nrun to 3 every 1\n",
            data);
        RunCase written = case_run(text);
        case_expect(&joint, STATUS_OK);
        case_expect(&written, STATUS_OK);
        assert_near(last_of(&joint, "pin.angle"), last_of(&written, "th"), 1e-8);
        snprintf(text, sizeof text,
                 "%scoord x, z, th\nframe B = world rotate th about y\npoint P = [x, 0, z]\n"
                 "body bob frame B mass m at P inertia [I, I, I]\n"
                 "joint pin: hinge between world and bob at origin and P + l*B.z axis [0, 1, 0] "
                 "friction k static h radius 0.05\ninitial th = 1.2\nrun to 3 every 1\n",
                 data);
        RunCase closed = case_run(text);
        case_expect(&closed, STATUS_OK);
        assert_near(last_of(&closed, "th"), last_of(&joint, "pin.angle"), 1e-8);
        case_free(&closed);
        case_free(&joint);
        case_free(&written);
        double angle = uniform(&random, 0.6, 1.4), mu = uniform(&random, 0.05, 0.3), g = 9.81;
        double stop = 1 / (g * (sin(angle) + mu * cos(angle))), rest = 1 - stop;
        snprintf(text, sizeof text,
                 "gravity [0, 0, -9.81]\nbody sleeve mass 2 inertia [1, 1, 1]\n"
                 "joint bar: slider between world and sleeve at origin axis [%.17g, 0, %.17g] "
                 "friction %.17g\ninitial bar.distance' = -1\nrun to 1 every 0.5\n",
                 cos(angle), -sin(angle), mu);
        EventCase bar = event_case_with(text, run_options());
        case_expect(&bar.run, STATUS_OK);
        assert_near(bar.events.at[0].t, stop, 1e-8);
        assert_near(last_of(&bar.run, "bar.distance"),
                    g * (sin(angle) - mu * cos(angle)) * rest * rest / 2 - stop / 2, 1e-8);
        event_case_free(&bar);
        snprintf(text, sizeof text,
                 "gravity [0, 0, -9.81]\ncoord x, y, z\npoint G = [x, y, z]\n"
                 "body sleeve frame world mass 2 at G inertia [1, 1, 1]\n"
                 "joint bar: slider between world and sleeve at origin and G axis [%.17g, 0, "
                 "%.17g] friction %.17g\ninitial x' = %.17g\nrun to 1 every 0.5\n",
                 cos(angle), -sin(angle), mu, -cos(angle));
        RunCase guided = case_run(text);
        case_expect(&guided, STATUS_OK);
        assert_near(last_of(&guided, "x"),
                    cos(angle) * (g * (sin(angle) - mu * cos(angle)) * rest * rest / 2 - stop / 2),
                    1e-8);
        case_free(&guided);
    }
    RunCase both = case_run(
        "coord a, b\ngravity [0, 0, -9.81]\n"
        "body upper center [0, 0, -0.5] mass 1 inertia [0.1, 0.1, 0.1]\n"
        "body lower center [0, 0, -0.5] mass 1 inertia [0.1, 0.1, 0.1]\n"
        "joint top: hinge between world and upper at origin axis [0, 1, 0] by a friction 0.2 "
        "radius 0.05\njoint mid: hinge between upper and lower at upper.origin - upper.frame.z "
        "axis [0, 1, 0] by b friction 0.3 static 0.4 radius 0.05\ninitial a = 1.5, b = 0.7\n"
        "run to 4 every 0.1\n");
    case_expect(&both, STATUS_OK);
    for (size_t row = 1; row < case_row_count(&both); row++)
        assert_true(case_value(&both, row, "energy") <=
                    case_value(&both, row - 1, "energy") + 1e-9);
    case_free(&both);
    RunCase bare =
        case_run("body b center [0, 0, -1] mass 1 inertia [1, 1, 1]\njoint j: hinge between "
                 "world and b at origin axis [0, 1, 0] friction 0.1\nrun to 1\n");
    assert_true(case_says(&bare, DIAG_ERROR, "needs the bearing's 'radius'"));
    case_free(&bare);
}

// A shoe that a force presses on a drum: ω' = −μrN/J until it stands.
static void brakes(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 6 * test_size(); seed++) {
        Random random = random_seed(200 + seed);
        double J = uniform(&random, 0.1, 5), r = uniform(&random, 0.1, 1),
               N = uniform(&random, 1, 50), mu = uniform(&random, 0.1, 0.9),
               w = uniform(&random, -20, 20), stop = fabs(w) * J / (mu * r * N);
        char text[512];
        snprintf(text, sizeof text,
                 "coord s, th\nkinetic s'^2/2 + %.17g*th'^2/2\nforce -%.17g along s\n"
                 "constraint shoe: s >= 0\nfriction drum: %.17g*lambda.shoe along th\n"
                 "initial th' = %.17g\nrun to %.17g every %.17g\n",
                 J, N, mu * r, w, 2 * stop, stop);
        EventCase kase = event_case_with(text, run_options());
        case_expect(&kase.run, STATUS_OK);
        assert_int_equal(kase.events.count, 1);
        assert_int_equal(kase.events.at[0].kind, RUN_STICK);
        assert_near(kase.events.at[0].t / stop, 1, 1e-10);
        assert_near(last_of(&kase.run, "th") / (w * stop / 2), 1, 1e-10);
        event_case_free(&kase);
    }
}

// A mass on another one that lies on the floor: one speed, then rest.
static void masses_on_each_other(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 4 * test_size(); seed++) {
        Random random = random_seed(300 + seed);
        double m = uniform(&random, 0.5, 2), M = uniform(&random, 0.5, 4), g = 9.81;
        double low = uniform(&random, 0.02, 0.1), high = uniform(&random, 0.5, 0.9);
        double v = uniform(&random, 1, 4);
        double up = (high * m - low * (m + M)) * g / M; // the lower one's acceleration
        double common = v / (high * g + up), speed = up * common, rest = speed / (low * g);
        double top = v * common - high * g * common * common / 2 + speed * rest / 2;
        char text[512];
        snprintf(text, sizeof text,
                 "coord x, X, z, Z\npoint P = [x, 0, z]\npoint Q = [X, 0, Z]\nmass %.17g at P\n"
                 "mass %.17g at Q\ngravity [0, 0, -9.81]\n"
                 "constraint floor: Z >= 0 friction %.17g at Q on Q\n"
                 "constraint top: z - Z >= 0 friction %.17g at P on P and Q\n"
                 "initial x' = %.17g\nrun to %.17g every 1\n",
                 m, M, low, high, v, 2 * (common + rest));
        if (up <= 0)
            continue;
        EventCase kase = event_case_with(text, run_options());
        case_expect(&kase.run, STATUS_OK);
        assert_int_equal(kase.events.count, 2);
        assert_near(kase.events.at[0].t, common, 1e-9);
        assert_near(kase.events.at[1].t, common + rest, 1e-9);
        assert_near(last_of(&kase.run, "x"), top, 1e-9);
        event_case_free(&kase);
    }
}

#define RAILS                                                                                      \
    "coord x, y, z\nmass 1 at [x, y, z]\ngravity [0, 3, -9.81]\nconstraint a: y = 0\n"             \
    "constraint b: z = 0\ninitial x' = 2\nrun to 1\n"

// A slide on two guides, which turn by a load at its end: N = |λ_a| + |λ_c|, with a brake of its
// own or without, and static bounds; against N written out.
static void sums_of_reactions(void **state)
{
    (void)state;
    static const char *const columns[] = {"x", "x'", "mode.f", NULL};
    for (size_t seed = 0; seed < 4 * test_size(); seed++) {
        Random random = random_seed(300 + seed);
        char data[256], text[1024], other[1024];
        double mu = uniform(&random, 0.1, 0.3), brake = seed % 2 == 0 ? 0 : uniform(&random, 1, 3);
        snprintf(data, sizeof data,
                 "param mu = %.17g, nu = %.17g, b = %.17g, F = %.17g, P = %.17g\n", mu,
                 mu * uniform(&random, 1, 1.3), brake, uniform(&random, 8, 20),
                 uniform(&random, 2, 9));
        const char *rest = "initial x' = 1\nrun to 3 every 0.5\n";
        snprintf(text, sizeof text,
                 "%scoord x, y, th\nframe B = world rotate th about z\npoint G = [x, y, 0]\n"
                 "body slide frame B mass 2 at G inertia [1, 1, 0.2]\ngravity [0, -9.81, 0]\n"
                 "constraint a: (G + 0.4*B.x).y = 0\nconstraint c: (G - 0.4*B.x).y = 0\n"
                 "friction f: mu*(abs(lambda.a) + abs(lambda.c)) + b static nu*(abs(lambda.a) + "
                 "abs(lambda.c)) + b along x\n"
                 "force F*sin(3*t) along x\nforce [0, P*cos(2*t), 0] at G + 0.8*B.x on slide\n%s",
                 data, rest);
        snprintf(other, sizeof other,
                 "%scoord x\nmass 2 at [x, 0, 0]\n"
                 "let N = abs(9.81 - 1.5*P*cos(2*t)) + abs(9.81 + P*cos(2*t)/2)\n"
                 "friction f: mu*N + b static nu*N + b along x\nforce F*sin(3*t) along x\n%s",
                 data, rest);
        compare(text, other, columns, 1e-8);
    }
    // Two shoes that a force presses on a drum.
    RunCase kase = case_run("coord th, y, z\nkinetic th'^2/2 + y'^2/2 + z'^2/2\npotential 3*y + "
                            "5*z\nconstraint p: y >= 0\nconstraint q: z >= 0\n"
                            "friction f: 0.25*(lambda.p + lambda.q) along th\ninitial th' = 4\n"
                            "run to 3 every 1\n");
    case_expect(&kase, STATUS_OK);
    assert_near(last_of(&kase, "th"), 4, 1e-12);
    assert_true(last_of(&kase, "th'") == 0);
    case_free(&kase);
}

// A shaft in two bearings under loads W and H at the places c and d, which a growing couple turns
// from rest: |λ_a| and |λ_b| by statics, and the motion in closed form. By steps of fixed length,
// too; and by the lengths of vector conditions.
static void shafts_in_two_bearings(void **state)
{
    (void)state;
    for (size_t seed = 0; seed < 4 * test_size(); seed++) {
        Random random = random_seed(500 + seed);
        double W = uniform(&random, -30, 30), H = uniform(&random, -30, 30);
        double la = uniform(&random, 0.2, 1), lb = uniform(&random, 0.2, 1), L = la + lb;
        double c = uniform(&random, -2, 2), d = uniform(&random, -2, 2), k = 0.01, brake = 0.05;
        double sum = hypot(H * (lb - d), W * (lb - c)) / L + hypot(H * (la + d), W * (la + c)) / L;
        double bound = k * sum + brake, rate = 1.5 * bound, begin = bound / rate, to = 2 * begin;
        double speed = rate * (to * to - begin * begin) / 2 - bound * (to - begin);
        char text[2048];
        snprintf(text, sizeof text,
                 "param W = %.17g, H = %.17g, la = %.17g, lb = %.17g, c = %.17g, d = %.17g\n"
                 "coord x, z, psi, chi, th\nkinetic (x'^2 + z'^2 + psi'^2 + chi'^2 + th'^2)/2\n"
                 "force -W along z\nforce -W*c along psi\nforce H along x\nforce -H*d along chi\n"
                 "force %.17g*t along th\nconstraint a: [x + la*chi, 0, z - la*psi] = origin\n"
                 "constraint b: [x - lb*chi, 0, z + lb*psi] = origin\n"
                 "friction pins: %.17g*(sqrt(lambda.a.x^2 + lambda.a.z^2) + normal(b)) + %.17g "
                 "along th\nrun to %.17g every %.17g\n",
                 W, H, la, lb, c, d, rate, k, brake, to, to / 4);
        EventCase kase = event_case(text);
        assert_near(last_of(&kase.run, "th'"), speed, 1e-9 * speed);
        assert_true(case_value(&kase.run, 1, "th'") == 0);
        assert_int_equal(kase.events.count, 1);
        event_is(&kase, 0, RUN_SLIP, "pins", begin, 1e-9 * begin);
        event_case_free(&kase);
        RunOptions steps = run_options();
        steps.method = RUN_TIMESTEPPING;
        steps.step = to / 1000;
        kase = event_case_with(text, steps);
        case_expect(&kase.run, STATUS_OK);
        assert_near(last_of(&kase.run, "th'"), speed, 2e-3 * speed);
        event_case_free(&kase);
    }
}

static void refusals(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"friction f: lambda.a^2 + 2 along x\n", "in another way than"},
        {"friction f: 0.1*abs(lambda.a)*abs(lambda.b) along x\n", "in another way than"},
        {"friction f: abs(lambda.a) - 0.5*abs(lambda.b) along x\n", "is 0 or more"},
        {"friction f: 0.3*lambda.a along x\n", "in another way than"},
        {"friction f: sqrt(lambda.a^2 + 2*lambda.b^2) along x\n", "in another way than"},
        {"friction f: 0.3*abs(lambda.a) along x\n"
         "friction h: 0.1*sqrt(lambda.a^2 + lambda.b^2) along x\n",
         "let both hold the same length"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", RAILS, cases[i][0]);
        RunCase kase = case_run(text);
        assert_true(kase.status != STATUS_OK);
        if (!case_says(&kase, DIAG_ERROR, cases[i][1]))
            fail_msg("%s does not say '%s'", cases[i][0], cases[i][1]);
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(beads_on_turning_rods),
                                       cmocka_unit_test(pins),
                                       cmocka_unit_test(joints),
                                       cmocka_unit_test(brakes),
                                       cmocka_unit_test(masses_on_each_other),
                                       cmocka_unit_test(sums_of_reactions),
                                       cmocka_unit_test(shafts_in_two_bearings),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests_name("simulate/friction bounds", tests, NULL, NULL);
}
