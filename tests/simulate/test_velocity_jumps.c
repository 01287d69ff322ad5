// Inertias, potentials and conditions that jump or have kinks, drawn at random: the velocities
// behind them are known in closed form. By every method.
#include "event_case.h"
#include "uniform.h"

enum { SEEDS = 96, KINDS = 8 };

// A model with a jump at a place or time p; the velocities behind it in the order of coordinates.
// Places are those of X = x − c·t: they move with the speed c. The velocities v are seen from
// there.
typedef struct {
    Text text;
    double after[2];
    size_t count; // of these; 0: the run must be refused
    double c;
} JumpCase;

static void add_start(JumpCase *kase, double v)
{
    text_addf(&kase->text, "initial x = 0, x' = %.15f\n", v + kase->c);
    kase->after[0] += kase->c;
}

static void add_kinetic(JumpCase *kase, double m1, double m2, const char *of, const char *rate,
                        double p, double v)
{
    text_addf(&kase->text, "coord x\nlet X = x - %.9f*t\n", kase->c);
    text_addf(&kase->text, "kinetic (%.9f + %.9f*sign(%s - %.9f))*(%s)^2/2\n", (m1 + m2) / 2,
              (m2 - m1) / 2, of, p, rate);
    kase->count = 1;
    add_start(kase, v);
}

// In the plane: a step h of the potential at the line through (p, 0) whose normal has this angle.
static void add_step(JumpCase *kase, double p, double angle, double h, double v)
{
    double c = cos(angle), s = sin(angle), across = v * c, along = -v * s;
    text_addf(&kase->text,
              "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential %.9f*(1 + sign((x - %.9f*t - "
              "%.9f)*%.15f + y*%.15f))/2\ninitial y = 0, y' = 0\n",
              h, kase->c, p, c, s);
    double rest = across * across - 2 * h, behind = rest > 0 ? sqrt(rest) : -across;
    kase->after[0] = behind * c - along * s;
    kase->after[1] = behind * s + along * c;
    kase->count = 2;
    add_start(kase, v);
}

// A bead on a wire with a kink.
static void add_kink(JumpCase *kase, double p, double first, double second, double v)
{
    text_addf(&kase->text,
              "coord x, y\nparam p = %.9f\nlet X = x - %.9f*t\nkinetic (x'^2 + y'^2)/2\n"
              "constraint wire: y = %.9f*(X - p) + %.9f*abs(X - p)\n",
              p, kase->c, (first + second) / 2, (second - first) / 2);
    kase->after[0] = v * sqrt((1 + first * first) / (1 + second * second));
    kase->after[1] = kase->after[0] * second;
    kase->count = 2;
    add_start(kase, v);
}

// x + y = a·|t − p|, with masses 1 and m: the rate of the condition jumps by 2a.
static void add_rate(JumpCase *kase, double p, double a, double m, double v)
{
    text_addf(&kase->text,
              "coord x, y\nkinetic (x'^2 + %.9f*y'^2)/2\nconstraint c: x + y = "
              "%.9f*abs(t - %.9f)\ninitial x = 0, x' = %.9f\n",
              m, a, p, v);
    double impulse = 2 * a / (1 + 1 / m);
    kase->after[0] = v + impulse;
    kase->after[1] = -a - v + impulse / m;
    kase->count = 2;
}

static JumpCase draw(Random *random, uint64_t kind, bool moves)
{
    JumpCase kase = {.c = moves ? uniform(random, -1, 1) : 0};
    double p = uniform(random, 0.2, 0.8), v = uniform(random, 0.5, 3), h = uniform(random, -2, 2);
    double m1 = uniform(random, 0.5, 2), m2 = uniform(random, 0.5, 2), rest;
    switch (kind) {
    case 0:
        // m·X'² − m·c² is constant.
        rest = m1 * v * v + (m2 - m1) * kase.c * kase.c;
        kase.after[0] = rest > 0 ? sqrt(rest / m2) : -v;
        add_kinetic(&kase, m1, m2, "X", "x'", p, v);
        break;
    case 1:
        kase.after[0] = (v + kase.c) * m1 / m2 - kase.c;
        add_kinetic(&kase, m1, m2, "t", "x'", p, v);
        break;
    case 2: add_step(&kase, p, 0, h, v); break;
    case 3: add_step(&kase, p, uniform(random, -1, 1), h, v); break;
    case 4: add_kink(&kase, p, uniform(random, -2, 2), uniform(random, -2, 2), v); break;
    case 5: add_rate(&kase, p, h, m1, v); break;
    case 6:
        kase.after[0] = v * sqrt(m1 / m2);
        add_kinetic(&kase, m1, m2, "X", "X'", p, v);
        break;
    default:
        text_addf(&kase.text,
                  "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x + y = "
                  "%.9f*sign(%s - %.9f)\ninitial x = 0, x' = %.9f\n",
                  0.1 + fabs(h), h > 0 ? "t" : "x", p, v);
    }
    text_add(&kase.text, "run to 1.7 every 0.173\n");
    return kase;
}

