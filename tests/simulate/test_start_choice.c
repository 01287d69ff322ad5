// The free velocities of a start, in models drawn at random: by closed form, and the same in
// whichever order things are declared and by whichever speeds. And starts that use other starts.
#include "run_case.h"
#include "uniform.h"

#include "../support.h"
#include "motion/motion.h"

#define MOST 6

static void shuffle(Random *random, size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t j = random_below(random, i), kept = order[j];
        order[j] = order[i - 1];
        order[i - 1] = kept;
    }
}

// Points of mass m, one condition Σ a·q' = c with factors that depend on the position, or written
// for one of the velocities; some velocities are given.
typedef struct {
    size_t n, solved; // n: written for none
    double mass[MOST], a[MOST], c, v[MOST];
    bool given[MOST];
} Drawn;

static Drawn draw(Random *random)
{
    Drawn drawn = {.n = 2 + random_below(random, MOST - 1), .c = uniform(random, -2, 2)};
    drawn.solved = random_below(random, 2) ? random_below(random, drawn.n) : drawn.n;
    for (size_t i = 0; i < drawn.n; i++) {
        drawn.mass[i] = uniform(random, 0.1, 5);
        drawn.a[i] = i == drawn.solved ? -1 : uniform(random, 0.2, 2);
        drawn.given[i] = random_below(random, 3) == 0;
        drawn.v[i] = drawn.given[i] ? uniform(random, -2, 2) : 0;
    }
    size_t free = random_below(random, drawn.n);
    drawn.given[free] = false;
    drawn.v[free] = 0;
    return drawn;
}

// What the condition asks for beyond what is given falls on the velocity that it is written for, or
// where all may share it least in Σ m·q'².
static void find_truth(const Drawn *drawn, double *v)
{
    double rest = drawn->c, sum = 0;
    for (size_t i = 0; i < drawn->n; i++) {
        rest -= drawn->a[i] * drawn->v[i];
        sum += drawn->given[i] ? 0 : drawn->a[i] * drawn->a[i] / drawn->mass[i];
    }
    bool one = drawn->solved < drawn->n && !drawn->given[drawn->solved];
    for (size_t i = 0; i < drawn->n; i++) {
        double share =
            one ? (double)(i == drawn->solved) / drawn->a[i] : drawn->a[i] / drawn->mass[i] / sum;
        v[i] = drawn->given[i] ? drawn->v[i] : rest * share;
    }
}

static void write_model(const Drawn *drawn, Random *random, Text *text)
{
    size_t order[MOST], n = drawn->n;
    shuffle(random, order, n);
    for (size_t i = 0; i < n; i++)
        text_addf(text, "coord q%zu\n", order[i]);
    text_add(text, "kinetic 0");
    for (size_t i = 0; i < n; i++)
        text_addf(text, " + %.17g*q%zu'^2/2", drawn->mass[i], i);
    shuffle(random, order, n);
    if (drawn->solved < n)
        text_addf(text, "\nconstraint c: q%zu' = %.17g", drawn->solved, -drawn->c);
    else
        text_addf(text, "\nconstraint c: 0 = %.17g", -drawn->c);
    for (size_t i = 0; i < n; i++)
        if (order[i] != drawn->solved)
            text_addf(text, " + %.17g*cos(q%zu)*q%zu'", drawn->a[order[i]], order[i], order[i]);
    text_add(text, "\n");
    if (random_below(random, 2))
        for (size_t i = 0, named = 0, skipped = random_below(random, n); i < n; i++)
            if (i != skipped)
                text_addf(text, "%sq%zu", named++ == 0 ? "independent " : ", ", i);
    text_add(text, "\n");
    shuffle(random, order, n);
    for (size_t i = 0; i < n; i++)
        if (drawn->given[order[i]])
            text_addf(text, "initial q%zu' = %.17g\n", order[i], drawn->v[order[i]]);
}

// By name; `orthonormal`: with other speeds.
static void check_start(const char *text, bool orthonormal, size_t n, const double *v)
{
    RunCase kase = {.diag = diag_new()};
    RunOptions options = run_options();
    kase.source = source_new("test.zw", text, strlen(text));
    assert_int_equal(model_read(kase.source, NULL, 0, kase.diag, &kase.model), STATUS_OK);
    assert_int_equal(motion_new(kase.model, kase.diag, &kase.motion), STATUS_OK);
    if (orthonormal)
        assert_int_equal(motion_orthonormal(kase.motion, kase.diag), STATUS_OK);
    assert_int_equal(run_new(kase.motion, &options, kase.diag, &kase.run), STATUS_OK);
    for (size_t j = 0; j < n; j++) {
        size_t which = (size_t)(kase.model->coords.at[j].name[1] - '0');
        assert_near(run_start(kase.run).v[j], v[which], 1e-12);
    }
    case_free(&kase);
}

