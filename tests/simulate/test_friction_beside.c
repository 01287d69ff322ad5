// Friction beside servos, and forces that hold reactions linearly and not: against closed forms and
// against the same motion written in another way.
#include "event_case.h"
#include "uniform.h"

#include <stdio.h>

static double last_of(const RunCase *kase, const char *column)
{
    return case_value(kase, case_row_count(kase) - 1, column);
}

static void compare(const char *text, const char *other, const char *const *columns, double within)
{
    RunCase kase = case_run(text), second = case_run(other);
    if (kase.status != STATUS_OK || second.status != STATUS_OK)
        print_error("%s\n%s", text, other);
    case_expect(&kase, STATUS_OK);
    case_expect(&second, STATUS_OK);
    for (; *columns; columns++) {
        double value = last_of(&second, *columns);
        assert_near(last_of(&kase, *columns), value, within * fmax(fabs(value), 1));
    }
    case_free(&kase);
    case_free(&second);
}

// A cart with a rod, x + c·sin θ kept by the cart's force, friction in the hinge: θ alone by its
// own equation.
static void rods_on_carts(void **state)
{
    (void)state;
    static const char *const columns[] = {"th", "th'", "mode.hinge", NULL};
    for (size_t seed = 1; seed <= 6 * test_size(); seed++) {
        Random random = random_seed(seed);
        char data[384], text[1024], other[1024];
        double l = uniform(&random, 0.5, 2);
        snprintf(data, sizeof data,
                 "param M = %.17g, m = %.17g, l = %.17g, c = %.17g, g = 9.81, R = %.17g, "
                 "A = %.17g, w = %.17g, D = m*l\n",
                 uniform(&random, 0.5, 3), uniform(&random, 0.3, 2), l,
                 uniform(&random, -0.5, 0.6) * l, uniform(&random, 0.1, 3),
                 uniform(&random, 0.1, 0.6), uniform(&random, 1, 4));
        double th = uniform(&random, -1.2, 1.2);
        snprintf(text, sizeof text,
                 "%scoord x, th\nmass M at [x, 0, 0]\nmass m at [x + l*sin(th), 0, -l*cos(th)]\n"
                 "gravity [0, 0, -g]\nfriction hinge: R along th\n"
                 "servo drive: x + c*sin(th) = A*sin(w*t) by x\ninitial th = %.17g, th' = 0\n"
                 "run to 3 every 0.5\n",
                 data, th);
        snprintf(
            other, sizeof other,
            "%scoord th\nkinetic th'^2/2\nlet q = D*(l - c*cos(th)^2)\n"
            "force (-m*g*l*sin(th) - D*cos(th)*(c*sin(th)*th'^2 - A*w^2*sin(w*t)))/q along th\n"
            "friction hinge: R/q along th\ninitial th = %.17g, th' = 0\nrun to 3 every 0.5\n",
            data, th);
        compare(text, other, columns, 1e-7);
    }
}