static void test_jumps(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t i = 0; i <= SEEDS * test_size(); i++) {
        // The last one meets a step of the potential that moves faster than it does itself.
        uint64_t seed = i < SEEDS * test_size() ? i : 898;
        Random random = random_seed(seed);
        JumpCase drawn = draw(&random, seed % KINDS, seed >= SEEDS / 2);
        RunOptions options = run_options();
        options.method = methods[seed / KINDS % 4];
        EventCase kase = event_case_with(drawn.text.at, options);
        static const char *const names[] = {"x'", "y'"};
        bool right =
            drawn.count > 0 ? kase.run.status == STATUS_OK : kase.run.status == STATUS_NEGATIVE;
        for (size_t k = 0; k < drawn.count && right; k++)
            right = fabs(case_last(&kase.run, names[k]) - drawn.after[k]) < 1e-7;
        right = right && (drawn.count == 0 ||
                          (kase.events.count > 0 && kase.events.at[0].kind == RUN_PERCUSSION));
        // The default method is right. The others are right, or the run ends with an error.
        bool loud = kase.run.status != STATUS_OK && options.method != RUN_TAYLOR;
        if (!right && !loud)
            fail_msg("seed %d, method %d: status %d, %d events, %.12g behind it\n%s", (int)seed,
                     (int)options.method, (int)kase.run.status, (int)kase.events.count,
                     drawn.after[0], drawn.text.at);
        text_clear(&drawn.text);
        event_case_free(&kase);
    }
}

static double one_of(Random *random, const double *values, size_t count)
{
    return values[random_below(random, count)];
}

// Places, velocities and rows in powers of 2, so that steps, rows and starts meet the switch
// exactly, where sign is 0; kinks may be sharp.
static JumpCase draw_exact(Random *random, uint64_t kind, bool starts)
{
    static const double places[] = {-2, 0, 0.5, 1, 3}, ways[] = {0.5, 1, 2, 4},
                        speeds[] = {0.5, 1, 2, -1, -2}, slopes[] = {-3, -1, 0, 0.25, 2},
                        every[] = {0.5, 0.7, 1};
    JumpCase kase = {.count = 2};
    double p = one_of(random, places, 5), v = one_of(random, speeds, 5);
    double x = starts ? p : p - copysign(one_of(random, ways, 4), v), y = 0, after = v;
    double first = one_of(random, slopes, 5), second = one_of(random, slopes, 5);
    text_addf(&kase.text, "coord x, y\nparam p = %.17g\n", p);
    if (kind == 0) {
        double from = v > 0 ? first : second, to = v > 0 ? second : first;
        y = (x < p ? first : second) * (x - p);
        after = starts ? v : v * sqrt((1 + from * from) / (1 + to * to));
        kase.after[1] = after * to;
        text_addf(&kase.text,
                  "kinetic (x'^2 + y'^2)/2\nconstraint wire: y = %.17g*(x - p) + "
                  "%.17g*abs(x - p)\n",
                  (first + second) / 2, (second - first) / 2);
    } else if (kind == 1) {
        double rest = v * v - copysign(1, v) * first * fabs(first) / 2;
        after = starts ? v : rest > 0 ? copysign(sqrt(rest), v) : -v;
        text_addf(&kase.text, "kinetic (x'^2 + y'^2)/2\npotential %.17g*sign(x - p)\n",
                  first * fabs(first) / 8);
    } else {
        double r = first / 4, from = v > 0 ? 1 - r : 1 + r;
        after = starts ? v : v * sqrt(from / (2 - from));
        text_addf(&kase.text, "kinetic (1 + %.17g*sign(x - p))*x'^2/2 + y'^2/2\n", r);
    }
    kase.after[0] = after;
    text_addf(&kase.text, "initial x = %.17g, y = %.17g, x' = %.17g%s\nrun to 9 every %.17g\n", x,
              y, v, kind == 0 ? "" : ", y' = 0", one_of(random, every, 3));
    return kase;
}

