// Dry friction: closed forms in any units and by every method, cones and energy along random
// motions, one row against two, paradoxes, and what is refused.
#include "event_case.h"
#include "uniform.h"

#include <stdio.h>

#define SLOPE                                                                                      \
    "param m = %.17g, g = %.17g, alpha = %.17g, mu = %.17g, v0 = %.17g\n"                          \
    "coord s, n\nframe F = world rotate -alpha about y\npoint P = [s, 0, n] in F\nmass m at P\n"   \
    "gravity [0, 0, -g]\nconstraint floor: n >= 0 friction mu at P on P\ninitial s' = v0\n"        \
    "run to %.17g every %.17g\n"

// Thrown up a slope that holds it: the stop by closed form, and no creeping, in any units.
static void check_slope(Random *random, RunMethod method, double within)
{
    double alpha = uniform(random, 0.05, 0.6), mu = tan(alpha) + uniform(random, 0.05, 0.5);
    double length = pow(10, uniform(random, -6, 6)), time = pow(10, uniform(random, -4, 4));
    double mass = pow(10, uniform(random, -6, 6)), g = 9.81 * length / (time * time);
    double v0 = uniform(random, 0.5, 3) * length / time;
    double stop = v0 / (g * (sin(alpha) + mu * cos(alpha)));
    char text[1024];
    snprintf(text, sizeof text, SLOPE, mass, g, alpha, mu, v0, 20 * stop, stop);
    RunOptions options = run_options();
    options.method = method;
    EventCase kase = event_case_with(text, options);
    case_expect(&kase.run, STATUS_OK);
    assert_int_equal(kase.events.count, 1);
    assert_int_equal(kase.events.at[0].kind, RUN_STICK);
    assert_near(kase.events.at[0].t / stop, 1, within);
    size_t last = case_row_count(&kase.run) - 1;
    assert_true(case_value(&kase.run, last, "s'") == 0);
    assert_near(case_value(&kase.run, last, "s") / (v0 * stop / 2), 1, within);
    assert_true(case_value(&kase.run, last, "mode.floor") == 1);
    for (size_t i = 1; i <= last; i++)
        if (case_value(&kase.run, i, "mode.floor") == 1)
            assert_true(case_value(&kase.run, i, "s") == case_value(&kase.run, last, "s"));
    event_case_free(&kase);
}

static void slopes_in_any_units(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 12 * test_size(); seed++) {
        Random random = random_seed(seed);
        check_slope(&random, RUN_TAYLOR, 1e-11);
    }
}

static void slopes_by_every_method(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (size_t i = 0; i < 3; i++)
        for (size_t seed = 1; seed <= 2 * test_size(); seed++) {
            Random random = random_seed(100 + seed);
            check_slope(&random, methods[i], 1e-6);
        }
}

#define LADDER                                                                                     \
    "param m = %.17g, l = %.17g, g = 9.81, muf = %.17g, muw = %.17g, J = m*l^2/12, th = %.17g\n"   \
    "coord x, z, theta\nframe B = world rotate -theta about y\npoint G = [x, 0, z]\n"              \
    "point A = G - l/2*B.x\npoint C = G + l/2*B.x\n"                                               \
    "body rod frame B mass m at G inertia [0, J, J]\ngravity [0, 0, -g]\n"                         \
    "constraint wall: C.x <= 0 friction muw at C on rod\n"                                         \
    "constraint floor: A.z >= 0 friction muf at A on rod\n"                                        \
    "initial theta = th, x = -l/2*cos(th), z = l/2*sin(th)\nrun to 0.4 every 0.01\n"

static double force_of(const RunCase *kase, size_t row, const char *name)
{
    char column[64];
    double square = 0;
    for (const char *axis = "xyz"; *axis; axis++) {
        snprintf(column, sizeof column, "friction.%s.%c", name, *axis);
        double part = case_value(kase, row, column);
        square += part * part;
    }
    return sqrt(square);
}

