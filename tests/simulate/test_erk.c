// test_erk.c: runs by the explicit Runge–Kutta method: rows that shorten nothing; what it may not
// step over. Switches by all methods.
#include "event_case.h"

#include <flint/flint.h>

// ---- Rows.

static RunCase go(const char *text, RunMethod method, double every, double tolerance)
{
    RunOptions options = run_options();
    options.method = method;
    options.every = every;
    options.tolerance = tolerance;
    RunCase kase = case_start(text, options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    return kase;
}

static const char rod[] = "coord x, y\nmass 1 at [x, y, 0]\ngravity [0, -9.81, 0]\n"
                          "constraint rod: x^2 + y^2 = 1\ninitial x = 0.6, y = -0.8\nrun to 4\n";

static void rows_shorten_nothing(void **state)
{
    (void)state;
    RunCase coarse = go(rod, RUN_ERK, 1, 1e-10), fine = go(rod, RUN_ERK, 0.002, 1e-10);
    RunCase taylor = go(rod, RUN_TAYLOR, 0.002, 1e-13);
    assert_int_equal(case_row_count(&fine), 2001);
    assert_true(fine.summary.steps < 2 * coarse.summary.steps + 20);
    assert_true(fine.summary.steps < 600);
    assert_true(fine.summary.largest_residual < 1e-13);
    for (size_t i = 0; i < fine.rows.count; i++)
        assert_near(fine.rows.at[i], taylor.rows.at[i], 1e-8);
    case_free(&coarse);
    case_free(&fine);
    case_free(&taylor);
}

// A force that is 0 to the last digit at the start is not stepped over, however few rows there are:
// of energy ½, the point turns back before a hill of height 3.
static void hill_on_the_way(void **state)
{
    (void)state;
    RunCase kase = go("coord x\nkinetic x'^2/2\npotential 3*exp(-50*(x - 10)^2)\n"
                      "initial x' = 1\nrun to 40\n",
                      RUN_ERK, 40, 1e-10);
    assert_near(case_last(&kase, "x'"), -1, 1e-8);
    case_free(&kase);
}

// ---- Switches. Between two of them the oscillator swings about ±0.03, each time half a period.

static void switches_by_all_methods(void **state)
{
    (void)state;
    const double half = 3.14159265358979323846 / sqrt(10);
    for (RunMethod method = 0; method < RUN_METHOD_COUNT; method++) {
        if (method == RUN_TIMESTEPPING)
            continue;
        double within = method == RUN_TAYLOR || method == RUN_ERK ? 1e-9 : 1e-7;
        RunOptions options = run_options();
        options.method = method;
        options.tolerance = 1e-10;
        EventCase kase = event_case_with("coord x\nkinetic x'^2/2\npotential 5*x^2\n"
                                         "force -0.3*sign(x') along x\ninitial x = 1\n"
                                         "run to 3 every 0.5\n",
                                         options);
        case_expect(&kase.run, STATUS_OK);
        assert_int_equal(kase.events.count, 3);
        for (size_t i = 0; i < 3; i++)
            event_is(&kase, i, RUN_SWITCH, "", (double)(i + 1) * half, within);
        // Each half swing ends 0.06 before where it began; rows are there before and after.
        assert_int_equal(case_row_count(&kase.run), 7 + 6);
        double x = -0.03 - (1 - 3 * 0.06 - 0.03) * cos(sqrt(10) * (3 - 3 * half));
        assert_near(case_last(&kase.run, "x"), x, within);
        event_case_free(&kase);
    }
}

// Small and slow, or large and fast: the same motion in other units has the same relative error.
static void test_units(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (int seed = 0; seed < 16; seed++) {
        double length = pow(10, 6 - 6 * (seed / 4)), time = pow(10, 4 * (seed / 4) - 2);
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\nforce -%.17g*x along x\ninitial x = %.17g, x' = 0\n"
                  "run to %.17g every %.17g\n",
                  1 / (time * time), length, 300 * time, 10 * time);
        RunCase kase = case_start(text.at, options);
        RunListener listener = {.row = case_keep_row, .context = &kase};
        kase.status = run_go(kase.run, &listener, kase.diag, &kase.summary);
        case_expect(&kase, STATUS_OK);
        assert_near(case_last(&kase, "x") / length, cos(300), 1e-4);
        text_clear(&text);
        case_free(&kase);
    }
}

