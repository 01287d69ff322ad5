// Steps of fixed length against closed forms: first order where something is struck, second where
// conditions push on; energy that never grows, momentum that stays, and a box of balls that
// settles.
#include "run_case.h"
#include "uniform.h"

enum { SEEDS = 24 };

static RunCase step_watched(const char *text, double step, bool watched)
{
    RunOptions options = run_options();
    options.method = RUN_TIMESTEPPING;
    options.step = step;
    options.unwatched = !watched;
    RunCase kase = case_start(text, options);
    case_go(&kase);
    return kase;
}

static RunCase step_through(const char *text, double step)
{
    return step_watched(text, step, true);
}

// `fall` is the energy of what a force gives within a step: what comes to rest on something is held
// by it from then on, and may be lifted by so much.
static void assert_energy_never_grows(const RunCase *kase, double fall)
{
    for (size_t i = 1; i < case_row_count(kase); i++) {
        double before = case_value(kase, i - 1, "energy"), now = case_value(kase, i, "energy");
        if (!(now <= before + fall + 1e-13))
            fail_msg("row %zu: the energy grows from %.17g to %.17g", i, before, now);
    }
}

// ---- A ball that falls from 5 under g = 10 and bounces with e = 1/2: impacts at 1, 2, 2.5, …, and
// rest at 3.

static double bouncing(double t)
{
    if (t <= 1)
        return 5 - 5 * t * t;
    double since = 1, v = 5;
    while (v > 1e-6 && t > since + v / 5) {
        since += v / 5;
        v /= 2;
    }
    double s = t - since;
    return t >= 3 ? 0 : v * s - 5 * s * s;
}

static double ball_error(double step)
{
    RunCase kase = step_through("param g = 10\n"
                                "coord z\n"
                                "kinetic z'^2/2\n"
                                "potential g*z\n"
                                "constraint floor: z >= 0 restitution 1/2\n"
                                "initial z = 5\n"
                                "run to 4 every 0.1\n",
                                step);
    case_expect(&kase, STATUS_OK);
    assert_int_equal(case_row_count(&kase), 41);
    assert_energy_never_grows(&kase, pow(10 * step, 2) / 2);
    double worst = 0;
    for (size_t i = 0; i < case_row_count(&kase); i++) {
        double t = case_value(&kase, i, "t"), z = case_value(&kase, i, "z");
        worst = fmax(worst, fabs(z - bouncing(t)));
        // It never sinks in further than it falls in a step.
        assert_true(z >= -10 * step);
    }
    // It came to rest, and has not sunk since.
    assert_near(case_value(&kase, 40, "z"), case_value(&kase, 36, "z"), 1e-12);
    assert_true(fabs(case_value(&kase, 40, "z'")) < 1e-12);
    case_free(&kase);
    return worst;
}

static void test_bouncing_ball(void **state)
{
    (void)state;
    // Steps on which no impact falls.
    double coarse = ball_error(0.1 / 13), fine = ball_error(0.1 / 208);
    assert_true(coarse < 0.2 && fine < 0.2 / 8);
    assert_true(coarse / fine > 6 && coarse / fine < 40);
}

// ---- A bob on a taut string: a pendulum, whose period is an arithmetic-geometric mean.

static double period(double v)
{
    const double g = 9.81;
    double k = v / (2 * sqrt(g)), a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 8; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * acos(-1) / sqrt(g) / a;
}

// How far it is off after two periods.
static double pendulum_error(const char *relation, double steps)
{
    double T = period(3);
    Text text = {0};
    text_addf(&text,
              "param g = 9.81\n"
              "coord x, z\n"
              "kinetic (x'^2 + z'^2)/2\n"
              "potential g*z\n"
              "constraint string: x^2 + z^2 %s 1\n"
              "initial x = 0, z = -1, x' = 3\n"
              "output miss = x^2 + z^2 - 1\n"
              "output slip = x*x' + z*z'\n"
              "run to %.17g every %.17g\n",
              relation, 2 * T, T);
    RunCase kase = step_through(text.at, T / steps);
    text_clear(&text);
    case_expect(&kase, STATUS_OK);
    double error = fabs(case_value(&kase, 2, "x")) + fabs(case_value(&kase, 2, "x'") - 3);
    if (*relation == '=') {
        assert_true(fabs(case_value(&kase, 2, "miss")) < 1e-12);
        assert_true(fabs(case_value(&kase, 2, "slip")) < 1e-12);
    }
    case_free(&kase);
    return error;
}