#define PIVOT_PLANE                                                                                \
    "param r = %.17g, u = %.17g, m = %.17g, J = %.17g, s = %.17g, w = %.17g\n"                     \
    "coord x, z, theta\nframe B = world rotate theta about y\npoint G = [x, 0, z]\n"               \
    "point K = G + [r, 0, u] in B\nbody solid frame B mass m at G inertia [1, J, 1]\n"             \
    "gravity [0, 0, -9.81]\n%sinitial theta = s, x = 0, z = r*sin(s) - u*cos(s), theta' = w\n"     \
    "initial x' = w*(r*sin(s) - u*cos(s)), z' = w*(r*cos(s) + u*sin(s))\nrun to 0.3 every 0.05\n"

#define PIVOT_SPACE                                                                                \
    "param r = %.17g, u = %.17g, m = %.17g, J = %.17g, s = %.17g, w = %.17g\n"                     \
    "coord x, y, z, a, b, c\nframe B = world rotate a about z rotate b about x rotate c about z\n" \
    "point G = [x, y, z]\npoint K = G + [r, 0.1, u] in B\n"                                        \
    "body solid frame B mass m at G inertia [1, 0.7, J]\ngravity [0, 0, -9.81]\n%s"                \
    "initial a = 0, b = s, c = 0, x = 0, y = 0, z = -0.1*sin(s) - u*cos(s), c' = w\n"              \
    "initial x' = 0.1*w, y' = -r*w*cos(s), z' = -r*w*sin(s)\nrun to 0.1 every 0.02\n"

// What sticks moves as if it were held there: a body that tilts about a corner, in the plane and in
// space, against the same with the corner held by equations.
static void check_pivot(Random *random, bool space)
{
    static const char stuck[] = "constraint foot: K.z >= 0 friction 5 at K on solid\n",
                      held[] = "constraint foot: K.z = 0\nconstraint dot(velocity(K), world.x) = "
                               "0\nconstraint dot(velocity(K), world.y) = 0\n",
                      flat[] = "constraint foot: K.z = 0\nconstraint dot(velocity(K), world.x) = "
                               "0\n";
    const char *foot[] = {stuck, space ? held : flat};
    double right = uniform(random, -0.4, 0.4), up = -uniform(random, 0.3, 1);
    double mass = uniform(random, 1, 3), J = uniform(random, 0.6, 1.4);
    double start = uniform(random, 0.05, 0.3), rate = uniform(random, -1, 1);
    EventCase kases[2];
    for (size_t i = 0; i < 2; i++) {
        char text[1536];
        snprintf(text, sizeof text, space ? PIVOT_SPACE : PIVOT_PLANE, right, up, mass, J, start,
                 rate, foot[i]);
        kases[i] = event_case(text);
        case_expect(&kases[i].run, STATUS_OK);
        assert_int_equal(kases[i].events.count, 0);
    }
    static const char *const names[2][8] = {
        {"x", "z", "theta", "theta'", "lambda.foot", "energy"},
        {"x", "y", "z", "a", "b", "c'", "lambda.foot", "energy"}};
    for (size_t row = 0; row < case_row_count(&kases[1].run); row++)
        for (size_t i = 0; i < 8 && names[space][i]; i++)
            assert_near(case_value(&kases[0].run, row, names[space][i]),
                        case_value(&kases[1].run, row, names[space][i]), 1e-9);
    event_case_free(&kases[0]);
    event_case_free(&kases[1]);
}

static void what_sticks_is_held(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 6 * test_size(); seed++) {
        Random random = random_seed(seed);
        check_pivot(&random, seed % 3 == 0);
    }
}