// ---- What no step can pass over anything of.

static void smooth_or_not(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool smooth;
    } cases[] = {
        {"param k = 2\ncoord x\nkinetic x'^2/2\npotential sqrt(k)*x^2 + exp(k)*cos(x)^3\n", true},
        {"coord x\nmass 1 at [sin(x), 0, cos(x)]\ngravity [0, 0, -9.81]\n", true},
        {"coord x\nkinetic x'^2/2\nforce sin(t) along x\n", false},
        {"coord x\nkinetic x'^2/2\npotential exp(-x^2)\n", false},
        {"coord x\nkinetic x'^2/2\npotential 1/(1 + x^2)\n", false},
        {"coord x\nkinetic x'^2/2\npotential sqrt(1 + x^2)\n", false},
        {"coord x\nkinetic x'^2/2\nforce -x*abs(x) along x\n", false},
        {"coord x\nkinetic x'^2/2\npotential x^40\n", false},
        {"coord x\nkinetic x'^2/2\npotential x\nconstraint floor: x >= 0\ninitial x = 1\n", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        RunCase kase = case_start(cases[i].text, run_options());
        case_expect(&kase, STATUS_OK);
        assert_int_equal(run_settings(kase.run).smooth, cases[i].smooth);
        case_free(&kase);
    }
}

// Steps of a smooth motion are as long as its error lets them be: a swing of one turn.
static void long_steps(void **state)
{
    (void)state;
    RunCase kase = go("coord x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1\n"
                      "run to 6.283185307179586\n",
                      RUN_ERK, 6.283185307179586, 1e-6);
    assert_near(case_last(&kase, "x"), 1, 1e-5);
    assert_true(kase.summary.steps < 20);
    case_free(&kase);
}

// ---- Far from the origin.

// A push of a known impulse on a mass far away: rows inside its short steps have the velocities to
// the tolerance, though the coordinates' last digits are larger than what a step moves them by.
static void rows_far_away(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12 * test_size(); seed++) {
        Random random = random_seed(seed);
        double width = pow(10, -6 + 5 * (double)random_below(&random, 1001) / 1e3);
        double place = pow(10, (double)random_below(&random, 8001) / 1e3) * (seed % 2 ? 1 : -1);
        char text[400];
        snprintf(text, sizeof text,
                 "param w = %.17g\ncoord x, y\nmass 1 at [x, y, 0]\n"
                 "force exp(-(t/w - 30)^2)/(w*sqrt(pi)) along x\n"
                 "initial x = %.17g\nrun to %.17g every %.17g\n",
                 width, place, 33 * width, width / 30);
        RunOptions options = run_options();
        options.method = RUN_ERK;
        RunCase kase = case_start(text, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        for (size_t i = 0; i < case_row_count(&kase); i++) {
            double from = case_value(&kase, i, "t") / width - 30;
            if (fabs(case_value(&kase, i, "x'") - (1 + erf(from)) / 2) > 1e-8)
                fail_msg("seed %d: %.12g at t = %.17g", (int)seed, case_value(&kase, i, "x'"),
                         case_value(&kase, i, "t"));
        }
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_shorten_nothing),    cmocka_unit_test(hill_on_the_way),
        cmocka_unit_test(switches_by_all_methods), cmocka_unit_test(test_units),
        cmocka_unit_test(smooth_or_not),           cmocka_unit_test(long_steps),
        cmocka_unit_test(rows_far_away),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