// A mass that a servo pushes to and fro on a floor by a tilted force u·(1, 0, k), or presses into
// it: u = (m·f'' + μmg·s)/(1 + μks), N = mg − ku.
static void tilted_pushes(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 6 * test_size(); seed++) {
        Random random = random_seed(50 + seed);
        double m = uniform(&random, 0.5, 4), mu = uniform(&random, 0.1, 0.6), g = 9.81;
        double k = uniform(&random, -0.6, 0.6), A = uniform(&random, 0.05, 0.2);
        double w = uniform(&random, 1, 3), to = uniform(&random, 3, 6);
        bool guide = seed % 3 == 0;
        char text[1024];
        snprintf(text, sizeof text,
                 "param m = %.17g, mu = %.17g, k = %.17g, A = %.17g, w = %.17g\ncoord x, z\n"
                 "point P = [x, 0, z]\nmass m at P\ngravity [0, 0, -9.81]\n"
                 "constraint floor: z %s 0 friction mu at P on P\n"
                 "servo drive: x = A*sin(w*t) by force [1, 0, k] at P\n"
                 "initial x' = A*w\nrun to %.17g every %.17g\n",
                 m, mu, k, A, w, guide ? "=" : ">=", to, to / 10);
        EventCase kase = event_case(text);
        case_expect(&kase.run, STATUS_OK);
        for (size_t i = 0; i < case_row_count(&kase.run); i++) {
            double t = case_value(&kase.run, i, "t"), cosine = cos(w * t);
            if (fabs(cosine) < 1e-6)
                continue;
            double s = cosine > 0 ? 1 : -1;
            double u = (-m * A * w * w * sin(w * t) + mu * m * g * s) / (1 + mu * k * s);
            assert_true(m * g - k * u > 0);
            assert_near(case_value(&kase.run, i, "lambda.drive"), u, 1e-9 * m * g);
            assert_near(case_value(&kase.run, i, "lambda.floor"), m * g - k * u, 1e-9 * m * g);
        }
        size_t turns = (size_t)floor(w * to / acos(-1) + 0.5);
        assert_int_equal(kase.events.count, turns);
        for (size_t i = 0; i < turns; i++) {
            assert_int_equal(kase.events.at[i].kind, RUN_REVERSE);
            assert_near(kase.events.at[i].t, ((double)i + 0.5) * acos(-1) / w, 1e-9);
        }
        event_case_free(&kase);
    }
}

// Where the servo's force reaches its condition by way of friction alone, or of a spring to what
// rubs, friction's jumps would have to be jumps of positions: refused. What rubs beside it is not.
static void friction_in_the_way_of_a_servo(void **state)
{
    (void)state;
    RunCase kase = case_run("coord x, y\nmass 2 at [x, 0, 0]\nmass 1 at [y, 0, 0]\n"
                            "friction grip: 3 against y' - x'\nservo drive: x = t^3 by y\n");
    assert_true(kase.status != STATUS_OK);
    assert_true(case_says(&kase, DIAG_ERROR, "the positions that the servo needs would jump"));
    case_free(&kase);
    static const char cars[] = "coord x, y\nmass 1 at [x, 0, 0]\nmass 2 at [y, 0, 0]\n"
                               "potential 5*(y - x - 1)^2/2\nfriction f: 3 along %s\n"
                               "servo pull: y = 1 + t^5 by x\nrun to 0.7\n";
    char text[512];
    snprintf(text, sizeof text, cars, "y");
    kase = case_run(text);
    assert_true(case_says(&kase, DIAG_ERROR, "the positions that the servo needs would jump"));
    case_free(&kase);
    // The friction of the first car beside what the flat system needs.
    snprintf(text, sizeof text, cars, "x");
    kase = case_run(text);
    case_expect(&kase, STATUS_OK);
    assert_near(last_of(&kase, "lambda.pull"), 54.18 + 3, 1e-8);
    assert_near(last_of(&kase, "x"), 2.91207, 1e-9);
    case_free(&kase);
}

// μ|λ| against the velocity is friction, as long as it slides: on a hoop, where λ changes its sign.
static void absolute_reactions(void **state)
{
    (void)state;
    static const char *const columns[] = {"x", "z", "x'", "z'", "lambda.hoop", NULL};
    for (size_t seed = 1; seed <= 4 * test_size(); seed++) {
        Random random = random_seed(150 + seed);
        char data[384], text[1024], other[1024];
        double mu = uniform(&random, 0.05, 0.3), v = uniform(&random, 6.5, 7.5);
        snprintf(data, sizeof data,
                 "param m = %.17g, mu = %.17g\ncoord x, z\npoint P = [x, 0, z]\nmass m at P\n"
                 "gravity [0, 0, -9.81]\ninitial x = 0, z = -1, x' = %.17g\nrun to 0.5 every 0.1\n",
                 uniform(&random, 0.1, 10), mu, v);
        snprintf(text, sizeof text,
                 "%sconstraint hoop: (x^2 + z^2)/2 = 1/2\nlet v = sqrt(x'^2 + z'^2)\n"
                 "force -mu*%s*x'/v along x\nforce -mu*%s*z'/v along z\n",
                 data, seed % 2 ? "abs(lambda.hoop)" : "sqrt(lambda.hoop^2)",
                 seed % 2 ? "abs(lambda.hoop)" : "sqrt(lambda.hoop^2)");
        snprintf(other, sizeof other,
                 "%sconstraint hoop: (x^2 + z^2)/2 = 1/2 friction mu at P on P\n", data);
        compare(text, other, columns, 1e-7);
    }
}

