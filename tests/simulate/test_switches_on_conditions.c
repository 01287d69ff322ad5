// Switches on conditions. A blade whose independent speeds are poor at the very instant at which a
// force switches or an event of the model is recorded: y' = v sin θ near θ = 0, x' = v cos θ near θ
// = π/2. Places are drawn at random, the truth is integrated in v and θ, which are good everywhere.
// A pendulum in x and y whose forces switch with x', against the same in its angle.
#include "run_case.h"
#include "switched_motion.h"
#include "uniform.h"

enum { SEEDS = 16, ROWS = 13 };
#define EVERY 0.25

typedef struct {
    int what;              // 0: switches with θ, 1: with t, 2: an event, and no switch
    double at, x, y, turn; // where; the forces
    double given, start[SWITCHED_SIZE];
} Blade;

// x, y, v, θ, θ'.
static double blade_argument(const SwitchedMotion *motion, size_t k, double t, const double *s)
{
    const Blade *blade = motion->model;
    (void)k;
    return blade->what == 0 ? s[3] - blade->at : blade->what == 1 ? t - blade->at : 1;
}

static void blade_rates(const SwitchedMotion *motion, double t, const double *s, double *rate)
{
    const Blade *blade = motion->model;
    (void)t;
    rate[0] = s[2] * cos(s[3]);
    rate[1] = s[2] * sin(s[3]);
    rate[2] = blade->x * (1 + 0.5 * motion->side[0]) * cos(s[3]) + blade->y * sin(s[3]);
    rate[3] = s[4];
    rate[4] = blade->turn * motion->side[0] + blade->given;
}

static Blade draw(Random *random)
{
    Blade blade = {.what = (int)random_below(random, 3),
                   .x = uniform(random, -3, 3),
                   .y = uniform(random, -3, 3),
                   .turn = uniform(random, -4, 4)};
    double poor = acos(0) * (double)random_below(random, 4);
    blade.at = poor + pow(10, uniform(random, -9, -1)) * (random_below(random, 2) ? 1 : -1);
    double from = uniform(random, 0.1, 1.2) * (random_below(random, 2) ? 1 : -1);
    blade.start[2] = uniform(random, -2, 2);
    blade.start[3] = blade.at + from;
    blade.start[4] = -from * uniform(random, 0.5, 2);
    if (blade.what == 1) { // when it comes to the angle, without a moment before
        blade.given = blade.turn;
        blade.at = -from / blade.start[4];
    }
    return blade;
}

static void write_model(const Blade *blade, Text *text)
{
    const double *s = blade->start;
    bool by_x = fabs(cos(s[3])) > 0.5;
    text_addf(text,
              "coord x, y, th\nkinetic (x'^2 + y'^2 + th'^2)/2\n"
              "constraint sin(th)*x' - cos(th)*y' = 0\ninitial th = %.17g, th' = %.17g\n"
              "initial x = 0, y = 0, %s' = %.17g\nrun to %.17g every %.17g\nforce %.17g along y\n",
              s[3], s[4], by_x ? "x" : "y", s[2] * (by_x ? cos(s[3]) : sin(s[3])),
              (ROWS - 1) * EVERY, EVERY, blade->y);
    if (blade->what == 2)
        text_addf(text,
                  "event e: th = %.17g { record }\nforce %.17g along x\nforce %.17g along th\n",
                  blade->at, 1.5 * blade->x, blade->turn + blade->given);
    else
        text_addf(text,
                  "let s = sign(%s - (%.17g))\nforce %.17g*(1 + s/2) along x\n"
                  "force %.17g*s %+.17g along th\n",
                  blade->what == 0 ? "th" : "t", blade->at, blade->x, blade->turn, blade->given);
}

// By a method: the rows have the truth in these columns.
static void expect_rows(const char *text, RunMethod method, double allowed,
                        double truth[ROWS][SWITCHED_SIZE], const char *const *names, size_t count)
{
    RunOptions options = run_options();
    options.method = method;
    RunCase kase = case_start(text, options);
    case_go(&kase);
    if (kase.status != STATUS_OK)
        print_message("method %d, of\n%s", (int)method, text);
    case_expect(&kase, STATUS_OK);
    size_t row = 0;
    for (size_t i = 0; i < case_row_count(&kase) && row < ROWS; i++) {
        if (case_value(&kase, i, "t") != (double)row * EVERY)
            continue;
        for (size_t j = 0; j < count; j++) {
            double miss = fabs(case_value(&kase, i, names[j]) - truth[row][j]);
            if (!(miss <= allowed))
                fail_msg("method %d, row %zu: %s is off by %g, of\n%s", (int)method, row, names[j],
                         miss, text);
        }
        row++;
    }
    assert_int_equal(row, ROWS);
    case_free(&kase);
}

static void expect_all(uint64_t seed, const char *text, double truth[ROWS][SWITCHED_SIZE],
                       const char *const *names, size_t count)
{
    expect_rows(text, RUN_TAYLOR, 1e-7, truth, names, count);
    expect_rows(text, RUN_ERK, 1e-6, truth, names, count);
    if (seed % 4 == 0)
        expect_rows(text, RUN_ADAMS, 1e-3, truth, names, count);
    if (seed % 4 == 2)
        expect_rows(text, RUN_BDF, 1e-3, truth, names, count);
}