// A coefficient that falls below 0, or a static one below the sliding one, ends a run where it
// does: sliding on, or at rest, by every method.
static void coefficients_that_are_none(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_TIMESTEPPING};
    for (size_t seed = 1; seed <= 48 * test_size(); seed++) {
        Random random = random_seed(seed);
        double from = uniform(&random, 0.1, 0.9), mu = uniform(&random, 0.1, 0.5);
        double way = uniform(&random, 0.01, 0.09); // it is none for so long
        bool slides = seed % 2, law = seed / 2 % 2, low = seed / 4 % 2;
        char text[1024], what[256];
        if (low)
            snprintf(what, sizeof what, "%.17g static %.17g*(1 + %.17g - t)", mu, mu, from);
        else
            snprintf(what, sizeof what, "%.17g*(t - %.17g)*(t - %.17g)", mu, from, from + way);
        snprintf(text, sizeof text,
                 "coord x, z\npoint P = [x, 0, z]\nmass 1 at P\ngravity [0, 0, -9.81]\n"
                 "constraint floor: z >= 0%s%s%s\n%s%s%sinitial x' = %d\nrun to 1.2 every 0.05\n",
                 law ? "" : " friction ", law ? "" : what, law ? "" : " at P on P",
                 law ? "friction rub: " : "", law ? what : "", law ? " along x\n" : "",
                 slides ? 30 : 0);
        RunOptions options = run_options();
        options.method = methods[seed % 3];
        options.step = options.method == RUN_TIMESTEPPING ? 0.001 : options.step;
        EventCase kase = event_case_with(text, options);
        case_expect(&kase.run, STATUS_NEGATIVE);
        assert_true(case_says(&kase.run, DIAG_ERROR,
                              low ? "falls below the sliding one" : "falls below 0"));
        double within = options.method == RUN_TIMESTEPPING ? 0.002 : 1e-9;
        assert_near(kase.run.summary.reached, from, within);
        event_case_free(&kase);
    }
}

// Along random ladders no force leaves its cone, what slides has all of it, and energy only falls.
static void ladders_stay_in_their_cones(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 12 * test_size(); seed++) {
        Random random = random_seed(seed);
        double mu[] = {uniform(&random, 0, 0.5), uniform(&random, 0, 0.5)};
        char text[1536];
        snprintf(text, sizeof text, LADDER, uniform(&random, 0.1, 10), uniform(&random, 0.5, 4),
                 mu[0], mu[1], uniform(&random, 0.7, 1.3));
        EventCase kase = event_case_with(text, run_options());
        case_expect(&kase.run, STATUS_OK);
        static const char *const names[] = {"floor", "wall"};
        double energy = INFINITY;
        for (size_t row = 0; row < case_row_count(&kase.run); row++) {
            for (size_t i = 0; i < 2; i++) {
                char lambda[32], mode[32];
                snprintf(lambda, sizeof lambda, "lambda.%s", names[i]);
                snprintf(mode, sizeof mode, "mode.%s", names[i]);
                double most = mu[i] * case_value(&kase.run, row, lambda);
                double force = force_of(&kase.run, row, names[i]);
                if (force > most * (1 + 1e-9) + 1e-12)
                    fail_msg("seed %zu: |F| = %g of %g", seed, force, most);
                if (case_value(&kase.run, row, mode) == 2)
                    assert_near(force, most, 1e-9 * (1 + most));
            }
            double now = case_value(&kase.run, row, "energy");
            if (now > energy + 1e-9)
                fail_msg("seed %zu: the energy grows from %g to %g", seed, energy, now);
            energy = now;
        }
        event_case_free(&kase);
    }
}

#define STRIKE                                                                                     \
    "param m = %.17g, l = %.17g, mu = %.17g, e = %.17g, J = m*l^2/3\ncoord x, z, th\n"             \
    "frame B = world rotate -th about y\npoint G = [x, 0, z]\npoint C = G - l*B.x\n"               \
    "body rod frame B mass m at G inertia [0, J, J]\n"                                             \
    "constraint floor: C.z >= 0 restitution e friction mu at C on rod\n"                           \
    "initial th = %.17g, z = l*sin(%.17g) + 0.01, x' = %.17g, z' = %.17g, th' = %.17g\n"           \
    "run to 0.05 every 0.01\n"