static void test_exact(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    size_t loud = 0, count = 144 * test_size();
    for (uint64_t seed = 0; seed < count; seed++) {
        Random random = random_seed(seed);
        JumpCase drawn = draw_exact(&random, seed % 3, seed / 12 % 2);
        RunOptions options = run_options();
        options.method = methods[seed / 3 % 4];
        EventCase kase = event_case_with(drawn.text.at, options);
        loud += kase.run.status != STATUS_OK;
        for (size_t i = 0; i < 2 && kase.run.status == STATUS_OK; i++)
            if (!(fabs(case_last(&kase.run, i == 0 ? "x'" : "y'") - drawn.after[i]) < 1e-7))
                fail_msg("seed %d, method %d: velocity %d is %.12g for %.12g\n%s", (int)seed,
                         (int)options.method, (int)i, case_last(&kase.run, i == 0 ? "x'" : "y'"),
                         drawn.after[i], drawn.text.at);
        text_clear(&drawn.text);
        event_case_free(&kase);
    }
    // No more than a few end with an error.
    assert_true(20 * loud <= count);
}

// What slides on a one-sided condition with a concave kink strikes it there.
static void test_contact(void **state)
{
    (void)state;
    EventCase kase = event_case("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                                "constraint ground: y >= max(0, x)\n"
                                "initial x = -1, y = 0, x' = 4, y' = 0\nrun to 0.3 every 0.1\n");
    // The part along the slope is left, and is braked from t = 0.25 on.
    double along = 4 / sqrt(2) - 9.81 / sqrt(2) * 0.05;
    assert_near(case_last(&kase.run, "x'"), along / sqrt(2), 1e-9);
    event_case_free(&kase);
}

// Dry friction by sign comes to rest: that is seen at its first switch.
static void test_sticking(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 16 * test_size(); seed++) {
        Random random = random_seed(seed);
        double mu = uniform(&random, 0.2, 2), v = uniform(&random, 0.5, 2) * (seed % 2 ? -1 : 1);
        RunOptions options = run_options();
        options.method = methods[seed / 2 % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\nforce -%.9f*sign(x') along x\n"
                  "initial x = 0, x' = %.9f\nrun to 20 every 0.1\n",
                  mu, v);
        EventCase kase = event_case_with(text.at, options);
        // Where x' becomes exactly 0, so does sign(x'), and it rests.
        if (kase.run.status == STATUS_OK) {
            assert_near(case_last(&kase.run, "x'"), 0, 1e-9);
            assert_near(case_last(&kase.run, "x"), v * fabs(v) / (2 * mu), 1e-7);
        } else {
            assert_true(case_says(&kase.run, DIAG_ERROR, "as dry friction does where it sticks"));
            assert_true(kase.events.count <= 1);
            assert_near(kase.run.summary.reached, fabs(v) / mu, 1e-6);
        }
        text_clear(&text);
        event_case_free(&kase);
    }
}