static void test_poor_speeds(void **state)
{
    static const char *const names[] = {"x", "y", "th"};
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        Blade blade = draw(&random);
        SwitchedMotion motion = {5, 1, &blade, blade_rates, blade_argument, {0}};
        double truth[ROWS][SWITCHED_SIZE];
        Text text = {0};
        assert_true(switched_follow(&motion, blade.start, EVERY, ROWS, 250, truth));
        for (size_t i = 0; i < ROWS; i++)
            truth[i][2] = truth[i][3];
        write_model(&blade, &text);
        expect_all(seed, text.at, truth, names, 3);
        text_clear(&text);
    }
}

// ---- A pendulum: sign(x' + c), abs(x') and sign(x + d) in the forces.

typedef struct {
    double along, lift, push, c, d, start[2];
} Pendulum;

static double pendulum_argument(const SwitchedMotion *motion, size_t k, double t, const double *s)
{
    const Pendulum *own = motion->model;
    double speed = s[1] * cos(s[0]);
    (void)t;
    return k == 0 ? speed + own->c : k == 1 ? speed : sin(s[0]) + own->d;
}

static void pendulum_rates(const SwitchedMotion *motion, double t, const double *s, double *rate)
{
    const Pendulum *own = motion->model;
    const int *side = motion->side;
    double x = own->along * side[0] + own->push * side[2];
    (void)t;
    rate[0] = s[1];
    rate[1] =
        -9.81 * sin(s[0]) + x * cos(s[0]) + own->lift * side[1] * s[1] * cos(s[0]) * sin(s[0]);
}

static void test_pendulum(void **state)
{
    static const char *const names[] = {"x", "y"};
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        Pendulum own = {.along = uniform(&random, 0.1, 3), // it never sticks
                        .lift = uniform(&random, -2, 0),
                        .push = uniform(&random, -6, 6),
                        .c = uniform(&random, -0.8, 0.8),
                        .d = uniform(&random, -0.5, 0.5),
                        .start = {uniform(&random, -1.5, 1.5), uniform(&random, -2, 2)}};
        SwitchedMotion motion = {2, 3, &own, pendulum_rates, pendulum_argument, {0}};
        double truth[ROWS][SWITCHED_SIZE];
        if (!switched_follow(&motion, own.start, EVERY, ROWS, 250, truth))
            continue;
        double phi = own.start[0], w = own.start[1];
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nmass 1 at [x, y, 0]\ngravity [0, -9.81, 0]\n"
                  "constraint x^2 + y^2 = 1\n"
                  "force [%.17g*sign(x' %+.17g) %+.17g*sign(x %+.17g), %+.17g*abs(x'), 0] at "
                  "[x, y, 0]\n"
                  "initial x = %.17g, y = %.17g, x' = %.17g\nrun to %.17g every %.17g\n",
                  own.along, own.c, own.push, own.d, own.lift, sin(phi), -cos(phi), w * cos(phi),
                  (ROWS - 1) * EVERY, EVERY);
        for (size_t i = 0; i < ROWS; i++) {
            truth[i][1] = -cos(truth[i][0]);
            truth[i][0] = sin(truth[i][0]);
        }
        expect_all(seed, text.at, truth, names, 2);
        text_clear(&text);
    }
}

// Pulses with corners, narrow beside the time so far, on what a condition holds together and that
// has hardly moved yet.
static void test_pulses(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    static const char *const shapes[] = {"max(0, 1 - abs(t - c)/w)/w",
                                         "(sign(t - c + w/2) - sign(t - c - w/2))/(2*w)",
                                         "max(0, 1 - ((t - c)/w)^2)*3/(4*w)"};
    for (uint64_t seed = 0; seed < 24 * test_size(); seed++) {
        Random random = random_seed(seed);
        double to = pow(10, uniform(&random, 0, 3)), at = to * uniform(&random, 0.3, 0.8),
               w = to * pow(10, -uniform(&random, 3, 9));
        Text text = {0};
        text_addf(&text,
                  "param c = %.17g, w = %.17g\ncoord x, y\nkinetic x'^2 + y'^2\n"
                  "constraint g: y = %.17g*x\nforce 2*%s along x\nrun to %.17g every %.17g\n",
                  at, w, uniform(&random, -2, 2), shapes[seed % 3], to, to / 3);
        double slope = strtod(strstr(text.at, "y = ") + 4, NULL), v = 1 / (1 + slope * slope);
        RunOptions options = run_options();
        options.method = methods[seed / 3 % 4];
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        if (kase.status != STATUS_OK)
            fail_msg("seed %zu\n%s", (size_t)seed, text.at);
        double most = 1e-7 + 1e-15 * to / w;
        assert_near(case_last(&kase, "x'"), v, most);
        assert_near(case_last(&kase, "x") / to, v * (to - at) / to, most);
        text_clear(&text);
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_poor_speeds),
                                       cmocka_unit_test(test_pendulum),
                                       cmocka_unit_test(test_pulses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