// Rods strike the floor in every way: no shock that a run passes makes energy.
static void shocks_lose_energy(void **state)
{
    (void)state;
    size_t struck = 0;
    for (size_t seed = 1; seed <= 40 * test_size(); seed++) {
        Random random = random_seed(seed);
        double l = uniform(&random, 0.3, 3), th = uniform(&random, 0.2, 1.4);
        double w = uniform(&random, -3, 3), down = -uniform(&random, 1, 4) + l * cos(th) * w;
        char text[1536];
        snprintf(text, sizeof text, STRIKE, uniform(&random, 0.1, 10), l, uniform(&random, 0, 1.2),
                 uniform(&random, 0, 1), th, th, uniform(&random, -3, 3), down, w);
        EventCase kase = event_case_with(text, run_options());
        for (size_t i = 0; i < kase.events.count; i++) {
            const KeptEvent *event = &kase.events.at[i];
            struck += event->kind == RUN_IMPACT;
            if (event->kind == RUN_IMPACT && event->energy_lost < -1e-10)
                fail_msg("seed %zu: a shock makes the energy %g", seed, -event->energy_lost);
        }
        event_case_free(&kase);
    }
    assert_true(struck > 20);
}

// Along a line the law of two rows is that of one.
static void a_line_in_space(void **state)
{
    (void)state;
    EventCase one = event_case("coord x, z\npoint P = [x, 0, z]\nmass 2 at P\n"
                               "gravity [0, 0, -9.81]\nconstraint f: z >= 0 friction 0.3 at P on "
                               "P\ninitial x' = 2\nrun to 1\n");
    EventCase two = event_case("coord x, y, z\npoint P = [x, y, z]\nmass 2 at P\n"
                               "gravity [0, 0, -9.81]\nconstraint f: z >= 0 friction 0.3 at P on "
                               "P\ninitial x' = 1.2, y' = 1.6\nrun to 1\n");
    double stop = 2 / (0.3 * 9.81);
    assert_near(one.events.at[0].t, stop, 1e-13);
    assert_near(two.events.at[0].t, stop, 1e-11);
    size_t last = case_row_count(&two.run) - 1;
    assert_true(case_value(&two.run, last, "x'") == 0 && case_value(&two.run, last, "y'") == 0);
    assert_near(case_value(&two.run, last, "x"), 0.6 * stop, 1e-11);
    event_case_free(&one);
    event_case_free(&two);
}

#define PAINLEVE                                                                                   \
    "param l = 1, mu = 1.6, J = l^2/3, g = 9.81, w = %d, u = %d\ncoord x, z, th\n"                 \
    "frame B = world rotate -th about y\npoint G = [x, 0, z]\npoint C = G - l*B.x\n"               \
    "body rod frame B mass 1 at G inertia [0, J, J]\ngravity [0, 0, -g]\n"                         \
    "constraint floor: C.z >= 0 friction mu at C on rod\n"                                         \
    "initial th = atan(2), z = sin(atan(2)), th' = w, z' = cos(atan(2))*w, "                       \
    "x' = u - sin(atan(2))*w\nrun to 0.01\n"

static void painleve(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, PAINLEVE, 0, -1);
    RunCase none = case_start(text, run_options());
    assert_true(none.status != STATUS_OK);
    assert_true(
        case_says(&none, DIAG_ERROR, "no consistent contact forces exist (Painlevé): 0 of"));
    case_free(&none);
    // The impact without collision: P = 0.3, and 0.2 of the energy is lost.
    RunOptions options = run_options();
    options.jumps = true;
    EventCase jumps = event_case_with(text, options);
    case_expect(&jumps.run, STATUS_OK);
    assert_int_equal(jumps.events.at[0].kind, RUN_PERCUSSION);
    assert_near(jumps.events.at[0].energy_lost, 0.2, 1e-12);
    assert_near(jumps.events.at[0].after[1], 0.3, 1e-12);
    event_case_free(&jumps);
    snprintf(text, sizeof text, PAINLEVE, 4, -1);
    RunCase several = case_start(text, run_options());
    assert_true(several.status != STATUS_OK);
    assert_true(case_says(&several, DIAG_ERROR, "2 motions are possible"));
    case_free(&several);
    snprintf(text, sizeof text, PAINLEVE, 0, 1);
    RunCase good = case_run(text);
    case_expect(&good, STATUS_OK);
    assert_near(case_value(&good, 0, "lambda.floor"), 2.786931818181818, 1e-12);
    case_free(&good);
}