static void test_taut_string(void **state)
{
    (void)state;
    static const char *const relations[] = {"<=", "="};
    for (size_t i = 0; i < 2; i++) {
        double coarse = pendulum_error(relations[i], 400),
               fine = pendulum_error(relations[i], 1600);
        assert_true(coarse < 0.02);
        assert_true(coarse / fine > 12 && coarse / fine < 20);
    }
}

// A bob that falls into its string hangs there.
static void test_slack_string(void **state)
{
    (void)state;
    RunCase kase = step_through("coord x, z\n"
                                "kinetic (x'^2 + z'^2)/2\n"
                                "potential 10*z\n"
                                "constraint string: x^2 + z^2 <= 1\n"
                                "initial x = 0, z = 0\n"
                                "run to 2 every 0.1\n",
                                1e-3);
    case_expect(&kase, STATUS_OK);
    assert_energy_never_grows(&kase, 0);
    for (size_t i = 0; i < case_row_count(&kase); i++) {
        double t = case_value(&kase, i, "t");
        assert_near(case_value(&kase, i, "z"), fmax(-5 * t * t, -1), 5e-3);
    }
    assert_near(case_value(&kase, 20, "z'"), 0, 1e-12);
    case_free(&kase);
}

// ---- Free balls on a line: whatever the step, the velocities after are those of the shock.

static void test_momentum(void **state)
{
    (void)state;
    RunCase kase = step_watched("coord a, b\n"
                                "kinetic (a'^2 + 3*b'^2)/2\n"
                                "constraint touch: b - a >= 1 restitution 1/2\n"
                                "initial a = 0, b = 2, a' = 2, b' = 0\n"
                                "run to 3 every 0.1\n",
                                0.037, false);
    case_expect(&kase, STATUS_OK);
    assert_energy_never_grows(&kase, 0);
    for (size_t i = 0; i < case_row_count(&kase); i++)
        assert_near(case_value(&kase, i, "a'") + 3 * case_value(&kase, i, "b'"), 2, 1e-13);
    assert_near(case_value(&kase, 30, "a'"), -0.25, 1e-13);
    assert_near(case_value(&kase, 30, "b'"), 0.75, 1e-13);
    case_free(&kase);
}

// ---- A floor that moves: what lies on it goes along.

static void test_moving_floor(void **state)
{
    (void)state;
    RunCase kase = step_through("coord z\n"
                                "kinetic z'^2/2\n"
                                "potential 10*z\n"
                                "constraint floor: z >= sin(3*t)/2 restitution 1/4\n"
                                "initial z = 0, z' = 3/2\n"
                                "run to 4 every 0.05\n",
                                1e-3);
    case_expect(&kase, STATUS_OK);
    for (size_t i = 0; i < case_row_count(&kase); i++)
        assert_near(case_value(&kase, i, "z"), sin(3 * case_value(&kase, i, "t")) / 2, 2e-5);
    case_free(&kase);
}

// ---- A blade on ice between two walls: the edge holds all the way.

static void test_blade_between_walls(void **state)
{
    (void)state;
    RunCase kase = step_through(
        "coord x, y, theta\n"
        "kinetic (x'^2 + y'^2)/2 + 0.3*theta'*(y'*cos(theta) - x'*sin(theta)) + 0.1*theta'^2\n"
        "constraint edge: y'*cos(theta) - x'*sin(theta) = 0\n"
        "constraint right: x <= 1 restitution 1\n"
        "constraint left: x >= -1 restitution 1\n"
        "initial x = 0, theta = 0.2, x' = 1, theta' = 0.1\n"
        "output slip = y'*cos(theta) - x'*sin(theta)\n"
        "run to 10 every 0.1\n",
        2e-3);
    case_expect(&kase, STATUS_OK);
    double least = 0, most = 0;
    for (size_t i = 0; i < case_row_count(&kase); i++) {
        assert_true(fabs(case_value(&kase, i, "slip")) < 1e-12);
        least = fmin(least, case_value(&kase, i, "x'"));
        most = fmax(most, case_value(&kase, i, "x"));
    }
    assert_true(least < -0.5 && most > 0.9 && most < 1.01);
    case_free(&kase);
}