static void test_any_order_and_any_speeds(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60 * test_size(); seed++) {
        Random random = random_seed(seed);
        Drawn drawn = draw(&random);
        double v[MOST];
        find_truth(&drawn, v);
        for (int turn = 0; turn < 3; turn++) {
            Text text = {0};
            write_model(&drawn, &random, &text);
            check_start(text.at, turn == 2, drawn.n, v);
            text_clear(&text);
        }
    }
}

static void check_velocities(const char *text, const double *v)
{
    RunCase kase = case_start(text, run_options());
    case_expect(&kase, STATUS_OK);
    for (size_t i = 0; i < kase.motion->n; i++)
        assert_near(run_start(kase.run).v[i], v[i], 1e-13);
    case_free(&kase);
}

#define CART "coord x, theta\nmass 2 at [x, 0, 0]\nmass 1 at [x + sin(theta), -cos(theta), 0]\n"

static void test_least_surprise(void **state)
{
    (void)state;
    // Inertia that couples them sets nothing in motion.
    check_velocities(CART "initial theta = 0.4, theta' = 3\n", (double[]){0, 3});
    check_velocities("coord theta, x\nmass 2 at [x, 0, 0]\nmass 1 at [x + sin(theta), "
                     "-cos(theta), 0]\ninitial theta = 0.4, x' = 3\n",
                     (double[]){0, 3});
    // What has no inertia follows.
    check_velocities("coord s, x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: cos(s)*x' + "
                     "exp(s)*s' + exp(s)*y' = 3\n",
                     (double[]){3, 0, 0});
    // Two rods in a row, by the coordinates of their centres: these follow from the angles, though
    // both conditions of the second hold the first one's.
    check_velocities("coord x2, y2, x1, y1, a, b\nkinetic (x1'^2 + y1'^2 + x2'^2 + y2'^2 + a'^2 + "
                     "b'^2)/2\nconstraint j1: x1 - sin(a) = 0\nconstraint j2: y1 + cos(a) = 0\n"
                     "constraint j3: x2 - x1 - sin(a) - sin(b) = 0\n"
                     "constraint j4: y2 - y1 + cos(a) + cos(b) = 0\ninitial a = 0, b = 0, a' = 1\n",
                     (double[]){2, 0, 1, 0, 1, 0});
    // Two conditions that have nothing to do with each other do not mix.
    check_velocities("coord x, y, z, w\nkinetic (x'^2 + y'^2 + z'^2 + w'^2)/2\n"
                     "constraint c: x' + y' = 2\nconstraint d: 3*z' - w' = 1e-6\n",
                     (double[]){1, 1, 3e-7, -1e-7});
    // Nor does rounding: 0.1*3 - 0.3 is not quite 0.
    RunCase kase = case_start("coord x, w, z, y, u\nkinetic x'^2 + w'^2 + z'^2 + y'^2 + u'^2\n"
                              "constraint a: z' = 0.1*x' - 0.3*w'\nconstraint b: z'*cos(x) + "
                              "y'*cos(y) + u'*cos(u) = 0\ninitial x' = 3, w' = 1\n",
                              run_options());
    case_expect(&kase, STATUS_OK);
    assert_true(
        case_says(&kase, DIAG_NOTE, "so 0: x, w, z, y, u, y', u'; found from the rest: z'"));
    case_free(&kase);
    // Where a declared speed is given the others are 0; else they have no say.
    check_velocities("coord x, y\nkinetic (x'^2 + y'^2)/2\nspeed u = x' + y'\nspeed w = x' - y'\n"
                     "initial u = 2\n",
                     (double[]){1, 1});
    check_velocities("coord x, y\nkinetic (x'^2 + y'^2)/2\nspeed u = x' + y'\nspeed w = x' - y'\n"
                     "initial x' = 2\n",
                     (double[]){2, 0});
}