// A plank on several feet in a line, the last of which has another coefficient.
static RunCase plank(Random *random, size_t feet, double mu, double other, double v, double time)
{
    char text[4096];
    double h = uniform(random, 0.05, 0.3);
    int at = snprintf(text, sizeof text,
                      "param m = %.17g, J = %.17g, h = %.17g\ncoord x, z, th\n"
                      "frame B = world rotate th about y\npoint G = [x, 0, z]\n"
                      "body b frame B mass m at G inertia [J, J, J]\ngravity [0, 0, -9.81]\n"
                      "initial z = h, x' = %.17g\nrun to %.17g\n",
                      uniform(random, 0.1, 10), uniform(random, 0.05, 2), h, v, time);
    for (size_t i = 0; i < feet; i++) {
        double place = i == 0   ? -uniform(random, 0.3, 1)
                       : i == 1 ? uniform(random, 0.3, 1)
                                : uniform(random, -1, 1);
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "point P%zu = G + [%.17g, 0, -h] in B\n"
                       "constraint c%zu: P%zu.z >= 0 friction %.17g at P%zu on b\n",
                       i, place, i, i, i + 1 == feet ? other : mu, i);
    }
    return case_run(text);
}

// More feet than are needed: with one coefficient the motion is the same however the weight is
// shared, with several it is not known.
static void planks_on_many_feet(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 8 * test_size(); seed++) {
        Random random = random_seed(seed);
        size_t feet = 3 + seed % 3;
        double mu = uniform(&random, 0.05, 0.5), v = uniform(&random, 0.3, 2);
        double sign = seed % 2 == 0 ? 1 : -1, stop = v / (mu * 9.81);
        double time = (seed % 4 == 0 ? 0.8 : 1.2) * stop, slid = fmin(time, stop);
        RunCase kase = plank(&random, feet, mu, mu, sign * v, time);
        case_expect(&kase, STATUS_OK);
        size_t last = case_row_count(&kase) - 1;
        assert_near(case_value(&kase, last, "x"), sign * (v * slid - mu * 9.81 * slid * slid / 2),
                    1e-10);
        double m = 0;
        for (size_t i = 0; i < feet; i++) {
            char lambda[32];
            snprintf(lambda, sizeof lambda, "lambda.c%zu", i);
            assert_true(case_value(&kase, 0, lambda) >= -1e-12);
            m += case_value(&kase, 0, lambda) / 9.81;
        }
        assert_near(case_value(&kase, 0, "energy"),
                    m * (v * v / 2 + 9.81 * case_value(&kase, 0, "z")), 1e-9);
        case_free(&kase);
        RunCase other = plank(&random, feet, mu, mu + 0.1, sign * v, 0.5 * stop);
        assert_true(other.status != STATUS_OK);
        assert_true(case_says(&other, DIAG_ERROR, "and the motion depends on them"));
        case_free(&other);
    }
}

#define TABLE                                                                                      \
    "param a = %.17g, b = %.17g, h = %.17g, mu = %.17g, v = %.17g, c = %.17g\n"                    \
    "coord x, y, z, p, q, r\nframe A = world rotate p about z\nframe B = A rotate q about x\n"     \
    "frame F = B rotate r about y\npoint G = [x, y, z]\npoint A1 = G + [a, b, -h] in F\n"          \
    "point A2 = G + [a, -b, -h] in F\npoint A3 = G + [-a, b, -h] in F\n"                           \
    "point A4 = G + [-a, -b, -h] in F\n"                                                           \
    "body top frame F mass 1 at G inertia [0.02, 0.03, 0.04]\ngravity [0, 0, -9.81]\n"             \
    "constraint l1: A1.z >= 0 friction mu at A1 on top\n"                                          \
    "constraint l2: A2.z >= 0 friction mu at A2 on top\n"                                          \
    "constraint l3: A3.z >= 0 friction mu at A3 on top\n"                                          \
    "constraint l4: A4.z >= 0 friction mu at A4 on top\n"                                          \
    "torque [0, 0, c] on top\ninitial z = h, x' = v*cos(1), y' = v*sin(1)\nrun to 0.05\n"