// ---- A box of balls settles.

static void test_box_of_balls(void **state)
{
    (void)state;
    enum { N = 30 };
    RunCase kase =
        step_watched("const N = 30, C = 6\n"
                     "param r = 0.05, W = 0.72, e = 0.3\n"
                     "coord x[N], z[N]\n"
                     "for i in 1..N {\n"
                     "  mass 1 at [x[i], 0, z[i]]\n"
                     "  constraint floor[i]: z[i] >= r restitution e\n"
                     "  constraint left[i]: x[i] >= r restitution e\n"
                     "  constraint right[i]: x[i] <= W - r restitution e\n"
                     "  for j in 1..i-1 {\n"
                     "    constraint pair[i,j]: (x[i] - x[j])^2 + (z[i] - z[j])^2 >= 4*r^2 "
                     "restitution e\n"
                     "  }\n"
                     "  initial x[i] = 0.11*(mod(i - 1, C) + 1/2) + 0.05*mod(div(i - 1, C), 2)\n"
                     "  initial z[i] = 0.2 + 0.12*div(i - 1, C)\n"
                     "}\n"
                     "gravity [0, 0, -10]\n"
                     "output moving = sum(i in 1..N, x[i]'^2 + z[i]'^2)/2\n"
                     "run to 2 every 0.05\n",
                     2e-3, false);
    case_expect(&kase, STATUS_OK);
    assert_energy_never_grows(&kase, 1e-12);
    size_t last = case_row_count(&kase) - 1;
    assert_true(case_value(&kase, last, "moving") < 0.02);
    const double *row = kase.rows.at + last * kase.columns;
    double deepest = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < i; j++) {
            double dx = row[1 + i] - row[1 + j], dz = row[1 + N + i] - row[1 + N + j];
            deepest = fmax(deepest, 0.1 - sqrt(dx * dx + dz * dz));
        }
    // What fell in within one step, at 2 m/s at most; and it has not grown since the middle.
    assert_true(deepest < 2 * 2e-3 * 2);
    case_free(&kase);
}

// ---- Percussions into walls: the velocities of the run from event to event.

static void test_percussions(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nkinetic (%.3f*x'^2 + y'^2 + 0.4*x'*y')/2\n"
                  "constraint wall: x >= 0 restitution %.3f\n"
                  "constraint side: y >= %s restitution %.3f\n"
                  "impulse %.3f along x when t = 1\nimpulse %.3f along y when t = 1\n"
                  "initial x = 0, y = 0\nrun to 2 every 1\n",
                  uniform(&random, 0.5, 3), uniform(&random, 0, 1), seed % 2 ? "0" : "-100",
                  uniform(&random, 0, 1), uniform(&random, -3, 1), uniform(&random, -3, 1));
        RunCase steps = step_through(text.at, 0.01), events = case_run(text.at);
        case_expect(&steps, STATUS_OK);
        case_expect(&events, STATUS_OK);
        double x = case_last(&steps, "x'") - case_last(&events, "x'");
        double y = case_last(&steps, "y'") - case_last(&events, "y'");
        if (!(fabs(x) + fabs(y) < 1e-12))
            fail_msg("seed %d: x' and y' differ by %g, %g\n%s", (int)seed, x, y, text.at);
        text_clear(&text);
        case_free(&steps);
        case_free(&events);
    }
}

// ---- Forces of velocities: a charge in a magnetic field, damped: v = exp((iB − c)t) v₀.

static double charge_error(uint64_t seed, double step)
{
    Random random = random_seed(seed);
    double B = uniform(&random, -5, 5), c = uniform(&random, 0, 1), v = uniform(&random, 1, 3);
    Text text = {0};
    text_addf(&text,
              "coord x, y\nmass 1 at [x, y, 0]\n"
              "force [%.17g*x' - %.17g*y', %.17g*y' + %.17g*x', 0] at [x, y, 0]\n"
              "initial x' = %.17g, y' = 0\nrun to 2 every 0.5\n",
              -c, B, -c, B, v);
    RunCase kase = step_through(text.at, step);
    text_clear(&text);
    case_expect(&kase, STATUS_OK);
    double error = hypot(case_last(&kase, "x'") - v * exp(-2 * c) * cos(2 * B),
                         case_last(&kase, "y'") - v * exp(-2 * c) * sin(2 * B));
    case_free(&kase);
    return error;
}