// Two surfaces are reached at once: where what happens does not depend on the order, each does its
// own; else the run ends there.
static void test_two_at_once(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 48 * test_size(); seed++) {
        Random random = random_seed(seed);
        uint64_t kind = seed % 4; // two potentials that pass, or turn back; inertias; a corner
        double h[2], m[2], v[2], after[2];
        for (size_t i = 0; i < 2; i++) {
            h[i] = uniform(&random, 0.01, 0.1);
            m[i] = uniform(&random, 0.5, 2);
            v[i] = kind == 1 ? uniform(&random, 0.05, 0.12) : uniform(&random, 1, 2);
            after[i] = kind == 0   ? sqrt(v[i] * v[i] - 4 * h[i] / m[i])
                       : kind == 1 ? -v[i]
                                   : v[i] * sqrt(1 / (1 + h[i]));
            h[i] = kind == 1 ? 10 * h[i] : h[i];
        }
        RunOptions options = run_options();
        options.method = methods[seed / 4 % 4];
        Text text = {0};
        text_addf(&text, "param m = %.9f, n = %.9f, g = %.9f, h = %.9f\ncoord x, y\n", m[0], m[1],
                  h[0], h[1]);
        text_add(&text, kind == 2 ? "kinetic m*(1 + g*(1 + sign(x))/2)*x'^2/2 + "
                                    "n*(1 + h*(1 + sign(y))/2)*y'^2/2\n"
                                  : "kinetic m*x'^2/2 + n*y'^2/2\n");
        text_add(&text, kind == 3   ? "potential h*(1 + sign(x))*(1 + sign(y))\n"
                        : kind != 2 ? "potential g*sign(x) + h*sign(y)\n"
                                    : "");
        text_addf(&text, "initial x = %.9f, y = %.9f, x' = %.9f, y' = %.9f\nrun to 2.1 every 0.3\n",
                  -v[0], -v[1], v[0], v[1]);
        EventCase kase = event_case_with(text.at, options);
        if (kind == 3) {
            assert_true(case_says(&kase.run, DIAG_ERROR, "switch there at once"));
        } else {
            double x = case_last(&kase.run, "x'"), y = case_last(&kase.run, "y'");
            if (kase.run.status != STATUS_OK || fabs(x - after[0]) > 1e-7 ||
                fabs(y - after[1]) > 1e-7)
                fail_msg("seed %d, method %d: x' = %.12g for %.12g, y' = %.12g for %.12g\n%s",
                         (int)seed, (int)options.method, x, after[0], y, after[1], text.at);
        }
        text_clear(&text);
        event_case_free(&kase);
    }
}

// All terms of a condition are 0 where it has its kink.
static void test_kink_at_zero(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 16 * test_size(); seed++) {
        Random random = random_seed(seed);
        double k = uniform(&random, 0.3, 3), at = uniform(&random, 0.4, 1.6);
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        text_addf(&text, "param k = %.9f, c = %.9f\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n", k, at);
        text_add(&text, "constraint rod: x + y = k*abs(t - c)\ninitial x = k*c, y = 0, x' = -k, "
                        "y' = 0\nrun to 2 every 0.5\n");
        EventCase kase = event_case_with(text.at, options);
        case_expect(&kase.run, STATUS_OK);
        assert_near(case_last(&kase.run, "x'"), 0, 1e-8);
        assert_near(case_last(&kase.run, "y'"), k, 1e-8);
        text_clear(&text);
        event_case_free(&kase);
    }
}

// A bead on a bent wire in other units of length and time: it keeps its velocity along x.
static void test_units(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 24 * test_size(); seed++) {
        Random random = random_seed(seed);
        double metre = pow(10, uniform(&random, -9, 9)), second = pow(10, uniform(&random, -9, 9));
        double slope = uniform(&random, 0.1, 0.8), v = uniform(&random, 0.8, 2.5);
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint wire: y = %.9f*abs(x - %.17g)\n"
                  "initial x = 0, x' = %.17g\nrun to %.17g every %.17g\n",
                  slope, metre, v * metre / second, 2 * second, second / 10);
        EventCase kase = event_case_with(text.at, options);
        case_expect(&kase.run, STATUS_OK);
        assert_near(case_last(&kase.run, "x") / metre, 2 * v, 1e-6);
        text_clear(&text);
        event_case_free(&kase);
    }
}

// A mass that jumps with the time at the instant at which a step of the potential is reached: one
// moment earlier or later gives two other motions.
static void test_time_and_place(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (size_t i = 0; i < 8; i++) {
        RunOptions options = run_options();
        options.method = methods[i % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic (1.5 + 0.5*sign(t - 1))*x'^2/2\npotential 0.1*sign(x)\n"
                  "initial x = %s, x' = 1\nrun to 3 every 0.37\n",
                  i < 4 ? "-1" : "-1.01");
        EventCase kase = event_case_with(text.at, options);
        if (i < 4)
            assert_int_equal(kase.run.status, STATUS_NEGATIVE);
        else // v = 1/2 with the mass 2, then a step of 0.2
            assert_near(case_last(&kase.run, "x'"), sqrt(0.25 - 0.2), 1e-7);
        text_clear(&text);
        event_case_free(&kase);
    }
}