// λ + F + k|λ| = 0: one, none or two reactions; and |λ| of the length of two, with one alone.
static void counted_reactions(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 12 * test_size(); seed++) {
        Random random = random_seed(200 + seed);
        double k = uniform(&random, -2, 2), F = uniform(&random, -3, 3);
        double pushes = -F / (1 + k), pulls = -F / (1 - k);
        size_t count = (size_t)(pushes > 0) + (size_t)(pulls < 0);
        char text[256];
        snprintf(text, sizeof text,
                 "coord x\nmass 1 at [x, 0, 0]\nconstraint c: x = 0\n"
                 "force %.17g + %.17g*abs(lambda.c) along x\nrun to 1\n",
                 F, k);
        RunCase kase = case_run(text);
        if (count == 1) {
            case_expect(&kase, STATUS_OK);
            assert_near(last_of(&kase, "lambda.c"), pushes > 0 ? pushes : pulls, 1e-12 * fabs(F));
        } else {
            assert_true(kase.status != STATUS_OK);
            assert_true(case_says(&kase, DIAG_ERROR,
                                  count == 0 ? "no set of reactions" : "2 sets of reactions"));
        }
        case_free(&kase);
    }
}

// Forces that hold the reaction of a one-sided floor, linearly and not: λ = mg/(1 − a) where the
// part a of it pulls up, x'' = −μλ(1 − bλ); beside a wall that is reached and left.
static void reactions_of_floors(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 6 * test_size(); seed++) {
        Random random = random_seed(300 + seed);
        double m = uniform(&random, 0.5, 3), a = uniform(&random, -0.5, 0.5), g = 9.81;
        double mu = uniform(&random, 0.05, 0.3), b = seed % 2 ? 0 : 0.2 / (m * g);
        double v = uniform(&random, 4, 8), e = uniform(&random, 0.3, 0.9);
        double lambda = m * g / (1 + a), slow = mu * lambda * (1 - b * lambda) / m;
        double wall = v * 0.2 - slow * 0.02, hit = v - slow * 0.2;
        char text[1024];
        snprintf(
            text, sizeof text,
            "coord x, z\nmass %.17g at [x, 0, z]\ngravity [0, 0, -9.81]\n"
            "constraint floor: z >= 0\nconstraint wall: x <= %.17g restitution %.17g\n"
            "force -%.17g*lambda.floor*(1 - %.17g*lambda.floor)*sign(x') along x\n"
            "force %.17g*abs(lambda.floor) along z\ninitial x' = %.17g\nrun to 0.3 every 0.1\n",
            m, wall, e, mu, b, a, v);
        EventCase kase = event_case(text);
        case_expect(&kase.run, STATUS_OK);
        assert_int_equal(kase.events.count, 1);
        assert_near(kase.events.at[0].t, 0.2, 1e-8);
        assert_near(last_of(&kase.run, "lambda.floor"), lambda, 1e-9 * lambda);
        double back = -e * hit + slow * 0.1;
        assert_near(last_of(&kase.run, "x'"), back, 1e-7 * v);
        event_case_free(&kase);
    }
}