static void test_forces_of_velocities(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        double coarse = charge_error(seed, 0.02), fine = charge_error(seed, 0.005);
        if (!(coarse < 0.1 && fine < coarse / 12 + 1e-7))
            fail_msg("seed %d: errors %g, %g are not of second order", (int)seed, coarse, fine);
    }
}

// ---- What goes wrong.

static void expect_error(const char *text, Status status, const char *piece)
{
    RunCase kase = step_through(text, 0.1);
    case_expect(&kase, status);
    assert_true(case_says(&kase, DIAG_ERROR, piece));
    case_free(&kase);
}

// What is not followed is not passed over: jumps, damping that is faster than the step, energy.
static void test_is_loud(void **state)
{
    (void)state;
    expect_error("coord x\nkinetic (3 + sign(t - 1))/2*x'^2/2\ninitial x' = 1\n", STATUS_WRONG,
                 "switches; another method does");
    expect_error("coord x\nkinetic x'^2/2\npotential 2*sign(x)\ninitial x = -1, x' = 1\n",
                 STATUS_WRONG, "switches; another method does");
    expect_error("coord x\nmass 1 at [x, 0, 0]\nforce [-100*x', 0, 0] at [x, 0, 0]\n"
                 "initial x' = 1\n",
                 STATUS_NEGATIVE, "a step of 0.05 is too long");
    expect_error("coord x\nkinetic x'^2/2\npotential 200*x^2\ninitial x = 1\n", STATUS_NEGATIVE,
                 "differ there in x' by");
}

// ---- Their own error. Two springs of any frequencies and rows of any distance: what a run gives
// is right to a twentieth, or it ends with an error; without a step it finds one.

static void expect_springs(uint64_t seed, bool given, size_t *whole)
{
    Random random = random_seed(seed);
    double every = pow(10, uniform(&random, -2, 1)), step = every / uniform(&random, 1, 40);
    double a = pow(10, uniform(&random, -1, 1)) / every, b = a * uniform(&random, 0.1, 3);
    Text text = {0};
    text_addf(&text,
              "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential %.17g*x^2/2 + %.17g*y^2/2\n"
              "initial x = 1, y' = %.17g\nrun to %.17g every %.17g\n",
              a * a, b * b, b, 20 * every, every);
    RunCase kase = step_through(text.at, given ? step : NAN);
    if (kase.status != STATUS_OK)
        case_expect(&kase, STATUS_NEGATIVE);
    *whole += kase.status == STATUS_OK;
    for (size_t i = 0; i < case_row_count(&kase); i++) {
        double t = case_value(&kase, i, "t");
        double x = fabs(case_value(&kase, i, "x") - cos(a * t));
        double y = fabs(case_value(&kase, i, "y") - sin(b * t));
        if (kase.status == STATUS_OK && fmax(x, y) > 0.05)
            fail_msg("seed %u, row %zu: x is off by %g, y by %g, step %.17g, after\n%s",
                     (unsigned)seed, i, x, y, given ? step : NAN, text.at);
    }
    text_clear(&text);
    case_free(&kase);
}

static void test_own_error(void **state)
{
    (void)state;
    size_t given = 0, chosen = 0;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++) {
        expect_springs(seed, true, &given);
        expect_springs(seed, false, &chosen);
    }
    assert_true(chosen >= (SEEDS - 2) * test_size());
    assert_true(given > 0 && given < SEEDS * test_size());
}