// Positions that a search finds from a point that leads nowhere, and velocities of a condition that
// is not linear in them: by name, in any order.
static void test_searches_in_any_order(void **state)
{
    (void)state;
    static const char *const orders[] = {"xyz", "zyx", "yzx", "xzy"};
    double found[3][2] = {{0}};
    for (size_t i = 0; i < 4; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "coord %c, %c, %c\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                 "constraint c: x^2 + y^2 + z^2 = 1\nconstraint d: x*y*z = 0.1\n"
                 "constraint e: x'^2 + y'^2 + z'^2 = 4\n",
                 orders[i][0], orders[i][1], orders[i][2]);
        RunCase kase = case_start(text, run_options());
        case_expect(&kase, STATUS_OK);
        for (size_t j = 0; j < 3; j++) {
            double *first = found[orders[i][j] - 'x'];
            double q = run_start(kase.run).q[j], v = run_start(kase.run).v[j];
            assert_near(q, i == 0 ? q : first[0], 1e-12);
            assert_near(v, i == 0 ? v : first[1], 1e-11);
            first[0] = q;
            first[1] = v;
        }
        case_free(&kase);
    }
}

// ---- Starts that use starts.

// A cross of two axes, at a start where its condition does not change to first order: what is found
// is no more than a turn away, of angles in any unit.
static void test_searches_stay_near(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10 * test_size(); seed++) {
        Random random = random_seed(1400 + seed);
        double c = uniform(&random, 0.2, 1), unit = pow(10, uniform(&random, -1, 1)), way = 0;
        char text[300];
        snprintf(text, sizeof text,
                 "coord a, b\nkinetic a'^2/2 + b'^2/2\nlet x = a/%.17g, y = b/%.17g\n"
                 "constraint %.17g*sin(x)*sin(y) + cos(x)*cos(y) = 0\nrun to 0.1 every 0.1\n",
                 unit, unit, c);
        RunCase kase = case_run(text);
        case_expect(&kase, STATUS_OK);
        way = hypot(case_value(&kase, 0, "a"), case_value(&kase, 0, "b"));
        if (way > 3 * 3.1416 * unit)
            fail_msg("seed %zu: %g turns away", (size_t)seed, way / (6.2832 * unit));
        case_free(&kase);
    }
}

static void test_starts_that_use_starts(void **state)
{
    (void)state;
    RunCase kase = case_start("coord x, y, z[2]\nparam k = 2\nkinetic x'^2 + y'^2 + z[1]'^2 + "
                              "z[2]'^2\nspeed u = z[1]'\ninitial y = k*x, x = 3, x' = y + t, "
                              "y' = x'^2, z = 5*x, u = 2*y'\n",
                              run_options());
    case_expect(&kase, STATUS_OK);
    const double q[] = {3, 6, 15, 15}, v[] = {6, 36, 72, 0};
    for (size_t i = 0; i < 4; i++) {
        assert_near(run_start(kase.run).q[i], q[i], 0);
        assert_near(run_start(kase.run).v[i], v[i], 0);
    }
    case_free(&kase);
    const char *const wrong[][2] = {
        {"initial y = x, x = 2*y", "this start depends on itself"},
        {"initial y = x", "without coordinates that are not given; give one for 'x'"},
        {"initial approx x = 1\ninitial y = x", "give one for 'x'"}};
    for (size_t i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, "coord x, y\nkinetic x'^2 + y'^2\n%s\n", wrong[i][0]);
        kase = case_start(text, run_options());
        case_expect(&kase, STATUS_WRONG);
        assert_true(case_says(&kase, DIAG_ERROR, wrong[i][1]));
        case_free(&kase);
    }
}

static void test_moved_values_are_told(void **state)
{
    (void)state;
    RunCase kase = case_start("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\n"
                              "initial x = 0.6000000001, y = 0.8, x' = 0.4, y' = -0.3\n",
                              run_options());
    case_expect(&kase, STATUS_OK);
    assert_true(case_says(&kase, DIAG_NOTE,
                          "start: moved onto the conditions: x = 0.6000000001 became "
                          "0.600000000064, y = 0.8 became 0.799999999952, y' = -0.3 became "
                          "-0.30000000005"));
    case_free(&kase);
    kase = case_start("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\n"
                      "initial x = 0.6, y = 0.8, x' = 0.4, y' = -0.3\n",
                      run_options());
    case_expect(&kase, STATUS_OK);
    assert_false(case_says(&kase, DIAG_NOTE, "moved"));
    case_free(&kase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order_and_any_speeds),
        cmocka_unit_test(test_least_surprise),
        cmocka_unit_test(test_searches_in_any_order),
        cmocka_unit_test(test_searches_stay_near),
        cmocka_unit_test(test_starts_that_use_starts),
        cmocka_unit_test(test_moved_values_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