// Two frictions and more along one coordinate: they hold up to the sum of their bounds, however it
// is shared, and slide with all of it. One beside them keeps its own bound.
static void frictions_side_by_side(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 6 * test_size(); seed++) {
        Random random = random_seed(400 + seed);
        double bound[3], sum = 0, rate = uniform(&random, 1, 5), m = uniform(&random, 0.5, 2);
        for (size_t i = 0; i < 3; i++) {
            bound[i] = uniform(&random, 0.2, 4);
            sum += bound[i];
        }
        double begin = sum / rate, to = 1.5 * begin, own = uniform(&random, 0.5, 1) * rate * to;
        char text[512];
        snprintf(text, sizeof text,
                 "coord x, y\nmass %.17g at [x, 0, 0]\nmass 1 at [y, 0, 0]\n"
                 "force %.17g*t along x\nforce %.17g*t along y\nfriction a: %.17g along x\n"
                 "friction b: %.17g along x\nfriction c: %.17g along x\nfriction d: %.17g along y\n"
                 "run to %.17g every %.17g\n",
                 m, rate, rate, bound[0], bound[1], bound[2], own, to, to / 4);
        EventCase kase = event_case(text);
        case_expect(&kase.run, STATUS_OK);
        for (size_t i = 0; i < kase.events.count; i++) {
            bool last = strcmp(kase.events.at[i].constraint, "d") == 0;
            assert_int_equal(kase.events.at[i].kind, RUN_SLIP);
            assert_near(kase.events.at[i].t, last ? own / rate : begin, 1e-9 * to);
        }
        assert_int_equal(kase.events.count, own < rate * to ? 4 : 3);
        double after = to - begin;
        assert_near(last_of(&kase.run, "x'"), rate * after * after / 2 / m, 1e-9 * rate);
        for (size_t i = 0; i < case_row_count(&kase.run); i++) {
            double held = 0, t = case_value(&kase.run, i, "t");
            static const char *const names[] = {"friction.a", "friction.b", "friction.c"};
            for (size_t k = 0; k < 3; k++) {
                double force = case_value(&kase.run, i, names[k]);
                assert_true(fabs(force) <= bound[k] * (1 + 1e-9));
                held += force;
            }
            assert_near(held, -fmin(rate * t, sum), 1e-8 * sum);
        }
        event_case_free(&kase);
    }
}

// One event of friction, and the velocities at the end.
static void expect_end(const char *text, RunEventKind kind, double t, double x, double y)
{
    EventCase kase = event_case(text);
    if (kase.run.status != STATUS_OK)
        print_error("%s", text);
    case_expect(&kase.run, STATUS_OK);
    assert_int_equal(kase.events.count, 1);
    assert_int_equal(kase.events.at[0].kind, kind);
    assert_near(kase.events.at[0].t, t, 1e-10);
    assert_near(last_of(&kase.run, "x'"), x, 1e-10);
    assert_near(last_of(&kase.run, "y'"), y, 1e-10);
    event_case_free(&kase);
}

// A point of constant speed V (Appell), pulled back by the force a and rubbing along x: with φ for
// the direction of its velocity, V·φ' = (a ± R)·sin φ, which tan(φ/2) solves.
static void constant_speeds(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 8 * test_size(); seed++) {
        Random random = random_seed(150 + seed);
        double V = uniform(&random, 0.5, 2), a = uniform(&random, 0.2, 1.5);
        double R = uniform(&random, 0.2, 1.5), phi = uniform(&random, 0.2, 1.3);
        double begin = -V / (a + R) * log(tan(phi / 2)), after = uniform(&random, 0.2, 1);
        double end = a > R ? 2 * atan(exp((a - R) / V * after)) : acos(0);
        char text[512];
        snprintf(text, sizeof text,
                 "coord x, y\nmass 1 at [x, y, 0]\nconstraint speed: x'^2 + y'^2 = %.17g\n"
                 "force %.17g along x\nfriction f: %.17g along x\n"
                 "initial x' = %.17g, y' = %.17g\nrun to %.17g every %.17g\n",
                 V * V, -a, R, V * cos(phi), V * sin(phi), begin + after, begin + after);
        expect_end(text, a > R ? RUN_REVERSE : RUN_STICK, begin, a > R ? V * cos(end) : 0,
                   V * sin(end));
    }
}