// A bead passes a kink of any sharpness with the velocity it had along x: by the default method,
// and by the others unless they say that they cannot tell.
static void test_sharp_kinks(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 32 * test_size(); seed++) {
        Random random = random_seed(seed);
        double slope = 1.1 + (double)random_below(&random, 900) / 100;
        double place = 0.9 + (double)random_below(&random, 2000) / 10007;
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: y = %.17g*abs(x - %.17g)\n"
                  "initial x = 0, x' = 1\nrun to 2 every 0.1\n",
                  seed % 8 < 4 ? slope : -slope, place);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        text_clear(&text);
        bool right = kase.status == STATUS_OK && fabs(case_last(&kase, "x'") - 1) < 1e-6;
        bool loud = kase.status == STATUS_NEGATIVE && options.method != RUN_TAYLOR;
        if (!right && !loud)
            fail_msg("seed %d: slope %g, place %g, method %d", (int)seed, slope, place,
                     (int)options.method);
        case_free(&kase);
    }
}

// Where it is at t = 4 that begins with x = 0, x' = v under the force f, which beyond x = a is f -
// k.
static double beyond_kink(double a, double f, double k, double v)
{
    double reached = (sqrt(v * v + 2 * f * a) - v) / f, rest = 4 - reached;
    double fast = v + f * reached, stays = k > f ? 2 * fast / (k - f) : INFINITY;
    double back = rest - stays;
    return stays < rest ? a - fast * back + f * back * back / 2
                        : a + fast * rest + (f - k) * rest * rest / 2;
}

// A potential with a kink: U holds max, and the force holds sign, of one surface.
static void test_potential_kink(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 48 * test_size(); seed++) {
        Random random = random_seed(seed);
        double a = uniform(&random, 0.2, 1.5), f = uniform(&random, 0.1, 1),
               k = uniform(&random, 0.2, 2), v = uniform(&random, 0.5, 2);
        RunOptions options = run_options();
        options.method = seed % 2 ? methods[seed / 2 % 4] : RUN_TAYLOR;
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\npotential %.17g*max(0, x - %.17g)\n"
                  "force %.17g along x\ninitial x = 0, x' = %.17g\nrun to 4 every 1\n",
                  k, a, f, v);
        EventCase kase = event_case_with(text.at, options);
        case_expect(&kase.run, STATUS_OK);
        for (size_t i = 0; i < kase.events.count; i++)
            assert_int_equal(kase.events.at[i].kind, RUN_SWITCH);
        assert_near(case_last(&kase.run, "x"), beyond_kink(a, f, k, v), 1e-6);
        text_clear(&text);
        event_case_free(&kase);
    }
}

// ---- Several steps of a potential at lines in the plane, as functions of functions that switch.
// Between them the motion is straight.

typedef struct {
    double c, s, distance, step; // the normal, and by how much the potential rises
} StepLine;

enum { LINES = 3 };

static const char *const steps_of[] = {"(1 + sign(%s))/2", "max(0, sign(%s))",
                                       "abs(sign(%s) + 1)/2", "-min(0, -sign(%s))"};

static void draw_lines(Random *random, StepLine *lines, Text *text)
{
    text_add(text, "coord x, y\nkinetic (x'^2 + y'^2)/2\ninitial x = 0, y = 0, x' = 1, y' = 0\n"
                   "run to 3 every 0.3\n");
    for (size_t i = 0; i < LINES; i++) {
        double angle = uniform(random, -1.2, 1.2);
        lines[i] = (StepLine){cos(angle), sin(angle), uniform(random, 0.2, 1.5),
                              uniform(random, 0.05, 0.45) - (double)random_below(random, 2) * 0.5};
        Text argument = {0};
        text_addf(&argument, "%.17g*x + %.17g*y - %.17g", lines[i].c, lines[i].s,
                  lines[i].distance);
        text_addf(text, "potential %.17g*", lines[i].step);
        text_addf(text, steps_of[random_below(random, 4)], argument.at);
        text_add(text, "\n");
        text_clear(&argument);
    }
}

// x, y, x', y' at t = 3.
static void go_straight(const StepLine *lines, double *state)
{
    double left = 3, *v = state + 2;
    for (bool last = false; !last;) {
        double least = left, across = 0;
        const StepLine *line = NULL;
        for (size_t i = 0; i < LINES; i++) {
            double rate = lines[i].c * v[0] + lines[i].s * v[1];
            double t = (lines[i].distance - lines[i].c * state[0] - lines[i].s * state[1]) / rate;
            if (t > 1e-9 && t < least) {
                least = t;
                across = rate;
                line = &lines[i];
            }
        }
        state[0] += least * v[0];
        state[1] += least * v[1];
        left -= least;
        last = !line;
        double rest = line ? across * across - 2 * copysign(1, across) * line->step : 0;
        double change = rest < 0 ? -2 * across : copysign(sqrt(rest), across) - across;
        v[0] += line ? change * line->c : 0;
        v[1] += line ? change * line->s : 0;
    }
}