// A table on four legs slides straight on; once it turns the motion depends on how they share its
// weight.
static void tables_on_four_legs(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 4 * test_size(); seed++) {
        Random random = random_seed(seed);
        double a = uniform(&random, 0.2, 0.6), b = uniform(&random, 0.2, 0.6);
        double h = uniform(&random, 0.05, 0.2), mu = uniform(&random, 0.1, 0.5);
        double v = uniform(&random, 1, 3), path = v * 0.05 - mu * 9.81 * 0.05 * 0.05 / 2;
        char text[2048];
        snprintf(text, sizeof text, TABLE, a, b, h, mu, v, 0.0);
        RunCase straight = case_run(text);
        case_expect(&straight, STATUS_OK);
        size_t last = case_row_count(&straight) - 1;
        assert_near(case_value(&straight, last, "x"), path * cos(1), 1e-10);
        assert_near(case_value(&straight, last, "y"), path * sin(1), 1e-10);
        case_free(&straight);
        snprintf(text, sizeof text, TABLE, a, b, h, mu, v, 0.1);
        RunCase turns = case_run(text);
        assert_true(turns.status != STATUS_OK);
        assert_true(case_says(&turns, DIAG_ERROR, "and the motion depends on them"));
        case_free(&turns);
    }
}

// A bead on a rod that turns, from rest or thrown inwards, so that it may turn round: its normal
// force is 0 where it rests, and for the first short steps of multistep methods all of it is
// rounding. r'' = Ω²r − 2μ|Ω|r' to both sides.
static void beads_on_turning_rods(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 60 * test_size(); seed++) {
        Random random = random_seed(seed);
        double turn = uniform(&random, 0.5, 4), mu = uniform(&random, 0.05, 0.9),
               length = pow(10, uniform(&random, -4, 4)), to = uniform(&random, 0.3, 1) * 3 / turn;
        double root = sqrt(1 + mu * mu), fast = turn * (root - mu), slow = -turn * (root + mu);
        double v0 = seed % 5 < 2 ? 0 : -uniform(&random, 0.1, 1) * length * turn;
        double b = (length * fast - v0) / (fast - slow), a = length - b;
        char text[600];
        snprintf(text, sizeof text,
                 "param Omega = %.17g\ncoord x, y\nframe R = world rotate Omega*t about z\n"
                 "point P = x*R.x + y*R.y\nmass 2 at P\nbody rod frame R\n"
                 "constraint guide: y = 0 friction %.17g at P on P and rod\n"
                 "initial x = %.17g, x' = %.17g\nrun to %.17g every %.17g\n",
                 seed % 3 ? turn : -turn, mu, length, v0, to, to / 7);
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        RunCase kase = case_start(text, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        double x = a * exp(fast * to) + b * exp(slow * to);
        assert_near(case_last(&kase, "x") / length, x / length, seed % 4 < 2 ? 1e-8 : 1e-5);
        case_free(&kase);
    }
}

// Nothing is passed over in silence.
static void refusals(void **state)
{
    (void)state;
    RunCase below = case_run("param a = 0.2\ncoord x, z\npoint P = [x, 0, z]\nmass 1 at P\n"
                             "constraint f: z >= 0 friction 0.3 static a at P on P\nrun to 1\n");
    assert_true(case_says(&below, DIAG_ERROR, "the static coefficient 0.2 is below the sliding"));
    case_free(&below);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slopes_in_any_units),
                                       cmocka_unit_test(slopes_by_every_method),
                                       cmocka_unit_test(what_sticks_is_held),
                                       cmocka_unit_test(coefficients_that_are_none),
                                       cmocka_unit_test(ladders_stay_in_their_cones),
                                       cmocka_unit_test(shocks_lose_energy),
                                       cmocka_unit_test(a_line_in_space),
                                       cmocka_unit_test(painleve),
                                       cmocka_unit_test(planks_on_many_feet),
                                       cmocka_unit_test(tables_on_four_legs),
                                       cmocka_unit_test(beads_on_turning_rods),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests_name("simulate/friction", tests, NULL, NULL);
}