// A condition on accelerations, x'' + k·y'' = p, and friction along x under constant forces: the
// nearest accelerations are constant while it slides, and while it sticks.
static void conditions_on_accelerations(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 8 * test_size(); seed++) {
        Random random = random_seed(250 + seed);
        double k = uniform(&random, 0.5, 2), p = uniform(&random, -1, 1);
        double a = uniform(&random, -2, 2), b = uniform(&random, -1, 1), R, v;
        double one = 1 + k * k, held = a + (p / k - b) / k; // what R has to hold at rest
        R = uniform(&random, 0.3, 1.7) * fabs(held);
        double pull = held * k * k / one, rub = R * k * k / one; // x'' without it, and by it
        double start = pull + rub > 0 ? 1 : -1; // against the direction that slows it down
        v = -start * uniform(&random, 0.3, 1);
        double rate = pull - (v > 0 ? rub : -rub);
        if (rate * v >= 0)
            continue;
        double begin = -v / rate, after = uniform(&random, 0.3, 1);
        bool sticks = R >= fabs(held);
        double next = sticks ? 0 : pull - (pull > 0 ? rub : -rub);
        char text[512];
        snprintf(text, sizeof text,
                 "coord x, y\nmass 1 at [x, y, 0]\nconstraint c: x'' + %.17g*y'' = %.17g\n"
                 "force %.17g along x\nforce %.17g along y\nfriction f: %.17g along x\n"
                 "initial x' = %.17g\nrun to %.17g every %.17g\n",
                 k, p, a, b, R, v, begin + after, begin + after);
        expect_end(text, sticks ? RUN_STICK : RUN_REVERSE, begin, next * after,
                   ((p - rate) * begin + (p - next) * after) / k);
    }
}

// Percussions within cones are not solved where rows change with the velocities.
static void shocks_of_constant_speeds(void **state)
{
    (void)state;
    RunCase kase = case_run("coord x, y, z\npoint P = [x, y, z]\nmass 1 at P\n"
                            "constraint speed: x'^2 + y'^2 + z'^2 = 2\n"
                            "constraint floor: z >= 0 restitution 0.5 friction 0.3 at P on P\n"
                            "initial z = 1, x' = 1, z' = -1\nrun to 2 every 2\n");
    assert_int_not_equal(kase.status, STATUS_OK);
    assert_true(case_says(&kase, DIAG_ERROR, "cannot be solved by this version"));
    case_free(&kase);
}

// Up to seven frictions along one coordinate hold up to the sum of their bounds.
static void many_side_by_side(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 4 * test_size(); seed++) {
        Random random = random_seed(450 + seed);
        size_t count = 4 + seed % 4;
        double sum = 0, rate = uniform(&random, 0.5, 3);
        Text text = {0};
        text_addf(&text, "coord x\nmass 2 at [x, 0, 0]\nforce %.17g*t along x\n", rate);
        for (size_t i = 0; i < count; i++) {
            double bound = uniform(&random, 0.05, 2);
            text_addf(&text, "friction f%zu: %.17g along x\n", i + 1, bound);
            sum += bound;
        }
        double begin = sum / rate;
        text_addf(&text, "run to %.17g every %.17g\n", begin + 1, begin + 1);
        EventCase kase = event_case(text.at);
        assert_int_equal(kase.events.count, count);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(kase.events.at[i].kind, RUN_SLIP);
            assert_near(kase.events.at[i].t, begin, 1e-10 * begin);
        }
        assert_near(last_of(&kase.run, "x'"), rate / 4, 1e-9);
        event_case_free(&kase);
        text_clear(&text);
    }
}