static void test_nested_switches(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    static const char *const names[] = {"x", "y", "x'", "y'"};
    for (uint64_t seed = 0; seed < 40 * test_size(); seed++) {
        Random random = random_seed(seed);
        StepLine lines[LINES];
        Text text = {0};
        double right[] = {0, 0, 1, 0};
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        draw_lines(&random, lines, &text);
        go_straight(lines, right);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        for (size_t i = 0; i < 4; i++)
            if (kase.status != STATUS_OK || !(fabs(case_last(&kase, names[i]) - right[i]) < 1e-6))
                fail_msg("seed %d, method %d: %s is %.9g for %.9g\n%s", (int)seed,
                         (int)options.method, names[i], case_last(&kase, names[i]), right[i],
                         text.at);
        case_free(&kase);
        text_clear(&text);
    }
}

// ---- Masses whose place jumps with the time or a coordinate are refused; a place that holds sign
// and does not jump is followed.

static void assert_ends(const char *text, Status status, const char *reason)
{
    RunCase kase = case_start(text, run_options());
    case_go(&kase);
    assert_int_equal(kase.status, status);
    assert_true(case_says(&kase, DIAG_ERROR, reason));
    case_free(&kase);
}

// A frame that jumps turns its body all at once. A force that holds the reaction of what is struck
// has no value in the impact, and the momentum that it changes is not watched.
static void test_frames_and_reactions(void **state)
{
    (void)state;
    assert_ends("coord q\nframe F = world rotate (q + sign(t - 1)) about y\n"
                "body b frame F mass 1 at origin inertia [1, 1, 1]\ninitial q' = 1\nrun to 2\n",
                STATUS_WRONG, "jumps, here with sign(");
    assert_ends("coord x, z\nmass 1 at [x, 0, z]\ngravity [0, 0, -9.81]\n"
                "constraint floor: z >= 0 restitution 0.5\nforce -0.3*lambda.floor along x\n"
                "initial x' = 5, z = 1\nrun to 2\n",
                STATUS_NEGATIVE, "makes a percussion whose reaction a force holds");
}

static void test_places(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Random random = random_seed(seed);
        double a = uniform(&random, -2, 2), b = uniform(&random, 0.5, 2),
               c = uniform(&random, 1, 2);
        const char *of = random_below(&random, 2) ? "t" : "x";
        bool jumps = random_below(&random, 2);
        Text text = {0}, factor = {0};
        text_addf(&factor, jumps ? "%.17g" : "%.17g*(%s - %.17g)", a, of, c);
        text_addf(&text,
                  "coord x, y\n%s at [x, y + %s*sign(%.17g*(%s - %.17g)), 0]%s\n"
                  "initial x' = 1\nrun to 0.5 every 0.1\n",
                  seed % 2 ? "mass 1" : "body b frame world mass 1", factor.at, b, of, c,
                  seed % 2 ? "" : " inertia [1, 1, 1]");
        RunCase kase = case_start(text.at, run_options());
        case_go(&kase);
        if ((kase.status == STATUS_OK) == jumps)
            fail_msg("seed %d: status %d for\n%s", (int)seed, kase.status, text.at);
        assert_true(!jumps || case_says(&kase, DIAG_ERROR, "jumps, here with sign("));
        case_free(&kase);
        // The same by its rate in a kinetic energy.
        text_clear(&text);
        text_addf(&text,
                  "coord x, y\nlet z = y + %s*sign(%.17g*(%s - %.17g))\nkinetic x'^2 + z'^2\n"
                  "initial x' = 1\nrun to 0.5 every 0.1\n",
                  factor.at, b, of, c);
        kase = case_start(text.at, run_options());
        assert_int_equal(kase.status, jumps ? STATUS_WRONG : STATUS_OK);
        assert_true(!jumps || case_says(&kase, DIAG_ERROR, "this jumps with sign("));
        case_free(&kase);
        text_clear(&text);
        text_clear(&factor);
    }
}