// What bounces is where it should be, however far apart the rows are; nothing strikes at rest.
static void test_own_error_of_impacts(void **state)
{
    (void)state;
    for (double every = 0.01; every < 2; every *= 3) {
        Text text = {0};
        text_addf(&text,
                  "coord z\nkinetic z'^2/2\npotential 10*z\n"
                  "constraint floor: z >= 0 restitution 1/2\ninitial z = 5\n"
                  "run to 4 every %.17g\n",
                  every);
        RunCase kase = step_through(text.at, NAN);
        text_clear(&text);
        case_expect(&kase, STATUS_OK);
        for (size_t i = 0; i < case_row_count(&kase); i++)
            assert_near(case_value(&kase, i, "z"), bouncing(case_value(&kase, i, "t")), 0.05 * 5);
        case_free(&kase);
    }
}

// A ball above a table at A*sin(w*t), from impact to impact; not a number where it comes to rest.
static void above_table(const double *table, double e, double *z, double *v, double from, double to)
{
    double a = table[0], w = table[1], part = 0.02 / w;
    for (size_t impacts = 0; from < to && isfinite(*z);) {
        double step = fmin(part, to - from), low = 0, high = step;
        bool strikes = *z + *v * step - 5 * step * step < a * sin(w * (from + step));
        for (int i = 0; i < 80 && strikes; i++) {
            double middle = (low + high) / 2;
            bool below = *z + *v * middle - 5 * middle * middle < a * sin(w * (from + middle));
            *(below ? &high : &low) = middle;
        }
        step = strikes ? low : step;
        *z += *v * step - 5 * step * step;
        *v -= 10 * step;
        from += step;
        double up = a * w * cos(w * from);
        *v = strikes ? up - e * (*v - up) : *v;
        // It is away again.
        from += strikes ? 1e-12 : 0;
        impacts += strikes;
        if (impacts > 100)
            *z = NAN;
    }
}

// Impacts early or late by a part of a step, whose errors are alike for shorter and longer steps.
static void test_own_error_on_tables(void **state)
{
    (void)state;
    size_t runs = 0;
    for (uint64_t seed = 0; seed < 100 * test_size(); seed++) {
        Random random = random_seed(31000 + seed);
        double table[] = {pow(10, uniform(&random, -2.5, -0.7)), uniform(&random, 2, 45)};
        double e = uniform(&random, 0.3, 0.85), start = table[0] + uniform(&random, 0.1, 1);
        Text text = {0};
        text_addf(&text,
                  "coord z\nkinetic z'^2/2\npotential 10*z\n"
                  "constraint table: z >= %.17g*sin(%.17g*t) restitution %.17g\n"
                  "initial z = %.17g, z' = 0\nrun to 1.2 every 0.1\n",
                  table[0], table[1], e, start);
        RunCase kase = step_through(text.at, NAN);
        double z[2] = {start, start * (1 + 1e-9)}, v[2] = {0}, most = start, off = 0;
        for (size_t i = 1; kase.status == STATUS_OK && i < case_row_count(&kase); i++) {
            for (int k = 0; k < 2; k++)
                above_table(table, e, &z[k], &v[k], case_value(&kase, i - 1, "t"),
                            case_value(&kase, i, "t"));
            off = fmax(off, fabs(case_value(&kase, i, "z") - z[0]));
            most = fmax(most, fabs(z[0]));
        }
        // Chaos has no truth.
        if (kase.status == STATUS_OK && fabs(z[0] - z[1]) < 1e-6) {
            runs++;
            if (off > 0.05 * most || off > (1.5 * kase.summary.step_error + 0.005) * most)
                fail_msg("seed %d: off by %g, for %g\n%s", (int)seed, off / most,
                         kase.summary.step_error, text.at);
        }
        text_clear(&text);
        case_free(&kase);
    }
    assert_true(runs > 50 * test_size());
}

static void test_goes_wrong(void **state)
{
    (void)state;
    static const char closing[] = "coord x\n"
                                  "kinetic x'^2/2\n"
                                  "constraint right: x <= 1 - t\n"
                                  "constraint left: x >= t - 1\n"
                                  "initial x = 0\n"
                                  "run to 2 every 0.1\n";
    RunCase kase = step_through(closing, 0.01);
    case_expect(&kase, STATUS_NEGATIVE);
    assert_true(case_says(&kase, DIAG_ERROR, "cannot hold together with 'right'") ||
                case_says(&kase, DIAG_ERROR, "cannot hold together with 'left'"));
    assert_int_equal(kase.summary.end, RUN_STRANDED);
    assert_near(kase.summary.reached, 1, 0.02);
    case_free(&kase);

    kase = step_through(closing, -1);
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, "the step must be positive"));
    case_free(&kase);

    RunOptions options = run_options();
    options.step = 0.1;
    kase = case_start("coord x\nkinetic x'^2\n", options);
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, "a step is for the method 'timestepping'"));
    case_free(&kase);

    options.method = RUN_TIMESTEPPING;
    options.driven = true;
    options.form = FORM_APPELL;
    kase = case_start("coord x\nkinetic x'^2\n", options);
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, "takes no form"));
    case_free(&kase);
}