// A wheel that skids with a resistance against rolling, ρ times the normal force that its friction
// has too: its spin stops and turns round, it rolls, and rests.
static void wheels_with_resistance(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 6 * test_size(); seed++) {
        Random random = random_seed(350 + seed);
        double m = uniform(&random, 0.5, 4), r = uniform(&random, 0.1, 0.5), g = 9.81;
        double J = m * r * r * uniform(&random, 0.4, 1), mu = uniform(&random, 0.2, 0.6);
        double rho = mu * r * uniform(&random, 0.05, 0.2), v = uniform(&random, 2, 5);
        double w = -uniform(&random, 0.1, 1) * v / r, N = m * g;
        double turn = -w * J / (N * (mu * r + rho)), spin = N * (mu * r - rho) / J;
        double roll = turn + (v - mu * g * turn) / (mu * g + r * spin), last = v - mu * g * roll;
        double rest = roll + last * (m * r + J / r) / (rho * N);
        char law[128], text[768];
        bool before = seed % 3 == 0;
        snprintf(law, sizeof law, "friction resist: %.17g*%s along phi\n", rho,
                 seed % 2 ? "lambda.lane" : "normal(lane)");
        snprintf(text, sizeof text,
                 "param m = %.17g, r = %.17g, J = %.17g, g = 9.81\ncoord s, n, phi\n"
                 "frame F = world rotate phi about y\npoint G = [s, 0, n]\n"
                 "body wheel frame F mass m at G inertia [J, J, J]\ngravity [0, 0, -g]\n"
                 "%sconstraint lane: n %s r friction %.17g at G - r*world.z on wheel\n%s"
                 "initial n = r, s' = %.17g, phi' = %.17g\nrun to %.17g every %.17g\n",
                 m, r, J, before ? law : "", seed % 2 ? ">=" : "=", mu, before ? "" : law, v, w,
                 rest + 1, rest + 1);
        EventCase kase = event_case(text);
        event_is(&kase, 0, RUN_REVERSE, "resist", turn, 1e-10 * rest);
        event_is(&kase, 1, RUN_STICK, "lane", roll, 1e-10 * rest);
        event_is(&kase, 2, RUN_STICK, "resist", rest, 1e-10 * rest);
        assert_near(last_of(&kase.run, "s"),
                    v * roll - mu * g * roll * roll / 2 + last * (rest - roll) / 2, 1e-9);
        assert_true(last_of(&kase.run, "s'") == 0);
        event_case_free(&kase);
    }
}

// The same wheel falls, spins and slides: one percussion presses on both frictions.
static void wheels_that_fall(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 3 * test_size(); seed++) {
        Random random = random_seed(370 + seed);
        double J = uniform(&random, 0.4, 1), mu = uniform(&random, 0.1, 0.3), e = 0.5, g = 9.81;
        double rho = mu * uniform(&random, 0.05, 0.5), h = uniform(&random, 0.1, 0.5);
        double fall = sqrt(2 * g * h), P = (1 + e) * fall, w = uniform(&random, 0.1, 1);
        double v = w + 2 * P * mu * (1 + 1 / J);
        char text[768];
        snprintf(text, sizeof text,
                 "param J = %.17g\ncoord s, n, phi\nframe F = world rotate phi about y\n"
                 "point G = [s, 0, n]\nbody wheel frame F mass 1 at G inertia [J, J, J]\n"
                 "gravity [0, 0, -9.81]\nconstraint lane: n >= 1 restitution 0.5 friction %.17g at "
                 "G - world.z on wheel\nfriction resist: %.17g*lambda.lane along phi\n"
                 "initial n = 1 + %.17g, s' = %.17g, phi' = %.17g\nrun to %.17g every 1\n",
                 J, mu, rho, h, v, w, 1.5 * fall / g);
        for (int method = 0; method < 2; method++) {
            RunOptions options = run_options();
            options.method = method == 0 ? RUN_TAYLOR : RUN_TIMESTEPPING;
            options.step = method == 0 ? options.step : 1e-3;
            EventCase kase = event_case_with(text, options);
            case_expect(&kase.run, STATUS_OK);
            assert_near(last_of(&kase.run, "s'"), v - mu * P, method == 0 ? 1e-9 : 1e-2);
            assert_near(last_of(&kase.run, "phi'"), w + (mu - rho) * P / J,
                        method == 0 ? 1e-9 : 1e-2);
            event_case_free(&kase);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_on_carts),
        cmocka_unit_test(tilted_pushes),
        cmocka_unit_test(friction_in_the_way_of_a_servo),
        cmocka_unit_test(absolute_reactions),
        cmocka_unit_test(counted_reactions),
        cmocka_unit_test(reactions_of_floors),
        cmocka_unit_test(frictions_side_by_side),
        cmocka_unit_test(many_side_by_side),
        cmocka_unit_test(wheels_with_resistance),
        cmocka_unit_test(wheels_that_fall),
        cmocka_unit_test(constant_speeds),
        cmocka_unit_test(conditions_on_accelerations),
        cmocka_unit_test(shocks_of_constant_speeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