// A force that holds the reaction of an equation has a percussion where that has one: a bead on a
// wire is struck by a wall or an impulse, or passes a kink of the wire. On a straight wire the
// reaction has none, and the velocity is known.
static void test_held_reactions(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    static const char *const held[] = {"%.9f*lambda.rail", "%.9f*abs(lambda.rail)",
                                       "%.9f*sqrt(1e-4 + lambda.rail^2)"};
    for (uint64_t seed = 1; seed <= 24 * test_size(); seed++) {
        Random random = random_seed(seed);
        size_t kind = random_below(&random, 3), blow = random_below(&random, 3);
        double k = uniform(&random, 0.2, 1), e = uniform(&random, 0.2, 1);
        bool straight = blow < 2 && random_below(&random, 2);
        RunOptions options = run_options();
        options.method = methods[random_below(&random, kind == 0 ? 4 : 3)];
        Text text = {0};
        text_add(&text, "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce ");
        text_addf(&text, held[kind], uniform(&random, 0.05, 0.3));
        text_add(&text, " along y\n");
        if (blow == 2)
            text_addf(&text, "constraint rail: y = %.9f*max(0, x - 0.5)\n", k);
        else
            text_addf(&text, "constraint rail: y = %.9f*x^2\n", straight ? 0 : k);
        if (blow == 0)
            text_addf(&text, "constraint wall: x <= 0.5 restitution %.9f\n", e);
        if (blow == 1)
            text_addf(&text, "impulse %.9f along x when t = 0.4\n", e);
        text_add(&text, "initial x' = 1\nrun to 1 every 0.1\n");
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        if (straight) {
            case_expect(&kase, STATUS_OK);
            assert_near(case_last(&kase, "x'"), blow == 0 ? -e : 1 + e, 1e-8);
        } else {
            if (kase.status == STATUS_OK)
                fail_msg("seed %d ran:\n%s", (int)seed, text.at);
            assert_true(case_says(&kase, DIAG_ERROR, "'rail', wh") ||
                        case_says(&kase, DIAG_ERROR, "the reaction of 'rail'"));
        }
        case_free(&kase);
        text_clear(&text);
    }
}

// A step that ends exactly where a force switches with a velocity, as the first one does: it
// switches there and not at the end of the next step, and nothing jumps.
static void test_exactly_there(void **state)
{
    (void)state;
    for (size_t seed = 0; seed < 8 * test_size(); seed++) {
        Random random = random_seed(seed);
        double k = seed == 0 ? 4.09599 : uniform(&random, 3, 5), x[2];
        static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK};
        char text[512];
        snprintf(text, sizeof text,
                 "param k = %.17g, m = 1.3\ncoord x, y\nkinetic m*x'^2/2 + 0.5*y'^2\n"
                 "potential k*x^2/2 + 1.5*(y-x)^2 + 0.3*y^4\n"
                 "kinetic 0.3*cos(x)*y'^2 + 0.5*y'^2\nforce -0.2*x'*abs(x') along x\n"
                 "initial x = 0.3, y = -0.1, x' = 0.4, y' = 0.8\nrun to 1.9 every 0.1\n",
                 k);
        for (size_t i = 0; i < 2; i++) {
            RunOptions options = run_options();
            options.method = methods[i];
            RunCase kase = case_start(text, options);
            case_go(&kase);
            case_expect(&kase, STATUS_OK);
            assert_int_equal(kase.summary.events[RUN_PERCUSSION].count, 0);
            x[i] = case_last(&kase, "x");
            case_free(&kase);
        }
        if (!(fabs(x[0] - x[1]) < 1e-8))
            fail_msg("k = %.17g: %.17g by taylor, %.17g by erk", k, x[0], x[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sharp_kinks),     cmocka_unit_test(test_jumps),
        cmocka_unit_test(test_exact),           cmocka_unit_test(test_contact),
        cmocka_unit_test(test_sticking),        cmocka_unit_test(test_time_and_place),
        cmocka_unit_test(test_two_at_once),     cmocka_unit_test(test_kink_at_zero),
        cmocka_unit_test(test_units),           cmocka_unit_test(test_potential_kink),
        cmocka_unit_test(test_nested_switches), cmocka_unit_test(test_frames_and_reactions),
        cmocka_unit_test(test_places),          cmocka_unit_test(test_held_reactions),
        cmocka_unit_test(test_exactly_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