// Kerbs and posts that no step sees, but a row does: a violation by a part of the whole ends the
// run. A wide post may be met by a step.
static void test_violations(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8 * test_size(); seed++) {
        Random random = random_seed(seed);
        double high = uniform(&random, 0.1, 0.5), power = uniform(&random, -8, -3);
        RunOptions options = run_options();
        options.method = RUN_TIMESTEPPING;
        Text text = {0};
        text_addf(&text, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: y >= ");
        if (seed % 2)
            text_addf(&text, "%.9f*sign(x - 1)", high);
        else
            text_addf(&text, "%.9f*exp(-((x - 1)/%.3g)^2)", high, pow(10, power));
        text_addf(&text, "\ninitial x = 0, y = %.9f, x' = 1, y' = 0\nrun to 2 every 0.1\n",
                  high / 2);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        if (kase.status == STATUS_OK && !(fabs(case_last(&kase, "x") - 1) < 2e-3))
            fail_msg("seed %d: passed\n%s", (int)seed, text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// ---- Posts, pulses and discs between two steps. A point flies along a line and meets something
// that is narrower than a step, or passes above it: what it does then is a closed form.

typedef struct {
    double unit, width, speed, height; // of lengths; of the post, in the way of a step
    double centre;
    int kind;
} Post;

static Post draw_post(Random *random)
{
    Post post = {.unit = pow(10, uniform(random, -6, 6)),
                 .width = pow(10, uniform(random, -5, 0)),
                 .kind = (int)uniform(random, 0, 5)};
    post.speed = post.unit * uniform(random, 0.5, 2);
    post.width *= 0.1 * post.speed;
    post.centre = 1.5 * post.speed * uniform(random, 0.2, 0.9);
    post.height = uniform(random, -1, 1) > 0 ? 2 : 0.5;
    return post;
}

// In the unit the point flies at a height of 1; a disc has its centre aside by half its radius.
static void add_post(Text *text, const Post *post)
{
    double u = post->unit, w = post->width, t = post->centre / post->speed;
    text_addf(text, "param c = %.17g, w = %.17g, h = %.17g\nconstraint post: ", post->centre, w,
              post->height * u);
    switch (post->kind) {
    case 0: text_add(text, "y >= max(0, h - h*((x - c)/w)^2)"); break;
    case 1: text_add(text, "y >= h*exp(-((x - c)/w)^2)"); break;
    case 2: text_add(text, "y >= h/(1 + ((x - c)/w)^4)"); break;
    case 3: text_addf(text, "y >= h*exp(-((t - %.17g)/%.17g)^2)", t, w / post->speed); break;
    default:
        text_addf(text, "(x - c)^2 + (y - %.17g)^2 >= w^2", u - w / 2 * (post->height > 1 ? 1 : 3));
        break;
    }
    text_addf(text, " restitution 1\ninitial x = 0, y = %.17g, x' = %.17g, y' = 0\n", u,
              post->speed);
}

// Where it is after two seconds, to a part of how far it comes: a steep post throws it back, a
// pulse up, and a disc, which it meets at 30 degrees from the normal, aside.
static void assert_post(const Post *post, const RunCase *kase, const char *text)
{
    size_t last = case_row_count(kase) - 1;
    double x = case_value(kase, last, "x"), y = case_value(kase, last, "y"), far = 2 * post->speed;
    bool met = post->height > 1, wrong;
    double met_x = 2 * post->centre - far, met_y = post->unit;
    if (post->kind == 4) {
        met_x = post->centre - (far - post->centre) / 2;
        met_y = post->unit + sqrt(0.75) * (far - post->centre);
    }
    if (!met)
        wrong = fabs(x - far) + fabs(y - post->unit) > 1e-9 * far;
    else if (post->kind == 3)
        wrong = !(y > 2 * post->unit);
    else
        wrong = fabs(x - met_x) + fabs(y - met_y) > 0.1 * far + 3 * post->width;
    if (wrong)
        fail_msg("x = %g, y = %g: %s", x, y, text);
}

static void test_posts(void **state)
{
    (void)state;
    int right = 0;
    for (uint64_t seed = 0; seed < 60 * test_size(); seed++) {
        Random random = random_seed(seed);
        Post post = draw_post(&random);
        RunOptions options = run_options();
        options.method = RUN_TIMESTEPPING;
        if (seed % 3 == 0)
            options.step = 0.05;
        Text text = {0};
        text_add(&text, "coord x, y\nkinetic (x'^2 + y'^2)/2\n");
        add_post(&text, &post);
        text_add(&text, "run to 2 every 0.1\n");
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        if (kase.status == STATUS_OK)
            assert_post(&post, &kase, text.at);
        else if (post.height < 1)
            fail_msg("nothing was met: %s", text.at);
        right += kase.status == STATUS_OK;
        text_clear(&text);
        case_free(&kase);
    }
    assert_true(right > 30);
}

// A floor that is thrust up for a while, on a parabola of the time, strikes a point that flies
// along over it: what throws the point up is the floor's velocity where both meet, not where a step
// does.
static void test_thrusts(void **state)
{
    (void)state;
    int right = 0;
    for (uint64_t seed = 0; seed < 40 * test_size(); seed++) {
        Random random = random_seed(seed);
        double centre = uniform(&random, 0.5, 1.5), width = pow(10, uniform(&random, -6, -0.5));
        double high = uniform(&random, 0.5, 1), y = uniform(&random, 0.1, 0.4);
        double v = uniform(&random, -0.05, 0.05), e = uniform(&random, 0.3, 1);
        double unit = pow(10, uniform(&random, -6, 6)), time = pow(10, uniform(&random, -6, 6));
        RunOptions options = run_options();
        options.method = RUN_TIMESTEPPING;
        if (seed % 3 == 0)
            options.step = 0.05 * time;
        Text text = {0};
        text_addf(&text,
                  "param c = %.17g, w = %.17g, h = %.17g\ncoord y\nkinetic y'^2/2\n"
                  "constraint floor: y >= h*max(0, 1 - ((t - c)/w)^2) restitution %.17g\n"
                  "initial y = %.17g, y' = %.17g\nrun to %.17g every %.17g\n",
                  centre * time, width * time, high * unit, e, y * unit, v * unit / time, 2 * time,
                  0.1 * time);
        // With s = (t − c)/w: h(1 − s²) = y + v(c + sw), of which the first root.
        double a = high, b = v * width, c = y + v * centre - high;
        double s = (-b - sqrt(b * b - 4 * a * c)) / (2 * a), at = centre + s * width;
        double floor = -2 * high * s / width, up = floor + e * (floor - v);
        double last = y + v * at + up * (2 - at);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        if (kase.status == STATUS_OK) {
            size_t row = case_row_count(&kase) - 1;
            double found = case_value(&kase, row, "y") / unit;
            if (!(fabs(found - last) <= 0.1 * fabs(last)))
                fail_msg("y = %g for %g: %s", found, last, text.at);
            right++;
        }
        text_clear(&text);
        case_free(&kase);
    }
    assert_true(right > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bouncing_ball),
        cmocka_unit_test(test_violations),
        cmocka_unit_test(test_posts),
        cmocka_unit_test(test_thrusts),
        cmocka_unit_test(test_taut_string),
        cmocka_unit_test(test_slack_string),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_moving_floor),
        cmocka_unit_test(test_blade_between_walls),
        cmocka_unit_test(test_box_of_balls),
        cmocka_unit_test(test_goes_wrong),
        cmocka_unit_test(test_percussions),
        cmocka_unit_test(test_forces_of_velocities),
        cmocka_unit_test(test_is_loud),
        cmocka_unit_test(test_own_error),
        cmocka_unit_test(test_own_error_of_impacts),
        cmocka_unit_test(test_own_error_on_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
